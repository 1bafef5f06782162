"""Estimates from a judged sample, and what more judgments would buy.

Formula
    Expected half-widths are those of ``errorbar.sampling.plan`` with the error rates that were seen,
    (x + ½) / (n + 1) in each stratum. A larger budget keeps what was judged and adds where it serves R best.
Conventions
    Of two systems the wider half-width is given. Budgets are the one that was spent, and 1.5, 2, 3, 5 and 10 times as
    many items, at most all of them.
Source
    Cochran 1977, sections 5.5 and 5.9.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errorbar.core.corpus import ContentHash
from errorbar.core.problems import Problems
from errorbar.sampling import Assisted, Sample, Strata, estimate_systems, pilot_rates, plan_sample
from errorbar.sampling.estimate import Method
from errorbar.sampling.plan import Expected, expected_precision
from errorbar.sampling.quantities import TARGETS
from errorbar.studies.model import BudgetStep, SampleStudy
from errorbar.version import __version__

STEPS = (1.5, 2.0, 3.0, 5.0, 10.0)
"""Budgets, as multiples of what was spent."""


def study_sample(
    strata: Strata,
    sample: Sample,
    problems: Problems,
    *,
    name: str = "",
    beta: float = 1.0,
    method: Method = "near-exact",
    confidence_level: float = 0.95,
    seed: int = 0,
    assisted: Assisted | None = None,
) -> SampleStudy:
    """Compute everything that a report shows of a judged sample; the numbers are those of ``sample estimate``.

    Args:
        strata: What was sampled from.
        sample: What was judged.
        problems: Where warnings go; what it holds already is kept.
        name: What to call the sample.
        beta: Weight of recall in F.
        method: Of the intervals.
        confidence_level: Of the intervals.
        seed: Of the Bayesian intervals.
        assisted: Totals that use cheap votes, or None.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    found = estimate_systems(
        strata,
        sample,
        beta=beta,
        method=method,
        confidence_level=confidence_level,
        seed=seed,
        assisted=assisted,
    )
    notes = [*problems.notes, *found.notes]
    return SampleStudy(
        name,
        int(strata.sizes.sum()),
        int(sample.n.sum()),
        found.systems,
        found.differences,
        budget_steps(strata, sample, beta=beta, confidence_level=confidence_level),
        {"sample estimate": _signature(strata, sample, beta, method, confidence_level, seed)},
        list(dict.fromkeys(notes)),
    )


def budget_steps(
    strata: Strata, sample: Sample, *, beta: float = 1.0, confidence_level: float = 0.95
) -> list[BudgetStep]:
    """What was spent and what more would buy, smallest first.

    Args:
        strata: What was sampled from.
        sample: What was judged.
        beta: Weight of recall in F.
        confidence_level: Of the expected intervals.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    sample.check(strata)
    rates = pilot_rates(strata, sample)
    spent, every = int(sample.n.sum()), int(strata.sizes.sum())
    now = expected_precision(strata, rates, sample.n, beta=beta, confidence_level=confidence_level)
    steps = [BudgetStep(spent, _half_widths(now))]
    for budget in sorted({min(every, round(spent * factor)) for factor in STEPS} - {spent}):
        plan = plan_sample(
            strata, rates, budget, beta=beta, floor=np.asarray(sample.n), confidence_level=confidence_level
        )
        steps.append(BudgetStep(budget, _half_widths(plan.expected)))
    return steps


def _half_widths(expected: Sequence[Expected]) -> dict[str, float | None]:
    """The widest of all systems."""
    return {target: max(each.half_width for each in expected if each.name == target) for target in TARGETS}


def _signature(strata: Strata, sample: Sample, beta: float, method: str, confidence_level: float, seed: int) -> str:
    """What can change a digit: strata, what was judged, and how."""
    judged = ContentHash()
    columns = (strata.names, strata.sizes.tolist(), sample.n.tolist(), sample.x.tolist())
    judged.add([" ".join(map(str, row)) for row in zip(*columns, strict=True)])
    judged.add([f"{system} {flags}" for system, flags in zip(strata.systems, strata.flags.tolist(), strict=True)])
    parts = [
        f"sample(beta={beta:g},method={method})",
        f"judged:{judged.short()}",
        f"n:{int(sample.n.sum())}",
        f"ci:{confidence_level}",
        f"seed:{seed}",
        f"v:{__version__}",
    ]
    return "|".join(parts)
