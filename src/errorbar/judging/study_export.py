"""``judge_export``: a study's judgments as files, of one moment, the same bytes whenever nothing has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Literal, get_args

from sqlalchemy import Connection

from errorbar.core.errors import Problem, UsageError, nearest, unknown_ending, visible_json
from errorbar.core.problems import Problems
from errorbar.formats.m2_file import write_m2
from errorbar.formats.saving import STANDARD_OUTPUT, is_stream, save_lines
from errorbar.judging.about import read_about
from errorbar.judging.corrections import corrected_sentences
from errorbar.judging.export_rows import PARTS, Part, judgment_rows, pair_lines, set_lines, table_lines
from errorbar.judging.halting import judgments_beyond
from errorbar.judging.study_folder import Study
from errorbar.judging.study_records import rows, study_records
from errorbar.studies.door import public
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

To = Literal["csv", "jsonl", "pairs", "set", "m2"]
KINDS: tuple[To, ...] = get_args(To)
NONE_YET = "judge-no-judgments"
"""Said of a file in which there is nothing yet."""
_ENDINGS: dict[str, To] = {".csv": "csv", ".jsonl": "jsonl", ".m2": "m2"}


@dataclass(frozen=True, slots=True, repr=False)
class JudgeExport(Result):
    """What was written.

    Attributes:
        out: The file.
        to: What it holds.
        n_lines: Lines of it.
        notes: Warnings.
    """

    out: str
    to: To
    n_lines: int
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The same."""
        return {"file": self.out, "kind": self.to, "lines": self.n_lines}

    def tables(self) -> list[Table]:
        """One row."""
        return [Table([Column("file"), Column("kind"), Column("lines", "count")], [[self.out, self.to, self.n_lines]])]


@public()
def judge_export(
    study: str | PathLike[str] | Study,
    out: str | PathLike[str] = STANDARD_OUTPUT,
    *,
    to: To | None = None,
    include: Part | Sequence[Part] = (),
) -> JudgeExport:
    """Write a study's judgments, of one moment of its store; raters are named by pseudonym.

    Args:
        study: Its folder.
        out: The file, gzipped where it ends in ``.gz``; ``-``: standard output.
        to: ``csv``: a row for each judgment, for ``crowd``, ``agree``, ``curve`` and ``sample estimate``; ``jsonl``:
            everything, events too, of which ``judge_init`` restores the study; ``pairs``: for ``rank``; ``set``: as
            ``sample draw`` wrote it; ``m2``: raters' corrections. None: by the ending of ``out``:
            .csv, .jsonl or .m2; a stream gets CSV.
        include: Of tables, what else: ``extra``, ``excluded``, ``repeats``, ``gold``, ``quiz``, ``skipped``; of a study
            that may stop early, ``beyond``: judgments of items on which its estimate does not rest.

    Raises:
        InputError: If there is no study, or the file cannot be written; then nothing is.
        UsageError: If the study has nothing of the kind.
    """
    opened = Study.open(study)
    target = fspath(out)
    kind: To = to or _by_ending(target)
    parts: tuple[Part, ...] = (include,) if isinstance(include, str) else tuple(include)
    for part in parts:
        if part not in PARTS:
            what = f"--include must be one of {', '.join(PARTS)}, got '{part}'"
            raise UsageError(Problem("bad-parameter", what, fix=nearest(part, PARTS)))
    if kind == "jsonl" and parts:
        what = "--include is for tables, and JSONL holds everything"
        raise UsageError(Problem("useless-option", what, fix="leave it out"))
    problems, n = Problems(), 0

    def counted(lines: Iterator[str]) -> Iterator[str]:
        nonlocal n
        for n, line in enumerate(lines, 1):  # noqa: B007 - is told afterwards
            yield line

    with opened.snapshot() as tx:
        save_lines(counted(_lines(tx, kind, parts, problems)), target)
        beyond = 0 if kind == "jsonl" or "beyond" in parts else judgments_beyond(tx)
    if beyond:
        what = f"{beyond:,} judgments are left out: the estimate of the study's question does not rest on their items"
        problems.notes.append(Problem("judge-beyond", what, fix="--include=beyond writes them too", severity="warning"))
    if n <= 1 and kind != "jsonl":
        what = "no judgment has been given so far"
        problems.notes.append(Problem(NONE_YET, what, severity="warning"))
    return JudgeExport(target, kind, n, tuple(problems.notes))


def _by_ending(target: str) -> To:
    """What the name of a file says it is to be; a pipe's or a device's says nothing and gets CSV."""
    name = target.lower().removesuffix(".gz")
    found = next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), None)
    if found is None and not is_stream(target):
        raise unknown_ending(target, tuple(_ENDINGS), f"--to={'|'.join(KINDS)}")
    return found or "csv"


def _lines(tx: Connection, kind: To, include: Sequence[Part], problems: Problems) -> Iterator[str]:
    scheme = read_about(tx).scheme
    if kind == "jsonl":
        return (visible_json(json.dumps(record, ensure_ascii=False)) for record in study_records(tx))
    if kind == "m2":
        raters = [row.name for row in rows(tx, "SELECT name FROM rater ORDER BY id")]
        return write_m2(corrected_sentences(judgment_rows(tx, include), scheme, problems), problems, raters)
    make = {"csv": table_lines, "pairs": pair_lines, "set": set_lines}[kind]
    return make(tx, scheme, include)
