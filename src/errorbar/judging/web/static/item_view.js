// The text of an item: shown from the server's fragment, its tokens marked, its blank filled.

import { make } from './dom.js';
import { NOTHING } from './draft.js';
import { phrase, say } from './phrases.js';

const PLACES = [
  {
    selector: '.target [data-token], .target:not(:has([data-token]))',
    unseen: phrase('The marked place was not on the screen yet. Here it is: look, then answer.'),
    gone: phrase('The marked place was not on the screen. Here it is: look, then answer.'),
  },
  {
    selector: '.differs',
    unseen: phrase('What differs was not on the screen yet. Here it is: look, then answer.'),
    gone: phrase('What differs was not on the screen. Here it is: look, then answer.'),
  },
  {
    selector: '.blank',
    unseen: phrase('The gap was not on the screen yet. Here it is: look, then answer.'),
    gone: phrase('The gap was not on the screen. Here it is: look, then answer.'),
  },
];

/** The article that holds the item. */
export class ItemView {
  /**
   * @param {HTMLElement} article
   * @param {{language: string, direction: string}} study
   * @param {(token: number) => void} onToken a token was clicked, or chosen by key
   */
  constructor(article, study, onToken) {
    this.article = article;
    this.study = study;
    this.onToken = onToken;
    /** Whether tokens can be reached by key just now. */
    this.walking = false;
    this.cursor = 0;
    article.addEventListener('click', (event) => {
      const token = /** @type {Element} */ (event.target).closest('[data-token]');
      if (token) this.onToken(Number(token.getAttribute('data-token')));
    });
  }

  /** @param {string} html from the server, escaped there */
  show(html) {
    this.article.innerHTML = html;
    this.article.lang = this.study.language;
    if (this.study.direction !== 'auto') {
      for (const element of this.article.querySelectorAll('[dir]')) element.setAttribute('dir', this.study.direction);
    }
    this.walking = false;
    for (const context of this.article.querySelectorAll('.before, .after')) showContext(/** @type {HTMLElement} */ (context));
  }

  clear() {
    this.article.replaceChildren();
  }

  /** @returns {HTMLElement | null} where the word is missing */
  get blank() {
    return this.article.querySelector('.blank');
  }

  /**
   * @param {number} token
   * @returns {HTMLElement[]} its pieces: a token that the target cuts has several
   */
  pieces(token) {
    return [...this.article.querySelectorAll(`[data-token="${token}"]`)].map((each) => /** @type {HTMLElement} */ (each));
  }

  get tokens() {
    return this.article.querySelectorAll('[data-token]').length
      ? Math.max(...[...this.article.querySelectorAll('[data-token]')].map((each) => Number(each.getAttribute('data-token')))) + 1
      : 0;
  }

  /**
   * @param {number} token
   * @returns {string}
   */
  word(token) {
    return this.pieces(token).map((piece) => piece.textContent).join('');
  }

  /** @param {Map<number, {letters: string[], wrong: boolean}>} marks letters of the questions for which each token is marked */
  showMarks(marks) {
    for (const piece of this.article.querySelectorAll('[data-marks]')) piece.removeAttribute('data-marks');
    for (const [token, { letters, wrong }] of marks) {
      this.pieces(token).at(-1)?.setAttribute('data-marks', letters.join(''));
      for (const piece of this.pieces(token)) {
        if (!piece.dataset.marks) piece.dataset.marks = '';
        piece.classList.toggle('named', !wrong);
      }
    }
  }

  /**
   * Let tokens be reached by key, from the target on.
   * @param {(token: number) => boolean} isMarked
   * @param {string} what is being marked
   */
  walk(isMarked, what) {
    if (!this.walking) {
      const first = ['.target [data-token]', '.near', '[data-token]'].map((each) => this.article.querySelector(each)).find(Boolean);
      this.cursor = Number(first?.getAttribute('data-token') ?? 0);
    }
    this.walking = true;
    this.article.classList.add('walking');
    for (let token = 0; token < this.tokens; token += 1) {
      const piece = this.pieces(token)[0];
      piece?.setAttribute('role', 'checkbox');
      piece?.setAttribute('aria-checked', String(isMarked(token)));
      piece?.setAttribute('aria-label', `${this.word(token)}, ${what}`);
      piece?.setAttribute('tabindex', token === this.cursor ? '0' : '-1');
    }
    this.pieces(this.cursor)[0]?.focus();
  }

  /** @param {1 | -1} by in reading order */
  step(by) {
    const next = Math.min(Math.max(this.cursor + by, 0), this.tokens - 1);
    this.pieces(this.cursor)[0]?.setAttribute('tabindex', '-1');
    this.cursor = next;
    this.pieces(next)[0]?.setAttribute('tabindex', '0');
    this.pieces(next)[0]?.focus();
  }

  /**
   * @returns {{unseen: string, gone: string, parts: Element[], whole: boolean}} what must have been on the screen before one
   *   answers, and what the page says where it never was, or is not any more
   */
  get target() {
    for (const { selector, unseen, gone } of PLACES) {
      const parts = [...this.article.querySelectorAll(selector)];
      if (parts.length) return { unseen: say(unseen), gone: say(gone), parts, whole: false };
    }
    const words = [...this.article.querySelectorAll('[data-token]')];
    const texts = words.length ? words : [...this.article.querySelectorAll('.text')]; // not what is around them
    const unseen = say('Part of the text was not on the screen yet. Here it is: look, then answer.');
    return { unseen, gone: '', parts: texts.length ? texts : [this.article], whole: true };
  }

  /** @returns {{source: string, output: string}} of a text that is made right: the writer's, and the one to start from */
  get rewritten() {
    const [source, output] = [...this.article.querySelectorAll('.text')].map((each) => each.textContent ?? '');
    return { source: source ?? '', output: output ?? source ?? '' };
  }

  /** What is read: of two candidates the first, without what differs. */
  get text() {
    const words = [...(this.article.querySelector('.text')?.querySelectorAll('[data-token]:not(.differs)') ?? [])];
    return words.length ? words.map((each) => each.textContent).join(' ') : this.article.querySelector('.text')?.textContent ?? '';
  }

  /** Whether the text runs from right to left. */
  get rightToLeft() {
    const text = this.article.querySelector('.text');
    return text !== null && getComputedStyle(text).direction === 'rtl';
  }

  rest() {
    if (!this.walking) return;
    this.walking = false;
    this.article.classList.remove('walking');
    for (const piece of this.article.querySelectorAll('[data-token]')) {
      for (const name of ['role', 'aria-checked', 'aria-label', 'tabindex']) piece.removeAttribute(name);
    }
  }

  /** @param {string[]} said what stands in the blank, under the input where one types */
  fill(said) {
    if (!this.blank || this.blank.querySelector('input')) return;
    const words = said.map((word) => (word === NOTHING ? say('nothing') : word)).join(' / ');
    this.blank.replaceChildren(words ? make('span', {}, words) : '');
  }
}

/** @param {HTMLElement} context the text before or after the item: scrolled to it, where it does not fit, and by keys too */
function showContext(context) {
  if (context.scrollHeight <= context.clientHeight + 1) return;
  const isBefore = context.classList.contains('before');
  context.tabIndex = 0;
  context.setAttribute('role', 'region');
  context.setAttribute('aria-label', isBefore ? say('The text before') : say('The text after'));
  if (isBefore) context.scrollTop = context.scrollHeight;
}
