"""Intervals of P, R and F that stay honest with a handful of hits or misses, or none.

Formula
    Of N items with T errors n are drawn without replacement, and X errors seen. A total T is too small for the x that
    was seen where w P(X ≥ x | T) + (1 − w) P(X > x | T) < α/2, too large where w P(X ≤ x | T) + (1 − w) P(X < x | T)
    < α/2, with w = ¾: between the mid-p interval (w = ½) and the exact one of ``exact`` (w = 1). P(X ≥ x | T) is the
    chance that the x-th error of the sample is among the first T items of a list with the errors on top, P(x +
    BB(N − n; x, n − x + 1) ≤ T) with a beta-binomial number BB; P(X > x | T) is P(x + BB(N − n; x + 1, n − x) < T).
    P has the ends of the hits. R and F join those of hits and misses (MOVER-R): R = ρ / (1 + ρ) with ρ = H / M;
    F = (1 + β²) ρ / (1 + β² ρ) with ρ = H / D, D = β² M + F₁ (F₁ items flagged). Both grow with ρ. With the ends h, h'
    of H and d, d' of D those of ρ are h (2 H − h) / [H D + √((H D)² − h d' (2 H − h)(2 D − d'))] and
    [H D + √((H D)² − h' d (2 H − h')(2 D − d))] / [d (2 D − d)]. (The published form of the first,
    [H D − √...] / [d' (2 D − d')], is the same and breaks where d' = 2 D, which few misses come near.)
Conventions
    w = ½ holds the truth of some proportions in .92 of samples only, w = 1 in .95 of the worst and .97 of most; ¾ is
    above .94 in all and costs 2 % of width (docs/design/sampling.md).
    Where a side is several strata, truths are not 0 or 1, or votes helped, its errors count as x* = n* T̂ / N seen in a
    simple random sample of n*, the one with the same variance: (1 − n*/N) / (n* − 1) = Var T̂ / (N² r (1 − r)), with the
    smoothed Var T̂ and rate r of ``totals``. For one stratum with truths that are 0 or 1, n* = n.
    Totals that fit x* lie whole items apart, but x* is no whole number, and a total that can be may lie between two of
    them or beyond the last. So ends are rounded outward to whole totals, and stay between the errors that were seen and
    all items but those seen without one; not of graded truths, unless all raters of each judged item of a side agree.
    Without a hit or a miss seen the interval is one-sided, and is called so.
Source
    Clopper and Pearson 1934 and Lancaster 1961 for w = 1 and ½; Korn and Graubard 1998, Survey Methodology 24, for the
    effective n*; Donner and Zou 2012 for the joining.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Interval, Undefined
from errorbar.sampling.frame import Floats, Strata
from errorbar.sampling.totals import HALF, Quantity, Sample, Totals
from errorbar.stats.resampling import tails

OUTER = 0.75  # w: how much of the probability of just what was seen counts
_CELLS = 1 << 15  # totals that are looked at one by one; of more, as many at equal distances
_ROUNDING = 1e-9
_DIGITS = 9
_FAR = 16.0  # standard deviations from the mean beyond which there is no end


class Ends(NamedTuple):
    """A number and the ends of its interval."""

    value: float
    low: float
    high: float


def near_exact_interval(
    quantity: Quantity, sample: Sample, errors: Floats, variances: Floats, confidence_level: float = 0.95
) -> Interval | Undefined:
    """The interval of P, R, F or Q, which has a value, or that all was judged; only the ``variances`` are smoothed."""
    flags, name = quantity.flags, quantity.name
    hits, misses = (
        _side(side, sample, quantity.strata, (errors, variances), confidence_level) for side in (flags, ~flags)
    )
    if name in ("P", "Q"):
        (value, low, high), size = (hits, quantity.flagged) if name == "P" else (misses, quantity.unflagged)
        ends, known, one_sided = (low / size, high / size), low == high, value in (0, size)
    else:
        ends = join_ends(quantity, hits, misses)
        known = hits.low == hits.high and misses.low == misses.high
        one_sided = hits.value == 0 or (misses.value == 0 and (name == "R" or hits.value == quantity.flagged))
    if known or not ends[0] < ends[1]:
        return Undefined.ZERO_WIDTH
    return Interval(*ends, confidence_level, "near-exact, one-sided" if one_sided else "near-exact")


def join_ends(quantity: Quantity, hits: Ends, misses: Ends) -> tuple[float, float]:
    """Ends of R or F from those of hits and misses (MOVER-R)."""
    # Both are top / (1 / ρ + b) with ρ = H / D.
    square = quantity.beta**2
    b, fixed, top = (1.0, 0.0, 1.0) if quantity.name == "R" else (square, quantity.flagged, 1 + square)
    below = Ends(*(b * end + fixed for end in misses))
    product = hits.value * below.value
    # Of the hits, and of what is below, that which the ends leave: x (2 T - x) for an end x of T.
    less, more = (end * (2 * hits.value - end) for end in hits[1:])
    under, over = (end * (2 * below.value - end) for end in below[1:])
    # Rounding may take a root of 0 below it.
    first, second = (sqrt(max(product**2 - part, 0.0)) for part in (less * over, more * under))
    start = less / (product + first) if product + first > 0 else inf  # nothing is below, and that is known
    ends = [start if less > 0 else 0.0, (product + second) / under if under > 0 else inf]
    # R = 1 / (1 / rho + 1) and F = (1 + b) / (1 / rho + b): written so, rho may be without end.
    low, high = (top / (1 / end + b) if end > 0 else 0.0 for end in ends)
    return low, min(high, 1.0)


def _side(side: NDArray[np.bool_], sample: Sample, strata: Strata, totals: Totals, level: float) -> Ends:
    """The errors of the strata of one side, and the ends of their interval."""
    errors, variance = (float(part[side].sum()) for part in totals)
    size, n = float(strata.sizes[side].sum()), float(sample.n[side].sum())
    total = min(max(errors, 0.0), size)
    rate = (total / size * n + HALF) / (n + 2 * HALF)
    share = variance / (size**2 * rate * (1 - rate))
    effective = (1 + share) / (share + 1 / size)
    if n == side.sum():
        effective = min(effective, n)  # one item of each stratum tells nothing of the spread
    # Without the last digits, so that whole numbers are whole again.
    x, n = round(total / size * effective, _DIGITS), round(effective, _DIGITS)
    low, high = near_exact_bounds(x, n, size, confidence_level=level)
    differ = sample.within is not None and bool(sample.within[side].any())
    if not differ and (sample.corrected is None or bool(sample.corrected[side].all())):
        seen = float(sample.x[side].sum())
        others = float(sample.n[side].sum()) - seen
        low, high = max(float(floor(low)), seen), min(float(ceil(high)), size - others)
    return Ends(total, min(low, total), max(high, total))


@lru_cache(maxsize=1024)
def near_exact_bounds(
    x: float, n: float, size: float, *, confidence_level: float = 0.95, outer: float = OUTER
) -> tuple[float, float]:
    """Ends of the errors among ``size`` items, of which ``n`` had ``x`` errors, maybe fractions; ``outer`` is w."""
    left = round(size - n)
    if left <= 0:
        return x, x
    parts = [(x, n - x + 1), (x + 1, n - x)]
    cells = _cells(left, parts)
    few, many = (_cumulative(cells, left, *part) for part in parts)
    many = np.append(0.0, many[:-1])  # P(... < T)
    # Rounding must not refuse a total whose probability is the limit itself.
    limit = tails(confidence_level)[0] * (1 - _ROUNDING)
    first = int(np.searchsorted(outer * few + (1 - outer) * many, limit))
    last = int(np.searchsorted((1 - outer) * few + outer * many, 1 - limit, side="right")) - 1
    return x + float(cells[min(first, len(cells) - 1)]), x + float(cells[max(last, 0)])


def _cells(left: int, parts: Sequence[tuple[float, float]]) -> Floats:
    """Numbers of errors among the items that were not judged, in steps of 1 unless there are very many."""
    ends = []
    for a, b in parts:
        mean = left * a / (a + b)
        spread = np.sqrt(mean * b / (a + b) * (a + b + left) / (a + b + 1))
        ends += [mean - _FAR * spread, mean + _FAR * spread]
    first, last = max(0, int(min(ends))), min(left, int(max(ends)) + 1)
    step = max(1, -(-(last - first + 1) // _CELLS))
    return np.append(np.arange(first, last, step, dtype=np.float64), float(last))


def _cumulative(cells: Floats, left: int, a: float, b: float) -> Floats:
    """P(BB ≤ cell) of a beta-binomial number of ``left`` trials."""
    from scipy.special import betaln, gammaln  # noqa: PLC0415 - slow to load, rarely needed

    if a <= 0 or b <= 0:  # nothing, or everything
        return np.ones(len(cells)) if a <= 0 else (cells >= left).astype(np.float64)
    ways = gammaln(left + 1) - gammaln(cells + 1) - gammaln(left - cells + 1)
    chance = np.exp(ways + betaln(cells + a, left - cells + b) - betaln(a, b))
    chance *= np.diff(cells, prepend=cells[0] - 1)
    below: Floats = np.cumsum(chance)
    below /= below[-1]
    return below
