"""Other tables about items: batches of Mechanical Turk, a column per rater, flags, true labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.judgments import Judgments, RepeatPolicy
from errorbar.core.labels import ONE_LABEL, format_count, is_list, list_words
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.formats.catalog import FORMATS, format_of, is_hoo
from errorbar.formats.look import Source, display_name, look
from errorbar.formats.tables import Block, TableFields, finite, header_of, table_blocks, table_rows
from errorbar.formats.untrusted import json_record

NEEDED = ("item", "rater", "label")
COLUMNS = (*NEEDED, "weight", "seconds")
POOL = "pool"
"""A column of the pool that each rater belongs to, which may be empty."""
RATER_KIND = "rater_kind"
"""A column that says what each rater is, one of ``KINDS``; an empty cell is a human, as is every rater without it."""
HUMAN, MODEL = KINDS = ("human", "model")
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
    """The values of an item beside its flag, None where the table has no such column."""

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
    answers: list[tuple[str, str, str]] = []
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
            message = f"the answer '{label}' is not one of the labels; {nearest(label, labels)}"
            problems.repairable("batch-label", message, place)
        else:
            answers.append((name, rater, label))
            seconds.append(at_least_0(values.get("WorkTimeInSeconds")))
            lines.append(place.line)
    for count, why in ((n_rejected, "were rejected"), (n_empty, "have no answer")):
        if count:
            problems.note("batch-left-out", f"{count} assignments {why}; they are left out", Place(display_name(path)))
    if not answers and not problems.errors:
        problems.error("batch-empty", "no answer in the file", Place(display_name(path)))
    problems.raise_errors()
    times = np.array([nan if each is None else each for each in seconds], np.float64)
    return Batch(Judgments.from_columns(*zip(*answers, strict=True), labels=labels), times, np.array(lines, np.int64))


def _batch_columns(header: Sequence[str], answer: str, item: str, place: Place) -> tuple[str, str, str]:
    """The columns of item, rater and answer; a ``UsageError`` where none or several could be the answer."""
    answers = [column for column in header if column.startswith(ANSWER)]
    named = [column for column in (answer, ANSWER + answer) if answer and column in header]
    if not named and (answer or len(answers) != 1):
        message = f"no column '{answer}'" if answer else f"{len(answers)} columns could be the answer"
        fix = nearest(ANSWER + answer, answers) if answer and answers else f"name one of: {', '.join(answers)}"
        raise UsageError(Problem("batch-answer", message, place, "one answer column", fix))
    columns = []
    for key, choices in (("item", (item, INPUT + item) if item else HIT), ("rater", WORKER)):
        column = next((choice for choice in choices if choice in header), "")
        if not column:
            raise UsageError(Problem("batch-column", f"no column {' or '.join(choices)}", place, f"the {key}"))
        columns.append(column)
    return columns[0], columns[1], (named or answers)[0]


def at_least_0(value: object) -> float | None:
    """A weight or a time; None where it is none."""
    number = finite(value)
    return None if number is None or number < 0 else number


def read_wide(path: Source, problems: Problems, *, item: str = "item", labels: Sequence[str] = ()) -> Judgments:
    """Read a table with a row per item, which a column names, and a column per rater; an empty cell is no judgment."""
    answers: list[tuple[str, str, str]] = []
    seen: set[str] = set()
    for values, place in table_rows(path, problems, (item,)):
        name = values.pop(item)
        if not name or name in seen:
            message = f"item '{name}' stands in an earlier row too" if name else "the row names no item"
            problems.repairable("wide-item", message, place)
            continue
        seen.add(name)
        for rater, label in values.items():
            if is_list(label):
                message, repair = f"{list_words(label)} of '{rater}'", "the cell is left out"
                problems.repairable("judgments-list", message, place, repair, ONE_LABEL)
            else:
                answers.append((name, rater, label.strip()))
    if not any(label for _, _, label in answers) and not problems.errors:
        problems.error("wide-empty", "no judgment in the file", Place(display_name(path)), "a column per rater")
    problems.raise_errors()
    return Judgments.from_columns(*zip(*answers, strict=True), labels=labels)


def read_flags(path: Source, problems: Problems, name: str = "") -> SystemFlags:
    """Read a table ``item,flag[,score,word,suggestion,text]``; a flag is one of ``YES`` or ``NO`` in any case.

    ``name``: of the system.
    """
    flags: dict[str, bool] = {}
    scores: dict[str, float] = {}
    flag_rows: dict[str, Told] = {}
    for values, place in table_rows(path, problems, ("item", "flag")):
        item, word, score_text = values["item"], values["flag"].strip().lower(), values.get("score")
        score = finite(score_text)
        if not item or item in flags:
            message = f"item '{item}' was flagged before" if item else "the row names no item"
            problems.repairable("flags-item", message, place)
            continue
        if word not in YES | NO:
            problems.repairable("flags-flag", f"the flag is '{values['flag']}'", place, expected="1 or 0")
            continue
        flags[item] = word in YES
        if (more := Told(values.get("word"), values.get("suggestion"), values.get("text"))) != _NOTHING:
            flag_rows[item] = more
        if score is not None:
            scores[item] = score
        elif score_text:
            problems.repairable("flags-score", f"the score '{score_text}' is no number", place, "the score is left out")
    problems.raise_errors()
    return SystemFlags(name or display_name(path), flags, scores, flag_rows)


def read_answers(path: Source, problems: Problems) -> dict[str, str]:
    """Read a table ``item,label`` of true labels, one for each item: CSV, JSON lines or Parquet.

    Or the table of a study's gold items, with the column ``answer``: items with several right ones are left out.
    """
    source = look(path)
    column = "answer" if {"answer", "label"} & {*header_of(source)} == {"answer"} else "label"
    labels: dict[str, str] = {}
    n_several = 0
    for values, place in table_rows(source, problems, ("item", column)):
        item, label = values["item"], values[column]
        if column == "answer" and "|" in label:
            n_several += 1
        elif not item or not label:
            message = "the row names no item" if not item else f"item '{item}' has no label"
            problems.repairable("answers-empty", message, place)
        elif labels.setdefault(item, label) != label:
            message = f"item '{item}' is '{label}' here and '{labels[item]}' before"
            problems.repairable("answers-twice", message, place, "the first is kept")
    problems.raise_errors()
    if n_several:
        items = format_count(n_several, "items")
        problems.note("answers-several", f"{items} with several right answers left out", Place(display_name(path)))
    return labels


# Judgments in any layout: a row for each judgment, a column for each rater, or batch results of Mechanical Turk.
#
# Rows are taken in blocks and kept as codes, some 12 bytes for each judgment. A block is looked through as columns, and
# row by row only where something in it is odd: the rules of a row stand once, in ``_row``.


Layout = Literal["auto", "long", "wide", "batch"]
_CORPUS_KEYS = frozenset(("format", "text", "annotations", "standoff"))
OWN = frozenset(("text", "set", "flag", "score", "span", "word", "suggestion", "better"))
"""Columns of our own tables of drawn sets and of detectors beside judgments, which are left out without a note."""
EXPORTED = frozenset(("round", "state", "version"))
"""Columns of exports of ``errorbar judge`` beside judgments and those of their scheme and of the items."""
SET = re.compile(r"[0-9a-f]{16}")
"""The name of a set that ``sample draw`` wrote, in its column ``set``."""
REPEATED = "choose by --repeats which judgment counts"
Numbers = NDArray[np.int64]


class JudgmentTable(NamedTuple):
    """Judgments in the order of the file; times, NaN where one is not known, None where none are given or wanted."""

    judgments: Judgments
    seconds: Floats | None
    drawn: bool = False  # they are of a set that ``sample draw`` wrote
    pools: Mapping[str, str] | None = None  # of each rater, where the table says it
    models: frozenset[str] = frozenset()  # the raters that are language models, by the column ``rater_kind``

    def of_raters(self, raters: Sequence[str]) -> JudgmentTable:
        """The judgments of some raters, in the order given, and their times; every item stays known."""
        judgments, seconds = self.judgments, self.seconds
        if seconds is not None:
            seconds = seconds[np.isin(np.asarray(judgments.raters), np.asarray(raters, str))[judgments.rater]]
        return self._replace(judgments=judgments.only(raters), seconds=seconds, models=self.models & {*raters})


def leave_out_models(table: JudgmentTable, place: Place, problems: Problems) -> JudgmentTable:
    """The judgments of people, with a note of those left out: what a model says is never the truth.

    Raises:
        InputError: If all judgments are of models.
    """
    if not table.models:
        return table
    people = [rater for rater in table.judgments.raters if rater not in table.models]
    own = table.of_raters(people)
    n_left_out, names = len(table.judgments) - len(own.judgments), ", ".join(sorted(table.models))
    if not len(own.judgments):
        problems.error("judgments-models", f"all {n_left_out:,} judgments are of models: {names}", place, MODELS_HINT)
        problems.raise_errors()
    message = f"{n_left_out:,} judgments of models ({names}) do not count as people's"
    problems.note("judgments-models", message, place, "they are left out")
    return own


MODELS_HINT = "judgments of people, with 'human' or nothing in the column 'rater_kind'"


def read_people(path: Source, problems: Problems) -> Judgments:
    """Read a table of judgments in a layout that it shows by itself; those of models are left out with a note."""
    return leave_out_models(read_judgment_table(path, problems), Place(display_name(path)), problems).judgments


def read_assistants(path: Source, problems: Problems) -> JudgmentTable:
    """Read a table of cheap judgments: of the models alone where it has some, else of all raters, a crowd.

    Repeated answers of a model stay, as do those of several prompts: together they are a share.
    """
    source = look(path)
    repeats: RepeatPolicy = "keep" if RATER_KIND in header_of(source) else "refuse"
    return keep_assistants(read_judgment_table(source, problems, repeats=repeats))


def keep_assistants(table: JudgmentTable) -> JudgmentTable:
    """The judgments of a table's models, where it has some; else all, of which nobody may have given one twice."""
    if table.models:
        return table.of_raters(sorted(table.models))
    return table._replace(judgments=table.judgments.take(table.judgments.settled("refuse")))


