"""Counts of correction behavior: by hand, and what the page says."""

from __future__ import annotations

import pytest

from errorbar import Corpus, Edit, Hypothesis, Problems, Score, parse_metric
from errorbar.core import CorrectedSentence, InputError, TextEdits, Undefined, UsageError
from errorbar.metrics.behavior import Behavior
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.scoring import counts_of, score

# Of annotator 0: "the" before c is needed, d -> D, f -> F, h is to go.
GOLD = [edit(2, 2, "the", kind="Det"), edit(3, 4, "D", kind="V"), edit(5, 6, "F", kind="N"), edit(7, 8, "", kind="N")]
SOURCE = "a b c d e f g h i"


def one(*said: str, gold: Corpus | None = None, metric: str = "behavior", by_type: bool = False) -> Score:
    reference = gold or corpus(sentence(SOURCE, {"0": GOLD}))
    (found,) = score(reference, [Hypothesis("it", said)], [metric], by_type=by_type)
    return found


def test_one_of_each() -> None:
    # "the" is there (hit), d -> X (wrong), f is left (under), h is gone (hit), i -> I (over); h and i touch, and so
    # h i -> I against h i -> i is one chunk: wrong.
    found = one("a b the c X e f g I")
    assert found.counts == {"n_hit": 1, "n_wrong": 2, "n_under": 1, "n_over": 0}
    found = one("A b the c X e f g i")
    assert found.counts == {"n_hit": 2, "n_wrong": 1, "n_under": 1, "n_over": 1}
    assert [each.value for each in found.estimates.values()] == pytest.approx(
        [2 / 4, 1 / 4, 1 / 4, 1 / 4, 0.45 / 2 + 0.35 * 3 / 4 + 0.15 * 3 / 4 + 0.05 * 3 / 4]
    )
    assert found.estimate == found["score"]
    assert {measure.name for measure in found.measures if measure.better == "lower"} == {"wrong", "under", "over"}


def test_other_annotators_edits_join_chunks() -> None:
    """c -> C of annotator 1 joins "the" and d -> D, so that what was a hit and a wrong chunk is a wrong one."""
    gold = corpus(sentence(SOURCE, {"0": GOLD, "1": [edit(2, 3, "C")]}))
    found = one("a b the c X e F g i", gold=gold, metric="behavior(choose=0)")
    assert found.counts == {"n_hit": 2, "n_wrong": 1, "n_under": 0, "n_over": 0}
    alone = one("a b the c X e F g i")
    assert alone.counts == {"n_hit": 3, "n_wrong": 1, "n_under": 0, "n_over": 0}


def test_types_are_those_of_whoever_changes_the_chunk() -> None:
    made = CorrectedSentence("A b c D e f g i", (edit(0, 1, "A", kind="Orth"), edit(3, 4, "D"), edit(7, 8, "")))
    found = one(made, by_type=True)
    assert {row.type: tuple(row.counts.values()) for row in found.by_type} == {
        "Det": (0, 0, 1, 0, 1),
        "V": (1, 0, 0, 0, 1),
        "N": (1, 0, 1, 0, 2),
        "Orth": (0, 0, 0, 1, 0),
    }
    assert {row.type: row["hit"].value for row in found.by_type} == {"Det": 0, "V": 1, "N": 0.5, "Orth": None}


def test_edits_of_a_system_are_taken_as_they_are() -> None:
    """As one edit from b to d the same text is one hit; to e it touches f, which the annotator changes too."""
    whole = CorrectedSentence("a b the c D e f g h i", (edit(1, 4, "b the c D"),))
    longer = CorrectedSentence(str(whole), (edit(1, 5, "b the c D e"),))
    assert counts_of(one(longer)) == (0, 1, 1, 0)
    assert counts_of(one(whole)) == (1, 0, 2, 0)
    assert counts_of(one(str(whole))) == (2, 0, 2, 0)
    text = CorrectedSentence(str(whole), TextEdits())
    assert counts_of(one(text)) == (2, 0, 2, 0)
    with pytest.raises(InputError, match="the system's edits are of another sentence: a x"):
        one(CorrectedSentence("a b", (), "a x"))


def test_alternatives_unclear_edits_and_edits_without_effect() -> None:
    alternatives = corpus(sentence("a b", {"0": [Edit(0, 1, ("x", "y"))]}))
    assert counts_of(one("y b", gold=alternatives)) == (1, 0, 0, 0)
    assert counts_of(one("z b", gold=alternatives)) == (0, 1, 0, 0)
    unclear = corpus(sentence("a b", {"0": [edit(0, 1, "", kind="Um"), Edit(1, 2, ())]}))
    assert counts_of(one("a b", gold=unclear)) == (0, 0, 0, 0)
    assert counts_of(one("b", gold=unclear)) == (0, 0, 0, 1)
    assert counts_of(one(CorrectedSentence("a b", (edit(0, 1, "a"),)), gold=unclear)) == (0, 0, 0, 0)


