"""Results on standard output or in a file, in the form that was asked for; computes nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from errorbar.cli.command import OUTPUT, Command, say, show_notes, take_kept_notes, together
from errorbar.cli.declared import description_of, parameters_of
from errorbar.cli.options import OPTIONS, choice, options_of
from errorbar.core.problems import unknown_ending, visible_json
from errorbar.tables import FORMATS

if TYPE_CHECKING:
    from errorbar.api.paper import PaperText
    from errorbar.tables.result import Result
    from errorbar.tables.table import Table

ENDINGS = {
    "table": (".txt",),
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
}
PICTURES: dict[str, tuple[str, ...]] = {kind: (f".{kind}",) for kind in ("svg", "png", "pdf")}


class OutputOptions(NamedTuple):
    """How results are written, one of ``FORMATS``, and the file they go to; None: standard output."""

    style: str
    file: str | None = None

    def show(
        self,
        result: Result,
        schema: str,
        tables: Sequence[Table] | None = None,
        *,
        private: bool = False,
        for_paper: Callable[[], PaperText] | None = None,
    ) -> None:
        """Write a result, or those of its tables that were asked for; warnings go to stderr or into the JSON.

        ``schema`` is name and version of the JSON document; a ``private`` file is for its owner alone. Text for a paper
        follows a table on standard output, on stderr, and as comments the LaTeX.
        """
        from errorbar.tables.plain import note_record
        from errorbar.tables.writers import escape_latex, tables_text

        if self.style == "json":
            kept = take_kept_notes()
            of_data = [note for note in kept if note.severity == "warning"]
            show_notes([note for note in kept if note.severity != "warning"])
            warnings = [note_record(note) for note in (*of_data, *result.notes)]
            text = self._json({"schema": schema, **result.to_dict(), "warnings": warnings})
        else:
            show_notes(result.notes)
            styled = self.file is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
            every = result.data_tables() if self.style == "csv" else result.tables()
            text = tables_text(every if tables is None else tables, self.style, styled=styled)
            if self.style == "latex" and for_paper is not None:
                lines = ("For a paper:", *str(for_paper()).splitlines())
                text = "\n".join([text, "", *(f"% {escape_latex(line, document=True)}" for line in lines)])
        if self.file is not None:
            from errorbar.formats.saving import save_lines

            save_lines([text], self.file, private=private)
            return
        click.echo(text)
        if self.style == "table" and for_paper is not None:
            for line in ("", "For a paper:", *(f"  {line}" for line in str(for_paper()).splitlines())):
                say(line)

    def listing(self, document: Mapping[str, object], schema: str, table: Table) -> None:
        """Write what is known without a study: a document, and the table of it."""
        from errorbar.tables.result import Listing

        self.show(Listing(document, [table]), schema)

    def _json(self, document: object) -> str:
        """A JSON document; what stdout's encoding cannot hold is escaped as JSON does it."""
        import json

        encoding = "utf8" if self.file is not None else (sys.stdout.encoding or "").lower().replace("-", "")
        utf = encoding in ("utf8", "utf16", "utf32")
        return visible_json(json.dumps(document, ensure_ascii=not utf, indent=1, allow_nan=False))


format_option = choice(("--format", "style"), FORMATS, "How to print results.")


def output_options(command: Any) -> Any:
    """``--format``, ``-o``: the command gets an ``Output``; the ending of the file decides unless there is a format."""

    @wraps(command)
    def wrapped(*, style: str, output: str | None, **given: Any) -> Any:
        source = click.get_current_context().get_parameter_source("style")
        if output is not None and source != ParameterSource.COMMANDLINE:
            style = by_ending(output, ENDINGS, "--format")
        return command(output=OutputOptions(style, output), **given)

    text = "Write the result to this file; its ending says how: .json, .csv, .md, .tex or .txt."
    return together(
        format_option,
        click.option("-o", "--output", type=OUTPUT, metavar="FILE", help=text),
    )(wrapped)


def plain_command(name: str) -> click.Command:
    """Make the command of a public function that needs nothing special here: ``errorbar.api.NAME``, same name.

    Arguments that can be given by position are arguments here, too, and the others options; the result is shown.
    """
    function = name.replace("-", "_")
    module = f"errorbar.api.{function}"
    arguments = [each for each in parameters_of(module, function).values() if each.positional]
    forms = {
        each.name: {"argument": each.name.upper() + "..." * each.kind.several}
        for each in arguments
        if each.name not in OPTIONS
    }

    @click.command(name, cls=Command, help=description_of(module, function))
    @options_of(f"{module}:{function}", **forms)
    @output_options
    def command(output: OutputOptions, **options: Any) -> None:
        result = getattr(import_module(module), function)(**options)
        output.show(result, getattr(result, "schema", f"errorbar.{name}/1"))

    return command


def by_ending(output: str, endings: dict[str, tuple[str, ...]], option: str) -> str:
    """The kind of output that the ending of a file's name stands for; an unknown ending is refused."""
    matching = next((kind for kind, known in endings.items() if output.lower().endswith(known)), None)
    if matching is None:
        raise unknown_ending(output, [ending for known in endings.values() for ending in known[:1]], option)
    return matching


def check_output(output: str) -> None:
    """See before the work that a file without an option of its own, such as a receipt, can be written."""
    from errorbar.formats.saving import refuse_input, refuse_unwritable

    refuse_unwritable(output)
    refuse_input(output)
