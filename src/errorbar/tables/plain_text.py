"""Tables for a terminal."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from errorbar.core.errors import visible
from errorbar.tables.shown import Grid

LONGEST_CELL = 200
"""Characters of a cell of a text table, whose width every other row pays for; the other formats have all."""


def text_table(grid: Grid, *, styled: bool = False) -> str:
    """A table in columns, and its notes below an empty line.

    Args:
        grid: The table.
        styled: For a terminal that knows bold (the headings) and faint (the notes).
    """
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
