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
    What is said of a pair, and by which test: errorbar.metrics.comparison.
Source
    Noreen 1989; Koehn 2004; Romano & Wolf 2005; Holm 1979. Dror et al. 2018 for their use with such scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Interval, Undefined
from errorbar.core.labels import join_words
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.metrics.base import Measure, Metric, Selection
from errorbar.metrics.folding import MORE_DOCUMENTS
from errorbar.metrics.intervals import fold_resampled_values, left_out_values
from errorbar.metrics.judge_sets import JudgeCoverage
from errorbar.metrics.judges import JudgeRule, JudgeSets, runs_of
from errorbar.metrics.over_judges import PairTesting, TTest, editor_pairs, judge_pairs, pairs_over_runs, runs_convention
from errorbar.metrics.swaps import SwapPlan, SwapTest, swap_tests
from errorbar.stats.multiple import MOST_GROUPS, NO_LETTERS, Adjust, better_rows, shared_letters
from errorbar.stats.paired import PairedPower, paired_power, pseudo_values
from errorbar.stats.resampling import Resampling

# The verdict on two systems: which test decides, its p and its interval, what follows, and how that is said.
#
# Formula Where judges and runs are fixed, swaps of the two outputs decide (errorbar.metrics.swaps), else a t over
# texts and what is drawn anew beside them (errorbar.metrics.over_judges, errorbar.metrics.over_judges). With fewer than
# 25 texts p is the larger one of both, since a t over so few errs too often and swaps do not. Two systems differ
# significantly if p, adjusted for all pairs, is at most alpha. Conventions The interval is that of the test which
# decides. Over judges or runs it is no narrower than the one over texts alone, but one that leaves out 0, as the t
# does, is not widened to hold it. Against sets of judges that are not all of them the two intervals are of different
# scores, and each stays as it is. A pair is undecided where swaps take part in p and no difference, however large,
# could have made it small enough; or where nobody knows how the two vary over judges or runs. Source docs/judges.md,
# docs/measurements/judge-tests.md, docs/measurements/intervals.md.


PairResult = Literal["significant", "not significant", "undecided", "score alike", "not comparable"]
Rule = Literal["swaps", "t", "larger"]
"""Whose p decides: that of swaps, that of the t, or the larger one of both."""
LEAST_TEXTS = 25
"""With fewer texts no p-value over texts and judges, or runs, is smaller than that of swaps."""
ADJUSTMENT_NAMES: Mapping[Adjust, str] = {"max-t": "max-T", "holm": "Holm"}
BY_SWAPS: Mapping[Adjust, str] = {
    "max-t": "step-down max-T over swaps that all pairs share, differences studentized",
    "holm": "Holm's method",
}
BY_T: Mapping[Adjust, str] = {**BY_SWAPS, "max-t": "step-down max-t over the joint distribution of all systems"}


def level_text(alpha: float) -> str:
    """``5%``."""
    return f"{100 * alpha:.3g}%"