def test_the_annotator_with_the_best_score_so_far_is_chosen() -> None:
    """Alone, the second sentence would go to 0 by its tie; after the first a hit outweighs."""
    texts = {"0": [edit(0, 1, "x")], "1": [edit(0, 1, "y")]}
    gold = corpus(sentence("a b", texts), sentence("a b", texts))
    found = score(gold, [Hypothesis("it", ["y b", "z b"])], ["behavior"], by_sentence=True)[0]
    assert [row.annotator for row in found.by_unit] == ["1", "0"]
    assert found.counts == {"n_hit": 1, "n_wrong": 1, "n_under": 0, "n_over": 0}


def test_empty_cases_are_named() -> None:
    nothing = corpus(sentence("a b", {"0": []}))
    found = one("a b", gold=nothing)
    assert [each.value for each in found.estimates.values()] == pytest.approx([0, 0, 0, 0, 0.55])
    assert [each.undefined for each in found.estimates.values()] == [
        *[Undefined.NOTHING_IN_REFERENCE] * 3,
        Undefined.NOTHING_PROPOSED,
        Undefined.NO_EDITS,
    ]
    assert one("a", gold=nothing)["score"].undefined is Undefined.NOTHING_IN_REFERENCE
    idle = one(SOURCE)
    assert idle["over"].undefined is Undefined.NOTHING_PROPOSED
    assert idle["score"].value == pytest.approx(0.4)
    assert idle["score"].undefined is None


def test_edits_that_overlap_are_counted_and_told() -> None:
    problems = Problems()
    gold = corpus(sentence("a b c", {"0": [edit(0, 2, "x"), edit(1, 3, "y")]}))
    (found,) = score(gold, [Hypothesis("it", ["x c"])], ["behavior"], problems=problems)
    assert counts_of(found) == (1, 0, 0, 0)
    assert [(note.code, note.what) for note in problems.notes] == [
        ("apply-overlap", "edits of annotators that overlap others and were left out: 1")
    ]


def test_an_annotator_who_changes_nothing_is_named() -> None:
    """Two sentences with four errors each by 0: a system that finds one has 1 hit of 1 if 1 left all as it is."""
    problems = Problems()
    gold = corpus(*[sentence(SOURCE, {"0": GOLD, "1": []})] * 2)
    system = Hypothesis("it", ["a b the c D e F g i", "A b c d e f g h i"])
    (found,) = score(gold, [system], ["behavior"], problems=problems)
    assert found.counts == {"n_hit": 4, "n_wrong": 0, "n_under": 0, "n_over": 1}
    assert found.estimate.value == pytest.approx(0.45 + 0.35 + 0.15 + 0.05 * 4 / 5)
    (note,) = problems.notes
    assert (note.code, note.severity) == ("annotator-unchanged", "warning")
    assert "annotator 1 changes 0.0% of the sentences, the others 100.0%" in note.what
    for metric in ("behavior(choose=0)", "behavior(choose=1)"):
        problems = Problems()
        score(gold, [system], [metric], problems=problems)
        assert not problems.notes


def test_annotators_who_all_change_little_are_not_warned_of() -> None:
    problems = Problems()
    gold = corpus(*[sentence(SOURCE, {"0": [], "1": []})] * 9, sentence(SOURCE, {"0": GOLD, "1": GOLD[:1]}))
    score(gold, [Hypothesis("it", [SOURCE] * 10)], ["behavior"], problems=problems)
    assert not problems.notes


def test_edits_of_a_hit_are_shown_as_correct() -> None:
    gold = corpus(sentence(SOURCE, {"0": GOLD}), sentence("a", {}))
    (first, second) = Behavior().system_edits(gold, ["A b the c X e f g i", "b"], ["0", None])
    assert [(each.start, each.end, each.replacement, each.matched) for each in first] == [
        (0, 1, "A", False),
        (2, 2, "the", True),
        (3, 4, "X", False),
        (7, 8, "", True),
    ]
    assert list(second) == []


def test_a_pipeline_is_for_errants_edits() -> None:
    with pytest.raises(UsageError, match="needs no pipeline"):
        parse_metric("behavior(pipeline=mine)")
    assert parse_metric("behavior(edits=errant,pipeline=mine)").makes_edits
    with pytest.raises(UsageError, match="minimal or errant"):
        parse_metric("behavior(edits=small)")
