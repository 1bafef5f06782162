"""Other tables about items: batches of Mechanical Turk, a column per rater, flags, true labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.labels import ONE_LABEL, is_list, list_words
from errorbar.core.problems import Problems
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import finite, table_rows

NEEDED = ("item", "rater", "label")
COLUMNS = (*NEEDED, "weight", "seconds")
HIT = ("HITId", "hit", "HIT")
WORKER = ("WorkerId", "worker", "Worker")
ANSWER, INPUT = "Answer.", "Input."
YES = frozenset(("1", "true", "yes", "error", "y", "t"))
NO = frozenset(("0", "false", "no", "ok", "n", "f", ""))


class Batch(NamedTuple):
    """Judgments of a batch; of each its working time, NaN where none is given, and its line."""

    judgments: Judgments
    seconds: NDArray[np.float64]
    lines: NDArray[np.int64]


class Told(NamedTuple):
    """What a table tells of an item beside its flag, None where it has no such column."""

    word: str | None  # that is judged
    suggestion: str | None  # what to write instead; empty: nothing
    text: str | None  # the sentence


class SystemFlags(NamedTuple):
    """Which items a system flags, and its scores of items and what it tells of them, as far as the file has some."""

    name: str
    flags: Mapping[str, bool]
    scores: Mapping[str, float]
    told: Mapping[str, Told]


_NOTHING = Told(None, None, None)


def is_batch(header: Sequence[str]) -> bool:
    """Whether column names are those of batch results."""
    return any(name in header for name in WORKER) and any(name.startswith(ANSWER) for name in header)


def read_batch(path: Source, problems: Problems, answer: str = "", item: str = "", labels: Sequence[str] = ()) -> Batch:
    """Read batch results: a row per assignment, with ``HITId``, ``WorkerId`` and an ``Answer.`` column.

    Rejected assignments and empty answers are left out and counted. ``answer`` is the column of the label, needed where
    there are several; ``item`` names the item, "" the HIT; if ``labels`` are given, another is an error.
    """
    columns: tuple[str, str, str] | None = None
    found: list[tuple[str, str, str]] = []
    seconds, lines = [], []
    n_rejected = n_empty = 0
    for values, place in table_rows(path, problems):
        columns = columns or _batch_columns(list(values), answer, item, Place(display_name(path)))
        name, rater, label = (values[column].strip() for column in columns)
        if not name or not rater:
            problems.repairable("batch-name", f"the row names no {'worker' if name else 'item'}", place)
        elif values.get("AssignmentStatus") == "Rejected":
            n_rejected += 1
        elif not label:
            n_empty += 1
        elif is_list(label):
            problems.repairable("judgments-list", list_words(label), place, expected=ONE_LABEL)
        elif labels and label not in labels:
            what = f"the answer '{label}' is not one of the labels; {nearest(label, labels)}"
            problems.repairable("batch-label", what, place)
        else:
            found.append((name, rater, label))
            seconds.append(at_least_0(values.get("WorkTimeInSeconds")))
            lines.append(place.line)
    for count, why in ((n_rejected, "were rejected"), (n_empty, "have no answer")):
        if count:
            problems.note("batch-left-out", f"{count} assignments {why}; they are left out", Place(display_name(path)))
    if not found and not problems.errors:
        problems.error("batch-empty", "no answer in the file", Place(display_name(path)))
    problems.raise_errors()
    times = np.array([nan if each is None else each for each in seconds], np.float64)
    return Batch(Judgments.from_columns(*zip(*found, strict=True), labels=labels), times, np.array(lines, np.int64))


def _batch_columns(header: Sequence[str], answer: str, item: str, place: Place) -> tuple[str, str, str]:
    """The columns of item, rater and answer; a ``UsageError`` where none or several could be the answer."""
    answers = [column for column in header if column.startswith(ANSWER)]
    named = [column for column in (answer, ANSWER + answer) if answer and column in header]
    if not named and (answer or len(answers) != 1):
        what = f"no column '{answer}'" if answer else f"{len(answers)} columns could be the answer"
        fix = nearest(ANSWER + answer, answers) if answer and answers else f"name one of: {', '.join(answers)}"
        raise UsageError(Problem("batch-answer", what, place, "one answer column", fix))
    found = []
    for key, choices in (("item", (item, INPUT + item) if item else HIT), ("rater", WORKER)):
        column = next((choice for choice in choices if choice in header), "")
        if not column:
            raise UsageError(Problem("batch-column", f"no column {' or '.join(choices)}", place, f"the {key}"))
        found.append(column)
    return found[0], found[1], (named or answers)[0]


def at_least_0(value: object) -> float | None:
    """A weight or a time; None where it is none."""
    number = finite(value)
    return None if number is None or number < 0 else number


def read_wide(path: Source, problems: Problems, *, item: str = "item", labels: Sequence[str] = ()) -> Judgments:
    """Read a table with a row per item, which a column names, and a column per rater; an empty cell is no judgment."""
    found: list[tuple[str, str, str]] = []
    seen: set[str] = set()
    for values, place in table_rows(path, problems, (item,)):
        name = values.pop(item)
        if not name or name in seen:
            what = f"item '{name}' stands in an earlier row too" if name else "the row names no item"
            problems.repairable("wide-item", what, place)
            continue
        seen.add(name)
        for rater, label in values.items():
            if is_list(label):
                what, repair = f"{list_words(label)} of '{rater}'", "the cell is left out"
                problems.repairable("judgments-list", what, place, repair, ONE_LABEL)
            else:
                found.append((name, rater, label.strip()))
    if not any(label for _, _, label in found) and not problems.errors:
        problems.error("wide-empty", "no judgment in the file", Place(display_name(path)), "a column per rater")
    problems.raise_errors()
    return Judgments.from_columns(*zip(*found, strict=True), labels=labels)


def read_flags(path: Source, problems: Problems, name: str = "") -> SystemFlags:
    """Read a table ``item,flag[,score,word,suggestion,text]``; a flag is one of ``YES`` or ``NO`` in any case.

    ``name``: of the system.
    """
    flags: dict[str, bool] = {}
    scores: dict[str, float] = {}
    told: dict[str, Told] = {}
    for values, place in table_rows(path, problems, ("item", "flag")):
        item, word, said = values["item"], values["flag"].strip().lower(), values.get("score")
        score = finite(said)
        if not item or item in flags:
            what = f"item '{item}' was flagged before" if item else "the row names no item"
            problems.repairable("flags-item", what, place)
            continue
        if word not in YES | NO:
            problems.repairable("flags-flag", f"the flag is '{values['flag']}'", place, expected="1 or 0")
            continue
        flags[item] = word in YES
        if (more := Told(values.get("word"), values.get("suggestion"), values.get("text"))) != _NOTHING:
            told[item] = more
        if score is not None:
            scores[item] = score
        elif said:
            problems.repairable("flags-score", f"the score '{said}' is no number", place, "the score is left out")
    problems.raise_errors()
    return SystemFlags(name or display_name(path), flags, scores, told)


def read_answers(path: Source, problems: Problems) -> dict[str, str]:
    """Read a table ``item,label`` of true labels, one for each item: CSV, JSON lines or Parquet."""
    found: dict[str, str] = {}
    for values, place in table_rows(path, problems, ("item", "label")):
        item, label = values["item"], values["label"]
        if not item or not label:
            what = "the row names no item" if not item else f"item '{item}' has no label"
            problems.repairable("answers-empty", what, place)
        elif found.setdefault(item, label) != label:
            what = f"item '{item}' is '{label}' here and '{found[item]}' before"
            problems.repairable("answers-twice", what, place, "the first is kept")
    problems.raise_errors()
    return found
