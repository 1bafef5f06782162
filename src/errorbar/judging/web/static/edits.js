// The field of a question about edits: words and the gaps between them as cells that one walks through by key, a form
// for what belongs there, the corrected text as it becomes, and a card for each edit.

import { announce, button, byId, keycap, make } from './dom.js';
import { say } from './phrases.js';
import { QuestionKind } from './question_kind.js';
import { QUESTION_KINDS } from './question_kinds.js';
import { TypeInput } from './types.js';

/**
 * @typedef {{start: number, end: number, corrections: string[], type?: string, optional?: boolean, group?: string,
 *   note?: string, pending?: boolean}} Edit
 * @typedef {{mode: 'words' | 'alternative' | 'note' | 'type', start: number, end: number, index: number, text: string,
 *   typing: boolean}} Form what is being written: of the edit of that index, or of a new one (-1); typing: its type
 */

const LONGEST = 500; // characters of a correction or a note, as the server takes them
const MOST = 9; // corrections of an edit
const UNCLEAR = 'Um'; // the type of what is wrong without anybody knowing what is meant: nothing is corrected
// What the server takes for white space: not all that \s is here.
const SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const PIECES = new RegExp(`(${SPACE}+)`);
const SPACES = new RegExp(`${SPACE}+`);

/**
 * Where somebody was in a text, which stays when the questions are built anew, and how its edited cells look.
 * @type {WeakMap<Element, {anchor: number, cursor: number, looks: Map<number, string>}>}
 */
const places = new WeakMap();

/** @param {string} text @returns {string} with single spaces, as edits are stored */
const tidy = (text) => text.normalize('NFC').split(SPACES).filter(Boolean).join(' ');

/** @param {Edit} one @param {{start: number, end: number}} other @returns {boolean} whether they cannot both be made */
const clash = (one, other) => (one.start < other.end && other.start < one.end) || (one.start === other.start && one.end === other.end && one.start < one.end)
  || (one.start === one.end && other.start < one.start && one.start < other.end) || (other.start === other.end && one.start < other.start && other.start < one.end);

/** Edits of one text. */
class EditsField {
  /**
   * @param {import('./panel.js').Panel} panel
   * @param {import('./draft.js').Question} question
   * @param {HTMLElement} field
   * @param {import('./draft.js').Draft} draft
   */
  constructor(panel, question, field, draft) {
    Object.assign(this, { panel, question, field, draft });
    this.text = /** @type {HTMLElement} */ (panel.view.article.querySelector('.cells'));
    this.#cut();
    const first = Math.min(1, this.cells.length - 1);
    this.place = places.get(this.text) ?? { anchor: first, cursor: first, looks: new Map() };
    places.set(this.text, this.place);
    /** Edit whose buttons are shown; -1: none. */
    this.open = -1;
    /** Edit to which the next one is linked; -1: none. */
    this.linking = -1;
    /** The card that the rater must see before they save; -1: none. */
    this.due = -1;
    this.known = '';
    /** Cards by what they show: those of edits that stay as they are stay on the page. @type {Map<string, HTMLElement>} */
    this.cards = new Map();
    this.#build();
    /** @type {Form | null} */
    this.form = null;
    const kept = draft.typed[question.id];
    if (kept) this.#write(JSON.parse(kept), false);
    this.#listen();
    this.#mark();
  }

  // --- what the panel asks for ---------------------------------------------------------------------------------------

  /** @returns {HTMLElement} where one goes on */
  get input() {
    if (this.form) return this.form.typing ? this.types.input : this.words;
    const due = this.due >= 0 ? this.#card(this.due) : null;
    this.due = -1;
    return due ?? this.cells[this.place.cursor];
  }

  /** @returns {boolean} whether nothing is half written */
  add() {
    if (this.form) {
      this.#enter();
      return !this.form;
    }
    this.due = this.edits.findIndex((edit) => edit.pending);
    return true;
  }

