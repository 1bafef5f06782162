"""The map over a stream: what is measured of one piece, by whichever worker has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from errorbar.core.corpus import Corpus, reference_record, source_record, type_record
from errorbar.core.problems import Problems
from errorbar.edits.likeness import Evidence, evidence
from errorbar.edits.shift import WINDOW, Changed, ShiftDetector, changed_lines
from errorbar.metrics.base import Metric
from errorbar.metrics.statistics import Statistics

if TYPE_CHECKING:
    from errorbar.edits.retokenize import Retokenized


class Reading(Protocol):
    """A piece that has been read."""

    @property
    def corpus(self) -> Corpus:
        """The sentences."""
        ...

    @property
    def lines(self) -> Sequence[Sequence[str]]:
        """Each system's sentences; fewer than the corpus has where its file has ended."""
        ...

    @property
    def problems(self) -> Problems:
        """What reading found."""
        ...


class Piece(Protocol):
    """A stretch of a corpus with the systems' lines for it."""

    def read(self) -> Reading:
        """Read it, wherever it is worked on."""
        ...


@dataclass(frozen=True, slots=True)
class CorpusPiece:
    """A piece that is in memory."""

    corpus: Corpus
    lines: list[Sequence[str]]
    problems: Problems = field(default_factory=Problems)

    def read(self) -> CorpusPiece:
        """The piece itself."""
        return self


@dataclass(frozen=True, slots=True)
class Edges:
    """What the neighbors of a piece need to find lines that are shifted across the border.

    Attributes:
        shifted: Suspicious lines, counted from 1 in the piece.
        head: The first source and system lines.
        tail: The last ones.
    """

    shifted: list[int]
    head: list[tuple[str, str]]
    tail: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SystemPart:
    """What is kept of a system's lines.

    Attributes:
        record: Their canonical text, for the hash.
        edges: Where they look shifted.
        evidence: Whether they look like corrections of the source.
        retokenized: What was changed in them before; None where nobody asked.
        statistics: What each measuring kept, by ``measure_key``.
    """

    record: str
    edges: Edges
    evidence: Evidence
    retokenized: Retokenized | None
    statistics: dict[str, Statistics]


@dataclass(frozen=True, slots=True)
class Part:
    """What is kept of a piece.

    Attributes:
        n: How many sentences it has.
        annotators: The annotators known to it.
        source: The canonical text of the source, for the hash.
        reference: That of the annotations.
        types: That of the error types; empty where nobody asked.
        documents: The document of each sentence; None where nobody asked.
        absent: Sentences that an annotator did not look at, for annotators who are scored against alone.
        systems: Each system's part, to be gone through once; None where its file has ended.
        problems: What reading found.
    """

    n: int
    annotators: tuple[str, ...]
    source: str
    reference: str
    types: str
    documents: list[str] | None
    absent: dict[str, int]
    systems: Iterable[SystemPart | None]
    problems: Problems


@dataclass(frozen=True, slots=True)
class Measuring:
    """The work on one piece: pure, and independent of every other piece.

    Attributes:
        metrics: What to measure; metrics with one ``measure_key`` share.
        by_type: Also count each error type.
        documents: Keep the document of each sentence.
        retokenize: First give lines that look untokenized the source's tokens.
        lazy: Measure each system when its part is asked for, so that memory is that of one; for work in one process.
    """

    metrics: tuple[Metric, ...]
    by_type: bool = False
    documents: bool = False
    retokenize: bool = False
    lazy: bool = False

    def __call__(self, piece: Piece) -> Part:
        """Measure a piece.

        Raises:
            InputError: If it cannot be read, or a sentence pair is too large.
        """
        reading = piece.read()
        corpus = reading.corpus
        sentences = corpus.sentences
        named = [metric.annotator for metric in self.metrics if metric.annotator is not None]
        texts = [sentence.text for sentence in sentences]
        systems = (self._system(corpus, texts, lines) if len(lines) == len(corpus) else None for lines in reading.lines)
        return Part(
            len(corpus),
            corpus.annotators,
            "\n".join(map(source_record, sentences)),
            "\n".join([reference_record(sentence.annotations) for sentence in sentences]),
            "\n".join([type_record(sentence.annotations) for sentence in sentences]) if self.by_type else "",
            [sentence.document for sentence in sentences] if self.documents else None,
            {only: sum(only not in sentence.annotations for sentence in sentences) for only in named},
            systems if self.lazy else list(systems),
            reading.problems,
        )

    def _system(self, corpus: Corpus, texts: Sequence[str], lines: Sequence[str]) -> SystemPart:
        measurers: dict[str, Metric] = {}
        for metric in self.metrics:
            measurers.setdefault(metric.measure_key, metric)
        done = None
        if self.retokenize:
            from errorbar.edits.retokenize import retokenize_lines  # noqa: PLC0415 - few ask for it

            lines, done = retokenize_lines(texts, lines)
        changed = changed_lines(texts, lines)
        return SystemPart(
            "\n".join([" ".join(line.split()) for line in lines]),
            _edges(texts, lines, changed),
            evidence(texts, lines, changed),
            done,
            {key: metric.measure(corpus, lines, by_type=self.by_type) for key, metric in measurers.items()},
        )


def _edges(texts: Sequence[str], lines: Sequence[str], changed: Sequence[Changed] | None = None) -> Edges:
    detector = ShiftDetector()
    detector.add(texts, lines, changed)
    pairs = list(zip(texts[: 2 * WINDOW], lines[: 2 * WINDOW], strict=True))
    last = list(zip(texts[-2 * WINDOW :], lines[-2 * WINDOW :], strict=True))
    return Edges(detector.lines, pairs, last)


class ShiftJoiner:
    """Joins what was found in each piece, in order, with what shows only across their borders.

    A line that looks shifted within a piece looks so in the whole, where it has more neighbors to be taken from; so
    only lines near a border are looked at again, with the neighbors on both sides.
    """

    def __init__(self) -> None:
        self._found: set[int] = set()
        self._before: list[tuple[str, str]] = []
        self._n = 0

    def add(self, edges: Edges, n: int) -> None:
        """Take the next piece, of ``n`` lines."""
        self._found.update(self._n + line for line in edges.shifted)
        if self._before:
            both = self._before + edges.head
            detector = ShiftDetector()
            detector.add([text for text, _ in both], [line for _, line in both])
            self._found.update(self._n - len(self._before) + line for line in detector.lines)
        self._before = (self._before + edges.tail)[-2 * WINDOW :]
        self._n += n

    def detector(self) -> ShiftDetector:
        """What one detector over all lines would have found."""
        whole = ShiftDetector()
        whole.lines = sorted(self._found)
        return whole
