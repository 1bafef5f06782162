"""``errorbar reproduce``: published tables, cell by cell."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command, progress_bar, say
from errorbar.cli.main import while_read
from errorbar.cli.options import options_of, refuse_given
from errorbar.cli.output import OutputOptions, output_options

FOLDER = {"type": click.Path(), "metavar": "DIR"}


@click.command("reproduce", cls=Command)
@options_of(
    "errorbar.reproduce.studies:reproduce_paper",
    study={"argument": "STUDY"},
    data=FOLDER,
    models=FOLDER,
    chart={"type": OUTPUT, "metavar": "FILE"},
)
@click.option(
    "--all", "everything", is_flag=True, help="Print every cell, not only those that should match and do not."
)
@output_options
def command(everything: bool, output: OutputOptions, **options: Any) -> None:
    """Recompute a paper's tables from the corpora and compare every cell.

    STUDY is conll2014, bryant-ng2015, madnani2011, tetreault-chodorow2008 or hoo2011.

    Exit code 1 if a cell that should match does not. Cells that differ for a known reason, cannot be computed, or that
    we add to the paper's say why.

    \b
    errorbar data fetch conll2014 conll2014-systems && errorbar reproduce conll2014
    errorbar reproduce bryant-ng2015 --data corpora/
    errorbar reproduce tetreault-chodorow2008 --models models --text 'textbooks/*.txt' --chart curve.svg
    errorbar reproduce madnani2011 --models models --chart figure.svg
    """
    from errorbar.reproduce import Reproduction, cell_table, reproduce_paper

    if options["study"] == "hoo2011":
        refuse_given(("everything",), "is about cells that match, and hoo2011 prints every cell")
    # Where steps are told, there is no bar: it would be in their lines.
    with nullcontext(lambda _: None) if options.get("text") else progress_bar("cells") as progress:
        result = reproduce_paper(tell=lambda step: say(f"{step} ..."), progress=progress, **options)
    if not isinstance(result, Reproduction):
        output.show(result, "errorbar.reproduce-hoo2011/1")
        return
    listed = result.cells if everything or output.style == "csv" else result.listed
    shown = [cell_table(listed)] if listed else []
    with while_read():
        output.show(result, "errorbar.reproduce/2", shown if output.style == "csv" else [*shown, result.summary()])
    sys.exit(int(bool(result.mismatches)))
