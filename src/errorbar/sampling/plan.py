"""Plan a sample: how many items of which stratum, how sure that makes one, what it costs, and what other designs give.

Formula
    Minimize Σ a_h² / n_h with a_h = |g_h| N_h √(p_h (1 − p_h)) under Σ c_h n_h ≤ budget and floor ≤ n_h ≤ N_h: n_h is
    in proportion to a_h / √c_h where no bound holds. g_h is the derivative of P, R or F. For R and two strata this is
    n₁ : n₀ = √((1 − p) / p) : √((1 − q) / q), for F n₁ is in proportion to (β² M + N₁) N₁ √(p (1 − p)) and n₀ to
    β² H N₀ √(q (1 − q)).
    Expected SE² = Σ g_h² N_h² (1 − n_h / N_h) p_h (1 − p_h) / n_h. Where all items have cheap labels, p_h (1 − p_h) is
    to be taken times 1 − ρ_h², with ρ_h the correlation of both labels in a pilot.
    Expected half-widths are those of the near-exact interval (``sampling.intervals``) of n_h p_h errors in each
    stratum, which need not be whole; of other designs, and where a stratum has no item, z SE.
Conventions
    The finite-population correction does not move the optimum, as it adds a constant; it caps n_h at N_h. Whole numbers
    are found by rounding down and giving what is left, item by item, to where it helps most. What is left when the
    target needs no more goes to the other strata.
    Rates are guesses, or come from a pilot as (x + ½) / (n + 1). The budget for a half-width is found by bisection on
    the plan itself, so bounds and rounding count; since items are whole, one more can widen the interval a little, and
    then a smaller budget may do too. Samples show more or fewer errors than supposed, and have wider or narrower
    intervals. Of other designs: verification looks at flagged items only and says nothing about misses, so R and F have
    no value; equal allocation gives what a full stratum cannot take
    to the others. Numbers are expectations under the supposed rates. With two systems, those of the first.
Source
    Neyman 1934; Cochran 1977, sections 5.5 to 5.9; Tetreault and Chodorow 2008, table 6 (all of a text judged, against
    sampling).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Interval
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.sampling.frame import (
    TARGETS,
    Quantity,
    Sample,
    Strata,
    Target,
    estimated_totals,
    random_sampling_error,
)
from errorbar.sampling.intervals import near_exact_interval
from errorbar.stats.anytime import look_boundaries, nominal_level
from errorbar.stats.resampling import z_value

FLOOR = 30  # items of each stratum at least, unless it has fewer: rates from less are hardly known
GUESSED_PRECISION, GUESSED_MISS_RATE = 0.7, 0.05
_STEPS = 200
_NONE = 1e-9  # what stands for no item at all, of which the variance is infinite


@dataclass(frozen=True, slots=True)
class Aim:
    """The target of a sample: P, R or F, of two systems their difference; raises ``UsageError`` for other targets."""

    target: Target = "R"
    beta: float = 1.0
    confidence_level: float = 0.95
    kept: tuple[float, ...] | None = None  # shares of the strata's variances that cheap labels of all items leave

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            message, fix = f"the target is '{self.target}'", nearest(str(self.target), TARGETS)
            raise UsageError(Problem("sample-target", message, expected=", ".join(TARGETS), fix=fix))


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of judging: money in the unit of one judgment's price, hours of all raters; None: not known."""

    items: int
    judgments: int
    money: float | None
    hours: float | None


@dataclass(frozen=True, slots=True)
class ExpectedScore:
    """One system's P, R or F if the rates are right; the error is infinite where a stratum that matters has no item."""

    system: str
    name: str
    value: float
    standard_error: float
    half_width: float


@dataclass(frozen=True, slots=True)
class Design:
    """A way to spend the budget."""

    name: str
    n: tuple[float, ...]  # items of each stratum, expected ones for simple random sampling
    half_widths: tuple[float | None, ...]  # expected, of P, R and F; None: it says nothing about that


