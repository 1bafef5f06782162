"""Outputs swapped at random, the same way for every pair of systems, and p-values adjusted for the number of pairs.

Formula
    Of each way to swap documents (or sentences) both mixed systems of every pair are folded. A pair's p-value is that
    of errorbar.stats.paired; adjusted it is that of errorbar.stats.multiple (max-T, the default) or Holm's.
Conventions
    The ways come from one stream, which depends on the seed and on the number of documents: at the same number of
    ways another system changes no other pair's p-value, only its adjustment. They are drawn and folded in blocks that
    need about 64 MB, and twice that for both systems.
    Where a pair differs in so few documents that all its ways are no more than the random ones, all are tried and its
    p is exact; where that holds of all documents in which any two systems differ, the adjustment is exact too.
    A pair that never differs has no p-value and is left out of the adjustment.
    One-sided p-values, of which soft pairwise accuracy is made, are not adjusted: errorbar.stats.paired.
Source
    As there; the number of random ways is that of errorbar.stats.needed_swaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Undefined
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.execute import run
from errorbar.metrics.base import Metric, Opaque, Selection, Swapping
from errorbar.stats.multiple import ADJUSTMENTS, Adjust, adjust, smallest_holm, smallest_max_t, step_down_max_t
from errorbar.stats.paired import (
    WAYS,
    Randomization,
    Swaps,
    all_swaps,
    count_extreme,
    needed_swaps,
    random_swaps,
    randomization_test,
    share_above,
    ways_to_swap,
)
from errorbar.stats.resampling import Resampling, blocks, check_replicates, stream

MOST_DRAWN = 2**26  # swaps at once; where they are cut changes digits, so it depends on the number of documents only
MOST_WEIGHED = 2**23  # swaps that the favor of essays is told by
PAIRS_AT_ONCE = 16  # whose favor is told by one product of matrices: the weights are read once for all of them
MOST_PAIRS = 50_000  # that are compared, about a minute: 316 systems
MOST_KEPT = 40_000_000  # differences that max-T keeps: 320 MB, which is 200 systems by 2,000 ways
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SwapPlan:
    """How pairs of systems are tested; no such adjustment, or no swaps, are a ``UsageError``."""

    adjust: Adjust = "max-t"  # of p-values for the number of pairs
    swaps: int | None = None  # random ways to swap; None: as many as decide at the level (``needed``)

    def __post_init__(self) -> None:
        if self.adjust not in ADJUSTMENTS:
            message = f"no adjustment is called '{self.adjust}'"
            raise UsageError(Problem("adjust-method", message, fix=nearest(self.adjust, ADJUSTMENTS)))
        if self.swaps is not None:
            check_replicates(self.swaps, "ways to swap")

    def count_needed(self, n_systems: int, alpha: float) -> int:
        """How many random ways decide at a level."""
        return needed_swaps(alpha, n_systems * (n_systems - 1) // 2 if self.adjust == "holm" else 1)

    def number(self, n_systems: int, alpha: float) -> int:
        """How many random ways are tried; ``UsageError`` if a level close to 1 asks for too many."""
        ways = self.swaps or self.count_needed(n_systems, alpha)
        check_replicates(ways, "ways to swap")
        return ways

    def convention(self, n_systems: int, alpha: float) -> str:
        """How it is named in a signature."""
        return f"p:{self.adjust},{self.number(n_systems, alpha)}"


@dataclass(frozen=True, slots=True)
class SwapTest:
    """The test of a pair by swaps, alone and among all pairs."""

    alone: Randomization
    p: float | None = None  # adjusted for all pairs; None where there is no p-value
    smallest_p: float | None = None  # adjusted, of any difference that the pair could have had with these documents
    at_floor: bool = False  # p is only known to be at most this: no random way was as extreme


def check_size(testing: SwapPlan, n_systems: int, n_documents: int, alpha: float) -> None:
    """Refuse too many pairs, or too much to keep for max-T, before anything is computed: ``UsageError``."""
    n_pairs = n_systems * (n_systems - 1) // 2
    if n_pairs > MOST_PAIRS:
        message = f"{n_systems:,} systems are {n_pairs:,} pairs"
        fix = "compare fewer systems; errorbar score takes any number"
        raise UsageError(Problem("compare-too-large", message, expected=f"at most {MOST_PAIRS:,} pairs", fix=fix))
    ways = testing.number(n_systems, alpha)
    if testing.adjust == "max-t":
        check_kept(2**n_documents if _few(n_documents, ways) else ways, n_pairs)


def check_kept(kept: int, n_pairs: int) -> None:
    """Refuse more ways to swap so many pairs than can be kept: ``UsageError``."""
    if n_pairs * kept > MOST_KEPT:
        message = f"{kept:,} ways to swap {n_pairs:,} pairs are too many to be kept for max-T"
        fix = "compare fewer systems, take fewer --swaps, or --adjust=holm, which keeps none"
        raise UsageError(Problem("compare-too-large", message, expected=f"at most {MOST_KEPT:,} together", fix=fix))


def swap_tests(
    metric: Metric,
    systems: Sequence[Any],
    pairs: Pairs,
    codes: NDArray[np.int64],
    resampling: Resampling,
    testing: SwapPlan,
) -> list[SwapTest]:
    """Test pairs of systems, essays swapped as a whole; ``UsageError`` if max-T would have to keep too much.

    ``systems``: what the metric keeps of each for the whole corpus. ``codes``: number of the essay of each sentence,
    from 0 without gaps.
    """
    ways = testing.number(len(systems), 1 - resampling.confidence_level)
    systems = [metric.without_types(one) for one in systems]
    n_differing = [int(differing(metric, systems[a], systems[b], codes).sum()) for a, b in pairs]
    values = [float(main_values(metric, one)[0]) for one in systems]
    differences = np.array([values[a] - values[b] for a, b in pairs])
    untested = [
        (np.nan, Undefined.NOT_COMPARABLE) if unknown else (0.0, Undefined.NO_DISAGREEMENT)
        for unknown in np.isnan(differences)
    ]
    results = [SwapTest(Randomization(value, None, 0, 0, exact=True, undefined=why)) for value, why in untested]
    known = [k for k, n in enumerate(n_differing) if n and not np.isnan(differences[k])]
    if not known:
        return results
    mixer = _Mixer(metric, systems, [pairs[k] for k in known], codes, resampling.jobs)
    anywhere = np.logical_or.reduce([differing(metric, systems[0], one, codes) for one in systems[1:]])
    exact = _few(int(anywhere.sum()), ways)
    drawn = _random_ways(len(anywhere), ways, resampling.seed)
    if exact:
        drawn = (_widen(some, anywhere) for some in all_swaps(int(anywhere.sum())))
    keep = testing.adjust == "max-t"  # Holm needs the counts only, and so many ways that nobody should keep them
    kept = (2 ** int(anywhere.sum()) if exact else ways) if keep else 0
    check_kept(kept, len(known))
    observed = differences[known]
    counts, table, first = mixer.swap(drawn, observed, kept)

    def test(number: int) -> Randomization:
        if _few(n_differing[known[number]], ways):
            return mixer.test_all(number)
        extreme = int(counts[number])
        return Randomization(float(observed[number]), (extreme + 1) / (ways + 1), extreme, ways, exact=False)

    tests = list(run(test, range(len(known)), resampling.jobs))
    p_values = np.array([one.p_value for one in tests], np.float64)
    least = np.array([one.smallest for one in tests], np.float64)
    if keep:
        adjusted = step_down_max_t(observed, table, exact=exact, p_values=p_values)
        furthest = observed if exact else mixer.swap_furthest(table, first)  # all ways are in the table
        smallest = np.maximum(smallest_max_t(observed, table, furthest, adjusted, exact=exact), least)
    else:
        adjusted, smallest = adjust(p_values, method="holm"), smallest_holm(p_values, least)
    for k, one, p, floor in zip(known, tests, adjusted.tolist(), smallest.tolist(), strict=True):
        # Holm multiplies a bound; max-T has one where no pair was as extreme under any random way.
        results[k] = SwapTest(one, p, floor, one.at_floor and p < 1 and (not keep or p <= 1 / (ways + 1)))
    return results


def swap_chances(metric: Metric, systems: Sequence[Any], codes: NDArray[np.int64], seed: int = 0) -> Floats:
    """How likely it is by chance that the first of each two systems looks at least as good: one-sided p-values.

    Args:
        metric: Its main measure is compared, by ``better``.
        systems: What the metric keeps of each for the whole corpus.
        codes: Number of the document of each sentence, from 0 without gaps.
        seed: Of the ways to swap.

    Returns:
        p of each pair, in the order of ``itertools.combinations``, NaN where the measure has no value; shape (pairs,).
    """
    pairs = list(combinations(range(len(systems)), 2))
    systems = [metric.without_types(one) for one in systems]
    mixer = _Mixer(metric, systems, pairs, codes, jobs=1)
    values = [float(main_values(metric, one)[0]) for one in systems]
    n, sign = int(codes.max(initial=-1)) + 1, metric.measures[metric.main].sign
    random = ways_to_swap(n, WAYS, stream(seed, "soft-accuracy", n))

    def chance(number: int) -> float:
        first, second = pairs[number]
        where = differing(metric, systems[first], systems[second], codes)
        ways = random
        if _few(int(where.sum()), WAYS):
            ways = _widen(ways_to_swap(int(where.sum()), WAYS, np.random.default_rng(0)), where)
        observed = values[first] - values[second]
        swapped = mixer.differences(number, _and_reverse(ways))
        return share_above(sign * observed, sign * swapped, max(1.0, abs(observed)))

    return np.array([chance(number) for number in range(len(pairs))], np.float64)


def differing(metric: Metric, first: Opaque, second: Opaque, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """In which documents the statistics of two systems differ."""
    differ = np.zeros(int(codes.max()) + 1, np.bool_)
    differ[codes[metric.differ(first, second)]] = True
    return differ


@dataclass(frozen=True, slots=True)
class _Mixer:
    """Pairs of systems that are mixed in the same ways; swaps are of shape (ways, essays)."""

    metric: Metric
    systems: Sequence[Any]
    pairs: Pairs
    codes: NDArray[np.int64]
    jobs: int

    def differences(self, number: int, both_ways: Swaps) -> Floats:
        """Of one pair under every way; the ways, then what they leave unswapped (``_and_reverse``)."""
        first, second = (self.systems[k] for k in self.pairs[number])
        slots = np.where(differing(self.metric, first, second, self.codes)[self.codes], self.codes, -1)
        values = main_values(self.metric, self.metric.join([first, second]), Swapping(both_ways, slots))
        return values[: len(values) // 2] - values[len(values) // 2 :]

    def test_all(self, number: int) -> Randomization:
        """The exact test of a pair that differs in few essays."""
        first, second = (self.systems[k] for k in self.pairs[number])
        where = differing(self.metric, first, second, self.codes)
        n = int(where.sum())
        every = [(2**n, np.random.default_rng(0))]  # all ways: nothing is drawn
        return randomization_test(lambda ways: self.differences(number, _and_reverse(_widen(ways, where))), n, every)

    def swap(self, drawn: Iterator[Swaps], observed: Floats, n_kept: int) -> tuple[NDArray[np.int64], Floats, Swaps]:
        """Swap every pair in every way, block by block, and keep the differences of ``n_kept`` ways (all, or none).

        In how many ways each pair differs at least as much as observed; what is kept, shape (pairs, ways); the first
        block of ways.
        """
        extreme, table = np.zeros(len(observed), np.int64), np.empty((len(observed), n_kept))
        first, at = np.zeros((0, 0), np.bool_), 0
        for swaps in drawn:
            first = swaps if at == 0 else first
            rows = run(partial(self.differences, both_ways=_and_reverse(swaps)), range(len(observed)), self.jobs)
            for number, row in enumerate(rows):
                extreme[number] += count_extreme(observed[number], row)
                if n_kept:
                    table[number, at : at + len(swaps)] = row
            at += len(swaps)
        return extreme, table, first

    def swap_furthest(self, table: Floats, first: Swaps) -> Floats:
        """The difference of each pair where every essay is swapped in favor of the same system.

        Which system an essay favors is told by the differences with and without it swapped, over the first ways.
        """
        weights = 1.0 - 2.0 * first[: max(1, MOST_WEIGHED // first.shape[1])]

        def ahead(at: int) -> list[float]:
            rows = table[at : at + PAIRS_AT_ONCE, : len(weights)]
            ways = (rows - rows.mean(axis=1, keepdims=True)) @ weights < 0
            return [float(self.differences(at + k, _and_reverse(way[None, :]))[0]) for k, way in enumerate(ways)]

        return np.array(list(chain.from_iterable(run(ahead, range(0, len(table), PAIRS_AT_ONCE), self.jobs))))


def main_values(metric: Metric, statistics: Opaque, swapping: Swapping | None = None) -> Floats:
    """The measure that ranks systems, of each way to swap."""
    selection = None if swapping is None else Selection(swapping=swapping)
    return metric.fold(statistics, selection).values[:, metric.main]


def _few(n: int, ways: int) -> bool:
    """Whether all ways to swap n essays are no more than so many."""
    return n < 63 and 2**n <= ways


def _and_reverse(ways: Swaps) -> Swaps:
    """Ways to swap, then as many in which the other documents are swapped; shape (2 * ways, documents)."""
    return np.concatenate([ways, ~ways])


def _widen(ways: Swaps, where: NDArray[np.bool_]) -> Swaps:
    """Swaps of some essays as swaps of all, the others never swapped."""
    wide = np.zeros((len(ways), len(where)), np.bool_)
    wide[:, where] = ways
    return wide


def _random_ways(n: int, ways: int, seed: int) -> Iterator[Swaps]:
    most = max(64, MOST_DRAWN // n)
    for size, rng in blocks(seed, "swap", replicates=ways):
        for start in range(0, size, most):
            yield random_swaps(n, min(most, size - start), rng)