  /** Show the edits that the draft has. */
  show() {
    const now = JSON.stringify([this.draft.answer[this.question.id], this.open, this.linking]);
    if (now === this.known) return;
    this.known = now;
    const focused = this.list.contains(document.activeElement) ? this.open : -1;
    this.#showText();
    this.#showCorrected();
    this.#showCards();
    this.none.setAttribute('aria-pressed', String(Array.isArray(this.draft.answer[this.question.id]) && !this.edits.length));
    if (focused < 0) return;
    this.#stand(focused);
    (this.#card(focused) ?? this.cells[this.place.cursor]).focus();
  }

  /** @returns {Edit[]} in text order */
  get edits() {
    return this.draft.answer[this.question.id] ?? [];
  }

  // --- building ------------------------------------------------------------------------------------------------------

  /** Cut the text into cells: gap 0, word 0, gap 1, and so on. */
  #cut() {
    const { text } = this;
    if (!text.dataset.cut) {
      const pieces = (text.textContent ?? '').split(PIECES); // words at even places, white space at odd ones
      const cell = (name, number, content) => make('span', { role: 'gridcell', [`data-${name}`]: number }, content);
      const row = make('div', { role: 'row' });
      const words = pieces.filter((piece, n) => n % 2 === 0 && piece);
      const gap = (number) => (number === 0 && pieces[0] ? '' : pieces[2 * number + (pieces[0] ? -1 : 1)] ?? '');
      words.forEach((word, number) => row.append(cell('gap', number, gap(number)), cell('token', number, word)));
      row.append(cell('gap', words.length, ''));
      text.replaceChildren(row);
      text.setAttribute('role', 'grid');
      text.setAttribute('aria-label', say('The text: words and the gaps between them'));
      text.dataset.cut = 'true';
    }
    this.cells = /** @type {HTMLElement[]} */ ([...(text.firstElementChild?.children ?? [])]);
    this.tokens = this.cells.filter((_, n) => n % 2 === 1).map((cell) => cell.textContent ?? '');
  }

