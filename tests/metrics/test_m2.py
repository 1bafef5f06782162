"""The MaxMatch metric on sentences small enough to count by hand."""

from __future__ import annotations

import pytest

from errorbar import M2, Corpus, Hypothesis, Score
from errorbar.core import InputError, Undefined, UsageError
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.scoring import score


def scored(reference: Corpus, *lines: str, metric: M2 | None = None) -> Score:
    return score(reference, [Hypothesis("system", lines)], [metric or M2()])[0]


def test_precision_recall_and_f() -> None:
    # Proposed: the -> a, dog -> cat. Reference: the -> a, runs -> ran, and "quickly" inserted before the full stop.
    reference = corpus(
        sentence("the big dog of mine runs .", {"0": [edit(0, 1, "a"), edit(5, 6, "ran"), edit(6, 6, "quickly")]})
    )
    result = scored(reference, "a big cat of mine runs .")
    assert result.counts == {"correct": 1, "proposed": 2, "gold": 3}
    assert result.precision.value == 1 / 2
    assert result.recall.value == 1 / 3
    # F0.5 = 1.25 PR / (0.25 P + R) = 1.25 (1/6) / (1/8 + 1/3) = (5/24) / (11/24) = 5/11
    assert result.f.value == pytest.approx(5 / 11)
    assert scored(reference, "a big cat of mine runs .", metric=M2(beta=1.0)).f.value == pytest.approx(2 / 5)


def test_the_annotator_who_agrees_more_is_chosen() -> None:
    reference = corpus(sentence("a b c d e f", {"0": [edit(0, 1, "X")], "1": [edit(4, 5, "Y")]}))
    assert list(scored(reference, "a b c d Y f").counts.values()) == [1, 1, 1]
    assert list(scored(reference, "X b c d e f").counts.values()) == [1, 1, 1]


def test_a_named_annotator_is_the_only_one() -> None:
    reference = corpus(sentence("a b c d e f", {"0": [edit(0, 1, "X")], "1": [edit(4, 5, "Y")]}))
    result = scored(reference, "a b c d Y f", metric=M2(choose="0"))
    assert list(result.counts.values()) == [0, 1, 1]
    assert result.annotators == ("0",)


def test_an_absent_annotator_cannot_be_chosen_though_silence_would_have_been_right() -> None:
    looked = corpus(sentence("a b", {"0": [edit(0, 1, "X")], "1": []}))
    absent = corpus(sentence("a b", {"0": [edit(0, 1, "X")]}), annotators=("0", "1"))
    assert list(scored(looked, "a b").counts.values()) == [0, 0, 0]
    assert list(scored(absent, "a b").counts.values()) == [0, 0, 1]


def test_a_named_annotator_is_not_scored_where_they_did_not_look() -> None:
    reference = corpus(sentence("a b", {"0": [edit(0, 1, "X")]}), sentence("a b", {"1": [edit(0, 1, "X")]}))
    result = scored(reference, "X b", "X b", metric=M2(choose="1"))
    assert list(result.counts.values()) == [1, 1, 1]
    assert result.n_units == 1


def test_an_unknown_annotator_is_named_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no annotator 'teacher' in the reference; known: 0"):
        scored(corpus(sentence("a", {"0": []})), "a", metric=M2(choose="teacher"))


@pytest.mark.parametrize("beta", [0.0, -1.0, 1000.5, float("inf"), float("nan")])
def test_a_weight_that_will_not_do(beta: float) -> None:
    with pytest.raises(UsageError, match="a number above 0, at most 1000"):
        M2(beta=beta)


@pytest.mark.parametrize("max_unchanged", [-1, 101])
def test_a_number_of_words_that_will_not_do(max_unchanged: int) -> None:
    with pytest.raises(UsageError, match="a whole number from 0 to 100"):
        M2(max_unchanged=max_unchanged)


def test_the_smallest_and_the_largest_parameters() -> None:
    assert str(M2(beta=1000, max_unchanged=0).spec) == "m2(beta=1000,max_unchanged=0)"
    assert M2(max_unchanged=100).max_unchanged == 100
    assert isinstance(M2(beta=1).beta, float)  # a whole number will do


