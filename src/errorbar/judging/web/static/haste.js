// Answers that came faster than anybody reads: after three of them in a row the page asks to slow down. It looks at times
// and lengths alone, so that gold is treated like work; every answer is in the outbox before anything is asked.

import { askToSlowDown } from './dialogs.js';

const DECIDING = 300; // milliseconds from the last word to the key
const PER_WORD = 40; // 1,500 words a minute; most people read 175 to 300
const KEPT = 1000; // texts that a rater is known to have read
const IN_A_ROW = 3;

/**
 * The least time that counts as read: what the server's flags mean by hasty.
 * @param {number} words that are new to the rater
 */
export const leastTime = (words) => DECIDING + PER_WORD * words;

/** How fast a rater is; kept in the browser's store, so that a reload forgets nothing. */
export class Haste {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * @returns {{read: number[], run: {words: number, seconds: number}[], pause: number | null}} numbers of texts; answers in
   *   a row that were too fast; milliseconds of a pause of which no answer tells yet
   */
  get #known() {
    const { read, run, pause } = this.page.store.get('haste') ?? {};
    return { read: read ?? [], run: Array.isArray(run) ? run : [], pause: pause ?? null };
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
    const known = this.#known;
    const number = numberOf(text);
    const words = known.read.includes(number) ? 0 : text.split(/\s+/).filter(Boolean).length;
    known.read = [...known.read.filter((each) => each !== number), number].slice(-KEPT);
    const isHasty = milliseconds > 0 && milliseconds < leastTime(words); // 0: not known
    known.run = isHasty ? [...known.run, { words, seconds: milliseconds / 1000 }] : [];
    this.page.store.set('haste', known);
    return known.run.length >= IN_A_ROW;
  }

  /** Ask to slow down, before the next item is judged; its time does not run meanwhile. */
  ask() {
    const { page } = this;
    const since = performance.now();
    const { run } = this.#known;
    const stood = (pause) => page.store.set('haste', { ...this.#known, run: [], pause });
    stood(0); // also if the page is left now
    page.pause(true);
    askToSlowDown(run, 60000 / PER_WORD, () => {
      stood(Math.round(performance.now() - since));
      page.pause(false);
    });
  }
}

/** @param {string} text @returns {number} the same for equal texts, and hardly ever for others */
function numberOf(text) {
  let number = 7;
  for (const letter of text) number = (Math.imul(31, number) + (letter.codePointAt(0) ?? 0)) | 0;
  return number;
}
