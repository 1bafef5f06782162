"""Systems of several runs where judges are fixed: scores and pairs over texts and runs.

Formula
    V = V_E + V_R: V_E the jackknife's variance over texts of the mean over runs, V_R = s^2/R; t with Satterthwaite's
    degrees of freedom (errorbar.stats.two_way). Pairs: of the difference, V_R the sum of both systems'; p-values are
    adjusted by Holm.
Conventions
    Of a system with one run V_R is 0: how others would vary nobody knows, and a note says so. Texts are left out as for
    judges: of more than 2,000, 200 groups of neighbors. V_E and V_R both hold what belongs to texts and runs together.
    A metric that folds selections otherwise (GLEU) has its value without draws in the middle of the interval.
Source
    docs/judges.md; Satterthwaite 1946; Holm 1979.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Undefined
from errorbar.metrics.base import Floats, Metric, Opaque, Selection
from errorbar.metrics.intervals import without_groups
from errorbar.metrics.judge_sets import GROUPS, MOST_TEXTS, values_of
from errorbar.metrics.pairs_over_judges import TTest, adjusted_by_holm
from errorbar.metrics.runs import RunSpread, spread_of, values_of_runs
from errorbar.metrics.scored import JointEstimate
from errorbar.stats.two_way import TwoWay, texts_and_runs
from errorbar.stats.units import left_out_groups


@dataclass(frozen=True, slots=True)
class RunValues:
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
        table.append(without_groups(metric.resampled, partial(values_of, metric, statistics), groups))
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
        components, difference = apart.components(main), float(apart.table[0, main])
        if isinstance(components, Undefined):
            tests.append(TTest(difference, components, None, None))
        else:
            interval = components.interval(level, metric.measures[main].scale.of_differences)
            tests.append(TTest(difference, interval, components, components.p_value))
    return [float(system.table[0, main]) for system in values], adjusted_by_holm(tests)
