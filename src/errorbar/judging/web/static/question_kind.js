// What a kind of question is on the page: how an answer is given and shown. The server's half is in question_kinds.py.

import { say } from './phrases.js';

/** @typedef {import('./draft.js').Question} Question */
/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./panel.js').Panel} Panel */

/** A kind of question. */
export class QuestionKind {
  /** Whether one press answers it. */
  isChoice = false;

  /** Whether answers are typed. */
  isTyped = false;

  /** Whether any words can be typed, also in the blank of the text. */
  isFree = false;

  /** Whether only time with the focus on the page counts. */
  needsFocus = false;

  /** Whether answers name tokens of the text. */
  namesTokens = false;

  /** Whether answers name several tokens, so that the rater says when all are named. */
  namesSeveral = false;

  /** Whether tokens that are named are wrong. */
  marksErrors = false;

  /** Keys that it takes besides those of its options. @type {string[]} */
  keys = [];

  /** @param {any} value @returns {boolean} whether this answer alone settles the question, so that one goes on */
  settles(value) {
    return this.isChoice && this.isAnswered(value);
  }

  /** @param {any} value */
  isAnswered(value) {
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
  }

  /** What is sent where nothing was answered; null: nothing. */
  get empty() {
    return null;
  }

  /** An empty answer in words. */
  get none() {
    return say('none');
  }

  /** @param {Question} question @param {any} value @returns {string} what is missing where the question is not answered */
  lacks(question, value) {
    return say('Still to be answered: {question}', { question: question.ask });
  }

  /**
   * One part of an answer in words.
   * @param {Question} question
   * @param {any} part
   * @param {(token: number) => string} word
   */
  partInWords(question, part, word) {
    if (part === '∅') return question.nothing || part;
    return question.options.find((option) => option.value === part)?.label ?? part;
  }

  /**
   * Where a part stands in an answer, as a number: parts of two answers that are about the same have the same one.
   * @param {any} part
   * @param {number} n its number in the answer
   */
  place(part, n) {
    return n;
  }

  /**
   * Build the field of a question.
   * @param {Panel} panel
   * @param {Question} question
   * @param {HTMLElement} field
   * @param {Draft} draft
   */
  build(panel, question, field, draft) {
    throw new Error(`questions of the kind ${question.kind} have no field`);
  }

  /**
   * Show the answer, where the field does not show it by itself.
   * @param {Panel} panel
   * @param {Question} question
   * @param {HTMLElement} field
   * @param {Draft} draft
   * @param {string | null} marking id of the question for which tokens are being marked
   */
  show(panel, question, field, draft, marking) {}

  /**
   * A key that no option and nothing else of the scheme has.
   * @param {Panel} panel
   * @param {Question} question
   * @param {string} key
   * @param {Draft} draft
   * @returns {boolean} whether it meant something
   */
  press(panel, question, key, draft) {
    return false;
  }

  /**
   * What is missing of the answer, on which the rater goes on.
   * @param {Panel} panel
   * @param {Question} question
   * @returns {HTMLElement | null} null: the question itself
   */
  gap(panel, question) {
    return null;
  }

  /**
   * An answer in the words of the page.
   * @param {any} value
   * @param {Element | null} shown the item
   * @returns {string[] | null} null: in those of its options
   */
  inWords(value, shown) {
    return null;
  }
}
