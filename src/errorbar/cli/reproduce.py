"""``errorbar reproduce``: published tables, cell by cell."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from errorbar.cli.options import format_option, seed_option
from errorbar.cli.progress import progress_bar
from errorbar.cli.render import Cell as Shown
from errorbar.cli.render import Table, show, show_json
from errorbar.cli.show import show_result
from errorbar.core.problems import Problems
from errorbar.reproduce.cells import Cell, Outcome

SCHEMA = "errorbar.reproduce/2"


@click.command("reproduce")
@click.argument("study", metavar="STUDY")
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="Folder with the corpora. [default: cache]"
)
@click.option("--all", "everything", is_flag=True, help="Print every cell, not only those that do not match.")
@seed_option
@format_option
def command(study: str, data: Path | None, everything: bool, seed: int, style: str) -> None:
    """Recompute a paper's tables from the corpora and compare every cell.

    STUDY is conll2014, bryant-ng2015, madnani2011, tetreault-chodorow2008 or hoo2011.

    Exit code 1 if a cell that should match does not. Cells that differ for a known reason, cannot be computed, or that
    we add to the paper's say why.

    \b
    errorbar data fetch conll2014 conll2014-systems && errorbar reproduce conll2014
    errorbar reproduce bryant-ng2015 --data corpora/
    """
    if study == "hoo2011":
        from errorbar.reproduce.hoo2011 import recompute

        found = recompute(None if data is None else str(data), Problems(lenient=True), seed=seed)
        show_result(found, style, schema="errorbar.reproduce-hoo2011/1")
        return
    from errorbar.reproduce import Sources, reproduce

    cells: list[Cell] = []
    with progress_bar("cells") as progress:
        for cell in reproduce(study, Sources(data)):
            cells.append(cell)
            progress(len(cells))
    if style == "json":
        show_json({"schema": SCHEMA, "study": study, "tables": _tables(cells), "cells": [_record(c) for c in cells]})
    elif style == "csv":
        show(_cell_table(cells), style)
    else:
        shown = cells if everything else [cell for cell in cells if cell.outcome == Outcome.MISMATCH]
        if shown:
            show(_cell_table(shown), style)
            click.echo()
        show(_summary(cells), style)
    sys.exit(int(any(cell.outcome == Outcome.MISMATCH for cell in cells)))


def _tables(cells: Sequence[Cell]) -> list[dict[str, object]]:
    counts: dict[str, Counter[Outcome]] = {}
    for cell in cells:
        counts.setdefault(cell.table, Counter())[cell.outcome] += 1
    return [
        {"table": table, "cells": found.total(), **{_key(o): found[o] for o in Outcome}}
        for table, found in counts.items()
    ]


def _key(outcome: Outcome) -> str:
    return outcome.name.lower()


def _summary(cells: Sequence[Cell]) -> Table:
    reasons: dict[str, dict[str, None]] = {}
    for cell in cells:
        if cell.outcome not in (Outcome.MATCH, Outcome.MISMATCH):
            reasons.setdefault(cell.table, {})[f"{cell.known} ({cell.outcome})"] = None
    rows: list[list[Shown]] = [
        [str(t["table"]), str(t["cells"]), *(str(t[_key(outcome)]) for outcome in Outcome)] for t in _tables(cells)
    ]
    total = Counter(cell.outcome for cell in cells)
    rows.append(["all", str(len(cells)), *(str(total[outcome]) for outcome in Outcome)])
    footer = [f"{table}: {reason}" for table, said in reasons.items() for reason in said]
    return Table(["table", "cells", *(str(outcome).lower() for outcome in Outcome)], rows, 1, footer)


def _cell_table(cells: Sequence[Cell]) -> Table:
    rows: list[list[Shown]] = [
        [cell.table, cell.row, cell.column, cell.known, *_numbers(cell), str(cell.outcome)] for cell in cells
    ]
    return Table(["table", "row", "column", "reason", "published", "ours", "difference", "outcome"], rows, 4)


def _numbers(cell: Cell) -> tuple[str, str, str]:
    return _number(cell.published, "g"), _number(cell.ours, ".4f"), _number(cell.difference, "+.4f")


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _record(cell: Cell) -> dict[str, object]:
    return {
        "table": cell.table,
        "row": cell.row,
        "column": cell.column,
        "published": cell.published,
        "ours": cell.ours,
        "difference": cell.difference,
        "outcome": _key(cell.outcome),
        "reason": cell.known,
    }
