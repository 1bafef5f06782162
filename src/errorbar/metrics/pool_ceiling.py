"""Human scores within pools of annotators and between them, and systems beside: who comes near whom.

Formula
    Against pool h, with k references: the score of the humans of pool g is the mean over its annotators i of the mean
    over all sets of k annotators of h that do not hold i; that of a system the mean over all sets of k. Ratio: a score
    over that of h's own humans. The variance is the sum of the jackknife's variances over texts, over the annotators of
    h, and over those of g where it is another pool; t with Satterthwaite's degrees of freedom.
Conventions
    k is two less than the smallest pool has, at least 1, so that without one annotator a human has k others: the same
    for all, as scores against more references are higher. Where leaving out an annotator leaves nobody to score
    against, as within a pool of two, there is no interval over annotators, and the reason stands in its place. Texts
    are left out one by one, of more than 200 in groups of neighbors. More than 1,000 sets of a pool are drawn.
Source
    Bryant & Ng 2015 for human scores; docs/pools.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, divide
from errorbar.core.estimate import Estimate, Scale, Undefined, value_or_none
from errorbar.core.pools import Pools
from errorbar.core.problems import Problem, UsageError
from errorbar.metrics.base import Measure, Selection
from errorbar.metrics.ceiling import CeilingData, ScoredText
from errorbar.metrics.judge_sets import GROUPS, annotator_subsets, fold_without_each, values_of
from errorbar.stats.resampling import left_out_groups, stream
from errorbar.stats.two_way import jackknife, t_interval, unknown_texts

RATIOS = Scale(0.0)


@dataclass(frozen=True, slots=True)
class PoolCeilingRow:
    """A text, or the humans of a pool, against the references of a pool."""

    pool: str  # whose references
    text: str  # the system, or the pool whose humans are scored
    human: bool
    score: Estimate
    ratio: Estimate  # to the humans of the references' own pool


@dataclass(frozen=True, slots=True)
class PoolCeiling:
    """Humans and systems against the references of every pool."""

    pools: Pools
    k: int  # references
    measure: Measure
    random: bool  # annotators are drawn anew
    rows: tuple[PoolCeilingRow, ...]


@dataclass(frozen=True, slots=True)
class _Leaving:
    """A value on everything, without each text, and without each annotator of the pools that take part."""

    texts: Floats  # shape (1 + texts,)
    annotators: tuple[Floats, ...]  # of each pool

    def over(self, other: _Leaving) -> _Leaving:
        """The ratio to another, whose pool of annotators is the first of this."""
        own, *more = self.annotators
        (below,) = other.annotators
        first = divide(own, below) if len(own) == len(below) else np.full(len(own), np.nan)
        others = tuple(divide(column, np.full(len(column), other.texts[0])) for column in more)
        return _Leaving(divide(self.texts, other.texts), (first, *others))

    def estimate(self, level: float | None, scale: Scale, n_units: int, *, random: bool) -> Estimate:
        """The value with its interval, if a level is given."""
        value, left = float(self.texts[0]), self.texts[1:]
        bare = Estimate(value_or_none(value), n_units)
        if level is None or np.isnan(value):
            return bare
        if why := unknown_texts(value, left):
            return bare.with_interval(why)
        parts, method = [(jackknife(left), left.size - 1.0)], "jackknife over texts, t"
        for column in self.annotators if random else ():
            if column.size < 2 or np.isnan(column).any():
                return bare.with_interval(Undefined.ONE_JUDGE if column.size < 2 else Undefined.WITHOUT_A_JUDGE)
            parts.append((jackknife(column), column.size - 1.0))
            method = "jackknife over texts and annotators, t"
        return bare.with_interval(t_interval(value, parts, level, scale, method))


def ceiling_in_pools(
    study: CeilingData,
    pools: Pools,
    clusters: NDArray[np.int64],
    *,
    level: float | None,
    seed: int = 0,
    random: bool = True,
) -> PoolCeiling:
    """Score the humans of every pool, and systems, against the references of every pool.

    ``pools`` have the names of their annotators; intervals are made where a level is given, also over annotators where
    they are random. ``UsageError`` if no pool has two annotators.
    """
    sizes = [len(pool.judges) for pool in pools]
    if max(sizes) < 2:
        message = "no pool has two annotators: humans of a pool are scored against others of it"
        raise UsageError(Problem("pool-few", message, expected="two annotators in a pool", fix="leave out --pools"))
    k, numbers = max(1, min(sizes) - 2), {name: number for number, name in enumerate(study.annotators)}
    measure, groups = study.metric.measures[study.metric.main], left_out_groups(clusters, GROUPS, GROUPS)
    members = [[numbers[name] for name in pool.judges] for pool in pools]
    rows: list[PoolCeilingRow] = []
    for pool, columns in zip(pools, members, strict=True):
        inner = annotator_subsets(len(columns), [k], partial(stream, seed, "pool-ceiling", pool.name)).masks
        masks = np.zeros((len(inner), len(study.annotators)), np.uint8)
        masks[:, columns] = inner

        def against(text: ScoredText, masks: NDArray[np.uint8] = masks) -> Floats:
            return _values(study, text, masks, groups if level is not None else None)

        tables = {column: against(study.humans[column]) for column in chain.from_iterable(members)}
        humans = [_humans(tables, own, columns, masks) for own in members]
        own_humans = humans[members.index(columns)]
        scored = [(own.name, True, value) for own, value in zip(pools, humans, strict=True)]
        scored += [(text.name, False, _system(against(text), columns, masks)) for text in study.systems]
        for name, human, value in scored:
            ratio = value.over(replace(own_humans, annotators=own_humans.annotators[:1]))
            score = value.estimate(level, measure.scale, len(clusters), random=random)
            share = ratio.estimate(None if human and name == pool.name else level, RATIOS, len(clusters), random=random)
            rows.append(PoolCeilingRow(pool.name, name, human, score, share))
    return PoolCeiling(pools, k, measure, random, tuple(rows))


def _values(study: CeilingData, text: ScoredText, masks: NDArray[np.uint8], groups: NDArray[np.int64] | None) -> Floats:
    """The main measure of a text against every set, on everything and without each group; (1 + groups, sets)."""
    metric, main = study.metric, study.metric.main
    whole = values_of(metric, text.statistics, Selection(annotators=masks))[None, :, main]
    if groups is None or len(np.unique(groups)) < 2:
        return whole
    return np.concatenate([whole, fold_without_each(metric, text.statistics, masks, groups)[:, :, main]])


def _humans(
    tables: dict[int, Floats], authors: Sequence[int], columns: Sequence[int], masks: NDArray[np.uint8]
) -> _Leaving:
    """The humans of a pool against sets of annotators of a pool, which may be the same."""

    def mean(left: int | None = None) -> Floats:
        """Without an annotator, as an author and in references."""
        own = []
        for author in authors:
            sets = (masks[:, author] == 0) & (masks[:, left] == 0 if left is not None else True)
            if author != left and sets.any():
                own.append(tables[author][:, sets].mean(axis=1))
        return np.mean(own, axis=0) if own else np.full(len(next(iter(tables.values()))), np.nan)

    pools = [columns] if set(authors) == set(columns) else [columns, authors]
    return _Leaving(mean(), tuple(np.array([mean(left)[0] for left in pool]) for pool in pools))


def _system(table: Floats, columns: Sequence[int], masks: NDArray[np.uint8]) -> _Leaving:
    """A system against sets of annotators of a pool."""

    def without(left: int) -> float:
        sets = masks[:, left] == 0
        return float(table[0, sets].mean()) if sets.any() else float("nan")

    return _Leaving(table.mean(axis=1), (np.array([without(left) for left in columns]),))
