"""Small tables with named columns, row by row: CSV (comma, tab, semicolon), JSON lines, gzipped or not; Parquet."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from errorbar.core.errors import Place, nearest
from errorbar.core.problems import Problems
from errorbar.formats.json_text import NotJsonError, parse_json
from errorbar.formats.opening import Lines, Source, display_name
from errorbar.formats.parquet_file import is_parquet, parquet_columns, parquet_names

DELIMITERS = ",\t;"
MOST_NAMED = 50
"""Columns among which a missing one is looked for."""


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
        MissingExtraError: If the file is Parquet (by its ending) and pyarrow is not installed.
    """
    if is_parquet(path):
        yield from _parquet_rows(path, problems, needed)
        return
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
            record = parse_json(line)
        except NotJsonError as error:
            problems.error("table-json", f"not JSON: {error}", place)
            continue
        if not isinstance(record, dict) or any(isinstance(value, dict | list) for value in record.values()):
            problems.error("table-json", "not a flat object", place, expected="keys with texts, numbers, true or false")
        elif _has(record, needed, place, problems):
            yield TableRow({key: _text(value) for key, value in record.items()}, place)


def _parquet_rows(path: Source, problems: Problems, needed: Sequence[str]) -> Iterator[TableRow]:
    name = display_name(path)
    number = 0
    header = parquet_names(path)
    if not _good_header(header, needed, Place(name), problems):
        return
    for columns in parquet_columns(path):
        for values in zip(*columns, strict=True):
            number += 1
            place = Place(name, number)
            if any(isinstance(value, dict | list) for value in values):
                problems.error("table-parquet", "not a flat row", place, expected="texts, numbers, true or false")
                continue
            yield TableRow({key: _text(value) for key, value in zip(header, values, strict=True)}, place)
    if not number and not problems.errors:
        problems.error("table-empty", "the file has no row", Place(name))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _good_header(header: Sequence[str], needed: Sequence[str], place: Place, problems: Problems) -> bool:
    good = _has(header, needed, place, problems)
    for name, times in Counter(header).items():
        if name and times > 1:  # spreadsheets leave empty columns behind
            problems.error("table-column", f"two columns are called '{name}'", place)
            good = False
    return good


def _has(header: Collection[str], needed: Sequence[str], place: Place, problems: Problems) -> bool:
    missing = [name for name in needed if name not in header]
    for name in missing:
        expected, fix = ", ".join(needed), nearest(name, islice(header, MOST_NAMED))
        problems.error("table-column", f"no column '{name}'", place, expected=expected, fix=fix)
    return not missing
