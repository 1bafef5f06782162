// Rankings: a rank for each output, by digits or by the buttons on its card; of two outputs, which one is better.

import { announce, button, keycap, make } from './dom.js';
import { say } from './phrases.js';
import { QuestionKind } from './question_kind.js';
import { QUESTION_KINDS } from './question_kinds.js';

/** @typedef {import('./draft.js').Question} Question */
/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./panel.js').Panel} Panel */

/** Of two outputs as they stand: key, rank of each. */
const PAIR = [['a', [1, 2]], ['b', [2, 1]], ['=', [1, 1]]];

/** Ranks of the outputs, in the item's own order, whatever the order on the screen. */
class RanksKind extends QuestionKind {
  keys = PAIR.map(([key]) => /** @type {string} */ (key));

  isAnswered(value) {
    return Array.isArray(value) && value.every((rank) => rank !== null);
  }

  settles(value) {
    return this.isAnswered(value) && value.length === 2;
  }

  build(panel, question, field, draft) {
    const cards = cardsOf(panel.view.article);
    for (const card of cards) card.querySelector('.ranks')?.remove();
    if (cards.length === 2) {
      const words = pairWords();
      field.append(make('div', { class: 'options' }, ...PAIR.map(([key, ranks], at) => {
        const choice = button('', () => panel.on.choose(question, inOwnOrder(cards, ranks)),
          { class: 'option', 'aria-pressed': 'false', 'aria-keyshortcuts': key });
        choice.append(keycap(key), make('span', { class: 'label' }, words[at]));
        return choice;
      })));
      return;
    }
    const given = draft.answer[question.id] ?? [];
    const open = cards.find((card) => (given[numberOf(card)] ?? null) === null) ?? cards[0];
    for (const card of cards) {
      card.tabIndex = -1;
      card.classList.toggle('current', card === open);
      card.append(make('div', { class: 'ranks', role: 'group', 'aria-label': say('Rank of {letter}', { letter: letterOf(card) }) },
        ...cards.map((_, rank) => button(String(rank + 1), () => this.#give(panel, question, card, rank + 1),
          { class: 'rank', 'aria-pressed': 'false', 'data-rank': String(rank + 1) }))));
    }
    field.append(make('p', { class: 'help' }, say('1 is best, equal ranks are ties. Press a digit for the marked one, ↑ and ↓ to mark another.')));
  }

  show(panel, question, field, draft) {
    const cards = cardsOf(panel.view.article);
    const ranks = draft.answer[question.id] ?? [];
    if (cards.length === 2) {
      for (const [at, choice] of [...field.querySelectorAll('.option')].entries()) {
        choice.setAttribute('aria-pressed', String(String(inOwnOrder(cards, PAIR[at][1])) === String(ranks)));
      }
      return;
    }
    for (const card of cards) {
      for (const each of card.querySelectorAll('.rank')) {
        each.setAttribute('aria-pressed', String(Number(each.dataset.rank) === ranks[numberOf(card)]));
      }
    }
  }

  press(panel, question, key, draft) {
    const cards = cardsOf(panel.view.article);
    if (cards.length === 2) {
      const pair = PAIR.find(([each]) => each === key);
      if (pair) panel.on.choose(question, inOwnOrder(cards, pair[1]), true);
      return pair !== undefined;
    }
    const at = Math.max(cards.findIndex((card) => card.classList.contains('current')), 0);
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      const next = cards[Math.min(Math.max(at + (key === 'ArrowUp' ? -1 : 1), 0), cards.length - 1)];
      mark(cards, next);
      announce(sayOf(next));
      return true;
    }
    const rank = Number(key);
    if (!/^[1-9]$/.test(key) || rank > cards.length) return false;
    this.#give(panel, question, cards[at], rank, true);
    return true;
  }

  /** The next card without a rank is marked. */
  #give(panel, question, card, rank, goesOn = false) {
    const cards = cardsOf(panel.view.article);
    const ranks = cards.map(() => null);
    for (const each of cards) ranks[numberOf(each)] = rankOf(each);
    ranks[numberOf(card)] = rank;
    panel.on.change(question, ranks);
    const at = cards.indexOf(card);
    const open = [...cards.slice(at + 1), ...cards.slice(0, at)].find((each) => rankOf(each) === null);
    mark(cards, goesOn && open ? open : card);
    announce(open
      ? say('{letter} has rank {rank}. {next} has none yet.', { letter: letterOf(card), rank, next: letterOf(open) })
      : say('{letter} has rank {rank}. All have one.', { letter: letterOf(card), rank }));
  }

  gap(panel) {
    const cards = cardsOf(panel.view.article);
    const open = cards.length > 2 ? cards.find((card) => rankOf(card) === null) : undefined;
    if (open) mark(cards, open);
    return open ?? null;
  }

  inWords(value, shown) {
    const cards = shown ? cardsOf(shown) : [];
    if (!Array.isArray(value) || cards.length !== value.length) return null;
    const at = cards.length === 2 ? PAIR.findIndex(([, ranks]) => String(inOwnOrder(cards, ranks)) === String(value)) : -1;
    if (at >= 0) return [pairWords()[at]];
    return cards.map((card) => `${letterOf(card)} ${value[numberOf(card)] ?? '–'}`);
  }
}

/** @returns {string[]} what each of ``PAIR`` says */
const pairWords = () => [say('A is better'), say('B is better'), say('Equally good')];

/** @param {Element} shown @returns {HTMLElement[]} the outputs as they stand */
const cardsOf = (shown) => [...shown.querySelectorAll('.outputs > li')].map((card) => /** @type {HTMLElement} */ (card));

/** @param {HTMLElement} card @returns {number} of the output, in the item's own order */
const numberOf = (card) => Number(card.dataset.output);

/** @param {HTMLElement} card */
const letterOf = (card) => card.querySelector('.letter')?.textContent ?? '';

/** @param {HTMLElement} card @returns {number | null} null: it has none yet */
function rankOf(card) {
  const given = /** @type {HTMLElement | null} */ (card.querySelector('.rank[aria-pressed=true]'));
  return given ? Number(given.dataset.rank) : null;
}

/** @param {HTMLElement} card */
function sayOf(card) {
  const rank = rankOf(card);
  return rank === null ? say('{letter}, no rank yet', { letter: letterOf(card) }) : say('{letter}, rank {rank}', { letter: letterOf(card), rank });
}

/** @param {HTMLElement[]} cards @param {HTMLElement} current that digits are for; it comes on the screen */
function mark(cards, current) {
  for (const card of cards) card.classList.toggle('current', card === current);
  current.scrollIntoView({ block: 'nearest' });
}

/**
 * @param {HTMLElement[]} cards
 * @param {number[]} ranks as the cards stand
 * @returns {number[]} in the item's own order
 */
function inOwnOrder(cards, ranks) {
  const own = cards.map(() => 0);
  for (const [at, card] of cards.entries()) own[numberOf(card)] = ranks[at];
  return own;
}

QUESTION_KINDS.ranks = new RanksKind();
