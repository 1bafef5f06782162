"""NUCLE SGML: essays in paragraphs, and mistakes that point at paragraphs and characters.

It is SGML in name only: ``&`` and ``<`` stand unescaped, so all but the dozen tags of the format is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from errorbar.core.errors import InputError, Place, Problem, shortened
from errorbar.core.problems import Problems
from errorbar.formats import MOST_DIGITS
from errorbar.formats.look import Lines
from errorbar.formats.untrusted import whole_number

_LEAVES = ("TITLE", "P", "TYPE", "CORRECTION", "COMMENT")
_BRANCHES = ("DOC", "TEXT", "ANNOTATION", "MISTAKE")
_TAG = re.compile(rf"<(/?)({'|'.join(_LEAVES + _BRANCHES)})((?:\s[^<>]*)?)>", re.IGNORECASE)
# A name is looked at from its first letter only, or a long one would be looked at once for each letter.
_ATTRIBUTE = re.compile(r"""(?<![A-Za-z_])([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_NUMBERS = ("start_par", "start_off", "end_par", "end_off")


class Mistake(NamedTuple):
    """One annotated mistake, from a paragraph and offset to before another; a title counts as a paragraph."""

    start_par: int
    start: int
    end_par: int
    end: int
    type: str
    correction: str | None  # untokenized; None: none was given (NUCLE always has one)
    comment: str  # on one line
    place: Place


@dataclass(slots=True)
class Essay:
    """One ``DOC``: title and paragraphs, none where the file holds annotations only, and each annotator's mistakes."""

    nid: str
    place: Place
    paragraphs: list[str] = field(default_factory=list)
    annotations: dict[str, list[Mistake]] = field(default_factory=dict)
    partial: set[str] = field(default_factory=set)  # whose files have no text: they looked only where they marked


def read_nucle(lines: Lines, problems: Problems) -> Iterator[Essay]:
    """Read NUCLE SGML essay by essay.

    A line feed after an opening tag and one before a closing tag are not part of the text. The five named entities of
    SGML are decoded, and offsets count the decoded characters.
    """
    reader = _Reader(lines.name, problems)
    for number, line in enumerate(lines, 1):
        yield from reader.feed(line, number)
    reader.finish()


def read_essays(path: str, problems: Problems) -> list[Essay]:
    """Read NUCLE essays whole: what is wrong with them is said before anything else fails because of it."""
    lines = Lines(path, problems)
    first = lines.peek().lstrip()
    if first and not first.startswith("<"):
        what = f"this is no NUCLE SGML; it starts {first[:30]!r}"
        raise InputError(Problem("unknown-format", what, Place(lines.name, 1), "<DOC ...>"))
    essays = list(read_nucle(lines, problems))
    problems.raise_errors()
    return essays


def merge_essays(files: Sequence[tuple[str, Iterable[Essay]]]) -> list[Essay]:
    """Bring the annotations of several files, each with its name, over the essays of the first together.

    The annotator of a file that knows only one takes the name of the file; otherwise they become ``name.annotator``.
    An essay without text takes that of the first file; other text or another essay is an error.
    """
    merged: dict[str, Essay] = {}
    for at, (name, stream) in enumerate(files):
        essays = list(stream)
        known = dict.fromkeys(annotator for essay in essays for annotator in essay.annotations)
        called = {a: name if len(known) == 1 else f"{name}.{a}" for a in known}
        for essay in essays:
            if not at:
                merged[essay.nid] = Essay(essay.nid, essay.place, essay.paragraphs)
            base = merged.get(essay.nid)
            if base is None:
                what, fix = f"the essay {essay.nid!r} is not in {files[0][0]}", "name the file with all essays first"
                raise InputError(Problem("nucle-other-essay", what, essay.place, fix=fix))
            if essay.paragraphs and essay.paragraphs != base.paragraphs:
                what = f"the essay {essay.nid!r} has other text than in {files[0][0]}"
                raise InputError(Problem("nucle-other-text", what, essay.place, fix="give files over the same essays"))
            base.annotations |= {called[annotator]: mistakes for annotator, mistakes in essay.annotations.items()}
            if not essay.paragraphs:
                base.partial |= {called[annotator] for annotator in essay.annotations}
    return list(merged.values())


class _Reader:
    """Takes a file line by line: which elements are open, and what they hold so far."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.essay: Essay | None = None
        self.annotator: str | None = None
        self.mistake: tuple[Place, list[int | None]] | None = None  # and its numbers
        self.values: dict[str, str] = {}  # its leaves
        self.leaf = ""
        self.leaf_line = 0
        self.parts: list[str] = []
        self.place = Place(name)
        self.seen: set[str] = set()

    def feed(self, line: str, number: int) -> Iterator[Essay]:
        self.place = Place(self.name, number)
        at = 0
        for tag in _TAG.finditer(line):
            self._text(line[at : tag.start()])
            at = tag.end()
            name = tag[2].upper()
            if not tag[1]:
                self._leaf_ends_before(f"<{name}>")
                self._open(name, {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(tag[3])})
            elif name == self.leaf:
                self._end_leaf()
            else:
                self._leaf_ends_before(f"</{name}>")
                yield from self._close(name)
        self._text(line[at:])
        if self.leaf:
            self.parts.append("\n")

    def finish(self) -> None:
        if self.essay is not None:
            self.error("nucle-unclosed", f"the essay {self.essay.nid!r} is not closed", "</DOC>", self.essay.place)
        elif not self.seen:
            self.problems.error("nucle-empty", "no essay in the file", Place(self.name), "<DOC nid=...>")

    def _text(self, text: str) -> None:
        if self.leaf:
            self.parts.append(text)
        elif text.strip():
            what = f"text outside of paragraphs and corrections: {text.strip()[:40]!r}"
            self.repairable("nucle-stray", what, "a tag", "left out")

    def _open(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "DOC":
            self._open_essay(attributes.get("nid", ""))
        elif self.essay is None:
            self.error("nucle-place", f"<{name}> outside of an essay", "<DOC nid=...> before it")
        elif name == "ANNOTATION":
            self.annotator = attributes.get("teacher_id", "")
            if not self.annotator:
                self.error("nucle-attribute", "<ANNOTATION> without teacher_id", 'teacher_id="..."')
            self.essay.annotations.setdefault(self.annotator, [])
        elif name == "MISTAKE":
            self._open_mistake(attributes)
        elif name in _LEAVES:
            self.leaf, self.leaf_line, self.parts = name, self.place.line, []

    def _open_essay(self, nid: str) -> None:
        if self.essay is not None:
            self.error("nucle-unclosed", f"<DOC> inside of the essay {self.essay.nid!r}", "</DOC>")
        if not nid:
            self.error("nucle-attribute", "<DOC> without nid", 'nid="..."')
        elif nid in self.seen:
            self.error("nucle-twice", f"a second essay with the id {nid!r}", "every nid once")
        self.seen.add(nid)
        self.essay = Essay(nid, self.place)
        self.annotator = self.mistake = None

    def _open_mistake(self, attributes: Mapping[str, str]) -> None:
        if self.mistake is not None:
            self.error("nucle-unclosed", "<MISTAKE> inside of a <MISTAKE>", "</MISTAKE>")
        numbers = [whole_number(attributes.get(key, "")) for key in _NUMBERS]
        self.mistake, self.values = (self.place, numbers), {}
        for key, number in zip(_NUMBERS, numbers, strict=True):
            if number is None:
                said = f"with {key}={shortened(attributes[key])!r}" if key in attributes else f"without {key}"
                expected = f"a whole number of at most {MOST_DIGITS} digits"
                self.repairable("nucle-attribute", f"<MISTAKE> {said}", expected, "the mistake is dropped")

    def _close(self, name: str) -> Iterator[Essay]:
        opened = {"DOC": self.essay, "MISTAKE": self.mistake, "ANNOTATION": self.annotator, "TEXT": self.essay}
        if opened.get(name) is None:
            self.repairable("nucle-place", f"</{name}> without <{name}>", f"<{name}>", "left out")
        elif name == "MISTAKE":
            self._end_mistake()
        elif name == "ANNOTATION":
            self.annotator = None
        elif name == "DOC" and self.essay is not None:
            if self.mistake is not None:
                self.error("nucle-unclosed", "</DOC> inside of a <MISTAKE>", "</MISTAKE>", self.mistake[0])
                self.mistake = None
            essay, self.essay = self.essay, None
            yield essay

    def _leaf_ends_before(self, tag: str) -> None:
        if self.leaf:
            what = f"{tag} inside of <{self.leaf}> from line {self.leaf_line}"
            self.repairable("nucle-unclosed", what, f"</{self.leaf}>", f"<{self.leaf}> ends here")
            self._end_leaf()

    def _end_leaf(self) -> None:
        text = "".join(self.parts).removeprefix("\n").removesuffix("\n")
        text = _ENTITY.sub(lambda match: _ENTITIES[match[1]], text)
        leaf, self.leaf = self.leaf, ""
        if leaf in ("TITLE", "P"):
            if self.essay is not None:
                self.essay.paragraphs.append(text)
        elif self.mistake is None:
            self.repairable("nucle-place", f"<{leaf}> outside of a <MISTAKE>", "<MISTAKE ...>", "left out")
        elif leaf in self.values:
            self.repairable("nucle-twice", f"a second <{leaf}> in a <MISTAKE>", "one", "the first is used")
        else:
            self.values[leaf] = text

    def _end_mistake(self) -> None:
        assert self.essay is not None
        assert self.mistake is not None
        (place, numbers), self.mistake = self.mistake, None
        if self.annotator is None:
            self.error("nucle-place", "<MISTAKE> outside of an <ANNOTATION>", "<ANNOTATION teacher_id=...>")
            return
        missing = next((leaf for leaf in ("TYPE", "CORRECTION") if leaf not in self.values), "")
        if missing:
            what, expected = f"<MISTAKE> without <{missing}>", f"<{missing}>...</{missing}>"
            self.repairable("nucle-missing", what, expected, "the mistake is dropped")
            return
        span = [number for number in numbers if number is not None]
        if len(span) == len(_NUMBERS):
            kind, comment = (" ".join(self.values.get(leaf, "").split()) for leaf in ("TYPE", "COMMENT"))
            first, start, last, end = span
            found = Mistake(first, start, last, end, kind, self.values["CORRECTION"], comment, place)
            self.essay.annotations[self.annotator].append(found)

    def error(self, code: str, what: str, expected: str, place: Place | None = None) -> None:
        self.problems.error(code, what, place or self.place, expected)

    def repairable(self, code: str, what: str, expected: str, repair: str) -> None:
        self.problems.repairable(code, what, self.place, repair, expected)
