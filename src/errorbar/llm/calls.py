"""The ledger of calls: one SQLite file in which every call is reserved before it is sent, and settled after.

Conventions
    Rows are only ever added, but for the running totals, and the times of attempts that a clock which went back since
    puts into the future: these count from now, with as long a lease. An *attempt* is a request
    that was about to be sent, with the tokens and the money that it could cost at most; its *outcome* has what it cost,
    and the raw body of the reply. What is spent is the sum of the outcomes, and of what attempts without one reserved:
    nobody knows what became of those. So the caps hold at every moment, also after a process was killed.
    A call (``Call.key``, of one model rater) has at most one answer, and is open in at most one process: whoever wants
    it takes it in one transaction. An attempt whose process died is taken over after its lease, in a new attempt, and
    stays counted. An answer that comes after another process took its call over and answered it is kept as ``late``.
    Money is counted in billionths, so that sums are exact; prices are of a million tokens.
    The file never holds a key: what is written has passed ``Endpoint.redact``.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple, Self

from errorbar.core.labels import format_count
from errorbar.core.problems import InputError, Place, Problem
from errorbar.core.sqlite import write_ahead
from errorbar.llm.model import Call, ModelRater, canonical_json

APPLICATION, VERSION = 0x65624C4D, 1
"""How the file tells what it is: in SQLite's ``application_id`` and ``user_version``."""
BILLIONTHS = 10**9
MINUTE = 60.0
ROOM = 32_000_000
"""Bytes that must be free on the disk before a call is sent, so that its reply can be kept."""
_SCHEMA = """
CREATE TABLE model (identity TEXT PRIMARY KEY, parts TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL REFERENCES model, item TEXT NOT NULL, content TEXT NOT NULL,
    arrangement INTEGER NOT NULL, repeat INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
    cost INTEGER NOT NULL, at REAL NOT NULL, lease_until REAL NOT NULL
);
CREATE INDEX attempt_call ON attempt (identity, item, content, arrangement, repeat);
CREATE INDEX attempt_at ON attempt (at);
CREATE TABLE outcome (
    attempt INTEGER PRIMARY KEY REFERENCES attempt, identity TEXT NOT NULL, item TEXT NOT NULL, content TEXT NOT NULL,
    arrangement INTEGER NOT NULL, repeat INTEGER NOT NULL, status TEXT NOT NULL, tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL, cost INTEGER NOT NULL, reason TEXT NOT NULL, raw TEXT NOT NULL, at REAL NOT NULL
);
CREATE UNIQUE INDEX one_answer ON outcome (identity, item, content, arrangement, repeat) WHERE status = 'answered';
CREATE TABLE spent (one INTEGER PRIMARY KEY CHECK (one = 1), calls INTEGER, tokens INTEGER, cost INTEGER);
INSERT INTO spent VALUES (1, 0, 0, 0);
"""
_OF_CALL = "identity = ? AND item = ? AND content = ? AND arrangement = ? AND repeat = ?"
_IS_ANSWERED = f"SELECT 1 FROM outcome WHERE {_OF_CALL} AND status = 'answered'"
_OPEN = (
    "SELECT max(lease_until) FROM attempt a"
    f" WHERE {_OF_CALL} AND NOT EXISTS (SELECT 1 FROM outcome o WHERE o.attempt = a.id)"
)
_FROM_NOW = "UPDATE attempt SET lease_until = lease_until - at + ?1, at = ?1 WHERE at > ?1"
Status = Literal["answered", "late", "failed"]
"""Of an outcome: ``failed``: there is no whole reply, and the call may be made again."""


class Prices(NamedTuple):
    """The prices of a million tokens, in any currency: those that are sent, and those that come back."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def cost(self, tokens_in: int, tokens_out: int) -> int:
        """Compute the cost of tokens, in billionths."""
        return round((tokens_in * self.tokens_in + tokens_out * self.tokens_out) * (BILLIONTHS / 10**6))


class Caps(NamedTuple):
    """The most that all calls of a ledger may use together; None: no cap. Money in units of the prices."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