def read_judgment_table(
    path: Source,
    problems: Problems,
    *,
    layout: Layout = "auto",
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] = (),
    repeats: RepeatPolicy | None = None,
) -> JudgmentTable:
    """Read a table of judgments: CSV (comma, tab or semicolon) or JSON lines, gzipped or not, or Parquet.

    Layouts: ``long``, a row for each judgment, with item, rater, label and maybe weight; ``wide``, a row for each item
    and a column for each rater; ``batch``, results of Mechanical Turk; ``auto``, batch or long. ``columns``: a role, as
    in ``COLUMNS``, to the name that the file has for it. ``labels`` get the first codes, whether or not they occur.
    Of repeated judgments ``refuse`` (lenient reading keeps the first), ``first``, ``last``, or ``keep`` both; None: as
    ``refuse``, for who has no such choice.
    """
    roles, source = dict(columns or {}), look(path)
    for role in roles:
        if role not in COLUMNS:
            message = f"judgments have no column '{role}'"
            raise UsageError(Problem("judgments-column", message, fix=nearest(role, COLUMNS)))
    if layout == "auto":
        layout = "batch" if is_batch(header_of(source)) else "long"
    lines: Numbers = np.empty(0, np.int64)
    if layout == "batch":
        answer, item = roles.get("label", ""), roles.get("item", "")
        judgments, seconds, lines = read_batch(source, problems, answer=answer, item=item, labels=labels)
        table = JudgmentTable(judgments, seconds, pools={})
    elif layout == "wide":
        item = roles.get("item", "item")
        table = JudgmentTable(read_wide(source, problems, item=item, labels=labels), None, pools={})
    else:
        table, lines = _read_long(source, problems, roles, labels)
    kept = _choose_repeats(table.judgments, repeats, lines, display_name(path), problems)
    problems.raise_errors()
    if kept is None:
        return table
    times = None if table.seconds is None else table.seconds[kept]
    return table._replace(judgments=table.judgments.take(kept), seconds=times)


