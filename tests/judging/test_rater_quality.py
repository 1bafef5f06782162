"""What is known of a rater while they work."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.rater_quality import after_answer, gold_answers, hasty, pauses, trust
from errorbar.judging.rules import Policy, Rules
from errorbar.judging.schemes import load_scheme
from tests.judging.small_stores import Said, filled

SCHEME = load_scheme("error-ok")
GOLD = [JudgedItem(f"g{n}", f"text {n}", kind="gold", answers=("error",) if n % 2 else ("ok",)) for n in range(12)]
WORK = [JudgedItem(f"w{n}", f"text {n}") for n in range(3)]
OK, ERROR, UNKNOWN = ({"judgment": label} for label in ("ok", "error", "unknown"))


def reason(said: Sequence[Said], policy: Policy = "sequential", rater: int = 1, **filling: object) -> str | None:
    with filled(SCHEME, [*GOLD, *WORK], said, **filling) as tx:  # type: ignore[arg-type]
        return after_answer(Rules(policy=policy), gold_answers(tx, SCHEME, rater))


def test_who_answers_ok_to_every_error_is_excluded_by_the_fourth() -> None:
    always_ok = [Said("ann", item.name, OK) for item in GOLD]
    assert reason(always_ok[:7]) is None  # three errors among them
    assert "0 of 4 gold items right where 'error' is right" in (reason(always_ok[:8]) or "")
    assert reason(always_ok, policy="none") is None


def test_without_gold_nobody_fails() -> None:
    assert reason([Said("ann", item.name, OK) for item in WORK]) is None
    assert reason([Said("ann", "g0", OK)]) is None


def test_unknown_is_wrong_on_no_gold_item() -> None:
    assert reason([Said("ann", item.name, UNKNOWN) for item in GOLD]) is None


def test_only_the_raters_own_answers_of_the_main_round_count() -> None:
    others = [Said("bob", item.name, OK) for item in GOLD]
    quiz = [Said("ann", item.name, OK, round="quiz") for item in GOLD]
    assert reason([*quiz, *others], rater=1) is None
    assert reason([*quiz, *others], rater=2) is not None


def test_a_changed_answer_counts_as_it_is_now_and_where_it_was_first() -> None:
    said = [Said("ann", "g1", ERROR, earlier=[OK]), Said("ann", "g3", OK), Said("ann", "g0", OK)]
    with filled(SCHEME, GOLD, said) as tx:
        assert gold_answers(tx, SCHEME, 1).counted() == [("error", True), ("error", False), ("ok", True)]


def test_what_is_held_or_skipped_is_no_answer_and_what_came_late_is_one() -> None:
    said = [
        Said("ann", "g1", None, state="open"),
        Said("ann", "g3", None, state="skipped", skip="cannot read it"),
        Said("ann", "g5", OK, state="extra"),
        Said("ann", "g7", OK, state="aside"),
    ]
    with filled(SCHEME, GOLD, said) as tx:
        assert gold_answers(tx, SCHEME, 1).counted() == [("error", False), ("error", False)]


def test_who_was_readmitted_starts_afresh() -> None:
    said = [Said("ann", item.name, OK) for item in GOLD]  # at 1, 2, ... 12: errors at even seconds
    assert reason(said, excluded=[{"rater": "ann", "until": 8.5}]) is None
    assert reason(said, excluded=[{"rater": "ann", "until": 0.5}]) is not None


def test_typed_words_are_one_class() -> None:
    cloze = load_scheme("cloze")
    gold = [JudgedItem(f"g{n}", "He sat on it", (7, 9), kind="gold", answers=(word,)) for n, word in enumerate("abcd")]
    said = [Said("ann", item.name, {"word": ["x"]}) for item in gold]
    with filled(cloze, gold, said) as tx:
        assert "0 of 4 gold items right (sprt" in (after_answer(Rules(), gold_answers(tx, cloze, 1)) or "")


def test_sides_that_changed_places_are_no_mistake() -> None:
    choice = load_scheme("choice")
    gold = [
        JudgedItem(f"g{n}", "on it", (0, 2), candidates=("on", "in"), kind="gold", answers=("first",)) for n in "abc"
    ]
    said = [Said("ann", "ga", {"better": "top"}), Said("ann", "gb", {"better": "bottom"}, reversed=True)]
    said.append(Said("ann", "gc", {"better": "top"}, reversed=True))
    with filled(choice, gold, said) as tx:
        assert gold_answers(tx, choice, 1).counted() == [("first", True), ("first", True), ("first", False)]


def test_haste_by_hand() -> None:
    times, words = [700, 900, 900, 900, 1100, 4000, 4000, 4000], [5, 5, 30, 30, 5, 5, 5, 5]
    # Half of the median is 550 here, so the floor is 800 ms, or 1,200 for thirty words.
    assert hasty(times, words).tolist() == [True, False, True, True, False, False, False, False]
    assert hasty([1100], [5], median=4000).tolist() == [True]
    assert hasty([0, -1], [5, 5]).tolist() == [False, False]  # not known
    assert hasty([900] * 4, [5] * 4).tolist() == [False] * 4


def test_three_hasty_answers_in_a_row_are_a_pause() -> None:
    assert [
        pauses(flags) for flags in ([], [1, 1], [1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 0, 1, 1, 1])
    ] == [*(0, 0, 1, 1, 0, 2)]


def test_trust_by_hand() -> None:
    """STATISTICS 6."""
    assert [trust(*each) for each in ((7, 10), (2, 2), (18, 20), (3, 5))] == pytest.approx(
        [0.6667, 0.75, 0.8636, 0.5714], abs=1e-4
    )
    assert trust(0, 0) == 0.5
