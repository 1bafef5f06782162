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
    server each is a round trip besides, so a transaction that writes is a pipeline there: what gives nothing back
    (``put``) waits for what does, and is sent along with it.
    """

    __slots__ = ("_postgresql", "_sqlite")

    def __init__(self, text: str, postgresql: str = "") -> None:
        self._sqlite = text
        self._postgresql = _NAMED.sub(r"%(\1)s", (postgresql or text).replace("%", "%%"))

    def __call__(self, tx: Connection, **values: object) -> Any:  # noqa: ANN401 - mostly the driver's cursor
        """Run it; what comes back has the driver's ``fetchone`` and ``fetchall``, whose rows are tuples."""
        if is_far(tx):
            return _run_far(tx, self._postgresql, values)
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


class _Pipeline:
    """A connection of psycopg whose statements are sent together, when somebody asks what one of them gives back.

    What is sent last is always a sync, and it is waited for. Psycopg's own waiting for one result would leave the
    server in the middle of something, as it sees it: its limit of idle time does not apply then, and a process that is
    stopped would keep the lock of writers for ever.
    """

    __slots__ = ("_block", "_driver", "_inner", "_waiting")

    def __init__(self, driver: Any) -> None:  # noqa: ANN401 - the driver's connection
        self._driver, self._block = driver, driver.pipeline()
        self._inner = self._block.__enter__()
        self._waiting: list[_Coming] = []

    def add(self, statement: str, values: dict[str, object]) -> _Coming:
        """A statement behind all others."""
        made = _Coming(self, statement, values)
        self._waiting.append(made)
        return made

    def wait(self) -> None:
        """Send what waits, until all of it is answered; raises the first that the server refused."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            for each in waiting:
                each.cursor = self._driver.execute(each.statement, each.values)
            self._inner.sync()

    def end(self) -> None:
        """The same, and leave; if it raises, the connection is of no more use.

        Here psycopg waits in its own way: a commit, or a statement without a pipeline, must come next.
        """
        self.wait()
        self._block.__exit__(None, None, None)


class _Coming:
    """What a statement gives back, waited for when somebody asks for it."""

    __slots__ = ("_pipeline", "cursor", "statement", "values")

    def __init__(self, pipeline: _Pipeline, statement: str, values: dict[str, object]) -> None:
        self._pipeline, self.statement, self.values = pipeline, statement, values
        self.cursor: Any = None  # the driver's

    def fetchone(self) -> Any:  # noqa: ANN401 - a tuple, or None
        """The next row."""
        self._pipeline.wait()
        return self.cursor.fetchone()

    def fetchall(self) -> Any:  # noqa: ANN401 - tuples
        """All rows that are left."""
        self._pipeline.wait()
        return self.cursor.fetchall()

    def __iter__(self) -> Any:  # noqa: ANN401 - over tuples
        return iter(self.fetchall())


def _run_far(tx: Connection, statement: str, values: dict[str, object]) -> Any:  # noqa: ANN401 - as of Prepared
    """Run a statement on a server: in a pipeline, if this transaction writes."""
    run: Any = tx.connection.driver_connection
    if not tx.get_execution_options().get("errorbar_write"):
        return run.execute(statement, values)
    known = per_transaction(tx)
    pipeline = known.get(_PIPELINE)
    if pipeline is None:
        pipeline = known[_PIPELINE] = _Pipeline(run)
    return pipeline.add(statement, values)


def flush(tx: Connection) -> None:
    """Wait for what was put; raises the first that is wrong with it, which ends the transaction."""
    try:
        _end_pipeline(tx)
    except BaseException:
        tx.invalidate()
        raise


def abandon(tx: Connection, error: BaseException) -> None:
    """After an error, which stays the one that is told: a connection that cannot be rolled back is closed.

    The server takes back what was begun when it is gone. An interruption may have come anywhere in the driver.
    """
    if is_far(tx) and not isinstance(error, Exception):
        tx.invalidate()
    try:
        _end_pipeline(tx)
    except Exception:  # noqa: BLE001 - follows from the error, or is of what is taken back with it
        tx.invalidate()


def _end_pipeline(tx: Connection) -> None:
    pipeline = None if tx.invalidated else per_transaction(tx).pop(_PIPELINE, None)
    if pipeline is not None:
        pipeline.end()


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
