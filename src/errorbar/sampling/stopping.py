"""May one stop judging: is a share known well enough, or a question decided? From counts alone.

Formula
    Width rule: stop once the half-width of Wilson's interval of the share is at most the wanted one; of a finite
    stratum of N items n judged ones count as n (N − 1) / (N − n). Judgments that are still needed: the fewest n of
    which Wilson's interval would be narrow enough at the share seen so far.
    Verdict rule: stop once the interval that may always be looked at (``stats.anytime``: prior–posterior ratio of
    a finite stratum, beta of an endless stream) does not hold the threshold.
Conventions
    Stopping on the width alone is harmless, because the width hardly tells where the share is: the plain interval keeps
    its coverage (.94 to .96). Stopping on what the interval says is not, so that rule takes the wider interval. Ties
    and abstentions are left out of both counts. What is saved is counted against the plan, in judgments and in
    minutes.
Source
    Chow & Robbins 1965, On the asymptotic theory of fixed-width sequential confidence intervals for the mean, Annals of
    Mathematical Statistics 36, and Kelley, Darku & Chattopadhyay 2018, Accuracy in parameter estimation for a general
    class of effect sizes: a sequential approach, Psychological Methods 23(2), for stopping on the width; else
    ``stats.anytime``.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.sampling.audit import AuditAnswers, AuditStrata, estimate_audit
from errorbar.sampling.frame import Quantity, Sample, Strata, Totals, estimated_totals
from errorbar.stats.anytime import (
    LEAST,
    MOST_LOOKS,
    endless_share_bounds,
    finite_bounds_of,
    finite_evidence,
    finite_share_bounds,
    look_boundaries,
    nominal_level,
    running_factor,
)
from errorbar.stats.proportion import proportion_bounds
from errorbar.stats.resampling import tails

Reason = Literal["narrow enough", "decided", "all judged", "go on"]
MOST_NEEDED = 10**9
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of judged items of one stratum, or of one endless stream."""

    positive: int  # errors, valid edits, wins
    judged: int  # items with a verdict, ties and abstentions left out
    size: int | None = None  # items there are; None: an endless stream

    def __post_init__(self) -> None:
        if not 0 <= self.positive <= self.judged <= (self.judged if self.size is None else self.size):
            message = f"{self.positive} positive of {self.judged} judged of {self.size} items"
            raise UsageError(Problem("anytime-counts", message, expected="0 <= positive <= judged <= all"))


@dataclass(frozen=True, slots=True)
class StopRule:
    """When to stop; raises ``UsageError`` unless one of the two is given, and possible."""

    half_width: float | None = None  # wanted, of the share
    threshold: float | None = None  # the question is whether the share is above or below: .5 for win rates
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        width, threshold = self.half_width, self.threshold
        fits = (width is None) != (threshold is None)
        fits &= (width is None or width > 0) and (threshold is None or 0 < threshold < 1)
        if not fits:
            message = f"a half-width of {width} and a threshold of {threshold}"
            raise UsageError(Problem("stop-rule", message, expected="a half-width above 0, or a threshold from 0 to 1"))

    def settled(self, interval: Interval) -> bool:
        """Whether an interval is as narrow as wanted, or does not hold the threshold."""
        if self.half_width is not None:
            return (interval.high - interval.low) / 2 <= self.half_width + ROUNDING
        assert self.threshold is not None
        return not interval.low <= self.threshold <= interval.high


@dataclass(frozen=True, slots=True)
class Budget:
    """The number that had been planned, against which the saving is counted."""

    items: int  # to be judged in all
    raters: int = 1  # judgments of each item
    minutes: float | None = None  # of one judgment; None: not known


@dataclass(frozen=True, slots=True)
class Stopping:
    """Whether to stop, and what that saves."""

    stop: bool
    reason: Reason
    interval: Interval  # that the rule rests on
    needed: int | None  # items in all until it is narrow enough, at the share seen so far; None: not known
    saved_judgments: int  # of the plan; 0 while going on
    saved_minutes: float | None  # None: no minutes are known


