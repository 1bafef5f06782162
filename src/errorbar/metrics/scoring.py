"""Scoring systems over a stream of pieces: many systems, many metrics, memory that does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from errorbar.core.corpus import ContentHash, Corpus, Hypothesis, absent_note, annotator_order, unknown_annotator
from errorbar.core.errors import Place
from errorbar.core.estimate import Signature
from errorbar.core.problems import Problems
from errorbar.execute.executor import Executor, Serial
from errorbar.metrics.base import Metric
from errorbar.metrics.documents import Documents
from errorbar.metrics.folding import Plan, SystemFold, Whole
from errorbar.metrics.measuring import InMemory, Looked, Measuring, Part, SystemPart
from errorbar.metrics.scored import Score
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
    """The chunks of a corpus with the systems' lines for them; for several workers large ones are cut smaller."""
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

    The fold is sequential, over the pieces in order: where counts are whole numbers, neither the number of workers nor
    the size of the pieces (smaller for several) changes a digit; sums of fractions may differ in the last bit. Memory
    is that of a few pieces, and of the statistics of all units if parts or intervals are asked for.

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
    whole, kept, worker = _Whole(plan), [_System(plan) for _ in systems], executor or Serial()
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
    if len(whole.annotators) > 1:
        problems.notes += [absent_note(name, k, whole.n, "") for name, k in whole.absent.items() if k]
    found = Whole(annotator_order(whole.annotators), whole.types(), resampling, whole.documents)
    return [
        fold.finish(
            ending.name,
            found,
            whole.signature(fold.metric, system.output, (*plan.own.get(ending.name, ()), *conventions)),
        )
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
            content.add([records] if part.n else [])  # joined by line feeds, as the hash itself does
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
        self.folds = [SystemFold(metric) for metric in plan.metrics]
        self.looked = Looked()
        self.output = ContentHash()

    def add(self, part: SystemPart, plan: Plan, n: int, *, at: int) -> None:
        """Take the next piece, of ``n`` units, of which ``at`` came before."""
        self.output.add([part.record] if n else [])
        self.looked.add(part.seen, n)
        for fold in self.folds:
            fold.add(part.statistics[fold.metric.measure_key], plan, at=at)


def _remark(system: str, folds: Sequence[SystemFold], problems: Problems) -> None:
    """Say once of a system what its metrics have to say."""
    for code, (what, fix) in {code: text for fold in folds for code, text in fold.metric.remarks.items()}.items():
        n = max(fold.remarked[code] for fold in folds)
        if n:
            problems.note(code, f"{n} {what}", Place(system), fix=fix)
