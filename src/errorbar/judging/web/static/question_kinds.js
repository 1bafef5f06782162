// The kinds of questions, one object each: how an answer is given and shown. The server's are in question_kinds.py.
// Nothing here touches the page but by what the panel offers.

import { RewriteInput } from './post_edit.js';

/** @typedef {import('./draft.js').Question} Question */
/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./panel.js').Panel} Panel */

/** A kind of question. */
class QuestionKind {
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

  /** @param {any} value */
  isAnswered(value) {
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
  }

  /** What is sent where nothing was answered; null: nothing. */
  get empty() {
    return null;
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
}

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

/** The whole text of the item, as it should be. */
class RewriteKind extends QuestionKind {
  isTyped = true;

  needsFocus = true;

  build(panel, question, field, draft) {
    const input = new RewriteInput(question, panel.view.rewritten, {
      said: () => draft.answer[question.id],
      typed: () => draft.typed[question.id],
      type: (text) => panel.on.type(question, text),
      set: (said) => panel.on.words(question, said),
      confirm: () => panel.on.confirm(),
      complain: panel.on.complain,
    });
    panel.inputs.set(question.id, input);
    field.append(...input.parts);
  }

  show(panel, question, field) {
    panel.showInput(question, field);
  }
}

/** One token. */
class TokenKind extends QuestionKind {
  namesTokens = true;

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
const QUESTION_KINDS = {
  one: new OneKind(), marks: new MarksKind(), words: new WordsKind(), text: new TextKind(), token: new TokenKind(),
  rewrite: new RewriteKind(),
};

/**
 * @param {Question} question
 * @returns {QuestionKind}
 */
export const kindOf = (question) => QUESTION_KINDS[question.kind];
