"""Judgments in any layout: a row for each judgment, a column for each rater, or batch results of Mechanical Turk.

Every command reads judgments here, so that what one of them can read, all can. Rows are taken in blocks and kept as
codes, some 12 bytes for each judgment. A block is looked through as columns, and row by row only where something in it
is odd: the rules of a row stand once, in ``_row``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from math import nan
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments, RepeatPolicy
from errorbar.core.labels import ONE_LABEL, is_list, list_words
from errorbar.core.problems import Problems
from errorbar.formats.item_tables import COLUMNS, NEEDED, at_least_0, is_batch, read_batch, read_wide
from errorbar.formats.opening import Lines, Source, display_name, rereadable
from errorbar.formats.tables import Block, Wanted, header_of, table_blocks
from errorbar.formats.untrusted import is_parquet, json_record

Layout = Literal["auto", "long", "wide", "batch"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
_CORPUS_KEYS = frozenset(("format", "text", "annotations", "standoff"))
REPEATED = "choose by --repeats which judgment counts"
Floats = NDArray[np.float64]


class JudgmentTable(NamedTuple):
    """Judgments in the order of the file; times, NaN where one is not known, None where none are given or wanted."""

    judgments: Judgments
    seconds: Floats | None


def read_judgment_table(
    path: Source,
    problems: Problems,
    *,
    layout: Layout = "auto",
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] = (),
    repeats: RepeatPolicy = "refuse",
) -> JudgmentTable:
    """Read a table of judgments: CSV (comma, tab or semicolon) or JSON lines, gzipped or not, or Parquet.

    Args:
        path: The file, or ``-``.
        problems: Where problems and notes go.
        layout: ``long``: a row for each judgment, with item, rater, label and maybe weight; ``wide``: a row for each
            item and a column for each rater; ``batch``: results of Mechanical Turk; ``auto``: batch or long, by the
            header.
        columns: ``item``, ``rater``, ``label``, ``weight`` or ``seconds`` to the name that the file has for it.
        labels: Labels that get the first codes, in this order, whether or not they occur.
        repeats: What to do where a rater judged an item twice: ``refuse`` (lenient reading keeps the first), ``first``,
            ``last``, or ``keep`` both.

    Raises:
        InputError: If the file is bad. Lenient reading leaves out bad rows.
        UsageError: If a column or the answer of a batch is not named as it must be.
        MissingExtraError: If the file is Parquet and pyarrow is not installed.
    """
    roles, again = dict(columns or {}), rereadable(path)
    for role in roles:
        if role not in COLUMNS:
            what = f"judgments have no column '{role}'"
            raise UsageError(Problem("judgments-column", what, fix=nearest(role, COLUMNS)))
    if layout == "auto":
        layout = "batch" if is_batch(header_of(again)) else "long"
    lines: list[Sequence[int]] = []
    seconds: Floats | None = None
    if layout == "batch":
        answer, item = roles.get("label", ""), roles.get("item", "")
        judgments, seconds, numbers = read_batch(again, problems, answer=answer, item=item, labels=labels)
        lines = [numbers]
    elif layout == "wide":
        judgments = read_wide(again, problems, item=roles.get("item", "item"), labels=labels)
    else:
        judgments, seconds, lines = _read_long(again, problems, roles, labels)
    kept = _settled(judgments, repeats, lines, display_name(path), problems)
    problems.raise_errors()
    if kept is None:
        return JudgmentTable(judgments, seconds)
    return JudgmentTable(judgments.take(kept), None if seconds is None else seconds[kept])


def is_corpus(path: Source, *, told: bool = False) -> bool:
    """Whether a file is a corpus and no table; told: an option says that JSON lines of whatever keys are a table."""
    if is_parquet(path):
        return False
    first = Lines(path, Problems(lenient=True)).peek()
    if first == "S" or first.startswith(("S ", "A ", "<")):
        return True
    record = json_record(first)
    return not told and record is not None and "rater" not in record and bool(_CORPUS_KEYS & record.keys())


class _Columns(NamedTuple):
    """A block of judgments as columns; a label may be "", a missing judgment."""

    item: Sequence[str]
    rater: Sequence[str]
    label: Sequence[str]
    weight: Floats | None
    seconds: Floats | None
    lines: Sequence[int]

    def take(self, rows: NDArray[np.bool_]) -> _Columns:
        """Some of the rows."""
        weight, seconds = (None if column is None else column[rows] for column in (self.weight, self.seconds))
        item, rater, label = ([*compress(column, rows)] for column in self[:3])
        return _Columns(item, rater, label, weight, seconds, [*compress(self.lines, rows)])


class _Codes(dict[str, int]):
    """Text to number, growing as texts are looked up; a hit never leaves C."""

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code

    def of(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of some texts."""
        return np.fromiter(map(self.__getitem__, texts), np.int32, len(texts))


