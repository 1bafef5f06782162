// Marking tokens of the text: a key starts it, arrows walk, Space marks, Enter ends it; or one clicks.

import { announce, byId } from './dom.js';
import { say } from './phrases.js';
import { kindOf } from './question_kinds.js';

/** Which tokens an answer names. */
export class Marking {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
    /** @type {string | null} question for which tokens are being marked */
    this.question = null;
  }

  /** Begin, or end what was begun. */
  start(question) {
    const { page } = this;
    if (page.idle) return;
    if (this.question === question.id) {
      this.end();
      return;
    }
    this.question = question.id;
    page.refresh();
    page.view.walk((token) => this.#isMarked(question, token), question.ask);
  }

  end() {
    this.question = null;
    this.page.view.rest();
    this.page.refresh();
    byId('item').focus({ preventScroll: true });
  }

  /** @param {number} token */
  click(token) {
    const { page } = this;
    if (page.idle) return;
    const open = page.draft.asked().filter((question) => kindOf(question).namesTokens && question.step <= (page.draft.step ?? Infinity));
    const question = open.find((each) => each.id === this.question) ?? (open.length === 1 ? open[0] : null);
    if (question) this.#toggle(question, token);
    else if (open.length) page.complain(say('First say what you mark: {questions}', { questions: open.map((each) => each.ask).join(' · ') }));
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key meant something */
  walk(event) {
    const { view, scheme } = this.page;
    const question = scheme.questions.find((each) => each.id === this.question);
    const towards = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (towards) view.step(/** @type {1 | -1} */ (view.rightToLeft ? -towards : towards));
    else if (event.key === ' ') this.#toggle(question, view.cursor);
    else if (event.key === 'Enter' || event.key === 'Escape') this.end();
    else return false;
    return true;
  }

  /** @returns {Map<number, {letters: string[], wrong: boolean}>} keys of the questions that name each token, and whether one says that it is wrong */
  marks() {
    const { draft } = this.page;
    /** @type {Map<number, {letters: string[], wrong: boolean}>} */
    const marks = new Map();
    for (const question of draft.asked()) {
      if (!kindOf(question).namesTokens) continue;
      for (const token of [draft.answer[question.id] ?? []].flat()) {
        const { letters, wrong } = marks.get(token) ?? { letters: [], wrong: false };
        marks.set(token, { letters: [...letters, this.#letter(question)], wrong: wrong || kindOf(question).marksErrors });
      }
    }
    return marks;
  }

  /** How a question's tokens are marked: a letter; a proposal with a question mark. */
  #letter(question) {
    return `${question.key || '•'}${this.page.draft.isProposal(question) ? '?' : ''}`;
  }

  #isMarked(question, token) {
    return [this.page.draft.answer[question.id] ?? []].flat().includes(token);
  }

  #toggle(question, token) {
    const { page } = this;
    const marked = this.#isMarked(question, token);
    page.acts.set(question, kindOf(question).toggle(page.draft.answer[question.id], token));
    const word = page.view.word(token);
    announce(marked ? say('{word} not marked', { word }) : say('{word} marked', { word }));
    if (this.question && !kindOf(question).namesSeveral) this.end();
    else if (this.question) {
      page.view.cursor = token;
      page.view.walk((each) => this.#isMarked(question, each), question.ask);
    }
  }
}
