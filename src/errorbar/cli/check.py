"""``errorbar check``: every problem of a file."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from errorbar.cli.options import INPUT, SystemOptions, system_options
from errorbar.cli.show import output_options, show_result
from errorbar.cli.talk import show_lines
from errorbar.core.errors import as_options

SCHEMA = "errorbar.check/1"


@click.command("check")
@click.argument("files", nargs=-1, type=INPUT, required=True, metavar="FILE...")
@click.option("--gold", type=INPUT, metavar="FILE", help="Check each FILE as a system's output for this reference.")
@click.option("--source", type=INPUT, metavar="FOLDER", help="HOO: the source texts, if not in Raw beside Gold.")
@system_options
@output_options
def command(
    files: tuple[str, ...],
    gold: str | None,
    source: str | None,
    taken: SystemOptions,
    style: str,
    output: str | None,
) -> None:
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

    done = check(files, gold=gold, source=source, **asdict(taken))
    if style == "table" and output is None and not any(file.problems for file in done.files):
        show_lines(*map(str, done.files))
    else:
        show_result(done, style, schema=SCHEMA, output=output, tables=done.tables(as_options))
    sys.exit(int(not done.good))
