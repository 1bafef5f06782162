"""CSV that people open: in a terminal, where nothing may act on it, and in a spreadsheet, which runs formulas.

Conventions
    Control characters are shown, as everywhere. A cell that a spreadsheet would take for a formula, because it starts
    with ``=``, ``+``, ``-`` or ``@`` and is no number, gets an apostrophe before it. Numbers stay numbers. What a
    program reads back (judgments, drawn samples) is not written this way: it keeps every name as it is.
Source
    OWASP, CSV Injection, for the characters; the wide forms act as formulas in East Asian versions.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from errorbar.core.errors import visible
from errorbar.tables.plain import Plain, plain
from errorbar.tables.table import Table

_STARTS = tuple("=+-@＝＋－＠")
_NUMBER = re.compile(r"[+-]?(\d[\d,]*(\.\d*)?|\.\d+)([eE][+-]?\d+)? ?%?")


def inert(text: str) -> str:
    """A cell that is shown and never run."""
    shown = visible(text)
    if not shown.startswith(_STARTS) or len(shown) == 1 or _NUMBER.fullmatch(shown):
        return shown
    return f"'{shown}"


def csv_lines(rows: Iterable[Sequence[Plain]]) -> str:
    """Rows as CSV for people; None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def csv_table(table: Table) -> str:
    """A table as CSV, at full precision: columns as ``plain`` has them."""
    columns = plain(table)
    return csv_lines([list(columns), *zip(*columns.values(), strict=True)])


def _cell(cell: Plain) -> Plain:
    if isinstance(cell, bool):
        return str(cell).lower()
    return inert(cell) if isinstance(cell, str) else cell
