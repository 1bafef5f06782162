"""Other intervals than the default one: logit, Wald, the exact box, MOVER, Bayes, the rescaled bootstrap.

Formula
    logit: the ends are those of ln(θ / (1 − θ)) ± z SE(θ) / (θ (1 − θ)), turned back; for R this is ln H − ln M with
    variance Var H / H² + Var M / M². wald: θ ± z SE.
    exact: of N items with T errors n are drawn without replacement and x errors seen: x is hypergeometric. The bounds
    are the smallest T with P(X ≥ x) ≥ α/2 and the largest with P(X ≤ x) ≥ α/2. Box: with bounds at 1 − α/2 for hits
    and for misses, R lies between H_low / (H_low + M_high) and H_high / (H_high + M_low), and so does F.
    MOVER: R and F of hits and misses with the ends of Wilson's interval of the share of errors in each stratum,
    n / (1 − n/N) in the place of n (x in proportion): R = ρ / (1 + ρ) with ρ = H / M; F = (1 + β²) ρ / (1 + β² ρ) with
    ρ = H / D, D = β² M + F₁ (F₁ items flagged). With the ends h, h' of H and d, d' of D those of ρ are h (2 H − h) /
    [H D + √((H D)² − h d' (2 H − h)(2 D − d'))] and [H D + √((H D)² − h' d (2 H − h')(2 D − d))] / [d (2 D − d)]. (The
    published form of the first, [H D − √...] / [d' (2 D − d')], is the same and breaks where d' = 2 D, which few misses
    come near.)
    Bayes: p_h ~ Beta(x + w/2, n − x + w/2); T_h = x + Binomial(N − n, p_h); quantiles over the draws.
    rescaled bootstrap: a draw takes n − 1 of the n judged items with replacement, whose share of errors is p*, and
    T* = N [p + √(1 − n/N) (p* − p)]: its variance is N² (1 − n/N) p (1 − p) / (n − 1). Quantiles over the draws.
Conventions
    The box is conservative: both bounds hold together with at least 1 − α; where a side has several strata, α is
    shared among them in equal parts. MOVER is for two strata, flagged and not; without a miss seen R may be 1, without
    a hit 0, without both there is no value; ``corrected=False`` leaves the finite-population correction out, which is
    right for a corpus that stands for a larger one. Bayes has Jeffreys' prior (w = 1), shared by strata with the same
    flags; draws without any error have no recall and are left out. The plain bootstrap would have no finite-population
    correction; the rescaled one never gives an error to a stratum in which none was seen, so a recall without a miss
    has no interval. MOVER, Bayes and the bootstrap are for truths that are 0 or 1.
Source
    Buonaccorsi 1987 for the exact bounds; Donner and Zou 2012, Statistical Methods in Medical Research 21(4) (MOVER-R);
    Wilson 1927; Brown, Cai and DasGupta 2001 for the prior; Ericson 1969 for the prediction of a finite population;
    Rao and Wu 1988, Journal of the American Statistical Association 83(401), section 2, with resamples of n − 1.
"""

from __future__ import annotations

from bisect import bisect_left
from math import inf, sqrt
from typing import Literal, NamedTuple

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.sampling.frame import Floats, Strata
from errorbar.sampling.totals import HALF, Quantity, Sample, Totals
from errorbar.stats.proportion import proportion_bounds
from errorbar.stats.resampling import tails, z_value

DRAWS = 20_000
_ROUNDING = 1e-9


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
        what = f"{x} errors among {n} of {size} items"
        raise UsageError(Problem("sample-size", what, expected="errors <= drawn <= items"))
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
        what = f"{len(strata)} strata" if sample.is_binary else "graded truths"
        fix = "use estimate_sample, which takes any strata and truths"
        raise UsageError(Problem("sample-mover", what, expected="two strata, and truths that are 0 or 1", fix=fix))
    if corrected and (sample.n == strata.sizes).any():
        return Undefined.ZERO_WIDTH
    if not sample.x.any():
        return Undefined.NOTHING_IN_REFERENCE
    open_share = 1 - sample.n / strata.sizes if corrected else 1.0
    low, high = proportion_bounds(sample.x / open_share, sample.n / open_share, confidence_level=confidence_level)
    flagged, rest = (1, 0) if quantity.flags[1] else (0, 1)
    if quantity.name == "P":
        return Interval(float(low[flagged]), float(high[flagged]), confidence_level, "mover-wilson")
    sizes, rate = strata.sizes.astype(np.float64), sample.x / sample.n
    hits, misses = (Ends(*(float(sizes[at] * side[at]) for side in (rate, low, high))) for at in (flagged, rest))
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
        what = "a rescaled bootstrap of graded truths" if draws > 0 else f"{draws} draws"
        raise UsageError(Problem("sample-rescaled", what, expected="truths that are 0 or 1, and at least one draw"))
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
