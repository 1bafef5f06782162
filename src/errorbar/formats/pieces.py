"""References and systems cut into pieces for the workers of ``errorbar.execute``, which read them.

Whole lines, or sentences of M2 with their A lines, are cut without understanding them: a fiftieth of the time of
reading, so that one process can feed many.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.formats.catalog import FORMATS, format_of
from errorbar.formats.look import Lines, look
from errorbar.formats.m2_file import m2_annotators, no_blank_line, read_m2
from errorbar.formats.reference import (
    ALL,
    OF_ALL,
    NamedFile,
    ReferenceStream,
    Unmarked,
    corpus_of,
    reference_chunks,
    refuse_same_names,
)
from errorbar.formats.text import Cutter, HypothesisReader, Stretch


class Reading(NamedTuple):
    """What a piece holds: sentences, their annotators, and the lines of systems, fewer where a file has ended."""

    corpus: Corpus
    lines: list[list[str]]
    problems: Problems


@dataclass(frozen=True, slots=True)
class Part:
    """A reference file's part of a piece, and what is known of the whole file."""

    file: NamedFile
    stretch: Stretch
    unmarked: Unmarked  # ``auto`` only where ``known`` is the file's only annotator
    known: tuple[str, ...]  # annotators of the file, as far as a meaning depends on them
    rename: bool  # there are several files

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
    """Sentences of the references and the systems' lines for them, unread."""

    references: tuple[Part, ...]
    systems: tuple[Stretch, ...]
    lenient: bool
    as_written: bool = False

    def read(self) -> Reading:
        """Read it; whoever collects the pieces sets the limit of problems."""
        problems = Problems(lenient=self.lenient, limit=sys.maxsize, as_written=self.as_written)
        streams = [part.stream(problems) for part in self.references]
        corpus = corpus_of([stream.take(ALL) for stream in streams], streams)
        return Reading(corpus, [list(stretch.lines(problems)) for stretch in self.systems], problems)


class CutSystem(HypothesisReader):
    """A system's file, cut in step with the references; complains at the end if its length differs."""

    def __init__(self, file: NamedFile, problems: Problems, *, carry: bool) -> None:
        super().__init__(file.path, file.name, Problems(lenient=True))  # looks at the first lines only
        self.problems = problems
        self.cutter = Cutter(file.path, sentences=False, carry=carry)

    def cut(self, size: int) -> Stretch:
        """The next lines, as many as there are up to ``size``."""
        stretch, n = self.cutter.take(size)
        self.count += n
        return stretch

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        self.lines = Lines(self.cutter.path, self.problems, cut=self.cutter.rest(), before=self.count)
        super().finish(n_sentences)


def can_cut(references: Sequence[NamedFile], systems: Sequence[NamedFile]) -> bool:
    """Whether these files can be read in pieces: references in M2, systems line by line, nothing read only once."""
    outputs, golds = ([look(file.path) for file in files] for files in (systems, references))
    if any(source.is_pipe for source in (*golds, *outputs)):
        return False
    # A missing file of a system is better known before workers start.
    kinds = [format_of(source).name for source in outputs]
    if any(kind not in FORMATS or kind in ("multigec", "multiged") for kind in kinds):
        return False
    return all(format_of(source).name == "m2" for source in golds)


def cut_pieces(
    references: Sequence[NamedFile],
    systems: Sequence[CutSystem],
    problems: Problems,
    *,
    unmarked: Unmarked = "auto",
    size: int,
    carry: bool,
) -> Iterator[TextPiece]:
    """Cut references, M2 files over the same sentences, and systems in step into pieces of ``size`` sentences.

    The mode of ``problems`` is that of the pieces; ``carry``: they hold their text.
    """
    refuse_same_names(references, "reference files", "--gold=name=path")
    known = [_known(file, unmarked) for file in references]
    cutters = [Cutter(file.path, sentences=True, carry=carry) for file in references]
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
        each = zip(references, taken, known, strict=True)
        parts = tuple(Part(file, stretch, *policy, len(references) > 1) for file, (stretch, _), policy in each)
        yield TextPiece(parts, tuple(system.cut(n) for system in systems), problems.lenient, problems.as_written)
    problems.raise_errors()


def _known(file: NamedFile, unmarked: Unmarked) -> tuple[Unmarked, tuple[str, ...]]:
    """What bare sentences mean, and the annotators that it takes to know it, by looking at no more than is needed."""
    if unmarked in OF_ALL:
        return unmarked, tuple(m2_annotators(file.path))
    if unmarked != "auto":
        return unmarked, ()
    known = tuple(m2_annotators(file.path, most=2))
    return ("auto", known) if len(known) == 1 else ("official", ())
