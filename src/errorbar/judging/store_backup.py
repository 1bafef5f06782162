"""Copies of a store: made while it is written to, looked through, and only then given their name.

A backup is one SQLite file, whatever the store is, and can be restored into either kind.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, select, text

from errorbar.judging.store import Store
from errorbar.judging.store_check import check
from errorbar.judging.store_engines import file_of, logs_of
from errorbar.judging.store_errors import store_error, store_failed
from errorbar.judging.store_tables import METADATA

_ROWS = 5000  # carried at a time


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds.

    Attributes:
        rows: Of each table.
        digest: SHA-256 of all rows in the order of their keys: equal on either kind of store if the rows are.
    """

    rows: dict[str, int]
    digest: str


def backup(store: Store, target: Path) -> Copied:
    """Copy one moment of a store into a file, while others write.

    The file gets its name when its rows are those of the store, its pages are sound, and every rule of the protocol
    holds of it.

    Raises:
        StoreError: If there is a file of that name (``store-exists``), the store cannot be read, the disk is full
            (``store-failed``), or the copy is not sound (``backup-damaged``).
    """
    if target.exists():
        raise store_error("store-exists", f"there is a file at {target} already", "choose another place")
    with _beside(target) as new, store.read() as tx:
        told = describe(tx)
        if tx.dialect.name == "sqlite":
            _copy_pages(tx, new)
        else:
            with Store.create(str(new)) as made:
                made.write(lambda to: copy_rows(tx, to))
        _one_file(new)
        _verify(new, told)
    return told


def restore(source: Path, url: str) -> Copied:
    """Make a store of a backup, where there is none; the backup is looked through first.

    Raises:
        StoreError: If the backup is missing, damaged or of another version, or there is a store at that place.
    """
    path = file_of(url)
    if path is not None and path.exists():
        raise store_error("store-exists", f"there is a file at {path} already", "choose another place")
    with Store.open(str(source), read_only=True) as saved, saved.read() as tx:
        with _readable():
            told = describe(tx)
            _verify(source, told)
        if path is not None:
            with _beside(path) as new:
                _copy_pages(tx, new)
                _one_file(new)
                _verify(new, told)
            return told
        with Store.create(url, fill=lambda to: _filled(tx, to, told)):
            return told


def copy_file(store: Store, target: Path) -> None:
    """Copy a SQLite store of any version, without a look at what is in it; of others nothing is copied.

    Raises:
        StoreError: If there is a file of that name, or the disk is full.
    """
    if target.exists():
        raise store_error("store-exists", f"there is a file at {target} already", "choose another place")
    with store.read() as tx:
        if tx.dialect.name == "sqlite":
            with _beside(target) as new:
                _copy_pages(tx, new)
                _one_file(new)


def copy_rows(source: Connection, target: Connection) -> None:
    """Carry all rows of a store into an empty one."""
    for table in METADATA.sorted_tables:
        for rows in _batches(source, table):
            target.execute(table.insert(), [row._asdict() for row in rows])
        if target.dialect.name == "postgresql" and "id" in table.c:
            last = select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
            target.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), last, text("false"))))


def describe(tx: Connection) -> Copied:
    """How many rows there are, and their digest."""
    digest, rows = hashlib.sha256(), {}
    for table in METADATA.sorted_tables:
        digest.update(table.name.encode())
        n = 0
        for batch in _batches(tx, table):
            n += len(batch)
            digest.update("\n".join(repr(tuple(row)) for row in batch).encode("utf-8", "backslashreplace"))
        rows[table.name] = n
    return Copied(rows, digest.hexdigest())


def _filled(source: Connection, target: Connection, told: Copied) -> None:
    copy_rows(source, target)
    if describe(target) != told:
        raise _damaged("the restored rows are not those of the backup")


def _batches(tx: Connection, table: Table) -> Iterator[Sequence[Any]]:
    keys = [*table.primary_key.columns]
    ordered = [key.collate("C") if _by_text(tx, key.type) else key for key in keys]
    with tx.execution_options(stream_results=True, yield_per=_ROWS).execute(select(table).order_by(*ordered)) as rows:
        found = iter(rows)
        while batch := list(islice(found, _ROWS)):
            yield batch


def _by_text(tx: Connection, kind: Any) -> bool:  # noqa: ANN401 - any column type
    """Whether the server would sort by the letters of a language, as SQLite never does."""
    return tx.dialect.name == "postgresql" and kind.python_type is str


def _copy_pages(tx: Connection, target: Path) -> None:
    pages: Any = tx.connection.driver_connection
    with closing(sqlite3.connect(target)) as new:
        pages.backup(new)


def _one_file(path: Path) -> None:
    """Take the log into the file, and the file onto the disk."""
    with closing(sqlite3.connect(path)) as one:
        one.execute("PRAGMA journal_mode = DELETE")
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _verify(path: Path, told: Copied) -> None:
    with Store.open(str(path), read_only=True) as copy:
        with copy.read() as tx:
            found = describe(tx)
        broken = check(copy)
    if found != told:
        raise _damaged("its rows are not those of the store")
    if broken:
        raise _damaged("; ".join(map(str, broken)))


@contextmanager
def _readable() -> Iterator[None]:
    """Say that a value of a backup is none that errorbar writes, e.g. no JSON."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _damaged(f"a value cannot be read ({type(error).__name__}: {str(error)[:200]})") from None


def _damaged(what: str) -> Exception:
    return store_error("backup-damaged", f"the copy is not sound: {what}", "look at the disk, then make another")


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A file that gets its name once all went well; without that, nothing is left."""
    if not target.parent.is_dir():
        raise store_error("store-missing", f"there is no folder {target.parent}", "make it first")
    new = target.with_name(f".{target.name}.part")
    try:
        for each in (new, *logs_of(new)):
            each.unlink(missing_ok=True)
        yield new
        new.replace(target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise store_failed(error) from error
    finally:
        for each in (new, *logs_of(new)):
            with suppress(OSError):
                each.unlink(missing_ok=True)
