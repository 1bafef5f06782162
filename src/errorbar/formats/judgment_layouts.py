"""Judgments in other layouts: batch results of Mechanical Turk, tables with a column per rater; and writing them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import nan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.labels import ONE_LABEL, is_list, list_words
from errorbar.core.problems import Problems
from errorbar.formats.opening import Source, display_name
from errorbar.formats.tables import TableRow, finite, table_rows

NEEDED = ("item", "rater", "label")
COLUMNS = (*NEEDED, "weight", "seconds")
JudgmentFormat = Literal["csv", "jsonl"]

HIT = ("HITId", "hit", "HIT")
WORKER = ("WorkerId", "worker", "Worker")
STATUS = "AssignmentStatus"
TIME = "WorkTimeInSeconds"
ANSWER = "Answer."
INPUT = "Input."
REJECTED = "Rejected"


class Batch(NamedTuple):
    """Judgments of a batch and what came with them.

    Attributes:
        judgments: One for each answer, in the order of the file.
        seconds: Working time of each judgment, NaN where none is given; shape (judgments,).
        lines: Line of each judgment.
    """

    judgments: Judgments
    seconds: NDArray[np.float64]
    lines: Sequence[int]


def is_batch(header: Sequence[str]) -> bool:
    """Whether column names are those of batch results."""
    return any(name in header for name in WORKER) and any(name.startswith(ANSWER) for name in header)


def read_batch(
    path: Source, problems: Problems, *, answer: str = "", item: str = "", labels: Sequence[str] = ()
) -> Batch:
    """Read batch results: a row per assignment, with ``HITId``, ``WorkerId`` and an ``Answer.`` column.

    Rejected assignments and empty answers are left out, with a note of how many.

    Args:
        path: The CSV file, or ``-``.
        problems: Where problems and notes go.
        answer: The column of the label, with or without ``Answer.``; needed where there are several.
        item: The column that names the item; "": the HIT.
        labels: Labels that get the first codes. If given, another label is an error.

    Raises:
        UsageError: If no or several columns could be the answer.
    """
    columns: dict[str, str] = {}
    items, raters, said, seconds, lines = [], [], [], [], []
    n_rejected = n_empty = 0
    for row in table_rows(path, problems):
        columns = columns or _columns(row, answer, item, display_name(path))
        values = row.values
        name, rater, label = (values[columns[key]].strip() for key in ("item", "rater", "answer"))
        if not name or not rater:
            what = f"the row names no {'worker' if name else 'item'}"
            problems.repairable("batch-name", what, row.place, repair="the row is left out")
        elif values.get(STATUS) == REJECTED:
            n_rejected += 1
        elif not label:
            n_empty += 1
        elif is_list(label):
            repair = "the row is left out"
            problems.repairable("judgments-list", list_words(label), row.place, repair=repair, expected=ONE_LABEL)
        elif labels and label not in labels:
            what = f"the answer '{label}' is not one of the labels; {nearest(label, labels)}"
            problems.repairable("batch-label", what, row.place, repair="the row is left out")
        else:
            items.append(name)
            raters.append(rater)
            said.append(label)
            seconds.append(_seconds(values.get(TIME, "")))
            lines.append(row.place.line)
    for count, why in ((n_rejected, "were rejected"), (n_empty, "have no answer")):
        if count:
            problems.note("batch-left-out", f"{count} assignments {why}; they are left out", Place(display_name(path)))
    if not items and not problems.errors:
        problems.error("batch-empty", "no answer in the file", Place(display_name(path)))
    problems.raise_errors()
    return Batch(Judgments.from_columns(items, raters, said, labels=labels), np.array(seconds, np.float64), lines)


def read_wide(path: Source, problems: Problems, *, item: str = "item", labels: Sequence[str] = ()) -> Judgments:
    """Read a table with a row per item and a column per rater; an empty cell is a missing judgment.

    Args:
        path: The file, or ``-``.
        problems: Where problems go.
        item: The column that names the item.
        labels: Labels that get the first codes.

    Raises:
        InputError: If the file is bad, an item stands twice, or there is no rater.
    """
    items, raters, said = [], [], []
    seen: set[str] = set()
    for values, place in table_rows(path, problems, (item,)):
        name = values[item]
        if not name or name in seen:
            what = f"item '{name}' stands in an earlier row too" if name else "the row names no item"
            problems.repairable("wide-item", what, place, repair="the row is left out")
            continue
        seen.add(name)
        for rater, label in values.items():
            if rater != item and is_list(label):
                what, repair = f"{list_words(label)} of '{rater}'", "the cell is left out"
                problems.repairable("judgments-list", what, place, repair=repair, expected=ONE_LABEL)
            elif rater != item:
                items.append(name)
                raters.append(rater)
                said.append(label.strip())
    if not any(said) and not problems.errors:
        place = Place(display_name(path))
        problems.error("wide-empty", "no judgment in the file", place, expected="a column per rater")
    problems.raise_errors()
    return Judgments.from_columns(items, raters, said, labels=labels)


def _columns(row: TableRow, answer: str, item: str, name: str) -> dict[str, str]:
    header = list(row.values)
    answers = [column for column in header if column.startswith(ANSWER)]
    wanted = next((column for column in (answer, ANSWER + answer) if answer and column in header), "")
    if not wanted:
        if answer or len(answers) != 1:
            what = f"no column '{answer}'" if answer else f"{len(answers)} columns could be the answer"
            fix = nearest(ANSWER + answer, answers) if answer and answers else f"name one of: {', '.join(answers)}"
            raise UsageError(Problem("batch-answer", what, Place(name), "one answer column", fix))
        wanted = answers[0]
    found = {"answer": wanted}
    for key, choices in (("item", (item, INPUT + item) if item else HIT), ("rater", WORKER)):
        column = next((choice for choice in choices if choice in header), "")
        if not column:
            raise UsageError(Problem("batch-column", f"no column {' or '.join(choices)}", Place(name), f"the {key}"))
        found[key] = column
    return found


def _seconds(text: str) -> float:
    value = finite(text)
    return nan if value is None or value < 0 else value


def write_judgments(judgments: Judgments, kind: JudgmentFormat = "csv") -> Iterator[str]:
    """Yield the lines of a file of judgments, without line ends.

    Raises:
        InputError: If a name contains a line break, which CSV cannot hold safely.
    """
    weights = None if judgments.weight is None else judgments.weight.tolist()
    names = NEEDED if weights is None else COLUMNS[:4]
    items, raters, labels = judgments.items, judgments.raters, judgments.labels
    if kind == "csv":
        items, raters, labels = (tuple(map(_csv_field, column)) for column in (items, raters, labels))
        yield ",".join(names)
    codes = zip(judgments.item.tolist(), judgments.rater.tolist(), judgments.label.tolist(), strict=True)
    for row, (item, rater, label) in enumerate(codes):
        values: list[str | float] = [items[item], raters[rater], labels[label]]
        if weights is not None:
            values.append(weights[row])
        if kind == "csv":
            yield ",".join(map(str, values))
        else:
            yield json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)


def _csv_field(text: str) -> str:
    if "\n" in text or "\r" in text:
        what = f"the name {text!r} contains a line break"
        raise InputError(Problem("judgments-line-break", what, fix="write JSON lines"))
    # A space at the edge of a field is kept by readers only inside quotes.
    quoted = not text or text != text.strip() or "," in text or '"' in text
    return '"' + text.replace('"', '""') + '"' if quoted else text
