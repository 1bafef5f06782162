"""The XML of HOO edit files: read so that no file can do harm, written as the same bytes for the same edits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar
from xml.sax.saxutils import escape, quoteattr

from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats import MOST_EDIT_BYTES, MOST_REPAIRS
from errorbar.formats.catalog import GOLD, RAW
from errorbar.formats.saving import STANDARD_OUTPUT, cannot_write, save_lines
from errorbar.formats.untrusted import XmlReader, read_limited

Part = TypeVar("Part")
_INSIDE = {"": {"edits"}, "edits": {"edit"}, "edit": {"corrections", "original"}, "corrections": {"correction"}}
_INSIDE |= {"correction": {"empty"}, "original": {"empty"}, "empty": set()}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class RawEdit:
    """An ``edit`` element as it stands in the file; None where an element is missing, or a correction says nothing."""

    line: int
    attributes: dict[str, str]
    original: str | None = None
    corrections: list[str | None] | None = None


@dataclass(slots=True)
class Repairs:
    """What is mended in one file; too much of it is no edit file."""

    problems: Problems
    name: str
    n_found: int = 0

    def mend(self, code: str, what: str, place: Place, repair: str, expected: str = "") -> None:
        """Record one thing; too many of them, mended or not, are an ``InputError``."""
        self.n_found += 1
        if self.n_found > MOST_REPAIRS:
            what = f"more than {MOST_REPAIRS:,} things are wrong in the file"
            raise InputError(Problem("hoo-broken", what, Place(self.name), "a file of edits"))
        self.problems.repairable(code, what, place, repair, expected)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that somebody else may have to read; ``content`` is what is in it, for readers who cannot open it."""

    path: Path
    content: bytes | None = field(default=None, repr=False)

    def read(self) -> bytes:
        """What is in it, unpacked; one that is too large is an ``InputError``, and not read to its end."""
        if self.content is not None:
            return self.content
        return read_limited(self.path, MOST_EDIT_BYTES, "hoo-too-large", "name the file of one fragment")

    def loaded(self) -> DataFile:
        """The same with its content."""
        return replace(self, content=self.read())


def parse_edits(content: bytes, repairs: Repairs) -> list[RawEdit]:
    """Parse an edit file, XML whose root is ``edits``; elements and text out of place are mended."""
    reader = _Reader(repairs)
    reader.parse(content)
    return reader.edits


class _Reader(XmlReader):
    """Collects ``edit`` elements."""

    kind, called, expected = "hoo", "edit files", "an <edits> element"

    def __init__(self, repairs: Repairs) -> None:
        super().__init__(repairs.name)
        self.repairs = repairs
        self.edits: list[RawEdit] = []
        self.path: list[str] = []
        self.parts: list[str] = []  # of an original or a correction: the parser gives it in pieces
        self.empty = False  # it holds an <empty/> element
        self.skipping = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        above = self.path[-1] if self.path else ""
        if self.skipping:
            self.skipping += 1
            return
        if tag not in _INSIDE[above]:
            if not self.path:
                raise InputError(Problem("hoo-root", f"the root element is <{tag}>", self.place, "<edits>"))
            inside = ", ".join(f"<{name}>" for name in sorted(_INSIDE[above])) or "nothing"
            self._mend(f"<{tag}> stands inside <{above}>", "the element is left out", f"{inside} inside it")
            self.skipping = 1
            return
        self.path.append(tag)
        if tag == "edit":
            self.edits.append(RawEdit(self.parser.CurrentLineNumber, attributes))
        elif tag == "empty":
            self.empty = True
        elif tag != "edits":
            edit = self.edits[-1]
            if getattr(edit, tag, None) is not None:
                self._mend(f"a second <{tag}>", "the last one is used", "one")
            if tag == "corrections":
                edit.corrections = []
            self.empty = False

    def end(self, tag: str) -> None:
        if self.skipping:
            self.skipping -= 1
            return
        self.path.pop()
        if tag not in ("original", "correction"):
            return
        edit, text = self.edits[-1], "" if self.empty else "".join(self.parts)
        self.parts.clear()
        if tag == "original":
            edit.original = text
        elif edit.corrections is not None:
            edit.corrections.append(text if text or self.empty else None)

    def data(self, data: str) -> None:
        if self.skipping:
            return
        if self.path[-1] in ("original", "correction"):
            self.parts.append(data)
        elif data.strip():
            # The parser has read to the next tag already.
            line = self.parser.CurrentLineNumber - data.lstrip().count("\n")
            self._mend(f"text inside <{self.path[-1]}>: {data.strip()[:30]!r}", "left out", "elements", line)

    def _mend(self, what: str, repair: str, expected: str, line: int = 0) -> None:
        edit = f"edit {self.edits[-1].attributes.get('index', '?')}: " if self.edits and len(self.path) > 1 else ""
        place = Place(self.name, line or self.parser.CurrentLineNumber)
        self.repairs.mend("hoo-element", f"{edit}{what}", place, repair, expected)