@dataclass(frozen=True, slots=True)
class DecidingTest:
    """The test that decides on all pairs of a comparison, and its words."""

    swaps: SwapPlan = field(default_factory=SwapPlan)  # how outputs are swapped, also where the t decides
    alpha: float = 0.05  # the level
    over: tuple[str, ...] = ("texts",)  # what is drawn anew; more than texts: the t decides
    adjust: Adjust = "max-t"  # how the p-values that decide are adjusted for the number of pairs
    few: bool = False  # texts are so few that no p-value of the t is smaller than that of swaps
    judges: JudgeSets | None = None  # None: judges are fixed
    convention: str = ""  # how a signature names what is drawn anew

    @property
    def by_t(self) -> bool:
        """Whether the t decides, alone or together with swaps."""
        return len(self.over) > 1

    @property
    def smaller_sets(self) -> JudgeSets | None:
        """The sets of judges, where these are not all of them."""
        return None if self.judges is None or self.judges.whole else self.judges

    @property
    def over_text(self) -> str:
        """``texts, judges and runs``."""
        return join_words(self.over)

    @property
    def others(self) -> str:
        """The words for all that is drawn anew beside texts: ``judges and runs``."""
        return join_words(self.over[1:])

    @property
    def these(self) -> str:
        """The words for all that swaps leave as it is: ``these judges``."""
        return f"these {(*self.over[1:], *self.over)[0]}"

    @property
    def level(self) -> str:
        """``the 5% level``."""
        return f"the {level_text(self.alpha)} level"

    @property
    def adjusted_by(self) -> str:
        """The adjustment of the p-values that decide."""
        return ADJUSTMENT_NAMES[self.adjust]

    @property
    def name(self) -> str:
        """``max-T``, or ``t over texts and judges, max-T``."""
        return f"t over {self.over_text}{' and swaps' * self.few}, {self.adjusted_by}" if self.by_t else self.swaps_name

    @property
    def swaps_name(self) -> str:
        """The name of the test by swaps, which is the one that decides or stands beside the t."""
        return ADJUSTMENT_NAMES[self.swaps.adjust] + f", {self.these}" * self.by_t

    @property
    def unknown(self) -> str:
        """Why a pair is undecided of which the t says nothing."""
        return f"how they vary over {self.over_text} is not known"

    def p_note(self, pairs: str, swaps_in: str) -> str:
        """The note on the p-values in a table of pairs, ``all 3 pairs`` (empty: one); where those of swaps stand."""
        if not self.by_t:
            more = f", adjusted for {pairs}, which decides; p unadjusted: of one pair alone"
            return f"p: by swaps of the two outputs ({self.name}){more * bool(pairs)}"
        few = f"; of fewer than {LEAST_TEXTS} texts no smaller than that of the swaps"
        few += " of scores against all judges" * (self.smaller_sets is not None)
        return (
            f"p: of no difference over {self.over_text} (t, {self.adjusted_by}{few * self.few}); that of swaps, with "
            f"{self.these}, is {swaps_in}"
        )

    def description(self, unit: str) -> str:
        """How pairs were compared: sentences of which the first begins with ``Each pair of systems was``."""
        swapped = f"swapping their output at random, {unit} by {unit}"
        by_swaps = ADJUSTMENT_NAMES[self.swaps.adjust]
        if not self.by_t:
            return f"compared by {swapped}; p-values are adjusted for the number of pairs ({by_swaps})."
        return (
            f"compared over {self.over_text}, {'both' if len(self.over) == 2 else 'all'} drawn anew, by a t test whose "
            f"p-values are adjusted for the number of pairs ({self.adjusted_by}). A second test is for "
            f"{self.these} only: {swapped} ({by_swaps}). "
            f"{'A difference is significant where both find it so' if self.few else 'The first test decides'}."
        )

    def method_lines(self) -> list[str]:
        """The lines on the tests in a section on methods."""
        swaps = (
            f"Differences: approximate randomization, two-sided, p-values adjusted by {BY_SWAPS[self.swaps.adjust]}; "
            "their intervals from a paired bootstrap; group letters by insertion and absorption."
        )
        if self.judges is None:
            return [swaps]
        population = self.judges.rule.population
        judges = f"{self.judges.rule.who}s"
        known = "" if population is None else f", variances over judges moderated by those of {population.described}"
        joint = (
            f"Over texts and {judges}: two-way jackknife, t with Satterthwaite's degrees of freedom{known}; "
            f"p-values adjusted by {BY_T[self.adjust]}; significance and group letters rest on it. Beside it, of these "
            f"{judges}:"
        )
        return [joint, swaps]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for two systems of the test that decides."""

    rule: Rule
    difference: float  # that the test is about: where sets of judges are not all of them, against these sets
    interval: Interval | Undefined | None  # of that difference; None: none was asked for
    p: float | None  # adjusted for all pairs
    p_unadjusted: float | None  # for this pair alone
    at_floor: bool  # p is only known to be at most this
    unadjusted_at_floor: bool
    exact: bool  # all ways to swap were tried, and they alone decide
    result: PairResult
    undecided_by: Literal["swaps", "t", ""]  # the test that cannot decide, whatever the difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two systems compared; ``verdict`` follows from the tests when the pair is made."""

    first: str
    second: str
    difference: float  # of the main measure against all judges, the first minus the second
    interval: Interval | Undefined | None  # of it over texts alone; None: none was asked for
    power: PairedPower  # what the corpus can show about these two
    test: DecidingTest
    swaps: SwapTest
    t: TTest | None = None  # None: judges and runs are fixed
    verdict: Verdict = field(init=False)

    def __post_init__(self) -> None:
        """Decide, once."""
        object.__setattr__(self, "verdict", _decide(self))

    @property
    def p(self) -> float | None:
        """The p-value that decides, adjusted for all pairs."""
        return self.verdict.p

    @property
    def p_unadjusted(self) -> float | None:
        """The p-value of the same test for this pair alone."""
        return self.verdict.p_unadjusted

    @property
    def p_swaps(self) -> float | None:
        """The p-value of swaps, with judges and runs as they are, adjusted for all pairs."""
        return self.swaps.p

    @property
    def significant(self) -> bool:
        """Whether the two differ significantly, adjusted for all pairs."""
        return self.verdict.result == "significant"

    @property
    def undecided(self) -> bool:
        """Whether no difference, however large, could be significant, so that nothing follows from this one."""
        return self.verdict.result == "undecided"

    def sentence(self, unit: str, sign: float = 1.0) -> str:
        """The verdict as a sentence without its full stop; ``sign`` is that of the measure."""
        ahead = self.verdict.difference * sign >= 0
        better, other = (self.first, self.second) if ahead else (self.second, self.first)
        sentences: Mapping[PairResult, str] = {
            "significant": f"{better} is significantly better than {other} at {self.test.level}",
            "not significant": f"{better} is not significantly better than {other} at {self.test.level}",
            "undecided": f"Whether {better} is better than {other} is undecided: {self.why_undecided(unit)} at "
            f"{self.test.level}",
            "score alike": f"{better} and {other} score alike in every {unit}",
            "not comparable": f"{self.first} and {self.second} cannot be compared: the value of one of them is "
            "undefined",
        }
        return sentences[self.verdict.result]

    def why_undecided(self, unit: str) -> str:
        """Why nothing follows, of a pair that is undecided."""
        if self.verdict.undecided_by == "t":
            return f"{self.test.unknown} ({self.verdict.interval}), so that nothing can be said"
        return hopeless(unit)

    def test_text(self, unit: str) -> str:
        """The test that decides, as a paper names it."""
        swaps, t = f"approximate randomization of {unit}s", f"t over {self.test.over_text}"
        both = f"the larger p of a {t} and of {swaps}"
        return {"swaps": swaps, "t": t, "larger": both}[self.verdict.rule]

    def why_missing(self) -> str:
        """Why something of the pair is missing; empty where nothing is."""
        undefined = self.swaps.alone.undefined
        reasons = [undefined, self.interval, self.power.undefined, None if undefined else self.verdict.interval]
        return ", ".join(dict.fromkeys(str(why) for why in reasons if isinstance(why, Undefined)))


