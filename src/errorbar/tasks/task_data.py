"""The data of a task, whatever its metrics read: references, and runs as metrics measure them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from errorbar.core.corpus import Corrected, Hypothesis, source_record, system_record
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission, Look
from errorbar.edits.reference_texts import are_texts, source_corpus
from errorbar.edits.standoff_reading import FragmentReading, read_run
from errorbar.edits.system_edits import open_system
from errorbar.formats.catalog import holds
from errorbar.formats.hoo_folder import read_gold, read_source
from errorbar.formats.nucle_project import add_documents
from errorbar.formats.reference import NamedFile
from errorbar.metrics.base import Metric
from errorbar.metrics.documents import Documents
from errorbar.metrics.folding import Plan
from errorbar.metrics.hoo_counts import count_rows
from errorbar.metrics.hoo_scoring import Fragments, Run, parse_hoo, warn_above_1, without_missing
from errorbar.metrics.measuring import Output, Sentences
from errorbar.metrics.scored import Score
from errorbar.metrics.scoring import score_corpus, score_pieces
from errorbar.studies.hoo_scores import both_ways
from errorbar.studies.inputs import ReadingOptions
from errorbar.tasks.config import TaskCorpus

_LENIENT = re.compile(r" or use --lenient \(.*?\)")
AS_SENT = Admission(advise=False)  # who hands in has no options: a run is what its team sent
_KEYS = {"use --lenient": "set lenient = true", "use --metric='hoo(missing=empty)'": "set missing_as_empty = true"}
_UNCHANGED = "send the output, not the source"
MISSING = "hoo-missing"
Outputs = Mapping[str, Sequence[Any]]  # runs as metrics measure them, by name


class _Data:
    """References of a corpus, read: what metrics measure against, and its units."""

    reference: Any
    units: Sequence[Any]
    annotators: tuple[str, ...] = ()  # empty where they worked as one
    n_documents: int | None = None  # essays that the sentences are from; None where that is not known
    rows: Mapping[str, int] = MappingProxyType({})  # of fragments: gold edits of each row of the type table
    names: Sequence[str] = ()  # of fragments

    def __init__(self, corpus: TaskCorpus) -> None:
        self.corpus = corpus
        self.problems = Problems(lenient=corpus.lenient)


class _Known(Sentences):
    """Sentences whose outputs were looked at before."""

    def output(self, system: int, admission: Admission) -> Output | None:
        lines = self._lines[system]
        return Output(lines, "\n".join(map(system_record, lines)))


class SentenceData(_Data):
    """References of sentences; without ``files`` the source alone."""

    n_views = 1

    def __init__(self, corpus: TaskCorpus, files: Sequence[Path]) -> None:
        super().__init__(corpus)
        self.files = list(files)
        if files:
            with of_gold():
                named = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in files]
                texts = corpus.source is not None and are_texts(named[0], self.problems)
                how = ReadingOptions(corpus.unmarked, source=corpus.source if texts else None)
                read = how.whole(named, self.problems)
                if corpus.documents is not None:
                    add_documents(read, str(corpus.documents), self.problems)
        else:
            assert corpus.source is not None  # the reader of the task has seen to one of the two
            self.files = [corpus.source]
            read = source_corpus(corpus.source, self.problems)
        self.problems.raise_errors()
        self._labels = holds(str(self.files[0])) == "labels"
        read.name = corpus.name
        self.reference = read
        self.units = read.sentences
        self.annotators = read.annotators
        self._tokens = [sentence.tokens for sentence in read.sentences]
        documents = Documents()
        documents.add(read.sentences)
        self.n_documents = documents.n_clusters if documents.unit == "document" else None

    def check_same(self, other: SentenceData, task: Path) -> None:
        """See that what a task's file names as the same data, be it the source alone, has the same sentences."""
        if list(map(source_record, self.units)) != list(map(source_record, other.units)):
            what = f"corpus '{self.corpus.name}': {other.files[0].name} has not the sentences of {self.files[0].name}"
            place = Place(str(task), self.corpus.line)
            raise InputError(Problem("task-other-source", what, place, "files over the same text"))

    def views(self, metrics: Sequence[Metric]) -> Sequence[Metric]:
        """Each metric in every way in which it is shown, ``n_views`` of each; those that such references allow."""
        corrects = [metric.name for metric in metrics if self._labels and not metric.detects]
        if corrects:
            what = f"this labels tokens, and the metric {corrects[0]} needs corrections"
            raise InputError(Problem("labels-metric", what, Place(str(self.files[0])), fix='set metrics = ["tokens"]'))
        self._labels |= bool(metrics) and all(metric.detects for metric in metrics)  # of runs, as errorbar score does
        return metrics

    def output(self, path: Path, problems: Problems) -> Sequence[str]:
        """The lines of a run, with a note if it changes nothing."""
        reader = open_system(path, path.name, problems, labels=self._labels)
        lines = reader.take_for(self.units)
        reader.finish(len(self.units))
        problems.raise_errors()
        if not self.n_changed(lines):
            problems.note("task-unchanged", "no sentence is changed", Place(str(path)), fix=_UNCHANGED)
        return lines

    def look(self, name: str, lines: Sequence[str], problems: Problems) -> None:
        """See whether a run that is not scored is one for this source, as scoring does."""
        look = Look()
        look.add([sentence.text for sentence in self.units], lines)
        AS_SENT.say(name, look, problems)
        problems.raise_errors()

    def n_changed(self, output: Sequence[str]) -> int:
        """How many sentences a run changes."""
        units = zip(output, self.units, self._tokens, strict=False)
        return sum(
            bool(line.edits) if isinstance(line, Corrected) else line != unit.text and line.split() != tokens
            for line, unit, tokens in units
        )

    def kept(self, output: Sequence[str]) -> float | None:
        """Share of the source's words that stand in the run's line of the same number; 1 without any word."""
        n_kept = n_words = 0
        for tokens, line in zip(self._tokens, output, strict=True):
            words = Counter(tokens)
            n_words += words.total()
            n_kept += (words & Counter(line.split())).total()
        return n_kept / n_words if n_words else 1.0

    def score(
        self, outputs: Outputs, metrics: Sequence[Metric], problems: Problems | None = None, *, by_type: bool = True
    ) -> list[Score]:
        """Score runs, outermost, under each metric; without a notebook nobody looks at what they are like."""
        systems = [Hypothesis(name, list(lines)) for name, lines in outputs.items()]
        found: dict[tuple[str, str], Score] = {}
        reading = _Known if problems is None else Sentences
        for lacking in (False, True):
            own = [metric for metric in metrics if ("types" in metric.lacks) is lacking]
            if own:
                plan = Plan(own, by_type and not lacking, admission=AS_SENT, reading=reading)
                scores = score_corpus(self.reference, systems, plan, problems or Problems())
                found |= {(score.system, score.metric): score for score in scores}
                reading = _Known
        return [found[name, str(metric.spec)] for name in outputs for metric in metrics]


