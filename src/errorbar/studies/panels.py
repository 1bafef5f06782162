"""What public functions take to draw judges anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypedDict

from errorbar.core.errors import InputError, Problem, UsageError
from errorbar.metrics.judges import JudgePlan, read_judges
from errorbar.metrics.populations import FORMAT, JudgePopulation, population_of
from errorbar.metrics.registry import parse_metric
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
            "are), ``random(population=FILE)`` (how judges vary, from ``errorbar judges fit``; ``none``: as these do); "
            "None: random from three judges on, or from one where it is known how judges vary in the measure.",
        ),
    ]


class ScoringWithJudges(Scoring, Panels, total=False):
    """What scoring a corpus takes, judges drawn anew too."""


class ComparingWithJudges(Comparing, Panels, total=False):
    """What comparing on a corpus takes, judges drawn anew too."""


def asked_judges(given: Panels, method: Method = "percentile", ci: bool | None = None) -> JudgePlan:
    """What the argument says of judges; ``UsageError`` if there are no intervals for it."""
    plan, file = read_judges(given["judges"])
    plan = replace(plan, population=read_population(file)) if file else plan
    if plan.kind == "random" and (method == "closed" or ci is False):
        what = "--ci-method=closed" if method == "closed" else "--no-ci"
        why = "formulas know nothing of judges" if method == "closed" else "it is about intervals"
        raise UsageError(Problem("useless-option", f"--judges has no effect with {what}: {why}", fix="leave it out"))
    return plan


def read_population(path: str) -> JudgePopulation:
    """The population of judges in a file; ``InputError`` if it is none."""
    from errorbar.formats.untrusted import read_json  # noqa: PLC0415 - few name a file of judges

    record, place = read_json(path)
    try:
        population = population_of(record)
    except ValueError as error:
        what = f"this is no population of judges: {error}"
        fix = "name the file that 'errorbar judges fit' wrote"
        raise InputError(Problem("bad-population", what, place, f"JSON of the format {FORMAT}", fix)) from None
    return replace(population, tables=tuple(replace(one, metric=_usual_spec(one.metric)) for one in population.tables))


def _usual_spec(spec: str) -> str:
    """A metric's spec without parameters at their defaults; as it is where nobody knows the metric."""
    try:
        return str(parse_metric(spec).spec)
    except UsageError:
        return spec
