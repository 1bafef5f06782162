"""Scoring systems over a stream of pieces: many systems, many metrics, memory that does not grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from errorbar.core.corpus import (
    ContentHash,
    Corpus,
    Hypothesis,
    absent_note,
    annotator_order,
    unknown_annotator,
)
from errorbar.core.errors import Place
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.edits.admission import Admission
from errorbar.execute.executor import Executor, Serial
from errorbar.metrics.base import Folded, Metric
from errorbar.metrics.documents import Documents
from errorbar.metrics.measuring import CorpusPiece, InMemory, Looked, Measuring, Part, Reading, Sentences, SystemPart
from errorbar.metrics.scored import Score, TypeScore, UnitScore
from errorbar.stats.resampling import Resampling, unasked

PIECE = 4096
"""System sentences of a piece: a fifth of a second of work, some megabytes."""
SMALLEST_PIECE = 64


class Ending(Protocol):
    """A system whose sentences were taken in step with the source."""

    @property
    def name(self) -> str:
        """The system's name."""
        ...

    def finish(self, n_sentences: int) -> None:
        """Complain if there are not as many sentences as the source has."""
        ...


class Lines(Ending, Protocol):
    """A system's sentences, taken in step with the source."""

    def take(self, size: int) -> Sequence[str]:
        """The next sentences, as many as there are up to ``size``."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """How systems are scored.

    Attributes:
        metrics: What to compute.
        by_type: Also scores of each error type.
        by_unit: Also the part of each unit.
        resampling: How to make intervals; None: none.
        conventions: What joins the signature.
        admission: How systems' texts are taken.
        reading: How a piece is read.
        most: With more units than these there are no intervals, and a note says so; None: whatever their number.
    """

    metrics: Sequence[Metric]
    by_type: bool = False
    by_unit: bool = False
    resampling: Resampling | None = None
    conventions: tuple[str, ...] = ()
    admission: Admission = field(default_factory=Admission)
    reading: Callable[[Any], Reading] = Sentences
    most: int | None = None


def score_corpus(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    plan: Plan,
    problems: Problems,
    *,
    executor: Executor | None = None,
) -> list[Score]:
    """Score systems against a corpus in memory: as ``score_pieces``."""
    streams = [InMemory(system, problems) for system in systems]
    return score_pieces(corpus_pieces([corpus], streams, executor), streams, plan, problems, executor=executor)


def corpus_pieces(
    chunks: Iterable[Corpus], systems: Sequence[Lines], executor: Executor | None = None
) -> Iterator[CorpusPiece]:
    """The chunks of a corpus with the systems' lines for them, read here, measured by whoever gets them.

    Args:
        chunks: The corpus, in order.
        systems: The systems' lines.
        executor: Who will measure them: for several workers large chunks are cut smaller; None: this process.
    """
    size = piece_size(len(systems)) if executor is not None and executor.n_workers > 1 else None
    for chunk in chunks:
        if size is None or len(chunk) <= size:
            yield CorpusPiece(chunk, [system.take(len(chunk)) for system in systems])
            continue
        for at in range(0, len(chunk), size):
            part = Corpus(chunk.sentences[at : at + size], chunk.annotators, chunk.name)
            yield CorpusPiece(part, [system.take(len(part)) for system in systems])


def piece_size(n_systems: int) -> int:
    """Sentences of a piece for several workers: as much work, and memory, whatever the number of systems."""
    return max(SMALLEST_PIECE, PIECE // max(1, n_systems))


def score_pieces(
    pieces: Iterable[Any],
    systems: Sequence[Ending],
    plan: Plan,
    problems: Problems,
    *,
    progress: Callable[[int], object] = lambda _: None,
    executor: Executor | None = None,
) -> list[Score]:
    """Score systems against a corpus in pieces, each read and measured by whoever the executor gives it to.

    The fold is sequential, over the pieces in order: neither their size nor the number of workers changes a digit.
    Memory is that of a few pieces, and of the statistics of all units if parts or intervals are asked for.

    Args:
        pieces: The corpus and the systems' outputs, in order (``corpus_pieces``, ``errorbar.formats.pieces``).
        systems: The systems' names, and whoever checks their length.
        plan: What to compute how.
        problems: Where problems and warnings go.
        progress: Is told the number of units done.
        executor: Who does the work; None: this process.

    Returns:
        A score for each system and metric, systems outermost.

    Raises:
        InputError: If a file is bad, or a system has another number of units than the source or is no correction of it.
        UsageError: If a metric names an annotator that the corpus does not have, or cannot give what is asked for.
    """
    whole = _Whole(plan)
    kept = [_System(plan) for _ in systems]
    worker = executor or Serial()
    work = Measuring(
        tuple(plan.metrics),
        plan.reading,
        plan.by_type,
        plan.resampling is not None,
        plan.admission.retokenize,
        isinstance(worker, Serial),
    )
    for part in worker.map_ordered(work, pieces):
        problems.collect(part.problems)
        for system, said in zip(kept, part.systems, strict=True):
            if said is not None:  # else finish() says so, once the length of the source is known
                system.add(said, plan, part.n, at=whole.n)
        whole.add(part)
        progress(whole.n)
    for ending in systems:
        ending.finish(whole.n)
    problems.raise_errors()
    for name in whole.absent:
        if name not in whole.annotators:
            raise unknown_annotator(name, annotator_order(whole.annotators))
    for ending, system in zip(systems, kept, strict=True):
        system.looked.say(ending.name, plan.admission, problems)
        _remark(ending.name, system.folds, problems)
    problems.raise_errors()
    resampling, conventions = whole.resampling(problems)
    several = len(whole.annotators) > 1
    problems.notes += [absent_note(name, k, whole.n, "") for name, k in whole.absent.items() if k and several]
    return [
        fold.finish(ending.name, whole, whole.signature(fold.metric, system.output, conventions), resampling)
        for ending, system in zip(systems, kept, strict=True)
        for fold in system.folds
    ]


class _Whole:
    """What is known of the whole corpus so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._hashes = ContentHash(), ContentHash(), ContentHash()
        self.annotators: set[str] = set()
        self.absent = {metric.annotator: 0 for metric in plan.metrics if metric.annotator is not None}
        self.documents = Documents(plan.metrics[0].reads.removesuffix("s") if plan.metrics else "sentence")
        self.n = 0

    def add(self, part: Part) -> None:
        """Take the next piece."""
        self.annotators.update(part.annotators)
        for content, records in zip(self._hashes, part.records, strict=True):
            _add(content, records, part.n)
        if part.clusters is not None and (self._plan.most is None or self.n <= self._plan.most):
            self.documents.add_names(part.clusters)
        for only, missing in part.absent.items():
            self.absent[only] += missing
        self.n += part.n

    def resampling(self, problems: Problems) -> tuple[Resampling | None, tuple[str, ...]]:
        """How intervals are made, now that the number of units is known, and what joins the signature."""
        plan, resampling = self._plan, self._plan.resampling
        conventions = (*plan.conventions, *plan.admission.conventions)
        if resampling is None:
            return None, conventions
        if plan.most is not None and not unasked(self.n, plan.metrics[0].reads, problems, most=plan.most):
            return None, conventions
        if resampling.method != "closed":
            self.documents.warn(problems)
        return resampling, (*conventions, resampling.convention(self.documents.clustering))

    def signature(self, metric: Metric, output: ContentHash, conventions: tuple[str, ...]) -> Signature:
        """The signature of a system's score."""
        source, reference, _ = (content.short() for content in self._hashes)
        spec, n_annotators = str(metric.spec), len(self.annotators)
        return Signature(spec, source, reference, output.short(), self.n, n_annotators, conventions)

    def types(self) -> str:
        """Hash of the error types, where they are counted."""
        return self._hashes[2].short() if self._plan.by_type else ""


