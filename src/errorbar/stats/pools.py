"""Pools of judges: how a score varies over pools that are a sample, and whether a difference depends on the pool.

Formula
    Variance, pools random: U_g is the score of pool g = 1..G, V_A,g its jackknife's variance over the m_g judges of
    the pool. Between pools B = s^2(U)/G with G - 1 degrees of freedom, s^2(U) the variance of the pools' scores;
    within them W = sum V_A,g / G^2 with Satterthwaite's degrees of freedom of m_g - 1 each. Of single judges, k in
    each pool, these are the mean squares of the nested analysis of variance: B = MS_pool/(G k), W = MS_judge/(G k),
    V_pool = G max(0, B - W) = max(0, MS_pool - MS_judge)/k. The mean over texts, judges and pools has
    V = V_E + max(B, W), V_E the jackknife's variance over texts of the mean over pools, and Satterthwaite's degrees
    of freedom.
    Interaction: D_g is the difference of two systems in pool g, Var_g = V_E,g + V_A,g its variance over texts and the
    judges of the pool. Q = sum (D_g - D)^2 / Var_g, D the mean of all D_g weighed by 1 / Var_g. Judges are dealt
    anew into pools of the same sizes, in all ways up to 2,000, else in 2,000 random ones, Q is computed anew, and p
    is the share of ways with a Q at least as large. Many pairs: step-down max over sqrt(Q_pair / mean of Q_pair over
    all ways), the same ways for every pair.
    Judges who vary more in one pool than in another: Welch's F of the G values D_g with the variances V_A,g of judges
    alone, as the texts are the same, and w_g = 1 / V_A,g. F = sum w_g (D_g - D)^2 / (G - 1) / (1 + 2 (G - 2) L /
    (G^2 - 1)), L = sum (1 - w_g / sum w)^2 / (m_g - 1), with G - 1 and (G^2 - 1) / (3 L) degrees of freedom; Holm.
Conventions
    max(B, W): a variance between pools that comes out below what judges alone make of it is that of judges.
    D weighed by 1/Var_g makes Q the smallest it can be, and with two pools the square of Welch's t, so that a pool
    whose judges vary much cannot make a difference of the others look sure; a plain mean would. Studentized so, the
    test also holds, as judges grow in number, where pools differ in how much their judges vary (Chung & Romano).
    A pool of one judge has no variance within: its Var_g is V_E,g, in every way to deal. Pools of one size have no
    names: ways that differ in nothing else count once. If every pool has one judge, there is one way, and p = 1.
    With n ways no p is below 1/n; where that is above the level, a pair is undecided and not alike.
    Welch's p stands beside p and decides nothing: spreads of two or three judges say too little to choose a test by
    (where a small pool varies much, the wrong results are those in which it seems not to).
    Texts stay as they are: the p is about these texts and other judges. Intervals of D_g are over texts too.
Source
    Searle, Casella & McCulloch 1992, Variance Components, chapter 3, for the nested analysis; Satterthwaite 1946;
    Cochran 1954, Biometrics 10, for Q; Chung & Romano 2013, Annals of Statistics 41, for permutations of studentized
    statistics; Westfall & Young 1993 for the step-down maximum; Welch 1951, Biometrika 38, for F. docs/pools.md
    measures size, power and coverage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, pairwise
from math import comb, factorial, inf, isnan, nan, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Interval, Scale, Undefined
from errorbar.stats.multiple import adjust, step_down_max_t
from errorbar.stats.paired import count_extreme
from errorbar.stats.resampling import ANYWHERE, stream
from errorbar.stats.two_way import jackknife, satterthwaite, t_interval, t_p_value, unknown_texts

MOST_WAYS = 2000
"""Ways to deal judges into pools that are all tried; of more, as many are drawn."""
Way = tuple[frozenset[int], ...]
"""Who is in each pool."""
NONE = 0.0, inf
"""A part of a variance that there is none of."""


@dataclass(frozen=True, slots=True)
class PoolVariance:
    """A mean over pools, and how it varies over texts, judges in pools, and pools."""

    value: float
    texts: float  # V_E
    between: float  # B
    within: float  # W
    n_texts: int
    n_pools: int
    within_df: float
    judges_per_pool: float  # harmonic mean

    @property
    def pools(self) -> float:
        """V_pool, the variance of one pool."""
        return self.n_pools * max(0.0, self.between - self.within)

    @property
    def _parts(self) -> list[tuple[float, float]]:
        between = self.between, self.n_pools - 1.0
        judges, pools = ((self.within, self.within_df), NONE) if self.within > self.between else (NONE, between)
        return [(self.texts, self.n_texts - 1.0), judges, NONE, pools]

    @property
    def variance(self) -> float:
        """V_E + max(B, W)."""
        return sum(variance for variance, _ in self._parts)

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom."""
        return satterthwaite(self._parts)

    def interval(self, confidence_level: float, scale: Scale = ANYWHERE) -> Interval | Undefined:
        """The interval over texts, judges and pools inside the range of a measure, or why it would say nothing."""
        return t_interval(self.value, self._parts, confidence_level, scale, "three-way jackknife, t")

    @property
    def p_value(self) -> float:
        """How likely a value at least so far from 0 is where 0 is true: two-sided."""
        return t_p_value(self.value, self.variance, self.df)


