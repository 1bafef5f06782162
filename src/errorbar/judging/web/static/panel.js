// The questions of a scheme, step by step, under the item.

import { button, keycap, make } from './dom.js';
import { NOTHING } from './draft.js';
import { say } from './phrases.js';
import { kindOf } from './question_kinds.js';
import { wayTo } from './swipe.js';
import { WordsInput } from './words.js';

/** Shows a draft and tells what a rater does to it; the page decides what comes of it. */
export class Panel {
  /**
   * @param {HTMLElement} form
   * @param {import('./item_view.js').ItemView} view
   * @param {import('./draft.js').Scheme} scheme
   * @param {{choose: (q: any, value: any, byKey?: boolean) => void, change: (q: any, value: any[]) => void, mark: (q: any) => void, words: (q: any, said: string[]) => void,
   *   type: (q: any, text: string) => void, confirm: () => void, complain: (text: string) => void,
   *   set: (q: any, value: any) => void, recall: (name: string) => any, keep: (name: string, value: any) => void,
   *   open: (step: number) => void}} on
   */
  constructor(form, view, scheme, on) {
    Object.assign(this, { form, view, scheme, on });
    /** @type {Map<string, any>} fields in which one types: WordsInput, EditsField */
    this.inputs = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.fields = new Map();
    form.addEventListener('submit', (event) => event.preventDefault());
  }

  /** Take the questions away. */
  clear() {
    this.inputs.clear();
    this.fields.clear();
    this.form.replaceChildren();
  }

  /** Build the questions for an item anew: nothing of the item before can stay in them. */
  build(draft) {
    this.clear();
    const last = Math.max(...this.scheme.questions.map((question) => question.step));
    const steps = [...new Set(this.scheme.questions.map((question) => question.step))].sort((a, b) => a - b);
    this.form.replaceChildren(...steps.map((step) => {
      const questions = this.scheme.questions.filter((question) => question.step === step);
      const fields = questions.map((question) => this.#question(question, draft));
      const confirms = questions.some((question) => !kindOf(question).isChoice || !question.required) || questions.length > 1;
      const bar = make('p', { class: 'confirm' });
      if (confirms || last > 1) {
        bar.append(button(step === last ? say('Save') : say('Confirm'), () => this.on.confirm(), { class: 'button small' }), ' ', keycap('Enter'));
        bar.dataset.always = String(confirms);
      }
      return make('div', { class: 'step', 'data-step': step }, ...fields, bar);
    }));
    if (steps.length > 1) this.form.classList.add('steps');
  }

  /** @param {import('./draft.js').Question} question */
  #question(question, draft) {
    const field = make('fieldset', { 'data-question': question.id, tabindex: '-1', class: kindOf(question).namesTokens ? 'names-tokens' : undefined });
    field.append(make('legend', { dir: 'auto' }, question.ask));
    kindOf(question).build(this, question, field, draft);
    if (question.help) field.append(make('p', { class: 'help', dir: 'auto' }, question.help));
    this.fields.set(question.id, field);
    return field;
  }

  /**
   * A button that starts the marking of tokens.
   * @param {import('./draft.js').Question} question
   * @param {HTMLElement} field
   */
  addMarker(question, field) {
    const start = button(question.ask, () => this.on.mark(question), { class: 'option marker', 'aria-pressed': 'false' });
    if (question.key) start.prepend(keycap(question.key), ' ');
    field.querySelector('legend').classList.add('unseen');
    field.append(start, make('span', { class: 'marked-words' }));
  }

  /**
   * A button for each option.
   * @param {import('./draft.js').Question} question
   * @param {HTMLElement} field
   */
  addOptions(question, field) {
    field.append(make('div', { class: 'options' }, ...question.options.map((option) => {
      const choice = button('', () => this.on.choose(question, option.value), {
        class: 'option', 'data-value': option.value, 'aria-pressed': 'false',
        'aria-keyshortcuts': option.key || undefined,
      });
      const way = wayTo(this.scheme, option.value);
      if (way) choice.append(make('span', { class: 'way', 'aria-hidden': 'true' }, way));
      if (option.key) choice.append(keycap(option.key));
      choice.append(make('span', { class: 'label', dir: 'auto' }, option.label));
      if (option.help) choice.append(make('span', { class: 'hint', dir: 'auto' }, option.help));
      return choice;
    })));
  }

