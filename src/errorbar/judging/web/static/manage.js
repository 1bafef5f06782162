// What the manager's pages do beyond their forms: they stay up to date, and copy links and codes. All works without.

/**
 * Bring an element to the state of another one, leaving in place what is the same.
 * @param {Node} old
 * @param {Node} fresh
 */
function update(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old instanceof Element && fresh instanceof Element && old.tagName === fresh.tagName) {
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    for (const { name } of [...old.attributes]) if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
    if (old.childNodes.length === fresh.childNodes.length) {
      const newer = [...fresh.childNodes];
      [...old.childNodes].forEach((child, at) => update(child, newer[at]));
    } else old.replaceChildren(...fresh.childNodes);
  } else /** @type {ChildNode} */ (old).replaceWith(fresh);
}

const PRESSED = 'a[href], button, summary, input, select, [tabindex]';

/**
 * What a link or button does, by which it is found again: what has the focus keeps it, wherever its row goes.
 * @param {Element} element
 */
function meaning(element) {
  const words = element.getAttribute('aria-label') ?? element.textContent?.replace(/[↑↓]/g, '').trim();
  return `${element.tagName} ${element.getAttribute('href')} ${words}`;
}

/**
 * Bring a part of the page up to date; what somebody is about to press stays under their finger.
 * @param {Element} part
 * @param {Element} newer
 */
function renew(part, newer) {
  const active = document.activeElement;
  const pressed = active && active !== part && part.contains(active) ? meaning(active) : null;
  update(part, newer);
  if (pressed === null || (document.activeElement === active && active && meaning(active) === pressed)) return;
  const again = [...part.querySelectorAll(PRESSED)].find((each) => meaning(each) === pressed) ?? part;
  if (again === part) part.setAttribute('tabindex', '-1');
  /** @type {HTMLElement} */ (again).focus({ preventScroll: true });
}

/** @param {ParentNode} root */
function prepare(root) {
  for (const button of root.querySelectorAll('[data-copy]')) button.removeAttribute('hidden');
  for (const note of root.querySelectorAll('[data-every]')) note.textContent = `This page stays up to date.`;
}

let failed = false;

async function refresh() {
  const parts = [...document.querySelectorAll('[data-live]')];
  if (document.hidden || !parts.length) return;
  let why = 'The server does not answer: load the page again.';
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (response.status === 401) why = 'Your session is over: load the page again, and sign in.';
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!response.ok || !fresh.querySelector('[data-live]')) throw new Error('another page');
    prepare(fresh);
    for (const part of parts) {
      const newer = fresh.getElementById(part.id);
      if (newer) renew(part, newer);
    }
    failed = false;
  } catch {
    if (!failed) for (const note of document.querySelectorAll('[data-every]')) note.textContent = why;
    failed = true;
  }
}

/** @param {HTMLElement} button */
async function copy(button) {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (!source) return;
  const text = source.textContent ?? '';
  try {
    await navigator.clipboard.writeText(text);
  } catch { // a page that did not come by TLS has no clipboard
    getSelection()?.selectAllChildren(source);
    document.execCommand('copy');
  }
  const label = button.dataset.label ??= button.textContent ?? '';
  button.textContent = 'Copied';
  document.getElementById('copied')?.replaceChildren(`Copied: ${text}`);
  setTimeout(() => { button.textContent = label; }, 2000);
}

prepare(document);
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
  if (button instanceof HTMLElement) copy(button);
});
const every = Number(document.querySelector('[data-every]')?.getAttribute('data-every'));
if (every) {
  setInterval(refresh, 1000 * every);
  document.addEventListener('visibilitychange', refresh);
}
