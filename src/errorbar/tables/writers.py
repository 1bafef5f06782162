"""Tables as text for a terminal and in Markdown, and as each command prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from errorbar.core.errors import visible
from errorbar.tables.plain import csv_tables
from errorbar.tables.shown import Grid, shown
from errorbar.tables.table import Table

LONGEST_CELL = 200
"""Characters of a cell of a text table, whose width every other row pays for; the other formats have all."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))")
_LIST = re.compile(r"^(\s*)([-+]|\d+[.)])(\s)")


def tables_text(tables: Sequence[Table], style: str, *, styled: bool = False) -> str:
    """Tables in one of ``FORMATS`` but JSON, with an empty line between; styled: with bold and faint text."""
    if style == "csv":
        return csv_tables(tables).removesuffix("\n")
    grids = map(shown, tables)
    if style == "markdown":
        return "\n\n".join(map(markdown_table, grids))
    if style == "latex":
        from errorbar.tables.latex_text import latex_table  # noqa: PLC0415 - one of five styles

        return "\n\n".join(map(latex_table, grids))
    return "\n\n".join(text_table(grid, styled=styled) for grid in grids)


def text_table(grid: Grid, *, styled: bool = False) -> str:
    """A table in columns, and its notes below an empty line; styled: headings are bold, notes faint."""
    head, *body = [[_cut(name) for name in grid.columns], *([_cut(cell.text) for cell in row] for row in grid.rows)]
    widths = [max(map(_width, column)) for column in zip(head, *body, strict=True)]
    first, *lines = (" " + "  ".join(map(_pad, row, widths, grid.left)).rstrip() for row in (head, *body))
    rule = " " + "─" * (sum(widths) + 2 * (len(widths) - 1))
    notes = [f"\x1b[2m{visible(note)}\x1b[0m" if styled else visible(note) for note in grid.notes]
    return "\n".join([f"\x1b[1m{first}\x1b[0m" if styled else first, rule, *lines, *(["", *notes] if notes else [])])


def _cut(text: str) -> str:
    seen = visible(text)
    return seen if len(seen) <= LONGEST_CELL else f"{seen[:LONGEST_CELL]}…"


def _pad(cell: str, width: int, left: bool) -> str:
    space = " " * (width - _width(cell))
    return cell + space if left else space + cell


def _width(text: str) -> int:
    """Columns that a text takes on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(c) in "WF" else 0 if combining(c) else 1 for c in text)


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no markup, no HTML, no cell that ends early."""
    line = _MARKUP.sub(r"\\\1", visible(" ".join(text.split())))
    return _LIST.sub(r"\1\\\2\3", line) if not line[:1].isdigit() else re.sub(r"^(\d+)([.)])(\s)", r"\1\\\2\3", line)


def markdown_table(grid: Grid) -> str:
    """A table as GitHub and pandoc know it, its notes below as a list."""
    lines = [
        [escape_markdown(name) for name in grid.columns],
        ["---" if left else "---:" for left in grid.left],
        *([escape_markdown(cell.text) for cell in row] for row in grid.rows),
    ]
    notes = ["", *(f"- {escape_markdown(note)}" for note in grid.notes)] if grid.notes else []
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), *notes])
