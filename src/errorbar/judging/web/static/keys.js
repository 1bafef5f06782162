// Keys: those of the scheme, and those of the frame that all schemes share. One key each, never a chord.

import { isMirrored, say } from './phrases.js';
import { kindOf } from './question_kinds.js';

/** @typedef {{name: string, label: string, keys: string[]}} FrameAction */

/** Arrows in the order in which answers stand, the first one where a line begins. */
export const ACROSS = isMirrored ? ['ArrowRight', 'ArrowDown', 'ArrowLeft'] : ['ArrowLeft', 'ArrowDown', 'ArrowRight'];

/** What the frame does; where a scheme wants the first key for itself, the next one serves. */
const FRAME = [
  { name: 'undo', label: say('Undo'), keys: ['z'] },
  { name: 'back', label: say('Back'), keys: ['b', 'p', 'y'] },
  { name: 'comment', label: say('Comment'), keys: ['f', 'c', 'm'] },
  { name: 'skip', label: say('Skip'), keys: ['s', 'x', 'k'] },
  { name: 'guidelines', label: say('Guidelines'), keys: ['?'] },
];

/**
 * @param {import('./draft.js').Scheme} scheme
 * @returns {Map<string, {name: string, label: string}>} by key
 */
export function frameKeys(scheme) {
  const taken = new Set(scheme.questions.flatMap((question) => [question.key, ...kindOf(question).keys, ...question.options.map((option) => option.key)]));
  const actions = scheme.compares ? [...FRAME, { name: 'differences', label: say('Differences'), keys: ['t', 'v'] }] : FRAME;
  /** @type {Map<string, {name: string, label: string}>} */
  const byKey = new Map();
  for (const { name, label, keys } of actions) {
    const key = keys.find((each) => !taken.has(each) && !byKey.has(each));
    byKey.set(key ?? `no key: ${name}`, { name, label });
  }
  return byKey;
}

/**
 * What a key means in the scheme: a question of the open step first, then those of earlier ones, the nearest first.
 * @param {import('./draft.js').Draft} draft
 * @param {string} key
 * @returns {{question: any, value: string | null} | null} value null: the question itself is started
 */
export function schemeKey(draft, key) {
  const open = draft.step ?? Infinity;
  const reachable = draft.asked().filter((question) => question.step <= open).sort((a, b) => b.step - a.step);
  for (const question of reachable) {
    if (question.key === key) return { question, value: null };
    const option = question.options.find((each) => each.key === key);
    if (option) return { question, value: option.value };
  }
  const value = arrow(draft.scheme, key);
  return value === null ? null : { question: draft.scheme.questions[0], value };
}

/**
 * Three answers to a single question lie under the arrows as they lie on the screen.
 * @param {import('./draft.js').Scheme} scheme
 * @param {string} key
 * @returns {string | null}
 */
export function arrow(scheme, key) {
  const [question, ...more] = scheme.questions;
  if (more.length || !kindOf(question).isChoice || question.options.length !== 3) return null;
  return question.options[ACROSS.indexOf(key)]?.value ?? null;
}

/**
 * The key as schemes name it: small letters; where the keyboard writes another alphabet, what the key is on a Latin one.
 * @param {KeyboardEvent} event
 */
export function nameOf(event) {
  if (event.key.length === 1 && event.key > '~' && /^Key[A-Z]$/.test(event.code)) return event.code.slice(3).toLowerCase();
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

/** @param {EventTarget | null} target @returns {boolean} whether letters are typed there */
export function takesText(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
