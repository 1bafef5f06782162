// The kinds of questions, one object each: how an answer is given and shown. The server's are in question_kinds.py.
// Nothing here touches the page but by what the panel offers.

import { EditsField } from './edits.js';
import { say } from './phrases.js';
import { RewriteInput } from './post_edit.js';
import { QuestionKind } from './question_kind.js';
import { RanksKind } from './rank.js';

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

/** Edits of the text; that there is none is an answer. */
class EditsKind extends QuestionKind {
  isTyped = true;

  get none() {
    return say('no error');
  }

  isAnswered(value) {
    return Array.isArray(value) && !value.some((edit) => edit.pending);
  }

  lacks(question, value) {
    const pending = (value ?? []).filter((edit) => edit.pending).length;
    if (pending) return say('Edits to be decided on: {n}. Accept, change or reject each of them.', { n: pending });
    return say('Correct what is wrong, or press 0: there is no error.');
  }

  partInWords(question, edit, word) {
    const words = Array.from({ length: edit.end - edit.start }, (_, n) => word(edit.start + n)).filter(Boolean);
    const more = [edit.type, edit.optional && say('optional'), edit.group && say('linked'), edit.note].filter(Boolean).join(', ');
    const change = `${words.join(' ') || `${edit.start}–${edit.end}`} → ${edit.corrections.map((text) => text || '∅').join(' / ')}`;
    return more ? `${change} (${more})` : change;
  }

  place(edit) {
    return edit.start + edit.end / 1e6;
  }

  build(panel, question, field, draft) {
    panel.inputs.set(question.id, new EditsField(panel, question, field, draft));
  }

  show(panel, question) {
    panel.inputs.get(question.id)?.show();
  }
}

/** @type {Record<string, QuestionKind>} */
const QUESTION_KINDS = {
  one: new OneKind(), marks: new MarksKind(), words: new WordsKind(), text: new TextKind(), token: new TokenKind(),
  edits: new EditsKind(), ranks: new RanksKind(), rewrite: new RewriteKind(),
};

/**
 * @param {Question} question
 * @returns {QuestionKind}
 */
export const kindOf = (question) => QUESTION_KINDS[question.kind];
