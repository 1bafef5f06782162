"""Pairs of systems over texts and judges: how they differ, whether by chance, and whether that would happen again.

Formula
    The difference is taken set by set of judges; its variance and t are those of errorbar.stats.two_way, moderated by
    how the two vary over the judges of a population (errorbar.metrics.populations). p is adjusted for all pairs by
    step-down max-t over the joint distribution of all systems (errorbar.stats.simultaneous), or by Holm. Replication,
    that the first is ahead on as many other texts by as many other judges: T(D / sqrt(2 V)), T the distribution of t
    with the degrees of freedom of V, where V leans on half of the prior variance, and with sets of one judge on a
    quarter.
Conventions
    The prior covariance of two systems over judges is half of (s2_A + s2_B - s2_D).
    The prior is cautious, so that intervals hold for systems of every kind: usual pairs have a third of it, with one
    judge a fifth. A probability must not be cautious, hence the shares of it in replication.
    Max-t of a single pair is its t, and no adjusted p is below that of the pair's own t. Ahead means a better
    value: lower, where lower is better. The share of sets of judges against which the first is ahead is beside it.
Source
    docs/judges.md, docs/judge-tests.md; Holm 1979.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np

from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.base import Floats, Measure, Metric, Opaque
from errorbar.metrics.judge_sets import JudgedValues, Judging
from errorbar.metrics.judges import JudgeRule
from errorbar.metrics.runs import RunSpread
from errorbar.metrics.swaps import Adjust
from errorbar.stats.multiple import adjust
from errorbar.stats.resampling import blocks
from errorbar.stats.simultaneous import DRAWS, JointSpread, max_t_p_values, scaled_influence
from errorbar.stats.two_way import Prior, TwoWay, lean_less, moderated_variance, replication

USUAL, USUAL_OF_ONE = 0.5, 0.25
"""Shares of the prior variance that replication leans on; with sets of one judge."""


@dataclass(frozen=True, slots=True)
class TTest:
    """The difference of two systems over texts and what is drawn anew beside them, and its t."""

    difference: float  # of the main measure, where judges are drawn anew against the sets of them
    interval: Interval | Undefined
    components: TwoWay | None  # of the variance; None: not known
    p_unadjusted: float | None  # for this pair alone
    p: float | None = None  # adjusted for all pairs
    at_floor: bool = False  # p is only known to be at most this
    sets_won: int = 0  # of judges, against which the first is ahead
    replication: float | None = None  # how likely the first is ahead elsewhere, by other judges; None: not known


@dataclass(frozen=True, slots=True)
class PairTesting:
    """How p-values of pairs are adjusted."""

    adjust: Adjust
    level: float  # confidence level of intervals
    seed: int


def judge_pairs(
    metric: Metric, systems: Sequence[Opaque], judging: Judging, rule: JudgeRule, testing: PairTesting
) -> tuple[list[float], list[TTest]]:
    """The main measure of every system against the sets of judges, and every pair of systems."""
    main, measure = metric.main, metric.measures[metric.main]
    values = [only(judging.values(metric, statistics), main) for statistics in systems]
    runs = [judging.spreads(metric, statistics)[main] for statistics in systems]
    pairs = list(combinations(range(len(systems)), 2))
    known = PairPriors.of(values, rule, measure)
    tests, priors = [], []
    for a, b in pairs:  # a difference at a time: all of them would not fit into memory
        apart = values[a] - values[b]
        priors.append(known.of_pair((a, b), apart))
        tests.append(_test_pair(apart, rule, priors[-1], testing.level, measure, runs[a] - runs[b]))
    if testing.adjust == "holm" or len(pairs) == 1:
        adjusted = adjusted_by_holm(tests)
    else:
        spread = joint_spread_of(values, known.covariance(pairs, priors), runs)
        adjusted = _adjusted_by_max_t(tests, pairs, spread, testing.seed)
    return [float(system.means(0)[0, 0]) for system in values], adjusted


def adjusted_by_holm(pairs: Sequence[TTest]) -> list[TTest]:
    """Adjust the p-values of pairs for how many there are; one without a p-value counts for none."""
    known = [k for k, pair in enumerate(pairs) if pair.p_unadjusted is not None]
    adjusted: Mapping[int, float] = {}
    if known:
        p_values = adjust([pairs[k].p_unadjusted or 0.0 for k in known], method="holm")
        adjusted = dict(zip(known, p_values.tolist(), strict=True))
    return [replace(pair, p=adjusted.get(k)) for k, pair in enumerate(pairs)]


def only(values: JudgedValues, measure: int) -> JudgedValues:
    """The values of one measure."""
    return replace(values, table=values.table[:, :, measure : measure + 1])


@dataclass(frozen=True, slots=True)
class PairPriors:
    """What is known beforehand of how systems, and their differences, vary over judges."""

    rule: JudgeRule
    measure: Measure
    of_systems: Sequence[float]  # s2 of each system; empty: nothing is known
    over_texts: Sequence[float]  # V_E of each

    @classmethod
    def of(cls, values: Sequence[JudgedValues], rule: JudgeRule, measure: Measure) -> PairPriors:
        """The priors of systems whose values, of one measure, are given."""
        known = rule.variances(measure)
        if known is None:
            return cls(rule, measure, (), ())
        scores = [float(each.means(0)[0, 0]) for each in values]
        variances = [known.of_score(score, rule.k, rule.n_judges) for score in scores]
        return cls(rule, measure, variances, [each.over_texts(0) for each in values])

    def of_pair(self, pair: tuple[int, int], apart: JudgedValues) -> Prior | None:
        """The prior of a difference."""
        known = self.rule.variances(self.measure)
        if known is None:
            return None
        a, b = pair
        texts = self.over_texts[a], self.over_texts[b], apart.over_texts(0)
        return Prior(known.of_difference(self.of_systems[a], self.of_systems[b], texts), known.df)

    def covariance(
        self, pairs: Sequence[tuple[int, int]], priors: Sequence[Prior | None]
    ) -> tuple[Floats, float] | None:
        """That of all systems over judges, of the priors of all pairs, and its degrees of freedom."""
        known = self.rule.variances(self.measure)
        if known is None:
            return None
        covariance = np.diag(np.array(self.of_systems, np.float64))
        for (a, b), prior in zip(pairs, priors, strict=True):
            apart = 0.0 if prior is None else prior.variance
            covariance[a, b] = covariance[b, a] = (self.of_systems[a] + self.of_systems[b] - apart) / 2
        return np.nan_to_num(covariance), known.df  # a system without a value is taken as if it did not vary


def _test_pair(
    apart: JudgedValues, rule: JudgeRule, prior: Prior | None, level: float, measure: Measure, runs: RunSpread
) -> TTest:
    components, value = apart.components(0, prior, runs), float(apart.means(0)[0, 0])
    won = int((measure.sign * apart.each(0) > 0).sum())
    if isinstance(components, Undefined):
        return TTest(value, components, None, None, sets_won=won)
    interval = components.interval(level, measure.scale.of_differences)
    usual = components if prior is None else lean_less(components, prior, USUAL_OF_ONE if rule.k == 1 else USUAL)
    again = replication(measure.sign * value, usual.variance, usual.df)
    return TTest(value, interval, components, components.p_value, sets_won=won, replication=again)


def joint_spread_of(
    values: Sequence[JudgedValues], known: tuple[Floats, float] | None, runs: Sequence[RunSpread]
) -> JointSpread:
    """How all systems vary together, leaning on a covariance that is known of them and its degrees of freedom.

    Those of which something is unknown are taken as if they did not vary.
    """
    means = np.nan_to_num(np.stack([each.means(0) for each in values], axis=2))  # (1 + texts, 1 + judges, systems)
    over_judges = scaled_influence(means[0, 1:])
    own = over_judges.shape[0] - 1
    judges, df = over_judges.T @ over_judges, float(own)
    if known is not None:
        judges, df = moderated_variance(judges, own, *known), own + known[1]
    variances, their_df = (np.array([getattr(each, name) for each in runs]) for name in ("variance", "df"))
    return JointSpread(scaled_influence(means[1:, 0]), judges, df, variances, their_df, known is not None)


def _adjusted_by_max_t(
    pairs: Sequence[TTest], numbers: Sequence[tuple[int, int]], spread: JointSpread, seed: int
) -> list[TTest]:
    """Adjust the p-values of pairs for how many there are; one without a p-value counts for none."""
    known = [(k, pair.components) for k, pair in enumerate(pairs) if pair.components is not None]
    if not known:
        return list(pairs)
    t = np.array([abs(components.value) / sqrt(components.variance) for _, components in known])
    draws = blocks(seed, "judges-max-t", replicates=DRAWS)
    p_values, least = max_t_p_values(spread, [numbers[k] for k, _ in known], t, draws)
    adjusted = list(pairs)
    for (k, components), p in zip(known, p_values.tolist(), strict=True):
        alone = components.p_value
        adjusted[k] = replace(pairs[k], p=max(p, alone), at_floor=p <= least and alone <= least)
    return adjusted