def may_stop(tally: Tally, rule: StopRule, budget: Budget) -> Stopping:
    """Whether judging may stop.

    Args:
        tally: What was judged so far, in random order.
        rule: When to stop.
        budget: What had been planned.

    Returns:
        ``narrow enough`` by the width rule, ``decided`` by the verdict rule, ``all judged`` where the stratum or the
        plan is used up, else ``go on``.
    """
    spent = tally.judged == tally.size or tally.judged >= budget.items
    by_width = rule.half_width is not None
    interval = tally_interval(tally, rule.confidence_level, anytime=not by_width)
    known: Reason = "narrow enough" if by_width else "decided"
    reason: Reason = known if rule.settled(interval) else "all judged" if spent else "go on"
    needed = _items_needed(tally, rule)
    stop = reason != "go on"
    saved = max(budget.items - tally.judged, 0) * budget.raters if stop else 0
    return Stopping(stop, reason, interval, needed, saved, None if budget.minutes is None else saved * budget.minutes)


def tally_interval(tally: Tally, level: float, *, anytime: bool) -> Interval:
    """The interval of a share: one that may always be looked at, or Wilson's of a single look."""
    if not anytime:
        return Interval(*_wilson_ends(tally.positive, tally.judged, tally.size, level), level, "wilson")
    if tally.size is None:
        low, high = endless_share_bounds(tally.positive, tally.judged, confidence_level=level)
        return Interval(float(low), float(high), level, "anytime, beta")
    few, many = finite_share_bounds(tally.positive, tally.judged, tally.size, confidence_level=level)
    size = max(tally.size, 1)
    return Interval(int(few) / size, int(many) / size, level, "anytime, prior-posterior")


def _wilson_ends(positive: float, judged: int, size: int | None, level: float) -> tuple[float, float]:
    if not judged:
        return 0.0, 1.0
    if size == judged:
        return positive / judged, positive / judged
    more = 1.0 if size is None else (size - 1) / (size - judged)
    low, high = proportion_bounds(positive * more, judged * more, confidence_level=level)
    return float(low), float(high)


def _items_needed(tally: Tally, rule: StopRule) -> int | None:
    """The fewest items of which the interval would be narrow enough; None without a judgment."""
    if not tally.judged or rule.half_width is None:
        return None
    share, most = tally.positive / tally.judged, MOST_NEEDED if tally.size is None else tally.size
    wanted = rule.half_width

    def narrow(n: int) -> bool:
        low, high = _wilson_ends(share * n, n, tally.size, rule.confidence_level)
        return high - low <= 2 * wanted

    fewest = bisect_left(range(1, most), True, key=narrow) + 1
    return fewest if tally.size is not None or narrow(fewest) else None


# Intervals of P, R, F and numbers of errors that may be looked at after every judgment.
#
# Formula
#     ``prior-posterior``: R_h(M_h) is the ratio of prior to posterior of stratum h (``stats.anytime``). Strata are
#     judged independently, so Π R_h over those that the quantity depends on is a martingale too: kept are all (M_1, …,
#     M_H) with Σ ln R_h(M_h) < ln(1/α), and the interval goes from the smallest to the largest value of the quantity
#     among them. −ln hyp is convex in M, so the least Σ ln R_h for a given number of hits (or of misses) is found by
#     joining the steps of all strata in the order of their slopes; and P, R and F grow with the hits and, R and F, fall
#     with the misses. ``asymptotic``: θ̂ ± c SE with the factor c of ``stats.anytime``; θ̂ and SE from totals with half
#     an error more on each side (``totals``), which keeps SE above 0.
# Conventions
#     One stratum: prior-posterior. Several: asymptotic, from 60 judged items on and where at least ten errors and ten
#     others were judged on each side that the quantity depends on; before that prior-posterior, which always holds but
#     is about a third wider. Strata that are judged whole do not count. Graded truths and ties of raters: asymptotic
#     only. A stratum may be judged as much as one likes in reaction to what was seen. More than 2,000 numbers of errors
#     of a stratum are looked at in 2,000 steps.
# Source
#     Waudby-Smith & Ramdas 2020, NeurIPS 33; products of martingales of strata: Spertus & Stark 2022, Sweeter than
#     SUITE, E-Vote-ID. Waudby-Smith et al. 2024, Annals of Statistics 52(6).


SEEN = 10
"""Errors, and others, that must have been judged on a side before the asymptotic interval is trusted."""
_STEPS = 2000
_ROUNDING = 1e-6


WANTED = 0.05
"""The half-width that is wanted where nobody says."""


@dataclass(frozen=True, slots=True)
class Anytime:
    """Intervals that may be seen after every judgment."""

    half_width: float = WANTED  # wanted, chosen beforehand: where asymptotic intervals are narrowest in comparison

    def __str__(self) -> str:
        return "anytime"


