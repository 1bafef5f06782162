"""HOO edit files: stand-off edits, their offsets checked against the text and repaired; and edits of tokens as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from errorbar.core.corpus import Sentence
from errorbar.core.edit import UNCLEAR, Edit, Fragment, StandoffEdit, in_text_order
from errorbar.core.errors import Place
from errorbar.core.labels import error_types
from errorbar.core.problems import Problems
from errorbar.formats.hoo_xml import DataFile, RawEdit, Repairs, parse_edits
from errorbar.formats.look import display_name
from errorbar.formats.untrusted import whole_number

_SWALLOWED = re.compile(r"""(?P<type>\w+)\s+c?set\s*=\s*["']?(?P<set>\w+)["']?""")
_ATTRIBUTES = {"type", "index", "start", "end", "cset"}
_INDENTED = re.compile(r"\s*\n[ \t]+")  # what a program that indents XML makes of an empty element
SEVERAL = "several corrections"
_OWN_INDEX = re.compile(r"\S+-\d+")


class _Remarks(NamedTuple):
    """Where what is said of one edit goes."""

    repairs: Repairs
    place: Place
    called: str

    def note(self, code: str, what: str, fix: str) -> None:
        self.repairs.problems.note(code, f"edit {self.called}: {what}", self.place, fix)

    def mend(self, code: str, what: str, repair: str, expected: str = "") -> None:
        self.repairs.mend(code, f"edit {self.called}: {what}", self.place, repair, expected)


_Found = list[tuple[_Remarks, StandoffEdit]]


def read_edits(
    file: DataFile, name: str, problems: Problems, *, text: str | None = None, system: bool = False
) -> Fragment:
    """Read a fragment's edits; offsets are checked against ``text``. Of a ``system`` other things are remarked."""
    shown = display_name(file.path)
    repairs = Repairs(problems, shown)
    found: _Found = []
    for raw in parse_edits(file.read(), repairs):
        remarks = _Remarks(repairs, Place(shown, raw.line), raw.attributes.get("index") or f"of line {raw.line}")
        edit = _edit(raw, remarks, system=system)
        if edit is not None:
            found.append((remarks, edit))
    if text is not None:
        found = _check_text(found, text)
    without = [remarks.place for remarks, edit in found if not edit.type]
    if without and not system:
        what = f"{len(without)} of {len(found)} edits have no error type"
        problems.note("hoo-type", what, without[0], "they count as Other")
    _check_together(found)
    return Fragment(name, in_text_order(edit for _, edit in found), text, shown)


def _edit(raw: RawEdit, remarks: _Remarks, *, system: bool) -> StandoffEdit | None:
    given = [raw.attributes.get(key, "").strip() for key in ("start", "end")]
    start, end = map(whole_number, given)
    if start is None or end is None:
        what = f"the offsets {given[0]!r}, {given[1]!r} cannot be read"
        remarks.mend("hoo-offsets", what, "the edit is dropped", "whole numbers")
        return None
    if start > end:
        remarks.mend("hoo-offsets", f"the span {start} {end} runs backwards", "the edit is dropped", "start <= end")
        return None
    for key in raw.attributes.keys() - _ATTRIBUTES:
        remarks.mend("hoo-attribute", f"unknown attribute '{key}'", "it is left out")
    kind, group = _type(raw, remarks)
    if not system and kind and kind not in error_types():
        remarks.note("hoo-type", f"unknown error type '{kind}'", "it counts as Other")
    nulls = [at for at, each in enumerate(raw.corrections or ()) if each is None]
    corrections = tuple(each for each in raw.corrections or () if each is not None)
    if nulls and nulls[0] > 0:
        what = "the null correction that makes it optional is not the first"
        remarks.note("hoo-null-not-first", what, "it counts as optional; optional=first reads it otherwise")
    if system and len(corrections) > 1:
        remarks.note("hoo-several", f"a system's edit with {SEVERAL}", "only the first is scored")
    if any(map(_INDENTED.fullmatch, corrections)):
        what = "a correction of nothing but a line end and an indentation"
        remarks.note("hoo-blank", what, "if it should be the null correction, write <correction/>")
    if raw.original is None and start < end:
        remarks.mend("hoo-original", "no <original>", "taken from the text")
    index, at = raw.attributes.get("index", ""), nulls[0] if nulls else 0
    return StandoffEdit(index, start, end, raw.original or "", corrections, bool(nulls), at, kind, group)


def _type(raw: RawEdit, remarks: _Remarks) -> tuple[str, str]:
    """The type and the set; a set swallowed into the type, as in the 2011 test data, is taken out of it."""
    kind, group = raw.attributes.get("type", "").strip(), raw.attributes.get("cset", "").strip()
    swallowed = _SWALLOWED.fullmatch(kind)
    if swallowed is None:
        return kind, group
    repair = f"read as type {swallowed['type']} and set {swallowed['set']}"
    remarks.mend("hoo-attribute", f"the type {kind!r} has swallowed a consistency set", repair, 'type="…" cset="…"')
    return swallowed["type"], group or swallowed["set"]


def _check_text(found: _Found, text: str) -> _Found:
    """Compare spans with the text. A file whose offsets count bytes is read by bytes."""
    found = _in_characters(found, text)
    kept: _Found = []
    for remarks, edit in found:
        if edit.end > len(text):
            what = f"the span {edit.start} {edit.end} ends past the text of {len(text)} characters"
            remarks.mend("hoo-outside", what, "the edit is dropped", "start <= end <= length of the text")
            continue
        there = text[edit.start : edit.end]
        if there != edit.original:
            what = f"the original {edit.original[:30]!r} is not the text of the span, {there[:30]!r}"
            # A writer of pretty XML adds or takes off white space at the edges; the offsets then say what was meant.
            only_space = edit.original.strip() == there.strip()
            right = "the offsets are right, the original lost or gained white space"
            remarks.mend("hoo-original", what, right if only_space else "the offsets are used", "the text of the span")
        kept.append((remarks, edit._replace(original=there)))
    return kept


def _in_characters(found: _Found, text: str) -> _Found:
    """The edits by characters, also where more originals are the text at their offsets if these count bytes."""
    if text.isascii():
        return found
    raw = text.encode("utf-8", "surrogatepass")
    more_bytes = 0
    for _, edit in found:
        if edit.original:
            characters = text[edit.start : edit.end] == edit.original
            more_bytes += (raw[edit.start : edit.end] == edit.original.encode("utf-8", "surrogatepass")) - characters
    if more_bytes <= 0:
        return found
    # For each byte offset the character that begins there or has begun before it; one more for the end.
    at = [number for number, char in enumerate(text) for _ in char.encode("utf-8", "surrogatepass")] + [len(text)]
    read: _Found = []
    for remarks, edit in found:
        start, end = edit.start, edit.end
        if end < len(at):  # else it is past the end either way, which is said later
            start, end = at[start], at[end]
        if (start, end) != (edit.start, edit.end):
            what = f"the offsets {edit.start} {edit.end} count bytes"
            remarks.mend("hoo-byte-offsets", what, f"read as characters {start} {end}", "characters")
        read.append((remarks, edit._replace(start=start, end=end)))
    return read


def _check_together(found: _Found) -> None:
    """Overlaps, indexes that stand twice, and sets of one edit."""
    last: tuple[_Remarks, StandoffEdit] | None = None
    for remarks, edit in sorted(found, key=lambda pair: (pair[1].start, pair[1].end)):
        if last is not None and edit.start < last[1].end:
            what = f"it overlaps edit {last[0].called}"
            remarks.note("hoo-overlap", what, "scores count both; a text can have only one")
        if last is None or edit.end > last[1].end:
            last = remarks, edit
    seen: dict[str, int] = {}
    for remarks, edit in found:
        if edit.index and edit.index in seen:
            remarks.mend("hoo-index", f"the index stands twice (line {seen[edit.index]})", "both edits are kept")
        seen.setdefault(edit.index, remarks.place.line)
    sizes = Counter(edit.group for _, edit in found)
    for remarks, edit in found:
        if edit.group and sizes[edit.group] == 1:
            what = f"the only one of consistency set {edit.group}"
            remarks.note("hoo-lone-set", what, "it counts like an edit without a set")


def sentences_fragments(
    sentences: Iterable[Sentence], annotator: str, problems: Problems, *, name: str = "text"
) -> list[Fragment]:
    """Join sentences into fragments with one annotator's character edits; what HOO cannot hold is noted.

    Sentences of one document, ``name`` where there is none, are lines of one text, a space between tokens.
    """
    lines: dict[str, list[str]] = {}
    edits: dict[str, list[StandoffEdit]] = {}
    sizes = Counter[str]()
    lost = Counter[str]()
    for sentence in sentences:
        document = sentence.document or name
        line = " ".join(sentence.tokens)
        starts = [0, *accumulate(len(token) + 1 for token in sentence.tokens)]
        found, at = sentence.annotations.get(annotator, ()), sizes[document]
        edits.setdefault(document, []).extend(_standoff_edit(edit, line, starts, at, lost) for edit in found)
        lines.setdefault(document, []).append(f"{line}\n")
        sizes[document] += len(line) + 1
        if annotator not in sentence.annotations:
            lost[f"that annotator {annotator} did not look"] += 1
        lost.update(f"the edits of annotator {other}" for other in sentence.annotations.keys() - {annotator})
        if sentence.writer:
            lost["the writer"] += 1
    for part, count in sorted((+lost).items()):
        what = f"HOO cannot hold {part} ({count} {'time' if count == 1 else 'times'}); left out"
        problems.note("hoo-cannot-hold", what, Place())
    return [Fragment(document, in_text_order(edits[document]), "".join(text)) for document, text in lines.items()]


def _standoff_edit(edit: Edit, text: str, starts: Sequence[int], at: int, lost: Counter[str]) -> StandoffEdit:
    """An edit of tokens as one of characters: tokens start at ``starts`` of the text, which starts at ``at``."""
    n_tokens = len(starts) - 1
    start, end = starts[edit.start], max(starts[edit.start], starts[edit.end] - 1)
    head = tail = ""
    if edit.is_insertion:
        if edit.start == n_tokens:
            start = end = len(text)
            head = " " if n_tokens else ""
        else:
            end, tail = start, " "
    elif "" in edit.replacements:  # a deletion takes one space along
        if edit.end < n_tokens:
            end, tail = end + 1, " "
        elif edit.start:
            start, head = start - 1, " "
    corrections = tuple(f"{head}{each}{tail}" if each else "" for each in edit.replacements)
    if edit.type == UNCLEAR:
        corrections = ()  # its empty correction stands for none
    index = edit.comment if _OWN_INDEX.fullmatch(edit.comment) else ""
    lost["comments"] += bool(edit.comment and not index)
    span = (at + start, at + end, text[start:end])
    return StandoffEdit(index, *span, corrections, edit.optional, 0, edit.type, edit.group)
