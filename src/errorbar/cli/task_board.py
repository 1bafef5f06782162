"""``errorbar task board``: the tables of an overview paper, the page of the task, a page for each team."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from errorbar.cli.intervals import (
    IntervalOptions,
    ci_method_option,
    confidence_option,
    resamples_option,
)
from errorbar.cli.options import BOOTSTRAPS, in_one, jobs_option, seed_option, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.talk import show_lines
from errorbar.cli.task_run import refusals, score_task


@click.command("board")
@click.argument("task", type=click.Path(path_type=Path), metavar="TASK.toml")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where to write.")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where measurements are kept.")
@click.option("--tables-only", is_flag=True, help="The tables in Markdown and LaTeX, no pages.")
@click.option("--no-browse", is_flag=True, help="Leave the sentences out, for data that may not be passed on.")
@in_one(
    "intervals",
    IntervalOptions,
    confidence_option,
    resamples_option,
    seed_option,
    ci_method_option((*BOOTSTRAPS, "closed")),
    jobs_option,
)
def command(
    task: Path,
    out: Path,
    cache: Path | None,
    tables_only: bool,
    no_browse: bool,
    intervals: IntervalOptions,
) -> None:
    """Write tables.md, tables.tex, index.html and teams/NAME.html; runs are scored as task run does.

    The page of the task holds the tables and a report on the best run of each team: intervals, which teams
    differ significantly, the human ceiling, agreement, every sentence.

    \b
    errorbar task board task.toml -o board
    errorbar task board task.toml -o board --tables-only
    """
    from errorbar.reporting.board_pages import BoardOptions, write_board
    from errorbar.reporting.export import make_folder, need
    from errorbar.stats.resampling import Resampling

    if not tables_only:
        need("html")
    make_folder(out)
    results = score_task(task, cache, intervals.jobs)
    how = intervals
    resampling = Resampling(how.ci_method, how.resamples, how.confidence, how.seed, how.jobs)
    with progress_bar("corpora", len(results.corpora)) as progress:
        options = BoardOptions(tables_only, not no_browse, resampling, progress)
        files, notes = write_board(results, out, options)
    show_notes(list(dict.fromkeys([*results.notes, *notes])))
    for name in files:
        show_lines(str(out / name))
    sys.exit(refusals(results))
