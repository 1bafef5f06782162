"""What a PostgreSQL server has not answered yet: errors, lost connections and stopped writers in the middle of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection, text

from errorbar.judging import store_engines
from errorbar.judging.prepared import Prepared, flush
from errorbar.judging.store import Store, StoreError
from errorbar.judging.study_values import get_value, set_value

Work = Callable[[Connection], object]
AGAIN = Prepared("INSERT INTO study (name, value) VALUES (:name, :value)")


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with Store.create(postgres_url) as made:
        yield made


def value(store: Store, name: str) -> str | None:
    with store.read() as tx:
        return get_value(tx, name)


def refused(tx: Connection) -> None:
    """Nobody was told yet that the server refuses this."""
    set_value(tx, "one", "1")
    AGAIN.put(tx, name="one", value="2")


def cut_off(tx: Connection) -> None:
    """The server ends the connection, as far as it is known here nothing happened."""
    set_value(tx, "one", "1")
    flush(tx)
    number = tx.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
    set_value(tx, "one", "2")
    with Store.open(str(tx.engine.url.set(drivername="postgresql"))) as another, another.read() as by:
        by.execute(text("SELECT pg_terminate_backend(CAST(:number AS integer))"), {"number": number})


def then_write(tx: Connection) -> None:
    for name in ("two", "three"):
        set_value(tx, name, "1")


def then_read(tx: Connection) -> None:
    get_value(tx, "one")


def then_ask_otherwise(tx: Connection) -> None:
    tx.execute(text("SELECT 1"))


def then_fail(_: Connection) -> None:
    raise LookupError


def then_stop(_: Connection) -> None:
    raise KeyboardInterrupt


def nothing(_: Connection) -> None:
    pass


@pytest.mark.parametrize("pause", [0.0, 0.01])
@pytest.mark.parametrize("then", [nothing, then_write, then_read, then_ask_otherwise, then_fail, then_stop])
@pytest.mark.parametrize(("wrong", "said"), [(refused, "duplicate key"), (cut_off, "connection")])
def test_the_first_error_is_the_one_that_is_told(
    wrong: Work, said: str, then: Work, pause: float, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Whenever the server's word of it comes; nothing is left, the store goes on, and the log says nothing."""

    def work(tx: Connection) -> None:
        wrong(tx)
        threading.Event().wait(pause)
        then(tx)

    own: dict[Work, type[BaseException]] = {then_fail: LookupError, then_stop: KeyboardInterrupt}
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            with pytest.raises(own.get(then, StoreError)) as caught:
                store.write(work)
            if then not in own:
                assert said in str(caught.value)
                assert "pipeline" not in str(caught.value)
            assert (value(store, "one"), value(store, "two")) == (None, None)
            store.write(lambda tx: set_value(tx, "other", "1"))
    assert value(store, "other") == "1"
    assert [each.getMessage() for each in caplog.records] == []


def wait_for_a_read(tx: Connection) -> None:
    set_value(tx, "one", "1")
    assert get_value(tx, "one") == "1"


@pytest.mark.parametrize("last", [nothing, then_write, then_read, wait_for_a_read, then_ask_otherwise])
def test_a_writer_of_whom_nothing_is_heard_lets_go_of_the_lock(
    last: Work, store: Store, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it did last: its process was stopped, or its machine is gone."""
    monkeypatch.setattr(store_engines, "_LOCK", store_engines._LOCK.replace("'60s'", "'300ms'"))

    def work(tx: Connection) -> None:
        last(tx)
        threading.Thread(target=another_writes).start()
        assert done.wait(20)

    def another_writes() -> None:
        with Store.open(postgres_url) as another:
            another.write(lambda tx: set_value(tx, "other", "1"))
        done.set()

    done = threading.Event()
    with pytest.raises(StoreError, match="nothing of this was written"):
        store.write(work)
    assert (value(store, "one"), value(store, "two"), value(store, "other")) == (None, None, "1")


def test_more_is_sent_than_a_connection_takes_at_once(store: Store) -> None:
    long = "long " * 2_000_000

    def work(tx: Connection) -> None:
        for name in ("one", "two"):
            set_value(tx, name, long)
        assert get_value(tx, "two") == long
        set_value(tx, "three", long)

    store.write(work)
    assert value(store, "three") == long
