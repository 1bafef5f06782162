"""The tables of the HOO 2011 paper, for simulated teams: the runs of the real ones were never released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment
from errorbar.edits.standoff_simulate import TEAMS, Team, simulate_run
from errorbar.metrics.hoo import Hoo
from errorbar.metrics.hoo_score import HooScore, recall_by_row, score_runs
from errorbar.metrics.hoo_types import row_names
from errorbar.stats.streams import stream

DARING = (0.5, 1.0, 1.5)
"""How much the runs of a team dare."""
KINDS = ("detection", "recognition", "correction")


@dataclass(frozen=True, slots=True)
class BestRecall:
    """A cell of tables 9 to 21: a team's best recall of a row.

    Attributes:
        row: The row of table 8.
        team: The team.
        measure: detection, recognition or correction.
        recall: The largest recall of its runs; None where the gold edits have none of the row.
        run: The first run that has it.
    """

    row: str
    team: str
    measure: str
    recall: float | None
    run: str


def simulated_scores(
    gold: Sequence[Fragment], metric: Hoo, problems: Problems, *, seed: int = 0, teams: Sequence[Team] = TEAMS
) -> list[HooScore]:
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


def best_recalls(scores: Sequence[HooScore], overrides: Mapping[str, str] | None = None) -> list[BestRecall]:
    """The best recall of each team in each row and measure: tables 9 to 21."""
    tables = [(score, recall_by_row(score, overrides)) for score in scores]
    teams = list(dict.fromkeys(score.team for score in scores))
    cells: list[BestRecall] = []
    for row in row_names():
        for team in teams:
            own = [(score.run, table[row]) for score, table in tables if score.team == team]
            for at, measure in enumerate(KINDS, 1):
                run, counts = max(own, key=lambda pair: pair[1][at])  # the gold edits are those of every run
                recall = counts[at] / counts[0] if counts[0] else None
                cells.append(BestRecall(row, team, measure, recall, run))
    return cells
