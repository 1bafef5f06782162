"""Error bars of any metric: resample the units or their documents, fold again.

Formula
    Each resample draws as many documents (or sentences, where documents are not known) as the corpus has, with
    replacement, keeps the corpus order, and folds the kept statistics as if it were a corpus. Intervals of every
    measure come from the folded values: ``errorbar.stats.resampling``. ``closed``: the metric's own formulas.
Conventions
    What every annotator says of a drawn sentence is drawn with it, and the choice of annotators runs anew in each
    resample. Scores by error type use the same resamples; a type that stands in one document or sentence has no
    interval. Random streams are cut in blocks, so the number of workers changes no digit.
Source
    Efron 1987; Davison & Hinkley 1997, section 3.8; Koehn 2004 for resampling test sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Interval, Undefined
from errorbar.execute import run
from errorbar.metrics.base import Folded, Metric, Selection
from errorbar.metrics.scored import TypeScore
from errorbar.stats.proportion import proportion_interval
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import left_out_units, resampled_units

Floats = NDArray[np.float64]
Fold = Callable[[Selection], Floats]
"""Values of each replicate of a selection; shape (replicates, ...)."""


def score_intervals(
    metric: Metric,
    statistics: Any,  # noqa: ANN401
    folded: Folded,
    clusters: NDArray[np.int64],
    resampling: Resampling,
) -> Sequence[Interval | Undefined]:
    """Intervals of every measure, or why there is none.

    Args:
        metric: What was computed.
        statistics: What its map kept for the whole corpus.
        folded: The fold of everything.
        clusters: Which cluster each unit belongs to.
        resampling: How to make the intervals.

    Raises:
        UsageError: If the metric has no closed formulas and these are asked for.
    """
    n_measures = len(metric.measures)
    if not folded.n_units[0]:
        return [Undefined.NO_UNITS] * n_measures
    if resampling.method == "closed":
        return metric.closed_intervals(folded, resampling.confidence_level)
    if len(np.unique(clusters)) < 2:
        return [Undefined.ONE_UNIT] * n_measures

    def fold(selection: Selection) -> Floats:
        return metric.fold(statistics, selection).values

    drawn = resampled_values(metric, fold, clusters, resampling)
    without = left_out_values(metric, fold, clusters) if resampling.method == "bca" else None
    return [
        resampling.interval(value, drawn[:, k], None if without is None else without[:, k])
        for k, value in enumerate(folded.values[0].tolist())
    ]


def resampled_values(metric: Metric, fold: Fold, clusters: NDArray[np.int64], resampling: Resampling) -> Floats:
    """What a fold gives for every resample; systems that are compared see the same resamples.

    Args:
        metric: Whose fold it is: one whose units have an order is told units, another how often each counts.
        fold: Values of a selection.
        clusters: Which cluster each unit belongs to.
        resampling: How many, from which seed, on how many cores.

    Returns:
        Shape (replicates, ...).
    """
    draws = resampled_units(clusters, resampling, "bootstrap")
    return np.concatenate(
        list(run(lambda draw: fold(_selection(metric, draw(), len(clusters))), draws, resampling.jobs))
    )


def left_out_values(metric: Metric, fold: Fold, clusters: NDArray[np.int64]) -> Floats:
    """What a fold gives with one cluster left out at a time (``left_out_units``); shape (clusters, ...)."""
    return fold(_selection(metric, left_out_units(clusters), len(clusters)))


def _selection(metric: Metric, rows: NDArray[np.int64], n_units: int) -> Selection:
    selection = Selection(rows)
    return Selection(weights=selection.as_weights(n_units)) if metric.additive else selection


def type_intervals(
    metric: Metric,
    statistics: Any,  # noqa: ANN401
    rows: Sequence[TypeScore],
    clusters: NDArray[np.int64],
    resampling: Resampling,
) -> list[TypeScore]:
    """The scores by error type, with an interval of each measure or why there is none."""
    if resampling.method == "closed":
        return [_with(row, _closed(row, resampling.confidence_level)) for row in rows]
    if len(np.unique(clusters)) < 2:
        return [_with(row, [Undefined.ONE_UNIT] * len(metric.type_measures)) for row in rows]

    def fold(selection: Selection) -> Floats:
        return metric.type_values(metric.fold_types(statistics, selection))

    drawn = resampled_values(metric, fold, clusters, resampling)
    without = left_out_values(metric, fold, clusters) if resampling.method == "bca" else None
    types = metric.types(statistics)
    pairs = metric.type_units(statistics)
    spread = np.bincount(
        np.unique(clusters[pairs[:, 0]] * max(1, len(types)) + pairs[:, 1]) % max(1, len(types)), minlength=len(types)
    )
    column = {name: k for k, name in enumerate(types)}
    made = []
    for row in rows:
        k = column[row.type]
        intervals: list[Interval | Undefined] = []
        for m, estimate in enumerate(row.estimates.values()):
            if estimate.value is None:
                intervals.append(estimate.undefined or Undefined.NOTHING_IN_REFERENCE)
            elif spread[k] < 2:
                intervals.append(Undefined.ONE_UNIT)
            else:
                jackknife = None if without is None else without[:, k, m]
                intervals.append(resampling.interval(estimate.value, drawn[:, k, m], jackknife))
        made.append(_with(row, intervals))
    return made


def _closed(row: TypeScore, level: float) -> list[Interval | Undefined]:
    """Wilson's interval of the edits that were found among those to be found."""
    known = row.counts["correct"], row.counts["gold"]
    found = Undefined.NOTHING_IN_REFERENCE if not known[1] else proportion_interval(*known, confidence_level=level)
    return [found if name == "recall" else Undefined.DEPENDENT_UNITS for name in row.estimates]


def _with(row: TypeScore, intervals: Sequence[Interval | Undefined]) -> TypeScore:
    made = {
        name: estimate.with_interval(interval)
        for (name, estimate), interval in zip(row.estimates.items(), intervals, strict=True)
    }
    return replace(row, estimates=made)
