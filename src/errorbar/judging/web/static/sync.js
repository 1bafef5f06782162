// Between outbox and server: sends answers in order, takes receipts and work, tries again until it works.

import { Trouble } from './server.js';
import { wire } from './outbox.js';

const MOST = 100; // answers of one post
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 60000;

/**
 * @typedef {object} Connection
 * @property {'online' | 'offline' | 'signed-out' | 'stranger'} state
 * @property {boolean} busy whether a request is on its way
 */

/** Keeps the server up to date with the outbox, and the page with the server. */
export class Sync {
  /**
   * @param {import('./server.js').Server} server
   * @param {import('./outbox.js').Outbox} outbox
   * @param {number} want items to hold
   * @param {{work: (work: any) => void, receipt: (receipt: any, entry: any) => void, changed: () => void}} on
   */
  constructor(server, outbox, want, on) {
    Object.assign(this, { server, outbox, want, on });
    /** @type {Connection['state']} */
    this.state = 'online';
    this.busy = false;
    this.again = false;
    this.wantsWork = true;
    this.wait = FIRST_WAIT;
    this.most = MOST;
    this.timer = 0;
  }

  /**
   * Do what there is to do, now.
   * @param {boolean} wantsWork whether to ask for work even if nothing is to be sent
   */
  async kick(wantsWork = false) {
    this.wantsWork ||= wantsWork;
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    window.clearTimeout(this.timer);
    try {
      do {
        this.again = false;
        await this.#once();
        if (this.state !== 'online') this.wantsWork = true; // what was free may have changed meanwhile
        this.#become('online');
        this.wait = FIRST_WAIT;
      } while (this.again || this.outbox.size > 0 || this.wantsWork);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      this.#later(error);
    } finally {
      this.busy = false;
      this.on.changed();
    }
  }

  /** The rater wants to go on here, where somebody else has signed in meanwhile. */
  async goBack() {
    try {
      await this.server.goBack();
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
    }
    this.kick(true);
  }

  /** One request. */
  async #once() {
    const batch = this.outbox.entries().slice(0, this.most);
    if (batch.length === 0 && !this.wantsWork) return;
    this.on.changed();
    if (batch.length === 0) {
      const { work } = await this.server.post('api/claim', { want: this.want });
      this.wantsWork = false;
      this.on.work(work);
      return;
    }
    let reply;
    try {
      reply = await this.server.post('api/answer', { answers: batch.map(wire), want: this.want });
    } catch (error) {
      if (!(error instanceof Trouble) || error.kind !== 'unfit') throw error;
      this.#unfit(batch, error);
      return;
    }
    this.most = MOST;
    this.wantsWork = false;
    for (const receipt of reply.receipts) this.#settle(receipt);
    this.on.work(reply.work);
  }

  /**
   * The server takes no such post: find the answer that it means by sending ever fewer, and keep that one aside.
   * @param {import('./outbox.js').Entry[]} batch
   * @param {Trouble} error
   */
  #unfit(batch, error) {
    if (batch.length > 1) {
      this.most = Math.max(1, Math.floor(batch.length / 2));
      return;
    }
    this.#settle({ submission: batch[0].submission, status: 'refused', version: 0, why: error.message });
  }

  /** @param {any} receipt */
  #settle(receipt) {
    const entry = this.outbox.entries().find((each) => each.submission === receipt.submission);
    if (!entry) return; // a second tab had it
    // Aside first, then out of the queue: at no moment is it nowhere.
    if (receipt.status === 'conflict' || receipt.status === 'refused') {
      this.outbox.setAside(receipt.status, entry, receipt);
    }
    this.outbox.remove(receipt.submission);
    this.on.receipt(receipt, entry);
  }

  /** @param {Trouble} trouble */
  #later(trouble) {
    const gone = { 'signed-out': 'signed-out', stranger: 'stranger', busy: this.state };
    this.#become(/** @type {Connection['state']} */ (gone[trouble.kind] ?? 'offline'));
    if (trouble.kind === 'unfit') this.wantsWork = true;
    const wait = Math.max(trouble.wait, this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    this.timer = window.setTimeout(() => this.kick(), wait);
  }

  /** @param {Connection['state']} state */
  #become(state) {
    if (state === this.state) return;
    this.state = state;
    this.on.changed();
  }
}