def three_way(without_text: ArrayLike, without_judge: Sequence[ArrayLike]) -> PoolVariance | Undefined:
    """The components of a mean over pools that are a sample, or why they are not known.

    Args:
        without_text: The score of every pool, on everything and then without each text; shape (1 + texts, pools).
        without_judge: For each pool its score without each of its judges; empty where it has one.
    """
    table = np.asarray(without_text, np.float64)
    values, means = table[0], table.mean(axis=1)
    if why := unknown_texts(float(means[0]), means[1:]):
        return why
    within = [(jackknife(left), float(np.size(left) - 1)) for left in without_judge if np.size(left) > 1]
    if any(isnan(variance) for variance, _ in within):
        return Undefined.WITHOUT_A_JUDGE
    n_pools = len(values)
    scaled = [(variance / n_pools**2, df) for variance, df in within]
    return PoolVariance(
        float(means[0]),
        jackknife(means[1:]),
        float(values.var(ddof=1) / n_pools),
        sum(variance for variance, _ in scaled),
        len(table) - 1,
        n_pools,
        satterthwaite(scaled),
        n_pools / sum(1 / max(1, np.size(left)) for left in without_judge),
    )


@dataclass(frozen=True, slots=True)
class InteractionTest:
    """Whether the difference of two systems depends on the pool."""

    q: float  # NaN where a difference is undefined
    p_unadjusted: float | None  # None: nothing can be tested
    p: float | None  # adjusted for all pairs
    n_ways: int  # to deal judges into pools
    exact: bool  # those are all there are
    p_welch: float | None = (
        None  # of judges who vary more in some pools, by Holm; None: a pool does not show how they do
    )

    @property
    def smallest_p(self) -> float:
        """The smallest p that so many ways can give."""
        return 1 / (self.n_ways + (not self.exact))


def deal_judges(
    sizes: Sequence[int], seed: int = 0, most: int = MOST_WAYS
) -> tuple[list[tuple[frozenset[int], ...]], bool]:
    """The ways to deal judges, numbered pool by pool, into pools of some sizes; whether they are all there are.

    Pools of one size have no names.
    """
    n_ways = count_ways(sizes)
    if n_ways <= most:
        return list(_all_ways(frozenset(range(sum(sizes))), tuple(sorted(sizes)))), True
    rng, starts = stream(seed, "pools", *sizes), np.cumsum([0, *sizes])
    drawn = (rng.permutation(starts[-1]) for _ in range(most))
    cuts = list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
    return [tuple(frozenset(order[a:b].tolist()) for a, b in cuts) for order in drawn], False


def count_ways(sizes: Sequence[int]) -> int:
    """The number of ways to deal judges into pools of some sizes, where pools of one size have no names."""
    left, ways = sum(sizes), 1
    for size in sizes:
        ways *= comb(left, size)
        left -= size
    return ways // prod(factorial(list(sizes).count(size)) for size in set(sizes))


def _all_ways(judges: frozenset[int], sizes: tuple[int, ...], after: int = -1) -> Iterator[tuple[frozenset[int], ...]]:
    """Every way, the groups of one size in the order of their first judge; ``after``: that of the group before."""
    if not sizes:
        yield ()
        return
    size, *others = sizes
    for group in combinations(sorted(judges), size):
        if group[0] <= after:
            continue
        follows = group[0] if others and others[0] == size else -1
        for tail in _all_ways(judges - set(group), tuple(others), follows):
            yield (frozenset(group), *tail)


