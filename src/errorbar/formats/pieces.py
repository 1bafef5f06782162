"""References and systems cut into pieces that are read elsewhere: what workers of ``errorbar.execute`` are given."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.formats.catalog import recognize_line
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.m2_file import m2_annotators, no_blank_line, read_m2
from errorbar.formats.opening import Lines, read_once
from errorbar.formats.reference import (
    ALL,
    OF_ALL,
    NamedFile,
    ReferenceStream,
    Unmarked,
    in_step,
    reference_chunks,
    refuse_same_names,
)
from errorbar.formats.stretches import Cutter, Stretch


@dataclass(frozen=True, slots=True)
class Reading:
    """What a piece holds.

    Attributes:
        corpus: The sentences, with the annotators that occur in them.
        lines: Each system's sentences; fewer where its file has ended.
        problems: What its reading found.
    """

    corpus: Corpus
    lines: list[list[str]]
    problems: Problems


@dataclass(frozen=True, slots=True)
class Part:
    """A reference file's part of a piece: its sentences, and what is known of the whole file.

    Attributes:
        file: The file and its name.
        stretch: The sentences.
        unmarked: What a sentence without any A line means: ``auto`` only where ``known`` is the file's only annotator.
        known: Annotators of the file, as far as a meaning depends on them.
        rename: Whether there are several files.
    """

    file: NamedFile
    stretch: Stretch
    unmarked: Unmarked
    known: tuple[str, ...]
    rename: bool

    def stream(self, problems: Problems) -> ReferenceStream:
        """The stretch, read as the whole file would be."""
        lines = self.stretch.lines(problems)
        if not self.stretch.separated:
            lines.peek()  # what cannot be decoded is said first, as in a whole file
            no_blank_line(Place(lines.name, lines.before + 1), problems)
        known = dict.fromkeys(self.known)
        return ReferenceStream(self.file, read_m2(lines, problems), self.unmarked, self.rename, known, complete=True)


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Sentences of the references and the systems' lines for them, unread.

    Attributes:
        references: Each reference file's part.
        systems: Each system's lines.
        lenient: Mend what can be mended.
        as_written: Keep edits as they are written.
    """

    references: tuple[Part, ...]
    systems: tuple[Stretch, ...]
    lenient: bool
    as_written: bool = False

    def read(self) -> Reading:
        """Read it."""
        # Whoever collects the pieces sets the limit.
        problems = Problems(lenient=self.lenient, limit=sys.maxsize, as_written=self.as_written)
        streams = [part.stream(problems) for part in self.references]
        parts = [stream.take(ALL) for stream in streams]
        sentences = in_step(parts, streams)
        annotators = tuple(name for stream in streams for name in stream.annotators())
        lines = [list(stretch.lines(problems)) for stretch in self.systems]
        return Reading(Corpus(sentences, annotators, self.references[0].file.name), lines, problems)


class CutSystem:
    """A system's file, cut in step with the references; complains at the end if its length differs."""

    def __init__(self, file: NamedFile, problems: Problems, *, carry: bool) -> None:
        self._reader = HypothesisReader(file, Problems(lenient=True))  # looks at the first lines only
        self._reader.problems = problems
        self.cutter = Cutter(file.path, sentences=False, carry=carry)

    @property
    def name(self) -> str:
        """The system's name."""
        return self._reader.name

    def take(self, size: int) -> Stretch:
        """The next lines, as many as there are up to ``size``."""
        stretch, n = self.cutter.take(size)
        self._reader.count += n
        return stretch

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        reader = self._reader
        reader.lines = Lines(self.cutter.path, reader.problems, cut=self.cutter.rest(), before=reader.count)
        reader.finish(n_sentences)
        self.cutter.close()


def can_cut(references: Sequence[NamedFile], systems: Sequence[NamedFile]) -> bool:
    """Whether these files can be read in pieces: references in M2, and nothing that can be read only once."""
    if any(read_once(file.path) for file in (*references, *systems)):
        return False
    for file in systems:
        Lines(file.path, Problems(lenient=True)).peek()  # a missing file is better known before workers start
    first = [Lines(file.path, Problems(lenient=True)).peek().lstrip() for file in references]
    return all(line.startswith("S") and recognize_line(line).name == "m2" for line in first)


def cut_pieces(
    references: Sequence[NamedFile],
    systems: Sequence[CutSystem],
    problems: Problems,
    *,
    unmarked: Unmarked = "auto",
    size: int,
    carry: bool,
) -> Iterator[TextPiece]:
    """Cut references and systems, in step, into pieces of ``size`` sentences.

    Args:
        references: M2 files over the same sentences (``can_cut``).
        systems: The systems' files.
        problems: Where problems are recorded; its mode is that of the pieces.
        unmarked: What a sentence without any A line means.
        size: Sentences of a piece.
        carry: Pieces hold their text, for workers who do not see the files.

    Raises:
        UsageError: If two reference files have one name.
    """
    refuse_same_names(references, "reference files", "--gold=name=path")
    whole = [_policy(file, unmarked) for file in references]
    cutters = [Cutter(file.path, sentences=True, carry=carry) for file in references]
    rename = len(references) > 1
    at = 0
    while True:
        taken = [cutter.take(size) for cutter in cutters]
        n = taken[0][1]
        if any(other != n for _, other in taken) or not (at or n):
            for _ in reference_chunks(references, problems, unmarked=unmarked):  # which says what is wrong
                pass
        if not n:
            break
        at += n
        parts = tuple(
            Part(file, stretch, *policy, rename)
            for file, (stretch, _), policy in zip(references, taken, whole, strict=True)
        )
        yield TextPiece(parts, tuple(system.take(n) for system in systems), problems.lenient, problems.as_written)
    for cutter in cutters:
        cutter.close()
    problems.raise_errors()


def _policy(file: NamedFile, unmarked: Unmarked) -> tuple[Unmarked, tuple[str, ...]]:
    """What bare sentences mean, and the annotators that it takes to know it, by looking at no more than is needed."""
    if unmarked in OF_ALL:
        return unmarked, tuple(m2_annotators(file.path))
    if unmarked != "auto":
        return unmarked, ()
    known = tuple(m2_annotators(file.path, most=2))
    return ("auto", known) if len(known) == 1 else ("official", ())
