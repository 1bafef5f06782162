"""Is one system better than another on this corpus?

Formula
    Approximate randomization: the outputs of two systems are swapped at random, essay by essay (or sentence by
    sentence), both mixed systems are folded, and p is the share of mixtures that differ in F at least as much as the
    systems do. The interval of the difference comes from resamples that both systems share. Many pairs: Holm.
Conventions
    Essays in which both systems wrote the same are not swapped: it changes nothing. With few enough essays all ways
    to swap are tried, and p is exact. Every pair draws from a stream of its own name, so that adding a system changes
    no other pair's digits; Holm's adjustment does depend on how many pairs there are.
Source
    Noreen 1989; Koehn 2004; Holm 1979. Dror et al. 2018 for their use with such scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.execute import run
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.choice import Swapping
from errorbar.metrics.resampling import Resampling, fold_resamples, left_out, resampled_units
from errorbar.metrics.statistics import Statistics, concatenate
from errorbar.metrics.totals import score_totals
from errorbar.stats.comparison import Randomization, Swaps, paired_bootstrap, randomization_test
from errorbar.stats.letters import better_letters, letter, shared_letters
from errorbar.stats.multiple import adjust
from errorbar.stats.power import PairedPower, paired_power, pseudo_values
from errorbar.stats.streams import blocks

F = 2
POINT = 0.01
"""The difference whose power is reported: one point of F."""


@dataclass(frozen=True, slots=True)
class System:
    """A system to compare.

    Attributes:
        name: Its name.
        statistics: Its counts for the whole corpus.
    """

    name: str
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems compared.

    Attributes:
        first: Name of the first system.
        second: Name of the second.
        difference: F of the first minus F of the second.
        interval: Its interval, or why there is none.
        test: Approximate randomization.
        p_adjusted: Its p-value after Holm's adjustment for all pairs; None where there is no p-value.
        power: What the corpus can show about these two.
    """

    first: str
    second: str
    difference: float
    interval: Interval | Undefined
    test: Randomization
    p_adjusted: float | None
    power: PairedPower


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems compared, each with each.

    Attributes:
        names: The systems' names.
        scores: P, R and F; shape (systems, 3).
        pairs: Every pair, in the order of ``itertools.combinations``.
    """

    names: tuple[str, ...]
    scores: NDArray[np.float64]
    pairs: tuple[Pair, ...]

    def p_table(self) -> NDArray[np.float64]:
        """Adjusted p-values; symmetric, shape (systems, systems), NaN where there is none."""
        table = np.full((len(self.names), len(self.names)), np.nan)
        for (a, b), pair in zip(combinations(range(len(self.names)), 2), self.pairs, strict=True):
            table[a, b] = table[b, a] = np.nan if pair.p_adjusted is None else pair.p_adjusted
        return table

    def ranking(self, alpha: float) -> list[Ranked]:
        """The systems by F, the best first, with letters for what is significant at ``alpha`` after Holm."""
        order = np.argsort(-self.scores[:, F], kind="stable")
        p_values = self.p_table()[np.ix_(order, order)]
        better = better_letters(self.scores[order, F], p_values, alpha=alpha)
        groups = shared_letters(p_values, alpha=alpha)
        rows = []
        for rank, k in enumerate(order.tolist()):
            precision, recall, f = self.scores[k].tolist()
            rows.append(Ranked(letter(rank), self.names[k], (precision, recall, f), better[rank], groups[rank]))
        return rows

    def smallest_p(self) -> float | None:
        """The smallest adjusted p-value that any difference could get; None where ways to swap abound.

        With few essays all ways to swap are tried, and two of them at least differ as much as the systems do.
        """
        tested = [pair.test for pair in self.pairs if pair.test.p_value is not None]
        exact = [test for test in tested if test.exact]
        if not exact or len(exact) < len(tested):
            return None
        return min(2 / test.n_replicates for test in exact) * len(tested)  # Holm counts the pairs with a p-value


@dataclass(frozen=True, slots=True)
class Ranked:
    """A system in a table from the best to the worst.

    Attributes:
        letter: Its letter.
        name: Its name.
        scores: P, R and F.
        better: Letters of the systems that it is significantly better than.
        group: Group letters; systems that share one cannot be told apart.
    """

    letter: str
    name: str
    scores: tuple[float, float, float]
    better: tuple[str, ...]
    group: str


def compare_systems(
    metric: Metric, systems: Sequence[System], clusters: NDArray[np.int64], resampling: Resampling
) -> Comparison:
    """Compare systems on the same corpus.

    Args:
        metric: What is computed.
        systems: At least two.
        clusters: Which essay each sentence is from; ``np.arange(n)`` for independent sentences.
        resampling: How many resamples and ways to swap, from which seed, on how many cores.

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
    scores = np.stack([score_totals(metric.fold(s.statistics).totals[0], metric.beta) for s in systems])
    draws = resampled_units(clusters, resampling, "bootstrap")
    resampled = [fold_resamples(metric, s.statistics, draws, resampling.jobs)[:, F] for s in systems]
    jackknife = [left_out(metric, s.statistics, clusters)[:, F] for s in systems]
    numbers = list(combinations(range(len(systems)), 2))

    def test(pair: tuple[int, int]) -> Randomization:
        return _randomize(metric, systems[pair[0]], systems[pair[1]], codes, resampling)

    tests = list(run(test, numbers, resampling.jobs))
    known = [k for k, result in enumerate(tests) if result.p_value is not None]
    adjusted: dict[int, float] = {}
    if known:
        adjusted = dict(zip(known, adjust([tests[k].p_value or 0.0 for k in known]).tolist(), strict=True))
    pairs = []
    for k, (a, b) in enumerate(numbers):
        difference = float(scores[a, F] - scores[b, F])
        without = jackknife[a] - jackknife[b]
        found = paired_bootstrap(
            difference,
            resampled[a] - resampled[b],
            jackknife=without,
            method=resampling.method,
            confidence_level=resampling.confidence_level,
        )
        power = _power(difference, without, int(codes.max()) + 1, resampling)
        name_a, name_b = systems[a].name, systems[b].name
        pairs.append(Pair(name_a, name_b, difference, found.interval, tests[k], adjusted.get(k), power))
    return Comparison(tuple(s.name for s in systems), scores, tuple(pairs))


