// Choosing the type of an edit by the beginning of its code or of a word of its name; what was used last comes first.

import { make } from './dom.js';
import { say } from './phrases.js';

const SHOWN = 8;

/** @param {string} text */
const fold = (text) => text.normalize('NFC').trim().toLowerCase();

/**
 * Types that begin like what was typed: an equal code first, then those used last, then codes before names.
 * @param {import('./draft.js').Option[]} types
 * @param {string} typed
 * @param {string[]} used codes, the last one first
 */
export function matchTypes(types, typed, used) {
  const start = fold(typed);
  const rank = ({ value, label }) => {
    if (fold(value) === start) return 0;
    if (fold(value).startsWith(start)) return 1;
    return fold(label).split(/\W+/).some((word) => word.startsWith(start)) || fold(label).startsWith(start) ? 2 : 3;
  };
  const since = (type) => (used.includes(type.value) ? used.indexOf(type.value) : used.length);
  const order = (type) => [start && rank(type) === 0 ? 0 : 1, start ? rank(type) : 0, since(type)];
  return types.filter((type) => rank(type) < 3 || !start).map((type, n) => ({ type, key: [...order(type), n] }))
    .sort((a, b) => a.key.map((part, n) => part - b.key[n]).find(Boolean) ?? 0).map(({ type }) => type).slice(0, SHOWN);
}

/** The input for a type. */
export class TypeInput {
  /**
   * @param {import('./draft.js').Question} question
   * @param {any} on what the panel tells the page
   * @param {(type: string) => void} take
   * @param {() => void} back
   */
  constructor(question, on, take, back) {
    Object.assign(this, { question, on, take, back });
    this.chosen = 0;
    const name = `types-${question.id}`;
    this.input = make('input', {
      type: 'text', id: name, autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false', role: 'combobox',
      'aria-expanded': 'false', 'aria-controls': `${name}-list`, 'aria-autocomplete': 'list', enterkeyhint: 'done',
    });
    this.list = make('ul', { id: `${name}-list`, class: 'suggestions', role: 'listbox', 'aria-label': say('Types') });
    this.box = make('div', { class: 'edit-type', hidden: true }, make('label', { for: name }, say('Type of the error')), this.input, this.list);
    this.input.addEventListener('input', () => this.#suggest(0));
    this.input.addEventListener('keydown', (event) => this.#key(event));
  }

  /** @param {boolean} shown */
  show(shown) {
    this.box.hidden = !shown;
    this.input.value = '';
    if (shown) this.#suggest(0);
    else this.input.setAttribute('aria-expanded', 'false');
  }

  /** Take the type that is marked; a code as it is written may be one of several that differ in capital letters alone. */
  choose() {
    const exact = this.question.types.find((each) => each.value === this.input.value.trim());
    const type = exact ?? this.matches[this.chosen];
    if (!type) {
      this.on.complain(say('No type begins with “{typed}”.', { typed: this.input.value.trim() }));
      return;
    }
    this.on.keep('types', [type.value, ...(this.on.recall('types') ?? []).filter((each) => each !== type.value)]);
    this.take(type.value);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    if (event.key === 'Enter') {
      if (!event.repeat) this.choose();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const n = Math.max(this.matches.length, 1);
      this.#suggest((this.chosen + (event.key === 'ArrowDown' ? 1 : n - 1)) % n);
    } else if (event.key === 'Escape') this.back();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} chosen */
  #suggest(chosen) {
    this.matches = matchTypes(this.question.types, this.input.value, this.on.recall('types') ?? []);
    this.chosen = chosen;
    this.list.hidden = this.matches.length === 0;
    this.list.replaceChildren(...this.matches.map((type, n) => {
      const line = make('li', { role: 'option', id: `${this.list.id}-${n}`, 'aria-selected': String(n === chosen) },
        make('b', {}, type.value), type.label === type.value ? '' : ` ${type.label}`);
      line.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        this.chosen = n;
        this.input.value = type.value;
        this.choose();
      });
      return line;
    }));
    this.input.setAttribute('aria-expanded', String(this.matches.length > 0));
    if (this.matches.length) this.input.setAttribute('aria-activedescendant', `${this.list.id}-${chosen}`);
    else this.input.removeAttribute('aria-activedescendant');
  }
}
