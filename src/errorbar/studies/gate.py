"""Is a new system worse than the old one by more than is allowed: what ``errorbar compare --fail-if-worse`` decides.

Formula
    Of the first system and each other, the interval of other - first, in the direction in which more is better: the
    other is worse if the upper end lies below -allowed. A loss is excluded if the lower end does not.
Conventions
    The interval is the one on which the comparison rests: over texts and judges, or runs, where these are drawn anew,
    else over texts. It is not adjusted for the number of systems. Two that score alike pass; where there is no
    interval for another reason nothing is decided, and that is no pass.
Source
    The decision by an interval and a margin is that of non-inferiority trials, turned round: ICH E9 (1998), 3.3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Literal

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.metrics.base import Measure
from errorbar.metrics.comparison import Comparison
from errorbar.metrics.verdicts import Pair
from errorbar.tables.table import Cell, Column, Table

Outcome = Literal["worse", "loss not excluded", "loss excluded", "score alike", "no interval"]
_SHOWN: dict[Outcome, str] = {
    "worse": "FAIL: worse",
    "loss not excluded": "pass: loss not excluded",
    "loss excluded": "pass: loss excluded",
    "score alike": "pass: score alike",
    "no interval": "not decided: no interval",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One system beside the first: what the interval of their difference says of a loss."""

    system: str
    change: float | None  # the system's value less the first's; None where one of them has none
    interval: Interval | Undefined  # of the change
    outcome: Outcome
    sentence: str  # the decision, and what could not be seen


@dataclass(frozen=True, slots=True)
class Gate:
    """What was decided of every system but the first.

    Attributes:
        baseline: The first system, beside which the others stand.
        allowed: The loss that is allowed, in the unit of the measure: a fraction where it is shown in percent.
        measure: What is compared.
        over: What the intervals are over: ``texts``, ``texts and judges``, ``texts and runs`` ...
        confidence: Their confidence level.
        checks: The others, in the order of the input.
    """

    baseline: str
    allowed: float
    measure: Measure
    over: str
    confidence: float
    checks: Sequence[Check]

    @property
    def failed(self) -> bool:
        """Whether a system is worse by more than is allowed."""
        return any(each.outcome == "worse" for each in self.checks)

    @property
    def undecided(self) -> bool:
        """Whether of some system nothing can be said, for want of an interval."""
        return any(each.outcome == "no interval" for each in self.checks)

    @property
    def amount(self) -> str:
        """The loss that is allowed, as it is told: ``0.5 points of F0.5``."""
        scale, unit = (100, " points") if self.measure.kind == "percent" else (1, "")
        return f"{scale * self.allowed:g}{unit} of {self.measure.title}"

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "baseline": self.baseline,
            "allowed": self.allowed,
            "measure": self.measure.name,
            "over": self.over,
            "confidence": self.confidence,
            "failed": self.failed,
            "checks": [
                {
                    "system": each.system,
                    "change": each.change,
                    "interval": _record(each.interval),
                    "outcome": each.outcome,
                    "sentence": each.sentence,
                }
                for each in self.checks
            ],
        }

    def table(self) -> Table:
        """A row for each system, its change with the interval that decides; the sentences below."""
        columns = [
            Column("system"),
            Column(f"{self.measure.title} change", self.measure.kind, "change", signed=True, interval="beside"),
            Column("gate", key="outcome"),
        ]
        rows: list[list[Cell]] = [[each.system, _estimate(each), _SHOWN[each.outcome]] for each in self.checks]
        title = self.measure.title
        points = ", in points" if self.measure.kind == "percent" else ""
        legend = f"{title} change: {title} of the system minus {title} of {self.baseline}{points}; over {self.over}"
        notes = [legend, *(each.sentence for each in self.checks)]
        return Table(columns, rows, f"Worse by more than {self.amount}?", "gate", notes, self.confidence)


def allowed_loss(points: float | None, *, intervals: bool) -> float | None:
    """The loss that is allowed, as it was given; ``UsageError`` if it is none, or without intervals."""
    if points is None:
        return None
    if not (isfinite(points) and points >= 0):
        what = f"fail_if_worse must be a loss in points, 0 or more, got {points:g}"
        raise UsageError(Problem("bad-parameter", what, fix="half a point is 0.5"))
    if not intervals:
        what = "--fail-if-worse decides by an interval, and --no-ci asks for none"
        raise UsageError(Problem("two-views", what, fix="leave one of them out"))
    return points


