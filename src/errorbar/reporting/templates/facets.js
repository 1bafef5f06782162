// Filters: which units they leave, and how many each choice of one filter would leave beside all the others.
// Whom an outcome is asked of where it is of no single system.
const GROUPS = { any: 'some system', every: 'every system', no: 'no system' };
const SIZES = [[0, 0], [1, 1], [2, 2], [3, 5], [6, 10], [11, 20], [21, Infinity]];
const sizeOf = (n) => String(SIZES.findIndex(([low, high]) => n >= low && n <= high));
const sizeText = ([low, high]) => (low === high ? String(low) : high === Infinity ? `${low} or more` : `${low}–${high}`);

class Counter {
  constructor() { this.counts = new Map(); }

  add(key) { this.counts.set(key, this.of(key) + 1); }

  of(key) { return this.counts.get(key) ?? 0; }
}

const groupHolds = (who, n, all) => (who === 'any' ? n > 0 : who === 'no' ? n === 0 : n === all);

// Whether a unit has the outcome: of a system by its number, or of a group of them.
const outcomeHolds = (pool, unit, who, verdict, type) => {
  if (type !== null && !pool.hasType(unit, type)) return false;
  if (!verdict) return true;
  if (!(who in GROUPS)) return pool.systemHolds(unit, Number(who), verdict, type);
  const all = pool.columns.systems.length;
  let n = 0;
  for (let system = 0; system < all; system += 1) n += pool.systemHolds(unit, system, verdict, type);
  return groupHolds(who, n, all);
};

// The units that filters leave, and counters of what each value of a filter would leave.
const survey = (pool, filters) => {
  const { systems, documents, types } = pool.columns;
  const query = filters.search.trim().toLowerCase();
  const type = filters.type === '' ? null : types.indexOf(filters.type);
  const found = [];
  const counters = Object.fromEntries(['document', 'edits', 'type', 'system', 'verdict', 'cell'].map((name) => [name, new Counter()]));
  const countOutcomes = (unit) => {
    const { system, verdict } = filters;
    for (const each of [null, ...pool.typesIn(unit)]) {
      if (outcomeHolds(pool, unit, system, verdict, each)) counters.type.add(each);
    }
    for (const [value] of VERDICTS) if (outcomeHolds(pool, unit, system, value, type)) counters.verdict.add(value);
    if (type !== null && !pool.hasType(unit, type)) return;
    let n = 0;
    for (let at = 0; at < systems.length; at += 1) {
      for (const [value] of VERDICTS) {
        if (!pool.systemHolds(unit, at, value, type)) continue;
        counters.cell.add(`${at} ${value}`);
        if (value !== verdict) continue;
        n += 1;
        counters.system.add(String(at));
      }
    }
    for (const who of Object.keys(GROUPS)) if (!verdict || groupHolds(who, n, systems.length)) counters.system.add(who);
  };
  for (let unit = 0; unit < pool.size; unit += 1) {
    if (filters.least > 0 && !(pool.disagreement(unit) >= filters.least)) continue;
    if (query && !pool.haystack(unit).includes(query)) continue;
    const essay = String(documents[unit]);
    const size = sizeOf(pool.mostEdits(unit));
    const inDocument = filters.document === '' || filters.document === essay;
    const inSize = filters.edits === '' || filters.edits === size;
    const outcome = outcomeHolds(pool, unit, filters.system, filters.verdict, type);
    if (outcome && inSize) counters.document.add(essay);
    if (outcome && inDocument) counters.edits.add(size);
    if (inDocument && inSize) countOutcomes(unit);
    if (outcome && inDocument && inSize) found.push(unit);
  }
  return { found: pool.sorted(found, filters.order), counters };
};
