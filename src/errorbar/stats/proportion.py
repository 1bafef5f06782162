"""Intervals of a proportion, x of n, and of a ratio of sums; the true share of errors where raters are wrong.

Formula
    z is the normal quantile, e.g. 1.96; p = x / n.
    wald: p ± z √(p (1 − p) / n).
    wilson: (x + z²/2 ± z √(x (n − x) / n + z²/4)) / (n + z²).
    clopper-pearson: quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x).
    jeffreys: quantiles of Beta(x + ½, n − x + ½).
Conventions
    Intervals end at 0 and 1. At x = 0 the low end of all but Wald is 0, at x = n the high end is 1. Wald has zero
    width there, so it gives none. With n = 0 there is no interval. x and n need not be whole (crowd-weighted counts).
    All four take the n trials for independent; edits of one essay are not (docs/measurements/intervals.md).
Source
    Brown, Cai & DasGupta 2001, Interval estimation for a binomial proportion, Statistical Science 16(2).
"""

from __future__ import annotations

from functools import cache
from math import inf, isfinite, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.resampling import ROUNDING, Units, tails, z_value

ProportionMethod = Literal["wald", "wilson", "clopper-pearson", "jeffreys"]


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
        method: The formula; the choice of the default is measured in docs/measurements/intervals.md.
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
    interval = proportion_interval(x, n, confidence_level=confidence_level)
    return Estimate(x / n, n).with_interval(interval)


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


