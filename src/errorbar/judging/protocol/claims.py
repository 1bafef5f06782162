"""Who judges what next: live leases, topped up, with gold and repeats in their places; training and quiz before.

Training and quiz before the work: gold items with explanations, each rater's own, classes balanced.

The training is of the round of the quiz, and comes first in a rater's order; only the quiz proper is a test.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from sqlalchemy import Connection, text

from errorbar.judging.protocol.adaptive import draw_pair
from errorbar.judging.protocol.assignments import (
    AvailableItem,
    Next,
    RaterState,
    available_item_sql,
    expire,
    lease,
    may_come_back,
    note,
    parse_item,
    pick_for,
    rater_row,
)
from errorbar.judging.protocol.completion_codes import is_earned, issue_code
from errorbar.judging.protocol.exclusions import WITHDRAWN
from errorbar.judging.question_kinds import n_arrangements
from errorbar.judging.random_tokens import draw
from errorbar.judging.scheme import Lease, Standing, Work
from errorbar.judging.scheme_kinds import sentence_of
from errorbar.judging.study.guidance import check_result
from errorbar.judging.study.rules import StudyRules

_TRAINING_SEQ, _QUIZ_SEQ = -200_000, -100_000  # both come before all else in a rater's order
_QUIZ_ITEMS = text(  # who works already when the quiz is set has had some, and was not told the answers
    "SELECT i.id, i.gold_class FROM item i WHERE i.kind = 'gold' AND i.stopped = '' AND NOT EXISTS"
    " (SELECT 1 FROM assignment a WHERE a.item = i.id AND a.rater = :rater AND a.round = 'main') ORDER BY i.id"
)
_STATES = text("SELECT item, state, seq FROM assignment WHERE rater = :rater AND round = 'quiz' ORDER BY seq")
_RECEIPTS = text(
    "SELECT e.data FROM event e JOIN assignment a ON a.id = e.assignment"
    " WHERE a.rater = :rater AND a.round = 'quiz' AND e.kind = 'answered' AND a.seq >= :first"
)
_BEGAN = text("SELECT 1 FROM assignment WHERE rater = :rater AND round = 'quiz' LIMIT 1")
_SETTLED = text("UPDATE rater SET quiz = :quiz, due = NULL WHERE id = :id")  # no gold that was drawn before the quiz
_GOLD_PAYLOADS = text("SELECT id, payload FROM item WHERE kind = 'gold'")
_GOLD_HAD = text(
    "SELECT a.item FROM assignment a JOIN item i ON i.id = a.item WHERE a.rater = :rater AND i.kind = 'gold'"
)


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a rater is in the training, or in the quiz.

    Attributes:
        states: Number, state and place of the items that they got so far.
        fresh: Gold items that they can still get, in their order.
        answered: Items that they answered, or skipped.
        of: Of how many.
    """

    states: Sequence[tuple[int, str, int]]
    fresh: Sequence[int]
    answered: int
    of: int


def quiz_work(tx: Connection, rules: StudyRules, rater: RaterState, want: int, now: float) -> Work | None:
    """The page of a rater who is in the training or the quiz; None: they are through, ``rater.quiz`` says how."""
    standing: Standing = "training"
    first, now_at = _TRAINING_SEQ, _training(tx, rules, rater)
    if now_at.answered >= now_at.of:
        standing, first, now_at = "quiz", _QUIZ_SEQ, _quiz(tx, rules, rater)
    if now_at.answered >= now_at.of:
        rater.quiz, rater.due = _settle(tx, rules, rater.id, now), None
        return None
    leases = [each for each in rater.leases if each.round == "quiz"]
    todo = [(item, seq) for item, state, seq in now_at.states if state == "expired"]
    known = len(now_at.states)
    todo += [(item, first + known + at) for at, item in enumerate(now_at.fresh[: now_at.of - known])]
    for item, seq in todo[: max(want - len(leases), 0)]:
        leases.append(lease(tx, rules, rater, Next(item, round="quiz", seq=seq), now))
    return Work(standing, tuple(leases), now_at.answered, now_at.of)


def began(tx: Connection, rater: int) -> bool:
    """Whether the rater was given a question of the quiz."""
    return tx.execute(_BEGAN, {"rater": rater}).first() is not None


def settle_if_answered(tx: Connection, rules: StudyRules, rater: RaterState, now: float) -> None:
    """Say whether a rater passed as soon as every question is answered."""
    if rater.quiz != "due":
        return
    training, quiz = _training(tx, rules, rater), _quiz(tx, rules, rater)
    if training.answered >= training.of and quiz.answered >= quiz.of:
        _settle(tx, rules, rater.id, now)


