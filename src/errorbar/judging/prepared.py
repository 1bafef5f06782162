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
    """A connection of psycopg whose statements are sent without waiting for each other's results.

    psycopg's own way into a pipeline and out of it is a block, which waits by a message ("flush") that leaves the
    server in the middle of something, as it sees it. Its limit of idle time does not apply then: a process that is
    stopped would keep the lock of writers for ever. So what comes last is always a sync, after each statement too; the
    server is idle behind it, and takes back what was begun if nothing more comes.
    """

    __slots__ = ("_driver", "_inner", "_synced")

    def __init__(self, driver: Any) -> None:  # noqa: ANN401 - the driver's connection
        from psycopg import Pipeline  # noqa: PLC0415 - needs the extra

        self._driver, self._inner, self._synced = driver, Pipeline(driver), True
        self._inner.__enter__()
        driver._pipeline = self._inner  # as its block does it

    def run(self, statement: str, values: dict[str, object]) -> _Coming:
        """Send a statement, and a sync that is not waited for."""
        self._synced = False
        cursor = self._driver.execute(statement, values)
        self._driver.pgconn.pipeline_sync()
        self._inner.result_queue.append(None)
        self._synced = True
        return _Coming(cursor, self)

    def wait(self) -> None:
        """Until everything that was sent is answered; raises the first that the server refused."""
        from psycopg.generators import send  # noqa: PLC0415 - needs the extra

        if self._inner.result_queue or not self._synced:
            self._synced = False
            with self._driver.lock:
                self._driver.wait(send(self._driver.pgconn))  # to its end, as the wait for the reply sends nothing
            self._inner.sync()
            self._synced = True

    def end(self) -> None:
        """The same, and leave; if it raises, the connection is of no more use."""
        self.wait()
        self._driver.pgconn.exit_pipeline_mode()
        self._driver._pipeline = None


class _Coming:
    """What a statement gives back, waited for when somebody asks for it."""

    __slots__ = ("_cursor", "_pipeline")

    def __init__(self, cursor: Any, pipeline: _Pipeline) -> None:  # noqa: ANN401 - the driver's
        self._cursor, self._pipeline = cursor, pipeline

    def fetchone(self) -> Any:  # noqa: ANN401 - a tuple, or None
        """The next row."""
        self._pipeline.wait()
        return self._cursor.fetchone()

    def fetchall(self) -> Any:  # noqa: ANN401 - tuples
        """All rows that are left."""
        self._pipeline.wait()
        return self._cursor.fetchall()

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
    return pipeline.run(statement, values)


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
