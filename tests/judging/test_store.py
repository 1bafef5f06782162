"""Transactions: one writer, whole or not at all, snapshots, many together, a disk that is full."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from errorbar.core import Problem, UsageError
from errorbar.judging import Store, StudyRules, check, current_rules, set_value
from errorbar.judging.store.engines import WAL_BYTES, lock_file
from errorbar.judging.store.store import GroupCommit, StoreError, Turnstile
from errorbar.judging.study.rules import get_value
from tests.judging.empty_stores import Study, work_item
from tests.judging.jepsen.failing_files import FailingFiles, compiler


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with Store.create(store_url) as made:
        yield made


def put(store: Store, name: str, value: str) -> None:
    store.write(lambda tx: set_value(tx, name, value))


def value(store: Store, name: str) -> str | None:
    with store.read() as tx:
        return get_value(tx, name)


def test_a_work_that_raises_leaves_nothing(store: Store) -> None:
    def work(tx: Connection) -> None:
        set_value(tx, "a", "1")
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        store.write(work)
    assert value(store, "a") is None


def test_a_reader_sees_one_moment(store: Store) -> None:
    put(store, "a", "1")
    with store.read() as tx:
        put(store, "a", "2")
        assert get_value(tx, "a") == "1"
        put(store, "a", "3")
        assert get_value(tx, "a") == "1"
    assert value(store, "a") == "3"


def test_a_reader_writes_nothing(store: Store, store_url: str) -> None:
    put(store, "a", "1")
    with Store.open(store_url, read_only=True) as reader:
        assert value(reader, "a") == "1"
        with pytest.raises(StoreError):
            put(reader, "a", "2")
    assert value(store, "a") == "1"


def test_writers_in_threads_lose_nothing(store: Store) -> None:
    put(store, "n", "0")

    def work(tx: Connection) -> None:
        set_value(tx, "n", str(int(get_value(tx, "n") or 0) + 1))

    threads = [threading.Thread(target=lambda: [store.write(work) for _ in range(25)]) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert value(store, "n") == "100"


def _count(url: str, times: int) -> None:
    with Store.open(url) as store:
        for _ in range(times):
            store.write(lambda tx: set_value(tx, "n", str(int(get_value(tx, "n") or 0) + 1)))


@pytest.mark.slow
def test_writers_in_processes_lose_nothing_and_take_turns(store: Store, store_url: str) -> None:
    put(store, "n", "0")
    start = multiprocessing.get_context("spawn").Process
    others = [start(target=_count, args=(store_url, 30)) for _ in range(3)]
    for each in others:
        each.start()
    for each in others:
        each.join(60)
        assert each.exitcode == 0
    assert value(store, "n") == "90"


@pytest.mark.slow
def test_a_second_look_of_a_server_at_its_store_costs_no_answer_that_comes_later(store: Store, store_url: str) -> None:
    """A download opens the store again; once let go of, the next command must not take the log for left over."""
    put(store, "a", "1")
    for read_only in (True, False):
        Store.open(store_url, read_only=read_only).close()
        command = multiprocessing.get_context("spawn").Process(target=_count, args=(store_url, 1))
        command.start()
        command.join(60)
        assert command.exitcode == 0
    put(store, "acknowledged", "1")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as another:
        assert another.submit(_value_of, store_url, "acknowledged").result(60) == "1"


def _value_of(url: str, name: str) -> str | None:
    with Store.open(url) as opened:
        return value(opened, name)


def test_rules_are_those_of_the_moment(store: Store) -> None:
    def work(tx: Connection) -> tuple[int, int]:
        before = current_rules(tx).raters_per_item
        set_value(tx, "rules", StudyRules(raters_per_item=7).to_json())
        return before, current_rules(tx).raters_per_item

    assert store.write(work) == (3, 7)
    with store.read() as tx:
        assert current_rules(tx).raters_per_item == 7


def test_many_works_are_one_transaction_and_one_failure_is_its_own(store: Store) -> None:
    def fail(tx: Connection) -> None:
        set_value(tx, "bad", "1")
        set_value(tx, "rules", StudyRules(raters_per_item=9).to_json())
        assert current_rules(tx).raters_per_item == 9
        raise UsageError(Problem("judge-no-item", "no"))

    def wrong(tx: Connection) -> None:
        set_value(tx, "wrong", "1")
        tx.execute(text("INSERT INTO nowhere VALUES (1)"))

    async def all_at_once() -> list[object]:
        group = GroupCommit(store)
        works: list[Callable[[Connection], object]] = [
            fail,
            wrong,
            *(lambda tx, at=at: set_value(tx, f"v{at}", "1") for at in range(50)),
            fail,
        ]
        works.append(lambda tx: current_rules(tx).raters_per_item)
        found = await asyncio.gather(*(group.do(work) for work in works), return_exceptions=True)
        await group.close()
        with pytest.raises(StoreError, match="stopping"):
            await group.do(fail)
        return list(found)

    found = asyncio.run(all_at_once())
    assert [type(each).__name__ for each in found[:2]] == ["UsageError", "StoreError"]
    assert found[2:52] == [None] * 50
    assert isinstance(found[52], UsageError)
    assert found[53] == 3
    with store.read() as tx:
        assert sorted(row[0] for row in tx.execute(text("SELECT name FROM study")) if row[0] != "x") == sorted(
            f"v{at}" for at in range(50)
        )


def test_a_full_disk_is_told_and_leaves_the_store_whole(tmp_path: Path) -> None:
    study = Study(str(tmp_path / "s.sqlite"), StudyRules(raters_per_item=2), [work_item(f"w{n}") for n in range(20)], 2)
    study.store.close()

    def full(pages: int) -> None:
        study.reopen()
        engine = study.store._engine  # the limit is of a connection; there is one
        with engine.connect() as tx:
            run = tx.connection.driver_connection
            assert isinstance(run, sqlite3.Connection)
            run.execute(f"PRAGMA max_page_count = {pages}")

    full(1)  # as many as there are
    before = study.rows("SELECT count(*) FROM event")

    async def several() -> list[object]:
        group = GroupCommit(study.store)
        works = [lambda tx, at=at: set_value(tx, f"v{at}", "x" * 200_000) for at in range(5)]
        found = await asyncio.gather(*(group.do(work) for work in works), return_exceptions=True)
        await group.close()
        return list(found)

    found = asyncio.run(several())
    assert {getattr(each, "code", each) for each in found} == {"store-failed"}
    assert "full" in str(found[0])
    assert study.rows("SELECT count(*) FROM event") == before
    assert check(study.store) == []
    study.reopen()  # the disk has room again
    assert study.claim(study.raters[0]).leases
    assert check(study.store) == []
    study.store.close()


DYING = """
import os, signal, sys
from pathlib import Path
from errorbar.judging.store.store import Store
from errorbar.judging.store.engines import OutcomeUnknownError
from errorbar.judging.study.rules import set_value
from tests.judging.jepsen.failing_files import FailingFiles

