"""The fold of a stream so far, and the score it ends in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from errorbar.core.counts import Counts
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.signature import Signature
from errorbar.metrics.base import Metric
from errorbar.metrics.score import Score, SentenceScore, TypeRecall
from errorbar.metrics.statistics import Documents, Statistics, concatenate

if TYPE_CHECKING:
    from errorbar.metrics.resampling import Resampling


@dataclass(slots=True)
class Running:
    """The fold of one system under one metric so far."""

    metric: Metric
    totals: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = field(default_factory=lambda: np.zeros((1, 3), np.int64))
    n_units: int = 0
    types: dict[str, list[int]] = field(default_factory=dict)
    sentences: list[SentenceScore] = field(default_factory=list)
    kept: list[Statistics] = field(default_factory=list)

    def add(self, statistics: Statistics, *, by_sentence: bool, keep: bool, at: int) -> None:
        """Go on with the statistics of the next sentences, of which ``at`` came before."""
        if keep:
            self.kept.append(statistics)
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
        if statistics.by_type is not None:
            sums = statistics.by_type.chosen(np.arange(len(chosen)), chosen)
            for name, (correct, gold) in zip(statistics.types, sums.tolist(), strict=True):
                self.types[name][0] += correct
                self.types[name][1] += gold
        if by_sentence:
            for unit, column in enumerate(chosen.tolist()):
                who = statistics.annotators[column] if column >= 0 else None
                counts = Counts(*statistics.counts[unit, column].tolist()) if column >= 0 else Counts(0, 0, 0)
                self.sentences.append(SentenceScore(at + unit + 1, who, counts))


def finish(
    fold: Running,
    system: str,
    annotators: tuple[str, ...],
    signature: Signature,
    *,
    types: str,
    resampling: Resampling | None,
    documents: Documents,
) -> Score:
    """Make the score of what was folded, with intervals if asked for; ``types`` is the hash of error types."""
    counts = Counts(*fold.totals[0].tolist())
    beta = fold.metric.beta
    precision, recall, f = counts.estimates(beta, fold.n_units)
    of_types = {name: (correct, gold) for name, (correct, gold) in sorted(fold.types.items())}
    ends: Mapping[str, Interval | Undefined] = {}
    if resampling is not None and not fold.n_units:
        precision, recall, f = (each.with_interval(Undefined.NO_UNITS) for each in (precision, recall, f))
        ends = dict.fromkeys(of_types, Undefined.NO_UNITS)
    elif resampling is not None:
        from errorbar.metrics.resampling import score_intervals  # noqa: PLC0415 - scipy takes its time

        whole, clusters = concatenate(fold.kept), documents.clusters()
        intervals = score_intervals(fold.metric, whole, counts, clusters, resampling)
        if of_types:
            from errorbar.metrics.type_intervals import type_intervals  # noqa: PLC0415 - as above

            ends = type_intervals(fold.metric, whole, of_types, clusters, resampling)
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
        [TypeRecall(name, *pair, ends.get(name)) for name, pair in of_types.items()] if types else (),
        fold.sentences,
        types,
    )
