// Time spent on an item, by the monotonic clock: no wall clock, and nothing while the page is hidden; of a text that is
// made right, nothing while another window has the focus.

/** Runs from the first paint of an item. */
export class Stopwatch {
  constructor() {
    this.before = 0;
    /** @type {number | null} */
    this.since = null;
    this.frame = 0;
    /** Whether time runs only while the page has the focus. */
    this.needsFocus = false;
    window.addEventListener('blur', () => { if (this.needsFocus) this.pause(); });
    window.addEventListener('focus', () => this.resume());
    document.addEventListener('visibilitychange', () => (document.hidden ? this.pause() : this.resume()));
  }

  /** @param {number} before milliseconds that the item has had already */
  start(before) {
    cancelAnimationFrame(this.frame);
    this.before = before;
    this.since = null;
    this.running = true;
    this.frame = requestAnimationFrame(() => this.resume());
  }

  get elapsed() {
    return Math.round(this.before + (this.since === null ? 0 : performance.now() - this.since));
  }

  pause() {
    this.before = this.elapsed;
    this.since = null;
  }

  resume() {
    if (this.running && !document.hidden && (!this.needsFocus || document.hasFocus())) this.since ??= performance.now();
  }

  stop() {
    this.pause();
    this.running = false;
    return this.elapsed;
  }
}
