// What of an item is on the screen, and what has been: nobody answers what they cannot have seen.

import { announce, byId } from './dom.js';
import { toast } from './frame.js';
import { say } from './phrases.js';

const EDGE = 12; // pixels that are left around what is scrolled to
const MOST = 0.6; // of the screen, for answers that stand over a long text

/** Scrolls to the target and to its answers, and says what was not on the screen. */
export class Sight {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
    this.reply = byId('reply');
    /** Parts of the target that were not on the screen since the item is shown. @type {Set<Element>} */
    this.unseen = new Set();
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => this.#look());
    };
    document.addEventListener('scroll', look, { passive: true });
    document.addEventListener('visibilitychange', look);
    new ResizeObserver(look).observe(this.reply);
    window.addEventListener('resize', look);
  }

  /** An item is shown: its target and its answers come on the screen, if they fit. */
  start() {
    window.scrollTo(0, 0);
    const { parts, whole } = this.page.view.target;
    this.unseen = new Set(parts);
    this.#look();
    if (this.unseen.size && !whole) this.#scrollTo(parts);
    this.showStep();
  }

  /** The answers of the open step come on the screen, if the target can stay there. */
  showStep() {
    this.#look();
    const controls = box(this.controls());
    const hidden = controls ? controls.bottom + EDGE - this.#bottom : 0;
    const first = box(this.page.view.target.parts);
    if (hidden > 0 && first && first.top >= 0) window.scrollBy(0, Math.min(hidden, Math.max(first.top - EDGE, 0)));
    this.#look();
  }

  /**
   * Whether an answer may be given now. If not, the page says why, and scrolls to what was missing.
   * @param {Element[]} controls that must be on the screen too; none: a finger or a mouse is on one of them
   */
  allows(controls) {
    const missing = this.#missing(controls);
    if (missing) {
      toast(missing);
      announce(missing);
    }
    return !missing;
  }

  /** @param {string} [question] @returns {Element[]} the buttons of its answers; without a question those of the open step */
  controls(question) {
    const step = question ? `[data-question="${CSS.escape(question)}"]` : '.step[data-state="open"]';
    const shown = (selector) => [...this.reply.querySelectorAll(`${step} ${selector}`)].filter((each) => each.getClientRects().length);
    const confirm = question ? [] : shown('.confirm .button');
    return confirm.length ? confirm : shown('.option');
  }

  /** @param {Element[]} controls @returns {string} what was not on the screen, to which the page has scrolled; empty: nothing */
  #missing(controls) {
    this.#look();
    const { unseen, gone, parts, whole } = this.page.view.target;
    if (this.unseen.size) {
      this.#scrollTo([...this.unseen]);
      return unseen;
    }
    const answers = box(controls);
    if (!answers) return '';
    const fits = answers.bottom - answers.top <= this.#bottom;
    if (fits && (answers.top < 0 || answers.bottom > this.#bottom + 1)) {
      window.scrollBy(0, answers.top < 0 ? answers.top - EDGE : answers.bottom + EDGE - this.#bottom);
      return say('The answers were not on the screen. Here they are: look, then answer.');
    }
    const together = this.reply.classList.contains('sticks') || answers.bottom - box(parts).top < this.#bottom;
    if (whole || !together || parts.some((part) => this.#shows(part))) return '';
    this.#scrollTo(parts);
    return gone;
  }

  /** Take note of what is on the screen, and let the answers stand over a long text where they leave room for it. */
  #look() {
    if (document.hidden) return;
    const legend = byId('legend');
    const under = getComputedStyle(legend).position === 'sticky' ? legend.offsetHeight : 0;
    this.reply.style.setProperty('--under', `${under}px`);
    this.reply.classList.toggle('sticks', byId('questions').offsetHeight <= MOST * (window.innerHeight - under));
    this.reply.classList.toggle('stands-over', this.reply.getBoundingClientRect().top < byId('item').getBoundingClientRect().bottom);
    document.documentElement.style.scrollPaddingBlockEnd = `${window.innerHeight - this.#textBottom + EDGE}px`;
    for (const part of this.unseen) if (this.#shows(part)) this.unseen.delete(part);
  }

  /** Where the screen ends for buttons. */
  get #bottom() {
    return window.innerHeight - (parseFloat(this.reply.style.getPropertyValue('--under')) || 0);
  }

  /** Where it ends for the text, over which the answers may stand. */
  get #textBottom() {
    return this.reply.classList.contains('stands-over') ? Math.min(this.#bottom, this.reply.getBoundingClientRect().top) : this.#bottom;
  }

  /** @param {Element} part @returns {boolean} whether it is on the screen; of what is larger than that, its end */
  #shows(part) {
    const { top, bottom, height } = part.getBoundingClientRect();
    return bottom <= this.#textBottom + 1 && bottom > 0 && (top >= -1 || height > this.#textBottom);
  }

  /** @param {Element[]} parts as many of them as fit, from the first on */
  #scrollTo(parts) {
    const { top } = parts[0].getBoundingClientRect();
    const { bottom } = box(parts);
    const free = this.#textBottom;
    const room = Math.max(free - (bottom - top), 0);
    window.scrollBy(0, top - Math.max(Math.min(free / 3, room / 2), EDGE));
    this.#look();
  }
}

/** @param {Element[]} elements @returns {{top: number, bottom: number} | null} around all of them */
function box(elements) {
  const boxes = elements.map((each) => each.getBoundingClientRect());
  if (!boxes.length) return null;
  return { top: Math.min(...boxes.map((each) => each.top)), bottom: Math.max(...boxes.map((each) => each.bottom)) };
}