  /**
   * An input for words.
   * @param {import('./draft.js').Question} question
   * @param {HTMLElement} field
   * @param {import('./draft.js').Draft} draft
   */
  addInput(question, field, draft) {
    const words = new WordsInput(question, {
      said: () => draft.answer[question.id] ?? [],
      typed: () => draft.typed[question.id] ?? '',
      type: (text) => this.on.type(question, text),
      set: (said) => this.on.words(question, said),
      confirm: () => this.on.confirm(),
      complain: this.on.complain,
    });
    this.inputs.set(question.id, words);
    const blank = question.id === this.scheme.main && kindOf(question).isFree ? this.view.blank : null;
    if (blank) blank.replaceChildren(words.input);
    else field.append(words.input);
    field.append(words.list, words.chips);
    if (question.most > 1 && kindOf(question).isFree) {
      field.append(button(say('Add another'), () => { words.add(); words.input.focus(); }, { class: 'button small quiet add' }), ' ', keycap(';'), ' ');
    }
    if (question.nothing) {
      field.append(button(question.nothing, () => { this.on.type(question, ''); this.on.words(question, [NOTHING]); this.on.confirm(); },
        { class: 'button small quiet nothing', 'aria-keyshortcuts': 'Alt+0' }), ' ', make('kbd', {}, 'Alt'), ' ', keycap('0'));
    }
  }

  /**
   * Show the draft.
   * @param {import('./draft.js').Draft} draft
   * @param {string | null} marking id of the question for which tokens are being marked
   */
  update(draft, marking) {
    const asked = new Set(draft.asked().map((question) => question.id));
    const step = draft.step;
    for (const part of this.form.querySelectorAll('.step')) {
      const element = /** @type {HTMLElement} */ (part);
      const own = Number(element.dataset.step);
      element.hidden = ![...element.querySelectorAll('fieldset')].some((set) => asked.has(set.dataset.question));
      const state = own === step ? 'open' : own <= draft.confirmed ? 'confirmed' : 'locked';
      element.dataset.state = state;
      const bar = /** @type {HTMLElement} */ (element.querySelector('.confirm'));
      const kept = state === 'open' && draft.settled;
      bar.hidden = state !== 'open' || !bar.hasChildNodes() || !(bar.dataset.always === 'true' || kept);
      for (const set of element.querySelectorAll('fieldset')) {
        set.hidden = !asked.has(set.dataset.question);
        set.disabled = state === 'locked';
      }
    }
    for (const question of this.scheme.questions) {
      kindOf(question).show(this, question, this.fields.get(question.id), draft, marking);
    }
  }

  /** Show which option is chosen. */
  showChosen(question, field, draft) {
    for (const choice of field.querySelectorAll('.option')) {
      choice.setAttribute('aria-pressed', String(choice.dataset.value === draft.answer[question.id]));
    }
  }

  /** Show which tokens are marked, and whether more are being marked. */
  showMarked(question, field, draft, marking) {
    field.querySelector('.marker').setAttribute('aria-pressed', String(marking === question.id));
    const words = [draft.answer[question.id] ?? []].flat().map((token) => this.view.word(token)).join(', ');
    field.querySelector('.marked-words').textContent = draft.isProposal(question) ? say('{words} (proposed)', { words }) : words;
  }

  /** Show the words that were given. */
  showInput(question, field) {
    const words = this.inputs.get(question.id);
    words.input.disabled = field.disabled;
    words.update();
  }

  /**
   * A key that means something to a question that is asked now.
   * @param {string} key
   * @param {import('./draft.js').Draft} draft
   * @returns {boolean} whether it did
   */
  press(key, draft) {
    const asked = draft.step === null ? draft.asked() : draft.ofStep(draft.step);
    return asked.some((question) => kindOf(question).press(this, question, key, draft));
  }

  /**
   * Where one goes on: the input of a question about words, else what is missing of the answer, else the question itself.
   * @param {import('./draft.js').Question | undefined} question
   * @param {boolean} typing whether an input may take the focus
   */
  focus(question, typing = true) {
    const input = question && typing ? this.inputs.get(question.id)?.input : null;
    const gap = question ? kindOf(question).gap(this, question) : null;
    (input ?? gap ?? this.fields.get(question?.id ?? ''))?.focus({ preventScroll: Boolean(input && this.view.blank?.contains(input)) });
  }
}
