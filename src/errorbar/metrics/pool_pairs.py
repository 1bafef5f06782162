"""Pairs of systems in pools of judges: who is ahead in each pool, and whether that depends on the pool.

Conventions
    A system is ahead in a pool if p, adjusted for all pairs of the pool, is at most the level; its interval then leaves
    out 0. The order of two systems depends on the pool only if each is ahead of the other in some pool, and the test of
    system x pool, adjusted for all pairs, says so too. A pair of which no deal of judges could give a p at the level is
    undecided.
Source
    docs/pools.md; errorbar.stats.pools for the test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, isnan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Undefined
from errorbar.core.labels import join_words
from errorbar.metrics.base import Measure, Metric, Opaque, Selection
from errorbar.metrics.judge_sets import MOST, JudgeCoverage, annotator_subsets, fold_without_each, values_of
from errorbar.metrics.judges import JudgeRule, runs_of
from errorbar.metrics.over_judges import PairTesting, TTest, adjusted_by_holm, judge_pairs, only
from errorbar.metrics.pools import PoolJudging, pool_mean
from errorbar.metrics.scores import PoolMean
from errorbar.stats.multiple import adjust
from errorbar.stats.pools import Dealing, InteractionTest
from errorbar.stats.resampling import left_out_groups, stream
from errorbar.stats.two_way import texts_and_runs

GROUPS_OF_TEST = 50
"""Groups of texts that are left out in the test of system x pool."""
Depends = Literal["depends", "not shown", "undecided", "not tested"]


@dataclass(frozen=True, slots=True)
class PoolPair:
    """Two systems in every pool."""

    first: str
    second: str
    tests: tuple[TTest, ...]  # of each pool
    interaction: InteractionTest | None  # None: there are fewer than two texts that all judges looked at
    mean: PoolMean | None = None  # of the difference over pools that are a sample, and its p adjusted by Holm
    p_mean: float | None = None

    def ahead(self, pool: int, sign: float, alpha: float) -> str:
        """Who is ahead in a pool; empty: the two are not told apart."""
        test = self.tests[pool]
        if test.p is None or test.p > alpha or isnan(test.difference):
            return ""
        return self.first if sign * test.difference > 0 else self.second

    def result(self, alpha: float) -> Depends:
        """The result of the test of system x pool."""
        if self.interaction is None or self.interaction.p is None:
            return "not tested"
        if self.interaction.p <= alpha:
            return "depends"
        return "undecided" if self.interaction.smallest_p > alpha else "not shown"


@dataclass(frozen=True, slots=True)
class PoolComparison:
    """Systems compared in every pool."""

    judging: PoolJudging
    names: tuple[str, ...]
    measure: Measure
    values: Floats  # shape (pools, systems)
    pairs: tuple[PoolPair, ...]  # in the order of ``itertools.combinations``
    alpha: float
    test_k: int  # judges of the sets in the test of system x pool
    n_units: int  # that every judge of a pool looked at
    has_runs: bool  # whether some system has several runs

    @property
    def pool_names(self) -> list[str]:
        """The names of the pools."""
        return [pool.name for pool in self.judging.pools]

    def best(self, pool: int) -> list[str]:
        """The systems with the best score in a pool: several, if these are alike."""
        goodness = np.nan_to_num(self.measure.sign * self.values[pool], nan=-np.inf)
        return [self.names[at] for at in np.flatnonzero(goodness == goodness.max())]

    def winner(self, pool: int) -> tuple[str, list[str]]:
        """The system with the best score in a pool, and those that it is not told apart from."""
        best = self.best(pool)[0]
        own = [pair for pair in self.pairs if best in (pair.first, pair.second)]
        level = [pair for pair in own if pair.ahead(pool, self.measure.sign, self.alpha) != best]
        return best, [pair.second if pair.first == best else pair.first for pair in level]

    def order_depends(self, pair: PoolPair) -> bool:
        """Whether each of two systems is ahead of the other in some pool, and the test of system x pool says so too."""
        return pair.result(self.alpha) == "depends" and {pair.first, pair.second} <= {*self._ahead(pair)}

    def leans(self, pair: PoolPair) -> bool:
        """Whether the test of system x pool is significant only if judges vary alike in all pools."""
        p = None if pair.interaction is None else pair.interaction.p_welch
        return pair.result(self.alpha) == "depends" and (p is None or p > self.alpha)

    def _ahead(self, pair: PoolPair) -> list[str]:
        return [pair.ahead(at, self.measure.sign, self.alpha) for at in range(len(self.pool_names))]

    def sentence(self, pair: PoolPair) -> str:
        """The sentence on a pair: who is ahead where, and whether that depends on the pool."""
        ahead = self._ahead(pair)
        by = {
            name: [pool for pool, who in zip(self.pool_names, ahead, strict=True) if who == name] for name in {*ahead}
        }
        result = pair.result(self.alpha)
        both = [name for name in (pair.first, pair.second) if by.get(name)]
        parts = [f"{name} is ahead {where_in(by[name], len(ahead))}" for name in both]
        if level := by.get(""):
            where = "in any pool" if not both else where_in(level, len(ahead))
            parts.append(f"{'' if both else 'they are '}not told apart {where}")
        facts = f"{pair.first} and {pair.second}: {', '.join(parts)}"
        if self.order_depends(pair):
            return f"the order of {pair.first} and {pair.second} depends on the pool: {', '.join(parts)}"
        return (
            facts
            + {
                "depends": "; how far they differ depends on the pool",
                "not shown": "; that their difference depends on the pool is not shown",
                "undecided": f"; so few judges cannot show that it depends on the pool (p >= {_least(pair):.2g})",
                "not tested": "",
            }[result]
        )


def _least(pair: PoolPair) -> float:
    return 1.0 if pair.interaction is None else pair.interaction.smallest_p


def where_in(pools: Sequence[str], n_pools: int) -> str:
    """``in pool g1``, ``in pools g1 and g2``, ``in every pool``."""
    if len(pools) == n_pools:
        return "in every pool"
    return f"in pool{'s' * (len(pools) > 1)} {join_words(pools)}"


def compare_in_pools(
    metric: Metric,
    systems: Sequence[tuple[str, Opaque]],
    judging: PoolJudging,
    complete: NDArray[np.bool_],
    clusters: NDArray[np.int64],
    testing: PairTesting,
) -> PoolComparison:
    """Compare systems in every pool, and test whether differences depend on the pool.

    Args:
        metric: What is computed.
        systems: Names and statistics.
        judging: Who judged in which pool.
        complete: Which units every judge of a pool looked at; shape (units,).
        clusters: Document of each unit.
        testing: How p-values are adjusted.
    """
    names, statistics = [name for name, _ in systems], [kept for _, kept in systems]
    tested = [
        _pairs_in_pool(metric, statistics, coverage, rule, testing)
        for coverage, rule in zip(judging.coverages, judging.rules, strict=True)
    ]
    numbers = list(combinations(range(len(systems)), 2))
    interactions, k = _interactions(metric, statistics, judging, complete, clusters, testing.seed)
    pairs = [
        PoolPair(
            names[a], names[b], tuple(tests[at] for _, tests in tested), interactions[at] if interactions else None
        )
        for at, (a, b) in enumerate(numbers)
    ]
    if judging.pools.sampled:
        pairs = _over_pools(metric, statistics, judging, pairs, testing.level)
    values = np.array([scores for scores, _ in tested])
    measure = metric.measures[metric.main]
    alpha = 1 - testing.level
    n_units, has_runs = int(complete.sum()), any(len(runs_of(kept)) > 1 for kept in statistics)
    return PoolComparison(judging, tuple(names), measure, values, tuple(pairs), alpha, k, n_units, has_runs)


def _pairs_in_pool(
    metric: Metric, statistics: Sequence[Opaque], coverage: JudgeCoverage, rule: JudgeRule, testing: PairTesting
) -> tuple[list[float], list[TTest]]:
    """Every system and every pair in one pool: over texts and judges, or over texts where judges are fixed."""
    if rule.random:
        return judge_pairs(metric, statistics, coverage, rule, testing)
    main, scale = metric.main, metric.measures[metric.main].scale.of_differences
    values = [only(coverage.values(metric, kept), main) for kept in statistics]
    runs = [coverage.spreads(metric, kept)[main] for kept in statistics]
    tests = []
    for a, b in combinations(range(len(values)), 2):
        means, spread = (values[a] - values[b]).means(0)[:, 0], runs[a] - runs[b]
        components, difference = texts_and_runs(float(means[0]), means[1:], spread.variance, spread.df), float(means[0])
        if isinstance(components, Undefined):
            tests.append(TTest(difference, components, None, None))
        else:
            interval = components.interval(testing.level, scale)
            tests.append(TTest(difference, interval, components, components.p_value))
    return [float(own.means(0)[0, 0]) for own in values], adjusted_by_holm(tests)


def _over_pools(
    metric: Metric, statistics: Sequence[Opaque], judging: PoolJudging, pairs: Sequence[PoolPair], level: float
) -> list[PoolPair]:
    """The pairs with the mean difference over pools that are a sample."""
    main, scale = metric.main, metric.measures[metric.main].scale.of_differences
    values = [[only(own, main) for own in judging.values(metric, kept)] for kept in statistics]
    means = [
        pool_mean(
            [one - other for one, other in zip(values[a], values[b], strict=True)], 0, level, scale, len(statistics[0])
        )
        for a, b in combinations(range(len(values)), 2)
    ]
    known = [at for at, mean in enumerate(means) if mean.components is not None]
    alone = [mean.components.p_value for mean in means if mean.components is not None]
    p_values = dict(zip(known, adjust(alone, method="holm").tolist(), strict=True)) if known else {}
    return [replace(pair, mean=means[at], p_mean=p_values.get(at)) for at, pair in enumerate(pairs)]


def _interactions(
    metric: Metric,
    statistics: Sequence[Opaque],
    judging: PoolJudging,
    complete: NDArray[np.bool_],
    clusters: NDArray[np.int64],
    seed: int,
) -> tuple[list[InteractionTest], int]:
    """The test of system x pool of every pair, and the judges of its sets; none without two texts that all saw."""
    sizes, units = [len(own) for own in judging.columns], np.flatnonzero(complete)
    k = affordable_sets(sizes, judging.k)
    groups = left_out_groups(np.unique(clusters[units], return_inverse=True)[1].ravel(), GROUPS_OF_TEST, GROUPS_OF_TEST)
    if len(np.unique(groups)) < 2:
        return [], k
    columns, n_annotators = [column for own in judging.columns for column in own], max(map(max, judging.columns)) + 1
    wanted = [k - 1, k] if needs_smaller(sizes, k) else [k]
    inner = annotator_subsets(len(columns), wanted, lambda size: stream(seed, "pools", size)).masks
    masks = np.zeros((len(inner), max(n_annotators, judging.coverages[0].panel.masks.shape[1])), np.uint8)
    masks[:, columns] = inner
    tables = []
    for kept in statistics:
        own = kept if complete.all() else kept.take(units)
        whole = values_of(metric, own, Selection(annotators=masks))[None, :, metric.main]
        tables.append(np.concatenate([whole, fold_without_each(metric, own, masks, groups)[:, :, metric.main]]))
    apart = [tables[a] - tables[b] for a, b in combinations(range(len(tables)), 2)]
    return Dealing.of(inner, k, sizes, seed).test(apart), k


def needs_smaller(sizes: Sequence[int], k: int) -> bool:
    """Whether sets of k - 1 judges are needed: a pool of k judges leaves out each of them."""
    return k > 1 and k in sizes


def affordable_sets(sizes: Sequence[int], k: int) -> int:
    """The largest number of judges up to k whose sets, of all judges of all pools, are not too many."""
    n = sum(sizes)
    costs = {size: comb(n, size) + comb(n, size - 1) * needs_smaller(sizes, size) for size in range(1, k + 1)}
    return max((size for size, cost in costs.items() if cost <= MOST), default=1)
