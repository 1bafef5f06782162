// The units that filters left, as files: CSV for people, JSONL with everything, M2 of sentences for scorers.
const STARTS_FORMULA = /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/;
const IS_NUMBER = /^[+-]?(\d[\d,]*(\.\d*)?|\.\d+)([eE][+-]?\d+)? ?%?$/;
// A spreadsheet runs what looks like a formula: an apostrophe before it keeps it a text, as in errorbar's other tables.
const inert = (text) => (STARTS_FORMULA.test(text) && text.length > 1 && !IS_NUMBER.test(text) ? `'${text}` : text);
const csvCell = (value) => {
  const text = typeof value === 'string' ? inert(value) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
// The mark at the start tells spreadsheets that the letters are Unicode.
const csvText = (rows) => `\ufeff${rows.map((row) => `${row.map(csvCell).join(',')}\n`).join('')}`;

// Edits with the places that files have: words of sentences, characters (not code units) of other texts.
class Exporter {
  constructor(pool) {
    this.pool = pool;
    this.inWords = pool.columns.unit === 'sentence';
    this.asides = new Map(pool.columns.asides.map(([unit, annotator, at, ...said]) => [`${unit} ${annotator} ${at}`, said]));
  }

  placed(unit, { start, end, replacements, type, optional }) {
    const text = this.pool.columns.texts[unit];
    const words = (offset) => text.slice(0, offset).split(' ').length - 1;
    const made = { start: [...text.slice(0, start)].length, end: [...text.slice(0, end)].length };
    if (this.inWords) {
      // One space is between two words; what stands after the last word stands where another one would begin.
      made.start = start === text.length && start ? words(start) + 1 : words(start);
      made.end = start === end ? made.start : words(end) + 1;
    }
    return { ...made, original: text.slice(start, end), replacements, type, optional };
  }

  // An annotator's edits as they were written, which of unclear ones is more than is shown; null: did not look.
  annotation(unit, annotator) {
    const edits = this.pool.annotation(unit, annotator);
    return edits && edits.map((edit, at) => {
      const [comment = '', group = '', written = null] = this.asides.get(`${unit} ${annotator} ${at}`) || [];
      return { ...this.placed(unit, edit), ...(written && { replacements: written }), comment, group };
    });
  }

  // What a system did: its edits, right and wrong, and those of the annotator it is scored against that it missed.
  system(unit, system) {
    const { annotators, chosen } = this.pool.columns;
    const [right, proposed, gold] = this.pool.counts(unit, system);
    const verdict = (matched) => (matched === null ? '' : matched ? 'right' : 'wrong');
    return {
      against: annotators[chosen[unit][system]] ?? '',
      right,
      wrong: proposed - right,
      missed: gold - right,
      edits: this.pool.proposal(unit, system).map((edit) => ({ ...this.placed(unit, edit), verdict: verdict(edit.matched) })),
      missed_edits: this.pool.fate(unit, system).missed.map((number) => this.placed(unit, this.pool.edit(unit, number))),
    };
  }

  csv(units) {
    const { names, texts, annotators, systems } = this.pool.columns;
    const place = this.inWords ? ['start_word', 'end_word'] : ['start_character', 'end_character'];
    const rows = [[this.pool.columns.unit, 'document', 'text', 'who', 'name', 'against', 'verdict', ...place, 'original', 'corrections', 'type', 'optional', 'comment']];
    for (const unit of units) {
      const add = (who, name, against, verdict, edit) => rows.push([
        names[unit], this.pool.document(unit), texts[unit], who, name, against, verdict,
        ...(edit ? [edit.start, edit.end, edit.original, edit.replacements.join(' || '), edit.type, edit.optional ? 'yes' : 'no', edit.comment ?? ''] : Array(7).fill('')),
      ]);
      annotators.forEach((name, index) => {
        const edits = this.annotation(unit, index);
        if (!edits || !edits.length) add('annotator', name, '', edits ? 'no error found' : 'did not look');
        for (const edit of edits || []) add('annotator', name, '', '', edit);
      });
      systems.forEach((name, index) => {
        const { against, edits, missed_edits: missed } = this.system(unit, index);
        if (!edits.length && !missed.length) add('system', name, against, 'proposed nothing');
        for (const edit of edits) add('system', name, against, edit.verdict, edit);
        for (const edit of missed) add('system', name, against, 'missed', edit);
      });
    }
    return { text: csvText(rows), notes: [] };
  }

  // Of sentences the format that errorbar reads as a reference, with the systems beside it.
  jsonl(units) {
    const { unit: noun, names, texts, annotators, systems } = this.pool.columns;
    const brief = ({ original, optional, type, comment, group, ...edit }) => ({
      ...edit, ...Object.fromEntries(Object.entries({ type, optional, comment, group }).filter(([, value]) => value)),
    });
    const named = (all, made) => Object.fromEntries(all.map((name, index) => [name, made(index)]).filter(([, value]) => value));
    const lines = units.map((unit) => ({
      name: names[unit],
      text: texts[unit],
      ...(this.pool.document(unit) && { document: this.pool.document(unit) }),
      annotations: named(annotators, (index) => this.annotation(unit, index)?.map(brief)),
      systems: named(systems, (index) => {
        const { edits, missed_edits: missed, ...counts } = this.system(unit, index);
        return { ...counts, edits: edits.map(brief), missed_edits: missed.map(brief) };
      }),
    }));
    const header = { format: noun === 'sentence' ? 'errorbar-corpus' : 'errorbar-texts', version: 1, annotators };
    return { text: [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''), notes: [] };
  }

  // Annotators whose names are numbers keep them; others get the free ones, in the order that decides ties.
  m2Numbers() {
    const taken = new Set();
    return this.pool.columns.annotators.map((name) => {
      let number = name;
      if (!/^\p{Nd}+$/u.test(name) || taken.has(name)) for (number = 0; taken.has(String(number)); number += 1);
      taken.add(String(number));
      return String(number);
    });
  }

  m2(units) {
    const { texts, annotators } = this.pool.columns;
    const numbers = this.m2Numbers();
    let unknown = 0;
    const plain = (text, separator) => {
      const whole = text.includes(separator) || /[\r\n]/.test(text);
      return (whole ? text.replaceAll(separator, ' ').split(/\s+/).filter(Boolean).join(' ') : text).replace(/^\|+|\|+$/g, '');
    };
    const line = (edit, number) => {
      let { replacements } = edit;
      if (!replacements.length && edit.type === 'UNK' && edit.end > edit.start) replacements = [edit.original];
      unknown += !replacements.length;
      const several = replacements.length > 1;
      const correction = replacements.map((text) => plain(text, '||') || (several ? '-NONE-' : '')).join('||');
      const need = edit.optional ? 'OPTIONAL' : 'REQUIRED';
      return `A ${edit.start} ${edit.end}|||${plain(edit.type, '|||')}|||${correction}|||${need}|||${plain(edit.comment, '|||') || '-NONE-'}|||${number}\n`;
    };
    const blocks = units.map((unit) => `S ${texts[unit]}\n${annotators.map((_, index) => {
      const edits = this.annotation(unit, index);
      if (!edits) return '';
      if (!edits.length) return `A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||${numbers[index]}\n`;
      return edits.map((edit) => line(edit, numbers[index])).join('');
    }).join('')}\n`);
    const renamed = annotators.map((name, index) => [numbers[index], name]).filter(([number, name]) => number !== name);
    const notes = renamed.length ? [`M2 numbers its annotators: ${renamed.map((pair) => pair.join(' = ')).join(', ')}.`] : [];
    if (unknown) notes.push(`M2 cannot hold unknown corrections; ${nouns(unknown, 'edit')} written as deletions.`);
    return { text: blocks.join(''), notes };
  }
}
