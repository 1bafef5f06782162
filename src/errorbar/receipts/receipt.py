"""A receipt: what was computed on which data by which versions, and every number of it."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from itertools import chain, count
from math import isclose, isfinite
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, SupportsFloat

from errorbar.api.corpus_results import CorpusStudy, HooStudy, Study
from errorbar.core.problems import InputError, Place, Problem, nearest, shorten_text
from errorbar.formats.look import cannot_open
from errorbar.formats.saving import receipt_name, save_lines
from errorbar.receipts.arguments import (
    DataFiles,
    DataRecord,
    broken_receipt,
    report_arguments,
    safe_name,
    task_arguments,
)
from errorbar.reporting.blocks import Block, Chart
from errorbar.reporting.export import MadeReport, today
from errorbar.tables.plain import Plain, plain
from errorbar.tables.table import Table
from errorbar.version import __version__

if TYPE_CHECKING:
    from errorbar.tasks.task_results import TaskResults

# The values of a receipt: every cell of a report's tables, every score of a task, each under a path of its own.
#
# Numbers are rounded to 12 significant digits, fractions as in JSON output. Compared are the rounded ones:
# equal, or apart by at most 1e-9 of the larger one (1e-12 where both are small): other processors and libraries add in
# another order. Fields in ``SOLVED`` end a search that a library's approximation steers: they are equal if apart by at
# most 1e-6, whole numbers among them by one. A text is a value if it is a verdict or all numbers, as ``18 / 33``.
# Signatures, which name versions and inputs, are no values; nor are warnings and sentences, which may quote data.


DIGITS = 12
TOLERANCE, SMALL = 1e-9, 1e-12
SOLVED = frozenset({"detectable_difference", "power_at_one_point", "units_needed_for_one_point"})
"""Fields of ``errorbar.stats.paired``: scipy 1.14 and 1.17 have noncentral t that differ from the eighth digit on."""
SOLVED_TOLERANCE = 1e-6
MOST = 1 << 63  # whole numbers are below it
ROUNDING = f"{DIGITS} significant digits"
_NO_VALUES = ("signature", "late", "submitted", "file", "errors")
_NO_TABLES = ("signature", "warnings")
"""How names of tables begin that hold no values."""
_VERDICTS = ("result", "group", "reason", "better_than", "undecided", "above")
_NUMBERS = re.compile(r"(?=\D*\d)[\d\s.,/%+–−-]+")
_TELLING = ("corpus", "team", "system", "run", "metric", "estimand", "name", "type", "row")
"""Keys by which records of a list are told apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not what it was; None on one side: it is not there."""

    path: str
    recorded: Plain
    here: Plain


def round_value(value: object) -> Plain:
    """A value as a receipt has it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if not isinstance(value, SupportsFloat):  # numpy's numbers are
        raise TypeError(f"{type(value).__name__} is no value of a receipt")
    number = float(f"{float(value):.{DIGITS}g}")
    return number if isfinite(number) else str(number)


def is_value(value: object) -> bool:
    """Whether a receipt can hold it: no list, no NaN, and no number that none other can be compared with."""
    if isinstance(value, int | float):
        return isfinite(value) if isinstance(value, float) else abs(value) < MOST
    return isinstance(value, str | None)


def table_values(blocks: Iterable[Block]) -> dict[str, Plain]:
    """Every cell of the tables of a report, those behind charts included: ``table/row/column`` to value."""
    values: dict[str, Plain] = {}
    for block in blocks:
        table = block.table if isinstance(block, Chart) else block
        if isinstance(table, Table) and not table.name.startswith(_NO_TABLES):
            for path, value in _cells(table):
                values.setdefault(path, value)
    return values


def _cells(table: Table) -> Iterator[tuple[str, Plain]]:
    columns = plain(table)
    naming, rows = _row_names(columns, len(table.rows))
    for key, cells in columns.items():
        if key in _NO_VALUES or key in naming:
            continue
        for row, cell in zip(rows, cells, strict=True):
            if not isinstance(cell, str) or (cell and key in _VERDICTS) or _NUMBERS.fullmatch(cell):
                yield f"{table.name}/{row}/{key}", round_value(cell)


