"""What is made of a study: intervals from resamples, the claim that a few essays are enough, recall by error type.

Formula
    Recall: for a text and a subset of annotators, each sentence has its chosen annotator; the recall of a type is the
    matched edits of that type over all of them, as in ``errorbar score --by type``. Means are taken over subsets, and
    over annotators, as for F.
Conventions
    A subset in which the chosen annotators have no edit of a type does not count for it; a type that no subset has
    is not a number. The ratio of a system to humans is a mean recall over a mean recall, and undefined where humans
    find nothing.
Source
    Ng et al. 2014, tables 9 and 10, for the recall; Bryant & Ng 2015 for the means and the essays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.ceilings.study import Ceiling, Study, Text, Units, ceiling
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.execute import run
from errorbar.metrics.base import Floats, Selection
from errorbar.stats.resampling import Resampling, stream
from errorbar.stats.units import cluster_members, divided, resampled_units

Row = tuple[Interval | Undefined, ...]


@dataclass(frozen=True, slots=True)
class CeilingIntervals:
    """Intervals of the main measure by size, and of the ratios: system F over human F in the same resample."""

    human: Row  # one per size
    systems: tuple[Row, ...]  # a row per system
    ratios: tuple[Row, ...]

    def covering(self, narrower: CeilingIntervals) -> CeilingIntervals:
        """The same, none narrower than one that takes less into account."""
        return CeilingIntervals(
            _covering(self.human, narrower.human),
            tuple(map(_covering, self.systems, narrower.systems)),
            tuple(map(_covering, self.ratios, narrower.ratios)),
        )


def _covering(row: Row, narrower: Row) -> Row:
    made = zip(row, narrower, strict=True)
    return tuple(own.covering(other) if isinstance(own, Interval) else own for own, other in made)


@dataclass(frozen=True, slots=True)
class EssaySpread:
    """The same study on random subsets of the essays."""

    n_essays: int  # in each subset
    n_available: int
    human: Floats  # F; shape (repeats, sizes)
    ratios: Floats  # system F over human F; shape (repeats, systems, sizes)

    def summaries(self) -> tuple[tuple[SubsetSummary, ...], ...]:
        """How human F, and then each system's ratio, vary over the subsets: a row each, a summary per size."""
        table = np.concatenate([self.human[:, None, :], self.ratios], axis=1)
        return tuple(tuple(_summary(column) for column in row.T) for row in table.transpose(1, 0, 2))


class SubsetSummary(NamedTuple):
    """How a value varies over subsets; all None where it is undefined for one of them."""

    lowest: float | None
    low: float | None  # the 5% quantile
    median: float | None
    high: float | None  # the 95% quantile
    highest: float | None
    deviation: float | None  # standard


def _summary(values: Floats) -> SubsetSummary:
    if np.isnan(values).any():
        return SubsetSummary(*[None] * 6)
    lowest, low, median, high, highest = np.quantile(values, [0, 0.05, 0.5, 0.95, 1]).tolist()
    return SubsetSummary(lowest, low, median, high, highest, float(values.std(ddof=1)))


def repeat(
    study: Study, rows: Sequence[Units], *, jobs: int = 1, progress: Callable[[int], object] = lambda _: None
) -> list[Ceiling]:
    """Fold a study on many selections of its sentences, -1 for none: resamples, or random essays."""
    results = []
    for result in run(lambda units: ceiling(study, units=units), rows, jobs):
        results.append(result)
        progress(len(results))
    return results


