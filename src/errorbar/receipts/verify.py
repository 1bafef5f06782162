"""Compute the numbers of a receipt again, on the data at hand, and list the differences."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from errorbar.api.arguments import Count, public
from errorbar.core.problems import InputError, Place, Problem, UsageError
from errorbar.formats.look import Source
from errorbar.receipts.arguments import RecordedFile, find_files, read_arguments, read_task_record, stage_files
from errorbar.receipts.receipt import (
    DIGITS,
    Difference,
    Receipt,
    compare_values,
    environment,
    list_specs,
    read_receipt,
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
    """A version, or a feature of the computer, that has changed since the receipt was made."""

    name: str
    recorded: str
    here: str


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Result):
    """The comparison of a receipt with the data at hand.

    Attributes:
        receipt: The receipt's name.
        command: What was computed: ``report`` or ``task run``.
        files: Every file of the receipt, and whether it is there and the same.
        versions: Versions and environment that are different now; that alone is no failure.
        n_values: How many values the receipt has.
        differences: Values that differ now; None: nothing could be computed.
        n_near: How many values agree within the tolerance only, not to all recorded digits.
        n_beside: How many of the differences concern no value of the receipt: new values, and its metrics.
        hindrance: Why nothing could be computed, if so.
        notes: Warnings.
    """

    receipt: str
    command: str
    files: Sequence[RecordedFile]
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
    def other_files(self) -> list[RecordedFile]:
        """Files that are missing or changed."""
        return [file for file in self.files if file.state != "same"]

    def to_dict(self) -> dict[str, object]:
        """Everything, all differences among it."""
        differences = None if self.differences is None else [
            {"path": value.path, "recorded": value.recorded, "here": value.here} for value in self.differences
        ]  # fmt: skip
        return {
            "receipt": self.receipt,
            "command": self.command,
            "verified": self.good,
            "files": [
                {"name": file.record.name, "state": file.state, "recorded": file.record.sha256, "here": file.sha256}
                for file in self.files
            ],
            "versions": [
                {"what": version.name, "recorded": version.recorded, "here": version.here} for version in self.versions
            ],
            "values": self.n_values,
            "near": self.n_near,
            "differences": differences,
            "hindrance": None if self.hindrance is None else str(self.hindrance),
        }

    def __str__(self) -> str:
        """The sentences and tables, as the command prints them."""
        return "\n\n".join(filter(None, ("\n".join(self.sentences()), Result.__str__(self))))

    def sentences(self) -> list[str]:
        """The result in plain words."""
        n, others = len(self.files), self.other_files
        files = f"{n - len(others)} of {n} files are the same" if others else f"all {n} files are the same"
        sentences = [f"{self.receipt}: {files}; {self._numbers()}."]
        if self.versions:
            listed = ", ".join(
                f"{version.name} {version.recorded or '–'}, here {version.here or '–'}" for version in self.versions
            )
            sentences.append(f"Made elsewhere: {listed}.")
        return sentences

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
        tables = []
        if self.other_files:
            columns = [Column("file"), Column("now", key="state"), Column("recorded"), Column("here")]
            rows: list[list[Cell]] = [
                [file.record.name, _STATES.get(file.state, file.state), _short(file.record.sha256), _short(file.sha256)]
                for file in self.other_files[:MOST_SHOWN]
            ]
            title = "Files that are not those of the receipt"
            tables.append(Table(columns, rows, title, "files", _more(len(self.other_files))))
        if self.differences:
            columns = [Column("value"), Column("recorded"), Column("here")]
            shown = self.differences[:MOST_SHOWN]
            rows = [[value.path, _value_text(value.recorded), _value_text(value.here)] for value in shown]
            tables.append(Table(columns, rows, "Values that differ", "values", _more(len(self.differences))))
        return tables


def _more(number: int) -> list[str]:
    """The note of a table that shows the first of so many."""
    return [f"and {number - MOST_SHOWN:,} more, which JSON has"] if number > MOST_SHOWN else []


def _short(sha: str | None) -> str:
    return "" if sha is None else sha[:_SHORT]


def _value_text(value: Plain) -> str:
    """A value as the receipt has it; a dash where there is none."""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return "–" if value is None else str(value)


_STATE_ORDER = ("same", "changed", "pipe", "outside", "missing")
"""The states of a file in one of several folders, the best first."""


@public()
def verify(receipt: Source, *, data: Source | Sequence[Source] | None = None, jobs: Count = 1) -> Verification:
    """Recompute a receipt's numbers, and list differences: files, versions, numbers.

    Nothing is written but to a temporary folder, and no file is read but those that the receipt lists, in the folder
    of the data: a receipt may come from anybody.

    Args:
        receipt: The file that ``errorbar report`` or ``errorbar task run`` left beside its output.
        data: The folder that the names in the receipt start from, or in which its files are. Several can be given.
            None: the receipt's own.
        jobs: Number of processes to use; no digit depends on it.

    Raises:
        InputError: If it is no receipt, or leads out of the folder.
        UsageError: If ``data`` is no folder.
    """
    path = Path(receipt)
    record = read_receipt(path)
    named = [data] if isinstance(data, str | os.PathLike) else data or ()
    folders = [Path(folder) for folder in named] or [path.parent]
    for folder in folders:
        if not folder.is_dir():
            place = Place(str(folder))
            raise UsageError(Problem("no-such-file", "no such folder", place, fix="name the folder of the data"))
    searches = [find_files(record.files, folder, deep=bool(named)) for folder in folders]
    files = [min(places, key=lambda file: _STATE_ORDER.index(file.state)) for places in zip(*searches, strict=True)]
    if named:  # what is not there may stand beside the receipt
        files = [file if file.state != "missing" else find_files([file.record], path.parent)[0] for file in files]
    result = Verification(path.name, record.command, files, _other_versions(record), len(record.values), None)
    hindrance = _hindrance(files, ", ".join(map(str, folders)))
    if hindrance is not None:
        return replace(result, hindrance=hindrance)
    try:
        with TemporaryDirectory(prefix="errorbar-") as stage:
            stage_files(files, Path(stage))
            here, specs = _values(record, Path(stage), path, jobs)
    except InputError as error:
        if all(file.state == "same" for file in files):
            raise
        # What was changed cannot be read any more.
        return replace(result, hindrance=error.problems[0])
    different, near = compare_values(record.values, here)
    if list(record.specs) != list(specs):
        different.insert(0, Difference("specs", ", ".join(record.specs), ", ".join(specs)))
    beside = sum(value.path not in record.values for value in different)
    return replace(result, differences=different, n_near=near, n_beside=beside)


def _hindrance(files: Sequence[RecordedFile], folder: str) -> Problem | None:
    """Why nothing can be computed."""
    for state, why, fix in (
        ("pipe", "came through a pipe, which nobody can read again", "make a new receipt from files"),
        ("outside", "a link that leads out of the folder, to other data", "put the file in its place"),
        ("missing", "not in the folder", "--data=FOLDER names the one that it is in, and can be repeated"),
    ):
        names = [file.record.name for file in files if file.state == state]
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            message = f"no value was computed: {names[0]}{more}: {why}"
            return Problem("receipt-data", message, Place(folder), fix=fix)
    return None


def _values(receipt: Receipt, stage: Path, path: Path, jobs: int) -> tuple[dict[str, Plain], Sequence[str]]:
    """The values of today, by the public function of the command, and the metrics that they are of."""
    names = [file.name for file in receipt.files]
    try:
        if receipt.command == "task run":
            task = read_task_record(receipt.arguments, names, stage, path.name)
            return task_values(run_task(task, jobs=jobs, cache=stage / ".statistics")), task.metrics
        arguments = read_arguments(receipt.arguments, names, stage, path.name)
        page = report(**arguments, jobs=jobs)
        return table_values(page.report.blocks), list_specs(page.studies)
    except (InputError, UsageError) as error:
        kind = UsageError if isinstance(error, UsageError) else InputError
        raise kind([_strip_stage(problem, stage) for problem in error.problems]) from None


def _strip_stage(problem: Problem, stage: Path) -> Problem:
    """A problem that names files as the receipt does."""

    def shorten(text: str) -> str:
        return text.replace(f"{stage}{os.sep}", "").replace(str(stage), ".")

    place = Place(shorten(problem.place.file), problem.place.line)
    return replace(problem, what=shorten(problem.what), place=place, fix=shorten(problem.fix))


def _other_versions(receipt: Receipt) -> list[OtherVersion]:
    """Versions and environment that are not those of the receipt."""
    here: Mapping[str, object] = {**versions(receipt.arguments), **environment()}
    recorded: Mapping[str, object] = {**receipt.versions, **receipt.environment}
    return [
        OtherVersion(name, _text(recorded.get(name)), _text(here.get(name)))
        for name in dict.fromkeys([*recorded, *here])
        if recorded.get(name) != here.get(name)
    ]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None else str(value)
