"""A system along the agreement of a crowd: P and R by bins of it, and the kappa-agreement curve.

Formula
    The agreement on an item is the share of its majority, max(p, 1 - p) for two labels, from ½ to 1.
    Bins: a bin [low, high) holds the items whose agreement is at least low and below high; the last bin holds 1 too.
    Curve: for every threshold τ keep the items whose majority has a share of at least τ; there compute κ, and beside it
    Youden J, the log diagnostic odds ratio and κ at a reference prevalence, of the system's flags with the majority.
    Se = hits / (hits + misses), Sp = true negatives / (true negatives + false positives), π = share of errors.
    κ(Se, Sp, π) = (A_o - A_e) / (1 - A_e) of the table a = π Se, b = π (1 - Se), c = (1 - π)(1 - Sp), d = (1 - π) Sp:
    A_o = a + d, A_e = π (a + c) + (1 - π)(b + d).
    Youden J = Se + Sp - 1. Log diagnostic odds ratio = ln(hits · true negatives / (false positives · misses)).
    κ standardised to a reference π is κ(Se, Sp, π_ref).
Conventions
    Bins: the default edges .5, .75, .9, 1 are the published ones. Few judgments reach few shares: with three, agreement
    is 2/3 or 1 and the middle bin is empty. A share that equals an edge but for rounding is on the edge. Both estimands
    and n are given for every bin; a bin with little in it gets an honest, wide interval or the reason why none.
    Curve: ties are not kept: they have no majority; each point says how many there are. So with few raters several
    thresholds keep the same items: of ten, none agree on 51 to 59 %. The band is a percentile bootstrap over items or
    clusters, all thresholds and measures from the same resamples, so neighboring points move together. n and the share
    of judged items kept stand at every point.
    κ of one detector changes with the prevalence: .25 at 1 % and .64 at 20 % for Se .6, Sp .97. J, the odds ratio and
    the standardised κ do not: compare systems on *different* data by these. The odds ratio adds ½ to each of the four
    counts where one of them is 0 (Haldane, Anscombe). Undefined, NaN, where one class does not occur; κ also where
    nobody varies.
Source
    Madnani et al. 2011, whose software bins majority agreement at 50-75, 75-90 and 90-100 %. Youden 1950; Glas et al.
    2003 (diagnostic odds ratio); for κ and prevalence Feinstein and Cicchetti 1990.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.metrics.base import Floats
from errorbar.metrics.crowd_weighted import EQUAL, Crowd, CrowdScore, CrowdStatistics, Estimand, Flags, score_kinds
from errorbar.metrics.intervals import estimated, resampled
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import divided

EDGES = (0.5, 0.75, 0.9, 1.0)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
REFERENCE_PREVALENCE = 0.1
CURVES = ("kappa", "youden", "log_odds", "kappa_at")


@dataclass(frozen=True, slots=True)
class AgreementBin:
    """The items whose agreement is at least ``low`` and below ``high``, or 1 where that is 1."""

    low: float
    high: float
    n_items: int
    scores: Mapping[Estimand, CrowdScore]


def agreement(share: Floats) -> Floats:
    """Share of the majority of two labels; NaN where nobody judged."""
    return np.maximum(share, 1 - share)


def in_bin(share: Floats, low: float, high: float) -> Flags:
    """Which shares of errors have an agreement in [low, high), or in [low, 1]."""
    agree = agreement(share)
    return np.asarray((agree >= low - EQUAL) & ((agree < high - EQUAL) | (high >= 1)), np.bool_)


def agreement_bins(
    counted: Mapping[Crowd, CrowdStatistics],
    edges: Sequence[float] = EDGES,
    *,
    resampling: Resampling | None = None,
) -> list[AgreementBin]:
    """Score a system in every bin, from counts of the same items by one metric for each estimand.

    Raises:
        UsageError: Unless there are two edges or more, ascending, from ½ to 1.
    """
    if len(edges) < 2 or any(a >= b for a, b in pairwise(edges)) or edges[0] < 0.5 or edges[-1] > 1:
        what = f"the edges of bins are {', '.join(f'{edge:g}' for edge in edges)}"
        raise UsageError(Problem("crowd-edges", what, expected="ascending numbers between 0.5 and 1, two or more"))
    found = []
    for low, high in pairwise(edges):
        scores = {
            metric.estimand: score_kinds(metric, table, resampling=resampling, rows=in_bin(table.share, low, high))
            for metric, table in counted.items()
        }
        found.append(AgreementBin(low, high, max((score.n_items for score in scores.values()), default=0), scores))
    return found


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The items on which the crowd agrees so far; all shares are fractions."""

    threshold: float  # smallest share of the majority
    n_items: int
    n_ties: int  # left out, though the threshold would keep them: those of a threshold of ½
    kept: float  # share of all judged items
    prevalence: float | None  # of errors
    sensitivity: float | None
    specificity: float | None
    kappa: Estimate
    youden: Estimate
    log_odds: Estimate
    kappa_at: Estimate  # at the reference prevalence


