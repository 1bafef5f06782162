// From a draft to an answer in the outbox; and what is asked where an answer met another one.

import { askMerge, inWords } from './dialogs.js';
import { make } from './dom.js';
import { Draft } from './draft.js';
import { toast } from './frame.js';
import { freshId } from './outbox.js';
import { say } from './phrases.js';

const LONGEST_SAID = 100; // characters of an answer

/** Drafts and answers of a tab. */
export class Answers {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
    /** Assignments that were answered, here or in another tab, whose word may come before what it kept. */
    this.answered = new Set();
  }

  /** @param {import('./page.js').Item} item */
  isAnswered(item) {
    return this.answered.has(item.assignment) || this.page.store.get(`answered:${item.assignment}`) !== null;
  }

  /** Let an item that the server refused be answered again. */
  forget(assignment) {
    this.answered.delete(assignment);
    this.page.store.remove(`answered:${assignment}`);
  }

  /** @param {import('./page.js').Item} item */
  draftOf(item) {
    return new Draft(this.page.scheme, this.page.store.get(draftKey(item)), item.proposed);
  }

  keepDraft() {
    const { draft, current, earlier, quiz, stopwatch, store } = this.page;
    if (!draft || !current || earlier !== null || quiz.awaited !== null) return;
    draft.milliseconds = stopwatch.elapsed;
    if (draft.touched) store.set(draftKey(current), { ...draft.toJSON(), at: Date.now() });
    else store.remove(draftKey(current));
  }

  /** @param {string} skip why; empty: answered */
  submit(skip) {
    const { page } = this;
    const { current: item, draft, earlier } = page;
    if (earlier !== null && !draft.touched) {
      page.acts.leaveEarlier();
      return;
    }
    const known = earlier === null ? null : page.recent.of(item.assignment);
    const entry = {
      submission: freshId(), assignment: item.assignment, text_hash: item.text_hash,
      base_version: known ? known.version : item.version,
      answer: skip ? null : draft.collect(), skip, comment: draft.comment,
      milliseconds: page.stopwatch.stop(), trail: { ...draft.trail, ...page.haste.told() }, round: item.round, html: item.html,
    };
    const first = earlier === null && !skip && item.round !== 'quiz';
    const hasty = first && page.haste.answered(entry.milliseconds, page.view.text);
    const tired = first && page.breaks.answered(entry.milliseconds);
    page.outbox.put(entry); // before anything else
    this.answered.add(item.assignment);
    page.store.set(`answered:${item.assignment}`, Date.now());
    page.store.remove(draftKey(item));
    page.draft = null;
    if (item.round !== 'quiz') {
      const { assignment, text_hash, html, answer, comment } = entry;
      page.recent.put({ assignment, text_hash, html, choices: item.choices, version: entry.base_version + 1, answer, comment });
    }
    page.channel.tell({ answered: item.assignment });
    if (item.round === 'quiz' && !skip) page.quiz.wait(entry, draft);
    else {
      page.current = null;
      const said = this.#inWords(entry);
      page.next();
      this.#saved(said);
      if (hasty && page.draft) page.haste.ask();
      else if (tired && page.draft) page.breaks.suggest();
    }
    page.sync.kick();
  }

  /** @param {any} entry @returns {string} what was answered to the main question */
  #inWords(entry) {
    if (entry.skip) return say('Skipped.');
    const { scheme, view } = this.page;
    const [, main] = inWords(scheme, { [scheme.main]: entry.answer[scheme.main] }, (token) => view.word(token), view.article)[0] ?? ['', ''];
    return say('Answered: {answer}.', { answer: main.length > LONGEST_SAID ? `${main.slice(0, LONGEST_SAID)}…` : main });
  }

  /** @param {string} said */
  #saved(said) {
    const { acts, keys } = this.page;
    const key = [...keys].find(([, action]) => action.name === 'undo')?.[0] ?? '';
    toast(said, () => acts.act('undo'), key);
  }

  /** Ask about answers that met another one. */
  merge() {
    const { outbox, recent, scheme, sync } = this.page;
    if (document.querySelector('dialog[open]')) return;
    const conflict = outbox.aside('conflict')[0];
    if (!conflict) return;
    const { entry, receipt } = conflict;
    const settle = (mine) => {
      // The new one goes into the outbox before the old one leaves its place.
      if (mine) outbox.put({ ...entry, submission: freshId(), base_version: receipt.version });
      outbox.settle('conflict', entry.submission);
      recent.correct(entry.assignment, receipt.version + (mine ? 1 : 0), mine ? entry.answer : receipt.stored);
      sync.kick();
      this.merge();
      this.page.refresh();
    };
    if (equal(entry.answer, receipt.stored)) settle(false);
    else askMerge(scheme, conflict, settle);
  }
}

/** @param {import('./page.js').Item} item */
const draftKey = (item) => `draft:${item.assignment}:${item.text_hash}`;

/** @returns {boolean} whether two values of JSON say the same, whatever the order of keys */
export function equal(one, other) {
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return one === other;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => equal(one[key], other[key]));
}
