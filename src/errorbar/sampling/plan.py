"""Plan a sample: how many items of which stratum, how sure that makes one, what it costs, and what other designs give.

Formula
    Expected SE² = Σ g_h² N_h² (1 − n_h / N_h) p_h (1 − p_h) / n_h; half-width z SE. Simple random sampling of n of N
    items counts hits, false positives and misses; each score is a ratio of means Σ u / Σ v (P: u hits, v flagged; R: v
    errors; F: u (1 + β²) hits, v β² errors + flagged), with variance (1 − n/N) mean((u − θ v)²) / (n mean(v)²).
Conventions
    Rates are guesses, or come from a pilot as (x + ½) / (n + 1). The smallest budget for a half-width is found by
    bisection on the plan itself, so bounds and rounding count. Of other designs: verification looks at flagged items
    only and says nothing about misses, so R and F have no value; equal allocation gives what a full stratum cannot take
    to the others. Numbers are expectations under the supposed rates. With two systems, those of the first.
Source
    Cochran 1977, sections 5.5 and 5.9, and 6.3 for ratios; Tetreault and Chodorow 2008, table 6 (all of a text judged,
    against sampling).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errorbar.core.errors import Problem, UsageError
from errorbar.sampling.allocation import FLOOR, Aim, allocate, check_rates, importance, proportional
from errorbar.sampling.quantities import TARGETS, Quantity
from errorbar.sampling.strata import Counts, Floats, Strata
from errorbar.sampling.stratum_totals import HALF, Sample, shares
from errorbar.stats.resampling import z_value

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


@dataclass(frozen=True, slots=True)
class Design:
    """A way to spend the budget.

    Attributes:
        name: What it is called.
        n: Items of each stratum, expected ones for simple random sampling.
        half_widths: Expected half-width of P, R and F; None: it says nothing about that.
    """

    name: str
    n: tuple[float, ...]
    half_widths: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A sample to draw.

    Attributes:
        strata: What it is drawn from.
        n: Items of each stratum.
        rates: The supposed share of errors in each.
        aim: What the allocation is best for.
        expected: P, R and F of each system.
        costs: What an item of each stratum costs; None: 1 each.
    """

    strata: Strata
    n: Counts
    rates: Floats
    aim: Aim
    expected: tuple[Expected, ...]
    costs: Floats | None = None

    @property
    def spent(self) -> float:
        """What all items cost, in the unit of the budget."""
        return float(self.n.sum() if self.costs is None else (self.n * self.costs).sum())

    def cost(self, *, raters: int = 1, price: float | None = None, minutes: float | None = None) -> Cost:
        """What ``raters`` judgments of each item cost at the price and in the minutes of one.

        Raises:
            UsageError: If there is no rater, or a price or time is negative.
        """
        if raters < 1 or min(price or 0, minutes or 0) < 0:
            what = f"{raters} raters, a price of {price} and {minutes} minutes"
            raise UsageError(Problem("sample-cost", what, expected="at least 1 rater, nothing negative"))
        judgments = int(self.n.sum()) * raters
        money = None if price is None else judgments * price
        return Cost(int(self.n.sum()), judgments, money, None if minutes is None else judgments * minutes / 60)

    def designs(self) -> tuple[Design, ...]:
        """The plan, proportional and equal allocation, simple random sampling and verification, at one budget."""
        strata, budget = self.strata, int(self.n.sum())
        z = z_value(self.aim.confidence_level)
        scores = [Quantity(target, strata, 0, self.aim.beta) for target in TARGETS]

        def stratified(name: str, n: Counts) -> Design:
            errors = [expected_error(score, self.rates, n) for score in scores]
            return Design(name, tuple(n.tolist()), tuple(z * error if np.isfinite(error) else None for error in errors))

        flags = strata.flags[0]
        verified = np.zeros(len(strata), np.int64)
        verified[flags] = proportional(strata.sizes[flags], budget)
        random = tuple(z * random_sampling_error(score, self.rates, budget) for score in scores)
        expected = tuple((strata.sizes * (budget / strata.sizes.sum())).tolist())
        precision = z * expected_error(scores[0], self.rates, verified)
        return (
            stratified(f"best for {self.aim.target}", self.n),
            stratified("proportional", proportional(strata.sizes, budget)),
            stratified("equal", allocate(np.ones(len(strata)), strata.sizes, budget, floor=1)),
            Design("simple random", expected, random),
            Design("verification", tuple(verified.tolist()), (precision, None, None)),
        )


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
    aim: Aim | None = None,
    *,
    floor: ArrayLike = FLOOR,
    costs: ArrayLike | None = None,
) -> Plan:
    """Allocate a budget; for two systems, so that the difference of the target is best known.

    With ``costs`` of an item of each stratum the budget is what all may cost, else a number of items; ``floor`` is the
    fewest items of a stratum, or a number for each.

    Raises:
        UsageError: If the budget or rates will not do.
    """
    aim = aim or Aim()
    p = check_rates(strata, rates)
    n = allocate(importance(strata, p, aim), strata.sizes, budget, floor=floor, costs=costs)
    expected = expected_precision(strata, p, n, aim)
    return Plan(strata, n, p, aim, expected, None if costs is None else np.asarray(costs, np.float64))


