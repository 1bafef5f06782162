"""Rows of CSV that a spreadsheet opens without running what is in them, and that are read as they were."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from io import StringIO

_STARTS = tuple("'=+-@＝＋－＠\t\r\n")
_FORMULA = re.compile("'*[=+\\-@＝＋－＠\\t\\r\\n].", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d[\d,]*(\.\d*)?|\.\d+)([eE][+-]?\d+)? ?%?")


def csv_line(fields: Iterable[object]) -> str:
    """A row of CSV, without its line end; texts pass ``guard_cell``, None is an empty cell."""
    buffer = StringIO()
    csv.writer(buffer, lineterminator="").writerow(
        guard_cell(cell) if isinstance(cell, str) else cell for cell in fields
    )
    return buffer.getvalue()


def guard_cell(text: str) -> str:
    """A text as a cell of CSV: an apostrophe stands before what a spreadsheet would run as a formula.

    Readers of CSV take it away again (``unguard_cell``), so that a table written here is read as it was. A text that
    looks guarded already gets another apostrophe.

    Source: OWASP, CSV Injection, for the characters; the wide forms act as formulas in East Asian versions.
    """
    return f"'{text}" if _is_formula(text) else text


def unguard_cell(cell: str) -> str:
    """The text of a cell of CSV."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _is_formula(text: str) -> bool:
    """Whether a text, without apostrophes before it, is more than a sign and no number."""
    return text.startswith(_STARTS) and _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None
