// Charts: drawn when they come near the screen, and again when the scheme changes. On paper pictures stand for them.
const chartData = JSON.parse(document.getElementById('chart-data').textContent);
const charts = [...document.querySelectorAll('figure.chart')].map((figure) => ({
  figure,
  name: figure.dataset.chart,
  canvas: figure.querySelector('.canvas'),
  spec: chartData.specs[figure.dataset.chart],
  drawn: '',
  view: null,
  turn: Promise.resolve(),
}));
// How wide a chart may be: figures in narrow cells could not be read, wide cells would part what is to be compared.
const bound = ({ canvas, spec }) => {
  const { least, most } = spec.usermeta || {};
  canvas.style.minWidth = least ? `${least}px` : '';
  canvas.style.maxWidth = most ? `${most}px` : '';
};
// Each has its place before it is drawn, so that nothing below moves when it is; some heights depend on the width.
for (const chart of charts) {
  bound(chart);
  const { name, canvas } = chart;
  const sizes = chartData.sizes[name] || [];
  const [, width, height] = sizes.find(([edge]) => !edge || canvas.clientWidth < edge) || [];
  if (width) canvas.style.minWidth = `${width}px`;
  if (height) canvas.style.minHeight = `${height}px`;
}

const tip = make('div', 'tip');
tip.hidden = true;
document.body.append(tip);
const showTip = (handler, event, item, value) => {
  tip.hidden = value === null || value === undefined || value === '';
  if (tip.hidden) return;
  if (typeof value === 'object') {
    tip.replaceChildren(...Object.entries(value).map(([name, text]) => {
      const line = make('div');
      line.append(make('span', '', name), make('span', '', String(text)));
      return line;
    }));
  } else tip.textContent = String(value);
  const width = tip.offsetWidth;
  tip.style.left = `${scrollX + Math.max(4, Math.min(event.pageX - scrollX + 12, root.clientWidth - width - 8))}px`;
  tip.style.top = `${event.pageY + 14}px`;
};

const themed = (spec, scheme) => {
  const own = { ...spec };
  const single = !['hconcat', 'vconcat', 'concat', 'repeat', 'facet', 'spec'].some((key) => key in own);
  const cells = own.encoding && ['row', 'column', 'facet'].some((key) => key in own.encoding);
  if (single && !cells && own.width === undefined) own.width = 'container';
  if (own.width === 'container') own.autosize = own.autosize || { type: 'fit-x', contains: 'padding' };
  // The figure has its text alternative and its table: hundreds of labels on marks would only be in the way.
  const config = { ...chartData[scheme], aria: false };
  own.config = own.config ? { ...config, ...own.config } : config;
  return own;
};
// The expression interpreter (ast) is what lets the policy of the page forbid eval.
const embed = (element, spec, scheme) => vegaEmbed(element, themed(spec, scheme), {
  ast: true, actions: false, renderer: 'svg', defaultStyle: false, tooltip: showTip, mode: 'vega-lite',
});
const redraw = async (chart) => {
  const scheme = isDark() ? 'dark' : 'light';
  if (chart.drawn === scheme) return;
  chart.drawn = scheme;
  const old = chart.view;
  try {
    const result = await embed(chart.canvas, chart.spec, scheme);
    if (old) old.finalize();
    chart.view = result.view;
    chart.marks.drawn(result.view);
    // A few pixels more than were needed stay, so that nothing below moves.
    const spare = parseFloat(chart.canvas.style.minHeight) - chart.canvas.querySelector('svg').getBoundingClientRect().height;
    if (!(spare >= 0 && spare < 24)) chart.canvas.style.minHeight = '0';
    bound(chart);
    chart.figure.dataset.drawn = scheme;
  } catch (error) {
    chart.canvas.textContent = `This chart cannot be drawn here (${error.message}); its table says the same.`;
    chart.canvas.style.minHeight = '';
    chart.canvas.style.minWidth = '';
    chart.canvas.classList.add('canvas-failed');
    chart.canvas.removeAttribute('aria-hidden');
    chart.canvas.parentElement.removeAttribute('role');
    toggleTable(chart, true);
  }
};

// One after the other: of two drawings at once the older might be finished last, and stay.
const draw = (chart) => { chart.turn = chart.turn.then(() => redraw(chart)); };

const toggleTable = (chart, open) => {
  chart.figure.querySelector('.chart-table').hidden = !open;
  chart.figure.querySelector('.show-table').setAttribute('aria-expanded', String(open));
};
const download = (name, blob) => {
  const link = make('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
// What is saved is for paper: in light colors, whatever the page has, and as wide as it stands here.
const saved = async (chart, action) => {
  const element = make('div');
  element.style.width = `${chart.canvas.clientWidth}px`;
  element.style.position = 'absolute';
  element.style.left = '-9999px';
  document.body.append(element);
  const result = await embed(element, chart.spec, 'light');
  result.view.background('#ffffff');
  await result.view.runAsync();
  await action(result.view);
  result.finalize();
  element.remove();
};

for (const chart of charts) {
  chart.marks = new Marks(chart.figure, chart.canvas, showTip);
  toggleTable(chart, 'open' in chart.figure.dataset);
  chart.figure.querySelector('.chart-controls').hidden = false;
  const shows = chart.figure.querySelector('.show-table');
  shows.addEventListener('click', () => toggleTable(chart, shows.getAttribute('aria-expanded') === 'false'));
  chart.figure.querySelector('.save-svg').addEventListener('click', () => saved(chart, async (view) => {
    download(`${chart.name}.svg`, new Blob([await view.toSVG()], { type: 'image/svg+xml' }));
  }));
  chart.figure.querySelector('.save-png').addEventListener('click', () => saved(chart, async (view) => {
    const picture = await view.toCanvas(2);
    download(`${chart.name}.png`, await new Promise((done) => { picture.toBlob(done, 'image/png'); }));
  }));
}

// Tables for papers, set by the writer that the command line has. Of tables with one caption, later ones add their names.
const captions = new Set();
for (const [name, text] of Object.entries(JSON.parse(document.getElementById('latex-data').textContent))) {
  const table = document.getElementById(`table-${name}`);
  const block = table.closest('.table-block');
  const button = make('button', 'control save-latex', 'LaTeX');
  button.type = 'button';
  const caption = table.caption?.textContent || name;
  button.setAttribute('aria-label', `Save as LaTeX: ${captions.has(caption) ? `${caption} (${name})` : caption}`);
  captions.add(caption);
  button.addEventListener('click', () => download(`${name}.tex`, new Blob([text], { type: 'application/x-tex' })));
  let controls = block.closest('.chart')?.querySelector('.chart-controls');
  if (!controls) {
    controls = make('div', 'chart-controls');
    block.append(controls);
  }
  controls.append(button);
}

// The library stands behind this script, so that the page is on the screen before it is read.
document.addEventListener('DOMContentLoaded', () => {
  if (!charts.length) return;
  const chartObserver = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      chartObserver.unobserve(entry.target);
      draw(charts.find((chart) => chart.figure === entry.target));
    }
  }, { rootMargin: '500px 0px' });
  for (const chart of charts) chartObserver.observe(chart.figure);
  schemeListeners.push(() => { for (const chart of charts) if (chart.drawn) draw(chart); });
});
schemeChanged();
