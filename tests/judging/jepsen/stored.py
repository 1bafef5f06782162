"""What a store holds when all is over, read by plain SQL: none of the code that is under test."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
TABLES = ("item", "rater", "assignment", "answer", "event", "exclusion")


@dataclass(frozen=True, slots=True)
class Stored:
    """The tables, by row number, and k."""

    item: Sequence[Row]
    rater: Sequence[Row]
    assignment: Sequence[Row]
    answer: Sequence[Row]
    event: Sequence[Row]
    exclusion: Sequence[Row]
    raters_per_item: int
    editors: str = "free"
    integrity: str = "ok"
    """What ``PRAGMA integrity_check`` says; of PostgreSQL, which has no like of it, ``ok``."""


def read_stored(url: str) -> Stored:
    """Of a store that nobody writes to."""
    if url.startswith("postgresql"):
        import psycopg
        from psycopg.rows import dict_row

        with psycopg.connect(url.replace("+psycopg", ""), row_factory=dict_row) as database:
            tables = {name: database.execute(f"SELECT * FROM {name} ORDER BY id").fetchall() for name in TABLES}
            found = database.execute("SELECT value FROM study WHERE name = 'rules'").fetchone()
            rules = found["value"] if found else "{}"
        integrity = "ok"
    else:
        one = sqlite3.connect(url.removeprefix("sqlite:///"))
        one.row_factory = sqlite3.Row
        try:
            integrity = "; ".join(row[0] for row in one.execute("PRAGMA integrity_check"))
            tables = {name: [dict(row) for row in one.execute(f"SELECT * FROM {name} ORDER BY id")] for name in TABLES}
            rules = one.execute("SELECT value FROM study WHERE name = 'rules'").fetchone()[0]
        finally:
            one.close()
    known = json.loads(rules)
    k, editors = int(known["raters_per_item"]), str(known.get("editors", "free"))
    return Stored(**tables, raters_per_item=k, editors=editors, integrity=integrity)
