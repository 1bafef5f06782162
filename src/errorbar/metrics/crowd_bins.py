"""Scores by how far the crowd agrees: the histogram of agreement, and P and R of each bin.

Formula
    The agreement on an item is the share of its majority, max(p, 1 - p) for two labels, from ½ to 1. A bin [low, high)
    holds the items whose agreement is at least low and below high; the last bin holds 1 too.
Conventions
    The default edges .5, .75, .9, 1 are the published ones. Few judgments reach few shares: with three, agreement is
    2/3 or 1 and the middle bin is empty. A share that equals an edge but for rounding is on the edge. Both estimands
    and n are given for every bin; a bin with little in it gets an honest, wide interval or the reason why none.
Source
    Madnani et al. 2011, whose software bins majority agreement at 50-75, 75-90 and 90-100 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errorbar.agreement.resampling import Resampling
from errorbar.core.errors import Problem, UsageError
from errorbar.metrics.crowd import (
    EQUAL,
    ESTIMANDS,
    CrowdScore,
    CrowdStatistics,
    Flags,
    Floats,
    fold_crowd,
)

EDGES = (0.5, 0.75, 0.9, 1.0)


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
    scores: dict[str, CrowdScore]


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
    statistics: dict[str, CrowdStatistics],
    edges: Sequence[float] = EDGES,
    *,
    beta: float = 1.0,
    resampling: Resampling | None = None,
) -> list[AgreementBin]:
    """Score a system in every bin.

    Args:
        statistics: Estimand to its counts, from ``measure_crowd`` of the same items.
        edges: Edges of the bins, ascending, from ½ to 1.
        beta: Weight of recall in F.
        resampling: How to make intervals; None: none are made.

    Raises:
        UsageError: If the edges do not fit, or no counts are given.
    """
    marks = check_edges(edges)
    if not statistics or not set(statistics) <= set(ESTIMANDS):
        what = f"counts of {', '.join(statistics) or 'nothing'}"
        raise UsageError(Problem("crowd-estimand", what, expected=" or ".join(ESTIMANDS)))
    found = []
    for low, high in pairwise(marks):
        scores: dict[str, CrowdScore] = {}
        n = 0
        for estimand in ESTIMANDS:
            if estimand not in statistics:
                continue
            table = statistics[estimand]
            rows = in_bin(table.share, low, high)
            scores[estimand] = fold_crowd(table, estimand, beta=beta, resampling=resampling, rows=rows)
            n = max(n, scores[estimand].n_items)
        found.append(AgreementBin(low, high, n, scores))
    return found
