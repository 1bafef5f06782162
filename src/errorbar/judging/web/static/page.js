// The page on which one judges: which item is shown, and what the server and other tabs say of it. What a rater does,
// by which keys, and what becomes of an answer are parts of their own.

import { Acts } from './acts.js';
import { Answers } from './answers.js';
import { Breaks } from './breaks.js';
import { Choices } from './choices.js';
import { showCompletion } from './completion.js';
import { announce, button, byId, make } from './dom.js';
import { Draft } from './draft.js';
import { download, showBanners, showProgress, showState, toast } from './frame.js';
import { Haste } from './haste.js';
import { ItemView } from './item_view.js';
import { Keyboard } from './keyboard.js';
import { frameKeys } from './keys.js';
import { Marking } from './marking.js';
import { Panel } from './panel.js';
import { say } from './phrases.js';
import { kindOf } from './question_kinds.js';
import { Quiz } from './quiz.js';
import { Sight } from './sight.js';
import { bannersOf, beforeQuiz, beforeTraining, whyNoItem } from './standing.js';
import { Swipe } from './swipe.js';

const TOO_SOON = 150; // milliseconds: nobody has seen an item by then; what comes is the second half of a double press
const ASK_AGAIN = 20000; // while others hold what is left

/**
 * @typedef {object} Item
 * @property {string} assignment
 * @property {string} text_hash
 * @property {string} round
 * @property {string} html
 * @property {Record<string, number>} [proposed] tokens that a program proposes, by question
 * @property {import('./choices.js').Choice[]} [choices] answers of raters, of an item that is adjudicated
 * @property {number} version
 * @property {any} answer
 */

/** One tab of a rater. */
export class Page {
  /**
   * @param {{owner: string, study: string, device: string, scheme: import('./draft.js').Scheme, language: string, direction: string, page: number,
   *   quiz_needed: number[], lease_minutes: number, break_minutes: number, break_items: number, contact: string,
   *   total: number}} study
   * @param {{store: any, outbox: any, recent: any, stopwatch: any, channel: any}} parts
   */
  constructor(study, parts) {
    Object.assign(this, { study, scheme: study.scheme }, parts);
    this.work = { standing: 'work', items: [], done: 0, of: 0, code: '', back: '', known: false };
    /** @type {Item[]} */
    this.items = [];
    /** @type {Item | null} */
    this.current = null;
    /** @type {Draft | null} */
    this.draft = null;
    /** Place among the last ten of the one that is shown; null: the item that is due. */
    this.earlier = null;
    this.shownAt = 0;
    this.keys = frameKeys(this.scheme);
    this.stopwatch.needsFocus = this.scheme.questions.some((question) => kindOf(question).needsFocus);
    /** @type {import('./sync.js').Sync} set when the page starts */
    this.sync = /** @type {any} */ (null);
    this.acts = new Acts(this);
    this.answers = new Answers(this);
    this.marking = new Marking(this);
    this.quiz = new Quiz(this);
    this.haste = new Haste(this);
    this.breaks = new Breaks(this);
    /** Whether the rater is asked something before the next item. */
    this.paused = false;
    this.view = new ItemView(byId('item'), study, (token) => this.marking.click(token));
    this.sight = new Sight(this);
    this.panel = new Panel(byId('questions'), this.view, this.scheme, {
      choose: (question, value, byKey) => this.acts.choose(question, value, byKey),
      change: (question, value) => this.acts.change(question, value),
      mark: (question) => this.marking.start(question),
      words: (question, said) => this.acts.change(question, said),
      set: (question, value) => this.acts.answer(question, value),
      recall: (name) => this.store.get(`recalled:${name}`),
      keep: (name, value) => this.store.set(`recalled:${name}`, value),
      type: (question, text) => this.acts.type(question, text),
      confirm: () => this.acts.confirm(),
      complain: (text) => this.complain(text),
      open: () => {},
    });
    this.choices = new Choices(this);
    this.keyboard = new Keyboard(this);
    this.swipe = new Swipe(byId('item'), this);
    byId('close-guidelines').addEventListener('click', () => this.acts.act('guidelines'));
    window.addEventListener('beforeunload', (event) => {
      if (this.outbox.size > 0 && !this.store.lasting) event.preventDefault();
    });
  }

  /** Whether what a rater does now is meant for no item. */
  get idle() {
    return !this.draft || this.quiz.awaited !== null || this.choices.open || this.tooSoon;
  }

  /** Whether nobody can have seen the item yet. */
  get tooSoon() {
    return performance.now() - this.shownAt < TOO_SOON;
  }

