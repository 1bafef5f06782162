"""Judgments as CSV, JSON lines or Parquet: one row for each judgment, columns item, rater, label and maybe weight."""

from __future__ import annotations

import csv
import io
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from math import isfinite
from os import fspath
from typing import Any, Literal, NamedTuple

import numpy as np

from errorbar.core.errors import InputError, MissingExtraError, Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines, Source, display_name

COLUMNS = ("item", "rater", "label", "weight")
NEEDED = COLUMNS[:3]
DELIMITERS = ",\t;"
Repeats = Literal["refuse", "keep"]
JudgmentFormat = Literal["csv", "jsonl"]


class JudgmentRow(NamedTuple):
    """One row as read; an empty label is a missing judgment.

    Attributes:
        item: What was judged.
        rater: Who judged.
        label: What they said, or "".
        weight: How much it counts; None where the file has no weights.
        line: Line of the file, from 1.
    """

    item: str
    rater: str
    label: str
    weight: float | None
    line: int


def read_judgments(
    path: Source,
    problems: Problems | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] = (),
    repeats: Repeats = "refuse",
) -> Judgments:
    """Read judgments: CSV (comma, tab or semicolon) or JSON lines, gzipped or not, or Parquet by its ending.

    Args:
        path: The file, or ``-``.
        problems: Where notes go; None: read strictly.
        columns: ``item``, ``rater``, ``label`` or ``weight`` to the name that the file has for it.
        labels: Labels that get the first codes, in this order, whether or not they occur.
        repeats: What to do where a rater judged an item twice: ``refuse``, or ``keep`` both.

    Raises:
        InputError: If the file is bad. Lenient reading leaves out bad rows and all but the first of repeated ones.
        UsageError: If ``columns`` names something else.
        MissingExtraError: If Parquet is not supported here.
    """
    notebook = Problems() if problems is None else problems
    if fspath(path).endswith(".parquet"):
        rows = parquet_rows(path, notebook, columns or {})
    else:
        rows = judgment_rows(Lines(path, notebook), notebook, columns or {})
    judgments = _collect(rows, display_name(path), notebook, labels, repeats)
    notebook.raise_errors()
    return judgments


def judgment_rows(lines: Lines, problems: Problems, columns: Mapping[str, str]) -> Iterator[JudgmentRow]:
    """Read judgments one by one; the caller raises the problems after the last.

    Raises:
        InputError: When too many problems are found.
        UsageError: If ``columns`` names something else than item, rater, label and weight.
    """
    names = _names(columns)
    if lines.peek().lstrip().startswith("{"):
        yield from _json_rows(lines, problems, names)
    else:
        yield from _csv_rows(lines, problems, names)


def write_judgments(judgments: Judgments, kind: JudgmentFormat = "csv") -> Iterator[str]:
    """Yield the lines of a file of judgments, without line ends.

    Raises:
        InputError: If a name contains a line break, which CSV cannot hold safely.
    """
    weights = None if judgments.weight is None else judgments.weight.tolist()
    names = COLUMNS if weights is not None else NEEDED
    if kind == "csv":
        _check_line_breaks(judgments)
        yield ",".join(names)
        items, raters, labels = (
            [_csv_field(name) for name in column] for column in (judgments.items, judgments.raters, judgments.labels)
        )
    else:
        items, raters, labels = list(judgments.items), list(judgments.raters), list(judgments.labels)
    codes = zip(judgments.item.tolist(), judgments.rater.tolist(), judgments.label.tolist(), strict=True)
    for row, (item, rater, label) in enumerate(codes):
        values: list[str | float] = [items[item], raters[rater], labels[label]]
        if weights is not None:
            values.append(weights[row])
        if kind == "csv":
            yield ",".join(value if isinstance(value, str) else repr(value) for value in values)
        else:
            yield json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)


def open_parquet(path: Source) -> Any:  # noqa: ANN401 - pyarrow publishes no types
    """Open a Parquet file with pyarrow.

    Raises:
        InputError: If the file is not Parquet or cannot be opened.
        MissingExtraError: If pyarrow is not installed.
    """
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("parquet", "reading Parquet") from None
    try:
        return parquet.ParquetFile(fspath(path))
    except (OSError, ValueError) as error:
        what = f"cannot be read as Parquet: {str(error).splitlines()[0]}"
        raise InputError(Problem("judgments-parquet", what, Place(display_name(path)))) from None


