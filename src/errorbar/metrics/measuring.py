"""The map over a stream: what is measured of one piece, by whichever worker has it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from errorbar.core.corpus import Corpus, Hypothesis, reference_record, source_record, type_record, wrong_count
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.admission import WINDOW, Admission, ShiftDetector
from errorbar.edits.likeness import Changed, Evidence, changed_lines, evidence
from errorbar.metrics.base import Metric, Statistics

if TYPE_CHECKING:
    from errorbar.edits.retokenize import Retokenized


@dataclass(slots=True)
class InMemory:
    """A hypothesis, taken in step with the source as a file is."""

    hypothesis: Hypothesis
    problems: Problems
    at: int = 0

    @property
    def name(self) -> str:
        """The system's name."""
        return self.hypothesis.name

    @property
    def count(self) -> int:
        """How many sentences it has."""
        return len(self.hypothesis.lines)

    def take(self, size: int) -> Sequence[str]:
        """The next sentences, as many as there are up to ``size``."""
        taken = self.hypothesis.lines[self.at : self.at + size]
        self.at += len(taken)
        return taken

    def finish(self, n_sentences: int) -> None:
        """Check that it has as many sentences as the source."""
        if self.count != n_sentences:
            self.problems.error("line-count", wrong_count(self.count, n_sentences), Place(self.name))


class Records(NamedTuple):
    """Canonical texts of a piece, for content hashes; a record is a line."""

    source: str
    reference: str
    types: str


class Reading(ABC):
    """A piece that has been read: what metrics measure, and what signatures and warnings need of it.

    Attributes:
        problems: What reading found.
        reference: What metrics measure against.
        annotators: The annotators known to it.
        n_systems: How many systems there are.
    """

    problems: Problems
    reference: Any
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
    """A system's output for a piece.

    Attributes:
        value: What metrics measure.
        record: Its canonical text, for the hash.
        seen: Whether it looks like corrections of the source; None where that cannot be told.
    """

    value: Any
    record: str
    seen: Seen | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a system's lines.

    Attributes:
        shifted: Suspicious lines, counted from 1 in the piece.
        head: The first source and system lines, for the neighbors of the piece.
        tail: The last ones.
        evidence: Whether they look like corrections of the source.
        retokenized: What was changed in them before; None where nobody asked.
    """

    shifted: list[int]
    head: list[tuple[str, str]]
    tail: list[tuple[str, str]]
    evidence: Evidence
    retokenized: Retokenized | None


class SentencePiece(Protocol):
    """A stretch of a corpus with the systems' lines for it, here or in files."""

    def read(self) -> SentencePiece:
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


class Sentences(Reading):
    """A piece of a corpus of sentences."""

    def __init__(self, piece: Any) -> None:  # noqa: ANN401 - whatever has a corpus, lines and problems when read
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
        return Records("\n".join(map(source_record, sentences)), references, types)

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
        changed = changed_lines(texts, lines)
        seen = _seen(texts, lines, changed, done)
        return Output(lines, "\n".join([" ".join(line.split()) for line in lines]), seen)


@dataclass(frozen=True, slots=True)
class SystemPart:
    """What is kept of a system's output.

    Attributes:
        record: Its canonical text, for the hash.
        seen: Whether it looks like corrections of the source; None where that cannot be told.
        statistics: What each measuring kept, by ``measure_key``.
    """

    record: str
    seen: Seen | None
    statistics: Mapping[str, Statistics]


@dataclass(frozen=True, slots=True)
class Part:
    """What is kept of a piece.

    Attributes:
        n: How many units it has.
        annotators: The annotators known to it.
        records: Its canonical texts.
        clusters: What each unit is from; None where nobody asked.
        absent: Units that an annotator did not look at, for annotators who are scored against alone.
        systems: Each system's part, to be gone through once; None where its file has ended.
        problems: What reading found.
    """

    n: int
    annotators: tuple[str, ...]
    records: Records
    clusters: Sequence[str] | None
    absent: dict[str, int]
    systems: Iterable[SystemPart | None]
    problems: Problems


@dataclass(frozen=True, slots=True)
class Measuring:
    """The work on one piece: pure, and independent of every other piece.

    Attributes:
        metrics: What to measure; metrics with one ``measure_key`` share.
        reading: How a piece is read.
        by_type: Also count each error type.
        clusters: Keep what each unit is from.
        retokenize: First give lines that look untokenized the source's tokens.
        lazy: Measure each system when its part is asked for, so that memory is that of one; for work in one process.
    """

    metrics: tuple[Metric, ...]
    reading: Callable[[Any], Reading] = Sentences
    by_type: bool = False
    clusters: bool = False
    retokenize: bool = False
    lazy: bool = False

    def __call__(self, piece: Any) -> Part:  # noqa: ANN401 - whatever the reading takes
        """Measure a piece.

        Raises:
            InputError: If it cannot be read, or a pair of texts is too large.
        """
        read = self.reading(piece)
        named = [metric.annotator for metric in self.metrics if metric.annotator is not None]
        systems = (self._system(read, k) for k in range(read.n_systems))
        return Part(
            len(read),
            read.annotators,
            read.records(by_type=self.by_type),
            read.clusters() if self.clusters else None,
            {only: read.absent(only) for only in named},
            systems if self.lazy else list(systems),
            read.problems,
        )

    def _system(self, read: Reading, system: int) -> SystemPart | None:
        output = read.output(system, retokenize=self.retokenize)
        if output is None:
            return None
        measurers: dict[str, Metric] = {}
        for metric in self.metrics:
            measurers.setdefault(metric.measure_key, metric)
        statistics = {
            key: metric.measure(read.reference, output.value, by_type=self.by_type) for key, metric in measurers.items()
        }
        return SystemPart(output.record, output.seen, statistics)


def _seen(texts: Sequence[str], lines: Sequence[str], changed: Sequence[Changed], done: Retokenized | None) -> Seen:
    detector = ShiftDetector()
    detector.add(texts, lines, changed)
    head = list(zip(texts[: 2 * WINDOW], lines[: 2 * WINDOW], strict=True))
    tail = list(zip(texts[-2 * WINDOW :], lines[-2 * WINDOW :], strict=True))
    return Seen(detector.lines, head, tail, evidence(texts, lines, changed), done)


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
