"""All judgments of a store as columns: what the figures of a study are computed from, also of millions.

Answers of one wording are kept once: a study of a few options has few.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select, text

from errorbar.core.arrays import Floats, Ints
from errorbar.core.judgments import Judgments
from errorbar.judging.answers import is_right, label_of
from errorbar.judging.protocol.changes import is_decided, why_closed
from errorbar.judging.protocol.exclusions import is_forgotten
from errorbar.judging.scheme import JUDGED, JudgedItem, Round, State
from errorbar.judging.store.tables import EXCLUSION, INVITE, ITEM, RATER
from errorbar.judging.study.guidance import check_result
from errorbar.judging.study.rules import StudyInfo, current_rules, read_about

ROUNDS: tuple[Round, ...] = get_args(Round)
STATES: tuple[State, ...] = get_args(State)
CHUNK = 2_000
"""Rows that are held as Python has them."""


def _code(column: str, names: Sequence[str]) -> str:
    """SQL of the number of a name: numbers come out of a driver faster than texts."""
    cases = (f"WHEN '{name}' THEN {code}" for code, name in enumerate(names))
    return f"CASE {column} {' '.join(cases)} END"


_TURNED = "CASE a.reversed WHEN 0 THEN 0 ELSE 1 END"
_CODES = f"(({_code('a.round', ROUNDS)}) * {len(STATES)} + ({_code('a.state', STATES)})) * 2 + {_TURNED}"
_ASSIGNMENTS = f"""
    SELECT a.item, a.rater, {_CODES}, coalesce(x.milliseconds, 0), coalesce(x.at, 0), coalesce(x.answer, 'null')
    FROM assignment a LEFT JOIN answer x ON x.assignment = a.id AND x.version = a.version ORDER BY a.id
"""


_DRAWN = text(
    "SELECT e.data FROM assignment a LEFT JOIN (SELECT assignment, min(id) AS id FROM event WHERE kind = 'claimed'"
    " AND data <> '' GROUP BY assignment) f ON f.assignment = a.id LEFT JOIN event e ON e.id = f.id ORDER BY a.id"
)


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """The part of an item's text that figures need, which does not change."""

    name: str
    gold: str  # the class of a gold item; empty: an item for work
    n_words: int
    text_number: int  # the same for equal texts, within a process
    hidden: Mapping[str, str]
    names: tuple[str, ...]  # who wrote the candidates
    whole: JudgedItem | None  # of gold items, and of all where they were asked for


@dataclass(frozen=True, slots=True)
class RaterFacts:
    """A rater, as the store has them."""

    name: str
    status: str
    quiz: str
    joined: float
    excluded: str  # why they are excluded now; empty: they are not
    forgotten: bool = False  # whether who they were is redacted
    failed: bool = False  # whether they failed the quiz or the questions on the guidelines


