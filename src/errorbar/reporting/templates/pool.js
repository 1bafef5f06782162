// Data of a sentence browser: the columns that browser_data.py writes, and the questions asked of them.
const VERDICTS = [
  ['', 'any outcome'],
  ['right', 'got everything right'],
  ['found', 'got something right'],
  ['wrong', 'proposed something wrong'],
  ['nothing', 'proposed nothing'],
  ['missed', 'missed something'],
  ['faced', 'had something to find'],
];
const verdictHolds = (verdict, correct, proposed, gold) => {
  switch (verdict) {
    case 'right': return correct === proposed && correct === gold;
    case 'found': return correct > 0;
    case 'wrong': return proposed > correct;
    case 'nothing': return proposed === 0;
    case 'missed': return gold > correct;
    case 'faced': return gold > 0;
    default: return true;
  }
};
class Pool {
  constructor(columns) {
    this.columns = columns;
    this.size = columns.texts.length;
    this.byName = new Map(columns.names.map((name, index) => [name, index]));
    this.haystacks = null;
    this.fates = [];
    this.types = [];
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

  // An error type with what its code means, where that is known.
  spelled(type) {
    const { meanings } = this.columns;
    return Object.hasOwn(meanings, type) ? `${type}: ${meanings[type]}` : type;
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

  // Whether an annotator found an error of a type (its number) in a unit.
  hasType(unit, type) {
    return this.typesIn(unit).includes(type);
  }

  typesIn(unit) {
    this.types[unit] ??= [...new Set([...this.annotated(unit)].map((number) => this.columns.edits[unit][5 * number + 3]))];
    return this.types[unit];
  }

  // Numbers of the edits that a system found and missed in a unit, of the annotator it is scored against.
  fate(unit, system) {
    const at = unit * this.columns.systems.length + system;
    if (!this.fates[at]) this.fates[at] = this.fateOf(unit, system);
    return this.fates[at];
  }

  fateOf(unit, system) {
    const { annotations, proposals, chosen } = this.columns;
    const gold = annotations[unit][chosen[unit][system]] || [];
    const open = new Set(gold);
    const hits = proposals[unit][system].filter((coded) => coded % 3 === 1).map((coded) => Math.floor(coded / 3));
    // The edit that says the same; else, as metrics that see less may match it, one of the same span; else one it touches.
    const same = (mine, theirs) => this.spanOf(unit, mine).join() === this.spanOf(unit, theirs).join();
    const says = (mine, theirs) => same(mine, theirs)
      && this.edit(unit, mine).replacements.every((word) => this.edit(unit, theirs).replacements.includes(word));
    const touches = (mine, theirs) => {
      const [[start, end], [first, last]] = [this.spanOf(unit, mine), this.spanOf(unit, theirs)];
      return start < last && first < end;
    };
    for (const fits of [says, same, touches]) {
      for (let k = hits.length - 1; k >= 0; k -= 1) {
        const hit = gold.find((number) => open.has(number) && fits(hits[k], number));
        if (hit === undefined) continue;
        open.delete(hit);
        hits.splice(k, 1);
      }
    }
    return { found: gold.filter((number) => !open.has(number)), missed: [...open] };
  }

  spanOf(unit, number) {
    const [start, length] = this.columns.edits[unit].slice(5 * number, 5 * number + 2);
    return [start, start + length];
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

  // Whether a system's outcome in a unit is this one; what was found or missed is an edit of the type, if there is one.
  systemHolds(unit, system, verdict, type) {
    const counts = this.columns.counts[unit];
    if (!verdictHolds(verdict, counts[3 * system], counts[3 * system + 1], counts[3 * system + 2])) return false;
    if (type === null) return true;
    if (verdict === 'found' || verdict === 'missed' || verdict === 'faced') {
      const { found, missed } = this.fate(unit, system);
      const asked = { found, missed, faced: [...found, ...missed] }[verdict];
      return asked.some((number) => this.columns.edits[unit][5 * number + 3] === type);
    }
    return this.hasType(unit, type);
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

  // How far the best and the worst system are apart (F1 of the unit), then how much the best gets right: one that rightly
  // leaves a text alone shows less. With one system, or none, how much is missed or made in vain.
  telling(unit) {
    const counts = this.columns.counts[unit];
    let [best, worst, failed] = [-1, 2, 0];
    for (let at = 0; at < counts.length; at += 3) {
      const [correct, proposed, gold] = counts.slice(at, at + 3);
      const f = proposed + gold ? (2 * correct) / (proposed + gold) : 1;
      [best, worst] = [Math.max(best, f + correct / 1e6), Math.min(worst, f)];
      failed += proposed + gold - 2 * correct;
    }
    if (counts.length > 3) return best - worst;
    return counts.length ? failed : this.disagreement(unit) ?? 0;
  }

  // Numbers of edits of the annotator who made most.
  mostEdits(unit) {
    return Math.max(0, ...this.columns.annotations[unit].map((numbers) => (numbers || []).length));
  }

  // Units in the order asked for; equals stay in corpus order, as Array.sort is stable.
  sorted(units, order) {
    if (order === '') {
      const telling = new Map(units.map((unit) => [unit, this.telling(unit)]));
      units.sort((a, b) => telling.get(b) - telling.get(a));
    }
    const differ = (unit) => this.disagreement(unit) ?? -1;
    if (order === 'differ') units.sort((a, b) => differ(b) - differ(a));
    if (order === 'agree') units.sort((a, b) => (this.disagreement(a) ?? 2) - (this.disagreement(b) ?? 2));
    if (order === 'hard') units.sort((a, b) => this.ease(a) - this.ease(b));
    if (order === 'long') units.sort((a, b) => this.columns.texts[b].length - this.columns.texts[a].length);
    return units;
  }
}
