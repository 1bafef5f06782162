"""Crowd-weighted precision, recall and F of error detection, and the same for the majority of the crowd.

Formula
    p_i: share of the crowd (or of its trust, or probability) that calls item i an error; f_i: 1 where the system
    flags it, else 0.
    weighted: hits = Σ f_i p_i, false positives = Σ f_i (1 - p_i), misses = Σ (1 - f_i) p_i.
    majority: the same with p_i rounded to 1 above ½ and to 0 below.
    P = hits / (hits + false positives), R = hits / (hits + misses),
    F = (1 + beta²) hits / ((1 + beta²) hits + false positives + beta² misses).
Conventions
    The two are different estimands: what share of raters, against what most raters say. Majority recall depends on
    how many judge an item, weighted recall does not, so both and the number of judgments stand in every row. Items
    nobody judged do not count. A tie (p_i = ½) counts as ``ties`` says: ``half`` an error, ``unknown`` (the item does
    not count for the majority), ``error`` or ``ok``. P is undefined where nothing is flagged, R where no share is an
    error. Intervals resample items, or clusters of them, with all their judgments: they do not say what other raters
    would have said.
Source
    Madnani et al. 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.resampling import Kernel, Resampling, percentile_interval, replicates
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Undefined
from errorbar.stats.units import Units, cluster_table

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ties = Literal["half", "unknown", "error", "ok"]
TIES: tuple[Ties, ...] = get_args(Ties)
Estimand = Literal["weighted", "majority"]
ESTIMANDS: tuple[Estimand, ...] = get_args(Estimand)
EQUAL = 1e-9
"""Shares this near to ½ are a tie."""


@dataclass(frozen=True, slots=True, eq=False)
class CrowdStatistics:
    """What is kept of each kind of item: all items with one share, flag and number of judgments are one row.

    Attributes:
        counts: Hits, false positives, misses and true negatives of one item; shape (rows, 4).
        units: How many items each row stands for, and of which clusters.
        n_judgments: Judgments of an item of each row; shape (rows,).
        share: Share of errors of each row; shape (rows,).
        flag: Whether each row is flagged; shape (rows,).
    """

    counts: Floats
    units: Units
    n_judgments: NDArray[np.int64]
    share: Floats
    flag: Flags


@dataclass(frozen=True, slots=True)
class CrowdScore:
    """One system against the crowd, by one estimand.

    Attributes:
        estimand: ``weighted`` or ``majority``.
        hits: Flagged errors, a sum of shares.
        false_positives: Flagged items that are none.
        misses: Errors that are not flagged.
        true_negatives: The rest.
        precision: P.
        recall: R.
        f: F.
        beta: Weight of recall in F.
        n_items: Items that count.
        n_judgments: Their judgments: smallest, mean and largest number.
    """

    estimand: Estimand
    hits: float
    false_positives: float
    misses: float
    true_negatives: float
    precision: Estimate
    recall: Estimate
    f: Estimate
    beta: float
    n_items: int
    n_judgments: tuple[int, float, int]


def majority_share(share: Floats, ties: Ties = "half") -> Floats:
    """Shares rounded to 0 and 1; ties ½, NaN, 1 or 0 as the policy says.

    Raises:
        UsageError: If there is no such policy.
    """
    if ties not in TIES:
        raise UsageError(Problem("crowd-ties", f"no policy for ties is called '{ties}'", fix=nearest(ties, TIES)))
    tie = {"half": 0.5, "unknown": np.nan, "error": 1.0, "ok": 0.0}[ties]
    rounded = np.where(share > 0.5 + EQUAL, 1.0, np.where(share < 0.5 - EQUAL, 0.0, tie))
    return np.where(np.isnan(share), np.nan, rounded)


def measure_crowd(
    share: Floats,
    flag: Flags,
    n_judgments: NDArray[np.int64],
    clusters: Sequence[int] | NDArray[np.int64] | None = None,
    *,
    estimand: Estimand = "weighted",
    ties: Ties = "half",
) -> CrowdStatistics:
    """Count, before anything is scored.

    Args:
        share: Share of errors of each item, NaN where nobody judged; shape (items,).
        flag: Whether the system flags it; shape (items,).
        n_judgments: Judgments of each item; shape (items,).
        clusters: Number of the cluster (essay, sentence) of each item.
        estimand: ``weighted`` or ``majority``.
        ties: What a tie is to the majority.

    Raises:
        UsageError: If the columns do not fit, a share is no fraction, or an option is unknown.
    """
    if estimand not in ESTIMANDS:
        fix = nearest(estimand, ESTIMANDS)
        raise UsageError(Problem("crowd-estimand", f"no estimand is called '{estimand}'", fix=fix))
    if not share.shape == flag.shape == n_judgments.shape or share.ndim != 1:
        what = f"shares, flags and judgments have shapes {share.shape}, {flag.shape} and {n_judgments.shape}"
        raise UsageError(Problem("crowd-columns", what, expected="one of each for every item"))
    known = ~np.isnan(share)
    if not ((share[known] >= -EQUAL) & (share[known] <= 1 + EQUAL)).all():
        raise UsageError(Problem("crowd-columns", "a share is not between 0 and 1", expected="fractions"))
    p = share if estimand == "weighted" else majority_share(share, ties)
    used = ~np.isnan(p)
    rows = np.stack([p[used], share[used], flag[used], n_judgments[used]], axis=1)
    kinds, row, times = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    row_of = np.full(len(p), -1, np.int64)
    row_of[used] = row.ravel()
    p, f = kinds[:, 0], kinds[:, 2]
    counts = np.stack([f * p, f * (1 - p), (1 - f) * p, (1 - f) * (1 - p)], axis=1)
    units = Units(times.astype(np.float64), cluster_table(row_of, len(kinds), clusters, len(share)))
    return CrowdStatistics(counts, units, kinds[:, 3].astype(np.int64), kinds[:, 1], f.astype(np.bool_))


def fold_crowd(
    statistics: CrowdStatistics,
    estimand: Estimand = "weighted",
    *,
    beta: float = 1.0,
    resampling: Resampling | None = None,
    rows: Flags | None = None,
) -> CrowdScore:
    """Score what was counted.

    Args:
        statistics: The counts.
        estimand: What they are counts of.
        beta: Weight of recall in F.
        resampling: How to make intervals; None: none are made.
        rows: Only these rows of the counts; None: all.

    Raises:
        UsageError: If beta is not positive.
    """
    if not 0 < beta < np.inf:
        raise UsageError(Problem("crowd-beta", f"beta is {beta}", expected="a number above 0"))
    counts = statistics.counts if rows is None else statistics.counts * rows[:, None]
    frequency = statistics.units.frequency if rows is None else statistics.units.frequency * rows
    n_items = int(frequency.sum())
    totals = frequency @ counts
    hits, wrong, missed, right = totals.tolist()
    reasons = {
        "P": None if hits + wrong else Undefined.NOTHING_PROPOSED,
        "R": None if hits + missed else Undefined.NOTHING_IN_REFERENCE,
        "F": None if hits + wrong + missed else Undefined.NO_EDITS,
    }
    if not n_items:
        reasons = dict.fromkeys(reasons, Undefined.NO_UNITS)
    kernels = _kernels(counts, beta)
    n_clusters = statistics.units.n_clusters if rows is None else statistics.units.n_clusters_of(rows)
    drawn: dict[str, Floats] = {}
    able = n_items > 1 and n_clusters != 1
    if resampling is not None and able:
        drawn = replicates(statistics.units, kernels, resampling)
    made = {}
    for name, kernel in kernels.items():
        if reasons[name] is not None:
            made[name] = Estimate(None, n_items, n_clusters=n_clusters, undefined=reasons[name])
            continue
        estimate = Estimate(float(kernel(statistics.units.frequency[None])[0]), n_items, n_clusters=n_clusters)
        if resampling is not None:
            interval = percentile_interval(drawn[name], resampling) if able else Undefined.ONE_UNIT
            estimate = estimate.with_interval(interval, n_clusters=n_clusters)
        made[name] = estimate
    ks = statistics.n_judgments[frequency > 0]
    mean = float(frequency @ statistics.n_judgments / n_items) if n_items else 0.0
    spread = (int(ks.min(initial=0) if not len(ks) else ks.min()), mean, int(ks.max(initial=0)))
    return CrowdScore(estimand, hits, wrong, missed, right, made["P"], made["R"], made["F"], beta, n_items, spread)


def crowd_score(
    share: Floats,
    flag: Flags,
    n_judgments: NDArray[np.int64],
    clusters: Sequence[int] | NDArray[np.int64] | None = None,
    *,
    estimand: Estimand = "weighted",
    ties: Ties = "half",
    beta: float = 1.0,
    resampling: Resampling | None = None,
) -> CrowdScore:
    """Count and score; arguments and errors as of ``measure_crowd`` and ``fold_crowd``."""
    statistics = measure_crowd(share, flag, n_judgments, clusters, estimand=estimand, ties=ties)
    return fold_crowd(statistics, estimand, beta=beta, resampling=resampling)


def _kernels(counts: Floats, beta: float) -> dict[str, Kernel]:
    b2 = beta * beta
    hits, proposed, wanted = counts[:, 0], counts[:, 0] + counts[:, 1], counts[:, 0] + counts[:, 2]

    def quotient(above: Floats, below: Floats) -> Kernel:
        def kernel(weights: Floats) -> Floats:
            low = weights @ below
            value: Floats = np.full(len(weights), np.nan)
            np.divide(weights @ above, low, out=value, where=low > 0)
            return value

        return kernel

    return {
        "P": quotient(hits, proposed),
        "R": quotient(hits, wanted),
        "F": quotient((1 + b2) * hits, proposed + b2 * wanted),
    }