def is_corpus(path: Source, *, told: bool = False) -> bool:
    """Whether a file is a corpus and no table; told: an option says that JSON lines of whatever keys are a table."""
    source = look(path)
    if source.is_parquet:
        return False
    if source.is_folder and is_hoo(source.path):  # whose reader says what takes it
        return True
    known, first = format_of(source), source.peek()
    if known.name not in FORMATS or known.holds == "rows":
        return known.holds != "rows"
    if first == "S" or first.startswith(("S ", "A ", "<")) or (not told and known.holds == "labels"):
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
) -> tuple[JudgmentTable, Numbers]:
    """The judgments with all that the table says of them and of raters, and the line of each; block by block."""
    names = {role: roles.get(role, role) for role in COLUMNS}
    needed = {name: role for role, name in names.items() if role in NEEDED or (role == "seconds" and role in roles)}
    wanted = TableFields(tuple(needed), needed, "judgments", "judgments-header", {*names.values()})
    place = Place(display_name(path))
    items, raters, known = _Codes(), _Codes(), _Codes((label, code) for code, label in enumerate(labels))
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in _Columns._fields}
    extra: dict[str, None] = {}
    drawn, pools, kinds = False, dict[str, str](), dict[str, str]()
    for block in table_blocks(path, problems, wanted):
        extra |= dict.fromkeys(
            key for key in block.header if key and key not in (*names.values(), POOL, RATER_KIND) and key not in OWN
        )
        if "set" in block.header and not drawn and block.lines:
            drawn = SET.fullmatch(str(block.columns[block.header.index("set")][0])) is not None
        places = {role: block.header.index(key) for role, key in names.items() if key in block.header}
        rows = _check_rows(block, places, place.file, problems)
        if not rows.item:
            continue
        if parts["item"] and bool(parts["weight"]) is not (rows.weight is not None):
            message, expected = "some rows have a weight and some have none", "a weight in every row or in none"
            for line in rows.lines:
                problems.error("judgments-weight", message, Place(place.file, line), expected)
            continue
        for rater, values, row_place in _rows_of_raters(block, rows, place.file):
            note_rater(rater, values, (pools, kinds), row_place, problems)
        coded = rows._asdict() | {"item": items.of(rows.item), "rater": raters.of(rows.rater)}
        label = [known[text] if text else -1 for text in rows.label] if "" in rows.label else known.of(rows.label)
        for name, column in (coded | {"label": np.asarray(label, np.int32)}).items():
            if column is not None:
                parts[name].append(np.asarray(column))
    if extra and not extra.keys() >= EXPORTED:
        message = f"columns that judgments have no use for: {', '.join(extra)}"
        problems.note("judgments-extra", message, place, "they are not read")
    if not parts["item"]:
        if not problems.errors:
            problems.error("judgments-empty", "no judgment in the file", place)
        problems.raise_errors()
    columns = {name: np.concatenate(part) for name, part in parts.items() if part}
    labeled = columns["label"] >= 0
    if n_missing := len(labeled) - int(labeled.sum()):  # their items and raters are known all the same
        message = f"{n_missing} of {len(labeled)} rows have no label; they count as not judged"
        problems.note("judgments-no-label", message, place)
        columns = {name: column[labeled] for name, column in columns.items()}
    codes = (columns["item"], columns["rater"], columns["label"])
    judgments = Judgments(*codes, tuple(items), tuple(raters), tuple(known), columns.get("weight"))
    table = JudgmentTable(judgments, columns.get("seconds"), drawn, pools, models_of(kinds))
    return table, columns["lines"]


