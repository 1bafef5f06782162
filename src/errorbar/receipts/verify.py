"""The result of ``verify``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from errorbar.api.arguments import public
from errorbar.core.problems import InputError, Place, Problem, UsageError
from errorbar.formats.look import Source
from errorbar.receipts.arguments import FoundFile, find, read_arguments, read_task_record, staged
from errorbar.receipts.receipt import (
    DIGITS,
    Difference,
    Receipt,
    compare_values,
    environment,
    read_receipt,
    specs_of,
    table_values,
    task_values,
    versions,
)
from errorbar.reporting.make import report
from errorbar.tables.plain import Plain
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.running import run_task

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
        """The result in plain words."""
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


# ``errorbar.verify``: compute again what a receipt says, on the data at hand, and say what differs.


_STATE_ORDER = ("same", "changed", "pipe", "outside", "missing")
"""What a file can be in one of several folders, the best first."""


@public()
def verify(receipt: Source, *, data: Source | Sequence[Source] | None = None, jobs: int = 1) -> Verified:
    """Recompute a receipt's numbers, and list differences: files, versions, numbers.

    Nothing is written but to a temporary folder, and no file is read but those that the receipt lists, in the folder
    of the data: a receipt may come from anybody.

    Args:
        receipt: The file that ``errorbar report`` or ``errorbar task run`` left beside its output.
        data: The folder that its names start from, or in which its files are somewhere, or several; None: that of the
            receipt.
        jobs: How many cores; changes no digit.

    Raises:
        InputError: If it is no receipt, or leads out of the folder.
        UsageError: If ``data`` is no folder.
    """
    path = Path(receipt)
    said = read_receipt(path)
    named = [data] if isinstance(data, str | os.PathLike) else data or ()
    folders = [Path(each) for each in named] or [path.parent]
    for folder in folders:
        if not folder.is_dir():
            place = Place(str(folder))
            raise UsageError(Problem("no-such-file", "no such folder", place, fix="name the folder of the data"))
    searches = [find(said.files, folder, deep=bool(named)) for folder in folders]
    files = [min(places, key=lambda each: _STATE_ORDER.index(each.state)) for places in zip(*searches, strict=True)]
    if named:  # what is not there may stand beside the receipt
        files = [each if each.state != "missing" else find([each.record], path.parent)[0] for each in files]
    others = _other_versions(said)
    hindrance = _hindrance(files, ", ".join(map(str, folders)))
    if hindrance is not None:
        return Verified(path.name, said.command, files, others, len(said.values), None, hindrance=hindrance)
    try:
        with TemporaryDirectory(prefix="errorbar-") as stage:
            staged(files, Path(stage))
            here, specs = _values(said, Path(stage), path, jobs)
    except InputError as error:
        if all(each.state == "same" for each in files):
            raise
        # What was changed cannot be read any more.
        return Verified(path.name, said.command, files, others, len(said.values), None, hindrance=error.problems[0])
    different, near = compare_values(said.values, here)
    if list(said.specs) != list(specs):
        different.insert(0, Difference("specs", ", ".join(said.specs), ", ".join(specs)))
    beside = sum(each.path not in said.values for each in different)
    return Verified(path.name, said.command, files, others, len(said.values), different, near, beside)


def _hindrance(files: Sequence[FoundFile], folder: str) -> Problem | None:
    """Why nothing can be computed."""
    for state, why, fix in (
        ("pipe", "came through a pipe, which nobody can read again", "make the receipt anew from files"),
        ("outside", "a link that leads out of the folder, to other data", "put the file in its place"),
        ("missing", "not in the folder", "--data=FOLDER names the one that it is in, and can be repeated"),
    ):
        found = [each.record.name for each in files if each.state == state]
        if found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            message = f"no value was computed: {found[0]}{more}: {why}"
            return Problem("receipt-data", message, Place(folder), fix=fix)
    return None


def _values(said: Receipt, stage: Path, path: Path, jobs: int) -> tuple[dict[str, Plain], Sequence[str]]:
    """The values of today, by the public function of the command, and the metrics that they are of."""
    names = [each.name for each in said.files]
    try:
        if said.command == "task run":
            task = read_task_record(said.arguments, names, stage, path.name)
            return task_values(run_task(task, jobs=jobs, cache=stage / ".statistics")), task.metrics
        arguments = read_arguments(said.arguments, names, stage, path.name)
        made = report(**arguments, jobs=jobs)
        return table_values(made.report.blocks), specs_of(made.studies)
    except (InputError, UsageError) as error:
        kind = UsageError if isinstance(error, UsageError) else InputError
        raise kind([_without_stage(each, stage) for each in error.problems]) from None


def _without_stage(problem: Problem, stage: Path) -> Problem:
    """A problem that names files as the receipt does."""

    def told(text: str) -> str:
        return text.replace(f"{stage}{os.sep}", "").replace(str(stage), ".")

    return replace(
        problem,
        what=told(problem.what),
        place=Place(told(problem.place.file), problem.place.line),
        fix=told(problem.fix),
    )


def _other_versions(said: Receipt) -> list[OtherVersion]:
    """Versions and environment that are not those of the receipt."""
    here: Mapping[str, object] = {**versions(said.arguments), **environment()}
    recorded: Mapping[str, object] = {**said.versions, **said.environment}
    return [
        OtherVersion(name, _text(recorded.get(name)), _text(here.get(name)))
        for name in dict.fromkeys([*recorded, *here])
        if recorded.get(name) != here.get(name)
    ]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None else str(value)
