"""Writing the board of a shared task: tables, the page of the task, a page for each team."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from errorbar.core.errors import Problem
from errorbar.core.problems import Problems
from errorbar.reporting.blocks import Links, Report
from errorbar.reporting.board import board_report, team_report
from errorbar.reporting.export import make_folder, save_report, today
from errorbar.reporting.sections.assemble import build_report
from errorbar.stats.resampling import Resampling
from errorbar.tasks.best_runs import study_best
from errorbar.tasks.task_results import TaskResults, without_folder, without_folders

NO_SENTENCES = "The sentences were left out, because the data may not be passed on."


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """What is written: with or without pages and sentences, and of which day, None: today's.

    ``folders``: problems name files by their paths, which pages for others must not show; ``progress`` is told how many
    corpora are done.
    """

    tables_only: bool = False
    browse: bool = True
    resampling: Resampling = Resampling()  # noqa: RUF009 - frozen
    progress: Callable[[int], object] = lambda _: None
    date: str | None = None
    folders: bool = True


def write_board(
    results: TaskResults, folder: Path, options: BoardOptions = BoardOptions()
) -> tuple[list[str], list[Problem]]:
    """Write tables.md, tables.tex, index.html and teams/NAME.html; their names, and notes of the best runs' studies."""
    make_folder(folder)
    if not options.folders:
        results = without_folders(results)
    board = board_report(results, date=today() if options.date is None else options.date)
    files = ["tables.md", "tables.tex"]
    save_report(board, str(folder / "tables.md"), "markdown")
    save_report(board, str(folder / "tables.tex"), "latex")
    problems = Problems()
    if not options.tables_only:
        studies = study_best(results, problems, options.resampling, browse=options.browse, progress=options.progress)
        page, task = board, results.task
        if not options.folders:
            studies = [replace(study, notes=[without_folder(note) for note in study.notes]) for study in studies]
        if studies:
            left_out = "" if options.browse else NO_SENTENCES
            report = build_report(studies, title=board.title, command="", no_sentences=left_out)
            summary = [*board.summary, *report.summary]
            page = replace(board, summary=summary, sections=[*board.sections, *report.sections])
        names = [f"teams/{team.name}.html" for team in task.teams]
        ways = dict(zip((team.name for team in task.teams), names, strict=True))
        save_report(with_links(page, "A page for each team", ways), str(folder / "index.html"))
        make_folder(folder / "teams")
        for team, name in zip(task.teams, names, strict=True):
            own = team_report(results, team, date=board.date)
            linked = with_links(own, "The task", {f"All teams of {task.name}": "../index.html"})
            save_report(linked, str(folder / name))
        files += ["index.html", *names]
    return files, list(dict.fromkeys(problems.notes))


def with_links(report: Report, label: str, targets: Mapping[str, str]) -> Report:
    """A page whose first section opens with ways to the others."""
    first, *others = report.sections
    return replace(report, sections=[replace(first, blocks=[Links(label, targets), *first.blocks]), *others])
