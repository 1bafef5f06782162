"""Tables of results as text, CSV, Markdown, LaTeX; computes nothing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from unicodedata import combining, east_asian_width

import click

from errorbar.core.estimate import Estimate
from errorbar.core.visible import visible, visible_json
from errorbar.formats.csv_text import csv_lines
from errorbar.formats.latex_text import escape_latex
from errorbar.formats.markdown_text import escape_markdown

FORMATS = ("table", "json", "csv", "markdown", "latex")

LONGEST_CELL = 200
"""Characters of a cell of a text table; the other formats have all."""

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


def percent(value: float | None) -> str:
    """A fraction in percent with two digits, or a dash where there is no value."""
    return "–" if value is None else f"{100 * value:.2f}"


def interval_text(estimate: Estimate) -> str:
    """An interval in percent, or a dash where there is none."""
    if estimate.interval is None:
        return "–"
    return f"{100 * estimate.interval.low:.2f}–{100 * estimate.interval.high:.2f}"


def interval_record(estimate: Estimate) -> dict[str, object]:
    """An interval as it stands in JSON output, or why there is none."""
    if estimate.interval is None:
        reason = estimate.no_interval or estimate.undefined
        return {"low": None, "high": None, "reason": None if reason is None else str(reason)}
    interval = estimate.interval
    return {
        "low": interval.low,
        "high": interval.high,
        "confidence_level": interval.confidence_level,
        "method": interval.method,
    }


def estimate_record(estimate: Estimate) -> dict[str, object]:
    """An estimate as it stands in JSON output."""
    return {
        "value": estimate.value,
        "n_units": estimate.n_units,
        "n_clusters": estimate.n_clusters,
        "undefined": None if estimate.undefined is None else str(estimate.undefined),
        "interval": interval_record(estimate) if estimate.interval or estimate.no_interval else None,
    }


def show_json(document: object) -> None:
    """Print a JSON document on stdout; what its encoding cannot hold is escaped as JSON does it."""
    beyond = (sys.stdout.encoding or "").lower().replace("-", "") not in ("utf8", "utf16", "utf32")
    click.echo(visible_json(json.dumps(document, ensure_ascii=beyond, indent=1)))


def show(table: Table, style: str) -> None:
    """Print a table on stdout in one of the FORMATS but json."""
    if style == "csv":
        click.echo(csv_lines([table.columns, *table.rows]), nl=False)
    elif style == "markdown":
        click.echo(_markdown(table))
    elif style == "latex":
        click.echo(_latex(table))
    else:
        _show_text(table)


def _text(cell: Cell) -> str:
    return "–" if cell is None else visible(str(cell))


def _cut(text: str) -> str:
    """A cell of a text table, whose width every other row pays for."""
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"


def _markdown(table: Table) -> str:
    rule = ["---" if i < table.text_columns else "---:" for i in range(len(table.columns))]
    lines = [
        [escape_markdown(name) for name in table.columns],
        rule,
        *([escape_markdown(_text(cell)) for cell in row] for row in table.rows),
    ]
    footer = [f"\n{escape_markdown(line)}" for line in table.footer]
    return "\n".join([f"| {' | '.join(line)} |" for line in lines] + footer)


def _latex(table: Table) -> str:
    layout = "".join("l" if i < table.text_columns else "r" for i in range(len(table.columns)))
    lines = [r"\begin{tabular}{" + layout + "}", r"\toprule"]
    lines.append(" & ".join(escape_latex(name) for name in table.columns) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(escape_latex(_text(cell)) for cell in row) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {visible(line)}" for line in table.footer)]
    return "\n".join(lines)


def _show_text(table: Table) -> None:
    columns = [_cut(visible(name)) for name in table.columns]
    rows = [[_cut(_text(cell)) for cell in row] for row in table.rows]
    widths = [max(_width(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    head, *body = (
        " "
        + "  ".join(
            _pad(cell, width, left=i < table.text_columns)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in [columns, *rows]
    )
    rule = " " + "─" * (sum(widths) + 2 * (len(widths) - 1))
    styled = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    click.echo(click.style(head.rstrip(), bold=True) if styled else head.rstrip())
    click.echo("\n".join([rule, *(line.rstrip() for line in body)]))
    if table.footer:
        click.echo()
    for line in map(visible, table.footer):
        click.echo(click.style(line, dim=True) if styled else line)


def _pad(cell: str, width: int, *, left: bool) -> str:
    space = " " * (width - _width(cell))
    return cell + space if left else space + cell


def _width(text: str) -> int:
    """Columns that a text takes on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(c) in "WF" else 0 if combining(c) else 1 for c in text)
