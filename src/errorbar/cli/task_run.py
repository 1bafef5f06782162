"""``errorbar task run``: score every run of a task."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorbar.cli.main import EXIT_BAD_INPUT, show_problems
from errorbar.cli.options import format_option, jobs_option
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import show_result
from errorbar.cli.talk import say
from errorbar.core.errors import InputError

if TYPE_CHECKING:
    from errorbar.tasks.task_results import TaskResults

SCHEMA = "errorbar.task-run/1"


@click.command("run")
@click.argument("task", type=click.Path(path_type=Path), metavar="TASK.toml")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where measurements are kept.")
@click.option("--prune", is_flag=True, help="Remove measurements that this task no longer needs from the cache.")
@jobs_option
@format_option
def command(task: Path, cache: Path | None, prune: bool, jobs: int, style: str) -> None:
    """Score every run of every team; only what is new or changed is measured.

    A run that cannot be scored is listed with what is wrong with it, and the exit code is 2.

    \b
    errorbar task run task.toml
    errorbar task run task.toml --jobs 2 --format csv
    """
    results = score_task(task, cache, jobs, prune=prune)
    show_result(results, style, schema=SCHEMA)
    sys.exit(refusals(results))


def score_task(path: Path, cache: Path | None, jobs: int, *, prune: bool = False) -> TaskResults:
    """Score a task, with a progress line; what it cost is said on standard error."""
    from errorbar.tasks.running import run_task

    with progress_bar("runs") as progress:
        results = run_task(path, jobs=jobs, cache=cache, prune=prune, progress=progress)
    n_runs = sum(len(found.runs) + len(found.refused) for found in results.corpora)
    say(f"{_counted(n_runs, 'run')}: {results.n_measured} measured, {results.n_found} from the cache")
    if prune:
        say(f"{_counted(results.n_pruned, 'old measurement')} removed")
    return results


def refusals(results: TaskResults) -> int:
    """Say what is wrong with runs that were not scored; the exit code."""
    problems = [problem for each in results.refused for problem in each.problems]
    if problems:
        show_problems(InputError(dict.fromkeys(problems)))
    return EXIT_BAD_INPUT if problems else 0


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
