"""Tables with named columns in blocks of rows: CSV (comma, tab, semicolon), JSON lines, gzipped or not; Parquet.

The apostrophes that keep a spreadsheet from running cells of CSV are taken away: see ``core.csv_cells``. What is wrong
with the form of a table is said here, with its line; what is wrong with a value, by its reader.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import accumulate, chain, groupby, islice
from math import isfinite
from typing import NamedTuple

from errorbar.core.csv_cells import unguard_cell
from errorbar.core.problems import Place, Problems, nearest, shell_words
from errorbar.formats.catalog import format_of
from errorbar.formats.look import Lines, Source, display_name, look
from errorbar.formats.untrusted import NotJsonError, json_record, parquet_columns, parquet_names, parse_json

DELIMITERS = ",\t;"
MOST_NAMED = 50  # columns among which a missing one is looked for
OTHER_NAMES = {
    "item": ("item", "sentence", "unit", "question", "segment", "example", "task", "text", "id"),
    "rater": ("rater", "annotator", "worker", "judge", "coder", "user", "participant", "assessor"),
    "label": ("label", "judgment", "judgement", "answer", "rating", "vote", "response", "category", "class"),
}
"""Words in the names that others give to the columns of judgments, the likeliest first."""
BLOCK = 1 << 10  # rows taken at a time: so few stay in the cache and out of the collector's old generations


class Block(NamedTuple):
    """Some rows under one another; JSON lines with other keys are another block."""

    header: tuple[str, ...]
    columns: Sequence[Sequence[object]]  # texts in CSV, whatever there is in JSON and Parquet
    lines: Sequence[int]  # of each row, from 1; in Parquet its number
    texts: bool = False  # all values are texts


class TableRow(NamedTuple):
    """One row: column to text, "" where there is nothing; and where it is."""

    values: dict[str, str]
    place: Place


@dataclass(frozen=True, slots=True)
class TableFields:
    """The columns that a reader wants of a table."""

    needed: Sequence[str] = ()  # columns that must be there
    roles: Mapping[str, str] = field(default_factory=dict)  # what a column is for, where its name does not say it
    kind: str = "table"  # first word of the codes of errors
    column: str = "table-column"  # code of the error of a column that is not there
    single: Collection[str] | None = None  # columns of which there must be one only; None: all that have a name

    def check_header(self, header: Sequence[str], place: Place, problems: Problems) -> bool:
        """Whether the columns will do; what is wrong with them is recorded."""
        missing = [name for name in self.needed if name not in header]
        for name in missing:
            role = f" for the {self.roles[name]}" if self.roles.get(name, name) != name else ""
            expected, fix = ", ".join(self.needed), nearest(name, islice(header, MOST_NAMED))
            likely = _likely(self.roles.get(name, ""), [each for each in header if each not in self.needed])
            if likely and not fix.endswith("?"):
                option = f"{self.roles[name]}={likely}"
                fix = f"say what it is called: --column={option if option.split() == [option] else repr(option)}"
            problems.error(self.column, f"no column '{name}'{role}", place, expected, fix)
        # Spreadsheets leave columns without a name behind.
        twice = [name for name, times in Counter(header).items() if times > 1 and name]
        twice = [name for name in twice if self.single is None or name in self.single]
        for name in twice:
            problems.error(self.column, f"two columns are called '{name}'", place)
        return not missing and not twice


def _likely(role: str, header: Sequence[str]) -> str:
    """The column that is probably meant for a role of judgments; empty: none is."""
    words = OTHER_NAMES.get(role, ())
    return next((name for word in words for name in islice(header, MOST_NAMED) if word in name.casefold()), "")


def table_rows(path: Source, problems: Problems, needed: Sequence[str] | TableFields = ()) -> Iterator[TableRow]:
    """Read a table of texts row by row; the caller raises the problems after the last. Parquet needs pyarrow."""
    name, parquet = display_name(path), look(path).is_parquet
    wanted = needed if isinstance(needed, TableFields) else TableFields(needed)
    for header, columns, lines, _ in table_blocks(path, problems, wanted):
        for line, *values in zip(lines, *columns, strict=True):
            place = Place(name, line)
            if not any(isinstance(value, dict | list) for value in values):
                yield TableRow({key: _text(value) for key, value in zip(header, values, strict=True)}, place)
            elif parquet:
                problems.error("table-parquet", "not a flat row", place, "texts, numbers, true or false")
            else:
                problems.error("table-json", _NOT_FLAT, place, _FLAT)


_ARRAY = re.compile(r"\s*\[\s*\{")
_NOT_FLAT, _FLAT = "not a flat object", "keys with texts, numbers, true or false"


def table_blocks(path: Source, problems: Problems, wanted: TableFields) -> Iterator[Block]:
    """Read a table in blocks of good rows; the others are said after what came before them has been taken.

    White space around the texts of needed columns, which name things, is no part of them.
    """
    for block in _blocks(path, problems, wanted):
        columns = [
            _strip(column) if name in wanted.needed else column
            for name, column in zip(block.header, block.columns, strict=True)
        ]
        yield block._replace(columns=columns)


def _strip(column: Sequence[object]) -> Sequence[object]:
    return [cell.strip() if isinstance(cell, str) else cell for cell in column]


def _blocks(path: Source, problems: Problems, wanted: TableFields) -> Iterator[Block]:
    source = look(path)
    if source.is_parquet:
        yield from _parquet_blocks(source, problems, wanted)
        return
    lines = Lines(source, problems, returns=True)
    first = lines.peek()
    if (known := format_of(lines)).holds == "rows":  # also an empty file of brat, by its name
        yield from _record_blocks(known.read(lines, problems), lines.name, problems, wanted)
    elif not first:
        problems.error(f"{wanted.kind}-empty", "the file is empty", Place(lines.name), "a line of column names")
    elif first.lstrip().startswith("{"):
        yield from _record_blocks(_json_records(lines), lines.name, problems, wanted)
    elif _ARRAY.match(first):
        fix = f"jq -c '.[]' {shell_words(lines.name)} > NEW"
        problems.error(
            f"{wanted.kind}-json", "this is a JSON array", Place(lines.name, 1), "an object on each line", fix
        )
    else:
        yield from _csv_blocks(lines, problems, wanted, _delimiter(first, wanted.needed))


def header_of(path: Source) -> list[str]:
    """The names of a table's columns; of JSON lines the keys of the first."""
    source = look(path)
    if source.is_parquet:
        return parquet_names(source)
    if (known := format_of(source)).holds == "rows":
        quiet = Problems(lenient=True)
        with closing(Lines(source, quiet)) as lines:
            return list(next(known.read(lines, quiet), (0, {}))[1])
    first = source.peek()
    record = json_record(first)
    return list(record) if record is not None else _fields(first, _delimiter(first, ()))


