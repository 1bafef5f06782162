"""What is left out by the stretch is folded once for all of them: every integer must be that of folding each row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorbar import M2
from errorbar.api import ReadingOptions, load
from errorbar.core import Floats
from errorbar.edits import KERNEL
from errorbar.metrics import Errant, Metric, Selection
from errorbar.metrics.base import Stretches
from errorbar.metrics.edit_metric import Choice, ChoiceRule, EditStatistics, fold_counts
from errorbar.metrics.intervals import fold_without_groups
from errorbar.stats import cluster_members, left_out_rows
from tests.helpers.effort import draw_examples

compiled = pytest.mark.skipif(not KERNEL, reason="no kernel")
METRICS = [M2(), M2(beta=1.0), M2(beta=0.3), M2(choose="sentence"), M2(choose="0"), Errant()]


def statistics_of(
    rng: np.random.Generator, n_units: int, n_annotators: int, largest: int, *, odd: bool
) -> EditStatistics:
    """Counts of which some repeat, and annotators who looked at parts; odd: correct that is nowhere else."""
    counts = rng.integers(0, largest + 1, (n_units, n_annotators, 3)).astype(np.int32)
    counts[rng.random(n_units) < 0.2] = 0
    if not odd:
        counts[..., 0] = np.minimum(counts[..., 0], counts[..., 1:].min(axis=-1))
    present = (rng.random((n_units, n_annotators)) < 0.85).astype(np.uint8)
    return EditStatistics(counts, present, tuple(map(str, range(n_annotators))))


def groups_of(rng: np.random.Generator, n_units: int) -> NDArray[np.int64]:
    """Documents that are neighbors, or not; one of all, or one of each."""
    n = int(rng.integers(1, n_units + 1))
    groups = rng.integers(0, n, n_units)
    return np.sort(groups) if rng.random() < 0.5 else groups


def selection_of(groups: NDArray[np.int64], mask: NDArray[np.uint8] | None = None) -> Selection:
    members = cluster_members(groups)
    stretches = Stretches(np.concatenate(members), np.cumsum([len(units) for units in members]))
    return Selection(left_out_rows(groups), annotators=mask, left_out=stretches)


def rows_alone(selection: Selection) -> Selection:
    return Selection(selection.units, annotators=selection.annotators)


def same(found: Choice, expected: Choice) -> None:
    assert found.totals.tolist() == expected.totals.tolist()
    assert found.n_units.tolist() == expected.n_units.tolist()


@compiled
@draw_examples(600)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from((0.5, 1.0, 2.0, 0.3, 0.0)),
    st.sampled_from((1, 2, 4, 30)),
    st.booleans(),
    st.booleans(),
)
def test_stretches_are_the_rows(seed: int, beta: float, largest: int, masked: bool, odd: bool) -> None:
    rng = np.random.default_rng(seed)
    n_units, n_annotators = int(rng.integers(1, rng.choice((8, 40)))), int(rng.integers(0, rng.choice((3, 8))))
    statistics = statistics_of(rng, n_units, n_annotators, largest, odd=odd)
    mask = (rng.random((1, n_annotators)) < 0.7).astype(np.uint8) if masked else None
    selection = selection_of(groups_of(rng, n_units), mask)
    found = fold_counts(statistics, ChoiceRule(beta), selection)
    same(found, fold_counts(statistics, ChoiceRule(beta), rows_alone(selection)))
    same(found, fold_counts(statistics, ChoiceRule(beta, kernel=False), selection))


@draw_examples(100)
@given(st.integers(0, 1 << 32), st.sampled_from(METRICS), st.sampled_from((1, 2, 4, 30)), st.booleans())
def test_many_sets_are_each_of_them(seed: int, metric: Metric, largest: int, odd: bool) -> None:
    rng = np.random.default_rng(seed)
    n_units, n_annotators = int(rng.integers(1, 30)), int(rng.integers(1, 8))
    statistics = statistics_of(rng, n_units, n_annotators, largest, odd=odd)
    masks = (rng.random((int(rng.integers(1, 5)), n_annotators)) < 0.7).astype(np.uint8)
    groups = groups_of(rng, n_units)
    found = metric.fold_against(statistics, selection_of(groups), masks)
    each = [metric.fold(statistics, rows_alone(selection_of(groups, mask[None]))) for mask in masks]
    assert found.counts.tolist() == [row for one in each for row in one.counts.tolist()]
    assert found.n_units.tolist() == [n for one in each for n in one.n_units.tolist()]
    assert found.values.tolist() == [row for one in each for row in one.values.tolist()]


@compiled
@draw_examples(60)
@given(st.integers(0, 1 << 32), st.sampled_from((0.5, 1.0, 2.0)), st.sampled_from((0.02, 0.3, 0.9)))
def test_a_whole_corpus(seed: int, beta: float, share: float) -> None:
    """Late in a corpus few choices depend on what was left out; few or many edits make that sooner or later."""
    rng = np.random.default_rng(seed)
    n_units, n_annotators = 600, 6
    statistics = statistics_of(rng, n_units, n_annotators, 6, odd=False)
    statistics.counts[..., 0] = rng.binomial(statistics.counts[..., 0], share)
    selection = selection_of(groups_of(rng, n_units))
    found = fold_counts(statistics, ChoiceRule(beta), selection)
    same(found, fold_counts(statistics, ChoiceRule(beta), rows_alone(selection)))


@compiled
def test_a_stretch_that_decides_all_that_follows() -> None:
    """After a perfect first unit, who has least to find is the best; without it, who has something that was found."""
    counts = np.zeros((5, 2, 3), np.int32)
    counts[0, :] = [40, 40, 40]
    counts[1:, 0] = [1, 2, 2]
    counts[1:, 1] = [0, 0, 1]
    statistics = EditStatistics(counts, np.ones((5, 2), np.uint8), ("a", "b"))
    selection = selection_of(np.arange(5))
    found = fold_counts(statistics, ChoiceRule(0.5), selection)
    assert found.totals.tolist() == [[4, 8, 8], *[[40, 40, 43]] * 4]
    same(found, fold_counts(statistics, ChoiceRule(0.5, kernel=False), selection))


@compiled
def test_sums_too_large_for_exact_products_are_folded_row_by_row() -> None:
    rng = np.random.default_rng(5)
    statistics = statistics_of(rng, 9, 4, 1 << 30, odd=False)
    selection = selection_of(np.arange(9) // 2)
    same(
        fold_counts(statistics, ChoiceRule(0.5), selection),
        fold_counts(statistics, ChoiceRule(0.5, kernel=False), selection),
    )


@compiled
def test_more_annotators_than_fit_in_a_set() -> None:
    statistics = statistics_of(np.random.default_rng(6), 12, 70, 5, odd=False)
    selection = selection_of(np.arange(12) // 2)
    same(
        fold_counts(statistics, ChoiceRule(1.0), selection),
        fold_counts(statistics, ChoiceRule(1.0), rows_alone(selection)),
    )


@compiled
@pytest.mark.parametrize("order", [[0, 3], [-1, 0]])
def test_units_that_there_are_not_are_refused(order: list[int]) -> None:
    statistics = statistics_of(np.random.default_rng(0), 3, 2, 3, odd=False)
    stretches = Stretches(np.array(order), np.array([1, 2]))
    with pytest.raises(ValueError, match="units must be numbers from 0 to 2"):
        fold_counts(statistics, ChoiceRule(0.5), Selection(left_out=stretches))


@compiled
@pytest.mark.parametrize("ends", [[], [1, 2], [2, 1, 3], [-1, 3], [1, 4]])
def test_stretches_that_are_not_the_order_are_refused(ends: list[int]) -> None:
    statistics = statistics_of(np.random.default_rng(0), 3, 2, 3, odd=False)
    stretches = Stretches(np.arange(3), np.array(ends, np.int64))
    with pytest.raises(ValueError, match="the last at 3"):
        fold_counts(statistics, ChoiceRule(0.5), Selection(left_out=stretches))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: str(metric.spec))
@draw_examples(40)
@given(st.integers(0, 1 << 32))
def test_values_without_each_group(metric: Metric, seed: int) -> None:
    """Whatever the rule, each row is the fold of the statistics that are left, as a corpus of their own."""
    rng = np.random.default_rng(seed)
    statistics = statistics_of(rng, int(rng.integers(2, 14)), 3, 4, odd=False)
    groups = np.append(groups_of(rng, len(statistics) - 1), -1)  # so that something is left
    members = cluster_members(groups)

    def fold(selection: Selection) -> Floats:
        return metric.fold(statistics, selection).values

    expected = [
        metric.fold(statistics.take(np.concatenate(members[:k] + members[k + 1 :]))).values[0]
        for k in range(len(members))
    ]
    np.testing.assert_array_equal(fold_without_groups(metric, fold, groups), expected)


@compiled
@pytest.mark.parametrize("groups", [lambda n: np.arange(n) * 200 // n, lambda n: np.arange(n) * 7 % 50])
def test_ten_annotators(data: Path, groups: Callable[[int], NDArray[np.int64]]) -> None:
    files = [data / f"bn2015_10gec/A{i}.m2" for i in range(1, 11)]
    read = load(files, [data / "conll14_systems/official_submissions/CAMB"], ReadingOptions(lenient=True))
    statistics = M2().measure(read.corpus, read.systems[0].lines)
    for size in (1, 2, 5, 10):
        mask = (np.arange(10) < size).astype(np.uint8)[None]
        selection = selection_of(groups(len(statistics)), mask)
        found = fold_counts(statistics, ChoiceRule(0.5), selection)
        same(found, fold_counts(statistics, ChoiceRule(0.5), rows_alone(selection)))
