"""SQL of the protocol, which runs thousands of times: the driver runs it directly, on either store."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Connection

_NAMED = re.compile(r"(?<!:):([a-z_]+)")
_STATE = "errorbar"


class Prepared:
    """A statement with values by name, ``:name``; both drivers keep it prepared.

    SQLAlchemy's own way costs thirty microseconds for each statement, more than SQLite takes to run it, and an answer
    with the claim after it is some twenty statements inside a transaction that nobody else can enter.
    """

    __slots__ = ("_postgresql", "_sqlite")

    def __init__(self, text: str, postgresql: str = "") -> None:
        self._sqlite = text
        self._postgresql = _NAMED.sub(r"%(\1)s", (postgresql or text).replace("%", "%%"))

    def __call__(self, tx: Connection, **values: object) -> Any:  # noqa: ANN401 - the driver's cursor
        """Run it; the driver's cursor has ``fetchone`` and ``fetchall``, whose rows are tuples."""
        run: Any = tx.connection.driver_connection
        return run.execute(self._sqlite if tx.dialect.name == "sqlite" else self._postgresql, values)


def run_all(tx: Connection, statements: tuple[Prepared, ...], **values: object) -> None:
    """Run statements one after the other, with the same values; each takes those that it names."""
    for statement in statements:
        statement(tx, **values)


def per_transaction(tx: Connection) -> dict[str, Any]:
    """The values that are known as long as this transaction lasts."""
    known: dict[str, Any] = tx.info.setdefault(_STATE, {})
    return known


def forget(tx: Connection) -> None:
    """Drop what was known of another transaction, or before a rollback to a savepoint."""
    tx.info.pop(_STATE, None)
