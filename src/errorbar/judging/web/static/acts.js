// What a rater does to an item: answers, confirms, takes back, comments, skips, goes back.

import { askComment, askSkip, inWords } from './dialogs.js';
import { announce, byId } from './dom.js';
import { toast } from './frame.js';
import { say } from './phrases.js';
import { kindOf } from './question_kinds.js';

/** By a key or a button, it is the same. */
export class Acts {
  /** @param {import('./page.js').Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @param {boolean} byKey whether no button of it was pressed */
  choose(question, value, byKey = false) {
    const { page } = this;
    if (page.idle || !page.sight.allows(byKey ? page.sight.controls(question.id) : [])) return;
    const off = !question.required && page.draft.answer[question.id] === value && question.step > page.draft.confirmed;
    this.set(question, off ? undefined : value);
    if (page.draft.settled && question.step === page.draft.step) this.confirm();
  }

  change(question, said) {
    this.answer(question, said.length ? said : undefined);
  }

  /** An answer that may be an empty one. */
  answer(question, value) {
    const { page } = this;
    if (page.draft && page.quiz.awaited === null) this.set(question, value);
  }

  set(question, value) {
    const { page } = this;
    page.draft.set(question, value, page.stopwatch.elapsed);
    page.complain('');
    page.answers.keepDraft();
    page.refresh();
  }

  type(question, text) {
    const { page } = this;
    if (!page.draft) return;
    page.draft.typed[question.id] = text;
    page.draft.touched ||= text !== '';
    page.answers.keepDraft();
  }

  /** @param {boolean} byKey whether no button of it was pressed */
  confirm(byKey = false) {
    const { page } = this;
    const leaves = page.earlier !== null && !page.draft?.touched;
    if (page.idle || !(leaves || page.sight.allows(byKey ? page.sight.controls() : []))) return;
    for (const question of page.draft.ofStep(page.draft.step)) {
      if (page.panel.inputs.has(question.id) && !page.panel.inputs.get(question.id).add()) return;
    }
    if (page.marking.question) page.marking.end();
    const missing = page.draft.missing();
    if (missing) {
      page.complain(kindOf(missing).lacks(missing, page.draft.answer[missing.id]));
      page.panel.focus(missing);
      return;
    }
    page.complain('');
    page.draft.confirm();
    if (page.draft.step === null) {
      page.answers.submit('');
      return;
    }
    page.answers.keepDraft();
    page.refresh();
    page.focus();
    page.sight.showStep();
    announce(page.draft.ofStep(page.draft.step).map((question) => question.ask).join(', '));
  }

  /** @param {string} name */
  act(name) {
    const { page } = this;
    if (name === 'guidelines') this.#guidelines();
    else if (name === 'undo') this.#undo();
    else if (name === 'redo') this.#redo();
    else if (name === 'back') this.#back();
    else if (name === 'differences') byId('item').classList.toggle('plain');
    else if (name === 'comment' && page.draft) askComment(page.draft.comment, (comment) => this.#comment(comment));
    else if (name === 'skip' && page.draft && page.quiz.awaited === null) {
      if (page.earlier !== null) page.complain(say('An item that is answered cannot be skipped.'));
      else askSkip((reason) => page.answers.submit(reason));
    }
  }

  /** From an earlier item to the one that is due. */
  leaveEarlier() {
    const { page } = this;
    page.draft = null; // what was not confirmed is given up: the stored answer stands
    page.current = null;
    page.next();
  }

  /** Give up answers that the server refused. */
  dropRefused() {
    const { page } = this;
    if (!window.confirm(say('Remove them from this browser? They are stored nowhere else.'))) return;
    for (const { entry } of page.outbox.aside('refused')) page.outbox.settle('refused', entry.submission);
    page.refresh();
  }

  #comment(comment) {
    const { page } = this;
    page.draft.comment = comment;
    page.draft.touched = true;
    page.answers.keepDraft();
    toast(comment ? say('The comment goes with your answer.') : say('No comment.'));
  }

  #guidelines() {
    const panel = byId('guidelines');
    panel.hidden = !panel.hidden;
    document.body.classList.toggle('with-guidelines', !panel.hidden);
    if (panel.hidden) (this.page.current ? byId('item') : byId('message')).focus({ preventScroll: true });
    else panel.focus();
  }

  #undo() {
    const { page } = this;
    if (page.quiz.awaited !== null) return;
    if (page.draft?.undo()) {
      page.draft.touched = page.draft.earlier.length > 0;
      this.#rebuild(say('Undone'));
    } else if (page.choices.back()) announce(say('Choose an answer.'));
    else if (page.earlier === null) this.#back();
    else page.complain(say('There is nothing to undo on this item.'));
  }

  #redo() {
    const { page } = this;
    if (page.quiz.awaited !== null || !page.draft) return;
    if (page.draft.redo()) {
      page.draft.touched = true;
      this.#rebuild(say('Done again'));
    } else page.complain(say('There is nothing to do again.'));
  }

  /** @param {string} said what became of the answers, which are shown anew */
  #rebuild(said) {
    const { page } = this;
    if (page.marking.question) page.marking.end();
    page.answers.keepDraft();
    page.panel.build(page.draft);
    page.refresh();
    page.focus();
    announce(said);
  }

  #back() {
    const { page } = this;
    if (page.quiz.awaited !== null) return;
    const place = page.earlier === null ? 0 : page.earlier + 1;
    const known = page.recent.all[place];
    if (!known) {
      page.complain(place ? say('That is as far as one can go back.') : say('There is no earlier item yet.'));
      return;
    }
    page.show({ ...known, round: 'main' }, place);
    const pairs = inWords(page.scheme, known.answer, (token) => page.view.word(token), page.view.article);
    const answer = pairs.length === 1 ? pairs[0][1] || pairs[0][0] : pairs.map((pair) => pair.join(': ')).join('; ');
    announce(say('Earlier item, {n} back. Your answer: {answer}', { n: place + 1, answer }));
  }
}