def expected_precision(strata: Strata, rates: Floats, n: Counts, aim: Aim) -> tuple[Expected, ...]:
    """P, R and F of each system with the standard errors that an allocation will give."""
    z = z_value(aim.confidence_level)
    found = []
    for system, name in enumerate(strata.systems):
        for target in TARGETS:
            quantity = Quantity(target, strata, system, aim.beta)
            error = expected_error(quantity, rates, n)
            found.append(Expected(name, target, float(quantity.value(rates * strata.sizes)), error, z * error))
    return tuple(found)


def expected_error(quantity: Quantity, rates: Floats, n: Counts) -> float:
    """The standard error of a quantity if the rates are right."""
    sizes = quantity.strata.sizes
    slope = quantity.gradient(rates * sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = sizes**2.0 * (1 - n / sizes) * rates * (1 - rates) / n
    variance = np.where(n >= sizes, 0.0, np.where(n > 0, variance, np.inf))
    return float(np.sqrt(np.where(slope == 0, 0.0, slope**2 * np.where(slope == 0, 0.0, variance)).sum()))


def random_sampling_error(quantity: Quantity, rates: ArrayLike, budget: int) -> float:
    """The expected standard error of P, R or F from a simple random sample."""
    sizes, flags, square = quantity.strata.sizes, quantity.flags.astype(np.float64), quantity.beta**2
    rates = check_rates(quantity.strata, rates)
    total, value = float(sizes.sum()), float(quantity.value(rates * sizes))
    deviation = mean = 0.0
    for error in (0.0, 1.0):
        share = sizes / total * (rates if error else 1 - rates)
        hits, errors = flags * error, np.full(len(flags), error)
        u, v = {"P": (hits, flags), "R": (hits, errors), "F": ((1 + square) * hits, square * errors + flags)}[
            quantity.name
        ]
        deviation += float((share * (u - value * v) ** 2).sum())
        mean += float((share * v).sum())
    return float(np.sqrt((1 - budget / total) * deviation / budget) / mean)


def budget_for_half_width(
    strata: Strata, rates: ArrayLike, half_width: float, aim: Aim | None = None, *, floor: int = FLOOR
) -> int:
    """The fewest items for which the target's expected half-width is small enough, for the first system.

    Raises:
        UsageError: If the half-width is not above 0, or the rates will not do.
    """
    aim = aim or Aim()
    if not half_width > 0:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0"))
    p = check_rates(strata, rates)
    weights, quantity = importance(strata, p, aim, system=0), Quantity(aim.target, strata, 0, aim.beta)
    z = z_value(aim.confidence_level)
    low, high = int(np.minimum(floor, strata.sizes).sum()), int(strata.sizes.sum())
    while low < high:
        middle = (low + high) // 2
        n = allocate(weights, strata.sizes, middle, floor=floor)
        low, high = (low, middle) if z * expected_error(quantity, p, n) <= half_width else (middle + 1, high)
    return low
