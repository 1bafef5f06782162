"""JSON essays of BEA-2019 (W&I, LOCNESS, FCE): one object a line with a raw text and edits of its characters.

Conventions
    The text is cut into paragraphs at line feeds, sentences and tokens as NUCLE essays are (``formats.nucle``), and
    an edit becomes one of the tokens it touches (``formats.nucle``). Edits that touch one token are made one.
    Marks of other shapes become the plain ones first, in text and corrections, as in the released M2 files: there it is
    arbitrary whether they were corrected. An edit that reaches beyond a sentence is left out. One without a
    correction, which only detects, becomes an edit of type UNK, unless others correct what is inside of it.
Source
    readme.txt of W&I+LOCNESS 2.1 and of FCE 2.1 for BEA-2019; ``json_to_m2.py`` there for the conventions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from errorbar.core.corpus import Annotation, Sentence
from errorbar.core.edit import Edit, check_annotation
from errorbar.core.problems import Place, Problems, shorten_text
from errorbar.formats.look import Lines
from errorbar.formats.m2 import UNKNOWN
from errorbar.formats.nucle import DropReason, Essay, LocatedSentence, Mistake, locate, project_mistake, split_essays
from errorbar.formats.untrusted import NotJsonError, json_record, parse_json

_NEEDED = ("id", "text", "edits")
_EXPECTED = '{"id": ..., "text": ..., "edits": [[annotator, [[start, end, correction], ...]], ...]}'
_EDIT = "[start, end, correction or null]"
_FIELDS = (3, 4)  # of an edit; a fourth one is its type
_ODD = "’´‘′`“”˝¨„『』–—―¬、，：；？！\u0650\u200b"
_PLAIN = '\'\'\'\'\'"""""""----,,:;?!  '
_MARKS = str.maketrans(_ODD, _PLAIN)  # one character for one, so that offsets stay


class CharacterEdit(NamedTuple):
    """An edit of the characters of an essay; ``correction``: None where the annotator gave none."""

    start: int
    end: int
    correction: str | None
    type: str


class BeaEssay(NamedTuple):
    """An essay, who wrote it, its text with plain marks, and each annotator's edits in text order."""

    id: str
    writer: str
    text: str
    annotations: dict[str, list[CharacterEdit]]
    place: Place


def is_bea(line: str) -> bool:
    """Whether a first line is an essay."""
    record = json_record(line)
    return record is not None and {*_NEEDED} <= record.keys() and "annotations" not in record


