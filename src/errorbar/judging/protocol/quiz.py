"""Training and quiz before the work: gold items with explanations, each rater's own, classes balanced.

The training is of the round of the quiz, and comes first in a rater's order; only the quiz proper is a test.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text

from errorbar.judging.items.item import Standing, Work
from errorbar.judging.post_edit_kind import sentence_of
from errorbar.judging.protocol.assignments import note
from errorbar.judging.protocol.leases import Next, RaterState, lease, parse_item
from errorbar.judging.random_tokens import draw
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