  #build() {
    const { question } = this;
    this.corrected = make('p', { class: 'corrected', dir: 'auto', tabindex: '0', lang: this.panel.view.article.lang || undefined });
    this.about = make('span', { class: 'edit-about', dir: 'auto' });
    this.words = make('input', {
      type: 'text', id: `words-${question.id}`, autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false', dir: 'auto', enterkeyhint: 'next',
    });
    this.label = make('label', { for: this.words.id });
    this.types = new TypeInput(question, this.panel.on, (type) => this.#enter(type), () => this.#backToWords());
    this.box = make('div', { class: 'edit-form', hidden: true }, make('p', {}, this.about), this.label, this.words, this.types.box);
    this.none = button(say('No error'), () => this.#sayNone(), { class: 'button small quiet', 'aria-pressed': 'false', id: 'no-error' });
    this.none.prepend(keycap('0'), ' ');
    const tools = make('p', { class: 'row' },
      this.#tool(say('Change the words'), ' ', () => this.#change()),
      this.#tool(say('Take the words away'), 'Delete', () => this.#remove()), this.none);
    this.list = make('ol', { class: 'edit-list', 'aria-label': say('Edits') });
    const around = make('div', {}, this.box); // what comes and goes in a fieldset itself lets browsers style all of it anew
    this.field.append(make('p', { class: 'small muted' }, say('Corrected:')), this.corrected, around, tools, this.list);
  }

  #tool(words, key, act) {
    const tool = button(words, act, { class: 'button small quiet' });
    tool.prepend(keycap(key), ' ');
    return tool;
  }

  #listen() {
    // As properties, so that the text, which outlives this field, has one of each.
    this.text.onkeydown = (event) => this.#keyInText(event);
    this.text.onclick = (event) => this.#click(event);
    this.text.ondblclick = () => this.#change();
    this.text.onpaste = (event) => this.#paste(event);
    this.text.onfocus = null;
    this.words.addEventListener('input', () => this.#keep());
    this.words.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key === 'Enter') {
        event.preventDefault();
        if (!event.repeat) this.#enter();
      } else if (event.key === 'Escape') this.#give(event);
    });
    this.list.addEventListener('keydown', (event) => this.#keyAtCard(event));
    this.list.addEventListener('focusin', (event) => this.#openCard(event));
  }

  // --- walking through the text --------------------------------------------------------------------------------------

  /** @returns {{start: number, end: number}} what is marked: tokens, or a gap */
  #span() {
    const [first, last] = [this.place.anchor, this.place.cursor].sort((a, b) => a - b);
    if (first === last && first % 2 === 0) return { start: first / 2, end: first / 2 };
    return { start: Math.floor(first / 2), end: Math.ceil(last / 2) };
  }

  /** @param {{start: number, end: number}} span */
  #original(span) {
    return this.tokens.slice(span.start, span.end).join(' ');
  }

  /** @param {number} cell @param {boolean} extend whether what is marked grows up to there */
  #go(cell, extend = false) {
    const to = Math.min(Math.max(cell, 0), this.cells.length - 1);
    this.place.cursor = to;
    if (!extend) this.place.anchor = to;
    this.#mark();
    this.cells[to].focus();
  }

  /** Show what is marked; one cell alone can be reached by Tab. */
  #mark() {
    const { start, end } = this.#span();
    for (const cell of this.text.querySelectorAll('[tabindex], [aria-selected]')) {
      for (const name of ['tabindex', 'aria-selected', 'aria-label']) cell.removeAttribute(name);
    }
    for (let token = start; token < end; token += 1) this.cells[2 * token + 1].setAttribute('aria-selected', 'true');
    const cell = this.cells[this.place.cursor];
    cell.setAttribute('tabindex', '0');
    if (start === end) cell.setAttribute('aria-selected', 'true');
    const next = this.tokens[start];
    if (this.place.cursor % 2 === 0) cell.setAttribute('aria-label', next === undefined ? say('gap at the end') : say('gap before {word}', { word: next }));
  }

  /** @param {KeyboardEvent} event */
  #keyInText(event) {
    if (event.isComposing || event.altKey) return;
    const { cursor } = this.place;
    const towards = { ArrowRight: 1, ArrowLeft: -1 }[event.key] * (this.panel.view.rightToLeft ? -1 : 1);
    const chord = event.ctrlKey || event.metaKey;
    if (chord && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) this.#nextCard(event.key === 'ArrowDown' ? 1 : -1);
    else if (towards) this.#go(cursor + towards * (event.shiftKey || chord ? (cursor % 2 ? 2 : 1) : 1), event.shiftKey);
    else if (event.key === 'Home' || event.key === 'End') this.#go(event.key === 'Home' ? 0 : this.cells.length - 1, event.shiftKey);
    else if (chord) return;
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') this.#goToLine(event.key === 'ArrowDown' ? 1 : -1, event.shiftKey);
    else if (event.key === 'Delete' || event.key === 'Backspace') this.#remove();
    else if (event.key === ' ' || event.key === 'F2') this.#change();
    else if (event.key === 'Escape') this.panel.view.article.focus({ preventScroll: true });
    else if (event.key === '0' && !this.edits.length) this.#sayNone();
    else if (event.key.length === 1 || event.key === 'Process') {
      event.stopPropagation(); // no key of the frame: it is the first letter of a correction, and goes into the form
      if (!this.#start('')) event.preventDefault();
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the cell above or below. */
  #goToLine(by, extend) {
    const from = this.cells[this.place.cursor].getBoundingClientRect();
    const middle = (from.left + from.right) / 2;
    let line = null;
    let best = this.place.cursor;
    for (let cell = this.place.cursor + by; cell >= 0 && cell < this.cells.length; cell += by) {
      const box = this.cells[cell].getBoundingClientRect();
      if (!box.width || Math.abs(box.top - from.top) < from.height / 2) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) >= from.height / 2) break;
      if (best === this.place.cursor || Math.abs((box.left + box.right) / 2 - middle) < distance(this.cells[best], middle)) best = cell;
    }
    this.#go(best, extend);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const cell = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('[role=gridcell]'));
    if (cell) this.#go(this.cells.indexOf(cell), event.shiftKey);
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    event.preventDefault();
    this.#start(event.clipboardData?.getData('text/plain') ?? '');
  }

  // --- writing -------------------------------------------------------------------------------------------------------

  /** Change the words at the place that is marked: those of its edit, else those of the text. */
  #change() {
    const span = this.#span();
    const edit = this.edits.find((each) => each.start === span.start && each.end === span.end);
    this.#start(edit ? edit.corrections[0] : this.#original(span), true);
  }

  /**
   * Write what belongs at the place that is marked. What is typed into a gap comes beside what was put in there before.
   * @param {string} text to begin with
   * @param {boolean} change whether an edit of a gap is changed
   * @returns {boolean} whether one can
   */
  #start(text, change = false) {
    const span = this.#span();
    const isGap = span.start === span.end;
    const index = isGap && !change ? -1 : this.edits.findIndex((edit) => edit.start === span.start && edit.end === span.end);
    if (index < 0 && !this.#isFree(span)) return false;
    this.#write({ mode: 'words', ...span, index, text, typing: false });
    return true;
  }

  /** @param {{start: number, end: number}} span @returns {boolean} whether no edit is in the way; if one is, it is said */
  #isFree(span) {
    const other = this.edits.findIndex((edit) => clash(edit, span));
    if (other < 0) return true;
    this.panel.on.complain(say('Edit {number} ({words}) is in the way: change it, or take it away first.',
      { number: other + 1, words: this.#inWords(this.edits[other]) }));
    return false;
  }

  /** @param {Form} form @param {boolean} focus */
  #write(form, focus = true) {
    this.form = form;
    const names = { words: say('Correction'), alternative: say('Another correction'), note: say('Note'), type: say('Correction') };
    this.label.textContent = names[form.mode];
    this.about.textContent = form.start === form.end ? say('In the gap before {word}', { word: this.tokens[form.start] ?? '⏎' }) : this.#original(form);
    this.words.value = form.text;
    this.words.hidden = form.typing;
    this.label.hidden = form.typing;
    this.types.show(form.typing);
    this.box.hidden = false;
    this.panel.on.complain('');
    if (focus) {
      this.input.focus();
      this.#keep();
    }
  }

  /** Keep what is half written, also over a reload. */
  #keep() {
    if (this.form) this.form.text = this.words.value;
    this.panel.on.type(this.question, this.form ? JSON.stringify(this.form) : '');
  }

  /** @param {Event} event what was half written is given up */
  #give(event) {
    event.stopPropagation();
    event.preventDefault();
    this.#close();
    this.cells[this.place.cursor].focus();
  }

  #close() {
    this.form = null;
    this.box.hidden = true;
    this.panel.on.complain('');
    this.#keep();
  }

  #backToWords() {
    const { form } = this;
    if (form.mode === 'type') {
      this.#close();
      this.#card(form.index)?.focus();
    } else this.#write({ ...form, typing: false });
  }

  /** @param {string} [type] that was chosen */
  #enter(type) {
    const { form } = this;
    const before = form.index < 0 ? null : this.edits[form.index];
    const text = tidy(form.typing ? form.text : this.words.value);
    const problem = form.mode === 'type' ? '' : this.#problem(form, text, before);
    if (problem) {
      this.panel.on.complain(problem);
      return;
    }
    const known = type ?? before?.type;
    const needsType = form.mode !== 'note' && this.question.types.length > 0 && !known;
    if (needsType) {
      if (form.typing) this.types.choose();
      else this.#write({ ...form, text, typing: true });
      return;
    }
    /** @type {Edit} */
    const edit = { ...(before ?? { start: form.start, end: form.end, corrections: [] }), ...(known ? { type: known } : {}) };
    delete edit.pending;
    if (form.mode === 'words') edit.corrections = [text, ...edit.corrections.slice(1).filter((each) => each !== text)];
    else if (form.mode === 'alternative') edit.corrections = [...edit.corrections, text];
    else if (form.mode === 'note') edit.note = text;
    if (edit.note === '') delete edit.note;
    this.#close();
    this.#put(form.index, edit);
    if (form.mode === 'words' && !before?.pending) this.#go(edit.start === edit.end ? 2 * edit.end : 2 * edit.end - 1);
    else this.#goOn(this.edits.findIndex((each) => each.start === edit.start && each.end === edit.end), before?.pending);
  }

  /** @returns {string} why a text will not do; empty: it will */
  #problem(form, text, before) {
    if ([...text].length > LONGEST) {
      return say('At most {most} characters, and these are {n}. Mark the words that are wrong, and write what replaces them.', { most: LONGEST, n: [...text].length });
    }
    if (form.mode === 'note') return '';
    if (form.start === form.end && !text) return say('Write what belongs into the gap.');
    if (this.edits.some((edit, n) => n !== form.index && edit.start === form.start && edit.end === form.end && edit.corrections.includes(text))) {
      return say('This correction is there already.');
    }
    if (text === this.#original(form)) return say('That is what the text has: nothing would change.');
    if (form.mode === 'alternative' && before.corrections.includes(text)) return say('This correction is there already.');
    return '';
  }

  /** Take away what is marked; in a gap, what was put in there. */
  #remove() {
    const span = this.#span();
    const index = this.edits.findIndex((edit) => edit.start === span.start && edit.end === span.end);
    if (index >= 0) this.#drop(index);
    else if (span.start === span.end) this.panel.on.complain(say('There is nothing to take away in a gap.'));
    else if (this.#isFree(span)) {
      this.#write({ mode: 'words', ...span, index: -1, text: '', typing: false }, false);
      this.#enter();
      if (this.form) this.#keep();
    }
  }

  // --- edits ---------------------------------------------------------------------------------------------------------

  /** @param {Edit[]} edits */
  #set(edits) {
    const members = (group) => edits.filter((edit) => edit.group === group).length;
    const whole = edits.map((edit) => (edit.group && members(edit.group) < 2 ? without(edit, 'group') : edit));
    this.panel.on.set(this.question, whole.length ? whole.sort((a, b) => a.start - b.start || a.end - b.end) : undefined);
  }

  /** @param {number} index -1: a new one @param {Edit} edit */
  #put(index, edit) {
    this.#set(index < 0 ? [...this.edits, edit] : this.edits.map((each, n) => (n === index ? edit : each)));
    announce(this.#inWords(edit));
  }

  /** @param {number} index */
  #drop(index) {
    const [edit, byCard] = [this.edits[index], this.list.contains(document.activeElement)];
    this.linking = -1;
    this.#set(this.edits.filter((_, n) => n !== index));
    announce(say('Taken away: {words}', { words: this.#inWords(edit) }));
    if (byCard) this.#goOn(Math.min(index, this.edits.length - 1), edit.pending);
  }

  #sayNone() {
    if (this.edits.length) {
      this.panel.on.complain(say('There are edits: take them away first.'));
      return;
    }
    this.panel.on.set(this.question, []);
    announce(say('No error'));
    this.cells[this.place.cursor].focus();
  }

  /** After a card: the next edit to decide on, else this card, else the text. */
  #goOn(index, wasPending = false) {
    const next = wasPending ? this.edits.findIndex((edit) => edit.pending) : index;
    const card = this.#card(next);
    if (card) card.focus();
    else this.cells[this.place.cursor].focus();
  }

  /** @param {Edit} edit */
  #inWords(edit) {
    const corrections = edit.corrections.map((text) => text || '∅').join(' / ');
    return `${this.#original(edit) || '∅'} → ${corrections}${edit.type ? ` (${edit.type})` : ''}`;
  }

  /** Only cells that look otherwise than before are touched: a long text is not laid out anew for each edit. */
  #showText() {
    /** @type {Map<number, string>} */
    const looks = new Map();
    this.edits.forEach((edit, index) => {
      const [first, last] = edit.start === edit.end ? [2 * edit.start, 2 * edit.start] : [2 * edit.start + 1, 2 * edit.end - 1];
      const look = `edited${edit.pending ? ' pending' : ''}${edit.start < edit.end ? ' taken' : ''}`;
      for (let cell = first; cell <= last; cell += 1) looks.set(cell, cell === last ? `${look}|${index + 1}` : look);
    });
    const before = this.place.looks;
    for (const number of new Set([...before.keys(), ...looks.keys()])) {
      const look = looks.get(number) ?? '';
      if (before.get(number) === look) continue;
      const cell = this.cells[number];
      const [names, edit] = look.split('|');
      cell.className = names;
      if (edit) cell.dataset.edit = edit;
      else delete cell.dataset.edit;
    }
    this.place.looks = looks;
  }

  /** The text as it becomes: several corrections in braces, what may stay among them. */
  #showCorrected() {
    /** @type {Node[]} */
    const parts = [];
    const keep = (from, to) => from < to && parts.push(document.createTextNode(`${this.tokens.slice(from, to).join(' ')} `));
    let at = 0;
    for (const edit of this.edits) {
      if (edit.pending || edit.type === UNCLEAR) continue;
      keep(at, edit.start);
      const texts = [...edit.corrections, ...(edit.optional ? [this.#original(edit)] : [])];
      const text = texts.length > 1 ? `{${texts.map((each) => each || '∅').join('|')}}` : texts[0];
      if (text) parts.push(make('ins', {}, text), document.createTextNode(' '));
      at = edit.end;
    }
    keep(at, this.tokens.length);
    const changed = /** @type {HTMLElement | undefined} */ (exchange(this.corrected, parts).find((part) => part.nodeName === 'INS'));
    if (changed) this.corrected.scrollTop = changed.offsetTop - this.corrected.clientHeight / 2;
  }

  // --- cards ---------------------------------------------------------------------------------------------------------

  /** @param {number} index @returns {HTMLElement | null} */
  #card(index) {
    return /** @type {HTMLElement | null} */ (this.list.children[index] ?? null);
  }

  #showCards() {
    /** @type {Map<string, HTMLElement>} */
    const cards = new Map();
    const reached = Math.min(Math.max(this.open, 0), this.edits.length - 1);
    this.edits.forEach((edit, index) => {
      const shows = JSON.stringify([edit, index, index === reached, index === this.open, index === this.linking]);
      cards.set(shows, this.cards.get(shows) ?? this.#makeCard(edit, index));
    });
    this.cards = cards;
    exchange(this.list, [...cards.values()]);
  }

  /** @param {Edit} edit @param {number} index */
  #makeCard(edit, index) {
    const said = [edit.pending ? say('to be decided on') : '', edit.type ?? '', edit.optional ? say('optional') : '',
      edit.group ? say('linked: {group}', { group: edit.group }) : '', edit.note ? say('note: {note}', { note: edit.note }) : '',
      this.linking === index ? say('to be linked: go to the other edit and press L') : ''];
    const card = make('li', { tabindex: index === Math.min(Math.max(this.open, 0), this.edits.length - 1) ? '0' : '-1', class: edit.pending ? 'pending' : undefined },
      make('span', { class: 'small muted' }, say('Edit {number}:', { number: index + 1 })), ' ',
      make('del', { dir: 'auto' }, this.#original(edit) || '∅'), ' → ', make('ins', { dir: 'auto' }, edit.corrections.map((text) => text || '∅').join(' / ')),
      ...said.filter(Boolean).flatMap((word) => [' · ', make('span', { dir: 'auto' }, word)]));
    if (this.open === index) {
      card.append(make('span', { class: 'row' }, ...this.#acts(edit, index).map(([key, words, act]) => {
        const does = button(words, () => act(), { class: 'button small quiet' });
        does.prepend(keycap(key), ' ');
        return does;
      })));
    }
    return card;
  }

  /** @returns {[string, string, () => void][]} keys, what they do to an edit */
  #acts(edit, index) {
    /** @param {Form['mode']} mode */
    const write = (mode, text = '') => () => this.#write({ mode, start: edit.start, end: edit.end, index, text, typing: mode === 'type' });
    const change = write('words', edit.corrections[0]);
    const drop = () => this.#drop(index);
    const decide = () => this.#accept(index);
    if (edit.pending) return [['Enter', say('Accept'), decide], ['c', say('Change'), change], ['Delete', say('Reject'), drop]];
    /** @type {[string, string, () => void][]} */
    const acts = [['c', say('Change'), change]];
    if (this.question.types.length) acts.push(['t', say('Type'), write('type', edit.corrections[0])]);
    if (edit.corrections.length < MOST) acts.push(['+', say('Another correction'), write('alternative')]);
    acts.push(['?', say('Optional'), () => this.#put(index, edit.optional ? without(edit, 'optional') : { ...edit, optional: true })],
      ['l', say('Link'), () => this.#link(index)], ['n', say('Note'), write('note', edit.note)], ['Delete', say('Take away'), drop]);
    return acts;
  }

  #accept(index) {
    const edit = this.edits[index];
    if (this.question.types.length && !edit.type) {
      this.#write({ mode: 'words', start: edit.start, end: edit.end, index, text: edit.corrections[0], typing: true });
      return;
    }
    this.#put(index, without(edit, 'pending'));
    this.#goOn(index, true);
  }

  /** Link an edit to the one at which it was begun; a linked one is set free. */
  #link(index) {
    const { edits } = this;
    const from = this.linking;
    if (from < 0 && edits[index].group) this.#put(index, without(edits[index], 'group'));
    else if (from < 0 || from === index) {
      this.linking = from < 0 ? index : -1;
      this.show();
    } else {
      const names = edits.map((edit) => edit.group);
      const free = Array.from({ length: names.length + 1 }, (_, n) => String(n + 1)).find((name) => !names.includes(name));
      const group = edits[from].group ?? edits[index].group ?? free;
      this.linking = -1;
      this.#set(edits.map((edit, n) => (n === from || n === index ? { ...edit, group } : edit)));
    }
    this.#card(index)?.focus();
  }

  /** @param {1 | -1} by */
  #nextCard(by) {
    if (!this.edits.length) {
      this.panel.on.complain(say('There is no edit yet.'));
      return;
    }
    const at = [...this.list.children].findIndex((card) => card.contains(document.activeElement));
    const { start } = this.#span();
    const after = this.edits.findIndex((edit) => edit.start >= start);
    const from = at >= 0 ? at + by : by > 0 ? (after < 0 ? 0 : after) : (after < 0 ? this.edits.length : after) - 1;
    this.#card((from + this.edits.length) % this.edits.length)?.focus();
  }

  /** @param {FocusEvent} event the card that one is at shows what can be done */
  #openCard(event) {
    const card = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('li'));
    const index = card ? [...this.list.children].indexOf(card) : -1;
    if (index < 0 || index === this.open) return;
    this.open = index;
    this.#stand(index);
    this.show();
  }

  /** In the text one is where the edit is at whose card one is. */
  #stand(index) {
    const edit = this.edits[index];
    if (!edit) return;
    this.place.cursor = this.place.anchor = edit.start === edit.end ? 2 * edit.start : 2 * edit.end - 1;
    this.#mark();
  }

  /** @param {KeyboardEvent} event */
  #keyAtCard(event) {
    const card = /** @type {HTMLElement} */ (event.target).closest('li');
    const index = card ? [...this.list.children].indexOf(card) : -1;
    if (index < 0 || event.isComposing || event.altKey) return;
    const onButton = event.target !== card;
    const chord = event.ctrlKey || event.metaKey;
    const key = event.key === 'Backspace' ? 'Delete' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = chord ? undefined : this.#acts(this.edits[index], index).find(([each]) => each === key);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') this.#nextCard(event.key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Escape') this.cells[this.place.cursor].focus();
    else if (act && !(onButton && key === 'Enter')) act[2]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {Edit} edit @param {keyof Edit} key */
