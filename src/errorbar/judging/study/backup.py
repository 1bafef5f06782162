"""Backups of studies: made while raters work, checked, and only then given their name; and upgrades of older stores.

A backup is one SQLite file, whatever the store is, and can be restored into either kind.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, select, text
from sqlalchemy import Table as SqlTable

from errorbar.api.arguments import public
from errorbar.core.problems import Problem
from errorbar.judging.store.engines import file_of, logs_of, store_error, store_failed
from errorbar.judging.store.store import HEAD, Store
from errorbar.judging.store.tables import METADATA
from errorbar.judging.study.folder import LEDGER, STORE, Study
from errorbar.judging.study.rules import current_rules
from errorbar.llm.calls import Ledger
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

# What must hold of a store at every moment, counted again from the rows.


MOST_NAMED = 5
"""Rows that a finding names."""
_K = ":k"
_COUNTED = "SELECT count(*) FROM assignment a WHERE a.item = i.id AND a.round = 'main' AND a.state IN ('open', 'done')"

_NEVER = {  # each gives the rows that must not be
    "more judgments than k": f"SELECT i.name FROM item i WHERE i.kind = 'work' AND ({_COUNTED}) > {_K}",
    "places counted wrong": f"SELECT i.name FROM item i WHERE i.kind = 'work' AND i.taken <> ({_COUNTED})",
    "gold items with places": "SELECT name FROM item WHERE kind = 'gold' AND (taken <> 0 OR place IS NOT NULL)",
    "an extra answer beside a free place": "SELECT i.name FROM item i WHERE i.kind = 'work' AND i.taken < :k AND EXISTS"
    " (SELECT 1 FROM assignment a JOIN rater r ON r.id = a.rater WHERE a.item = i.id AND a.round = 'main'"
    " AND a.state = 'extra' AND r.status <> 'excluded')",
    "a rater twice on an item": "SELECT item, rater, round FROM assignment GROUP BY item, rater, round"
    " HAVING count(*) > 1",
    "answers without a state, or states without an answer": "SELECT id FROM assignment"
    " WHERE (version > 0) <> (state IN ('done', 'extra', 'aside', 'skipped'))",
    "versions that were not kept": "SELECT a.id FROM assignment a WHERE a.version <>"
    " (SELECT count(*) FROM answer n WHERE n.assignment = a.id AND n.version <= a.version)"
    " OR EXISTS (SELECT 1 FROM answer n WHERE n.assignment = a.id AND n.version > a.version)",
    "skipped and answered mixed up": "SELECT a.id FROM assignment a JOIN answer n ON n.assignment = a.id"
    " AND n.version = a.version WHERE (a.state = 'skipped') <> (n.answer = 'null')",
    "answers without an event": "SELECT n.id FROM answer n WHERE NOT EXISTS (SELECT 1 FROM event e"
    " WHERE e.submission = n.submission AND e.kind = 'answered' AND e.assignment = n.assignment)",
    "events of answers without an answer": "SELECT e.id FROM event e WHERE e.kind = 'answered' AND NOT EXISTS"
    " (SELECT 1 FROM answer n WHERE n.submission = e.submission)",
    "excluded raters that hold items or count": "SELECT a.id FROM assignment a JOIN rater r ON r.id = a.rater"
    " WHERE r.status = 'excluded' AND (a.state = 'open' OR (a.state = 'done' AND a.round <> 'quiz'))",
    "raters who withdrew that hold items": "SELECT a.id FROM assignment a JOIN rater r ON r.id = a.rater"
    " WHERE r.status = 'withdrawn' AND a.state = 'open'",
    "judgments aside of raters who count": "SELECT a.id FROM assignment a JOIN rater r ON r.id = a.rater"
    " WHERE r.status = 'active' AND a.state = 'aside'",
    "exclusions that do not fit": "SELECT r.id FROM rater r WHERE (r.status = 'excluded') <>"
    " ((SELECT count(*) FROM exclusion x WHERE x.rater = r.id AND x.until IS NULL) = 1)",
    "raters' judgments counted wrong": "SELECT r.id FROM rater r WHERE r.judged <> (SELECT count(*) FROM assignment a"
    " WHERE a.rater = r.id AND a.round <> 'quiz' AND a.state IN ('done', 'extra', 'aside'))",
    "raters' answers counted wrong": "SELECT r.id FROM rater r WHERE r.answered <> (SELECT count(a.answered)"
    " FROM assignment a WHERE a.rater = r.id) OR r.answered <> (SELECT coalesce(max(a.answered), 0)"
    " FROM assignment a WHERE a.rater = r.id)",
    "repeats of what was never judged": "SELECT a.id FROM assignment a WHERE a.round = 'repeat' AND NOT EXISTS"
    " (SELECT 1 FROM assignment m WHERE m.item = a.item AND m.rater = a.rater AND m.round = 'main' AND m.version > 0)",
    "work in the quiz": "SELECT a.id FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE a.round = 'quiz' AND i.kind <> 'gold'",
}


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that must never be.

    Attributes:
        what: In a few words.
        rows: Names or numbers of the first rows.
        n: How many there are.
    """

    what: str
    rows: tuple[str, ...]
    n: int

    def __str__(self) -> str:
        more = ", ..." if self.n > len(self.rows) else ""
        return f"{self.what}: {self.n} ({', '.join(self.rows)}{more})"