def ceiling_intervals(
    study: Study,
    clusters: NDArray[np.int64],
    resampling: Resampling,
    progress: Callable[[int], object] = lambda _: None,
) -> CeilingIntervals:
    """Percentile intervals from folding the whole study on resamples of the essays that ``clusters`` tells."""
    if len(np.unique(clusters)) < 2:
        nothing = (Undefined.ONE_UNIT,) * len(study.sizes)
        return CeilingIntervals(nothing, (nothing,) * len(study.systems), (nothing,) * len(study.systems))
    units = [row for draw in resampled_units(clusters, resampling, "ceiling") for row in draw()]
    found = repeat(study, units, jobs=resampling.jobs, progress=progress)
    whole = ceiling(study, jobs=resampling.jobs)
    main = whole.main
    percentile = replace(resampling, method="percentile")  # the jackknife of a study would fold it once more for each

    def table(result: Ceiling) -> Floats:
        return np.concatenate([result.human[None, :, main], result.scores[:, :, main], result.ratio])

    drawn = np.stack([table(result) for result in found])
    rows = [
        tuple(percentile.interval(float(value), column) for value, column in zip(values, drawn[:, k].T, strict=True))
        for k, values in enumerate(table(whole))
    ]
    n = 1 + len(study.systems)
    return CeilingIntervals(rows[0], tuple(rows[1:n]), tuple(rows[n:]))


def essay_spread(
    study: Study,
    documents: NDArray[np.int64],
    n_essays: int,
    resampling: Resampling,
    progress: Callable[[int], object] = lambda _: None,
) -> EssaySpread:
    """Repeat a study on random subsets of the essays, drawn without replacement, kept in corpus order.

    ``documents``: which essay each sentence is from. ``resampling``: how many subsets, from which seed.
    ``UsageError`` if there are not so many essays.
    """
    members = cluster_members(documents)
    if not 1 <= n_essays <= len(members):
        what = f"--n-documents={n_essays} with {len(members)} documents"
        raise UsageError(Problem("subset-size", what, expected=f"1 to {len(members)}"))
    rng = stream(resampling.seed, "essays", n_essays)
    picks = [np.sort(rng.choice(len(members), n_essays, replace=False)) for _ in range(resampling.replicates)]
    rows = [np.concatenate([members[k] for k in picked]) for picked in picks]
    found = repeat(study, rows, jobs=resampling.jobs, progress=progress)
    human = np.stack([result.human[:, result.main] for result in found])
    return EssaySpread(n_essays, len(members), human, np.stack([result.ratio for result in found]))


@dataclass(frozen=True, slots=True)
class TypeRow:
    """Recall of one error type; None where it is undefined, of ratios too where humans find nothing."""

    type: str
    human: float | None  # mean of the annotators
    systems: tuple[float | None, ...]
    ratios: tuple[float | None, ...]


def type_rows(study: Study, size: int) -> list[TypeRow]:
    """Recall of every type against subsets of one size, by name of the type; they must have been counted."""
    of_texts = [(study.metric.types(text.statistics), text) for text in (*study.humans, *study.systems)]
    names = sorted({name for types, _ in of_texts for name in types})
    recalls = np.full((len(of_texts), len(names)), np.nan)
    for row, (types, text) in zip(recalls, of_texts, strict=True):
        row[[names.index(name) for name in types]] = type_recall(study, text, size)
    human, systems = _mean(recalls[: len(study.humans)]), recalls[len(study.humans) :]
    ratios = divided(systems, np.broadcast_to(human, systems.shape))
    return [
        TypeRow(name, known(human[k]), tuple(map(known, systems[:, k])), tuple(map(known, ratios[:, k])))
        for k, name in enumerate(names)
        if not np.isnan(recalls[:, k]).all()  # types of systems alone have no recall
    ]


def known(value: float) -> float | None:
    """The value, or None where it is not a number."""
    return None if np.isnan(value) else float(value)


def type_recall(study: Study, text: Text, size: int) -> Floats:
    """Mean recall of each type over the subsets of one size; shape (types,), NaN where there is nothing to find."""
    metric, subsets = study.metric, study.subsets[text.author]
    masks = subsets.masks[subsets.masks.sum(axis=1) == size]
    counts = metric.fold_types(text.statistics, Selection(annotators=masks))
    return _mean(metric.type_values(counts)[..., metric.type_measures.index("recall")])


def _mean(rows: Floats) -> Floats:
    """The mean of every column over the rows that know it."""
    return divided(np.nansum(rows, axis=0), (~np.isnan(rows)).sum(axis=0))
