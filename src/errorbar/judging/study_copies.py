"""``judge_backup`` and ``judge_restore``: a whole study, its secrets included; ``judge_upgrade``: an older one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

from errorbar.core.errors import Problem
from errorbar.judging.store_backup import Copied, backup, restore
from errorbar.judging.study_folder import STORE, Study
from errorbar.studies.door import public
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

_SHOWN = {"items": "item", "raters": "rater", "answers": "answer", "events": "event"}
"""What a copy is shown to hold, and the tables of the store that hold it."""


@dataclass(frozen=True, slots=True, repr=False)
class JudgeCopy(Result):
    """What a copy of a study holds; it was compared with the original.

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
        """What people know of it; each table of the store is in the document."""
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
        made = Study.create(out, lambda new: copied.append(backup(store, new.folder / STORE)), like=opened)
    return JudgeCopy(made.folder, copied[0].rows, copied[0].digest)


@public()
def judge_restore(source: str | PathLike[str], study: str | PathLike[str], *, store: str = "") -> JudgeCopy:
    """Make a study from a backup; links and cookies that were given out open it.

    Args:
        source: Folder of the backup.
        study: The folder of the study, a new one.
        store: ``postgresql://USER@HOST/DATABASE``; empty: SQLite, in the folder.

    Raises:
        ErrorbarError: If the backup is damaged or the study cannot be made; then nothing is.
    """
    opened = Study.open(source)
    copied: list[Copied] = []
    made = Study.create(
        study, lambda new: copied.append(restore(opened.folder / STORE, new.url)), store=store, like=opened
    )
    return JudgeCopy(made.folder, copied[0].rows, copied[0].digest)


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
    from errorbar.judging.store_upgrade import upgrade  # noqa: PLC0415 - alembic takes time to import

    opened = Study.open(study)
    return upgrade(opened.url, opened.folder / f"store-{datetime.now(UTC):%Y%m%dT%H%M%S}.sqlite3")
