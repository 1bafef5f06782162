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

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.metrics.base import Measure, Metric, Selection
from errorbar.metrics.documents import MORE_DOCUMENTS
from errorbar.metrics.intervals import left_out_values, resampled_values
from errorbar.metrics.judge_sets import Judging
from errorbar.metrics.judges import JudgeRule, JudgeSets
from errorbar.metrics.pairs_over_judges import JudgedPair, PairTesting, judge_pairs
from errorbar.metrics.runs import Runs
from errorbar.metrics.runs_drawn import pairs_over_runs
from errorbar.metrics.swaps import SwapPlan, Tested, swap_tests
from errorbar.stats.multiple import MOST_GROUPS, NO_LETTERS, better_rows, shared_letters
from errorbar.stats.power import PairedPower, paired_power, pseudo_values
from errorbar.stats.resampling import Resampling

MORE_SENTENCES = "add others; errorbar score gives the scores alone"
POINT = 0.01  # the difference whose power is reported: a point of a measure in percent, 0.01 of another
MOST_NAMED = 3
LEAST_TEXTS = 25  # with fewer, a p-value over texts and judges is no smaller than that of swaps
FEW = 11  # so few systems have letters whatever their pairs: at most 3^(11 / 3) groups, or 57 (Moon & Moser 1965)


