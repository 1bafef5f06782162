// The quiz: the server says whether an answer was right, so one waits for it.

import { announce, button, byId, keycap, make } from './dom.js';
import { joinList, say } from './phrases.js';

/** The word on one answer. */
export class Quiz {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
    /** @type {string | null} submission whose feedback is awaited */
    this.awaited = null;
    this.shown = false;
  }

  /** Nothing is awaited. */
  clear() {
    this.awaited = null;
    this.shown = false;
    byId('feedback').hidden = true;
  }

  /** @param {any} entry @param {import('./draft.js').Draft} draft */
  wait(entry, draft) {
    this.page.draft = draft;
    this.awaited = entry.submission;
    const box = byId('feedback');
    box.replaceChildren(make('p', {}, say('Looking it up …')));
    box.hidden = false;
    this.page.refresh();
    this.#lock();
  }

  /** @param {any} feedback of the server; none: it has nothing to say */
  tell(feedback) {
    if (!feedback) {
      this.end();
      return;
    }
    const { scheme, keyboard } = this.page;
    const box = byId('feedback');
    const question = scheme.questions.find((each) => each.id === scheme.main);
    const label = (value) => question.options.find((option) => option.value === value)?.label ?? value;
    const right = [feedback.answers ?? []].flat().map(label);
    box.replaceChildren(
      make('h2', {}, `${feedback.right ? '✓' : '✗'} ${feedback.right ? say('Right') : say('Not quite')}`),
      ...(feedback.right || !right.length ? [] : [make('p', {}, say('The answer is {answers}.', { answers: joinList(right, 'disjunction') }))]),
      ...(feedback.explanation ? [make('p', { dir: 'auto' }, feedback.explanation)] : []),
      make('p', { class: 'row' }, button(say('Next'), () => this.end(), { class: 'button small' }), ' ', keycap('Enter')),
    );
    box.dataset.right = String(Boolean(feedback.right));
    box.hidden = false;
    this.shown = true;
    keyboard.show();
    box.focus();
    announce(box.innerText);
  }

  /** On to the next item. */
  end() {
    this.shown = false;
    this.awaited = null;
    this.page.draft = null;
    this.page.current = null;
    this.page.next();
  }

  #lock() {
    for (const set of byId('questions').querySelectorAll('fieldset')) set.disabled = true;
    for (const bar of byId('questions').querySelectorAll('.confirm')) /** @type {HTMLElement} */ (bar).hidden = true;
    for (const words of this.page.panel.inputs.values()) words.input.disabled = true;
  }
}
