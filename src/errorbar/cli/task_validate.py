"""``errorbar task validate``: what a team runs before sending."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from errorbar.cli.main import EXIT_BAD_INPUT, show_problems
from errorbar.cli.options import format_option
from errorbar.cli.show import show_result
from errorbar.core.errors import InputError

SCHEMA = "errorbar.task-validate/1"


@click.command("validate")
@click.argument("task", type=click.Path(path_type=Path), metavar="TASK.toml")
@click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SUBMISSION...")
@click.option("--corpus", metavar="NAME", help="What they are for.  [default: the test corpus]")
@click.option("--dev", type=click.Path(path_type=Path), metavar="OUTPUT", help="Of the dev data: a dry score.")
@format_option
def command(task: Path, submissions: tuple[Path, ...], corpus: str | None, dev: Path | None, style: str) -> None:
    """Check submissions as a team does before sending; exit code 2 if one cannot be sent.

    Needs the source of the test data, not its gold edits, and scores nothing but development data.

    \b
    errorbar task validate task.toml run1.txt
    errorbar task validate task.toml run1.txt --dev dev-output.txt
    errorbar task validate task.toml --corpus dev dev-output.txt
    """
    from errorbar.tasks.validation import validate

    found = validate(task, submissions, corpus=corpus, dev=dev)
    errors = dict.fromkeys(problem for each in found.submissions for problem in each.errors)
    if errors and style != "json":
        show_problems(InputError(errors))
    show_result(found, style, schema=SCHEMA)
    sys.exit(EXIT_BAD_INPUT if errors else 0)