def _training(tx: Connection, rules: StudyRules, rater: RaterState) -> _Progress:
    """The training; nobody who has begun the quiz gets one."""
    progress = _progress(tx, rules, rater, _TRAINING_SEQ, rules.training)
    return progress if progress.states or not began(tx, rater.id) else _Progress((), (), 0, 0)


def _quiz(tx: Connection, rules: StudyRules, rater: RaterState) -> _Progress:
    return _progress(tx, rules, rater, _QUIZ_SEQ, rules.quiz)


def _progress(tx: Connection, rules: StudyRules, rater: RaterState, first: int, n: int) -> _Progress:
    """Of ``n`` items from a place in the rater's order on, or as many as there are."""
    states = [(item, state, seq) for item, state, seq in tx.execute(_STATES, {"rater": rater.id})]
    gold = [(item, right) for item, right in tx.execute(_QUIZ_ITEMS, {"rater": rater.id})]
    had = {item for item, _, _ in states}
    fresh = [item for item in quiz_order(gold, rater.seed) if item not in had]
    if sentence_of_gold := sentences_of_gold(tx, rules):
        seen = {sentence_of_gold[item] for (item,) in tx.execute(_GOLD_HAD, {"rater": rater.id})}
        first_of = {sentence_of_gold[item]: item for item in reversed(fresh) if sentence_of_gold[item] not in seen}
        fresh = [item for item in fresh if first_of.get(sentence_of_gold[item]) == item]
    own = [state for state in states if first <= state[2] < first + _QUIZ_SEQ - _TRAINING_SEQ]
    answered = sum(state in ("done", "skipped") for _, state, _ in own)
    return _Progress(own, fresh, answered, max(len(own), min(n, len(own) + len(fresh))))


def sentences_of_gold(tx: Connection, rules: StudyRules) -> dict[int, tuple[str, str, str]]:
    """The sentence of each gold item, by its number, where nobody may get two outputs of one; empty elsewhere."""
    if not rules.systems:
        return {}
    return {item: sentence_of(parse_item(payload)) for item, payload in tx.execute(_GOLD_PAYLOADS).all()}


def quiz_order(gold: list[tuple[int, str]], seed: int) -> list[int]:
    """Gold items in a rater's own order, one of each class in turn."""
    shuffled = sorted(gold, key=lambda one: draw(seed, "quiz", one[0]))
    nth: dict[str, int] = {}
    turns = []
    for item, right in shuffled:
        nth[right] = nth.get(right, 0) + 1
        turns.append((nth[right], item))
    return [item for _, item in sorted(turns, key=lambda turn: (turn[0], draw(seed, "quiz turn", turn[1])))]


def _settle(tx: Connection, rules: StudyRules, rater: int, now: float) -> str:
    """By the receipts that the rater was given."""
    receipts = [
        json.loads(data)["receipt"] for (data,) in tx.execute(_RECEIPTS, {"rater": rater, "first": _QUIZ_SEQ}).all()
    ]
    right = sum(bool((receipt.get("feedback") or {}).get("right")) for receipt in receipts)
    quiz = "passed" if right >= rules.quiz_needed(len(receipts)) else "failed"
    tx.execute(_SETTLED, {"id": rater, "quiz": quiz})
    note(tx, now, f"quiz {quiz}", rater=rater, data=json.dumps({"right": right, "of": len(receipts)}))
    return quiz


MOST_LEASES = 10
APART = 10
"""So many items stand between an item and its repeat."""

