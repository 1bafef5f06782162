"""What a store has one of: rules, scheme, guidelines, seed."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import Connection

from errorbar.judging.prepared import Prepared, per_transaction
from errorbar.judging.rules import Rules

_GET = Prepared("SELECT value FROM study WHERE name = :name")
_SET = Prepared(
    "INSERT INTO study (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)


def get_value(tx: Connection, name: str) -> str | None:
    """A value; None: there is none of that name."""
    row = _GET(tx, name=name).fetchone()
    return None if row is None else str(row[0])


def set_value(tx: Connection, name: str, value: str) -> None:
    """Write a value, over one that is there."""
    _SET(tx, name=name, value=value)
    per_transaction(tx).pop("rules", None)


def current_rules(tx: Connection) -> Rules:
    """The rules as they stand in this transaction; another process may have changed them since the last one."""
    known = per_transaction(tx)
    if "rules" not in known:
        text = get_value(tx, "rules")
        known["rules"] = Rules() if text is None else _parsed(text)
    found: Rules = known["rules"]
    return found


@lru_cache(maxsize=64)
def _parsed(text: str) -> Rules:
    return Rules.from_json(text)
