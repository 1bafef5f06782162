"""Intervals of a proportion: x of n; and the true share of errors where the raters who count them are wrong.

Formula
    z is the normal quantile, e.g. 1.96; p = x / n.
    wald: p ± z √(p (1 − p) / n).
    wilson: (x + z²/2 ± z √(x (n − x) / n + z²/4)) / (n + z²).
    clopper-pearson: quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x).
    jeffreys: quantiles of Beta(x + ½, n − x + ½).
Conventions
    Intervals end at 0 and 1. At x = 0 the low end of all but Wald is 0, at x = n the high end is 1. Wald has zero
    width there, so it gives none. With n = 0 there is no interval. x and n need not be whole (crowd-weighted counts).
    All four take the n trials for independent; edits of one essay are not (docs/design/intervals.md).
Source
    Brown, Cai & DasGupta 2001, Interval estimation for a binomial proportion, Statistical Science 16(2).
"""

from __future__ import annotations

from math import sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.stats.resampling import tails, z_value

ProportionMethod = Literal["wald", "wilson", "clopper-pearson", "jeffreys"]
Floats = NDArray[np.float64]


def beta_quantile(probability: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """Quantiles of Beta(a, b), elementwise."""
    from scipy.special import betaincinv  # noqa: PLC0415 - loading it takes a while, scipy.stats four times as long

    return np.asarray(betaincinv(a, b, probability), np.float64)


def beta_cdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """Distribution function of Beta(a, b), elementwise."""
    from scipy.special import betainc  # noqa: PLC0415 - as above

    return np.asarray(betainc(a, b, x), np.float64)


def proportion_interval(
    x: float, n: float, *, method: ProportionMethod = "wilson", confidence_level: float = 0.95
) -> Interval | Undefined:
    """The interval of x / n, or why there is none.

    Args:
        x: Successes, 0 to n.
        n: Trials.
        method: The formula; the choice of the default is measured in docs/design/intervals.md.
        confidence_level: Nominal coverage.

    Raises:
        UsageError: x is not between 0 and n, or the method or confidence level does not exist.
    """
    low, high = proportion_bounds(x, n, method=method, confidence_level=confidence_level)
    if n == 0:
        return Undefined.NO_UNITS
    if np.isnan(low):
        return Undefined.ZERO_WIDTH
    return Interval(float(low), float(high), confidence_level, method)


def proportion_estimate(x: float, n: int, *, confidence_level: float = 0.95) -> Estimate:
    """X / n with Wilson's interval, as ``proportion_interval`` makes it; undefined without trials."""
    if not n:
        return Estimate(None, 0, undefined=Undefined.NO_UNITS)
    made = proportion_interval(x, n, confidence_level=confidence_level)
    return Estimate(x / n, n).with_interval(made)


def proportion_bounds(
    x: ArrayLike, n: ArrayLike, *, method: ProportionMethod = "wilson", confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Low and high ends of many intervals at once, NaN where there is none; shapes of x and n broadcast."""
    xs, ns = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(n, np.float64))
    if not (np.isfinite(ns) & (xs >= 0) & (xs <= ns)).all():
        raise UsageError(Problem("proportion-counts", "successes and trials do not fit", expected="0 <= x <= n"))
    if method not in get_args(ProportionMethod):
        fix = nearest(method, get_args(ProportionMethod))
        raise UsageError(Problem("interval-method", f"no interval of a proportion is called '{method}'", fix=fix))
    left, right = tails(confidence_level)
    with np.errstate(divide="ignore", invalid="ignore"):
        if method in {"wald", "wilson"}:
            z = z_value(confidence_level)
            more = z * z if method == "wilson" else 0.0  # trials, half of them successes, that Wilson adds
            middle, half = (xs + more / 2) / (ns + more), z * np.sqrt(xs * (ns - xs) / ns + more / 4) / (ns + more)
            low, high = middle - half, middle + half
        elif method == "jeffreys":
            low, high = (beta_quantile(end, xs + 0.5, ns - xs + 0.5) for end in (left, right))
        else:
            low, high = beta_quantile(left, xs, ns - xs + 1), beta_quantile(right, xs + 1, ns - xs)
    low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
    if method == "wald":
        nothing = (xs == 0) | (xs == ns)
    else:
        nothing = ns == 0
        low, high = np.where(xs == 0, 0.0, low), np.where(xs == ns, 1.0, high)
    return np.where(nothing, np.nan, low), np.where(nothing, np.nan, high)


def true_share(
    x: float,
    n: int,
    sensitivity: float,
    specificity: float,
    *,
    n_gold: tuple[int, int] | None = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """The share of errors among items, from raters who miss some and invent some.

    Formula
        p is the share called errors, Se the probability that an error is called one, Sp that what is fine is called
        fine: π = (p + Sp − 1) / (Se + Sp − 1).
        Known rates: the ends of Wilson's interval of p, transformed like p.
        Rates from gold items, n₁ errors and n₀ others, with z the normal quantile:
        p' = (x + z²/2) / (n + z²), Se' = (n₁ Se + 1) / (n₁ + 2), Sp' = (n₀ Sp + 1) / (n₀ + 2), π' of these,
        v₁ = Se' (1 − Se') / (n₁ + 2), v₀ = Sp' (1 − Sp') / (n₀ + 2),
        s² = [p' (1 − p') / (n + z²) + π'² v₁ + (1 − π')² v₀] / (Se' + Sp' − 1)²,
        d = 2 z² [π' v₁ − (1 − π') v₀]: the interval is π' + d ± z s.
    Conventions
        Value and ends are cut at 0 and 1, π' inside of the formula is not; where Se' + Sp' ≤ 1 the interval is 0 to 1.
        Raters no better than chance (Se + Sp ≤ 1) say nothing of π and are refused. The rates must hold for the items
        counted: experts' mistakes on hard items are not those on gold items that were chosen because they are clear.
        Precision is the true share among flagged items; for recall correct the hits and the misses each in its stratum.
        Items are taken for independent.
    Source
        Rogan and Gladen 1978, American Journal of Epidemiology 107(1); Lang and Reiczigel 2014, Preventive Veterinary
        Medicine 113(1), for the interval with estimated rates.

    Args:
        x: Items called errors.
        n: Items judged.
        sensitivity: Share of errors that the raters call errors.
        specificity: Share of other items that they do not.
        n_gold: How many gold items that are errors, and how many that are not, the two rates come from; None: the
            rates are known, and the interval does not widen for them.
        confidence_level: Nominal coverage.

    Raises:
        UsageError: If counts or rates do not fit, or the raters are no better than chance.
    """
    if not 0 <= x <= n:
        raise UsageError(Problem("proportion-counts", f"{x:g} of {n}", expected="0 <= x <= n"))
    if not (0 <= sensitivity <= 1 and 0 <= specificity <= 1) or (n_gold is not None and min(n_gold) < 1):
        what = f"sensitivity {sensitivity:g}, specificity {specificity:g}"
        what += "" if n_gold is None else f", gold items {n_gold[0]} and {n_gold[1]}"
        raise UsageError(Problem("rater-rates", what, expected="rates from 0 to 1, and at least one gold item of each"))
    if sensitivity + specificity <= 1:
        what = f"sensitivity {sensitivity:g} and specificity {specificity:g} are no better than chance"
        raise UsageError(Problem("rater-rates", what, expected="a sum above 1", fix="use other raters"))
    plain = proportion_interval(x, n, confidence_level=confidence_level)
    if isinstance(plain, Undefined):
        return Estimate(None, 0, undefined=plain).with_interval(plain)
    value, low, high = (
        _cut((share + specificity - 1) / (sensitivity + specificity - 1)) for share in (x / n, plain.low, plain.high)
    )
    method = "wilson, rogan-gladen"
    if n_gold is not None:
        low, high = _estimated_rates(x, n, sensitivity, specificity, n_gold, z_value(confidence_level))
        method = "lang-reiczigel"
    made = Interval(low, high, confidence_level, method) if low < high else Undefined.ZERO_WIDTH
    return Estimate(value, n).with_interval(made)


def _estimated_rates(
    x: float, n: int, sensitivity: float, specificity: float, n_gold: tuple[int, int], z: float
) -> tuple[float, float]:
    share, size = (x + z * z / 2) / (n + z * z), n + z * z
    errors, others = n_gold
    se, sp = (errors * sensitivity + 1) / (errors + 2), (others * specificity + 1) / (others + 2)
    slope = se + sp - 1
    if slope <= 0:
        return 0.0, 1.0  # so few gold items do not show that the raters are better than chance
    true = (share + sp - 1) / slope
    first, second = se * (1 - se) / (errors + 2), sp * (1 - sp) / (others + 2)
    error = sqrt(share * (1 - share) / size + true**2 * first + (1 - true) ** 2 * second) / slope
    middle = true + 2 * z * z * (true * first - (1 - true) * second)
    return _cut(middle - z * error), _cut(middle + z * error)


def _cut(share: float) -> float:
    return min(max(share, 0.0), 1.0)
