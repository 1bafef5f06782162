"""Essays as MultiGEC-2025 has them: a line ``### essay_id = ID`` and below it the text, to the next such line.

A source, each of its references and each system are one such file. They belong together by the ids of the essays, in
whatever order these stand: a reference may have only some of them, a system must have all. An essay is one unit; the
line feeds and blank lines in it are white space between tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from errorbar.core.corpus import Sentence
from errorbar.core.labels import format_count, quote_labels
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.formats.look import Lines

HEADER = "### essay_id = "
_HEADER = re.compile(r"\s*#+\s*essay_id\s*[=:]\s*(.*)")  # as it must be, or nearly


class EssayText(NamedTuple):
    """An essay: its id, its text with one space for any white space, and the line of its header."""

    id: str
    text: str
    line: int


class AlignedEssay(NamedTuple):
    """An essay of a source, and its text in each of several files; None where a file does not have it."""

    essay: EssayText
    texts: tuple[str | None, ...]


def is_essays(line: str) -> bool:
    """Whether a first line is the header of an essay, or is meant to be one."""
    return _HEADER.match(line) is not None


def read_essay_texts(lines: Lines, problems: Problems) -> Iterator[EssayText]:
    """Read a file essay by essay; one whose id stood before is an error and left out."""
    seen: dict[str, int] = {}
    words: list[str] = []
    essay, before, at = "", "", 0
    for number, line in enumerate(lines, 1):
        header = _HEADER.match(line)
        if header is None:
            if at:
                words += line.split()
            elif line.strip() and not before:
                before = f"text before the first header: {line.strip()[:30]!r}"
                problems.error("essay-header", before, Place(lines.name, number), f"{HEADER}ID")
            continue
        if at and essay:
            yield EssayText(essay, " ".join(words), at)
        essay, at, words = _id(line, header[1].strip(), Place(lines.name, number), problems), number, []
        if essay and essay in seen:
            message = f"a second essay with the id {essay!r}; the first stands in line {seen[essay]}"
            problems.error("essay-twice", message, Place(lines.name, number), "every id once in a file")
            essay = ""
        elif essay:
            seen[essay] = number
    if at and essay:
        yield EssayText(essay, " ".join(words), at)
    if not at:
        problems.error("essays-empty", "no essay in the file", Place(lines.name), f"{HEADER}ID and a text")


def _id(line: str, said: str, place: Place, problems: Problems) -> str:
    """The id in a header; none where the essay cannot be told from others."""
    if not said:
        problems.error("essay-header", "a header without an id", place, f"{HEADER}ID")
    elif not line.startswith(HEADER):
        message = f"the header {line.strip()[:40]!r} is not written as MultiGEC writes it"
        problems.repairable("essay-header", message, place, "it is read as one", f"{HEADER}{said}")
    return said


def read_essays_as_sentences(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read a file alone, each essay as a sentence of its own document: nobody looked."""
    for essay in read_essay_texts(lines, problems):
        yield Sentence(essay.text, document=essay.id, line=essay.line)


def align_essays(source: Lines, files: Sequence[Lines], problems: Problems) -> Iterator[AlignedEssay]:
    """The essays of a source in their order, each with its text in every other file; the caller raises the problems."""
    there = [{essay.id: essay for essay in read_essay_texts(lines, problems)} for lines in files]
    n_essays, known = 0, set[str]()
    for essay in read_essay_texts(source, problems):
        n_essays += 1
        known.add(essay.id)
        versions = [texts.get(essay.id) for texts in there]
        yield AlignedEssay(essay, tuple(None if one is None else one.text for one in versions))
    for lines, texts in zip(files, there, strict=True):
        unknown = [essay for essay in texts.values() if essay.id not in known]
        _refuse_unknown(unknown, lines.name, source.name, problems)
        if n_absent := n_essays - (len(texts) - len(unknown)):
            share, them = f"{n_absent:,} of {format_count(n_essays, 'essays')}", "it" if n_absent == 1 else "them"
            message = f"{share} are not in this file: its annotator did not look at {them}"
            problems.note("essays-absent", message, Place(lines.name))


def _refuse_unknown(unknown: Iterable[EssayText], name: str, source: str, problems: Problems) -> None:
    for essay in unknown:
        message = f"the essay {essay.id!r} is not in {source}"
        problems.error("essay-unknown", message, Place(name, essay.line), "an id of the source")


class EssayReader:
    """Reads a system's essays in step with a reference of whole essays, by their ids."""

    def __init__(self, lines: Lines, name: str, problems: Problems) -> None:
        self.name = name
        self.count = 0
        self._place, self._problems = Place(lines.name), problems
        self._left = {essay.id: essay for essay in read_essay_texts(lines, problems)}
        self._missing: list[str] = []
        self._seen: set[str] = set()

    def take(self, size: int) -> list[str]:
        """The next texts in the order of the file, as many as there are up to ``size``, where no ids are wanted."""
        taken = [self._left.pop(essay).text for essay in list(islice(self._left, min(size, len(self._left))))]
        self.count += len(taken)
        return taken

    def take_for(self, sentences: Sequence[Sentence]) -> list[str]:
        """The text of each essay; "" for one that is missing, which ``finish`` says.

        Raises:
            InputError: If the reference does not tell the essays, or cuts them into sentences.
        """
        taken = []
        for sentence in sentences:
            essay = sentence.document
            if not essay or essay in self._seen:
                fault = f"has the essay {essay!r} in several sentences" if essay else "does not tell its essays"
                message = f"this file has whole essays by their ids, and the reference {fault}"
                fix = "make one of whole essays: errorbar convert --source orig.md ref1.md -o gold.jsonl"
                raise InputError(Problem("essay-reference", message, self._place, fix=fix))
            self._seen.add(essay)
            text = self._left.pop(essay, None)
            if text is None:
                self._missing.append(essay)
            taken.append("" if text is None else text.text)
        self.count += len(taken)
        return taken

    def finish(self, n_sentences: int) -> None:
        """Check that every essay of the reference was there, and no other."""
        if self._missing:
            n, of = len(self._missing), format_count(n_sentences, "essays")
            message = f"{n:,} of {of} {'is' if n == 1 else 'are'} missing: {quote_labels(self._missing)}"
            self._problems.error("essay-missing", message, self._place, "every essay of the reference, changed or not")
        _refuse_unknown(self._left.values(), self._place.file, "the reference", self._problems)
