// The last ten answers of a rater, so that one can go back to them, over reloads and without network.

const MOST = 10;

/**
 * @typedef {object} Answered
 * @property {string} assignment
 * @property {string} text_hash
 * @property {string} html
 * @property {import('./choices.js').Choice[]} [choices] of an item that is adjudicated
 * @property {number} version that the server has, or will have when what is on its way has arrived
 * @property {any} answer
 * @property {string} comment
 */

/** Kept in the browser's store: tabs share it. */
export class Recent {
  /** @param {import('./browser_store.js').BrowserStore} store */
  constructor(store) {
    this.store = store;
  }

  /** @returns {Answered[]} newest first */
  get all() {
    return this.store.get('recent') ?? [];
  }

  /** @param {string} assignment */
  of(assignment) {
    return this.all.find((each) => each.assignment === assignment);
  }

  /**
   * An answer was given: first of all if it is a new one, else in its place.
   * @param {Answered} answered
   */
  put(answered) {
    const all = this.all;
    const place = all.findIndex((each) => each.assignment === answered.assignment);
    if (place < 0) all.unshift(answered);
    else all[place] = answered;
    this.store.set('recent', all.slice(0, MOST));
  }

  /**
   * The server's say on an answer that is known here.
   * @param {string} assignment
   * @param {number} version
   * @param {any} [answer] given where another one is stored
   */
  correct(assignment, version, answer) {
    const known = this.of(assignment);
    if (known && (version > known.version || answer !== undefined)) {
      this.put({ ...known, version, ...(answer === undefined ? {} : { answer }) });
    }
  }

  /**
   * The server's last ten, for a browser that has seen fewer.
   * @param {Answered[]} items newest first
   */
  merge(items) {
    for (const item of items) if (item.version) this.correct(item.assignment, item.version, this.#newer(item));
    const known = new Set(this.all.map((each) => each.assignment));
    const missing = items.filter((item) => !known.has(item.assignment)).map((item) => ({ comment: '', ...item }));
    this.store.set('recent', [...this.all, ...missing].slice(0, MOST));
  }

  /** @param {Answered} item */
  #newer(item) {
    const known = this.of(item.assignment);
    return known && item.version > known.version ? item.answer : undefined;
  }
}
