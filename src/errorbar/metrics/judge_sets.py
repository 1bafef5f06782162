"""Scores of a system against sets of judges, with every text and every judge left out: the basis of judges' variance.

Formula
    U is the mean of a measure over all sets of k of the m judges, or over as many drawn ones as ``subsets.MOST``.
    U(-i) is the mean over those without judge i; where k = m, the value against the other k - 1. U(-e) and U(-i,-e)
    are the same with the units of text e left out.
Conventions
    A judge who looked at no unit is none. Of more than 2,000 texts (documents; sentences where none are known), 200
    groups of neighbors are left out in their place. A set of judges none of whom looked at a unit that is left has no
    value. Units are folded in the order of the corpus, as a whole corpus is.
Source
    docs/judges.md; the delete-a-group jackknife: Kott 2001, Journal of Official Statistics 17.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.metrics.base import Metric, Opaque, Selection
from errorbar.metrics.intervals import fold_without_groups
from errorbar.metrics.judges import ONE_RUN, JudgeRule, JudgeSets, RunSpread, spread_of, values_of_runs
from errorbar.stats.resampling import left_out_groups, stream
from errorbar.stats.two_way import TwoWay, VariancePrior, jackknife, judge_variances, nested, two_way, unbiased_variance

# Subsets of annotators, as masks that a fold takes: all of a size, or as many different ones as are drawn.


NO_ONE = -1
MOST = 1000  # subsets of one size that are enumerated; of more, as many are drawn


class Subsets(NamedTuple):
    """Subsets of annotators, by size."""

    masks: NDArray[np.uint8]  # which annotators each subset has; shape (subsets, annotators)
    sizes: tuple[int, ...]  # ascending
    n_subsets: tuple[int, ...]  # of each size
    exact: tuple[bool, ...]  # whether they are all of their size

    def means(self, values: Floats) -> Floats:
        """Mean of a value over the subsets of each size; shape (subsets, ...) becomes (sizes, ...)."""
        starts = np.cumsum([0, *self.n_subsets])[:-1]
        counts = np.array(self.n_subsets).reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(np.add.reduceat(values, starts, axis=0) / counts, np.float64)

    def largest(self) -> Subsets:
        """The subsets of the largest size."""
        n = self.n_subsets[-1]
        return Subsets(self.masks[-n:], self.sizes[-1:], (n,), self.exact[-1:])


def annotator_subsets(
    n_annotators: int,
    sizes: Sequence[int],
    stream_of: Callable[[int], np.random.Generator],
    *,
    without: int = NO_ONE,
    most: int = MOST,
) -> Subsets:
    """List the subsets of some sizes, without an annotator: the author of the text that is scored.

    Those of a size that has more than ``most`` are drawn from its own stream, so that no other size changes them.
    ``UsageError`` if a size is not between 1 and the number of annotators left.
    """
    others = [k for k in range(n_annotators) if k != without]
    rows: list[list[tuple[int, ...]]] = []
    exact: list[bool] = []
    for size in sizes:
        if not 1 <= size <= len(others):
            message = f"--sizes={size} with {len(others)} annotators"
            message += " besides the author of a text" if len(others) < n_annotators else ""
            raise UsageError(Problem("subset-size", message, expected=f"1 to {len(others)}"))
        exact.append(comb(len(others), size) <= most)
        rows.append(list(combinations(others, size)) if exact[-1] else _sample(others, size, most, stream_of(size)))
    masks = np.zeros((sum(map(len, rows)), n_annotators), np.uint8)
    for mask, row in zip(masks, chain.from_iterable(rows), strict=True):
        mask[list(row)] = 1
    return Subsets(masks, tuple(sizes), tuple(map(len, rows)), tuple(exact))


def _sample(others: list[int], size: int, number: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    sets: dict[tuple[int, ...], None] = {}
    while len(sets) < number:
        sets[tuple(sorted(rng.choice(others, size, replace=False).tolist()))] = None
    return list(sets)


MOST_TEXTS, GROUPS = 2000, 200
"""Texts up to which each is left out alone; groups that are left out of more."""


class Panel(NamedTuple):
    """Sets of judges, and how values against them are averaged."""

    masks: NDArray[np.uint8]  # sets of k judges, then those for the jackknife where k = m; shape (sets, annotators)
    weights: Floats  # of the sets in U, then in U without each judge; shape (1 + judges, sets)
    k: int
    n_sets: int  # of k judges
    exact: bool  # those are all there are

    @property
    def n_judges(self) -> int:
        """How many judges there are."""
        return len(self.weights) - 1


def make_panel(judges: Sequence[int], n_annotators: int, k: int, seed: int = 0, most: int = MOST) -> Panel:
    """Sets of k of the judges, who are columns of annotators; ``UsageError`` if there are not so many, or none."""
    m = len(judges)
    if not judges:
        message = "none of the annotators looked at a sentence"
        raise UsageError(Problem("reference-nobody", message, fix="give references with annotators"))
    if not 1 <= k <= m:
        message = f"sets of {k} judges need at least {k}, got {m}"
        raise UsageError(Problem("subset-size", message, expected=f"1 to {m}"))
    subsets = annotator_subsets(m, (k,), partial(stream, seed, "judges"), most=most)
    masks = subsets.masks
    if k == m > 1:  # each judge in turn left out
        masks = np.concatenate([masks, 1 - np.eye(m, dtype=np.uint8)])
    n_sets = subsets.n_subsets[0]
    weights = np.zeros((1 + m, len(masks)))
    weights[0, :n_sets] = 1 / n_sets
    for i in range(m):
        without = (masks[:, i] == 0) & ((k == m) | (np.arange(len(masks)) < n_sets))
        weights[1 + i, without] = 1 / max(1, int(without.sum()))
    wide = np.zeros((len(masks), n_annotators), np.uint8)
    wide[:, list(judges)] = masks
    return Panel(wide, weights, k, n_sets, subsets.exact[0])


class JudgedValues(NamedTuple):
    """Values of a system's measures, or of their differences between two systems, against every set."""

    panel: Panel
    table: Floats  # on everything, then without each text; shape (1 + texts, sets, measures)
    why_not: Undefined | None = None  # why nothing can be made of them

    def __sub__(self, other: JudgedValues) -> JudgedValues:
        return self._replace(table=self.table - other.table, why_not=self.why_not or other.why_not)

    def means(self, measure: int) -> Floats:
        """U and U without each judge, on everything and without each text; shape (1 + texts, 1 + judges)."""
        values, weights = self.table[:, :, measure], self.panel.weights.T
        unknown = np.isnan(values)
        weighted = np.where(unknown, 0.0, values) @ weights
        return np.where(unknown.astype(np.float64) @ (weights > 0) > 0, np.nan, weighted)

    def components(
        self, measure: int, prior: VariancePrior | None = None, runs: RunSpread = ONE_RUN, *, few: bool = False
    ) -> TwoWay | Undefined:
        """How a measure varies, or why that is not known; ``runs``: over runs; ``few``: as ``two_way``."""
        if self.panel.n_judges < 2 and prior is None:
            return Undefined.ONE_JUDGE
        if self.why_not is not None:
            return self.why_not
        means = self.means(measure)
        variation = two_way(means[0, 0], means[1:, 0], means[0, 1:], means[1:, 1:].T, prior=prior, few=few)
        return variation._replace(runs=runs.variance, runs_df=runs.df) if isinstance(variation, TwoWay) else variation

    def nested_components(self, other: JudgedValues, measure: int) -> TwoWay | Undefined:
        """How the difference of a measure between two systems varies, each with judges of its own."""
        if why := self.why_not or other.why_not:
            return why
        ours, theirs = self.means(measure), other.means(measure)
        apart = ours[:, 0] - theirs[:, 0]
        return nested(float(apart[0]), apart[1:], ours[0, 1:], theirs[0, 1:])

    def each(self, measure: int) -> Floats:
        """The value against each set of k judges; shape (sets,)."""
        return np.asarray(self.table[0, : self.panel.n_sets, measure], np.float64)

    def zeta(self, measure: int) -> Floats | None:
        """Variances over sets of judges: ``judge_variances``; None where nothing is known."""
        values = self.each(measure)
        if np.isnan(values).any() or len(values) < 2:
            return None
        members = self.panel.masks[: self.panel.n_sets]
        return judge_variances(values, members)

    def unbiased(self, measure: int) -> float | None:
        """V_A without bias, where there are twice as many judges as a set has."""
        zeta = self.zeta(measure)
        if zeta is None or not self.panel.exact:
            return None
        variance = unbiased_variance(zeta, self.panel.n_judges)
        return None if np.isnan(variance) else variance

    def over_texts(self, measure: int) -> float:
        """V_E; 0 of a single text."""
        without = self.means(measure)[1:, 0]
        return jackknife(without) if len(without) else 0.0

    def over_judges(self, measure: int) -> float:
        """V_A as it is; 0 of a single judge."""
        return jackknife(self.means(measure)[0, 1:]) if self.panel.n_judges > 1 else 0.0


