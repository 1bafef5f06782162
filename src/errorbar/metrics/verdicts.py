"""The verdict on two systems: which test decides, its p and its interval, what follows, and how that is said.

Formula
    Where judges and runs are fixed, swaps of the two outputs decide (errorbar.metrics.swaps), else a t over texts and
    what is drawn anew beside them (errorbar.metrics.pairs_over_judges, errorbar.metrics.runs_drawn). With fewer than 25
    texts p is the larger one of both, since a t over so few errs too often and swaps do not. Two systems differ
    significantly if p, adjusted for all pairs, is at most alpha.
Conventions
    The interval is that of the test which decides. Over judges or runs it is no narrower than the one over texts alone,
    but one that leaves out 0, as the t does, is not widened to hold it. Against sets of judges that are not all of them
    the two intervals are of different scores, and each stays as it is.
    A pair is undecided where swaps take part in p and no difference, however large, could have made it small enough;
    or where nobody knows how the two vary over judges or runs.
Source
    docs/judges.md, docs/judge-tests.md, docs/design/intervals.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from errorbar.core.estimate import Interval, Undefined
from errorbar.core.labels import listed
from errorbar.metrics.judges import JudgeSets
from errorbar.metrics.pairs_over_judges import TTest
from errorbar.metrics.swaps import Adjust, SwapPlan, SwapTest
from errorbar.stats.power import PairedPower

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
        return listed(self.over)

    @property
    def others(self) -> str:
        """What is drawn anew beside texts: ``judges and runs``."""
        return listed(self.over[1:])

    @property
    def these(self) -> str:
        """What swaps take as it is: ``these judges``."""
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

    def p_note(self, n_pairs: int) -> str:
        """What the p-values in a table of so many pairs are."""
        if not self.by_t:
            more = f", adjusted for all {n_pairs:,} pairs, which decides; p unadjusted: of one pair alone"
            return f"p: by swaps of the two outputs ({self.name}){more * (n_pairs > 1)}"
        few = f"; of fewer than {LEAST_TEXTS} texts no smaller than that of the swaps"
        few += " of scores against all judges" * (self.smaller_sets is not None)
        return (
            f"p: of no difference over {self.over_text} (t, {self.adjusted_by}{few * self.few}); that of swaps, with "
            f"{self.these}, is in JSON and CSV"
        )

    def description(self, unit: str) -> str:
        """How pairs were compared: what follows ``Each pair of systems was``."""
        swapped = f"swapping their output at random, {unit} by {unit}"
        by_swaps = ADJUSTMENT_NAMES[self.swaps.adjust]
        if not self.by_t:
            return f"compared by {swapped}; p-values are adjusted for the number of pairs ({by_swaps})"
        return (
            f"compared over {self.over_text}, {'both' if len(self.over) == 2 else 'all'} drawn anew, by a t whose "
            f"p-values are adjusted for the number of pairs ({self.adjusted_by}); beside it stands what {swapped}, "
            f"says with judges as they are ({by_swaps})"
        )

    def method_lines(self) -> list[str]:
        """What a section on methods says of the tests."""
        swaps = (
            f"Differences: approximate randomization, two-sided, p-values adjusted by {BY_SWAPS[self.swaps.adjust]}; "
            "their intervals from a paired bootstrap; group letters by insertion and absorption."
        )
        if self.judges is None:
            return [swaps]
        population = self.judges.rule.population
        known = "" if population is None else f", variances over judges moderated by those of {population.described}"
        joint = (
            f"Over texts and judges: two-way jackknife, t with Satterthwaite's degrees of freedom{known}; p-values "
            f"adjusted by {BY_T[self.adjust]}; significance and group letters rest on it. Beside it, of these judges:"
        )
        return [joint, swaps]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the test that decides says of two systems."""

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
    wider = interval.covering(pair.interval)
    leaves_out_0 = interval.low > 0 or interval.high < 0
    return interval if leaves_out_0 and wider.low <= 0 <= wider.high else wider
