"""How systems are scored, and the fold of one of them that ends in a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import repeat
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import (
    ContentHash,
    Corpus,
    Hypothesis,
    Sentence,
    absent_note,
    annotator_order,
    reference_records,
    source_record,
    system_records,
    type_record,
    unknown_annotator,
    wrong_count,
)
from errorbar.core.estimate import Estimate, Signature, Undefined
from errorbar.core.problems import Place, Problems
from errorbar.edits.admission import Admission, TextInspection
from errorbar.metrics.base import Folded, Metric, Opaque, Statistics, UnitParts
from errorbar.metrics.scores import Score, TypeScore, UnitScore

if TYPE_CHECKING:
    from errorbar.core.pools import Pools
    from errorbar.metrics.judges import JudgePlan
    from errorbar.stats.resampling import Resampling

# A piece of a stream that has been read, by whichever worker has it, and what is kept of it.


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


class MeasuredPiece(ABC):
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
        """The cluster of each unit, e.g. its document; empty where that is not known."""
        return [""] * len(self)

    def absent(self, annotator: str) -> int:
        """How many units an annotator did not look at."""
        return 0

    @abstractmethod
    def output(self, system: int, admission: Admission) -> PieceOutput | None:
        """A system's output for it, admitted so; None where its file has ended."""


class PieceOutput(NamedTuple):
    """A system's output for a piece."""

    value: Any  # what metrics measure
    record: str  # its canonical text, for the hash
    seen: TextInspection | None = (
        None  # None: whether it looks like corrections of the source cannot be told, or nobody asked
    )


class SentencePiece(MeasuredPiece):
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
        corpus, sentences = self.reference, self.reference.sentences  # in memory, it may be scored often
        sources = corpus.once("sources", lambda: "\n".join(map(source_record, sentences)))
        references = "\n".join(reference_records(corpus))
        if not by_type:
            return sources, references, ""
        types = corpus.once("types", lambda: "\n".join([type_record(one.annotations) for one in sentences]))
        return sources, references, types

    def clusters(self) -> Sequence[str]:
        """The document of each sentence."""
        return [sentence.document for sentence in self.reference.sentences]

    def absent(self, annotator: str) -> int:
        """Sentences that an annotator did not look at."""
        return sum(annotator not in sentence.annotations for sentence in self.reference.sentences)

    def output(self, system: int, admission: Admission) -> PieceOutput | None:
        """A system's lines, looked at on the way where anything may be said of them."""
        texts, lines = self._texts, self._lines[system]
        if len(lines) != len(texts):
            return None
        if admission.silent and not admission.retokenize:
            return PieceOutput(lines, "\n".join(system_records(lines)))
        look = TextInspection()
        lines = look.add(texts, lines, retokenize=admission.retokenize)
        return PieceOutput(lines, "\n".join(system_records(lines)), look)


class SystemPart(NamedTuple):
    """The measurements of a system's output for a piece."""

    record: str
    seen: TextInspection | None
    statistics: Mapping[str, Statistics]  # by ``measure_key``


class MeasuredPart(NamedTuple):
    """The measurements of a piece of n units."""

    n: int
    annotators: tuple[str, ...]
    records: Records
    clusters: Sequence[str] | None  # None: nobody asked
    absent: dict[str, int]  # units that an annotator did not look at who is scored against alone
    systems: Iterable[SystemPart | None]  # to be gone through once; None where a system's file has ended
    problems: Problems


# Which document each unit is from: the clusters that intervals resample.


FEW_DOCUMENTS = 25
"""With fewer, bootstrap intervals were measured to cover clearly less than their level."""

MORE_DOCUMENTS = "add others, or resample sentences: errorbar convert --to m2 drops documents"
"""The way out where there is only one."""