class JudgeCoverage(NamedTuple):
    """Who judged what of a corpus, and what is left out."""

    groups: NDArray[np.int64]  # what is left out together; shape (units,)
    panel: Panel
    n_texts: int
    judges: tuple[int, ...]  # columns of those who looked at something
    looked: tuple[int, ...]  # at how many texts, or groups of them, each judge looked
    n_left_out: int  # texts, or groups of them

    @property
    def grouped(self) -> bool:
        """Whether texts are left out in groups."""
        return self.n_left_out < self.n_texts

    @property
    def why_not(self) -> Undefined | None:
        """Why the two ways cannot be told apart."""
        return Undefined.ONE_TEXT_OF_A_JUDGE if min(self.looked, default=0) == 1 < self.n_left_out else None

    def sets(self, rule: JudgeRule) -> JudgeSets:
        """How judges are drawn anew."""
        return JudgeSets(rule, self.n_left_out if self.grouped else None, self.panel.n_sets, self.panel.exact)

    def values(self, metric: Metric, statistics: Opaque) -> JudgedValues:
        """Score a system against every set, with everything and with each text left out."""
        table = [values_of(metric, statistics, Selection(annotators=self.panel.masks))[None]]
        if self.n_left_out > 1:
            table.append(fold_without_each(metric, statistics, self.panel.masks, self.groups))
        return JudgedValues(self.panel, np.concatenate(table), self.why_not)

    def spreads(self, metric: Metric, statistics: Opaque) -> list[RunSpread]:
        """How each measure varies over the system's runs, against the sets of k judges."""
        masks = Selection(annotators=self.panel.masks[: self.panel.n_sets])

        def mean(run: Opaque) -> Floats:
            return np.asarray(values_of(metric, run, masks).mean(axis=0), np.float64)

        return [spread_of(column) for column in values_of_runs(statistics, mean).T]