@dataclass(frozen=True, slots=True)
class Look:
    """One of several planned looks, equally spaced; raises ``UsageError`` if there is no such look."""

    at: int  # from 1
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.at <= self.of <= MOST_LOOKS:
            expected = f"the number of this look and of all, up to {MOST_LOOKS}, e.g. 2/5"
            raise UsageError(Problem("look-number", f"look {self.at} of {self.of}", expected=expected))

    def nominal(self, confidence_level: float) -> float:
        """The level of a plain interval at this look, by O'Brien and Fleming's boundary."""
        return nominal_level(_boundaries(self.of, confidence_level)[self.at - 1])

    def __str__(self) -> str:
        return f"look {self.at} of {self.of}"


@cache
def _boundaries(looks: int, confidence_level: float) -> tuple[float, ...]:
    """O'Brien and Fleming's, which every row of a result asks for."""
    return tuple(look_boundaries(looks, confidence_level=confidence_level).tolist())


def anytime_interval(
    quantity: Quantity, sample: Sample, smoothed: Totals, how: Anytime, confidence_level: float
) -> Interval | Undefined:
    """The interval of P, R, F or Q, or why there is none."""
    low, high, method = anytime_bounds(quantity, sample, smoothed, how, confidence_level)
    if np.isnan(low):
        return Undefined.TOO_FEW_UNITS
    return Interval(low, high, confidence_level, method) if low < high else Undefined.ZERO_WIDTH


def anytime_bounds(
    quantity: Quantity, sample: Sample, smoothed: Totals, how: Anytime, confidence_level: float
) -> tuple[float, float, str]:
    """Both ends and the method; NaN where graded truths are too few."""
    sides = [quantity.flags] if quantity.name == "P" else [~quantity.flags] if quantity.name == "Q" else []
    sides = sides or [quantity.flags, ~quantity.flags]
    exact = sample.is_binary and sample.within is None
    several = sum(int(side.sum()) for side in sides) > 1
    if is_trusted(sample, quantity.strata, sides) and (several or not exact):
        value, error = float(quantity.value(smoothed[0])), float(quantity.standard_error(*smoothed))
        half = error * float(running_factor(max(error, 1e-12), how.half_width, confidence_level=confidence_level))
        return max(value - half, 0.0), min(value + half, 1.0), "anytime, asymptotic"
    if not exact:
        return np.nan, np.nan, ""
    return *joint_bounds(quantity, sample, confidence_level), "anytime, prior-posterior"


def anytime_difference(
    value: float, error: float, sample: Sample, strata: Strata, how: Anytime, confidence_level: float
) -> Interval | Undefined:
    """The asymptotic interval of a difference of two systems, or why there is none."""
    if not is_trusted(sample, strata, [flags == side for flags in strata.flags for side in (True, False)]):
        return Undefined.TOO_FEW_UNITS
    if not error > 0:
        return Undefined.ZERO_WIDTH
    half = error * float(running_factor(error, how.half_width, confidence_level=confidence_level))
    return Interval(max(value - half, -1.0), min(value + half, 1.0), confidence_level, "anytime, asymptotic")


def anytime_audit(
    strata: AuditStrata, heard: AuditAnswers, system: int, *, how: Anytime, level: float = 0.95
) -> Estimate:
    """Audited precision of one system with an interval that may be seen after every judgment.

    Args:
        strata: What was sampled from.
        heard: What was judged; each item is valid or not.
        system: Its number.
        how: The half-width that is wanted of the precision.
        level: Confidence level.

    Formula
        P' = C / P + (u / P) q, q the share of valid ones among the u items that the system proposes: a share of a
        stratified frame, as P of a sample is. Strata that it does not propose play no part; while one that it does has
        no judged item, prior-posterior.
    """
    n, x = heard.sample.n, heard.sample.x
    value = estimate_audit(strata, heard, level=level)[0][system].precision
    about, used = strata.systems[system], strata.flags[system]
    if value.value is None or not used.any():
        return value.with_interval(Undefined.NOTHING_PROPOSED)
    sizes, share = strata.sizes[used], int(strata.sizes[used].sum()) / about.proposed
    # One more item, of the other side and judged: a sample's strata have both.
    flags = np.array([[*[True] * len(sizes), False]])
    both = Strata(("",) * (len(sizes) + 1), np.append(sizes, 1), flags)
    sample = Sample(np.append(n[used], 1), np.append(x[used], 0.0))
    quantity, wanted = Quantity("P", both), Anytime(how.half_width / share)
    if (n[used] == 0).any():
        low, high, method = *joint_bounds(quantity, sample, level), "anytime, prior-posterior"
    else:
        smoothed = estimated_totals(sample, both)
        low, high, method = anytime_bounds(quantity, sample, smoothed, wanted, level)
    if not low < high:
        return value.with_interval(Undefined.ZERO_WIDTH)
    base = about.correct / about.proposed
    return value.with_interval(Interval(base + share * low, base + share * high, level, method))