def _row_names(columns: Mapping[str, Sequence[Plain]], n_rows: int) -> tuple[Sequence[str], list[str]]:
    """The columns that tell the rows of a table apart, as many of its first ones of text as it takes, and their names.

    Rows that no texts tell apart are numbered.
    """
    texts = [key for key, cells in columns.items() if key != "letter" and all(isinstance(cell, str) for cell in cells)]
    for k in range(1, len(texts) + 1):
        names = [", ".join(map(str, row)) for row in zip(*(columns[key] for key in texts[:k]), strict=True)]
        if len(set(names)) == n_rows:
            return texts[:k], names
    return (), [str(number) for number in range(1, n_rows + 1)]


def record_values(record: object) -> dict[str, Plain]:
    """Every value of a JSON document, records of a list under what tells them apart."""
    values: dict[str, Plain] = {}
    for path, value in _leaves(record, ""):
        names = chain([path], (f"{path} #{number}" for number in count(2)))
        values[next(name for name in names if name not in values)] = value
    return values


def _leaves(record: object, path: str) -> Iterator[tuple[str, Plain]]:
    if isinstance(record, Mapping):
        for key, value in record.items():
            if key not in _NO_VALUES and not (key in _TELLING and isinstance(value, str | int)):
                yield from _leaves(value, f"{path}/{key}" if path else str(key))
    elif isinstance(record, list | tuple):
        for number, item in enumerate(record, 1):
            yield from _leaves(item, f"{path}/{_record_name(item, number)}")
    else:
        yield path, round_value(record)


def _record_name(record: object, number: int) -> str:
    if isinstance(record, Mapping):
        names = [str(record[key]) for key in _TELLING if isinstance(record.get(key), str | int)]
        if names:
            return ", ".join(names)
    return str(number)


def digest(values: Mapping[str, Plain]) -> str:
    """SHA-256 of the values as JSON: keys sorted, no space, ASCII."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def compare_values(recorded: Mapping[str, Any], here: Mapping[str, Plain]) -> tuple[list[Difference], int]:
    """The differences, in the order of the receipt, and how many values are within the tolerance only.

    Where there is no value there may be no row either.
    """
    different: list[Difference] = []
    near = 0
    for path in dict.fromkeys([*recorded, *here]):
        before, now = recorded.get(path), here.get(path)
        if not _are_alike(before, now, solved=path.rpartition("/")[2] in SOLVED):
            different.append(Difference(path, before, now))
        else:
            near += before != now
    return different, near


def _are_alike(before: Plain, now: Plain, *, solved: bool) -> bool:
    numbers = [value for value in (before, now) if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == 2 and solved:
        whole = all(isinstance(number, int) for number in numbers)
        return isclose(*numbers, rel_tol=SOLVED_TOLERANCE, abs_tol=1 if whole else SMALL)
    if len(numbers) == 2:
        return isclose(*numbers, rel_tol=TOLERANCE, abs_tol=SMALL)
    return type(before) is type(now) and before == now


SCHEMA = "errorbar.receipt/1"
COMMANDS = ("report", "task run")
LARGEST = 1 << 26  # bytes of a receipt
LIBRARIES = ("numpy", "scipy")
OF_TEXTS = {"errant": ("errant", "spacy", "errorbar-en")}
"""Packages that make the edits of a metric."""
OF_MODELS = ("errorbar-models",)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A computation and its numbers.

    Attributes:
        command: ``report`` or ``task run``.
        arguments: What it was asked for, files under their names.
        files: Every file that was read.
        versions: Of errorbar, Python and the libraries that computed.
        environment: Kind of system and processor, and whether the compiled kernel was on.
        values: Every number and verdict, by its path.
        specs: What was computed, in full.
        date: When it was made.
    """

    command: str
    arguments: Mapping[str, Any]
    files: Sequence[DataRecord]
    versions: Mapping[str, str]
    environment: Mapping[str, str | bool]
    values: Mapping[str, Plain]
    specs: Sequence[str] = ()
    date: str = ""

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "schema": SCHEMA,
            "command": self.command,
            "date": self.date,
            "specs": list(self.specs),
            "seed": self.arguments.get("seed"),
            "arguments": dict(self.arguments),
            "files": [file.to_dict() for file in self.files],
            "versions": dict(self.versions),
            "environment": dict(self.environment),
            "results": {"rounding": ROUNDING, "sha256": digest(self.values), "values": dict(self.values)},
        }

    def text(self) -> str:
        """The JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=True, indent=1, allow_nan=False)

    def save(self, output: str) -> None:
        """Write it beside an output, whole or not at all."""
        save_lines([self.text()], receipt_name(output))

    def on_page(self, page: MadeReport, output: str) -> MadeReport:
        """The report with its receipt, which a page holds too."""
        name = Path(receipt_name(output)).name
        return replace(page, report=replace(page.report, receipt=(name, self.to_dict())))


def receipt_of_report(arguments: Mapping[str, Any], page: MadeReport, output: str) -> Receipt:
    """The receipt of a report that was made of arguments of ``errorbar.report`` and goes to a file."""
    files = DataFiles(Path(output).parent)
    recorded = report_arguments(arguments, files)
    return _receipt("report", recorded, files, table_values(page.report.blocks), list_specs(page.studies))


def receipt_of_task(results: TaskResults, output: str) -> Receipt:
    """The receipt of a task's scores that go to a file."""
    files = DataFiles(Path(output).parent)
    outputs = [run.submission for corpus in results.corpora for run in corpus.runs]
    arguments = task_arguments(results.task, files, outputs)
    return _receipt("task run", arguments, files, task_values(results), results.task.metrics)


