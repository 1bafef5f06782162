"""Small tables with named columns: CSV (comma, tab or semicolon) or JSON lines, gzipped or not, row by row."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from errorbar.core.errors import Place, nearest
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines, Source

DELIMITERS = ",\t;"


class TableRow(NamedTuple):
    """One row.

    Attributes:
        values: Column to text; "" where there is nothing.
        place: Where it is.
    """

    values: dict[str, str]
    place: Place


def table_rows(path: Source, problems: Problems, needed: Sequence[str] = ()) -> Iterator[TableRow]:
    """Read a table; the caller raises the problems after the last row.

    Args:
        path: The file, or ``-``.
        problems: Where problems go; a row of the wrong width is left out by lenient reading.
        needed: Columns that must be there.

    Raises:
        InputError: If the file cannot be opened, or too many problems are found.
    """
    lines = Lines(path, problems)
    if not (first := lines.peek()):
        problems.error("table-empty", "the file is empty", Place(lines.name), expected="a line of column names")
    elif first.lstrip().startswith("{"):
        yield from _json_rows(lines, problems, needed)
    else:
        yield from _csv_rows(lines, problems, needed, first)


def _csv_rows(lines: Lines, problems: Problems, needed: Sequence[str], first: str) -> Iterator[TableRow]:
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    header: list[str] = []
    try:
        for fields in reader:
            place = Place(lines.name, reader.line_num)
            if not fields:
                continue
            if not header:
                header = [field.strip() for field in fields]
                if not _good_header(header, needed, place, problems):
                    return
            elif len(fields) != len(header):
                what = f"{len(fields)} fields in a table of {len(header)} columns"
                problems.repairable("table-fields", what, place, repair="the row is left out")
            else:
                yield TableRow(dict(zip(header, fields, strict=True)), place)
    except csv.Error as error:
        problems.error("table-csv", f"not CSV: {error}", Place(lines.name, reader.line_num))


def _json_rows(lines: Lines, problems: Problems, needed: Sequence[str]) -> Iterator[TableRow]:
    for number, line in enumerate(lines, 1):
        place = Place(lines.name, number)
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            problems.error("table-json", f"not JSON: {error.msg} at column {error.colno}", place)
            continue
        if not isinstance(record, dict) or any(isinstance(value, dict | list) for value in record.values()):
            problems.error("table-json", "not a flat object", place, expected="keys with texts, numbers, true or false")
        elif _good_header(list(record), needed, place, problems):
            yield TableRow({key: _text(value) for key, value in record.items()}, place)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _good_header(header: Sequence[str], needed: Sequence[str], place: Place, problems: Problems) -> bool:
    good = True
    for name in needed:
        if name not in header:
            expected = ", ".join(needed)
            problems.error("table-column", f"no column '{name}'", place, expected=expected, fix=nearest(name, header))
            good = False
    for name in set(header):
        if header.count(name) > 1:
            problems.error("table-column", f"two columns are called '{name}'", place)
            good = False
    return good