def is_trusted(sample: Sample, strata: Strata, sides: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Whether enough was judged for the asymptotic interval; strata that are judged whole add no uncertainty.

    Of many samples at once if they have leading dimensions: their shape.
    """
    enough = sample.n.sum(axis=-1) >= LEAST
    for side in sides:
        unsure = side & (sample.n < strata.sizes)
        errors, others = (np.where(unsure, counts, 0).sum(axis=-1) for counts in (sample.x, sample.n - sample.x))
        enough &= ~unsure.any(axis=-1) | (np.minimum(errors, others) >= SEEN)
    return np.asarray(enough)


def joint_bounds(quantity: Quantity, sample: Sample, confidence_level: float) -> tuple[float, float]:
    """Both ends of the quantity where no (M_1, …, M_H) with too much evidence against it counts."""
    limit, flags = -np.log(2 * tails(confidence_level)[0]), quantity.flags
    if quantity.name in ("P", "Q"):
        side = flags if quantity.name == "P" else ~flags
        totals, against = _least_evidence(quantity, sample, side, side, limit)
        kept = totals[against < limit]
        size = quantity.strata.sizes[side].sum()
        return float(kept.min() / size), float(kept.max() / size)
    every = np.ones(len(flags), np.bool_)
    hits, against_hits = _least_evidence(quantity, sample, flags, every, limit)
    misses, against = _least_evidence(quantity, sample, ~flags, every, limit)
    best = int(against.argmin())
    room = limit - against_hits
    inside = room >= against[best]
    # On either side of its least value the evidence is monotone.
    fewest = np.interp(room, against[: best + 1][::-1], misses[: best + 1][::-1])[inside]
    most = np.interp(room, against[best:], misses[best:])[inside]
    fewest, most = np.ceil(fewest - _ROUNDING), np.floor(most + _ROUNDING)  # there are no parts of an error
    whole = fewest <= most
    hits = hits[inside][whole]
    return _least(quantity, hits, most[whole]), -_least(quantity, hits, fewest[whole], -1.0)


def _least(quantity: Quantity, hits: Floats, misses: Floats, sign: float = 1.0) -> float:
    """The smallest value of R or F (sign −1: of its negative) over pairs of hits and misses."""
    errors, square = hits + misses, quantity.beta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        values = hits / errors if quantity.name == "R" else (1 + square) * hits / (square * errors + quantity.flagged)
    known = values[~np.isnan(values)]
    return float((sign * known).min()) if len(known) else sign * (0.0 if sign > 0 else 1.0)


def _least_evidence(
    quantity: Quantity, sample: Sample, side: NDArray[np.bool_], every: NDArray[np.bool_], limit: float
) -> tuple[Floats, Floats]:
    """Errors on a side, rising, and the least evidence against so many, over all ways to share them among strata.

    ``every``: the strata of the quantity, of which each leaves the others room by the evidence for it.
    """
    x, n, sizes = sample.x.astype(np.int64), sample.n, quantity.strata.sizes
    peak = np.clip(np.floor(x * (sizes + 1.0) / np.maximum(n, 1)), x, sizes - n + x)
    least = np.where(every, finite_evidence(x, n, sizes, peak), 0.0)
    steps, slopes, total, start = [], [], 0.0, 0.0
    for at in np.flatnonzero(side).tolist():
        room = limit - float(least.sum() - least[at])
        low, high = (int(end) for end in finite_bounds_of(x[at], n[at], sizes[at], room))
        nodes = np.unique(np.rint(np.append(np.linspace(low, high, _STEPS), peak[at])))
        against = finite_evidence(x[at], n[at], sizes[at], nodes)
        total, start = total + float(nodes[0]), start + float(against[0])
        steps.append(np.diff(nodes))
        slopes.append(np.diff(against) / np.diff(nodes))
    step, slope = np.concatenate(steps), np.concatenate(slopes)
    order = np.argsort(slope, kind="stable")
    errors = total + np.concatenate([[0.0], np.cumsum(step[order])])
    return errors, start + np.concatenate([[0.0], np.cumsum((step * slope)[order])])
