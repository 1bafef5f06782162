"""What a report shows of a judged sample: the estimates of ``sample estimate``, and what more judgments would buy.

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

from errorbar.core.corpus import ContentHash
from errorbar.sampling import Aim, Sample, Strata, plan_sample
from errorbar.sampling.plan import Expected, expected_precision
from errorbar.sampling.totals import TARGETS
from errorbar.studies.model import BudgetStep, SampleStudy
from errorbar.studies.sample_results import SampleEstimation
from errorbar.version import __version__

STEPS = (1.5, 2.0, 3.0, 5.0, 10.0)
"""Budgets, as multiples of what was spent."""


def study_sample(estimated: SampleEstimation, name: str = "") -> SampleStudy:
    """Everything that a report shows of a judged sample."""
    strata, sample, how = estimated.strata, estimated.sample, estimated.how
    return SampleStudy(
        name,
        int(strata.sizes.sum()),
        int(sample.n.sum()),
        estimated.found.systems,
        estimated.found.differences,
        budget_steps(strata, sample, Aim("R", how.beta, how.confidence_level)),
        {"sample estimate": _signature(estimated)},
        estimated.notes,
    )


def budget_steps(strata: Strata, sample: Sample, aim: Aim | None = None) -> list[BudgetStep]:
    """What was spent and what more would buy, smallest first.

    ``aim`` says what more judgments shall show best, the weight of recall, and the level of the intervals.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    sample.check(strata)
    aim, rates = aim or Aim(), sample.rates(strata)
    spent, every = int(sample.n.sum()), int(strata.sizes.sum())
    steps = [BudgetStep(spent, _half_widths(expected_precision(strata, rates, sample.n, aim)))]
    for budget in sorted({min(every, round(spent * factor)) for factor in STEPS} - {spent}):
        plan = plan_sample(strata, rates, budget, aim, floor=sample.n)
        steps.append(BudgetStep(budget, _half_widths(plan.expected)))
    return steps


def _half_widths(expected: Sequence[Expected]) -> dict[str, float | None]:
    """The widest of all systems."""
    return {target: max(each.half_width for each in expected if each.name == target) for target in TARGETS}


def _signature(estimated: SampleEstimation) -> str:
    """What can change a digit: strata, what was judged, and how."""
    strata, sample, how = estimated.strata, estimated.sample, estimated.how
    judged = ContentHash()
    columns = (strata.names, strata.sizes.tolist(), sample.n.tolist(), sample.x.tolist())
    judged.add([" ".join(map(str, row)) for row in zip(*columns, strict=True)])
    judged.add([f"{system} {flags}" for system, flags in zip(strata.systems, strata.flags.tolist(), strict=True)])
    parts = [
        f"sample(beta={how.beta:g},method={how.method})",
        f"judged:{judged.short()}",
        f"n:{int(sample.n.sum())}",
        f"ci:{how.confidence_level}",
        f"seed:{how.seed}",
        f"v:{__version__}",
    ]
    return "|".join(parts)
