"""Scoring systems over a stream of pieces: many systems, many metrics, memory that does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from errorbar.core.corpus import ContentHash, Corpus, Hypothesis, Sentence
from errorbar.core.problems import Place, Problems
from errorbar.edits.admission import TextInspection
from errorbar.execute.executor import Executor, Serial
from errorbar.metrics.base import Opaque
from errorbar.metrics.folding import InMemory, MeasuredPart, MeasuredPiece, ScoringPlan, SystemFold, SystemPart, Whole
from errorbar.metrics.scores import Score

if TYPE_CHECKING:
    from errorbar.metrics.judges import Measured

PIECE = 4096  # system sentences of a piece: a fifth of a second of work, some megabytes
SMALLEST_PIECE = 64


class Ending(Protocol):
    """A system whose sentences were taken in step with the source."""

    @property
    def name(self) -> str:
        """The system's name."""

    def finish(self, n_sentences: int) -> None:
        """Complain if there are not as many sentences as the source has."""


class SystemLines(Ending, Protocol):
    """A system's sentences, taken in step with the source."""

    def take_for(self, sentences: Sequence[Sentence]) -> Sequence[str]:
        """Take its lines for the next sentences of the source, fewer where it has ended."""
        ...


@dataclass(frozen=True, slots=True)
class CorpusPiece:
    """A stretch of a corpus in memory, with the systems' lines for it."""

    corpus: Corpus
    lines: list[Sequence[str]]
    problems: Problems = field(default_factory=Problems)

    def read(self) -> CorpusPiece:
        """The piece itself: others are read by the worker that has them."""
        return self


def score_corpus(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    plan: ScoringPlan,
    problems: Problems,
    *,
    executor: Executor | None = None,
) -> list[Score]:
    """Score systems against a corpus in memory: as ``score_pieces``."""
    streams = [InMemory(system, problems) for system in systems]
    return score_pieces(corpus_pieces([corpus], streams, executor), streams, plan, problems, executor=executor)


def corpus_pieces(
    chunks: Iterable[Corpus], systems: Sequence[SystemLines], executor: Executor | None = None
) -> Iterator[CorpusPiece]:
    """The chunks of a corpus with the systems' lines for them; for several workers large ones are cut smaller."""
    size = piece_size(len(systems)) if executor is not None and executor.n_workers > 1 else None
    for chunk in chunks:
        if size is None or len(chunk) <= size:
            yield CorpusPiece(chunk, [system.take_for(chunk.sentences) for system in systems])
            continue
        for at in range(0, len(chunk), size):
            part = Corpus(chunk.sentences[at : at + size], chunk.annotators, chunk.name)
            yield CorpusPiece(part, [system.take_for(part.sentences) for system in systems])