def hopeless(unit: str) -> str:
    """Why a pair is undecided that swaps cannot decide."""
    return f"with these {unit}s and swaps no difference, however large, could be significant"


def _decide(pair: Pair) -> Verdict:
    """Choose the test, its p and its interval, and say what follows."""
    swaps, t, alone, alpha = pair.swaps, pair.t, pair.swaps.alone, pair.test.alpha
    rule: Rule = "swaps"
    difference, interval = pair.difference, pair.interval
    p, p_unadjusted, at_floor = swaps.p, alone.p_value, swaps.at_floor
    if t is not None:
        rule, difference, interval = "t", t.difference, _widen(t.interval, pair)
        p, p_unadjusted, at_floor = t.p, t.p_unadjusted, t.at_floor
        if (
            pair.test.few
            and p is not None
            and p_unadjusted is not None
            and swaps.p is not None
            and alone.p_value is not None
        ):
            rule, at_floor = "larger", swaps.at_floor if swaps.p > p else at_floor
            p, p_unadjusted = max(p, swaps.p), max(p_unadjusted, alone.p_value)
    result: PairResult = "significant" if p is not None and p <= alpha else "not significant"
    undecided_by: Literal["swaps", "t", ""] = ""
    if swaps.p is None:
        result = "not comparable" if alone.undefined is Undefined.NOT_COMPARABLE else "score alike"
    elif p is None:
        result, undecided_by = "undecided", "t"
    elif rule != "t" and result == "not significant" and (swaps.smallest_p or 0) > alpha:
        result, undecided_by = "undecided", "swaps"
    return Verdict(
        rule,
        difference,
        interval,
        p,
        p_unadjusted,
        at_floor,
        unadjusted_at_floor=rule == "swaps" and alone.at_floor,
        exact=rule == "swaps" and alone.exact and p is not None,
        result=result,
        undecided_by=undecided_by,
    )


