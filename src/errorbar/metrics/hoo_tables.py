"""What the tables of the HOO 2011 paper show: the rows of table 8, the best run of each team, its best recall by type.

Error codes are counted in 13 rows. The table is data (``core/inventories/hoo.json``: the row stands before the colon of
a code's description) and can be overridden code by code. Source: Dale & Kilgarriff 2011, tables 2 to 21.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.inventories import inventory
from errorbar.metrics.hoo import CONDITIONS, MEASURES
from errorbar.metrics.hoo_counts import HooStatistics
from errorbar.metrics.hoo_score import HooScore

_RUN = re.compile(r"(?P<team>.*?)[-_. ]?(?P<run>\d+)")
MOST_RUNS = 10
"""Runs a team could submit."""
OTHER = "Other"


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


@cache
def _table() -> dict[str, str]:
    return {code: said.partition(":")[0] for code, said in inventory("hoo").types.items()}


@cache
def row_names() -> tuple[str, ...]:
    """The rows in the order of the table."""
    return tuple(dict.fromkeys(_table().values()))


def row_of(code: str, overrides: Mapping[str, str] | None = None) -> str:
    """The row an error code is counted in; ``Other`` for an unknown one."""
    return (overrides or {}).get(code) or _table().get(code, OTHER)


def check_overrides(overrides: Mapping[str, str]) -> None:
    """See that every row of an override exists.

    Raises:
        UsageError: If one does not.
    """
    for code, row in overrides.items():
        if row not in row_names():
            what = f"type {code}: no row of the table is called '{row}'"
            raise UsageError(Problem("hoo-row", what, fix=nearest(row, row_names())))


def count_rows(codes: Iterable[str], overrides: Mapping[str, str] | None = None) -> dict[str, int]:
    """How many codes each row holds, rows in the order of the table."""
    counts = dict.fromkeys(row_names(), 0)
    for code in codes:
        counts[row_of(code, overrides)] += 1
    return counts


def by_row(statistics: HooStatistics, overrides: Mapping[str, str] | None = None) -> HooStatistics:
    """Statistics whose types are the rows of table 8."""
    return statistics.regrouped(row_names(), lambda code: row_of(code, overrides))


def recall_by_row(score: HooScore, overrides: Mapping[str, str] | None = None) -> dict[str, tuple[int, ...]]:
    """Gold, detected, recognized and corrected edits of each row of table 8; rows without gold edits have zeros."""
    return by_row(score.statistics, overrides).type_totals()


def team_of(run: str) -> str:
    """The team of a run: ``UI`` for ``UI0``, ``UI-0`` and ``UI.0``."""
    match = _RUN.fullmatch(run)
    return match["team"] or run if match else run


def best_runs(scores: Sequence[HooScore]) -> list[tuple[str, str, HooScore]]:
    """The run with the best F of each team, for each condition and measure; the first of equal ones.

    Returns:
        Condition, measure and score; teams in the order of their first run.
    """
    teams: dict[tuple[str, str], list[HooScore]] = {}
    for score in scores:
        teams.setdefault((score.team, score.signature.spec), []).append(score)
    return [
        (condition, measure, max(own, key=lambda score: score.figures[condition, measure].f.value or 0.0))
        for condition in CONDITIONS
        for measure in MEASURES
        for own in teams.values()
    ]


def best_recalls(scores: Sequence[HooScore], overrides: Mapping[str, str] | None = None) -> list[BestRecall]:
    """The best recall of each team in each row and measure: tables 9 to 21."""
    tables = [(score, recall_by_row(score, overrides)) for score in scores]
    teams = list(dict.fromkeys(score.team for score in scores))
    cells: list[BestRecall] = []
    for row in row_names():
        for team in teams:
            own = [(score.run, table[row]) for score, table in tables if score.team == team]
            for at, measure in enumerate(MEASURES, 1):
                run, counts = max(own, key=lambda pair: pair[1][at])  # the gold edits are those of every run
                recall = counts[at] / counts[0] if counts[0] else None
                cells.append(BestRecall(row, team, measure, recall, run))
    return cells
