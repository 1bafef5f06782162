// A text that a rater makes right: the field, and what differs from the writer's text and from the one to start with.

import { make } from './dom.js';
import { say } from './phrases.js';
import { QuestionKind } from './question_kind.js';
import { QUESTION_KINDS } from './question_kinds.js';

const MOST_CELLS = 4000000; // of a comparison: what is longer is shown as one stretch that was replaced
const SENTENCE = 500; // characters that a rater may add to the double of what is shown; the server's are in question_kinds.py

/** @param {string} text @returns {string[]} its words, as the server cuts them */
const wordsOf = (text) => text.normalize('NFC').split(/\s+/).filter(Boolean);

/**
 * What differs between two lists of words, as few of them as possible.
 * @param {string[]} before
 * @param {string[]} after
 * @returns {{kind: 'same' | 'gone' | 'new', words: string[]}[]}
 */
export function compareWords(before, after) {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const gone = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const middle = gone.length * added.length > MOST_CELLS
    ? [...gone.map((word) => ['gone', word]), ...added.map((word) => ['new', word])] : align(gone, added);
  const steps = [...before.slice(0, start).map((word) => ['same', word]), ...middle,
    ...before.slice(before.length - end).map((word) => ['same', word])];
  /** @type {{kind: any, words: string[]}[]} */
  const stretches = [];
  for (const [kind, word] of steps) {
    if (stretches.at(-1)?.kind === kind) stretches.at(-1)?.words.push(word);
    else stretches.push({ kind, words: [word] });
  }
  return stretches;
}

/** @param {string[]} gone @param {string[]} added @returns {string[][]} kind and word, along a longest common subsequence */
function align(gone, added) {
  const width = added.length + 1;
  const common = new Uint16Array((gone.length + 1) * width);
  for (let i = gone.length - 1; i >= 0; i -= 1) {
    for (let j = added.length - 1; j >= 0; j -= 1) {
      const below = common[(i + 1) * width + j];
      const beside = common[i * width + j + 1];
      common[i * width + j] = gone[i] === added[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(below, beside);
    }
  }
  const steps = [];
  let [i, j] = [0, 0];
  while (i < gone.length || j < added.length) {
    if (i < gone.length && j < added.length && gone[i] === added[j]) {
      steps.push(['same', gone[i]]);
      i += 1;
      j += 1;
    } else if (j === added.length || (i < gone.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      steps.push(['gone', gone[i]]);
      i += 1;
    } else {
      steps.push(['new', added[j]]);
      j += 1;
    }
  }
  return steps;
}

/** The field in which a rater makes a text right. */
class RewriteInput {
  /**
   * @param {import('./draft.js').Question} question
   * @param {{source: string, output: string}} texts
   * @param {{said: () => string | undefined, typed: () => string | undefined, type: (text: string) => void,
   *   set: (said: string) => void, confirm: () => void, complain: (text: string) => void}} on
   */
  constructor(question, texts, on) {
    Object.assign(this, { question, texts, on });
    this.most = 2 * [...texts.output].length + SENTENCE;
    this.input = make('textarea', {
      id: `rewrite-${question.id}`, class: 'rewrite', rows: 3, autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false',
      dir: 'auto', 'aria-label': question.ask, 'aria-describedby': `rewrite-${question.id}-differences`,
    });
    this.differences = make('dl', { id: `rewrite-${question.id}-differences`, class: 'differences' });
    this.parts = [this.input, this.differences];
    this.input.addEventListener('input', () => this.#typed());
    this.input.addEventListener('keydown', (event) => this.#key(event));
    /** What is shown as differing; null: nothing yet. @type {string | null} */
    this.compared = null;
  }

  /** Show what the draft says. */
  update() {
    const text = this.on.typed() ?? this.on.said() ?? this.texts.output;
    if (this.input.value !== text) this.input.value = text;
    if (!this.input.disabled) this.#compare();
  }

  /** @returns {boolean} whether the text can be an answer; else the page says why */
  add() {
    const text = wordsOf(this.input.value).join(' ');
    const length = [...text].length;
    if (!text) this.on.complain(say('The text is empty. If nobody can make it right, press Escape and say so.'));
    else if (text === wordsOf(this.texts.output).join(' ')) {
      this.on.complain(say('Nothing is changed. If the text is right as it is, press Escape and say so.'));
    } else if (length > this.most) {
      this.on.complain(say('The text is too long: it has {n} characters, and at most {most} can be saved. Take out what does not belong here.',
        { n: length, most: this.most }));
    } else {
      this.on.set(text);
      return true;
    }
    return false;
  }

  #typed() {
    this.on.type(this.input.value);
    this.on.complain('');
    this.#compare();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (!event.repeat) this.on.confirm();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.input.blur();
    }
  }

  /** Say what differs from both texts. */
  #compare() {
    if (this.compared === this.input.value) return;
    this.compared = this.input.value;
    const words = wordsOf(this.compared);
    this.differences.replaceChildren(
      make('dt', {}, say('Changed in the text that you started with')), describe(wordsOf(this.texts.output), words),
      make('dt', {}, say('Changed in what the writer wrote')), describe(wordsOf(this.texts.source), words));
  }
}

/** @param {string[]} before @param {string[]} after @returns {HTMLElement} the words, those that differ marked */
function describe(before, after) {
  const stretches = compareWords(before, after);
  if (stretches.every(({ kind }) => kind === 'same')) return make('dd', { class: 'help' }, say('Nothing'));
  const line = make('dd', { dir: 'auto' });
  for (const { kind, words } of stretches) {
    const element = { same: 'span', gone: 'del', new: 'ins' }[kind];
    line.append(make(/** @type {any} */ (element), {}, words.join(' ')), ' ');
  }
  return line;
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

QUESTION_KINDS.rewrite = new RewriteKind();
