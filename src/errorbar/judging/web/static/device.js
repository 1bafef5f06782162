// Who worked in this browser: a rater whose cookie is lost goes on as before, and what waits on the device is sent.

import { button, make } from './dom.js';
import { download } from './frame.js';
import { say } from './phrases.js';

const START = 'errorbar-judge:';

/**
 * Keep the word by which this browser signs in again.
 * @param {import('./browser_store.js').BrowserStore} store of the rater
 * @param {{study: string, device: string}} page
 */
export function keepDevice(store, { study, device }) {
  store.set('device', { study, device, at: Date.now() });
}

/**
 * @param {string} root
 * @param {string} device
 * @returns {Promise<{status: number, csrf: string}>} csrf: empty if the server does not know the device any more
 */
export async function signInAgain(root, device) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const response = await fetch(`${root}api/return`, { method: 'POST', headers, body: JSON.stringify({ device }), cache: 'no-store' });
  return { status: response.status, csrf: response.ok ? (await response.json()).csrf : '' };
}

/**
 * @param {string} study
 * @returns {{device: string, at: number, waiting: any[]}[]} those who worked on it here, the last one first
 */
function knownRaters(study) {
  const kept = Object.entries({ ...localStorage }).filter(([key]) => key.startsWith(START));
  const parsed = Object.fromEntries(kept.map(([key, text]) => [key, JSON.parse(text)]));
  return Object.keys(parsed).filter((key) => key.endsWith(':device') && parsed[key].study === study)
    .map((key) => ({ ...parsed[key], waiting: answersOf(parsed, key.slice(0, -'device'.length)) }))
    .sort((one, other) => other.at - one.at);
}

/** @param {Record<string, any>} kept @param {string} owner */
const answersOf = (kept, owner) => Object.keys(kept).filter((key) => key.startsWith(`${owner}out:`)).sort().map((key) => kept[key]);

/** @param {HTMLElement} box on a page before the work */
function offer(box) {
  const { study = '', root = '' } = box.dataset;
  box.replaceChildren(...knownRaters(study).map(({ device, waiting }) => {
    const n = waiting.length;
    const words = make('p', {}, say('You have worked on this study in this browser before.'),
      n ? ` ${say('{n} {n|answer is|answers are} kept here and will be sent when you go on.', { n })}` : '');
    const row = make('p', { class: 'row' });
    row.append(button(say('Go on as before'), async () => {
      const { status, csrf } = await signInAgain(`${root}/`, device).catch(() => ({ status: 0, csrf: '' }));
      if (csrf) window.location.assign(`${root}/work`);
      else if (status === 401) {
        const kept = say('{n} {n|answer is|answers are} kept here and cannot be sent: download them, and give the file to those who invited you.', { n });
        words.textContent = `${say('The study does not know this device any more.')}${n ? ` ${kept}` : ''}`;
        row.replaceChildren(...(n ? [button(say('Download them'), () => download('answers-not-sent.json', waiting), { class: 'button quiet' })] : []));
      } else words.textContent = say('The server cannot be reached just now. Try again soon.');
    }, { class: 'button' }));
    return make('div', { class: 'banner' }, words, row);
  }));
  if (!box.hasChildNodes()) return;
  if (document.querySelector('form')) box.append(make('p', { class: 'muted' }, say('If that was somebody else, go on below.')));
  box.hidden = false;
}

/** Forget a rater who left; answers that wait are dropped if they withdrew, else kept. @param {HTMLElement} left */
function forgetRater({ dataset: { owner, kind } }) {
  const start = `${START}${owner}:`;
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(start));
  if (kind !== 'withdrawn' && keys.some((key) => key.startsWith(`${start}out:`))) return;
  for (const key of keys) localStorage.removeItem(key);
}

const left = document.getElementById('left');
const box = document.getElementById('returning');
try {
  if (left) forgetRater(left);
  if (box) offer(box);
} catch {
  // Storage is forbidden, or holds what is not ours: nobody is known here.
}
