"""The looks of a plan: after how many items, and how wide the intervals will be.

Formula
    At look k of K the share k / K of each stratum's items has been judged; the half-width is c_k SE_k with O'Brien and
    Fleming's c_k (``stats.planned_looks``) and the expected standard error of so many items (``plan``).
Conventions
    The boundaries are those of equally spaced information. Where much of a stratum is judged, information grows faster
    than the number of items, by the finite-population correction, and looks are a little more cautious than need be.
Source
    As ``stats.planned_looks``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorbar.sampling.plan import Plan, expected_error
from errorbar.sampling.totals import Quantity
from errorbar.stats.planned_looks import look_boundaries, nominal_level


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
    strata, found = plan.strata, []
    for at, boundary in enumerate(look_boundaries(looks).tolist(), 1):
        n = np.ceil(plan.n * (at / looks) - 1e-9).astype(np.int64)
        targets = [Quantity(plan.aim.target, strata, each, plan.aim.beta) for each in range(len(strata.systems))]
        halves = tuple(boundary * expected_error(target, plan.rates, n) for target in targets)
        found.append(PlannedLook(at, tuple(n.tolist()), boundary, nominal_level(boundary), halves))
    return tuple(found)