def _widen(interval: Interval | Undefined, pair: Pair) -> Interval | Undefined:
    """The interval of the t, no narrower than that over texts alone."""
    if pair.test.smaller_sets is not None or not isinstance(interval, Interval):
        return interval
    components = None if pair.t is None else pair.t.components
    if components is not None and components.over_texts_alone and isinstance(pair.interval, Interval):
        return pair.interval
    wider = interval.covering(pair.interval)
    leaves_out_0 = interval.low > 0 or interval.high < 0
    return interval if leaves_out_0 and wider.low <= 0 <= wider.high else wider


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
    undefined: Mapping[str, Sequence[Undefined | None]]
    """Of each system why a measure has no value, or which empty case a convention filled."""

    @property
    def test(self) -> DecidingTest:
        """The test that decides on all pairs."""
        return self.pairs[0].test

    @property
    def measure(self) -> Measure:
        """The main measure."""
        return self.measures[self.main]

    @property
    def adjusted_for(self) -> str:
        """The pairs for whose number p-values are adjusted: ``all 3 pairs``, or those with a p-value; empty: a pair."""
        n, n_tested = len(self.pairs), sum(pair.p is not None for pair in self.pairs)
        if n == 1:
            return ""
        return f"all {n:,} pairs" if n_tested == n else f"the {n_tested:,} of {n:,} pairs with a p-value"

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

    def ranking(self) -> list[LeaderboardRow]:
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
            LeaderboardRow(
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
class LeaderboardRow:
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
        message = "there is no closed formula for a difference"
        raise UsageError(Problem("interval-method", message, expected="bca, percentile or basic"))
    _, codes = np.unique(clusters, return_inverse=True)
    codes = codes.ravel()
    if codes.size == 0 or codes.max() == 0:
        unit, fix = ("document", MORE_DOCUMENTS) if codes.size > 1 else ("sentence", MORE_SENTENCES)
        message = f"a single {unit} does not show how {unit}s vary"
        raise UsageError(Problem("one-unit", message, expected="at least two", fix=fix))
    main, scale = metric.main, metric.measures[metric.main].scale.of_differences
    folded = [metric.fold(system.statistics) for system in systems]
    if any(metric.reasons(each)[main] is Undefined.NO_UNITS for each in folded):
        message = "no annotator looked at any sentence, so every two systems would score alike"
        raise UsageError(Problem("one-unit", message, fix="give annotated references, or see --unmarked"))
    scores = np.stack([each.values[0] for each in folded])

    def fold_of(system: System) -> Callable[[Selection], NDArray[np.float64]]:
        return lambda selection: metric.fold(system.statistics, selection).values[:, main]

    folds = [fold_of(system) for system in systems]
    resampled = [fold_resampled_values(metric, fold, clusters, resampling) for fold in folds] if intervals else []
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
                power=_power(difference, without, int(codes.max()) + 1, test.alpha, swaps, scale.high),
                test=test,
                swaps=swaps,
            )
        )
    names = tuple(system.name for system in systems)
    undefined = dict(zip(names, map(metric.reasons, folded), strict=True))
    return Comparison(names, metric.measures, main, scores, tuple(pairs), scores[:, main], undefined)


