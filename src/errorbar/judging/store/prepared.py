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

    __slots__ = ("_postgresql", "text")

    def __init__(self, text: str, postgresql: str = "") -> None:
        self.text = text
        self._postgresql = _NAMED.sub(r"%(\1)s", (postgresql or text).replace("%", "%%"))

    def __call__(self, tx: Connection, **values: object) -> Any:  # noqa: ANN401 - the driver's cursor
        """Run it; the driver's cursor has ``fetchone`` and ``fetchall``, whose rows are tuples."""
        run: Any = tx.connection.driver_connection
        return run.execute(self.text if tx.dialect.name == "sqlite" else self._postgresql, values)


class Together:
    """Statements without results that change rows of their own: PostgreSQL gets them as one, which takes half the time.

    There each sees the rows as they were before all of them.
    """

    __slots__ = ("_one", "_statements")

    def __init__(self, *statements: Prepared) -> None:
        self._statements = statements
        *first, last = (statement.text for statement in statements)
        self._one = Prepared("WITH " + ", ".join(f"s{n} AS ({text})" for n, text in enumerate(first)) + f" {last}")

    def __call__(self, tx: Connection, **values: object) -> None:
        """Run them with the same values, of which each takes those that it names."""
        for statement in self._statements if tx.dialect.name == "sqlite" else (self._one,):
            statement(tx, **values)


def per_transaction(tx: Connection) -> dict[str, Any]:
    """The values that are known as long as this transaction lasts."""
    known: dict[str, Any] = tx.info.setdefault(_STATE, {})
    return known


def forget(tx: Connection) -> None:
    """Drop what was known of another transaction, or before a rollback to a savepoint."""
    tx.info.pop(_STATE, None)
