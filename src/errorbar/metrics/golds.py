"""The same systems under several golds: scores, what another gold changes, ranks, and pairs whose order it turns.

Formula
    Every gold has a corpus of the same sentences for each system: one for all (a common gold, an independent reference)
    or one of its own. θ_g(s) is the corpus score of system s under gold g, and δ_g(s) = θ_g(s) - θ_common(s). Sentences
    (documents, where they are known) are drawn anew, each with its output and all its references, the same ones for
    every gold and system, so that δ and the difference D_g = θ_g(a) - θ_g(b) of two systems are paired.
    a is ahead of b under g if p <= alpha, where p is that of D_g under the centered resamples D_g* - D_g, adjusted for
    all pairs by step-down max-T (errorbar.stats.multiple). Where all resamples give the same D_g other than 0, as where
    one output is its own reference and the other the source, nothing is known, and no order is said to depend on g.
    The closest of N is, of each sentence, the reference of N under which the system's output of this sentence alone
    scores best; ties go to the reference with the fewest edits, then to the first.
    Where a system has e >= 2 own references, its score and its change also have an interval over texts and editors: the
    two-way jackknife of errorbar.stats.two_way for few judges, U(-i) being the score without editor i, with the common
    gold as it is.
Conventions
    Other intervals are over texts: references and editors are those given. Systems of one value share the better rank.
    A sentence that none of the N looked at has no closest reference, and is not scored.
Source
    Own references: Rozovskaya & Roth 2026; Östling et al. 2025. Paired bootstrap: Koehn 2004; centered: Hall & Wilson
    1991.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.corpus import Annotation, Corpus, TextEdits
from errorbar.core.estimate import Estimate, Scale, Undefined, value_or_none
from errorbar.core.problems import Problems
from errorbar.edits.texts import corrected_text, extract_edits
from errorbar.metrics.base import Metric, Opaque, Selection
from errorbar.metrics.edit_metric import RUNNING, SENTENCE
from errorbar.metrics.folding import Documents
from errorbar.metrics.intervals import fold_resampled_values, left_out_values
from errorbar.metrics.judge_sets import GROUPS, MOST_TEXTS, fold_without_each
from errorbar.metrics.scores import JointEstimate
from errorbar.stats.multiple import step_down_max_t
from errorbar.stats.resampling import Resampling, left_out_groups
from errorbar.stats.two_way import two_way

COMMON, COMMON_TEXT, INDEPENDENT, CLOSEST, OWN = "common", "common-text", "independent", "closest", "own"
GOLDS = (COMMON, COMMON_TEXT, INDEPENDENT, CLOSEST, OWN)
"""Names of golds, in the order in which they are shown."""
Turn = Literal["lost", "won", "reversed"]
"""Changes of an order under another gold: shown under the common gold alone, under the other alone, or the other way
round."""


@dataclass(frozen=True, slots=True)
class GoldScore:
    """A system's score under one gold.

    Attributes:
        system: The system's name.
        gold: The name of the gold.
        n_references: How many references it has, at most, of a sentence.
        estimates: By name of the measure, with intervals over texts.
        beside: The gold that changes are beside: the common one, maybe as text; empty for the common gold itself.
        changes: What the gold changes, by name of the measure; empty for the common gold.
        rank: Among the systems by the main measure; None: it has no value.
        over_editors: The main measure over texts and editors, of own references by two editors or more; else None.
        change_over_editors: Its change over texts and editors, likewise.
    """

    system: str
    gold: str
    n_references: int
    estimates: Mapping[str, Estimate]
    beside: str
    changes: Mapping[str, Estimate]
    rank: int | None
    over_editors: Estimate | None = None
    change_over_editors: Estimate | None = None


@dataclass(frozen=True, slots=True)
class GoldPair:
    """Two systems under one gold: the difference of the main measure, and who is ahead.

    Attributes:
        gold: The name of the gold.
        first: A system.
        second: Another system.
        difference: The first minus the second, with its interval over texts.
        p: Adjusted for all pairs; None: without intervals, or the systems score alike.
        ahead: The system that is significantly better; empty: neither is.
    """

    gold: str
    first: str
    second: str
    difference: Estimate
    p: float | None
    ahead: str

    @property
    def is_known(self) -> bool:
        """Whether it is known if one of them is ahead: there is a p, or the two score alike."""
        return self.p is not None or self.difference.value == 0


@dataclass(frozen=True, slots=True)
class TurnedPair:
    """Two systems in an order that depends on the gold: ``ahead`` is ahead of ``other`` under the gold that shows it.

    Attributes:
        gold: The gold that changes the order.
        beside: The common gold, maybe as text.
        ahead: The system that is ahead: under the common gold, or, where it is won, under ``gold``.
        other: The other system.
        turn: What ``gold`` does to the order.
    """

    gold: str
    beside: str
    ahead: str
    other: str
    turn: Turn


@dataclass(frozen=True, slots=True)
class GoldStatistics:
    """The statistics that a metric keeps of each system under one gold."""

    name: str
    statistics: Sequence[Opaque]  # of each system
    n_references: Sequence[int]  # of each system
    beside: str = ""  # the gold that changes are beside; empty: none


@dataclass(frozen=True, slots=True)
class GoldComparison:
    """Scores of all systems under all golds, and every pair under each."""

    scores: Sequence[GoldScore]  # golds outermost
    pairs: Sequence[GoldPair]  # golds outermost

    @property
    def turned(self) -> list[TurnedPair]:
        """The pairs whose order is known under the common gold and another, and not the same."""
        ahead = {(pair.gold, pair.first, pair.second): pair.ahead for pair in self.pairs if pair.is_known}
        beside = {score.gold: score.beside for score in self.scores if score.beside}
        turned = []
        for (gold, first, second), better in ahead.items():
            before = ahead.get((beside.get(gold, gold), first, second), better)
            if better == before:
                continue
            turn: Turn = "lost" if not better else "won" if not before else "reversed"
            best = before or better
            turned.append(TurnedPair(gold, beside[gold], best, second if best == first else first, turn))
        return turned


def compare_golds(
    metric: Metric, golds: Sequence[GoldStatistics], names: Sequence[str], documents: Documents, how: Resampling | None
) -> GoldComparison:
    """Score systems under several golds, that which others are beside first; without intervals nobody is ahead."""
    folded = {
        gold.name: [_Fold.of(metric, statistics, documents, how) for statistics in gold.statistics] for gold in golds
    }
    given = {gold.name: gold for gold in golds}
    scores: list[GoldScore] = []
    pairs: list[GoldPair] = []
    for gold in golds:
        own = folded[gold.name]
        ranks = _ranks(metric, [fold.values[metric.main] for fold in own])
        for k, fold in enumerate(own):
            changes = fold.minus(folded[gold.beside][k]) if gold.beside else {}
            about = names[k], gold.name, gold.n_references[k]
            score = GoldScore(*about, fold.estimates(), gold.beside, changes, ranks[k])
            if gold.name == OWN and gold.n_references[k] > 1 and how is not None:
                without = _without_editors(metric, gold.statistics[k])
                texts, beside = (
                    _without_texts(metric, given[name].statistics[k], documents) for name in (OWN, gold.beside)
                )
                alone = fold.over_editors(texts, without)
                change = fold.over_editors(texts - beside, without, folded[gold.beside][k])
                score = replace(score, over_editors=alone, change_over_editors=change)
            scores.append(score)
        pairs += _compare_pairs(gold.name, metric, own, names)
    return GoldComparison(scores, pairs)


@dataclass(frozen=True, slots=True)
class _Fold:
    """The values of a system under a gold, and on all resamples."""

    metric: Metric
    values: Floats  # shape (measures,)
    reasons: Sequence[Undefined | None]
    n: tuple[int, int | None]  # units, and clusters where these are documents
    how: Resampling | None
    resampled: Floats | None = None  # shape (replicates, measures)
    left_out: Floats | None = None  # shape (groups, measures)

    @classmethod
    def of(cls, metric: Metric, statistics: Opaque, documents: Documents, how: Resampling | None) -> _Fold:
        whole = metric.fold(statistics)
        n_clusters = documents.n_clusters if documents.unit == "document" else None
        fold = cls(metric, whole.values[0], metric.reasons(whole), (int(whole.n_units[0]), n_clusters), how)
        if how is None:
            return fold
        clusters = documents.clusters()

        def values(selection: Selection) -> Floats:
            return metric.fold(statistics, selection).values

        resampled = fold_resampled_values(metric, values, clusters, how)
        return replace(fold, resampled=resampled, left_out=left_out_values(metric, values, clusters))

    def estimates(self) -> dict[str, Estimate]:
        """The measures with their intervals."""
        by_name = {}
        for k, measure in enumerate(self.metric.measures):
            estimate = self._estimate(k, self.values, self.resampled, self.left_out, measure.scale)
            by_name[measure.name] = replace(estimate, undefined=self.reasons[k])
        return by_name

    def minus(self, other: _Fold) -> dict[str, Estimate]:
        """The differences of the measures from those of another fold."""
        values = self.values - other.values
        resampled = None if self.resampled is None or other.resampled is None else self.resampled - other.resampled
        left_out = None if self.left_out is None or other.left_out is None else self.left_out - other.left_out
        return {
            measure.name: self._estimate(k, values, resampled, left_out, measure.scale.of_differences)
            for k, measure in enumerate(self.metric.measures)
        }

    def over_editors(self, texts: Floats, without: Floats, other: _Fold | None = None) -> Estimate:
        """The main measure, or its difference from another fold, over texts and editors.

        ``texts``: without each text; ``without``: the main measure of this fold without each editor.
        """
        assert self.how is not None
        main = self.metric.main
        scale, value = self.metric.measures[main].scale, self.values[main]
        if other is not None:
            scale = scale.of_differences
            value, without = value - other.values[main], without - other.values[main]
        components = two_way(float(value), texts, without, few=True)
        return JointEstimate.of(float(value), self.n[0], components, self.how.confidence_level, scale).estimate

    def _estimate(
        self, k: int, values: Floats, resampled: Floats | None, left_out: Floats | None, scale: Scale
    ) -> Estimate:
        estimate = Estimate(value_or_none(values[k]), self.n[0], n_clusters=self.n[1])
        if self.how is None or resampled is None or left_out is None:
            return estimate
        interval = self.how.interval(float(values[k]), resampled[:, k], left_out[:, k], scale)
        return estimate.with_interval(interval, n_clusters=self.n[1])


def _without_editors(metric: Metric, statistics: Opaque) -> Floats:
    """The main measure without each editor; shape (editors,)."""
    others = 1 - np.eye(len(statistics.annotators), dtype=np.uint8)
    return np.array([metric.fold(statistics, Selection(annotators=row[None])).values[0, metric.main] for row in others])


def _without_texts(metric: Metric, statistics: Opaque, documents: Documents) -> Floats:
    """The main measure without each text, or group of them, as scores over judges leave them out; shape (texts,)."""
    groups = left_out_groups(documents.clusters(), MOST_TEXTS, GROUPS)
    if len(np.unique(groups)) < 2:
        return np.empty(0)
    everybody = np.ones((1, len(statistics.annotators)), np.uint8)
    return np.asarray(fold_without_each(metric, statistics, everybody, groups)[:, 0, metric.main], np.float64)


def _ranks(metric: Metric, values: Sequence[float]) -> list[int | None]:
    goodness = metric.measures[metric.main].sign * np.array(values)
    return [None if np.isnan(own) else 1 + int(np.count_nonzero(goodness > own)) for own in goodness]


def _compare_pairs(gold: str, metric: Metric, folds: Sequence[_Fold], names: Sequence[str]) -> list[GoldPair]:
    main, sign = metric.main, metric.measures[metric.main].sign
    name = metric.measures[main].name
    numbers = list(combinations(range(len(names)), 2))
    differences = [folds[a].minus(folds[b])[name] for a, b in numbers]
    p_values: dict[tuple[int, int], float] = {}
    known = [pair for pair, one in zip(numbers, differences, strict=True) if one.interval is not None]
    if known:
        observed = np.array([folds[a].values[main] - folds[b].values[main] for a, b in known])
        drawn = [_main_resamples(folds[a], main) - _main_resamples(folds[b], main) for a, b in known]
        adjusted = step_down_max_t(observed, np.stack(drawn) - observed[:, None])
        p_values = dict(zip(known, adjusted.tolist(), strict=True))
    pairs = []
    for (a, b), difference in zip(numbers, differences, strict=True):
        p, how = p_values.get((a, b)), folds[a].how
        ahead = ""
        if p is not None and how is not None and p <= 1 - how.confidence_level:
            ahead = names[a] if sign * (difference.value or 0.0) > 0 else names[b]
        pairs.append(GoldPair(gold, names[a], names[b], difference, p, ahead))
    return pairs


def _main_resamples(fold: _Fold, main: int) -> Floats:
    assert fold.resampled is not None
    return fold.resampled[:, main]


# The closest of N references of each sentence: a choice that favors the system.


def choose_closest(metric: Metric, corpus: Corpus, statistics: Opaque) -> NDArray[np.int64]:
    """Choose the reference of each sentence that scores a system best; its column, -1 where nobody looked.

    Args:
        metric: A metric that can be scored against one annotator alone.
        corpus: The N references, each an annotator.
        statistics: What the metric keeps of the system against them.

    Returns:
        Columns of the corpus' annotators; shape (sentences,).
    """
    edits = [[one.annotations.get(name) for name in corpus.annotators] for one in corpus.sentences]
    looked = np.array([[each is not None for each in row] for row in edits])
    return prefer_closest(metric, statistics, looked, np.array([[len(each or ()) for each in row] for row in edits]))


def prefer_closest(
    metric: Metric, statistics: Opaque, looked: NDArray[np.bool_], n_edits: NDArray[np.integer[Any]]
) -> NDArray[np.int64]:
    """The same of references of whom it is known where they looked and how many edits they have; (sentences, N)."""
    free = metric.replaced(choose=RUNNING) if getattr(metric, "choose", "") == SENTENCE else metric
    goodness = np.full(looked.shape, -np.inf)
    for k, name in enumerate(statistics.annotators):
        values = metric.measures[metric.main].sign * _values_alone(free.against(name), statistics)
        goodness[:, k] = np.where(looked[:, k], np.nan_to_num(values, nan=np.finfo(np.float64).min), -np.inf)
    best = goodness == goodness.max(axis=1, keepdims=True, initial=-np.inf)
    return np.where(looked.any(axis=1), np.where(best, n_edits, np.inf).argmin(axis=1), -1)


def mean_alone(metric: Metric, statistics: Opaque) -> float:
    """The mean of a system's scores against each of the N references alone: what one of them gives."""
    alone = np.eye(len(statistics.annotators), dtype=np.uint8)
    scores = [metric.fold(statistics, Selection(annotators=row[None])) for row in alone]
    return float(np.mean([folded.values[0, metric.main] for folded in scores]))


