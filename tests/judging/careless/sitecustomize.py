"""Makes SQLite careless in every process that is started with this folder in PYTHONPATH: a test of the tests."""

import sqlite3

_connect = sqlite3.connect


class _Careless(sqlite3.Connection):
    def execute(self, sql, *rest):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN202
        return super().execute(sql.replace("synchronous = FULL", "synchronous = NORMAL"), *rest)


def _carelessly(*words, **named):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003, ANN202
    return _connect(*words, factory=_Careless, **named)


sqlite3.connect = _carelessly