def judging_of(
    metric: Metric,
    statistics: Opaque,
    n_annotators: int,
    clusters: NDArray[np.int64],
    k: int | None,
    seed: int = 0,
    among: Sequence[int] | None = None,
) -> JudgeCoverage:
    """Who judged what, seen in any system's statistics; ``k`` None: sets of all judges; ``among``: some of them.

    ``UsageError`` if k is more than there are judges. ``metric`` must have annotators (``Metric.lacks``).
    """
    own = metric.resampled
    groups = left_out_groups(clusters, MOST_TEXTS, GROUPS)
    # Of so few, sets: np.unique would load numpy.ma.
    n_groups, n_clusters = len(set(groups.tolist())), len(set(clusters.tolist()))
    alone = np.eye(n_annotators, dtype=np.uint8)
    seen = _n_units(own, statistics, Selection(annotators=alone))
    judges = [i for i in np.flatnonzero(seen).tolist() if among is None or i in among]
    looked = dict.fromkeys(judges, n_groups)
    parts = [i for i in judges if seen[i] < len(clusters)]
    if parts and n_groups > 1:
        for i in parts:
            one = partial(_n_units_of, own, statistics, alone[i][None])
            left = fold_without_groups(own, one, groups)
            looked[i] = int((left < seen[i]).sum())
    panel = make_panel(judges, n_annotators, len(judges) if k is None else k, seed)
    return JudgeCoverage(groups, panel, n_clusters, tuple(judges), tuple(looked.values()), n_groups)


def find_judges(metric: Metric, statistics: Opaque, n_annotators: int) -> list[int]:
    """The columns of those who looked at something, seen in any system's statistics."""
    alone = Selection(annotators=np.eye(n_annotators, dtype=np.uint8))
    return [int(column) for column in np.flatnonzero(_n_units(metric.resampled, statistics, alone))]


def _n_units(metric: Metric, statistics: Opaque, selection: Selection) -> Floats:
    return metric.fold(statistics, selection).n_units.astype(np.float64)


def _n_units_of(metric: Metric, statistics: Opaque, mask: NDArray[np.uint8], selection: Selection) -> Floats:
    return _n_units(metric, statistics, replace(selection, annotators=mask))


def values_of(metric: Metric, statistics: Opaque, selection: Selection) -> Floats:
    """Measures of each replicate, NaN where nobody looked at anything."""
    folded = metric.resampled.fold(statistics, selection)
    return np.where(folded.n_units[:, None] > 0, folded.values, np.nan)


def fold_without_each(
    metric: Metric, statistics: Opaque, masks: NDArray[np.uint8], groups: NDArray[np.int64]
) -> Floats:
    """Measures against each set without each group; shape (groups, sets, measures)."""

    def against(selection: Selection) -> Floats:
        folded = metric.resampled.fold_against(statistics, selection, masks)
        values = np.where(folded.n_units[:, None] > 0, folded.values, np.nan)
        return np.ascontiguousarray(values.reshape(len(masks), -1, values.shape[1]).swapaxes(0, 1))

    return fold_without_groups(metric.resampled, against, groups)