def task_values(results: TaskResults) -> dict[str, Plain]:
    """The scores of every run, and what was wrong with those refused."""
    refused = {
        f"{corpus.corpus.name}/{run.submission.name}": ", ".join(sorted({problem.code for problem in run.problems}))
        for corpus in results.corpora
        for run in corpus.refused
    }
    corpora = [
        {name: value for name, value in corpus.to_dict().items() if name != "refused"} for corpus in results.corpora
    ]
    return record_values({"corpora": corpora, "refused": refused})


def list_specs(studies: Sequence[Study]) -> list[str]:
    """The metrics of a report, the main ones first."""
    specs: dict[str, None] = {}
    for study in studies:
        if isinstance(study, CorpusStudy):
            specs |= dict.fromkeys([str(study.metric.spec), *study.others])
        elif isinstance(study, HooStudy):
            specs |= dict.fromkeys(score.signature.spec for score in study.scores)
        else:
            specs |= dict.fromkeys(line.partition("|")[0] for line in study.signatures.values())
    return list(specs)


def _receipt(
    command: str,
    arguments: Mapping[str, Any],
    files: DataFiles,
    values: Mapping[str, Plain],
    specs: Sequence[str],
) -> Receipt:
    return Receipt(command, arguments, files.records, versions(arguments), environment(), values, specs, today())


