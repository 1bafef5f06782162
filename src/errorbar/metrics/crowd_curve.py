"""The kappa-agreement curve: a system against the crowd's majority, on the items that the crowd agrees on.

Formula
    For every threshold τ keep the items whose majority has a share of at least τ; there compute κ, and beside it
    Youden J, the log diagnostic odds ratio and κ at a reference prevalence, of the system's flags with the majority.
Conventions
    Ties are not kept: they have no majority; each point says how many there are. So with few raters several thresholds
    keep the same items: of ten, none agree on 51 to 59 %. The band is a percentile bootstrap over items or clusters,
    all thresholds and measures from the same resamples, so neighboring points move together. n and the share of judged
    items kept stand at every point. Compare systems on *different* data by J, the odds ratio or the standardised κ:
    κ itself changes with the share of errors, which differs between data and falls along the curve.
Source
    Madnani et al. 2011 for the curve; metrics/crowd_rates.py for the measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errorbar.agreement.resampling import Kernel, Resampling, percentile_interval, replicates
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.metrics.crowd import EQUAL, CrowdStatistics, Floats
from errorbar.metrics.crowd_bins import agreement
from errorbar.metrics.crowd_rates import Rates, rates

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
REFERENCE_PREVALENCE = 0.1


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
        statistics: Counts of the majority, from ``measure_crowd(..., estimand="majority")``.
        thresholds: Smallest shares of the majority, between ½ and 1.
        reference_prevalence: Share of errors that kappa is standardised to.
        resampling: How to make bands; None: none are made.

    Raises:
        UsageError: If a threshold or the prevalence is out of range.
    """
    if not thresholds or any(not 0.5 <= tau <= 1 for tau in thresholds):
        what = f"thresholds {', '.join(f'{tau:g}' for tau in thresholds) or 'none'}"
        raise UsageError(Problem("crowd-thresholds", what, expected="numbers from 0.5 to 1"))
    total = statistics.units.frequency.sum()
    found = []
    for tau in thresholds:
        agreed, tied = agreement(statistics.share) >= tau - EQUAL, np.abs(statistics.share - 0.5) <= EQUAL
        rows = agreed & ~tied
        n = int(statistics.units.frequency[rows].sum())
        kernels = _kernels(statistics.counts * rows[:, None], reference_prevalence)
        drawn = None
        n_clusters = statistics.units.n_clusters_of(rows)
        if resampling is not None and n > 1 and n_clusters != 1:
            drawn = replicates(statistics.units, kernels, resampling)
        at = rates((statistics.units.frequency @ (statistics.counts * rows[:, None]))[None], reference_prevalence)
        made = {
            name: _estimate(float(getattr(at, name)[0]), n, n_clusters, drawn[name] if drawn else None, resampling)
            for name in kernels
        }
        found.append(
            CurvePoint(
                tau,
                n,
                int(statistics.units.frequency[agreed & tied].sum()),
                n / total if total else 0.0,
                _number(at.prevalence),
                _number(at.sensitivity),
                _number(at.specificity),
                made["kappa"],
                made["youden"],
                made["log_odds"],
                made["kappa_at"],
            )
        )
    return found


def _kernels(counts: Floats, prevalence: float) -> dict[str, Kernel]:
    def kernel_of(name: str) -> Kernel:
        def kernel(weights: Floats) -> Floats:
            made: Rates = rates(weights @ counts, prevalence)
            values: Floats = getattr(made, name)
            return values

        return kernel

    return {name: kernel_of(name) for name in ("kappa", "youden", "log_odds", "kappa_at")}


def _estimate(
    value: float, n: int, n_clusters: int | None, drawn: Floats | None, resampling: Resampling | None
) -> Estimate:
    if np.isnan(value):
        reason = Undefined.ONE_LABEL if n else Undefined.NO_UNITS
        return Estimate(None, n, n_clusters=n_clusters, undefined=reason)
    estimate = Estimate(value, n, n_clusters=n_clusters)
    if resampling is None:
        return estimate
    interval = percentile_interval(drawn, resampling) if drawn is not None else Undefined.ONE_UNIT
    return estimate.with_interval(interval, n_clusters=n_clusters)


def _number(value: Floats) -> float | None:
    number = float(value[0])
    return None if np.isnan(number) else number
