"""HOO scores of one fragment in one line."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.metrics.hoo import CONDITIONS, MEASURES, Hoo, parse_hoo
from errorbar.metrics.hoo_score import HooScore, score_runs

PLAIN, BONUS = CONDITIONS
DETECTION, RECOGNITION, CORRECTION = MEASURES
Edits = Sequence[StandoffEdit]


def scored(gold: Fragment, system: Edits, metric: Hoo | str = "hoo") -> HooScore:
    made = parse_hoo(metric) if isinstance(metric, str) else metric
    (score,) = score_runs([gold], {"run": [tuple(system)]}, [made], Problems())
    return score


def prf(score: HooScore, measure: str, condition: str = PLAIN) -> tuple[object, ...]:
    figures = score.figures[condition, measure]
    return figures.precision.value, figures.recall.value, figures.f.value


def three(score: HooScore) -> tuple[int, int, int]:
    """Detected, recognized, corrected."""
    return score.counts["detected"], score.counts["recognized"], score.counts["corrected"]