def _note_pool(pools: dict[str, str], rater: str, pool: str, place: Place, problems: Problems) -> None:
    """Remember the pool that a row gives a rater; somebody in two pools is refused."""
    known = pools.setdefault(rater, pool)
    if known != pool and rater:
        message = f"rater {rater} is in pool '{pool}', and was in pool '{known}' before"
        problems.error("pool-twice", message, place, "one pool for each rater", "keep one of them")


def _rows_of_raters(block: Block, rows: _Columns, file: str) -> Iterator[tuple[str, Mapping[str, object], Place]]:
    """Of each row of a block the rater, and what columns about raters say; nothing where the block has none."""
    columns = {name: block.columns[block.header.index(name)] for name in (POOL, RATER_KIND) if name in block.header}
    if columns:
        at_line = {line: at for at, line in enumerate(block.lines)}
        for rater, line in zip(rows.rater, rows.lines, strict=True):
            yield rater, {name: column[at_line[line]] for name, column in columns.items()}, Place(file, line)


def note_rater(
    rater: str,
    values: Mapping[str, object],
    known: tuple[dict[str, str], dict[str, str]],
    place: Place,
    problems: Problems,
) -> None:
    """Remember the pool and the kind that a row gives a rater, each where there is a column of it."""
    pools, kinds = known
    if POOL in values:
        _note_pool(pools, rater, str(values[POOL] or ""), place, problems)
    if RATER_KIND in values:
        _note_kind(kinds, rater, str(values[RATER_KIND] or ""), place, problems)