NO_CAPS, FREE = Caps(), Prices()


class Spent(NamedTuple):
    """The most that the calls of a ledger have used: requests, tokens both ways, and money in units of the prices."""

    calls: int
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Reservation:
    """The right to send one request; settle it."""

    attempt: int
    call: Call
    rater: ModelRater


class Taken(NamedTuple):
    """A call that cannot be made now: somebody else has it, or (``all_are``) this minute's requests are used up."""

    until: float
    all_are: bool = False


class CapReached(NamedTuple):
    """A call that would exceed a cap: its name, and how much of it there is."""

    cap: str
    spent: Spent


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A whole reply as the ledger keeps it.

    Attributes:
        item: Name of what was asked about.
        content: Hash of the message (``Call.key``).
        arrangement: Of the candidates in the message.
        repeat: The how-manieth time the same was asked.
        raw: The body of the reply.
        at: When it came, in seconds since 1970.
        tokens_in: That were sent, as they were counted.
        tokens_out: That came back.
        cost: In units of the prices.
    """

    item: str
    content: str
    arrangement: int
    repeat: int
    raw: str
    at: float
    tokens_in: int
    tokens_out: int
    cost: float

    @property
    def key(self) -> tuple[str, str, int, int]:
        """As ``Call.key``."""
        return self.item, self.content, self.arrangement, self.repeat

    def exceeds(self, call: Call, rater: ModelRater) -> bool:
        """Whether the server counted more tokens than the call, which this answers, was allowed."""
        most_in, most_out = call.most_tokens(rater)
        return self.tokens_in > most_in or self.tokens_out > most_out


def note_excess(n: int) -> Iterator[Problem]:
    """Warn of answers for which a server counted more than was reserved: caps do not hold there."""
    if n:
        message = f"the server counted more tokens than were allowed for {format_count(n, 'answers')}"
        fix = "caps cannot hold where a server ignores the limit of tokens: set them lower, or see what it adds"
        yield Problem("llm-excess", message, fix=fix, severity="warning")


class Ledger:
    """A file of calls, open; threads may share it, and processes open it each for itself."""

    def __init__(self, path: Path, connection: sqlite3.Connection, caps: Caps, prices: Prices) -> None:
        self.path, self.caps, self.prices = path, caps, prices
        self._connection = connection
        self._lock = Lock()

    @classmethod
    def open(cls, path: Path, caps: Caps = NO_CAPS, prices: Prices = FREE, *, read_only: bool = False) -> Self:
        """Open a ledger, or make an empty one.

        Args:
            path: Of the file; who opens it first makes it, for its owner alone.
            caps: That this process keeps.
            prices: At which this process counts.
            read_only: It must be there, and nothing is written.

        Raises:
            InputError: If it is no ledger, there is none, or it cannot be used (``llm-ledger``).
        """
        if read_only and not path.is_file():
            message = f"there is no ledger of calls at '{path}'"
            raise InputError(Problem("llm-ledger", message, fix="errorbar judge llm makes one"))
        with _naming(path):
            if not read_only:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            mode = "?mode=ro" if read_only else ""
            if read_only and not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
                mode += "&immutable=1"  # else SQLite wants to write beside it
            uri = f"{path.resolve().as_uri()}{mode}"
            connection = sqlite3.connect(uri, uri=True, timeout=MINUTE, isolation_level=None, check_same_thread=False)
            ledger = cls(path, connection, caps, prices)
            try:
                if not read_only:
                    if ledger._number("SELECT count(*) FROM sqlite_master"):
                        ledger._check()  # before anything is changed
                    write_ahead(connection, MINUTE)
                    connection.execute("PRAGMA synchronous = FULL")
                    ledger._make()
                ledger._check()
            except BaseException:
                connection.close()
                raise
        return ledger

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _make(self) -> None:
        """Write the schema into an empty file."""
        with self._transaction():
            if not self._number("SELECT count(*) FROM sqlite_master"):
                for statement in _SCHEMA.split(";"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def _check(self) -> None:
        application, version = (self._number(f"PRAGMA {name}") for name in ("application_id", "user_version"))
        if application != APPLICATION:
            message = f"'{self.path}' is no ledger of calls"
            raise InputError(Problem("llm-ledger", message, fix="name another file"))
        if version > VERSION:
            message = f"the ledger is of version {version}, and this errorbar knows versions up to {VERSION}"
            raise InputError(Problem("llm-ledger", message, Place(str(self.path)), fix="install a newer errorbar"))

    def _number(self, statement: str, values: tuple[object, ...] = ()) -> int:
        return int(self._connection.execute(statement, values).fetchone()[0] or 0)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Alone among all threads and processes, from the first look on; all of it or nothing."""
        with self._lock, _naming(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite may have rolled back itself, as on a full disk
                    self._connection.execute("ROLLBACK")
                raise

    def introduce(self, rater: ModelRater) -> None:
        """Write down who a model rater is; once."""
        values = rater.identity, canonical_json(rater.parts()), time.time()
        with self._transaction():
            self._connection.execute("INSERT OR IGNORE INTO model VALUES (?, ?, ?)", values)

    def reserve(
        self, rater: ModelRater, call: Call, lease: float, per_minute: int | None = None
    ) -> Reservation | Taken | CapReached | None:
        """Reserve a call before it is sent, at the most that it can cost.

        Args:
            rater: Who is asked; introduced before.
            call: What is asked.
            lease: Seconds after which others may take the call over.
            per_minute: Requests that all processes together may send in a minute; None: as many as they like.

        Returns:
            The reservation; None: the call has its answer already.

        Raises:
            InputError: If the disk has no room for a reply, or the ledger cannot be written (``llm-ledger``).
        """
        tokens_in, tokens_out = call.most_tokens(rater)
        cost = self.prices.cost(tokens_in, tokens_out)
        key = (rater.identity, *call.key)
        with self._transaction():
            now = time.time()
            self._connection.execute(_FROM_NOW, (now,))
            if self._connection.execute(_IS_ANSWERED, key).fetchone() is not None:
                return None
            until = self._connection.execute(_OPEN, key).fetchone()[0]
            if until is not None and until > now:
                return Taken(until)
            if per_minute is not None and (wait := self._minute_is_full(per_minute, now)):
                return Taken(wait, all_are=True)
            if cap := self._exceeded(tokens_in + tokens_out, cost):
                return CapReached(cap, self._spent())
            free = shutil.disk_usage(self.path.parent).free
            if free < ROOM:
                message = f"{free / 10**6:.1f} MB are free on the disk of the ledger, and a reply may not fit"
                fix = "free some room, or put the ledger on another disk"
                raise InputError(Problem("llm-ledger", message, Place(str(self.path)), f"{ROOM / 10**6:.0f} MB", fix))
            values = (*key, tokens_in, tokens_out, cost, now, now + lease)
            columns = "identity, item, content, arrangement, repeat, tokens_in, tokens_out, cost, at, lease_until"
            row = self._connection.execute(
                f"INSERT INTO attempt ({columns}) VALUES ({', '.join('?' * len(values))})", values
            )
            self._add(1, tokens_in + tokens_out, cost)
            return Reservation(int(row.lastrowid or 0), call, rater)

    def _minute_is_full(self, per_minute: int, now: float) -> float:
        """When the next request may be sent; 0: now."""
        statement = "SELECT at FROM attempt WHERE at > ? ORDER BY at DESC LIMIT 1 OFFSET ?"
        row = self._connection.execute(statement, (now - MINUTE, per_minute - 1)).fetchone()
        return 0.0 if row is None else float(row[0]) + MINUTE

    def _exceeded(self, tokens: int, cost: int) -> str:
        """The first cap that a reservation would exceed; empty: none."""
        spent = self._connection.execute("SELECT calls, tokens, cost FROM spent").fetchone()
        money = None if self.caps.cost is None else int(self.caps.cost * BILLIONTHS)
        caps = zip(Caps._fields, (self.caps.calls, self.caps.tokens, money), spent, (1, tokens, cost), strict=True)
        return next((name for name, cap, used, more in caps if cap is not None and used + more > cap), "")

    def _add(self, calls: int, tokens: int, cost: int) -> None:
        statement = "UPDATE spent SET calls = calls + ?, tokens = tokens + ?, cost = cost + ?"
        self._connection.execute(statement, (calls, tokens, cost))

    def settle(
        self,
        reservation: Reservation,
        status: Literal["answered", "failed"],
        raw: str,
        tokens: tuple[int, int] | None,
        reason: str = "",
    ) -> Status:
        """Write what came of a reserved call.

        Args:
            reservation: Of the call.
            status: Whether there is a whole reply.
            raw: The body, as far as it came.
            tokens: That the server counted, sent and back; None: nobody knows, so that what was reserved stays spent.
            reason: Why it failed.

        Returns:
            The status that was written.
        """
        key = (reservation.rater.identity, *reservation.call.key)
        with self._transaction():
            attempt = "SELECT tokens_in, tokens_out, cost FROM attempt WHERE id = ?"
            reserved = self._connection.execute(attempt, (reservation.attempt,)).fetchone()
            used = reserved if tokens is None else (*tokens, self.prices.cost(*tokens))
            kept: Status = status
            if status == "answered" and self._connection.execute(_IS_ANSWERED, key).fetchone() is not None:
                kept = "late"
            values = (reservation.attempt, *key, kept, *used, reason, raw, time.time())
            self._connection.execute(f"INSERT INTO outcome VALUES ({', '.join('?' * len(values))})", values)
            self._add(0, sum(used[:2]) - sum(reserved[:2]), used[2] - reserved[2])
        return kept

    def spent(self) -> Spent:
        """Read the most that all calls have used."""
        with self._lock, _naming(self.path):
            return self._spent()

    def _spent(self) -> Spent:
        calls, tokens, cost = self._connection.execute("SELECT calls, tokens, cost FROM spent").fetchone()
        return Spent(calls, tokens, cost / BILLIONTHS)

    def recount(self) -> Spent:
        """The same, counted again from the rows."""
        statement = (
            "SELECT count(*), coalesce(sum(coalesce(o.tokens_in + o.tokens_out, a.tokens_in + a.tokens_out)), 0),"
            " coalesce(sum(coalesce(o.cost, a.cost)), 0) FROM attempt a LEFT JOIN outcome o ON o.attempt = a.id"
        )
        with self._lock, _naming(self.path):
            calls, tokens, cost = self._connection.execute(statement).fetchone()
        return Spent(calls, tokens, cost / BILLIONTHS)

    def raters(self) -> list[ModelRater]:
        """The model raters in the order in which they came."""
        with self._lock, _naming(self.path):
            rows = self._connection.execute("SELECT parts FROM model ORDER BY at, rowid").fetchall()
        return [ModelRater.from_parts(json.loads(row[0])) for row in rows]

    def answers(self, rater: ModelRater) -> dict[tuple[str, str, int, int], KeptAnswer]:
        """All answers of a model rater by ``Call.key``, in the order in which they came."""
        statement = (
            f"SELECT item, content, arrangement, repeat, raw, at, tokens_in, tokens_out, cost * 1.0 / {BILLIONTHS}"
            " FROM outcome WHERE identity = ? AND status = 'answered' ORDER BY attempt"
        )
        with self._lock, _naming(self.path):
            rows = self._connection.execute(statement, (rater.identity,)).fetchall()
        answers = (KeptAnswer(*row) for row in rows)
        return {answer.key: answer for answer in answers}

    def copy_to(self, target: Path) -> None:
        """Copy one moment of the file, while others write."""
        os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with self._lock, _naming(self.path):
            copy = sqlite3.connect(target)
            try:
                self._connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
            finally:
                copy.close()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Say of the file what SQLite or the system says."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        message = f"the ledger of calls cannot be used: {error}"
        raise InputError(
            Problem("llm-ledger", message, Place(str(path)), fix="look at the file and its disk")
        ) from None