@dataclass(frozen=True, slots=True)
class System:
    """A system to compare, with what the metric keeps of it for the whole corpus."""

    name: str
    statistics: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair(Tested):
    """Two systems compared."""

    first: str
    second: str
    difference: float  # of the main measure, the first minus the second
    interval: Interval | Undefined | None  # None: none was asked for
    power: PairedPower  # what the corpus can show about these two
    alpha: float = 0.05  # the level of the test
    judged: JudgedPair | None = None  # with judges or runs drawn anew, on which all that is said of the pair then rests

    @property
    def p(self) -> float | None:
        """The p-value that decides, adjusted for all pairs: of the t where judges, or runs, are drawn anew."""
        return self.p_swaps if self.judged is None else self.judged.p

    @property
    def p_unadjusted(self) -> float | None:
        """The p-value of the same test for this pair alone."""
        return self.test.p_value if self.judged is None else self.judged.p_unadjusted

    @property
    def p_at_floor(self) -> bool:
        """Whether p is only known to be at most this."""
        return self.at_floor if self.judged is None else self.judged.at_floor

    @property
    def decisive_difference(self) -> float:
        """The difference that it is about."""
        return self.difference if self.judged is None else self.judged.value

    @property
    def significant(self) -> bool:
        """Whether the two differ significantly, adjusted for all pairs."""
        return self.p is not None and self.p <= self.alpha

    @property
    def undecided(self) -> bool:
        """Whether no difference, however large, could be significant, so that nothing follows from this one.

        By the swaps, or since nobody knows how the two vary over judges or runs.
        """
        return self.hopeless or self.unknown

    @property
    def hopeless(self) -> bool:
        """Whether swaps, which take part in p, cannot make it small enough."""
        by_swaps = self.judged is None or self.judged.beside_swaps
        return by_swaps and not self.significant and self.smallest_p is not None and self.smallest_p > self.alpha

    @property
    def unknown(self) -> bool:
        """Whether nobody knows how the two vary over judges or runs."""
        return self.judged is not None and self.judged.p is None and self.test.undefined is None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems compared, each with each."""

    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    main: int  # which of them ranks systems, and is compared
    scores: NDArray[np.float64]  # shape (systems, measures)
    pairs: tuple[Pair, ...]  # in the order of ``itertools.combinations``
    testing: SwapPlan = field(default_factory=SwapPlan)
    alpha: float = 0.05  # the level of the tests
    judges: JudgeSets | None = None  # None: judges are fixed
    judged: NDArray[np.float64] | None = None  # the main measure against the sets of judges; shape (systems,)
    runs: bool = False  # whether runs of systems are drawn anew

    @property
    def over(self) -> str:
        """What the t is over on which p-values, groups and verdicts rest; empty: they rest on swaps."""
        if self.judges is None:
            return "texts and runs" if self.runs else ""
        return "texts, judges and runs" if self.runs else "texts and judges"

    @property
    def beside_swaps(self) -> bool:
        """Whether texts are so few that no p-value is smaller than that of swaps."""
        return any(pair.judged is not None and pair.judged.beside_swaps for pair in self.pairs)

    def p_table(self) -> NDArray[np.float64]:
        """Adjusted p-values; symmetric, shape (systems, systems), NaN where there is none."""
        return self._table([np.nan if pair.p is None else pair.p for pair in self.pairs], np.nan)

    def ranking(self) -> list[Ranked]:
        """The systems, the best first, numbered, with letters for groups that do not differ significantly."""
        values = self.scores[:, self.main] if self.judged is None else self.judged
        goodness = self.measures[self.main].sign * values
        order = np.argsort(-goodness, kind="stable")
        p_values = self.p_table()[np.ix_(order, order)]
        undecided = self._table([pair.undecided for pair in self.pairs], 0.0)[np.ix_(order, order)] > 0
        better = better_rows(goodness[order], p_values, alpha=self.alpha)
        groups = shared_letters(p_values, alpha=self.alpha, undecided=undecided)

        def numbers(rows: Iterable[int]) -> tuple[int, ...]:
            return tuple(int(row) + 1 for row in rows)

        return [
            Ranked(
                rank + 1,
                self.names[k],
                tuple(self.scores[k].tolist()),
                numbers(better[rank]),
                groups[rank],
                numbers(np.flatnonzero(undecided[rank])),
            )
            for rank, k in enumerate(order.tolist())
        ]

    def _table(self, values: Sequence[float], diagonal: float) -> NDArray[np.float64]:
        table = np.full((len(self.names), len(self.names)), diagonal)
        for (a, b), value in zip(combinations(range(len(self.names)), 2), values, strict=True):
            table[a, b] = table[b, a] = value
        return table


@dataclass(frozen=True, slots=True)
class Ranked:
    """A system in a table from the best to the worst."""

    number: int  # its rank, from 1
    name: str
    scores: tuple[float, ...]  # its value of each measure
    better: tuple[int, ...]  # numbers of the systems that it is significantly better than
    group: str
    """Systems that share a letter do not differ significantly. A question mark: some pair of it is undecided."""
    undecided: tuple[int, ...] = ()  # numbers of the systems with which no difference could have been significant


def compare_systems(
    metric: Metric,
    systems: Sequence[System],
    clusters: NDArray[np.int64],
    resampling: Resampling,
    testing: SwapPlan | None = None,
    *,
    intervals: bool = True,
) -> Comparison:
    """Compare systems on the same corpus, resampled by ``clusters`` (shape (units,)); with intervals of differences.

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
        unit, fix = ("document", MORE_DOCUMENTS) if codes.size > 1 else ("sentence", MORE_SENTENCES)
        what = f"a single {unit} does not show how {unit}s vary"
        raise UsageError(Problem("one-unit", what, expected="at least two", fix=fix))
    main, scale = metric.main, metric.measures[metric.main].scale.of_differences
    scores = np.stack([metric.fold(system.statistics).values[0] for system in systems])

    def fold_of(system: System) -> Callable[[Selection], NDArray[np.float64]]:
        return lambda selection: metric.fold(system.statistics, selection).values[:, main]

    folds = [fold_of(system) for system in systems]
    resampled = [resampled_values(metric, fold, clusters, resampling) for fold in folds] if intervals else []
    jackknife = [left_out_values(metric, fold, clusters) for fold in folds]
    alpha = 1 - resampling.confidence_level
    testing, numbers = testing or SwapPlan(), list(combinations(range(len(systems)), 2))
    tested = swap_tests(metric, [s.statistics for s in systems], numbers, codes, resampling, testing)
    pairs = []
    for (a, b), one in zip(numbers, tested, strict=True):
        difference, without = float(scores[a, main] - scores[b, main]), jackknife[a] - jackknife[b]
        interval = None
        if intervals:
            interval = resampling.interval(difference, resampled[a] - resampled[b], without, scale)
        power = _power(difference, without, int(codes.max()) + 1, resampling)
        pairs.append(
            Pair(
                *(one.test, one.p_swaps, one.smallest_p, one.at_floor),
                first=systems[a].name,
                second=systems[b].name,
                difference=difference,
                interval=interval,
                power=power,
                alpha=alpha,
            )
        )
    return Comparison(tuple(s.name for s in systems), metric.measures, main, scores, tuple(pairs), testing, alpha)


def over_judges(
    found: Comparison, metric: Metric, systems: Sequence[System], judging: Judging, rule: JudgeRule, how: Resampling
) -> Comparison:
    """The comparison with judges drawn anew, on which p-values, groups and verdicts rest from then on."""
    testing = PairTesting(found.testing.adjust, how.confidence_level, how.seed)
    values, judged = judge_pairs(metric, [one.statistics for one in systems], judging, rule, testing)
    if judging.n_left_out < LEAST_TEXTS:
        judged = [_no_surer(one, pair) for one, pair in zip(judged, found.pairs, strict=True)]
    pairs = _with_judged(found.pairs, judged)
    runs = any(isinstance(one.statistics, Runs) and len(one.statistics.runs) > 1 for one in systems)
    return replace(found, pairs=pairs, judges=judging.sets(rule), judged=np.array(values), runs=runs)


