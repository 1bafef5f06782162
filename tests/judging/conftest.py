"""Stores to test on: SQLite always, PostgreSQL where a server can be started."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest

from tests.helpers.postgresql_cluster import FAST, Cluster, binaries, cluster

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Cluster]:
    """A server of this worker's own."""
    if binaries() is None:
        pytest.skip("needs PostgreSQL's server (initdb, pg_ctl)")
    if find_spec("psycopg") is None:
        pytest.skip("needs the extra postgresql")
    with cluster(*FAST) as made:
        yield made


def new_database(server: Cluster) -> str:
    """The URL of an empty database."""
    return server.database(f"study{next(_NUMBERS)}")


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store can be made, on each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "judgments.sqlite")
    return new_database(request.getfixturevalue("postgres_server"))


@pytest.fixture
def postgres_url(postgres_server: Cluster) -> str:
    """An empty database."""
    return new_database(postgres_server)
