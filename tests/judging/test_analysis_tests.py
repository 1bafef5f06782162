"""``judge analyze`` of choice and cloze tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from errorbar import Resampling
from errorbar.core import UsageError
from errorbar.judging import JudgedItem, load_scheme, read_study
from errorbar.judging.analysis.study_analysis import AnalysisOptions, StudyAnalysis, analysis_of
from tests.judging.small_stores import StoredAnswer, filled
from tests.judging.test_analysis_prepositions import published

CHOICE, CLOZE = load_scheme("choice"), load_scheme("cloze")
DRAWN = Resampling("percentile", 300)
SIDE = {"first": "top", "second": "bottom"}


def pair(name: str, names: tuple[str, str] = ("writer", "system")) -> JudgedItem:
    return JudgedItem(name, "He sat on it .", (7, 9), candidates=("on", "in"), names=names)


def chosen(who: str, item: str, label: str, *, reversed: bool = False, round: str = "main") -> StoredAnswer:
    sides = {"first": "bottom", "second": "top"} if reversed else SIDE
    return StoredAnswer(who, item, {"better": sides.get(label, label)}, reversed=reversed, round=round)


def choices(
    said: Sequence[StoredAnswer], items: Sequence[JudgedItem] = (), accuracy: float | None = None
) -> StudyAnalysis:
    known = items or [pair(name) for name in dict.fromkeys(each.item for each in said)]
    with filled(CHOICE, known, said) as tx:
        return analysis_of(read_study(tx, whole=True), AnalysisOptions(accuracy=accuracy), DRAWN)


def test_the_published_share_raises_the_published_accuracy() -> None:
    """28 % of the system's choices were as good or better; it agreed with the writer on 77.4 % (section 4)."""
    facts = {row["fact"]: float(row["value"]) for row in published("tetreault_chodorow2008_facts.csv")}
    labels = ["second"] * 10 + ["equal"] * 18 + ["first"] * 65 + ["neither"] * 7
    said = [chosen("ann", f"i{n}", label, reversed=n % 2 == 0) for n, label in enumerate(labels)]
    found = choices(said, accuracy=facts["accuracy_encarta_reuters"])
    of = "writer and system"
    shares = {name: found.figure("preferences", of, name).value for name in ("first better", "equally good")}
    assert shares == {"first better": pytest.approx(0.65), "equally good": pytest.approx(0.18)}
    good = found.figure("accuracy", of, "second as good or better")
    assert good.value == pytest.approx(facts["choice_test_equal_or_better"])
    after = found.figure("accuracy", of, "after")
    assert after.value == pytest.approx(0.774 + 0.226 * 0.28)  # .837
    assert after.interval is not None
    assert good.interval is not None
    assert after.interval.low == pytest.approx(0.774 + 0.226 * good.interval.low)


def test_each_pair_of_writers_and_all() -> None:
    items = [pair("a", ("x", "y")), pair("b", ("x", "z"))]
    said = [chosen("ann", "a", "first"), chosen("ann", "b", "second"), chosen("bob", "b", "second")]
    found = choices(said, items)
    assert found.figure("preferences", "x and y", "first better").value == 1
    assert found.figure("preferences", "x and z", "second better").value == 1
    assert found.figure("preferences", "all", "second better").value == 0.5  # an item counts once


def test_a_text_of_several_systems_counts_for_each_of_them() -> None:
    items = [pair("a", ("writer", "x|y")), pair("b", ("writer", "y")), pair("c", ("y", "writer"))]
    said = [chosen("ann", "a", "first"), chosen("ann", "b", "second"), chosen("ann", "c", "first")]
    found = choices(said, items)
    assert found.figure("preferences", "writer and x", "first better").value == 1
    assert found.figure("preferences", "writer and y", "items").value == 3
    assert found.figure("preferences", "writer and y", "second better").value == pytest.approx(2 / 3)
    assert found.figure("preferences", "all", "items").value == 3


def test_sides_and_repeats() -> None:
    said = [
        *(chosen("ann", "a", "first"), chosen("ann", "a", "first", reversed=True, round="repeat")),
        *(chosen("bob", "a", "second", reversed=True), chosen("bob", "a", "first", round="repeat")),
    ]
    found = choices(said)
    assert found.figure("consistency", "all raters", "alike when repeated").value == 0.5
    assert found.figure("consistency", "bob", "alike when repeated").value == 0
    assert found.figure("consistency", "all raters", "P(top)").value == 1
    assert found.figure("consistency", "ann", "P(top)").n_units == 1


def cloze(said: Sequence[tuple[str, str, Sequence[str]]], hidden: Sequence[dict[str, str]] = ()) -> StudyAnalysis:
    items = [
        JudgedItem(f"i{n}", "He sat On it .", (7, 9), hidden=(hidden[n] if n < len(hidden) else {}))
        for n in range(max(3, len({item for _, item, _ in said})))
    ]
    answers = [StoredAnswer(who, item, {"word": list(words)}) for who, item, words in said]
    with filled(CLOZE, items, answers) as tx:
        return analysis_of(read_study(tx, whole=True), intervals=DRAWN)


