"""References and systems cut into pieces for the workers of ``errorbar.execute``, which read them.

Whole lines, or sentences of M2 with their A lines, are cut without understanding them: a fiftieth of the time of
reading, so that one process can feed many.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats import LONGEST_SENTENCE
from errorbar.formats.catalog import recognize_line
from errorbar.formats.m2_file import m2_annotators, no_blank_line, read_m2
from errorbar.formats.opening import Lines, Unpacked, byte_blocks, open_bytes, read_once
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
from errorbar.formats.text import HypothesisReader

BLOCK = 1 << 20  # bytes read at a time
_BOM = b"\xef\xbb\xbf"
_S, _SPACE, _LF, _CR = b"S \n\r"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive units of a file: their bytes, or where these are."""

    path: str
    start: int  # in bytes
    size: int
    lines_before: int
    separated: bool  # a blank line ended the sentence before it
    data: bytes | None  # None: to be read from the file

    def read(self) -> bytes:
        """The bytes."""
        if self.data is not None:
            return self.data
        try:
            with Path(self.path).open("rb") as stream:
                stream.seek(self.start)
                data = stream.read(self.size)
        except OSError as error:
            what = f"cannot be read by a worker: {error.strerror}"
            raise InputError(Problem("cannot-open", what, Place(self.path))) from None
        if len(data) < self.size:
            what = "has become shorter while it was read"
            raise InputError(Problem("file-changed", what, Place(self.path), fix="run again"))
        return data

    def lines(self, problems: Problems) -> Lines:
        """Its lines, which know where in the file they stand."""
        return Lines(self.path, problems, cut=[self.read()], before=self.lines_before)


class Cutter:
    """Cuts a file into stretches of ``sentences`` of M2, or lines, one after the other; holds one at a time.

    ``carry``: stretches hold their bytes, for workers who do not see the file; those of gzipped files always do.
    """

    def __init__(self, path: str, *, sentences: bool, carry: bool) -> None:
        self.path = path
        self.sentences = sentences
        self._blocks = byte_blocks(path, size=BLOCK)
        with open_bytes(path) as stream:
            self.carry = carry or isinstance(stream.raw, Unpacked)
        self._buffer = b""
        self._scanned = 0
        self._starts: NDArray[np.int64] = np.empty(0, np.int64)
        self._offset = self._lines = 0
        self._separated = True
        self._ended = False

    def take(self, size: int) -> tuple[Stretch, int]:
        """The next ``size`` units, or as many as there are, and their number."""
        while len(self._starts) <= size and not self._ended:
            self._fill()
        n = min(size, len(self._starts))
        end = int(self._starts[n]) if len(self._starts) > n else len(self._buffer)
        data = self._buffer[:end]
        stretch = Stretch(self.path, self._offset, end, self._lines, self._separated, data if self.carry else None)
        if n and self.sentences:
            self._separated = _ends_block(data[int(self._starts[n - 1]) :])
        self._buffer = self._buffer[end:]
        self._starts = self._starts[n:] - end
        self._scanned -= end
        self._offset += end
        self._lines += data.count(b"\n")
        return stretch, n

    def rest(self) -> Iterator[bytes]:
        """The bytes of what was not taken, in blocks that end with lines."""
        while (taken := self.take(1 << 14))[1]:
            yield taken[0].read()

    def close(self) -> None:
        """Close the file."""
        self._blocks.close()

    def _fill(self) -> None:
        block = next(self._blocks, b"")
        self._ended = not block
        self._buffer += block
        end = len(self._buffer)
        if self._ended:
            return
        # What ends without a line feed still is a line; the second byte is for looking ahead.
        tail = b"\n" if block.endswith(b"\n") else b"\n\n"
        self._starts = np.append(self._starts, self._find(block + tail, end))
        self._scanned = end
        if end - int(self._starts[-1] if len(self._starts) else 0) > LONGEST_SENTENCE:
            what = f"a sentence whose A lines have more than {LONGEST_SENTENCE:,} bytes"
            place = Place(self.path, self._lines + self._buffer.count(b"\n"))
            fix = "or read it by one process: --jobs 1"
            raise InputError(Problem("sentence-too-long", what, place, "S lines", fix))

    def _find(self, text: bytes, end: int) -> NDArray[np.int64]:
        """Where units start, in lines that are complete."""
        characters = np.frombuffer(text, np.uint8)
        starts = np.append(0, np.flatnonzero(characters[: end - self._scanned - 1] == _LF) + 1)
        if self.sentences:
            if not self._offset and not self._scanned and text.startswith(_BOM):
                starts[0] = len(_BOM)
            starts = starts[characters[starts] == _S]
            second = characters[starts + 1]
            alone = second == _LF
            alone[second == _CR] = characters[starts[second == _CR] + 2] == _LF
            starts = starts[(second == _SPACE) | alone]
            if not self._offset and not len(self._starts) and len(starts):
                starts[0] = 0  # what is before the first sentence goes with it
        return starts + self._scanned


def _ends_block(sentence: bytes) -> bool:
    """Whether there is a blank line after the last S line, as the reader of M2 tells both."""
    for line in reversed(sentence.removeprefix(_BOM).split(b"\n")[:-1]):
        text = line.decode(errors="replace").removesuffix("\r")
        if not text or text.isspace():
            return True
        if text[:2] in ("S ", "S"):
            break
    return False


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
        self.cutter.close()


def can_cut(references: Sequence[NamedFile], systems: Sequence[NamedFile]) -> bool:
    """Whether these files can be read in pieces: references in M2, and nothing that can be read only once."""
    if any(read_once(file.path) for file in (*references, *systems)):
        return False
    # A missing file of a system is better known before workers start.
    first = [Lines(file.path, Problems(lenient=True)).peek().lstrip() for file in (*systems, *references)]
    return all(line.startswith("S") and recognize_line(line).name == "m2" for line in first[len(systems) :])


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
        parts = tuple(
            Part(file, stretch, *policy, len(references) > 1)
            for file, (stretch, _), policy in zip(references, taken, known, strict=True)
        )
        yield TextPiece(parts, tuple(system.cut(n) for system in systems), problems.lenient, problems.as_written)
    for cutter in cutters:
        cutter.close()
    problems.raise_errors()


def _known(file: NamedFile, unmarked: Unmarked) -> tuple[Unmarked, tuple[str, ...]]:
    """What bare sentences mean, and the annotators that it takes to know it, by looking at no more than is needed."""
    if unmarked in OF_ALL:
        return unmarked, tuple(m2_annotators(file.path))
    if unmarked != "auto":
        return unmarked, ()
    known = tuple(m2_annotators(file.path, most=2))
    return ("auto", known) if len(known) == 1 else ("official", ())
