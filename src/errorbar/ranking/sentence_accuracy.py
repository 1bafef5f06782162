"""Pairwise accuracy of sentence scores: how often a metric says of two outputs what a judge said, ties with them.

Formula
    d is the difference of the metric's scores of the two outputs that a judge compared. With a threshold ε the metric
    says tie where |d| ≤ ε, else the output of the higher score. Accuracy is the share of comparisons in which it says
    what the judge said: better, worse or tie. Calibration takes the ε ≥ 0 that makes it largest.
    ``decided``: of the comparisons that a judge decided, the share in which the metric says the same, with ε = 0 and
    half a point where its scores are equal.
Conventions
    The smallest of the best thresholds is taken, among 0 and the differences that occur. Calibration is part of the
    score: on each resample ε is found anew. ε is fitted on the comparisons that it is scored on, one number on
    thousands. Comparisons of which a metric lacks a score are left out and counted.
Source
    Deutsch, Foster & Freitag 2023, Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
    calibration, EMNLP (acc_eq, which counts tied pairs of both sides).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.ranking.wins import By, Floats, clusters
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import Units, cluster_table


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """How a metric's sentence scores agree with judges.

    Attributes:
        metric: Its name.
        calibrated: Accuracy with the best threshold; units are comparisons.
        threshold: That threshold; None where undefined.
        plain: Accuracy with the threshold 0.
        decided: Accuracy on the comparisons that a judge decided.
        n_ties: Comparisons that a judge called a tie.
        n_metric_ties: Comparisons with equal scores of the metric.
        n_left_out: Comparisons of which the metric lacks a score.
    """

    metric: str
    calibrated: Estimate
    threshold: float | None
    plain: Estimate
    decided: Estimate
    n_ties: int
    n_metric_ties: int
    n_left_out: int


def pairwise_accuracy(
    comparisons: Comparisons, metric: MetricScores, how: Resampling | None = None, *, by: By = "item"
) -> PairwiseAccuracy:
    """Compare a metric's sentence scores with what judges said of sentences and systems with the metric's names.

    ``how`` None: there are no intervals; ``by`` is what is drawn as one.
    """
    table = np.full((len(comparisons.sentences), len(comparisons.systems)), np.nan)
    for row, sentence in enumerate(comparisons.sentences):
        scores = metric.sentences.get(sentence, {})
        table[row] = [scores.get(system, np.nan) for system in comparisons.systems]
    d = table[comparisons.sentence, comparisons.first] - table[comparisons.sentence, comparisons.second]
    kept = ~np.isnan(d)
    n = int(kept.sum())
    left_out = len(comparisons) - n
    if not n:
        none = Estimate(None, 0, undefined=Undefined.NO_UNITS)
        return PairwiseAccuracy(metric.metric, none, None, none, none, 0, 0, left_out)
    d, outcome = d[kept], comparisons.outcome[kept].astype(np.float64)
    order = np.argsort(np.abs(d), kind="stable")
    pairs = _Pairs(d[order], outcome[order])
    values = pairs.accuracies(np.ones((1, n)))[0]
    drawn, n_clusters = _resampled(pairs, clusters(comparisons, by)[kept][order], how, by)
    estimates = []
    for at, units in enumerate((n, n, int(np.count_nonzero(outcome)))):
        value = float(values[at])
        found = Estimate(None, units, undefined=Undefined.NO_UNITS) if np.isnan(value) else Estimate(value, units)
        if how is not None and found.value is not None:
            found = found.with_interval(how.interval(value, drawn[:, at]), n_clusters=n_clusters)
        estimates.append(found)
    return PairwiseAccuracy(
        metric.metric,
        estimates[0],
        pairs.threshold(),
        estimates[1],
        estimates[2],
        int(np.count_nonzero(outcome == 0)),
        int(np.count_nonzero(d == 0)),
        left_out,
    )


class _Pairs:
    """Comparisons in the order of |d|, so that every threshold is a cut."""

    def __init__(self, d: Floats, outcome: Floats) -> None:
        self.size = np.abs(d)
        self.tied = (outcome == 0).astype(np.float64)
        self.right = (np.sign(d) == outcome) & (outcome != 0)
        self.decided = np.where(outcome == 0, 0.0, np.where(d == 0, 0.5, self.right))
        # A cut lies after the last of equal differences; the cut at 0 comes first, also where no difference is 0.
        last = np.flatnonzero(np.append(self.size[1:] != self.size[:-1], True)) + 1
        self.n_zero = int(np.count_nonzero(self.size == 0))
        self.cuts = np.unique(np.append(last, self.n_zero))
        self.cuts = self.cuts[self.cuts >= self.n_zero]

    def accuracies(self, weights: Floats) -> Floats:
        """Calibrated, plain and decided accuracy for weights of shape (batch, comparisons); shape (batch, 3)."""
        at_cuts = self._correct(weights)
        total = weights.sum(axis=1)
        met = weights @ (1 - self.tied)
        share = np.divide(weights @ self.decided, met, out=np.full(len(met), np.nan), where=met > 0)
        return np.stack([at_cuts.max(axis=1) / total, at_cuts[:, 0] / total, share], axis=1)

    def threshold(self) -> float:
        """The best threshold."""
        cut = int(self.cuts[int(self._correct(np.ones((1, len(self.size))))[0].argmax())])
        return float(self.size[cut - 1]) if cut else 0.0

    def _correct(self, weights: Floats) -> Floats:
        tied = np.cumsum(weights * self.tied, axis=1)
        right = np.cumsum(weights * self.right, axis=1)
        zero = np.zeros((len(weights), 1))
        tied, right = np.hstack([zero, tied])[:, self.cuts], np.hstack([zero, right])
        correct: Floats = tied + right[:, -1:] - right[:, self.cuts]
        return correct


def _resampled(pairs: _Pairs, group: NDArray[np.int64], how: Resampling | None, by: By) -> tuple[Floats, int | None]:
    """Accuracies of the resamples, and how many clusters they draw from."""
    if how is None:
        return np.empty((0, 3)), None
    n = len(group)
    units = Units(np.ones(n), cluster_table(np.arange(n), n, None if by == "comparison" else group, n))
    draws = units.draws(how, "ranking", "pairwise", by)
    return np.concatenate([pairs.accuracies(weights) for block in draws for weights in block()]), units.n_clusters