def piece_size(n_systems: int) -> int:
    """Sentences of a piece for several workers: as much work, and memory, whatever the number of systems."""
    return max(SMALLEST_PIECE, PIECE // max(1, n_systems))


def score_pieces(
    pieces: Iterable[Any],
    systems: Sequence[Ending],
    plan: ScoringPlan,
    problems: Problems,
    *,
    progress: Callable[[int], object] = lambda _: None,
    executor: Executor | None = None,
) -> list[Score]:
    """Score systems against a corpus in pieces, each read and measured by whoever the executor gives it to.

    The fold is sequential, over the pieces in order: where counts are whole numbers, neither the number of workers nor
    the size of the pieces (smaller for several) changes a digit; sums of fractions may differ in the last bit. Memory
    is that of a few pieces, and of the statistics of all units if parts or intervals are asked for.

    Args:
        pieces: The corpus and the systems' outputs, in order (``corpus_pieces``, ``errorbar.formats.reference``).
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
    whole, kept, worker = Whole(plan), [_System(plan) for _ in systems], executor or Serial()
    work = Measuring(plan, isinstance(worker, Serial))
    for part in worker.map_ordered(work, pieces):
        problems.collect(part.problems)
        for system, measured_part in zip(kept, part.systems, strict=True):
            if measured_part is not None:  # else finish() says so, once the length of the source is known
                system.add(measured_part, plan, part.n, at=whole.n)
        whole.add(part)
        progress(whole.n)
    for ending in systems:
        ending.finish(whole.n)
    problems.raise_errors()
    whole.check_annotators()
    for ending, system in zip(systems, kept, strict=True):
        plan.admission.say(ending.name, system.look, problems)
        _remark(ending.name, system.folds, problems)
    problems.raise_errors()
    whole.end(problems)
    scores = [
        fold.finish(ending.name, whole, whole.signature(fold, ending.name, system.output))
        for ending, system in zip(systems, kept, strict=True)
        for fold in system.folds
    ]
    measured: list[Measured] = [
        (fold.metric, partial(fold.metric.join, fold.kept)) for system in kept for fold in system.folds
    ]
    if plan.runs:
        from errorbar.metrics.over_judges import means_over_runs  # noqa: PLC0415 - few systems have runs

        scores, measured = means_over_runs(scores, measured, whole, plan.runs)
    if plan.judges is not None and whole.resampling is not None and whole.resampling.method != "closed":
        from errorbar.metrics.over_judges import over_judges  # noqa: PLC0415 - only where there are intervals

        scores = over_judges(scores, measured, whole, plan.judges, problems)
    if plan.pools is None:
        return scores
    from errorbar.metrics.pools import scores_in_pools  # noqa: PLC0415 - few know pools of judges

    return scores_in_pools(scores, measured, whole, plan, problems)


@dataclass(frozen=True, slots=True)
class Measuring:
    """The work on one piece: pure, and independent of every other piece."""

    plan: ScoringPlan
    lazy: bool = False  # measure a system when its part is asked for, so that memory is that of one; in one process

    def __call__(self, piece: Opaque) -> MeasuredPart:
        """Measure a piece of whatever the plan's reading takes.

        Raises:
            InputError: If it cannot be read, or a pair of texts is too large.
        """
        plan, read = self.plan, self.plan.reading(piece)
        systems = (self._system(read, k) for k in range(read.n_systems))
        return MeasuredPart(
            len(read),
            read.annotators,
            read.records(by_type=plan.by_type),
            None if plan.resampling is None else read.clusters(),
            {only: read.absent(only) for metric in plan.metrics if (only := metric.annotator) is not None},
            systems if self.lazy else list(systems),
            read.problems,
        )

    def _system(self, read: MeasuredPiece, system: int) -> SystemPart | None:
        plan, output = self.plan, read.output(system, self.plan.admission)
        if output is None:
            return None
        measurers = {metric.measure_key: metric for metric in plan.metrics}  # those with one key share
        statistics = {
            key: metric.measure(read.reference, output.value, by_type=plan.by_type) for key, metric in measurers.items()
        }
        return SystemPart(output.record, output.seen, statistics)


class _System:
    """The measurements of a system so far."""

    def __init__(self, plan: ScoringPlan) -> None:
        self.folds = [SystemFold(metric) for metric in plan.metrics]
        self.look = TextInspection()
        self.output = ContentHash()

    def add(self, part: SystemPart, plan: ScoringPlan, n: int, *, at: int) -> None:
        """Take the next piece, of ``n`` units, of which ``at`` came before."""
        self.output.add([part.record] if n else [])
        if part.seen is not None:
            self.look.join(part.seen)
        for fold in self.folds:
            fold.add(part.statistics[fold.metric.measure_key], plan, at=at)


def _remark(system: str, folds: Sequence[SystemFold], problems: Problems) -> None:
    """Say once of a system what its metrics have to say."""
    notes = dict.fromkeys(note for fold in folds for note in fold.metric.notes(fold.remarked))
    problems.take(replace(note, place=Place(system)) for note in notes)
