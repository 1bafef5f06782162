"""Simulated raters: judgments whose truth, and whose raters' errors, are known.

Formula
    Item i is truly an error with probability ``prevalence``. A rater says "error" of an error with probability
    ``sensitivity`` and says "ok" of an item without one with probability ``specificity``. A sleepy rater does so while
    awake; from their ``awake`` th judgment on they toss a fair coin.
Conventions
    Every item gets ``per_item`` different raters, drawn evenly. A rater's judgments come in the order of the items.
    The same generator state gives the same judgments.
Source
    The model of Dawid and Skene 1979 with two labels; the kinds of raters are those that crowd studies complain of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError

LABELS = ("ok", "error")
NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class SimulatedRater:
    """The errors of a rater; refused if a probability is not between 0 and 1, or ``awake`` is negative."""

    kind: str  # part of the name
    sensitivity: float  # probability of saying "error" of an error
    specificity: float  # probability of saying "ok" of an item without an error
    awake: int = NEVER  # judgments before the rater falls asleep and tosses a coin

    def __post_init__(self) -> None:
        if not (0 <= self.sensitivity <= 1 and 0 <= self.specificity <= 1 and self.awake >= 0):
            message = f"a rater with {self.sensitivity}, {self.specificity}, awake for {self.awake}"
            raise UsageError(Problem("simulation", message, expected="probabilities, and a number of judgments"))


def accurate(accuracy: float) -> SimulatedRater:
    """A rater who is right with one probability whatever the truth."""
    return SimulatedRater("accurate", accuracy, accuracy)


def biased(sensitivity: float, specificity: float) -> SimulatedRater:
    """A rater with a leaning: strict with low specificity, mild with low sensitivity."""
    return SimulatedRater("biased", sensitivity, specificity)


def spammer(says_error: float = 0.5) -> SimulatedRater:
    """A rater who does not look."""
    return SimulatedRater("spammer", says_error, 1 - says_error)


def constant(*, error: bool) -> SimulatedRater:
    """A rater who always gives the same label."""
    return SimulatedRater("constant", float(error), float(not error))


def sleepy(accuracy: float, awake: int) -> SimulatedRater:
    """A rater who begins well and ends tossing a coin."""
    return SimulatedRater("sleepy", accuracy, accuracy, awake)


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """Simulated judgments and what is true of them."""

    judgments: Judgments  # with the labels ok and error, in this order
    truth: NDArray[np.int32]  # code of the true label of each item; shape (items,)
    raters: tuple[SimulatedRater, ...]  # in the order of ``judgments.raters``

    def gold(self, items: Sequence[int] | NDArray[np.int64]) -> dict[str, str]:
        """True labels of some items, by name."""
        return {self.judgments.items[item]: LABELS[self.truth[item]] for item in items}


def simulate(
    raters: Sequence[SimulatedRater],
    generator: np.random.Generator,
    *,
    n_items: int,
    per_item: int,
    prevalence: float = 0.15,
) -> Simulation:
    """Let raters judge items.

    Args:
        raters: The raters.
        generator: The stream of random numbers.
        n_items: How many items.
        per_item: How many different raters judge each.
        prevalence: Share of errors among the items, in expectation.

    Raises:
        UsageError: If there are fewer raters than judge an item, or a number is out of range.
    """
    if not (1 <= per_item <= len(raters) and n_items >= 1 and 0 <= prevalence <= 1):
        message = f"{n_items} items, {per_item} of {len(raters)} raters each, prevalence {prevalence}"
        raise UsageError(Problem("simulation", message, expected="at least 1 item, enough raters, and a fraction"))
    truth = (generator.random(n_items) < prevalence).astype(np.int32)
    rater = np.sort(np.argpartition(generator.random((n_items, len(raters))), per_item - 1, axis=1)[:, :per_item])
    who = rater.ravel()
    item = np.repeat(np.arange(n_items, dtype=np.int32), per_item)
    says_error = np.where(
        truth[item] == 1,
        np.array([r.sensitivity for r in raters])[who],
        1 - np.array([r.specificity for r in raters])[who],
    )
    order = np.argsort(who, kind="stable")  # each rater's judgments side by side, in the order they were given
    counts = np.bincount(who)
    position = np.empty(len(who), np.int64)  # how many judgments the rater had given before
    position[order] = np.arange(len(who)) - np.repeat(np.cumsum(counts) - counts, counts)
    asleep = position >= np.array([r.awake for r in raters])[who]
    label = generator.random(len(who)) < np.where(asleep, 0.5, says_error)
    names = tuple(f"{r.kind}-{number}" for number, r in enumerate(raters, 1))
    items = tuple(f"item-{number}" for number in range(1, n_items + 1))
    table = Judgments(item, who.astype(np.int32), label.astype(np.int32), items, names, LABELS)
    return Simulation(table, truth, tuple(raters))
