"""Simulated teams: runs made of gold edits, for demonstrations where the real runs were never released.

A run meets each gold edit by chance, apart or not from others. Of the edits it meets, a share is corrected as the
annotators did, a share has the right span and another correction, and the rest covers one more character on either
side. In addition it deletes words that are right. Runs of a team share their skill and differ in how much they dare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit, in_text_order
from errorbar.edits.standoff_texts import WORD
from errorbar.metrics.base import Metric
from errorbar.metrics.hoo_scoring import score_runs
from errorbar.metrics.scored import Score
from errorbar.stats.resampling import stream

DARING = (0.5, 1.0, 1.5)
"""How much the runs of a team dare."""
WRONG = "???"
"""The correction that no annotator gave."""


@dataclass(frozen=True, slots=True)
class Team:
    """What a simulated team can do.

    Attributes:
        name: Its name.
        meets: Share of gold edits it meets, by the first row letter group given, with ``""`` for all others: error
            type to share.
        corrected: Of the edits met, the share with the annotators' correction.
        recognized: Of the edits met, the share with the right span and a wrong correction.
        noise: Right words deleted per gold edit.
    """

    name: str
    meets: Mapping[str, float]
    corrected: float
    recognized: float
    noise: float


TEAMS = (
    Team("S1", {"": 0.05, "MP": 0.15}, 0.6, 0.1, 0.3),
    Team("S2", {"": 0.06, "S": 0.8}, 0.5, 0.2, 0.1),
    Team("S3", {"": 0.01, "MD": 0.4, "UD": 0.3, "RT": 0.2}, 0.7, 0.2, 0.1),
    Team("S4", {"": 0.15}, 0.1, 0.4, 2.0),
    Team("S5", {"": 0.03, "MD": 0.5, "UD": 0.5, "RT": 0.4, "MT": 0.4, "MP": 0.2}, 0.75, 0.1, 0.1),
    Team("S6", {"": 0.02, "RT": 0.6, "MT": 0.6, "RQ": 0.5}, 0.3, 0.3, 0.6),
)
"""Six made-up teams, as many as took part; their shares are not fitted to the published runs."""


def simulated_scores(
    gold: Sequence[Fragment], metric: Metric, problems: Problems, *, seed: int = 0, teams: Sequence[Team] = TEAMS
) -> list[Score]:
    """Score the runs of simulated teams, three each.

    Args:
        gold: Fragments with texts and gold edits.
        metric: What to compute.
        problems: Where warnings go.
        seed: Where the random numbers begin; every run has its own stream.
        teams: Who takes part.
    """
    runs = {
        f"{team.name}-{number}": simulate_run(gold, team, daring, stream(seed, "hoo", team.name, number))
        for team in teams
        for number, daring in enumerate(DARING)
    }
    return score_runs(gold, runs, [metric], problems, conventions=(f"simulated:{seed}",))


def simulate_run(
    gold: Sequence[Fragment], team: Team, daring: float, rng: np.random.Generator
) -> list[tuple[StandoffEdit, ...]]:
    """Make one run.

    Args:
        gold: Fragments with texts and gold edits.
        team: Whose run it is.
        daring: Factor of the shares met and of the noise.
        rng: The stream to draw from.

    Returns:
        The run's edits of each fragment, none of them overlapping.
    """
    return [_simulate(fragment, team, daring, rng) for fragment in gold]


def _simulate(fragment: Fragment, team: Team, daring: float, rng: np.random.Generator) -> tuple[StandoffEdit, ...]:
    text = fragment.text or ""
    words = [match.span() for match in WORD.finditer(text)]
    wanted: list[tuple[int, int, str]] = []
    for edit in fragment.edits:
        met, how = rng.random(2)
        if not edit.corrections or met >= min(1.0, daring * team.meets.get(edit.type, team.meets[""])):
            continue
        if how < team.corrected:
            wanted.append((edit.start, edit.end, edit.corrections[0]))
        elif how < team.corrected + team.recognized:
            wanted.append((edit.start, edit.end, WRONG))
        else:
            wanted.append((max(edit.start - 1, 0), min(edit.end + 1, len(text)), WRONG))
    for _ in range(rng.poisson(daring * team.noise * len(fragment.edits)) if words else 0):
        start, end = words[int(rng.integers(len(words)))]
        wanted.append((start, end, ""))
    edits: list[StandoffEdit] = []
    for start, end, said in sorted(wanted):
        if not edits or start > edits[-1].end:
            edits.append(StandoffEdit(f"{fragment.name}-{len(edits) + 1:04d}", start, end, text[start:end], (said,)))
    return in_text_order(edits)