  // --- what is shown -------------------------------------------------------------------------------------------------

  /** @param {Item} item @param {number | null} earlier */
  show(item, earlier = null) {
    this.answers.keepDraft();
    this.current = item;
    this.earlier = earlier;
    this.marking.question = null;
    this.quiz.clear();
    byId('message').hidden = true;
    delete document.body.dataset.rests;
    byId('earlier').hidden = earlier === null;
    byId('questions').hidden = false;
    byId('item').hidden = false;
    this.complain('');
    const known = earlier === null ? null : this.recent.of(item.assignment);
    this.draft = known ? Draft.answered(this.scheme, known.answer, known.comment) : this.answers.draftOf(item);
    this.view.show(item.html);
    this.choices.show(item.choices ?? [], known?.answer ?? null);
    if (this.choices.open) this.panel.clear();
    else this.panel.build(this.draft);
    if (earlier !== null) {
      byId('earlier').replaceChildren(make('span', {}, say('An earlier item, {n} back. Change its answer, or go on.', { n: earlier + 1 })), ' ',
        button(say('Go on'), () => this.acts.leaveEarlier(), { class: 'button small quiet' }));
    }
    this.resume();
    this.swipe.fit();
    this.refresh();
    this.focus();
    this.sight.start();
  }

  /** The item is on the screen, with nothing before it: from now on its time runs. */
  resume() {
    if (this.paused || !this.draft) return;
    this.stopwatch.start(this.draft.milliseconds);
    this.shownAt = performance.now();
  }

  /** @param {boolean} paused whether the rater is asked something before the next item, whose time does not run then */
  pause(paused) {
    this.paused = paused;
    this.stopwatch.stop();
    if (paused) return;
    this.resume();
    this.answers.merge();
  }

  /** The first item that is not answered, or why there is none. */
  next() {
    const item = this.items.find((each) => !this.answers.isAnswered(each));
    const begins = item?.round === 'quiz' && this.work.done === 0 && this.store.get(`${this.work.standing}-begun`) === null;
    if (begins && this.outbox.size === 0) this.#introduce(this.work.standing);
    else if (item) {
      this.show(item);
      announce(`${byId('progress').textContent}. ${this.draft?.touched ? say('Your draft is here.') : ''}`);
    } else this.#rest();
  }

  /** Everything around the item. */
  refresh() {
    const entries = this.outbox.entries();
    const fresh = entries.filter((entry) => entry.base_version === 0 && entry.answer !== null && (entry.round === 'quiz') === ['quiz', 'training'].includes(this.work.standing));
    showProgress(this.work, fresh.length, this.study.total);
    const { state: connection } = this.sync ?? {};
    const { lasting } = this.store;
    showState({ pending: entries.length, state: connection ?? 'online', lasting });
    const refused = this.outbox.aside('refused');
    showBanners(bannersOf({ pending: entries.length, connection, lasting, refused }, {
      download: () => download('answers-not-stored.json', refused),
      drop: () => this.acts.dropRefused(),
      downloadPending: () => download('answers-not-sent.json', this.outbox.entries()),
      goBack: () => this.sync.goBack(),
    }));
    if (!this.draft || !this.current) return;
    if (!this.choices.open) this.panel.update(this.draft, this.marking.question);
    this.view.showMarks(this.marking.marks());
    this.view.fill(this.draft.answer[this.scheme.main] ? [this.draft.answer[this.scheme.main]].flat() : []);
    this.keyboard.show();
  }

  /** Where one goes on. */
  focus() {
    if (this.choices.open) {
      byId('item').focus({ preventScroll: true });
      return;
    }
    const questions = this.draft.ofStep(this.draft.step);
    const typing = questions.find((question) => kindOf(question).isTyped);
    const first = this.draft.step === Math.min(...this.scheme.questions.map((question) => question.step));
    if (typing && this.earlier === null && questions[0] === typing) this.panel.focus(typing);
    else if (first || this.draft.step === null) byId('item').focus({ preventScroll: true });
    else this.panel.focus(questions[0]);
  }

  /** @param {string} text what stands in the way; empty: nothing */
  complain(text) {
    byId('problem').textContent = text;
  }

