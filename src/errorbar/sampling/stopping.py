"""May one stop judging: is a share known well enough, or a question decided? From counts alone.

Formula
    Width rule: stop once the half-width of Wilson's interval of the share is at most the wanted one; of a finite
    stratum of N items n judged ones count as n (N − 1) / (N − n). Judgments that are still needed: the fewest n of
    which Wilson's interval would be narrow enough at the share seen so far.
    Verdict rule: stop once the interval that may always be looked at (``stats.anytime_share``: prior–posterior ratio of
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
    ``stats.anytime_share``.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval
from errorbar.stats.anytime_share import endless_share_bounds, finite_share_bounds
from errorbar.stats.proportion import proportion_bounds

Reason = Literal["narrow enough", "decided", "all judged", "go on"]
MOST_NEEDED = 10**9
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Tally:
    """What was judged of one stratum, or of one endless stream."""

    positive: int  # errors, valid edits, wins
    judged: int  # items with a verdict, ties and abstentions left out
    size: int | None = None  # items there are; None: an endless stream

    def __post_init__(self) -> None:
        if not 0 <= self.positive <= self.judged <= (self.judged if self.size is None else self.size):
            what = f"{self.positive} positive of {self.judged} judged of {self.size} items"
            raise UsageError(Problem("anytime-counts", what, expected="0 <= positive <= judged <= all"))


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
            what = f"a half-width of {width} and a threshold of {threshold}"
            raise UsageError(Problem("stop-rule", what, expected="a half-width above 0, or a threshold from 0 to 1"))

    def settled(self, interval: Interval) -> bool:
        """Whether an interval is as narrow as wanted, or does not hold the threshold."""
        if self.half_width is not None:
            return (interval.high - interval.low) / 2 <= self.half_width + ROUNDING
        assert self.threshold is not None
        return not interval.low <= self.threshold <= interval.high


@dataclass(frozen=True, slots=True)
class Budget:
    """What had been planned, against which the saving is counted."""

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
    needed = _needed(tally, rule)
    stop = reason != "go on"
    saved = max(budget.items - tally.judged, 0) * budget.raters if stop else 0
    return Stopping(stop, reason, interval, needed, saved, None if budget.minutes is None else saved * budget.minutes)


def tally_interval(tally: Tally, level: float, *, anytime: bool) -> Interval:
    """The interval of a share: one that may always be looked at, or Wilson's of a single look."""
    return _anytime(tally, level) if anytime else _wilson(tally, level)


def _anytime(tally: Tally, level: float) -> Interval:
    if tally.size is None:
        low, high = endless_share_bounds(tally.positive, tally.judged, confidence_level=level)
        return Interval(float(low), float(high), level, "anytime, beta")
    few, many = finite_share_bounds(tally.positive, tally.judged, tally.size, confidence_level=level)
    size = max(tally.size, 1)
    return Interval(int(few) / size, int(many) / size, level, "anytime, prior-posterior")


def _wilson(tally: Tally, level: float) -> Interval:
    return Interval(*_wilson_of(tally.positive, tally.judged, tally.size, level), level, "wilson")


def _wilson_of(positive: float, judged: int, size: int | None, level: float) -> tuple[float, float]:
    if not judged:
        return 0.0, 1.0
    if size == judged:
        return positive / judged, positive / judged
    more = 1.0 if size is None else (size - 1) / (size - judged)
    low, high = proportion_bounds(positive * more, judged * more, confidence_level=level)
    return float(low), float(high)


def _needed(tally: Tally, rule: StopRule) -> int | None:
    """The fewest items of which the interval would be narrow enough; None without a judgment."""
    if not tally.judged or rule.half_width is None:
        return None
    share, most = tally.positive / tally.judged, MOST_NEEDED if tally.size is None else tally.size
    wanted = rule.half_width

    def narrow(n: int) -> bool:
        low, high = _wilson_of(share * n, n, tally.size, rule.confidence_level)
        return high - low <= 2 * wanted

    found = bisect_left(range(1, most), True, key=narrow) + 1
    return found if tally.size is not None or narrow(found) else None
