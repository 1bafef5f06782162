"""Stores with items and raters, for tests of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import Connection, insert, select, text

from errorbar.judging import (
    RATER,
    JudgedItem,
    Lease,
    Store,
    StudyRules,
    Submission,
    SubmissionReceipt,
    Work,
    add_items,
    claim,
    current_rules,
    load_scheme,
    set_rules,
    shown_hash,
    submit,
)
from errorbar.judging.store.tables import ASSIGNMENT, ITEM

SCHEME = load_scheme("error-ok")
MAIN = SCHEME.questions[0].id
VALUES = [option.value for option in SCHEME.questions[0].options]
_IDS = count(1000)  # the store of an older version, in a file, has smaller ones
T = TypeVar("T")


class Clock:
    """Tells what it is set to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def work_item(name: str) -> JudgedItem:
    return JudgedItem(name, f"This is the sentence of {name} .", (0, 4))


def gold_item(name: str, right: str = VALUES[0]) -> JudgedItem:
    item = work_item(name)
    return JudgedItem(name, item.text, item.span, kind="gold", answers=(right,), explanation="Because.")


def empty_database(url: str) -> None:
    """Take everything out of a PostgreSQL database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as one:
        one.execute("DROP SCHEMA public CASCADE")
        one.execute("CREATE SCHEMA public")


def join(store: Store, number: int) -> int:
    """Let a rater into a store."""
    row = {"name": f"r{number}", "participant": f"p{number}", "seed": number, "status": "active", "joined": 0.0}

    def work(tx: Connection) -> int:
        return int((tx.execute(insert(RATER).values(**row)).inserted_primary_key or (0,))[0])

    return store.write(work)


class Study:
    """A store and what raters do in it, one transaction each."""

    def __init__(self, url: str, rules: StudyRules, items: Sequence[JudgedItem], raters: int) -> None:
        self.clock = Clock()
        self.url = url
        self.store = Store.create(url, clock=self.clock)
        self.write(lambda tx: set_rules(tx, rules, self.clock()))
        self.write(lambda tx: add_items(tx, items, self.clock()))
        self._joined = 0
        self.raters = [self.join() for _ in range(raters)]

    def write(self, work: Callable[[Connection], T]) -> T:
        return self.store.write(work)

    def join(self) -> int:
        """Let a rater in."""
        self._joined += 1
        return join(self.store, self._joined)

    def claim(self, rater: int, want: int = 10) -> Work:
        return self.write(lambda tx: claim(tx, current_rules(tx), rater, want, self.clock()))

    def submit(self, rater: int, *submissions: Submission) -> list[SubmissionReceipt]:
        return self.write(lambda tx: submit(tx, SCHEME, current_rules(tx), rater, submissions, self.clock()))

    def answer(self, rater: int, lease: Lease, value: str = VALUES[0], base: int = 0) -> SubmissionReceipt:
        return self.submit(rater, answer_to(lease, value, base))[0]

    def skip(self, rater: int, lease: Lease, why: str = "unclear", base: int = 0) -> SubmissionReceipt:
        return self.submit(rater, skip_of(lease, why, base))[0]

    def states(self) -> dict[tuple[int, str, str], str]:
        """State by rater, item and round."""
        query = select(ASSIGNMENT.c.rater, ITEM.c.name, ASSIGNMENT.c.round, ASSIGNMENT.c.state).join_from(
            ASSIGNMENT, ITEM, ITEM.c.id == ASSIGNMENT.c.item
        )
        with self.store.read() as tx:
            return {(row.rater, row.name, row.round): row.state for row in tx.execute(query)}

    def rows(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        with self.store.read() as tx:
            return [tuple(row) for row in tx.execute(text(query), values)]

    def reopen(self) -> None:
        """As after a restart."""
        self.store.close()
        self.store = Store.open(self.url, clock=self.clock)


def hash_of(lease: Lease) -> str:
    return shown_hash(SCHEME, lease.item, lease.reversed)


def answer_to(lease: Lease, value: str = VALUES[0], base: int = 0) -> Submission:
    return Submission(f"s{next(_IDS)}", lease.token, hash_of(lease), base, {MAIN: value})


def skip_of(lease: Lease, why: str = "unclear", base: int = 0) -> Submission:
    return Submission(f"s{next(_IDS)}", lease.token, hash_of(lease), base, None, skip=why)
