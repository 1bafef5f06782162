"""Intervals of P, R and F from a sample: the near-exact one, which is the default, and others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf, log, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.sampling.frame import HALF, Quantity, Sample, Strata, Totals
from errorbar.stats.proportion import proportion_bounds
from errorbar.stats.resampling import tails, z_value


def unlike_bound(sizes: Counts, n: Counts, weights: Floats, level: float) -> float:
    """The largest weighted sum of unlike items, where all drawn ones were alike; all arrays have shape (strata,).

    Formula
        Of N_h items of stratum h n_h were drawn without replacement, none of them unlike. With M_h unlike ones this has
        the probability Π C(N_h − M_h, n_h) / C(N_h, n_h). The bound is the largest Σ w_h M_h for which it is α/2 at
        least.
    Conventions
        Exact for one stratum. For several, the last item is counted whole, so that the bound is a little on the wide
        side.
    Source
        Inversion of the exact test, as Clopper & Pearson 1934; Wright 1991, Exact confidence bounds when sampling from
        small finite universes.
    """
    left = log(2 / (1 - level))
    strata = [(int(N), int(k), float(w)) for N, k, w in zip(sizes, n, weights, strict=True) if w > 0 and k < N]
    bound = sum(w * N for N, k, w in strata if not k)  # nothing is known of these
    open_ = [(N, k, w) for N, k, w in strata if k]
    unlike = [0] * len(open_)
    while True:
        # Of a stratum with M unlike items one more makes its sample (N - M) / (N - M - n) times as unlikely.
        costs = [
            (log((N - M) / (N - M - k)) / w, at)
            for at, ((N, k, w), M) in enumerate(zip(open_, unlike, strict=True))
            if k < N - M
        ]
        if not costs:
            return bound
        cost, at = min(costs)
        weight = open_[at][2]
        left -= cost * weight
        if left < 0 and len(open_) == 1:
            return bound
        bound += weight
        if left < 0:
            return bound
        unlike[at] += 1


# Intervals of P, R and F that hold the truth whatever the sizes of the strata and however few errors were seen.
#
# Formula
#     Of N items with T errors n are drawn without replacement, and X errors seen. The ends of T are the smallest total
#     with P(X ≥ x | T) ≥ α/2 and the largest with P(X ≤ x | T) ≥ α/2. P(X ≥ x | T) is the chance that the x-th error of
#     the sample is among the first T items of a list with the errors on top, P(T₋ ≤ T) with T₋ = x + BB(N − n; x, n − x
#     + 1) and a beta-binomial number BB; P(X ≤ x | T) is P(T₊ ≥ T) with T₊ = x + BB(N − n; x + 1, n − x). So the ends
#     are the α/2 quantile of T₋ and the 1 − α/2 quantile of T₊. P has the ends of the hits. R and F grow with the hits
#     H and fall with the misses M, and meld the two sides: the low end is the α/2 quantile of the score of independent
#     H₋ and M₊, the high end the 1 − α/2 quantile of that of H₊ and M₋. Totals are whole, so half of the chance of each
#     counts for the next one outward; where one side is known there is nothing to meld, and the other's ends are the
#     interval's.
# Conventions
#     The ends of T, and so those of P, hold the truth in 1 − α of all samples or more, whatever N, n and T. For melded
#     ends nobody has a proof in general, and nobody a counterexample: docs/measurements/sampling.md lists the designs
#     of which every sample was gone through. Where a side is several strata, truths are not 0 or 1, or votes helped,
#     its errors count as x* = n* T̂ / N seen in a simple random sample of n*, the one with the same variance: (1 −
#     n*/N) / (n* − 1) = Var T̂ / (N² r (1 − r)), with the smoothed Var T̂ and rate r of ``totals``. For one stratum
#     with truths that are 0 or 1, n* = n. Totals that fit x* lie whole items apart, but x* is no whole number, and a
#     total that can be may lie between two of them or beyond the last. So totals are rounded outward to whole ones, and
#     stay between the errors that were seen and all items but those seen without one; not of graded truths, unless all
#     raters of each judged item of a side agree. Of more than 1,024 totals of a side, neighbors are taken together, at
#     the outer one. Without a hit or a miss seen the interval is one-sided, and is called so.
# Source
#     Clopper and Pearson 1934, and Buonaccorsi 1987 for finite populations; Fay, Proschan and Brittain 2015, Biometrics
#     71(1), for the melding; Korn and Graubard 1998, Survey Methodology 24, for the effective n*.


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
    quantity: Quantity,
    sample: Sample,
    errors: Floats,
    variances: Floats,
    confidence_level: float = 0.95,
    *,
    whole: bool = True,
) -> Interval | Undefined:
    """The interval of P, R, F or Q, which has a value, or that all was judged; only the ``variances`` are smoothed.

    ``whole``: totals are whole numbers of errors, unless truths are graded; not so those that one expects.
    """
    flags, name = quantity.flags, quantity.name
    hits, misses = (_side(side, sample, quantity.strata, (errors, variances), whole=whole) for side in (flags, ~flags))
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


def _side(side: NDArray[np.bool_], sample: Sample, strata: Strata, totals: Totals, *, whole: bool) -> Side:
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
    if whole and not differ and (sample.corrected is None or bool(sample.corrected[side].all())):
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


# Other intervals than the default one: logit, Wald, the exact box, MOVER, Bayes, the rescaled bootstrap.
#
# Formula
#     logit: the ends are those of ln(θ / (1 − θ)) ± z SE(θ) / (θ (1 − θ)), turned back; for R this is ln H − ln M with
#       variance Var H / H² + Var M / M².
#     wald: θ ± z SE.
#     exact: of N items with T errors n are drawn without replacement and x errors seen: x is hypergeometric. The bounds
#       are the smallest T with P(X ≥ x) ≥ α/2 and the largest with P(X ≤ x) ≥ α/2.
#     Box: with bounds at 1 − α/2 for hits and for misses, R lies between H_low / (H_low + M_high) and H_high / (H_high
#       + M_low), and so does F.
#     MOVER: R and F of hits and misses with the ends of Wilson's interval of the share of errors in each stratum, n /
#       (1 − n/N) in the place of n (x in proportion): R = ρ / (1 + ρ) with ρ = H / M; F = (1 + β²) ρ / (1 + β² ρ) with
#       ρ = H / D, D = β² M + F₁ (F₁ items flagged). With the ends h, h' of H and d, d' of D those of ρ are h (2 H − h)
#       / [H D + √((H D)² − h d' (2 H − h)(2 D − d'))] and [H D + √((H D)² − h' d (2 H − h')(2 D − d))] / [d (2 D − d)].
#       (The published form of the first, [H D − √...] / [d' (2 D − d')], is the same and breaks where d' = 2 D, which
#       few misses come near.)
#     Bayes: p_h ~ Beta(x + w/2, n − x + w/2); T_h = x + Binomial(N − n, p_h); quantiles over the draws.
#     rescaled bootstrap: a draw takes n − 1 of the n judged items with replacement, whose share of errors is p*, and T*
#       = N [p + √(1 − n/N) (p* − p)]: its variance is N² (1 − n/N) p (1 − p) / (n − 1). Quantiles over the draws.
# Conventions
#     The box is conservative: both bounds hold together with at least 1 − α; where a side has several strata, α is
#     shared among them in equal parts. MOVER is for two strata, flagged and not; without a miss seen R may be 1,
#     without a hit 0, without both there is no value; ``corrected=False`` leaves the finite-population correction out,
#     which is right for a corpus that stands for a larger one. Bayes has Jeffreys' prior (w = 1), shared by strata with
#     the same flags; draws without any error have no recall and are left out. The plain bootstrap would have no
#     finite-population correction; the rescaled one never gives an error to a stratum in which none was seen, so a
#     recall without a miss has no interval. MOVER, Bayes and the bootstrap are for truths that are 0 or 1.
# Source
#     Buonaccorsi 1987 for the exact bounds; Donner and Zou 2012, Statistical Methods in Medical Research 21(4)
#     (MOVER-R); Wilson 1927; Brown, Cai and DasGupta 2001 for the prior; Ericson 1969 for the prediction of a finite
#     population; Rao and Wu 1988, Journal of the American Statistical Association 83(401), section 2, with resamples of
#     n − 1.


DRAWS = 20_000


class Ends(NamedTuple):
    """A number and the ends of its interval."""

    value: float
    low: float
    high: float


def logit_bounds(
    quantity: Quantity, totals: Floats, variances: Floats, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Ends of logit intervals of many samples at once; totals and variances have shape (..., strata)."""
    value, error = quantity.value(totals), quantity.standard_error(totals, variances)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        middle, half = np.log(value / (1 - value)), z_value(confidence_level) * error / (value * (1 - value))
        return 1 / (1 + np.exp(half - middle)), 1 / (1 + np.exp(-half - middle))