def _read_long(
    path: Source, problems: Problems, roles: Mapping[str, str], labels: Sequence[str]
) -> tuple[Judgments, Floats | None, list[Sequence[int]]]:
    """The judgments with their times, and the lines they stand in, block by block."""
    names = {role: roles.get(role, role) for role in COLUMNS if role != "seconds" or role in roles}
    needed = {name: role for role, name in names.items() if role != "weight"}
    wanted = Wanted(tuple(needed), needed, "judgments", "judgments-header", {*names.values()})
    place = Place(display_name(path))
    items, raters, known = _Codes(), _Codes(), _Codes((label, code) for code, label in enumerate(labels))
    codes: list[list[NDArray[np.int32]]] = [[], [], []]
    weights, times = list[Floats](), list[Floats]()
    lines: list[Sequence[int]] = []
    extra: dict[str, None] = {}
    weighted: bool | None = None
    n_rows = n_missing = 0
    for block in table_blocks(path, problems, wanted):
        extra |= dict.fromkeys(key for key in block.header if key and key not in names.values())
        places = {role: block.header.index(key) for role, key in names.items() if key in block.header}
        rows = _checked(block, places, place.file, problems)
        if not rows.item:
            continue
        n_rows += len(rows.item)
        weighted = (rows.weight is not None) if weighted is None else weighted
        if weighted is not (rows.weight is not None):
            what, expected = "some rows have a weight and some have none", "a weight in every row or in none"
            for line in rows.lines:
                problems.error("judgments-weight", what, Place(place.file, line), expected=expected)
            continue
        item, rater = items.of(rows.item), raters.of(rows.rater)
        if "" in rows.label:  # items and raters are known all the same
            said = np.fromiter(map(bool, rows.label), np.bool_, len(rows.label))
            n_missing += len(said) - int(said.sum())
            rows, item, rater = rows.take(said), item[said], rater[said]
        for column, part in zip(codes, (item, rater, known.of(rows.label)), strict=True):
            column.append(part)
        for numbers, values in ((weights, rows.weight), (times, rows.seconds)):
            numbers.extend(() if values is None else (values,))
        lines.append(rows.lines)
    if extra:
        what = f"columns that judgments have no use for: {', '.join(extra)}"
        problems.note("judgments-extra", what, place, fix="they are not read")
    if not n_rows and not problems.errors:
        problems.error("judgments-empty", "no judgment in the file", place)
    if not lines:
        problems.raise_errors()
    if n_missing:
        what = f"{n_missing} of {n_rows} rows have no label; they count as not judged"
        problems.note("judgments-no-label", what, place)
    item, rater, label = map(np.concatenate, codes)
    weight, seconds = (np.concatenate(column) if column else None for column in (weights, times))
    return Judgments(item, rater, label, tuple(items), tuple(raters), tuple(known), weight), seconds, lines


def _checked(block: Block, places: Mapping[str, int], name: str, problems: Problems) -> _Columns:
    """The columns of a block; a row that will not do is left out and said."""
    item, rater, label = (_texts(block.columns[places[role]], all_are=block.texts) for role in NEEDED)
    weight, seconds = (_numbers(block.columns[places[role]]) if role in places else None for role in COLUMNS[3:])
    numbers = ("weight" in places) == (weight is not None) and ("seconds" in places) == (seconds is not None)
    if item and rater and label and numbers and not ("" in item or "" in rater or any(map(is_list, {*label}))):
        return _Columns(item, rater, label, weight, seconds, block.lines)
    rows = []
    for line, *values in zip(block.lines, *block.columns, strict=True):
        row = _row({role: values[at] for role, at in places.items()}, Place(name, line), problems)
        if row is not None:
            rows.append((*row, line))
    columns = [*zip(*rows, strict=True)] if rows else [()] * 6
    weight, seconds = (
        np.array(columns[at], np.float64) if role in places else None for at, role in enumerate(COLUMNS[3:], 3)
    )
    return _Columns(columns[0], columns[1], columns[2], weight, seconds, columns[5])