def warn_hopeless(found: Comparison, alpha: float, problems: Problems) -> None:
    """Note it when no difference, however large, could be significant.

    Args:
        found: The comparison.
        alpha: The level, a fraction.
        problems: Where the note ``few-to-swap`` goes.
    """
    smallest = found.smallest_p()
    if smallest is not None and smallest > alpha:
        pairs, limit = f"{len(found.pairs):,} pairs", f"{min(smallest, 1):.2g}"
        what = f"with so few essays no p-value of {pairs} can be below {limit} after Holm"
        problems.note("few-to-swap", what, Place(), fix="compare fewer systems, or take sentences for independent")


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


def _randomize(
    metric: Metric, first: System, second: System, codes: NDArray[np.int64], resampling: Resampling
) -> Randomization:
    n = len(codes)
    both = concatenate([first.statistics, second.statistics])
    changed = (both.counts[:n] != both.counts[n:]).any(axis=(1, 2))
    differing = np.unique(codes[changed])
    if not differing.size:
        return Randomization(0.0, None, 0, 0, exact=True, undefined=Undefined.NO_DISAGREEMENT)
    place = np.full(int(codes.max()) + 1, -1)
    place[differing] = np.arange(differing.size)
    slot = place[codes]

    def difference(swaps: Swaps) -> NDArray[np.float64]:
        values = [
            score_totals(metric.fold(both, Selection(swapping=Swapping(ways, slot))).totals, metric.beta)[:, F]
            for ways in (swaps, ~swaps)
        ]
        return values[0] - values[1]

    names = sorted((first.name, second.name))
    return randomization_test(
        difference, differing.size, blocks(resampling.seed, "swap", *names, replicates=resampling.replicates)
    )
