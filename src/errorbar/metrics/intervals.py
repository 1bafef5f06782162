"""Error bars of any metric: resample the units or their documents, fold again.

Formula
    Each resample draws as many documents (or sentences, where documents are not known) as the corpus has, with
    replacement, keeps the corpus order, and folds the kept statistics as if it were a corpus. Intervals of every
    measure come from the folded values: ``errorbar.stats.resampling``. ``closed``: the metric's own formulas.
Conventions
    What every annotator says of a drawn sentence is drawn with it, and the choice of annotators runs anew in each
    resample. Scores by error type use the same resamples; a type that stands in one document or sentence has no
    interval. Neither the number of workers nor how many resamples are held at a time changes which are drawn.
Source
    Efron 1987; Davison & Hinkley 1997, section 3.8; Koehn 2004 for resampling test sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.execute import run
from errorbar.metrics.base import Folded, Metric, Opaque, Selection, Stretches
from errorbar.metrics.scores import TypeScore
from errorbar.stats.proportion import proportion_interval
from errorbar.stats.resampling import (
    ANYWHERE,
    Resampling,
    Units,
    blocks,
    draw_resamples,
    left_out_groups,
    left_out_rows,
    left_out_stretches,
    resample_clusters,
)

Fold = Callable[[Selection], Floats]  # values of each replicate of a selection; shape (replicates, ...)
Rows = NDArray[np.int64]
MOST_HELD = 1 << 24  # units in the rows of a fold: 128 MB; weights take four times as much, so there are fewer


def score_intervals(
    metric: Metric, statistics: Opaque, folded: Folded, clusters: NDArray[np.int64], resampling: Resampling
) -> Sequence[Interval | Undefined]:
    """Intervals of every measure, or why there is none; closed formulas that it does not have are a ``UsageError``.

    ``folded``: the fold of everything. ``clusters``: which cluster each unit belongs to.
    """
    if not folded.n_units[0]:
        return [Undefined.NO_UNITS] * len(metric.measures)
    if resampling.method == "closed":
        return metric.closed_intervals(folded, resampling.confidence_level)
    if (clusters == clusters[0]).all():
        return [Undefined.ONE_UNIT] * len(metric.measures)
    names = [measure.name for measure in metric.measures]
    interval = _intervals(
        metric, lambda selected: metric.fold(statistics, selected).values, clusters, resampling, names
    )
    # Of a metric that folds selections otherwise, values of resamples lie around its value without draws.
    same = metric.resampled == metric
    values = (folded if same else metric.resampled.fold(statistics)).values[0].tolist()
    return [interval(value, k) for k, value in enumerate(values)]


def type_intervals(
    metric: Metric, statistics: Opaque, rows: Sequence[TypeScore], clusters: NDArray[np.int64], resampling: Resampling
) -> list[TypeScore]:
    """The scores by error type, with an interval of each measure or why there is none."""
    if resampling.method == "closed":
        return [_with(row, _closed_intervals(row, resampling.confidence_level)) for row in rows]
    if (clusters == clusters[0]).all():
        return [_with(row, [Undefined.ONE_UNIT] * len(metric.type_measures)) for row in rows]

    def fold(selection: Selection) -> Floats:
        return metric.type_values(metric.fold_types(statistics, selection))

    interval = _intervals(metric, fold, clusters, resampling, metric.type_measures)
    types, pairs = metric.types(statistics), metric.type_units(statistics)
    n = max(1, len(types))
    spread = np.bincount(np.unique(clusters[pairs[:, 0]] * n + pairs[:, 1]) % n, minlength=len(types))
    column = {name: k for k, name in enumerate(types)}
    scores = []
    for row in rows:
        k = column[row.type]
        intervals: list[Interval | Undefined] = []
        for m, estimate in enumerate(row.estimates.values()):
            if estimate.value is None:
                intervals.append(estimate.undefined or Undefined.NOTHING_IN_REFERENCE)
            else:
                intervals.append(Undefined.ONE_UNIT if spread[k] < 2 else interval(estimate.value, k, m))
        scores.append(_with(row, intervals))
    return scores


def _intervals(
    metric: Metric, fold: Fold, clusters: NDArray[np.int64], resampling: Resampling, names: Sequence[str]
) -> Callable[..., Interval | Undefined]:
    """Make the function that gives a value its interval, by its place in the result of the fold."""
    known = {measure.name: measure.scale for measure in metric.measures}
    scales = [known.get(name, ANYWHERE) for name in names]
    drawn = fold_resampled_values(metric, fold, clusters, resampling)
    without = left_out_values(metric, fold, clusters) if resampling.method == "bca" else None

    def interval(value: float, *at: int) -> Interval | Undefined:
        place: tuple[Any, ...] = (slice(None), *at)
        return resampling.interval(value, drawn[place], None if without is None else without[place], scales[at[-1]])

    return interval


def fold_resampled_values(metric: Metric, fold: Fold, clusters: NDArray[np.int64], resampling: Resampling) -> Floats:
    """Fold every resample, the same for all systems; shape (replicates, ...).

    A metric whose units have an order is told units, another how often each counts.
    """

    def of_rows(draw: Callable[[], Rows]) -> Floats:
        return _fold_tables(metric, fold, [draw()], len(clusters))

    def of_stream(block: tuple[int, np.random.Generator]) -> Floats:
        n, rng = block
        rows = (resample_clusters(clusters, min(step, n - at), rng) for at in range(0, n, step))
        return _fold_tables(metric, fold, rows, len(clusters))

    step = _step(metric, len(clusters))
    if resampling.replicates * len(clusters) <= MOST_HELD:
        folded = run(of_rows, draw_resamples(clusters, resampling, "bootstrap"), resampling.jobs)
    else:  # the same resamples, some at a time
        streams = list(blocks(resampling.seed, "bootstrap", replicates=resampling.replicates))
        folded = run(of_stream, streams, resampling.jobs)
    return np.concatenate(list(folded))


def left_out_values(metric: Metric, fold: Fold, clusters: NDArray[np.int64]) -> Floats:
    """Fold with one cluster, or group of them, left out at a time; shape (clusters, ...)."""
    return fold_without_groups(metric, fold, left_out_groups(clusters))


def fold_without_groups(metric: Metric, fold: Fold, groups: NDArray[np.int64]) -> Floats:
    """Fold with one of these groups of units left out at a time; shape (groups, ...)."""
    order, ends = left_out_stretches(groups)
    if len(ends) * len(groups) <= MOST_HELD:
        if metric.additive:
            return _fold_tables(metric, fold, [left_out_rows(groups)], len(groups))
        return fold(Selection(left_out_rows(groups), left_out=Stretches(order, ends)))

    def rows() -> Iterator[Rows]:
        for start, end in pairwise([0, *ends.tolist()]):
            yield np.delete(order, slice(start, end))[None]

    return _fold_tables(metric, fold, rows(), len(groups))


def _fold_tables(metric: Metric, fold: Fold, tables: Iterable[Rows], n_units: int) -> Floats:
    """Fold tables of rows, some rows at a time."""
    step, folded = _step(metric, n_units), []
    for table in tables:
        for at in range(0, len(table), step):
            # A table that needs no cutting stays itself: who folds it again may know it by that.
            selection = Selection(table if len(table) <= step else table[at : at + step])
            weighted = Selection(weights=selection.as_weights(n_units)) if metric.additive else selection
            folded.append(fold(weighted))
    return np.concatenate(folded)


def _step(metric: Metric, n_units: int) -> int:
    return max(1, MOST_HELD // (4 if metric.additive else 1) // max(1, n_units))


def _closed_intervals(row: TypeScore, level: float) -> list[Interval | Undefined]:
    """Wilson's interval of the edits that were found among those to be found."""
    known = row.counts["correct"], row.counts["gold"]
    interval = Undefined.NOTHING_IN_REFERENCE if not known[1] else proportion_interval(*known, confidence_level=level)
    return [interval if name == "recall" else Undefined.DEPENDENT_UNITS for name in row.estimates]