@dataclass(frozen=True, eq=False)
class Plan:
    """A sample to draw."""

    strata: Strata
    n: Counts  # items of each stratum
    rates: Floats  # the supposed share of errors in each
    aim: Aim
    costs: Floats | None = None  # of an item of each stratum; None: 1 each
    kept: Floats | None = None  # the share of variance that cheap labels leave in each stratum; None: there are none

    @cached_property
    def expected(self) -> tuple[ExpectedScore, ...]:
        """P, R and F of each system with what the allocation will give."""
        return expected_precision(self.strata, self.rates, self.n, self.aim, self.kept)

    @property
    def spent(self) -> float:
        """The cost of all items, in the unit of the budget."""
        return float(self.n.sum() if self.costs is None else (self.n * self.costs).sum())

    def cost(self, *, raters: int = 1, price: float | None = None, minutes: float | None = None) -> Cost:
        """The cost of ``raters`` judgments of each item at the price and in the minutes of one."""
        if raters < 1 or min(price or 0, minutes or 0) < 0:
            message = f"{raters} raters, a price of {price} and {minutes} minutes"
            raise UsageError(Problem("sample-cost", message, expected="at least 1 rater, nothing negative"))
        items = int(self.n.sum())
        judgments = items * raters
        money, hours = (None if rate is None else judgments * rate for rate in (price, minutes))
        return Cost(items, judgments, money, None if hours is None else hours / 60)

    def designs(self) -> tuple[Design, ...]:
        """The plan, proportional and equal allocation, simple random sampling and verification, at one budget."""
        strata, budget = self.strata, int(self.n.sum())
        z = z_value(self.aim.confidence_level)
        scores = [Quantity(target, strata, 0, self.aim.beta) for target in TARGETS]

        def stratify(name: str, n: Counts) -> Design:
            errors = [expected_error(score, self.rates, n, self.kept) for score in scores]
            return Design(name, tuple(n.tolist()), tuple(z * error if np.isfinite(error) else None for error in errors))

        flags, verified = strata.flags[0], np.zeros(len(strata), np.int64)
        verified[flags] = proportional(strata.sizes[flags], budget)
        random = tuple(z * random_sampling_error(score, self.rates, budget) for score in scores)
        return (
            stratify(f"best for {self.aim.target}", self.n),
            stratify("proportional", proportional(strata.sizes, budget)),
            stratify("equal", allocate(np.ones(len(strata)), strata.sizes, budget, floor=1)),
            Design("simple random", tuple((strata.sizes * (budget / strata.sizes.sum())).tolist()), random),
            stratify("verification", verified),
        )


def guessed_rates(strata: Strata, precision: float = GUESSED_PRECISION, miss_rate: float = GUESSED_MISS_RATE) -> Floats:
    """Supposed error rates: the precision where a system flags, the miss rate where none does."""
    return np.where(strata.flags.any(axis=0), precision, miss_rate)


def importance(
    strata: Strata, rates: ArrayLike, aim: Aim, *, system: int | None = None, kept: Floats | None = None
) -> Floats:
    """How much each stratum adds to the standard error of one system, or, None, the only one or the difference: a_h."""
    p = np.asarray(rates, np.float64)
    if p.shape != (len(strata),) or not ((p > 0) & (p < 1)).all():
        message = f"the supposed error rates are {', '.join(f'{value:g}' for value in p.ravel())}"
        expected = f"{len(strata)} shares between 0 and 1, neither included"
        raise UsageError(Problem("sample-rates", message, expected=expected))
    systems = range(len(strata.systems)) if system is None else [system]
    slopes = [Quantity(aim.target, strata, number, aim.beta).gradient(p * strata.sizes) for number in systems]
    slope = slopes[0] if len(slopes) == 1 else slopes[0] - slopes[1]
    return np.asarray(np.abs(slope) * strata.sizes * np.sqrt(p * (1 - p) * (1.0 if kept is None else kept)))