def read_bea(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read essays as sentences with tokens of our own; finding sentences needs nltk."""
    for essay in read_bea_essays(lines, problems):
        paragraphs = Essay(essay.id, essay.place, essay.text.split("\n"))
        yield from project_bea([essay], split_essays([paragraphs]), problems, lines.name)


def read_bea_essays(lines: Lines, problems: Problems) -> Iterator[BeaEssay]:
    """Read essays; what one of them lacks is recorded, and the essay left out."""
    seen: dict[str, int] = {}
    n_marks = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = Place(lines.name, number)
        try:
            record = parse_json(line)
        except NotJsonError as error:
            problems.error("bea-json", f"not JSON: {error}", place, _EXPECTED)
            continue
        if not isinstance(record, dict) or (wrong := _wrong_keys(record)):
            message = wrong if isinstance(record, dict) else "not a JSON object"
            problems.error("bea-record", message, place, _EXPECTED)
            continue
        name = str(record["id"])
        if name in seen:
            message = f"a second essay with the id {name!r}; the first stands in line {seen[name]}"
            problems.error("bea-twice", message, place, "every id once")
            continue
        seen[name] = number
        text = record["text"].translate(_MARKS)
        n_marks += sum(a != b for a, b in zip(text, record["text"], strict=True))
        if not text.strip():
            problems.note("bea-empty", f"the essay {name!r} has no text; it is left out", place)
            continue
        annotations = _annotations(record, name, place, problems)
        yield BeaEssay(name, str(record.get("userid") or ""), text, annotations, place)
    if not seen and not problems.errors:
        problems.error("bea-empty", "no essay in the file", Place(lines.name), _EXPECTED)
    if n_marks:
        message = (
            f"marks of other forms than the plain ones, such as ’ for ', are read as these: {n_marks:,} in the texts"
        )
        problems.note("bea-marks", message, Place(lines.name), severity="repaired")


def _wrong_keys(record: dict[str, Any]) -> str:
    """The fault of a record; None if there is none."""
    if missing := [key for key in _NEEDED if key not in record]:
        return f"an essay without {missing[0]!r}"
    if not isinstance(record["id"], str | int) or isinstance(record["id"], bool):
        return f"the id is {shorten_text(repr(record['id']))}, no text"
    for key, kind, fault in (("text", str, "no text"), ("edits", list, "no list")):
        if not isinstance(record[key], kind):
            return f"{key!r} is {shorten_text(repr(record[key]))}, {fault}"
    return ""


def _annotations(
    record: dict[str, Any], essay: str, place: Place, problems: Problems
) -> dict[str, list[CharacterEdit]]:
    known_edits: dict[str, list[CharacterEdit]] = {}
    size = len(record["text"])
    for entry in record["edits"]:
        good = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)
        if not good or isinstance(entry[0], bool) or not isinstance(entry[0], int | str):
            message = f"the essay {essay!r} has {shorten_text(repr(entry))} among its annotators"
            problems.error("bea-record", message, place, "[annotator, [edit, ...]]")
            continue
        edits = [_edit(each, size, essay, place, problems) for each in entry[1]]
        known = known_edits.setdefault(str(entry[0]), [])
        known += [edit for edit in edits if edit is not None]
    return {name: _settle_edits(edits) for name, edits in known_edits.items()}


def _edit(said: object, size: int, essay: str, place: Place, problems: Problems) -> CharacterEdit | None:
    fields: list[Any] = said if isinstance(said, list) and len(said) in _FIELDS else [""] * _FIELDS[0]
    start, end, correction = fields[:3]
    kind = fields[3] if len(fields) > _FIELDS[0] else ""
    offsets = all(isinstance(each, int) and not isinstance(each, bool) for each in (start, end))
    if not offsets or not isinstance(correction, str | None) or not isinstance(kind, str | None):
        message = f"the essay {essay!r} has {shorten_text(repr(said))} for an edit"
        problems.repairable("bea-edit", message, place, "the edit is dropped", _EDIT)
        return None
    if not 0 <= start <= end <= size:
        message = (
            f"the characters {shorten_text(f'{start} {end}')} of an edit are not in the text of the essay {essay!r}"
        )
        problems.repairable("bea-outside", message, place, "the edit is dropped", f"0 <= start <= end <= {size}")
        return None
    if correction is None:
        return CharacterEdit(start, end, None, UNKNOWN)
    return CharacterEdit(start, end, correction.translate(_MARKS), " ".join((kind or "").split()))


def _settle_edits(edits: list[CharacterEdit]) -> list[CharacterEdit]:
    """In text order, without those that only detect what others correct."""
    ordered = sorted(edits, key=lambda edit: edit[:2])
    corrected = [edit for edit in ordered if edit.correction is not None]
    if len(corrected) == len(ordered):
        return ordered
    points = [edit.start for edit in corrected if edit.start == edit.end]
    starts = [edit.start for edit in corrected if edit.start < edit.end]
    # For each corrected span the first end of it and all that start later.
    ends = [*accumulate((edit.end for edit in reversed(corrected) if edit.start < edit.end), min)][::-1]

    def is_corrected(edit: CharacterEdit) -> bool:
        point, span = bisect_right(points, edit.start), bisect_left(starts, edit.start)
        return (point < len(points) and points[point] < edit.end) or (span < len(ends) and ends[span] <= edit.end)

    return [edit for edit in ordered if edit.correction is not None or not is_corrected(edit)]


def project_bea(
    essays: Sequence[BeaEssay], sentences: Iterable[Sentence], problems: Problems, name: str = ""
) -> Iterator[Sentence]:
    """The sentences of essays, given as tokens of the file ``name``, with every annotator's edits of them."""
    plain = (Essay(essay.id, essay.place, essay.text.split("\n")) for essay in essays)
    for essay, (own, paragraphs) in zip(essays, locate(plain, sentences, name), strict=True):
        texts, place = own.paragraphs, essay.place
        projected = {
            who: _project(edits, essay, texts, paragraphs, problems) for who, edits in essay.annotations.items()
        }
        for number, located in enumerate(paragraphs):
            for at, (sentence, tokens, _) in enumerate(located):
                here = {who: edits.get((number, at), []) for who, edits in projected.items()}
                checked = {who: _check_edits(edits, tokens, place, problems) for who, edits in here.items()}
                yield Sentence(sentence.text, checked, essay.id, essay.writer, place.line)


def _check_edits(edits: list[Edit], tokens: list[str], place: Place, problems: Problems) -> Annotation:
    return tuple(check_annotation(edits, tokens, lambda _: place, problems))


def _project(
    edits: Sequence[CharacterEdit],
    essay: BeaEssay,
    texts: list[str],
    paragraphs: list[list[LocatedSentence]],
    problems: Problems,
) -> dict[tuple[int, int], list[Edit]]:
    """Edits of tokens by paragraph and sentence; those that touch one token are made one."""
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    projected: dict[tuple[int, int], list[Edit]] = {}
    last: tuple[CharacterEdit, tuple[int, int]] | None = None
    for edit in edits:
        own = edit
        token_edit = project_mistake(_mistake(own, essay, starts), texts, paragraphs, keep=problems.as_written)
        if (
            last is not None
            and not isinstance(token_edit, DropReason)
            and token_edit[:2] == last[1]
            and last[0].end <= own.start
        ):
            before = projected[last[1]]
            if before and _meet(before[-1], token_edit[2]):
                own = _join_edits(last[0], own, essay.text)
                token_edit = project_mistake(_mistake(own, essay, starts), texts, paragraphs, keep=problems.as_written)
                before.pop()
        if isinstance(token_edit, DropReason):
            message = f"the edit {own.start} {own.end} of the essay {essay.id!r} is left out: {token_edit}"
            problems.note("bea-crosses" if token_edit is DropReason.CROSSES else "bea-no-change", message, essay.place)
            continue
        projected.setdefault(token_edit[:2], []).append(token_edit[2])
        last = own, token_edit[:2]
    return projected


def _mistake(edit: CharacterEdit, essay: BeaEssay, starts: Sequence[int]) -> Mistake:
    """The edit with its paragraphs, white space at its ends left out."""
    marked = essay.text[edit.start : edit.end]
    first = edit.start + len(marked) - len(marked.lstrip()) if marked.strip() else edit.start
    last = edit.end - len(marked) + len(marked.rstrip()) if marked.strip() else edit.end
    par, end_par = (bisect_right(starts, at, hi=len(starts) - 1) - 1 for at in (first, last))
    return Mistake(
        par, first - starts[par], end_par, last - starts[end_par], edit.type, edit.correction, "", essay.place
    )


def _meet(one: Edit, other: Edit) -> bool:
    """Whether two edits in text order share a token, or replace one span."""
    return other.start < one.end or (one.span == other.span and not one.is_insertion)


def _join_edits(one: CharacterEdit, other: CharacterEdit, text: str) -> CharacterEdit:
    """Both as one edit of the characters; without a correction if neither has one."""
    kind = one.type if one.correction is not None else other.type
    texts = [text[edit.start : edit.end] if edit.correction is None else edit.correction for edit in (one, other)]
    correction = None if one.correction is other.correction is None else text[one.end : other.start].join(texts)
    return CharacterEdit(one.start, other.end, correction, kind)
