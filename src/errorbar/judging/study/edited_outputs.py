"""Edited outputs of systems as own references of each system, and the time that each took.

Conventions
    Each rater is an editor, named by their pseudonym. A corpus of references has every sentence that was asked about,
    in the order of the source. An editor who could not save an output, or skipped it, or never got it has no reference
    for the sentence. Empty sentences of the source are of no item; they are there, so that the others keep their
    numbers. Edits are made of texts, as everywhere (``edits.texts.extract_edits``).
    Seconds are those for which the page was shown and had the focus. An output that could not be saved took its time
    too. An answer that was changed counts with the time of the version that stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection

from errorbar.core.corpus import Sentence
from errorbar.core.csv_cells import csv_line
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.edits.texts import extract_edits
from errorbar.formats.jsonl import write_jsonl
from errorbar.formats.saving import is_stream, save_lines
from errorbar.formats.times import COLUMNS
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.post_edit_kind import rater_text
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.study.adjudication import exported_rows
from errorbar.judging.study.rows import JudgmentRow, Part, rows
from errorbar.judging.study.rules import StudyInfo

TIMES = "times.csv"


def save_references(tx: Connection, about: StudyInfo, folder: str, include: Sequence[Part], problems: Problems) -> int:
    """Write a JSONL corpus of references for each system, and the table of times, into a folder.

    Args:
        tx: A snapshot of the store.
        about: The study.
        folder: That gets ``SYSTEM.jsonl`` and ``times.csv``; it is made.
        include: Judgments that do not count otherwise.
        problems: Where notes go.

    Returns:
        How many references there are.

    Raises:
        UsageError: If raters edit no outputs, or the name of a system cannot be that of a file.
        InputError: If a file cannot be written.
    """
    scheme = about.scheme
    if not kind_of(scheme).edits_systems:
        message = f"references are of systems' outputs that were edited, and the scheme is {scheme.name}"
        raise UsageError(Problem("judge-export-kind", message, fix="--to=csv"))
    if is_stream(folder):
        message = "references are several files"
        raise UsageError(Problem("judge-export-kind", message, fix="name a folder: --output own"))
    items = [JudgedItem.from_json(row.payload) for row in rows(tx, "SELECT payload FROM item ORDER BY id")]
    work = [item for item in items if item.kind == "work"]
    systems = list(dict.fromkeys(item.names[0] for item in work))
    if bad := [name for name in systems if Path(name).name != name or name == Path(TIMES).stem]:
        message = f"a file cannot be called after the system '{bad[0]}'"
        raise UsageError(
            Problem("judge-export-kind", message, fix="make the study with another name: --system=NAME=FILE")
        )
    judgments = [row for row in exported_rows(tx, about, include) if row.answer is not None and row.item.kind == "work"]
    editors = [row.name for row in rows(tx, "SELECT name FROM rater ORDER BY id")]
    Path(folder).mkdir(parents=True, exist_ok=True)
    n = n_unsaved = 0
    for system in systems:
        own = [row for row in judgments if row.item.names[0] == system]
        sentences = _sentences(work, system)
        for row in own:
            reference = rater_text(scheme, row.item, row.label(scheme), row.answer or {})
            if reference is None:
                n_unsaved += 1
                continue
            sentence = sentences[int(row.item.hidden["sentence"])]
            sentence.annotations[row.rater] = tuple(extract_edits(sentence.tokens, reference.split()))
            n += 1
        present = {row.rater for row in own}
        names = [editor for editor in editors if editor in present]
        save_lines(write_jsonl(_in_order(sentences), problems, names), str(Path(folder) / f"{system}.jsonl"))
    save_lines(_time_lines(judgments), str(Path(folder) / TIMES))
    if n_unsaved:
        message = f"{n_unsaved:,} outputs could not be saved by their editors, and have no reference of theirs"
        problems.note("judge-unsaved", message, Place(folder), "--to=csv has every answer")
    return n


def _sentences(work: Iterable[JudgedItem], system: str) -> dict[int, Sentence]:
    """The sentences of which a system's outputs are edited, by their number from 1."""
    return {
        int(item.hidden["sentence"]): Sentence(" ".join(item.text.split()), document=item.hidden.get("document", ""))
        for item in work
        if item.names[0] == system
    }


def _in_order(sentences: dict[int, Sentence]) -> Iterator[Sentence]:
    """All sentences, those that were empty too."""
    for number in range(1, max(sentences, default=0) + 1):
        yield sentences.get(number, Sentence(""))


def _time_lines(given: Iterable[JudgmentRow]) -> Iterator[str]:
    """CSV: system, editor, sentence, seconds; what has no time is left out."""
    yield csv_line(COLUMNS)
    for row in given:
        if row.seconds and row.round == "main":
            yield csv_line([row.item.names[0], row.rater, row.item.hidden["sentence"], f"{row.seconds:.3f}"])
