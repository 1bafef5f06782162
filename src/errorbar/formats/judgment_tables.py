"""Any table of judgments: a row for each judgment, a column for each rater, or batch results; CSV, JSON lines, Parquet.

Every command that takes judgments reads them here, so that what one of them can read, all can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.json_text import NotJsonError, parse_json
from errorbar.formats.judgments import Repeats, read_seconds
from errorbar.formats.mturk import is_batch, read_batch, read_wide
from errorbar.formats.opening import Lines, Source
from errorbar.formats.parquet_file import is_parquet, parquet_names
from errorbar.formats.plain_judgments import read_judgments_fast

Layout = Literal["auto", "long", "wide", "batch"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
DELIMITERS = ",\t;"
_CORPUS_KEYS = frozenset(("format", "text", "annotations", "standoff"))


@dataclass(frozen=True, slots=True, eq=False)
class JudgmentTable:
    """Judgments and what came with them.

    Attributes:
        judgments: The judgments, in the order of the file.
        seconds: Time of each, NaN where it is not known; None: the file has no times, or none were asked for.
    """

    judgments: Judgments
    seconds: NDArray[np.float64] | None


def read_judgment_table(
    path: Source,
    problems: Problems,
    *,
    layout: Layout = "auto",
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] = (),
    repeats: Repeats = "keep",
) -> JudgmentTable:
    """Read a table of judgments in any layout.

    Args:
        path: A file that can be read more than once (``rereadable``).
        problems: Where problems and notes go.
        layout: ``long``: a row for each judgment; ``wide``: a row for each item and a column for each rater;
            ``batch``: results of Mechanical Turk; ``auto``: batch or long, by the header.
        columns: ``item``, ``rater``, ``label``, ``weight`` or ``seconds`` to the name that the file has for it.
        labels: Labels that get the first codes, in this order, whether or not they occur.
        repeats: What to do where a rater judged an item twice: ``refuse``, or ``keep`` both.

    Raises:
        InputError: If the file is bad.
        UsageError: If a column or the answer of a batch is not named as it must be.
        MissingExtraError: If the file is Parquet and pyarrow is not installed.
    """
    roles = dict(columns or {})
    if layout == "auto":
        layout = "batch" if is_batch(header(path)) else "long"
    if layout == "batch":
        answer, item = roles.pop("label", ""), roles.pop("item", "")
        batch = read_batch(path, problems, answer=answer, item=item, labels=labels)
        return JudgmentTable(batch.judgments, batch.seconds)
    if layout == "wide":
        return JudgmentTable(read_wide(path, problems, item=roles.get("item", "item"), labels=labels), None)
    timed = roles.pop("seconds", "")
    judgments = read_judgments_fast(
        path, problems, columns=roles, labels=labels, repeats=repeats, used=[timed] if timed else []
    )
    if not timed:
        return JudgmentTable(judgments, None)
    # What else is wrong with a row was said at the first reading; both leave out the same rows.
    again = Problems(lenient=problems.lenient)
    seconds = read_seconds(path, timed, again, columns=roles)
    problems.notes += [note for note in again.notes if note.code == "judgments-seconds"]
    return JudgmentTable(judgments, seconds)


def header(path: Source) -> list[str]:
    """The names of a table's columns; of JSON lines the keys of the first."""
    if is_parquet(path):
        return parquet_names(path)
    first = Lines(path, Problems(lenient=True)).peek()
    record = _record(first)
    if record is not None:
        return list(record)
    return [field.strip().strip('"') for field in first.split(max(DELIMITERS, key=first.count))]


def is_corpus(path: Source, *, told: bool = False) -> bool:
    """Whether a file is an annotated corpus and no table.

    Args:
        path: A file that can be read more than once.
        told: An option says that it is a table, so that JSON lines of whatever keys are one.

    Raises:
        InputError: If the file cannot be opened.
    """
    if is_parquet(path):
        return False
    first = Lines(path, Problems(lenient=True)).peek()
    if first == "S" or first.startswith(("S ", "A ", "<")):
        return True
    if first.lstrip().startswith("{"):
        record = _record(first)
        return not told and record is not None and "rater" not in record and bool(_CORPUS_KEYS & record.keys())
    return False


def _record(line: str) -> dict[str, object] | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        record = parse_json(line)
    except NotJsonError:
        return None  # the reader of tables says what is wrong
    return record if isinstance(record, dict) else None
