"""The schema that the steps make is the one that the tables declare; newer and foreign files are refused."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

import errorbar
from errorbar.judging import Store, StudyRules, check
from errorbar.judging.protocol.completion_codes import redeem
from errorbar.judging.store import store as store_module
from errorbar.judging.store.engines import engine_of
from errorbar.judging.store.store import HEAD, REVISIONS, StoreError
from errorbar.judging.store.tables import METADATA
from errorbar.judging.study import backup
from errorbar.judging.study.backup import FOLDER, copy_file, migrate, upgrade
from tests.judging.empty_stores import Clock, Study, work_item

OLD_STORE = Path(__file__).parent / "stores" / "0003.sql"

STEP = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "next", "HEAD"

def upgrade():
    op.add_column("item", sa.Column("note", sa.Text, nullable=False, server_default="none"))
"""


def differences(tx: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(tx), METADATA))


def indexes(tx: Connection) -> set[tuple[str, ...]]:
    """With constraints, which Alembic does not compare on SQLite."""
    look = inspect(tx)
    return {
        (table, str(each.get("column_names")), str(each.get("sqltext", "")))
        for table in look.get_table_names()
        for each in [*look.get_indexes(table), *look.get_unique_constraints(table), *look.get_check_constraints(table)]
    }


def test_the_steps_make_what_the_tables_say(store_url: str, tmp_path: Path) -> None:
    engine = engine_of(store_url, read_only=False)
    with engine.connect().execution_options(errorbar_write=True) as tx, tx.begin():
        migrate(tx)
        assert tx.scalar(text("SELECT version_num FROM alembic_version")) == HEAD
        assert differences(tx) == []
        stepped = indexes(tx)
    engine.dispose()
    Store.open(store_url).close()  # a store that was only ever upgraded is one
    with Store.create(str(tmp_path / "made.sqlite")) as made, made.read() as tx:
        assert differences(tx) == []
        if "://" not in store_url:
            assert stepped == indexes(tx)


def test_every_step_is_listed() -> None:
    from alembic.script import ScriptDirectory

    steps = [step.revision for step in ScriptDirectory(str(FOLDER)).walk_revisions()]
    assert tuple(reversed(steps)) == REVISIONS


def add_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str = STEP) -> None:
    """Let this errorbar need one more schema, which has a column more."""
    folder = tmp_path / "migrations"
    shutil.copytree(FOLDER, folder)
    (folder / "versions" / "next_step.py").write_text(step.replace("HEAD", HEAD))
    monkeypatch.setattr(store_module, "REVISIONS", (*REVISIONS, "next"))
    for module in (store_module, backup):
        monkeypatch.setattr(module, "HEAD", "next")
    monkeypatch.setattr(backup, "migrate", lambda tx: migrate(tx, "next", folder))


def test_an_older_store_is_refused_until_it_is_upgraded(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1), [work_item("a")], 1)
    study.answer(study.raters[0], study.claim(study.raters[0]).leases[0])
    study.store.close()
    add_step(tmp_path, monkeypatch)
    with pytest.raises(StoreError, match=f"older errorbar: its schema is {HEAD}, this one needs next"):
        Store.open(store_url)
    saved = tmp_path / "saved.sqlite"
    assert upgrade(store_url, saved)
    assert not upgrade(store_url, tmp_path / "unused.sqlite")
    with Store.open(store_url) as store:
        assert check(store) == []
        with store.read() as tx:
            assert tx.scalar(text("SELECT note FROM item")) == "none"
    monkeypatch.undo()
    if "://" not in store_url:
        with Store.open(str(saved), read_only=True) as store:
            assert store.revision() == HEAD
    with pytest.raises(StoreError) as error:
        Store.open(store_url)
    assert error.value.code == "store-newer"


def test_a_study_is_upgraded_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "items.csv").write_text("item,text,word\na,He sat on it .,on\n")
    errorbar.judge_init(tmp_path / "study", tmp_path / "items.csv")
    assert not errorbar.judge_upgrade(tmp_path / "study")
    add_step(tmp_path, monkeypatch)
    with pytest.raises(StoreError, match="errorbar judge upgrade"):
        errorbar.judge_status(tmp_path / "study", ci=False)
    assert errorbar.judge_upgrade(tmp_path / "study")
    assert errorbar.judge_status(tmp_path / "study", ci=False).progress.n_items == 1
    monkeypatch.undo()
    (saved,) = (tmp_path / "study").glob("store-*.sqlite3")
    with Store.open(str(saved), read_only=True) as store:
        assert store.revision() == HEAD