def _note_kind(kinds: dict[str, str], rater: str, kind: str, place: Place, problems: Problems) -> None:
    """Remember what a row says a rater is; another word than ``KINDS``, or both of them, is refused."""
    word = kind.strip().lower() or HUMAN
    if word not in KINDS:
        message = f"rater {rater} has the {RATER_KIND} '{kind}'"
        problems.error("rater-kind", message, place, " or ".join(KINDS), nearest(word, KINDS))
    elif kinds.setdefault(rater, word) != word:
        message = f"rater {rater} is a {word} here, and a {kinds[rater]} in an earlier row"
        problems.error("rater-kind", message, place, "one kind for each rater", "give the model a name of its own")


def models_of(kinds: Mapping[str, str]) -> frozenset[str]:
    """The raters that are models."""
    return frozenset(rater for rater, kind in kinds.items() if kind == MODEL)


def _check_rows(block: Block, places: Mapping[str, int], name: str, problems: Problems) -> _Columns:
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
    weight = np.array(columns[3], np.float64) if "weight" in places else None
    seconds = np.array(columns[4], np.float64) if "seconds" in places else None
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
    item, rater, label = ("" if (value := record[name]) is None else str(value) for name in NEEDED)
    weight, seconds = (at_least_0(record.get(role)) for role in COLUMNS[3:])
    number, odd = "a number of at least 0", [name for name in NEEDED if isinstance(record[name], bool | list | dict)]
    wrong = None
    if odd:
        wrong = "judgments-value", f"the {odd[0]} is {type(record[odd[0]]).__name__}", "text or a number"
    elif not item or not rater:
        wrong = "judgments-name", f"the row names no {'rater' if item else 'item'}", ""
    elif is_list(label):
        wrong = "judgments-list", list_words(label), ONE_LABEL
    elif weight is None and "weight" in record:
        wrong = "judgments-weight", f"the weight {record['weight']!r} will not do", number
    if wrong is not None:
        problems.repairable(*wrong[:2], place, expected=wrong[2])
        return None
    time = record.get("seconds")
    if seconds is None and not (time is None or (isinstance(time, str) and not time.strip())):
        message, repair = f"the time {time!r} will not do", "the time counts as unknown"
        problems.repairable("judgments-seconds", message, place, repair, number)
    return item, rater, label, nan if weight is None else weight, nan if seconds is None else seconds


def _choose_repeats(
    table: Judgments, repeats: RepeatPolicy | None, lines: Numbers, name: str, problems: Problems
) -> NDArray[np.bool_] | None:
    """Which judgments are kept where a rater judged an item more than once; None: all."""
    if repeats == "keep" or not table.n_repeated():
        return None
    if repeats not in (None, "refuse"):
        return table.settled(repeats)
    hint = REPEATED if repeats else ""
    first = table.first_rows()
    again = first != np.arange(len(table))
    for row in np.flatnonzero(again).tolist():
        rater, item = table.raters[table.rater[row]], table.items[table.item[row]]
        message = f"rater '{rater}' judged item '{item}' before, in line {lines[first[row]]}"
        place, repair = Place(name, int(lines[row])), "the first judgment is kept"
        problems.repairable("judgments-repeated", message, place, repair, hint=hint)
    return np.asarray(~again, np.bool_)


def refuse_others(table: Judgments, declared: Sequence[str], name: str) -> None:
    """Refuse labels that were not declared: an ``InputError`` with one problem for each."""
    votes = np.bincount(table.label, minlength=len(table.labels)).tolist()
    problems = []
    for label, n in zip(table.labels, votes, strict=True):
        if label not in declared:
            judgments_say = "1 judgment says" if n == 1 else f"{n:,} judgments say"
            message = f"{judgments_say} '{label}', which is not declared"
            problems.append(Problem("crowd-label", message, Place(name), fix=nearest(label, declared)))
    if problems:
        raise InputError(problems)
