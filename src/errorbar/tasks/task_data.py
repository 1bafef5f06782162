"""The data of a task, whatever its metrics read: references, and runs as metrics measure them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from errorbar.core.corpus import Corpus, Hypothesis, Sentence, source_record
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission, Look
from errorbar.edits.standoff_reading import FragmentReading, read_run
from errorbar.formats.hoo_folder import read_gold, read_source
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.nucle_project import add_documents
from errorbar.formats.opening import Lines
from errorbar.formats.reference import NamedFile, read_named
from errorbar.metrics.base import Metric
from errorbar.metrics.documents import Documents
from errorbar.metrics.folding import Plan
from errorbar.metrics.hoo_counts import count_rows
from errorbar.metrics.hoo_scoring import Fragments, Run, parse_hoo, warn_above_1, without_missing
from errorbar.metrics.scored import Score
from errorbar.metrics.scoring import score_corpus, score_pieces
from errorbar.studies.hoo_scores import both_ways
from errorbar.tasks.config import TaskCorpus

_LENIENT = re.compile(r" or use --lenient \(.*?\)")
AS_SENT = Admission(advise=False)
"""Who hands in has no options: a run is what its team sent."""
_KEYS = {"use --lenient": "set lenient = true", "use --metric='hoo(missing=empty)'": "set missing_as_empty = true"}


class TaskData(ABC):
    """References of a corpus, read.

    Attributes:
        corpus: The corpus of the task.
        problems: What the readers noted.
        reference: What metrics measure against.
        units: Its units.
        annotators: Who annotated it; empty where they worked as one.
        n_documents: How many essays its sentences are from; None where that is not known.
        rows: Of fragments, gold edits of each row of the type table.
        names: Of fragments, their names.
    """

    corpus: TaskCorpus
    problems: Problems
    reference: Any
    units: Sequence[Any]
    annotators: tuple[str, ...] = ()
    n_documents: int | None = None
    rows: Mapping[str, int] = MappingProxyType({})
    names: Sequence[str] = ()
    n_views: ClassVar[int] = 1

    def views(self, metrics: Sequence[Metric]) -> Sequence[Metric]:
        """Each metric in every way in which it is shown, ``n_views`` of each."""
        return metrics

    @abstractmethod
    def output(self, path: Path, name: str, problems: Problems) -> Sequence[Any]:
        """A run as metrics measure it, with whatever makes it doubtful noted.

        Raises:
            InputError: If it cannot be read, is not in step with the source or is for other data.
        """

    def look(self, name: str, output: Sequence[Any], problems: Problems) -> None:  # noqa: B027 - edits name their source
        """See whether a run that is not scored is one for this source, as scoring does.

        Raises:
            InputError: If it is for other data.
        """

    @abstractmethod
    def n_changed(self, output: Sequence[Any]) -> int:
        """How many units a run changes."""

    @abstractmethod
    def kept(self, output: Sequence[Any]) -> float | None:
        """Share of the source's words that a run keeps; None where that says nothing."""

    @abstractmethod
    def score(self, outputs: Mapping[str, Sequence[Any]], metrics: Sequence[Metric], problems: Problems) -> list[Score]:
        """Score outputs, by type too where a metric does; outputs outermost, as ``errorbar.score``.

        Raises:
            InputError: With what is wrong with every bad one.
            UsageError: If a metric names an annotator that the corpus does not have.
        """


