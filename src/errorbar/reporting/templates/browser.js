// The sentence browser: filters to units, units to a page of them, and the address that says both.
const nouns = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

class Browser {
  constructor(element, pool, number) {
    this.element = element;
    this.pool = pool;
    this.prefix = number === 1 ? 's' : `b${number}:`;
    this.noun = pool.columns.unit;
    this.parts = Object.fromEntries([...element.querySelectorAll('[data-part]')].map((part) => [part.dataset.part, part]));
    const { annotators, systems } = pool.columns;
    this.shown = { annotators: this.firstOf(annotators, 12), systems: this.firstOf(systems, 6) };
    if (pool.columns.first.length) this.shown.systems = new Set(pool.columns.first);
    this.found = [];
    this.first = 0;
    this.current = -1;
    // As many units on a page as make about this much text, ten at most.
    this.budget = 30000;
    element.querySelector('.no-script').remove();
    for (const part of element.querySelectorAll('[hidden]:not([data-part])')) part.hidden = false;
    this.fillControls();
    this.listen();
    if (!this.takeAddress()) this.search();
  }

  firstOf(names, most) {
    return new Set(names.slice(0, most).keys());
  }

  options(part, pairs) {
    const select = this.parts[part];
    select.replaceChildren(...pairs.map(([value, text]) => {
      const option = make('option', '', text);
      option.value = value;
      return option;
    }));
    select.closest('.field').hidden = pairs.length < 2;
  }

  fillControls() {
    const { systems, documentNames } = this.pool.columns;
    const types = this.pool.typeCounts();
    const differing = this.pool.columns.disagreement.some((value) => value !== null);
    this.options('type', [['', 'any type'], ...types.map(([type, n]) => [type, `${type} (${n.toLocaleString('en')})`])]);
    const groups = systems.length > 1 ? [['any', 'some system'], ['every', 'every system'], ['no', 'no system']] : [];
    this.options('who', [...groups, ...systems.map((name, index) => [String(index), name])]);
    this.parts.who.closest('.field').hidden = systems.length === 0;
    this.options('outcome', systems.length ? OUTCOMES : []);
    // The value is the number, so that a document without a name can be chosen too.
    const documents = documentNames.length > 1 ? documentNames : [];
    this.options('document', [['', 'any document'], ...documents.map((name, index) => [String(index), name || '(no name)'])]);
    const orders = [['', 'as in the corpus']];
    if (differing) orders.push(['differ', 'annotators differ most'], ['agree', 'annotators differ least']);
    if (systems.length) orders.push(['hard', 'hardest for systems']);
    orders.push(['long', 'longest']);
    this.options('order', orders);
    this.parts.least.closest('.field').hidden = !differing;
    this.parts.brief.checked = this.pool.columns.texts.some((text) => text.length > LONG);
    this.parts.chooser.replaceChildren(...this.fieldsets());
    this.parts.chooser.closest('.field').hidden = this.pool.columns.annotators.length + systems.length < 2;
  }

  fieldsets() {
    return ['annotators', 'systems'].filter((kind) => this.pool.columns[kind].length).map((kind) => {
      const names = this.pool.columns[kind];
      const fieldset = make('fieldset');
      const list = make('div', 'chooser-list');
      const boxes = names.map((name, index) => {
        const label = make('label');
        const box = make('input');
        box.type = 'checkbox';
        box.checked = this.shown[kind].has(index);
        box.addEventListener('change', () => {
          if (box.checked) this.shown[kind].add(index);
          else this.shown[kind].delete(index);
          this.render();
        });
        label.append(box, make('bdi', '', name));
        list.append(label);
        return box;
      });
      const line = make('div', 'chooser-line');
      if (names.length > 12) {
        const filter = make('input');
        filter.type = 'search';
        filter.placeholder = `Find among ${nouns(names.length, kind.slice(0, -1))}`;
        filter.setAttribute('aria-label', filter.placeholder);
        filter.addEventListener('input', () => {
          const query = filter.value.toLowerCase();
          names.forEach((name, index) => { boxes[index].parentElement.hidden = !name.toLowerCase().includes(query); });
        });
        line.append(filter);
      }
      for (const [text, checked] of [['All', true], ['None', false]]) {
        const button = make('button', 'control', text);
        button.type = 'button';
        button.setAttribute('aria-label', `${text} ${kind}`);
        button.addEventListener('click', () => {
          boxes.forEach((box, index) => {
            if (box.parentElement.hidden) return;
            box.checked = checked;
            if (checked) this.shown[kind].add(index);
            else this.shown[kind].delete(index);
          });
          this.render();
        });
        line.append(button);
      }
      fieldset.append(make('legend', '', kind === 'systems' ? 'Systems' : 'Annotators'), line, list);
      return fieldset;
    });
  }

