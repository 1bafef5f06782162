"""Writing the board of a shared task: tables, the page of the task, a page for each team."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.reporting.board import board_report, link_task, link_teams, team_report
from errorbar.reporting.export import save_report
from errorbar.stats.resampling import Resampling
from errorbar.tasks.task_results import TaskResults

EPOCH = "SOURCE_DATE_EPOCH"
NO_SENTENCES = "The sentences were left out, because the data may not be passed on."


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """What is written.

    Attributes:
        tables_only: The tables in Markdown and LaTeX, no pages.
        browse: Also the sentences.
        resampling: How intervals of the best runs are made.
        progress: Told how many corpora are done.
    """

    tables_only: bool = False
    browse: bool = True
    resampling: Resampling = Resampling()  # noqa: RUF009 - frozen
    progress: Callable[[int], object] = lambda _: None


def write_board(
    results: TaskResults, folder: Path, options: BoardOptions = BoardOptions()
) -> tuple[list[str], list[Problem]]:
    """Write tables.md, tables.tex, index.html and teams/NAME.html.

    Args:
        results: What was scored.
        folder: Where to; made if need be.
        options: What is written.

    Returns:
        Names of the files, and what is to be known of the studies of the best runs.

    Raises:
        InputError: If a file cannot be written.
        MissingExtraError: If pages are asked for and what makes them is not installed.
    """
    make_folder(folder)
    board = board_report(results, date=_today())
    files = ["tables.md", "tables.tex"]
    save_report(board, str(folder / "tables.md"), "markdown")
    save_report(board, str(folder / "tables.tex"), "latex")
    problems = Problems()
    if not options.tables_only:
        from errorbar.reporting.sections import build_report  # noqa: PLC0415 - pages only
        from errorbar.tasks.running import study_best  # noqa: PLC0415

        studies = study_best(results, problems, options.resampling, browse=options.browse, progress=options.progress)
        page = board
        if studies:
            left_out = "" if options.browse else NO_SENTENCES
            report = build_report(studies, title=board.title, command="", no_sentences=left_out)
            summary = [*board.summary, *report.summary]
            page = replace(board, summary=summary, sections=[*board.sections, *report.sections])
        save_report(link_teams(page, results.task), str(folder / "index.html"), "html")
        make_folder(folder / "teams")
        for team in results.task.teams:
            own = link_task(team_report(results, team, date=board.date), results.task)
            save_report(own, str(folder / "teams" / f"{team.name}.html"), "html")
        files += ["index.html", *(f"teams/{team.name}.html" for team in results.task.teams)]
    return files, list(dict.fromkeys(problems.notes))


def make_folder(folder: Path) -> None:
    """Make a folder.

    Raises:
        InputError: If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot be made: {error.strerror}"
        raise InputError(Problem("cannot-write", what, Place(str(folder)), fix="name another folder")) from None


def _today() -> str:
    """Today, or the day of SOURCE_DATE_EPOCH where the pages must not differ by day."""
    fixed = os.environ.get(EPOCH, "")
    return str(datetime.fromtimestamp(int(fixed), UTC).date() if fixed.isdecimal() else date.today())