def parquet_rows(path: Source, problems: Problems, columns: Mapping[str, str]) -> Iterator[JudgmentRow]:
    """Read judgments from a Parquet file, batch by batch; ``line`` is the number of the row.

    Raises:
        InputError: If the file is not Parquet, cannot be opened, or lacks a column.
        MissingExtraError: If pyarrow is not installed.
        UsageError: If ``columns`` names something else than item, rater, label and weight.
    """
    names = _names(columns)
    place = Place(display_name(path))
    with open_parquet(path) as file:
        header = list(file.schema_arrow.names)
        places = _find_columns(header, names, place, problems)
        if places is None:
            return
        known = [names[name] for name in COLUMNS if name in places]
        number = 0
        for batch in file.iter_batches(columns=known):
            for values in zip(*(batch.column(name).to_pylist() for name in known), strict=True):
                number += 1
                record = dict(zip([name for name in COLUMNS if name in places], values, strict=True))
                row = _row(record, Place(place.file, number), problems)
                if row is not None:
                    yield row


def _names(columns: Mapping[str, str]) -> dict[str, str]:
    for name in columns:
        if name not in COLUMNS:
            what = f"judgments have no column '{name}'"
            raise UsageError(Problem("judgments-column", what, fix=nearest(name, COLUMNS)))
    return {name: columns.get(name, name) for name in COLUMNS}


def _csv_rows(lines: Lines, problems: Problems, names: Mapping[str, str]) -> Iterator[JudgmentRow]:
    head = lines.ahead(1)
    if not head:
        problems.error("judgments-empty", "the file is empty", Place(lines.name), expected="a line of column names")
        return
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=_delimiter(head[0], names), strict=True)
    places: dict[str, int] | None = None
    width = 0
    try:
        for fields in reader:
            place = Place(lines.name, reader.line_num)
            if places is None:
                places = _find_columns(fields, names, place, problems)
                width = len(fields)
                if places is None:
                    return
            elif len(fields) == width:
                row = _row({name: fields[at] for name, at in places.items()}, place, problems)
                if row is not None:
                    yield row
            elif fields:
                what = f"{len(fields)} fields in a table of {width} columns"
                repair = "the row is left out"
                problems.repairable("judgments-fields", what, place, repair=repair, expected=f"{width} fields")
    except csv.Error as error:
        place = Place(lines.name, reader.line_num)
        problems.error("judgments-csv", f"not CSV: {error}", place, expected="fields quoted as in RFC 4180")


def _delimiter(header: str, names: Mapping[str, str]) -> str:
    """The delimiter that makes the needed names of the header; else a comma."""
    wanted = {names[name] for name in NEEDED}
    return next((sign for sign in DELIMITERS if wanted <= {f.strip().strip('"') for f in header.split(sign)}), ",")


def _find_columns(
    header: Sequence[str], names: Mapping[str, str], place: Place, problems: Problems
) -> dict[str, int] | None:
    """Place of each column; None, with an error recorded, where one is missing or stands twice."""
    found = [field.strip() for field in header]
    for name in NEEDED:
        if names[name] not in found:
            what = f"no column '{names[name]}' for the {name}"
            expected = ", ".join(names[needed] for needed in NEEDED)
            problems.error("judgments-header", what, place, expected=expected, fix=nearest(names[name], found))
    for name in set(names.values()):
        if found.count(name) > 1:
            problems.error("judgments-header", f"two columns are called '{name}'", place)
    if problems.errors:
        return None
    extra = [name for name in found if name not in names.values()]
    if extra:
        what = f"columns that judgments have no use for: {', '.join(extra)}"
        problems.note("judgments-extra", what, place, fix="they are not read")
    return {name: found.index(names[name]) for name in COLUMNS if names[name] in found}


def _json_rows(lines: Lines, problems: Problems, names: Mapping[str, str]) -> Iterator[JudgmentRow]:
    extra: set[str] = set()
    for number, line in enumerate(lines, 1):
        place = Place(lines.name, number)
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            problems.error("judgments-json", f"not JSON: {error.msg} at column {error.colno}", place)
            continue
        if not isinstance(record, dict) or any(names[name] not in record for name in NEEDED):
            expected = ", ".join(names[name] for name in NEEDED)
            problems.error("judgments-json", "not an object with the needed keys", place, expected=expected)
            continue
        extra |= record.keys() - names.values()
        row = _row({name: record[names[name]] for name in COLUMNS if names[name] in record}, place, problems)
        if row is not None:
            yield row
    if extra:
        what = f"keys that judgments have no use for: {', '.join(sorted(extra))}"
        problems.note("judgments-extra", what, Place(lines.name), fix="they are not read")


