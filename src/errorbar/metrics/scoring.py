"""Scoring systems over a stream of corpus chunks: many systems, many metrics, memory that does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from errorbar.core.corpus import (
    ContentHash,
    Corpus,
    Hypothesis,
    absent_note,
    reference_record,
    source_record,
    unknown_annotator,
)
from errorbar.core.counts import Counts
from errorbar.core.errors import Place
from errorbar.core.estimate import Undefined
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.edits.shift import ShiftDetector
from errorbar.metrics.base import Metric
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.score import Score, SentenceScore, TypeRecall
from errorbar.metrics.statistics import Documents, Statistics, concatenate

if TYPE_CHECKING:
    from errorbar.metrics.resampling import Resampling


class Lines(Protocol):
    """A system's sentences, taken in step with the source."""

    @property
    def name(self) -> str:
        """The system's name."""
        ...

    def take(self, size: int) -> Sequence[str]:
        """The next sentences, as many as there are up to ``size``."""
        ...

    def finish(self, n_sentences: int) -> None:
        """Complain if there are not as many sentences as the source has."""
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
            what = f"{n_lines} lines for {n_sentences} sentences of the source"
            self.problems.error("line-count", what, Place(self.name))


@dataclass(slots=True)
class _Running:
    """The fold of one system under one metric so far."""

    metric: Metric
    totals: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = field(default_factory=lambda: np.zeros((1, 3), np.int64))
    n_units: int = 0
    types: dict[str, list[int]] = field(default_factory=dict)
    sentences: list[SentenceScore] = field(default_factory=list)
    kept: list[Statistics] = field(default_factory=list)

    def add(self, statistics: Statistics, *, by_sentence: bool, keep: bool, at: int) -> None:
        if keep:
            self.kept.append(replace(statistics, by_type=None, types=()))
        if statistics.by_type is not None:  # every type gets its row, whoever used it
            for name in statistics.types:
                self.types.setdefault(name, [0, 0])
        if self.metric.annotator not in (None, *statistics.annotators):  # may appear in a later chunk
            if by_sentence:
                self.sentences += [SentenceScore(at + k + 1, None, Counts(0, 0, 0)) for k in range(len(statistics))]
            return
        want_chosen = by_sentence or statistics.by_type is not None
        folded = self.metric.fold(statistics, start=self.totals, want_chosen=want_chosen)
        self.totals = folded.totals
        self.n_units += int(folded.n_units[0])
        if not want_chosen:
            return
        chosen = folded.chosen[0]
        looked = np.flatnonzero(chosen >= 0)
        if statistics.by_type is not None:
            sums = statistics.by_type[looked, chosen[looked]].sum(axis=0)
            for name, (correct, gold) in zip(statistics.types, sums.tolist(), strict=True):
                self.types[name][0] += correct
                self.types[name][1] += gold
        if by_sentence:
            for unit, column in enumerate(chosen.tolist()):
                who = statistics.annotators[column] if column >= 0 else None
                counts = Counts(*statistics.counts[unit, column].tolist()) if column >= 0 else Counts(0, 0, 0)
                self.sentences.append(SentenceScore(at + unit + 1, who, counts))


