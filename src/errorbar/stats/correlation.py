"""Correlations of two series, with intervals: how well a metric ranks systems as humans do, and which one better.

Formula
    The value c is moved to atanh(c), where its standard error is nearly constant, and back: tanh(atanh(c) ± z SE).
    pearson: SE = 1 / √(n − 3). spearman: SE = √((1 + c²/2) / (n − 3)). kendall-b: SE = √(0.437 / (n − 4)).
    kendall-c is kendall-b times √((1 − Σ t²/n²)(1 − Σ u²/n²)) m / (m − 1), where t and u are the sizes of the groups
    of equal values in the two series and m is the smaller number of groups. The factor does not depend on how the
    series go together, so the ends are those of kendall-b times it.
Conventions
    p-values are two-sided, of no correlation at all, as scipy gives them; those of rank correlations up to 9 pairs are
    exact, the share of all orders of one series whose |c| is as large (of four pairs no spearman has a p below 2/24,
    where the t that scipy takes would say 0; with ties its normal of kendall gives up to a third of the share). A
    series that never changes has no correlation. Fewer than 4 pairs (kendall: 5), or a correlation of 1 or −1, have no
    interval of this kind. The intervals take pairs for independent; a dozen systems give wide ones.
Source
    Fisher 1921, Metron 1; spearman: Bonett & Wright 2000, Psychometrika 65(1); kendall: Fieller, Hartley & Pearson
    1957, Biometrika 44; kendall-c: Stuart 1953, Biometrika 40.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import chain, permutations
from math import atanh, copysign, factorial, inf, sqrt, tanh
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.resampling import z_value

CorrelationKind = Literal["pearson", "spearman", "kendall-b", "kendall-c"]
_SPARE = {"pearson": 3, "spearman": 3, "kendall-b": 4}
EXACT = 9
"""Pairs up to which all orders of a series are tried: 362,880."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation with its interval; units are pairs."""

    kind: CorrelationKind
    estimate: Estimate
    p_value: float | None  # of no correlation at all, two-sided; None where undefined


def correlate(
    x: ArrayLike, y: ArrayLike, *, kind: CorrelationKind = "pearson", confidence_level: float = 0.95
) -> Correlation:
    """Correlate two series, both of shape (n,) and in the same order."""
    xs, ys = np.asarray(x, np.float64).ravel(), np.asarray(y, np.float64).ravel()
    _check_kind(kind)
    if xs.size != ys.size or not (np.isfinite(xs).all() and np.isfinite(ys).all()):
        message = f"series of {xs.size} and {ys.size} numbers"
        raise UsageError(Problem("correlation-series", message, expected="as many in both, all of them finite"))
    n = int(xs.size)
    if n < 2 or (xs == xs[0]).all() or (ys == ys[0]).all():
        why = Undefined.NO_UNITS if n == 0 else Undefined.ONE_UNIT if n == 1 else Undefined.CONSTANT
        return Correlation(kind, Estimate(None, n, undefined=why), None)
    from scipy import stats  # noqa: PLC0415 - loading it takes most of a second

    if kind == "pearson":
        result = stats.pearsonr(xs, ys)
    elif kind == "spearman":
        result = stats.spearmanr(xs, ys)
    else:
        result = stats.kendalltau(xs, ys, variant=kind[-1])
    value, p_value = float(result.statistic), float(result.pvalue)
    tied = min(np.unique(xs).size, np.unique(ys).size) < n
    if n <= EXACT and (kind == "spearman" or (kind != "pearson" and tied)):  # without ties scipy has it of kendall
        p_value = _exact_p(stats.rankdata(xs), stats.rankdata(ys), by_pairs=kind != "spearman")
    if kind == "kendall-c":
        sizes = [np.unique(series, return_counts=True)[1] for series in (xs, ys)]
        m = min(len(groups) for groups in sizes)
        untied = [1 - float(np.sum(groups.astype(np.float64) ** 2)) / xs.size**2 for groups in sizes]
        factor = sqrt(untied[0] * untied[1]) * m / (m - 1)
        interval = correlation_interval(value / factor, n, kind="kendall-b", confidence_level=confidence_level)
        if isinstance(interval, Interval):
            low, high = max(-1.0, factor * interval.low), min(1.0, factor * interval.high)
            interval = Interval(low, high, confidence_level, "fisher-kendall-c")
    else:
        interval = correlation_interval(value, n, kind=kind, confidence_level=confidence_level)
    return Correlation(kind, Estimate(value, n).with_interval(interval), p_value)


@cache
def _orders(n: int) -> NDArray[np.int8]:
    """Every order of the numbers from 0; shape (n!, n)."""
    return np.fromiter(chain.from_iterable(permutations(range(n))), np.int8, factorial(n) * n).reshape(-1, n)


