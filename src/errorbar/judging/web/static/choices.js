// The answers of raters, side by side, of an item that is adjudicated: a digit accepts one; or the adjudicator writes
// another. While one chooses, the questions are not there, and their keys mean nothing.

import { equal } from './answers.js';
import { announce, button, byId, keycap, make } from './dom.js';
import { Draft } from './draft.js';
import { say } from './phrases.js';
import { kindOf } from './question_kinds.js';

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
    const other = button(say('Write another answer'), () => this.write(), { class: 'button small quiet', 'aria-keyshortcuts': WRITE });
    other.prepend(keycap(WRITE), ' ');
    const back = button(say('Back to the answers'), () => this.back(), { class: 'button small quiet back' });
    const ask = this.all.length > 1 ? say('Raters answered this differently. Which answer is right?') : say('All raters gave this answer. Is it right?');
    this.section.replaceChildren(make('h2', { class: 'ask' }, ask), make('ol', { class: 'cards', role: 'list' }, ...this.all.map((choice, n) => this.#card(choice, n))),
      make('p', { class: 'row ways' }, other, back));
  }

  /** @param {Choice} choice @param {number} n */
  #card(choice, n) {
    const key = n < DIGITS ? String(n + 1) : undefined;
    const given = say('Given by {n} {n|rater|raters}', { n: choice.count });
    return make('li', { class: 'card', 'aria-current': n === this.chosen ? 'true' : undefined },
      make('h3', {}, ...(key ? [keycap(key), ' '] : []), make('span', { class: key ? 'unseen' : undefined }, say('Answer {n}', { n: n + 1 }))),
      make('dl', {}, ...this.#answer(choice)),
      ...(choice.count ? [make('p', { class: 'help' }, given)] : []),
      make('p', { class: 'row' },
        button(say('Accept'), () => this.accept(n), { class: 'button small accept', 'aria-label': say('Accept answer {n}', { n: n + 1 }), 'aria-keyshortcuts': key }),
        button(say('Change'), () => this.write(n), { class: 'button small quiet', 'aria-label': say('Start from answer {n} and change it', { n: n + 1 }) })));
  }

  /** An answer in words, with what others say at the same places beside it. @param {Choice} choice */
  #answer(choice) {
    const { scheme, view } = this.page;
    const tokens = view.text.split(/\s+/);
    const word = (token) => view.word(token) || tokens[token] || '';
    const asked = scheme.questions.filter((question) => this.all.some((each) => each.answer[question.id] !== undefined));
    return asked.flatMap((question) => {
      const all = this.all.map((each) => partsOf(question, each.answer[question.id], word));
      const own = all[this.all.indexOf(choice)];
      const places = [...new Set(all.flatMap((parts) => [...parts.keys()]))].sort((a, b) => a - b);
      const lines = places.map((place, n) => make('dd', { dir: 'auto', class: all.every((parts) => parts.get(place) === own.get(place)) ? undefined : 'contested' },
        own.get(place) ?? (own.size || n ? '–' : kindOf(question).none)));
      if (!places.length) lines.push(make('dd', {}, kindOf(question).none));
      return [make('dt', { class: scheme.questions.length === 1 ? 'unseen' : undefined }, question.ask), ...lines];
    });
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
    page.view.show(page.current.html); // without what was written into it
    page.panel.clear();
    this.#open(true);
    page.answers.keepDraft();
    page.refresh();
    page.focus();
    return true;
  }
}

/**
 * The parts of an answer in words, by the places that they are about.
 * @param {import('./draft.js').Question} question
 * @param {any} value
 * @param {(token: number) => string} word
 * @returns {Map<number, string>}
 */
function partsOf(question, value, word) {
  const parts = value === undefined ? [] : [value].flat();
  return new Map(parts.map((part, n) => [kindOf(question).place(part, n), kindOf(question).partInWords(question, part, word)]));
}
