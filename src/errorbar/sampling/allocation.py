"""How many items to judge in each stratum.

Formula
    Minimize Σ a_h² / n_h with a_h = |g_h| N_h √(p_h (1 − p_h)) under Σ c_h n_h ≤ budget and floor ≤ n_h ≤ N_h: n_h is
    in proportion to a_h / √c_h where no bound holds. g_h is the derivative of P, R or F. For R and two strata this is
    n₁ : n₀ = √((1 − p) / p) : √((1 − q) / q), for F n₁ is in proportion to (β² M + N₁) N₁ √(p (1 − p)) and n₀ to
    β² H N₀ √(q (1 − q)).
Conventions
    The finite-population correction does not move the optimum, as it adds a constant; it caps n_h at N_h. Whole numbers
    are found by rounding down and giving what is left, item by item, to where it helps most. What is left when the
    target needs no more goes to the other strata.
Source
    Neyman 1934; Cochran 1977, sections 5.5 to 5.8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.sampling.quantities import TARGETS, Quantity, Target
from errorbar.sampling.strata import Counts, Floats, Strata

FLOOR = 30
"""Items of each stratum at least, unless it has fewer: rates from less are hardly known."""
_STEPS = 200
_NONE = 1e-9
"""What stands for no item at all, of which the variance is infinite."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a sample shall tell.

    Attributes:
        target: P, R or F; of two systems their difference.
        beta: Weight of recall in F.
        confidence_level: Of the expected intervals.

    Raises:
        UsageError: If there is no such target.
    """

    target: Target = "R"
    beta: float = 1.0
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            what = f"the target is '{self.target}'"
            fix = nearest(str(self.target), TARGETS)
            raise UsageError(Problem("sample-target", what, expected=", ".join(TARGETS), fix=fix))


def check_rates(strata: Strata, rates: ArrayLike) -> Floats:
    """The supposed share of errors in each stratum.

    Raises:
        UsageError: If they are not shares between 0 and 1, one for each stratum.
    """
    values = np.asarray(rates, np.float64)
    if values.shape != (len(strata),) or not ((values > 0) & (values < 1)).all():
        what = f"the supposed error rates are {', '.join(f'{value:g}' for value in values.ravel())}"
        expected = f"{len(strata)} shares between 0 and 1, neither included"
        raise UsageError(Problem("sample-rates", what, expected=expected))
    return values


def importance(strata: Strata, rates: ArrayLike, aim: Aim, *, system: int | None = None) -> Floats:
    """How much each stratum adds to the standard error of the target, a_h; shape (strata,).

    ``system`` says of which; None: of the only one, or of the difference of two.

    Raises:
        UsageError: If the rates will not do.
    """
    p = check_rates(strata, rates)
    systems = range(len(strata.systems)) if system is None else [system]
    slopes = [Quantity(aim.target, strata, each, aim.beta).gradient(p * strata.sizes) for each in systems]
    slope = slopes[0] if len(slopes) == 1 else slopes[0] - slopes[1]
    return np.asarray(np.abs(slope) * strata.sizes * np.sqrt(p * (1 - p)))


def allocate(
    weights: ArrayLike, sizes: ArrayLike, budget: int, *, floor: ArrayLike = FLOOR, costs: ArrayLike | None = None
) -> Counts:
    """Share a budget among strata: the best whole numbers, or nearly the best where costs differ.

    Args:
        weights: The a_h; shape (strata,).
        sizes: Items of each stratum.
        budget: What all together may cost; without ``costs`` the number of items.
        floor: The fewest items of a stratum, or one number for each, e.g. what a pilot has judged already.
        costs: What an item of each stratum costs.

    Returns:
        Items to judge in each stratum.

    Raises:
        UsageError: If the floors cost more than the budget.
    """
    a, N = np.asarray(weights, np.float64), np.asarray(sizes, np.int64)
    c = np.ones(len(N)) if costs is None else np.asarray(costs, np.float64)
    if not (np.isfinite(c) & (c > 0)).all():
        raise UsageError(Problem("sample-cost", "an item costs nothing or less", expected="costs above 0"))
    least = np.minimum(np.broadcast_to(np.asarray(floor, np.int64), N.shape), N)
    if (least * c).sum() > budget:
        what = f"a budget of {budget} does not pay for {least.tolist()} items, the fewest of each stratum"
        fix = "raise the budget or lower the floor"
        raise UsageError(Problem("sample-budget", what, expected=f"at least {(least * c).sum():g}", fix=fix))
    # Strata that do not matter to the target get what is left, by size: smaller than any other by far.
    a = np.where(a > 0, a, N * 1e-9 * (a.max() / N.max() if a.max() > 0 else 1.0))

    def items(t: float) -> Floats:
        return np.clip(t * a / np.sqrt(c), least, N)

    low, high = 0.0, float((N * np.sqrt(c) / a).max())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if (items(middle) * c).sum() <= budget else (low, middle)
    n = np.maximum(np.floor(items(low)).astype(np.int64) - 1, least)
    left = budget - (n * c).sum()
    while True:
        gain = np.where((n < N) & (c <= left), a**2 / (np.maximum(n, _NONE) * (n + 1)) / c, -1.0)
        best = int(gain.argmax())
        if gain[best] < 0:
            return n
        n[best] += 1
        left -= c[best]


def proportional(sizes: Counts, budget: int) -> Counts:
    """The budget in proportion to the sizes of strata, by largest remainders, at least one item each.

    More than the budget is given only where it is less than one item for each stratum.
    """
    total = int(sizes.sum())
    budget = min(max(budget, len(sizes)), total)
    exact = sizes * (budget / total)
    n = np.maximum(np.floor(exact).astype(np.int64), 1)
    for _ in range(budget - int(n.sum())):
        n[np.argmax(exact - n)] += 1
    for _ in range(int(n.sum()) - budget):  # the small ones were lifted to 1: the others make up for it
        n[np.argmax(np.where(n > 1, n - exact, -np.inf))] -= 1
    return np.asarray(n, np.int64)