def score(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    metrics: Sequence[Metric | str],
    *,
    by_type: bool = False,
    by_sentence: bool = False,
    resampling: Resampling | None = None,
    problems: Problems | None = None,
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

    Returns:
        A score for each system and metric, systems outermost.

    Raises:
        InputError: If a system has another number of sentences than the source.
        UsageError: If a metric names an annotator that the corpus does not have.
    """
    notebook = problems or Problems()
    streams = [_InMemory(system, notebook) for system in systems]
    parsed = [parse_metric(metric) if isinstance(metric, str) else metric for metric in metrics]
    return score_stream(
        [corpus], streams, parsed, notebook, by_type=by_type, by_sentence=by_sentence, resampling=resampling
    )


def score_stream(
    chunks: Iterable[Corpus],
    systems: Sequence[Lines],
    metrics: Sequence[Metric],
    problems: Problems,
    *,
    by_type: bool = False,
    by_sentence: bool = False,
    resampling: Resampling | None = None,
    conventions: tuple[str, ...] = (),
    progress: Callable[[int], object] = lambda _: None,
) -> list[Score]:
    """Score systems against a corpus that arrives in chunks.

    Memory is that of one chunk, and of the counts of all sentences if ``by_sentence`` rows or intervals are asked
    for. The arguments are those of ``score``;
    ``conventions`` join the signature, ``progress`` is told the number of sentences done.
    """
    source_hash, reference_hash = ContentHash(), ContentHash()
    hypothesis_hashes = [ContentHash() for _ in systems]
    running = [[_Running(metric) for metric in metrics] for _ in systems]
    shifts = [ShiftDetector() for _ in systems]
    annotators: dict[str, None] = {}
    named = [metric.annotator for metric in metrics]
    absent: dict[str, int] = {only: 0 for only in named if only is not None}
    n_large = [0] * len(systems)
    documents = Documents()
    n = 0
    for chunk in chunks:
        annotators = dict.fromkeys([*chunk.annotators, *annotators])  # a reader's chunks know more and more of them
        source_hash.add(map(source_record, chunk.sentences))
        reference_hash.add([reference_record(sentence.annotations) for sentence in chunk.sentences])
        documents.add(chunk.sentences)
        for only in absent:
            absent[only] += sum(only not in sentence.annotations for sentence in chunk.sentences)
        texts = [sentence.text for sentence in chunk.sentences]
        for index, system in enumerate(systems):
            lines = system.take(len(chunk))
            if len(lines) < len(chunk):
                continue  # finish() says so, once the length of the source is known
            hypothesis_hashes[index].add([" ".join(line.split()) for line in lines])
            shifts[index].add(texts, lines)
            large = 0
            for statistics, sharers in _measured(chunk, lines, running[index], by_type=by_type):
                large = max(large, statistics.n_large)
                for fold in sharers:
                    fold.add(statistics, by_sentence=by_sentence, keep=resampling is not None, at=n)
            n_large[index] += large
        n += len(chunk)
        progress(n)
    for system in systems:
        system.finish(n)
    problems.raise_errors()
    _check_annotators(absent, annotators)
    for system, detector, large in zip(systems, shifts, n_large, strict=True):
        warn_shifted(system.name, detector, problems)
        _warn_large(system.name, large, problems)
    if resampling is not None:
        if resampling.method != "closed":
            documents.warn(problems)
        conventions = (*conventions, resampling.convention(documents.unit))
    problems.notes += [absent_note(name, k, n, "") for name, k in absent.items() if k and len(annotators) > 1]
    return [
        _finish(
            fold,
            system.name,
            tuple(annotators),
            Signature(
                str(fold.metric.spec),
                source_hash.short(),
                reference_hash.short(),
                hypothesis_hash.short(),
                n,
                len(annotators),
                conventions,
            ),
            by_type=by_type,
            resampling=resampling,
            documents=documents,
        )
        for system, hypothesis_hash, folds in zip(systems, hypothesis_hashes, running, strict=True)
        for fold in folds
    ]


def _measured(
    chunk: Corpus, lines: Sequence[str], running: Sequence[_Running], *, by_type: bool
) -> Iterator[tuple[Statistics, list[_Running]]]:
    groups: dict[str, list[_Running]] = {}
    for fold in running:
        groups.setdefault(fold.metric.measure_key, []).append(fold)
    for sharers in groups.values():
        yield sharers[0].metric.measure(chunk, lines, by_type=by_type), sharers


def _finish(
    fold: _Running,
    system: str,
    annotators: tuple[str, ...],
    signature: Signature,
    *,
    by_type: bool,
    resampling: Resampling | None,
    documents: Documents,
) -> Score:
    counts = Counts(*fold.totals[0].tolist())
    beta = fold.metric.beta
    precision, recall, f = counts.estimates(beta, fold.n_units)
    if resampling is not None and not fold.n_units:
        precision, recall, f = (each.with_interval(Undefined.NO_UNITS) for each in (precision, recall, f))
    elif resampling is not None:
        from errorbar.metrics.resampling import score_intervals  # noqa: PLC0415 - scipy takes its time

        intervals = score_intervals(fold.metric, concatenate(fold.kept), counts, documents.clusters(), resampling)
        n_clusters = documents.n_clusters if documents.unit == "document" else None
        precision, recall, f = (
            estimate.with_interval(interval, n_clusters=n_clusters)
            for estimate, interval in zip((precision, recall, f), intervals, strict=True)
        )
    only = fold.metric.annotator
    return Score(
        system,
        beta,
        precision,
        recall,
        f,
        counts,
        fold.n_units,
        annotators if only is None else (only,),
        signature,
        [TypeRecall(name, *pair) for name, pair in sorted(fold.types.items())] if by_type else (),
        fold.sentences,
    )


def _check_annotators(named: Iterable[str], known: Iterable[str]) -> None:
    for name in named:
        if name not in known:
            raise unknown_annotator(name, known)


def _warn_large(system: str, n_large: int, problems: Problems) -> None:
    if n_large:
        what = f"{n_large} sentence pairs were too large for the official search order; the integer objective served"
        problems.note("large-pairs", what, Place(system), fix="see docs/design/large-lattices.md")


def warn_shifted(system: str, detector: ShiftDetector, problems: Problems) -> None:
    """Note the lines of a system that look shifted against the source."""
    stretches = detector.stretches()
    if stretches:
        said = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in stretches)
        what = f"lines {said} look shifted against the source; they are scored as they are"
        problems.note("shifted-lines", what, Place(system), fix="check the order of lines around them")
