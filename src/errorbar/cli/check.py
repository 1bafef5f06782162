"""``errorbar check``: every problem of a file."""

from __future__ import annotations

import sys
from typing import Any

import click

from errorbar.cli.command import Command, show_lines
from errorbar.cli.main import while_read
from errorbar.cli.options import options_of
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.problems import as_options


@click.command("check", cls=Command)
@options_of("errorbar.api.check:check", files={"argument": "FILE..."})
@output_options
def command(output: OutputOptions, **options: Any) -> None:
    """List every problem of M2, JSONL or HOO files, essays, token labels, judgments, rankings, or system outputs.

    A HOO FILE is a folder of edit XML or one edit file: offsets are checked against the source texts, originals
    against their spans, and indexes, consistency sets and types.

    Exit code 0: nothing that stops scoring (there may be warnings); 1: something does.

    \b
    errorbar check corpus.m2
    errorbar check --gold corpus.m2 system.txt
    errorbar check --source dev.src dev.ref0 dev.ref1 system.txt
    errorbar check hoo2011/Gold
    """
    from errorbar.api.check import check

    result = check(**options)
    with while_read():
        if output == OutputOptions("table") and not any(file.problems for file in result.files):
            show_lines(*map(str, result.files))
        else:
            output.show(result, "errorbar.check/1", result.tables(as_options))
    sys.exit(int(not result.good))
