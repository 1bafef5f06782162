"""Tables with named columns in blocks of rows: CSV (comma, tab, semicolon), JSON lines, gzipped or not; Parquet.

Every reader of tables stands on ``table_blocks``. What is wrong with the form of a table is said here, with its line;
what is wrong with a value is for the reader to say.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import isfinite
from typing import NamedTuple, TypeVar

from errorbar.core.errors import Place, nearest
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines, Source, display_name
from errorbar.formats.parquet_file import is_parquet, parquet_columns, parquet_names
from errorbar.formats.untrusted import NotJsonError, parse_json

Value = TypeVar("Value")
DELIMITERS = ",\t;"
MOST_NAMED = 50
"""Columns among which a missing one is looked for."""
BLOCK = 1 << 10
"""Rows taken at a time: few, so that they stay in the cache and out of the garbage collector's old generations."""


class Block(NamedTuple):
    """Some rows under one another, column by column.

    Attributes:
        header: Names of the columns; JSON lines with other keys are another block.
        columns: Values of each: texts in CSV, whatever there is in JSON and Parquet.
        lines: Line of each row, from 1; in Parquet its number.
        texts: Whether all values are texts.
    """

    header: tuple[str, ...]
    columns: Sequence[Sequence[object]]
    lines: Sequence[int]
    texts: bool = False


class TableRow(NamedTuple):
    """One row.

    Attributes:
        values: Column to text; "" where there is nothing.
        place: Where it is.
    """

    values: dict[str, str]
    place: Place


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reader wants of a table.

    Attributes:
        needed: Columns that must be there.
        roles: What a column is for, where its name does not say it.
        kind: First word of the codes of errors.
        column: Code of the error of a column that is not there.
        key: The same for JSON lines.
        single: Columns of which there must be one only; None: all that have a name.
    """

    needed: Sequence[str] = ()
    roles: Sequence[str] = ()
    kind: str = "table"
    column: str = "table-column"
    key: str = "table-column"
    single: Collection[str] | None = None

    def good(self, header: Sequence[str], place: Place, problems: Problems, *, key: bool = False) -> bool:
        """Whether the columns will do; what is wrong with them is recorded."""
        missing = [name for name in self.needed if name not in header]
        for name in missing:
            role = dict(zip(self.needed, self.roles, strict=False)).get(name, name)
            what = f"no column '{name}'{f' for the {role}' if role != name else ''}"
            expected, fix = ", ".join(self.needed), nearest(name, islice(header, MOST_NAMED))
            problems.error(self.key if key else self.column, what, place, expected=expected, fix=fix)
        # Spreadsheets leave columns without a name behind.
        twice = [name for name, times in Counter(header).items() if times > 1 and name]
        twice = [name for name in twice if self.single is None or name in self.single]
        for name in twice:
            problems.error(self.column, f"two columns are called '{name}'", place)
        return not missing and not twice


def table_rows(path: Source, problems: Problems, needed: Sequence[str] | Wanted = ()) -> Iterator[TableRow]:
    """Read a table of texts row by row; the caller raises the problems after the last.

    Args:
        path: The file, or ``-``.
        problems: Where problems go; a row of the wrong width is left out by lenient reading.
        needed: Columns that must be there, or more of what is wanted.

    Raises:
        InputError: If the file cannot be opened, or too many problems are found.
        MissingExtraError: If the file is Parquet and pyarrow is not installed.
    """
    name, parquet = display_name(path), is_parquet(path)
    wanted = needed if isinstance(needed, Wanted) else Wanted(needed)
    for header, columns, lines, _ in table_blocks(path, problems, wanted):
        for line, *values in zip(lines, *columns, strict=True):
            place = Place(name, line)
            if any(isinstance(value, dict | list) for value in values):
                what, has = ("not a flat row", "") if parquet else ("not a flat object", "keys with ")
                code = "table-parquet" if parquet else "table-json"
                problems.error(code, what, place, expected=f"{has}texts, numbers, true or false")
            else:
                yield TableRow({key: _text(value) for key, value in zip(header, values, strict=True)}, place)


def table_blocks(path: Source, problems: Problems, wanted: Wanted) -> Iterator[Block]:
    """Read a table in blocks; errors as of ``table_rows``.

    Rows that cannot be read are no part of a block, and are said after what came before them has been taken.
    """
    if is_parquet(path):
        yield from _parquet_blocks(path, problems, wanted)
        return
    lines = Lines(path, problems)
    if not (first := lines.peek()):
        what = "the file is empty"
        problems.error(f"{wanted.kind}-empty", what, Place(lines.name), expected="a line of column names")
    elif first.lstrip().startswith("{"):
        yield from _json_blocks(lines, problems, wanted)
    else:
        yield from _csv_blocks(lines, problems, wanted, first)


def header_of(path: Source) -> list[str]:
    """The names of a table's columns; of JSON lines the keys of the first."""
    if is_parquet(path):
        return parquet_names(path)
    first = Lines(path, Problems(lenient=True)).peek()
    record = json_record(first)
    return list(record) if record is not None else _fields(first, _delimiter(first, ()))


