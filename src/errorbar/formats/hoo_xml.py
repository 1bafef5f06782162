"""The XML of HOO edit files, read so that no file can do harm: no entities, no outside references, size limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import Source, display_name
from errorbar.formats.safe_xml import guarded_parser, parse, read_limited

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


class Repairs(Problems):
    """What is found in one file, written into the notebook of the reading; too much of it is no edit file."""

    def __init__(self, notebook: Problems, name: str) -> None:
        super().__init__(lenient=notebook.lenient, limit=notebook.limit)
        self.notebook = notebook
        self.name = name
        self.n_found = 0

    def error(self, code: str, what: str, place: Place, *, expected: str = "", fix: str = "") -> None:
        """Count an error, which the notebook keeps."""
        self._count()
        self.notebook.error(code, what, place, expected=expected, fix=fix)

    def take(self, notes: Iterable[Problem]) -> None:
        """Count repairs; the notebook keeps all notes."""
        for note in notes:
            if note.severity == "repaired":
                self._count()
            self.notebook.take([note])

    def _count(self) -> None:
        self.n_found += 1
        if self.n_found > MOST_REPAIRS:
            what = f"more than {MOST_REPAIRS:,} things are wrong in the file"
            raise InputError(Problem("hoo-broken", what, Place(self.name), "a file of edits"))


def read_bytes(path: Source, limit: int = MOST_BYTES) -> bytes:
    """Read a whole file, gzipped or not, that may not be larger than ``limit`` bytes.

    Raises:
        InputError: If it cannot be opened or is larger; no more than the limit is ever read.
    """

    def refuse(what: str, fix: str) -> NoReturn:
        fix = fix or "name the file of one fragment"
        raise InputError(Problem("hoo-too-large", what, Place(display_name(path)), fix=fix))

    return read_limited(path, limit, refuse)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that somebody else may have to read; ``content`` is what is in it, for readers who cannot open it."""

    path: Path
    content: bytes | None = field(default=None, repr=False)

    def read(self) -> bytes:
        """What is in it, unpacked.

        Raises:
            InputError: If it cannot be opened or is too large.
        """
        return read_bytes(self.path) if self.content is None else self.content

    def loaded(self) -> DataFile:
        """The same with its content.

        Raises:
            InputError: If it cannot be opened or is too large.
        """
        return replace(self, content=self.read())


def parse_edits(content: bytes, name: str, problems: Problems) -> list[RawEdit]:
    """Parse an edit file.

    Args:
        content: The file.
        name: What it is called in messages.
        problems: Where elements and text out of place are recorded.

    Raises:
        InputError: If it is not well-formed XML (line and column are named), declares a document type or an
            entity, or its root is not ``edits``.
    """
    reader = _Reader(name, problems)
    parse(reader.parser, content, reader.not_xml)
    return reader.edits


class _Reader:
    """Collects ``edit`` elements from the events of the parser."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.edits: list[RawEdit] = []
        self.path: list[str] = []
        self.text: RawText | None = None
        self.parts: list[str] = []  # of that text: the parser gives it in pieces
        self.skipping = 0
        self.parser = guarded_parser(self._doctype)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data

    def not_xml(self, what: str, line: int) -> NoReturn:
        raise InputError(Problem("hoo-xml", what, Place(self.name, line), "an <edits> element"))

    @property
    def place(self) -> Place:
        return Place(self.name, self.parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> NoReturn:
        what = "the file declares a document type or an entity"
        fix = "take the declaration out: edit files need none, and it can be used to do harm"
        raise InputError(Problem("hoo-xml-entity", what, self.place, fix=fix))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        above = self.path[-1] if self.path else ""
        if self.skipping:
            self.skipping += 1
            return
        if tag not in _INSIDE[above]:
            if not self.path:
                raise InputError(Problem("hoo-root", f"the root element is <{tag}>", self.place, "<edits>"))
            inside = ", ".join(f"<{name}>" for name in sorted(_INSIDE[above])) or "nothing"
            what = f"{self._where()}<{tag}> stands inside <{above}>"
            repair = "the element is left out"
            self.problems.repairable("hoo-element", what, self.place, expected=f"{inside} inside it", repair=repair)
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
            what = f"{self._where()}a second <{tag}>"
            self.problems.repairable("hoo-element", what, self.place, expected="one", repair="the last one is used")
        edit.seen.add(tag)
        if tag == "original":
            edit.original = self.text = RawText()
        else:
            edit.corrections = []

    def _end(self, tag: str) -> None:
        if self.skipping:
            self.skipping -= 1
            return
        self.path.pop()
        if tag in ("original", "correction") and self.text is not None:
            self.text.text = "".join(self.parts)
            self.text = None
            self.parts.clear()

    def _data(self, data: str) -> None:
        if self.skipping:
            return
        if self.text is not None and self.path[-1] != "empty":
            self.parts.append(data)
        elif data.strip():
            what = f"{self._where()}text inside <{self.path[-1]}>: {data.strip()[:30]!r}"
            # The parser has read to the next tag already.
            line = self.parser.CurrentLineNumber - data.lstrip().count("\n")
            place = Place(self.name, line)
            self.problems.repairable("hoo-element", what, place, expected="elements", repair="left out")

    def _where(self) -> str:
        return f"edit {self.edits[-1].attributes.get('index', '?')}: " if self.edits and len(self.path) > 1 else ""