def check(store: Store) -> list[Broken]:
    """Everything that is broken in a store, at one moment; nothing, if all is well."""
    with store.read() as tx:
        return [*_file(tx), *check_rows(tx)]


def check_rows(tx: Connection) -> list[Broken]:
    """The same inside a transaction, without the file itself."""
    k = current_rules(tx).raters_per_item
    broken = []
    for rule, query in _NEVER.items():
        rows = tx.execute(text(query), {"k": k} if _K in query else {}).all()
        if rows:
            broken.append(_broken(rule, [", ".join(map(str, row)) for row in rows]))
    return broken


def _broken(rule: str, rows: list[str]) -> Broken:
    return Broken(rule, tuple(rows[:MOST_NAMED]), len(rows))


def _file(tx: Connection) -> list[Broken]:
    """Of SQLite; PostgreSQL checks its pages when it reads them."""
    if tx.dialect.name != "sqlite":
        return []
    messages = [row[0] for row in tx.execute(text("PRAGMA integrity_check"))]
    keys = [f"{row[0]} {row[1]}" for row in tx.execute(text("PRAGMA foreign_key_check"))]
    broken = [] if messages == ["ok"] else [_broken("the file itself", messages)]
    return [*broken, _broken("rows that point nowhere", keys)] if keys else broken


_ROWS = 5000  # carried at a time


@dataclass(frozen=True, slots=True)
class Copied:
    """The contents of a copy.

    Attributes:
        rows: Of each table.
        digest: SHA-256 of all rows in the order of their keys: equal on either kind of store if the rows are.
    """

    rows: dict[str, int]
    digest: str


def backup(store: Store, target: Path) -> Copied:
    """Copy one moment of a store into a file, while others write.

    The file gets its name when its rows are those of the store, its pages are sound, and every rule of the protocol
    holds of it.

    Raises:
        StoreError: If there is a file of that name (``store-exists``), the store cannot be read, the disk is full
            (``store-failed``), or the copy is not sound (``backup-damaged``).
    """
    if target.exists():
        raise store_error("store-exists", f"there is a file at {target} already", "choose another place")
    with _beside(target) as new, store.read() as tx:
        contents = describe(tx)
        if tx.dialect.name == "sqlite":
            _copy_pages(tx, new)
        else:
            with Store.create(str(new)) as copy:
                copy.write(lambda to: copy_rows(tx, to))
        _one_file(new)
        _verify(new, contents)
    return contents


def restore(source: Path, url: str) -> Copied:
    """Make a store of a backup, where there is none; the backup is looked through first.

    Raises:
        StoreError: If the backup is missing, damaged or of another version, or there is a store at that place.
    """
    path = file_of(url)
    if path is not None and path.exists():
        raise store_error("store-exists", f"there is a file at {path} already", "choose another place")
    with Store.open(str(source), read_only=True) as saved, saved.read() as tx:
        with _readable():
            contents = describe(tx)
            _verify(source, contents)
        if path is not None:
            with _beside(path) as new:
                _copy_pages(tx, new)
                _one_file(new)
                _verify(new, contents)
            return contents
        with Store.create(url, fill=lambda to: _fill_restored(tx, to, contents)):
            return contents