  listen() {
    for (const part of ['search', 'least']) {
      this.parts[part].addEventListener('input', () => this.search({ say: true }));
    }
    for (const part of ['type', 'who', 'outcome', 'document', 'order']) {
      this.parts[part].addEventListener('change', () => this.search({ say: true }));
    }
    this.parts.brief.addEventListener('change', () => this.render());
    this.parts.reset.addEventListener('click', () => {
      this.setFilters(new URLSearchParams());
      this.search({ say: true });
    });
    this.parts.previous.addEventListener('click', () => this.turn(-1));
    this.parts.next.addEventListener('click', () => this.turn(1));
    this.element.addEventListener('keydown', (event) => this.key(event));
    addEventListener('hashchange', () => this.takeAddress());
  }

  // Single keys work only while a unit has the focus, or something in it: elsewhere they belong to the reader.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!event.target.closest('.unit')) return;
    const step = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 }[event.key];
    if (event.key === '/') this.parts.search.focus();
    else if (step) this.step(step);
    else return;
    event.preventDefault();
  }

  step(by) {
    const cards = [...this.parts.list.children];
    const focused = document.activeElement.closest('.unit');
    const to = cards.indexOf(focused) + by;
    if (to >= 0 && to < cards.length) this.goTo(this.found[this.first + to]);
    else if (by > 0 ? this.first + cards.length < this.found.length : this.first > 0) this.turn(by);
  }

  filters() {
    const { search, type, who, outcome, document: essay, least, order } = this.parts;
    return {
      q: search.value,
      type: type.value,
      who: who.value,
      outcome: outcome.value,
      document: essay.value,
      least: Number(least.value),
      order: order.value,
    };
  }

  search({ say = false, keep = -1 } = {}) {
    const filters = this.filters();
    this.query = filters.q.trim().toLowerCase();
    this.found = this.pool.find(filters);
    this.parts['least-text'].textContent = filters.least.toFixed(2);
    const total = nouns(this.pool.size, this.noun);
    const count = this.found.length;
    this.parts.status.textContent = count === this.pool.size
      ? `All ${total}`.replace('All 1 ', '1 ') : `${count ? count.toLocaleString('en') : 'None'} of ${total} ${count === 1 ? 'matches' : 'match'}`;
    this.current = keep;
    this.first = this.pageOf(Math.max(0, this.found.indexOf(keep)));
    this.render();
    if (say) this.putAddress();
  }

  pageLength(first) {
    let weight = 0;
    let length = 0;
    const rows = 1 + (this.parts.brief.checked ? 1 : this.shown.annotators.size + this.shown.systems.size);
    while (length < 10 && first + length < this.found.length && (length === 0 || weight < this.budget)) {
      weight += this.pool.columns.texts[this.found[first + length]].length * rows;
      length += 1;
    }
    return length;
  }

  // First place of the page that a place is on.
  pageOf(place) {
    let first = 0;
    for (let length = this.pageLength(0); first + length <= place && length; length = this.pageLength(first)) first += length;
    return first;
  }

  turn(by) {
    this.first = by > 0 ? this.first + this.pageLength(this.first) : this.pageOf(Math.max(0, this.first - 1));
    this.render();
    this.goTo(this.found[this.first + (by > 0 ? 0 : this.pageLength(this.first) - 1)]);
  }

  goTo(unit) {
    this.current = unit;
    this.putAddress();
    for (const card of this.parts.list.children) {
      const is = Number(card.dataset.unit) === unit;
      card.classList.toggle('current', is);
      if (is) {
        card.focus({ preventScroll: true });
        card.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      }
    }
  }

  render() {
    const length = this.pageLength(this.first);
    const units = this.found.slice(this.first, this.first + length);
    this.parts.list.replaceChildren(...units.map((unit) => this.card(unit)));
    const { annotators, systems } = this.pool.columns;
    this.parts['shown-text'].textContent = [['annotator', annotators], ['system', systems]].filter(([, all]) => all.length)
      .map(([noun, all]) => `${this.shown[`${noun}s`].size} of ${nouns(all.length, noun)}`).join(', ').replace(/^/, 'Shown: ');
    this.parts.pager.hidden = length >= this.found.length;
    this.parts.previous.disabled = this.first === 0;
    this.parts.next.disabled = this.first + length >= this.found.length;
    this.parts.page.textContent = `${(this.first + 1).toLocaleString('en')}–${(this.first + length).toLocaleString('en')} of ${this.found.length.toLocaleString('en')}`;
  }

  card(unit) {
    const { names, texts } = this.pool.columns;
    const card = make('article', unit === this.current ? 'unit current' : 'unit');
    card.tabIndex = 0;
    card.dataset.unit = unit;
    const heading = make('h3');
    const link = make('a', '', `${this.noun[0].toUpperCase()}${this.noun.slice(1)} ${names[unit]}`);
    link.href = this.address(unit, new URLSearchParams());
    // Copied, the address is the sentence's alone; followed here, the filters stay.
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.goTo(unit);
    });
    heading.append(link);
    card.setAttribute('aria-label', link.textContent);
    const head = make('div', 'unit-head');
    head.append(heading);
    if (this.pool.document(unit)) head.append(make('span', '', `Document ${this.pool.document(unit)}`));
    const differ = this.pool.disagreement(unit);
    if (differ !== null) head.append(make('span', '', `Annotators differ by ${differ.toFixed(2)}`));
    const source = make('p', 'text source');
    source.dir = 'auto';
    appendText(source, texts[unit], this.query);
    card.append(head);
    if (texts[unit].length > LONG && this.parts.brief.checked) {
      const fold = make('details', 'fold');
      fold.append(make('summary', '', `Whole ${this.noun}, ${nouns(texts[unit].length, 'character')}`), source);
      card.append(fold);
    } else card.append(source);
    for (const [title, rows] of [['Annotators', this.annotatorRows(unit)], ['Systems', this.systemRows(unit)]]) {
      if (!rows.length) continue;
      const list = make('dl', 'rows');
      list.append(...rows);
      card.append(make('h4', 'kind', title), list);
    }
    return card;
  }

  // Those who did the same share a row.
  grouped(indices, key) {
    const groups = new Map();
    for (const index of indices) {
      const at = key(index);
      if (groups.has(at)) groups.get(at).push(index);
      else groups.set(at, [index]);
    }
    return [...groups.values()];
  }

  row(names, smalls, body) {
    const row = make('div', 'row');
    const who = make('dt');
    names.forEach((name, index) => who.append(index ? ', ' : '', make('bdi', '', name)));
    for (const small of smalls) who.append(make('small', '', small));
    const what = make('dd');
    what.append(body);
    row.append(who, what);
    return row;
  }

  body(unit, edits, nothing) {
    if (!edits.length) return make('span', 'quiet', nothing);
    return editedText(this.pool.columns.texts[unit], edits, this.query, this.parts.brief.checked);
  }

  annotatorRows(unit) {
    const { annotators, annotations } = this.pool.columns;
    const some = [...this.shown.annotators].sort((a, b) => a - b);
    const groups = this.grouped(some, (index) => JSON.stringify(annotations[unit][index]));
    return groups.map((group) => {
      const edits = this.pool.annotation(unit, group[0]);
      const body = edits === null ? make('span', 'quiet', 'Did not look.') : this.body(unit, edits, 'No error found.');
      return this.row(group.map((index) => annotators[index]), group.length > 1 ? [`${group.length} alike`] : [], body);
    });
  }

  systemRows(unit) {
    const { systems, annotators, proposals, chosen } = this.pool.columns;
    const some = [...this.shown.systems].sort((a, b) => a - b);
    const key = (index) => JSON.stringify([proposals[unit][index], this.pool.counts(unit, index), chosen[unit][index]]);
    return this.grouped(some, key).map((group) => {
      const [correct, proposed, gold] = this.pool.counts(unit, group[0]);
      const against = annotators[chosen[unit][group[0]]];
      const smalls = [`${correct} right · ${proposed - correct} wrong · ${gold - correct} missed`];
      if (annotators.length > 1 && against !== undefined) smalls.push(`against ${against}`);
      return this.row(group.map((index) => systems[index]), smalls, this.body(unit, this.pool.proposal(unit, group[0]), 'Proposed nothing.'));
    });
  }

  address(unit, parameters) {
    const query = parameters.toString();
    return `#${this.prefix}${unit < 0 ? '' : encodeURIComponent(this.pool.columns.names[unit])}${query && '?'}${query}`;
  }

  putAddress() {
    const parameters = new URLSearchParams();
    for (const part of ['search', 'type', 'outcome', 'document', 'order']) {
      if (this.parts[part].value) parameters.set(part, this.parts[part].value);
    }
    if (this.parts.outcome.value) parameters.set('who', this.parts.who.value);
    if (Number(this.parts.least.value)) parameters.set('least', this.parts.least.value);
    history.replaceState(null, '', this.address(this.current, parameters));
  }

  setFilters(parameters) {
    for (const part of ['search', 'type', 'who', 'outcome', 'document', 'order']) {
      const control = this.parts[part];
      const wanted = parameters.get(part) ?? '';
      if (part === 'search') control.value = wanted;
      else control.selectedIndex = Math.max(0, [...control.options].findIndex((option) => option.value === wanted));
    }
    this.parts.least.value = String(Number(parameters.get('least')) || 0);
  }

  // Whether the address is one of this browser's; then it is gone to.
  takeAddress() {
    const hash = location.hash.slice(1);
    if (!hash.startsWith(this.prefix) || document.getElementById(hash)) return false;
    const [name, query = ''] = hash.slice(this.prefix.length).split('?');
    let unit = -1;
    try { unit = this.pool.byName.get(decodeURIComponent(name)) ?? -1; } catch { /* not an address of ours */ }
    if (unit < 0 && name !== '') return false;
    this.setFilters(new URLSearchParams(query));
    this.search({ keep: unit });
    const card = this.parts.list.querySelector('.current');
    if (card) card.focus({ preventScroll: true });
    (card || this.element).scrollIntoView({ block: 'start', behavior: 'instant' });
    return true;
  }
}

const browserElements = [...document.querySelectorAll('[data-browser]')];
[...document.querySelectorAll('script.browser-data')].forEach((block, index) => {
  new Browser(browserElements[index], new Pool(JSON.parse(block.textContent)), index + 1);
});