def test_a_cloze_test_before_and_after_other_good_words() -> None:
    said = [("ann", "i0", ["on"]), ("ann", "i1", ["in", "ON"]), ("ann", "i2", ["∅"]), ("bob", "i0", ["at"])]
    found = cloze(said)
    assert found.figure("accuracy", "ann", "before").value == pytest.approx(1 / 3)
    assert found.figure("accuracy", "ann", "after").value == pytest.approx(2 / 3)
    assert found.figure("accuracy", "all raters", "after").value == 0.5
    assert found.figure("pairs", "writer and ann", "agreement").value == pytest.approx(1 / 3)
    assert {finding.of for finding in found.findings if finding.section == "pairs"} == {
        "writer and ann",
        "writer and bob",
    }


def test_raters_who_answer_alike_make_no_interval_shorter() -> None:
    """Answers to one item go together: taken for independent, ten raters' interval held the truth in 69 %."""
    said = [[(who, f"i{n}", ["at" if n % 3 else "on"]) for n in range(24)] for who in ("ann", "bob", "cyd", "dan")]
    one, four = (
        cloze([answer for own in raters for answer in own]).figure("accuracy", "all raters", "before")
        for raters in (said[:1], said)
    )
    assert four.value == pytest.approx(1 / 3)
    assert four.n_units == 24
    assert four.interval is not None
    assert four.interval == one.interval


def test_writer_raters_and_systems_in_pairs() -> None:
    said = [
        (who, f"i{n}", [word])
        for who, words in (("ann", "on in on"), ("bob", "on in at"))
        for n, word in enumerate(words.split())
    ]
    found = cloze(said, [{"system_lm": "on"}, {"system_lm": "IN"}, {"system_lm": ""}])
    # ann: on in on; bob: on in at: A_o 2/3, A_e (2*1 + 1*1)/9.
    kappa = found.figure("agreement", "all judgments", "kappa")
    assert kappa.value == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))
    assert kappa.interval is not None
    assert kappa.interval.method == "closed form"  # once, by the formula that docs/agreement.md names
    assert "ann and bob" not in {finding.of for finding in found.findings}
    three = cloze([*said, *(("cyd", item, words) for who, item, words in said if who == "ann")])
    assert three.figure("pairs", "ann and bob", "kappa").value == pytest.approx(kappa.value)
    assert found.figure("pairs", "system_lm and ann", "agreement").value == pytest.approx(2 / 3)
    assert str(found.figure("pairs", "writer and system_lm", "kappa").undefined) == "None"


def test_a_cloze_test_of_one_answer() -> None:
    found = cloze([("ann", "i0", ["on"])])
    kappa = found.figure("pairs", "writer and ann", "kappa")
    assert (kappa.value, str(kappa.undefined)) == (None, "every judgment has the same label")
    assert str(found.figure("agreement", "all judgments", "alpha").undefined) == "no item was judged by two raters"


def test_what_systems_wrote_is_read_as_init_writes_it() -> None:
    words = [{"says:lm": "on", "word": "On"}, {"word": "On"}, {"says:lm": ""}]
    found = cloze([("ann", f"i{n}", ["on"]) for n in range(3)], words)
    assert found.figure("pairs", "writer and lm", "items").value == 2
    assert found.figure("pairs", "lm and ann", "agreement").value == 0.5
    assert "word" not in {name for each in found.findings for name in each.of.split(" and ")}


def test_a_rater_may_have_the_name_of_a_system() -> None:
    found = cloze([(who, f"i{n}", ["on"]) for n in range(3) for who in ("writer", "lm")], [{"says:lm": "in"}])
    assert found.figure("pairs", "writer (no rater) and writer", "agreement").value == 1
    assert found.figure("pairs", "lm (no rater) and lm", "agreement").value == 0


def test_systems_are_shown_with_many_raters_too() -> None:
    found = cloze([(f"r{n}", "i0", ["on"]) for n in range(21)], [{"says:lm": "on"}])
    assert found.figure("pairs", "lm and r20", "agreement").value == 1


@pytest.mark.parametrize("asked", [{"systems": {"lm": {"i1": True}}}, {"truth": {"i1": "error"}}, {"experts": ["ann"]}])
def test_what_is_about_errors_is_refused_of_a_choice_test(asked: dict[str, Any]) -> None:
    refused = pytest.raises(UsageError, match="for schemes that ask about errors, and the scheme is choice")
    with filled(CHOICE, [pair("i1")], [chosen("ann", "i1", "first")]) as tx, refused:
        analysis_of(read_study(tx, whole=True), AnalysisOptions(**asked), DRAWN)


def test_accuracy_is_refused_where_nobody_chose() -> None:
    said = [StoredAnswer("ann", "i1", {"word": ["on"]})]
    refused = pytest.raises(UsageError, match="accuracy is for choice tests, and the scheme is cloze")
    with filled(CLOZE, [JudgedItem("i1", "He sat on it .", (7, 9))], said) as tx, refused:
        analysis_of(read_study(tx, whole=True), AnalysisOptions(accuracy=0.8), DRAWN)