  /** No item: say something in its place. */
  #say(title, ...parts) {
    this.answers.keepDraft();
    this.current = null;
    this.draft = null;
    this.earlier = null;
    this.stopwatch.stop();
    this.view.clear();
    this.choices.hide();
    for (const id of ['item', 'questions', 'feedback', 'earlier']) byId(id).hidden = true;
    this.complain('');
    const message = byId('message');
    message.replaceChildren(make('h2', {}, title), ...parts.map((part) => (typeof part === 'string' ? make('p', {}, part) : part)));
    message.hidden = false;
    return message;
  }

  /** What the quiz or the training is, and the guidelines, before its first question. @param {string} standing */
  #introduce(standing) {
    const message = byId('message');
    if (message.dataset.standing === standing && !message.hidden) return; // it is being read
    const guidelines = /** @type {HTMLElement} */ (document.querySelector('#guidelines .prose')?.cloneNode(true));
    const isQuiz = standing === 'quiz';
    const begin = button(isQuiz ? say('Begin the quiz') : say('Begin'), () => {
      this.store.set(`${standing}-begun`, true);
      this.next();
    }, { class: 'button', id: `begin-${standing}` });
    const words = isQuiz ? beforeQuiz(this.work, this.study.quiz_needed[this.work.of] ?? this.work.of) : beforeTraining(this.work);
    const [title] = words;
    this.#say(title, ...words.slice(1), guidelines, make('p', { class: 'row' }, begin)).dataset.standing = standing;
    document.body.dataset.rests = 'over';
    this.refresh();
    this.keyboard.show();
    message.focus();
    announce(title);
    window.scrollTo(0, 0);
  }

  /** No item: say why. */
  #rest() {
    const before = byId('message');
    const isTold = !before.hidden && before.dataset.standing === this.work.standing && this.work.standing === 'paused';
    const [title, ...words] = whyNoItem(this.work, this.outbox.size, this.sync.state, this.study.contact);
    const message = this.#say(title, ...words);
    message.dataset.standing = this.work.known ? this.work.standing : 'unknown';
    if (this.work.code) message.append(...showCompletion(this.work.code, this.work.back));
    document.body.dataset.rests = this.work.known && ['failed', 'excluded', 'withdrawn'].includes(this.work.standing) ? 'over' : 'while';
    this.refresh();
    this.keyboard.show();
    if (!isTold) {
      message.focus();
      announce(title);
    }
    window.clearTimeout(this.timer);
    if (['waiting', 'paused'].includes(this.work.standing)) this.timer = window.setTimeout(() => this.sync.kick(true), ASK_AGAIN);
  }

  // --- what the server and other tabs say ----------------------------------------------------------------------------

  /** @param {any} work */
  takeWork(work) {
    this.work = { ...work, known: true };
    this.items = work.items;
    this.store.set('page', this.work);
    if (work.standing === 'check') window.location.assign('check');
    if (this.quiz.awaited !== null || this.earlier !== null) {
      this.refresh();
      return;
    }
    const same = this.current && this.items.some((each) => sameItem(each, this.current) && !this.answers.isAnswered(each));
    if (same || (this.current && this.draft?.touched)) this.refresh();
    else this.next();
  }

  /** @param {any} receipt @param {any} entry */
  takeReceipt(receipt, entry) {
    if (receipt.status === 'saved' || receipt.status === 'extra') this.recent.correct(entry.assignment, receipt.version);
    if (receipt.status === 'refused') this.answers.forget(entry.assignment);
    if (receipt.submission === this.quiz.awaited) this.quiz.tell(receipt.feedback);
    this.answers.merge();
    this.refresh();
  }

  /** Another tab of this rater did something. */
  hear(message) {
    if (message.receipt) this.takeReceipt(message.receipt, message.entry);
    if (message.answered) this.answers.answered.add(message.answered);
    this.notice();
  }

  /** Perhaps the item that is shown was answered in another tab. */
  notice() {
    if (this.current && this.draft && this.earlier === null && this.quiz.awaited === null && this.answers.isAnswered(this.current)) {
      if (this.draft.touched) toast(say('You have answered this item in another tab. If you save here as well, you are asked which counts.'));
      else {
        this.current = null;
        this.draft = null;
        this.next();
        toast(say('Answered in another tab.'));
      }
    }
    this.refresh();
  }

  /** What was left by a page that is gone: its items, and an answer whose feedback is awaited. */
  restore() {
    const kept = this.store.get('page');
    if (kept) {
      this.work = kept;
      this.items = kept.items;
    }
    const quiz = this.outbox.entries().find((entry) => entry.round === 'quiz' && entry.answer);
    if (quiz) {
      this.show(quiz);
      this.quiz.wait(quiz, Draft.answered(this.scheme, quiz.answer));
    } else this.next();
    this.answers.merge();
  }
}

/** @param {Item} one @param {Item} other */
const sameItem = (one, other) => one.assignment === other.assignment && one.text_hash === other.text_hash;