def copy_file(store: Store, target: Path) -> None:
    """Copy a SQLite store of any version, without a look at what is in it; of others nothing is copied.

    Raises:
        StoreError: If there is a file of that name, or the disk is full.
    """
    if target.exists():
        raise store_error("store-exists", f"there is a file at {target} already", "choose another place")
    with store.read() as tx:
        if tx.dialect.name == "sqlite":
            with _beside(target) as new:
                _copy_pages(tx, new)
                _one_file(new)


def copy_rows(source: Connection, target: Connection) -> None:
    """Carry all rows of a store into an empty one."""
    for table in METADATA.sorted_tables:
        for rows in _batches(source, table):
            target.execute(table.insert(), [row._asdict() for row in rows])
        if target.dialect.name == "postgresql" and "id" in table.c:
            last = select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
            target.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), last, text("false"))))


def describe(tx: Connection) -> Copied:
    """How many rows there are, and their digest."""
    digest, rows = hashlib.sha256(), {}
    for table in METADATA.sorted_tables:
        digest.update(table.name.encode())
        n = 0
        for batch in _batches(tx, table):
            n += len(batch)
            digest.update("\n".join(repr(tuple(row)) for row in batch).encode("utf-8", "backslashreplace"))
        rows[table.name] = n
    return Copied(rows, digest.hexdigest())


def _fill_restored(source: Connection, target: Connection, contents: Copied) -> None:
    copy_rows(source, target)
    if describe(target) != contents:
        raise _damage_error("the restored rows are not those of the backup")


def _batches(tx: Connection, table: SqlTable) -> Iterator[Sequence[Any]]:
    keys = [*table.primary_key.columns]
    ordered = [
        key.collate("C") if (tx.dialect.name == "postgresql" and key.type.python_type is str) else key for key in keys
    ]
    with tx.execution_options(stream_results=True, yield_per=_ROWS).execute(select(table).order_by(*ordered)) as rows:
        unread = iter(rows)
        while batch := list(islice(unread, _ROWS)):
            yield batch


def _copy_pages(tx: Connection, target: Path) -> None:
    pages: Any = tx.connection.driver_connection
    with closing(sqlite3.connect(target)) as new:
        pages.backup(new)