def versions(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The versions of errorbar, Python and the libraries that these arguments need."""
    text = json.dumps(arguments, default=str)
    packages = [*LIBRARIES, *chain.from_iterable(needed for metric, needed in OF_TEXTS.items() if metric in text)]
    packages += OF_MODELS if '"made"' in text else ()
    numbers = {"errorbar": __version__, "python": platform.python_version()}
    for package in packages:
        try:
            numbers[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            numbers[package] = "not installed"
    return numbers


def environment() -> dict[str, str | bool]:
    """The kinds of system and processor; nothing that identifies the computer."""
    from errorbar.edits.matching import KERNEL  # noqa: PLC0415 - the kernel, once something is computed

    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "implementation": platform.python_implementation(),
        "kernel": bool(KERNEL),
    }


def read_receipt(path: str | Path) -> Receipt:
    """Read a receipt, without running anything in it or opening any file that it names.

    Raises:
        InputError: If the file is not a receipt, is of another version, or differs from what errorbar writes.
    """
    name = str(path)
    document = _document(Path(path), name)
    schema, command = document.get("schema"), document.get("command")
    if schema != SCHEMA:
        if isinstance(schema, str) and schema.startswith("errorbar.receipt/"):
            message = f"this is a receipt of another version, {schema}"
            fix = "verify it with the errorbar that made it"
            raise InputError(Problem("receipt-version", message, Place(name), SCHEMA, fix))
        raise broken_receipt("this is not a receipt", name, f'JSON with "schema": "{SCHEMA}"')
    if command not in COMMANDS:
        message = f"the command {command!r} leaves no receipt"
        raise InputError(Problem("receipt-command", message, Place(name), fix=nearest(command, COMMANDS)))
    results = _part("results", document, name)
    values = _part("values", results, name)
    arguments, made_by, made_on = (_part(part, document, name) for part in ("arguments", "versions", "environment"))
    if not all(is_value(value) for value in values.values()):
        raise broken_receipt("a value is neither a number nor a text", name)
    specs = document.get("specs")
    if not isinstance(specs, list) or not all(isinstance(spec, str) for spec in specs):
        raise broken_receipt("the metrics must be texts", name)
    # People and programs read the hash and the seed outside of what is computed from, so both must agree.
    if results.get("sha256") != digest(values):
        raise broken_receipt("the values do not match their sha256", name)
    if document.get("seed") != arguments.get("seed"):
        raise broken_receipt("the seed is not the one in the arguments", name)
    return Receipt(
        command,
        arguments,
        list(_files(document.get("files"), name)),
        {key: str(value) for key, value in made_by.items()},
        {key: value if isinstance(value, bool) else str(value) for key, value in made_on.items()},
        values,
        specs,
        str(document.get("date", "")),
    )


def _part(part: str, document: Mapping[str, Any], name: str) -> dict[str, Any]:
    content = document.get(part)
    if not isinstance(content, dict):
        raise broken_receipt(f"the receipt has no {part}", name)
    return content


def _document(path: Path, name: str) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(cannot_open(path, error)) from None
    if len(content) > LARGEST:
        raise broken_receipt(f"the file has more than {LARGEST:,} bytes", name)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        if content.lstrip()[:9].lower() == b"<!doctype":
            fix = "name the .receipt.json beside it, or save the one inside by the link at the end of the page"
            raise broken_receipt("this is a page, not its receipt", name, fix=fix) from None
        raise broken_receipt("this is not JSON", name) from None
    if not isinstance(document, dict):
        raise broken_receipt("this is not a receipt", name)
    return document


def _files(entries: object, name: str) -> Iterable[DataRecord]:
    if not isinstance(entries, list):
        raise broken_receipt("there is no list of files", name)
    seen = set()
    for entry in entries:
        fields = entry if isinstance(entry, dict) else {}
        file, sha256, size = fields.get("name"), fields.get("sha256"), fields.get("size")
        pipe = fields.get("pipe") is True
        if not safe_name(file) or file in seen:
            message = f"the name {shorten_text(repr(file))} leads out of the folder, stands twice, or is not portable"
            raise InputError(Problem("receipt-file", message, Place(name), "a path inside, such as data/gold.m2"))
        if not pipe and not (isinstance(sha256, str) and len(sha256) == 64 and isinstance(size, int)):
            raise broken_receipt(f"the file '{file}' has no hash or no size", name)
        seen.add(file)
        yield DataRecord(str(file), None if pipe else sha256, None if pipe else size)
    for file in seen:
        if any(str(parent) in seen for parent in PurePosixPath(str(file)).parents):
            raise broken_receipt(f"'{file}' lies in a file", name)
