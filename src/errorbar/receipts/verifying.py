"""``errorbar.verify``: compute again what a receipt says, on the data at hand, and say what differs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.formats.look import Source
from errorbar.receipts.receipt import Receipt, environment, read_receipt, specs_of, task_values, versions
from errorbar.receipts.receipt_arguments import read_arguments
from errorbar.receipts.receipt_files import FoundFile, find, staged
from errorbar.receipts.receipt_task import read_task_record
from errorbar.receipts.receipt_values import Difference, compare_values, table_values
from errorbar.receipts.verified import OtherVersion, Verified
from errorbar.reporting.make import report
from errorbar.studies.door import public
from errorbar.tables.plain import Plain
from errorbar.tasks.running import run_task

_STATES = ("same", "changed", "pipe", "outside", "missing")
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
    files = [min(places, key=lambda each: _STATES.index(each.state)) for places in zip(*searches, strict=True)]
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
            what = f"no value was computed: {found[0]}{more}: {why}"
            return Problem("receipt-data", what, Place(folder), fix=fix)
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
