"""Tables of results as text, CSV, Markdown, LaTeX; computes nothing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from errorbar.core.estimate import Estimate

WIDEST = 10_000
FORMATS = ("table", "json", "csv", "markdown", "latex")

Cell = str | int | float | None

_LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)


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
        return {"low": None, "high": None, "reason": str(estimate.no_interval)}
    interval = estimate.interval
    return {
        "low": interval.low,
        "high": interval.high,
        "confidence_level": interval.confidence_level,
        "method": interval.method,
    }


def show_json(document: object) -> None:
    """Print a JSON document on stdout."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def show(table: Table, style: str) -> None:
    """Print a table on stdout in one of the FORMATS but json."""
    if style == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in table.rows)
        click.echo(buffer.getvalue(), nl=False)
    elif style == "markdown":
        click.echo(_markdown(table))
    elif style == "latex":
        click.echo(_latex(table))
    else:
        _show_text(table)


def _text(cell: Cell) -> str:
    return "–" if cell is None else str(cell)


def _markdown(table: Table) -> str:
    rule = ["---" if i < table.text_columns else "---:" for i in range(len(table.columns))]
    lines = [
        list(table.columns),
        rule,
        *([_text(cell).replace("|", "\\|") for cell in row] for row in table.rows),
    ]
    footer = [f"\n{line}" for line in table.footer]
    return "\n".join([f"| {' | '.join(line)} |" for line in lines] + footer)


def _latex(table: Table) -> str:
    layout = "".join("l" if i < table.text_columns else "r" for i in range(len(table.columns)))
    lines = [r"\begin{tabular}{" + layout + "}", r"\toprule"]
    lines.append(" & ".join(name.translate(_LATEX) for name in table.columns) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(_text(cell).translate(_LATEX) for cell in row) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {line}" for line in table.footer)]
    return "\n".join(lines)


def _show_text(table: Table) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for i, name in enumerate(table.columns):
        left = i < table.text_columns
        grid.add_column(Text(name), justify="left" if left else "right", overflow="fold", no_wrap=not left)
    for row in table.rows:
        grid.add_row(*[Text(_text(cell)) for cell in row])
    console = Console(highlight=False)
    widest = console.measure(grid, options=console.options.update(max_width=WIDEST)).maximum
    console.width = max(console.width, widest)  # a narrow terminal wraps lines; no cell is ever cut
    with console.capture() as captured:
        console.print(grid)
    lines = captured.get().split("\n")
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    click.echo(text, color=True)  # rich has decided about colors already
    if table.footer:
        click.echo()
    for line in table.footer:
        click.secho(line, dim=console.is_terminal and not console.no_color)
