"""Tables as text for a terminal, in Markdown and in LaTeX, and texts as these two show them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from errorbar.core.errors import visible
from errorbar.tables.plain import csv_tables
from errorbar.tables.shown import Grid, shown
from errorbar.tables.table import Table

WIDE = 8
"""Tables with more columns are set small in a LaTeX document."""
LONG = 40
"""Characters of a text that is broken into lines in a LaTeX document."""
LONGEST_CELL = 200
"""Characters of a cell of a text table, whose width every other row pays for; the other formats have all."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))")
_LIST = re.compile(r"^(\s*)([-+]|\d+[.)])(\s)")
_NAMES = zip(r'~^\<>|"', ["asciitilde", "asciicircum", "backslash", "less", "greater", "bar", "quotedbl"], strict=True)
_COMMANDS = {ord(char): f"\\{char}" for char in "&%$#_{}"} | {ord("≤"): r"$\leq$"}
_COMMANDS |= {ord(char): f"\\text{name}{{}}" for char, name in _NAMES}


def tables_text(tables: Sequence[Table], style: str, *, styled: bool = False) -> str:
    """Tables in one of ``FORMATS`` but JSON, with an empty line between; styled: with bold and faint text."""
    if style == "csv":
        return csv_tables(tables).removesuffix("\n")
    writers = {"markdown": markdown_table, "latex": latex_table}
    grids = map(shown, tables)
    if style in writers:
        return "\n\n".join(map(writers[style], grids))
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


def escape_latex(text: str) -> str:
    """Text that LaTeX sets as it is, on one line; a bracket at the start of a line would be read as an option."""
    line = visible(" ".join(text.split())).translate(_COMMANDS)
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def latex_table(grid: Grid, *, document: bool = False) -> str:
    """A table for the package booktabs: a bare ``tabular``, its notes comments.

    In a whole document it is one for longtable, with a caption, notes as text, set small where it is wide.
    """
    head = " & ".join(escape_latex(name) for name in grid.columns) + r" \\"
    rows = [" & ".join(escape_latex(cell.text) for cell in row) + r" \\" for row in grid.rows]
    if not document:
        start = r"\begin{tabular}{" + "".join("l" if left else "r" for left in grid.left) + "}"
        notes = [f"% {visible(note)}" for note in grid.notes]
        lines = [start, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", *notes]
        return "\n".join(lines)
    layout = "".join(_layout(grid, at) for at in range(len(grid.columns)))
    caption = rf"\caption{{{escape_latex(grid.title)}}}\label{{tab:{grid.name}}}\\"
    lines = [rf"\begin{{longtable}}{{{layout}}}", caption, r"\toprule", head, r"\midrule\endhead", *rows]
    lines += [r"\bottomrule", r"\end{longtable}"]
    if len(grid.columns) > WIDE:
        lines = [r"{\footnotesize", *lines, "}"]
    return "\n".join([*lines, *(f"{escape_latex(note)}\n" for note in grid.notes)])


def _layout(grid: Grid, at: int) -> str:
    """How a column is set: numbers to the right, long text in lines."""
    if not grid.left[at]:
        return "r"
    return "p{5cm}" if any(len(row[at].text) > LONG for row in grid.rows) else "l"
