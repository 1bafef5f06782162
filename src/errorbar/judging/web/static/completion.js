// The end of the work: the completion code, to be copied, and the way back to where the rater came from.

import { announce, button, byId, make } from './dom.js';
import { say } from './phrases.js';

/**
 * What a rater does once they are done.
 * @param {string} code
 * @param {string} back where they go; empty: nowhere
 * @returns {HTMLElement[]}
 */
export function showCompletion(code, back) {
  const output = make('output', { class: 'code', id: 'code' }, code);
  const label = back ? say('Your completion code in this study:') : say('Your completion code:');
  const parts = [make('p', {}, label), make('p', { class: 'row' }, output, copyButton(output))];
  if (!back) return parts;
  return [make('p', {}, make('a', { class: 'button', id: 'back', href: back }, say('Go back to {host}', { host: new URL(back).hostname }))), ...parts];
}

/**
 * A button that copies what stands beside it.
 * @param {HTMLElement} output
 */
function copyButton(output) {
  const copy = button(say('Copy'), async () => {
    const copied = await copyText(output);
    copy.textContent = copied ? say('Copied ✓') : say('Selected: now press Ctrl+C');
    if (byId('live')) announce(copy.textContent);
  }, { class: 'button small quiet', id: 'copy' });
  return copy;
}

/**
 * @param {HTMLElement} output
 * @returns {Promise<boolean>} whether it is in the clipboard, which only secure addresses may write; else it is selected
 */
async function copyText(output) {
  try {
    await navigator.clipboard.writeText(output.innerText);
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(output);
    return document.execCommand('copy');
  }
}

const output = document.querySelector('[data-notice=done] #code');
if (output) output.after(copyButton(/** @type {HTMLElement} */ (output)));
