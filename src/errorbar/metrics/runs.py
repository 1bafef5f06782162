"""Systems of several runs, e.g. from other seeds: their mean, and how it varies over runs.

Formula
    The value of a system with R runs is the mean of the runs' values, of everything that is folded: resamples, what is
    left out, sets of judges, swaps. Its variance over runs is V_R = s^2/R, s^2 that of the runs' values with R - 1
    degrees of freedom: the jackknife over runs, beside those over texts and judges.
Conventions
    Where two systems are swapped, run r of one meets run r of the other; who has fewer runs begins again. Counts are
    those of single runs, which have their own scores. Runs are taken for independent.
Source
    errorbar.stats.two_way; docs/judges.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.metrics.base import Floats, Folded, Metric, Opaque, Selection
from errorbar.stats.two_way import satterthwaite

Measured = tuple[Metric, Callable[[], Opaque]]
"""A metric, and what makes the statistics of a system, or of its runs."""


@dataclass(frozen=True, slots=True)
class Runs:
    """The statistics of a system's runs."""

    runs: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.runs[0])

    def take(self, units: NDArray[np.int64] | slice) -> Runs:
        """Those of some units."""
        return Runs(tuple(one.take(units) for one in self.runs))

    def cycled(self, n: int) -> tuple[Any, ...]:
        """So many runs, from the first again where there are fewer."""
        return tuple(self.runs[k % len(self.runs)] for k in range(n))


class MeanOfRuns:
    """A metric of systems that have several runs: its values are means over them; all else is the metric's."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name == "metric":  # asked for before it is set, by who copies
            raise AttributeError(name)
        return getattr(self.metric, name)

    @property
    def resampled(self) -> Any:  # noqa: ANN401 - stands for a metric
        """The mean of what the metric folds selections as."""
        return self if self.metric.resampled == self.metric else MeanOfRuns(self.metric.resampled)

    def join(self, parts: Sequence[Runs]) -> Runs:
        """Run by run."""
        n = max(len(part.runs) for part in parts)
        return Runs(tuple(self.metric.join(every) for every in zip(*(part.cycled(n) for part in parts), strict=True)))

    def fold(self, statistics: Opaque, selection: Selection | None = None) -> Folded:
        """The mean of the runs' values; counts are those of the first run."""
        folded = [self.metric.fold(one, selection) for one in runs_of(statistics)]
        values = np.mean([one.values for one in folded], axis=0)
        return Folded(values, folded[0].counts, folded[0].n_units)

    def differ(self, first: Runs, second: Runs) -> NDArray[np.bool_]:
        """In which units any two runs that meet differ."""
        n = max(len(first.runs), len(second.runs))
        met = zip(first.cycled(n), second.cycled(n), strict=True)
        return np.asarray(np.any([self.metric.differ(one, other) for one, other in met], axis=0), np.bool_)

    def without_types(self, statistics: Runs) -> Runs:
        """Run by run."""
        return Runs(tuple(map(self.metric.without_types, statistics.runs)))

    def made_by(self, statistics: Runs) -> str:
        """What made the edits of texts."""
        return max(map(self.metric.made_by, statistics.runs))


def mean_of_runs(metric: Metric) -> Metric:
    """The metric of systems with several runs."""
    return cast("Metric", MeanOfRuns(metric))


@dataclass(frozen=True, slots=True)
class RunSpread:
    """The variance of a value over the runs of a system, or of two whose difference it is."""

    variance: float = 0.0
    df: float = np.inf

    def __sub__(self, other: RunSpread) -> RunSpread:
        """That of the difference of two systems, whose runs have nothing in common."""
        total = self.variance + other.variance
        if total == 0:
            return RunSpread()
        return RunSpread(total, satterthwaite([(self.variance, self.df), (other.variance, other.df)]))


ONE_RUN = RunSpread()


def spread_of(values: Sequence[float] | Floats) -> RunSpread:
    """That of one value for each run; nothing where there is one run, or a value is missing."""
    runs = np.asarray(values, np.float64)
    if len(runs) < 2 or np.isnan(runs).any():
        return ONE_RUN
    return RunSpread(float(runs.var(ddof=1) / len(runs)), float(len(runs) - 1))


def values_of_runs(statistics: Opaque, value: Callable[[Opaque], Floats]) -> Floats:
    """What each run of a system gives; shape (runs, ...), one row for a system that is not in runs."""
    return np.stack([value(one) for one in runs_of(statistics)])


def runs_of(statistics: Opaque) -> tuple[Any, ...]:
    """The runs of a system, itself where it is not in runs."""
    return statistics.runs if isinstance(statistics, Runs) else (statistics,)
