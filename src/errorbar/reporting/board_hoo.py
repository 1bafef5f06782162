"""The board of a HOO task: the shape of tables 2 to 21 of the 2011 paper."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.metrics.hoo import CONDITIONS, MEASURES
from errorbar.metrics.hoo_scoring import best_recalls, best_runs, prf
from errorbar.reporting.model import Block, Cell, Section, Shown, Table
from errorbar.reporting.sections.figures import DASH, estimate_cell, reasons, share, slug
from errorbar.tasks.config import Task
from errorbar.tasks.results import HooResults, HooRunScores

FIGURES = ("P", "R", "F")


def hoo_sections(task: Task, found: HooResults) -> list[Section]:
    """Best runs by measure and condition, gold edits by type, best recall of each type.

    Args:
        task: The task.
        found: What was scored.
    """
    scores = [run.scores[0] for run in found.runs]
    numbers = {run.submission.name: run.submission.run for run in found.runs}
    teams = {run.submission.name: run.submission.team for run in found.runs}
    late = {run.submission.team for run in found.runs if run.submission.late}
    best: list[Block] = []
    for condition in CONDITIONS:
        for measure in MEASURES:
            rows: list[list[Cell]] = []
            for its_condition, its_measure, team, score in best_runs(scores, teams):
                if (its_condition, its_measure) == (condition, measure):
                    values = [estimate_cell(each) for each in prf(score, condition, measure)]
                    run = Shown(str(numbers[score.system]), numbers[score.system])
                    rows.append([team + (" (late)" if team in late else ""), run, *values])
            rows += _without(task, found, 4)
            every = [each for score in scores for each in prf(score, condition, measure)]
            name, title = f"best-{slug(condition)}-{measure}", f"Best run of each team: {measure}, {condition}"
            best.append(Table(name, title, ["team", "run", *FIGURES], rows, 1, ["in percent", *reasons(every)]))
    counts: list[list[Cell]] = [[row, Shown(f"{n:,}", n)] for row, n in found.rows.items()]
    total = sum(found.rows.values())
    counts.append(["All", Shown(f"{total:,}", total)])
    types: list[Block] = [Table("edits", "Gold edits by error type", ["type", "edits"], counts)]
    types += _recall_tables(task, found, numbers, teams)
    sections = [Section("ranking", "Scores", best), Section("error-types", "Recall by error type", types)]
    if len(found.runs) > len({run.submission.team for run in found.runs}):
        sections.append(Section("runs", "Every run", [hoo_run_table(found.runs)]))
    return sections


def _recall_tables(task: Task, found: HooResults, numbers: dict[str, int], teams: dict[str, str]) -> list[Block]:
    cells = best_recalls([run.scores[0] for run in found.runs], teams)
    tables: list[Block] = []
    for row in dict.fromkeys(cell.row for cell in cells):
        by_team: dict[str, list[Cell]] = {}
        for cell in cells:
            if cell.row == row:
                run = Shown(str(numbers[cell.run]), numbers[cell.run]) if cell.recall is not None else Shown(DASH)
                by_team.setdefault(cell.team, []).extend([share(cell.recall), run])
        rows = [[team, *values] for team, values in by_team.items()] + _without(task, found, 2 * len(MEASURES))
        columns = ["team", *(name for measure in MEASURES for name in (measure, "run"))]
        tables.append(
            Table(f"recall-{slug(row)}", f"{row}: best recall of each team", columns, rows, 1, ["in percent"])
        )
    return tables


def hoo_run_table(runs: Sequence[HooRunScores]) -> Table:
    """Every run: F of each measure, without and with bonus."""
    rows: list[list[Cell]] = []
    for run in runs:
        score = run.scores[0]
        late = "late" if run.submission.late else ""
        rows.append(
            [run.submission.name, late, *(estimate_cell(prf(score, c, m).f) for c in CONDITIONS for m in MEASURES)]
        )
    columns = ["run", "late", *(f"{measure}, {condition}" for condition in CONDITIONS for measure in MEASURES)]
    return Table("all-runs", "F of every run, in percent", columns, rows, 2)


def _without(task: Task, found: HooResults, n: int) -> list[list[Cell]]:
    """Rows of the teams that handed nothing in."""
    there = {run.submission.team for run in found.runs}
    return [[team.name, *[Shown(DASH)] * n] for team in task.teams if team.name not in there]
