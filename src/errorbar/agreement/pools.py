"""Agreement within pools of raters and between them, on one scale.

Formula
    Of pools g and h: A_o is the mean over items of the share of agreeing pairs of judgments, one of each pool (of one
    pool: of two of its raters); A_e = sum_ck w_ck p_c q_k, with p and q the pools' shares of the labels, means over the
    same items; kappa = (A_o - A_e) / (1 - A_e). w are the weights of Cohen's kappa. The gap of two pools is the mean of
    their kappas within, less their kappa between: above 0 where raters of one pool agree better than those of two.
    Intervals over items are from resamples that all coefficients share. Over items and raters: V_E + V_g + V_h, the
    jackknife's variances over items and over the raters of each pool, t with Satterthwaite's degrees of freedom.
Conventions
    Items count that have a judgment of both pools, or two of one pool; each counts once, however many judged it. With
    one rater in each pool the kappa between is Cohen's; where every item was judged by all raters of a pool, the kappa
    within is Fleiss' for names. Within a pool of one rater there is none; over raters, a pool of one rater, and within
    a pool of two, give no interval.
Source
    Schouten 1982, Biometrical Journal 24, and Vanbelle & Albert 2009, Psychometrika 74, for kappas of groups of raters;
    docs/pools.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement

import numpy as np

from errorbar.agreement.coefficients import (
    MAX_LABELS,
    Clusters,
    ItemCounts,
    Kernel,
    chance_corrected,
    estimates,
    item_counts,
    left_out_values,
    ratio,
)
from errorbar.agreement.cohen import Weighting, agreement_weights
from errorbar.agreement.krippendorff import Level
from errorbar.agreement.report import Judges, bounded_interval
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.pools import Pools
from errorbar.stats.resampling import Resampling
from errorbar.stats.two_way import jackknife, t_half_width

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PoolAgreement:
    """The agreement within a pool, or between two."""

    pools: tuple[str, str]  # the same twice: within
    n_items: int
    n_raters: tuple[int, int]
    observed: float | None  # A_o
    kappa: Estimate
    gap: Estimate | None = None  # of two pools: within less between

    @property
    def within(self) -> bool:
        """Whether it is of one pool."""
        return self.pools[0] == self.pools[1]


@dataclass(frozen=True, slots=True)
class PooledCounts:
    """Label counts of every item, pool by pool, as kernels take them."""

    counts: ItemCounts
    table: Floats  # shape (rows, pools, labels)
    weights: Floats  # of agreement; shape (labels, labels)

    @classmethod
    def of(
        cls, judgments: Judgments, pool_of: Sequence[int], n_pools: int, weights: Floats, clusters: Clusters
    ) -> PooledCounts:
        """Those of judgments whose raters are in a pool each."""
        size = len(judgments.labels)
        label = np.array(pool_of, np.int32)[judgments.rater] * size + judgments.label
        names = tuple(f"{pool}\t{name}" for pool in range(n_pools) for name in judgments.labels)
        counts = item_counts(replace(judgments, label=label, labels=names), clusters)
        table = np.asarray(counts.counts.toarray(), np.float64).reshape(-1, n_pools, size)
        return cls(counts, table, weights)

    def parts(self, pair: Pair) -> tuple[Floats, Floats, Floats, Floats]:
        """Of each row whether it counts, its share of agreeing pairs, and the shares of labels in both pools."""
        (g, h), m = pair, self.table.sum(axis=2)
        first, second = self.table[:, g], self.table[:, h]
        agreeing, pairs = ((first @ self.weights) * second).sum(axis=1), m[:, g] * m[:, h]
        if g == h:  # two different raters; every label agrees with itself by weight 1
            agreeing, pairs = agreeing - m[:, g], pairs - m[:, g]
        counts = (pairs > 0).astype(np.float64)
        shares = (
            np.nan_to_num(ratio(own, own.sum(axis=1, keepdims=True))) * counts[:, None] for own in (first, second)
        )
        return counts, np.nan_to_num(ratio(agreeing, pairs)), *shares

    def kernel(self, pair: Pair) -> Kernel:
        """Kappa as a function of how often each row occurs."""
        counts, agreeing, p, q = self.parts(pair)

        def kappa(times: Floats) -> Floats:
            n = times @ counts
            observed = ratio(times @ agreeing, n)
            expected = (ratio(times @ p, n[:, None]) @ self.weights * ratio(times @ q, n[:, None])).sum(axis=1)
            return chance_corrected(observed, expected)

        return kappa

    def gap(self, pair: Pair) -> Kernel:
        """Mean kappa within two pools, less that between them."""
        g, h = pair
        within, between = [self.kernel((g, g)), self.kernel((h, h))], self.kernel(pair)
        return lambda times: (within[0](times) + within[1](times)) / 2 - between(times)

    def value(self, kernel: Kernel) -> float:
        """A coefficient of everything."""
        return float(kernel(self.counts.units.frequency[None])[0])


def agreement_in_pools(
    judgments: Judgments,
    pools: Pools,
    *,
    level: Level = "nominal",
    order: Sequence[str] | None = None,
    weighting: Weighting = "none",
    clusters: Clusters = None,
    resampling: Resampling | None = None,
    judges: Judges = "fixed",
) -> list[PoolAgreement]:
    """The agreement within each pool and between each two, pool by pool; empty of more labels than a matrix has."""
    if len(judgments.labels) > MAX_LABELS:
        return []
    weights = agreement_weights(judgments.labels, weighting, order, numbers=level == "interval")
    numbers = {judge: at for at, pool in enumerate(pools) for judge in pool.judges}
    kept = judgments.only([name for name in judgments.raters if name in numbers])
    pool_of = [numbers[name] for name in kept.raters]

    def counted(own: Judgments) -> PooledCounts:
        return PooledCounts.of(own, pool_of, len(pools), weights, clusters)

    whole = counted(kept)
    without: list[PooledCounts] = []
    if judges == "random" and resampling is not None:
        without = [counted(kept.take(kept.rater != rater)) for rater in range(len(kept.raters))]
    pairs = list(combinations_with_replacement(range(len(pools)), 2))
    kappas = _estimates(whole, {f"{g},{h}": whole.kernel((g, h)) for g, h in pairs}, resampling)
    gaps = _estimates(whole, {f"{g},{h}": whole.gap((g, h)) for g, h in combinations(range(len(pools)), 2)}, resampling)
    result = []
    for g, h in pairs:
        counts, agreeing, _, _ = whole.parts((g, h))
        n_items = float(whole.counts.units.frequency @ counts)
        observed = float(whole.counts.units.frequency @ agreeing) / n_items if n_items else None
        kappa, gap = kappas[f"{g},{h}"], gaps.get(f"{g},{h}")
        if without and resampling is not None:
            of_raters = [(left.value(left.kernel((g, h))), pool) for left, pool in zip(without, pool_of, strict=True)]
            kappa = _over_raters(whole, whole.kernel((g, h)), kappa, of_raters, (g, h), resampling.confidence_level)
            if gap is not None:
                of_raters = [(left.value(left.gap((g, h))), pool) for left, pool in zip(without, pool_of, strict=True)]
                gap = _over_raters(whole, whole.gap((g, h)), gap, of_raters, (g, h), resampling.confidence_level)
        names, sizes = [pool.name for pool in pools], [pool_of.count(at) for at in range(len(pools))]
        kappa = replace(kappa, n_units=int(n_items))
        result.append(PoolAgreement((names[g], names[h]), int(n_items), (sizes[g], sizes[h]), observed, kappa, gap))
    return result


def _estimates(
    whole: PooledCounts, kernels: Mapping[str, Kernel], resampling: Resampling | None
) -> dict[str, Estimate]:
    """Coefficients over items, from the same resamples."""
    units = whole.counts.units
    n = int(units.frequency.sum())
    by_name = estimates(units, kernels, n, Undefined.TOO_FEW_RATERS, resampling, whole.table[0].size if n else 1)
    return {name: estimate for name, (estimate,) in by_name.items()}


def _over_raters(
    whole: PooledCounts,
    kernel: Kernel,
    estimate: Estimate,
    without: Sequence[tuple[float, int]],
    pair: Pair,
    confidence_level: float,
) -> Estimate:
    """The estimate with its interval over items and the raters of both pools, drawn anew."""
    if estimate.value is None:
        return estimate
    items, times = left_out_values(whole.counts.units, kernel, whole.table[0].size)
    left = np.repeat(items[:, 0], times)
    parts = [(jackknife(left), float(left.size - 1))]
    for pool in sorted({*pair}):
        own = np.array([value for value, at in without if at == pool])
        if len(own) < 2 or np.isnan(own).any():
            why = Undefined.ONE_JUDGE if len(own) < 2 else Undefined.WITHOUT_A_JUDGE
            return replace(estimate, interval=None, no_interval=why)
        parts.append((jackknife(own), float(own.size - 1)))
    interval: Interval | Undefined = bounded_interval(
        estimate.value, t_half_width(parts, confidence_level), confidence_level
    )
    return replace(estimate, interval=None, no_interval=None).with_interval(interval, n_clusters=estimate.n_clusters)
