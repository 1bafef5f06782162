"""``errorbar reproduce``: published tables, cell by cell."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from errorbar.cli.command import Command
from errorbar.cli.options import refuse_given, seed_option
from errorbar.cli.show import Output, output_options
from errorbar.cli.talk import progress_bar

HOO = "hoo2011"


@click.command("reproduce", cls=Command)
@click.argument("study", metavar="STUDY")
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="Folder with the corpora.  [default: cache]"
)
@click.option("--all", "everything", is_flag=True, help="Print every cell, not only those that do not match.")
@seed_option
@output_options
def command(study: str, data: Path | None, everything: bool, seed: int, output: Output) -> None:
    """Recompute a paper's tables from the corpora and compare every cell.

    STUDY is conll2014, bryant-ng2015, madnani2011, tetreault-chodorow2008 or hoo2011.

    Exit code 1 if a cell that should match does not. Cells that differ for a known reason, cannot be computed, or that
    we add to the paper's say why.

    \b
    errorbar data fetch conll2014 conll2014-systems && errorbar reproduce conll2014
    errorbar reproduce bryant-ng2015 --data corpora/
    """
    if study == HOO:
        from errorbar.core.problems import Problems
        from errorbar.reproduce.hoo2011 import recompute

        refuse_given(("everything",), f"is about cells that match, and {HOO} prints every cell")
        tables = recompute(None if data is None else str(data), Problems(lenient=True), seed=seed)
        output.show(tables, "errorbar.reproduce-hoo2011/1")
        return
    from errorbar.reproduce import Cell, Reproduction, Sources, cell_table, reproduce

    refuse_given(("seed",), f"is about the simulated teams of {HOO}")
    cells: list[Cell] = []
    with progress_bar("cells") as progress:
        for cell in reproduce(study, Sources(data)):
            cells.append(cell)
            progress(len(cells))
    found = Reproduction(study, cells)
    listed = cells if everything or output.style == "csv" else found.mismatches
    shown = [cell_table(listed)] if listed else []
    output.show(found, "errorbar.reproduce/2", shown if output.style == "csv" else [*shown, found.summary()])
    sys.exit(int(bool(found.mismatches)))
