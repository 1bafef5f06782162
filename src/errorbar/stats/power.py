"""What a corpus of some size can show, and what size is needed.

Formula
    d_i are the differences of two systems on n independent units, with mean d and standard deviation s; for a score
    that is not a mean, d_i are pseudo-values n v − (n − 1) v_(i), v_(i) being the value without unit i. The test of
    d = 0 is Student's with n − 1 degrees of freedom. power = P(|T| > t) with T noncentral, noncentrality d √n / s.
    n for a power: the smallest that reaches it. n for a half-width h: (z s / h)².
Conventions
    Two-sided. Units are what varies independently: where sentences of one essay depend on each other, the d_i are
    per essay, and n counts essays. The effect is to be chosen for its meaning. Power at the *observed* difference is
    the p-value in other clothes (p = alpha always gives about one half), so nothing here takes it by default.
Source
    Cohen 1988, Statistical power analysis, chapter 2; pseudo-values: Tukey 1958; observed power: Hoenig & Heisey 2001,
    The American Statistician 55(1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isnan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Undefined
from errorbar.stats.resampling import ROUNDING, z_value

_MOST_UNITS = 10**12
_STEPS = 60


@dataclass(frozen=True, slots=True)
class PairedPower:
    """What a corpus can show about two systems; None where undefined."""

    n: int  # units (or clusters) observed
    standard_deviation: float | None  # of the differences of units
    effect: float  # the difference to be found, in the unit of the score
    power: float | None = None  # how likely the corpus shows it
    detectable: float | None = None  # the smallest difference that the corpus shows with the wanted power
    units_needed: int | None = None  # how many units show the effect with the wanted power
    undefined: Undefined | None = None


def paired_power(differences: ArrayLike, effect: float, *, alpha: float = 0.05, wanted: float = 0.8) -> PairedPower:
    """Power, detectable difference and sample size from observed per-unit differences.

    Args:
        differences: One per independent unit; for F and the like, pseudo_values of the difference.
        effect: The difference that matters, e.g. 0.01 for one point of F.
        alpha: Level of the two-sided test.
        wanted: The power wanted.

    Raises:
        UsageError: A number does not fit.
    """
    d = np.asarray(differences, np.float64).ravel()
    why = None
    if d.size < 2:
        why = Undefined.ONE_UNIT if d.size else Undefined.NO_UNITS
    elif not np.isfinite(d).all():
        why = Undefined.NOT_COMPARABLE
    elif (size := float(np.abs(d).max())) == 0:
        why = Undefined.NO_DISAGREEMENT
    elif np.ptp(d) <= ROUNDING * max(1.0, size):
        why = Undefined.SAME_DIFFERENCE
    if why is not None:
        return PairedPower(d.size, None, effect, undefined=why)
    deviation = float(np.std(d, ddof=1))
    return PairedPower(
        d.size,
        deviation,
        effect,
        power_of_test(effect, deviation, d.size, alpha=alpha),
        detectable_difference(deviation, d.size, wanted=wanted, alpha=alpha),
        units_for_power(effect, deviation, wanted=wanted, alpha=alpha),
    )


def pseudo_values(value: float, jackknife: ArrayLike) -> NDArray[np.float64]:
    """What each unit contributes to a score that is not a mean: n v − (n − 1) v_(i); for a mean, the units' values.

    ``value`` is the score (or difference of scores) on the corpus, ``jackknife`` it without each unit, shape (n,).
    """
    left_out = np.asarray(jackknife, np.float64)
    return left_out.size * value - (left_out.size - 1) * left_out


def power_of_test(effect: float, standard_deviation: float, n: int, *, alpha: float = 0.05) -> float:
    """How likely n units show a difference of this size."""
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415 - loading it takes a while

    _check(effect, standard_deviation, alpha)
    if n < 2:
        raise UsageError(Problem("power-units", f"{n} units", expected="at least 2"))
    t = float(stdtrit(n - 1, 1 - alpha / 2))
    noncentrality = abs(effect) * sqrt(n) / standard_deviation
    # The far tail is below 1e-11 from 7 on; scipy has no value for some of it.
    wrong_side = float(nctdtr(n - 1, noncentrality, -t)) if noncentrality < 7 else 0.0
    missed = float(nctdtr(n - 1, noncentrality, t))
    # Where it underflows, below 1e-100, scipy has no value at some points either.
    return 1 - (0.0 if isnan(missed) else missed) + wrong_side


def units_for_power(effect: float, standard_deviation: float, *, wanted: float = 0.8, alpha: float = 0.05) -> int:
    """The smallest number of units that show a difference with the power wanted."""
    _check(effect, standard_deviation, alpha, wanted)

    def short(n: int) -> bool:
        return power_of_test(effect, standard_deviation, n, alpha=alpha) < wanted

    low, high = 1, 2
    while high < _MOST_UNITS and short(high):
        low, high = high, high * 2
    if high >= _MOST_UNITS:
        what = f"no corpus shows a difference of {effect:g}"
        raise UsageError(Problem("power-effect", what, fix="name a larger difference"))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return high


def detectable_difference(standard_deviation: float, n: int, *, wanted: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest difference that n units show with the power wanted."""
    _check(1, standard_deviation, alpha, wanted)

    def short(effect: float) -> bool:  # scipy has no value where the power is 1
        return power_of_test(effect, standard_deviation, n, alpha=alpha) < wanted

    low, high = 0.0, standard_deviation
    while short(high):
        low, high = high, high * 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return high


def units_for_half_width(standard_deviation: float, half_width: float, *, confidence_level: float = 0.95) -> int:
    """How many units make an interval of a mean reach so far to each side.

    ``standard_deviation`` is that of the units' values (or pseudo-values): standard error times √n of a pilot study.
    """
    if not (0 < half_width < inf and 0 <= standard_deviation < inf):
        what = f"half-width {half_width:g} and standard deviation {standard_deviation:g}"
        raise UsageError(Problem("power-numbers", what, expected="a half-width above 0"))
    # A hair less, lest rounding turn a whole number into the next one.
    return max(1, ceil((z_value(confidence_level) * standard_deviation / half_width) ** 2 * (1 - 1e-12)))


def _check(effect: float, standard_deviation: float, alpha: float, wanted: float | None = None) -> None:
    fits = 0 < standard_deviation < inf and abs(effect) < inf and 0 < alpha < 1
    what = f"standard deviation {standard_deviation:g}, effect {effect:g}, alpha {alpha:g}"
    expected = "a standard deviation above 0, alpha between 0 and 1"
    if wanted is not None:
        fits = fits and alpha < wanted < 1
        what += f", power {wanted:g}"
        expected = "a standard deviation above 0, alpha below the power wanted, both between 0 and 1"
    if not fits:
        raise UsageError(Problem("power-numbers", what, expected=expected))
