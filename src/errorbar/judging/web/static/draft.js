// The answers to one item while they are being given: what is asked, in which step one is, what is missing, undo.
// Nothing here touches the page.

import { kindOf } from './question_kinds.js';

/**
 * @typedef {{value: string, label: string, key: string, help: string}} Option
 * @typedef {object} Question
 * @property {string} id
 * @property {string} kind
 * @property {string} ask
 * @property {Option[]} options
 * @property {boolean} required
 * @property {Record<string, string[]>} when
 * @property {number} most
 * @property {string} key
 * @property {string} help
 * @property {number} step
 * @property {string} nothing
 * @property {Option[]} types of edits; empty: edits have none
 * @typedef {{name: string, title: string, compares: boolean, main: string, questions: Question[]}} Scheme
 */

/** Said where no word is needed. */
export const NOTHING = '∅';

/** The answers to one item. */
export class Draft {
  /**
   * @param {Scheme} scheme
   * @param {any} kept what toJSON gave, or null
   * @param {Record<string, number>} proposed by a program: what is said as long as the rater says nothing else
   */
  constructor(scheme, kept = null, proposed = {}) {
    this.scheme = scheme;
    this.proposed = proposed;
    /** @type {Record<string, any>} */
    this.answer = kept?.answer ?? { ...proposed };
    /** @type {Record<string, string>} typed, and not yet added */
    this.typed = kept?.typed ?? {};
    /** The last step that is confirmed; 0: none. */
    this.confirmed = kept?.confirmed ?? 0;
    this.comment = kept?.comment ?? '';
    this.milliseconds = kept?.milliseconds ?? 0;
    /** @type {Record<string, number>} when each question was last answered */
    this.trail = kept?.trail ?? {};
    /** @typedef {{answer: Record<string, any>, typed: Record<string, string>, confirmed: number}} State */
    /** @type {State[]} earlier states: answers are never changed in place, so that they share what is the same */
    this.earlier = [];
    /** @type {State[]} states that were taken back, the last one first to come again */
    this.later = [];
    this.touched = kept?.touched ?? false;
  }

  /**
   * Of an item that was answered before.
   * @param {Scheme} scheme
   * @param {any} answer
   * @param {string} comment
   */
  static answered(scheme, answer, comment = '') {
    const draft = new Draft(scheme, { answer: structuredClone(answer ?? {}), comment });
    draft.confirmed = answer ? Math.max(...scheme.questions.map((question) => question.step)) : 0;
    return draft;
  }

  toJSON() {
    const { answer, typed, confirmed, comment, milliseconds, trail, touched } = this;
    return { answer, typed, confirmed, comment, milliseconds, trail, touched };
  }

  /**
   * Questions that are asked after the answers so far.
   * @returns {Question[]}
   */
  asked() {
    /** @type {Record<string, any>} */
    const said = {};
    return this.scheme.questions.filter((question) => {
      const asked = Object.entries(question.when).every(([earlier, values]) => values.includes(said[earlier]));
      if (asked) said[question.id] = this.answer[question.id];
      return asked;
    });
  }

  /** @returns {number | null} the step that waits for an answer; null: all are confirmed */
  get step() {
    const open = this.asked().map((question) => question.step).filter((step) => step > this.confirmed);
    return open.length ? Math.min(...open) : null;
  }

  /**
   * @param {number | null} step
   * @returns {Question[]} asked in it
   */
  ofStep(step) {
    return this.asked().filter((question) => question.step === step);
  }

  /**
   * @param {Question} question
   * @returns {boolean}
   */
  isAnswered(question) {
    return kindOf(question).isAnswered(this.answer[question.id]);
  }

  /** @param {Question} question @returns {boolean} whether it is answered by a program alone, and not confirmed yet */
  isProposal(question) {
    return question.step > this.confirmed && question.id in this.proposed && this.trail[question.id] === undefined
      && this.answer[question.id] === this.proposed[question.id];
  }

  /** @returns {Question | undefined} what the step still lacks */
  missing() {
    return this.ofStep(this.step).find((question) => question.required && !this.isAnswered(question));
  }

  /**
   * Later answers stay, but what was confirmed from this step on is to be confirmed anew.
   * @param {Question} question
   * @param {any} value undefined: none
   * @param {number} now milliseconds on this item
   */
  set(question, value, now) {
    this.remember();
    if (value === undefined) delete this.answer[question.id];
    else this.answer[question.id] = value;
    this.trail[question.id] = Math.round(now);
    this.touched = true;
    if (question.step <= this.confirmed) this.confirmed = question.step - 1;
  }

  /** @returns {boolean} whether the step was whole, and is confirmed now */
  confirm() {
    if (this.step === null) return true;
    if (this.missing()) return false;
    this.confirmed = this.step;
    return true;
  }

  /** Whether a choice settles the step: all that it asks are choices, and all are made. */
  get settled() {
    const questions = this.ofStep(this.step);
    return questions.every((question) => kindOf(question).settles(this.answer[question.id]));
  }

  /** @returns {Record<string, any>} the answer as it is sent */
  collect() {
    const pairs = this.asked().map((question) => [question.id, this.answer[question.id] ?? kindOf(question).empty]);
    return Object.fromEntries(pairs.filter(([, value]) => value !== null));
  }

  remember() {
    this.earlier.push(this.#state());
    this.later = [];
  }

  #state() {
    const { answer, typed, confirmed } = this;
    return { answer: { ...answer }, typed: { ...typed }, confirmed };
  }

  /** @returns {boolean} whether there was something to undo */
  undo() {
    return this.#move(this.earlier, this.later);
  }

  /** @returns {boolean} whether there was something to do again */
  redo() {
    return this.#move(this.later, this.earlier);
  }

  #move(from, to) {
    const state = from.pop();
    if (state === undefined) return false;
    to.push(this.#state());
    const { typed, ...rest } = state;
    Object.assign(this, rest, { typed: { ...this.typed, ...typed } }); // what was typed since is no step to undo
    return true;
  }
}
