"""The map over a stream: what is measured of one piece, by whichever worker has it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from errorbar.core.corpus import (
    Corpus,
    Hypothesis,
    reference_record,
    source_record,
    system_record,
    type_record,
    wrong_count,
)
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.admission import WINDOW, Admission, ShiftDetector
from errorbar.edits.likeness import Changed, Evidence, changed_lines, evidence
from errorbar.metrics.base import Metric, Opaque, Statistics

if TYPE_CHECKING:
    from errorbar.edits.retokenize import Retokenized


class InMemory:
    """A hypothesis, taken in step with the source as a file is."""

    def __init__(self, hypothesis: Hypothesis, problems: Problems) -> None:
        self.name, self._lines, self._problems = hypothesis.name, hypothesis.lines, problems
        self.count = 0

    def take(self, size: int) -> Sequence[str]:
        """The next sentences, as many as there are up to ``size``."""
        taken = self._lines[self.count : self.count + size]
        self.count += len(taken)
        return taken

    def finish(self, n_sentences: int) -> None:
        """Check that it has as many sentences as the source."""
        self.count = len(self._lines)
        if self.count != n_sentences:
            self._problems.error("line-count", wrong_count(self.count, n_sentences), Place(self.name))


Records = tuple[str, str, str]
"""Canonical texts of sources, references and types of a piece, for content hashes; a record is a line."""


class Reading(ABC):
    """A piece that has been read: what metrics measure, and what signatures and warnings need of it."""

    problems: Problems
    reference: Any  # what metrics measure against
    annotators: tuple[str, ...]
    n_systems: int

    @abstractmethod
    def __len__(self) -> int:
        """How many units it has."""

    @abstractmethod
    def records(self, *, by_type: bool) -> Records:
        """Canonical texts; that of the types is empty unless asked for."""

    @abstractmethod
    def clusters(self) -> Sequence[str]:
        """What each unit is from, e.g. its document; empty where that is not known."""

    @abstractmethod
    def absent(self, annotator: str) -> int:
        """How many units an annotator did not look at."""

    @abstractmethod
    def output(self, system: int, *, retokenize: bool) -> Output | None:
        """What a system says of it; None where its file has ended."""


class Output(NamedTuple):
    """A system's output for a piece."""

    value: Any  # what metrics measure
    record: str  # its canonical text, for the hash
    seen: Seen | None = None  # None: whether it looks like corrections of the source cannot be told


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a system's lines."""

    shifted: list[int]  # suspicious lines, counted from 1 in the piece
    head: list[tuple[str, str]]  # the first source and system lines, for the neighbors of the piece
    tail: list[tuple[str, str]]
    evidence: Evidence
    retokenized: Retokenized | None


class Sentences(Reading):
    """A piece of a corpus of sentences."""

    def __init__(self, piece: Opaque) -> None:  # whatever has a corpus, lines and problems when read
        read = piece.read()
        self.problems = read.problems
        self.reference: Corpus = read.corpus
        self.annotators = read.corpus.annotators
        self.n_systems = len(read.lines)
        self._lines: Sequence[Sequence[str]] = read.lines
        self._texts = [sentence.text for sentence in self.reference.sentences]

    def __len__(self) -> int:
        return len(self.reference)

    def records(self, *, by_type: bool) -> Records:
        """Sources, annotations and types."""
        sentences = self.reference.sentences
        types = "\n".join([type_record(one.annotations) for one in sentences]) if by_type else ""
        references = "\n".join([reference_record(one.annotations) for one in sentences])
        return "\n".join(map(source_record, sentences)), references, types

    def clusters(self) -> Sequence[str]:
        """The document of each sentence."""
        return [sentence.document for sentence in self.reference.sentences]

    def absent(self, annotator: str) -> int:
        """Sentences that an annotator did not look at."""
        return sum(annotator not in sentence.annotations for sentence in self.reference.sentences)

    def output(self, system: int, *, retokenize: bool) -> Output | None:
        """A system's lines, looked at on the way."""
        texts, lines = self._texts, self._lines[system]
        if len(lines) != len(texts):
            return None
        done = None
        if retokenize:
            from errorbar.edits.retokenize import retokenize_lines  # noqa: PLC0415 - few ask for it

            lines, done = retokenize_lines(texts, lines)
        seen = _seen(texts, lines, changed_lines(texts, lines), done)
        return Output(lines, "\n".join(map(system_record, lines)), seen)