function without(edit, key) {
  const rest = { ...edit };
  delete rest[key];
  return rest;
}

/** @param {HTMLElement} cell @param {number} middle */
function distance(cell, middle) {
  const box = cell.getBoundingClientRect();
  return Math.abs((box.left + box.right) / 2 - middle);
}

/**
 * Give an element these children; at both ends those that are there already, or are like them, stay.
 * @param {HTMLElement} parent
 * @param {Node[]} children
 * @returns {Node[]} those that are new
 */
function exchange(parent, children) {
  const before = [...parent.childNodes];
  const most = Math.min(before.length, children.length);
  const alike = (one, other) => one === other || (one instanceof Text ? one.isEqualNode(other) : one.nodeName === 'INS' && one.isEqualNode(other));
  let head = 0;
  while (head < most && alike(before[head], children[head])) head += 1;
  let tail = 0;
  while (tail < most - head && alike(before[before.length - 1 - tail], children[children.length - 1 - tail])) tail += 1;
  for (const child of before.slice(head, before.length - tail)) child.remove();
  const fresh = children.slice(head, children.length - tail);
  const after = tail ? before[before.length - tail] : null;
  const all = document.createDocumentFragment();
  all.append(...fresh);
  parent.insertBefore(all, after);
  return fresh;
}

