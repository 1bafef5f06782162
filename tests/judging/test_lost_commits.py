"""PostgreSQL's reply to a commit is lost: what is said is what became of it, and nothing is done twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from errorbar.judging import Store, StudyRules, set_value
from errorbar.judging.store import engines
from errorbar.judging.store.engines import OutcomeUnknownError, mark_of, outcome_unknown
from errorbar.judging.store.store import GroupCommit, StoreError
from errorbar.judging.study.rules import get_value
from tests.helpers.postgresql_cluster import cluster
from tests.judging.cut_wire import Cut, Wire, wire
from tests.judging.served import Visitor, made_study, served


@pytest.fixture
def cable(postgres_url: str) -> Iterator[Wire]:
    Store.create(postgres_url).close()
    with wire(postgres_url) as made:
        yield made


@pytest.fixture
def store(cable: Wire) -> Iterator[Store]:
    with Store.open(cable.url) as opened:
        yield opened


def value(url: str, name: str) -> str | None:
    with Store.open(url) as store, store.read() as tx:
        return get_value(tx, name)


def counted(tx: Connection) -> int:
    """A work that must not be done twice."""
    found = int(get_value(tx, "n") or 0) + 1
    set_value(tx, "n", str(found))
    return found


def together(store: Store, works: list[Callable[[Connection], object]]) -> list[object]:
    """What comes of works that one transaction takes."""

    async def all_at_once() -> list[object]:
        group = GroupCommit(store)
        with store._one:  # until all wait
            found = [asyncio.ensure_future(group.do(work)) for work in works]
            await asyncio.sleep(0.05)
        try:
            return list(await asyncio.gather(*found, return_exceptions=True))
        finally:
            await group.close()

    return asyncio.run(all_at_once())


def test_what_was_committed_is_done_though_its_reply_is_lost(store: Store, cable: Wire, postgres_url: str) -> None:
    cable.cut = "after"
    assert store.write(counted) == 1
    assert (cable.cuts, value(postgres_url, "n")) == (1, "1")
    assert store.write(counted) == 2


def test_a_commit_that_never_came_to_the_server_is_told_to_be_none(
    store: Store, cable: Wire, postgres_url: str
) -> None:
    cable.cut = "before"
    with pytest.raises(StoreError, match="nothing of this was written") as caught:
        store.write(counted)
    assert (caught.value.code, cable.cuts, value(postgres_url, "n")) == ("store-failed", 1, None)
    assert store.write(counted) == 1


def test_a_status_is_not_believed_that_may_be_another_transactions(
    store: Store, cable: Wire, postgres_url: str
) -> None:
    """Whether the server crashed since then cannot be told from any checkpoint of its own will."""

    psycopg = pytest.importorskip("psycopg")

    def work(tx: Connection) -> int:
        with psycopg.connect(postgres_url, autocommit=True) as another:
            another.execute("CHECKPOINT")
        return counted(tx)

    cable.cut = "after"
    with pytest.raises(OutcomeUnknownError, match="was done or was not"):
        store.write(work)
    assert value(postgres_url, "n") == "1"


@pytest.mark.slow
@pytest.mark.usefixtures("postgres_server")  # skipped where there is none
def test_a_server_that_crashed_gives_a_lost_number_to_another_transaction() -> None:
    with cluster("wal_writer_delay=10s", "autovacuum=off") as server:
        url = server.database("study")
        Store.create(url).close()
        with Store.open(url) as one, Store.open(url) as another:

            def crash(tx: Connection) -> None:
                set_value(tx, "one", "1")
                assert get_value(tx, "one") == "1"
                numbers.append(mark_of(tx))
                server.kill()
                server.start()
                another.write(go_on)

            def go_on(tx: Connection) -> None:
                set_value(tx, "another", "1")
                numbers.append(mark_of(tx))

            numbers: list[Any] = []
            with pytest.raises(OutcomeUnknownError, match="was done or was not"):
                one.write(crash)
        assert numbers[0].number == numbers[1].number
        assert (value(url, "one"), value(url, "another")) == (None, "1")


@pytest.mark.slow
@pytest.mark.parametrize(("cut", "stored"), [("before", None), ("after", "1")])
def test_where_nobody_can_be_asked_that_is_said(
    cut: Cut, stored: str | None, store: Store, cable: Wire, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "PATIENCE", 0.1)
    cable.cut, cable.stays = cut, True
    with pytest.raises(OutcomeUnknownError, match="was done or was not") as caught:
        store.write(counted)
    assert (caught.value.code, value(postgres_url, "n")) == ("store-unknown", stored)


def test_works_of_one_transaction_are_not_run_again_when_its_reply_is_lost(
    store: Store, cable: Wire, postgres_url: str
) -> None:
    cable.cut = "after"
    assert together(store, [counted] * 5) == [1, 2, 3, 4, 5]
    assert (cable.cuts, value(postgres_url, "n")) == (1, "5")
    cable.cut = "before"
    assert sorted(map(str, together(store, [counted] * 3))) == ["6", "7", "8"]  # each again, as none was done
    assert (cable.cuts, value(postgres_url, "n")) == (2, "8")


@pytest.mark.slow
def test_works_whose_end_nobody_knows_are_not_run_again(
    store: Store, cable: Wire, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "PATIENCE", 0.1)
    cable.cut, cable.stays = "after", True
    found = together(store, [counted] * 3)
    assert {type(each) for each in found} == {OutcomeUnknownError}
    assert value(postgres_url, "n") == "3"


def test_a_page_says_that_nobody_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lost(*_: object) -> None:
        raise outcome_unknown(OSError("the connection was closed"))

    study = made_study(tmp_path / "study", StudyRules())
    with served(study) as url:
        manager = Visitor(url)
        manager.manage(study)
        monkeypatch.setattr(GroupCommit, "do", lost)
        page = manager.form("/manage/invitations", name="ira", kind="personal")
    assert page.status_code == 503
    assert "this was done or was not" in page.text
    assert "Load the page again and look" in page.text