def _values_alone(metric: Metric, statistics: Opaque) -> Floats:
    """The main measure of each sentence alone; shape (sentences,)."""
    alone = metric.parts(statistics).values
    if alone is None:
        alone = metric.fold(statistics, Selection(np.arange(len(statistics))[:, None])).values
    return np.asarray(alone[:, metric.main], np.float64)


def closest_references(corpus: Corpus, columns: NDArray[np.int64]) -> Corpus:
    """The corpus with the chosen reference of each sentence alone, as one annotator."""
    sentences = [
        replace(sentence, annotations={} if k < 0 else {CLOSEST: sentence.annotations[corpus.annotators[k]]})
        for sentence, k in zip(corpus.sentences, columns.tolist(), strict=True)
    ]
    return Corpus(sentences, (CLOSEST,), corpus.name)


# Texts: what makes the edits of two golds must be the same where the golds are compared.


def are_of_texts(corpus: Corpus) -> bool:
    """Whether the edits of a corpus were made of texts, or it has none."""
    return all(isinstance(edits, TextEdits) for one in corpus.sentences for edits in one.annotations.values())


def as_texts(corpus: Corpus, problems: Problems) -> Corpus:
    """The corpus with edits that are made of each annotator's text, as those of references that are texts."""
    sentences = []
    for number, sentence in enumerate(corpus.sentences):
        annotations: dict[str, Annotation] = {}
        for name in sentence.annotations:
            text = corrected_text(sentence, name, problems, place=corpus.place(number, name))
            annotations[name] = TextEdits.of_text(extract_edits(sentence.tokens, text.split()), text)
        sentences.append(replace(sentence, annotations=annotations))
    return Corpus(sentences, corpus.annotators, corpus.name)
