// Which key does what just now, and the legend that says so.

import { byId } from './dom.js';
import { buildLegend, showKeysNow } from './frame.js';
import { ACROSS, nameOf, schemeKey, takesText } from './keys.js';
import { say } from './phrases.js';
import { kindOf } from './question_kinds.js';

/** The keys of a page. */
export class Keyboard {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
    this.single = page.store.get('single-keys') ?? true;
    buildLegend(page.keys, (name) => page.acts.act(name), { single: this.single, toggle: (on) => this.#setSingle(on) });
    document.addEventListener('keydown', (event) => this.#keydown(event));
    // The second click of a double one would meet the next item.
    document.addEventListener('click', (event) => this.#oneClick(event), true);
  }

  /** Say what the keys do just now. */
  show() {
    const { choices, scheme, draft, marking, quiz } = this.page;
    /** @type {[string[], string][]} */
    const now = [];
    if (!draft) { /* no item */ }
    else if (choices.open) now.push([choices.digits, say('accept')]);
    else if (marking.question) now.push([[ACROSS[0], ACROSS[2]], say('word')], [[' '], say('mark')], [['Enter'], say('done')]);
    else if (quiz.shown) now.push([['Enter'], say('next')]);
    else if (scheme.questions.length === 1 && scheme.questions[0].options.length === 3) now.push([ACROSS, say('answer')]);
    else if (draft.step !== null && !draft.missing()) now.push([['Enter'], say('confirm')]);
    showKeysNow(now);
  }

  /** @param {KeyboardEvent} event */
  #keydown(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
    const { acts, marking } = this.page;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !event.shiftKey && !takesText(event.target)) {
      event.preventDefault();
      acts.act('undo');
      return;
    }
    if ((event.ctrlKey || event.metaKey) && ['y', 'Z'].includes(event.key) && event.shiftKey === (event.key === 'Z') && !takesText(event.target)) {
      event.preventDefault();
      acts.act('redo');
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
    if (event.key === 'Escape' && !byId('guidelines').hidden && !marking.question) {
      acts.act('guidelines');
      return;
    }
    if (marking.question && marking.walk(event)) {
      event.preventDefault();
      return;
    }
    if (event.repeat) return; // a key that is held answers once
    if (this.#press(event)) event.preventDefault();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key meant something */
  #press(event) {
    const { acts, choices, draft, keys, panel, quiz } = this.page;
    const key = nameOf(event);
    const onControl = event.target instanceof HTMLElement && event.target.matches('button, a, summary');
    if (key === 'Enter') {
      if (onControl) return false;
      if (quiz.shown) quiz.end();
      else if (choices.open) choices.press(key);
      else acts.confirm(true);
      return true;
    }
    if (key.length === 1 && (!this.single || key === ' ')) return false;
    if (choices.press(key)) return true;
    const meant = draft && !choices.open && quiz.awaited === null ? schemeKey(draft, key) : null;
    if (meant) {
      if (meant.value === null) {
        if (kindOf(meant.question).namesTokens) this.page.marking.start(meant.question);
        else panel.focus(meant.question);
      } else acts.choose(meant.question, meant.value, true);
      return true;
    }
    if (draft && quiz.awaited === null && panel.press(key, draft)) return true;
    const action = keys.get(key);
    if (action) acts.act(action.name);
    else if (key === '0') this.#nothingNeeded();
    return Boolean(action);
  }

  #nothingNeeded() {
    /** @type {HTMLElement | null} */ (byId('questions').querySelector('.step[data-state=open] .nothing'))?.click();
  }

  #setSingle(on) {
    this.single = on;
    this.page.store.set('single-keys', on);
  }

  /** @param {MouseEvent} event */
  #oneClick(event) {
    if (event.detail > 1 && event.target instanceof Element && event.target.closest('#questions button')) event.stopPropagation();
  }
}
