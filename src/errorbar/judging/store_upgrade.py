"""Stores of older versions: upgraded on request, in one transaction, after a backup."""

from __future__ import annotations

from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from errorbar.judging.store import HEAD, Store
from errorbar.judging.store_backup import copy_file

FOLDER = Path(__file__).parent / "migrations"


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
