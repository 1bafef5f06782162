"""A piece of a stream that has been read, by whichever worker has it, and what is kept of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from errorbar.core.corpus import (
    Corpus,
    Hypothesis,
    Sentence,
    reference_record,
    source_record,
    system_record,
    type_record,
    wrong_count,
)
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission, Look
from errorbar.metrics.base import Opaque, Statistics


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

    def take_for(self, sentences: Sequence[Sentence]) -> Sequence[str]:
        """The lines of the next sentences."""
        return self.take(len(sentences))

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

    def clusters(self) -> Sequence[str]:
        """What each unit is from, e.g. its document; empty where that is not known."""
        return [""] * len(self)

    def absent(self, annotator: str) -> int:
        """How many units an annotator did not look at."""
        return 0

    @abstractmethod
    def output(self, system: int, admission: Admission) -> Output | None:
        """What a system says of it, taken so; None where its file has ended."""


class Output(NamedTuple):
    """A system's output for a piece."""

    value: Any  # what metrics measure
    record: str  # its canonical text, for the hash
    seen: Look | None = None  # None: whether it looks like corrections of the source cannot be told, or nobody asked


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

        def kept(name: str, make: Callable[[], list[str]]) -> str:
            # A corpus in memory may be scored often, as by a report.
            if (key := f"records of {name}") not in self.reference.cache:
                self.reference.cache[key] = "\n".join(make())
            return cast("str", self.reference.cache[key])

        return (
            kept("sources", lambda: [source_record(one) for one in sentences]),
            kept("references", lambda: [reference_record(one.annotations) for one in sentences]),
            kept("types", lambda: [type_record(one.annotations) for one in sentences]) if by_type else "",
        )

    def clusters(self) -> Sequence[str]:
        """The document of each sentence."""
        return [sentence.document for sentence in self.reference.sentences]

    def absent(self, annotator: str) -> int:
        """Sentences that an annotator did not look at."""
        return sum(annotator not in sentence.annotations for sentence in self.reference.sentences)

    def output(self, system: int, admission: Admission) -> Output | None:
        """A system's lines, looked at on the way where anything may be said of them."""
        texts, lines = self._texts, self._lines[system]
        if len(lines) != len(texts):
            return None
        if admission.silent and not admission.retokenize:
            return Output(lines, "\n".join(map(system_record, lines)))
        look = Look()
        lines = look.add(texts, lines, retokenize=admission.retokenize)
        return Output(lines, "\n".join(map(system_record, lines)), look)


@dataclass(frozen=True, slots=True)
class SystemPart:
    """What is kept of a system's output for a piece."""

    record: str
    seen: Look | None
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
