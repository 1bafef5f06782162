"""``errorbar verify``: are the numbers of a receipt those of the data?"""

from __future__ import annotations

import sys
from typing import Any

import click

from errorbar.cli.command import Command, show_lines
from errorbar.cli.main import show_problems, while_read
from errorbar.cli.options import options_of
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.problems import InputError


@click.command("verify", cls=Command)
@options_of(
    "errorbar.receipts.verify:verify",
    receipt={"argument": "RECEIPT.json", "type": click.Path()},
    data={"type": click.Path(), "metavar": "FOLDER"},
)
@output_options
def command(output: OutputOptions, **options: Any) -> None:
    """Recompute a receipt's numbers on the data at hand, and list differences: files, versions, numbers.

    'errorbar report' and 'errorbar task run' leave a receipt beside their output. Nothing is written but to a
    temporary folder, and only the files that the receipt lists are read: it may come from anybody.

    Exit code 0: every file and every number is the same; 1: something differs or is missing; 2: this is no receipt, or
    what computes it is not installed.

    \b
    errorbar verify report.receipt.json
    errorbar verify report.receipt.json --data corpora --data outputs
    """
    from errorbar.receipts.verify import verify

    result = verify(**options)
    with while_read():  # what was found is the exit code's to say, too
        if output.style == "table" and output.file is None:
            show_lines(*result.sentences())
        if output.style != "table" or output.file is not None or result.tables():
            if output == OutputOptions("table"):
                show_lines("")
            output.show(result, "errorbar.verify/1")
        if result.hindrance is not None:
            show_problems(InputError(result.hindrance))
    sys.exit(int(not result.good))
