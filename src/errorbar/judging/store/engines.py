"""How SQLite and PostgreSQL are opened, so that a transaction is what it says on both; the errors of a store.

Messages show the address of a store without a password.

Where only the reply to a commit is missing, PostgreSQL is asked whether the transaction was committed.

PostgreSQL is asked for the status of the transaction's number. A server that crashed gives numbers out again of which
nothing had come to its disk, so that ``committed`` may be said of somebody else's transaction: it is believed only of a
server that made no checkpoint since the transaction began, as every recovery ends with one, and has the same timeline,
as one that took over has not.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event, text
from sqlalchemy.exc import ArgumentError

from errorbar.core.problems import ErrorbarError, Problem


class StoreError(ErrorbarError):
    """The store is missing, of another version, or cannot be written; of a failed write nothing is stored."""


class OutcomeUnknownError(StoreError):
    """Nobody can tell whether a commit was one: all of it is stored, or nothing."""


def store_error(code: str, what: str, fix: str = "") -> StoreError:
    """One line."""
    return StoreError(Problem(code, what, fix=fix))


def of_database(error: BaseException) -> bool:
    """Whether a driver raised it, by itself or through SQLAlchemy."""
    return type(error).__module__.split(".")[0] in ("sqlite3", "psycopg", "sqlalchemy")


def store_failed(error: BaseException) -> StoreError:
    """The message of the driver or the file system."""
    reason = _describe_error(error)
    if "NUL (0x00)" in reason:
        message = "a text has the character U+0000, which no store can hold; nothing of this was written"
        return store_error("store-text", message, "take it out")
    if "not a database" in reason or "malformed" in reason:
        return store_error("not-a-store", f"the store cannot be read: {reason}", "restore a backup")
    message = f"the store cannot be used just now, and nothing of this was written: {reason}"
    return store_error(
        "store-failed", message, "look at the disk's space and rights, or the database server; then again"
    )


PASSWORD_PLACE = "a password stands before the @, with %40 for @, %2F for /, %3F for ? and %23 for #"
_ELSEWHERE = re.compile("[?&][a-z]*password=", re.IGNORECASE)


def has_stray_password(url: str) -> bool:
    """Whether a URL has a password where none is looked for, so that it would be shown or taken for a host's name."""
    address, at, _ = url.rpartition("@")
    parts = address.split("://")[1:] if at else []
    # The slashes of a later "://" stand before the @ as well.
    misplaced = any("@" not in part for part in parts[:-1]) or any(
        re.search("[/?#]", part.partition("@")[0]) for part in parts
    )
    return misplaced or _ELSEWHERE.search(url) is not None


def shown_url(url: str) -> str:
    """A URL, or a path, without anything that may be a password; ``user:password/database`` lacks its host."""
    bare = re.sub(r"\?[A-Za-z_]+=.*", "", url)
    scheme, colon, after_scheme = bare.partition("://")
    if not colon:
        return bare
    if "@" in url:
        return f"{scheme}://...@{after_scheme.rpartition('@')[2]}" if "@" in after_scheme else f"{scheme}://..."
    return re.sub(r"://[^/\[]*:(?!\d*(/|$)).*", "://...", bare)


def outcome_unknown(error: BaseException) -> OutcomeUnknownError:
    """The message of the driver."""
    message = f"the database failed in the middle, so that this was done or was not: {_describe_error(error)}"
    fix = "once it works again, look (errorbar judge raters, invite, status) before you do it again"
    return OutcomeUnknownError(Problem("store-unknown", message, fix=fix))


