// Data of a sentence browser: the columns that browser_data.py writes, and the questions asked of them.
const OUTCOMES = [
  ['', 'any outcome'],
  ['right', 'got everything right'],
  ['some', 'got something right'],
  ['wrong', 'proposed something wrong'],
  ['nothing', 'proposed nothing'],
  ['missed', 'missed something'],
];
const outcomeHolds = (outcome, correct, proposed, gold) => {
  switch (outcome) {
    case 'right': return correct === proposed && correct === gold;
    case 'some': return correct > 0;
    case 'wrong': return proposed > correct;
    case 'nothing': return proposed === 0;
    case 'missed': return gold > correct;
    default: return true;
  }
};

class Pool {
  constructor(columns) {
    this.columns = columns;
    this.size = columns.texts.length;
    this.byName = new Map(columns.names.map((name, index) => [name, index]));
    this.haystacks = null;
  }

  // An edit as an object, from its number within a unit.
  edit(unit, number, matched = null) {
    const [start, length, replacements, type, optional] = this.columns.edits[unit].slice(5 * number, 5 * number + 5);
    return {
      start,
      end: start + length,
      replacements: this.columns.replacements[replacements].map((word) => this.columns.words[word]),
      type: this.columns.types[type],
      optional: optional === 1,
      matched,
    };
  }

  annotation(unit, annotator) {
    const numbers = this.columns.annotations[unit][annotator];
    return numbers === 0 ? null : numbers.map((number) => this.edit(unit, number));
  }

  proposal(unit, system) {
    return this.columns.proposals[unit][system].map(
      (coded) => this.edit(unit, Math.floor(coded / 3), [null, true, false][coded % 3]),
    );
  }

  counts(unit, system) {
    return this.columns.counts[unit].slice(3 * system, 3 * system + 3);
  }

  disagreement(unit) {
    return this.columns.disagreement[unit];
  }

  document(unit) {
    return this.columns.documentNames[this.columns.documents[unit]];
  }

  // Numbers of the edits that annotators made, each once.
  annotated(unit) {
    return new Set(this.columns.annotations[unit].flatMap((numbers) => numbers || []));
  }

  // Error types with the number of units in which an annotator found one, most frequent first.
  typeCounts() {
    const counts = new Map();
    for (let unit = 0; unit < this.size; unit += 1) {
      const found = new Set([...this.annotated(unit)].map((number) => this.columns.edits[unit][5 * number + 3]));
      for (const type of found) counts.set(type, (counts.get(type) || 0) + 1);
    }
    return [...counts].map(([type, count]) => [this.columns.types[type], count])
      .filter(([type]) => type !== '').sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  // What a search looks through: the text and every replacement, in lower case, made at the first search.
  haystack(unit) {
    if (!this.haystacks) {
      const { words, replacements, edits, texts } = this.columns;
      this.haystacks = texts.map((text, index) => {
        const parts = [text];
        for (let at = 2; at < edits[index].length; at += 5) {
          for (const word of replacements[edits[index][at]]) parts.push(words[word]);
        }
        return parts.join('\n').toLowerCase();
      });
    }
    return this.haystacks[unit];
  }

  outcomeMatches(unit, who, outcome) {
    if (!outcome) return true;
    const counts = this.columns.counts[unit];
    const holds = (system) => outcomeHolds(outcome, counts[3 * system], counts[3 * system + 1], counts[3 * system + 2]);
    if (who === 'any' || who === 'every' || who === 'no') {
      let n = 0;
      for (let system = 0; system < this.columns.systems.length; system += 1) n += holds(system);
      return who === 'any' ? n > 0 : who === 'no' ? n === 0 : n === this.columns.systems.length;
    }
    return holds(Number(who));
  }

  // Share of reference edits that systems got, for the order "hardest first"; nothing to get counts as easy.
  ease(unit) {
    const counts = this.columns.counts[unit];
    let correct = 0;
    let gold = 0;
    for (let at = 0; at < counts.length; at += 3) {
      correct += counts[at];
      gold += counts[at + 2];
    }
    return gold ? correct / gold - gold / 1e6 : 2;
  }

  // Numbers of the units that filters leave, in the order asked for.
  find(filters) {
    const query = filters.q.trim().toLowerCase();
    const type = filters.type ? this.columns.types.indexOf(filters.type) : -2;
    const found = [];
    for (let unit = 0; unit < this.size; unit += 1) {
      if (filters.document !== '' && this.columns.documents[unit] !== Number(filters.document)) continue;
      if (filters.least > 0 && !(this.disagreement(unit) >= filters.least)) continue;
      if (!this.outcomeMatches(unit, filters.who, filters.outcome)) continue;
      if (type > -2 && ![...this.annotated(unit)].some((n) => this.columns.edits[unit][5 * n + 3] === type)) continue;
      if (query && !this.haystack(unit).includes(query)) continue;
      found.push(unit);
    }
    // Array.sort is stable: equals stay in corpus order.
    const differ = (unit) => this.disagreement(unit) ?? -1;
    if (filters.order === 'differ') found.sort((a, b) => differ(b) - differ(a));
    if (filters.order === 'agree') found.sort((a, b) => (this.disagreement(a) ?? 2) - (this.disagreement(b) ?? 2));
    if (filters.order === 'hard') found.sort((a, b) => this.ease(a) - this.ease(b));
    if (filters.order === 'long') found.sort((a, b) => this.columns.texts[b].length - this.columns.texts[a].length);
    return found;
  }
}
