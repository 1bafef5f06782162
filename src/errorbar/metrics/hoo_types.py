"""Error codes of HOO and the 13 rows of table 8 that they are counted in.

The table is data (``core/inventories/hoo.json``: the row stands before the colon of a code's description) and can be
overridden code by code. Source: Dale & Kilgarriff 2011, table 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.inventories import inventory

OTHER = "Other"


@cache
def row_names() -> tuple[str, ...]:
    """The rows in the order of the table."""
    return tuple(dict.fromkeys(_table().values()))


def row_of(code: str, overrides: Mapping[str, str] | None = None) -> str:
    """The row an error code is counted in; ``Other`` for an unknown one."""
    if overrides and code in overrides:
        return overrides[code]
    return _table().get(code, OTHER)


def check_overrides(overrides: Mapping[str, str]) -> None:
    """See that every row of an override exists.

    Raises:
        UsageError: If one does not.
    """
    for code, row in overrides.items():
        if row not in row_names():
            what = f"type {code}: no row of the table is called '{row}'"
            raise UsageError(Problem("hoo-row", what, fix=nearest(row, row_names())))


def count_rows(codes: Iterable[str], overrides: Mapping[str, str] | None = None) -> dict[str, int]:
    """How many codes each row holds, rows in the order of the table."""
    counts = dict.fromkeys(row_names(), 0)
    for code in codes:
        counts[row_of(code, overrides)] += 1
    return counts


@cache
def _table() -> dict[str, str]:
    return {code: said.partition(":")[0] for code, said in inventory("hoo").types.items()}
