"""What public functions take to draw judges anew."""

from __future__ import annotations

from typing import Annotated, TypedDict

from errorbar.core.errors import Problem, UsageError
from errorbar.metrics.judges import JudgePlan
from errorbar.stats.resampling import Method
from errorbar.studies.door import Said
from errorbar.studies.inputs import Comparing, Scoring


class Panels(TypedDict, total=False):
    """Whether judges are drawn anew too."""

    judges: Annotated[
        str | None,
        Said(
            None,
            "Whether intervals are also over judges: ``fixed``, ``random``, ``random(k=2)`` (against two, whoever they "
            "are), ``random(prior=1.45)`` (of two judges: a variance in squared points, or ``none``); None: random "
            "from three judges on, or two where a prior is known of the measure.",
        ),
    ]


class ScoringWithJudges(Scoring, Panels, total=False):
    """What scoring a corpus takes, judges drawn anew too."""


class ComparingWithJudges(Comparing, Panels, total=False):
    """What comparing on a corpus takes, judges drawn anew too."""


def asked_judges(given: Panels, method: Method = "percentile", ci: bool | None = None) -> JudgePlan:
    """What the argument says of judges; ``UsageError`` if there are no intervals for it."""
    plan = JudgePlan.read(given["judges"])
    if plan.kind == "random" and (method == "closed" or ci is False):
        what = "--ci-method=closed" if method == "closed" else "--no-ci"
        why = "formulas know nothing of judges" if method == "closed" else "it is about intervals"
        raise UsageError(Problem("useless-option", f"--judges has no effect with {what}: {why}", fix="leave it out"))
    return plan
