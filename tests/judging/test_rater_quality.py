"""What is known of a rater while they work."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from errorbar.judging import JudgedItem, StudyRules, load_scheme
from errorbar.judging.quality import after_answer, flag_hasty_answers, gold_answers, pauses, trust
from errorbar.judging.study.rules import Policy
from tests.judging.small_stores import StoredAnswer, filled

SCHEME = load_scheme("error-ok")
GOLD = [JudgedItem(f"g{n}", f"text {n}", kind="gold", answers=("error",) if n % 2 else ("ok",)) for n in range(12)]
WORK = [JudgedItem(f"w{n}", f"text {n}") for n in range(3)]
OK, ERROR, UNKNOWN = ({"judgment": label} for label in ("ok", "error", "unknown"))


def reason(
    said: Sequence[StoredAnswer], policy: Policy = "sequential", rater: int = 1, **filling: object
) -> str | None:
    with filled(SCHEME, [*GOLD, *WORK], said, **filling) as tx:  # type: ignore[arg-type]
        return after_answer(StudyRules(policy=policy), gold_answers(tx, SCHEME, rater))


ALWAYS_OK = [StoredAnswer("ann", item.name, OK) for item in GOLD]  # at 1, 2, ... 12: errors at even seconds


@pytest.mark.parametrize(
    ("said", "policy", "excluded", "why"),
    [
        (ALWAYS_OK[:1], "sequential", [], None),
        (ALWAYS_OK[:7], "sequential", [], None),  # three errors among them
        (ALWAYS_OK[:8], "sequential", [], "0 of 4 gold items right where 'error' is right"),
        (ALWAYS_OK, "none", [], None),
        ([StoredAnswer("ann", item.name, OK) for item in WORK], "sequential", [], None),
        ([StoredAnswer("ann", item.name, UNKNOWN) for item in GOLD], "sequential", [], None),
        (ALWAYS_OK, "sequential", [{"rater": "ann", "until": 8.5}], None),  # readmitted: afresh from then on
        (ALWAYS_OK, "sequential", [{"rater": "ann", "until": 0.5}], "0 of 6 gold items right where 'error' is right"),
    ],
    ids=[
        "one that is right",
        "three",
        "four",
        "no policy",
        "no gold",
        "unknown",
        "readmitted late",
        "readmitted early",
    ],
)
def test_who_answers_ok_to_every_error_is_excluded_by_the_fourth(
    said: list[StoredAnswer], policy: Policy, excluded: list[dict[str, object]], why: str | None
) -> None:
    told = reason(said, policy, excluded=excluded)
    assert (told and told.partition(" (")[0]) == why


def test_only_the_raters_own_answers_of_the_main_round_count() -> None:
    others = [StoredAnswer("bob", item.name, OK) for item in GOLD]
    quiz = [StoredAnswer("ann", item.name, OK, round="quiz") for item in GOLD]
    assert reason([*quiz, *others], rater=1) is None
    assert reason([*quiz, *others], rater=2) is not None


def test_a_gold_answer_counts_as_it_is_now_and_where_it_was_first() -> None:
    """What is held or skipped is no answer, and what came late is one."""
    said = [
        StoredAnswer("ann", "g1", ERROR, earlier=[OK]),
        StoredAnswer("ann", "g3", OK),
        StoredAnswer("ann", "g0", OK),
        StoredAnswer("ann", "g5", None, state="open"),
        StoredAnswer("ann", "g2", None, state="skipped", skip="cannot read it"),
        StoredAnswer("ann", "g7", OK, state="extra"),
        StoredAnswer("ann", "g9", OK, state="aside"),
    ]
    with filled(SCHEME, GOLD, said) as tx:
        answers = gold_answers(tx, SCHEME, 1).counted()
    assert answers == [("error", True), ("error", False), ("ok", True), ("error", False), ("error", False)]


def test_typed_words_are_one_class() -> None:
    cloze = load_scheme("cloze")
    gold = [JudgedItem(f"g{n}", "He sat on it", (7, 9), kind="gold", answers=(word,)) for n, word in enumerate("abcd")]
    said = [StoredAnswer("ann", item.name, {"word": ["x"]}) for item in gold]
    with filled(cloze, gold, said) as tx:
        assert after_answer(StudyRules(), gold_answers(tx, cloze, 1)) == "0 of 4 gold items right (policy: sequential)"


def test_sides_that_changed_places_are_no_mistake() -> None:
    choice = load_scheme("choice")
    gold = [
        JudgedItem(f"g{n}", "on it", (0, 2), candidates=("on", "in"), kind="gold", answers=("first",)) for n in "abc"
    ]
    said = [
        StoredAnswer("ann", "ga", {"better": "top"}),
        StoredAnswer("ann", "gb", {"better": "bottom"}, reversed=True),
    ]
    said.append(StoredAnswer("ann", "gc", {"better": "top"}, reversed=True))
    with filled(choice, gold, said) as tx:
        assert gold_answers(tx, choice, 1).counted() == [("first", True), ("first", True), ("first", False)]


def test_haste_by_hand() -> None:
    # 300 ms, and 40 ms a word: 500 ms for five words, 1,500 ms for thirty.
    assert flag_hasty_answers([490, 510, 1490, 1510], [5, 5, 30, 30], [1, 2, 3, 4]).tolist() == [
        True,
        False,
        True,
        False,
    ]
    assert flag_hasty_answers([0, -1], [5, 5], [1, 2]).tolist() == [False, False]  # not known
    assert flag_hasty_answers([], [], []).tolist() == []


def test_a_text_that_was_read_before_has_no_new_words() -> None:
    """Another place of the same sentence, or the item again: there is only to decide."""
    assert flag_hasty_answers([490, 490, 310, 290], [30] * 4, [7] * 4).tolist() == [True, False, False, True]


@pytest.mark.parametrize("words", [1, 5, 12, 20, 50, 400])
@pytest.mark.parametrize("rate", [175, 300, 600, 1000])
def test_no_reader_is_hasty_not_even_the_fastest(words: int, rate: int) -> None:
    """Most adults read 175 to 300 words a minute (Brysbaert 2019); 1,000 is what courses of speed reading promise.

    A key is pressed 300 ms after the last word at the earliest. Half of one's median once made a steady reader hasty.
    """
    seconds = 60 * words / rate + 0.3
    assert not flag_hasty_answers([1000 * seconds] * 3, [words] * 3, [1, 2, 3]).any()
    assert not flag_hasty_answers([60_000] * 20 + [1000 * seconds] * 3, [words] * 23, range(23)).any()


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
