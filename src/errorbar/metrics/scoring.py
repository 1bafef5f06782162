"""Scoring systems over a stream of corpus chunks: many systems, many metrics, memory that does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from errorbar.core.corpus import (
    ContentHash,
    Corpus,
    Hypothesis,
    absent_note,
    annotator_order,
    unknown_annotator,
    wrong_count,
)
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.edits.admission import Admission
from errorbar.edits.likeness import Evidence
from errorbar.execute.executor import Executor, Serial
from errorbar.metrics.base import Metric
from errorbar.metrics.measuring import CorpusPiece, Measuring, Piece, ShiftJoiner
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.running import Running, finish
from errorbar.metrics.score import Score
from errorbar.metrics.statistics import Documents

if TYPE_CHECKING:
    from errorbar.edits.retokenize import Retokenized
    from errorbar.metrics.resampling import Resampling


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


@dataclass(slots=True)
class _InMemory:
    hypothesis: Hypothesis
    problems: Problems
    at: int = 0

    @property
    def name(self) -> str:
        return self.hypothesis.name

    def take(self, size: int) -> Sequence[str]:
        taken = self.hypothesis.lines[self.at : self.at + size]
        self.at += len(taken)
        return taken

    def finish(self, n_sentences: int) -> None:
        n_lines = len(self.hypothesis.lines)
        if n_lines != n_sentences:
            what = wrong_count(n_lines, n_sentences)
            self.problems.error("line-count", what, Place(self.name))


def score(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    metrics: Sequence[Metric | str],
    *,
    by_type: bool = False,
    by_sentence: bool = False,
    resampling: Resampling | None = None,
    problems: Problems | None = None,
    force: bool = False,
    retokenize: bool = False,
    executor: Executor | None = None,
) -> list[Score]:
    """Score systems against a corpus in memory.

    Args:
        corpus: Source sentences and annotations.
        systems: The systems' sentences.
        metrics: What to compute: metrics, or specs such as ``"m2(beta=1)"``.
        by_type: Also recall of each error type.
        by_sentence: Also the part of each sentence.
        resampling: How to make intervals; None: none.
        problems: Where warnings go; None: they are dropped.
        force: Score a system that is not a correction of this source, with a warning.
        retokenize: First give lines that look untokenized the source's tokens.
        executor: Who does the work (``errorbar.execute.choose_executor``); None: this process.

    Returns:
        A score for each system and metric, systems outermost.

    Raises:
        InputError: If a system has another number of sentences than the source, or is no correction of it.
        UsageError: If a metric names an annotator that the corpus does not have.
    """
    notebook = problems or Problems()
    streams = [_InMemory(system, notebook) for system in systems]
    parsed = [parse_metric(metric) if isinstance(metric, str) else metric for metric in metrics]
    return score_pieces(
        corpus_pieces([corpus], streams, executor),
        streams,
        parsed,
        notebook,
        by_type=by_type,
        by_sentence=by_sentence,
        resampling=resampling,
        admission=Admission(force, retokenize),
        executor=executor,
    )


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
    pieces: Iterable[Piece],
    systems: Sequence[Ending],
    metrics: Sequence[Metric],
    problems: Problems,
    *,
    by_type: bool = False,
    by_sentence: bool = False,
    resampling: Resampling | None = None,
    conventions: tuple[str, ...] = (),
    admission: Admission = Admission(),  # noqa: B008 - frozen
    progress: Callable[[int], object] = lambda _: None,
    executor: Executor | None = None,
) -> list[Score]:
    """Score systems against a corpus in pieces, each read and measured by whoever the executor gives it to.

    The fold is sequential, over the pieces in order: neither their size nor the number of workers changes a digit.
    Memory is that of a few pieces, and of the counts of all sentences if ``by_sentence`` rows or intervals are asked
    for.

    Args:
        pieces: The corpus and the systems' lines, in order (``corpus_pieces``, ``errorbar.formats.pieces``).
        systems: The systems' names, and whoever checks their length.
        metrics: What to compute.
        problems: Where problems and warnings go.
        by_type: Also recall of each error type.
        by_sentence: Also the part of each sentence.
        resampling: How to make intervals; None: none.
        conventions: What joins the signature.
        admission: How systems' texts are taken.
        progress: Is told the number of sentences done.
        executor: Who does the work; None: this process.

    Raises:
        InputError: If a file is bad, or a system has another number of sentences than the source or is no correction
            of it.
        UsageError: If a metric names an annotator that the corpus does not have.
    """
    source_hash, reference_hash, types_hash = ContentHash(), ContentHash(), ContentHash()
    hypothesis_hashes = [ContentHash() for _ in systems]
    running = [[Running(metric) for metric in metrics] for _ in systems]
    shifts = [ShiftJoiner() for _ in systems]
    seen = [Evidence() for _ in systems]
    retokenized: list[Retokenized | None] = [None] * len(systems)
    annotators: set[str] = set()
    absent: dict[str, int] = {metric.annotator: 0 for metric in metrics if metric.annotator is not None}
    n_large = [0] * len(systems)
    documents = Documents()
    n = 0
    worker = executor or Serial()
    lazy = isinstance(worker, Serial)
    resampled, retokenize = resampling is not None, admission.retokenize
    work = Measuring(tuple(metrics), by_type=by_type, documents=resampled, retokenize=retokenize, lazy=lazy)
    for part in worker.map_ordered(work, pieces):
        problems.collect(part.problems)
        annotators.update(part.annotators)
        _add(source_hash, part.source, part.n)
        _add(reference_hash, part.reference, part.n)
        _add(types_hash, part.types, part.n)
        if part.documents is not None:
            documents.add_names(part.documents)
        for only, missing in part.absent.items():
            absent[only] += missing
        for index, system in enumerate(part.systems):
            if system is None:
                continue  # finish() says so, once the length of the source is known
            _add(hypothesis_hashes[index], system.record, part.n)
            shifts[index].add(system.edges, part.n)
            seen[index].add(system.evidence)
            retokenized[index] = _joined(retokenized[index], system.retokenized)
            n_large[index] += max((each.n_large for each in system.statistics.values()), default=0)
            for fold in running[index]:
                statistics = system.statistics[fold.metric.measure_key]
                fold.add(statistics, by_sentence=by_sentence, keep=resampling is not None, at=n)
        n += part.n
        progress(n)
    for ending in systems:
        ending.finish(n)
    problems.raise_errors()
    _check_annotators(absent, annotator_order(annotators))
    for ending, joiner, evidence, done, large in zip(systems, shifts, seen, retokenized, n_large, strict=True):
        admission.say(ending.name, evidence, joiner.detector(), done, problems)
        _warn_large(ending.name, large, problems)
    problems.raise_errors()
    conventions = (*conventions, *admission.conventions)
    if resampling is not None:
        if resampling.method != "closed":
            documents.warn(problems)
        conventions = (*conventions, resampling.convention(documents.clustering))
    problems.notes += [absent_note(name, k, n, "") for name, k in absent.items() if k and len(annotators) > 1]
    return [
        finish(
            fold,
            ending.name,
            tuple(annotator_order(annotators)),
            Signature(
                str(fold.metric.spec),
                source_hash.short(),
                reference_hash.short(),
                hypothesis_hash.short(),
                n,
                len(annotators),
                conventions,
            ),
            types=types_hash.short() if by_type else "",
            resampling=resampling,
            documents=documents,
        )
        for ending, hypothesis_hash, folds in zip(systems, hypothesis_hashes, running, strict=True)
        for fold in folds
    ]


def _add(content: ContentHash, records: str, n: int) -> None:
    """Add the records of a piece, which a worker has joined by line feeds as the hash itself does."""
    if n:
        content.add([records])


def _joined(before: Retokenized | None, more: Retokenized | None) -> Retokenized | None:
    if before is None or more is None:
        return before or more
    before.add(more)
    return before


def _check_annotators(named: Iterable[str], known: Iterable[str]) -> None:
    for name in named:
        if name not in known:
            raise unknown_annotator(name, known)


def _warn_large(system: str, n_large: int, problems: Problems) -> None:
    if n_large:
        what = f"{n_large} sentence pairs were too large for the official search order; the integer objective served"
        problems.note("large-pairs", what, Place(system), fix="see docs/design/large-lattices.md")