def _with(row: TypeScore, intervals: Sequence[Interval | Undefined]) -> TypeScore:
    by_measure = {
        name: estimate.with_interval(interval)
        for (name, estimate), interval in zip(row.estimates.items(), intervals, strict=True)
    }
    return replace(row, estimates=by_measure)


def fold_unit_resamples(units: Units, fold: Callable[[Floats], Floats], resampling: Resampling, *names: str) -> Floats:
    """Fold every resample of units by kind; the same names give the same resamples.

    The fold takes how many units each kind stands for, shape (replicates, kinds), and gives shape (replicates, ...).
    """

    def of_block(draw: Callable[[], Iterator[Floats]]) -> Floats:
        return np.concatenate([fold(weights) for weights in draw()])

    return np.concatenate(list(run(of_block, units.draws(resampling, *names), resampling.jobs)))


def make_estimates(
    values: Sequence[float],
    reasons: Sequence[Undefined | None],
    n: tuple[int, int | None],
    resampling: Resampling | None,
    drawn: Floats | None,
) -> list[Estimate]:
    """Values of n units in n clusters with their intervals; ``drawn`` has a column for each, None: it is one unit."""
    estimates = []
    for k, (value, reason) in enumerate(zip(values, reasons, strict=True)):
        estimate = Estimate(None if reason else value, n[0], n_clusters=n[1], undefined=reason)
        if reason is None and resampling is not None:
            interval = Undefined.ONE_UNIT if drawn is None else resampling.interval(value, drawn[:, k])
            estimate = estimate.with_interval(interval, n_clusters=n[1])
        estimates.append(estimate)
    return estimates