def json_record(line: str) -> dict[str, object] | None:
    """The object that a line is; None where it is none, and the reader of tables says why."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        record = parse_json(line)
    except NotJsonError:
        return None
    return record if isinstance(record, dict) else None


def _fields(line: str, delimiter: str) -> list[str]:
    return [field.strip().strip('"') for field in line.split(delimiter)]


def _delimiter(line: str, needed: Sequence[str]) -> str:
    """The delimiter that makes the needed names of the header; else the most frequent."""
    making = (sign for sign in DELIMITERS if needed and {*needed} <= {*_fields(line, sign)})
    return next(making, max(DELIMITERS, key=line.count))


def _csv_blocks(lines: Lines, problems: Problems, wanted: Wanted, first: str) -> Iterator[Block]:
    reader = csv.reader(
        chain.from_iterable(_ended(lines.blocks())), delimiter=_delimiter(first, wanted.needed), strict=True
    )
    header: tuple[str, ...] = ()
    try:
        for fields in reader:
            if fields:
                header = tuple(field.strip() for field in fields)
                break
        if not wanted.good(header, Place(lines.name, reader.line_num), problems):
            return
        while True:
            before, rows, broken = reader.line_num, list[list[str]](), None
            try:
                rows.extend(islice(reader, BLOCK))
            except csv.Error as error:
                broken = error
            yield from _of_one_width(header, rows, before, reader.line_num, lines.name, problems, wanted.kind)
            if broken is not None:
                raise broken
            if not rows:
                return
    except csv.Error as error:
        place = Place(lines.name, reader.line_num)
        problems.error(f"{wanted.kind}-csv", f"not CSV: {error}", place, expected="fields quoted as in RFC 4180")


def _ended(blocks: Iterator[list[str]]) -> Iterator[list[str]]:
    """Lines for the reader of CSV, which asks for line ends inside quotes only: there each is one LF."""
    quoted = False
    for block in blocks:
        quoted = quoted or '"' in "".join(block)
        yield [f"{line}\n" for line in block] if quoted else block


def _of_one_width(
    header: tuple[str, ...], rows: list[list[str]], before: int, after: int, name: str, problems: Problems, kind: str
) -> Iterator[Block]:
    """Cut rows where one is blank or has another width, after which the lines are counted anew."""
    width = len(header)
    if after - before == len(rows) and set(map(len, rows)) <= {width}:
        if rows:
            yield Block(header, _turned(rows), range(before + 1, after + 1), texts=True)
        return
    good: list[list[str]] = []
    lines: list[int] = []
    line = before
    for fields in rows:
        line += 1 + sum(field.count("\n") for field in fields)
        if len(fields) == width:
            good.append(fields)
            lines.append(line)
        elif fields:
            if good:
                yield Block(header, _turned(good), lines, texts=True)
                good, lines = [], []
            what = f"{len(fields)} fields in a table of {width} columns"
            repair, place = "the row is left out", Place(name, line)
            problems.repairable(f"{kind}-fields", what, place, repair=repair, expected=f"{width} fields")
    if good:
        yield Block(header, _turned(good), lines, texts=True)


def _json_blocks(lines: Lines, problems: Problems, wanted: Wanted) -> Iterator[Block]:
    header: tuple[str, ...] = ()
    rows: list[list[object]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record: object = None
        wrong = ""
        try:
            record = parse_json(line)
        except NotJsonError as error:
            wrong = f"not JSON: {error}"
        keys = tuple(record) if isinstance(record, dict) else ()
        if rows and (keys != header or len(rows) == BLOCK):
            yield Block(header, _turned(rows), numbers)
            rows, numbers = [], []
        if not isinstance(record, dict):
            expected = "" if wrong else "keys with texts, numbers, true or false"
            problems.error(
                f"{wanted.kind}-json", wrong or "not a flat object", Place(lines.name, number), expected=expected
            )
        elif (rows and keys == header) or wanted.good(keys, Place(lines.name, number), problems, key=True):
            header = keys
            rows.append(list(record.values()))
            numbers.append(number)
    if rows:
        yield Block(header, _turned(rows), numbers)


def _parquet_blocks(path: Source, problems: Problems, wanted: Wanted) -> Iterator[Block]:
    place, number = Place(display_name(path)), 0
    header = tuple(parquet_names(path))
    if not wanted.good(header, place, problems):
        return
    for columns in parquet_columns(path):
        n = len(columns[0]) if columns else 0
        yield Block(header, columns, range(number + 1, number + n + 1))
        number += n
    if not number and not problems.errors:
        problems.error(f"{wanted.kind}-empty", "the file has no row", place)


def finite(value: object) -> float | None:
    """A number, or a text that is one; None where it is none, or not finite."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _turned(rows: Sequence[Sequence[Value]]) -> list[tuple[Value, ...]]:
    return list(zip(*rows, strict=True))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