folder = Path(sys.argv[1])
store = Store.open(str(folder / "s.sqlite"))
store.write(lambda tx: set_value(tx, "before", "1"))  # the log has begun
FailingFiles(folder / "disk", "unused").fail("sync", 1, lasting=True)
try:
    store.write(lambda tx: set_value(tx, "a", "1"))
except OutcomeUnknownError as error:
    print(error.code, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(compiler() is None, reason="needs a C compiler for the failing file layer")
def test_what_was_written_and_not_synced_is_not_said_to_be_undone(tmp_path: Path) -> None:
    """It is there after a restart, unless something was written over it."""
    Store.create(str(tmp_path / "s.sqlite")).close()
    disk = FailingFiles(tmp_path / "disk", str(tmp_path / "s.sqlite"))
    environment = {**os.environ, **disk.environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", DYING, str(tmp_path)]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=1500)
    assert (said.stdout, said.stderr) == ("store-unknown\n", "")
    with Store.open(str(tmp_path / "s.sqlite")) as store:
        assert value(store, "a") == "1"


def test_every_commit_is_on_disk_and_the_log_stays_short(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.create(str(path)) as store:
        with store.exclusive() as tx:
            said = {name: tx.execute(text(f"PRAGMA {name}")).scalar() for name in ("synchronous", "journal_mode")}
            said["foreign_keys"] = tx.execute(text("PRAGMA foreign_keys")).scalar()
        assert said == {"synchronous": 2, "journal_mode": "wal", "foreign_keys": 1}
        for at in range(400):
            put(store, f"v{at}", "x" * 50_000)
        assert path.stat().st_size > 2 * 10**7 - WAL_BYTES / 2
        assert path.with_name("s.sqlite-wal").stat().st_size < 8 << 20


def test_a_server_that_does_not_wait_for_its_disk_is_made_to(postgres_url: str) -> None:
    """Those of the tests are told not to (FAST), as roles and databases of others may be."""
    with Store.create(postgres_url) as store:
        with store.exclusive() as tx:
            assert tx.scalar(text("SHOW synchronous_commit")) == "on"
            tx.execute(text("SET synchronous_commit = local"))
        with store.exclusive() as tx:
            assert tx.scalar(text("SHOW synchronous_commit")) == "local"


def test_a_lock_that_cannot_be_had_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.sqlite"
    with Store.create(str(path)) as store:
        monkeypatch.setattr(Turnstile, "_lock", lambda *_: os.close(-1))  # as on a network drive without locks
        with pytest.raises(StoreError, match="nothing of this was written"):
            put(store, "a", "1")
    lock_file(path).unlink()
    lock_file(path).mkdir()
    with pytest.raises(StoreError, match="nothing of this was written"):
        Store.open(str(path))


@pytest.mark.parametrize("url", ["mysql://host/db", "sqlite+other://x"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(StoreError) as error:
        Store.open(url)
    assert error.value.code == "store-url"


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError) as error:
        Store.open(f"postgresql://nobody@/none?host={tmp_path}")
    assert error.value.code == "store-failed"
