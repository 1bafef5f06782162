"""What an audit draws from, and how many edits of which stratum it asks judges about.

Formula
    Strata are the patterns of systems that propose an item (and bands of a proxy, and types). Size of one audit:
    n = n₀ / (1 + n₀ / u), n₀ = z² p (1 − p) (1 − ρ²) / h², h = w P / u, for a half-width of w; u of P proposed edits
    match no annotator, a share p of these is valid, and ρ is the correlation of a proxy with that. One sample for
    several systems: allocated by N_h √(Σ_a flag_ah / P_a²), which makes the sum of the systems' variances smallest.
Conventions
    The items of a stratum are drawn in an order that their own names and a seed fix.
Source
    Cochran 1977, Sampling Techniques, chapters 4 (sizes) and 5 (optimum allocation).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from math import ceil

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.sampling.frame import Counts, Floats
from errorbar.sampling.plan import allocate
from errorbar.stats.resampling import z_value

SUPPOSED = 0.5
"""Share of valid edits that a plan supposes: the most careful one."""
FLOOR = 5
"""The fewest items of a stratum."""


@dataclass(frozen=True, slots=True)
class Audited:
    """A system under the official metric."""

    name: str
    correct: int  # C
    proposed: int  # P
    gold: int  # G


@dataclass(frozen=True, slots=True, eq=False)
class AuditStrata:
    """What is sampled from: items that match no annotator, by who proposes them."""

    names: tuple[str, ...]
    sizes: Counts  # (strata,)
    flags: NDArray[np.bool_]  # (systems, strata)
    systems: tuple[Audited, ...]

    def weights(self) -> Floats:
        """What a valid item of each stratum adds to each system's precision; shape (systems, strata)."""
        return self.flags / np.array([[max(system.proposed, 1)] for system in self.systems], np.float64)


def order_key(seed: int, item: str) -> str:
    """By which items of a stratum are put in order: the same in every audit."""
    return sha256(f"{seed}\x1f{item}".encode("utf-8", "surrogatepass")).hexdigest()


def audit_size(
    unmatched: int,
    proposed: int,
    half_width: float,
    *,
    valid: float = SUPPOSED,
    correlation: float = 0.0,
    level: float = 0.95,
) -> int:
    """Items to judge so that one system's audited precision is known to ± ``half_width``.

    Args:
        unmatched: u.
        proposed: P.
        half_width: w.
        valid: p, the supposed share of valid ones.
        correlation: ρ of a proxy with validity; 0: there is none.
        level: Confidence level.
    """
    if not unmatched:
        return 0
    h = half_width * proposed / unmatched
    first = z_value(level) ** 2 * valid * (1 - valid) * (1 - correlation**2) / h**2
    return ceil(first / (1 + first / unmatched))


def audit_half_widths(strata: AuditStrata, n: Counts, *, valid: float = SUPPOSED) -> Floats:
    """Expected half-widths of 95 % intervals of the systems' audited precision; shape (systems,)."""
    variances = strata.sizes**2 * (1 / np.maximum(n, 1) - 1 / strata.sizes) * valid * (1 - valid)
    return np.asarray(z_value(0.95) * np.sqrt((strata.weights() ** 2 * variances).sum(axis=1)))


def audit_budget(strata: AuditStrata, half_width: float, *, valid: float = SUPPOSED) -> Counts:
    """Items of each stratum, as few as give every system's audited precision the half-width."""
    low, high = int(np.minimum(strata.sizes, FLOOR).sum()), int(strata.sizes.sum())
    while low < high:
        middle = (low + high) // 2
        enough = (audit_half_widths(strata, audit_allocation(strata, middle), valid=valid) <= half_width).all()
        low, high = (low, middle) if enough else (middle + 1, high)
    return audit_allocation(strata, low)


def audit_allocation(strata: AuditStrata, budget: int) -> Counts:
    """Items of each stratum: best for the sum of the systems' variances.

    No stratum has fewer than ``FLOOR``, or, where the budget does not pay for so many, the most that it pays for.

    Raises:
        UsageError: If there are more strata than the budget has items.
    """
    importance = strata.sizes * np.sqrt((strata.weights() ** 2).sum(axis=0))
    least = next((n for n in range(FLOOR, 0, -1) if np.minimum(strata.sizes, n).sum() <= budget), 0)
    if not least:
        what = f"a budget of {budget} edits for {len(strata.sizes)} strata: sets of systems that propose the same"
        fix = "raise the budget, audit fewer systems at a time, or leave --others and --types out"
        raise UsageError(Problem("sample-budget", what, expected=f"at least {len(strata.sizes)}", fix=fix))
    return allocate(importance, strata.sizes, min(budget, int(strata.sizes.sum())), floor=least)
