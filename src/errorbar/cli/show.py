"""Results on standard output or in a file, in the form that was asked for; computes nothing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from errorbar.cli.options import InputPath, format_option, show_notes
from errorbar.core.errors import InputError, Place, Problem, UsageError, visible_json

if TYPE_CHECKING:
    from errorbar.tables.result import Result
    from errorbar.tables.table import Table

Command = TypeVar("Command", bound=Callable[..., Any])

ENDINGS = {
    "table": (".txt",),
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
}


def output_option(command: Command) -> Command:
    """``-o``: where results go; the ending of the file says how they are written, unless ``--format`` does.

    That the file can be written, and is none of those that are read, is seen before the work starts.
    """

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        output = options["output"]
        if output is not None:
            check_output(output)
            if click.get_current_context().get_parameter_source("style") != ParameterSource.COMMANDLINE:
                options["style"] = by_ending(output, ENDINGS, "--format")
        return command(*args, **options)

    text = "Write the result to this file; its ending says how: .json, .csv, .md, .tex or .txt."
    made: Any = click.option("-o", "--output", metavar="FILE", help=text)(wrapped)
    return cast("Command", made)


def output_options(command: Command) -> Command:
    """``--format``, ``-o``: the command gets ``style`` and ``output``, as ``show_result`` takes them."""
    return format_option(output_option(command))


def show_result(
    result: Result,
    style: str,
    *,
    schema: str,
    output: str | None = None,
    tables: Sequence[Table] | None = None,
) -> None:
    """Print a result, its warnings on stderr or, of JSON, in the document.

    Args:
        result: What was computed.
        style: One of ``errorbar.tables.FORMATS``.
        schema: Name and version of the JSON document.
        output: A file to write instead.
        tables: Those that were asked for; None: all of the result's.

    Raises:
        InputError: If the file cannot be written.
    """
    from errorbar.formats.saving import save_lines
    from errorbar.tables.records import note_record

    if style == "json":
        warnings = [note_record(note) for note in result.notes]
        text = json_text({"schema": schema, **result.to_dict(), "warnings": warnings}, output)
    else:
        show_notes(list(result.notes))
        text = tables_text(result.tables() if tables is None else tables, style, styled=output is None and is_styled())
    if output is None:
        click.echo(text)
    else:
        save_lines([text], output)


def show_tables(tables: Sequence[Table], style: str) -> None:
    """Print tables on stdout in one of the formats but json."""
    click.echo(tables_text(tables, style, styled=is_styled()))


def show_json(document: object) -> None:
    """Print a JSON document on stdout."""
    click.echo(json_text(document))


def tables_text(tables: Sequence[Table], style: str, *, styled: bool = False) -> str:
    """Tables one below the other, with an empty line between."""
    from errorbar.tables.csv_text import csv_table
    from errorbar.tables.latex_text import latex_table
    from errorbar.tables.markdown_text import markdown_table
    from errorbar.tables.plain_text import text_table
    from errorbar.tables.shown import shown

    if style == "csv":
        return "\n".join(map(csv_table, tables)).removesuffix("\n")
    grids = map(shown, tables)
    if style == "markdown":
        return "\n\n".join(map(markdown_table, grids))
    if style == "latex":
        return "\n\n".join(map(latex_table, grids))
    return "\n\n".join(text_table(grid, styled=styled) for grid in grids)


def json_text(document: object, output: str | None = None) -> str:
    """A JSON document; what stdout's encoding cannot hold is escaped as JSON does it."""
    utf = output is not None or (sys.stdout.encoding or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")
    return visible_json(json.dumps(document, ensure_ascii=not utf, indent=1, allow_nan=False))


def is_styled() -> bool:
    """Whether stdout is a terminal that may show bold and faint text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def by_ending(output: str, endings: dict[str, tuple[str, ...]], option: str) -> str:
    """What the name of a file says it is to be.

    Raises:
        UsageError: If it says nothing.
    """
    found = next((kind for kind, known in endings.items() if output.lower().endswith(known)), None)
    if found is None:
        listed = [ending for known in endings.values() for ending in known[:1]]
        what = f"the name '{output}' does not tell how to write it"
        fix = f"name a file that ends in {', '.join(listed[:-1])} or {listed[-1]}, or give {option}"
        raise UsageError(Problem("output-format", what, fix=fix))
    return found


def check_output(output: str) -> None:
    """See that a file can be written, before minutes of work, and that the command does not read it.

    Raises:
        InputError: If it cannot be written, or a pattern of the command matches no file.
        UsageError: If the command reads it.
    """
    from errorbar.formats.saving import STANDARD_OUTPUT

    path = Path(output)
    if output == STANDARD_OUTPUT or (path.exists() and not path.is_file() and not path.is_dir()):
        return
    if path.is_dir():
        what = "this is a folder"
        raise InputError(Problem("cannot-write", what, Place(output), "a file", "name a file"))
    if not path.parent.is_dir():
        what = f"there is no folder {path.parent}"
        raise InputError(Problem("cannot-write", what, Place(output), fix="make it, or name another place"))
    if not os.access(path.parent, os.W_OK):
        what = f"the folder {path.parent} cannot be written"
        raise InputError(Problem("cannot-write", what, Place(output), fix="name another place"))
    if path.is_file() and any(Path(each).exists() and path.samefile(each) for each in _inputs()):
        what = "what is written would overwrite what is read"
        raise UsageError(Problem("output-over-input", what, Place(output), fix="name another file"))


def _inputs() -> list[str]:
    """Every file that the command reads."""
    from errorbar.formats.reference import expand_files

    context = click.get_current_context()
    given: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if isinstance(parameter.type, InputPath) and value is not None:
            given += map(str, value) if isinstance(value, tuple) else [str(value)]
    return [file.path for file in expand_files(given)]
