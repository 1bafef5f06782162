"""Intervals of F from counts: tp matches, fp proposed only, fn in the reference only.

Formula
    F = (1 + beta²) tp / D with D = (1 + beta²) tp + fp + beta² fn.
    delta: F ± z SE. With the counts trinomial, Var F = Σ g² count over the three counts, where the derivatives g are
    (1 + beta²)(fp + beta² fn) / D² for tp, −(1 + beta²) tp / D² for fp and beta² times that for fn. (The usual
    −(Σ g count)² / n is 0, because F does not change when all counts grow by one factor.)
    wilson-j, clopper-pearson-j, jeffreys-j (beta = 1 only): J = tp / (tp + fp + fn) is a proportion and
    F1 = 2 J / (1 + J) grows with it, so the ends for J are transformed.
    goutte-gaussier: F = (1 + beta²) U / ((1 + beta²) U + V + beta² W) with independent gamma variables U, V, W of
    shapes tp + prior, fp + prior, fn + prior; this is P ~ Beta(tp + prior, fp + prior), R ~ Beta(tp + prior,
    fn + prior). Given w = W / (V + W) ~ Beta, it is a function of one more Beta variable; its distribution function
    is the mean over w, by Gauss-Legendre quadrature over the quantiles of w. For beta = 1 it does not depend on w:
    F = 2 B / (1 + B), B ~ Beta(tp + prior, fp + fn + 2 prior).
Conventions
    Ends are cut at 0 and 1. At tp = 0 the low end is 0, at fp = fn = 0 the high end is 1, except for delta, which has
    zero width there and so gives none. Edits are taken for independent; see docs/design/intervals.md.
Source
    Goutte & Gaussier 2005, A probabilistic interpretation of precision, recall and F-score, ECIR (their equation 11
    and section 2.3, carried on to any beta as they describe); for delta and J compare Takahashi et al. 2022, Applied
    Intelligence 52.
"""

from __future__ import annotations

from functools import cache
from math import inf, isfinite, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Interval, Undefined
from errorbar.stats.proportion import ProportionMethod, beta_cdf, beta_quantile, proportion_interval
from errorbar.stats.resampling import tails, z_value

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
            docs/design/intervals.md.
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
        what = f"the interval '{method}' is for F1, not for beta = {beta:g}"
        raise UsageError(Problem("interval-beta", what, fix="use goutte-gaussier or delta"))
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
        what = f"a quantile for the probability {probability:g}"
        raise UsageError(Problem("quantile", what, expected="a probability between 0 and 1"))
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
