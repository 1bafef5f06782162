"""HOO edit files: stand-off edits of one text, their offsets checked against it and, if asked for, repaired."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from errorbar.core.errors import Place
from errorbar.core.inventories import inventory
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit, in_text_order
from errorbar.formats.hoo_files import DataFile
from errorbar.formats.hoo_xml import RawEdit, RawText, Repairs, parse_edits
from errorbar.formats.opening import display_name

_SWALLOWED = re.compile(r"""(?P<type>\w+)\s+c?set\s*=\s*["']?(?P<set>\w+)["']?""")
_ATTRIBUTES = ("type", "index", "start", "end", "cset")
_INDENTED = re.compile(r"\s*\n[ \t]+")
"""What a program that indents XML makes of an empty element."""
SEVERAL = "several corrections"


@dataclass(slots=True)
class _Context:
    """What the checks of one file share."""

    file: str
    problems: Problems

    def place(self, line: int) -> Place:
        return Place(self.file, line)


def read_edits(
    file: DataFile, name: str, problems: Problems, *, text: str | None = None, system: bool = False
) -> Fragment:
    """Read the edits of one fragment.

    Args:
        file: The XML file.
        name: The fragment's name.
        problems: Where problems are recorded; the caller raises them.
        text: The source text, which offsets and originals are checked against; None: they are not.
        system: The edits are a system's, whose several corrections and unknown types need another remark.

    Raises:
        InputError: If the file cannot be opened, is too large, or cannot be read as XML.
    """
    shown = display_name(file.path)
    found_here = Repairs(problems, shown)
    context = _Context(shown, found_here)
    raws = parse_edits(file.read(), shown, found_here)
    found = [(raw.line, edit) for raw in raws if (edit := _edit(raw, context, system=system)) is not None]
    lines, edits = [line for line, _ in found], [edit for _, edit in found]
    if text is not None:
        lines, edits = _check_text(lines, edits, text, context)
    if not system:
        _check_types(lines, edits, context)
    _check_overlaps(lines, edits, context)
    _check_indexes(lines, edits, context)
    _check_groups(lines, edits, context)
    return Fragment(name, in_text_order(edits), text, shown)


def _edit(raw: RawEdit, context: _Context, *, system: bool) -> StandoffEdit | None:
    index = raw.attributes.get("index", "")
    say, place = partial(_said, index or f"of line {raw.line}"), context.place(raw.line)
    problems = context.problems
    span = _span(raw, say, place, problems)
    if span is None:
        return None
    for key in raw.attributes.keys() - set(_ATTRIBUTES):
        problems.repairable("hoo-attribute", say(f"unknown attribute '{key}'"), place, repair="it is left out")
    kind, group = _type(raw.attributes.get("type", ""), raw.attributes.get("cset", ""), say, place, problems)
    if not system and kind and kind not in inventory("hoo").types:
        problems.note("hoo-type", say(f"unknown error type '{kind}'"), place, fix="it counts as Other")
    nulls = [at for at, each in enumerate(raw.corrections or ()) if each.is_null]
    corrections = tuple(_correction(each) for each in raw.corrections or () if not each.is_null)
    if nulls and nulls[0] > 0:
        what = say("the null correction that makes it optional is not the first")
        problems.note("hoo-null-not-first", what, place, fix="it counts as optional; optional=first reads it otherwise")
    if system and len(corrections) > 1:
        what = say(f"a system's edit with {SEVERAL}")
        problems.note("hoo-several", what, place, fix="only the first is scored")
    if any(_INDENTED.fullmatch(each) for each in corrections):
        what = say("a correction of nothing but a line end and an indentation")
        problems.note("hoo-blank", what, place, fix="if it should be the null correction, write <correction/>")
    original = "" if raw.original is None or raw.original.empty else raw.original.text
    if raw.original is None and span[0] < span[1]:
        problems.repairable("hoo-original", say("no <original>"), place, repair="taken from the text")
    at = nulls[0] if nulls else 0
    return StandoffEdit(index, *span, original, corrections, bool(nulls), at, kind, group)


def _correction(raw: RawText) -> str:
    return "" if raw.empty else raw.text


def _called(edit: StandoffEdit, line: int) -> str:
    return edit.index or f"of line {line}"


def _said(index: str, what: str) -> str:
    return f"edit {index}: {what}"


def _span(raw: RawEdit, say: Callable[[str], str], place: Place, problems: Problems) -> tuple[int, int] | None:
    texts = [raw.attributes.get(key, "").strip() for key in ("start", "end")]
    if not all(text.isascii() and text.isdigit() and len(text) < 16 for text in texts):
        what = say(f"the offsets {texts[0]!r}, {texts[1]!r} cannot be read")
        problems.repairable("hoo-offsets", what, place, expected="whole numbers", repair="the edit is dropped")
        return None
    start, end = int(texts[0]), int(texts[1])
    if start > end:
        what = say(f"the span {start} {end} runs backwards")
        problems.repairable("hoo-offsets", what, place, expected="start <= end", repair="the edit is dropped")
        return None
    return start, end


def _type(kind: str, group: str, say: Callable[[str], str], place: Place, problems: Problems) -> tuple[str, str]:
    """The type and the set; a set swallowed into the type, as in the 2011 test data, is taken out of it."""
    swallowed = _SWALLOWED.fullmatch(kind.strip())
    if swallowed is None:
        return kind.strip(), group.strip()
    what = say(f"the type {kind!r} has swallowed a consistency set")
    repair = f"read as type {swallowed['type']} and set {swallowed['set']}"
    problems.repairable("hoo-attribute", what, place, expected='type="…" cset="…"', repair=repair)
    return swallowed["type"], group.strip() or swallowed["set"]


def _check_text(
    lines: Sequence[int], edits: Sequence[StandoffEdit], text: str, context: _Context
) -> tuple[list[int], list[StandoffEdit]]:
    """Compare spans with the text. A file whose offsets count bytes is read by bytes."""
    decode = _byte_offsets(text) if _counts_bytes(edits, text) else None
    kept: list[tuple[int, StandoffEdit]] = []
    for line, given in zip(lines, edits, strict=True):
        say, place, edit = partial(_said, _called(given, line)), context.place(line), given
        if decode is not None:
            edit = _from_bytes(given, decode, say, place, context.problems)
        if edit.end > len(text):
            what = say(f"the span {edit.start} {edit.end} ends past the text of {len(text)} characters")
            repair = "the edit is dropped"
            context.problems.repairable(
                "hoo-outside", what, place, expected="start <= end <= length of the text", repair=repair
            )
            continue
        there = text[edit.start : edit.end]
        if there != edit.original:
            edit = _check_original(edit, there, say, place, context.problems)
        kept.append((line, edit))
    return [line for line, _ in kept], [edit for _, edit in kept]


def _check_original(
    edit: StandoffEdit, there: str, say: Callable[[str], str], place: Place, problems: Problems
) -> StandoffEdit:
    what = say(f"the original {edit.original[:30]!r} is not the text of the span, {there[:30]!r}")
    # A writer of pretty XML adds or takes off white space at the edges; the offsets then say what was meant.
    only_space = edit.original.strip() == there.strip()
    repair = "the offsets are right, the original lost or gained white space" if only_space else "the offsets are used"
    problems.repairable("hoo-original", what, place, expected="the text of the span", repair=repair)
    return edit._replace(original=there)


def _counts_bytes(edits: Sequence[StandoffEdit], text: str) -> bool:
    """Whether originals that are not the text at their offsets are the text at these byte offsets."""
    if text.isascii():
        return False
    raw = text.encode("utf-8", "surrogatepass")
    by = Counter[str]()
    for edit in edits:
        if edit.original:
            characters = text[edit.start : edit.end] == edit.original
            octets = raw[edit.start : edit.end] == edit.original.encode("utf-8", "surrogatepass")
            by["characters"] += characters and not octets
            by["bytes"] += octets and not characters
    return by["bytes"] > by["characters"]


def _byte_offsets(text: str) -> list[int]:
    """For each byte offset the character that begins there or has begun before it; one more for the end."""
    return [at for at, char in enumerate(text) for _ in char.encode("utf-8", "surrogatepass")] + [len(text)]


def _from_bytes(
    edit: StandoffEdit, decode: list[int], say: Callable[[str], str], place: Place, problems: Problems
) -> StandoffEdit:
    if edit.end >= len(decode):
        return edit  # past the end either way, and said so
    start, end = decode[edit.start], decode[edit.end]
    if (start, end) != (edit.start, edit.end):
        what = say(f"the offsets {edit.start} {edit.end} count bytes")
        repair = f"read as characters {start} {end}"
        problems.repairable("hoo-byte-offsets", what, place, expected="characters", repair=repair)
    return edit._replace(start=start, end=end)


def _check_types(lines: Sequence[int], edits: Sequence[StandoffEdit], context: _Context) -> None:
    without = [line for line, edit in zip(lines, edits, strict=True) if not edit.type]
    if without:
        what = f"{len(without)} of {len(edits)} edits have no error type"
        context.problems.note("hoo-type", what, context.place(without[0]), fix="they count as Other")


def _check_overlaps(lines: Sequence[int], edits: Sequence[StandoffEdit], context: _Context) -> None:
    last: tuple[int, StandoffEdit] | None = None
    for line, edit in sorted(zip(lines, edits, strict=True), key=lambda pair: (pair[1].start, pair[1].end)):
        if last is not None and edit.start < last[1].end:
            what = _said(_called(edit, line), f"it overlaps edit {_called(last[1], last[0])}")
            fix = "scores count both; a text can have only one"
            context.problems.note("hoo-overlap", what, context.place(line), fix=fix)
        if last is None or edit.end > last[1].end:
            last = line, edit


def _check_indexes(lines: Sequence[int], edits: Sequence[StandoffEdit], context: _Context) -> None:
    seen: dict[str, int] = {}
    for line, edit in zip(lines, edits, strict=True):
        if edit.index and edit.index in seen:
            what = f"edit {edit.index}: the index stands twice (line {seen[edit.index]})"
            context.problems.repairable("hoo-index", what, context.place(line), repair="both edits are kept")
        seen.setdefault(edit.index, line)


def _check_groups(lines: Sequence[int], edits: Sequence[StandoffEdit], context: _Context) -> None:
    sizes = Counter(edit.group for edit in edits)
    for line, edit in zip(lines, edits, strict=True):
        if edit.group and sizes[edit.group] == 1:
            what = f"edit {edit.index}: the only one of consistency set {edit.group}"
            context.problems.note("hoo-lone-set", what, context.place(line), fix="it counts like an edit without a set")