def _exact_p(x: NDArray[np.float64], y: NDArray[np.float64], *, by_pairs: bool) -> float:
    """The share of all orders of a series in which the two go together, or against each other, at least as much.

    ``by_pairs``: as kendall has it, by the signs of pairs; else by products of ranks.
    """
    orders = _orders(x.size)
    if by_pairs:
        own, other = (np.sign(z[:, None] - z).astype(np.int8) for z in (x, y))
        together = np.zeros(len(orders), np.int8)  # at most 36 pairs of nine
        for first, second in zip(*np.nonzero(np.triu(own)), strict=True):
            together += own[first, second] * other[orders[:, first], orders[:, second]]
        return float((np.abs(together) >= abs(int(together[0]))).mean())
    own, other = x - x.mean(), y - y.mean()
    together = np.abs(other[orders] @ own)
    return float((together >= abs(own @ other) - 1e-9).mean())


def correlation_interval(
    value: float, n: int, *, kind: CorrelationKind = "pearson", confidence_level: float = 0.95
) -> Interval | Undefined:
    """The interval of a correlation of which only value and number of pairs are known, or why there is none.

    That of kendall-c depends on the ties: ``correlate`` has it.
    """
    _check_kind(kind)
    z = z_value(confidence_level)
    if kind == "kendall-c":
        message = "the interval of kendall-c depends on the ties"
        raise UsageError(Problem("correlation-kind", message, fix="give the series to correlate()"))
    # scipy may miss a perfect correlation by a rounding.
    if not abs(value) <= 1 + 1e-9:
        raise UsageError(Problem("correlation-value", f"a correlation of {value:g}", expected="-1 to 1"))
    if n <= _SPARE[kind]:
        return Undefined.TOO_FEW_UNITS
    if abs(value) > 1 - 1e-12:
        return Undefined.ZERO_WIDTH
    variance = {"pearson": 1.0, "spearman": 1 + value * value / 2, "kendall-b": 0.437}[kind] / (n - _SPARE[kind])
    middle, half = atanh(value), z * sqrt(variance)
    return Interval(tanh(middle - half), tanh(middle + half), confidence_level, f"fisher-{kind}")


def _check_kind(kind: str) -> None:
    if kind not in get_args(CorrelationKind):
        fix = nearest(kind, get_args(CorrelationKind))
        raise UsageError(Problem("correlation-kind", f"no correlation is called '{kind}'", fix=fix))


@dataclass(frozen=True, slots=True)
class Williams:
    """Williams' test; t and p are None where undefined."""

    difference: float  # r12 − r13
    t: float | None
    df: int  # n − 3
    p_value: float | None  # two-sided
    undefined: Undefined | None = None


def williams_test(r12: float, r13: float, r23: float, n: int) -> Williams:
    """Test whether two correlations that share one series differ.

    Formula
        r12, r13: correlations of the humans with the two metrics; r23: of the metrics with each other; n systems.
        t = (r12 − r13) √((n − 1)(1 + r23) / (2 K (n − 1)/(n − 3) + r̄² (1 − r23)³)), with n − 3 degrees of freedom,
        K = 1 − r12² − r13² − r23² + 2 r12 r13 r23, r̄ = (r12 + r13) / 2.
    Conventions
        Two-sided. For Pearson's r; with rank correlations it is an approximation. Metrics that agree entirely (r23 = 1)
        do not differ.
    Source
        Williams 1959, The comparison of regression variables, JRSS B 21; Steiger 1980, Psychological Bulletin 87(2),
        equation 7; Graham & Baldwin 2014, EMNLP (its use for metrics).
    """
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if not (max(abs(r12), abs(r13), abs(r23)) <= 1 + 1e-9 and k >= -1e-9):
        message = f"no three series correlate by {r12:g}, {r13:g} and {r23:g}"
        raise UsageError(Problem("williams-correlations", message, fix="compute all three on the same systems"))
    if n < 4:
        return Williams(r12 - r13, None, n - 3, None, Undefined.TOO_FEW_UNITS)
    spread = 2 * max(k, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if spread <= 1e-15:
        # r23 = 1, so one metric is the other; or a fit without any rest (K = 0, r̄ = 0), whose t has no bound.
        if abs(r12 - r13) < 1e-7:
            return Williams(r12 - r13, None, n - 3, None, Undefined.NO_DISAGREEMENT)
        return Williams(r12 - r13, copysign(inf, r12 - r13), n - 3, 0.0)
    from scipy.special import stdtr  # noqa: PLC0415 - loading it takes a while

    t = (r12 - r13) * sqrt((n - 1) * (1 + r23) / spread)
    return Williams(r12 - r13, t, n - 3, float(2 * stdtr(n - 3, -abs(t))))
