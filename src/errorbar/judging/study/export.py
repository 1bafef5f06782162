"""``judge_export``: a study's judgments as files, and the corrections of raters as edits of a corpus.

Conventions
    Every rater is an annotator, who looked at the sentences of the items they judged. A sentence is what items have as
    their text. In a cloze test the edit is the rater's words, in order of preference, unless the first is the writer's
    own; in a choice test the candidate that was preferred to the writer's, who preferred one of two systems' said
    nothing of it; in the preposition scheme the prepositions that are named for an incorrect one, none for an
    extraneous one, and optional ones where another is as good. What a rater wrote for one span in several items are
    alternatives; of edits that overlap the first in the text is kept, as M2 holds no others, and a note says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from os import PathLike, fspath
from typing import Any, Literal, get_args

from sqlalchemy import Connection

from errorbar.api.arguments import public
from errorbar.core.corpus import Sentence
from errorbar.core.edit import Edit
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest, unknown_ending, visible_json
from errorbar.edits.texts import extract_edits, overlaps
from errorbar.formats.m2 import write_m2
from errorbar.formats.saving import STANDARD_OUTPUT, is_stream, save_lines
from errorbar.judging.protocol.halting import judgments_beyond
from errorbar.judging.scheme import Scheme, tokens
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.study.edited_outputs import save_references
from errorbar.judging.study.folder import Study
from errorbar.judging.study.rows import (
    PARTS,
    JudgmentRow,
    Part,
    judgment_rows,
    pair_lines,
    rows,
    set_lines,
    study_records,
    table_lines,
)
from errorbar.judging.study.rules import read_about
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table


def corrected_sentences(rows: Iterable[JudgmentRow], scheme: Scheme, problems: Problems) -> list[Sentence]:
    """The sentences in order of appearance, with each rater's edits; a note says what was left out.

    Raises:
        UsageError: If the scheme asks for no corrections.
    """
    kind = kind_of(scheme)
    if not kind.gives_corrections(scheme):
        message = f"the scheme {scheme.name} asks for no corrections"
        raise UsageError(Problem("judge-export-kind", message, fix="--to=csv"))
    sentences: dict[tuple[str, str, str], Sentence] = {}
    edits_by_rater: dict[tuple[str, str, str], dict[str, list[Edit]]] = {}
    for row in rows:
        if row.answer is None or not kind.is_about_writer(row.item):
            continue
        text, hidden = row.item.text, row.item.hidden
        document = hidden.get("document", "")
        key = hidden.get("sentence", ""), document, text
        sentences.setdefault(key, Sentence(" ".join(text.split()), document=document))
        edits_by_rater.setdefault(key, {}).setdefault(row.rater, []).extend(_edits(row, scheme, row.answer))
    n_left = 0
    for key, sentence in sentences.items():
        for rater, edits in edits_by_rater[key].items():
            kept = _apart_from_each_other(edits)
            n_left += len({edit.span for edit in edits}) - len(kept)
            sentence.annotations[rater] = kept
    if n_left:
        overlap_phrase = "1 correction overlaps" if n_left == 1 else f"{n_left:,} corrections overlap"
        message = f"{overlap_phrase} another of the same rater; M2 has the first in the text"
        problems.note("judge-overlap", message, Place(), "--to=csv has every answer")
    return [*sentences.values()]


def _apart_from_each_other(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """One edit for each span, with everything that was said for it, in text order; the first of those that overlap."""
    kept: list[Edit] = []
    for _, alike in groupby(sorted(edits, key=lambda edit: edit.span), key=lambda edit: edit.span):
        first, *others = alike
        if kept and overlaps(first, kept[-1]):
            continue
        every = [text for edit in (first, *others) for text in edit.replacements]
        optional = first.optional and all(edit.optional for edit in others)
        kept.append(first._replace(replacements=tuple(dict.fromkeys(every)), optional=optional))
    return tuple(kept)


def _edits(row: JudgmentRow, scheme: Scheme, answer: Mapping[str, Any]) -> list[Edit]:
    item, label = row.item, row.label(scheme)
    start, end = item.span or (0, len(item.text))
    texts, optional = kind_of(scheme).corrections(scheme, item, label, answer)
    if not texts:
        return []
    if kind_of(scheme).edits_systems:
        return extract_edits(item.text.split(), texts[0].split())
    words_of = item.text[:start], item.text[end:]
    first, last, before, after = _around(item.text, start, end)
    replacements = [" ".join(f"{before}{_apart(text, words_of)}{after}".split()) for text in texts]
    return [Edit(first, last, tuple(dict.fromkeys(replacements)), optional=optional)]


def _apart(word: str, around: tuple[str, str]) -> str:
    """A word with spaces where the text around it has some."""
    left, right = around
    return f"{' ' if left[-1:].isspace() or not left else ''}{word}{' ' if right[:1].isspace() or not right else ''}"


def _around(text: str, start: int, end: int) -> tuple[int, int, str, str]:
    """The tokens that a span lies in, and what of these stands before and after it."""
    spans = tokens(text)
    if start == end and not any(left < start < right for left, right in spans):
        at = sum(left < start for left, _ in spans)
        return at, at, "", ""
    first = sum(right <= start for _, right in spans)
    last = sum(left < end for left, _ in spans)
    inside = spans[first:last]
    return first, last, text[inside[0][0] : start] if inside else "", text[end : inside[-1][1]] if inside else ""


# ``judge_export``: a study's judgments as files, of one moment, the same bytes whenever nothing has changed.


To = Literal["csv", "jsonl", "pairs", "set", "m2", "references"]
KINDS: tuple[To, ...] = get_args(To)
NONE_YET = "judge-no-judgments"
"""Said of a file in which there is nothing yet."""
_ENDINGS: dict[str, To] = {".csv": "csv", ".jsonl": "jsonl", ".m2": "m2"}


@dataclass(frozen=True, slots=True, repr=False)
class JudgeExport(Result):
    """The files that were written.

    Attributes:
        out: The file.
        to: What it holds.
        n_lines: Lines of it; of references how many there are.
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
        out: The file to write, gzipped where it ends in ``.gz``; ``-``: standard output.
        to: What to write: csv: a row for each judgment, for crowd, agree, curve and sample estimate; jsonl: everything,
            events too, of which judge init restores the study; pairs: for rank; set: as sample draw wrote it; m2:
            raters' corrections; references: of systems' outputs that were edited, into a folder, a corpus for each
            system and the editors' times. None: by the ending of the file, .csv, .jsonl or .m2; a stream gets CSV.
        include: Of tables, judgments that do not count otherwise; ``beyond``: of a study that may stop early, those of
            items on which its estimate does not rest.

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
            message = f"--include must be one of {', '.join(PARTS)}, got '{part}'"
            raise UsageError(Problem("bad-parameter", message, fix=nearest(part, PARTS)))
    if kind == "jsonl" and parts:
        message = "--include is for tables, and JSONL holds everything"
        raise UsageError(Problem("useless-option", message, fix="leave it out"))
    problems, n = Problems(), 0

    def counted(lines: Iterator[str]) -> Iterator[str]:
        nonlocal n
        for n, line in enumerate(lines, 1):  # noqa: B007 - is told afterwards
            yield line

    with opened.snapshot() as tx:
        if kind == "references":
            n = save_references(tx, read_about(tx).scheme, target, parts, problems)
        else:
            save_lines(counted(_lines(tx, kind, parts, problems)), target)
        beyond = 0 if kind == "jsonl" or "beyond" in parts else judgments_beyond(tx)
    if beyond:
        message = (
            f"{beyond:,} judgments are left out: the estimate of the study's question does not rest on their items"
        )
        problems.notes.append(
            Problem("judge-beyond", message, fix="--include=beyond writes them too", severity="warning")
        )
    if n <= (kind != "references") and kind != "jsonl":
        message = "no judgment has been given so far"
        problems.notes.append(Problem(NONE_YET, message, severity="warning"))
    return JudgeExport(target, kind, n, tuple(problems.notes))


def _by_ending(target: str) -> To:
    """The format by the name of a file; a pipe or a device gets CSV."""
    name = target.lower().removesuffix(".gz")
    file_format = next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), None)
    if file_format is None and not is_stream(target):
        raise unknown_ending(target, tuple(_ENDINGS), f"--to={'|'.join(KINDS)}")
    return file_format or "csv"


def _lines(tx: Connection, kind: To, include: Sequence[Part], problems: Problems) -> Iterator[str]:
    scheme = read_about(tx).scheme
    if kind == "jsonl":
        return (visible_json(json.dumps(record, ensure_ascii=False)) for record in study_records(tx))
    if kind == "m2":
        raters = [row.name for row in rows(tx, "SELECT name FROM rater ORDER BY id")]
        return write_m2(corrected_sentences(judgment_rows(tx, include), scheme, problems), problems, raters)
    make = {"csv": table_lines, "pairs": pair_lines, "set": set_lines}[kind]
    return make(tx, scheme, include)
