"""Error bars of recall by type.

Formula
    R = (reference edits of the type that are matched) / (reference edits of the type), over the annotators chosen
    sentence by sentence.
Conventions
    Intervals use the same resamples of essays or sentences as those of the whole score, and the choice of annotators
    runs anew in each. A resample without reference edits of the type has no value (``errorbar.stats.resampling``); a
    type that stands in one essay or sentence has none. ``closed``: Wilson's interval from the counts.
Source
    As ``errorbar.metrics.resampling``; the conventions are those of recall by type in HOO (``metrics.hoo_rows``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Interval, Undefined
from errorbar.execute import run
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.resampling import Resampling, Units, left_out_units, resampled_units
from errorbar.metrics.statistics import Statistics
from errorbar.metrics.type_counts import TypeCounts
from errorbar.stats.bootstrap import bootstrap_interval
from errorbar.stats.proportion import proportion_interval


def type_intervals(
    metric: Metric,
    statistics: Statistics,
    counts: Mapping[str, tuple[int, int]],
    clusters: NDArray[np.int64],
    resampling: Resampling,
) -> dict[str, Interval | Undefined]:
    """An interval of the recall of each type, or why there is none.

    Args:
        metric: What was computed.
        statistics: What its map kept for the whole corpus, types too.
        counts: Correct and reference edits of each type.
        clusters: Which essay or sentence each unit belongs to.
        resampling: How to make the intervals.
    """
    level = resampling.confidence_level
    if resampling.method == "closed":
        return {
            name: proportion_interval(correct, gold, confidence_level=level) if gold else Undefined.NOTHING_IN_REFERENCE
            for name, (correct, gold) in counts.items()
        }
    known = statistics.by_type
    if known is None or len(np.unique(clusters)) < 2:
        return dict.fromkeys(counts, Undefined.ONE_UNIT)
    table = known
    method = resampling.method

    def recalls(units: Units) -> NDArray[np.float64]:
        chosen = metric.fold(statistics, Selection(units), want_chosen=True).chosen
        sums = np.stack([table.chosen(row, columns) for row, columns in zip(units, chosen, strict=True)])
        found = np.full(sums.shape[:2], np.nan)
        np.divide(sums[..., 0], sums[..., 1], out=found, where=sums[..., 1] > 0)
        return found

    draws = resampled_units(clusters, resampling, "bootstrap")
    resampled = np.concatenate(list(run(lambda draw: recalls(draw()), draws, resampling.jobs)))
    jackknife = recalls(left_out_units(clusters)) if method == "bca" else None
    spread = dict(zip(statistics.types, _n_clusters(metric, statistics, table, clusters), strict=True))
    column = {name: k for k, name in enumerate(statistics.types)}
    made: dict[str, Interval | Undefined] = {}
    for name, (correct, gold) in counts.items():
        if not gold:
            made[name] = Undefined.NOTHING_IN_REFERENCE
        elif spread[name] < 2:
            made[name] = Undefined.ONE_UNIT
        else:
            k = column[name]
            without = None if jackknife is None else jackknife[:, k]
            made[name] = bootstrap_interval(
                correct / gold, resampled[:, k], jackknife=without, method=method, confidence_level=level
            )
    return made


def _n_clusters(
    metric: Metric, statistics: Statistics, table: TypeCounts, clusters: NDArray[np.int64]
) -> NDArray[np.int64]:
    """In how many clusters the chosen annotators have edits of each type."""
    chosen = metric.fold(statistics, want_chosen=True).chosen[0]
    n_types = max(1, table.shape[2])
    unit, annotator = np.divmod(table.slot, max(1, table.shape[1]))
    used = chosen[unit] == annotator
    pairs = np.unique(clusters[unit[used]] * n_types + table.type[used])
    spread: NDArray[np.int64] = np.bincount(pairs % n_types, minlength=table.shape[2])
    return spread
