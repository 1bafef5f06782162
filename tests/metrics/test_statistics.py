"""Statistics: sub-corpora and joined corpora need no second measuring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.metrics.choice import EditStatistics, TypeCounts, concatenate
from errorbar.metrics.m2 import M2
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.effort import draw_examples
from tests.strategies import corpora


def assert_same(first: EditStatistics, second: EditStatistics) -> None:
    assert first.annotators == second.annotators
    np.testing.assert_array_equal(first.counts, second.counts)
    np.testing.assert_array_equal(first.present, second.present)


def dense(counts: TypeCounts) -> NDArray[np.int64]:
    """Counts by type with every zero; shape (units, annotators, types, 2)."""
    table = np.zeros((*counts.shape, 2), np.int64)
    table.reshape(counts.shape[0] * counts.shape[1], counts.shape[2], 2)[counts.slot, counts.type] = counts.count
    return table


def split(reference: Corpus, lines: list[str], at: int) -> list[tuple[Corpus, list[str]]]:
    return [
        (Corpus(reference.sentences[:at], reference.annotators), lines[:at]),
        (Corpus(reference.sentences[at:], reference.annotators), lines[at:]),
    ]


@draw_examples(60)
@given(corpora(min_size=1))
def test_the_parts_of_a_corpus_join_to_the_whole(example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    whole = M2().measure(reference, lines, by_type=True)
    parts = [M2().measure(*part, by_type=True) for part in split(reference, lines, len(lines) // 2)]
    joined = concatenate(parts)
    assert_same(joined, whole)
    assert joined.by_type is not None
    assert whole.by_type is not None
    order = [joined.types.index(name) for name in whole.types]
    np.testing.assert_array_equal(dense(joined.by_type)[:, :, order], dense(whole.by_type))


@draw_examples(60)
@given(corpora(min_size=1))
def test_taking_units_is_measuring_them(example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    units = np.arange(len(lines) - 1, -1, -2)
    some = Corpus([reference.sentences[unit] for unit in units], reference.annotators)
    measured = M2().measure(some, [lines[unit] for unit in units], by_type=True)
    taken = M2().measure(reference, lines, by_type=True).take(units)
    assert_same(taken, measured)
    assert taken.by_type is not None
    assert measured.by_type is not None
    order = [taken.types.index(name) for name in measured.types]
    np.testing.assert_array_equal(dense(taken.by_type)[:, :, order], dense(measured.by_type))


def test_annotators_and_types_are_joined_by_name() -> None:
    first = corpus(sentence("a b", {"teacher": [edit(0, 1, "X", kind="Det")]}))
    second = corpus(sentence("a b", {"0": [], "teacher": [edit(1, 2, "Y", kind="Prep")]}))
    parts = [M2().measure(part, ["X b"], by_type=True) for part in (first, second)]
    joined = concatenate(parts)
    assert joined.annotators == ("0", "teacher")
    assert joined.types == ("Det", "Prep")
    assert joined.present.tolist() == [[0, 1], [1, 1]]
    assert joined.counts.tolist() == [[[0, 0, 0], [1, 1, 1]], [[0, 1, 0], [0, 1, 1]]]
    assert joined.by_type is not None
    assert dense(joined.by_type)[:, 1].tolist() == [[[1, 1], [0, 0]], [[0, 0], [0, 1]]]


def test_the_number_of_large_pairs_adds_up() -> None:
    source, line = " ".join(f"old{i}" for i in range(100)), " ".join(f"new{i}" for i in range(100))
    large = M2().measure(corpus(sentence(source, {"0": []})), [line])
    small = M2().measure(corpus(sentence("a", {"0": []})), ["a"])
    assert concatenate([large, small, large]).remarked == {"large-pairs": 2}


def test_by_type_is_kept_only_if_every_part_has_it() -> None:
    reference = corpus(sentence("a", {"0": [edit(0, 1, "b", kind="Det")]}))
    with_types, without = M2().measure(reference, ["b"], by_type=True), M2().measure(reference, ["b"])
    assert concatenate([with_types, without]).by_type is None


@pytest.mark.parametrize("units", [slice(1, 1), np.array([], np.int64)])
def test_nothing_can_be_taken(units: slice) -> None:
    taken = M2().measure(corpus(sentence("a", {"0": []})), ["a"]).take(units)
    assert len(taken) == 0
    assert M2().fold(taken).counts.tolist() == [[0, 0, 0]]
