// Answers that came faster than one can read: after three of them in a row the page asks to slow down. It looks at times
// and lengths alone, so that gold is treated like work; every answer is in the outbox before anything is asked.

import { askToSlowDown } from './dialogs.js';

const SHORTEST = 800; // milliseconds of an answer
const PER_WORD = 40;
const OF_MEDIAN = 0.5; // of the rater's own times
const FEWEST = 5; // times that a median is of
const KEPT = 101; // times
const IN_A_ROW = 3;

/**
 * The least time that counts as read: what the server's flags mean by hasty.
 * @param {number} words
 * @param {number[]} times of the rater, in milliseconds
 */
export function leastTime(words, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return Math.max(SHORTEST, PER_WORD * words, sorted.length >= FEWEST ? OF_MEDIAN * median : 0);
}

/** How fast a rater is; kept in the browser's store, so that a reload forgets nothing. */
export class Haste {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
    /** Whether the rater is being asked just now. */
    this.asking = false;
  }

  /** @returns {{times: number[], run: number, pause: number | null}} pause: milliseconds, of which no answer tells yet */
  get #known() {
    return { times: [], run: 0, pause: null, ...this.page.store.get('haste') };
  }

  /**
   * What the next answer says of the last pause; then it is told.
   * @returns {Record<string, number>}
   */
  told() {
    const { pause, ...rest } = this.#known;
    if (pause === null) return {};
    this.page.store.set('haste', rest);
    return { pause };
  }

  /**
   * A first answer to an item.
   * @param {number} milliseconds
   * @param {string} text that was read
   * @returns {boolean} whether it is time to ask
   */
  answered(milliseconds, text) {
    if (milliseconds <= 0) return false; // not known
    const known = this.#known;
    const words = text.split(/\s+/).filter(Boolean).length;
    known.times = [...known.times, milliseconds].slice(-KEPT);
    known.run = milliseconds < leastTime(words, known.times) ? known.run + 1 : 0;
    this.page.store.set('haste', known);
    return known.run >= IN_A_ROW;
  }

  /** Ask to slow down, before the next item is judged; its time does not run meanwhile. */
  ask() {
    const { page } = this;
    const since = performance.now();
    const stood = (pause) => page.store.set('haste', { ...this.#known, run: 0, pause });
    stood(0); // also if the page is left now
    this.asking = true;
    page.stopwatch.stop();
    askToSlowDown(IN_A_ROW, () => {
      this.asking = false;
      stood(Math.round(performance.now() - since));
      page.resume();
      page.answers.merge();
    });
  }
}
