"""The metrics that ``meta`` looks at: read from files of scores, or computed from systems' outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from errorbar.core.corpus import ContentHash, Hypothesis
from errorbar.core.errors import Place, nearest
from errorbar.core.problems import Problems
from errorbar.core.rankings import MetricScores
from errorbar.formats.look import Source
from errorbar.formats.metric_scores import read_named_scores
from errorbar.metrics.base import Floats, Folded, Metric, Selection
from errorbar.metrics.documents import Documents
from errorbar.metrics.swaps import swap_chances
from errorbar.ranking.soft_accuracy import sentence_chances
from errorbar.stats.one_sided import WAYS
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, load, need_systems, system_list
from errorbar.studies.signatures import made_by
from errorbar.version import __version__

Scores = Source | MetricScores


@dataclass(frozen=True, slots=True)
class Recorded:
    """A metric whose scores are known."""

    scores: MetricScores

    def signed(self, seed: int) -> str | None:
        """What soft accuracy rests on: scores of sentences, and ways to swap them; None: there are none."""
        if not self.scores.sentences:
            return None
        content = ContentHash()
        rows = ((name, sorted(each.items())) for name, each in sorted(self.scores.sentences.items()))
        content.add([repr(row) for row in rows])
        n = len(self.scores.sentences)
        return f"recorded|scores:{content.short()}|n:{n}|by:sentence,seed:{seed}|p:one-sided,{WAYS}|v:{__version__}"

    def chances(self, systems: Sequence[str], seed: int) -> Floats | None:
        """How sure it is of each pair, from scores of sentences; None: there are none."""
        return sentence_chances(self.scores.sentences, systems, seed) if self.scores.sentences else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed(Recorded):
    """A metric that was computed here."""

    metric: Metric
    statistics: dict[str, Any]  # what it keeps of each system
    documents: Documents
    signature: str

    def signed(self, seed: int) -> str | None:
        """What was computed on which data how."""
        return self.signature

    def chances(self, systems: Sequence[str], seed: int) -> Floats | None:
        """How sure it is of each pair, from swapping the outputs of documents or sentences."""
        kept = [self.statistics[system] for system in systems]
        return swap_chances(self.metric.resampled, kept, self.documents.clusters(), seed)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What metrics are computed from."""

    gold: Gold
    systems: Systems
    metrics: Sequence[Metric]
    reading: ReadingOptions
    first_sentence: int  # what the humans call it
    seed: int

    @property
    def names(self) -> list[str]:
        """What the metrics are called."""
        return [str(metric.spec) for metric in self.metrics]

    def compute(self, ranked: Iterable[str], problems: Problems) -> list[Recorded]:
        """Score systems, whose names must be those that humans ranked, by every metric."""
        need_systems(self.systems)
        outputs = system_list(self.systems)
        if not problems.lenient:  # in the end all metrics are asked for all systems, but measuring may take minutes
            _same_systems([each.name for each in outputs], list(ranked), problems)
        named = {each.name: each.lines if isinstance(each, Hypothesis) else each.path for each in outputs}
        data = load(self.gold, named, self.reading)
        problems.take(data.problems.notes)
        found: list[Recorded] = []
        for metric in self.metrics:
            data.corpus.need([] if metric.annotator is None else [metric.annotator])
            kept = {system.name: metric.measure(data.corpus, system.lines) for system in data.systems}
            by = f"by:{data.documents.clustering},seed:{self.seed}"
            how = *made_by(metric, kept.values()), by, f"p:one-sided,{WAYS}"
            signature = data.signature(str(metric.spec), *how)
            scores = _scores(metric, kept, self.first_sentence)
            found.append(
                Computed(scores, metric=metric, statistics=kept, documents=data.documents, signature=signature)
            )
        return found


def read_scores(
    scores: Scores | Sequence[Scores], betas: Sequence[float], first_sentence: int, problems: Problems
) -> list[Recorded]:
    """Metrics of files, ``name=path`` naming one; or of what is in memory."""
    found: list[MetricScores] = []
    for given in [scores] if isinstance(scores, str | PathLike | MetricScores) else scores:
        if isinstance(given, MetricScores):
            found.append(given)
        else:
            found += read_named_scores(given, problems, betas=betas, first_sentence=first_sentence)
    return list(map(Recorded, found))


def _same_systems(given: Sequence[str], ranked: Sequence[str], problems: Problems) -> None:
    """Name every system that only one side has."""
    for system in (each for each in ranked if each not in given):
        what, hint = f"there is no output of '{system}', which humans ranked", nearest(system, given)
        problems.error("meta-missing-system", what, Place(), fix=hint)
    for system in (each for each in given if each not in ranked):
        what, hint = f"no human ranked '{system}'", nearest(system, ranked)
        problems.error("meta-unknown-system", what, Place(), fix=hint)
    problems.raise_errors()


def _scores(metric: Metric, kept: dict[str, Any], first_sentence: int) -> MetricScores:
    """Scores of systems, and of each of their sentences alone; higher is better."""
    sign = metric.measures[metric.main].sign
    systems: dict[str, float] = {}
    sentences: dict[str, dict[str, float]] = {}
    for system, statistics in kept.items():
        value = float(_main(metric, metric.fold(statistics))[0])
        if not np.isnan(value):
            systems[system] = sign * value
        for number, score in enumerate((sign * _alone(metric, statistics)).tolist(), first_sentence):
            if not np.isnan(score):
                sentences.setdefault(str(number), {})[system] = score
    return MetricScores(str(metric.spec), systems, sentences)


def _alone(metric: Metric, statistics: Any) -> Floats:  # noqa: ANN401 - what the metric keeps
    """The main measure of each sentence: the metric's own, or that of a corpus of this sentence; shape (sentences,)."""
    values = metric.parts(statistics).values
    if values is not None:
        return values[:, metric.main]
    return _main(metric, metric.fold(statistics, Selection(units=np.arange(len(statistics))[:, None])))


def _main(metric: Metric, folded: Folded) -> Floats:
    """The main measure of each replicate, NaN where nobody looked at any of its sentences."""
    return np.where(folded.n_units > 0, folded.values[:, metric.main], np.nan)
