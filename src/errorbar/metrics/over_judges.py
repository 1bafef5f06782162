"""Scores with judges, or runs, drawn anew: the second bar of every measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, groupby
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.corpus import ContentHash
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.execute import run
from errorbar.metrics.base import Measure, Metric, Opaque, Selection
from errorbar.metrics.folding import Whole
from errorbar.metrics.intervals import fold_without_groups
from errorbar.metrics.judge_sets import GROUPS, MOST_TEXTS, JudgeCoverage, JudgedValues, judging_of, values_of
from errorbar.metrics.judges import (
    TWO,
    JudgePlan,
    JudgeRule,
    Measured,
    RunSpread,
    SystemRuns,
    mean_of_runs,
    note_parts,
    note_short,
    spread_of,
    values_of_runs,
)
from errorbar.metrics.scores import JointEstimate, JudgedScore, Score
from errorbar.stats.multiple import DRAWS, Adjust, JointSpread, adjust, max_t_p_values, scaled_influence
from errorbar.stats.resampling import Resampling, blocks, left_out_groups
from errorbar.stats.two_way import TwoWay, VariancePrior, lean_less, moderated_variance, replication, texts_and_runs

# Pairs of systems over texts and judges: how they differ, whether by chance, and whether that would happen again.
#
# Formula
#     The difference is taken set by set of judges; its variance and t are those of errorbar.stats.two_way, moderated by
#     how the two vary over the judges of a population (errorbar.metrics.populations). p is adjusted for all pairs by
#     step-down max-t over the joint distribution of all systems (errorbar.stats.multiple), or by Holm. Replication,
#     that the first is ahead on as many other texts by as many other judges: T(D / sqrt(2 V)), T the distribution of t
#     with the degrees of freedom of V, where V leans on half of the prior variance, and with sets of one judge on a
#     quarter.
# Conventions
#     The prior covariance of two systems over judges is half of (s2_A + s2_B - s2_D).
#     The prior is cautious, so that intervals hold for systems of every kind: usual pairs have a third of it, with one
#     judge a fifth. A probability must not be cautious, hence the shares of it in replication.
#     Max-t of a single pair is its t, and no adjusted p is below that of the pair's own t. Ahead means a better
#     value: lower, where lower is better. The share of sets of judges against which the first is ahead is beside it.
# Source
#     docs/judges.md, docs/measurements/judge-tests.md; Holm 1979.


USUAL, USUAL_OF_ONE = 0.5, 0.25
"""Shares of the prior variance that replication leans on; with sets of one judge."""


class TTest(NamedTuple):
    """The difference of two systems over texts and what is drawn anew beside them, and its t."""

    difference: float  # of the main measure, where judges are drawn anew against the sets of them
    interval: Interval | Undefined
    components: TwoWay | None  # of the variance; None: not known
    p_unadjusted: float | None  # for this pair alone
    p: float | None = None  # adjusted for all pairs
    at_floor: bool = False  # p is only known to be at most this
    sets_won: int = 0  # of judges, against which the first is ahead
    replication: float | None = None  # how likely the first is ahead elsewhere, by other judges; None: not known


class PairTesting(NamedTuple):
    """How p-values of pairs are adjusted."""

    adjust: Adjust
    level: float  # confidence level of intervals
    seed: int


def judge_pairs(
    metric: Metric, systems: Sequence[Opaque], judging: JudgeCoverage, rule: JudgeRule, testing: PairTesting
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
    return [pair._replace(p=adjusted.get(k)) for k, pair in enumerate(pairs)]


def only(values: JudgedValues, measure: int) -> JudgedValues:
    """The values of one measure."""
    return values._replace(table=values.table[:, :, measure : measure + 1])


class PairPriors(NamedTuple):
    """Prior knowledge of how systems, and their differences, vary over judges."""

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

    def of_pair(self, pair: tuple[int, int], apart: JudgedValues) -> VariancePrior | None:
        """The prior of a difference."""
        known = self.rule.variances(self.measure)
        if known is None:
            return None
        a, b = pair
        texts = self.over_texts[a], self.over_texts[b], apart.over_texts(0)
        return VariancePrior(known.of_difference(self.of_systems[a], self.of_systems[b], texts), known.df)

    def covariance(
        self, pairs: Sequence[tuple[int, int]], priors: Sequence[VariancePrior | None]
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


def editor_pairs(
    metric: Metric, systems: Sequence[Opaque], judgings: Sequence[JudgeCoverage], who: Sequence[object], level: float
) -> tuple[list[float], list[TTest]]:
    """The main measure of every system against its own editors, and every pair of systems; adjusted by Holm.

    ``who``: the editors of each system. Systems with the same editors are compared editor by editor; of others the
    variances over editors add up.
    """
    main, measure = metric.main, metric.measures[metric.main]
    values = [
        only(judging.values(metric, statistics), main) for judging, statistics in zip(judgings, systems, strict=True)
    ]
    tests = []
    for (a, first), (b, second) in combinations(enumerate(values), 2):
        same = who[a] == who[b]
        components = (first - second).components(0, few=True) if same else first.nested_components(second, 0)
        difference = float(first.means(0)[0, 0] - second.means(0)[0, 0])
        tests.append(_t_test(difference, components, level, measure))
    return [float(system.means(0)[0, 0]) for system in values], adjusted_by_holm(tests)


def _t_test(difference: float, components: TwoWay | Undefined, level: float, measure: Measure) -> TTest:
    """The t of a difference that leans on no population; no sets of judges stand beside it."""
    if isinstance(components, Undefined):
        return TTest(difference, components, None, None)
    interval = components.interval(level, measure.scale.of_differences)
    again = replication(measure.sign * difference, components.variance, components.df)
    return TTest(difference, interval, components, components.p_value, replication=again)


def _test_pair(
    apart: JudgedValues, rule: JudgeRule, prior: VariancePrior | None, level: float, measure: Measure, runs: RunSpread
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
        adjusted[k] = pairs[k]._replace(p=max(p, alone), at_floor=p <= least and alone <= least)
    return adjusted


# Systems of several runs where judges are fixed: scores and pairs over texts and runs.
#
# Formula V = V_E + V_R: V_E the jackknife's variance over texts of the mean over runs, V_R = s^2/R; t with
# Satterthwaite's degrees of freedom (errorbar.stats.two_way). Pairs: of the difference, V_R the sum of both systems';
# p-values are adjusted by Holm. Conventions Of a system with one run V_R is 0: how others would vary nobody knows, and
# a note says so. Texts are left out as for judges: of more than 2,000, 200 groups of neighbors. V_E and V_R both hold
# what belongs to texts and runs together. A metric that folds selections otherwise (GLEU) has its value without draws
# in the middle of the interval. Source docs/judges.md; Satterthwaite 1946; Holm 1979.


class RunValues(NamedTuple):
    """A system's measures, or their differences between two systems."""

    table: Floats  # on everything, then without each text; shape (1 + texts, measures)
    spreads: Sequence[RunSpread]  # of each measure

    def __sub__(self, other: RunValues) -> RunValues:
        spreads = [one - two for one, two in zip(self.spreads, other.spreads, strict=True)]
        return RunValues(self.table - other.table, spreads)

    def components(self, measure: int) -> TwoWay | Undefined:
        """How a measure varies over texts and runs, or why that is not known."""
        values, runs = self.table[:, measure], self.spreads[measure]
        return texts_and_runs(values[0], values[1:], runs.variance, runs.df)


