"""Judgments as rows, for tables that other commands read: one snapshot, one order, some rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Connection

from errorbar.core.csv_cells import csv_line
from errorbar.core.errors import Problem, UsageError
from errorbar.judging.corpus_questions import SEVERAL
from errorbar.judging.halting import counted_items
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.schemes import NOTHING, SIDES, Scheme, label_of
from errorbar.judging.study_records import rows

Part = Literal["extra", "excluded", "repeats", "gold", "quiz", "skipped", "beyond"]
PARTS: tuple[Part, ...] = get_args(Part)
"""What is left out of tables unless it is asked for: answers that came when all places were taken; those of raters who
are excluded; repeated items; gold items; the quiz; items that were skipped; of a study with a question, judgments on
which its estimate does not rest."""
FIXED = ("item", "rater", "label", "seconds", "round", "state", "version")
SIDED = ("top", "system1", "system2")
"""Of a choice test: which candidate stood at the top, and whose they are."""
AFTER = ("skip", "comment")
_PROPOSED = "_proposed"
"""After the name of a question: the column of what a program proposed, before raters confirmed or changed it."""
_ITEM = "item_"
"""Before a hidden column that is called as one of an export."""
TIE = "tie"


@dataclass(frozen=True, slots=True)
class Row:
    """A judgment whose answer, or skip, is the one that counts."""

    item: JudgedItem
    rater: str
    round: str
    state: str
    reversed: bool
    version: int
    answer: Mapping[str, Any] | None
    skip: str
    comment: str
    milliseconds: int

    def label(self, scheme: Scheme) -> str:
        """In the item's own terms; empty: skipped."""
        return "" if self.answer is None else label_of(scheme, self.item, self.reversed, self.answer)

    @property
    def seconds(self) -> float | None:
        """That it took; None: not known."""
        return self.milliseconds / 1000 if self.milliseconds else None

    def sides(self) -> list[str]:
        """The candidate at the top, and who wrote the first and the second."""
        return [SIDES["top"][self.reversed], *(self.item.names or ("", ""))]


def judgment_rows(tx: Connection, include: Sequence[Part] = ()) -> Iterator[Row]:
    """Those that count, and what is asked for beside them, by item and then rater, in the order in which these came."""
    last, item = "", JudgedItem("", "")
    counted = "TRUE" if "beyond" in include else counted_items(tx)
    for row in rows(tx, _STATEMENT.format(where=f"{_where(include)} AND (i.kind = 'gold' OR {counted})")):
        if row.payload != last:
            last, item = row.payload, JudgedItem.from_json(row.payload)
        answer = json.loads(row.answer)
        told = row.rater, row.round, row.state, bool(row.reversed), row.version
        yield Row(item, *told, answer, row.skip, row.comment, row.milliseconds)


_STATEMENT = (
    "SELECT i.payload, r.name AS rater, a.round, a.state, a.reversed, a.version, n.answer, n.skip, n.comment,"
    " n.milliseconds FROM item i JOIN assignment a ON a.item = i.id JOIN rater r ON r.id = a.rater"
    " JOIN answer n ON n.assignment = a.id AND n.version = a.version WHERE {where}"
    " ORDER BY a.item, a.rater, a.round"
)


def _where(include: Sequence[Part]) -> str:
    states = ["done", *{"extra": "extra", "excluded": "aside", "skipped": "skipped"}.keys() & {*include}]
    named = [{"excluded": "aside"}.get(state, state) for state in sorted(states)]
    rounds = ["main", *(["repeat"] if "repeats" in include else []), *(["quiz"] if "quiz" in include else [])]
    kinds = ["work", *(["gold"] if {"gold", "quiz"} & {*include} else [])]
    listed = (("a.state", named), ("a.round", rounds), ("i.kind", kinds))
    parts = [f"{column} IN ({', '.join(repr(each) for each in values)})" for column, values in listed]
    if "quiz" in include and "gold" not in include:
        parts.append("(i.kind = 'work' OR a.round = 'quiz')")
    if "excluded" in include:  # their extra judgments with the others of theirs
        parts[0] = f"({parts[0]} OR (r.status = 'excluded' AND a.state = 'extra'))"
    else:
        parts.append("r.status = 'active'")
    return " AND ".join(parts)


