"""``errorbar task validate``: what a team runs before sending."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorbar.cli.main import EXIT_BAD_INPUT
from errorbar.cli.options import format_option, note_record, show_notes
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.core.errors import InputError

if TYPE_CHECKING:
    from errorbar.tasks.validated import Validation

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
    from errorbar.cli.main import show_problems
    from errorbar.tasks.reading import read_task
    from errorbar.tasks.validation import choose_corpus, validate

    read = read_task(task, for_teams=True)
    chosen = choose_corpus(read, corpus)
    found = [validate(read, chosen, path, dev=dev) for path in submissions]
    if style == "json":
        show_json({"schema": SCHEMA, "corpus": chosen.name, "submissions": [_record(each) for each in found]})
    else:
        for each in found:
            if each.problems.errors:
                show_problems(InputError(each.problems.errors))
            show_notes(each.problems.notes)
        show(_table(found), style)
    sys.exit(0 if all(each.valid for each in found) else EXIT_BAD_INPUT)


def _table(found: list[Validation]) -> Table:
    dry = any(each.dry for each in found)
    rows: list[list[Cell]] = []
    for each in found:
        kept = "–" if each.kept is None else f"{100 * each.kept:.1f} %"
        scores = [percent(value) for value in _values(each)] if dry else []
        verdict = "ok" if each.valid else f"{len(each.problems.errors)} to mend"
        rows.append([each.path.name, verdict, f"{each.n_changed} of {each.n_units}", kept, *scores])
    columns = ["submission", "verdict", "changed", "words kept", *(["P", "R", "F"] if dry else [])]
    footer = ["P, R, F: a dry score, on the development data"] if dry else []
    return Table(columns, rows, 2, footer)


def _record(found: Validation) -> dict[str, object]:
    precision, recall, f = _values(found)
    return {
        "submission": str(found.path),
        "valid": found.valid,
        "units": found.n_units,
        "changed": found.n_changed,
        "kept": found.kept,
        "dry": {"precision": precision, "recall": recall, "f": f} if found.dry else None,
        "errors": [note_record(problem) for problem in found.problems.errors],
        "warnings": [note_record(note) for note in found.problems.notes],
    }


def _values(found: Validation) -> tuple[float | None, float | None, float | None]:
    from errorbar.metrics.score import Score

    if not found.dry:
        return None, None, None
    first = found.dry[0]
    figures = first if isinstance(first, Score) else first.figures["no bonus", "correction"]
    return figures.precision.value, figures.recall.value, figures.f.value