def gate(found: Comparison, points: float, confidence: float, unit: str) -> Gate:
    """Decide of every system but the first whether it is worse by more than ``points``.

    Points are what tables show: of percent where the measure is, else the measure's own unit.
    """
    measure = found.measure
    allowed = points / 100 if measure.kind == "percent" else points
    made = Gate(found.names[0], allowed, measure, found.test.over_text, confidence, ())
    with_first = found.pairs[: len(found.names) - 1]  # pairs come in the order of itertools.combinations
    checks = [_check(pair, made, unit) for pair in with_first]
    return Gate(made.baseline, allowed, measure, made.over, confidence, checks)


def _check(pair: Pair, made: Gate, unit: str) -> Check:
    """The decision on the second of a pair whose first is the baseline."""
    verdict, of_first = pair.verdict, pair.verdict.interval
    change = None if isnan(verdict.difference) else 0.0 - verdict.difference  # no negative zero
    outcome: Outcome
    if verdict.result == "score alike":
        interval: Interval | Undefined = Undefined.NO_DISAGREEMENT
        outcome = "score alike"
    elif not isinstance(of_first, Interval):
        interval = of_first if of_first is not None else Undefined.NO_VALUE
        outcome = "no interval"
    else:
        interval = Interval(-of_first.high, -of_first.low, of_first.confidence_level, of_first.method)
        outcome = _outcome(*_gains(interval, made.measure), made.allowed)
    return Check(pair.second, change, interval, outcome, _sentence(pair, change, interval, outcome, made, unit))


def _gains(interval: Interval, measure: Measure) -> tuple[float, float]:
    """The ends of an interval of a change, the worse one first: more is better."""
    low, high = sorted((measure.sign * interval.low, measure.sign * interval.high))
    return low, high


def _outcome(low: float, high: float, allowed: float) -> Outcome:
    if high < -allowed:
        return "worse"
    return "loss not excluded" if low < -allowed else "loss excluded"


def _sentence(
    pair: Pair, change: float | None, interval: Interval | Undefined, outcome: Outcome, made: Gate, unit: str
) -> str:
    """The decision, and what could not be seen."""
    first, system = pair.first, pair.second
    if outcome == "score alike":
        return f"{system} is not worse than {first}: the two score alike in every {unit}."
    if isinstance(interval, Undefined):
        return (
            f"Whether {system} is worse than {first} by more than {made.amount} is not decided: there is no interval "
            f"({interval})."
        )
    reach = f"{100 * made.confidence:g}% interval over {made.over}: {_number(interval.low, made)} to "
    reach += _number(interval.high, made)
    changed = f"{made.measure.title} changes by {_number(change or 0.0, made)} ({reach})"
    if outcome == "worse":
        return f"{system} is worse than {first} by more than {made.amount}: {changed}."
    if outcome == "loss excluded":
        return f"{system} is not worse than {first} by more than {made.amount}: {changed}, which excludes such a loss."
    worst = abs(_gains(interval, made.measure)[0])
    more = " or ".join([f"{unit}s", *pair.test.over[1:]])  # what would make the interval shorter
    return (
        f"{system} is not shown to be worse than {first} by more than {made.amount}, but such a loss cannot be "
        f"excluded: {changed}, so that a loss of up to {_number(worst, made, signed=False)} is possible; more "
        f"{more} would tell."
    )


def _number(value: float, made: Gate, *, signed: bool = True) -> str:
    """A change as tables show it."""
    scale, digits = (100, 2) if made.measure.kind == "percent" else (1, 4)
    return f"{scale * value:{'+' if signed else ''}.{digits}f}"


def _estimate(check: Check) -> Estimate:
    return Estimate(check.change, 0).with_interval(check.interval)


def _record(interval: Interval | Undefined) -> dict[str, object]:
    if isinstance(interval, Undefined):
        return {"low": None, "high": None, "reason": str(interval)}
    return {"low": interval.low, "high": interval.high, "method": interval.method}