def hidden_columns(tx: Connection, scheme: Scheme) -> dict[str, str]:
    """The hidden columns of all items, in order of appearance, and what an export calls each."""
    taken = {*FIXED, *SIDED, *AFTER, *(question.id for question in scheme.questions)}
    taken |= {f"{question.id}{_PROPOSED}" for question in scheme.questions}
    known: dict[str, None] = {}
    for row in rows(tx, "SELECT payload FROM item ORDER BY id"):
        known |= dict.fromkeys(json.loads(row.payload)["hidden"])
    return {name: f"{_ITEM}{name}" if name in taken else name for name in known}


def proposed_questions(tx: Connection) -> list[str]:
    """Questions for which a program proposed something, of any item."""
    known: dict[str, None] = {}
    for row in rows(tx, "SELECT payload FROM item ORDER BY id"):
        known |= dict.fromkeys(json.loads(row.payload).get("proposed", ()))
    return [*known]


def table_lines(tx: Connection, scheme: Scheme, include: Sequence[Part]) -> Iterator[str]:
    """CSV, a row for each judgment: fixed columns, one for each question, remarks, the items' hidden columns."""
    hidden = hidden_columns(tx, scheme)
    questions = [question.id for question in scheme.questions]
    sides = SIDED if scheme.shows == "choice" else ()
    proposals = proposed_questions(tx)
    names = [f"{name}{_PROPOSED}" for name in proposals]
    yield csv_line([*FIXED, *questions, *sides, *AFTER, *names, *hidden.values()])
    for row in judgment_rows(tx, include):
        said = row.answer or {}
        seconds = "" if row.seconds is None else f"{row.seconds:.3f}"
        fixed = [row.item.name, row.rater, row.label(scheme), seconds, row.round, row.state, str(row.version)]
        own = [_cell(said.get(name)) for name in questions]
        own += row.sides() if sides else []
        own += [row.skip, row.comment, *(_cell(row.item.proposed.get(name)) for name in proposals)]
        yield csv_line([*fixed, *own, *(row.item.hidden.get(name, "") for name in hidden)])


def pair_lines(tx: Connection, scheme: Scheme, include: Sequence[Part]) -> Iterator[str]:
    """CSV for ``rank``: a row for each two whose texts were compared; who wrote the same shares an item's rows."""
    if scheme.shows != "choice":
        what = f"pairs are of choice tests, and the scheme is {scheme.name}"
        raise UsageError(Problem("judge-export-kind", what, fix="--to=csv"))
    yield csv_line(["item", "judge", "system1", "system2", "winner"])
    for row in judgment_rows(tx, include):
        if row.answer is None:
            continue
        one, two = (name.split(SEVERAL) for name in (row.item.names or ("first", "second")))
        label = row.label(scheme)
        for first in one:
            for second in two:
                winner = {"first": first, "second": second}.get(label, TIE)
                yield csv_line([row.item.name, row.rater, first, second, winner])


def set_lines(tx: Connection, scheme: Scheme, include: Sequence[Part]) -> Iterator[str]:
    """CSV as ``sample draw`` wrote it, filled in: for ``sample estimate``."""
    yield csv_line(["item", "text", "set", "rater", "label"])
    for row in judgment_rows(tx, include):
        if "set" not in row.item.hidden:
            what = f"item '{row.item.name}' is of no set that sample draw wrote"
            raise UsageError(Problem("judge-export-kind", what, fix="--to=csv"))
        yield csv_line([row.item.name, _marked(row.item), row.item.hidden["set"], row.rater, row.label(scheme)])


def _marked(item: JudgedItem) -> str:
    """The text with its span in brackets, as sets have it."""
    if item.span is None:
        return " ".join(item.text.split())
    start, end = item.span
    gap = " " if start == end else ""
    return " ".join(f"{item.text[:start]}{gap}[{item.text[start:end]}]{gap}{item.text[end:]}".split())


def _cell(said: object) -> str:
    """An answer in a cell: that nothing was marked is an answer, and no answer is empty."""
    if isinstance(said, list):
        return " | ".join(map(str, said)) if said else NOTHING
    return "" if said is None else str(said)