def _texts(column: Sequence[object], *, all_are: bool) -> Sequence[str] | None:
    """A column as texts; None where it has something that is neither text nor number."""
    kinds = {str} if all_are else {*map(type, column)}
    if kinds == {str}:
        return cast("Sequence[str]", column)
    return [*map(str, column)] if kinds <= {str, int, float} else None


def _numbers(column: Sequence[object]) -> Floats | None:
    """A column as numbers; None where one is no number of at least 0."""
    numbers = [*map(at_least_0, column)]
    return None if None in numbers else np.array(numbers, np.float64)


def _row(record: Mapping[str, object], place: Place, problems: Problems) -> tuple[str, str, str, float, float] | None:
    """A checked row; None, with the problem recorded, where it is bad."""
    left_out = "the row is left out"
    for name in NEEDED:
        if isinstance(value := record[name], bool | list | dict):
            what = f"the {name} is {type(value).__name__}"
            problems.repairable("judgments-value", what, place, repair=left_out, expected="text or a number")
            return None
    item, rater, label = ("" if (value := record[name]) is None else str(value) for name in NEEDED)
    if not item or not rater:
        what = "the row names no item" if not item else "the row names no rater"
        problems.repairable("judgments-name", what, place, repair=left_out)
        return None
    if is_list(label):
        problems.repairable("judgments-list", list_words(label), place, repair=left_out, expected=ONE_LABEL)
        return None
    weight, seconds = (at_least_0(record.get(role)) for role in COLUMNS[3:])
    expected = "a number of at least 0"
    if weight is None and "weight" in record:
        what = f"the weight {record['weight']!r} will not do"
        problems.repairable("judgments-weight", what, place, repair=left_out, expected=expected)
        return None
    said = record.get("seconds")
    if seconds is None and not (said is None or (isinstance(said, str) and not said.strip())):
        what, repair = f"the time {said!r} will not do", "the time counts as unknown"
        problems.repairable("judgments-seconds", what, place, repair=repair, expected=expected)
    return item, rater, label, nan if weight is None else weight, nan if seconds is None else seconds


def _settled(
    table: Judgments, repeats: RepeatPolicy, lines: Sequence[Sequence[int]], name: str, problems: Problems
) -> NDArray[np.bool_] | None:
    """Which judgments are kept where a rater judged an item more than once; None: all."""
    if repeats == "keep" or not table.n_repeated():
        return None
    if repeats != "refuse":
        return table.settled(repeats)
    first, line_of = table.first_rows(), [*chain.from_iterable(lines)]
    again = first != np.arange(len(table))
    for row in np.flatnonzero(again).tolist():
        rater, item = table.raters[table.rater[row]], table.items[table.item[row]]
        what = f"rater '{rater}' judged item '{item}' before, in line {line_of[first[row]]}"
        place, repair = Place(name, line_of[row]), "the first judgment is kept"
        problems.repairable("judgments-repeated", what, place, repair=repair, hint=REPEATED)
    return np.asarray(~again, np.bool_)


def refuse_others(table: Judgments, declared: Sequence[str], name: str) -> None:
    """Refuse labels that were not declared: an ``InputError`` with one problem for each."""
    votes = np.bincount(table.label, minlength=len(table.labels)).tolist()
    found = []
    for label, n in zip(table.labels, votes, strict=True):
        if label not in declared:
            said = "1 judgment says" if n == 1 else f"{n:,} judgments say"
            what = f"{said} '{label}', which is not declared"
            found.append(Problem("crowd-label", what, Place(name), fix=nearest(label, declared)))
    if found:
        raise InputError(found)
