"""A published number beside ours."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

HALF = 0.005
"""A number printed with two digits stands for anything that rounds to it; papers round halves either way."""
_ROUNDING = 1e-9


class Outcome(StrEnum):
    """What became of a cell."""

    MATCH = "match"
    KNOWN = "known difference"
    NOT_COMPUTABLE = "not computable"
    ADDED = "added"
    MISMATCH = "MISMATCH"


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a published table.

    Attributes:
        table: The table.
        row: Its row.
        column: Its column.
        published: The number printed there; None: the paper has none, and ours is added to its table.
        ours: What we computed, in the same unit; None where it cannot be computed.
        tolerance: How far ours may be from what the printed number stands for.
        known: Why it cannot be computed, may differ, or is added; a cell that has a reason never counts as a mismatch.
    """

    table: str
    row: str
    column: str
    published: float | None
    ours: float | None
    tolerance: float = HALF
    known: str = ""

    @property
    def difference(self) -> float | None:
        """Ours minus published."""
        return None if self.ours is None or self.published is None else self.ours - self.published

    @property
    def outcome(self) -> Outcome:
        """What became of the cell."""
        if self.published is None and self.ours is not None:
            return Outcome.ADDED
        if self.difference is not None and abs(self.difference) <= self.tolerance + _ROUNDING:
            return Outcome.MATCH
        if not self.known:
            return Outcome.MISMATCH
        return Outcome.NOT_COMPUTABLE if self.ours is None else Outcome.KNOWN


def published(table: str) -> Iterator[Mapping[str, str]]:
    """The rows of a published table, as transcribed from the paper."""
    text = files(__package__).joinpath("published", f"{table}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(io.StringIO(text))