def over_judges(
    comparison: Comparison,
    metric: Metric,
    systems: Sequence[System],
    judging: JudgeCoverage,
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


def over_editors(
    comparison: Comparison,
    metric: Metric,
    systems: Sequence[System],
    judgings: Sequence[JudgeCoverage],
    rules: Sequence[JudgeRule],
    who: Sequence[object],
    resampling: Resampling,
) -> Comparison:
    """The comparison with the editors of each system drawn anew, on whose t all verdicts rest; ``who`` they are."""
    level, statistics = resampling.confidence_level, [system.statistics for system in systems]
    values, tests = editor_pairs(metric, statistics, judgings, who, level)
    every = [judging.sets(rule) for judging, rule in zip(judgings, rules, strict=True)]
    sets = min(every, key=lambda sets: (sets.whole, sets.rule.n_judges))
    convention = sets.convention(resampling.seed)
    test = replace(comparison.test, over=("texts", "editors"), adjust="holm", judges=sets, convention=convention)
    return _decide_by_t(comparison, test, tests, values, judgings[0].n_left_out)


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


def _power(
    difference: float, without: NDArray[np.float64], n_clusters: int, alpha: float, swaps: SwapTest, most: float
) -> PairedPower:
    """The power of the corpus, in clusters, also where the jackknife left them out in groups.

    No difference is detectable above the ``most`` that there is, and none where swaps can find none significant.
    """
    power = paired_power(pseudo_values(difference, without), POINT, alpha=alpha)
    if power.power is not None and (swaps.smallest_p or 0) > alpha:
        power = replace(power, power=0.0, detectable=None)
    elif (power.detectable or 0) > most:
        power = replace(power, detectable=None)
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
    ways, needed = (number(n_systems, test.alpha) for number in (test.swaps.number, test.swaps.count_needed))
    drawn = [
        pair
        for pair in comparison.pairs
        if pair.verdict.rule != "t" and pair.p is not None and not pair.swaps.alone.exact
    ]
    undecided = [pair for pair in comparison.pairs if pair.verdict.undecided_by == "swaps"]
    if drawn and ways < needed:
        cut = [pair for pair in undecided if not pair.swaps.alone.exact]
        undecided = [pair for pair in undecided if pair.swaps.alone.exact]
        message = f"{ways:,} ways to swap are few for {n_pairs:,} pairs at {test.level}"
        if cut:
            message += f": {_which(len(cut), n_pairs)} be significant, however large the difference"
        fix = f"take {needed} (--swaps={needed})"
        fix += ", or adjust by max-T (--adjust=max-t)" if test.swaps.adjust == "holm" else ""
        problems.note("few-swaps", message, Place(), fix=fix)
    if n_systems > FEW and any(row.group == NO_LETTERS for row in comparison.ranking()):
        message = f"the pairs of {n_systems:,} systems make more than {MOST_GROUPS} groups, so there are no letters"
        problems.note("too-many-groups", message, Place(), fix="the pairs themselves are in the output: --pairs")
    if undecided:
        named = "; ".join(f"{pair.first} and {pair.second}" for pair in undecided[:MOST_NAMED])
        named += f"; and {len(undecided) - MOST_NAMED:,} more" if len(undecided) > MOST_NAMED else ""
        message = (
            f"so few {unit}s decide between systems that {_which(len(undecided), n_pairs)} be significant at "
            f"{test.level}, however large the difference: {named}"
        )
        other = "--adjust=" + ("max-t" if test.swaps.adjust == "holm" else "holm")
        alone = any((pair.swaps.alone.smallest or 0) <= test.alpha for pair in undecided)
        fix = f"more {unit}s decide" + (f"; fewer systems may, or {other}" if alone else "")
        headline = f"{_which(len(undecided), n_pairs)} be significant, however large the difference"
        problems.note("few-to-swap", message, Place(), fix=fix, headline=headline)


def _which(several: int, of: int) -> str:
    if several == of:
        return "the only pair could not" if of == 1 else f"none of {of:,} pairs could"
    return f"{several:,} of {of:,} pairs could not"
