"""``judge_export``: a study's judgments as files, and the corrections of raters as edits of a corpus.

Conventions
    Every rater is an annotator, who looked at the sentences of the items they judged. A sentence is what items have as
    their text. In a cloze test the edit is the rater's words, in order of preference, unless the first is the writer's
    own; in a choice test the candidate that was preferred to the writer's, who preferred one of two systems' said
    nothing of it; in the preposition scheme the prepositions that are named for an incorrect one, none for an
    extraneous one, and optional ones where another is as good. What a rater wrote for one span in several items are
    alternatives; of edits that overlap the first in the text is kept, as M2 holds no others, and a note says so.
    In the scheme ``edits`` they are the rater's own, and sentences that nobody looked at are there too, so that the
    file is parallel to the corpus that was judged.

Edited outputs of systems as own references of each system, and the time that each took.

Conventions
    Each rater is an editor, named by their pseudonym. A corpus of references has every sentence that was asked about,
    in the order of the source. An editor who could not save an output, or skipped it, or never got it has no reference
    for the sentence. Empty sentences of the source are of no item; they are there, so that the others keep their
    numbers. Edits are made of texts, as everywhere (``edits.texts.extract_edits``).
    Seconds are those for which the page was shown and had the focus. An output that could not be saved took its time
    too. An answer that was changed counts with the time of the version that stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from os import PathLike, fspath
from pathlib import Path
from typing import Literal, get_args

from sqlalchemy import Connection

from errorbar.api.arguments import public
from errorbar.core.corpus import Sentence
from errorbar.core.csv_cells import csv_line
from errorbar.core.edit import Edit
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest, unknown_ending, visible_json
from errorbar.edits.texts import extract_edits, overlaps
from errorbar.formats.hoo import save_fragments, sentences_fragments
from errorbar.formats.jsonl import write_jsonl
from errorbar.formats.m2 import write_m2
from errorbar.formats.saving import STANDARD_OUTPUT, is_stream, save_lines
from errorbar.formats.times import COLUMNS
from errorbar.judging.protocol.changes import judgments_beyond
from errorbar.judging.protocol.exclusions import read_leaving_note
from errorbar.judging.scheme import JudgedItem, Scheme
from errorbar.judging.scheme_kinds import SchemeKind, kind_of, rater_text
from errorbar.judging.study.adjudication import exported_annotators, exported_rows
from errorbar.judging.study.folder import LEDGER, Study
from errorbar.judging.study.model_lane import lane_rows
from errorbar.judging.study.raters import no_rater_error
from errorbar.judging.study.rows import (
    PARTS,
    JudgmentRow,
    Part,
    pair_lines,
    ranking_lines,
    rows,
    set_lines,
    study_records,
    table_lines,
)
from errorbar.judging.study.rules import StudyInfo, read_about
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

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


def corrected_sentences(
    rows: Iterable[JudgmentRow], scheme: Scheme, problems: Problems, items: Iterable[JudgedItem] = ()
) -> list[Sentence]:
    """The sentences in order of appearance, with each rater's edits; a note says what was left out.

    Where raters correct whole sentences, those of all ``items`` are there, also of items that nobody answered.

    Raises:
        UsageError: If the scheme asks for no corrections.
    """
    kind = kind_of(scheme)
    if not kind.gives_corrections(scheme):
        message = f"the scheme {scheme.name} asks for no corrections"
        raise UsageError(Problem("judge-export-kind", message, fix="--to=csv"))
    sentences = {_key(item, kind): _sentence(item) for item in items if kind.corrects_sentences}
    edits_by_rater: dict[tuple[str, ...], dict[str, list[Edit]]] = {}
    for row in rows:
        if row.answer is None or not kind.is_about_writer(row.item):
            continue
        key = _key(row.item, kind)
        sentences.setdefault(key, _sentence(row.item))
        edits = kind.edits(scheme, row.item, row.label(scheme), row.answer)
        by_rater = edits_by_rater.setdefault(key, {})
        if kind.corrects_sentences:  # an answer is all of a rater's edits: of a repeated item the first counts
            by_rater.setdefault(row.rater, edits)
        else:
            by_rater.setdefault(row.rater, []).extend(edits)
    n_left = 0
    for key, sentence in sentences.items():
        for rater, edits in edits_by_rater.get(key, {}).items():
            kept = tuple(edits) if kind.corrects_sentences else _apart_from_each_other(edits)
            n_left += max(len({edit.span for edit in edits}) - len(kept), 0)
            sentence.annotations[rater] = kept
    if n_left:
        overlap_phrase = "1 correction overlaps" if n_left == 1 else f"{n_left:,} corrections overlap"
        message = f"{overlap_phrase} another of the same rater; M2 has the first in the text"
        problems.note("judge-overlap", message, Place(), "--to=csv has every answer")
    return [*sentences.values()]


def _key(item: JudgedItem, kind: SchemeKind) -> tuple[str, ...]:
    """Items of one sentence have one key."""
    if kind.corrects_sentences:
        return (item.name,)
    return item.hidden.get("sentence", ""), item.hidden.get("document", ""), item.text


def _sentence(item: JudgedItem) -> Sentence:
    return Sentence(" ".join(item.text.split()), document=item.hidden.get("document", ""))


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


# ``judge_export``: a study's judgments as files, of one moment, the same bytes whenever nothing has changed.


To = Literal["csv", "jsonl", "pairs", "set", "xml", "ranks", "m2", "corpus", "hoo", "references"]
KINDS: tuple[To, ...] = get_args(To)
CORRECTIONS: tuple[To, ...] = ("m2", "corpus", "hoo")
"""What holds raters' corrections as edits."""
WithModels = Literal["none", "only", "beside"]
OF_MODELS: dict[str, tuple[To, ...]] = {"only": ("csv", "pairs", "set", "xml", "ranks"), "beside": ("csv",)}
"""The kinds of files in which judgments of models can be."""
NONE_YET = "judge-no-judgments"
"""Said of a file in which there is nothing yet."""
_NONE_GIVEN = Problem(NONE_YET, "no judgment has been given so far", severity="warning")
_ENDINGS: dict[str, To] = {".csv": "csv", ".jsonl": "jsonl", ".m2": "m2", ".xml": "hoo"}