class _System:
    """What is known of a system so far."""

    def __init__(self, plan: Plan) -> None:
        self.folds = [_Fold(metric) for metric in plan.metrics]
        self.looked = Looked()
        self.output = ContentHash()

    def add(self, part: SystemPart, plan: Plan, n: int, *, at: int) -> None:
        """Take the next piece, of ``n`` units, of which ``at`` came before."""
        _add(self.output, part.record, n)
        self.looked.add(part.seen, n)
        for fold in self.folds:
            fold.add(part.statistics[fold.metric.measure_key], plan, at=at)


class _Fold:
    """The fold of one system under one metric so far, and the score it ends in."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.folded: Folded | None = None
        self.types: dict[str, list[int]] = {}
        self.units: list[UnitScore] = []
        self.kept: list[Any] = []
        self.remarked: Counter[str] = Counter()

    def add(self, statistics: Any, plan: Plan, *, at: int) -> None:  # noqa: ANN401
        """Go on with the statistics of the next units, of which ``at`` came before."""
        metric = self.metric
        self.remarked.update(metric.remarked(statistics))
        if plan.resampling is not None:
            self.kept.append(statistics)
            if plan.most is not None and at > plan.most:
                self.kept.clear()  # there will be no intervals
        if plan.by_type:  # every type gets its row, whoever used it
            counts = metric.fold_types(statistics, start=self.folded)[0].tolist()
            for name, row in zip(metric.types(statistics), counts, strict=True):
                known = self.types.setdefault(name, [0] * len(row))
                self.types[name] = [a + b for a, b in zip(known, row, strict=True)]
        if plan.by_unit:
            self._add_units(statistics, at)
        self.folded = metric.fold(statistics, start=self.folded)

    def _add_units(self, statistics: Any, at: int) -> None:  # noqa: ANN401
        parts = self.metric.parts(statistics, start=self.folded)
        names = [measure.name for measure in self.metric.measures]
        values = [()] * len(parts.annotators) if parts.values is None else parts.values.tolist()
        rows = zip(parts.annotators, parts.counts.tolist(), values, strict=True)
        for unit, (who, counts, own) in enumerate(rows, at + 1):
            shown = dict(zip(names, own, strict=True)) if own else {}
            self.units.append(UnitScore(unit, who, dict(zip(self.metric.counted, counts, strict=True)), shown))

    def finish(self, system: str, whole: _Whole, signature: Signature, resampling: Resampling | None) -> Score:
        """Make the score, with intervals if asked for."""
        metric = self.metric
        folded = metric.fold(metric.join([])) if self.folded is None else self.folded
        n_units = int(folded.n_units[0])
        estimates = [
            Estimate(None if reason is Undefined.NO_UNITS or value != value else value, n_units, undefined=reason)  # noqa: PLR0124
            for value, reason in zip(folded.values[0].tolist(), metric.reasons(folded), strict=True)
        ]
        by_type = self._by_type()
        if resampling is not None:
            from errorbar.metrics.intervals import score_intervals, type_intervals  # noqa: PLC0415 - scipy

            n_clusters = whole.documents.n_clusters if whole.documents.unit == "document" else None
            statistics, clusters = metric.join(self.kept), whole.documents.clusters()
            intervals = score_intervals(metric, statistics, folded, clusters, resampling)
            estimates = [
                one.with_interval(interval, n_clusters=n_clusters)
                for one, interval in zip(estimates, intervals, strict=True)
            ]
            if by_type:
                by_type = type_intervals(metric, statistics, by_type, clusters, resampling)
        only = metric.annotator
        names = [measure.name for measure in metric.measures]
        return Score(
            system,
            metric.measures,
            names[metric.main],
            dict(zip(names, estimates, strict=True)),
            dict(zip(metric.counted, folded.counts[0].tolist(), strict=False)),
            n_units,
            tuple(annotator_order(whole.annotators)) if only is None else (only,),
            signature,
            by_type,
            self.units,
            whole.types(),
            getattr(metric, "beta", None),
            metric.reads.removesuffix("s"),
        )

    def _by_type(self) -> list[TypeScore]:
        metric, rows = self.metric, []
        for name, counts in sorted(self.types.items()):
            named = dict(zip(metric.type_counted, counts, strict=True))
            rows.append(TypeScore(name, named, type_estimates(metric, counts)))
        return rows


def score_statistics(name: str, metric: Metric, statistics: Any, signature: Signature, plan: Plan) -> Score:  # noqa: ANN401
    """The score of what was measured before, without intervals; ``plan`` says what else than values is wanted."""
    fold = _Fold(metric)
    fold.add(statistics, plan, at=0)
    return fold.finish(name, _Whole(plan), signature, None)


def type_estimates(metric: Metric, counts: Sequence[int]) -> dict[str, Estimate]:
    """The measures of one error type from its counts; their units are its reference edits."""
    import numpy as np  # noqa: PLC0415 - a handful of numbers

    values = metric.type_values(np.array(counts)).tolist()
    n = dict(zip(metric.type_counted, counts, strict=True)).get("gold", 0)
    reasons = {"precision": Undefined.NOTHING_PROPOSED}
    return {
        name: Estimate(None, n, undefined=reasons.get(name, Undefined.NOTHING_IN_REFERENCE))
        if value != value  # noqa: PLR0124 - nan
        else Estimate(value, n)
        for name, value in zip(metric.type_measures, values, strict=True)
    }


def _add(content: ContentHash, records: str, n: int) -> None:
    """Add the records of a piece, which a worker has joined by line feeds as the hash itself does."""
    if n:
        content.add([records])


def _remark(system: str, folds: Sequence[_Fold], problems: Problems) -> None:
    """Say once of a system what its metrics have to say."""
    said: Counter[str] = Counter()
    for fold in folds:
        for code, n in fold.remarked.items():
            said[code] = max(said[code], n)
    texts = {code: text for fold in folds for code, text in fold.metric.remarks.items()}
    for code, n in said.items():
        if n:
            what, fix = texts[code]
            problems.note(code, f"{n} {what}", Place(system), fix=fix)
