"""A study's store: one SQLite file, or a PostgreSQL database by its URL; whatever changes it does so one by one.

A group commit has one thread that writes: what waits is run in one transaction, and one write to the disk
acknowledges it all.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine, TextClause, Transaction, inspect, text
from sqlalchemy.schema import CreateIndex, CreateTable

from errorbar.judging.store.engines import (
    Mark,
    OutcomeUnknownError,
    StoreError,
    engine_of,
    file_of,
    is_sqlite,
    lock_file,
    logs_of,
    mark_of,
    of_database,
    outcome_unknown,
    shown_url,
    store_error,
    store_failed,
    was_committed,
    was_written,
)
from errorbar.judging.store.tables import METADATA

# Processes that write to one file take turns: nobody waits for ever because another always comes first.


try:
    import fcntl
except ImportError:  # Windows: SQLite's own lock keeps writers apart, without an order
    fcntl = None  # type: ignore[assignment]  # a module elsewhere

_TURN, _NEXT = 0, 1  # bytes of the file that are locked


class Turnstile:
    """A lock for processes, given to who waits longest but for those who came together.

    SQLite's lock is taken by whoever asks in the right millisecond, mostly who had it last. Here one waits at the gate
    as the next, and who has just left must stand behind them. The system lets go of the locks of a dead process.
    """

    def __init__(self, path: Path) -> None:
        self._file = -1
        if fcntl is not None:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __enter__(self) -> None:
        if self._file >= 0:
            self._lock(_NEXT)
            try:
                self._lock(_TURN)
            finally:
                self._unlock(_NEXT)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file >= 0:
            self._unlock(_TURN)

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _lock(self, byte: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_EX, 1, byte)

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)


__all__ = ["HEAD", "REVISIONS", "Store", "StoreError"]

REVISIONS = ("0001", "0002", "0003", "0004")
"""Of the schema, oldest first; ``migrations`` has a file for each."""
HEAD = REVISIONS[-1]
T = TypeVar("T")
_DEFINITIONS: dict[str, list[str]] = {}
"""The tables and indexes in the SQL of a kind of database: putting them together takes longer than making them."""


class Store:
    """A study's store, opened; any number of threads and processes may have it open.

    Attributes:
        url: A path means SQLite.
        clock: Seconds since 1970; injected, as tests let it jump.
        read_only: Whether nothing can be written.
    """

    def __init__(self, url: str, *, read_only: bool, clock: Callable[[], float]) -> None:
        self.url = url
        self.clock = clock
        self.read_only = read_only
        self._engine: Engine = engine_of(url, read_only=read_only)
        self._one = Lock()
        path = file_of(url)
        with _plain_errors():
            self._turn = Turnstile(lock_file(path)) if path is not None and not read_only else nullcontext()

    @classmethod
    def open(
        cls, url: str, *, read_only: bool = False, clock: Callable[[], float] = time.time, older: bool = False
    ) -> Self:
        """Open a store that exists.

        Args:
            url: A path, or a PostgreSQL URL.
            read_only: Whether nothing is to be written.
            clock: Seconds since 1970.
            older: Whether one of an older version is opened too, to be upgraded.

        Raises:
            StoreError: If there is none (``store-missing``), it is none (``not-a-store``), or it is of another version
                (``store-newer``, ``store-older``).
        """
        path = file_of(url)
        if path is not None and not path.is_file():
            raise store_error("store-missing", f"there is no store at {path}", "errorbar judge init makes one")
        if path is not None and not is_sqlite(path):
            raise store_error("not-a-store", f"{path} is not a store of errorbar judge")
        store = cls(url, read_only=read_only, clock=clock)
        try:
            store._check_version(older=older)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def create(
        cls,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        fill: Callable[[Connection], object] | None = None,
    ) -> Self:
        """Make a store, empty or with what ``fill`` writes into it in the same transaction.

        Raises:
            StoreError: If there is something at that place (``store-exists``).
        """
        path = file_of(url)
        if path is not None and path.exists():
            raise store_error("store-exists", f"there is a file at {path} already", "choose another place")
        if path is not None and not path.parent.is_dir():
            raise store_error("store-missing", f"there is no folder {path.parent}", "make it first")
        store = cls(url, read_only=False, clock=clock)
        try:
            with store.exclusive() as tx:
                _make_tables(tx)
                if fill is not None:
                    fill(tx)
        except BaseException:
            store.close()
            for each in () if path is None else (path, *logs_of(path)):
                each.unlink(missing_ok=True)
            raise
        return store

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a transaction of its own, with no other writer anywhere; when it returns, all is on disk.

        Raises:
            StoreError: If the store cannot be written (``store-failed``): nothing of ``work`` is stored then.
            OutcomeUnknownError: If it is all stored or nothing, and nobody can be asked (``store-unknown``).
        """
        with self.exclusive() as tx:
            return work(tx)

    @contextmanager
    def exclusive(self) -> Iterator[Connection]:
        """A transaction with no other writer anywhere, committed at the end."""
        with _plain_errors(), self._one, self._turn, self._engine.connect() as connection:
            tx = connection.execution_options(errorbar_write=True)
            with tx.begin() as transaction:
                try:
                    yield tx
                except BaseException:
                    if tx.dialect.name != "sqlite":  # a server takes back what a closed connection began
                        tx.invalidate()  # and one that broke cannot be rolled back
                    raise
                self._commit(transaction, mark_of(tx))

    def _commit(self, transaction: Transaction, mark: Mark | None) -> None:
        """Commit; where the connection breaks before the reply, what became of it is asked over another one.

        What SQLite wrote and could not sync is taken back as long as any process has the store open, and is there again
        after a crash, if nothing was written over it.
        """
        try:
            transaction.commit()
        except Exception as error:
            if not of_database(error) or (mark is None and not was_written(error)):
                raise
            done = None if mark is None else was_committed(self._engine, mark)
            if done is None:
                raise outcome_unknown(getattr(error, "orig", None) or error) from error
            if not done:
                raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One moment of the store, whatever is written meanwhile."""
        with _plain_errors(), self._engine.connect() as tx, tx.begin():
            yield tx

    def close(self) -> None:
        """Let go of it."""
        self._engine.dispose()
        if isinstance(self._turn, Turnstile):
            self._turn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def revision(self) -> str | None:
        """Of its schema; None: it has no tables of a store."""
        with self.read() as tx:
            return _revision(tx)

    def _check_version(self, *, older: bool) -> None:
        revision = self.revision()
        if revision is None:
            raise store_error("not-a-store", f"{shown_url(self.url)} is not a store of errorbar judge")
        if revision not in REVISIONS:
            message = f"the store is of a newer errorbar: its schema is {revision}, this one knows up to {HEAD}"
            raise store_error("store-newer", message, "install the newer errorbar")
        if revision != HEAD and not older:
            message = f"the store is of an older errorbar: its schema is {revision}, this one needs {HEAD}"
            raise store_error("store-older", message, "errorbar judge upgrade keeps a backup and upgrades it")


def _revision(tx: Connection) -> str | None:
    if not inspect(tx).has_table("alembic_version"):
        return None
    revision: str | None = tx.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def _make_tables(tx: Connection) -> None:
    if inspect(tx).has_table("alembic_version") or inspect(tx).has_table("study"):
        raise store_error("store-exists", "the database holds a store already", "choose another one")
    kind = tx.dialect.name
    if kind not in _DEFINITIONS:
        tables = METADATA.sorted_tables
        indexes = sorted((index for table in tables for index in table.indexes), key=lambda index: str(index.name))
        elements: list[CreateTable | CreateIndex] = [*map(CreateTable, tables), *map(CreateIndex, indexes)]
        _DEFINITIONS[kind] = [str(element.compile(dialect=tx.dialect)) for element in elements]
    for definition in _DEFINITIONS[kind]:
        tx.exec_driver_sql(definition)
    tx.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    tx.execute(text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": HEAD})


def execute_together(tx: Connection, statements: tuple[TextClause, ...], values: Mapping[str, object]) -> None:
    """Change a row or more by each of some statements, none of which needs to see what another changed.

    PostgreSQL gets them as one, since a way to the server and back takes longer than a change.
    """
    for statement in statements if tx.dialect.name == "sqlite" else (_join_statements(statements),):
        tx.execute(statement, values)


@lru_cache(maxsize=64)
def _join_statements(statements: tuple[TextClause, ...]) -> TextClause:
    *first, last = (str(statement) for statement in statements)
    parts = ", ".join(f"change_{number} AS ({sql})" for number, sql in enumerate(first))
    return text(f"WITH {parts} {last}" if parts else last)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """The message of a driver or the file system as a StoreError."""
    try:
        yield
    except OSError as error:
        raise store_failed(error) from error
    except Exception as error:
        if of_database(error):
            raise store_failed(getattr(error, "orig", None) or error) from error
        raise


_Work = Callable[[Connection], Any]
_Waiting = tuple[_Work, Future[Any]]
_Done = tuple[Any, BaseException | None]
MOST_TOGETHER = 20
"""Works in one transaction: other processes wait that long."""


class GroupCommit:
    """Gathers what concurrent requests write.

    A work is a function of its connection alone, as it may be run again. One that raises leaves nothing, and the others
    go on. If the commit fails, nothing of any of them is stored, and each of their callers is told so; where nobody can
    tell whether it did, none is run again, and each is told that.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: deque[_Waiting] = deque()
        self._some = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="errorbar-writer", daemon=True)
        self._thread.start()

    async def do(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` and come back when it is on disk.

        A caller that is cancelled stops waiting; its work is done all the same.

        Raises:
            StoreError: If it could not be written.
        """
        return await asyncio.shield(asyncio.wrap_future(self.put(work)))

    def put(self, work: Callable[[Connection], T]) -> Future[T]:
        """The same for threads."""
        future: Future[T] = Future()
        with self._some:
            if self._closed:
                raise store_error("store-closed", "the server is stopping", "send it again")
            self._waiting.append((work, future))
            self._some.notify()
        return future

    async def close(self) -> None:
        """Write what waits, and stop."""
        await asyncio.to_thread(self.stop)

    def stop(self) -> None:
        """The same for threads."""
        with self._some:
            self._closed = True
            self._some.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._some:
                while not self._waiting and not self._closed:
                    self._some.wait()
                if not self._waiting:
                    return
            self._write_some()

    def _write_some(self) -> None:
        """One transaction; it takes what waits when its turn has come, also what came while it waited for it.

        Hardly ever does a work raise, so none has a savepoint. If one does, all is undone, and done again with a
        savepoint each; if the database refuses a statement, or the commit, each work is tried alone: what one caller
        sent must not keep others from being stored.
        """
        taken: list[_Waiting] = []
        done: list[_Done] = []
        try:
            with self._store.exclusive() as tx:
                while self._waiting and len(taken) < MOST_TOGETHER:
                    taken.append(self._waiting.popleft())
                    done.append((taken[-1][0](tx), None))
        except BaseException as error:  # noqa: BLE001 - whoever waits is told, whatever it was
            if not taken:
                taken = [self._waiting.popleft() for _ in range(len(self._waiting))]
                done = [(None, error)] * len(taken)
            elif len(taken) == 1 or isinstance(error, OutcomeUnknownError):
                done = [(None, error)] * len(taken)
            else:
                done = self._again([work for work, _ in taken], error)
        for (_, future), (result, failed) in zip(taken, done, strict=True):
            if future.cancelled():
                continue
            if failed is None:
                future.set_result(result)
            else:
                future.set_exception(failed)

    def _again(self, works: Sequence[_Work], error: BaseException) -> list[_Done]:
        """The error of one of several works, which kept it from being done."""
        if not isinstance(error, StoreError):
            try:
                with self._store.exclusive() as tx:
                    done = [_behind_a_savepoint(tx, work) for work in works]
            except OutcomeUnknownError as unknown:
                return [(None, unknown)] * len(works)
            except BaseException:  # noqa: BLE001 - said to who it concerns, below
                pass
            else:
                return done
        return [self._alone(work) for work in works]

    def _alone(self, work: _Work) -> _Done:
        try:
            return self._store.write(work), None
        except BaseException as error:  # noqa: BLE001 - the caller's, not this thread's
            return None, error


def _behind_a_savepoint(tx: Connection, work: _Work) -> _Done:
    """Run a work so that nothing of it is left if it raises; what the database says ends the transaction."""
    savepoint = tx.begin_nested()
    try:
        result = work(tx)
    except Exception as error:
        if of_database(error) or isinstance(error, OSError):
            raise
        savepoint.rollback()
        return None, error
    savepoint.commit()
    return result, None
