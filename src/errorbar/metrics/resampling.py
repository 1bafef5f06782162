"""Error bars of a score: resample the sentences or essays, fold again.

Formula
    Each resample draws as many essays (or sentences, where essays are not known) as the corpus has, with replacement,
    keeps the corpus order, and folds the kept counts as if it were a corpus. Intervals of P, R and F come from the
    folded values: ``errorbar.stats.resampling``. ``closed``: Wilson's interval for P and R, Goutte & Gaussier's for F,
    from the counts alone.
Conventions
    Every annotator's counts of a drawn sentence are drawn with it, and the choice of annotators runs anew in each
    resample. ``closed`` takes edits for independent, which they are not within sentences, and takes the choice of
    annotators as given. Random streams are cut in blocks, so the number of workers changes no digit.
Source
    Efron 1987; Davison & Hinkley 1997, section 3.8; Koehn 2004 for resampling test sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from errorbar.core.counts import Counts
from errorbar.core.estimate import Interval, Undefined
from errorbar.execute import run
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.statistics import Statistics
from errorbar.metrics.totals import PRF, score_totals
from errorbar.stats.f_interval import f_score_interval
from errorbar.stats.proportion import proportion_interval
from errorbar.stats.resampling import Method, Resampling
from errorbar.stats.units import Rows, left_out_units, resampled_units

__all__ = [
    "Method",
    "Resampling",
    "fold_resamples",
    "left_out",
    "left_out_units",
    "resampled_units",
    "score_intervals",
]
Units = Rows


def fold_resamples(
    metric: Metric, statistics: Statistics, draws: Sequence[Callable[[], Units]], jobs: int
) -> NDArray[np.float64]:
    """P, R, F of every resample; shape (replicates, 3)."""

    def fold(draw: Callable[[], Units]) -> NDArray[np.float64]:
        return score_totals(metric.fold(statistics, Selection(draw())).totals, metric.beta)

    return np.concatenate(list(run(fold, draws, jobs)))


def left_out(metric: Metric, statistics: Statistics, clusters: NDArray[np.int64]) -> NDArray[np.float64]:
    """P, R, F with one cluster left out at a time (``left_out_units``); shape (clusters, 3)."""
    rows = left_out_units(clusters)
    return score_totals(metric.fold(statistics, Selection(rows)).totals, metric.beta)


def score_intervals(
    metric: Metric, statistics: Statistics, counts: Counts, clusters: NDArray[np.int64], resampling: Resampling
) -> list[Interval | Undefined]:
    """Intervals of P, R and F, or why there is none.

    Args:
        metric: What was computed.
        statistics: What its map kept for the whole corpus.
        counts: The corpus counts.
        clusters: Which cluster each sentence belongs to.
        resampling: How to make the intervals.
    """
    if resampling.method == "closed":
        level = resampling.confidence_level
        # Of a reference kept as it is written, what is proposed once can be correct twice.
        false_positives, misses = max(0, counts.proposed - counts.correct), counts.gold - counts.correct
        of_proposed = proportion_interval(min(counts.correct, counts.proposed), counts.proposed, confidence_level=level)
        of_gold = proportion_interval(min(counts.correct, counts.gold), counts.gold, confidence_level=level)
        return [
            of_proposed if counts.proposed else Undefined.NOTHING_PROPOSED,
            of_gold if counts.gold else Undefined.NOTHING_IN_REFERENCE,
            f_score_interval(counts.correct, false_positives, misses, beta=metric.beta, confidence_level=level),
        ]
    if len(np.unique(clusters)) < 2:
        return [Undefined.ONE_UNIT] * len(PRF)
    draws = resampled_units(clusters, resampling, "bootstrap")
    resampled = fold_resamples(metric, statistics, draws, resampling.jobs)
    jackknife = left_out(metric, statistics, clusters) if resampling.method == "bca" else None
    values = (counts.precision, counts.recall, counts.f(metric.beta))
    return [
        resampling.interval(value, resampled[:, k], None if jackknife is None else jackknife[:, k])
        for k, value in enumerate(values)
    ]