def _no_surer(judged: JudgedPair, pair: Pair) -> JudgedPair:
    """Of few texts: the larger of two p-values, since a t over them errs too often and swaps do not."""
    if judged.p is None or judged.p_unadjusted is None or pair.p_swaps is None or pair.test.p_value is None:
        return judged
    at_floor = pair.at_floor if pair.p_swaps > judged.p else judged.at_floor
    alone = max(judged.p_unadjusted, pair.test.p_value)
    return replace(judged, p=max(judged.p, pair.p_swaps), p_unadjusted=alone, at_floor=at_floor, beside_swaps=True)


def over_runs(
    found: Comparison, metric: Metric, systems: Sequence[System], clusters: NDArray[np.int64], level: float
) -> Comparison:
    """The comparison with runs drawn anew and judges fixed, on which all rests from then on."""
    values, judged = pairs_over_runs(metric, [one.statistics for one in systems], clusters, level)
    if len(np.unique(clusters)) < LEAST_TEXTS:
        judged = [_no_surer(one, pair) for one, pair in zip(judged, found.pairs, strict=True)]
    return replace(found, pairs=_with_judged(found.pairs, judged), judged=np.array(values), runs=True)


def _with_judged(pairs: Sequence[Pair], judged: Sequence[JudgedPair]) -> tuple[Pair, ...]:
    """Pairs with judges or runs drawn anew too; their intervals then are no narrower than those over texts alone.

    An interval that leaves 0 out, as the t decides, is not drawn out over it.
    """
    made = []
    for pair, one in zip(pairs, judged, strict=True):
        own = one.interval
        if one.whole and isinstance(own, Interval):
            wider = own.covering(pair.interval)
            decided = own.low > 0 or own.high < 0
            own = own if decided and wider.low <= 0 <= wider.high else wider
        made.append(replace(pair, judged=replace(one, interval=own)))
    return tuple(made)


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


def warn_hopeless(found: Comparison, problems: Problems, *, unit: str = "document") -> None:
    """Note it when there are too few swaps, or when no difference of a pair, however large, could be significant.

    So that nobody takes for a finding what a comparison of ``unit``s (documents or sentences) could not have shown.
    """
    alpha = found.alpha
    ways, needed = (number(len(found.names), alpha) for number in (found.testing.number, found.testing.needed))
    by_swaps = [pair for pair in found.pairs if pair.judged is None or pair.judged.beside_swaps]  # the t needs none
    drawn = [pair for pair in by_swaps if pair.p_swaps is not None and not pair.test.exact]
    undecided = [pair for pair in by_swaps if pair.hopeless]
    level = f"the {100 * alpha:.3g}% level"
    if drawn and ways < needed:
        cut = [pair for pair in undecided if not pair.test.exact]
        undecided = [pair for pair in undecided if pair.test.exact]
        what = f"{ways:,} ways to swap are few for {len(found.pairs):,} pairs at {level}"
        if cut:
            what += f": {_which(len(cut), len(found.pairs))} be significant, however large the difference"
        fix = f"take {needed} (--swaps={needed})"
        fix += ", or adjust by max-T (--adjust=max-t)" if found.testing.adjust == "holm" else ""
        problems.note("few-swaps", what, Place(), fix=fix)
    if len(found.names) > FEW and any(row.group == NO_LETTERS for row in found.ranking()):
        what = f"the pairs of {len(found.names):,} systems make more than {MOST_GROUPS} groups, so there are no letters"
        problems.note("too-many-groups", what, Place(), fix="the pairs themselves are in the output: --pairs")
    if undecided:
        named = "; ".join(f"{pair.first} and {pair.second}" for pair in undecided[:MOST_NAMED])
        named += f"; and {len(undecided) - MOST_NAMED:,} more" if len(undecided) > MOST_NAMED else ""
        what = (
            f"so few {unit}s decide between systems that {_which(len(undecided), len(found.pairs))} be significant at "
            f"{level}, however large the difference: {named}"
        )
        other = "--adjust=" + ("max-t" if found.testing.adjust == "holm" else "holm")
        alone = any((pair.test.smallest or 0) <= alpha for pair in undecided)
        fix = f"more {unit}s decide" + (f"; fewer systems may, or {other}" if alone else "")
        problems.note("few-to-swap", what, Place(), fix=fix)


def _which(several: int, of: int) -> str:
    if several == of:
        return "the only pair could not" if of == 1 else f"none of {of:,} pairs could"
    return f"{several:,} of {of:,} pairs could not"