def write_edits(fragment: Fragment, problems: Problems) -> Iterator[str]:
    """Yield the lines of an edit file; edits without an index are numbered; what XML cannot hold is an error."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<edits>"
    for number, edit in enumerate(fragment.edits, 1):
        if any(map(_NOT_XML.search, (edit.original, *edit.corrections, edit.type, edit.group, edit.index))):
            what = f"fragment {fragment.name}: the edit {edit.start} {edit.end} has a character that XML cannot hold"
            problems.error("hoo-not-xml", what, Place(fragment.file), fix="take the control character out of the text")
        yield from _edit_lines(edit, edit.index or f"{fragment.name}-{number:04d}")
    yield "</edits>"


def _edit_lines(edit: StandoffEdit, index: str) -> Iterator[str]:
    group = f" cset={quoteattr(edit.group)}" if edit.group else ""
    kind = f" type={quoteattr(edit.type)}" if edit.type else ""
    yield f'  <edit index={quoteattr(index)} start="{edit.start}" end="{edit.end}"{kind}{group}>'
    yield f"    <original>{_text(edit.original)}</original>"
    if not edit.unknown:
        yield "    <corrections>"
        texts = [f"<correction>{_text(text)}</correction>" for text in edit.corrections]
        if edit.optional:
            texts.insert(edit.null_at, "<correction/>")
        yield from (f"      {text}" for text in texts)
        yield "    </corrections>"
    yield "  </edit>"


def _text(text: str) -> str:
    # A carriage return would be read back as a line feed.
    return escape(text, {"\r": "&#13;"}) if text else "<empty/>"


def save_fragments(fragments: Sequence[Fragment], out: str, problems: Problems, *, texts: bool = False) -> None:
    """Write edit files; problems are raised before anything is written.

    ``out`` is a file for the only fragment (``*.xml``, ``*.gz``, ``-``) or a folder, with ``texts`` of two.
    """
    written = {fragment.name: list(write_edits(fragment, problems)) for fragment in fragments}
    problems.raise_errors()
    if out == STANDARD_OUTPUT or out.endswith((".xml", ".gz")):
        save_lines(_only(written, "fragments", "edit file", out), out)
        return
    folder = Path(out)
    for name, lines in written.items():
        save_lines(lines, _in_folder(folder / GOLD if texts else folder, f"{name}.xml"))
    for fragment in fragments if texts else ():
        save_text(fragment.text or "", _in_folder(folder / RAW, f"{fragment.name}.txt"))


def save_texts(texts: Mapping[str, str], out: str) -> None:
    """Write texts by the names of their fragments: one into a file that is named as one, several into a folder."""
    one_file = out == STANDARD_OUTPUT or out.endswith((".txt", ".gz")) or Path(out).is_file()
    if one_file or (len(texts) == 1 and not Path(out).is_dir()):
        save_text(_only(texts, "corrected texts", "file", out), out)
        return
    for name, text in texts.items():
        save_text(text, _in_folder(Path(out), f"{name}.txt"))


def _only(parts: Mapping[str, Part], many: str, one: str, out: str) -> Part:
    if len(parts) != 1:
        what = f"{len(parts)} {many} cannot go into one {one}"
        raise InputError(Problem("hoo-one-file", what, Place(out), fix="name a folder: --out FOLDER"))
    return next(iter(parts.values()))


def save_text(text: str, out: str) -> None:
    """Write a text, the last line ended, which changes no offset; ``-`` is standard output."""
    save_lines(text.removesuffix("\n").split("\n"), out)


def _in_folder(folder: Path, name: str) -> str:
    if "/" in name or name.startswith("."):
        what = f"the fragment's name {name!r} cannot be a file name"
        raise InputError(Problem("hoo-file-name", what, Place(str(folder)), fix="give the sentences another document"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(str(folder), "made", error) from None
    return str(folder / name)
