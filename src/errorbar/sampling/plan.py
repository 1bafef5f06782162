"""Plan a sample: how many items of which stratum, how sure that makes one, and what it costs.

Formula
    Expected SE² = Σ g_h² N_h² (1 − n_h / N_h) p_h (1 − p_h) / n_h; half-width z SE. Without the correction
    (1 − n_h / N_h) a half-width d needs (Σ a_h)² z² / d² items in all.
Conventions
    Rates are guesses, or come from a pilot as (x + ½) / (n + 1). The smallest budget for a half-width is found by
    bisection on the plan itself, so bounds and rounding count.
Source
    Cochran 1977, sections 5.5 and 5.9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errorbar.core.errors import Problem, UsageError
from errorbar.sampling.allocation import FLOOR, allocate, check_rates, difference_importance, importance
from errorbar.sampling.quantities import TARGETS, Name, Target, gradient, quantity
from errorbar.sampling.strata import Counts, Floats, Strata
from errorbar.sampling.totals import HALF, Sample, shares
from errorbar.stats.distributions import z_value

PILOT = 0.15
"""Share of the budget for a pilot: a tenth to a fifth is usual."""
GUESSED_PRECISION, GUESSED_MISS_RATE = 0.7, 0.05


@dataclass(frozen=True, slots=True)
class Cost:
    """What judging costs.

    Attributes:
        items: Items to judge.
        judgments: Judgments of all raters.
        money: Price of all, in the unit of the price of one; None: no price is known.
        hours: Working time of all raters; None: no time is known.
    """

    items: int
    judgments: int
    money: float | None
    hours: float | None


@dataclass(frozen=True, slots=True)
class Expected:
    """What one system's quantity will look like if the rates are right.

    Attributes:
        system: The system.
        name: P, R or F.
        value: Its value.
        standard_error: Its standard error; infinite where a stratum that matters gets no item.
        half_width: Half of the interval.
    """

    system: str
    name: str
    value: float
    standard_error: float
    half_width: float


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A sample to draw.

    Attributes:
        strata: What it is drawn from.
        n: Items of each stratum.
        rates: The supposed share of errors in each.
        target: What the allocation is best for.
        expected: P, R and F of each system.
        costs: What an item of each stratum costs; None: 1 each.
    """

    strata: Strata
    n: Counts
    rates: Floats
    target: Target
    expected: tuple[Expected, ...]
    costs: Floats | None = None

    @property
    def spent(self) -> float:
        """What all items cost, in the unit of the budget."""
        return float(self.n.sum() if self.costs is None else (self.n * self.costs).sum())

    def cost(self, *, raters: int = 1, price: float | None = None, minutes: float | None = None) -> Cost:
        """What the plan costs.

        Args:
            raters: Judgments of each item.
            price: Of one judgment.
            minutes: Of one judgment.

        Raises:
            UsageError: If there is no rater, or a price or time is negative.
        """
        if raters < 1 or min(price or 0, minutes or 0) < 0:
            what = f"{raters} raters, a price of {price} and {minutes} minutes"
            raise UsageError(Problem("sample-cost", what, expected="at least 1 rater, nothing negative"))
        judgments = int(self.n.sum()) * raters
        money = None if price is None else judgments * price
        return Cost(int(self.n.sum()), judgments, money, None if minutes is None else judgments * minutes / 60)


def guessed_rates(strata: Strata, precision: float = GUESSED_PRECISION, miss_rate: float = GUESSED_MISS_RATE) -> Floats:
    """Supposed error rates: the precision where a system flags, the miss rate where none does."""
    return np.where(strata.flags.any(axis=0), precision, miss_rate)


def pilot_rates(strata: Strata, sample: Sample) -> Floats:
    """Error rates from a pilot, with half an error more on each side, so that none is 0 or 1."""
    extra = HALF * shares(strata)
    return np.asarray((sample.x + extra) / (sample.n + 2 * extra))