def kappa_curve(
    statistics: CrowdStatistics,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    reference_prevalence: float = REFERENCE_PREVALENCE,
    resampling: Resampling | None = None,
) -> list[CurvePoint]:
    """Follow a system along the crowd's agreement, from counts by ``Crowd(estimand="majority")``.

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

    total = units.frequency.sum()
    drawn = resampled(units, fold, resampling, "curve") if resampling is not None and total > 1 else None
    found = []
    for at, (tau, rows) in enumerate(zip(thresholds, kept, strict=True)):
        n, n_clusters = int(units.frequency[rows].sum()), units.n_clusters_of(rows)
        here = rates((units.frequency @ (counts * rows[:, None]))[None], reference_prevalence)
        values = [float(getattr(here, name)[0]) for name in CURVES]
        reasons = [(Undefined.ONE_LABEL if n else Undefined.NO_UNITS) if np.isnan(value) else None for value in values]
        several = drawn if n > 1 and n_clusters != 1 else None
        made = estimated(values, reasons, (n, n_clusters), resampling, None if several is None else several[:, at])
        n_ties, share = int(units.frequency[keeping[at] & tied].sum()), n / total if total else 0.0
        of_items = (here.prevalence, here.sensitivity, here.specificity)
        pi, se, sp = (None if np.isnan(one[0]) else float(one[0]) for one in of_items)
        found.append(CurvePoint(tau, n, n_ties, share, pi, se, sp, *made))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """Measures of many tables at once, each of shape (tables,), NaN where undefined."""

    sensitivity: Floats
    specificity: Floats
    prevalence: Floats  # of errors
    kappa: Floats  # Cohen's, at that prevalence
    youden: Floats
    log_odds: Floats
    kappa_at: Floats  # at the reference prevalence


def kappa_of_rates(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> Floats:
    """Cohen's kappa of a detector with the truth; NaN where both use one label only.

    Raises:
        UsageError: If a number is no fraction.
    """
    se, sp, pi = (np.asarray(value, np.float64) for value in (sensitivity, specificity, prevalence))
    for value in (se, sp, pi):
        if ((value < 0) | (value > 1)).any():
            raise UsageError(Problem("crowd-rates", "a rate or a prevalence is no fraction", expected="0 to 1"))
    a, b, c, d = pi * se, pi * (1 - se), (1 - pi) * (1 - sp), (1 - pi) * sp
    expected = pi * (a + c) + (1 - pi) * (b + d)
    return divided(a + d - expected, np.where(1 - expected > 1e-12, 1 - expected, 0.0))  # but for rounding 0


def rates(counts: Floats, reference_prevalence: float) -> Rates:
    """Measure tables of hits, false positives, misses and true negatives; shape (tables, 4).

    Raises:
        UsageError: If the reference prevalence is no fraction.
    """
    if not 0 < reference_prevalence < 1:
        what = f"the reference prevalence is {reference_prevalence}"
        raise UsageError(Problem("crowd-rates", what, expected="a fraction between 0 and 1"))
    hits, wrong, missed, right = np.maximum(counts, 0).T
    errors, fine = hits + missed, wrong + right
    se, sp = divided(hits, errors), divided(right, fine)
    prevalence = divided(errors, errors + fine)
    smoothed = counts + np.where((counts <= 0).any(axis=1, keepdims=True), 0.5, 0.0)
    defined = (errors > 0) & (fine > 0)
    odds = smoothed[:, 0] * smoothed[:, 3] / (smoothed[:, 1] * smoothed[:, 2])
    return Rates(
        se,
        sp,
        prevalence,
        np.where(defined, kappa_of_rates(se, sp, prevalence), np.nan),
        se + sp - 1,
        np.where(defined, np.log(odds), np.nan),
        kappa_of_rates(se, sp, np.full(len(counts), reference_prevalence)),
    )
