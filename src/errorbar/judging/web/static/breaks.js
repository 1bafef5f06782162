// A break is suggested after a while at work: between two items, when every answer is in the outbox, and to be waved away
// by one key. What counts is time on items; who was away for ten minutes has had a break.

import { suggestBreak } from './dialogs.js';

const AWAY = 600000; // milliseconds

/** How long a rater has been at work; kept in the browser's store, so that a reload forgets nothing. */
export class Breaks {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @returns {{items: number, milliseconds: number, at: number}} since the last break; at: of the last answer */
  get #worked() {
    const { items, milliseconds, at } = this.page.store.get('worked') ?? {};
    const isAway = !(Date.now() - at < AWAY);
    return { items: isAway ? 0 : items, milliseconds: isAway ? 0 : milliseconds, at };
  }

  /**
   * An answer was given.
   * @param {number} milliseconds on its item
   * @returns {boolean} whether it is time for a break
   */
  answered(milliseconds) {
    const { break_minutes: minutes, break_items: items } = this.page.study;
    const before = this.#worked;
    const worked = { items: before.items + 1, milliseconds: before.milliseconds + Math.min(milliseconds, AWAY), at: Date.now() };
    this.page.store.set('worked', worked);
    return (minutes > 0 && worked.milliseconds >= 60000 * minutes) || (items > 0 && worked.items >= items);
  }

  /** Suggest one, before the next item is judged; its time does not run meanwhile. */
  suggest() {
    const { page } = this;
    const { items, milliseconds } = this.#worked;
    page.store.remove('worked');
    page.pause(true);
    suggestBreak(items, Math.round(milliseconds / 60000), page.study.lease_minutes, () => {
      page.pause(false);
      page.sync.kick(true); // what was held may be others' by now
    });
  }
}