def _row(record: Mapping[str, object], place: Place, problems: Problems) -> JudgmentRow | None:
    """A checked row; None, with the problem recorded, where it is bad."""
    texts = []
    for name in NEEDED:
        value = record[name]
        if isinstance(value, bool | list | dict):
            what = f"the {name} is {type(value).__name__}"
            repair = "the row is left out"
            problems.repairable("judgments-value", what, place, repair=repair, expected="text or a number")
            return None
        texts.append("" if value is None else str(value))
    item, rater, label = texts
    if not item or not rater:
        what = "the row names no item" if not item else "the row names no rater"
        problems.repairable("judgments-name", what, place, repair="the row is left out")
        return None
    weight: float | None = None
    if "weight" in record:
        weight = _number(record["weight"])
        if weight is None:
            what = f"the weight {record['weight']!r} will not do"
            repair = "the row is left out"
            problems.repairable("judgments-weight", what, place, repair=repair, expected="a number of at least 0")
            return None
    return JudgmentRow(item, rater, label, weight, place.line)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) and number >= 0 else None


def _collect(
    rows: Iterable[JudgmentRow], name: str, problems: Problems, labels: Sequence[str], repeats: Repeats
) -> Judgments:
    """Code the rows as they come; about 30 bytes for each."""
    items: dict[str, int] = {}
    raters: dict[str, int] = {}
    known = {label: code for code, label in enumerate(labels)}
    columns = [array("i") for _ in range(4)]
    weights = array("d")
    weighted: bool | None = None
    n_missing = n_rows = 0
    for item, rater, label, weight, line in rows:
        n_rows += 1
        weighted = (weight is not None) if weighted is None else weighted
        if weighted is not (weight is not None):
            what = "some rows have a weight and some have none"
            problems.error("judgments-weight", what, Place(name, line), expected="a weight in every row or in none")
            continue
        columns[0].append(items.setdefault(item, len(items)))
        columns[1].append(raters.setdefault(rater, len(raters)))
        columns[2].append(known.setdefault(label, len(known)) if label else -1)
        columns[3].append(line)
        weights.append(1.0 if weight is None else weight)
        n_missing += not label
    if not n_rows and not problems.errors:
        problems.error("judgments-empty", "no judgment in the file", Place(name))
    if n_missing:
        what = f"{n_missing} of {n_rows} rows have no label; they count as not judged"
        problems.note("judgments-no-label", what, Place(name))
    item_codes, rater_codes, label_codes, line_numbers = (np.frombuffer(column, np.int32) for column in columns)
    weight_column = np.frombuffer(weights, np.float64) if weighted else None
    table = Judgments(
        item_codes[label_codes >= 0],
        rater_codes[label_codes >= 0],
        label_codes[label_codes >= 0],
        tuple(items),
        tuple(raters),
        tuple(known),
        None if weight_column is None else weight_column[label_codes >= 0],
    )
    if repeats == "keep" or not table.n_repeated():
        return table
    return _without_repeats(table, line_numbers[label_codes >= 0].tolist(), name, problems)


def _without_repeats(table: Judgments, lines: list[int], name: str, problems: Problems) -> Judgments:
    pairs = table.item.astype(np.int64) * len(table.raters) + table.rater
    _, first, group = np.unique(pairs, return_index=True, return_inverse=True)
    again = np.ones(len(table), np.bool_)
    again[first] = False
    for row in np.flatnonzero(again).tolist():
        earlier = lines[int(first[group[row]])]
        rater, item = table.raters[table.rater[row]], table.items[table.item[row]]
        what = f"rater '{rater}' judged item '{item}' before, in line {earlier}"
        repair = "the first judgment is kept"
        problems.repairable("judgments-repeated", what, Place(name, lines[row]), repair=repair)
    return table.take(~again)


def _check_line_breaks(judgments: Judgments) -> None:
    for names in (judgments.items, judgments.raters, judgments.labels):
        broken = next((name for name in names if "\n" in name or "\r" in name), None)
        if broken is not None:
            what = f"the name {broken!r} contains a line break"
            raise InputError(Problem("judgments-line-break", what, fix="write JSON lines"))


def _csv_field(text: str) -> str:
    buffer = io.StringIO()
    # A space at the edge of a field is kept by readers only inside quotes.
    if text != text.strip():
        csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="").writerow([text])
    else:
        csv.writer(buffer, lineterminator="").writerow([text])
    return buffer.getvalue()