def _one_file(path: Path) -> None:
    """Take the log into the file, and the file onto the disk."""
    with closing(sqlite3.connect(path)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _verify(path: Path, expected: Copied) -> None:
    with Store.open(str(path), read_only=True) as copy:
        with copy.read() as tx:
            contents = describe(tx)
        broken = check(copy)
    if contents != expected:
        raise _damage_error("its rows are not those of the store")
    if broken:
        raise _damage_error("; ".join(map(str, broken)))


@contextmanager
def _readable() -> Iterator[None]:
    """Say that a value of a backup is none that errorbar writes, e.g. no JSON."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _damage_error(f"a value cannot be read ({type(error).__name__}: {str(error)[:200]})") from None


def _damage_error(reason: str) -> Exception:
    return store_error("backup-damaged", f"the copy is not sound: {reason}", "look at the disk, then make another")


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A file that gets its name once all went well; without that, nothing is left."""
    if not target.parent.is_dir():
        raise store_error("store-missing", f"there is no folder {target.parent}", "make it first")
    new = target.with_name(f".{target.name}.part")
    try:
        for file in (new, *logs_of(new)):
            file.unlink(missing_ok=True)
        yield new
        new.replace(target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise store_failed(error) from error
    finally:
        for file in (new, *logs_of(new)):
            with suppress(OSError):
                file.unlink(missing_ok=True)


# Stores of older versions: upgraded on request, in one transaction, after a backup.


FOLDER = Path(__file__).parents[1] / "migrations"


def migrate(tx: Connection, target: str = HEAD, folder: Path = FOLDER) -> None:
    """Run the steps that lead from the schema that is there, or from nothing, to another."""
    scripts = ScriptDirectory(str(folder))
    context = MigrationContext.configure(
        tx, opts={"fn": lambda now, _: scripts._upgrade_revs(target, now), "transactional_ddl": True}
    )
    with Operations.context(context):
        context.run_migrations()


def upgrade(url: str, saved: Path | None = None) -> bool:
    """Bring a store to this version's schema; all of it or nothing.

    Args:
        url: Of the store.
        saved: Where a copy of a SQLite store goes first; None: none is made. Of a PostgreSQL store, ``pg_dump``
            makes one.

    Returns:
        Whether there was anything to do.

    Raises:
        StoreError: If there is no store, it is of a newer version, or the copy cannot be written.
    """
    with Store.open(url, older=True) as store:
        if store.revision() == HEAD:
            return False
        with store.exclusive() as tx:  # nobody writes between the copy and the steps
            if saved is not None:
                copy_file(store, saved)
            migrate(tx)
        return True


# ``judge_backup`` and ``judge_restore``: a whole study, its secrets included; ``judge_upgrade``: an older one.


_SHOWN = {"items": "item", "raters": "rater", "answers": "answer", "events": "event"}
"""The things whose numbers are shown of a copy, and the tables of the store that hold them."""


@dataclass(frozen=True, slots=True, repr=False)
class JudgeCopy(Result):
    """The contents of a copy of a study; it was compared with the original.

    Attributes:
        folder: Of the copy.
        rows: Of each table of the store.
        digest: SHA-256 of all rows: equal if they are.
        notes: Warnings.
    """

    folder: Path
    rows: dict[str, int]
    digest: str
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The same."""
        return {"study": str(self.folder), "rows": self.rows, "digest": self.digest}

    def tables(self) -> list[Table]:
        """The lines for people; each table of the store is in the document."""
        rows: list[list[Cell]] = [[shown, self.rows[name]] for shown, name in _SHOWN.items()]
        return [Table([Column("what"), Column("number", "count")], rows, "Copied", "copied")]


@public()
def judge_backup(study: str | PathLike[str], out: str | PathLike[str]) -> JudgeCopy:
    """Copy a study into a folder that is a study itself, with SQLite inside, while raters work.

    Args:
        study: Its folder.
        out: The folder of the copy, a new one; its secrets open the same doors: keep it as safe as the study.

    Raises:
        ErrorbarError: If the study cannot be read, the copy not be written, or the copy is not sound.
    """
    opened = Study.open(study)
    with opened.store(read_only=True) as store:
        copied: list[Copied] = []
        copy = Study.create(out, lambda new: copied.append(_copy_all(store, opened, new)), like=opened)
    return JudgeCopy(copy.folder, copied[0].rows, copied[0].digest)


def _copy_all(store: Store, study: Study, copy: Study) -> Copied:
    """Copy the store of a study, and the calls of its models."""
    contents = backup(store, copy.folder / STORE)
    _copy_calls(study, copy)
    return contents


def _copy_calls(study: Study, copy: Study) -> None:
    """Copy the ledger of a study's models, if there is one."""
    if (study.folder / LEDGER).exists():
        with Ledger.open(study.folder / LEDGER, read_only=True) as ledger:
            ledger.copy_to(copy.folder / LEDGER)


def _restore_all(source: Study, new: Study) -> Copied:
    """Make the store of a new study of a backup, with the calls of its models."""
    contents = restore(source.folder / STORE, new.url)
    _copy_calls(source, new)
    return contents


@public()
def judge_restore(source: str | PathLike[str], study: str | PathLike[str], *, store: str = "") -> JudgeCopy:
    """Make a study from a backup; links and cookies that were given out open it.

    Args:
        source: Folder of the backup.
        study: The folder of the study, a new one.
        store: A PostgreSQL database, ``postgresql://USER@HOST/DATABASE``. Empty: SQLite, in the folder.

    Raises:
        ErrorbarError: If the backup is damaged or the study cannot be made; then nothing is.
    """
    opened = Study.open(source)
    copied: list[Copied] = []
    restored = Study.create(study, lambda new: copied.append(_restore_all(opened, new)), store=store, like=opened)
    return JudgeCopy(restored.folder, copied[0].rows, copied[0].digest)


@public()
def judge_upgrade(study: str | PathLike[str]) -> bool:
    """Bring the store of a study that an older errorbar made to what this one needs, all of it or nothing.

    A SQLite store is copied first, into the study's folder; of a PostgreSQL one, ``pg_dump`` makes a copy.

    Args:
        study: Its folder.

    Returns:
        Whether there was anything to do.

    Raises:
        ErrorbarError: If there is no study, it is of a newer errorbar, or the copy cannot be written.
    """
    opened = Study.open(study)
    return upgrade(opened.url, opened.folder / f"store-{datetime.now(UTC):%Y%m%dT%H%M%S}.sqlite3")
