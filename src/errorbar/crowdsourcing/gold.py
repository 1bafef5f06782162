"""Rules that keep, watch or drop a rater after each gold item, and how often such a rule is wrong, exactly.

Formula
    After n gold items with c right:
    sprt: L = c log(good/bad) + (n - c) log((1 - good)/(1 - bad)); keep if L >= log((1 - β)/α), drop if
    L <= log(β/(1 - α)), with α the wanted share of bad raters kept and β of good raters dropped.
    posterior: drop if P(accuracy < threshold | Beta(c + 1, n - c + 1)) > certainty, keep if P(accuracy >= threshold)
    is; from ``least`` gold items on.
    running: drop if c/n < threshold, from ``least`` gold items on; never keeps for good.
    fixed: at n = ``least`` drop if c/n < threshold, else keep.
    The operating characteristic is exact: the distribution of (n, c) of a rater of some accuracy is carried forward
    one gold item at a time, and what a rule has decided stays decided.
Conventions
    A decision is final. Without one the rater is watched. Smoothed trust is (c + 1)/(n + 2).
Source
    Wald 1945 (SPRT); the running threshold is that of crowd platforms, offered for comparison.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import log
from typing import Any, cast

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.stats.proportion import beta_cdf


class Verdict(StrEnum):
    """What to do about a rater."""

    KEEP = "keep"
    WATCH = "watch"
    DROP = "drop"


class Rule(ABC):
    """Decides from the number of gold items and of right answers; a frozen dataclass inherits this."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The rule and its parameters, e.g. ``fixed(threshold=0.7,least=10)``."""
        values = ",".join(f"{key}={value:g}" for key, value in asdict(cast("Any", self)).items())
        return f"{type(self).__name__.lower()}({values})"

    @abstractmethod
    def decide(self, n: int, right: int) -> Verdict:
        """The verdict after n gold items."""


@dataclass(frozen=True, slots=True)
class Sprt(Rule):
    """Wald's sequential probability ratio test of a good against a bad accuracy.

    Attributes:
        good: Accuracy of raters to keep.
        bad: Accuracy of raters to drop.
        error: Wanted share of wrong decisions of either kind.
    """

    good: float = 0.85
    bad: float = 0.60
    error: float = 0.05

    def __post_init__(self) -> None:
        _check(0 < self.bad < self.good < 1, f"bad {self.bad}, good {self.good}", "0 < bad < good < 1")
        _check(0 < self.error < 0.5, f"error {self.error}", "a fraction between 0 and 0.5")

    def decide(self, n: int, right: int) -> Verdict:
        """The verdict after n gold items."""
        ratio = right * log(self.good / self.bad) + (n - right) * log((1 - self.good) / (1 - self.bad))
        bound = log((1 - self.error) / self.error)
        return Verdict.KEEP if ratio >= bound else Verdict.DROP if ratio <= -bound else Verdict.WATCH


@dataclass(frozen=True, slots=True)
class Posterior(Rule):
    """Drop or keep once it is nearly certain on which side of a threshold the accuracy is.

    Attributes:
        threshold: Accuracy that divides.
        certainty: Posterior probability that is enough.
        least: Gold items before the first decision.
    """

    threshold: float = 0.70
    certainty: float = 0.95
    least: int = 4

    def __post_init__(self) -> None:
        _check(0 < self.threshold < 1, f"threshold {self.threshold}", "a fraction")
        _check(0.5 < self.certainty < 1, f"certainty {self.certainty}", "a fraction above 0.5")

    def decide(self, n: int, right: int) -> Verdict:
        """The verdict after n gold items."""
        if n < self.least:
            return Verdict.WATCH
        below = posterior_below(right, n, self.threshold)
        return Verdict.DROP if below > self.certainty else Verdict.KEEP if 1 - below > self.certainty else Verdict.WATCH


