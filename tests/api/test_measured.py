"""What is remembered is what the metric gives; what could change is folded anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from errorbar import M2, Resampling
from errorbar.api import Memory, cache_metric
from errorbar.api.corpus_results import CachedMetric
from errorbar.metrics import Folded, Metric, Selection, fold_resampled_values
from errorbar.metrics.base import Swapping
from errorbar.metrics.judge_sets import fold_without_each
from tests.helpers.build import corpus, edit, sentence

CORPUS = corpus(
    sentence("a b c", {"A": [edit(0, 1, "x")], "B": []}), sentence("d e", {"A": [], "B": [edit(1, 2, "y")]})
)
LINES = ["x b c", "d e"]
PLAIN: Metric = M2()


class Counting:
    """Counts the folds of the metric, whichever way they are asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.n = 0
        self._inside = False
        for name in ("fold", "fold_with_types", "fold_against"):
            monkeypatch.setattr(M2, name, self._counted(getattr(M2, name)))

    def _counted(self, fold: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object, **options: object) -> object:
            if self._inside:  # one asks another
                return fold(*arguments, **options)
            self.n += 1
            self._inside = True
            try:
                return fold(*arguments, **options)
            finally:
                self._inside = False

        return counted


def table(*, fixed: bool) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    rows = np.array([[0, 1], [1, 1], [0, 0]], np.int64)
    rows.setflags(write=not fixed)
    return rows


def test_a_table_that_nobody_can_change_is_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = CachedMetric(M2(), Memory(CORPUS))
    statistics = metric.measure(CORPUS, LINES)
    rows = table(fixed=True)
    expected = PLAIN.fold(statistics, Selection(rows)).counts
    folds = Counting(monkeypatch)
    found = [metric.fold(metric.measure(CORPUS, LINES), Selection(rows)).counts for _ in range(3)]
    assert folds.n == 1
    assert all(totals.tolist() == expected.tolist() for totals in found)
    metric.fold(statistics, Selection(table(fixed=True)))  # equal, but another one
    assert folds.n == 2


def test_each_set_of_annotators_is_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = CachedMetric(M2(), Memory(CORPUS))
    statistics = metric.measure(CORPUS, LINES)
    rows, masks = table(fixed=True), np.eye(2, dtype=np.uint8)
    expected = [PLAIN.fold(statistics, Selection(rows, annotators=mask[None])).counts.tolist() for mask in masks]
    folds = Counting(monkeypatch)
    for _ in range(2):
        found = [metric.fold(statistics, Selection(rows, annotators=mask[None])).counts.tolist() for mask in masks]
        assert found == expected
    assert folds.n == 2


def test_a_comparison_folds_nothing_that_scores_have_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = cache_metric(M2(), Memory(CORPUS))
    statistics = metric.measure(CORPUS, LINES)
    clusters, masks = np.arange(2), np.eye(2, dtype=np.uint8)

    def fold_all() -> list[list[float]]:
        drawn = fold_resampled_values(
            metric, lambda selection: metric.fold(statistics, selection).values, clusters, Resampling(replicates=1500)
        )
        without = fold_without_each(metric, statistics, masks, clusters)
        return [drawn.ravel().tolist(), without.ravel().tolist()]

    folds = Counting(monkeypatch)
    first = fold_all()
    assert folds.n == 3  # two blocks of resamples, both sets of judges at once
    assert fold_all() == first
    assert folds.n == 3


def test_other_counts_are_folded_anew() -> None:
    metric = CachedMetric(M2(), Memory(CORPUS))
    rows = table(fixed=True)
    for lines in (LINES, ["a b c", "d y"], ["a b c", "d e"]):
        statistics = metric.measure(CORPUS, lines)
        assert metric.fold(statistics, Selection(rows)).counts.tolist() == (
            PLAIN.fold(statistics, Selection(rows)).counts.tolist()
        )


def test_what_can_change_is_folded_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = CachedMetric(M2(), Memory(CORPUS))
    statistics = metric.measure(CORPUS, LINES)
    rows = table(fixed=False)
    before = metric.fold(statistics, Selection(rows)).counts.tolist()
    rows[:] = 1
    assert metric.fold(statistics, Selection(rows)).counts.tolist() != before
    folds = Counting(monkeypatch)
    others = (
        Selection(table(fixed=True), annotators=np.ones((3, 2), np.uint8)),
        Selection(table(fixed=True)[:2]),  # a view, which is another one each time
        Selection(swapping=Swapping(np.ones((1, 1), np.bool_), np.zeros(1, np.int64))),
    )
    for selection in others:
        metric.fold(statistics, selection)
        metric.fold(statistics, selection)
    assert folds.n == 2 * len(others)


def test_a_start_is_not_forgotten() -> None:
    metric = CachedMetric(M2(), Memory(CORPUS))
    statistics = metric.measure(CORPUS, LINES)
    rows = table(fixed=True)
    counts = np.array([[0, 3, 0]], np.int64).repeat(len(rows), axis=0)
    start = Folded(np.zeros((3, 3)), counts, np.zeros(3, np.int64))
    for given in (None, start):
        mine, theirs = (each.fold(statistics, Selection(rows), start=given) for each in (metric, PLAIN))
        assert mine.counts.tolist() == theirs.counts.tolist()
