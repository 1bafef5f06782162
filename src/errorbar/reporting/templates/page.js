// The page around the charts and the sentence browser: scheme, contents, tables that sort, text that is copied.
// Data reaches the document as text only (textContent, value): nothing here or below parses it as markup.
const make = (tag, className = '', text = '') => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== '') element.textContent = text;
  return element;
};
const nouns = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
const root = document.documentElement;
const schemeListeners = [];

const darkByDefault = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (root.dataset.scheme || (darkByDefault.matches ? 'dark' : 'light')) === 'dark';
const schemeButton = document.getElementById('scheme');
const schemeChanged = () => {
  schemeButton.textContent = isDark() ? 'Light' : 'Dark';
  schemeButton.setAttribute('aria-label', isDark() ? 'Switch to light colors' : 'Switch to dark colors');
  for (const listener of schemeListeners) listener();
};
const remembered = {
  // A page from disk may be refused storage; the button then works until the page is closed.
  read() {
    try { return localStorage.getItem('errorbar-scheme'); } catch { return null; }
  },
  write(value) {
    try { localStorage.setItem('errorbar-scheme', value); } catch { /* said above */ }
  },
};
if (['light', 'dark'].includes(remembered.read())) root.dataset.scheme = remembered.read();
schemeButton.hidden = false;
schemeButton.addEventListener('click', () => {
  root.dataset.scheme = isDark() ? 'light' : 'dark';
  remembered.write(root.dataset.scheme);
  schemeChanged();
});
darkByDefault.addEventListener('change', schemeChanged);

const sectionLinks = new Map();
for (const link of document.querySelectorAll('.contents a')) {
  const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (section) sectionLinks.set(section, link);
}
const sectionsInView = new Set();
const sectionObserver = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) sectionsInView.add(entry.target);
    else sectionsInView.delete(entry.target);
  }
  const first = [...sectionLinks.keys()].find((section) => sectionsInView.has(section));
  for (const [section, link] of sectionLinks) {
    if (section === first) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}, { rootMargin: '-10% 0px -70% 0px' });
for (const section of sectionLinks.keys()) sectionObserver.observe(section);

// What a link of this page leads to stays where it is while something above it gets another height, until the reader
// does something else.
let landed = null;
const stay = new ResizeObserver(() => landed?.scrollIntoView());
const land = () => {
  landed = null;
  try { landed = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no address at all */ }
  if (landed) stay.observe(document.body);
};
const leave = () => {
  landed = null;
  stay.disconnect();
};
for (const kind of ['wheel', 'touchmove', 'pointerdown', 'keydown']) addEventListener(kind, leave, { passive: true });
addEventListener('hashchange', () => { if (landed && location.hash !== `#${landed.id}`) leave(); });
addEventListener('click', (event) => {
  if (event.target.closest?.('.contents a')) setTimeout(land);
});
// Of a page that is loaded again or returned to, the browser knows the place.
if (performance.getEntriesByType('navigation')[0]?.type === 'navigate') land();

// Whatever is folded is on paper too.
const folded = () => document.querySelectorAll('details.fold:not([open]), details.key:not([open])');
let unfolded = [];
addEventListener('beforeprint', () => {
  unfolded = [...folded()];
  for (const fold of unfolded) fold.open = true;
});
addEventListener('afterprint', () => { for (const fold of unfolded) fold.open = false; });

// Sorted by the raw value where there is one, else by the text; rows without a value come last both ways.
const sortRows = (table, column, descending) => {
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => {
    const cell = row.cells[column];
    return { row, value: cell.dataset.value === undefined ? NaN : Number(cell.dataset.value), text: cell.textContent.trim() };
  });
  const numeric = keyed.some((item) => !Number.isNaN(item.value));
  const direction = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (!numeric) return direction * a.text.localeCompare(b.text, 'en', { numeric: true });
    if (Number.isNaN(a.value) || Number.isNaN(b.value)) return Number.isNaN(a.value) - Number.isNaN(b.value);
    return direction * (a.value - b.value);
  });
  body.append(...keyed.map((item) => item.row));
};
for (const table of document.querySelectorAll('table:not(.pairs)')) {
  const headings = [...table.tHead.rows[0].cells];
  if (table.tBodies[0].rows.length < 2) continue;
  headings.forEach((heading, column) => {
    const button = make('button', 'sort', heading.textContent.trim());
    button.type = 'button';
    button.addEventListener('click', () => {
      const before = heading.getAttribute('aria-sort');
      // Numbers are most often wanted from the top, names from A.
      const descending = before ? before === 'ascending' : heading.classList.contains('number');
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      sortRows(table, column, descending);
    });
    heading.replaceChildren(button);
  });
}

// What a scrolled table has behind its first column: a shade covers the rest of a cell that is cut, unless it is wide.
for (const box of document.querySelectorAll('.scroll')) {
  const [first, ...others] = box.querySelector('tr').cells;
  box.addEventListener('scroll', () => {
    const edge = first.getBoundingClientRect().right;
    const cut = others.map((cell) => cell.getBoundingClientRect()).find(({ left, right }) => left < edge - 1 && right > edge + 1);
    const isNarrow = cut && cut.width < (box.clientWidth - first.offsetWidth) / 2;
    box.style.setProperty('--cut', `${isNarrow ? cut.right - edge : 0}px`);
    if (box.scrollLeft > 0) box.dataset.behind = isNarrow ? 'cut' : '';
    else delete box.dataset.behind;
  }, { passive: true });
}

for (const block of document.querySelectorAll('.code')) {
  const button = block.querySelector('.copy');
  const code = block.querySelector('code');
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(code); // not allowed to copy: selected for the reader to do it
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}

const receipt = document.getElementById('receipt');
if (receipt) {
  // The page has it inside, for readers who got the page alone.
  const text = document.getElementById('receipt-data').textContent;
  receipt.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
}
