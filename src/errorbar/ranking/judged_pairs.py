"""Outputs that judges compared: how far judges agree on who is better, and how often a metric says what they said.

Formula
    Judges: a pair of texts of one sentence that was compared twice agrees where both said the same: better, worse or
    tie. κ = (A_o − A_e)/(1 − A_e): A_o the share of such pairs of answers that agree, A_e = q² + 2 ((1 − q)/2)², q the
    share of ties among the answers in these pairs.
    Pairwise accuracy of sentence scores:
    d is the difference of the metric's scores of the two outputs that a judge compared. With a threshold ε the metric
    says tie where |d| ≤ ε, else the output of the higher score. Accuracy is the share of comparisons in which it says
    what the judge said: better, worse or tie. Calibration takes the ε ≥ 0 that makes it largest.
    ``decided``: of the comparisons that a judge decided, the share in which the metric says the same, with ε = 0 and
    half a point where its scores are equal.
Conventions
    All pairs of answers of all pairs of judges (or, for a judge with themself, of all judges) are pooled; each counts
    once. Systems that wrote the same text are compared as systems, as the rankings are expanded; comparisons of
    identical texts, which nobody was asked, are left out. By chance either system of a pair is as likely to win, so
    that kappa does not depend on which of the two is named first.
    The smallest of the best thresholds is taken, among 0 and the differences that occur. ε is fitted on the comparisons
    that it is scored on, which favors a metric by some points on hundreds. So the interval of calibrated accuracy is
    that of the accuracy with this ε, and its low end is lower by what a new ε gains on a resample, on average.
    Comparisons of which a metric lacks a score are left out and counted.
Source
    Bojar et al. 2013, Findings of the WMT, section 3.1 (A_e of the three answers). Deutsch, Foster & Freitag 2023, Ties
    matter: meta-evaluating modern metrics with pairwise accuracy and tie calibration, EMNLP (acc_eq, which counts tied
    pairs of both sides).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.ranking.wins import By, clusters, order_pairs
from errorbar.stats.resampling import Resampling, Units, cluster_table

TIE = 1
"""Where ties are counted, between the two ways to win."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of judges."""

    kappa: Estimate  # units are pairs of answers
    observed: float | None = None  # A_o; None without pairs
    expected: float | None = None  # A_e; None without pairs


def judge_agreement(comparisons: Comparisons) -> tuple[JudgeAgreement, JudgeAgreement]:
    """Agreement between judges, and of judges with themselves."""
    kept, size = ~comparisons.identical, len(comparisons.systems)
    first, second, outcome = (column[kept] for column in order_pairs(comparisons))
    question, answer = (comparisons.sentence[kept].astype(np.int64) * size + first) * size + second, outcome + 1
    judge = comparisons.judge[kept].astype(np.int64)
    everybody = _answers(question, answer)
    alone = _answers(question * len(comparisons.judges) + judge, answer)
    others = _agreement(everybody[0] - alone[0], everybody[1] - alone[1], everybody[2] - alone[2])
    return others, _agreement(*alone)


def _answers(question: NDArray[np.int64], answer: NDArray[np.int64]) -> tuple[float, float, NDArray[np.float64]]:
    """Pairs of answers to one question, those that agree, and how often each answer stands in them."""
    _, code = np.unique(question, return_inverse=True)
    table = np.bincount(code * 3 + answer, minlength=3 * (int(code.max(initial=-1)) + 1)).reshape(-1, 3)
    table = table.astype(np.float64)
    n = table.sum(axis=1)
    pairs = float((n * (n - 1) / 2).sum())
    equal = float((table * (table - 1) / 2).sum())
    return pairs, equal, (table * (n - 1)[:, None]).sum(axis=0)


def _agreement(pairs: float, equal: float, answers: NDArray[np.float64]) -> JudgeAgreement:
    if not pairs:
        return JudgeAgreement(Estimate(None, 0, undefined=Undefined.TOO_FEW_RATERS))
    observed = equal / pairs
    tied = float(answers[TIE] / answers.sum())
    expected = tied**2 + (1 - tied) ** 2 / 2
    if expected >= 1:
        return JudgeAgreement(Estimate(None, int(pairs), undefined=Undefined.ONE_LABEL), observed, expected)
    return JudgeAgreement(Estimate((observed - expected) / (1 - expected), int(pairs)), observed, expected)


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """How a metric's sentence scores agree with judges; units are comparisons."""

    metric: str
    calibrated: Estimate  # with the best threshold
    threshold: float | None  # the best; None where undefined
    plain: Estimate  # with the threshold 0
    decided: Estimate  # on the comparisons that a judge decided
    n_ties: int  # that a judge called a tie
    n_metric_ties: int  # with equal scores of the metric
    n_left_out: int  # of which the metric lacks a score


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
    group = None if by == "comparison" else clusters(comparisons, by)[kept][order]
    sampled = Units(np.ones(n), cluster_table(np.arange(n), n, group, n))
    draws = [] if how is None else sampled.draws(how, "ranking", "pairwise", by)
    drawn = np.concatenate([np.empty((0, 4)), *(pairs.accuracies(w) for block in draws for w in block())])
    optimism = float((drawn[:, 0] - drawn[:, 3]).mean()) if len(drawn) else 0.0
    estimates, n_decided = [], int(np.count_nonzero(outcome))
    for at, units in enumerate((n, n, n_decided)):
        value = float(values[at])
        estimate = Estimate(None, units, undefined=Undefined.NO_UNITS) if np.isnan(value) else Estimate(value, units)
        if how is not None and estimate.value is not None:
            interval = how.interval(value, drawn[:, at or 3])
            if at == 0 and isinstance(interval, Interval):
                interval = interval._replace(low=max(0.0, interval.low - optimism))
            estimate = estimate.with_interval(interval, n_clusters=sampled.n_clusters)
        estimates.append(estimate)
    calibrated, plain, decided = estimates
    n_ties = n - n_decided, int(np.count_nonzero(d == 0))
    return PairwiseAccuracy(metric.metric, calibrated, pairs.threshold(), plain, decided, *n_ties, left_out)


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
        self.best = int(self._correct(np.ones((1, len(d))))[0].argmax())

    def accuracies(self, weights: Floats) -> Floats:
        """Accuracies for weights of shape (batch, comparisons): calibrated, plain, decided, and with ``best``.

        Calibrated is with the cut that is best for the weights, the last with the one that is best for all comparisons
        alike. Shape (batch, 4).
        """
        at_cuts = self._correct(weights)
        total = weights.sum(axis=1)
        met = weights @ (1 - self.tied)
        share = np.divide(weights @ self.decided, met, out=np.full(len(met), np.nan), where=met > 0)
        best = at_cuts[:, self.best] / total
        return np.stack([at_cuts.max(axis=1) / total, at_cuts[:, 0] / total, share, best], axis=1)

    def threshold(self) -> float:
        """The best threshold."""
        cut = int(self.cuts[self.best])
        return float(self.size[cut - 1]) if cut else 0.0

    def _correct(self, weights: Floats) -> Floats:
        tied = np.cumsum(weights * self.tied, axis=1)
        right = np.cumsum(weights * self.right, axis=1)
        zero = np.zeros((len(weights), 1))
        tied, right = np.hstack([zero, tied])[:, self.cuts], np.hstack([zero, right])
        correct: Floats = tied + right[:, -1:] - right[:, self.cuts]
        return correct
