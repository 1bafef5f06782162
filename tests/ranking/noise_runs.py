"""How often intervals of ``meta`` over judgments hold what studies of the same size give on average: docs/ranking.md.

A population of judged items stands for all that could be judged; studies draw items from it with replacement. The mean
value of all studies is the truth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from errorbar.core import Comparisons, MetricScores, UsageError
from errorbar.ranking.metric_agreement import KINDS, JudgedPairs, human_scores, metric_agreement, soft_accuracies
from errorbar.ranking.ranked import Method
from errorbar.stats import stream
from tests.ranking.examples import drawn
from tests.ranking.null_runs import judged

Floats = NDArray[np.float64]
SEED, RUNS, SUBSAMPLES, POPULATION = 264, 400, 200, 3000
NAMES = (*KINDS, "spa")
Population = tuple[Comparisons, Floats]


def simulated(n_systems: int, strength: float) -> Population:
    """Judgments of systems of which the last is far behind, and a metric's scores."""
    rng = stream(SEED, "population", n_systems, str(strength))
    quality = np.append(rng.normal(size=n_systems - 1), -3.0) / 2
    metric = strength * quality / quality.std() + np.sqrt(1 - strength**2) * rng.standard_t(4, n_systems)
    return judged(tuple(quality.tolist()), POPULATION, min(5, n_systems), rng), metric


POPULATIONS: dict[str, tuple[Callable[[], Population], int]] = {
    f"{n} systems, {items} items, {name} metric": (lambda n=n, strength=strength: simulated(n, strength), items)  # type: ignore[misc]  # each has its own
    for n in (12, 30)
    for items in (60, 600)
    for name, strength in (("strong", 0.9), ("weak", 0.3))
}


def taken(comparisons: Comparisons, items: NDArray[np.int64]) -> Comparisons:
    """The comparisons of some items, each of which is an item of its own however often it was drawn."""
    order = np.argsort(comparisons.item, kind="stable")
    starts = np.searchsorted(comparisons.item[order], np.arange(len(comparisons.items) + 1))
    rows = [order[starts[item] : starts[item + 1]] for item in items.tolist()]
    number = np.repeat(np.arange(len(rows)), [len(row) for row in rows]).astype(np.int32)
    every = np.concatenate(rows)
    names = tuple(map(str, range(len(rows))))
    first, second, outcome = comparisons.first[every], comparisons.second[every], comparisons.outcome[every]
    marks = np.zeros(len(every), np.bool_)
    codes = (first, second, outcome, number, np.zeros_like(number), number, marks, ~marks)
    return Comparisons(*codes, comparisons.systems, names, ("judge",), names)


def coverage(
    population: Population, n_items: int, runs: int = RUNS, method: Method = "expected-wins"
) -> dict[str, tuple[float, float, float]]:
    """Of each coefficient: the share of intervals that hold the truth, that of studies with an interval, the truth."""
    comparisons, x = population
    systems = comparisons.systems
    metric = MetricScores("m", dict(zip(systems, x.tolist(), strict=True)))
    first, second = np.triu_indices(len(systems), 1)
    p_metric = ndtr(-(x[first] - x[second]) / x.std() * 2)
    rng = stream(SEED, "studies", n_items, len(systems), str(x[0]))
    rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in NAMES}
    for run in range(runs):
        study = taken(comparisons, rng.integers(len(comparisons.items), size=n_items))
        how = drawn(SUBSAMPLES, seed=run)
        try:
            human = human_scores(study, method, how)
        except UsageError:  # a system was not compared: such a study has no value
            continue
        estimates = dict(metric_agreement(human, metric).judged)
        (soft,) = soft_accuracies(JudgedPairs(study, systems, "item"), {"m": p_metric}, how)
        for name, estimate in (*estimates.items(), ("spa", soft.accuracy)):
            low, high = (
                (np.nan, np.nan) if estimate.interval is None else (estimate.interval.low, estimate.interval.high)
            )
            rows[name].append((np.nan if estimate.value is None else estimate.value, low, high))
    shares = {}
    for name in NAMES:
        value, low, high = np.array(rows[name]).T
        truth, shown = float(np.nanmean(value)), ~np.isnan(low)
        shares[name] = float(((low <= truth) & (truth <= high))[shown].mean()), float(shown.mean()), truth
    return shares


def row(name: str) -> str:
    """A row of the page."""
    make, n_items = POPULATIONS[name]
    shares = coverage(make(), n_items)
    return f"| {name} | {' | '.join(f'{shares[key][0]:.3f}' for key in NAMES)} |"


if __name__ == "__main__":
    for population in POPULATIONS:
        print(row(population), flush=True)  # noqa: T201
