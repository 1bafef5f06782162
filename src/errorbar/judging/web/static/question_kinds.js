// The kinds of questions, one object each: how an answer is given and shown. The server's are in question_kinds.py.
// Kinds with much of their own (edits, ranks, rewrite) add themselves; a page loads those that its study asks.
// Nothing here touches the page but by what the panel offers.

import { QuestionKind } from './question_kind.js';

/** @typedef {import('./draft.js').Question} Question */
/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./panel.js').Panel} Panel */

/** One of the options. */
class OneKind extends QuestionKind {
  isChoice = true;

  build(panel, question, field) {
    panel.addOptions(question, field);
  }

  show(panel, question, field, draft) {
    panel.showChosen(question, field, draft);
  }
}

/** Words of a list. */
class WordsKind extends QuestionKind {
  isTyped = true;

  build(panel, question, field, draft) {
    panel.addInput(question, field, draft);
  }

  show(panel, question, field) {
    panel.showInput(question, field);
  }
}

/** Any words. */
class TextKind extends WordsKind {
  isFree = true;
}

/** One token. */
class TokenKind extends QuestionKind {
  namesTokens = true;

  partInWords(question, part, word) {
    return word(part);
  }

  place(part) {
    return part;
  }

  /**
   * The answer once a token was pressed.
   * @param {any} answer
   * @param {number} token
   */
  toggle(answer, token) {
    return answer === token ? undefined : token;
  }

  build(panel, question, field) {
    panel.addMarker(question, field);
  }

  show(panel, question, field, draft, marking) {
    panel.showMarked(question, field, draft, marking);
  }
}

/** Tokens that are wrong; that none is marked is an answer. */
class MarksKind extends TokenKind {
  namesSeveral = true;

  marksErrors = true;

  isAnswered() {
    return true;
  }

  get empty() {
    return [];
  }

  toggle(answer, token) {
    const others = (answer ?? []).filter((each) => each !== token);
    return answer?.includes(token) ? others : [...others, token].sort((a, b) => a - b);
  }
}

/** @type {Record<string, QuestionKind>} */
export const QUESTION_KINDS = {
  one: new OneKind(), marks: new MarksKind(), words: new WordsKind(), text: new TextKind(), token: new TokenKind(),
};

/**
 * @param {Question} question
 * @returns {QuestionKind}
 */
export const kindOf = (question) => QUESTION_KINDS[question.kind];
