"""Rank ranges and clusters: what of an order is more than chance.

Formula
    In each of R resamples a system takes the ranks from 1 + (how many score higher) to (how many score at least as
    high, itself with them). Of its R ranks, ⌈R α/2⌉ are left out at either side, α = 1 − confidence; what is left is
    its range. A line is drawn below a system where nobody above can rank as low as the best rank of anybody below.
Conventions
    ``wmt``: clusters are the groups between the lines; systems of one cluster are not told apart, systems of different
    ones are. The WMT's script looks at the worst rank of the system right above the line only; we look at all above.
    Scores are compared in steps of 1e-9 of the largest: rounding must not separate systems with the same wins.
    A resample in which a score is undefined (NaN) gives its system every rank, and moves no other.
Source
    Koehn 2012, IWSLT; Bojar et al. 2013, Findings of the WMT, section 3.2; Sakaguchi, Post & Van Durme 2014, WMT.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from errorbar.ranking.wins import Floats

Integers = NDArray[np.int64]
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranks of every system.

    Attributes:
        rank: Its rank by the score on all comparisons; equal scores share the best. 0 where undefined.
        low: The best rank of its range.
        high: The worst.
        cluster: The number of its cluster, from 1 at the top.
    """

    rank: Integers
    low: Integers
    high: Integers
    cluster: Integers


def rank_ranges(scores: Floats, resampled: Floats, *, confidence_level: float = 0.95) -> Ranges:
    """Rank ranges and clusters: scores (systems,), NaN where undefined, and those on resamples (resamples, systems)."""
    n, size = resampled.shape
    scores, resampled = rounded(scores), rounded(resampled)
    above = np.nan_to_num(resampled, nan=-np.inf)
    ordered = np.sort(above, axis=1)
    best, worst = np.empty((n, size), np.int64), np.empty((n, size), np.int64)
    for row, (scale, found) in enumerate(zip(ordered, above, strict=True)):
        best[row] = 1 + size - np.searchsorted(scale, found, side="right")
        worst[row] = size - np.searchsorted(scale, found, side="left")
    undefined = np.isnan(resampled)
    best[undefined], worst[undefined] = 1, size
    # The tiny amount keeps 1 - .95 from becoming more than a twentieth.
    cut = min(ceil(n * (1 - confidence_level) / 2 - 1e-9), (n - 1) // 2)
    low = np.sort(best, axis=0)[cut].astype(np.int64)
    high = np.sort(worst, axis=0)[n - 1 - cut].astype(np.int64)
    known = np.sort(scores[~np.isnan(scores)])
    rank = np.where(np.isnan(scores), 0, 1 + len(known) - np.searchsorted(known, scores, side="right")).astype(np.int64)
    return Ranges(rank, low, high, _clusters(scores, low, high))


def rounded(scores: Floats) -> Floats:
    """Scores without what sums of floating-point numbers leave behind; shape as given."""
    finite = np.abs(scores[np.isfinite(scores)])
    step = float(finite.max(initial=0.0)) * _ROUNDING
    return scores if step == 0 else np.round(scores / step) * step


def _clusters(scores: Floats, low: Integers, high: Integers) -> Integers:
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    cluster = np.ones(len(scores), np.int64)
    lowest_above = np.maximum.accumulate(high[order])
    highest_below = np.minimum.accumulate(low[order][::-1])[::-1]
    cluster[order[1:]] += np.cumsum(lowest_above[:-1] < highest_below[1:])
    return cluster
