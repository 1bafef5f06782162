"""Plain text and tables in Markdown."""

from __future__ import annotations

import re

from errorbar.core.errors import visible
from errorbar.tables.shown import Grid

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))")
_LIST = re.compile(r"^(\s*)([-+]|\d+[.)])(\s)")


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no markup, no HTML, no cell that ends early."""
    line = _SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))
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
