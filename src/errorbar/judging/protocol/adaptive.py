"""Adaptive pairs: which two systems are compared next, so that judgments go where the order is least known.

Formula
    Two systems are settled once the anytime p-value of equal chances, adjusted for all pairs by Holm's method, is at
    most .05 (``ranking.ranked.decide_pairs``). Of the pairs that are not settled the one with the fewest judgments,
    open ones included, is the least known. A draw takes any of the P pairs with probability ε/P, and the least known
    one with 1 − ε besides: π = ε/P, or ε/P + 1 − ε. Every claim keeps π in its event. Where the rater has nothing left
    in the pair that was drawn, another pair follows at random, and the event says that there is no π: so for a pair
    with work left the mean of x/π over all draws, 0 where another pair was drawn, has the expectation of the outcome x.
Conventions
    Each pair of systems has a block of places, in which its items stand in a random order that is fixed when they come
    in; a pair is judged in this order. What its intervals rest on is the beginning of that order, however
    long it is and why. In a block an even place means that the item's candidates stand in the order of their systems.
    What is known of pairs is looked up anew after a while, and so seldom that it takes a fiftieth of the time at most;
    an older look makes pairs less well chosen, and no estimate wrong.
Source
    Even-Dar, Mannor & Mansour 2006, Action elimination and stopping conditions, JMLR 7 (as many judgments for each that
    is not settled). Horvitz & Thompson 1952. Howard et al. 2021, Annals of Statistics 49, as ``stats.anytime``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from errorbar.core.problems import Problem, UsageError, shorten_text
from errorbar.judging.protocol.assignments import Next, first_of_block
from errorbar.judging.random_tokens import draw, shuffle
from errorbar.judging.scheme import SEVERAL, JudgedItem
from errorbar.judging.study.rules import get_value, set_value
from errorbar.stats.anytime import endless_p_value
from errorbar.stats.multiple import adjust

EXPLORED = 0.2
"""ε: the share of draws that take any pair."""
SETTLED = 0.05
BLOCK = 2**20
"""Places of one pair: two for each of its items."""
MOST_PAIRS = 2**31 // BLOCK - 1
_SECONDS, _TIMES = 2.0, 50.0
"""Between two looks at what is known, at least; and how many times as long as a look took."""
_KNOWN = "known-pairs"
_TAKEN = text(f"SELECT place / {BLOCK}, sum(taken) FROM item WHERE place IS NOT NULL GROUP BY place / {BLOCK}")
_ANSWERS = text(
    "SELECT i.place, n.answer FROM item i JOIN assignment a ON a.item = i.id AND a.round = 'main' AND a.state = 'done'"
    " JOIN answer n ON n.assignment = a.id AND n.version = a.version WHERE i.place IS NOT NULL ORDER BY i.place"
)
_BLOCKS = text(
    "SELECT i.place, i.payload FROM item i JOIN (SELECT min(place) AS place FROM item WHERE place IS NOT NULL"
    f" GROUP BY place / {BLOCK}) b ON b.place = i.place ORDER BY i.place"
)
_LAST = text("SELECT max(place) FROM item WHERE place BETWEEN :first AND :last")

Pair = tuple[str, str]


# Places: what stands where.


def pair_of(item: JudgedItem) -> Pair:
    """The two systems of an item, in the order of their names.

    Raises:
        UsageError: If it is no pair of two systems (``judge-adaptive``).
    """
    names = item.names
    if len(names) != 2 or any(SEVERAL in name for name in names) or names[0] == names[1]:
        message = f"item '{shorten_text(item.name)}' is no pair of two systems, which --adaptive chooses between"
        raise UsageError(Problem("judge-adaptive", message, fix="name one system for each of its two outputs"))
    return (names[0], names[1]) if names[0] < names[1] else (names[1], names[0])


def pairs_of(tx: Connection) -> list[Pair]:
    """The pairs of systems of a study, in the order of their blocks."""
    return [pair_of(JudgedItem.from_json(payload)) for _, payload in tx.execute(_BLOCKS)]


def draw_places(tx: Connection, items: Iterable[JudgedItem]) -> dict[str, int]:
    """Places for new work, by name: in the block of each pair behind what is there, in a random order.

    Raises:
        UsageError: If an item is no pair of two systems, or there are more pairs than places (``judge-adaptive``).
    """
    blocks = {pair: at for at, pair in enumerate(pairs_of(tx))}
    new: dict[Pair, list[JudgedItem]] = {}
    for item in items:
        new.setdefault(pair_of(item), []).append(item)
    places: dict[str, int] = {}
    for pair in sorted(new):
        block, own = blocks.setdefault(pair, len(blocks)) * BLOCK, new[pair]
        last = tx.scalar(_LAST, {"first": block, "last": block + BLOCK - 1})
        start = 0 if last is None else (int(last) - block) // 2 + 1
        if block // BLOCK >= MOST_PAIRS or start + len(own) > BLOCK // 2:
            message = f"{len(blocks):,} pairs of systems, of which one has {start + len(own):,} items"
            expected = f"at most {MOST_PAIRS:,} pairs of {BLOCK // 2:,} items"
            raise UsageError(Problem("judge-adaptive", message, expected=expected))
        shuffle(own)
        for at, item in enumerate(own, start):
            places[item.name] = block + 2 * at + (item.names != pair)
    return places


# Draws: which pair comes next.


def draw_pair(tx: Connection, rater: int, seed: int, claims: int, k: int, now: float) -> Next | None:
    """The next item of a rater, and how it was drawn; None: nothing is left for them.

    Args:
        tx: Of the store, exclusive.
        rater: Who is to judge it.
        seed: The rater's.
        claims: How much the rater claimed so far: each is a draw of its own.
        k: Judgments that an item gets.
        now: By the store's clock.
    """
    known = _known(tx, now)
    open_ = known["open"]
    if not open_:
        return None
    random = Random(draw(seed, "pair", claims))
    best = least_known(known["settled"], open_)
    explores = random.random() < EXPLORED
    first = random.randrange(len(open_)) if explores else best
    order = [first, *random.sample([at for at in range(len(open_)) if at != first], len(open_) - 1)]
    for at in order:
        item = first_of_block(tx, rater, k, at * BLOCK, (at + 1) * BLOCK - 1)
        if item is not None:
            open_[at] += 1
            set_value(tx, _KNOWN, json.dumps(known))
            return Next(item, drawn=json.dumps({"probability": chance(at, best, len(open_)) if at == first else None}))
    return None


def settled_pairs(wins: Sequence[int], losses: Sequence[int]) -> list[bool]:
    """Which pairs are settled, by the items that the first and the second system of each pair won."""
    settled: list[bool] = (adjust(endless_p_value(wins, np.add(wins, losses))) <= SETTLED).tolist()
    return settled


def least_known(settled: Sequence[bool], taken: Sequence[int]) -> int:
    """Of the pairs that are not settled the one with the fewest judgments, of equal ones the first; else of all."""
    return min(range(len(taken)), key=lambda pair: (settled[pair], taken[pair]))


def chance(pair: int, best: int, n_pairs: int) -> float:
    """π of a pair: the probability with which a draw takes it."""
    return EXPLORED / n_pairs + (1 - EXPLORED) * (pair == best)


def _known(tx: Connection, now: float) -> dict[str, Any]:
    """Which pairs are settled, and how many judgments of each are given or open."""
    stored = get_value(tx, _KNOWN)
    if stored is not None:
        known: dict[str, Any] = json.loads(stored)
        if known["at"] <= now < known["at"] + known["every"]:
            return known
    began = time.perf_counter()
    rows = tx.execute(_TAKEN).all()
    n = 1 + max((int(block) for block, _ in rows), default=-1)
    wins, losses, taken = ([0] * n for _ in range(3))
    for block, count in rows:
        taken[int(block)] = int(count)
    for place, sign in majorities(tx.execute(_ANSWERS)):
        (wins if sign > 0 else losses)[place // BLOCK] += sign != 0
    known = {"settled": settled_pairs(wins, losses), "open": taken, "at": now}
    known["every"] = max(_SECONDS, _TIMES * (time.perf_counter() - began))
    set_value(tx, _KNOWN, json.dumps(known))
    return known


def majorities(answers: Iterable[Sequence[object]]) -> Iterable[tuple[int, int]]:
    """Of items by their places what most of their raters said: 1: the first system of the pair, -1, 0: neither."""
    votes: dict[int, int] = {}
    for place, answer in answers:
        ranks = next(iter(json.loads(str(answer)).values()), None)
        sign = int(np.sign(ranks[1] - ranks[0])) if ranks else 0
        at = int(str(place))
        votes[at] = votes.get(at, 0) + (-sign if at % 2 else sign)
    return ((at, int(np.sign(vote))) for at, vote in votes.items())