def allocate(
    weights: ArrayLike, sizes: ArrayLike, budget: int, *, floor: ArrayLike = FLOOR, costs: ArrayLike | None = None
) -> Counts:
    """Items to judge in each stratum: the best whole numbers, or nearly the best where costs differ.

    ``weights`` are the a_h; ``budget`` is what all may cost, or the number of items; ``floor`` the fewest of a stratum.
    """
    a, N = np.asarray(weights, np.float64), np.asarray(sizes, np.int64)
    c = np.ones(len(N)) if costs is None else np.asarray(costs, np.float64)
    if not (np.isfinite(c) & (c > 0)).all():
        raise UsageError(Problem("sample-cost", "an item costs nothing or less", expected="costs above 0"))
    least = np.minimum(np.broadcast_to(np.asarray(floor, np.int64), N.shape), N)
    if (least * c).sum() > budget:
        message = f"a budget of {budget} does not pay for {least.tolist()} items, the fewest of each stratum"
        fix = "raise the budget or lower the floor"
        raise UsageError(Problem("sample-budget", message, expected=f"at least {(least * c).sum():g}", fix=fix))
    # Strata that do not matter to the target get what is left, by size: smaller than any other by far.
    a = np.where(a > 0, a, N * 1e-9 * (a.max() / N.max() if a.max() > 0 else 1.0))
    low, high = 0.0, float((N * np.sqrt(c) / a).max())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        spent = (np.clip(middle * a / np.sqrt(c), least, N) * c).sum()
        low, high = (middle, high) if spent <= budget else (low, middle)
    n = np.maximum(np.floor(np.clip(low * a / np.sqrt(c), least, N)).astype(np.int64) - 1, least)
    left = budget - (n * c).sum()
    while True:
        gain = np.where((n < N) & (c <= left), a**2 / (np.maximum(n, _NONE) * (n + 1)) / c, -1.0)
        best = int(gain.argmax())
        if gain[best] < 0:
            return n
        n[best] += 1
        left -= c[best]


def proportional(sizes: Counts, budget: int) -> Counts:
    """The budget in proportion to the sizes of strata, by largest remainders, at least one item each even beyond it."""
    budget = min(max(budget, len(sizes)), int(sizes.sum()))
    exact = sizes * (budget / sizes.sum())
    n = np.maximum(np.floor(exact).astype(np.int64), 1)
    for _ in range(budget - int(n.sum())):
        n[np.argmax(exact - n)] += 1
    for _ in range(int(n.sum()) - budget):  # the small ones were lifted to 1: the others make up for it
        n[np.argmax(np.where(n > 1, n - exact, -np.inf))] -= 1
    return np.asarray(n, np.int64)


def plan_sample(
    strata: Strata,
    rates: ArrayLike,
    budget: int,
    aim: Aim | None = None,
    *,
    floor: ArrayLike = FLOOR,
    costs: ArrayLike | None = None,
) -> Plan:
    """Allocate a budget as ``allocate`` does; for two systems, so that the difference of the target is best known."""
    aim, p, c = aim or Aim(), np.asarray(rates, np.float64), None if costs is None else np.asarray(costs, np.float64)
    kept = None if aim.kept is None else np.array(aim.kept, np.float64)
    n = allocate(importance(strata, p, aim, kept=kept), strata.sizes, budget, floor=floor, costs=c)
    return Plan(strata, n, p, aim, c, kept)


def expected_precision(
    strata: Strata, rates: Floats, n: Counts, aim: Aim, kept: Floats | None = None
) -> tuple[ExpectedScore, ...]:
    """P, R and F of each system with the standard errors and half-widths that an allocation will give."""
    totals, expected = rates * strata.sizes, []
    for (system, name), target in product(enumerate(strata.systems), TARGETS):
        quantity = Quantity(target, strata, system, aim.beta)
        error = expected_error(quantity, rates, n, kept)
        half_width = expected_half_width(quantity, rates, n, aim.confidence_level, kept)
        expected.append(ExpectedScore(name, target, float(quantity.value(totals)), error, half_width))
    return tuple(expected)