@dataclass(frozen=True, slots=True, repr=False)
class JudgeExport(Result):
    """The files that were written.

    Attributes:
        out: The file.
        to: What it holds.
        n_lines: Lines of it; of HOO data edits, of references how many there are.
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
    rater: str = "",
    models: WithModels = "none",
) -> JudgeExport:
    """Write a study's judgments, of one moment of its store; raters are named by pseudonym.

    Args:
        study: Its folder.
        out: The file to write, gzipped where it ends in ``.gz``; ``-``: standard output.
        to: What to write: csv: a row for each judgment, for crowd, agree, curve and sample estimate; jsonl: everything,
            events too, of which judge init restores the study; pairs, xml, ranks: for rank and meta; set: as sample
            draw wrote it; raters' corrections as m2, as corpus, which is errorbar's JSONL and loses nothing of them, or
            as hoo, edit XML; references: of systems' outputs that were edited, into a folder, a corpus for each system
            and the editors' times. None: by the ending of the file, .csv, .jsonl, .m2 or .xml; a stream gets CSV.
        include: Of tables, judgments that do not count otherwise; ``beyond``: of a study that may stop early, those of
            items on which its estimate does not rest.
        rater: Of corrections, those of this rater alone. Empty: of all; HOO data get a folder for each.
        models: Which judgments of language models are written (judge llm): none, theirs only, or theirs beside those of
            people, in a CSV table whose column ``rater_kind`` tells them apart.

    Raises:
        InputError: If there is no study, or the file cannot be written; then nothing is.
        UsageError: If the study has nothing of the kind.
    """
    opened = Study.open(study)
    target = fspath(out)
    kind: To = to or _by_ending(target, opened)
    parts: tuple[Part, ...] = (include,) if isinstance(include, str) else tuple(include)
    for part in parts:
        if part not in PARTS:
            message = f"--include must be one of {', '.join(PARTS)}, got '{part}'"
            raise UsageError(Problem("bad-parameter", message, fix=nearest(part, PARTS)))
    if kind == "jsonl" and parts:
        message = "--include is for tables, and JSONL holds everything"
        raise UsageError(Problem("useless-option", message, fix="leave it out"))
    if rater and kind not in CORRECTIONS:
        message = f"--rater is for {', '.join(CORRECTIONS)}, and this is {kind}"
        raise UsageError(Problem("useless-option", message, fix="leave it out"))
    if models != "none" and kind not in OF_MODELS[models]:
        message = f"--models={models} is for {', '.join(OF_MODELS[models])}, and this is {kind}"
        raise UsageError(Problem("useless-option", message, fix="leave it out"))
    problems, n = Problems(), 0

    def counted(lines: Iterator[str]) -> Iterator[str]:
        nonlocal n
        for n, line in enumerate(lines, 1):  # noqa: B007 - is told afterwards
            yield line

    with opened.snapshot() as tx:
        if kind == "hoo":
            n = _save_hoo(tx, parts, target, rater, problems)
        elif kind == "references":
            n = save_references(tx, read_about(tx), target, parts, problems)
        elif kind in CORRECTIONS:
            save_lines(counted(_correction_lines(tx, kind, parts, rater, problems)), target)
        else:
            save_lines(counted(_lines(tx, kind, parts, models, opened.folder / LEDGER)), target)
        problems.take(read_leaving_note(tx))
        beyond = 0 if kind == "jsonl" or "beyond" in parts else judgments_beyond(tx)
    if beyond:
        message = (
            f"{beyond:,} judgments are left out: the estimate of the study's question does not rest on their items"
        )
        problems.notes.append(
            Problem("judge-beyond", message, fix="--include=beyond writes them too", severity="warning")
        )
    if n <= (kind != "references") and kind not in ("jsonl", *CORRECTIONS):
        problems.notes.append(_NONE_GIVEN)
    return JudgeExport(target, kind, n, tuple(problems.notes))


def _by_ending(target: str, study: Study) -> To:
    """The format by the name of a file, of XML by what the study asks too; a pipe or a device gets CSV."""
    name = target.lower().removesuffix(".gz")
    file_format = next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), None)
    if file_format is None and not is_stream(target):
        raise unknown_ending(target, tuple(_ENDINGS), f"--to={'|'.join(KINDS)}")
    if file_format == "hoo":
        with study.snapshot() as tx:
            return "xml" if kind_of(read_about(tx).scheme).ranks else "hoo"
    return file_format or "csv"


def _lines(tx: Connection, kind: To, include: Sequence[Part], models: WithModels, ledger: Path) -> Iterator[str]:
    if kind == "jsonl":
        return (visible_json(json.dumps(record, ensure_ascii=False)) for record in study_records(tx))
    about = read_about(tx)
    judgments: Iterable[JudgmentRow] = () if models == "only" else exported_rows(tx, about, include)
    if models != "none":
        judgments = chain(judgments, lane_rows(tx, ledger, include))
    if kind in ("xml", "ranks"):
        return ranking_lines(about.scheme, judgments, xml=kind == "xml")
    if kind == "csv":
        return table_lines(tx, about, judgments, has_models=models != "none")
    return (pair_lines if kind == "pairs" else set_lines)(tx, about, judgments)


def _corrections(
    tx: Connection, include: Sequence[Part], rater: str, problems: Problems
) -> tuple[list[Sentence], list[str]]:
    """The sentences with edits, and the raters in the order in which they came; of one rater alone if one is named."""
    about = read_about(tx)
    raters = exported_annotators(tx, about)
    if rater and rater not in raters:
        raise no_rater_error(rater, raters)
    judged = (row for row in exported_rows(tx, about, include) if rater in ("", row.rater))
    work = (
        JudgedItem.from_json(row.payload)
        for row in rows(tx, "SELECT payload FROM item WHERE kind = 'work' ORDER BY id")
    )
    sentences = corrected_sentences(judged, about.scheme, problems, work)
    looked = {name for sentence in sentences for name in sentence.annotations}
    if not looked:
        problems.notes.append(_NONE_GIVEN)
    return sentences, [name for name in raters if name in looked]


def _correction_lines(
    tx: Connection, kind: To, include: Sequence[Part], rater: str, problems: Problems
) -> Iterator[str]:
    sentences, raters = _corrections(tx, include, rater, problems)
    return (write_m2 if kind == "m2" else write_jsonl)(sentences, problems, raters)


def folder_lines(folder: str) -> list[str]:
    """A study's lines where its folder is read as a file: the corpus of its raters' edits, or else its judgments."""
    opened = Study.open(folder)
    with opened.snapshot() as tx:
        if kind_of(read_about(tx).scheme).corrects_sentences:
            return [*_correction_lines(tx, "corpus", (), "", Problems())]
        return [*_lines(tx, "csv", (), "none", opened.folder / LEDGER)]


def _save_hoo(tx: Connection, include: Sequence[Part], target: str, rater: str, problems: Problems) -> int:
    """Write HOO data: one rater's edits into a file, or for each a folder with edits and texts; the number of edits."""
    sentences, raters = _corrections(tx, include, rater, problems)
    is_file = target == STANDARD_OUTPUT or target.removesuffix(".gz").endswith(".xml")
    if is_file and len(raters) > 1:
        message = f"the edits of {len(raters)} raters cannot go into one edit file"
        raise UsageError(Problem("judge-export-kind", message, fix="--rater=NAME, or name a folder with --to=hoo"))
    n_edits = 0
    for name in raters:
        own = [
            replace(sentence, annotations={name: sentence.annotations[name]} if name in sentence.annotations else {})
            for sentence in sentences
        ]
        fragments = sentences_fragments(own, name, problems, name="study")
        n_edits += sum(len(fragment.edits) for fragment in fragments)
        save_fragments(fragments, target if is_file else f"{target}/{name}", problems, texts=not is_file)
    return n_edits
