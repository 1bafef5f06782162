// The script of every page of a rater's. On the page on which one judges it reads what the server put into it, ties the
// parts together, and keeps the shell for when the network is gone; on others the parts do what they are for.

import { BrowserStore } from './browser_store.js';
import { keepDevice } from './device.js';
import { byId } from './dom.js';
import { Outbox } from './outbox.js';
import { Page } from './page.js';
import { Recent } from './recent.js';
import { Server, Trouble } from './server.js';
import { Stopwatch } from './stopwatch.js';
import { Sync } from './sync.js';
import './edits.js'; // the server leaves out the kinds of questions that the study does not ask
import './post_edit.js';
import './rank.js';

const KEPT_DAYS = 60; // drafts and marks of items that never came back

/** @param {any} study what the server says of it */
function judge(study) {
  const csrf = document.querySelector('meta[name=csrf]')?.getAttribute('content') ?? '';
  const store = new BrowserStore(`errorbar-judge:${study.owner}:`);
  const outbox = new Outbox(store);
  const recent = new Recent(store);
  const server = new Server(study, csrf);

  /** Other tabs of the same rater. */
  const wire = 'BroadcastChannel' in window ? new BroadcastChannel(`errorbar-judge:${study.owner}`) : null;
  const channel = { tell: (/** @type {object} */ message) => wire?.postMessage(message) };

  const page = new Page(study, { store, outbox, recent, stopwatch: new Stopwatch(), channel });
  page.sync = new Sync(server, outbox, study.page, {
    work: (work) => page.takeWork(work),
    receipt: (receipt, entry) => {
      channel.tell({ receipt, entry });
      page.takeReceipt(receipt, entry);
    },
    changed: () => page.refresh(),
  });
  if (wire) wire.onmessage = (event) => page.hear(event.data);
  window.addEventListener('storage', (event) => {
    if (event.key?.startsWith(store.prefix)) page.notice();
  });
  window.addEventListener('online', () => page.sync.kick());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) page.sync.kick(page.sync.state !== 'online');
  });
  // Back from the browser's own memory of pages: it shows what was, so ask what is.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) page.sync.kick(true);
  });

  keepDevice(store, study);
  tidy(store);
  page.restore();
  page.sync.kick(true).then(() => {
    keepShell(); // not before the first item is here: on a slow network nothing may stand before it
    return readRecent(server, recent);
  });
}

/** Let a reload work without network; browsers do so at secure addresses alone. */
function keepShell() {
  navigator.serviceWorker?.register(`service-worker.js${new URL(import.meta.url).search}`).catch(() => {});
}

/**
 * A browser that is new to this rater gets their last ten answers.
 * @param {Server} server
 * @param {Recent} recent
 */
async function readRecent(server, recent) {
  try {
    recent.merge((await server.get('api/recent')).items);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error; // what is known here must do
  }
}

/**
 * Drop what no page will ask for again.
 * @param {BrowserStore} store
 */
function tidy(store) {
  const oldest = Date.now() - KEPT_DAYS * 86400000;
  for (const key of [...store.keys('draft:'), ...store.keys('answered:')]) {
    const value = store.get(key);
    if (!(typeof value === 'number' ? value > oldest : value?.at > oldest)) store.remove(key);
  }
}

const data = document.getElementById('study');
if (data) judge(JSON.parse(data.textContent ?? ''));