def expected_error(quantity: Quantity, rates: Floats, n: Counts, kept: Floats | None = None) -> float:
    """The standard error of a quantity if the rates are right, and the shares of variance ``kept`` by cheap labels."""
    sizes = quantity.strata.sizes
    slope = quantity.gradient(rates * sizes)
    with np.errstate(divide="ignore", invalid="ignore"):  # without an item the variance is infinite
        variance = sizes**2.0 * (1 - n / sizes) * rates * (1 - rates) * (1.0 if kept is None else kept) / n
        return float(np.sqrt(np.where(slope == 0, 0.0, slope**2 * variance).sum()))


def expected_half_width(
    quantity: Quantity, rates: Floats, n: Counts, confidence_level: float, kept: Floats | None = None
) -> float:
    """Half the width of the interval that ``sample estimate`` gives if the rates are right; arguments as above."""
    if (n < 1).any():  # nothing is estimated then
        return z_value(confidence_level) * expected_error(quantity, rates, n, kept)
    sample, strata = Sample(n, n * rates), quantity.strata
    variances = estimated_totals(sample, strata)[1] * (1.0 if kept is None else kept)
    interval = near_exact_interval(quantity, sample, rates * strata.sizes, variances, confidence_level, whole=False)
    return (interval.high - interval.low) / 2 if isinstance(interval, Interval) else 0.0


def budget_for_half_width(
    strata: Strata,
    rates: ArrayLike,
    half_width: float,
    aim: Aim | None = None,
    *,
    floor: ArrayLike = FLOOR,
    kept: Floats | None = None,
) -> int:
    """A number of items for which the first system's expected half-width is small enough, while one less is too few."""
    if not half_width > 0:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0"))
    aim, p, sizes = aim or Aim(), np.asarray(rates, np.float64), strata.sizes
    weights, quantity = importance(strata, p, aim, system=0, kept=kept), Quantity(aim.target, strata, 0, aim.beta)
    least = int(np.minimum(floor, sizes).sum())

    def narrow(budget: int) -> bool:
        n = allocate(weights, sizes, budget, floor=floor)
        return expected_half_width(quantity, p, n, aim.confidence_level, kept) <= half_width

    return bisect_left(range(int(sizes.sum())), True, lo=least, key=narrow)


# The looks of a plan: after how many items, and how wide the intervals will be.
#
# Formula
#     At look k of K the share k / K of each stratum's items has been judged; the half-width is the one expected of so
#     many items at the nominal level of O'Brien and Fleming's c_k (``stats.anytime``).
# Conventions
#     The boundaries are those of equally spaced information. Where much of a stratum is judged, information grows
#     faster than the number of items, by the finite-population correction: early looks have less of it, looks are less
#     alike, and all together are wrong more often than in alpha. Of normal values with 70 % or 95 % judged in the end,
#     five looks at 95 % are wrong in .058 or .067, ten in .064 or .081.
# Source
#     As ``stats.anytime``.


@dataclass(frozen=True, slots=True)
class PlannedLook:
    """One look at what has been judged so far."""

    number: int  # from 1
    n: tuple[int, ...]  # items judged of each stratum by then
    boundary: float  # standard errors to either side
    nominal: float  # the level of a plain interval that reaches so far
    half_widths: tuple[float, ...]  # expected, of each system's target; infinite where a stratum has no item yet


def plan_looks(plan: Plan, looks: int) -> tuple[PlannedLook, ...]:
    """So many equally spaced looks at a plan; raises ``UsageError`` where there are none or too many."""
    strata, planned = plan.strata, []
    for at, boundary in enumerate(look_boundaries(looks).tolist(), 1):
        n = np.ceil(plan.n * (at / looks) - 1e-9).astype(np.int64)
        targets = [Quantity(plan.aim.target, strata, system, plan.aim.beta) for system in range(len(strata.systems))]
        level = nominal_level(boundary)
        halves = tuple(expected_half_width(target, plan.rates, n, level, plan.kept) for target in targets)
        planned.append(PlannedLook(at, tuple(n.tolist()), boundary, level, halves))
    return tuple(planned)
