"""Copies of a store that is written to: whole, checked, and restored into either kind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from errorbar.judging import Store, StudyRules, add_items, backup, check, exclude, restore
from errorbar.judging.store.store import StoreError
from errorbar.judging.study.backup import describe
from tests.judging.conftest import new_database
from tests.judging.empty_stores import Study, gold_item, work_item


@pytest.fixture
def study(store_url: str) -> Iterator[Study]:
    items = [work_item(f"w{at}é\U0001f600") for at in range(30)] + [gold_item(f"g{at}") for at in range(4)]
    made = Study(store_url, StudyRules(raters_per_item=2, policy="none"), items, 4)
    for rater in made.raters:
        for lease in made.claim(rater).leases[:7]:
            made.answer(rater, lease)
    made.write(lambda tx: exclude(tx, made.raters[1], "reason", "manager", made.clock()))
    yield made
    made.store.close()


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_what_is_restored_is_what_was_there(
    study: Study, into: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    copy = tmp_path / "copy.sqlite"
    told = backup(study.store, copy)
    assert told.rows["answer"] == 28
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith((".", "copy"))) == ["copy.sqlite"]
    url = str(tmp_path / "new.sqlite")
    if into == "postgresql":
        url = new_database(request.getfixturevalue("postgres_server"))
    assert restore(copy, url) == told
    with Store.open(url, clock=study.clock) as store:
        assert check(store) == []
        with store.read() as tx, study.store.read() as original:
            assert describe(tx) == describe(original) == told
    before = study.states()
    study.store.close()
    study.url = url
    study.reopen()
    for rater in study.raters:  # work goes on there, with numbers that nobody has
        for lease in study.claim(rater).leases:
            assert study.answer(rater, lease).status == "saved"
    assert check(study.store) == []
    assert {key for key, state in before.items() if state == "done"} <= study.states().keys()
    study.join()


def test_a_backup_is_one_moment_while_others_write(study: Study, tmp_path: Path) -> None:
    stop = threading.Event()
    written = 0

    def work() -> None:
        nonlocal written
        while not stop.is_set():
            for rater in study.raters[2:]:
                for lease in study.claim(rater, 2).leases:
                    study.answer(rater, lease)
                    written += 1
            added = [work_item(f"late{len(study.rows('SELECT id FROM item'))}")]
            study.write(partial(add_items, items=added, now=0.0))

    writer = threading.Thread(target=work)
    writer.start()
    try:
        copies = [backup(study.store, tmp_path / f"copy{at}.sqlite") for at in range(4)]
    finally:
        stop.set()
        writer.join()
    assert written > 0
    counts = [copy.rows["event"] for copy in copies]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_a_backup_never_replaces_a_file(study: Study, tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.write_text("mine")
    with pytest.raises(StoreError, match="store-exists"):
        backup(study.store, target)
    with pytest.raises(StoreError, match="store-exists"):
        restore(target, str(target))
    assert target.read_text() == "mine"


def test_a_damaged_backup_restores_nothing(study: Study, tmp_path: Path) -> None:
    copy, new = tmp_path / "copy.sqlite", tmp_path / "new.sqlite"
    backup(study.store, copy)
    whole = copy.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:8192] + b"\xff" * 4096 + whole[12288:], b""):
        copy.write_bytes(damaged)
        with pytest.raises(StoreError):
            restore(copy, str(new))
        assert not new.exists()


def test_a_copy_that_breaks_the_protocol_is_refused(study: Study, tmp_path: Path) -> None:
    from sqlalchemy import text

    study.write(lambda tx: tx.execute(text("UPDATE item SET taken = taken + 1 WHERE id = 1")))
    with pytest.raises(StoreError, match="places counted wrong"):
        backup(study.store, tmp_path / "copy.sqlite")
    assert [path for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_where_nothing_can_be_written(study: Study, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        backup(study.store, tmp_path / "no" / "folder")
    assert error.value.code == "store-missing"