def test_an_edit_that_changes_nothing_stays_in_recall() -> None:
    reference = corpus(sentence("a b", {"0": [edit(0, 1, "a")]}))
    assert list(scored(reference, "a b").counts.values()) == [0, 0, 1]


def test_the_choice_may_be_order_free() -> None:
    # The counts of tests/metrics/test_choice.py cannot differ in P here, so: sentence 1 is all wrong, (0, 1, 2);
    # sentence 2: annotator 0 (1, 2, 1), annotator 1 (2, 2, 6). beta = 1, F = 2C / (G + P):
    #   alone 2/3 against 4/8, after sentence 1 2/(3+3) = 0.33 against 4/(8+3) = 0.36.
    seven = [edit(0, 1, "X"), edit(4, 5, "Y"), *(edit(i, i + 1, f"no{i}") for i in (6, 7, 8, 9))]
    reference = corpus(
        sentence("q r", {"0": [edit(0, 1, "s"), edit(1, 2, "t")]}),
        sentence("a b c d e f g h i j", {"0": [edit(0, 1, "X")], "1": seven}),
    )
    lines = ("Z r", "X b c d Y f g h i j")
    assert list(scored(reference, *lines, metric=M2(beta=1.0)).counts.values()) == [2, 3, 8]
    assert list(scored(reference, *lines, metric=M2(beta=1.0, choose="sentence")).counts.values()) == [1, 3, 3]


class TestEmptyCases:
    """Where the official scorer has a value for nothing, errorbar has it too and names the convention."""

    def test_nothing_proposed(self) -> None:
        result = scored(corpus(sentence("a b", {"0": [edit(0, 1, "X")]})), "a b")
        assert (result.precision.value, result.recall.value, result.f.value) == (1.0, 0.0, 0.0)
        assert result.precision.undefined is Undefined.NOTHING_PROPOSED
        assert result.recall.undefined is None
        assert result.f.undefined is Undefined.NOTHING_PROPOSED  # P and R are not both 0

    def test_nothing_in_the_reference(self) -> None:
        result = scored(corpus(sentence("a b", {"0": []})), "X b")
        assert (result.precision.value, result.recall.value, result.f.value) == (0.0, 1.0, 0.0)
        assert result.recall.undefined is Undefined.NOTHING_IN_REFERENCE
        assert result.f.undefined is Undefined.NOTHING_IN_REFERENCE

    def test_nothing_right(self) -> None:
        result = scored(corpus(sentence("a b", {"0": [edit(0, 1, "X")]})), "a Y")
        assert (result.precision.undefined, result.f.undefined) == (None, Undefined.NOTHING_CORRECT)

    def test_neither(self) -> None:
        result = scored(corpus(sentence("a b", {"0": []})), "a b")
        assert (result.precision.value, result.recall.value, result.f.value) == (1.0, 1.0, 1.0)
        assert result.f.undefined is Undefined.NOTHING_PROPOSED

    def test_no_sentence_has_no_value(self) -> None:
        result = scored(corpus(annotators=("0",)))
        assert (result.precision.value, result.recall.value, result.f.value) == (None, None, None)
        assert result.f.undefined is Undefined.NO_UNITS

    def test_a_sentence_that_nobody_looked_at_has_no_value(self) -> None:
        result = scored(corpus(sentence("a b", {}), annotators=("0",)), "X b")
        assert result.f.value is None
        assert result.n_units == 0


def test_lines_and_sentences_must_be_as_many() -> None:
    with pytest.raises(InputError, match="2 lines for 1 sentence of the source") as refused:
        scored(corpus(sentence("a", {"0": []})), "a", "b")
    assert refused.value.code == "line-count"


def test_a_corpus_edited_after_a_scoring_is_encoded_anew() -> None:
    reference = corpus(sentence("a b c d", {"0": [edit(0, 1, "X")]}))
    assert list(scored(reference, "X b c d").counts.values()) == [1, 1, 1]
    reference.sentences[0].annotations["0"] = (edit(1, 2, "Y"),)
    assert list(scored(reference, "X b c d").counts.values()) == [0, 1, 1]