@dataclass(frozen=True, slots=True)
class Running(Rule):
    """The running accuracy against a threshold, after every gold item: drops many good raters.

    Attributes:
        threshold: Accuracy below which a rater is dropped.
        least: Gold items before the first decision.
    """

    threshold: float = 0.70
    least: int = 5

    def __post_init__(self) -> None:
        _check(0 < self.threshold < 1, f"threshold {self.threshold}", "a fraction")

    def decide(self, n: int, right: int) -> Verdict:
        """The verdict after n gold items."""
        return Verdict.DROP if n >= self.least and right < self.threshold * n else Verdict.WATCH


@dataclass(frozen=True, slots=True)
class Fixed(Rule):
    """One test after a fixed number of gold items.

    Attributes:
        threshold: Accuracy below which a rater is dropped.
        least: Gold items of the test.
    """

    threshold: float = 0.70
    least: int = 10

    def __post_init__(self) -> None:
        _check(0 < self.threshold < 1, f"threshold {self.threshold}", "a fraction")

    def decide(self, n: int, right: int) -> Verdict:
        """The verdict after n gold items."""
        if n < self.least:
            return Verdict.WATCH
        return Verdict.DROP if right < self.threshold * n else Verdict.KEEP


@dataclass(frozen=True, slots=True)
class Characteristic:
    """How a rule treats raters of one accuracy.

    Attributes:
        rule: Name of the rule.
        accuracy: True accuracy of the raters.
        most: Gold items that a rater gets at most.
        keep: Probability of keeping them within that number.
        drop: Probability of dropping them.
        mean_items: Gold items used, in expectation.
        mean_items_dropped: Gold items used by those who are dropped, in expectation; NaN if nobody is.
    """

    rule: str
    accuracy: float
    most: int
    keep: float
    drop: float
    mean_items: float
    mean_items_dropped: float


def characteristic(rule: Rule, accuracy: float, most: int = 20) -> Characteristic:
    """How often a rule keeps and drops raters of some accuracy, exactly.

    Args:
        rule: The rule.
        accuracy: True accuracy, a fraction.
        most: Gold items that a rater gets at most.

    Raises:
        UsageError: If the accuracy is no fraction, or there are no gold items.
    """
    _check(0 <= accuracy <= 1 and most >= 1, f"accuracy {accuracy}, {most} gold items", "a fraction, at least 1 item")
    undecided = np.ones(1)
    keep = drop = mean = spent = 0.0
    for n in range(1, most + 1):
        mean += float(undecided.sum())
        ahead = np.zeros(n + 1)
        ahead[:-1] += undecided * (1 - accuracy)
        ahead[1:] += undecided * accuracy
        for right in range(n + 1):
            verdict = rule.decide(n, right)
            if verdict is Verdict.WATCH:
                continue
            keep += ahead[right] * (verdict is Verdict.KEEP)
            drop += ahead[right] * (verdict is Verdict.DROP)
            spent += n * ahead[right] * (verdict is Verdict.DROP)
            ahead[right] = 0.0
        undecided = ahead
    return Characteristic(
        rule.name, accuracy, most, float(keep), float(drop), mean, float(spent / drop) if drop else float("nan")
    )


def follow(rule: Rule, answers: Sequence[bool]) -> Verdict:
    """Apply a rule to one rater's gold answers in the order given; the first decision is final."""
    right = 0
    for n, answer in enumerate(answers, 1):
        right += answer
        verdict = rule.decide(n, right)
        if verdict is not Verdict.WATCH:
            return verdict
    return Verdict.WATCH


def smoothed_trust(right: float, n: float) -> float:
    """(right + 1) / (n + 2): the mean accuracy under a uniform prior."""
    return (right + 1) / (n + 2)


def posterior_below(right: float, n: float, threshold: float) -> float:
    """Probability that the accuracy is below a threshold under a uniform prior."""
    return float(beta_cdf(threshold, right + 1, n - right + 1))


def _check(good: bool, what: str, expected: str) -> None:
    if not good:
        raise UsageError(Problem("crowd-rule", f"a rule for raters with {what}", expected=expected))
