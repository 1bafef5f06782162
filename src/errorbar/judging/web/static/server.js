// Requests to the server, and what went wrong with them in a few words that the rest of the page can act on.

import { signInAgain } from './device.js';

const PATIENCE = 20000; // milliseconds until a request counts as lost

/** Why a request brought nothing. */
export class Trouble extends Error {
  /**
   * @param {'network' | 'signed-out' | 'stranger' | 'busy' | 'unfit'} kind network: no answer; stranger: somebody else
   *   is signed in in this browser now; busy: the server asks to come again; unfit: it will never take this request
   * @param {string} message
   * @param {number} wait milliseconds until the next try makes sense, 0: not said
   */
  constructor(kind, message = '', wait = 0) {
    super(message || kind);
    this.kind = kind;
    this.wait = wait;
  }
}

/** The server, as the page sees it. */
export class Server {
  /**
   * @param {{owner: string, device: string}} rater of this page
   * @param {string} csrf
   */
  constructor({ owner, device }, csrf) {
    this.owner = owner;
    this.device = device;
    this.csrf = csrf;
  }

  /**
   * @param {string} path relative to the page
   * @param {object} body
   * @returns {Promise<any>}
   */
  async post(path, body) {
    let response = await this.#send(path, body);
    if (response.status === 401 && await this.goBack()) response = await this.#send(path, body);
    if (response.status === 403) {
      await this.#renew(); // a new session, or a restarted server: the page's token is an old one
      response = await this.#send(path, body);
    }
    return read(response);
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  async get(path) {
    return read(await ask(path, { headers: { Accept: 'application/json' } }));
  }

  /**
   * @param {string} path
   * @param {object} body
   */
  #send(path, body) {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json', 'X-CSRF-Token': this.csrf };
    return ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Sign in again as the rater of this page, where the cookie is lost or another's. @returns {Promise<boolean>} whether it worked */
  async goBack() {
    const { status, csrf } = await signInAgain('', this.device).catch((error) => { throw new Trouble('network', String(error)); });
    if (status >= 500 || status === 429) throw new Trouble('network');
    if (csrf) this.csrf = csrf;
    return Boolean(csrf);
  }

  /** A fresh token from the page itself, if it is still this rater's. */
  async #renew() {
    const response = await ask('work', { headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const csrf = page.querySelector('meta[name=csrf]')?.getAttribute('content');
    const data = page.getElementById('study')?.textContent;
    if (response.status >= 500) throw new Trouble('network');
    if (!response.ok || !csrf || !data) throw new Trouble('signed-out');
    if (JSON.parse(data).owner !== this.owner) throw new Trouble('stranger');
    this.csrf = csrf;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function ask(path, options) {
  try {
    const common = { credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) };
    return await fetch(path, /** @type {RequestInit} */ ({ ...common, ...options }));
  } catch (error) {
    throw new Trouble('network', String(error));
  }
}

/** @param {Response} response */
async function read(response) {
  /** @type {any} */
  let said = null;
  try {
    said = await response.json();
  } catch (error) {
    if (response.ok) throw new Trouble('network', String(error)); // cut off, or a portal that is not our server
  }
  if (response.ok) return said;
  const error = said?.error ?? {};
  const message = [error.message, error.fix].filter(Boolean).join('; ');
  const wait = 1000 * Number(response.headers.get('Retry-After') || 0);
  if (response.status === 401) throw new Trouble('signed-out', message);
  if (response.status >= 500) throw new Trouble('network', message, wait);
  if ([403, 408, 425, 429].includes(response.status)) throw new Trouble('busy', message, wait);
  throw new Trouble('unfit', message || `status ${response.status}`);
}
