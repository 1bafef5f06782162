"""Error bars of a study: resampled sentences or essays, and the claim that a few essays are enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorbar.ceilings.study import Study, ceiling, repeat
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.stats.resampling import Resampling, stream
from errorbar.stats.units import cluster_members, resampled_units

Table = tuple[tuple[Interval | Undefined, ...], ...]


@dataclass(frozen=True, slots=True)
class CeilingIntervals:
    """Intervals of the main measure by size, and of the ratios.

    Attributes:
        human: One per size.
        systems: One row per system, one interval per size.
        ratios: As ``systems``, for system F over human F in the same resample.
    """

    human: tuple[Interval | Undefined, ...]
    systems: Table
    ratios: Table


@dataclass(frozen=True, slots=True)
class EssaySpread:
    """The same study on random subsets of the essays.

    Attributes:
        n_essays: Essays in each subset.
        n_available: Essays there are.
        human: Human F; shape (repeats, sizes).
        ratios: System F over human F; shape (repeats, systems, sizes).
    """

    n_essays: int
    n_available: int
    human: NDArray[np.float64]
    ratios: NDArray[np.float64]

    def summaries(self) -> tuple[tuple[SubsetSummary, ...], ...]:
        """How human F, and then each system's ratio, vary over the subsets: a row each, a summary per size."""
        table = np.concatenate([self.human[:, None, :], self.ratios], axis=1)
        return tuple(tuple(_summary(column) for column in row.T) for row in table.transpose(1, 0, 2))


@dataclass(frozen=True, slots=True)
class SubsetSummary:
    """How a value varies over subsets; all None where it is undefined for one of them.

    Attributes:
        lowest: The lowest.
        low: The 5% quantile.
        median: The median.
        high: The 95% quantile.
        highest: The highest.
        deviation: Standard deviation.
    """

    lowest: float | None
    low: float | None
    median: float | None
    high: float | None
    highest: float | None
    deviation: float | None


def _summary(values: NDArray[np.float64]) -> SubsetSummary:
    if np.isnan(values).any():
        return SubsetSummary(None, None, None, None, None, None)
    lowest, low, median, high, highest = np.quantile(values, [0, 0.05, 0.5, 0.95, 1]).tolist()
    return SubsetSummary(lowest, low, median, high, highest, float(values.std(ddof=1)))


def ceiling_intervals(
    study: Study,
    clusters: NDArray[np.int64],
    resampling: Resampling,
    progress: Callable[[int], object] = lambda _: None,
) -> CeilingIntervals:
    """Percentile intervals from folding the whole study on resamples.

    Args:
        study: What was measured.
        clusters: Which essay each sentence is from; ``np.arange(n)`` for independent sentences.
        resampling: How many, from which seed, on how many cores.
        progress: Told how many resamples are done.
    """
    if len(np.unique(clusters)) < 2:
        nothing = (Undefined.ONE_UNIT,) * len(study.sizes)
        return CeilingIntervals(nothing, (nothing,) * len(study.systems), (nothing,) * len(study.systems))
    rows = [row for draw in resampled_units(clusters, resampling, "ceiling") for row in draw()]
    found = repeat(study, rows, jobs=resampling.jobs, progress=progress)
    whole = ceiling(study, jobs=resampling.jobs)

    main = whole.main
    percentile = replace(resampling, method="percentile")  # the jackknife of a study would fold it once more for each

    def intervals(values: NDArray[np.float64], resampled: NDArray[np.float64]) -> tuple[Interval | Undefined, ...]:
        pairs = zip(values, resampled.T, strict=True)
        return tuple(percentile.interval(float(value), column) for value, column in pairs)

    systems = range(len(study.systems))
    scores = np.stack([result.scores[:, :, main] for result in found])
    ratios = np.stack([result.ratio for result in found])
    return CeilingIntervals(
        intervals(whole.human[:, main], np.stack([result.human[:, main] for result in found])),
        tuple(intervals(whole.scores[s, :, main], scores[:, s]) for s in systems),
        tuple(intervals(whole.ratio[s], ratios[:, s]) for s in systems),
    )


def essay_spread(
    study: Study,
    documents: NDArray[np.int64],
    n_essays: int,
    repeats: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> EssaySpread:
    """Repeat a study on random subsets of the essays, drawn without replacement, kept in corpus order.

    Args:
        study: What was measured.
        documents: Which essay each sentence is from.
        n_essays: Essays in each subset.
        repeats: How many subsets.
        seed: Of the draw.
        jobs: How many subsets are folded at the same time.
        progress: Told how many are done.

    Raises:
        UsageError: If there are not so many essays.
    """
    members = cluster_members(documents)
    if not 1 <= n_essays <= len(members):
        what = f"subsets of {n_essays} essays"
        raise UsageError(Problem("subset-size", what, expected=f"1 to {len(members)}, as many as there are"))
    rng = stream(seed, "essays", n_essays)
    rows = []
    for _ in range(repeats):
        picked = np.sort(rng.choice(len(members), n_essays, replace=False))
        rows.append(np.concatenate([members[k] for k in picked]))
    found = repeat(study, rows, jobs=jobs, progress=progress)
    return EssaySpread(
        n_essays,
        len(members),
        np.stack([result.human[:, result.main] for result in found]),
        np.stack([result.ratio for result in found]),
    )
