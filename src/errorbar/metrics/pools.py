"""Scores in pools of judges: a score for each pool, the mean over pools that are a sample, and pairs of systems.

Formula
    The score in a pool is the mean over all sets of k of its judges, with the variance over texts and the judges of
    the pool (errorbar.stats.two_way); k is the same in every pool, as scores against more judges are higher. Pools
    that are a sample: the mean over pools, its variance over texts, judges and pools (errorbar.stats.pools). A pair of
    systems: the difference in each pool with p adjusted for all pairs of the pool, and the test of system x pool.
Conventions
    k is the size of the smallest pool, unless ``--judges`` says another. Of fixed judges, or of one judge where no
    population of judges is known, the interval is over texts alone, by the jackknife.
Source
    docs/pools.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Scale, Undefined, value_or_none
from errorbar.core.pools import Pools
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.metrics.base import Metric, Opaque, Selection
from errorbar.metrics.folding import ScoringPlan, Whole
from errorbar.metrics.judge_sets import (
    JudgeCoverage,
    JudgedValues,
    find_judges,
    judging_of,
)
from errorbar.metrics.judges import JudgePlan, JudgeRule, Measured, RunSpread, runs_of
from errorbar.metrics.over_judges import judged_measures
from errorbar.metrics.scores import JointEstimate, PooledScore, PoolMean, PoolScore, Score
from errorbar.stats.pools import three_way
from errorbar.stats.two_way import texts_and_runs


@dataclass(frozen=True, slots=True)
class PoolJudging:
    """Who judged in which pool, and by which rule."""

    pools: Pools
    k: int
    columns: tuple[tuple[int, ...], ...]  # of the judges of each pool who looked at something
    coverages: tuple[JudgeCoverage, ...]
    rules: tuple[JudgeRule, ...]

    def values(self, metric: Metric, statistics: Opaque) -> list[JudgedValues]:
        """A system's values in every pool; ``UsageError`` for several runs where pools are a sample."""
        if self.pools.sampled and len(runs_of(statistics)) > 1:
            message = "a mean over pools does not know how runs vary, and a system has several"
            raise UsageError(Problem("several-runs", message, fix="name each run as a system of its own"))
        return [coverage.values(metric, statistics) for coverage in self.coverages]

    def spreads(self, metric: Metric, statistics: Opaque) -> list[list[RunSpread]]:
        """How each measure varies over the system's runs, in every pool."""
        return [coverage.spreads(metric, statistics) for coverage in self.coverages]

    @property
    def convention(self) -> str:
        """How it is named in a signature."""
        return f"{self.pools.convention},k:{self.k}"


def pool_judging(
    metric: Metric,
    statistics: Opaque,
    pools: Pools,
    annotators: Sequence[str],
    clusters: NDArray[np.int64],
    plan: JudgePlan,
    seed: int,
    problems: Problems,
) -> PoolJudging:
    """Who judged in which pool, seen in any system's statistics; notes say what intervals are over.

    Raises:
        UsageError: If the metric knows no single annotators, nobody of a pool looked at anything, or a set is to have
            more judges than a pool.
    """
    if "annotators" in metric.lacks or metric.annotator is not None:
        why = metric.lacks.get("annotators", "it scores against one annotator alone")
        raise UsageError(
            Problem("metric-lacks", f"{metric.spec} has no scores in pools: {why}", fix="leave out --pools")
        )
    pools = pools.of(annotators, problems)
    active = find_judges(metric, statistics, len(annotators))
    numbers = {name: number for number, name in enumerate(annotators)}
    columns = tuple(tuple(numbers[name] for name in pool.judges if numbers[name] in active) for pool in pools)
    sizes = [len(own) for own in columns]
    for pool, size in zip(pools, sizes, strict=True):
        if size < (plan.k or 1):
            message = f"pool {pool.name} has {size or 'no'} judge{'s' * (size != 1)} who looked at a text"
            fix = f"--judges='random(k={min(sizes)})'" if min(sizes) else "leave the pool out"
            raise UsageError(Problem("pool-nobody", message, pool.place, f"at least {plan.k or 1}", fix))
    k = plan.k or min(sizes)
    own_plan = plan._replace(k=k)
    coverages = tuple(judging_of(metric, statistics, len(annotators), clusters, k, seed, among=own) for own in columns)
    rules = tuple(own_plan.rule(metric, size) for size in sizes)
    if plan.k is None and max(sizes) > k:
        named = ", ".join(f"{pool.name} {size}" for pool, size in zip(pools, sizes, strict=True))
        message = f"pools differ in size ({named}): scores are against {k}, as those against more judges are higher"
        fix = "--judges='random(k=1)' scores against one judge at a time" if k > 1 else ""
        problems.note("pool-sizes", message, Place(), fix)
    for pool, rule in zip(pools, rules, strict=True):
        rule.note(problems, f"pool {pool.name}'s")
    return PoolJudging(pools, k, columns, coverages, rules)