def run_values(metric: Metric, statistics: Opaque, clusters: NDArray[np.int64]) -> RunValues:
    """A system's values over texts and runs; ``metric``: of means over runs."""
    every, groups = Selection(), left_out_groups(clusters, MOST_TEXTS, GROUPS)
    table = [values_of(metric, statistics, every)]
    if len(np.unique(groups)) > 1:
        table.append(fold_without_groups(metric.resampled, partial(values_of, metric, statistics), groups))
    runs = values_of_runs(statistics, lambda run: np.asarray(values_of(metric, run, every)[0], np.float64))
    return RunValues(np.concatenate(table), [spread_of(column) for column in runs.T])


def runs_convention(clusters: NDArray[np.int64]) -> str:
    """How it is named in a signature that runs are drawn anew, and how texts are left out."""
    return "runs:random" + (f",groups:{GROUPS}" if len(np.unique(clusters)) > MOST_TEXTS else "")


def measures_over_runs(metric: Metric, values: RunValues, level: float) -> Mapping[str, JointEstimate]:
    """Every measure over texts and runs, or why that is not known."""
    n_texts = len(values.table) - 1
    return {
        measure.name: JointEstimate.of(float(values.table[0, k]), n_texts, values.components(k), level, measure.scale)
        for k, measure in enumerate(metric.measures)
    }


