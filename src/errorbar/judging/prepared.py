"""SQL of the protocol, which runs some thousand times a second: the driver runs it as it stands, on either store."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Connection

_NAMED = re.compile(r"(?<!:):([a-z_]+)")
_STATE = "errorbar"
_PIPELINE = "pipeline"


class Prepared:
    """A statement with values by name, ``:name``; both drivers keep it prepared.

    SQLAlchemy's own way costs thirty microseconds for each statement, more than SQLite takes to run it, and an answer
    with the claim after it is some twenty statements inside a transaction that nobody else can enter. To a PostgreSQL
    server each is a round trip besides, so a transaction that writes is a pipeline there: only what gives something
    back is waited for, and the server runs what does not (``put``) while this process goes on.
    """

    __slots__ = ("_postgresql", "_sqlite")

    def __init__(self, text: str, postgresql: str = "") -> None:
        self._sqlite = text
        self._postgresql = _NAMED.sub(r"%(\1)s", (postgresql or text).replace("%", "%%"))

    def __call__(self, tx: Connection, **values: object) -> Any:  # noqa: ANN401 - the driver's cursor
        """Run it; what comes back is the driver's cursor, whose rows are tuples."""
        if is_far(tx):
            return _piped(tx).execute(self._postgresql, values)
        run: Any = tx.connection.driver_connection
        return run.execute(self._sqlite, values)

    def put(self, tx: Connection, **values: object) -> None:
        """Run it before whatever comes next is run; what is wrong with it may be told by that."""
        self(tx, **values)


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
        if not is_far(tx):
            for each in self._each:
                each.put(tx, **values)
        else:
            self._one.put(tx, **values)


def is_far(tx: Connection) -> bool:
    """Whether each statement is a round trip to a server."""
    return bool(tx.dialect.name != "sqlite")


def _piped(tx: Connection) -> Any:  # noqa: ANN401 - the driver's
    """The driver's connection to a server: in a pipeline, if this transaction writes."""
    run: Any = tx.connection.driver_connection
    known = per_transaction(tx)
    if _PIPELINE not in known and tx.get_execution_options().get("errorbar_write"):
        pipeline = run.pipeline()
        pipeline.__enter__()
        known[_PIPELINE] = pipeline
    return run


def flush(tx: Connection, error: BaseException | None = None) -> None:
    """Wait for what was put; ``error``: there is no use in it any more."""
    pipeline = per_transaction(tx).pop(_PIPELINE, None)
    if pipeline is not None:
        pipeline.__exit__(*((None,) * 3 if error is None else (type(error), error, error.__traceback__)))


def per_transaction(tx: Connection) -> dict[str, Any]:
    """What is known as long as this transaction lasts."""
    found: dict[str, Any] = tx.info.setdefault(_STATE, {})
    return found


def forget(tx: Connection) -> None:
    """After a rollback to a savepoint: what was known may not be true any more."""
    known = per_transaction(tx)
    pipeline = known.pop(_PIPELINE, None)
    known.clear()
    if pipeline is not None:
        known[_PIPELINE] = pipeline


def begin_anew(tx: Connection) -> None:
    """Forget what was known of another transaction."""
    tx.info.pop(_STATE, None)
