// Marks of a chart by keyboard: while the chart has the focus, arrows go from mark to mark and show what the pointer
// would, Enter does what a click does. A mark that asks for sentences opens them.
class Marks {
  constructor(figure, canvas, tell) {
    this.canvas = canvas;
    this.box = figure.querySelector('.canvas-scroll');
    this.says = figure.querySelector('.says');
    this.tell = tell;
    this.view = null;
    this.list = null;
    this.at = -1;
    this.ring = make('div', 'mark-ring');
    this.ring.hidden = true;
    document.body.append(this.ring);
    this.box.addEventListener('keydown', (event) => this.key(event));
    this.box.addEventListener('blur', () => this.leave());
  }

  drawn(view) {
    this.view = view;
    this.list = null;
    view.addEventListener('click', (event, item) => this.open(item));
  }

  // Marks with a tooltip, each thing once: its point or cell, not its bar or its name as well.
  marks() {
    if (this.list) return this.list;
    const found = new Map();
    const weight = { symbol: 2, rect: 2, arc: 2, text: 1 };
    const walk = (node, x, y) => {
      for (const item of node.items || []) {
        if (item.marktype || item.items?.[0]?.marktype) walk(item, x + (item.x || 0), y + (item.y || 0));
        if (!item.tooltip || typeof item.tooltip !== 'object') continue;
        const key = JSON.stringify(item.tooltip);
        const rank = weight[node.marktype] || 0;
        const { x1, y1, x2, y2 } = item.bounds;
        const mark = { item, rank, left: x + x1, top: y + y1, right: x + x2, bottom: y + y2, cell: node.marktype === 'rect' };
        if (!found.has(key) || found.get(key).rank < rank) found.set(key, mark);
      }
    };
    walk(this.view.scenegraph().root, 0, 0);
    this.list = [...found.values()];
    // A grid is read line by line; other charts in the order of their data.
    const line = (mark) => (mark.cell ? Math.round(mark.top) : 0);
    this.list.sort((a, b) => b.cell - a.cell || line(a) - line(b) || (a.cell ? a.left - b.left : 0));
    return this.list;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.box || !this.view) return;
    const marks = this.marks();
    if (!marks.length) return;
    const last = marks.length - 1;
    const steps = {
      ArrowRight: () => Math.min(last, this.at + 1),
      ArrowLeft: () => Math.max(0, this.at - 1),
      ArrowDown: () => this.beyond(1),
      ArrowUp: () => this.beyond(-1),
      Home: () => 0,
      End: () => last,
    };
    if (event.key === 'Escape') this.leave();
    else if (event.key === 'Enter' && this.at >= 0) this.open(marks[this.at].item);
    else if (steps[event.key]) this.go(steps[event.key]());
    else return;
    event.preventDefault();
  }

  // The nearest mark below (1) or above (-1), rather straight than aside.
  beyond(sign) {
    if (this.at < 0) return 0;
    const from = this.marks()[this.at];
    let best = this.at;
    let least = Infinity;
    this.marks().forEach((mark, index) => {
      const down = sign * (mark.top + mark.bottom - from.top - from.bottom);
      const aside = Math.abs(mark.left + mark.right - from.left - from.right);
      if (down > 1 && down + 4 * aside < least) {
        least = down + 4 * aside;
        best = index;
      }
    });
    return best;
  }

  go(at) {
    this.at = at;
    const { item, left, top, right, bottom } = this.marks()[at];
    const { left: aside, top: down } = this.view.padding();
    const [x, y] = [this.view.origin()[0] + aside, this.view.origin()[1] + down];
    const inside = () => this.canvas.querySelector('svg').getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    const over = Math.max(0, inside().left + x + right + 8 - box.right) || Math.min(0, inside().left + x + left - 8 - box.left);
    this.box.scrollLeft += over;
    const { left: start, top: above } = inside();
    if (above + y + top < 60 || above + y + bottom > innerHeight - 60) {
      scrollBy({ top: above + y + top - innerHeight / 2, behavior: 'instant' });
    }
    const now = inside();
    Object.assign(this.ring.style, {
      left: `${scrollX + start + x + left - 3}px`,
      top: `${scrollY + now.top + y + top - 3}px`,
      width: `${right - left + 6}px`,
      height: `${bottom - top + 6}px`,
    });
    this.ring.hidden = false;
    this.tell(null, { pageX: scrollX + start + x + right, pageY: scrollY + now.top + y + bottom - 6 }, item, item.tooltip);
    this.says.textContent = Object.entries(item.tooltip).map(([name, text]) => `${name}: ${text}`).join(', ');
  }

  leave() {
    this.ring.hidden = true;
    this.at = -1;
    this.tell(null, null, null, null);
  }

  open(item) {
    if (item?.datum?.asks && openSentences(item.datum.asks)) this.leave();
  }
}