class SentenceData(TaskData):
    """References of sentences, or the source alone.

    Args:
        corpus: The corpus of the task.
        files: The reference files; empty: the source.
    """

    def __init__(self, corpus: TaskCorpus, files: Sequence[Path]) -> None:
        self.corpus = corpus
        self.files = files
        self.problems = Problems(lenient=corpus.lenient)
        if files:
            with of_gold():
                named = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in files]
                read = read_named(named, self.problems, unmarked=corpus.unmarked)
                if corpus.documents is not None:
                    add_documents(read, str(corpus.documents), self.problems)
        else:
            assert corpus.source is not None  # the reader of the task has seen to one of the two
            read = Corpus([Sentence(line) for line in Lines(corpus.source, self.problems)], ())
        self.problems.raise_errors()
        read.name = corpus.name
        self.reference = read
        self.units = read.sentences
        self.annotators = read.annotators
        documents = Documents()
        documents.add(read.sentences)
        self.n_documents = documents.n_clusters if documents.unit == "document" else None

    def check_source(self, file: Path) -> None:
        """See that teams got the sentences that their runs are scored on.

        Raises:
            InputError: If these are others.
        """
        assert self.corpus.source is not None  # the caller asked
        problems = Problems(lenient=self.corpus.lenient)
        lines = [" ".join(line.split()) for line in Lines(self.corpus.source, problems)]
        problems.raise_errors()
        if lines != self._sources():
            what = (
                f"corpus '{self.corpus.name}': {self.corpus.source.name} has not the sentences of {self.files[0].name}"
            )
            place = Place(str(file), self.corpus.line)
            raise InputError(Problem("task-other-source", what, place, "the source of the gold edits"))

    def check_same(self, other: SentenceData, file: Path) -> None:
        """See that other references are over the same sentences.

        Raises:
            InputError: If not.
        """
        if self._sources() != other._sources():
            names = f"{other.files[0].name} is not over the sentences of {self.files[0].name}"
            place = Place(str(file), self.corpus.line)
            what = f"corpus '{self.corpus.name}': {names}"
            raise InputError(Problem("task-other-source", what, place, "files over the same text"))

    def _sources(self) -> list[str]:
        return [source_record(sentence) for sentence in self.units]

    def output(self, path: Path, name: str, problems: Problems) -> Sequence[str]:
        """The lines of a run."""
        reader = HypothesisReader(NamedFile(str(path), path.name), problems)
        lines = reader.take(len(self.units))
        reader.finish(len(self.units))
        problems.raise_errors()
        if not self.n_changed(lines):
            problems.note(
                "task-unchanged", "no sentence is changed", Place(name), fix="send the output, not the source"
            )
        return lines

    def look(self, name: str, lines: Sequence[str], problems: Problems) -> None:
        """Look for other data, shifted and empty lines, text that is not tokenized."""
        look = Look()
        look.add([sentence.text for sentence in self.units], lines)
        AS_SENT.say(name, look.seen, look.shifts, None, problems)
        problems.raise_errors()

    def n_changed(self, output: Sequence[str]) -> int:
        """How many sentences a run changes."""
        return sum(line.split() != sentence.tokens for line, sentence in zip(output, self.units, strict=False))

    def kept(self, output: Sequence[str]) -> float | None:
        """Share of the source's words that stand in the run's line of the same number; 1 without any word."""
        n_kept = n_words = 0
        for sentence, line in zip(self.units, output, strict=True):
            words = Counter(sentence.tokens)
            n_words += words.total()
            n_kept += (words & Counter(line.split())).total()
        return n_kept / n_words if n_words else 1.0

    def score(self, outputs: Mapping[str, Sequence[str]], metrics: Sequence[Metric], problems: Problems) -> list[Score]:
        """Score texts."""
        systems = [Hypothesis(name, list(lines)) for name, lines in outputs.items()]
        found: dict[tuple[str, str], Score] = {}
        for by_type in (True, False):
            own = [metric for metric in metrics if ("types" not in metric.lacks) is by_type]
            if own:
                plan = Plan(own, by_type, admission=AS_SENT)
                scores = score_corpus(self.reference, systems, plan, problems)
                found |= {(score.system, score.metric): score for score in scores}
        return [found[name, str(metric.spec)] for name in outputs for metric in metrics]


MISSING = "hoo-missing"