def test_nobody_writes_between_the_copy_and_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a server that was not stopped acknowledged after the copy would be lost to who goes back to it."""
    path = tmp_path / "s.sqlite"
    Study(str(path), StudyRules(), [work_item("a")], 1).store.close()
    add_step(tmp_path, monkeypatch)
    refused = []

    def copied(store: Store, saved: Path) -> None:
        copy_file(store, saved)
        with closing(sqlite3.connect(path, timeout=0)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                refused.append(str(error))

    monkeypatch.setattr(backup, "copy_file", copied)
    assert upgrade(str(path), tmp_path / "saved.sqlite")
    assert refused == ["database is locked"]


def test_a_step_that_fails_leaves_the_store_as_it_was(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Study(store_url, StudyRules(), [work_item("a")], 1).store.close()
    add_step(tmp_path, monkeypatch, STEP + '    op.execute("SELECT nothing FROM nowhere")\n')
    with pytest.raises(StoreError):
        upgrade(store_url)
    monkeypatch.undo()
    with Store.open(store_url) as store, store.read() as tx:
        assert "note" not in {column["name"] for column in inspect(tx).get_columns("item")}


@pytest.mark.parametrize("content", [b"", b"hello\n" * 1000])
def test_what_is_no_store_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    for read_only in (True, False):
        with pytest.raises(StoreError) as error:
            Store.open(str(path), read_only=read_only)
        assert error.value.code == "not-a-store"
        assert path.read_bytes() == content


def test_another_database_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as one:
        one.execute("CREATE TABLE t (x)")
    one.close()
    with pytest.raises(StoreError, match="not a store"):
        Store.open(str(path))


def test_where_there_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        Store.open(str(tmp_path / "none.sqlite"))
    assert error.value.code == "store-missing"
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_made_where_there_is_none(store_url: str) -> None:
    Store.create(store_url).close()
    with pytest.raises(StoreError) as error:
        Store.create(store_url)
    assert error.value.code == "store-exists"


def test_gold_answers_of_raters_who_are_there_are_counted_again(store_url: str) -> None:
    engine = engine_of(store_url, read_only=False)
    with engine.connect().execution_options(errorbar_write=True) as tx, tx.begin():
        migrate(tx, "0001")
        row = "(name, participant, seed, status, joined) VALUES ('{0}', '{0}', 1, 'active', 0)"
        tx.execute(text(f"INSERT INTO rater {row.format('before')}"))
        migrate(tx, "0002")
        tx.execute(text(f"INSERT INTO rater {row.format('since')}"))
        assert tx.execute(text("SELECT name, gold, due FROM rater ORDER BY id")).all() == [
            ("before", None, None),
            ("since", "[]", None),
        ]
    engine.dispose()


def test_codes_of_a_store_with_judgments_count_after_its_upgrade(store_url: str, tmp_path: Path) -> None:
    """A store of the second schema, with a rater who has a code, one who is not through, and one who skipped."""
    rules = StudyRules(raters_per_item=3, items_per_rater=2, policy="none")
    study = Study(store_url, rules, [work_item(name) for name in "ab"], 3)
    through, half, idle = study.raters
    leases = study.claim(through).leases
    for lease in leases:
        study.answer(through, lease)
    code = study.claim(through).code
    study.answer(half, study.claim(half).leases[0])
    study.skip(idle, study.claim(idle).leases[0])
    study.store.close()
    engine = engine_of(store_url, read_only=False)
    with engine.connect().execution_options(errorbar_write=True) as tx, tx.begin():
        tx.execute(text("DROP INDEX item_free"))
        for table, columns in (("free", "taken"), ("had", "rater")):
            tx.execute(text(f"CREATE TABLE {table} ({columns} INTEGER, block INTEGER, bits BIGINT)"))
        for table, column in (("rater", "code_for"), ("rater", "volume"), ("assignment", "stands_for")):
            tx.execute(text(f"ALTER TABLE {table} DROP COLUMN {column}"))
        tx.execute(text("UPDATE alembic_version SET version_num = '0002'"))
    engine.dispose()
    with pytest.raises(StoreError, match="its schema is 0002"):
        Store.open(store_url)
    assert upgrade(store_url, tmp_path / "saved.sqlite")
    study.reopen()
    assert study.rows("SELECT judged, code_for, volume FROM rater ORDER BY id") == [
        (2, 2, 0),
        (1, None, 0),
        (0, None, 0),
    ]
    assert check(study.store) == []
    assert study.claim(through).code == code
    study.skip(through, leases[0], base=1)
    assert study.write(lambda tx: redeem(tx, code, 0.0)).withdrawn.startswith("of the 2 judgments")
    study.answer(half, study.claim(half).leases[0])
    assert study.claim(half).code not in ("", code)
    study.store.close()


def test_a_store_of_before_plain_claims_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A store of the third schema, whose claims looked at words of bits: nothing is lost or asked again.

    It has finished, active and excluded raters, answers, a skip, leases that run and that ran out, and a stopped item.
    """
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD_STORE.read_text(encoding="utf-8"))
        answers = connection.execute("SELECT * FROM answer ORDER BY id").fetchall()
    with pytest.raises(StoreError, match="errorbar judge upgrade"):
        Store.open(str(path))
    assert upgrade(str(path), tmp_path / "saved.sqlite3")
    study = Study.__new__(Study)
    study.clock, study.url = Clock(), str(path)
    study.clock.now += 10_000
    study.store = Store.open(study.url, clock=study.clock)
    assert check(study.store) == []
    assert study.rows("SELECT * FROM answer ORDER BY id") == answers
    finished, second, excluded, fourth = (rater for (rater,) in study.rows("SELECT id FROM rater ORDER BY id"))
    assert study.claim(finished).code == "BCFD-EJD3-2VWX"
    assert study.claim(excluded).standing == "excluded"
    for rater in (second, fourth):
        while leases := study.claim(rater).leases:
            names = [lease.item.name for lease in leases]
            assert not {"w6", "w7", "w8"} & {*names} if rater == second else "w8" not in names
            for lease in leases:
                assert study.answer(rater, lease).status == "saved"
    assert check(study.store) == []
    assert study.rows("SELECT name, taken FROM item WHERE kind = 'work' AND stopped = '' AND taken <> 2") == []
    study.store.close()
