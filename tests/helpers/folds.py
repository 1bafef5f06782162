"""Folds of resamples, one by one and without a cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from errorbar import M2, Resampling
from errorbar.core import Interval, Undefined
from errorbar.edits import KERNEL
from errorbar.metrics import Metric, Selection, edit_metric, intervals
from errorbar.metrics.base import Swapping
from errorbar.metrics.edit_metric import Choice, ChoiceRule, EditStatistics
from errorbar.stats import left_out_units

Rows = NDArray[np.int64]


def fold_resamples(
    metric: Metric, statistics: EditStatistics, draws: Sequence[Callable[[], Rows]]
) -> NDArray[np.float64]:
    """The measures of every resample; shape (replicates, measures)."""
    return np.concatenate([metric.fold(statistics, Selection(draw())).values for draw in draws])


def left_out(metric: Metric, statistics: EditStatistics, clusters: NDArray[np.int64]) -> NDArray[np.float64]:
    """The measures with one cluster left out at a time; shape (clusters, measures)."""
    return metric.fold(statistics, Selection(left_out_units(clusters))).values


def score_intervals(
    metric: Metric, statistics: EditStatistics, clusters: NDArray[np.int64], resampling: Resampling
) -> Sequence[Interval | Undefined]:
    """Intervals of every measure."""
    return intervals.score_intervals(metric, statistics, metric.fold(statistics), clusters, resampling)


def fold_counts(
    counts: NDArray[np.int32],
    present: NDArray[np.uint8],
    *,
    beta: float,
    running: bool,
    units: Rows | None = None,
    masks: NDArray[np.uint8] | None = None,
    start: NDArray[np.int64] | None = None,
    swapping: Swapping | None = None,
    want_chosen: bool = False,
    kernel: bool = KERNEL,
    rounded: bool = False,
) -> Choice:
    """The fold of bare counts."""
    statistics = EditStatistics(counts, present, tuple(map(str, range(present.shape[1]))))
    selection = Selection(units, annotators=masks, swapping=swapping)
    rule = ChoiceRule(beta, running, kernel, rounded)
    return edit_metric.fold_counts(statistics, rule, selection, start, want_chosen=want_chosen)


def chosen(metric: M2, statistics: EditStatistics) -> list[int]:
    """The column of the annotator chosen for each sentence, -1 where nobody looked."""
    column: dict[str | None, int] = {name: k for k, name in enumerate(statistics.annotators)}
    return [column.get(name, -1) for name in metric.parts(statistics).annotators]
