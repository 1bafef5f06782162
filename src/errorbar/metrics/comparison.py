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
    What is said of a pair, and by which test: errorbar.metrics.verdicts.
Source
    Noreen 1989; Koehn 2004; Romano & Wolf 2005; Holm 1979. Dror et al. 2018 for their use with such scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.metrics.base import Measure, Metric, Selection
from errorbar.metrics.documents import MORE_DOCUMENTS
from errorbar.metrics.intervals import left_out_values, resampled_values
from errorbar.metrics.judge_sets import Judging
from errorbar.metrics.judges import JudgeRule
from errorbar.metrics.pairs_over_judges import PairTesting, TTest, judge_pairs
from errorbar.metrics.runs import runs_of
from errorbar.metrics.runs_drawn import pairs_over_runs, runs_convention
from errorbar.metrics.swaps import SwapPlan, swap_tests
from errorbar.metrics.verdicts import LEAST_TEXTS, DecidingTest, Pair
from errorbar.stats.multiple import MOST_GROUPS, NO_LETTERS, better_rows, shared_letters
from errorbar.stats.power import PairedPower, paired_power, pseudo_values
from errorbar.stats.resampling import Resampling

MORE_SENTENCES = "add others; errorbar score gives the scores alone"
POINT = 0.01  # the difference whose power is reported: a point of a measure in percent, 0.01 of another
MOST_NAMED = 3
FEW = 11  # so few systems have letters whatever their pairs: at most 3^(11 / 3) groups, or 57 (Moon & Moser 1965)


