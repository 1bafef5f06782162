"""Is one system better than another on this corpus?

Formula
    Approximate randomization: the outputs of two systems are swapped at random, essay by essay (or sentence by
    sentence), both mixed systems are folded, and p is the share of mixtures that differ in F at least as much as the
    systems do. The interval of the difference comes from resamples that both systems share. Many pairs: step-down
    max-T, or Holm; both in errorbar.metrics.swaps.
Conventions
    Essays in which both systems wrote the same are not swapped: it changes nothing. With few enough essays all ways
    to swap are tried, and p is exact. At the same number of swaps, adding a system changes no other
    pair's digits but the adjusted p-values.
    A pair differs significantly, does not, or is undecided: where no difference, however large, could have been
    significant with these essays and swaps, that none is says nothing.
Source
    Noreen 1989; Koehn 2004; Romano & Wolf 2005; Holm 1979. Dror et al. 2018 for their use with such scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.base import Measure, Metric, Selection
from errorbar.metrics.intervals import left_out_values, resampled_values
from errorbar.metrics.swaps import SwapPlan, swap_tests
from errorbar.stats.multiple import better_letters, letter, shared_letters
from errorbar.stats.paired import Randomization
from errorbar.stats.power import PairedPower, paired_power, pseudo_values
from errorbar.stats.resampling import Resampling

POINT = 0.01
"""The difference whose power is reported: one point of F."""


@dataclass(frozen=True, slots=True)
class System:
    """A system to compare.

    Attributes:
        name: Its name.
        statistics: What the metric keeps of it for the whole corpus.
    """

    name: str
    statistics: Any


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems compared.

    Attributes:
        first: Name of the first system.
        second: Name of the second.
        difference: The main measure of the first minus that of the second.
        interval: Its interval, or why there is none; None: none was asked for.
        test: Approximate randomization of this pair alone.
        p_adjusted: Its p-value adjusted for all pairs; None where there is no p-value.
        power: What the corpus can show about these two.
        smallest_p: The smallest adjusted p-value that any difference of these two could have had with these essays and
            swaps; None where there is no p-value.
        at_floor: Whether ``p_adjusted`` is only known to be at most what it says: no random swap was as extreme.
    """

    first: str
    second: str
    difference: float
    interval: Interval | Undefined | None
    test: Randomization
    p_adjusted: float | None
    power: PairedPower
    smallest_p: float | None = None
    at_floor: bool = False

    def significant(self, alpha: float) -> bool:
        """Whether the two differ significantly, adjusted for all pairs."""
        return self.p_adjusted is not None and self.p_adjusted <= alpha

    def undecided(self, alpha: float) -> bool:
        """Whether no difference, however large, could have been significant: then nothing follows from this one."""
        return not self.significant(alpha) and self.smallest_p is not None and self.smallest_p > alpha


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems compared, each with each.

    Attributes:
        names: The systems' names.
        measures: What was computed.
        main: Which of them ranks systems, and is compared.
        scores: Shape (systems, measures).
        pairs: Every pair, in the order of ``itertools.combinations``.
        testing: How they were tested.
    """

    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    main: int
    scores: NDArray[np.float64]
    pairs: tuple[Pair, ...]
    testing: SwapPlan = field(default_factory=SwapPlan)

    def p_table(self) -> NDArray[np.float64]:
        """Adjusted p-values; symmetric, shape (systems, systems), NaN where there is none."""
        return self._table([np.nan if pair.p_adjusted is None else pair.p_adjusted for pair in self.pairs], np.nan)

    def undecided_table(self, alpha: float) -> NDArray[np.bool_]:
        """Which pairs no difference could have decided at ``alpha``; symmetric, shape (systems, systems)."""
        return self._table([pair.undecided(alpha) for pair in self.pairs], 0.0) > 0

    def n_swaps(self, alpha: float) -> int:
        """How many random ways to swap were tried."""
        return self.testing.number(len(self.names), alpha)

    def ranking(self, alpha: float) -> list[Ranked]:
        """The systems, the best first, with letters for what is significant at ``alpha``, adjusted."""
        goodness = self.measures[self.main].sign * self.scores[:, self.main]
        order = np.argsort(-goodness, kind="stable")
        p_values, undecided = (t[np.ix_(order, order)] for t in (self.p_table(), self.undecided_table(alpha)))
        better = better_letters(goodness[order], p_values, alpha=alpha)
        groups = shared_letters(p_values, alpha=alpha, undecided=undecided)
        rows = []
        for rank, k in enumerate(order.tolist()):
            unknown = tuple(letter(int(other)) for other in np.flatnonzero(undecided[rank]))
            rows.append(
                Ranked(letter(rank), self.names[k], tuple(self.scores[k].tolist()), better[rank], groups[rank], unknown)
            )
        return rows

    def _table(self, values: Sequence[float], diagonal: float) -> NDArray[np.float64]:
        table = np.full((len(self.names), len(self.names)), diagonal)
        for (a, b), value in zip(combinations(range(len(self.names)), 2), values, strict=True):
            table[a, b] = table[b, a] = value
        return table


@dataclass(frozen=True, slots=True)
class Ranked:
    """A system in a table from the best to the worst.

    Attributes:
        letter: Its letter.
        name: Its name.
        scores: Its value of each measure.
        better: Letters of the systems that it is significantly better than.
        group: Group letters; systems that share one do not differ significantly. A question mark: some pair of the
            system is undecided.
        undecided: Letters of the systems with which no difference could have been significant.
    """

    letter: str
    name: str
    scores: tuple[float, ...]
    better: tuple[str, ...]
    group: str
    undecided: tuple[str, ...] = ()


def compare_systems(
    metric: Metric,
    systems: Sequence[System],
    clusters: NDArray[np.int64],
    resampling: Resampling,
    testing: SwapPlan | None = None,
    *,
    intervals: bool = True,
) -> Comparison:
    """Compare systems on the same corpus.

    Args:
        metric: What is computed.
        systems: At least two.
        clusters: Which essay each sentence is from; ``np.arange(n)`` for independent sentences.
        resampling: How many resamples, at which level, from which seed, on how many cores.
        testing: How many ways to swap, and how p-values are adjusted for the number of pairs; None: the default.
        intervals: Make intervals of differences.

    Raises:
        UsageError: With fewer than two systems or sentences, or a closed formula.
    """
    if len(systems) < 2:
        raise UsageError(Problem("one-system", "a comparison needs at least two systems", fix="name another"))
    if resampling.method == "closed":
        what = "there is no closed formula for a difference"
        raise UsageError(Problem("interval-method", what, expected="bca, percentile or basic"))
    _, codes = np.unique(clusters, return_inverse=True)
    codes = codes.ravel()
    if codes.size == 0 or codes.max() == 0:
        what = "a single essay or sentence does not show how they vary"
        raise UsageError(Problem("one-unit", what, expected="at least two"))
    main = metric.main
    scores = np.stack([metric.fold(system.statistics).values[0] for system in systems])

    def fold_of(system: System) -> Callable[[Selection], NDArray[np.float64]]:
        return lambda selection: metric.fold(system.statistics, selection).values[:, main]

    folds = [fold_of(system) for system in systems]
    resampled = [resampled_values(metric, fold, clusters, resampling) for fold in folds] if intervals else []
    jackknife = [left_out_values(metric, fold, clusters) for fold in folds]
    numbers = list(combinations(range(len(systems)), 2))
    how = testing or SwapPlan()
    tested = swap_tests(metric, [s.statistics for s in systems], numbers, codes, resampling, how)
    pairs = []
    for k, (a, b) in enumerate(numbers):
        difference = float(scores[a, main] - scores[b, main])
        without = jackknife[a] - jackknife[b]
        interval = None
        if intervals:
            interval = resampling.interval(difference, resampled[a] - resampled[b], without)
        power = _power(difference, without, int(codes.max()) + 1, resampling)
        name_a, name_b = systems[a].name, systems[b].name
        one = tested[k]
        pairs.append(
            Pair(
                name_a,
                name_b,
                difference,
                interval,
                one.test,
                one.p_adjusted,
                power,
                one.smallest_p,
                one.at_floor,
            )
        )
    return Comparison(tuple(s.name for s in systems), metric.measures, main, scores, tuple(pairs), how)


def _power(difference: float, without: NDArray[np.float64], n_clusters: int, resampling: Resampling) -> PairedPower:
    """What the corpus can show, in clusters, also where the jackknife left them out in groups."""
    power = paired_power(pseudo_values(difference, without), POINT, alpha=1 - resampling.confidence_level)
    size = n_clusters / len(without)
    if size == 1:
        return power
    deviation, needed = power.standard_deviation, power.units_needed
    return replace(
        power,
        n=n_clusters,
        standard_deviation=None if deviation is None else deviation * sqrt(size),
        units_needed=None if needed is None else ceil(needed * size),
    )
