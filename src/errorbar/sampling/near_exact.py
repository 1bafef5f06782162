"""Intervals of P, R and F that hold the truth whatever the sizes of the strata and however few errors were seen.

Formula
    Of N items with T errors n are drawn without replacement, and X errors seen. The ends of T are the smallest total
    with P(X ≥ x | T) ≥ α/2 and the largest with P(X ≤ x | T) ≥ α/2. P(X ≥ x | T) is the chance that the x-th error of
    the sample is among the first T items of a list with the errors on top, P(T₋ ≤ T) with T₋ = x + BB(N − n; x,
    n − x + 1) and a beta-binomial number BB; P(X ≤ x | T) is P(T₊ ≥ T) with T₊ = x + BB(N − n; x + 1, n − x). So the
    ends are the α/2 quantile of T₋ and the 1 − α/2 quantile of T₊.
    P has the ends of the hits. R and F grow with the hits H and fall with the misses M, and meld the two sides: the low
    end is the α/2 quantile of the score of independent H₋ and M₊, the high end the 1 − α/2 quantile of that of H₊ and
    M₋. Totals are whole, so half of the chance of each counts for the next one outward; where one side is known there
    is nothing to meld, and the other's ends are the interval's.
Conventions
    The ends of T, and so those of P, hold the truth in 1 − α of all samples or more, whatever N, n and T. For melded
    ends nobody has a proof in general, and nobody a counterexample: docs/design/sampling.md says in which designs every
    sample was gone through.
    Where a side is several strata, truths are not 0 or 1, or votes helped, its errors count as x* = n* T̂ / N seen in a
    simple random sample of n*, the one with the same variance: (1 − n*/N) / (n* − 1) = Var T̂ / (N² r (1 − r)), with the
    smoothed Var T̂ and rate r of ``totals``. For one stratum with truths that are 0 or 1, n* = n.
    Totals that fit x* lie whole items apart, but x* is no whole number, and a total that can be may lie between two of
    them or beyond the last. So totals are rounded outward to whole ones, and stay between the errors that were seen and
    all items but those seen without one; not of graded truths, unless all raters of each judged item of a side agree.
    Of more than 1,024 totals of a side, neighbors are taken together, at the outer one.
    Without a hit or a miss seen the interval is one-sided, and is called so.
Source
    Clopper and Pearson 1934, and Buonaccorsi 1987 for finite populations; Fay, Proschan and Brittain 2015, Biometrics
    71(1), for the melding; Korn and Graubard 1998, Survey Methodology 24, for the effective n*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Interval, Undefined
from errorbar.sampling.frame import Floats, Strata
from errorbar.sampling.totals import HALF, Quantity, Sample, Totals
from errorbar.stats.resampling import tails

_CELLS = 1 << 15  # totals that are looked at one by one; of more, as many at equal distances
_GROUPS = 1 << 10  # totals of a side that are kept apart
_HALVINGS = 32
_ROUNDING = 1e-9
_NEGLIGIBLE = 1e-9
_DIGITS = 9
_FAR = 16.0  # standard deviations from the mean beyond which there is no end


class Chances(NamedTuple):
    """Totals, growing, and how likely each is; both of shape (totals,)."""

    totals: Floats
    chance: Floats

    def quantile(self, share: float) -> float:
        """The first total that is not exceeded with this chance."""
        return float(self.totals[min(int(np.searchsorted(np.cumsum(self.chance), share)), len(self.totals) - 1)])


class Side(NamedTuple):
    """The errors of the strata of one side, T₋ and T₊."""

    value: float
    low: Chances
    high: Chances


def near_exact_interval(
    quantity: Quantity, sample: Sample, errors: Floats, variances: Floats, confidence_level: float = 0.95
) -> Interval | Undefined:
    """The interval of P, R, F or Q, which has a value, or that all was judged; only the ``variances`` are smoothed."""
    flags, name = quantity.flags, quantity.name
    hits, misses = (_side(side, sample, quantity.strata, (errors, variances)) for side in (flags, ~flags))
    tail = tails(confidence_level)[0] * (1 - _ROUNDING)  # a total whose probability is the limit itself can be
    if name in ("P", "Q"):
        side, size = (hits, quantity.flagged) if name == "P" else (misses, quantity.unflagged)
        value, ends = side.value / size, (side.low.quantile(tail) / size, side.high.quantile(1 - tail) / size)
        one_sided = side.value in (0, size)
    else:
        value, ends = float(quantity.value(errors)), Melding(quantity, hits, misses).ends(tail)
        one_sided = hits.value == 0 or (misses.value == 0 and (name == "R" or hits.value == quantity.flagged))
    low, high = min(ends[0], value), max(ends[1], value)
    if high - low <= _ROUNDING:
        return Undefined.ZERO_WIDTH
    return Interval(low, high, confidence_level, "near-exact, one-sided" if one_sided else "near-exact")


class Melding:
    """R or F of hits and misses that are drawn on their own, each from the side that makes an end lie further out."""

    def __init__(self, quantity: Quantity, hits: Side, misses: Side) -> None:
        # Both scores are top H / (b (H + M) + fixed), which is below an end where M is above a bound that H has.
        square = quantity.beta**2
        is_recall = quantity.name == "R"
        self.b, self.fixed, self.top = (1.0, 0.0, 1.0) if is_recall else (square, float(quantity.flagged), 1 + square)
        known = 1 in (len(hits.low.totals), len(misses.low.totals))
        (self.few, self.many), (self.fewer, self.more) = (
            (outward(side.low, 1, known=known), outward(side.high, -1, known=known)) for side in (hits, misses)
        )
        self._over = np.append(np.cumsum(self.more.chance[::-1])[::-1], 0.0)
        self._under = np.append(0.0, np.cumsum(self.fewer.chance))

    def below(self, end: float) -> float:
        """The chance of a score below an end above 0, with few hits and many misses."""
        return float(
            self.few.chance @ self._over[np.searchsorted(self.more.totals, self._bound(end, self.few), "right")]
        )

    def above(self, end: float) -> float:
        """The chance of a score above an end above 0, with many hits and few misses."""
        at = np.searchsorted(self.fewer.totals, self._bound(end, self.many))
        return float(self.many.chance @ self._under[at])

    def ends(self, tail: float) -> tuple[float, float]:
        """The scores beyond which less than ``tail`` lies."""

        def outermost(beyond: Callable[[float], float], inner: float, outer: float) -> float:
            for _ in range(_HALVINGS):
                middle = (inner + outer) / 2
                inner, outer = (inner, middle) if beyond(middle) < tail else (middle, outer)
            return outer

        return outermost(self.below, 1.0, 0.0), outermost(self.above, 0.0, 1.0)

    def _bound(self, end: float, hits: Chances) -> Floats:
        return np.asarray((self.top * hits.totals / end - self.fixed) / self.b - hits.totals)


def _side(side: NDArray[np.bool_], sample: Sample, strata: Strata, totals: Totals) -> Side:
    """The errors of the strata of one side."""
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
    low, high = total_chances(x, n, size)
    differ = sample.within is not None and bool(sample.within[side].any())
    if not differ and (sample.corrected is None or bool(sample.corrected[side].all())):
        seen = float(sample.x[side].sum())
        others = float(sample.n[side].sum()) - seen
        low = Chances(np.maximum(np.floor(low.totals), seen), low.chance)
        high = Chances(np.minimum(np.ceil(high.totals), size - others), high.chance)
    return Side(total, low, high)


@lru_cache(maxsize=1024)
def total_chances(x: float, n: float, size: float) -> tuple[Chances, Chances]:
    """T₋ and T₊ of the errors among ``size`` items, of which ``n`` had ``x`` errors, maybe fractions."""
    left = round(size - n)
    if left <= 0:
        known = Chances(np.array([x]), np.ones(1))
        return known, known
    parts = [(x, n - x + 1), (x + 1, n - x)]
    cells = _cells(left, parts)
    low, high = (_chances(cells, left, *part) for part in parts)
    return Chances(x + cells, low), Chances(x + cells, high)


def outward(chances: Chances, sign: int, *, known: bool) -> Chances:
    """The same, half an item further down (``sign`` 1) or up (-1) unless the other side is ``known``.

    Neighbors of many totals are taken together at the outer one.
    """
    totals, chance = chances.totals[::sign], chances.chance[::sign]
    if not known:
        chance = (chance + np.append(chance[1:], 0.0)) / 2 + np.append(chance[0], np.zeros(len(chance) - 1)) / 2
    reached = np.cumsum(chance)
    first, last = np.searchsorted(reached, [_NEGLIGIBLE, 1 - _NEGLIGIBLE]).tolist()
    starts = np.arange(first, min(last, len(chance) - 1) + 1)
    if len(starts) > _GROUPS:
        starts = starts[np.linspace(0, len(starts), _GROUPS, endpoint=False).astype(np.int64)]
    starts = np.append(0, starts[starts > 0])
    return Chances(totals[starts][::sign], np.add.reduceat(chance, starts)[::sign])


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


def _chances(cells: Floats, left: int, a: float, b: float) -> Floats:
    """How likely each cell is of a beta-binomial number of ``left`` trials."""
    from scipy.special import betaln, gammaln  # noqa: PLC0415 - slow to load, rarely needed

    if a <= 0 or b <= 0:  # nothing, or everything
        return np.asarray(cells == (cells[0] if a <= 0 else cells[-1]), np.float64)
    ways = gammaln(left + 1) - gammaln(cells + 1) - gammaln(left - cells + 1)
    chance = np.exp(ways + betaln(cells + a, left - cells + b) - betaln(a, b))
    chance *= np.diff(cells, prepend=cells[0] - 1)
    return np.asarray(chance / chance.sum())