@dataclass(frozen=True, slots=True)
class System:
    """A system to compare, with what the metric keeps of it for the whole corpus."""

    name: str
    statistics: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems compared, each with each."""

    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    main: int  # which of them ranks systems, and is compared
    scores: NDArray[np.float64]  # shape (systems, measures)
    pairs: tuple[Pair, ...]  # in the order of ``itertools.combinations``
    values: NDArray[np.float64]  # by which systems are ranked, of the main measure; shape (systems,)

    @property
    def test(self) -> DecidingTest:
        """The test that decides on all pairs."""
        return self.pairs[0].test

    @property
    def measure(self) -> Measure:
        """The main measure."""
        return self.measures[self.main]

    def group_legend(self) -> list[str]:
        """How to read group letters."""
        lines = [
            f"systems that share a group letter do not differ significantly at {self.test.level} "
            f"({self.test.name} over all pairs); that does not make them equal"
        ]
        if any(pair.undecided for pair in self.pairs):
            why = self.why_undecided("no difference, however large, could be significant")
            lines.append(f"?: the system has undecided pairs, of which nothing can be said: {why}")
        return lines

    def why_undecided(self, by_swaps: str) -> str:
        """Why pairs are undecided, for one reason or two; ``by_swaps``: how the first is said."""
        reasons = {"swaps": by_swaps, "t": self.test.unknown}
        undecided_by = {pair.verdict.undecided_by for pair in self.pairs}
        return ", or ".join(reason for test, reason in reasons.items() if test in undecided_by)

    def p_table(self) -> NDArray[np.float64]:
        """Adjusted p-values; symmetric, shape (systems, systems), NaN where there is none."""
        return self._table([np.nan if pair.p is None else pair.p for pair in self.pairs], np.nan)

    def ranking(self) -> list[Ranked]:
        """The systems, the best first, numbered, with letters for groups that do not differ significantly."""
        alpha, goodness = self.test.alpha, self.measure.sign * self.values
        order = np.argsort(-goodness, kind="stable")
        p_values = self.p_table()[np.ix_(order, order)]
        undecided = self._table([pair.undecided for pair in self.pairs], 0.0)[np.ix_(order, order)] > 0
        better = better_rows(goodness[order], p_values, alpha=alpha)
        groups = shared_letters(p_values, alpha=alpha, undecided=undecided)

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
    plan: SwapPlan | None = None,
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
    plan, numbers = plan or SwapPlan(), list(combinations(range(len(systems)), 2))
    test = DecidingTest(plan, 1 - resampling.confidence_level, adjust=plan.adjust)
    tests = swap_tests(metric, [system.statistics for system in systems], numbers, codes, resampling, plan)
    pairs = []
    for (a, b), swaps in zip(numbers, tests, strict=True):
        difference, without = float(scores[a, main] - scores[b, main]), jackknife[a] - jackknife[b]
        interval = None
        if intervals:
            interval = resampling.interval(difference, resampled[a] - resampled[b], without, scale)
        pairs.append(
            Pair(
                first=systems[a].name,
                second=systems[b].name,
                difference=difference,
                interval=interval,
                power=_power(difference, without, int(codes.max()) + 1, resampling),
                test=test,
                swaps=swaps,
            )
        )
    names = tuple(system.name for system in systems)
    return Comparison(names, metric.measures, main, scores, tuple(pairs), scores[:, main])


def over_judges(
    comparison: Comparison,
    metric: Metric,
    systems: Sequence[System],
    judging: Judging,
    rule: JudgeRule,
    resampling: Resampling,
) -> Comparison:
    """The comparison with judges drawn anew, on whose t all verdicts rest."""
    statistics, sets = [system.statistics for system in systems], judging.sets(rule)
    testing = PairTesting(comparison.test.swaps.adjust, resampling.confidence_level, resampling.seed)
    values, tests = judge_pairs(metric, statistics, judging, rule, testing)
    several_runs = any(len(runs_of(system)) > 1 for system in statistics)
    over = ("texts", "judges", *["runs"] * several_runs)
    test = replace(comparison.test, over=over, judges=sets, convention=sets.convention(resampling.seed))
    return _decide_by_t(comparison, test, tests, values, judging.n_left_out)


def over_runs(
    comparison: Comparison, metric: Metric, systems: Sequence[System], clusters: NDArray[np.int64], level: float
) -> Comparison:
    """The comparison with runs drawn anew and judges fixed, on whose t all verdicts rest."""
    values, tests = pairs_over_runs(metric, [system.statistics for system in systems], clusters, level)
    test = replace(comparison.test, over=("texts", "runs"), adjust="holm", convention=runs_convention(clusters))
    return _decide_by_t(comparison, test, tests, values, len(np.unique(clusters)))


def _decide_by_t(
    comparison: Comparison, test: DecidingTest, tests: Sequence[TTest], values: Sequence[float], n_texts: int
) -> Comparison:
    """The comparison whose verdicts rest on the t of every pair."""
    both_known = any(
        t.p is not None and pair.p_swaps is not None for t, pair in zip(tests, comparison.pairs, strict=True)
    )
    test = replace(test, few=n_texts < LEAST_TEXTS and both_known)
    pairs = (replace(pair, test=test, t=t) for pair, t in zip(comparison.pairs, tests, strict=True))
    return replace(comparison, pairs=tuple(pairs), values=np.array(values))


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


def warn_hopeless(comparison: Comparison, problems: Problems, *, unit: str = "document") -> None:
    """Note it when there are too few swaps, or when no difference of a pair, however large, could be significant.

    So that nobody takes for a finding what a comparison of ``unit``s (documents or sentences) could not have shown.
    """
    test, n_systems, n_pairs = comparison.test, len(comparison.names), len(comparison.pairs)
    ways, needed = (number(n_systems, test.alpha) for number in (test.swaps.number, test.swaps.needed))
    drawn = [
        pair
        for pair in comparison.pairs
        if pair.verdict.rule != "t" and pair.p is not None and not pair.swaps.alone.exact
    ]
    undecided = [pair for pair in comparison.pairs if pair.verdict.undecided_by == "swaps"]
    if drawn and ways < needed:
        cut = [pair for pair in undecided if not pair.swaps.alone.exact]
        undecided = [pair for pair in undecided if pair.swaps.alone.exact]
        what = f"{ways:,} ways to swap are few for {n_pairs:,} pairs at {test.level}"
        if cut:
            what += f": {_which(len(cut), n_pairs)} be significant, however large the difference"
        fix = f"take {needed} (--swaps={needed})"
        fix += ", or adjust by max-T (--adjust=max-t)" if test.swaps.adjust == "holm" else ""
        problems.note("few-swaps", what, Place(), fix=fix)
    if n_systems > FEW and any(row.group == NO_LETTERS for row in comparison.ranking()):
        what = f"the pairs of {n_systems:,} systems make more than {MOST_GROUPS} groups, so there are no letters"
        problems.note("too-many-groups", what, Place(), fix="the pairs themselves are in the output: --pairs")
    if undecided:
        named = "; ".join(f"{pair.first} and {pair.second}" for pair in undecided[:MOST_NAMED])
        named += f"; and {len(undecided) - MOST_NAMED:,} more" if len(undecided) > MOST_NAMED else ""
        what = (
            f"so few {unit}s decide between systems that {_which(len(undecided), n_pairs)} be significant at "
            f"{test.level}, however large the difference: {named}"
        )
        other = "--adjust=" + ("max-t" if test.swaps.adjust == "holm" else "holm")
        alone = any((pair.swaps.alone.smallest or 0) <= test.alpha for pair in undecided)
        fix = f"more {unit}s decide" + (f"; fewer systems may, or {other}" if alone else "")
        problems.note("few-to-swap", what, Place(), fix=fix)


def _which(several: int, of: int) -> str:
    if several == of:
        return "the only pair could not" if of == 1 else f"none of {of:,} pairs could"
    return f"{several:,} of {of:,} pairs could not"
