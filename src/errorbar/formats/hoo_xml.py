"""The XML of HOO edit files, read so that no file can do harm: no entities, no outside references, size limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import Source, display_name
from errorbar.formats.untrusted import XmlReader, read_limited

MOST_BYTES = 1 << 26
"""Bytes of one file, unpacked; the largest edit file of the shared task has 20 thousand."""
MOST_REPAIRS = 10_000
"""Things out of place in one file; the most that a file of the shared task has are 57."""
_INSIDE = {"": {"edits"}, "edits": {"edit"}, "edit": {"corrections", "original"}, "corrections": {"correction"}}
_INSIDE |= {"correction": {"empty"}, "original": {"empty"}, "empty": set()}


@dataclass(slots=True)
class RawText:
    """The text of an ``original`` or a ``correction`` as it stands in the file."""

    text: str = ""
    empty: bool = False  # it holds an <empty/> element

    @property
    def is_null(self) -> bool:
        """It says nothing, not even that the text is the empty one."""
        return not self.empty and not self.text

    @property
    def said(self) -> str:
        """The text that is meant."""
        return "" if self.empty else self.text


@dataclass(slots=True)
class RawEdit:
    """An ``edit`` element as it stands in the file; None where an element is missing."""

    line: int
    attributes: dict[str, str]
    original: RawText | None = None
    corrections: list[RawText] | None = None
    seen: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Repairs:
    """What is mended in one file; too much of it is no edit file."""

    problems: Problems
    name: str
    n_found: int = 0

    def mend(self, code: str, what: str, place: Place, repair: str, expected: str = "") -> None:
        """Record one thing.

        Raises:
            InputError: As ``Problems.repairable`` does, and where there are too many, mended or not.
        """
        self.n_found += 1
        if self.n_found > MOST_REPAIRS:
            what = f"more than {MOST_REPAIRS:,} things are wrong in the file"
            raise InputError(Problem("hoo-broken", what, Place(self.name), "a file of edits"))
        self.problems.repairable(code, what, place, expected=expected, repair=repair)


def read_bytes(path: Source, limit: int = MOST_BYTES) -> bytes:
    """Read a whole file, gzipped or not, that may not be larger than ``limit`` bytes.

    Raises:
        InputError: If it cannot be opened or is larger; no more than the limit is ever read.
    """
    return read_limited(path, limit, Place(display_name(path)), "hoo-too-large", "name the file of one fragment")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that somebody else may have to read; ``content`` is what is in it, for readers who cannot open it."""

    path: Path
    content: bytes | None = field(default=None, repr=False)

    def read(self) -> bytes:
        """What is in it, unpacked; errors as of ``read_bytes``."""
        return read_bytes(self.path) if self.content is None else self.content

    def loaded(self) -> DataFile:
        """The same with its content; errors as of ``read_bytes``."""
        return replace(self, content=self.read())


def parse_edits(content: bytes, repairs: Repairs) -> list[RawEdit]:
    """Parse an edit file; elements and text out of place are mended.

    Raises:
        InputError: If it is not well-formed XML (line and column are named), declares a document type or an
            entity, or its root is not ``edits``.
    """
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
        self.text: RawText | None = None
        self.parts: list[str] = []  # of that text: the parser gives it in pieces
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
        elif tag in ("original", "corrections"):
            self._part(tag)
        elif tag == "correction":
            self.text = RawText()
            corrections = self.edits[-1].corrections
            assert corrections is not None  # <correction> stands inside <corrections> only
            corrections.append(self.text)
        elif tag == "empty" and self.text is not None:
            self.text.empty = True

    def _part(self, tag: str) -> None:
        edit = self.edits[-1]
        if tag in edit.seen:
            self._mend(f"a second <{tag}>", "the last one is used", "one")
        edit.seen.add(tag)
        if tag == "original":
            edit.original = self.text = RawText()
        else:
            edit.corrections = []

    def end(self, tag: str) -> None:
        if self.skipping:
            self.skipping -= 1
            return
        self.path.pop()
        if tag in ("original", "correction") and self.text is not None:
            self.text.text = "".join(self.parts)
            self.text = None
            self.parts.clear()

    def data(self, data: str) -> None:
        if self.skipping:
            return
        if self.text is not None and self.path[-1] != "empty":
            self.parts.append(data)
        elif data.strip():
            # The parser has read to the next tag already.
            line = self.parser.CurrentLineNumber - data.lstrip().count("\n")
            self._mend(f"text inside <{self.path[-1]}>: {data.strip()[:30]!r}", "left out", "elements", line)

    def _mend(self, what: str, repair: str, expected: str, line: int = 0) -> None:
        edit = f"edit {self.edits[-1].attributes.get('index', '?')}: " if self.edits and len(self.path) > 1 else ""
        place = Place(self.name, line or self.parser.CurrentLineNumber)
        self.repairs.mend("hoo-element", f"{edit}{what}", place, repair, expected)
