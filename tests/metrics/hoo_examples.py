"""HOO scores of one fragment in one line."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar import Problems, Score
from errorbar.core import Fragment, StandoffEdit
from errorbar.metrics import CONDITIONS, MEASURES, Hoo, hoo_scoring, parse_hoo, score_runs

PLAIN, BONUS = CONDITIONS
DETECTION, RECOGNITION, CORRECTION = MEASURES
figures_of = hoo_scoring.prf


def scored(gold: Fragment, system: Sequence[StandoffEdit], metric: Hoo | str = "hoo") -> Score:
    made = parse_hoo(metric) if isinstance(metric, str) else metric
    (score,) = score_runs([gold], {"run": [tuple(system)]}, [made], Problems())
    return score


def prf(score: Score, measure: str, condition: str = PLAIN) -> tuple[object, ...]:
    return tuple(each.value for each in figures_of(score, condition, measure))


def three(score: Score) -> tuple[float, float, float]:
    """Detected, recognized, corrected."""
    return score.counts["detected"], score.counts["recognized"], score.counts["corrected"]