class FragmentData(_Data):
    """Gold edits of texts, or the texts alone; recall is counted by row, and by code."""

    n_views = 2

    def __init__(self, corpus: TaskCorpus, *, need_text: bool = False) -> None:
        super().__init__(corpus)
        source = None if corpus.source is None else str(corpus.source)
        with of_gold():
            if corpus.gold:
                self.units = read_gold(str(corpus.gold[0]), self.problems, source=source, need_text=need_text)
            else:
                self.units = read_source(str(source), self.problems)
            self.problems.raise_errors()
        self.reference = self.units
        self.names = [fragment.name for fragment in self.units]
        self.rows = count_rows(edit.type for fragment in self.units for edit in fragment.edits)
        self._lacking: set[str] = set()
        self._missing_as_empty = corpus.missing_as_empty

    def views(self, metrics: Sequence[Metric]) -> Sequence[Metric]:
        """Each metric with recall by row and then by error code."""
        asked, missing_as_empty = without_missing([parse_hoo(metric) for metric in metrics])
        self._missing_as_empty |= missing_as_empty
        return both_ways(asked)

    def output(self, path: Path, problems: Problems) -> Sequence[Any]:
        """The edits of a run, with a note if there is none."""
        name = str(path)
        edits = read_run(name, name, self.units, problems, missing_as_empty=self._missing_as_empty)
        problems.raise_errors()
        if not any(edits):
            problems.note("task-unchanged", "no edit is proposed", Place(name), fix=_UNCHANGED)
        if any(note.code == MISSING for note in problems.notes):
            self._lacking.add(name)
        return edits

    def look(self, name: str, output: Sequence[Any], problems: Problems) -> None:
        """Nothing to look for: edits name their source."""

    def n_changed(self, output: Sequence[Any]) -> int:
        """How many texts a run changes."""
        return sum(map(bool, output))

    def kept(self, output: Sequence[Any]) -> float | None:
        """Nothing: a run is edits."""

    def score(
        self, outputs: Outputs, metrics: Sequence[Metric], problems: Problems | None = None, *, by_type: bool = True
    ) -> list[Score]:
        """Score runs of edits."""
        problems = problems or Problems()
        piece = FragmentReading(self.reference, list(outputs.values()), Problems())
        own = dict.fromkeys(self._lacking, ("missing:empty",))
        plan = Plan(metrics, by_type=True, by_unit=True, reading=Fragments, own=own)
        scores = score_pieces([piece], [Run(name, problems) for name in outputs], plan, problems)
        for score in scores[:: self.n_views]:
            warn_above_1(score, self.names, problems)
        return scores


TaskData = SentenceData | FragmentData


def read_data(corpus: TaskCorpus, *, need_text: bool = False) -> TaskData:
    """Read the gold edits of a corpus, or its source where there are none."""
    return FragmentData(corpus, need_text=need_text) if corpus.kind == "hoo" else SentenceData(corpus, corpus.gold)


def of_run(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """What is wrong with a run, or noticed, in words of a task: nothing of a run is repaired or forced."""
    return tuple(replace(each, fix=_keys(_LENIENT.sub("", each.fix))) for each in problems)


@contextmanager
def of_gold() -> Iterator[None]:
    """Say how the task's file, which has keys where commands have options, can have references repaired."""
    try:
        yield
    except InputError as error:
        raise InputError([replace(problem, fix=_keys(problem.fix)) for problem in error.problems]) from None


def _keys(fix: str) -> str:
    for option, key in _KEYS.items():
        fix = fix.replace(option, key)
    return fix
