// A list of words that a rater types, the best first: any words, or those of a closed list.

import { button, make } from './dom.js';
import { NOTHING } from './draft.js';
import { say } from './phrases.js';

/**
 * Entries of a closed list that begin like what was typed, an equal one first.
 * @param {import('./draft.js').Question} question
 * @param {string} typed
 * @param {string[]} said
 */
export function suggestions(question, typed, said) {
  const start = fold(typed);
  const rest = question.options.filter((option) => !said.includes(option.value) && fold(option.label).startsWith(start));
  return rest.sort((a, b) => Number(fold(b.label) === start) - Number(fold(a.label) === start)).slice(0, 6);
}

/** @param {string} text */
const fold = (text) => text.normalize('NFC').trim().toLowerCase();

/** The input of a question of the kinds words and text. */
export class WordsInput {
  /**
   * @param {import('./draft.js').Question} question
   * @param {{said: () => string[], typed: () => string, type: (text: string) => void, set: (said: string[]) => void,
   *   confirm: () => void, complain: (text: string) => void}} on
   */
  constructor(question, on) {
    this.question = question;
    this.on = on;
    const listed = question.options.length > 0;
    const name = `words-${question.id}`;
    this.input = make('input', {
      type: 'text', id: name, autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false',
      maxlength: 500, dir: 'auto', enterkeyhint: 'done', 'aria-label': question.ask,
      ...(listed ? { role: 'combobox', 'aria-expanded': 'false', 'aria-controls': `${name}-list`, 'aria-autocomplete': 'list' } : {}),
    });
    this.list = make('ul', { id: `${name}-list`, class: 'suggestions', role: 'listbox', 'aria-label': question.ask, hidden: true });
    this.chips = make('ol', { class: 'chips', 'aria-label': say('Answers so far') });
    this.chosen = 0;
    this.input.addEventListener('input', () => this.#typed());
    this.input.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Show what the draft says. */
  update() {
    const said = this.on.said();
    if (this.input.value !== this.on.typed()) this.input.value = this.on.typed();
    this.chips.replaceChildren(...said.map((word, n) => make('li', {},
      make('span', { dir: 'auto' }, word === NOTHING ? this.question.nothing : word),
      button('×', () => this.on.set(said.filter((_, k) => k !== n)), { class: 'drop', 'aria-label': say('Remove {word}', { word }) }))));
    this.chips.hidden = said.length === 0;
    this.#suggest();
  }

  /**
   * Add what is typed.
   * @returns {boolean} whether nothing stands in the way
   */
  add() {
    const text = this.input.value.normalize('NFC').trim();
    const said = this.on.said().filter((word) => word !== NOTHING);
    if (!text) return true;
    let word = text;
    if (this.question.options.length) {
      const option = suggestions(this.question, text, said)[this.chosen] ?? null;
      if (!option) {
        const again = said.some((each) => fold(each) === fold(text));
        this.on.complain(again ? say('“{text}” is there already.', { text }) : say('“{text}” is not in the list.', { text }));
        return false;
      }
      word = option.value;
    }
    if (!said.includes(word) && said.length >= this.question.most) {
      this.on.complain(say('At most {n} can be given; remove one first.', { n: this.question.most }));
      return false;
    }
    this.on.type('');
    this.on.set([...new Set([...said, word])]);
    return true;
  }

  #typed() {
    this.chosen = 0;
    this.on.type(this.input.value);
    this.on.complain('');
    this.#suggest();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const listed = this.question.options.length > 0;
    if (event.altKey) {
      if (event.code === 'Digit0' && this.question.nothing) this.#nothing(event);
      return;
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (event.repeat) return;
      const adds = this.input.value.trim() !== '';
      if (!this.add()) return;
      // In a closed list Enter takes a word, and once more ends the list; a free answer is taken and ended at once.
      if (!adds || !listed || this.on.said().length >= this.question.most) this.on.confirm();
    } else if (event.key === ';') {
      event.preventDefault();
      this.add();
    } else if (event.key === 'Backspace' && this.input.value === '') {
      this.on.set(this.on.said().slice(0, -1));
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && listed && !this.list.hidden) {
      event.preventDefault();
      const n = this.list.children.length;
      this.chosen = (this.chosen + (event.key === 'ArrowDown' ? 1 : n - 1)) % n;
      this.#suggest();
    } else if (event.key === 'Escape') {
      this.input.blur();
    }
  }

  /** @param {Event} event */
  #nothing(event) {
    event.preventDefault();
    this.on.type('');
    this.on.set([NOTHING]);
    this.on.confirm();
  }

  #suggest() {
    const found = this.question.options.length && this.input.value.trim()
      ? suggestions(this.question, this.input.value, this.on.said()) : [];
    this.chosen = Math.min(this.chosen, Math.max(found.length - 1, 0));
    this.list.hidden = found.length === 0;
    this.list.replaceChildren(...found.map((option, n) => {
      const line = make('li', { role: 'option', id: `${this.list.id}-${n}`, 'aria-selected': String(n === this.chosen) }, option.label);
      line.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        this.chosen = n;
        this.add();
      });
      return line;
    }));
    if (found.length && document.activeElement === this.input) this.list.scrollIntoView({ block: 'nearest' });
    if (this.input.getAttribute('role') === 'combobox') {
      this.input.setAttribute('aria-expanded', String(found.length > 0));
      if (found.length) this.input.setAttribute('aria-activedescendant', `${this.list.id}-${this.chosen}`);
      else this.input.removeAttribute('aria-activedescendant');
    }
  }
}
