"""From kept counts to scores: the fold costs next to nothing, so only counts are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorbar.core.counts import Counts
from errorbar.core.signature import Signature
from errorbar.metrics.base import Metric
from errorbar.metrics.m2 import M2
from errorbar.metrics.score import Score, TypeRecall
from errorbar.metrics.statistics import Statistics
from errorbar.tasks.sentences import Facts, statistics_of
from errorbar.tasks.store import Entry


def score_entry(name: str, metric: Metric, entry: Entry, facts: Facts) -> Score:
    """Score a run from its counts; every digit and the signature are those of ``errorbar score``.

    Args:
        name: What the row is called.
        metric: What is computed; its map made the counts.
        entry: The counts.
        facts: Of the references.
    """
    return score_statistics(name, metric, statistics_of(entry, facts.annotators), facts, str(entry.meta["hypothesis"]))


def score_statistics(name: str, metric: Metric, statistics: Statistics, facts: Facts, hypothesis: str) -> Score:
    """As ``score_entry``, once the counts are unpacked."""
    folded = metric.fold(statistics, want_chosen=True)
    counts = Counts(*folded.totals[0].tolist())
    n_units = int(folded.n_units[0])
    chosen = folded.chosen[0]
    types: list[TypeRecall] = []
    if statistics.by_type is not None:
        sums = statistics.by_type.chosen(np.arange(len(chosen)), chosen).tolist()
        types = [TypeRecall(kind, *pair) for kind, pair in sorted(zip(statistics.types, sums, strict=True))]
    spec = str(metric.spec)
    signature = Signature(spec, facts.source, facts.reference, hypothesis, facts.n_sentences, len(facts.annotators))
    annotators = facts.annotators if metric.annotator is None else (metric.annotator,)
    estimates = counts.estimates(metric.beta, n_units)
    return Score(
        name, metric.beta, *estimates, counts, n_units, annotators, signature, types, types=facts.types if types else ""
    )


def against(metric: Metric, annotator: str) -> Metric | None:
    """The metric against one annotator alone; None where it cannot be."""
    return replace(metric, choose=annotator) if isinstance(metric, M2) else None
