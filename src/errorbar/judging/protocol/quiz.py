"""The quiz before the work: gold items with explanations, each rater's own, classes balanced."""

from __future__ import annotations

import json

from sqlalchemy import Connection, text

from errorbar.judging.items.item import Work
from errorbar.judging.protocol.assignments import note
from errorbar.judging.protocol.leases import Next, RaterState, lease
from errorbar.judging.random_tokens import draw
from errorbar.judging.study.rules import StudyRules

_FIRST_SEQ = -100_000  # the quiz comes before all else in a rater's order
_QUIZ_ITEMS = text(  # who works already when the quiz is set has had some, and was not told the answers
    "SELECT i.id, i.gold_class FROM item i WHERE i.kind = 'gold' AND i.stopped = '' AND NOT EXISTS"
    " (SELECT 1 FROM assignment a WHERE a.item = i.id AND a.rater = :rater AND a.round = 'main') ORDER BY i.id"
)
_STATES = text("SELECT item, state, seq FROM assignment WHERE rater = :rater AND round = 'quiz' ORDER BY seq")
_RECEIPTS = text(
    "SELECT e.data FROM event e JOIN assignment a ON a.id = e.assignment"
    " WHERE a.rater = :rater AND a.round = 'quiz' AND e.kind = 'answered'"
)
_BEGAN = text("SELECT 1 FROM assignment WHERE rater = :rater AND round = 'quiz' LIMIT 1")
_SETTLED = text("UPDATE rater SET quiz = :quiz WHERE id = :id")


def quiz_work(tx: Connection, rules: StudyRules, rater: RaterState, want: int, now: float) -> Work | None:
    """The page of a rater who is in the quiz; None: they are through, ``rater.quiz`` says how."""
    states, order, answered, of = _progress(tx, rules, rater)
    if answered >= of:
        rater.quiz = _settle(tx, rules, rater.id, now)
        return None
    leases = [each for each in rater.leases if each.round == "quiz"]
    known = {item for item, _, _ in states}
    fresh = [item for item in order if item not in known][: of - len(states)]
    todo = [(item, seq) for item, state, seq in states if state == "expired"]
    todo += [(item, _FIRST_SEQ + len(states) + at) for at, item in enumerate(fresh)]
    for item, seq in todo[: max(want - len(leases), 0)]:
        leases.append(lease(tx, rules, rater, Next(item, round="quiz", seq=seq), now))
    return Work("quiz", tuple(leases), answered, of)


def began(tx: Connection, rater: int) -> bool:
    """Whether the rater was given a question of the quiz."""
    return tx.execute(_BEGAN, {"rater": rater}).first() is not None


def settle_if_answered(tx: Connection, rules: StudyRules, rater: RaterState, now: float) -> None:
    """Say whether a rater passed as soon as every question is answered."""
    _, _, answered, of = _progress(tx, rules, rater)
    if rater.quiz == "due" and answered >= of:
        _settle(tx, rules, rater.id, now)


def _progress(
    tx: Connection, rules: StudyRules, rater: RaterState
) -> tuple[list[tuple[int, str, int]], list[int], int, int]:
    """The items that the rater got so far, all gold in their order, how many are answered, of how many."""
    states = [(item, state, seq) for item, state, seq in tx.execute(_STATES, {"rater": rater.id})]
    gold = [(item, right) for item, right in tx.execute(_QUIZ_ITEMS, {"rater": rater.id})]
    order = quiz_order(gold, rater.seed)
    answered = sum(state in ("done", "skipped") for _, state, _ in states)
    return states, order, answered, max(len(states), min(rules.quiz, len(order)))


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
    receipts = [json.loads(data)["receipt"] for (data,) in tx.execute(_RECEIPTS, {"rater": rater}).all()]
    right = sum(bool((receipt.get("feedback") or {}).get("right")) for receipt in receipts)
    quiz = "passed" if right >= rules.quiz_needed(len(receipts)) else "failed"
    tx.execute(_SETTLED, {"id": rater, "quiz": quiz})
    note(tx, now, f"quiz {quiz}", rater=rater, data=json.dumps({"right": right, "of": len(receipts)}))
    return quiz