_GOLD = text(
    "SELECT i.id, i.gold_class, a.round FROM item i"
    " LEFT JOIN assignment a ON a.item = i.id AND a.rater = :rater"
    " WHERE i.kind = 'gold' AND i.stopped = '' ORDER BY i.id"
)
_STILL_DUE = text(
    available_item_sql(
        "i.id = :item AND i.stopped = '' AND NOT EXISTS (SELECT 1 FROM assignment a WHERE a.item = i.id"
        " AND a.rater = :rater AND a.round IN ('quiz', 'main'))"
    )
)
_LAPSED = text(  # what is no work comes again when the work that it stands for could
    "SELECT i.id, i.payload, i.place, i.taken, a.token, a.round, a.reversed, a.seq FROM assignment a"
    " JOIN item i ON i.id = a.item JOIN item w ON w.id = coalesce(a.stands_for, a.item)"
    " WHERE a.rater = :rater AND a.state = 'expired' AND a.round <> 'quiz' AND i.stopped = '' AND w.stopped = ''"
    " AND w.taken - (SELECT count(*) FROM assignment o WHERE o.item = w.id AND o.rater = a.rater AND o.round = 'main'"
    " AND o.state IN ('open', 'done')) < :k ORDER BY a.seq LIMIT 1"
)
_SKIPPED = text("SELECT 1 FROM assignment WHERE rater = :rater AND state = 'skipped' AND round <> 'quiz' LIMIT 1")
_TO_REPEAT = text(
    "SELECT a.item, a.reversed, i.payload FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE a.rater = :rater AND a.seq BETWEEN :first AND :last AND a.round = 'main' AND a.state IN ('done', 'extra')"
    " AND i.kind = 'work' AND NOT EXISTS (SELECT 1 FROM assignment r WHERE r.item = a.item AND r.rater = a.rater"
    " AND r.round = 'repeat') ORDER BY a.seq LIMIT 1"
)


def claim(tx: Connection, rules: StudyRules, rater_id: int, want: int, now: float) -> Work:
    """The page of items of a rater: those that they hold, topped up to ``want`` items.

    Args:
        tx: Of the store, exclusive.
        rules: As they stand in this transaction (``study.rules.current_rules``).
        rater_id: Who asks.
        want: How many items they want to hold, at most a page.
        now: By the store's clock.
    """
    rater = rater_row(tx, rules, rater_id, now)
    if rater.any_late:
        expire(tx, rules, now)
        rater = rater_row(tx, rules, rater_id, now)
    of = rules.items_per_rater
    if rater.status != "active":
        return Work("withdrawn" if rater.status == WITHDRAWN else "excluded", (), rater.judged, of)
    want = min(want, rules.page, MOST_LEASES)
    if rules.comprehension and check_result(rater.agreed).state != "passed":
        return Work("check", (), rater.judged, of)
    if (rules.quiz or rules.training) and rater.quiz == "due":
        if not rater.leases and not began(tx, rater.id) and _standing(tx, rules, rater) == "finished":
            return Work("finished", (), 0, of)  # who passes a quiz is to find work behind it
        work = quiz_work(tx, rules, rater, want, now)
        if work is not None:
            return work
    if rules.quiz and rater.quiz == "failed":
        return Work("failed", (), rater.judged, of)
    leases = [each for each in rater.leases if each.round != "quiz"]
    more = want - len(leases)
    if of:
        more = min(more, of - rater.judged - len(leases))
    leases += _top_up(tx, rules, rater, more, now)
    standing: Standing = "work" if leases else _standing(tx, rules, rater)
    return Work(standing, tuple(leases), rater.judged, of, _code(tx, rules, rater, standing, now))


def _code(tx: Connection, rules: StudyRules, rater: RaterState, standing: Standing, now: float) -> str:
    """The completion code of a rater whose work is done.

    That is, who has as many judgments as the study wants of a rater; or, where nothing is left before that, who skipped
    nothing of what they were given.
    """
    if rater.code and is_earned(rater.status, rater.judged, rater.code_for):
        return rater.code
    if standing != "finished" or not rater.judged:
        return ""
    quota = rules.items_per_rater
    if quota and rater.judged >= quota:
        return issue_code(tx, rater.id, quota, now)
    skipped = tx.execute(_SKIPPED, {"rater": rater.id}).first() is not None
    return "" if skipped else issue_code(tx, rater.id, rater.judged, now)


def _top_up(tx: Connection, rules: StudyRules, rater: RaterState, more: int, now: float) -> list[Lease]:
    """New leases: first of what the rater had before and let lapse, gold or not, then of what comes next."""
    leases: list[Lease] = []
    while len(leases) < more:
        upcoming = _find_lapsed(tx, rules, rater) or _next(tx, rules, rater, now)
        if upcoming is None:
            break
        leases.append(lease(tx, rules, rater, upcoming, now))
    return leases


def _find_lapsed(tx: Connection, rules: StudyRules, rater: RaterState) -> Next | None:
    """The first item in the rater's order whose lease ran out and which they can still get."""
    row = tx.execute(_LAPSED, {"rater": rater.id, "k": rules.raters_per_item}).first() if rater.lapsed else None
    rater.lapsed = row is not None
    if row is None:
        return None
    *item, round, turned, seq = row
    return Next(AvailableItem(*item), round, turned, seq)