def plan_sample(
    strata: Strata,
    rates: ArrayLike,
    budget: int,
    *,
    target: Target = "R",
    beta: float = 1.0,
    floor: ArrayLike = FLOOR,
    costs: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Plan:
    """Allocate a budget; for two systems, so that the difference of the target is best known.

    Args:
        strata: What to draw from.
        rates: Supposed share of errors in each stratum.
        budget: Items, or what all may cost together.
        target: P, R or F.
        beta: Weight of recall in F.
        floor: The fewest items of a stratum.
        costs: What an item of each stratum costs; None: 1 each.
        confidence_level: Of the expected intervals.

    Raises:
        UsageError: If the budget, rates or target will not do.
    """
    p = check_rates(strata, rates)
    if len(strata.systems) == 2:
        weights = difference_importance(strata, p, target, beta=beta)
    else:
        weights = importance(strata, p, target, beta=beta)
    n = allocate(weights, strata.sizes, budget, floor=floor, costs=costs)
    expected = expected_precision(strata, p, n, beta=beta, confidence_level=confidence_level)
    return Plan(strata, n, p, target, expected, None if costs is None else np.asarray(costs, np.float64))


def expected_precision(
    strata: Strata, rates: ArrayLike, n: Counts, *, beta: float = 1.0, confidence_level: float = 0.95
) -> tuple[Expected, ...]:
    """P, R and F of each system with the standard errors that an allocation will give.

    Raises:
        UsageError: If the rates will not do.
    """
    p = check_rates(strata, rates)
    z = z_value(confidence_level)
    found = []
    for system, name in enumerate(strata.systems):
        for what in TARGETS:
            error = expected_error(strata, p, n, what, system=system, beta=beta)
            value = float(quantity(what, p * strata.sizes, strata, system=system, beta=beta))
            found.append(Expected(name, what, value, error, z * error))
    return tuple(found)


def expected_error(
    strata: Strata, rates: Floats, n: Counts, name: Name, *, system: int = 0, beta: float = 1.0
) -> float:
    """The standard error of a quantity if the rates are right."""
    slope = gradient(name, rates * strata.sizes, strata, system=system, beta=beta)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = strata.sizes**2.0 * (1 - n / strata.sizes) * rates * (1 - rates) / n
    variance = np.where(n >= strata.sizes, 0.0, np.where(n > 0, variance, np.inf))
    return float(np.sqrt(np.where(slope == 0, 0.0, slope**2 * np.where(slope == 0, 0.0, variance)).sum()))


def budget_for_half_width(
    strata: Strata,
    rates: ArrayLike,
    half_width: float,
    *,
    target: Target = "R",
    beta: float = 1.0,
    floor: int = FLOOR,
    confidence_level: float = 0.95,
) -> int:
    """The fewest items for which the target's expected half-width is small enough, for the first system.

    Raises:
        UsageError: If the half-width is not above 0, or rates or target will not do.
    """
    if half_width <= 0:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0"))
    p = check_rates(strata, rates)
    weights = importance(strata, p, target, beta=beta)
    z = z_value(confidence_level)
    low, high = int(np.minimum(floor, strata.sizes).sum()), int(strata.sizes.sum())
    while low < high:
        middle = (low + high) // 2
        n = allocate(weights, strata.sizes, middle, floor=floor)
        narrow = z * expected_error(strata, p, n, target, beta=beta) <= half_width
        low, high = (low, middle) if narrow else (middle + 1, high)
    return low


def items_without_correction(
    strata: Strata,
    rates: ArrayLike,
    half_width: float,
    *,
    target: Target = "R",
    beta: float = 1.0,
    confidence_level: float = 0.95,
) -> Floats:
    """Items of each stratum for a half-width in a corpus without end, not rounded; shape (strata,).

    Raises:
        UsageError: If the half-width is not above 0, or rates or target will not do.
    """
    if half_width <= 0:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0"))
    a = importance(strata, rates, target, beta=beta)
    return np.asarray(a * a.sum() * (z_value(confidence_level) / half_width) ** 2)
