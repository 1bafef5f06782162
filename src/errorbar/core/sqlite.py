"""What all files of SQLite here need that several processes may open at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection


def write_ahead(connection: Connection, patience: float) -> None:
    """Keep a write-ahead log from now on.

    For others who open a new file at the same time SQLite does not wait here, whatever timeout the connection has.

    Args:
        connection: Of the file.
        patience: Seconds for which others are waited for.
    """
    from sqlite3 import SQLITE_BUSY, OperationalError  # noqa: PLC0415 - most commands open no such file

    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except OperationalError as error:
            if error.sqlite_errorcode & 0xFF != SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
