"""Rows of a table with named columns: CSV (comma, tab or semicolon), JSON lines or Parquet, as text."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from os import fspath

from errorbar.core.errors import Place, nearest
from errorbar.core.problems import Problems
from errorbar.formats import tables
from errorbar.formats.opening import Lines, Source

Row = Mapping[str, str]
_DELIMITERS = ",\t;"


def table_rows(path: Source, problems: Problems, needed: Sequence[str]) -> Iterator[tuple[Place, Row]]:
    """Yield each row with its place; a JSON value that is missing or null is "".

    The caller raises the problems after the last row.

    Args:
        path: The file, gzipped or not, or ``-``.
        problems: Where problems go.
        needed: Columns that must be there.

    Raises:
        InputError: If the file cannot be opened, or too many problems are found.
        MissingExtraError: If the file is Parquet (by its ending) and pyarrow is not installed.
    """
    if fspath(path).endswith(".parquet"):
        yield from ((row.place, row.values) for row in tables.table_rows(path, problems, needed))
        return
    lines = Lines(path, problems)
    if lines.peek().lstrip().startswith("{"):
        yield from _json_rows(lines, problems, needed)
    else:
        yield from _csv_rows(lines, problems, needed)


def _csv_rows(lines: Lines, problems: Problems, needed: Sequence[str]) -> Iterator[tuple[Place, Row]]:
    head = lines.peek()
    delimiter = max(_DELIMITERS, key=lambda sign: (head.count(sign), sign == ","))
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    try:
        for fields in reader:
            place = Place(lines.name, reader.line_num)
            if not fields:
                continue
            if header is None:
                header = [field.strip() for field in fields]
                if not _has_columns(header, needed, place, problems):
                    return
            elif len(fields) != len(header):
                what = f"{len(fields)} fields in a table of {len(header)} columns"
                problems.error("sample-fields", what, place, expected=f"{len(header)} fields")
            else:
                yield place, {name: field.strip() for name, field in zip(header, fields, strict=True)}
    except csv.Error as error:
        place = Place(lines.name, reader.line_num)
        problems.error("sample-fields", f"not CSV: {error}", place, expected="fields quoted as in RFC 4180")
    if header is None:
        what = "the file is empty"
        problems.error("sample-columns", what, Place(lines.name), expected=f"columns {', '.join(needed)}")


def _json_rows(lines: Lines, problems: Problems, needed: Sequence[str]) -> Iterator[tuple[Place, Row]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = Place(lines.name, number)
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            problems.error("sample-fields", f"not JSON: {error.msg} at column {error.colno}", place)
            continue
        if not isinstance(record, dict):
            problems.error("sample-fields", f"the line is {type(record).__name__}", place, expected="a JSON object")
            continue
        row = {str(name): "" if value is None else _text(value) for name, value in record.items()}
        if _has_columns(list(row), needed, place, problems):
            yield place, row


def _text(value: object) -> str:
    return str(value).casefold() if isinstance(value, bool) else str(value)


def _has_columns(header: Sequence[str], needed: Sequence[str], place: Place, problems: Problems) -> bool:
    for name in needed:
        if header.count(name) != 1:
            what = f"no column '{name}'" if name not in header else f"two columns are called '{name}'"
            fix = nearest(name, header) if name not in header else ""
            problems.error("sample-columns", what, place, expected=f"columns {', '.join(needed)}", fix=fix)
            return False
    return True
