"""Intervals of a proportion: x of n.

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

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Interval, Undefined
from errorbar.stats.distributions import beta_quantile, tails, z_value

ProportionMethod = Literal["wald", "wilson", "clopper-pearson", "jeffreys"]


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


def proportion_bounds(
    x: ArrayLike, n: ArrayLike, *, method: ProportionMethod = "wilson", confidence_level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of many intervals at once.

    Args:
        x: Successes; any shape that broadcasts with n.
        n: Trials.
        method: The formula.
        confidence_level: Nominal coverage.

    Returns:
        Low and high ends, NaN where there is no interval.

    Raises:
        UsageError: x is not between 0 and n, or the method or confidence level does not exist.
    """
    xs, ns = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(n, np.float64))
    if not (np.isfinite(ns) & (xs >= 0) & (xs <= ns)).all():
        raise UsageError(Problem("proportion-counts", "successes and trials do not fit", expected="0 <= x <= n"))
    if method not in get_args(ProportionMethod):
        fix = nearest(method, get_args(ProportionMethod))
        raise UsageError(Problem("interval-method", f"no interval of a proportion is called '{method}'", fix=fix))
    left, right = tails(confidence_level)
    with np.errstate(divide="ignore", invalid="ignore"):
        if method in {"wald", "wilson"}:
            low, high = _normal(xs, ns, z_value(confidence_level), wilson=method == "wilson")
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


def _normal(
    x: NDArray[np.float64], n: NDArray[np.float64], z: float, *, wilson: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if wilson:
        middle, half = (x + z * z / 2) / (n + z * z), z * np.sqrt(x * (n - x) / n + z * z / 4) / (n + z * z)
    else:
        middle, half = x / n, z * np.sqrt(x * (n - x) / n) / n
    return middle - half, middle + half
