"""``errorbar check``: every problem of a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import click

from errorbar.cli.admission import admission_options
from errorbar.cli.options import INPUT, format_option
from errorbar.cli.render import Cell, Table, show, show_json
from errorbar.cli.talk import show_lines

if TYPE_CHECKING:
    from errorbar.edits.admission import Admission

SCHEMA = "errorbar.check/1"


@click.command("check")
@click.argument("files", nargs=-1, type=INPUT, required=True, metavar="FILE...")
@click.option("--gold", type=INPUT, metavar="FILE", help="Check each FILE as a system's output for this reference.")
@click.option("--source", type=INPUT, metavar="FOLDER", help="HOO: the source texts, if not in Raw beside Gold.")
@admission_options
@format_option
def command(files: tuple[str, ...], gold: str | None, source: str | None, admission: Admission, style: str) -> None:
    """List every problem of M2, JSONL or HOO files, of judgments, of rankings, or of system outputs.

    A HOO FILE is a folder of edit XML or one edit file: offsets are checked against the source texts, originals
    against their spans, and indexes, consistency sets and types.

    Exit code 0: nothing that stops scoring (there may be warnings); 1: something does.

    \b
    errorbar check corpus.m2
    errorbar check --gold corpus.m2 system.txt
    errorbar check hoo2011/Gold
    """
    from errorbar.studies.check import check

    done = check(files, gold=gold, source=source, force=admission.force, retokenize=admission.retokenize)
    (table,) = done.tables()
    rows = cast("list[list[Cell]]", table.rows)
    if style == "json":
        show_json({"schema": SCHEMA, **done.to_dict()})
    elif rows or style != "table":
        show(Table([column.title for column in table.columns], rows, 5, table.notes), style)
    else:
        show_lines(*table.notes)
    sys.exit(int(not done.good))
