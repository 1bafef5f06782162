// Matrices of pairs: arrow keys move from pair to pair, and what is known of one stands beside it.
const pairTip = make('div', 'tip of-pair');
pairTip.hidden = true;
pairTip.setAttribute('aria-hidden', 'true'); // the cell itself says the same
document.body.append(pairTip);
const showPair = (cell) => {
  pairTip.replaceChildren(...[...cell.querySelectorAll('.fact')].map((fact) => {
    const line = make('div');
    line.append(make('span', '', fact.querySelector('b').textContent), make('span', '', fact.querySelector('span').textContent));
    return line;
  }));
  pairTip.hidden = !pairTip.childElementCount;
  if (pairTip.hidden) return;
  const box = cell.getBoundingClientRect();
  const left = Math.max(4, Math.min(box.left, root.clientWidth - pairTip.offsetWidth - 8));
  const below = box.bottom + 6 + pairTip.offsetHeight < innerHeight || box.top < pairTip.offsetHeight + 6;
  pairTip.style.left = `${left + scrollX}px`;
  pairTip.style.top = `${(below ? box.bottom + 6 : box.top - 6 - pairTip.offsetHeight) + scrollY}px`;
};
const hidePair = () => { pairTip.hidden = true; };
const pairSteps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
for (const matrix of document.querySelectorAll('table.pairs')) {
  const pairAt = (row, column) => {
    const cell = matrix.tBodies[0].rows[row]?.cells[column];
    return cell?.hasAttribute('tabindex') ? cell : null;
  };
  const goTo = (cell) => {
    for (const other of matrix.querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  };
  matrix.addEventListener('keydown', (event) => {
    const cell = event.target.closest('td[tabindex]');
    if (!cell || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') hidePair();
    const row = cell.parentElement.sectionRowIndex;
    const own = [...cell.parentElement.querySelectorAll('td[tabindex]')];
    let next = null;
    if (event.key === 'Home') next = own[0];
    else if (event.key === 'End') next = own.at(-1);
    else if (pairSteps[event.key]) next = pairAt(row + pairSteps[event.key][0], cell.cellIndex + pairSteps[event.key][1]);
    else return;
    event.preventDefault();
    if (next) goTo(next);
  });
  matrix.addEventListener('focusin', (event) => {
    const cell = event.target.closest('td[tabindex]');
    if (cell) showPair(cell);
  });
  matrix.addEventListener('focusout', hidePair);
  matrix.addEventListener('pointerover', (event) => {
    const cell = event.target.closest('td[tabindex]');
    if (cell) showPair(cell);
    else hidePair();
  });
  matrix.addEventListener('pointerleave', hidePair);
  matrix.addEventListener('click', (event) => {
    const cell = event.target.closest('td[tabindex]');
    if (cell) goTo(cell);
  });
  matrix.parentElement.addEventListener('scroll', hidePair);
}