def wald_bounds(
    quantity: Quantity, totals: Floats, variances: Floats, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Ends of Wald intervals, within 0 and 1; shapes as of ``logit_bounds``."""
    value, half = quantity.value(totals), z_value(confidence_level) * quantity.standard_error(totals, variances)
    return np.maximum(value - half, 0.0), np.minimum(value + half, 1.0)


def total_bounds(x: int, n: int, size: int, *, confidence_level: float = 0.95) -> tuple[int, int]:
    """Exact bounds, which hold together, for the errors of ``size`` items; ``n`` were drawn with ``x`` errors."""
    if not 0 <= x <= n <= size:
        message = f"{x} errors among {n} of {size} items"
        raise UsageError(Problem("sample-size", message, expected="errors <= drawn <= items"))
    from scipy.stats import hypergeom  # noqa: PLC0415 - slow to load, rarely needed

    alpha = tails(confidence_level)[0] * (1 - _ROUNDING)  # a total whose probability is α/2 itself is not too far
    totals, most = range(size + 1), size - (n - x)
    first = bisect_left(totals, True, x, most, key=lambda total: hypergeom.sf(x - 1, size, total, n) >= alpha)
    beyond = bisect_left(totals, True, x + 1, most + 1, key=lambda total: hypergeom.cdf(x, size, total, n) < alpha)
    return first, beyond - 1


def box_interval(quantity: Quantity, sample: Sample, confidence_level: float = 0.95) -> Interval:
    """A conservative interval of P, R, F or the miss rate Q; truths are rounded to whole errors."""
    strata, flags = quantity.strata, quantity.flags
    # P and Q rest on one side only, which needs no sharing.
    sides = 1 if quantity.name in ("P", "Q") else 2
    bounds = []
    for at in range(len(strata)):
        level = 1 - (1 - confidence_level) / (sides * int((flags == flags[at]).sum()))
        x, n, size = round(float(sample.x[at])), int(sample.n[at]), int(strata.sizes[at])
        bounds.append(total_bounds(x, n, size, confidence_level=level))
    low, high = np.array(bounds, np.float64).T
    ends = [np.where(flags, own, other) if sides == 2 else own for own, other in ((low, high), (high, low))]
    # Without any error at an end, R is not defined there: it can be anything.
    left, right = (
        float(np.nan_to_num(quantity.value(end), nan=worst)) for end, worst in zip(ends, (0, 1), strict=True)
    )
    return Interval(left, right, confidence_level, "exact")


def delta_interval(
    quantity: Quantity, sample: Sample, smoothed: Totals, confidence_level: float, *, method: Literal["logit", "wald"]
) -> Interval | Undefined:
    """The logit or Wald interval; the box where the sample shows 0 or 1, or a recall rests on something unseen."""
    (hits, flagged), (misses, others) = (
        (sample.x[side].sum(), sample.n[side].sum()) for side in (quantity.flags, ~quantity.flags)
    )
    at_edge = {
        "P": hits in (0, flagged),
        "Q": misses in (0, others),
        "R": 0 in (hits, misses),
        "F": hits == 0 or (misses == 0 and hits == flagged),
    }
    if at_edge[quantity.name]:
        box = box_interval(quantity, sample, confidence_level)
        return box if box.low != box.high else Undefined.ZERO_WIDTH  # all that the quantity rests on was judged
    bounds = logit_bounds if method == "logit" else wald_bounds
    low, high = (float(end) for end in bounds(quantity, *smoothed, confidence_level))
    return Interval(low, high, confidence_level, method) if low < high else Undefined.ZERO_WIDTH


def mover_interval(
    quantity: Quantity, sample: Sample, *, confidence_level: float = 0.95, corrected: bool = True
) -> Interval | Undefined:
    """MOVER with Wilson's ends: the interval of R or F, or why there is none; that of P is Wilson's own."""
    strata = quantity.strata
    sample.check(strata)
    if len(strata) != 2 or not sample.is_binary:
        message = f"{len(strata)} strata" if sample.is_binary else "graded truths"
        fix = "use estimate_sample, which takes any strata and truths"
        raise UsageError(Problem("sample-mover", message, expected="two strata, and truths that are 0 or 1", fix=fix))
    if corrected and (sample.n == strata.sizes).any():
        return Undefined.ZERO_WIDTH
    if not sample.x.any():
        return Undefined.NOTHING_IN_REFERENCE
    open_share = 1 - sample.n / strata.sizes if corrected else 1.0
    low, high = proportion_bounds(sample.x / open_share, sample.n / open_share, confidence_level=confidence_level)
    flagged, unflagged = (1, 0) if quantity.flags[1] else (0, 1)
    if quantity.name == "P":
        return Interval(float(low[flagged]), float(high[flagged]), confidence_level, "mover-wilson")
    sizes, rate = strata.sizes.astype(np.float64), sample.x / sample.n
    hits, misses = (Ends(*(float(sizes[at] * side[at]) for side in (rate, low, high))) for at in (flagged, unflagged))
    return Interval(*join_ends(quantity, hits, misses), confidence_level, "mover-wilson")


def join_ends(quantity: Quantity, hits: Ends, misses: Ends) -> tuple[float, float]:
    """The ends of R or F from those of hits and misses (MOVER-R)."""
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


def posterior_totals(sample: Sample, strata: Strata, rng: np.random.Generator, *, draws: int = DRAWS) -> Floats:
    """Bayesian draws of the errors in each stratum; shape (draws, strata)."""
    prior = HALF * strata.shares
    rate = rng.beta(sample.x + prior, sample.n - sample.x + prior, (draws, len(strata)))
    return np.asarray(sample.x + rng.binomial(strata.sizes - sample.n, rate), np.float64)


def posterior_interval(quantity: Quantity, totals: Floats, confidence_level: float = 0.95) -> Interval | None:
    """The interval of a quantity from draws of the totals; None if it is undefined in all of them or never varies."""
    values = quantity.value(totals)
    values = values[~np.isnan(values)]
    low, high = np.quantile(values, tails(confidence_level)).tolist() if values.size else (0.0, 0.0)
    return None if low == high else Interval(low, high, confidence_level, "bayes")


def rescaled_totals(sample: Sample, strata: Strata, rng: np.random.Generator, *, draws: int = DRAWS) -> Floats:
    """Draws of the rescaled bootstrap: the errors in each stratum; shape (draws, strata)."""
    sample.check(strata)
    if not sample.is_binary or draws < 1:
        message = "a rescaled bootstrap of graded truths" if draws > 0 else f"{draws} draws"
        raise UsageError(Problem("sample-rescaled", message, expected="truths that are 0 or 1, and at least one draw"))
    rate = sample.x / sample.n
    size = np.maximum(sample.n - 1, 1)
    drawn = rng.binomial(size, rate, (draws, len(strata))) / size
    return np.asarray(strata.sizes * (rate + np.sqrt(1 - sample.n / strata.sizes) * (drawn - rate)), np.float64)


def rescaled_interval(
    quantity: Quantity, sample: Sample, rng: np.random.Generator, *, confidence_level: float = 0.95, draws: int = DRAWS
) -> Interval | Undefined:
    """The percentile interval of the rescaled bootstrap, or why there is none."""
    values = quantity.value(rescaled_totals(sample, quantity.strata, rng, draws=draws))
    if np.isnan(values).any():
        return Undefined.RESAMPLES_UNDEFINED
    low, high = np.quantile(values, tails(confidence_level)).tolist()
    return Interval(low, high, confidence_level, "rescaled bootstrap") if low < high else Undefined.NO_VARIATION
