"""Audits: the answers of judges in each stratum, and how far those who could not tell may move the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.sampling.frame import Sample, Totals
from errorbar.sampling.intervals import unlike_bound
from errorbar.sampling.plan import allocate
from errorbar.sampling.prediction_powered import AssistedTotals, assisted_totals
from errorbar.stats.resampling import z_value
from errorbar.stats.two_way import jackknife, t_half_width

# What an audit draws from, and how many edits of which stratum it asks judges about.
#
# Formula
#     Strata are the patterns of systems that propose an item (and bands of a proxy, and types). One sample for all
#     systems is allocated by N_h √(Σ_a flag_ah / P_a²), which makes the sum of the systems' variances smallest; a share
#     p of the items is supposed to be valid.
# Conventions
#     The items of a stratum are drawn in an order that their own names and a seed fix.
# Source
#     Cochran 1977, Sampling Techniques, chapter 5 (optimum allocation).


SUPPOSED = 0.5
"""Share of valid edits that a plan supposes: the most careful one."""
FLOOR = 5
"""The fewest items of a stratum."""


@dataclass(frozen=True, slots=True)
class OfficialCounts:
    """A system under the official metric."""

    name: str
    correct: int  # C
    proposed: int  # P
    gold: int  # G


@dataclass(frozen=True, slots=True, eq=False)
class AuditStrata:
    """The strata of an audit: items that match no annotator, by who proposes them."""

    names: tuple[str, ...]
    sizes: Counts  # (strata,)
    flags: NDArray[np.bool_]  # (systems, strata)
    systems: tuple[OfficialCounts, ...]

    def weights(self) -> Floats:
        """The weight of a valid item of each stratum in each system's precision; shape (systems, strata)."""
        return self.flags / np.array([[max(system.proposed, 1)] for system in self.systems], np.float64)


def order_key(seed: int, item: str) -> str:
    """By which items of a stratum are put in order: the same in every audit."""
    return sha256(f"{seed}\x1f{item}".encode("utf-8", "surrogatepass")).hexdigest()


def audit_half_widths(strata: AuditStrata, n: Counts, *, valid: float = SUPPOSED) -> Floats:
    """Expected half-widths of 95 % intervals of the systems' audited precision; shape (systems,)."""
    variances = strata.sizes**2 * (1 / np.maximum(n, 1) - 1 / strata.sizes) * valid * (1 - valid)
    return np.asarray(z_value(0.95) * np.sqrt((strata.weights() ** 2 * variances).sum(axis=1)))


def audit_budget(strata: AuditStrata, half_width: float, *, valid: float = SUPPOSED) -> Counts:
    """Items of each stratum, as few as give every system's audited precision the half-width."""
    low, high = int(np.minimum(strata.sizes, FLOOR).sum()), int(strata.sizes.sum())
    while low < high:
        middle = (low + high) // 2
        enough = (audit_half_widths(strata, audit_allocation(strata, middle), valid=valid) <= half_width).all()
        low, high = (low, middle) if enough else (middle + 1, high)
    return audit_allocation(strata, low)


def audit_allocation(strata: AuditStrata, budget: int) -> Counts:
    """Items of each stratum: best for the sum of the systems' variances.

    No stratum has fewer than ``FLOOR``, or, where the budget does not pay for so many, the most that it pays for.

    Raises:
        UsageError: If there are more strata than the budget has items.
    """
    importance = strata.sizes * np.sqrt((strata.weights() ** 2).sum(axis=0))
    least = next((n for n in range(FLOOR, 0, -1) if np.minimum(strata.sizes, n).sum() <= budget), 0)
    if not least:
        message = f"a budget of {budget} edits for {len(strata.sizes)} strata: sets of systems that propose the same"
        fix = "raise the budget, audit fewer systems at a time, or leave --others and --types out"
        raise UsageError(Problem("sample-budget", message, expected=f"at least {len(strata.sizes)}", fix=fix))
    return allocate(importance, strata.sizes, min(budget, int(strata.sizes.sum())), floor=least)


