// Answers on their way: written here before they are sent, removed when the server says that they are on its disk.

/**
 * @typedef {object} Entry an answer; what the server gets of it is listed in SENT
 * @property {string} submission chosen here, unique: sent twice, it counts once
 * @property {string} assignment
 * @property {string} text_hash
 * @property {number} base_version of the answer that this one replaces, 0: none
 * @property {object | null} answer null: skipped
 * @property {string} skip
 * @property {string} comment
 * @property {number} milliseconds
 * @property {object} trail
 * @property {string} round
 * @property {string} html of the item, to show it again where its answer met another
 */

const SENT = ['submission', 'assignment', 'text_hash', 'base_version', 'answer', 'skip', 'comment', 'milliseconds', 'trail'];

/** The queue, in the order in which the answers were given. Tabs of one rater share it. */
export class Outbox {
  /** @param {import('./browser_store.js').BrowserStore} store */
  constructor(store) {
    this.store = store;
  }

  /** @param {Entry} entry */
  put(entry) {
    const last = this.store.keys('out:').at(-1);
    const place = last ? Number(last.split(':')[1]) + 1 : 1;
    this.store.set(`out:${String(place).padStart(12, '0')}:${entry.submission}`, entry);
  }

  /** @returns {Entry[]} the oldest first */
  entries() {
    return this.#all('out:');
  }

  get size() {
    return this.store.keys('out:').length;
  }

  /**
   * @param {string} submission
   * @returns {Entry | null} what was removed; null: another tab had its receipt first
   */
  remove(submission) {
    const key = this.store.keys('out:').find((each) => each.endsWith(`:${submission}`));
    const entry = key ? this.store.get(key) : null;
    if (key) this.store.remove(key);
    return entry;
  }

  /**
   * Keep what the server did not take as it was.
   * @param {'conflict' | 'refused'} kind
   * @param {Entry} entry
   * @param {object} receipt
   */
  setAside(kind, entry, receipt) {
    this.store.set(`${kind}:${entry.submission}`, { entry, receipt });
  }

  /**
   * @param {'conflict' | 'refused'} kind
   * @returns {{entry: Entry, receipt: any}[]}
   */
  aside(kind) {
    return this.#all(`${kind}:`);
  }

  /**
   * @param {'conflict' | 'refused'} kind
   * @param {string} submission
   */
  settle(kind, submission) {
    this.store.remove(`${kind}:${submission}`);
  }

  /** @param {string} start */
  #all(start) {
    return this.store.keys(start).map((key) => this.store.get(key)).filter((value) => value !== null);
  }
}

/**
 * @param {Entry} entry
 * @returns {object} what the server gets
 */
export function wire(entry) {
  return Object.fromEntries(SENT.map((name) => [name, entry[name]]));
}

/** @returns {string} 128 random bits; crypto.randomUUID is missing where a page comes without TLS */
export function freshId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