def pairs_over_runs(
    metric: Metric, systems: Sequence[Opaque], clusters: NDArray[np.int64], level: float
) -> tuple[list[float], list[TTest]]:
    """The main measure of every system, and every pair of them, in the order of ``itertools.combinations``."""
    values, main = [run_values(metric, statistics, clusters) for statistics in systems], metric.main
    tests = []
    for first, second in combinations(values, 2):
        apart = first - second
        tests.append(_t_test(float(apart.table[0, main]), apart.components(main), level, metric.measures[main]))
    return [float(system.table[0, main]) for system in values], adjusted_by_holm(tests)


def over_judges(
    scores: Sequence[Score], measured: Sequence[Measured], whole: Whole, plan: JudgePlan, problems: Problems
) -> list[Score]:
    """The scores with intervals over texts and judges, where judges can be drawn anew; notes say where not, and why."""
    kinds: dict[str, tuple[JudgeRule, JudgeCoverage | None]] = {}
    for score, (metric, kept) in zip(scores, measured, strict=True):
        if score.metric not in kinds:
            kinds[score.metric] = _kind(metric, kept(), whole, plan, problems)

    def widen(item: tuple[Score, Measured]) -> Score:
        score, (metric, kept) = item
        rule, judging = kinds[score.metric]
        if judging is None or whole.resampling is None:
            return _over_runs(score, metric, kept(), whole)
        return _over_judges(score, metric, kept(), (rule, judging), whole.resampling)

    jobs = 1 if whole.resampling is None else whole.resampling.jobs
    widened = list(run(widen, list(zip(scores, measured, strict=True)), jobs))
    if whole.documents.n_clusters > 1:  # without others there is no interval to be rough
        for spec, (rule, _) in kinds.items():
            rule.note(problems, points=max(_points_over_judges(each) for each in widened if each.metric == spec))
    note_short(list(dict.fromkeys(score.system for score in widened if _looks_short(score))), problems)
    return widened


def _over_judges(
    score: Score, metric: Metric, statistics: Opaque, kind: tuple[JudgeRule, JudgeCoverage], resampling: Resampling
) -> Score:
    """The score with intervals over texts and judges."""
    rule, judging = kind
    values, spreads = judging.values(metric, statistics), judging.spreads(metric, statistics)
    estimates = judged_measures(metric, values, rule, resampling.confidence_level, spreads)
    sets = judging.sets(rule)
    measures = _no_narrower(estimates, score) if sets.whole else estimates
    conventions = *score.signature.conventions, sets.convention(resampling.seed)
    signature = score.signature._replace(conventions=conventions)
    return replace(score, signature=signature, judges=JudgedScore(sets, measures))


def _no_narrower(estimates: Mapping[str, JointEstimate], score: Score) -> dict[str, JointEstimate]:
    """Every measure, its interval drawn out to the one over texts alone where an end lies inside that."""
    wider = dict(estimates)
    for name, joint in estimates.items():
        interval, over_texts = joint.estimate.interval, score.estimates[name].interval
        if interval is not None:
            same = joint.components is not None and joint.components.over_texts_alone and over_texts is not None
            estimate = replace(joint.estimate, interval=over_texts if same else interval.covering(over_texts))
            wider[name] = joint._replace(estimate=estimate)
    return wider


def _points_over_judges(score: Score) -> float:
    """How many points other judges may move the main measure by, two standard deviations; 0: not known, or below 1."""
    components = None if score.judges is None else score.judges.measures[score.main].components
    points = 0.0 if components is None else 200 * sqrt(components.judges)
    in_points = any(each.name == score.main and each.kind == "percent" for each in score.measures)
    return points if in_points and points >= 1 else 0.0


def _looks_short(score: Score) -> bool:
    """Whether the main measure's interval over texts and judges is likely too short."""
    components = None if score.judges is None else score.judges.measures[score.main].components
    return components is not None and components.looks_short


def _kind(
    metric: Metric, statistics: Opaque, whole: Whole, plan: JudgePlan, problems: Problems
) -> tuple[JudgeRule, JudgeCoverage | None]:
    """The rule for a metric, and who judged which texts; its notes are taken."""
    names, clusters = whole.annotators, whole.documents.clusters()
    rule = plan.rule(metric, len(names))
    judging = None
    if rule.random and whole.resampling is not None and whole.n:
        judging = judging_of(metric, statistics, len(names), clusters, plan.k, whole.resampling.seed)
        rule = plan.rule(metric, len(judging.judges))  # without those who looked at nothing
        unit = "group" if judging.grouped else whole.documents.unit
        note_parts(judging.looked, [names[k] for k in judging.judges], judging.n_left_out, unit, problems)
    return rule, judging if rule.random else None


