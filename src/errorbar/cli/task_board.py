"""``errorbar task board``: the tables of an overview paper, the page of the task, a page for each team."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorbar.cli.options import resampling_options, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.talk import show_lines
from errorbar.cli.task_run import score_task
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems

if TYPE_CHECKING:
    from errorbar.reporting import Report
    from errorbar.stats.resampling import Method, Resampling
    from errorbar.tasks import TaskResults

EPOCH = "SOURCE_DATE_EPOCH"
NO_SENTENCES = "The sentences were left out, because the data may not be passed on."


@click.command("board")
@click.argument("task", type=click.Path(path_type=Path), metavar="TASK.toml")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where to write.")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where counts are kept.")
@click.option("--tables-only", is_flag=True, help="The tables in Markdown and LaTeX, no pages.")
@click.option("--no-browse", is_flag=True, help="Leave the sentences out, for data that may not be passed on.")
@resampling_options
def command(
    task: Path,
    out: Path,
    cache: Path | None,
    tables_only: bool,
    no_browse: bool,
    ci_method: Method,
    resamples: int,
    confidence: float,
    seed: int,
    jobs: int,
) -> None:
    """Write tables.md, tables.tex, index.html and teams/NAME.html; runs are scored as task run does.

    The page of the task holds the tables and a report on the best run of each team: intervals, which teams
    differ significantly, the human ceiling, agreement, every sentence.

    \b
    errorbar task board task.toml -o board
    errorbar task board task.toml -o board --tables-only
    """
    if not tables_only:
        from errorbar.reporting import extras

        extras.need(extras.PAGE, "a page")
    _folder(out)
    problems = Problems()
    results = score_task(task, cache, jobs, problems)
    from errorbar.reporting.board import board_report

    board = board_report(results, date=_today())
    _write_tables(board, out)
    files = ["tables.md", "tables.tex"]
    if not tables_only:
        from errorbar.stats.resampling import Resampling

        resampling = Resampling(ci_method, resamples, confidence, seed, jobs)
        files += _write_pages(results, board, out, problems, resampling, browse=not no_browse)
    show_notes(list(dict.fromkeys(problems.notes)))
    for name in files:
        show_lines(str(out / name))


def _write_tables(board: Report, out: Path) -> None:
    from errorbar.formats.saving import save_lines
    from errorbar.reporting.latex import latex
    from errorbar.reporting.markdown import markdown

    save_lines([markdown(board).removesuffix("\n")], str(out / "tables.md"))
    save_lines([latex(board).removesuffix("\n")], str(out / "tables.tex"))


def _write_pages(
    results: TaskResults, board: Report, out: Path, problems: Problems, resampling: Resampling, *, browse: bool
) -> list[str]:
    from errorbar.reporting.board import link_task, link_teams, team_report
    from errorbar.reporting.page import save_page
    from errorbar.reporting.sections import build_report
    from errorbar.tasks.study import study_best

    with progress_bar("corpora", len(results.corpora)) as progress:
        studies = study_best(results, problems, resampling, browse=browse, progress=progress)
    page = board
    if studies:
        report = build_report(studies, title=board.title, command="", no_sentences="" if browse else NO_SENTENCES)
        summary = [*board.summary, *report.summary]
        page = replace(board, summary=summary, sections=[*board.sections, *report.sections])
    save_page(link_teams(page, results.task), str(out / "index.html"))
    files = ["index.html"]
    _folder(out / "teams")
    for team in results.task.teams:
        own = link_task(team_report(results, team, date=board.date), results.task)
        save_page(own, str(out / "teams" / f"{team.name}.html"))
        files.append(f"teams/{team.name}.html")
    return files


def _folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot be made: {error.strerror}"
        raise InputError(Problem("cannot-write", what, Place(str(folder)), fix="name another folder")) from None


def _today() -> str:
    """Today, or the day of SOURCE_DATE_EPOCH where the pages must not differ by day."""
    fixed = os.environ.get(EPOCH, "")
    return str(datetime.fromtimestamp(int(fixed), UTC).date() if fixed.isdecimal() else date.today())
