"""A system along the agreement of a crowd: P and R by bins of it, and the kappa-agreement curve.

Formula
    The agreement on an item is the share of its majority, max(p, 1 - p) for two labels, from ½ to 1.
    Bins: a bin [low, high) holds the items whose agreement is at least low and below high; the last bin holds 1 too.
    Curve: for every threshold τ keep the items whose majority has a share of at least τ; there compute κ, and beside it
    Youden J, the log diagnostic odds ratio and κ at a reference prevalence, of the system's flags with the majority.
Conventions
    Bins: the default edges .5, .75, .9, 1 are the published ones. Few judgments reach few shares: with three, agreement
    is 2/3 or 1 and the middle bin is empty. A share that equals an edge but for rounding is on the edge. Both estimands
    and n are given for every bin; a bin with little in it gets an honest, wide interval or the reason why none.
    Curve: ties are not kept: they have no majority; each point says how many there are. So with few raters several
    thresholds keep the same items: of ten, none agree on 51 to 59 %. The band is a percentile bootstrap over items or
    clusters, all thresholds and measures from the same resamples, so neighboring points move together. n and the share
    of judged items kept stand at every point. Compare systems on *different* data by J, the odds ratio or the
    standardised κ: κ itself changes with the share of errors, which differs between data and falls along the curve.
Source
    Madnani et al. 2011, whose software bins majority agreement at 50-75, 75-90 and 90-100 %;
    metrics/crowd_rates.py for the measures of the curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.metrics.crowd_rates import rates
from errorbar.metrics.crowd_weighted import (
    EQUAL,
    Crowd,
    CrowdScore,
    CrowdStatistics,
    Estimand,
    Flags,
    Floats,
    resampled,
    score_kinds,
)
from errorbar.stats.resampling import Resampling

EDGES = (0.5, 0.75, 0.9, 1.0)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
REFERENCE_PREVALENCE = 0.1
CURVES = ("kappa", "youden", "log_odds", "kappa_at")


@dataclass(frozen=True, slots=True)
class AgreementBin:
    """The items of one range of agreement.

    Attributes:
        low: Smallest agreement.
        high: Largest, not itself in the bin unless it is 1.
        n_items: How many items.
        scores: Estimand to the system's score on them.
    """

    low: float
    high: float
    n_items: int
    scores: Mapping[Estimand, CrowdScore]


def check_edges(edges: Sequence[float]) -> tuple[float, ...]:
    """The edges of bins, checked.

    Raises:
        UsageError: Unless there are two or more, ascending, from ½ to 1.
    """
    good = len(edges) >= 2 and all(a < b for a, b in pairwise(edges))
    if not good or edges[0] < 0.5 or edges[-1] > 1:
        what = f"the edges of bins are {', '.join(f'{edge:g}' for edge in edges)}"
        raise UsageError(Problem("crowd-edges", what, expected="ascending numbers between 0.5 and 1, two or more"))
    return tuple(edges)


def agreement(share: Floats) -> Floats:
    """Share of the majority of two labels; NaN where nobody judged."""
    return np.maximum(share, 1 - share)


def in_bin(share: Floats, low: float, high: float) -> Flags:
    """Which shares of errors have an agreement in [low, high), or in [low, 1]."""
    agree = agreement(share)
    above = agree >= low - EQUAL
    return np.asarray(above & ((agree < high - EQUAL) | (high >= 1)), np.bool_)


def agreement_bins(
    counted: Mapping[Crowd, CrowdStatistics],
    edges: Sequence[float] = EDGES,
    *,
    resampling: Resampling | None = None,
) -> list[AgreementBin]:
    """Score a system in every bin.

    Args:
        counted: Metric to its counts of the same items, one for each estimand.
        edges: Edges of the bins, ascending, from ½ to 1.
        resampling: How to make intervals; None: none are made.

    Raises:
        UsageError: If the edges do not fit.
    """
    found = []
    for low, high in pairwise(check_edges(edges)):
        scores = {
            metric.estimand: score_kinds(metric, table, resampling=resampling, rows=in_bin(table.share, low, high))
            for metric, table in counted.items()
        }
        found.append(AgreementBin(low, high, max((score.n_items for score in scores.values()), default=0), scores))
    return found


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The items on which the crowd agrees so far.

    Attributes:
        threshold: Smallest share of the majority.
        n_items: Items kept.
        n_ties: Ties left out, though the threshold would keep them: those of a threshold of ½.
        kept: Share of all judged items that are kept.
        prevalence: Share of errors among them.
        sensitivity: Share of the errors that are flagged.
        specificity: Share of the others that are not.
        kappa: Cohen's kappa of flags and majority.
        youden: Youden J.
        log_odds: Log diagnostic odds ratio.
        kappa_at: Kappa at the reference prevalence.
    """

    threshold: float
    n_items: int
    n_ties: int
    kept: float
    prevalence: float | None
    sensitivity: float | None
    specificity: float | None
    kappa: Estimate
    youden: Estimate
    log_odds: Estimate
    kappa_at: Estimate


