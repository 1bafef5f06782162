// Small dialogs: why an item is skipped, a comment, an answer that met another. Native <dialog>: focus stays inside,
// Escape closes.

import { button, byId, make } from './dom.js';
import { joinList, phrase, say, writeNumber } from './phrases.js';
import { kindOf } from './question_kinds.js';

/** Why an item is skipped: stored in English, whatever the page says. */
const REASONS = [
  phrase('The text cannot be understood'), phrase('Something is wrong with this item'), phrase('I know this text'), phrase('Another reason'),
];
const TOO_SOON = 600; // milliseconds

/**
 * @param {string} title
 * @param {...(Node | string)} parts
 * @returns {HTMLDialogElement}
 */
function open(title, ...parts) {
  const dialog = make('dialog', { 'aria-labelledby': 'dialog-title' }, make('h2', { id: 'dialog-title' }, title), ...parts);
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before?.isConnected) before.focus();
  });
  byId('dialogs').replaceChildren(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Say something before the next item. Nobody is held: Enter and Escape go on, but for a moment in which they may belong to
 * the answer before.
 * @param {string} name
 * @param {HTMLDialogElement} dialog
 * @param {() => void} goOn
 */
function between(name, dialog, goOn) {
  const since = performance.now();
  const tooSoon = () => performance.now() - since < TOO_SOON;
  dialog.dataset.dialog = name;
  dialog.append(make('p', { class: 'row' }, button(say('Go on'), () => { if (!tooSoon()) dialog.close(); }, { class: 'button', autofocus: true })));
  dialog.addEventListener('cancel', (event) => { if (tooSoon()) event.preventDefault(); });
  dialog.addEventListener('close', goOn);
  /** @type {HTMLElement | null} */ (dialog.querySelector('.button'))?.focus();
}

/**
 * Ask somebody who answers faster than anybody reads to slow down.
 * @param {{words: number, seconds: number}[]} answers that were too fast
 * @param {number} rate words a minute
 * @param {() => void} goOn
 */
export function askToSlowDown(answers, rate, goOn) {
  const times = joinList(answers.map(({ seconds }) => writeNumber(seconds, 1)));
  const words = joinList(answers.map((each) => String(each.words)));
  between('pause', open(say('A moment, please'),
    make('p', {}, say('Your last {n} answers came after {times} seconds, to texts with {words} words that were new to you.', { n: answers.length, times, words }),
      ' ', say('That is more than {rate} words a minute; most people read 175 to 300.', { rate })),
    make('p', {}, say('Please read each text to its end before you answer.')),
    make('p', { class: 'help' }, say('All your answers are kept. To go back to one of them, press Back below the item.'))), goOn);
}

/**
 * Suggest a break.
 * @param {number} items judged since the last one
 * @param {number} minutes at work since the last one
 * @param {number} lease minutes for which items are kept
 * @param {() => void} goOn
 */
export function suggestBreak(items, minutes, lease, goOn) {
  const judged = minutes ? say('You have judged {items} {items|item|items} in {minutes} {minutes|minute|minutes}.', { items, minutes })
    : say('You have judged {items} {items|item|items}.', { items });
  between('break', open(say('Time for a break?'), make('p', {}, judged, ' ', say('A short break keeps the eye fresh, if you like one.')),
    make('p', { class: 'help' }, say('Your answers are kept. The items on this page wait for you for {lease} {lease|minute|minutes}; after that you get others.', { lease }))), goOn);
}

/**
 * @param {string} name of the button that does it
 * @param {HTMLDialogElement} dialog
 * @param {() => void} done
 * @param {...(Node | string)} parts
 */
function form(name, dialog, done, ...parts) {
  const inner = make('form', { method: 'dialog', autocomplete: 'off' }, ...parts,
    make('p', { class: 'row' }, make('button', { type: 'submit', class: 'button' }, name), ' ',
      button(say('Cancel'), () => dialog.close(), { class: 'button quiet' })));
  inner.addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close();
    done();
  });
  dialog.append(inner);
}

/** @param {(reason: string) => void} skip */
export function askSkip(skip) {
  const dialog = open(say('Why do you skip this item?'));
  const choices = REASONS.map((reason, n) => make('label', { class: 'tick' },
    make('input', { type: 'radio', name: 'reason', value: reason, checked: n === 0 }), ` ${say(reason)}`));
  const words = make('input', { type: 'text', maxlength: 500, autocomplete: 'off', dir: 'auto', 'aria-label': say('In your words, if you like'), placeholder: say('In your words, if you like') });
  form(say('Skip'), dialog, () => {
    const reason = /** @type {HTMLInputElement | null} */ (dialog.querySelector('input[name=reason]:checked'))?.value ?? REASONS[0];
    skip(words.value.trim() ? `${reason}: ${words.value.trim()}` : reason);
  }, ...choices, words);
  dialog.querySelector('input')?.focus();
}

/**
 * @param {string} comment
 * @param {(comment: string) => void} keep
 */
export function askComment(comment, keep) {
  const dialog = open(say('A comment on this item'));
  const words = make('input', { type: 'text', maxlength: 2000, autocomplete: 'off', 'aria-label': say('Comment'), dir: 'auto' });
  words.value = comment;
  form(say('Keep'), dialog, () => keep(words.value.trim()), words, make('p', { class: 'help' }, say('It is sent with your answer. Enter keeps it.')));
  words.focus();
}

/**
 * An answer in words.
 * @param {import('./draft.js').Scheme} scheme
 * @param {Record<string, any> | null} answer
 * @param {(token: number) => string} word
 * @param {Element | null} shown the item, as it was shown
 * @returns {[string, string][]} question, what was said
 */
export function inWords(scheme, answer, word, shown = null) {
  if (!answer) return [[say('Skipped'), '']];
  return scheme.questions.filter((question) => answer[question.id] !== undefined).map((question) => {
    const value = answer[question.id];
    const said = kindOf(question).inWords(value, shown) ?? [value].flat().map((part) => kindOf(question).partInWords(question, part, word));
    return [question.ask, said.join(', ') || kindOf(question).none];
  });
}

/**
 * Two answers to one item: the rater says which counts.
 * @param {import('./draft.js').Scheme} scheme
 * @param {{entry: any, receipt: any}} conflict
 * @param {(mine: boolean) => void} choose
 */
export function askMerge(scheme, conflict, choose) {
  const shown = make('div', { class: 'item quoted' });
  shown.innerHTML = conflict.entry.html;
  const word = (token) => [...shown.querySelectorAll(`[data-token="${token}"]`)].map((piece) => piece.textContent).join('');
  const card = (title, answer, name, mine) => make('section', { class: 'card' }, make('h3', {}, title),
    make('dl', {}, ...inWords(scheme, answer, word, shown).flatMap(([ask, said]) => [make('dt', { dir: 'auto' }, ask), make('dd', { dir: 'auto' }, said)])),
    button(name, () => { dialog.close(); choose(mine); }, { class: 'button', 'data-choice': mine ? 'mine' : 'stored' }));
  const dialog = open(say('This item has two answers of yours'),
    make('p', {}, say('It was answered elsewhere meanwhile, in another tab perhaps. Nothing was overwritten. Which answer counts?')), shown,
    make('div', { class: 'cards' }, card(say('Stored'), conflict.receipt.stored, say('Keep the stored one'), false),
      card(say('Given here'), conflict.entry.answer, say('Use this one'), true)));
  dialog.addEventListener('cancel', (event) => event.preventDefault()); // it must be decided; it waits over reloads
  /** @type {HTMLElement | null} */ (dialog.querySelector('.card .button'))?.focus();
}
