"""The values of a receipt: every cell of a report's tables, every score of a task, each under a path of its own.

Conventions
    Numbers are rounded to 12 significant digits, fractions as in JSON output. Compared are the rounded ones: equal, or
    apart by at most 1e-9 of the larger one (1e-12 where both are small): other processors and libraries add in
    another order. Fields in ``SOLVED`` end a search that a library's approximation steers: they are equal if apart by
    at most 1e-6, whole numbers among them by one. A text is a value if it is a verdict or all numbers, as ``18 / 33``.
    Signatures, which name versions and inputs, are none, nor are warnings and sentences, which may quote data.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from math import isclose, isfinite
from typing import Any, SupportsFloat

from errorbar.reporting.blocks import Block, Chart
from errorbar.tables.plain import Plain, plain
from errorbar.tables.table import Table

DIGITS = 12
TOLERANCE, SMALL = 1e-9, 1e-12
SOLVED = frozenset({"detectable_difference", "power_at_one_point", "units_needed_for_one_point"})
"""Fields of ``errorbar.stats.power``: scipy 1.14 and 1.17 have noncentral t that differ from the eighth digit on."""
SOLVED_TOLERANCE = 1e-6
MOST = 1 << 63  # whole numbers are below it
ROUNDING = f"{DIGITS} significant digits"
_NO_VALUES = ("signature", "late", "submitted", "file", "errors")
_NO_TABLES = ("signature", "warnings")
"""How names of tables begin that hold no values."""
_VERDICTS = ("result", "group", "reason", "better_than", "undecided", "above")
_NUMBERS = re.compile(r"(?=\D*\d)[\d\s.,/%+–−-]+")
_TELLING = ("corpus", "team", "system", "run", "metric", "estimand", "name", "type", "row")
"""Keys by which records of a list are told apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not what it was; None on one side: it is not there."""

    path: str
    recorded: Plain
    here: Plain


def rounded(value: object) -> Plain:
    """A value as a receipt has it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if not isinstance(value, SupportsFloat):  # numpy's numbers are
        raise TypeError(f"{type(value).__name__} is no value of a receipt")
    number = float(f"{float(value):.{DIGITS}g}")
    return number if isfinite(number) else str(number)


def is_value(value: object) -> bool:
    """Whether a receipt can hold it: no list, no NaN, and no number that none other can be compared with."""
    if isinstance(value, int | float):
        return isfinite(value) if isinstance(value, float) else abs(value) < MOST
    return isinstance(value, str | None)


def table_values(blocks: Iterable[Block]) -> dict[str, Plain]:
    """Every cell of the tables of a report, those behind charts included: ``table/row/column`` to value."""
    found: dict[str, Plain] = {}
    for block in blocks:
        table = block.table if isinstance(block, Chart) else block
        if isinstance(table, Table) and not table.name.startswith(_NO_TABLES):
            for path, value in _cells(table):
                found.setdefault(path, value)
    return found


def _cells(table: Table) -> Iterator[tuple[str, Plain]]:
    columns = plain(table)
    naming, rows = _row_names(columns, len(table.rows))
    for key, cells in columns.items():
        if key in _NO_VALUES or key in naming:
            continue
        for row, cell in zip(rows, cells, strict=True):
            if not isinstance(cell, str) or (cell and key in _VERDICTS) or _NUMBERS.fullmatch(cell):
                yield f"{table.name}/{row}/{key}", rounded(cell)


def _row_names(columns: Mapping[str, Sequence[Plain]], n_rows: int) -> tuple[Sequence[str], list[str]]:
    """The columns that tell the rows of a table apart, as many of its first ones of text as it takes, and their names.

    Rows that no texts tell apart are numbered.
    """
    texts = [key for key, cells in columns.items() if key != "letter" and all(isinstance(cell, str) for cell in cells)]
    for k in range(1, len(texts) + 1):
        names = [", ".join(map(str, row)) for row in zip(*(columns[key] for key in texts[:k]), strict=True)]
        if len(set(names)) == n_rows:
            return texts[:k], names
    return (), [str(number) for number in range(1, n_rows + 1)]


def record_values(record: object) -> dict[str, Plain]:
    """Every value of a JSON document, records of a list under what tells them apart."""
    found: dict[str, Plain] = {}
    for path, value in _leaves(record, ""):
        names = chain([path], (f"{path} #{number}" for number in count(2)))
        found[next(name for name in names if name not in found)] = value
    return found


def _leaves(record: object, path: str) -> Iterator[tuple[str, Plain]]:
    if isinstance(record, Mapping):
        for key, value in record.items():
            if key not in _NO_VALUES and not (key in _TELLING and isinstance(value, str | int)):
                yield from _leaves(value, f"{path}/{key}" if path else str(key))
    elif isinstance(record, list | tuple):
        for number, each in enumerate(record, 1):
            yield from _leaves(each, f"{path}/{_called(each, number)}")
    else:
        yield path, rounded(record)


def _called(record: object, number: int) -> str:
    if isinstance(record, Mapping):
        told = [str(record[key]) for key in _TELLING if isinstance(record.get(key), str | int)]
        if told:
            return ", ".join(told)
    return str(number)


def digest(values: Mapping[str, Plain]) -> str:
    """SHA-256 of the values as JSON: keys sorted, no space, ASCII."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def compare_values(recorded: Mapping[str, Any], here: Mapping[str, Plain]) -> tuple[list[Difference], int]:
    """What differs, in the order of the receipt, and how many values are within the tolerance only.

    Where there is no value there may be no row either.
    """
    different: list[Difference] = []
    near = 0
    for path in [*recorded, *(each for each in here if each not in recorded)]:
        before, now = recorded.get(path), here.get(path)
        if not _alike(before, now, solved=path.rpartition("/")[2] in SOLVED):
            different.append(Difference(path, before, now))
        else:
            near += before != now
    return different, near


def _alike(before: Plain, now: Plain, *, solved: bool) -> bool:
    numbers = [each for each in (before, now) if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) == 2 and solved:
        whole = all(isinstance(number, int) for number in numbers)
        return isclose(*numbers, rel_tol=SOLVED_TOLERANCE, abs_tol=1 if whole else SMALL)
    if len(numbers) == 2:
        return isclose(*numbers, rel_tol=TOLERANCE, abs_tol=SMALL)
    return type(before) is type(now) and before == now
