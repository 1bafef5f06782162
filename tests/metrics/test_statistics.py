"""Statistics: sub-corpora and joined corpora need no second measuring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorbar import M2, Corpus
from errorbar.edits import KERNEL
from errorbar.metrics.edit_metric import EditStatistics, TypeCounts, concatenate, score_totals, tally_types
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.counts import Counts
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


# Edits by type of many replicates: the compiled sums are those of the twin, and those written out.


TABLE = tally_types([(0, 1, 2, 3), (3, 0, 1, 1), (3, 2, 0, 4), (5, 1, 7, 0)], (3, 2, 3), 2)
UNITS, COLUMNS = np.array([[0, 1, 2], [1, 1, -1], [2, 2, 0]]), np.array([[0, 1, 1], [1, 0, 0], [1, -1, 1]], np.int32)


def some(seed: int, replicates: int) -> tuple[TypeCounts, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n, width, types = (int(each) for each in rng.integers(1, 12, 3))
    rows = [
        (int(rng.integers(n * width)), int(rng.integers(types)), *rng.integers(0, 5, 2).tolist()) for _ in range(40)
    ]
    units = rng.integers(-1, n, (replicates, 15))
    return tally_types(rows, (n, width, types), 2), units, rng.integers(-1, width, (replicates, 15)).astype(np.int32)


@pytest.mark.parametrize(
    "kernel", [False, pytest.param(True, marks=pytest.mark.skipif(not KERNEL, reason="no kernel"))]
)
def test_sums_written_out(kernel: bool) -> None:
    found = TABLE.chosen(UNITS, COLUMNS, kernel=kernel).tolist()
    both = [[1, 1], [2, 3], [0, 4]]
    assert found == [[[1, 1], [9, 3], [0, 4]], [[1, 1], [0, 0], [0, 4]], [[0, 0], [7, 0], [0, 0]]]
    assert TABLE.chosen(np.array([[0, 1, -1]]), np.array([[0, 1, 1]], np.int32), kernel=kernel).tolist() == [both]


@pytest.mark.skipif(not KERNEL, reason="no kernel")
@pytest.mark.parametrize("replicates", [1, 2, 30])
@pytest.mark.parametrize("seed", range(5))
def test_kernel_and_twin_agree(seed: int, replicates: int) -> None:
    table, units, columns = some(seed, replicates)
    for rows in (units, units[:1]):
        mine, theirs = (table.chosen(rows, columns, kernel=kernel) for kernel in (True, False))
        assert mine.tolist() == theirs.tolist()


# P, R, F of many replicates are those of one, bit by bit.


count = st.integers(0, 10**6)


@draw_examples(200)
@given(st.lists(st.tuples(count, count, count), min_size=1, max_size=20), st.floats(0.01, 100))
def test_they_equal_the_scalar_formulas(rows: list[tuple[int, int, int]], beta: float) -> None:
    table = score_totals(np.array(rows, np.int64), beta)
    expected = [[c.precision, c.recall, c.f(beta)] for c in (Counts(*row) for row in rows)]
    np.testing.assert_array_equal(table, expected)


def test_empty_cases_follow_the_official_conventions() -> None:
    # Nothing at all; nothing proposed; nothing in the reference; nothing correct.
    totals = np.array([[0, 0, 0], [0, 0, 2], [0, 2, 0], [0, 2, 2]])
    np.testing.assert_array_equal(score_totals(totals, 0.5), [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0]])


def test_any_leading_axes() -> None:
    totals = np.arange(24).reshape(2, 4, 3)
    np.testing.assert_array_equal(score_totals(totals, 1.0)[1, 2], score_totals(totals[1, 2], 1.0))
