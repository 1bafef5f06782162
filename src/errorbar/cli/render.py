"""Tables of texts that are formatted already; new commands make raw tables (``errorbar.tables``, ``cli.show``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from errorbar.cli.show import is_styled, show_json
from errorbar.core.estimate import Estimate
from errorbar.tables import FORMATS
from errorbar.tables.csv_text import csv_lines
from errorbar.tables.latex_text import latex_table
from errorbar.tables.markdown_text import markdown_table
from errorbar.tables.plain_text import text_table
from errorbar.tables.records import estimate_record, interval_record
from errorbar.tables.shown import DASH, Grid, Shown, percent

__all__ = [
    "FORMATS",
    "Cell",
    "Table",
    "estimate_record",
    "interval_record",
    "interval_text",
    "percent",
    "show",
    "show_json",
]

Cell = str | int | float | None


@dataclass(slots=True)
class Table:
    """Rows to print.

    Attributes:
        columns: Headings.
        rows: Cells; numbers are formatted already where they need a format.
        text_columns: How many leading columns hold text; the others are aligned right.
        footer: Lines below the table, not part of the data.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    text_columns: int = 1
    footer: Sequence[str] = field(default_factory=tuple)


def interval_text(estimate: Estimate) -> str:
    """An interval in percent, or a dash where there is none."""
    if estimate.interval is None:
        return DASH
    return f"{percent(estimate.interval.low)}{DASH}{percent(estimate.interval.high)}"


def show(table: Table, style: str) -> None:
    """Print a table on stdout in one of the FORMATS but json."""
    if style == "csv":
        click.echo(csv_lines([table.columns, *table.rows]), nl=False)
        return
    rows = [[Shown(DASH if cell is None else str(cell)) for cell in row] for row in table.rows]
    grid = Grid(table.columns, rows, [at < table.text_columns for at in range(len(table.columns))], table.footer)
    if style == "markdown":
        click.echo(markdown_table(grid))
    elif style == "latex":
        click.echo(latex_table(grid))
    else:
        click.echo(text_table(grid, styled=is_styled()))