@dataclass(frozen=True, eq=False)
class StudyColumns:
    """A study at one moment; arrays have a row for each assignment, shape (assignments,), unless they say otherwise.

    Attributes:
        about: Scheme, rules and what else there is one of.
        items: In the order of the store.
        raters: In the order of the store.
        taken: Places of each item that are taken; shape (items,).
        stopped: Why no more judgments are wanted of each item; empty: they are.
        place: Of each item in the study's order, a random one; -1: gold; shape (items,).
        item: Number of the item in ``items``.
        rater: Number of the rater in ``raters``.
        round: Index into ``ROUNDS``.
        state: Index into ``STATES``.
        reversed: Whether the candidates stood in another order than their own.
        answer_number: Index into ``answers`` of the answer that counts; -1: none, or skipped.
        milliseconds: That it took; 0: not known.
        at: When it was given, or the last time that it was changed, in seconds since 1970; NaN: it was not.
        answers: Every different answer.
        closed: Why the study is closed; empty: it is not.
        decided: Whether it is halted as its question is decided.
        entrances: Of each link that was not revoked, until when it opens (None: for ever), and how many raters may
            still come by it (None: any number).
        probability: With which its pair was drawn (``protocol.adaptive``); 0: another pair was, of which nothing was
            left; NaN: nothing was drawn. None: the study is not adaptive.
    """

    about: StudyInfo
    items: Sequence[ItemFacts]
    raters: Sequence[RaterFacts]
    taken: Ints
    stopped: Sequence[str]
    place: Ints
    item: Ints
    rater: Ints
    round: Ints
    state: Ints
    reversed: NDArray[np.bool_]
    answer_number: Ints
    milliseconds: Ints
    at: Floats
    answers: Sequence[Mapping[str, Any]]
    closed: str = ""
    decided: bool = False
    entrances: Sequence[tuple[float | None, int | None]] = ()
    probability: Floats | None = None

    @cached_property
    def is_gold(self) -> NDArray[np.bool_]:
        """Which items are gold; shape (items,)."""
        return np.array([bool(item.gold) for item in self.items], np.bool_)

    def rows(self, round_: Round = "main", *states: State) -> Ints:
        """Numbers of the answered assignments of a round in some states; none given: ``done``, those that count."""
        wanted = [STATES.index(state) for state in states or ("done",)]
        of_round = self.round == ROUNDS.index(round_)
        return np.flatnonzero(of_round & np.isin(self.state, wanted) & (self.answer_number >= 0))

    @cached_property
    def set_aside(self) -> NDArray[np.bool_]:
        """Which assignments are judgments of raters who are excluded, extra ones too; shape (assignments,)."""
        excluded = np.array([rater.status == "excluded" for rater in self.raters], np.bool_)
        extra = self.state == STATES.index("extra")
        return np.asarray((self.state == STATES.index("aside")) | (extra & excluded[self.rater]), np.bool_)

    @cached_property
    def judged(self) -> Ints:
        """Rows of the judgments that count: of items for work, by raters who are not excluded."""
        rows = self.rows()
        return rows[~self.is_gold[self.item[rows]] & (self.label[rows] >= 0)]

    @cached_property
    def tested(self) -> Ints:
        """Rows of all answers to hidden gold items."""
        rows = self.rows("main", *JUDGED)
        return rows[self.is_gold[self.item[rows]]]

    def free_entrances(self, now: float) -> int | None:
        """How many raters may still come by the links that are open at a moment; None: any number."""
        free = [n for until, n in self.entrances if until is None or now < until]
        return None if None in free else sum(n for n in free if n is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of the scheme in its order, then others as they came."""
        return self._labeled[0]

    @property
    def label(self) -> Ints:
        """Index into ``labels`` of each answer, in the item's own terms; -1: none."""
        return self._labeled[1]

    @cached_property
    def _labeled(self) -> tuple[tuple[str, ...], Ints]:
        scheme = self.about.scheme
        known = {name: code for code, name in enumerate(scheme.labels())}
        table = np.full((len(self.answers) + 1, 2), -1, np.int64)  # the last row is of no answer
        for at, answer in enumerate(self.answers):
            for side in (False, True):
                if label := label_of(scheme, side, answer):
                    table[at, int(side)] = known.setdefault(label, len(known))
        return tuple(known), table[self.answer_number, self.reversed.astype(np.int64)]

    @cached_property
    def right(self) -> Ints:
        """Of the answers ``tested`` 1 where it is right, 0 where it is wrong, -1 where it counts neither way."""
        rows, verdicts = self.tested, {}
        keys = list(
            zip(*(column[rows].tolist() for column in (self.item, self.answer_number, self.reversed)), strict=True)
        )
        for key in dict.fromkeys(keys):
            item = self.items[key[0]].whole
            right = item and is_right(self.about.scheme, item, bool(key[2]), self.answers[key[1]])
            verdicts[key] = -1 if right is None else int(right)
        return np.array([verdicts[key] for key in keys], np.int64)

    @cached_property
    def work(self) -> Ints:
        """Numbers of the items for work."""
        return np.flatnonzero(~self.is_gold)

    def judgments(self, rows: Ints) -> Judgments:
        """Some judgments of items for work as a table that knows all those items and all raters.

        Those that say that one cannot tell are not given.
        """
        place = np.cumsum(~self.is_gold) - 1
        item, rater, label = (
            np.asarray(column, np.int32) for column in (place[self.item[rows]], self.rater[rows], self.label[rows])
        )
        names = tuple(self.items[at].name for at in self.work), tuple(rater.name for rater in self.raters)
        table, abstaining = Judgments(item, rater, label, *names, self.labels), self.about.scheme.abstaining()
        return table.without(abstaining) if abstaining else table


def read_study(tx: Connection, known: dict[int, ItemFacts] | None = None, *, whole: bool = False) -> StudyColumns:
    """Read a study.

    Args:
        tx: A snapshot of its store.
        known: Items that were read before, by their keys in the store, which do not change: filled, so that the next
            reading takes less.
        whole: Keep the texts of all items.
    """
    facts = {} if known is None else known
    last = max(facts, default=0)
    wanted = select(ITEM.c.id, ITEM.c.payload).where(ITEM.c.id > last).order_by(ITEM.c.id)
    facts |= {key: _facts(payload, whole=whole) for key, payload in tx.execute(wanted)}
    now = tx.execute(select(ITEM.c.id, ITEM.c.taken, ITEM.c.stopped, ITEM.c.place).order_by(ITEM.c.id)).all()
    why = select(EXCLUSION.c.rater, EXCLUSION.c.reason).where(EXCLUSION.c.until.is_(None)).order_by(EXCLUSION.c.id)
    reasons = {row.rater: row.reason for row in tx.execute(why)}
    fields = (RATER.c.id, RATER.c.name, RATER.c.status, RATER.c.quiz, RATER.c.joined, RATER.c.agreed)
    raters = tx.execute(select(*fields).order_by(RATER.c.id)).all()
    limits = (INVITE.c.expires, INVITE.c.most_uses, INVITE.c.uses)
    entrances = tx.execute(select(*limits).where(INVITE.c.revoked.is_(None), INVITE.c.kind != "back")).all()
    (item, rater, coded, milliseconds, answer_numbers, at), answers = _read_assignments(tx)
    coded, side = np.divmod(coded, 2)
    round_, state = np.divmod(coded, len(STATES))
    return StudyColumns(
        read_about(tx),
        [facts[row.id] for row in now],
        [
            RaterFacts(
                row.name,
                row.status,
                row.quiz,
                row.joined,
                reasons.get(row.id, ""),
                is_forgotten(row.agreed),
                row.quiz == "failed" or check_result(row.agreed).state == "failed",
            )
            for row in raters
        ],
        np.array([row.taken for row in now], np.int64),
        [row.stopped for row in now],
        np.array([-1 if row.place is None else row.place for row in now], np.int64),
        np.searchsorted(np.array([row.id for row in now], np.int64), item),
        np.searchsorted(np.array([row.id for row in raters], np.int64), rater),
        round_,
        state,
        side.astype(np.bool_),
        answer_numbers,
        milliseconds,
        np.where(answer_numbers >= 0, at, np.nan),
        answers,
        why_closed(tx),
        is_decided(tx),
        [(row.expires, None if row.most_uses is None else max(0, row.most_uses - row.uses)) for row in entrances],
        _probabilities(tx) if current_rules(tx).adaptive else None,
    )


def _facts(payload: str, *, whole: bool) -> ItemFacts:
    """Of work the JSON alone is read: a large study has hundreds of thousands."""
    raw = json.loads(payload)
    item = JudgedItem.from_json(payload) if whole or raw["answers"] else None
    gold = raw["answers"][0] if raw["answers"] else ""
    text = raw["text"]
    return ItemFacts(raw["name"], gold, len(text.split()), hash(text), raw["hidden"], tuple(raw["names"]), item)


def _read_assignments(tx: Connection) -> tuple[list[NDArray[Any]], list[Mapping[str, Any]]]:
    """Item, rater, codes of round, state and side, answer, time and moment of all assignments; and the answers."""
    texts: dict[str, int] = {}
    parts: list[list[NDArray[Any]]] = [[np.zeros(0, np.int64) for _ in range(6)]]
    for chunk in _chunks(tx, _ASSIGNMENTS):
        *whole, at, answer = zip(*chunk, strict=True)
        answer_numbers = [-1 if text == "null" else texts.setdefault(text, len(texts)) for text in answer]
        parts.append([*(np.array(column, np.int64) for column in (*whole, answer_numbers)), np.array(at, np.float64)])
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return columns, [json.loads(text) for text in texts]


def _probabilities(tx: Connection) -> Floats:
    """With which the pair of each assignment was drawn, when it was claimed first."""
    drawn = (json.loads(data)["probability"] if data else np.nan for (data,) in tx.execute(_DRAWN))
    return np.array([0.0 if value is None else value for value in drawn], np.float64)


def _chunks(tx: Connection, statement: str) -> Iterator[list[tuple[Any, ...]]]:
    """Rows as the driver gives them: SQLAlchemy's would take twice as long for millions."""
    connection: Any = tx.connection.driver_connection
    cursor = connection.execute(statement)
    while chunk := cursor.fetchmany(CHUNK):
        yield chunk