class Documents:
    """Which essay each unit is from; ``single`` is what a unit without a document is called."""

    def __init__(self, single: str = "sentence") -> None:
        self._single = single
        self._codes: list[int] = []
        self._known: dict[str, int] = {}
        self._n_without = 0

    def add(self, sentences: Sequence[Sentence]) -> None:
        """Take the next sentences."""
        self.add_names([sentence.document for sentence in sentences])

    def add_names(self, documents: Sequence[str]) -> None:
        """Take the documents of the next sentences; one without a document is a document of its own."""
        for document in documents:
            name = document or f"\0{len(self._codes)}"
            self._n_without += not document
            self._codes.append(self._known.setdefault(name, len(self._known)))

    @property
    def unit(self) -> str:
        """The unit of resampling: ``document`` where every unit has one or some have, else the single unit."""
        return self._single if self._n_without == len(self._codes) else "document"

    @property
    def clustering(self) -> str:
        """The unit of resampling as it stands in signatures: documents with a hash of which sentences share one."""
        if self.unit != "document":
            return self.unit
        return f"{self.unit}:{sha256(self.clusters().tobytes()).hexdigest()[:12]}"

    @property
    def n_clusters(self) -> int:
        """How many documents there are."""
        return len(self._known)

    def clusters(self) -> NDArray[np.int64]:
        """Document number of each sentence."""
        return np.array(self._codes, np.int64)

    def warn(self, problems: Problems, *, intervals: bool = True) -> None:
        """Note what makes resamples of these clusters doubtful: sentences without a document; for intervals, few."""
        few = intervals and self.unit == "document" and self.n_clusters < FEW_DOCUMENTS
        if few and self.n_clusters == 1:
            message = f"no intervals: all {self._single}s are of one document, which does not show how documents vary"
            problems.note("one-unit", message, Place(), fix=MORE_DOCUMENTS)
        elif few:
            message = f"there are only {self.n_clusters} documents: 95% intervals are too narrow"
            problems.note("few-documents", message, Place(), fix="docs/design/intervals.md says by how much")
        if 0 < self._n_without < len(self._codes):
            message = (
                f"{self._n_without} of {len(self._codes)} sentences have no document; each is resampled on its own"
            )
            problems.note("documents-missing", message, Place(), fix="errorbar convert --documents adds documents")


@dataclass(frozen=True, slots=True)
class ScoringPlan:
    """How systems are scored."""

    metrics: Sequence[Metric]
    by_type: bool = False
    by_unit: bool = False
    resampling: Resampling | None = None
    conventions: tuple[str, ...] = ()  # what joins every signature
    admission: Admission = field(default_factory=Admission)
    reading: Callable[[Any], MeasuredPiece] = SentencePiece
    most: int | None = None  # with more units there are no intervals, and a note says so
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what joins one system's signature, by its name
    judges: JudgePlan | None = None  # whether intervals are also over judges; None: nobody asked
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # systems that are means of those named here
    pools: Pools | None = None  # of judges, in which scores are made too


class Whole:
    """The measurements of the whole corpus so far."""

    def __init__(self, plan: ScoringPlan) -> None:
        self._plan = plan
        self._hashes = ContentHash(), ContentHash(), ContentHash()  # of sources, references and types
        self._absent = {metric.annotator: 0 for metric in plan.metrics if metric.annotator is not None}
        self._names: set[str] = set()
        self.documents = Documents(plan.metrics[0].reads.removesuffix("s") if plan.metrics else "sentence")
        self.n = 0
        self.resampling: Resampling | None = None  # known in the end, as what joins every signature
        self.conventions = (*plan.conventions, *plan.admission.conventions)

    def add(self, part: MeasuredPart) -> None:
        """Take the next piece."""
        self._names.update(part.annotators)
        for content, records in zip(self._hashes, part.records, strict=True):
            content.add([records] if part.n else [])  # joined by line feeds, as the hash itself does
        if part.clusters is not None and (self._plan.most is None or self.n <= self._plan.most):
            self.documents.add_names(part.clusters)
        for only, missing in part.absent.items():
            self._absent[only] += missing
        self.n += part.n

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody who annotated something, in order."""
        return tuple(annotator_order(self._names))

    def check_annotators(self) -> None:
        """Refuse an annotator who is scored against alone and did not annotate anything."""
        for name in self._absent:
            if name not in self._names:
                raise unknown_annotator(name, self.annotators)

    def end(self, problems: Problems) -> None:
        """Decide how intervals are made, now that the number of units is known, and say who did not look at all."""
        plan, resampling = self._plan, self._plan.resampling
        if resampling is not None:
            from errorbar.stats.resampling import makes_usual_intervals  # noqa: PLC0415 - not every command makes intervals

            if plan.most is None or makes_usual_intervals(self.n, plan.metrics[0].reads, problems, most=plan.most):
                if resampling.method != "closed":
                    self.documents.warn(problems)
                self.resampling = resampling
                self.conventions += (resampling.convention(self.documents.clustering),)
        if len(self._names) > 1:
            problems.notes += [absent_note(name, k, self.n, "") for name, k in self._absent.items() if k]

    def signature(self, fold: SystemFold, system: str, output: ContentHash) -> Signature:
        """The signature of a system's score."""
        source, reference, _ = (content.short() for content in self._hashes)
        made_by = (fold.made_by,) if fold.made_by else ()
        conventions = (*self._plan.own.get(system, ()), *made_by, *self.conventions)
        return Signature(
            str(fold.metric.spec), source, reference, output.short(), self.n, len(self._names), conventions
        )

    def types(self) -> str:
        """Hash of the error types, where they are counted."""
        return self._hashes[2].short() if self._plan.by_type else ""


