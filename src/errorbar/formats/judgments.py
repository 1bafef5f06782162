"""Judgments as CSV, JSON lines or Parquet: one row for each judgment, columns item, rater, label and maybe weight."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, nan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.labels import named
from errorbar.core.problems import Problems
from errorbar.formats.json_text import NotJsonError, parse_json
from errorbar.formats.opening import Lines, Source, display_name
from errorbar.formats.parquet_file import is_parquet, parquet_columns, parquet_names

COLUMNS = ("item", "rater", "label", "weight")
NEEDED = COLUMNS[:3]
DELIMITERS = ",\t;"
Repeats = Literal["refuse", "keep"]


ONE_LABEL = "one label; a row for each judgment, e.g. with a rater of its own"


def is_list(label: str) -> bool:
    """Whether a cell has several labels written as a list, such as ``[3, 3, 4]`` or ``['ok', 'error']``."""
    text = label.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return False
    inside = text[1:-1].strip()
    if len(inside) > 1 and inside[0] in "'\"" and inside[-1] == inside[0]:
        return True
    return all(_number(part.lstrip("+-")) is not None for part in inside.replace(",", " ").replace(";", " ").split())


def list_words(label: str) -> str:
    """What is said of a cell with a list of labels."""
    return f"the label '{named([label])}' is a list of labels"


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
    used: Sequence[str] = (),
) -> Judgments:
    """Read judgments: CSV (comma, tab or semicolon) or JSON lines, gzipped or not, or Parquet by its ending.

    Args:
        path: The file, or ``-``.
        problems: Where notes go; None: read strictly.
        columns: ``item``, ``rater``, ``label`` or ``weight`` to the name that the file has for it.
        labels: Labels that get the first codes, in this order, whether or not they occur.
        repeats: What to do where a rater judged an item twice: ``refuse``, or ``keep`` both.
        used: Further columns of the file that somebody else reads; of others a note says that they are not read.

    Raises:
        InputError: If the file is bad. Lenient reading leaves out bad rows and all but the first of repeated ones.
        UsageError: If ``columns`` names something else.
        MissingExtraError: If Parquet is not supported here.
    """
    notebook = Problems() if problems is None else problems
    rows = _rows(path, notebook, _Columns(_names(columns or {}), tuple(used)))
    judgments = _collect(rows, display_name(path), notebook, labels, repeats)
    notebook.raise_errors()
    return judgments


def read_seconds(
    path: Source, column: str, problems: Problems | None = None, *, columns: Mapping[str, str] | None = None
) -> NDArray[np.float64]:
    """Read the time of each judgment that ``read_judgments`` keeps, with ``repeats="keep"``, of the same file.

    Args:
        path: The file, or ``-``.
        column: The column of the times, in seconds; an empty field is a time that nobody knows.
        problems: Where notes go; None: read strictly.
        columns: As for ``read_judgments``.

    Returns:
        NaN where the time is not known; shape (judgments,).

    Raises:
        InputError: If the file is bad, lacks the column, or a time is no number of at least 0.
    """
    notebook = Problems() if problems is None else problems
    # A time is a number of at least 0, as a weight is, and is read in its place.
    names = _names({**(columns or {}), "weight": column})
    rows = _rows(path, notebook, _Columns(names, (), "seconds"))
    found = np.array([row.weight for row in rows if row.label], np.float64)
    notebook.raise_errors()
    return found


class _Columns(NamedTuple):
    """Which columns are read.

    Attributes:
        names: ``item``, ``rater``, ``label`` and ``weight`` to the name that the file has for it.
        used: Columns that somebody else reads.
        number: What the number of a row is; ``seconds`` may be empty and must be there, a weight is the reverse.
    """

    names: Mapping[str, str]
    used: tuple[str, ...] = ()
    number: Literal["weight", "seconds"] = "weight"

    @property
    def needed(self) -> tuple[str, ...]:
        """The roles that need a column."""
        return COLUMNS if self.number == "seconds" else NEEDED


def _rows(path: Source, problems: Problems, columns: _Columns) -> Iterator[JudgmentRow]:
    if is_parquet(path):
        yield from _parquet_rows(path, problems, columns)
        return
    lines = Lines(path, problems)
    if lines.peek().lstrip().startswith("{"):
        yield from _json_rows(lines, problems, columns)
    else:
        yield from _csv_rows(lines, problems, columns)


def judgment_rows(lines: Lines, problems: Problems, columns: Mapping[str, str]) -> Iterator[JudgmentRow]:
    """Read judgments one by one; the caller raises the problems after the last.

    Raises:
        InputError: When too many problems are found.
        UsageError: If ``columns`` names something else than item, rater, label and weight.
    """
    wanted = _Columns(_names(columns))
    if lines.peek().lstrip().startswith("{"):
        yield from _json_rows(lines, problems, wanted)
    else:
        yield from _csv_rows(lines, problems, wanted)


def _parquet_rows(path: Source, problems: Problems, columns: _Columns) -> Iterator[JudgmentRow]:
    """Read judgments from a Parquet file, batch by batch; ``line`` is the number of the row.

    Raises:
        InputError: If the file is not Parquet or cannot be opened.
        MissingExtraError: If pyarrow is not installed.
    """
    names = columns.names
    place = Place(display_name(path))
    places = _find_columns(parquet_names(path), columns, place, problems)
    if places is None:
        return
    known = [name for name in COLUMNS if name in places]
    number = 0
    for block in parquet_columns(path, [names[name] for name in known]):
        for values in zip(*block, strict=True):
            number += 1
            record = dict(zip(known, values, strict=True))
            row = _row(record, Place(place.file, number), problems, columns.number)
            if row is not None:
                yield row


def _names(columns: Mapping[str, str]) -> dict[str, str]:
    for name in columns:
        if name not in COLUMNS:
            what = f"judgments have no column '{name}'"
            raise UsageError(Problem("judgments-column", what, fix=nearest(name, COLUMNS)))
    return {name: columns.get(name, name) for name in COLUMNS}


def _csv_rows(lines: Lines, problems: Problems, columns: _Columns) -> Iterator[JudgmentRow]:
    head = lines.ahead(1)
    if not head:
        problems.error("judgments-empty", "the file is empty", Place(lines.name), expected="a line of column names")
        return
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=_delimiter(head[0], columns.names), strict=True)
    places: dict[str, int] | None = None
    width = 0
    try:
        for fields in reader:
            place = Place(lines.name, reader.line_num)
            if places is None:
                places = _find_columns(fields, columns, place, problems)
                width = len(fields)
                if places is None:
                    return
            elif len(fields) == width:
                row = _row({name: fields[at] for name, at in places.items()}, place, problems, columns.number)
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


def _find_columns(header: Sequence[str], columns: _Columns, place: Place, problems: Problems) -> dict[str, int] | None:
    """Place of each column; None, with an error recorded, where one is missing or stands twice."""
    found, names = [field.strip() for field in header], columns.names
    for name in columns.needed:
        if names[name] not in found:
            what = f"no column '{names[name]}' for the {columns.number if name == 'weight' else name}"
            expected = ", ".join(names[needed] for needed in columns.needed)
            problems.error("judgments-header", what, place, expected=expected, fix=nearest(names[name], found))
    for name in set(names.values()):
        if found.count(name) > 1:
            problems.error("judgments-header", f"two columns are called '{name}'", place)
    if problems.errors:
        return None
    # Spreadsheets leave columns without a name behind; there is nothing to call them by.
    extra = [name for name in found if name and name not in {*names.values(), *columns.used}]
    if extra and columns.number == "weight":
        what = f"columns that judgments have no use for: {', '.join(extra)}"
        problems.note("judgments-extra", what, place, fix="they are not read")
    return {name: found.index(names[name]) for name in COLUMNS if names[name] in found}


def _json_rows(lines: Lines, problems: Problems, columns: _Columns) -> Iterator[JudgmentRow]:
    names = columns.names
    extra: set[str] = set()
    for number, line in enumerate(lines, 1):
        place = Place(lines.name, number)
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except NotJsonError as error:
            problems.error("judgments-json", f"not JSON: {error}", place)
            continue
        if not isinstance(record, dict) or any(names[name] not in record for name in columns.needed):
            expected = ", ".join(names[name] for name in columns.needed)
            problems.error("judgments-json", "not an object with the needed keys", place, expected=expected)
            continue
        extra |= record.keys() - {*names.values(), *columns.used}
        values = {name: record[names[name]] for name in COLUMNS if names[name] in record}
        row = _row(values, place, problems, columns.number)
        if row is not None:
            yield row
    if extra and columns.number == "weight":
        what = f"keys that judgments have no use for: {', '.join(sorted(extra))}"
        problems.note("judgments-extra", what, Place(lines.name), fix="they are not read")


def _row(record: Mapping[str, object], place: Place, problems: Problems, number: str) -> JudgmentRow | None:
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
    if is_list(label):
        repair = "the row is left out"
        problems.repairable("judgments-list", list_words(label), place, repair=repair, expected=ONE_LABEL)
        return None
    weight: float | None = None
    if "weight" in record:
        value = record["weight"]
        unknown = number == "seconds" and (value is None or (isinstance(value, str) and not value.strip()))
        weight = nan if unknown else _number(value)
        if weight is None:
            expected = "a number of at least 0"
            if number == "seconds":
                what, repair = f"the time {value!r} will not do", "the time counts as unknown"
                problems.repairable("judgments-seconds", what, place, repair=repair, expected=expected)
                return JudgmentRow(item, rater, label, nan, place.line)
            what, repair = f"the weight {value!r} will not do", "the row is left out"
            problems.repairable("judgments-weight", what, place, repair=repair, expected=expected)
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