/** Edits of the text; that there is none is an answer. */
class EditsKind extends QuestionKind {
  isTyped = true;

  get none() {
    return say('no error');
  }

  isAnswered(value) {
    return Array.isArray(value) && !value.some((edit) => edit.pending);
  }

  lacks(question, value) {
    const pending = (value ?? []).filter((edit) => edit.pending).length;
    if (pending) return say('Edits to be decided on: {n}. Accept, change or reject each of them.', { n: pending });
    return say('Correct what is wrong, or press 0: there is no error.');
  }

  partInWords(question, edit, word) {
    const words = Array.from({ length: edit.end - edit.start }, (_, n) => word(edit.start + n)).filter(Boolean);
    const more = [edit.type, edit.optional && say('optional'), edit.group && say('linked'), edit.note].filter(Boolean).join(', ');
    const change = `${words.join(' ') || `${edit.start}–${edit.end}`} → ${edit.corrections.map((text) => text || '∅').join(' / ')}`;
    return more ? `${change} (${more})` : change;
  }

  place(edit) {
    return edit.start + edit.end / 1e6;
  }

  build(panel, question, field, draft) {
    panel.inputs.set(question.id, new EditsField(panel, question, field, draft));
  }

  show(panel, question) {
    panel.inputs.get(question.id)?.show();
  }
}

QUESTION_KINDS.edits = new EditsKind();
