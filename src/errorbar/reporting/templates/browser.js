// The sentence browser: filters to units, units to a page of them, and the address that says both.
class Browser {
  constructor(element, pool, number) {
    this.element = element;
    this.pool = pool;
    this.prefix = number === 1 ? 's' : `b${number}:`;
    this.section = element.closest('section').id;
    this.noun = pool.columns.unit;
    this.parts = Object.fromEntries([...element.querySelectorAll('[data-part]')].map((part) => [part.dataset.part, part]));
    const { annotators, systems } = pool.columns;
    this.shown = { annotators: this.firstOf(annotators, 12), systems: this.firstOf(systems, 6) };
    if (pool.columns.first.length) this.shown.systems = new Set(pool.columns.first);
    this.boxes = {};
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

  // The choices of a filter; one that has a count shows it, and the count follows the other filters.
  options(part, pairs) {
    const select = this.parts[part];
    select.replaceChildren(...pairs.map(([value, text]) => {
      const option = make('option', '', text);
      option.value = value;
      option.dataset.text = text;
      return option;
    }));
    select.closest('.field').hidden = pairs.length < 2;
  }

  fillControls() {
    const { systems, documentNames, types } = this.pool.columns;
    const { counters } = survey(this.pool, this.filters());
    const often = types.map((type, number) => [type, counters.type.of(number)]).filter(([type, n]) => type !== '' && n);
    often.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const differing = this.pool.columns.disagreement.some((value) => value !== null);
    this.options('type', [['', 'any type'], ...often.map(([type]) => [type, this.pool.spelled(type)])]);
    const groups = systems.length > 1 ? Object.entries(GROUPS) : [];
    this.options('system', [...groups, ...systems.map((name, index) => [String(index), name])]);
    this.parts.system.closest('.field').hidden = systems.length === 0;
    this.options('verdict', systems.length ? VERDICTS : []);
    const sizes = SIZES.map((size, index) => [String(index), sizeText(size)]).filter(([index]) => counters.edits.of(index));
    this.options('edits', [['', 'any number'], ...(sizes.length > 1 ? sizes : [])]);
    // The value is the number, so that a document without a name can be chosen too.
    const documents = documentNames.length > 1 ? documentNames : [];
    this.options('document', [['', 'any document'], ...documents.map((name, index) => [String(index), name || '(no name)'])]);
    const orders = [['', systems.length > 1 ? 'systems differ most' : 'most telling'], ['corpus', 'as in the corpus']];
    if (differing) orders.push(['differ', 'annotators differ most'], ['agree', 'annotators differ least']);
    if (systems.length) orders.push(['hard', 'hardest for systems']);
    orders.push(['long', 'longest']);
    this.options('order', orders);
    this.parts.matrix.hidden = systems.length === 0;
    this.parts.m2.hidden = this.noun !== 'sentence';
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
      this.boxes[kind] = boxes;
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
    for (const part of ['type', 'system', 'verdict', 'edits', 'document', 'order']) {
      this.parts[part].addEventListener('change', () => this.search({ say: true }));
    }
    this.parts.matrix.addEventListener('toggle', () => this.showMatrix());
    this.parts.brief.addEventListener('change', () => this.render());
    for (const format of ['csv', 'jsonl', 'm2']) this.parts[format].addEventListener('click', () => this.save(format));
    this.parts['copy-view'].addEventListener('click', () => this.copyLink(this.parts['copy-view'], -1, this.parameters()));
    this.parts.reset.addEventListener('click', () => {
      this.setFilters(new URLSearchParams());
      this.search({ say: true });
    });
    this.parts.previous.addEventListener('click', () => this.turn(-1));
    this.parts.next.addEventListener('click', () => this.turn(1));
    this.element.addEventListener('keydown', (event) => this.key(event));
    const leftFrom = () => history.state?.section === this.section;
    addEventListener('hashchange', () => leftFrom() || this.takeAddress());
    addEventListener('popstate', () => {
      if (!leftFrom()) return;
      this.setFilters(new URLSearchParams(history.state.filters));
      this.search();
    });
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
    const values = ['search', 'type', 'system', 'verdict', 'edits', 'document', 'order'].map((part) => [part, this.parts[part].value]);
    return { ...Object.fromEntries(values), least: Number(this.parts.least.value) };
  }

  search({ say = false, keep = -1 } = {}) {
    const filters = this.filters();
    const { found, counters } = survey(this.pool, filters);
    this.query = filters.search.trim().toLowerCase();
    this.found = found;
    this.counters = counters;
    this.showCounts(counters);
    this.showMatrix();
    if (!(filters.system in GROUPS) && filters.system !== '') this.showSystem(Number(filters.system));
    this.parts['least-text'].textContent = filters.least.toFixed(2);
    const total = nouns(this.pool.size, this.noun);
    const count = this.found.length;
    this.parts.status.textContent = count === this.pool.size
      ? `All ${total}`.replace('All 1 ', '1 ') : `${count ? `${count.toLocaleString('en')} of` : 'None of the'} ${total} ${count > 1 ? 'match' : 'matches'}`;
    this.parts['save-text'].textContent = `Save ${count === this.pool.size ? 'all ' : ''}${nouns(count, this.noun)} as`;
    for (const format of ['csv', 'jsonl', 'm2']) this.parts[format].disabled = count === 0;
    this.parts.saved.textContent = '';
    this.current = keep;
    this.first = this.pageOf(Math.max(0, this.found.indexOf(keep)));
    this.render();
    if (say) this.putAddress();
  }

  // Who is filtered by is to be seen.
  showSystem(index) {
    if (this.shown.systems.has(index)) return;
    this.shown.systems.add(index);
    this.boxes.systems[index].checked = true;
  }

  // Every system and every outcome, each count a way to its sentences; made only where somebody looks.
  showMatrix() {
    if (!this.parts.matrix.open) return;
    const focused = document.activeElement.dataset?.cell;
    const outcomes = VERDICTS.filter(([value]) => value);
    const head = make('tr');
    head.append(make('th', '', 'System'), ...outcomes.map(([, text]) => make('th', 'number', text)));
    const { system, verdict } = this.filters();
    const rows = this.pool.columns.systems.map((name, index) => {
      const row = make('tr');
      const who = make('th');
      who.scope = 'row';
      who.append(make('bdi', '', name));
      row.append(who, ...outcomes.map(([value, text]) => {
        const count = this.counters.cell.of(`${index} ${value}`);
        const button = make('button', 'control', count.toLocaleString('en'));
        button.type = 'button';
        button.dataset.cell = `${index} ${value}`;
        const chosen = system === String(index) && verdict === value;
        button.setAttribute('aria-pressed', String(chosen));
        button.setAttribute('aria-label', `${name} ${text}: ${nouns(count, this.noun)}`);
        button.addEventListener('click', () => {
          this.parts.verdict.value = chosen ? '' : value;
          this.parts.system.value = chosen && this.pool.columns.systems.length > 1 ? 'any' : String(index);
          this.search({ say: true });
        });
        const cell = make('td', 'number');
        cell.append(button);
        return cell;
      }));
      return row;
    });
    const table = make('table');
    table.createTHead().append(head);
    for (const cell of head.cells) cell.scope = 'col';
    table.createTBody().append(...rows);
    this.parts.cells.replaceChildren(table);
    if (focused) this.parts.cells.querySelector(`[data-cell="${focused}"]`)?.focus({ preventScroll: true });
  }

  // Everybody's edits of what was found, also of those who are not shown.
  save(format) {
    this.exporter ??= new Exporter(this.pool);
    const { text, notes } = this.exporter[format]([...this.found].sort((a, b) => a - b));
    const all = this.found.length === this.pool.size;
    const name = `${this.section}${all ? '' : `-${this.found.length}-of-${this.pool.size}`}.${format}`;
    const kinds = { csv: 'text/csv', jsonl: 'application/jsonl', m2: 'text/plain' };
    download(name, new Blob([text], { type: `${kinds[format]};charset=utf-8` }));
    this.parts.saved.textContent = [`${nouns(this.found.length, this.noun)} saved as ${name}.`, ...notes].join(' ');
  }

  // Where copying is not allowed the address stands in the address bar, to be copied there.
  async copyLink(button, unit, parameters) {
    button.dataset.text ??= button.textContent; // what it says when nothing was just copied
    try {
      await navigator.clipboard.writeText(new URL(this.address(unit, parameters), location.href).href);
      button.textContent = 'Copied';
    } catch {
      history.replaceState(null, '', this.address(unit, parameters));
      button.textContent = 'See the address bar';
    }
    this.parts.saved.textContent = button.textContent === 'Copied' ? 'The link is copied.' : 'The link is in the address bar.';
    setTimeout(() => { button.textContent = button.dataset.text; }, 2000);
  }

  showCounts(counters) {
    const keys = { type: (value) => (value === '' ? null : this.pool.columns.types.indexOf(value)) };
    for (const part of ['type', 'system', 'verdict', 'edits', 'document']) {
      for (const option of this.parts[part].options) {
        const key = keys[part] ? keys[part](option.value) : option.value;
        const known = option.value !== '' || part === 'type' || part === 'verdict';
        option.textContent = option.dataset.text + (known ? ` (${counters[part].of(key).toLocaleString('en')})` : '');
      }
    }
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
    const copy = make('button', 'control copy-link', 'Copy link');
    copy.type = 'button';
    copy.setAttribute('aria-label', `Copy link to ${this.noun} ${names[unit]}`);
    copy.addEventListener('click', () => this.copyLink(copy, unit, new URLSearchParams()));
    card.setAttribute('aria-label', link.textContent);
    const head = make('div', 'unit-head');
    head.append(heading);
    if (this.pool.document(unit)) head.append(make('span', '', `Document ${this.pool.document(unit)}`));
    const differ = this.pool.disagreement(unit);
    if (differ !== null) head.append(make('span', '', `Annotators differ by ${differ.toFixed(2)}`));
    head.append(copy);
    const source = make('p', 'text source');
    source.dir = 'auto';
    appendText(source, texts[unit], this.query);
    card.append(head);
    if (texts[unit].length > LONG && this.parts.brief.checked) {
      const fold = make('details', 'fold');
      fold.append(make('summary', '', `Whole ${this.noun}, ${nouns(texts[unit].length, 'character')}`), source);
      card.append(fold);
    } else card.append(source);
    for (const [title, rows] of this.groups(unit)) {
      if (!rows.length) continue;
      const list = make('dl', 'rows');
      list.append(...rows);
      card.append(make('h4', 'kind', title), list);
    }
    return card;
  }

  // The rows under their titles: first the system that was asked for, then the annotators, then the other systems.
  groups(unit) {
    const asked = this.askedSystem();
    const others = [...this.shown.systems].filter((system) => system !== asked).sort((a, b) => a - b);
    const [before, title] = asked === null ? [[], 'Systems'] : [[['System', this.systemRows(unit, [asked])]], 'Other systems'];
    return [...before, ['Annotators', this.annotatorRows(unit)], [title, this.systemRows(unit, others)]];
  }

  // The number of the one system of several that is filtered by; null: none.
  askedSystem() {
    const { value } = this.parts.system;
    return value === '' || value in GROUPS || this.pool.columns.systems.length < 2 ? null : Number(value);
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

  systemRows(unit, some) {
    const { systems, annotators, proposals, chosen, texts } = this.pool.columns;
    const key = (index) => JSON.stringify([proposals[unit][index], this.pool.counts(unit, index), chosen[unit][index]]);
    return this.grouped(some, key).map((group) => {
      const [correct, proposed, gold] = this.pool.counts(unit, group[0]);
      const against = annotators[chosen[unit][group[0]]];
      const smalls = [`${correct} right · ${proposed - correct} wrong · ${gold - correct} missed`];
      if (annotators.length > 1 && against !== undefined) smalls.push(`against ${against}`);
      const body = make('div');
      body.append(this.body(unit, this.pool.proposal(unit, group[0]), 'Proposed nothing.'));
      const missed = this.pool.fate(unit, group[0]).missed.map((number) => this.pool.edit(unit, number));
      if (missed.length) body.append(missedText(texts[unit], missed, this.query));
      return this.row(group.map((index) => systems[index]), smalls, body);
    });
  }

  // A unit's own address is #s12; that of filters alone #sentences?type=Prep, as the section is called.
  address(unit, parameters) {
    const query = parameters.toString();
    if (unit < 0) return `#${this.section}${query && '?'}${query}`;
    return `#${this.prefix}${encodeURIComponent(this.pool.columns.names[unit])}${query && '?'}${query}`;
  }

  putAddress() {
    history.replaceState(null, '', this.address(this.current, this.parameters()));
  }

  // Filters as an address says them: by the names of systems and documents, so that they can be read and written.
  parameters() {
    const parameters = new URLSearchParams();
    const { systems, documentNames } = this.pool.columns;
    const { search, type, system, verdict, edits, document: essay, least, order } = this.parts;
    if (search.value) parameters.set('search', search.value);
    if (type.value) parameters.set('type', type.value);
    if (system.value in GROUPS) {
      if (system.value !== 'any') parameters.set('systems', system.value);
    } else if (systems.length > 1) parameters.set('system', systems[Number(system.value)]);
    if (verdict.value) parameters.set('verdict', verdict.value);
    if (edits.value) parameters.set('edits', SIZES[Number(edits.value)].join('-').replace('-Infinity', '+'));
    if (essay.value) parameters.set('document', documentNames[Number(essay.value)]);
    if (Number(least.value)) parameters.set('least', least.value);
    if (order.value) parameters.set('order', order.value);
    return parameters;
  }

  setFilters(parameters) {
    const { systems, documentNames } = this.pool.columns;
    const numbered = (names, name) => (names.includes(name) ? String(names.indexOf(name)) : '');
    const wanted = {
      type: parameters.get('type'),
      system: parameters.has('system') ? numbered(systems, parameters.get('system')) : parameters.get('systems'),
      verdict: parameters.get('verdict'),
      edits: sizeOf(parseInt(parameters.get('edits'), 10)),
      document: numbered(documentNames, parameters.get('document')),
      order: parameters.get('order'),
    };
    this.parts.search.value = parameters.get('search') ?? '';
    for (const [part, value] of Object.entries(wanted)) {
      const control = this.parts[part];
      control.selectedIndex = Math.max(0, [...control.options].findIndex((option) => option.value === (value ?? '')));
    }
    this.parts.least.value = String(Number(parameters.get('least')) || 0);
  }

  // Whether the address is one of this browser's; then it is gone to.
  takeAddress() {
    const hash = location.hash.slice(1);
    const filtered = `${this.section}?`;
    if (hash.startsWith(filtered)) return this.open(-1, new URLSearchParams(hash.slice(filtered.length)));
    if (!hash.startsWith(this.prefix) || document.getElementById(hash)) return false;
    const [name, query = ''] = hash.slice(this.prefix.length).split('?');
    let unit = -1;
    try { unit = this.pool.byName.get(decodeURIComponent(name)) ?? -1; } catch { /* not an address of ours */ }
    return unit >= 0 && this.open(unit, new URLSearchParams(query));
  }

  // A unit that its own filters would hide is shown without them.
  open(unit, parameters) {
    this.setFilters(parameters);
    this.search({ keep: unit });
    if (unit >= 0 && !this.found.includes(unit)) {
      this.setFilters(new URLSearchParams());
      this.search({ keep: unit });
    }
    this.enter();
    const card = this.parts.list.querySelector('.current');
    (card || this.element).scrollIntoView({ block: 'start', behavior: 'instant' });
    return true;
  }

  // The focus moves to what was chosen: the sentence, the first of several, or the line that says that there is none.
  enter() {
    const { list, status } = this.parts;
    (list.querySelector('.current') || list.firstElementChild || status).focus({ preventScroll: true });
  }
}

// For charts: go to the units that hold of all that is asked, as { system: 'CAMB', type: 'ArtOrDet', verdict: 'missed' },
// in a section of sentences, which is that of the first browser where none is named. False where there is no such
// section. The way back is the reader's "back", which finds the filters as they were.
const openSentences = (asked, section = browsers[0]?.section) => {
  const browser = browsers.find((each) => each.section === section);
  if (!browser) return false;
  history.replaceState({ section, filters: browser.parameters().toString() }, '');
  location.hash = `#${section}?${new URLSearchParams(asked)}`;
  return true;
};

const browserElements = [...document.querySelectorAll('[data-browser]')];
const browsers = [...document.querySelectorAll('script.browser-data')].map(
  (block, index) => new Browser(browserElements[index], new Pool(JSON.parse(block.textContent)), index + 1),
);
