"""SQL of the protocol, which runs some thousand times a second: the driver runs it as it stands, on either store."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Connection

_NAMED = re.compile(r"(?<!:):([a-z_]+)")
_STATE = "errorbar"
_WAITING = "waiting"


class Prepared:
    """A statement with values by name, ``:name``; both drivers keep it prepared.

    SQLAlchemy's own way costs thirty microseconds for each statement, more than SQLite takes to run it, and an answer
    with the claim after it is some twenty statements inside a transaction that nobody else can enter. To a PostgreSQL
    server each is a round trip besides, so what gives nothing back (``put``) waits there for the next that does.
    """

    __slots__ = ("_postgresql", "_sqlite")

    def __init__(self, text: str, postgresql: str = "") -> None:
        self._sqlite = text
        self._postgresql = _NAMED.sub(r"%(\1)s", (postgresql or text).replace("%", "%%"))

    def __call__(self, tx: Connection, **values: object) -> Any:  # noqa: ANN401 - the driver's cursor
        """Run it; what comes back is the driver's cursor, whose rows are tuples."""
        run: Any = tx.connection.driver_connection
        if tx.dialect.name == "sqlite":
            return run.execute(self._sqlite, values)
        waiting = per_transaction(tx).pop(_WAITING, None)
        if waiting is None:
            return run.execute(self._postgresql, values)
        with run.pipeline():
            for text, given in waiting:
                run.execute(text, given)
            return run.execute(self._postgresql, values)

    def put(self, tx: Connection, **values: object) -> None:
        """Run it before whatever comes next is run."""
        if tx.dialect.name == "sqlite":
            run: Any = tx.connection.driver_connection
            run.execute(self._sqlite, values)
        else:
            per_transaction(tx).setdefault(_WAITING, []).append((self._postgresql, values))


class Together:
    """Statements that give nothing back and touch rows of their own: PostgreSQL gets them as one."""

    __slots__ = ("_each", "_one")

    def __init__(self, *texts: tuple[str, str]) -> None:
        self._each = [Prepared(text) for text, _ in texts]
        *first, last = (other or text for text, other in texts)
        named = ", ".join(f"s{at} AS ({text})" for at, text in enumerate(first))
        self._one = Prepared(f"WITH {named} {last}")

    def put(self, tx: Connection, **values: object) -> None:
        """Run them before whatever comes next is run."""
        if tx.dialect.name == "sqlite":
            for each in self._each:
                each.put(tx, **values)
        else:
            self._one.put(tx, **values)


def flush(tx: Connection) -> None:
    """Run what waits."""
    waiting = per_transaction(tx).pop(_WAITING, None)
    if waiting is not None:
        run: Any = tx.connection.driver_connection
        with run.pipeline():
            for text, given in waiting:
                run.execute(text, given)


def per_transaction(tx: Connection) -> dict[str, Any]:
    """What is known as long as this transaction lasts."""
    found: dict[str, Any] = tx.info.setdefault(_STATE, {})
    return found


def forget(tx: Connection) -> None:
    """After a rollback to a savepoint: what was known may not be true any more; what waits still goes out."""
    known = per_transaction(tx)
    waiting = known.pop(_WAITING, None)
    known.clear()
    if waiting is not None:
        known[_WAITING] = waiting


def begin_anew(tx: Connection) -> None:
    """Forget what was known of another transaction."""
    tx.info.pop(_STATE, None)