def _standing(tx: Connection, rules: StudyRules, rater: RaterState) -> Standing:
    """Of a rater who holds nothing."""
    if rules.items_per_rater and rater.judged >= rules.items_per_rater:
        return "finished"
    if pick_for(tx, rules, rater.id, 0) is not None:
        return "work"
    return "waiting" if may_come_back(tx, rules, rater.id) else "finished"


def _next(tx: Connection, rules: StudyRules, rater: RaterState, now: float) -> Next | None:
    """The next item in a rater's order; gold and repeats come only where work would come too."""
    upcoming = _upcoming(tx, rules, rater, now)
    if upcoming is None:
        return None
    item = upcoming.item if isinstance(upcoming.item, int) else upcoming.item.id
    page, at = divmod(rater.claims, rules.page)
    if at == 0 or rater.due is None:  # at the same place of every page: no claim of gold takes longer than others
        rater.due = _golds(tx, rules, rater)
    special = None
    if at in gold_positions(rater.seed, page, rules.page, rules.gold_per_page):
        special = _take_due_gold(tx, rater.id, rater.due, item)
    elif rules.repeats and draw(rater.seed, "repeat", rater.claims) < rules.repeats * 2**64:
        special = _repeat(tx, rater, item)
    return special or upcoming


def _upcoming(tx: Connection, rules: StudyRules, rater: RaterState, now: float) -> Next | None:
    """The work that comes next, whether or not gold or a repeat comes in its place."""
    if rules.adaptive:
        return draw_pair(tx, rater.id, rater.seed, rater.claims, rules.raters_per_item, now)
    item = pick_for(tx, rules, rater.id, draw(rater.seed, "item", rater.claims))
    return None if item is None else Next(item)


@lru_cache(maxsize=4096)
def gold_positions(seed: int, page: int, size: int, golds: int) -> frozenset[int]:
    """Where in a rater's page gold items stand: drawn anew for each page."""
    return frozenset(Random(draw(seed, "gold", page)).sample(range(size), min(golds, size)))


def _take_due_gold(tx: Connection, rater: int, due: list[int], instead_of: int) -> Next | None:
    """The next of a page's gold items that was not stopped, or had in the quiz, since it was drawn."""
    while due:
        row = tx.execute(_STILL_DUE, {"item": due.pop(0), "rater": rater, "round": "main"}).first()
        if row is not None:
            return Next(AvailableItem(*row), stands_for=instead_of)
    return None


def _golds(tx: Connection, rules: StudyRules, rater: RaterState) -> list[int]:
    """Gold items that the rater never had, each of the class of which they had the fewest.

    Where nobody may get two outputs of a sentence, that is so of gold too.
    """
    n = rules.gold_per_page
    if not n:
        return []
    unseen: dict[str, list[int]] = {}
    seen: dict[str, int] = {}
    rows = tx.execute(_GOLD, {"rater": rater.id}).all()
    had = {item for item, _, round in rows if round is not None}  # also what lapsed: that comes again by itself
    sentence_of_gold = sentences_of_gold(tx, rules)
    sentences = {sentence_of_gold[item] for item in had if item in sentence_of_gold}
    for item, right, round in rows:
        if item not in had and sentence_of_gold.get(item) not in sentences:
            unseen.setdefault(right, []).append(item)
        elif round == "main":
            seen[right] = seen.get(right, 0) + 1
    gold_items: list[int] = []
    while unseen and len(gold_items) < n:
        at = rater.claims + len(gold_items)
        right = min(unseen, key=lambda each: (seen.get(each, 0), draw(rater.seed, "class", at, each)))
        left = unseen[right]
        item = left.pop(draw(rater.seed, "gold item", at) % len(left))
        gold_items.append(item)
        seen[right] = seen.get(right, 0) + 1
        if sentence := sentence_of_gold.get(item):
            unseen = {
                each: [other for other in items if sentence_of_gold[other] != sentence]
                for each, items in unseen.items()
            }
        unseen = {each: items for each, items in unseen.items() if items}
    return gold_items


def _repeat(tx: Connection, rater: RaterState, instead_of: int) -> Next | None:
    """An item that the rater judged a while ago, with its sides changed."""
    last = rater.claims - APART
    if last < 1:
        return None
    start = 1 + draw(rater.seed, "repeated", rater.claims) % last
    for first, until in ((start, last), (1, start - 1)):
        row = tx.execute(_TO_REPEAT, {"rater": rater.id, "first": first, "last": until}).first()
        if row is not None:
            item, turned, payload = row
            half = (n_arrangements(parse_item(payload)) + 1) // 2
            return Next(item, round="repeat", reversed=turned + half, stands_for=instead_of)
    return None