class FragmentData(TaskData):
    """Gold edits of texts, or the texts alone; recall is counted by row, and by code."""

    n_views = 2

    def __init__(self, corpus: TaskCorpus, *, need_text: bool = False) -> None:
        self.corpus = corpus
        self.problems = Problems(lenient=corpus.lenient)
        source = None if corpus.source is None else str(corpus.source)
        with of_gold():
            if corpus.gold:
                self.units = read_gold(str(corpus.gold[0]), self.problems, source=source, need_text=need_text)
            else:
                self.units = read_source(str(source), self.problems)
            self.problems.raise_errors()
        self.reference = self.units
        self.names = [fragment.name for fragment in self.units]
        self._lacking: set[str] = set()
        self._missing_as_empty = False
        self.rows = count_rows(edit.type for fragment in self.units for edit in fragment.edits)

    def views(self, metrics: Sequence[Metric]) -> Sequence[Metric]:
        """Each metric with recall by row and then by error code."""
        asked, self._missing_as_empty = without_missing([parse_hoo(metric) for metric in metrics])
        return both_ways(asked)

    def output(self, path: Path, name: str, problems: Problems) -> Sequence[Any]:
        """The edits of a run, for each fragment."""
        missing_as_empty = self.corpus.missing_as_empty or self._missing_as_empty
        edits = read_run(str(path), name, self.units, problems, missing_as_empty=missing_as_empty)
        problems.raise_errors()
        if any(note.code == MISSING for note in problems.notes):
            self._lacking.add(name)
        if not any(edits):
            problems.note("task-unchanged", "no edit is proposed", Place(name), fix="send the output, not the source")
        return edits

    def n_changed(self, output: Sequence[Any]) -> int:
        """How many texts a run changes."""
        return sum(map(bool, output))

    def kept(self, output: Sequence[Any]) -> float | None:
        """Nothing: a run is edits."""
        return None

    def score(self, outputs: Mapping[str, Sequence[Any]], metrics: Sequence[Metric], problems: Problems) -> list[Score]:
        """Score runs of edits."""
        found: dict[str, list[Score]] = {}
        for conventions, lacking in (((), False), (("missing:empty",), True)):
            own = {name: edits for name, edits in outputs.items() if (name in self._lacking) is lacking}
            piece = FragmentReading(self.reference, list(own.values()), Problems())
            plan = Plan(metrics, by_type=True, by_unit=True, conventions=conventions, reading=Fragments)
            scores = score_pieces([piece], [Run(name, problems) for name in own], plan, problems) if own else []
            n = len(metrics)
            found |= {name: scores[at * n : (at + 1) * n] for at, name in enumerate(own)}
        for name in outputs:
            for score in found[name][:: self.n_views]:
                warn_above_1(score, self.names, problems)
        return [score for name in outputs for score in found[name]]


def read_data(corpus: TaskCorpus, *, need_text: bool = False) -> TaskData:
    """Read the gold edits of a corpus, or its source where there are none.

    Raises:
        InputError: If a file is bad; the task's keys that have it repaired are named.
    """
    return FragmentData(corpus, need_text=need_text) if corpus.kind == "hoo" else SentenceData(corpus, corpus.gold)


def of_run(problems: Iterable[Problem]) -> list[Problem]:
    """What is wrong with a run, or noticed, in words of a task: nothing of a run is repaired or forced."""
    return [replace(each, fix=_keys(_LENIENT.sub("", each.fix))) for each in problems]


@contextmanager
def of_gold() -> Iterator[None]:
    """Say how the task's file, which has keys where commands have options, can have references repaired.

    Raises:
        InputError: The one that was raised inside, with other words.
    """
    try:
        yield
    except InputError as error:
        raise InputError([replace(problem, fix=_keys(problem.fix)) for problem in error.problems]) from None


def _keys(fix: str) -> str:
    for option, key in _KEYS.items():
        fix = fix.replace(option, key)
    return fix