def scores_in_pools(
    scores: Sequence[Score], measured: Sequence[Measured], whole: Whole, plan: ScoringPlan, problems: Problems
) -> list[Score]:
    """The scores with their measures in the plan's pools."""
    if plan.pools is None:
        return list(scores)
    resampling, judgings = whole.resampling, dict[str, PoolJudging]()
    judges, pools = plan.judges or JudgePlan("fixed"), plan.pools
    level, seed = (None, 0) if resampling is None else (resampling.confidence_level, resampling.seed)
    clusters = np.zeros(whole.n, np.int64) if resampling is None else whole.documents.clusters()
    pooled = []
    for score, (metric, join) in zip(scores, measured, strict=True):
        statistics = join()
        if score.metric not in judgings:
            notes = Problems() if judgings else problems
            judgings[score.metric] = pool_judging(
                metric, statistics, pools, whole.annotators, clusters, judges, seed, notes
            )
        judging = judgings[score.metric]
        conventions = *score.signature.conventions, judging.convention
        signature = score.signature._replace(conventions=conventions)
        n_clusters = score.estimates[score.main].n_clusters
        in_pools = _score_in_pools(metric, statistics, judging, level, n_clusters)
        pooled.append(replace(score, signature=signature, pools=in_pools))
    return pooled


def _score_in_pools(
    metric: Metric, statistics: Opaque, judging: PoolJudging, level: float | None, n_clusters: int | None
) -> PooledScore:
    values, runs = judging.values(metric, statistics), judging.spreads(metric, statistics)
    rows = []
    for pool, rule, coverage, own, spreads in zip(
        judging.pools, judging.rules, judging.coverages, values, runs, strict=True
    ):
        measures = _measures(metric, own, rule, level, spreads)
        masks = coverage.panel.masks
        folded = metric.fold(statistics, Selection(annotators=masks[:1]))
        looked = metric.fold(statistics, Selection(annotators=masks.max(axis=0, keepdims=True)))
        units = int(looked.n_units[0]), n_clusters
        measures = _name_conventions(measures, metric.reasons(folded), folded.values[0], units)
        rows.append(PoolScore(pool, rule, measures, len(runs_of(statistics)) > 1))
    if not judging.pools.sampled:
        return PooledScore(tuple(rows))
    mean = {}
    for k, measure in enumerate(metric.measures):
        reasons = {row.measures[measure.name].estimate.undefined for row in rows}
        n_units = max(row.measures[measure.name].estimate.n_units for row in rows)
        over_pools = pool_mean(values, k, level, measure.scale, n_units)
        reason = reasons.pop() if len(reasons) == 1 else None
        estimate = replace(over_pools.estimate, undefined=reason, n_clusters=n_clusters)
        mean[measure.name] = over_pools._replace(estimate=estimate)
    return PooledScore(tuple(rows), mean)


def _name_conventions(
    measures: Mapping[str, JointEstimate],
    reasons: Sequence[Undefined | None],
    values: Floats,
    units: tuple[int, int | None],
) -> dict[str, JointEstimate]:
    """Measures with the reasons and values against one set of judges, where the mean over all sets is that value.

    ``units``: the sentences that they rest on, and clusters of these.
    """
    named, (n, n_clusters) = {}, units
    for (name, joint), reason, value in zip(measures.items(), reasons, values.tolist(), strict=True):
        alike = joint.estimate.value in (None, value)
        estimate = replace(joint.estimate, undefined=reason if alike else None, n_units=n, n_clusters=n_clusters)
        named[name] = joint._replace(estimate=estimate)
    return named


def _measures(
    metric: Metric, values: JudgedValues, rule: JudgeRule, level: float | None, runs: Sequence[RunSpread]
) -> dict[str, JointEstimate]:
    """Every measure in one pool, with intervals where a level is given."""
    n_texts = len(values.table) - 1
    if level is not None and rule.random:
        return judged_measures(metric, values, rule, level, runs)
    estimates = {}
    for k, measure in enumerate(metric.measures):
        means = values.means(k)[:, 0]
        if level is None:
            estimates[measure.name] = JointEstimate(Estimate(value_or_none(float(means[0])), n_texts))
            continue
        components = texts_and_runs(float(means[0]), means[1:], runs[k].variance, runs[k].df)
        estimates[measure.name] = JointEstimate.of(float(means[0]), n_texts, components, level, measure.scale)
    return estimates


def pool_mean(
    values: Sequence[JudgedValues], measure: int, level: float | None, scale: Scale, n_units: int
) -> PoolMean:
    """The mean of a measure over pools that are a sample; ``n_units``: the sentences that it rests on."""
    means = [own.means(measure) for own in values]
    bare = Estimate(value_or_none(float(np.mean([own[0, 0] for own in means]))), n_units)
    if level is None:
        return PoolMean(bare)
    components = three_way(np.stack([own[:, 0] for own in means], axis=1), [own[0, 1:] for own in means])
    if isinstance(components, Undefined):
        return PoolMean(bare.with_interval(components))
    return PoolMean(bare.with_interval(components.interval(level, scale)), components)