def _describe_error(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


PATIENCE = 10.0
"""Seconds for which a server that went away is waited for, to be asked."""
_PAUSE = 0.25
_KEY = "errorbar transaction"
_TIMELINE = "substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8)"
MARK = f"txid_current(), {_TIMELINE}, CAST(pg_current_wal_flush_lsn() AS text)"
"""The expressions that a transaction reads from the server at its beginning: the columns of a ``Mark``."""
_STATUS = text(
    f"SELECT txid_status(:number) = 'committed', {_TIMELINE} = :timeline"
    " AND (pg_control_checkpoint()).redo_lsn < CAST(:flushed AS pg_lsn)"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """By what a transaction is known again.

    Attributes:
        number: The server's.
        timeline: Of the server.
        flushed: Until where the server's log was on its disk when the transaction began.
    """

    number: int
    timeline: str
    flushed: str


def remember(tx: Connection, mark: Mark) -> None:
    """Keep by what the server knows this transaction."""
    tx.info[_KEY] = mark


def mark_of(tx: Connection) -> Mark | None:
    """The result that was kept; None on SQLite."""
    mark: Mark | None = tx.info.get(_KEY)
    return mark


def was_written(error: BaseException) -> bool:
    """Whether a commit of SQLite failed when all of it was in the log, which only was not synced."""
    return getattr(getattr(error, "orig", None), "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_FSYNC


def was_committed(engine: Engine, mark: Mark) -> bool | None:
    """Ask the server; None: it cannot be asked, or what it says cannot be believed.

    Whoever has the lock of writers asks: until then the transaction itself may still be under way.
    """
    until = time.monotonic() + PATIENCE
    values = {"number": mark.number, "timeline": mark.timeline, "flushed": mark.flushed}
    while True:
        try:
            with engine.connect() as connection:
                tx = connection.execution_options(errorbar_write=True)
                with tx.begin():
                    committed, believed = tx.execute(_STATUS, values).one()
                    return (True if believed else None) if committed else False
        except Exception as error:
            if not of_database(error):
                raise
        if time.monotonic() >= until:
            return None
        time.sleep(_PAUSE)


BUSY_SECONDS = 30.0  # for writers that are not of errorbar: a shell, a copying tool
WAL_PAGES, WAL_BYTES = 1000, 32 << 20
"""The log goes into the file after so many pages, and is cut to so many bytes once no reader needs it."""


_COMMIT = "current_setting('synchronous_commit')"
_SETTINGS = {
    "idle_in_transaction_session_timeout": "'60s'",  # a writer of whom nothing is heard any more lets go of the lock
    "plan_cache_mode": "'force_generic_plan'",  # a statement is planned once, not for each of its values
    "enable_seqscan": "'off'",  # all that a writer looks for it finds by one key, also where statistics know few rows
    "enable_bitmapscan": "'off'",
    "synchronous_commit": f"CASE {_COMMIT} WHEN 'off' THEN 'on' ELSE {_COMMIT} END",  # a receipt says: on disk
}
_SET = ", ".join(f"set_config('{name}', {value}, true)" for name, value in _SETTINGS.items())
_LOCK = f"SELECT {_SET}, pg_advisory_xact_lock(1701999970, hashtext(current_schema())), {MARK}"


def file_of(url: str) -> Path | None:
    """The SQLite file that a URL or path means; None: it is a database server's."""
    if "://" not in url:
        return Path(url)
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def lock_file(path: Path) -> Path:
    """Where processes take turns."""
    return path.with_name(f"{path.name}-turn")


def is_sqlite(path: Path) -> bool:
    """Whether a file is SQLite's; an empty one would become it by being opened.

    SQLite itself is asked: whoever closes a file lets go of all locks that their process has on it (fcntl). Without its
    lock, a server's log is deleted by the next command that ends, and what the server writes from then on is lost.
    """
    try:
        if not path.stat().st_size:
            return False
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as one:
            one.execute("PRAGMA schema_version")
    except OSError as error:
        raise store_failed(error) from error
    except sqlite3.DatabaseError as error:
        return "not a database" not in str(error)  # anything else is said by who opens it
    return True


def logs_of(path: Path) -> tuple[Path, ...]:
    """Files that SQLite and this package keep beside a store."""
    return tuple(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal", "-turn"))


def engine_of(url: str, *, read_only: bool) -> Engine:
    """The engine for a URL."""
    path = file_of(url)
    if path is not None:
        return _sqlite(path, read_only=read_only)
    fix = "name a file, or postgresql://user@host/database"
    if has_stray_password(url):
        fix = PASSWORD_PLACE
    elif url.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        with suppress(ArgumentError, ValueError):  # of the driver, which may quote a part of the URL
            return _postgresql(url, read_only=read_only)
    message = f"'{shown_url(url)}' is no store"
    raise store_error("store-url", message, fix)


def _sqlite(path: Path, *, read_only: bool) -> Engine:
    def connect() -> sqlite3.Connection:
        mode = "ro" if read_only else "rwc"
        alone = read_only and not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
        name = f"file:{quote(str(path.absolute()))}?mode={mode}{'&immutable=1' if alone else ''}"
        connection = sqlite3.connect(
            name, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA foreign_keys = ON")
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool, pool_size=4, max_overflow=28)

    @event.listens_for(engine, "begin")
    def begin(tx: Connection) -> None:
        """The driver begins no transaction (isolation_level None), and SQLAlchemy leaves it to the driver."""
        if tx.get_execution_options().get("errorbar_write"):
            tx.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            tx.exec_driver_sql("BEGIN")
            tx.exec_driver_sql("SELECT count(*) FROM sqlite_master").fetchone()  # a snapshot begins with a look

    return engine


def _postgresql(url: str, *, read_only: bool) -> Engine:
    long = "postgresql+psycopg://" + url.split("://", 1)[1]
    engine = create_engine(long, isolation_level="READ COMMITTED", pool_size=4, max_overflow=28, pool_pre_ping=True)

    @event.listens_for(engine, "connect")
    def connected(made: Any, _: object) -> None:  # noqa: ANN401 - the driver's
        """Whole numbers have one type, whatever their size: else each size would be a statement of its own."""
        from psycopg.types.numeric import Int8BinaryDumper  # noqa: PLC0415 - needs the extra

        made.adapters.register_dumper(int, Int8BinaryDumper)

    @event.listens_for(engine, "begin")
    def begin(tx: Connection) -> None:
        """A writer waits for the lock, and each of its statements sees what was committed before it got it."""
        if not tx.get_execution_options().get("errorbar_write"):
            tx.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            tx.exec_driver_sql("SELECT 1").fetchone()  # a snapshot begins with a look
        elif read_only:
            tx.exec_driver_sql("SET TRANSACTION READ ONLY")
        else:
            remember(tx, Mark(*tx.exec_driver_sql(_LOCK).one()[-3:]))

    return engine