class SystemFold:
    """The fold of one system under one metric so far, and the score it ends in."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.folded: Folded | None = None
        self.types: dict[str, list[int]] = {}
        self.units: list[UnitScore] = []
        self.kept: list[Any] = []
        self.remarked: Counter[str] = Counter()
        self.made_by = ""

    def add(self, statistics: Opaque, plan: ScoringPlan, *, at: int) -> None:
        """Go on with the statistics of the next units, of which ``at`` came before."""
        metric = self.metric
        self.remarked.update(metric.remarked(statistics))
        self.made_by = max(self.made_by, metric.made_by(statistics))  # some parts have nothing to make
        drawn = plan.resampling is not None and plan.resampling.method != "closed"  # formulas need the sums alone
        if drawn or plan.pools is not None:
            self.kept.append(statistics)
            if plan.most is not None and at > plan.most and plan.pools is None:
                self.kept.clear()  # there will be no intervals
        if plan.by_type:  # every type gets its row, whoever used it
            counts = metric.fold_types(statistics, start=self.folded)[0].tolist()
            for name, row in zip(metric.types(statistics), counts, strict=True):
                known = self.types.setdefault(name, [0] * len(row))
                self.types[name] = [a + b for a, b in zip(known, row, strict=True)]
        if plan.by_unit:
            self.units += unit_scores(metric, metric.parts(statistics, start=self.folded), at)
        self.folded = metric.fold(statistics, start=self.folded)

    def finish(self, system: str, whole: Whole, signature: Signature) -> Score:
        """Make the score, with intervals if asked for."""
        metric = self.metric
        folded = metric.fold(metric.join([])) if self.folded is None else self.folded
        n_units = int(folded.n_units[0])
        estimates = [
            Estimate(None if reason is Undefined.NO_UNITS or isnan(value) else value, n_units, undefined=reason)
            for value, reason in zip(folded.values[0].tolist(), metric.reasons(folded), strict=True)
        ]
        by_type = [
            TypeScore(name, dict(zip(metric.type_counted, counts, strict=True)), type_estimates(metric, counts))
            for name, counts in sorted(self.types.items())
        ]
        if whole.resampling is not None:
            from errorbar.metrics.intervals import score_intervals, type_intervals  # noqa: PLC0415 - scipy

            n_clusters = whole.documents.n_clusters if whole.documents.unit == "document" else None
            statistics, clusters = metric.join(self.kept), whole.documents.clusters()
            intervals = score_intervals(metric, statistics, folded, clusters, whole.resampling)
            estimates = [
                one.with_interval(interval, n_clusters=n_clusters)
                for one, interval in zip(estimates, intervals, strict=True)
            ]
            if by_type:
                by_type = type_intervals(metric, statistics, by_type, clusters, whole.resampling)
        names = [measure.name for measure in metric.measures]
        return Score(
            system,
            metric.measures,
            names[metric.main],
            dict(zip(names, estimates, strict=True)),
            dict(zip(metric.counted, folded.counts[0].tolist(), strict=False)),
            n_units,
            whole.annotators if metric.annotator is None else (metric.annotator,),
            signature,
            by_type,
            self.units,
            whole.types(),
            getattr(metric, "beta", None),
            metric.reads.removesuffix("s"),
        )


def unit_scores(metric: Metric, parts: UnitParts, at: int) -> Iterator[UnitScore]:
    """The parts of units, of which ``at`` came before."""
    names = [measure.name for measure in metric.measures]
    alone = repeat([]) if parts.values is None else parts.values.tolist()
    rows = zip(parts.annotators, parts.counts.tolist(), alone, strict=False)
    for unit, (who, counts, values) in enumerate(rows, at + 1):
        own = dict(zip(metric.counted, counts, strict=True))
        yield UnitScore(unit, who, own, dict(zip(names, values, strict=False)))


def type_estimates(metric: Metric, counts: Sequence[int]) -> dict[str, Estimate]:
    """The measures of one error type from its counts; their units are its reference edits."""
    values = metric.type_values(np.array(counts)).tolist()
    n = dict(zip(metric.type_counted, counts, strict=True)).get("gold", 0)
    reasons = {"precision": Undefined.NOTHING_PROPOSED}
    return {
        name: Estimate(None, n, undefined=reasons.get(name, Undefined.NOTHING_IN_REFERENCE))
        if isnan(value)
        else Estimate(value, n)
        for name, value in zip(metric.type_measures, values, strict=True)
    }
