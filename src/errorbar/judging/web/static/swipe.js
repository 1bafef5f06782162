// Three answers to a single question lie under the finger as they lie under the arrows: left, down, right.

import { arrow } from './keys.js';

const FAR = 56; // pixels until a swipe counts
const STRAIGHT = 1.4; // times as far one way as the other
const SLOW = 700; // milliseconds: whoever rests longer selects text
const WAYS = { ArrowLeft: '←', ArrowDown: '↓', ArrowRight: '→' };

/** Swipes over the item. */
export class Swipe {
  /**
   * @param {HTMLElement} item
   * @param {import('./page.js').Page} page
   */
  constructor(item, page) {
    this.item = item;
    this.page = page;
    /** @type {{id: number, x: number, y: number, at: number, shown: object | null, down: boolean} | null} */
    this.start = null;
    if (arrow(page.scheme, 'ArrowDown') === null) return;
    item.addEventListener('pointerdown', (event) => this.#down(event));
    item.addEventListener('pointermove', (event) => this.#show(this.#way(event)));
    item.addEventListener('pointerup', (event) => this.#up(event));
    item.addEventListener('pointercancel', () => this.#end());
    window.addEventListener('resize', () => this.fit());
    window.visualViewport?.addEventListener('resize', () => this.fit());
    document.addEventListener('scroll', () => this.fit(), { passive: true });
    item.classList.add('swipes');
  }

  /** @returns {boolean} whether the page is magnified, so that a finger moves over it */
  get #magnified() {
    return (window.visualViewport?.scale ?? 1) > 1.01;
  }

  /**
   * A finger that moves down scrolls back, where the page was scrolled: no answer is given by that, nor by a finger on a
   * text that is longer than half of the screen.
   */
  fit() {
    const scrolls = window.scrollY > 0 || this.item.offsetHeight > window.innerHeight / 2;
    this.item.dataset.swipe = this.#magnified ? 'none' : scrolls ? 'across' : 'all';
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const fits = event.pointerType === 'touch' && event.isPrimary && !this.#magnified && this.page.earlier === null;
    this.start = null;
    if (!fits || this.page.idle) return;
    const { current: shown } = this.page;
    this.start = { id: event.pointerId, x: event.clientX, y: event.clientY, at: event.timeStamp, shown, down: this.item.dataset.swipe === 'all' };
    this.item.setPointerCapture(event.pointerId);
  }

  /**
   * @param {PointerEvent} event
   * @returns {keyof typeof WAYS | null}
   */
  #way(event) {
    if (!this.start || event.pointerId !== this.start.id || event.timeStamp - this.start.at > SLOW) return null;
    if (this.page.current !== this.start.shown || this.page.earlier !== null) return null; // another item came under the finger
    const [x, y] = [event.clientX - this.start.x, event.clientY - this.start.y];
    if (Math.abs(x) > FAR && Math.abs(x) > STRAIGHT * Math.abs(y)) return x < 0 ? 'ArrowLeft' : 'ArrowRight';
    return this.start.down && y > FAR && y > STRAIGHT * Math.abs(x) ? 'ArrowDown' : null;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const way = this.#way(event);
    this.#end();
    if (way) this.page.acts.choose(this.page.scheme.questions[0], arrow(this.page.scheme, way), true);
  }

  #end() {
    this.start = null;
    this.#show(null);
  }

  /** Say which answer it would be. @param {keyof typeof WAYS | null} way */
  #show(way) {
    const value = way && arrow(this.page.scheme, way);
    for (const option of document.querySelectorAll('#questions .option')) {
      option.classList.toggle('aimed', value !== null && /** @type {HTMLElement} */ (option).dataset.value === value);
    }
  }
}

/**
 * The way to an option, where swipes are understood.
 * @param {import('./draft.js').Scheme} scheme
 * @param {string} value
 */
export function wayTo(scheme, value) {
  const key = Object.keys(WAYS).find((each) => arrow(scheme, each) === value);
  return key ? WAYS[key] : '';
}
