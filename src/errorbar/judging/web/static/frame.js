// What stands around the item: state, progress, banners, key legend, toast.

import { button, byId, keycap, make } from './dom.js';
import { say } from './phrases.js';

/**
 * The chip that says where one's answers are.
 * @param {{pending: number, state: string, lasting: boolean}} now
 */
export function showState({ pending, state, lasting }) {
  const kept = lasting ? say('{n} saved here', { n: pending }) : say('{n} kept in this tab', { n: pending });
  const [offline, signedOut] = [say('offline'), say('signed out')].map((words) => (pending ? `${words} · ${kept}` : words));
  const words = { online: pending ? `${kept} · ${say('sending')}` : say('saved'), offline, 'signed-out': signedOut, stranger: signedOut };
  const chip = byId('state');
  chip.dataset.state = state === 'online' && pending ? 'sending' : state === 'online' ? 'saved' : state;
  chip.dataset.pending = String(pending);
  if (byId('state-text').textContent !== words[state]) byId('state-text').textContent = words[state];
}

/**
 * @param {{standing: string, done: number, of: number}} work
 * @param {number} pending answers that the server does not count yet
 * @param {number} total about how many items there are for a rater of whom no number is wanted
 */
export function showProgress(work, pending, total) {
  const isQuiz = work.standing === 'quiz' || work.standing === 'training';
  const of = work.of || (isQuiz || work.standing === 'finished' ? 0 : total);
  const done = Math.min(work.done + pending, work.of || Infinity);
  byId('progress').textContent = progressInWords(work.standing, done, of, work.of || isQuiz);
  byId('meter-fill').style.inlineSize = `${of ? Math.min(100, (100 * done) / of) : 0}%`;
}

/** @param {string} standing @param {number} done @param {number} of @param {boolean | number} isExact whether that is their number */
function progressInWords(standing, done, of, isExact) {
  if (standing === 'training') return done < of ? say('Example {n} of {of}', { n: done + 1, of }) : say('{n} of {n} examples done', { n: done });
  if (standing === 'quiz') return done < of ? say('Quiz: {n} of {of}', { n: done + 1, of }) : say('Quiz: {n} of {n} done', { n: done });
  if (done < of && ['finished', 'paused', 'failed', 'excluded', 'withdrawn'].includes(standing)) return say('{n} done', { n: done });
  if (done >= of) return isExact ? say('{n} of {n} done', { n: of }) : say('{n} done', { n: done });
  return isExact ? say('{n} of {of}', { n: done + 1, of }) : say('{n} of about {of}', { n: done + 1, of });
}

/**
 * @param {Map<string, {name: string, label: string}>} keys
 * @param {(name: string) => void} act
 * @param {{single: boolean, toggle: (on: boolean) => void}} single
 */
export function buildLegend(keys, act, single) {
  const actions = [...keys].map(([key, { name, label }]) => {
    const action = button(label, () => act(name), { class: 'action', 'data-action': name, 'aria-keyshortcuts': key.length === 1 ? key : undefined });
    if (key.length === 1) action.prepend(keycap(key), ' ');
    return action;
  });
  const box = make('input', { type: 'checkbox', id: 'single-keys', autocomplete: 'off' });
  box.checked = single.single;
  box.addEventListener('change', () => single.toggle(box.checked));
  byId('legend').replaceChildren(...actions,
    make('label', { class: 'tick small', for: 'single-keys' }, box, ` ${say('single keys')}`), make('span', { class: 'now', id: 'keys-now' }));
}

/** @param {[string[], string][]} pairs keys, what they do just now */
export function showKeysNow(pairs) {
  byId('keys-now').replaceChildren(...pairs.flatMap(([keys, label]) => [...keys.flatMap((key) => [keycap(key), ' ']), `${label} `]));
}

let toastTimer = 0;

/**
 * Five seconds of a word, with a way back.
 * @param {string} text
 * @param {(() => void) | null} undo
 * @param {string} key
 */
export function toast(text, undo = null, key = '') {
  const box = byId('toast');
  box.replaceChildren(make('span', {}, text));
  if (undo) {
    const back = button(say('Undo'), () => { box.hidden = true; undo(); }, { class: 'button small quiet' });
    if (key) back.prepend(keycap(key), ' ');
    box.append(' ', back);
  }
  box.hidden = false;
  window.clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => { box.hidden = true; }, 5000);
}

/**
 * Lines at the top that stay as long as what they say holds.
 * @param {{name: string, text: string, actions?: [string, () => void][]}[]} banners
 */
export function showBanners(banners) {
  const box = byId('banners');
  const now = JSON.stringify(banners.map(({ name, text }) => [name, text]));
  if (box.dataset.now === now) return;
  box.dataset.now = now;
  box.replaceChildren(...banners.map(({ name, text, actions = [] }) => make('div', { class: 'banner', 'data-banner': name, role: 'status' },
    make('p', {}, text), ...(actions.length ? [make('p', { class: 'row' }, ...actions.map(([label, act]) => button(label, act, { class: 'button small quiet' })))] : []))));
}

/**
 * Hand something over as a file.
 * @param {string} name
 * @param {unknown} value
 */
export function download(name, value) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 1)], { type: 'application/json' }));
  const link = make('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(url), 10000);
}
