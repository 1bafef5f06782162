// The few lines that make elements.

import { say } from './phrases.js';

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | number | undefined>} attributes false and undefined: left out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * A button that does one thing.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, string | boolean | undefined>} attributes
 */
export function button(text, act, attributes = {}) {
  const element = make('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', act);
  return element;
}

/**
 * A key as one sees it on the keyboard.
 * @param {string} key
 */
export function keycap(key) {
  const shown = { ArrowLeft: '←', ArrowRight: '→', ArrowDown: '↓', ArrowUp: '↑', ' ': say('Space') };
  return make('kbd', {}, shown[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Says something to those who do not see the page change. */
export function announce(text) {
  const live = byId('live');
  // The same words twice are news as well.
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}
