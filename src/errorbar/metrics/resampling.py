"""Error bars of a score: resample the sentences or essays, fold again.

Formula
    Each resample draws as many essays (or sentences, where essays are not known) as the corpus has, with replacement,
    keeps the corpus order, and folds the kept counts as if it were a corpus. Intervals of P, R and F come from the
    folded values: ``errorbar.stats.bootstrap``. ``closed``: Wilson's interval for P and R, Goutte & Gaussier's for F,
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
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.counts import Counts
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Interval, Undefined
from errorbar.execute import run
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.statistics import Statistics
from errorbar.metrics.totals import PRF, score_totals
from errorbar.stats.bootstrap import BootstrapMethod, bootstrap_interval, leave_one_out, resample_clusters
from errorbar.stats.f_interval import f_score_interval
from errorbar.stats.proportion import proportion_interval
from errorbar.stats.streams import blocks

Method = Literal["bca", "percentile", "basic", "closed"]
Units = NDArray[np.int64]
MOST_KEPT = 1 << 23
"""Units in all resamples up to which they are kept for the next system: 64 MB."""
MOST_GROUPS = 400
"""Sentences are left out in at most this many groups for BCa's acceleration."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made.

    Attributes:
        method: ``bca``, ``percentile``, ``basic`` (bootstrap) or ``closed`` (formula).
        replicates: How many resamples.
        confidence_level: Nominal coverage.
        seed: Of the random streams.
        jobs: How many cores; changes no digit.

    Raises:
        UsageError: If a value will not do.
    """

    method: Method = "bca"
    replicates: int = 2000
    confidence_level: float = 0.95
    seed: int = 0
    jobs: int = 1

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            fix = nearest(self.method, get_args(Method))
            raise UsageError(Problem("interval-method", f"no interval is called '{self.method}'", fix=fix))
        if not 0 < self.confidence_level < 1:
            what = f"a confidence level of {self.confidence_level}"
            raise UsageError(Problem("confidence-level", what, expected="a number between 0 and 1, e.g. 0.95"))

    def convention(self, unit: str) -> str:
        """How it is named in a signature; ``unit`` is what is resampled, e.g. ``Documents.clustering``."""
        level = str(self.confidence_level)  # every digit of it
        if self.method == "closed":
            return f"ci:closed,{level}"
        return f"ci:{self.method},{level},{self.replicates},by:{unit},seed:{self.seed}"


def resampled_units(
    clusters: NDArray[np.int64], resampling: Resampling, *names: str | int
) -> list[Callable[[], Units]]:
    """The resamples, in blocks that are drawn when they are called for; the same ones at every call.

    Args:
        clusters: Which cluster each sentence belongs to; ``np.arange(n)`` for independent sentences.
        resampling: How many, from which seed.
        names: What they are for; two systems that are compared share one name and so the resamples.
    """

    def block(size: int, rng: np.random.Generator) -> Callable[[], Units]:
        # A fresh copy each time: systems that are compared must see the same resamples.
        return lambda: resample_clusters(clusters, size, deepcopy(rng))

    if clusters.size * resampling.replicates <= MOST_KEPT:
        return list(_kept(clusters.tobytes(), resampling.replicates, resampling.seed, *names))
    return [block(size, rng) for size, rng in blocks(resampling.seed, *names, replicates=resampling.replicates)]


@lru_cache(maxsize=2)
def _kept(clusters: bytes, replicates: int, seed: int, *names: str | int) -> Sequence[Callable[[], Units]]:
    """Resamples that are drawn once for all systems of a corpus: drawing takes longer than folding."""
    codes = np.frombuffer(clusters, np.int64)

    def block(size: int, rng: np.random.Generator) -> Callable[[], Units]:
        drawn = resample_clusters(codes, size, rng)
        drawn.setflags(write=False)
        return lambda: drawn

    return [block(size, rng) for size, rng in blocks(seed, *names, replicates=replicates)]


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


def left_out_units(clusters: NDArray[np.int64]) -> Units:
    """Units with one cluster left out at a time; many independent sentences are left out in groups of neighbors."""
    n_clusters = len(np.unique(clusters))
    groups = clusters
    if n_clusters > MOST_GROUPS:
        _, rank = np.unique(clusters, return_inverse=True)
        groups = rank.ravel() * MOST_GROUPS // n_clusters
    few = MOST_GROUPS * groups.size <= MOST_KEPT
    return _kept_left_out(groups.astype(np.int64).tobytes()) if few else leave_one_out(groups)


@lru_cache(maxsize=2)
def _kept_left_out(groups: bytes) -> Units:
    """Rows that are made once for all systems of a corpus."""
    rows = leave_one_out(np.frombuffer(groups, np.int64))
    rows.setflags(write=False)
    return rows


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
        bootstrap_interval(
            value,
            resampled[:, k],
            jackknife=None if jackknife is None else jackknife[:, k],
            method=_bootstrap(resampling.method),
            confidence_level=resampling.confidence_level,
        )
        for k, value in enumerate(values)
    ]


def _bootstrap(method: Method) -> BootstrapMethod:
    if method == "closed":
        raise ValueError("not a bootstrap")
    return method
