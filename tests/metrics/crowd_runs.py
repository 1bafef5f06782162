"""How often intervals of scores against a crowd hold the truth: the tables of docs/measurements/crowd-intervals.md.

An item is an error with the chance ``rate``; a rater calls it one with a chance that differs from item to item, Beta
with other parameters for errors and for the rest; the system flags errors and others at two rates. Essays differ in
the logits of all these rates by normal deviations. Intervals are for the same raters: the truth is that of all items.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import betabinom

from errorbar import Resampling
from errorbar.core import Interval
from errorbar.metrics import Crowd, CrowdStatistics, Estimand, Votes, score_kinds
from errorbar.stats import bootstrap_interval, stream

SEED, RUNS, RESAMPLES = 311, 1000, 500
Method = Literal["percentile", "bca", "closed"]
METHODS: tuple[Method, ...] = ("percentile", "bca", "closed")
Held = dict[Method, NDArray[np.float64]]


class Population(NamedTuple):
    """Items, raters and a system."""

    rate: float
    error: tuple[float, float]  # Beta of the chance that a rater calls an error one
    other: tuple[float, float]  # and what is none
    recall: float
    false_alarms: float


POPULATIONS = {
    "rare errors": Population(0.02, (4, 1), (1, 25), 0.3, 0.005),
    "few errors": Population(0.04, (4, 1.5), (0.5, 14), 0.5, 0.01),
    "many errors": Population(0.3, (5, 2), (1, 8), 0.6, 0.1),
    "high precision": Population(0.2, (12, 1), (0.3, 12), 0.7, 0.002),
}
SIZES = {
    "rare errors": (100, 300, 1000),
    "few errors": (100, 300, 1000),
    "many errors": (5, 10, 30, 100, 1000),
    "high precision": (10, 30, 100),
}
SETTINGS: tuple[tuple[str, int, int, Estimand], ...] = tuple(
    (name, n_raters, n, estimand)
    for name, sizes in SIZES.items()
    for n_raters in (3, 20)
    for n in sizes
    for estimand in ("weighted", "majority")
)
ESSAYS = tuple((n, spread) for spread in (0.5, 1.5) for n in (5, 10, 25, 60))


def coverage(name: str, n_raters: int, n: int, estimand: Estimand, runs: int = RUNS) -> tuple[Held, Held, Held]:
    """By method and measure (P, R, F): the shares of runs with an interval, of these that hold the truth; widths."""
    one, rng = POPULATIONS[name], stream(SEED, "crowd", name, n_raters, n, estimand)
    votes = np.arange(n_raters + 1)
    chances = [
        share * flagged * betabinom.pmf(votes, n_raters, *shape)
        for share, shape, rate in ((one.rate, one.error, one.recall), (1 - one.rate, one.other, one.false_alarms))
        for flagged in (1 - rate, rate)
    ]
    joint = np.concatenate([chances[0] + chances[2], chances[1] + chances[3]])
    share, flag = np.tile(votes / n_raters, 2), np.repeat([False, True], n_raters + 1)
    metric = Crowd(estimand=estimand)
    every = metric.measure(Votes(share, np.full(len(share), n_raters)), flag)
    truth = metric.fold_kinds(every.counts, joint[every.kind.argsort()][None]).values[0]

    def draw() -> CrowdStatistics:
        items = np.repeat(np.arange(len(joint)), rng.multinomial(n, joint / joint.sum()))
        return metric.measure(Votes(share[items], np.full(n, n_raters)), flag[items])

    return _held(metric, truth, [draw() for _ in range(runs)])


def coverage_of_essays(n: int, spread: float, runs: int = RUNS) -> tuple[Held, Held, Held]:
    """The same for ``n`` essays of some thirty items, ten raters, weighted; ``spread``: the deviation of essays."""
    one, rng, metric = POPULATIONS["many errors"], stream(SEED, "essays", n, str(spread)), Crowd()
    many = 20_000
    essay = np.repeat(np.arange(many), rng.poisson(29, many) + 1)

    def chance(rate: float) -> NDArray[np.float64]:
        return np.asarray(expit(logit(rate) + spread * rng.normal(size=many)[essay]))

    error = rng.random(len(essay)) < chance(one.rate)
    share = rng.binomial(10, np.where(error, rng.beta(*one.error, len(essay)), rng.beta(*one.other, len(essay)))) / 10
    flag = rng.random(len(essay)) < np.where(error, chance(one.recall), chance(one.false_alarms))
    starts = np.searchsorted(essay, np.arange(many + 1))
    votes = Votes(share, np.full(len(essay), 10))
    truth = metric.fold(metric.measure(votes, flag)).values[0]

    def draw() -> CrowdStatistics:
        drawn = rng.integers(many, size=n)
        items = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in drawn])
        clusters = np.repeat(np.arange(n), starts[drawn + 1] - starts[drawn])
        return metric.measure(Votes(share[items], np.full(len(items), 10), clusters), flag[items])

    return _held(metric, truth, [draw() for _ in range(runs)])


def _held(metric: Crowd, truth: NDArray[np.float64], samples: list[CrowdStatistics]) -> tuple[Held, Held, Held]:
    given: Held = {method: np.zeros(3) for method in METHODS}
    held: Held = {method: np.zeros(3) for method in METHODS}
    widths: dict[Method, list[list[float]]] = {method: [[], [], []] for method in METHODS}
    for number, sample in enumerate(samples):
        for method, intervals in _intervals(metric, sample, number).items():
            for k, interval in enumerate(intervals):
                if isinstance(interval, Interval):
                    given[method][k] += 1
                    held[method][k] += interval.low - 1e-9 <= truth[k] <= interval.high + 1e-9
                    widths[method][k].append(interval.high - interval.low)
    with np.errstate(invalid="ignore"):
        shares: Held = {method: held[method] / given[method] for method in METHODS}
    medians: Held = {
        method: np.array([np.median(each) if each else np.nan for each in widths[method]]) for method in METHODS
    }
    return {method: count / len(samples) for method, count in given.items()}, shares, medians


def _intervals(metric: Crowd, sample: CrowdStatistics, seed: int) -> dict[Method, list[object]]:
    """The intervals of P, R and F by each method: bootstraps of items or essays, and the closed ones."""
    score = score_kinds(metric, sample, resampling=Resampling("closed"))
    intervals: dict[Method, list[object]] = {
        "closed": [each.interval for each in (score.precision, score.recall, score.f)]
    }
    units, how = sample.units, Resampling(replicates=RESAMPLES, seed=seed)
    drawn = np.concatenate(
        [metric.fold_kinds(sample.counts, weights).values for block in units.draws(how, "crowd") for weights in block()]
    )
    without = np.concatenate(
        [
            np.repeat(metric.fold_kinds(sample.counts, weights).values, times, axis=0)
            for weights, times in units.left_out()
        ]
    )
    values = metric.fold_kinds(sample.counts, units.frequency[None]).values[0]
    for method in ("percentile", "bca"):
        intervals[method] = [
            bootstrap_interval(values[k], drawn[:, k], jackknife=without[:, k], method=method) for k in range(3)
        ]
    return intervals


def row(name: str, n_raters: int, n: int, estimand: Estimand) -> str:
    """A row of the page."""
    return f"| {name} | {n_raters} | {n:,} | {estimand} | {_cells(*coverage(name, n_raters, n, estimand))} |"


def essays_row(n: int, spread: float) -> str:
    """A row of the second table."""
    return f"| {n} | {spread:g} | {_cells(*coverage_of_essays(n, spread))} |"


def _cells(given: Held, held: Held, widths: Held) -> str:
    """Of P, R and F the shares that hold by each method; of BCa and the closed ones how many there are, and widths."""
    rows = [(held[method], 3) for method in METHODS]
    rows += [(kind[method], 2) for method in ("bca", "closed") for kind in (given, widths)]
    return " | ".join(" ".join("–" if np.isnan(k) else f"{k:.{digits}f}" for k in values) for values, digits in rows)


if __name__ == "__main__":
    for setting in SETTINGS:
        print(row(*setting), flush=True)  # noqa: T201
    for essays in ESSAYS:
        print(essays_row(*essays), flush=True)  # noqa: T201
