// What the page keeps in the browser: localStorage under a prefix of its own, memory for what cannot be written there.

/** A small map of JSON values that survives a reload wherever the browser lets it. */
export class BrowserStore {
  /** @param {string} prefix so that two studies, or two people on one machine, never mix */
  constructor(prefix) {
    this.prefix = prefix;
    /** @type {Map<string, string>} values that exist in memory alone */
    this.memory = new Map();
    this.storage = usableStorage(prefix);
  }

  /** Whether everything that is kept would survive a reload. */
  get lasting() {
    return this.storage !== null && this.memory.size === 0;
  }

  /**
   * @param {string} key
   * @returns {any} the value, null if there is none
   */
  get(key) {
    const text = this.memory.get(key) ?? this.storage?.getItem(this.prefix + key) ?? null;
    try {
      return text === null ? null : JSON.parse(text);
    } catch {
      return null; // not ours, or cut off: as good as none
    }
  }

  /**
   * @param {string} key
   * @param {unknown} value
   * @returns {boolean} whether it will survive a reload
   */
  set(key, value) {
    const text = JSON.stringify(value);
    try {
      if (this.storage) {
        this.storage.setItem(this.prefix + key, text);
        this.memory.delete(key);
        return true;
      }
    } catch {
      // Full, or forbidden since: memory holds it, and the page says so.
    }
    this.memory.set(key, text);
    return false;
  }

  /** @param {string} key */
  remove(key) {
    this.memory.delete(key);
    try {
      this.storage?.removeItem(this.prefix + key);
    } catch {
      // Forbidden since: nothing to remove then.
    }
  }

  /**
   * @param {string} start
   * @returns {string[]} keys that start so, sorted
   */
  keys(start) {
    const found = new Set([...this.memory.keys()].filter((key) => key.startsWith(start)));
    const whole = this.prefix + start;
    for (let n = 0; n < (this.storage?.length ?? 0); n += 1) {
      const key = this.storage?.key(n) ?? '';
      if (key.startsWith(whole)) found.add(key.slice(this.prefix.length));
    }
    return [...found].sort();
  }
}

/**
 * localStorage, if it can be written: private windows and policies forbid it, even by throwing when it is named.
 * @param {string} prefix
 * @returns {Storage | null}
 */
function usableStorage(prefix) {
  try {
    const probe = `${prefix}probe`;
    window.localStorage.setItem(probe, '1');
    window.localStorage.removeItem(probe);
    return window.localStorage;
  } catch {
    return null;
  }
}