def ratio_interval(
    above: Floats, below: Floats, units: Units, *, confidence_level: float = 0.95
) -> Interval | Undefined:
    """The interval of Σ a / Σ b over units with 0 ≤ a ≤ b, or why there is none: Wilson's, for parts of a unit.

    Formula
        A = Σ a, B = Σ b; r = a − b A / B is the residual of a cluster (without clusters: of a unit), V = Σ r².
        w = Σ b² / B over units is how much one of them counts; of clusters w Σ r² (clusters) / Σ r² (units), at least
        w and at most Σ b² / B over clusters, which it is too where no unit has a residual.
        ν = (V + v)² / (Σ r⁴ + v² / z²) with v = z² w² / 4, where z is the normal quantile and t that of Student's
        distribution with ν degrees of freedom:
        (A + t² w / 2 ± t √(V + t² w² / 4)) / (B + t² w), but not beyond Clopper and Pearson's interval of A / B of
        n = (Σ b²)² / Σ b⁴ trials (of clusters: their b).
    Conventions
        If every b is 1 and every a is 0 or 1, this is Wilson's interval with t for z, or the exact one where that is
        narrower. Residuals show the variance as ν equal ones would; v is that of z² units more, half of them successes,
        which Wilson's interval adds, so that few units, or units that are all alike, still have an interval. It ends at
        0 and 1 and holds A / B. A single unit or cluster with b > 0 gives none. docs/measurements/crowd-intervals.md
        measures it beside bootstraps.
    Source
        Wilson 1927, JASA 22; of sums, with the effective number of units and Student's t, compare Franco, Little, Louis
        and Slud 2019, Journal of Survey Statistics and Methodology 7(3); ν as in Satterthwaite 1946, Biometrics
        Bulletin 2(6).

    Args:
        above: a of a unit of each kind; shape (kinds,), as the next.
        below: b.
        units: How many units are of each kind, and of which clusters.
        confidence_level: Nominal coverage.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - loading it takes a while

    z, n = z_value(confidence_level), units.frequency
    total, whole = float(n @ above), float(n @ below)
    if whole <= 0:
        return Undefined.NO_UNITS
    residuals = above - total / whole * below
    weight, sizes, counts = float(n @ below**2) / whole, below, n
    if units.clusters is not None:
        of_units = float(n @ residuals**2)
        sizes, residuals = units.clusters @ below, units.clusters @ residuals
        counts = np.ones(len(sizes))
        most = float(counts @ sizes**2) / whole
        of_clusters = float(counts @ residuals**2)
        alike = of_units <= ROUNDING * weight * whole
        weight = most if alike else min(max(weight, weight * of_clusters / of_units), most)
    if counts[sizes > 0].sum() < 2:
        return Undefined.ONE_UNIT
    variance, added = float(counts @ residuals**2), z * z * weight * weight / 4
    df = (variance + added) ** 2 / (float(counts @ residuals**4) + added**2 / z**2)
    t = float(stdtrit(df, tails(confidence_level)[1]))
    half = t * sqrt(variance + t * t * weight * weight / 4)
    low, high = ((total + t * t * weight / 2 + side * half) / (whole + t * t * weight) for side in (-1, 1))
    trials = float(counts @ sizes**2) ** 2 / float(counts @ sizes**4)
    share = min(total / whole, 1.0)
    least, greatest = proportion_bounds(
        share * trials, trials, method="clopper-pearson", confidence_level=confidence_level
    )
    low, high = min(max(low, float(least)), share), max(min(high, float(greatest)), share)  # but for their last bits
    return Interval(low, high, confidence_level, "wilson of sums")


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
        message = f"sensitivity {sensitivity:g}, specificity {specificity:g}"
        message += "" if n_gold is None else f", gold items {n_gold[0]} and {n_gold[1]}"
        raise UsageError(
            Problem("rater-rates", message, expected="rates from 0 to 1, and at least one gold item of each")
        )
    if sensitivity + specificity <= 1:
        message = f"sensitivity {sensitivity:g} and specificity {specificity:g} are no better than chance"
        raise UsageError(Problem("rater-rates", message, expected="a sum above 1", fix="use other raters"))
    plain = proportion_interval(x, n, confidence_level=confidence_level)
    if isinstance(plain, Undefined):
        return Estimate(None, 0, undefined=plain).with_interval(plain)
    value, low, high = (
        _clip_share((share + specificity - 1) / (sensitivity + specificity - 1))
        for share in (x / n, plain.low, plain.high)
    )
    method = "wilson, rogan-gladen"
    if n_gold is not None:
        low, high = _estimated_rates(x, n, sensitivity, specificity, n_gold, z_value(confidence_level))
        method = "lang-reiczigel"
    interval = Interval(low, high, confidence_level, method) if low < high else Undefined.ZERO_WIDTH
    return Estimate(value, n).with_interval(interval)


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
    return _clip_share(middle - z * error), _clip_share(middle + z * error)


def _clip_share(share: float) -> float:
    return min(max(share, 0.0), 1.0)


# Intervals of F from counts: tp matches, fp proposed only, fn in the reference only.
#
# Formula
#     F = (1 + beta²) tp / D with D = (1 + beta²) tp + fp + beta² fn.
#     delta: F ± z SE. With the counts trinomial, Var F = Σ g² count over the three counts, where the derivatives g are
#     (1 + beta²)(fp + beta² fn) / D² for tp, −(1 + beta²) tp / D² for fp and beta² times that for fn. (The usual
#     −(Σ g count)² / n is 0, because F does not change when all counts grow by one factor.)
#     wilson-j, clopper-pearson-j, jeffreys-j (beta = 1 only): J = tp / (tp + fp + fn) is a proportion and
#     F1 = 2 J / (1 + J) grows with it, so the ends for J are transformed.
#     goutte-gaussier: F = (1 + beta²) U / ((1 + beta²) U + V + beta² W) with independent gamma variables U, V, W of
#     shapes tp + prior, fp + prior, fn + prior; this is P ~ Beta(tp + prior, fp + prior), R ~ Beta(tp + prior,
#     fn + prior). Given w = W / (V + W) ~ Beta, it is a function of one more Beta variable; its distribution function
#     is the mean over w, by Gauss-Legendre quadrature over the quantiles of w. For beta = 1 it does not depend on w:
#     F = 2 B / (1 + B), B ~ Beta(tp + prior, fp + fn + 2 prior).
# Conventions
#     Ends are cut at 0 and 1. At tp = 0 the low end is 0, at fp = fn = 0 the high end is 1, except for delta, which has
#     zero width there and so gives none. Edits are taken for independent; see docs/measurements/intervals.md.
# Source
#     Goutte & Gaussier 2005, A probabilistic interpretation of precision, recall and F-score, ECIR (their equation 11
#     and section 2.3, carried on to any beta as they describe); for delta and J compare Takahashi et al. 2022, Applied
#     Intelligence 52.


FMethod = Literal["delta", "goutte-gaussier", "wilson-j", "clopper-pearson-j", "jeffreys-j"]
_BY_J: dict[str, ProportionMethod]
_BY_J = {"wilson-j": "wilson", "clopper-pearson-j": "clopper-pearson", "jeffreys-j": "jeffreys"}
_NODES, _STEPS = 64, 36


def f_score_interval(
    tp: float,
    fp: float,
    fn: float,
    *,
    beta: float = 0.5,
    method: FMethod | None = None,
    confidence_level: float = 0.95,
    prior: float = 0.5,
) -> Interval | Undefined:
    """The interval of F, or why there is none.

    Args:
        tp: Edits that match.
        fp: Edits proposed only.
        fn: Edits in the reference only.
        beta: Weight of recall against precision.
        method: The formula. None: wilson-j for beta = 1, else goutte-gaussier, as measured in
            docs/measurements/intervals.md.
        confidence_level: Nominal coverage.
        prior: For goutte-gaussier: what is added to each count; 0.5 is Jeffreys' prior, 1 the uniform one.

    Raises:
        UsageError: A count is negative, a parameter does not fit, or a method for F1 is asked for another beta.
    """
    _check(tp, fp, fn, beta)
    left, right = tails(confidence_level)
    method = method or ("wilson-j" if beta == 1 else "goutte-gaussier")
    if method not in get_args(FMethod):
        fix = nearest(method, get_args(FMethod))
        raise UsageError(Problem("interval-method", f"no interval of F is called '{method}'", fix=fix))
    if method in _BY_J and beta != 1:
        message = f"the interval '{method}' is for F1, not for beta = {beta:g}"
        raise UsageError(Problem("interval-beta", message, fix="use goutte-gaussier or delta"))
    if tp + fp + fn == 0:
        return Undefined.NO_EDITS
    if method == "delta":
        half = z_value(confidence_level) * f_standard_error(tp, fp, fn, beta=beta)
        if not half:
            return Undefined.ZERO_WIDTH
        f = f_value(tp, fp, fn, beta=beta)
        low, high = max(0.0, f - half), min(1.0, f + half)
    elif method == "goutte-gaussier":
        low = f_quantile(left, tp, fp, fn, beta=beta, prior=prior) if tp else 0.0
        high = f_quantile(right, tp, fp, fn, beta=beta, prior=prior) if fp + fn else 1.0
    else:
        j = proportion_interval(tp, tp + fp + fn, method=_BY_J[method], confidence_level=confidence_level)
        if isinstance(j, Undefined):
            return j
        low, high = 2 * j.low / (1 + j.low), 2 * j.high / (1 + j.high)
    return Interval(low, high, confidence_level, method)


def f_value(tp: float, fp: float, fn: float, *, beta: float = 0.5) -> float:
    """F from counts; NaN where all are 0."""
    b2 = beta * beta
    denominator = (1 + b2) * tp + fp + b2 * fn
    return (1 + b2) * tp / denominator if denominator else float("nan")


def f_standard_error(tp: float, fp: float, fn: float, *, beta: float = 0.5) -> float:
    """The standard error of F by the delta method; NaN where all counts are 0."""
    b2 = beta * beta
    wrong = fp + b2 * fn
    denominator = (1 + b2) * tp + wrong
    if not denominator:
        return float("nan")
    # (1 + b2)² (wrong² tp + tp² fp + b2² tp² fn) / D⁴, the sum of the formula above.
    return (1 + b2) * sqrt(tp * (wrong * wrong + tp * (fp + b2 * b2 * fn))) / denominator**2


def f_quantile(probability: float, tp: float, fp: float, fn: float, *, beta: float = 0.5, prior: float = 0.5) -> float:
    """A quantile of F given the counts, after Goutte and Gaussier; ``prior`` is added to each count."""
    if not 0 < probability < 1:
        message = f"a quantile for the probability {probability:g}"
        raise UsageError(Problem("quantile", message, expected="a probability between 0 and 1"))
    if beta == 1:
        _check(tp, fp, fn, beta, prior)
        share = float(beta_quantile(probability, tp + prior, fp + fn + 2 * prior))
        return 2 * share / (1 + share)
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        f = (low + high) / 2
        if f_cdf(f, tp, fp, fn, beta=beta, prior=prior) < probability:
            low = f
        else:
            high = f
    return (low + high) / 2


def f_cdf(f: float, tp: float, fp: float, fn: float, *, beta: float = 0.5, prior: float = 0.5) -> float:
    """How likely F is at most f given the counts, after Goutte and Gaussier; accurate to about 1e-5."""
    _check(tp, fp, fn, beta, prior)
    if not 0 < f < 1:
        return float(f >= 1)
    b2 = beta * beta
    nodes, weights = _quadrature()
    w = beta_quantile(nodes, fn + prior, fp + prior)
    # F <= f just where U / (V + W) <= odds, that is where U / (U + V + W) <= odds / (1 + odds).
    odds = f / (1 - f) * (b2 * w + 1 - w) / (1 + b2)
    return float(weights @ beta_cdf(odds / (1 + odds), tp + prior, fp + fn + 2 * prior))


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of a mean over the interval from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def _check(tp: float, fp: float, fn: float, beta: float, prior: float = 0.5) -> None:
    if not 0 < prior < inf:
        raise UsageError(Problem("interval-prior", f"the prior is {prior:g}", expected="a number above 0"))
    if not all(isfinite(count) and count >= 0 for count in (tp, fp, fn)):
        raise UsageError(Problem("f-counts", f"tp {tp:g}, fp {fp:g}, fn {fn:g}", expected="counts from 0"))
    if not 0 < beta < inf:
        raise UsageError(Problem("f-beta", f"beta is {beta:g}", expected="a number above 0"))