@dataclass(frozen=True, slots=True)
class Dealing:
    """The ways to deal judges into pools, and how every group of judges weighs the sets that scores are against."""

    ways: NDArray[np.int64]  # the groups of each way; shape (ways, pools)
    own: NDArray[np.int64]  # the groups that are; shape (pools,)
    exact: bool  # those are all ways
    whole: Floats  # weights of the sets in a group's value; shape (groups, sets)
    without: Floats  # and without each judge of each group in turn; shape (judges of groups, sets)
    group_of: NDArray[np.int64]  # of each row of ``without``

    @classmethod
    def of(cls, masks: NDArray[np.uint8], k: int, sizes: Sequence[int], seed: int = 0) -> Dealing:
        """The ways for pools of some sizes.

        Args:
            masks: Who is in each set; shape (sets, judges), judges pool by pool. All sets of k, and all sets of k - 1
                if a pool has k judges and k > 1.
            k: Judges of a set.
            sizes: Judges of each pool.
            seed: Of the ways that are drawn where there are too many.
        """
        ways, exact = deal_judges(sizes, seed)
        starts = np.cumsum([0, *sizes]).tolist()
        own = tuple(frozenset(range(a, b)) for a, b in pairwise(starts))
        groups = {group: at for at, group in enumerate(dict.fromkeys(chain(own, *ways)))}
        weights = [_group_weights(sorted(group), masks, k) for group in groups]
        rows = [without for _, without in weights]
        return cls(
            np.array([[groups[group] for group in way] for way in ways]),
            np.array([groups[group] for group in own]),
            exact,
            np.stack([whole for whole, _ in weights]),
            np.concatenate(rows),
            np.repeat(np.arange(len(rows)), [len(without) for without in rows]),
        )

    def test(self, differences: Sequence[Floats]) -> list[InteractionTest]:
        """Test for each pair of systems whether its difference depends on the pool.

        Args:
            differences: Of each pair, against every set of judges; on everything, then without each text; shape
                (1 + texts, sets).
        """
        n_ways, more = len(self.ways), 0 if self.exact else 1
        tables = [self._q(table) for table in differences]
        tests = [InteractionTest(q, None, None, n_ways, self.exact) for q, _ in tables]
        known = [at for at, (q, dealt) in enumerate(tables) if np.isfinite(q) and np.isfinite(dealt).all()]
        if not known:
            return tests
        roots = np.sqrt([tables[at][0] for at in known]), np.sqrt([tables[at][1] for at in known])
        alone = [(count_extreme(q, dealt) + more) / (n_ways + more) for q, dealt in zip(*roots, strict=True)]
        adjusted = step_down_max_t(*roots, exact=self.exact, p_values=alone)
        for at, p_alone, p in zip(known, alone, adjusted.tolist(), strict=True):
            tests[at] = InteractionTest(tables[at][0], p_alone, p, n_ways, self.exact)
        welch = {at: self._welch(differences[at][0]) for at in known}
        shown = [at for at, p in welch.items() if not isnan(p)]
        for at, p in zip(shown, adjust([welch[at] for at in shown]).tolist(), strict=True):
            tests[at] = replace(tests[at], p_welch=p)
        return tests

    def _welch(self, row: Floats) -> float:
        """Welch's p of the pools that are, by scores on everything; NaN where a pool does not show how judges vary."""
        variances = _jackknives(self.without @ row, self.group_of, len(self.whole))
        df = (np.bincount(self.group_of, minlength=len(self.whole))[self.own] - 1).astype(np.float64)
        return welch_p_value((self.whole @ row)[self.own], variances[self.own], df)

    def _q(self, table: Floats) -> tuple[float, Floats]:
        """Q of the pools that are, and of every way."""
        values, left_out = self.whole @ table[0], table[1:]
        influence = (left_out - left_out.mean(axis=0)) @ self.whole.T
        texts = (len(left_out) - 1) / len(left_out) * (influence**2).sum(axis=0)
        variances = texts + _jackknives(self.without @ table[0], self.group_of, len(values))
        q, dealt = (_cochran_q(values[groups], variances[groups]) for groups in (self.own, self.ways))
        return float(q), dealt


def welch_p_value(values: Floats, variances: Floats, df: Floats) -> float:
    """How likely values are so far apart where they are all the same, by Welch's F; NaN without a variance."""
    from scipy.special import fdtrc  # noqa: PLC0415 - scipy takes its time

    if (df <= 0).any() or not (variances > 0).all():
        return nan
    n, weights = len(values), 1 / variances
    spread = ((1 - weights / weights.sum()) ** 2 / df).sum()
    f = float(_cochran_q(values, variances)) / (n - 1) / (1 + 2 * (n - 2) * spread / (n**2 - 1))
    return float(fdtrc(n - 1, (n**2 - 1) / (3 * spread), f))


def _group_weights(group: Sequence[int], masks: NDArray[np.uint8], k: int) -> tuple[Floats, Floats]:
    """Weights of the sets in a group's value, and in its value without each judge; shapes (sets,), (judges, sets)."""
    sizes = masks.sum(axis=1)
    inside = masks[:, group].sum(axis=1) == sizes
    own = inside & (sizes == k)
    if len(group) == 1:
        return own.astype(np.float64), np.zeros((0, len(masks)))
    within = own if len(group) > k else inside & (sizes == k - 1)
    without = np.stack([within & (masks[:, judge] == 0) for judge in group]).astype(np.float64)
    return own / own.sum(), without / without.sum(axis=1, keepdims=True)


def _jackknives(without: Floats, group_of: NDArray[np.int64], n_groups: int) -> Floats:
    """The jackknife's variance of each group, of values without each of its judges; 0 of a group of one judge."""
    m = np.maximum(np.bincount(group_of, minlength=n_groups), 1)
    means = np.bincount(group_of, without, n_groups) / m
    squares = np.bincount(group_of, (without - means[group_of]) ** 2, n_groups)
    return np.asarray((m - 1) / m * squares, np.float64)


def _cochran_q(values: Floats, variances: Floats) -> Floats:
    """Q of pools in the last axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = 1 / variances
        mean = (weights * values).sum(axis=-1, keepdims=True) / weights.sum(axis=-1, keepdims=True)
        return np.asarray((weights * (values - mean) ** 2).sum(axis=-1), np.float64)
