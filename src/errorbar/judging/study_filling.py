"""A new store that is whole or not there at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text

from errorbar.judging.store import Store
from errorbar.judging.store_tables import METADATA
from errorbar.judging.study_clock import study_clock
from errorbar.judging.study_folder import Study


@contextmanager
def emptied_if_failed(study: Study) -> Iterator[Store]:
    """Make a study's store; what fails in it takes the tables with it, as a database is not in the study's folder."""
    with Store.create(study.url, clock=study_clock()) as store:
        try:
            yield store
        except BaseException:
            if study.address:
                store.write(_drop)
            raise


def _drop(tx: Connection) -> None:
    METADATA.drop_all(tx)
    tx.execute(text("DROP TABLE alembic_version"))
