"""Ask whether a transaction was committed of which only the reply to its commit is missing.

PostgreSQL is asked for the status of the transaction's number. A server that crashed gives numbers out again of which
nothing had come to its disk, so that ``committed`` may be said of somebody else's transaction: it is believed only of a
server that made no checkpoint since the transaction began, as every recovery ends with one, and has the same timeline,
as one that took over has not.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text

from errorbar.judging.store.errors import of_database

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
