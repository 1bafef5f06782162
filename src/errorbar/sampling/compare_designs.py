"""The same budget spent in other ways: what stratifying buys.

Formula
    Simple random sampling of n of N items counts hits, false positives and misses; each score is a ratio of means
    Σ u / Σ v (P: u hits, v flagged; R: v errors; F: u (1 + β²) hits, v β² errors + flagged), with variance
    (1 − n/N) mean((u − θ v)²) / (n mean(v)²).
Conventions
    Verification looks at flagged items only: it says nothing about misses, so R and F have no value. Equal allocation
    gives what a full stratum cannot take to the others. Numbers are expectations under the supposed rates. With two
    systems, those of the first.
Source
    Tetreault and Chodorow 2008, table 6 (all of a text judged, against sampling); Cochran 1977, section 6.3 for ratios.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errorbar.sampling.allocation import allocate, check_rates, proportional
from errorbar.sampling.plan import Plan, expected_error
from errorbar.sampling.quantities import TARGETS, Name, Target, quantity
from errorbar.sampling.strata import Counts, Floats, Strata
from errorbar.stats.distributions import z_value


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


def compare_designs(plan: Plan, *, beta: float = 1.0, confidence_level: float = 0.95) -> tuple[Design, ...]:
    """The plan, proportional and equal allocation, simple random sampling and verification, at one budget."""
    strata, budget = plan.strata, int(plan.n.sum())
    z = z_value(confidence_level)

    def stratified(name: str, n: Counts) -> Design:
        errors = [expected_error(strata, plan.rates, n, target, beta=beta) for target in TARGETS]
        return Design(name, tuple(n.tolist()), tuple(z * error if np.isfinite(error) else None for error in errors))

    equal = allocate(np.ones(len(strata)), strata.sizes, budget, floor=1)
    flags = strata.flags[0]
    verified = np.zeros(len(strata), np.int64)
    verified[flags] = proportional(strata.sizes[flags], budget)
    precision = z * expected_error(strata, plan.rates, verified, "P")
    random = [z * random_sampling_error(strata, plan.rates, budget, target, beta=beta) for target in TARGETS]
    expected = tuple((strata.sizes * (budget / strata.sizes.sum())).tolist())
    return (
        stratified(f"best for {plan.target}", plan.n),
        stratified("proportional", proportional(strata.sizes, budget)),
        stratified("equal", equal),
        Design("simple random", expected, tuple(random)),
        Design("verification", tuple(verified.tolist()), (precision, None, None)),
    )


def random_sampling_error(strata: Strata, rates: ArrayLike, budget: int, target: Target, *, beta: float = 1.0) -> float:
    """The expected standard error of a score from a simple random sample."""
    p = check_rates(strata, rates)
    total, value = float(strata.sizes.sum()), float(_value(target, p, strata, beta))
    flags = strata.flags[0].astype(np.float64)
    square = mean = 0.0
    for error in (0.0, 1.0):
        share = strata.sizes / total * (p if error else 1 - p)
        u, v = ratio_parts(target, flags, error, beta)
        square += float((share * (u - value * v) ** 2).sum())
        mean += float((share * v).sum())
    return float(np.sqrt((1 - budget / total) * square / budget) / mean)


def ratio_parts(target: Target, flags: Floats, errors: ArrayLike, beta: float) -> tuple[Floats, Floats]:
    """What the items add to the upper and the lower part of a score."""
    y = np.broadcast_to(np.asarray(errors, np.float64), flags.shape)
    if target == "P":
        return flags * y, flags
    if target == "R":
        return flags * y, y
    return (1 + beta**2) * flags * y, beta**2 * y + flags


def _value(name: Name, rates: Floats, strata: Strata, beta: float) -> Floats:
    return quantity(name, rates * strata.sizes, strata, beta=beta)