@dataclass(frozen=True, slots=True)
class SystemPart:
    """What is kept of a system's output for a piece."""

    record: str
    seen: Seen | None
    statistics: Mapping[str, Statistics]  # by ``measure_key``


@dataclass(frozen=True, slots=True)
class Part:
    """What is kept of a piece of n units."""

    n: int
    annotators: tuple[str, ...]
    records: Records
    clusters: Sequence[str] | None  # None: nobody asked
    absent: dict[str, int]  # units that an annotator did not look at who is scored against alone
    systems: Iterable[SystemPart | None]  # to be gone through once; None where a system's file has ended
    problems: Problems


@dataclass(frozen=True, slots=True)
class Measuring:
    """The work on one piece: pure, and independent of every other piece."""

    metrics: tuple[Metric, ...]
    reading: Callable[[Any], Reading] = Sentences
    by_type: bool = False
    clusters: bool = False  # keep what each unit is from
    retokenize: bool = False
    lazy: bool = False  # measure a system when its part is asked for, so that memory is that of one; in one process

    def __call__(self, piece: Opaque) -> Part:
        """Measure a piece of whatever the reading takes.

        Raises:
            InputError: If it cannot be read, or a pair of texts is too large.
        """
        read = self.reading(piece)
        systems = (self._system(read, k) for k in range(read.n_systems))
        return Part(
            len(read),
            read.annotators,
            read.records(by_type=self.by_type),
            read.clusters() if self.clusters else None,
            {only: read.absent(only) for metric in self.metrics if (only := metric.annotator) is not None},
            systems if self.lazy else list(systems),
            read.problems,
        )

    def _system(self, read: Reading, system: int) -> SystemPart | None:
        output = read.output(system, retokenize=self.retokenize)
        if output is None:
            return None
        measurers = {metric.measure_key: metric for metric in self.metrics}  # those with one key share
        statistics = {
            key: metric.measure(read.reference, output.value, by_type=self.by_type) for key, metric in measurers.items()
        }
        return SystemPart(output.record, output.seen, statistics)


def _seen(texts: Sequence[str], lines: Sequence[str], changed: Sequence[Changed], done: Retokenized | None) -> Seen:
    detector = ShiftDetector()
    detector.add(texts, lines, changed)
    both = list(zip(texts, lines, strict=True))
    return Seen(detector.lines, both[: 2 * WINDOW], both[-2 * WINDOW :], evidence(texts, lines, changed), done)


class Looked:
    """Joins what was seen of a system's lines in each piece, in order, with what shows only across their borders.

    A line that looks shifted within a piece looks so in the whole, where it has more neighbors to be taken from; so
    only lines near a border are looked at again, with the neighbors on both sides.
    """

    def __init__(self) -> None:
        self._shifted: set[int] = set()
        self._before: list[tuple[str, str]] = []
        self._n = 0
        self._evidence: Evidence | None = None
        self._retokenized: Retokenized | None = None

    def add(self, seen: Seen | None, n: int) -> None:
        """Take the next piece, of ``n`` lines."""
        if seen is None:
            return
        self._shifted.update(self._n + line for line in seen.shifted)
        if self._before:
            both = self._before + seen.head
            detector = ShiftDetector()
            detector.add([text for text, _ in both], [line for _, line in both])
            self._shifted.update(self._n - len(self._before) + line for line in detector.lines)
        self._before = (self._before + seen.tail)[-2 * WINDOW :]
        self._n += n
        self._evidence = self._evidence or Evidence()
        self._evidence.add(seen.evidence)
        if self._retokenized is None:
            self._retokenized = seen.retokenized
        elif seen.retokenized is not None:
            self._retokenized.add(seen.retokenized)

    def shifts(self) -> ShiftDetector:
        """What one detector over all lines would have found."""
        whole = ShiftDetector()
        whole.lines = sorted(self._shifted)
        return whole

    def say(self, name: str, admission: Admission, problems: Problems) -> None:
        """Say what was seen of a system, and refuse what is for another source."""
        if self._evidence is not None:
            admission.say(name, self._evidence, self.shifts(), self._retokenized, problems)
