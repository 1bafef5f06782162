"""What ``verify`` found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.core.errors import Problem
from errorbar.receipts.receipt_files import FoundFile
from errorbar.receipts.receipt_values import DIGITS, Difference
from errorbar.tables.plain import Plain
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

MOST_SHOWN = 20
"""Rows that a table shows; JSON has all."""
_SHORT = 12  # letters of a hash
_STATES = {"outside": "a link that leads out of the folder", "pipe": "came through a pipe"}


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """Something that is not what it was when the receipt was made."""

    what: str
    recorded: str
    here: str


@dataclass(frozen=True, slots=True, repr=False)
class Verified(Result):
    """A receipt beside the data at hand.

    Attributes:
        receipt: The receipt's name.
        command: What was computed: ``report`` or ``task run``.
        files: Every file of the receipt, and whether it is there and the same.
        versions: Versions and environment that are others now; they alone are no failure.
        n_values: How many values the receipt has.
        differences: Values that are others now; None: nothing could be computed.
        n_near: Values that agree within the tolerance and not to all recorded digits.
        n_beside: How many of the differences are in no value of the receipt: those that are new, and its metrics.
        hindrance: Why nothing could be computed, if so.
        notes: Warnings.
    """

    receipt: str
    command: str
    files: Sequence[FoundFile]
    versions: Sequence[OtherVersion]
    n_values: int
    differences: Sequence[Difference] | None
    n_near: int = 0
    n_beside: int = 0
    hindrance: Problem | None = None
    notes: Sequence[Problem] = ()

    @property
    def good(self) -> bool:
        """Whether every file is the same and every number was computed again."""
        return self.differences is not None and not self.differences and not self.other_files

    @property
    def other_files(self) -> list[FoundFile]:
        """Files that are missing or changed."""
        return [each for each in self.files if each.state != "same"]

    def to_dict(self) -> dict[str, object]:
        """Everything, all differences among it."""
        found = None if self.differences is None else [
            {"path": each.path, "recorded": each.recorded, "here": each.here} for each in self.differences
        ]  # fmt: skip
        return {
            "receipt": self.receipt,
            "command": self.command,
            "verified": self.good,
            "files": [
                {"name": each.record.name, "state": each.state, "recorded": each.record.sha256, "here": each.sha256}
                for each in self.files
            ],
            "versions": [{"what": each.what, "recorded": each.recorded, "here": each.here} for each in self.versions],
            "values": self.n_values,
            "near": self.n_near,
            "differences": found,
            "hindrance": None if self.hindrance is None else str(self.hindrance),
        }

    def sentences(self) -> list[str]:
        """What was found, in plain words."""
        n, others = len(self.files), self.other_files
        files = f"{n - len(others)} of {n} files are the same" if others else f"all {n} files are the same"
        said = [f"{self.receipt}: {files}; {self._numbers()}."]
        if self.versions:
            listed = ", ".join(f"{each.what} {each.recorded or '–'}, here {each.here or '–'}" for each in self.versions)
            said.append(f"Made elsewhere: {listed}.")
        return said

    def _numbers(self) -> str:
        if self.differences is None:
            return "no value was computed again"
        if self.differences:
            n = len(self.differences)
            if self.n_beside:
                return f"{n:,} differences, {self.n_beside:,} of them beside the receipt's {self.n_values:,} values"
            return f"{n:,} of {self.n_values:,} values differ"
        near = f", {self.n_near:,} of them within the tolerance only" if self.n_near else ""
        return f"all {self.n_values:,} values are the same to {DIGITS} digits{near}"

    def tables(self) -> Sequence[Table]:
        """Files that differ, then values that do."""
        made = []
        if self.other_files:
            columns = [Column("file"), Column("now", key="state"), Column("recorded"), Column("here")]
            rows: list[list[Cell]] = [
                [each.record.name, _STATES.get(each.state, each.state), _short(each.record.sha256), _short(each.sha256)]
                for each in self.other_files[:MOST_SHOWN]
            ]
            title = "Files that are not those of the receipt"
            made.append(Table(columns, rows, title, "files", _more(len(self.other_files))))
        if self.differences:
            columns = [Column("value"), Column("recorded"), Column("here")]
            rows = [[each.path, _said(each.recorded), _said(each.here)] for each in self.differences[:MOST_SHOWN]]
            made.append(Table(columns, rows, "Values that differ", "values", _more(len(self.differences))))
        return made


def _more(number: int) -> list[str]:
    """The note of a table that shows the first of so many."""
    return [f"and {number - MOST_SHOWN:,} more, which JSON has"] if number > MOST_SHOWN else []


def _short(sha: str | None) -> str:
    return "" if sha is None else sha[:_SHORT]


def _said(value: Plain) -> str:
    """A value as the receipt has it; a dash where there is none."""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return "–" if value is None else str(value)