Ends = tuple[float | None, float | None]
"""The lowest and the highest value; None where undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class AuditAnswers:
    """The answers of judges in each stratum, with those that cheap votes add."""

    sample: Sample
    assisted: AssistedTotals | None = None


def plain_totals(strata: AuditStrata, heard: AuditAnswers) -> Floats:
    """Valid edits of each stratum."""
    n, x = heard.sample.n, heard.sample.x
    totals = strata.sizes * np.where(n > 0, x / np.maximum(n, 1), x.sum() / n.sum())
    if heard.assisted is None:
        return np.asarray(totals)
    return np.where(np.isnan(heard.assisted.totals), totals, np.clip(heard.assisted.totals, 0, strata.sizes))


def extreme_values(strata: AuditStrata, heard: Sequence[AuditAnswers]) -> tuple[list[Ends], list[Ends]]:
    """The lowest and highest audited precision of every system, and difference of every two, over what may be found.

    Each stratum has the fewest valid edits of what was ``heard``, or the most, whichever makes the value extreme.
    """
    totals = np.array([plain_totals(strata, answers) for answers in heard])
    low, high = totals.min(axis=0), totals.max(axis=0)
    weights, systems = strata.weights(), strata.systems

    def ends(base: float, weight: Floats) -> Ends:
        up, down = np.maximum(weight, 0.0), np.maximum(-weight, 0.0)
        return base + float(up @ low - down @ high), base + float(up @ high - down @ low)

    base = [system.correct / system.proposed if system.proposed else None for system in systems]
    alone = [(None, None) if share is None else ends(share, weights[at]) for at, share in enumerate(base)]
    pairs = list[Ends]()
    for a, b in combinations(range(len(systems)), 2):
        first, second = base[a], base[b]
        known = first is not None and second is not None
        pairs.append(ends((first or 0.0) - (second or 0.0), weights[a] - weights[b]) if known else (None, None))
    return alone, pairs


# Audited precision: the official one, and what judges found valid among the edits that match no annotator.
#
# Formula
#     A system proposes P edits, C of them match. Its u = P − C others are items of one frame, the union over all
#     systems; strata are the patterns of systems that propose an item (and bands of a proxy). Of the N_h items of
#     stratum h, n_h were drawn without replacement and judged, with the mean ȳ_h (1: valid). V = Σ N_h ȳ_h over the
#     strata that the system proposes. P' = (C + V) / P; Var P' = Σ N_h² (1/n_h − 1/N_h) s_h² / P². Difference of A and
#     B: the same with the weights flag_A / P_A − flag_B / P_B in place of flag / P. F' = (1 + β²) P' R / (β² P' + R),
#     with the official R. Recall if every valid edit is an error that the annotators missed: (C + V) / (G + V); if each
#     is another correction of an error that they marked: (C + V) / G. G: edits of the annotators chosen. Judges drawn
#     anew: V_J = (m − 1)/m Σ (P'(−j) − mean)², P'(−j) without what judge j of m said; over edits and judges the
#     variance is Var P' + V_J, with t of V² / (Var² / (n − H) + V_J² / (m − 1)) degrees of freedom, n edits judged in H
#     strata of the system. With votes of a crowd or a model on many items, Σ N_h ȳ_h and its variance are those of
#     ``assisted_total``.
# Conventions
#     Values are plain. Intervals take smoothed rates, half a valid edit and half another in all strata of the system
#     together, shared by size, z of the level; they end at C / P and 1. In a difference the strata that are added up
#     share one half, those that are taken off another. A stratum of which one item was judged takes the smoothed
#     variance; one of which none was judged takes the share of all judged edits, and the variance of edits that are all
#     alike; a system none of whose edits was judged has no value. Where all judged edits of a system were valid, or
#     none, the exact interval (``unlike_bound``), or this one where it is wider, is taken; a difference of A and B has
#     its ends in √((m_A − l_A)² + (u_B − m_B)²) below the middle and the like above. Where everything was judged there
#     is no interval over edits. An edit that matches another annotator than the one whom its sentence is scored against
#     is unmatched, too. The items of a stratum are drawn in an order that their own names and a seed fix, so that an
#     item judged in one audit comes as early in the next. What cannot be said: errors that no system proposed stay
#     unseen, so recall has no interval, only two ends. V_J holds what judges say of single edits by chance, which is in
#     Var P' too, and is not taken off: the interval over both is wide where each edit has one judge. The jackknife of
#     few is an approximation: two or three judges that all see every edit are too few for it
#     (docs/measurements/audit.md has figures).
# Source
#     Cochran 1977, Sampling Techniques, chapters 2 (finite populations), 4 (sizes) and 5 (strata). Ng et al. 2014, The
#     CoNLL-2014 shared task on grammatical error correction (alternative answers). Permanent random numbers: Ohlsson
#     1995, Coordination of samples using permanent random numbers, in Business Survey Methods. Jackknife: Efron & Stein
#     1981; degrees of freedom: Satterthwaite 1946; votes: as in ``prediction_powered``. Square-and-add: Newcombe 1998,
#     Interval estimation for the difference between independent proportions.


MANY = 50
"""Times its size a stratum has where the interval is to be as if it had no end."""


@dataclass(frozen=True, slots=True)
class AuditedSystem:
    """The results of an audit for a system."""

    system: OfficialCounts
    valid: float | None  # V; None: none of its unmatched edits was judged
    official: tuple[float | None, float | None, float | None]  # P, R and F; None where undefined
    precision: Estimate  # P'
    f: Estimate  # F', with R unchanged
    judges: Estimate  # P' with its interval over edits and judges
    recall_if_new: float | None  # if valid edits are errors that nobody marked
    recall_if_other: float | None  # if they are other corrections of marked errors


@dataclass(frozen=True, slots=True)
class AuditedDifference:
    """Audited precision of the first system minus that of the second, and the official difference."""

    first: str
    second: str
    official: float | None
    audited: Estimate
    judges: Estimate  # with its interval over edits and judges


def estimate_audit(
    strata: AuditStrata,
    heard: AuditAnswers,
    *,
    without: Sequence[AuditAnswers] = (),
    beta: float = 0.5,
    level: float = 0.95,
) -> tuple[list[AuditedSystem], list[AuditedDifference]]:
    """Audited precision of every system, and the differences of every two.

    Args:
        strata: What was sampled from.
        heard: What was judged.
        without: The same without each of two or more judges.
        beta: Weight of recall in F.
        level: Confidence level of intervals.

    Raises:
        UsageError: If nothing was judged, or counts do not fit.
    """
    n, x = heard.sample.n, heard.sample.x
    for name, size, judged, valid in zip(strata.names, strata.sizes.tolist(), n.tolist(), x.tolist(), strict=True):
        if not 0 <= valid <= judged <= size:
            message = f"{valid:g} valid of {judged} judged of {size} edits in stratum '{name}'"
            raise UsageError(Problem("audit-counts", message, expected="0 <= valid <= judged <= edits"))
    if not n.any():
        raise UsageError(Problem("audit-counts", "no edit was judged", expected="at least 1"))
    totals = _ValidTotals(strata, heard, without, level)
    weights = strata.weights()
    base = [system.correct / system.proposed if system.proposed else None for system in strata.systems]
    systems = [_system(system, totals, weights[at], beta) for at, system in enumerate(strata.systems)]
    differences = []
    for first, second in combinations(range(len(systems)), 2):
        official = (base[first] or 0.0) - (base[second] or 0.0) if None not in (base[first], base[second]) else None
        value = both = Estimate(None, int(n.sum()), undefined=Undefined.NOT_COMPARABLE)
        if official is not None and totals.has_judged(weights[first]) and totals.has_judged(weights[second]):
            value, both = totals.estimate_sum(official, weights[first] - weights[second], -1.0, 1.0)
        differences.append(
            AuditedDifference(strata.systems[first].name, strata.systems[second].name, official, value, both)
        )
    return systems, differences


class _ValidTotals:
    """Valid edits of each stratum, plain and smoothed; plain without each judge."""

    def __init__(self, strata: AuditStrata, heard: AuditAnswers, without: Sequence[AuditAnswers], level: float) -> None:
        self.strata, self.heard, self.level, self.plain = strata, heard, level, plain_totals(strata, heard)
        self.left = np.array(
            [plain_totals(strata, part) for part in without if part.sample.n.any()]
        )  # (judges, strata)

    def has_judged(self, weights: Floats) -> bool:
        """Whether an edit was judged in one of the strata with weights, or there is none."""
        return bool(self.heard.sample.n[weights != 0].any() or not weights.any())

    def smooth_totals(self, used: NDArray[np.bool_]) -> Totals:
        """Smoothed totals and their variances, where the strata that are used share what is added."""
        sample, sizes = self.heard.sample, self.strata.sizes.astype(np.float64)
        n, x, share = sample.n, sample.x, np.where(used, sizes, 0.0) / max(sizes[used].sum(), 1.0)
        seen, most = n > 0, np.maximum(n, 1)
        rate = np.where(seen, (x + share / 2) / (most + share), (x.sum() + 0.5) / (n.sum() + 1))
        square = rate * (1 - rate) * (1.0 if sample.spread is None else np.where(n > 1, sample.spread, 1.0))
        drawn = 1.0 if sample.corrected is None else sample.corrected  # else nothing is taken off for a finite stratum
        spread = (1 / most - drawn / sizes) * n / np.maximum(n - 1, 1)
        variances = sizes**2 * square * np.where(seen, spread, 1.0)
        if sample.within is not None:
            variances = variances + sizes * sample.within
        smoothed = x + (sizes - n) * rate
        if self.heard.assisted is None:
            return smoothed, variances
        plain = plain_totals(self.strata, AuditAnswers(sample))
        return assisted_totals(self.heard.assisted, self.strata, (plain, variances), (smoothed, variances))[1]

    def estimate_sum(self, base: float, weights: Floats, low: float, high: float) -> tuple[Estimate, Estimate]:
        """A base and a weighted sum of valid edits with its interval over edits, and with that over judges too.

        Intervals are cut at two ends.
        """
        n, m = self.heard.sample.n[weights != 0], len(self.left)
        value = Estimate(base + float(weights @ self.plain), int(n.sum()))
        plus, minus = (self._side(np.maximum(sign * weights, 0.0)) for sign in (1.0, -1.0))
        middle, variance = base + plus.middle - minus.middle, plus.variance + minus.variance
        below, above = plus.below + minus.above, plus.above + minus.below

        def cut_interval(half: float, method: str) -> Interval | Undefined:
            first, last = (sqrt(max(half**2 + change, 0.0)) for change in (below, above))
            ends = max(middle - first, low), min(middle + last, high)
            if (below or above) and value.value is not None:  # an exact end may be the value, but for rounding
                ends = min(ends[0], value.value), max(ends[1], value.value)
            return Interval(*ends, self.level, method) if first + last > 0 else Undefined.ZERO_WIDTH

        alike = "exact, all alike" if not (weights < 0).any() else "square-and-add, exact where all alike"
        half = z_value(self.level) * sqrt(variance)
        alone = value.with_interval(cut_interval(half, alike if below or above else "wald, stratified"))
        if m < 2:
            return alone, value.with_interval(Undefined.ONE_JUDGE)
        left = self.left @ weights
        half = t_half_width([(variance, max(int((n - (n > 0)).sum()), 1)), (jackknife(left), m - 1)], self.level)
        return alone, value.with_interval(cut_interval(half, "edits + jackknife over judges, t"))

    def _side(self, weights: Floats) -> _Side:
        """One side of a difference, added up or taken off; no weight is negative."""
        used, sample = weights > 0, self.heard.sample
        totals, variances = self.smooth_totals(used)
        middle, variance = float(weights @ totals), float(weights**2 @ variances)
        n, x, sizes = sample.n[used], sample.x[used], self.strata.sizes[used]
        if not n.any() or x.sum() not in (0, n.sum()):
            return _Side(middle, variance)
        many = 1 if sample.corrected is None else np.where(sample.corrected[used] > 0, 1, MANY)
        unlike = unlike_bound(sizes * many, n, weights[used] / many, self.level)
        square = z_value(self.level) ** 2 * variance
        if not x.any():  # the end that is known is that; the other is the wider one
            return _Side(middle, variance, middle**2 - square, max((unlike - middle) ** 2 - square, 0.0))
        remainder = float(weights[used] @ sizes) - middle
        return _Side(middle, variance, max((unlike - remainder) ** 2 - square, 0.0), remainder**2 - square)


@dataclass(frozen=True, slots=True)
class _Side:
    """A weighted sum of valid edits, and what exact ends change of the squares of its distances below and above."""

    middle: float
    variance: float
    below: float = 0.0
    above: float = 0.0


def _system(system: OfficialCounts, totals: _ValidTotals, weights: Floats, beta: float) -> AuditedSystem:
    C, P, G = system.correct, system.proposed, system.gold
    valid = float((weights * max(P, 1)) @ totals.plain)
    recall = C / G if G else None
    if not P:
        nothing = Estimate(None, 0, undefined=Undefined.NOTHING_PROPOSED).with_interval(Undefined.NOTHING_PROPOSED)
        return AuditedSystem(system, 0.0, (None, recall, None), nothing, nothing, nothing, recall, recall)
    official = (C / P, recall, _f_of(C / P, recall, beta))
    if not totals.has_judged(weights):
        nothing = Estimate(None, 0, undefined=Undefined.NO_UNITS).with_interval(Undefined.NO_UNITS)
        return AuditedSystem(system, None, official, nothing, nothing, nothing, None, None)
    precision, both = totals.estimate_sum(C / P, weights, C / P, 1.0)
    f = audited_f(precision, recall, beta)
    new = (C + valid) / (G + valid) if G + valid else None
    return AuditedSystem(system, valid, official, precision, f, both, new, min((C + valid) / G, 1.0) if G else None)


def audited_f(precision: Estimate, recall: float | None, beta: float) -> Estimate:
    """F of an audited precision and the official recall: its ends are those of the precision."""
    interval, value = precision.interval, _f_of(precision.value, recall, beta)
    f = Estimate(value, precision.n_units, undefined=None if value is not None else Undefined.NOTHING_IN_REFERENCE)
    ends = None if interval is None else (_f_of(interval.low, recall, beta), _f_of(interval.high, recall, beta))
    if interval is not None and ends is not None and None not in ends:
        return f.with_interval(Interval(ends[0] or 0.0, ends[1] or 0.0, interval.confidence_level, interval.method))
    return f.with_interval(precision.no_interval or Undefined.NOTHING_IN_REFERENCE)


def _f_of(p: float | None, recall: float | None, beta: float) -> float | None:
    if p is None or recall is None or not p + recall:
        return None
    return (1 + beta**2) * p * recall / (beta**2 * p + recall)
