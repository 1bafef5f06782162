"""The writer of PostgreSQL: refused statements, lost connections, stopped processes, more than a socket takes."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep

import pytest
from sqlalchemy import Connection, text

from errorbar import judge_invite
from errorbar.judging import Store, StudyRules, set_value
from errorbar.judging.stopping import decision
from errorbar.judging.store import engines
from errorbar.judging.store.store import StoreError
from errorbar.judging.study.rules import get_value
from errorbar.judging.web import requests
from tests.judging.cut_wire import wire
from tests.judging.served import Visitor, made_study, served

Work = Callable[[Connection], object]
AGAIN = text("INSERT INTO study (name, value) VALUES (:name, :value)")


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with Store.create(postgres_url) as made:
        yield made


def value(store: Store, name: str) -> str | None:
    with store.read() as tx:
        return get_value(tx, name)


def repeat_a_key(tx: Connection) -> None:
    set_value(tx, "one", "1")
    tx.execute(AGAIN, {"name": "one", "value": "2"})


def lose_the_connection(tx: Connection) -> None:
    set_value(tx, "one", "1")
    number = tx.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
    with Store.open(str(tx.engine.url.set(drivername="postgresql"))) as another, another.read() as by:
        by.execute(text("SELECT pg_terminate_backend(CAST(:number AS integer))"), {"number": number})


def write(tx: Connection) -> None:
    set_value(tx, "two", "1")


def ask_by_sqlalchemy(tx: Connection) -> None:
    tx.execute(text("SELECT 1"))


def fail(_: Connection) -> None:
    raise LookupError


def interrupt(_: Connection) -> None:
    raise KeyboardInterrupt


def do_nothing(_: Connection) -> None:
    pass


@pytest.mark.parametrize(
    ("works", "error", "message"),
    [
        ((repeat_a_key,), StoreError, "duplicate key"),
        ((lose_the_connection, write), StoreError, "connection"),
        ((lose_the_connection, ask_by_sqlalchemy), StoreError, "connection"),
        ((lose_the_connection,), StoreError, "connection"),
        ((lose_the_connection, fail), LookupError, None),
        ((write, interrupt), KeyboardInterrupt, None),
    ],
)
def test_the_first_error_is_told_and_nothing_is_left(
    works: tuple[Work, ...],
    error: type[BaseException],
    message: str | None,
    store: Store,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def work(tx: Connection) -> None:
        for part in works:
            part(tx)

    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            with pytest.raises(error, match=message):
                store.write(work)
            assert (value(store, "one"), value(store, "two")) == (None, None)
            store.write(lambda tx: set_value(tx, "other", "1"))
    assert value(store, "other") == "1"
    assert [each.getMessage() for each in caplog.records] == []


@pytest.mark.parametrize("last", [do_nothing, write, ask_by_sqlalchemy])
def test_a_writer_of_whom_nothing_is_heard_lets_go_of_the_lock(
    last: Work, store: Store, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it did last: its process was stopped, or its machine is gone."""
    monkeypatch.setattr(engines, "_LOCK", engines._LOCK.replace("'60s'", "'300ms'"))
    done = threading.Event()

    def work(tx: Connection) -> None:
        last(tx)
        threading.Thread(target=another_writes).start()
        assert done.wait(20)

    def another_writes() -> None:
        with Store.open(postgres_url) as another:
            another.write(lambda tx: set_value(tx, "other", "1"))
        done.set()

    with pytest.raises(StoreError, match="nothing of this was written"):
        store.write(work)
    assert (value(store, "two"), value(store, "other")) == (None, "1")


def test_a_database_that_goes_down_is_one_line_of_the_log(
    postgres_url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many ask, and also by the server's own looks at whether the study is to stop."""
    monkeypatch.setattr(decision, "SECONDS", 0.05)
    monkeypatch.setattr(decision, "TIMES", 0.0)
    monkeypatch.setattr(requests.STORE_FAILS, "_until", float("-inf"))
    with wire(postgres_url) as cable:
        study = made_study(tmp_path / "study", StudyRules(), url=cable.url)
        with served(study) as url:
            ann, boss = Visitor(url), Visitor(url)
            ann.enter(judge_invite(study.folder, names=["ann"]).links[0].url)
            boss.manage(study)
            assert ann.claim(1)["items"]
            cable.take_down()
            for _ in range(3):
                assert ann.http.get("/work").status_code == 503
                assert ann.post("/api/claim", {"want": 1}).status_code == 503
                assert boss.http.get("/manage/raters").status_code == 503
            sleep(0.2)
    log = capfd.readouterr().err
    assert log.count("the store cannot be used just now") == 1
    assert "Traceback" not in log


def test_more_is_sent_than_a_connection_takes_at_once(store: Store) -> None:
    """Six statements of 10 MB, in and out: each is read to its end before the next is sent."""
    long = "long " * 2_000_000

    def work(tx: Connection) -> None:
        for n in range(3):
            set_value(tx, f"long {n}", long)
            assert get_value(tx, f"long {n}") == long

    store.write(work)
    assert value(store, "long 2") == long


def test_nothing_in_judging_writes_to_a_server_past_its_driver() -> None:
    """A pipeline of our own waited to read while its own output was not flushed; no driver does so."""
    folder = Path(engines.__file__).parents[1]
    past_the_driver = re.compile(r"pipeline|pgconn|send_query|\.copy\(")
    assert [path.name for path in folder.rglob("*.py") if past_the_driver.search(path.read_text())] == []


def test_a_writer_sees_what_was_committed_whatever_the_database_prefers(postgres_url: str) -> None:
    """In a snapshot from before its wait for the lock, a claim would give away a place that is gone."""
    with Store.create(postgres_url) as store:
        database = store.write(lambda tx: tx.scalar(text("SELECT current_database()")))
        change = f"ALTER DATABASE \"{database}\" SET default_transaction_isolation = 'repeatable read'"
        store.write(lambda tx: tx.execute(text(change)))
    with Store.open(postgres_url) as store:
        assert store.write(lambda tx: tx.scalar(text("SHOW transaction_isolation"))) == "read committed"