def _over_runs(score: Score, metric: Metric, statistics: Opaque, whole: Whole) -> Score:
    """The score where judges are fixed: with intervals over texts and runs where the system has several."""
    if not score.runs or whole.resampling is None or not whole.n:
        return score
    clusters, level = whole.documents.clusters(), whole.resampling.confidence_level
    estimates = measures_over_runs(metric, run_values(metric, statistics, clusters), level)
    signature = score.signature._replace(conventions=(*score.signature.conventions, runs_convention(clusters)))
    return replace(score, signature=signature, over_runs=_no_narrower(estimates, score))


def judged_measures(
    metric: Metric, values: JudgedValues, rule: JudgeRule, level: float, runs: Sequence[RunSpread]
) -> dict[str, JointEstimate]:
    """Every measure over texts and judges, and runs whose spread is given, or why that is not known."""
    estimates, n_texts = {}, len(values.table) - 1
    for k, measure in enumerate(metric.measures):
        value, known = float(values.means(k)[0, 0]), rule.variances(measure)
        components: TwoWay | Undefined = Undefined.NO_PRIOR
        if known is not None or not rule.moderated or rule.n_judges > TWO:
            prior = None if known is None else VariancePrior(known.of_score(value, rule.k, rule.n_judges), known.df)
            components = values.components(k, prior, runs[k], few=rule.who == "editor")
        joint = JointEstimate.of(value, n_texts, components, level, measure.scale)
        if joint.components is not None and not joint.components.moderated:
            joint = joint._replace(unbiased=values.unbiased(k))
        estimates[measure.name] = joint
    return estimates


# Scores of systems with several runs: the mean of the runs' scores, its intervals those of the mean.


def means_over_runs(
    scores: Sequence[Score], measured: Sequence[Measured], whole: Whole, runs: Mapping[str, tuple[str, ...]]
) -> tuple[list[Score], list[Measured]]:
    """Scores in which the runs of a system have become one, and what they are made of; others stay as they are.

    ``runs``: the names of a system's runs, which follow each other in ``scores``; a system with one has its own name.
    """
    owner = {run: name for name, names in runs.items() for run in names}
    pairs = list(zip(scores, measured, strict=True))
    means: list[tuple[Score, Measured]] = []

    def owner_of(pair: tuple[Score, Measured]) -> str:
        return owner.get(pair[0].system, pair[0].system)

    for system, group in groupby(pairs, owner_of):
        own = list(group)
        if system not in runs:
            means += own
            continue
        for spec in dict.fromkeys(score.metric for score, _ in own):
            means.append(_mean(system, [pair for pair in own if pair[0].metric == spec], whole))
    return [score for score, _ in means], [each for _, each in means]


def _mean(name: str, runs: Sequence[tuple[Score, Measured]], whole: Whole) -> tuple[Score, Measured]:
    metric = mean_of_runs(runs[0][1][0])

    def statistics() -> SystemRuns:
        return SystemRuns(tuple(join() for _, (_, join) in runs))

    scores = [score for score, _ in runs]
    first, output = scores[0], ContentHash()
    output.add([score.signature.hypothesis for score in scores])
    estimates = {measure: _of_measure([score.estimates[measure] for score in scores]) for measure in first.estimates}
    if whole.resampling is not None:
        from errorbar.metrics.intervals import score_intervals  # noqa: PLC0415 - scipy

        joined = statistics()
        intervals = score_intervals(metric, joined, metric.fold(joined), whole.documents.clusters(), whole.resampling)
        both = zip(estimates.items(), intervals, strict=True)
        n = first.estimate.n_clusters
        estimates = {measure: one.with_interval(interval, n_clusters=n) for (measure, one), interval in both}
    signature = first.signature._replace(hypothesis=f"{len(runs)}x{output.short()}")
    mean = replace(first, system=name, estimates=estimates, counts={}, signature=signature, runs=tuple(scores))
    return mean, (metric, statistics)


def _of_measure(runs: Sequence[Estimate]) -> Estimate:
    """The mean of the runs' values; none where a run has none, with its reason."""
    why = next((one.undefined for one in runs if one.undefined is not None), None)
    values = [one.value for one in runs if one.value is not None]
    value = sum(values) / len(values) if len(values) == len(runs) else None
    return Estimate(value, runs[0].n_units, undefined=why)
