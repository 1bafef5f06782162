// The answers of raters, side by side, of an item that is adjudicated: a digit accepts one; or the adjudicator writes
// another. While one chooses, the questions are not there, and their keys mean nothing.

import { equal } from './answers.js';
import { inWords } from './dialogs.js';
import { announce, button, byId, keycap, make } from './dom.js';
import { Draft } from './draft.js';
import { say } from './phrases.js';

const WRITE = 'w';
const DIGITS = 9;

/** @typedef {{answer: any, count: number}} Choice */

/** The answers to choose from. */
export class Choices {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
    this.section = byId('choices');
    /** @type {Choice[]} */
    this.all = [];
    /** Whether one chooses just now. */
    this.open = false;
  }

  /** The keys that accept one. */
  get digits() {
    return this.all.slice(0, DIGITS).map((_, n) => String(n + 1));
  }

  /**
   * Show the answers to an item, if there are some.
   * @param {Choice[]} choices
   * @param {any} answer that was given before
   */
  show(choices, answer) {
    this.all = choices;
    this.chosen = answer ? choices.findIndex((choice) => equal(choice.answer, answer)) : -1;
    const { draft } = this.page;
    this.#open(choices.length > 0 && !draft.touched && (!answer || this.chosen >= 0));
    this.section.hidden = choices.length === 0;
    if (choices.length) this.#build();
  }

  hide() {
    this.all = [];
    this.open = false;
    this.section.hidden = true;
  }

  #open(open) {
    this.open = open;
    this.section.dataset.state = open ? 'open' : 'closed';
    byId('questions').hidden = open;
  }

  #build() {
    const { scheme, view } = this.page;
    const words = this.all.map((choice) => new Map(inWords(scheme, choice.answer, (token) => view.word(token))));
    const differs = (ask) => new Set(words.map((each) => each.get(ask))).size > 1;
    const single = scheme.questions.length === 1;
    const card = (choice, n) => {
      const parts = [...words[n]].flatMap(([ask, answer]) => [
        ...(single ? [] : [make('dt', {}, ask)]), make('dd', { dir: 'auto', class: !single && differs(ask) ? 'contested' : undefined }, answer)]);
      const title = say('Answer {n}', { n: n + 1 });
      return make('li', { class: 'card', 'aria-current': n === this.chosen ? 'true' : undefined },
        make('h3', {}, ...(n < DIGITS ? [keycap(String(n + 1)), ' '] : []), make('span', { class: n < DIGITS ? 'unseen' : undefined }, title)),
        make(single ? 'div' : 'dl', { class: 'given' }, ...(single ? [make('p', { dir: 'auto' }, [...words[n].values()].join(', '))] : parts)),
        ...(choice.count ? [make('p', { class: 'help' }, say(choice.count === 1 ? 'Given by 1 rater' : 'Given by {n} raters', { n: choice.count }))] : []),
        make('p', { class: 'row' },
          button(say('Accept'), () => this.accept(n), { class: 'button small accept', 'aria-label': say('Accept answer {n}', { n: n + 1 }), 'aria-keyshortcuts': n < DIGITS ? String(n + 1) : undefined }),
          button(say('Change'), () => this.write(n), { class: 'button small quiet', 'aria-label': say('Start from answer {n} and change it', { n: n + 1 }) })));
    };
    const other = button(say('Write another answer'), () => this.write(), { class: 'button small quiet', 'aria-keyshortcuts': WRITE });
    other.prepend(keycap(WRITE), ' ');
    const back = button(say('Back to the answers'), () => this.back(), { class: 'button small quiet back' });
    this.section.replaceChildren(
      make('h2', { class: 'ask' }, say(this.all.length > 1 ? 'Raters answered this differently. Which answer is right?' : 'All raters gave this answer. Is it right?')),
      make('ol', { class: 'cards', role: 'list' }, ...this.all.map(card)),
      make('p', { class: 'row ways' }, other, back));
  }

  /**
   * A key while one chooses.
   * @param {string} key
   * @returns {boolean} whether it meant something
   */
  press(key) {
    if (!this.open) return false;
    if (key === WRITE) this.write();
    else if (key === 'Enter' && this.page.earlier !== null) this.page.acts.leaveEarlier();
    else if (this.digits.includes(key)) this.accept(Number(key) - 1, true);
    else return false;
    return true;
  }

  /**
   * Take an answer as it is.
   * @param {number} n
   * @param {boolean} byKey whether its button was not pressed
   */
  accept(n, byKey = false) {
    const { page } = this;
    const buttons = byKey ? [...this.section.querySelectorAll('.accept')] : [];
    if (!page.draft || page.tooSoon || !page.sight.allows(buttons)) return;
    const { comment, milliseconds } = page.draft;
    page.draft = Draft.answered(page.scheme, this.all[n].answer, comment);
    page.draft.milliseconds = milliseconds;
    page.draft.touched = true;
    page.answers.submit('');
  }

  /**
   * Write an answer.
   * @param {number | null} from the answer that is changed; null: none
   */
  write(from = null) {
    const { page } = this;
    if (!page.draft || page.tooSoon) return;
    const { comment, milliseconds } = page.draft;
    const answer = from === null ? null : structuredClone(this.all[from].answer);
    page.draft = new Draft(page.scheme, answer && { answer, comment, milliseconds, touched: true });
    page.draft.comment = comment;
    this.#open(false);
    page.panel.build(page.draft);
    page.answers.keepDraft();
    page.refresh();
    page.focus();
    page.sight.showStep();
    announce(say('Write your answer.'));
  }

  /** From writing back to the answers; what was written is given up. @returns {boolean} whether there was a way back */
  back() {
    const { page } = this;
    if (!this.all.length || this.open || !page.draft) return false;
    if (page.marking.question) page.marking.end();
    page.draft = new Draft(page.scheme, null);
    page.draft.milliseconds = page.stopwatch.elapsed;
    page.panel.clear();
    this.#open(true);
    page.answers.keepDraft();
    page.refresh();
    page.focus();
    return true;
  }
}