def _fields(line: str, delimiter: str) -> list[str]:
    return [unguard_cell(each.strip().strip('"')) for each in line.split(delimiter)]


def _delimiter(line: str, needed: Sequence[str]) -> str:
    """The delimiter that makes the needed names of the header; else the most frequent."""
    making = (sign for sign in DELIMITERS if needed and {*needed} <= {*_fields(line, sign)})
    return next(making, max(DELIMITERS, key=line.count))


def _csv_blocks(lines: Lines, problems: Problems, wanted: TableFields, delimiter: str) -> Iterator[Block]:
    reader = csv.reader(chain.from_iterable(_end_lines(lines.blocks())), delimiter=delimiter, strict=True)
    try:
        header = tuple(unguard_cell(name.strip()) for name in next(filter(None, reader), ()))
        if not wanted.check_header(header, Place(lines.name, reader.line_num), problems):
            return
        rows: list[list[str]] = [[]]
        broken: csv.Error | None = None
        while rows and broken is None:
            before, rows = reader.line_num + 1, []
            try:
                rows.extend(islice(reader, BLOCK))
            except csv.Error as error:
                broken = error  # what came before it is taken first
            numbers = range(before, reader.line_num + 1)
            yield from _of_one_width(header, rows, numbers, wanted.kind, lines.name, problems)
        if broken is not None:
            raise broken
    except csv.Error as error:
        place = Place(lines.name, reader.line_num)
        problems.error(f"{wanted.kind}-csv", f"not CSV: {error}", place, "fields quoted as in RFC 4180")


def _end_lines(blocks: Iterator[list[str]]) -> Iterator[list[str]]:
    """Give lines to the reader of CSV, which asks for their ends inside quotes only: there each is as it stands."""
    quoted = False
    for block in blocks:
        quoted = quoted or '"' in "".join(block)
        yield [f"{line}\n" for line in block] if quoted else block


def _of_one_width(
    header: tuple[str, ...], rows: list[list[str]], lines: range, kind: str, name: str, problems: Problems
) -> Iterator[Block]:
    """Rows in one block; in several where one is blank or has another width, and its line is that of its end."""
    width = len(header)
    if len(lines) == len(rows) and {*map(len, rows)} == {width}:
        yield Block(header, _texts(rows), lines, texts=True)
        return
    ends = accumulate((1 + sum(text.count("\n") for text in fields) for fields in rows), initial=lines.start - 1)
    numbered = [(line, fields) for line, fields in zip(islice(ends, 1, None), rows, strict=True) if fields]
    for n, some in groupby(numbered, lambda row: len(row[1])):
        numbers, good = zip(*some, strict=True)
        if n == width:
            yield Block(header, _texts(good), numbers, texts=True)
            continue
        for line in numbers:
            message, expected = f"{n} fields in a table of {width} columns", f"{width} fields"
            problems.repairable(f"{kind}-fields", message, Place(name, line), "the row is left out", expected)


def _texts(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The columns of rows of CSV, without the apostrophes of guarded cells."""
    columns = [*zip(*rows, strict=True)]
    return [[*map(unguard_cell, cells)] if "\n'" in "\n".join(("", *cells)) else cells for cells in columns]


def _json_records(lines: Lines) -> Iterator[tuple[int, object]]:
    """The values of JSON lines; of a line that is no JSON the reason."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, parse_json(line)
        except NotJsonError as error:
            yield number, error


def _record_blocks(
    records: Iterable[tuple[int, object]], name: str, problems: Problems, wanted: TableFields
) -> Iterator[Block]:
    header: tuple[str, ...] = ()
    rows: list[list[object]] = []
    numbers: list[int] = []
    for number, record in records:
        keys = tuple(record) if isinstance(record, dict) else ()
        if rows and (keys != header or len(rows) == BLOCK):
            yield Block(header, [*zip(*rows, strict=True)], numbers)
            rows, numbers = [], []
        if not isinstance(record, dict):
            wrong = (f"not JSON: {record}", "") if isinstance(record, NotJsonError) else (_NOT_FLAT, _FLAT)
            problems.error(f"{wanted.kind}-json", wrong[0], Place(name, number), wrong[1])
        elif rows or wanted.check_header(keys, Place(name, number), problems):
            header = keys
            rows.append([*record.values()])
            numbers.append(number)
    if rows:
        yield Block(header, [*zip(*rows, strict=True)], numbers)


def _parquet_blocks(path: Source, problems: Problems, wanted: TableFields) -> Iterator[Block]:
    place, number = Place(display_name(path)), 0
    header = tuple(parquet_names(path))
    if not wanted.check_header(header, place, problems):
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


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