def kappa_curve(
    statistics: CrowdStatistics,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    reference_prevalence: float = REFERENCE_PREVALENCE,
    resampling: Resampling | None = None,
) -> list[CurvePoint]:
    """Follow a system along the crowd's agreement.

    Args:
        statistics: Counts of the majority, from ``Crowd(estimand="majority").measure``.
        thresholds: Smallest shares of the majority, between ½ and 1.
        reference_prevalence: Share of errors that kappa is standardised to.
        resampling: How to make bands; None: none are made.

    Raises:
        UsageError: If a threshold or the prevalence is out of range.
    """
    if not thresholds or any(not 0.5 <= tau <= 1 for tau in thresholds):
        what = f"thresholds {', '.join(f'{tau:g}' for tau in thresholds) or 'none'}"
        raise UsageError(Problem("crowd-thresholds", what, expected="numbers from 0.5 to 1"))
    units, counts = statistics.units, statistics.counts
    tied, agree = np.abs(statistics.share - 0.5) <= EQUAL, agreement(statistics.share)
    keeping = [agree >= tau - EQUAL for tau in thresholds]
    kept = [rows & ~tied for rows in keeping]

    def fold(weights: Floats) -> Floats:
        made = [rates(weights @ (counts * rows[:, None]), reference_prevalence) for rows in kept]
        return np.stack([[getattr(each, name) for name in CURVES] for each in made]).transpose(2, 0, 1)

    able = resampling is not None and len(units.frequency) and units.frequency.sum() > 1
    drawn = resampled(units, fold, resampling, "curve") if resampling is not None and able else None
    total = units.frequency.sum()
    found = []
    for at, (tau, rows) in enumerate(zip(thresholds, kept, strict=True)):
        n, n_clusters = int(units.frequency[rows].sum()), units.n_clusters_of(rows)
        here = rates((units.frequency @ (counts * rows[:, None]))[None], reference_prevalence)
        made = {}
        for k, name in enumerate(CURVES):
            value = float(getattr(here, name)[0])
            reason = (Undefined.ONE_LABEL if n else Undefined.NO_UNITS) if np.isnan(value) else None
            estimate = Estimate(None if reason else value, n, n_clusters=n_clusters, undefined=reason)
            if reason is None and resampling is not None:
                alone = drawn is None or n < 2 or n_clusters == 1
                interval = Undefined.ONE_UNIT if alone or drawn is None else resampling.interval(value, drawn[:, at, k])
                estimate = estimate.with_interval(interval, n_clusters=n_clusters)
            made[name] = estimate
        n_ties, share = int(units.frequency[keeping[at] & tied].sum()), n / total if total else 0.0
        shares = (_number(here.prevalence), _number(here.sensitivity), _number(here.specificity))
        found.append(CurvePoint(tau, n, n_ties, share, *shares, *(made[name] for name in CURVES)))
    return found


def _number(value: Floats) -> float | None:
    number = float(value[0])
    return None if np.isnan(number) else number
