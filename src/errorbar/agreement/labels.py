"""Labels as ranks or as numbers, where a coefficient needs more than whether two are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, isnan, nan

import numpy as np

from errorbar.agreement.units import Floats
from errorbar.core.errors import Problem, UsageError

LONGEST_SHOWN = 60
"""Characters of a label that a message shows."""
MOST_NAMED = 10
"""Labels that a message names before it counts the rest."""


def named(labels: Iterable[str]) -> str:
    """Some labels as a message names them: not too many, and none at length."""
    known = list(labels)
    shown = [label if len(label) <= LONGEST_SHOWN else f"{label[:LONGEST_SHOWN]}…" for label in known[:MOST_NAMED]]
    more = [f"and {len(known) - MOST_NAMED:,} more"] if len(known) > MOST_NAMED else []
    return ", ".join([*shown, *more])


def as_number(label: str) -> float:
    """The number that a label is; NaN where it is no finite number."""
    try:
        value = float(label)
    except ValueError:
        return nan
    return value if isfinite(value) else nan


def usual_order(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels in an order that depends on nothing but them: numbers ascending, then the rest by name."""
    numbers = {label: as_number(label) for label in labels}
    last = {label: isnan(number) for label, number in numbers.items()}
    return tuple(sorted(labels, key=lambda label: (last[label], 0.0 if last[label] else numbers[label], label)))


def label_order(labels: Sequence[str], order: Sequence[str] | None, purpose: str) -> Floats:
    """Rank of each label, from 0; shape (labels,).

    Args:
        labels: The labels.
        order: The labels from lowest to highest.
        purpose: What needs the order, with its verb: ``ordinal alpha needs``.

    Raises:
        UsageError: If there is no order, or it does not name every label once.
    """
    if order is None:
        what = f"{purpose} an explicit order of the labels"
        raise UsageError(Problem("agreement-order", what, fix=f"name them from lowest to highest: {named(labels)}"))
    if sorted(order) != sorted(labels):
        what = f"the order of labels is {named(order)}"
        raise UsageError(Problem("agreement-order", what, expected=f"each of {named(labels)} once"))
    rank = {label: place for place, label in enumerate(order)}
    return np.array([rank[label] for label in labels], np.float64)


def label_numbers(labels: Sequence[str], level: str) -> Floats:
    """The number that each label is, all divided by one power of two (``unit_scale``); shape (labels,).

    Raises:
        UsageError: If a label is no finite number, or is negative on the ratio scale.
    """
    numbers = np.array([as_number(label) for label in labels], np.float64)
    for label in (labels[code] for code in np.flatnonzero(np.isnan(numbers))):
        what, expected = f"the label '{named([label])}' is not a number", f"numbers on the {level} scale"
        raise UsageError(Problem("agreement-numbers", what, expected=expected))
    if level == "ratio" and (numbers < 0).any():
        what = f"the label {labels[int(np.argmin(numbers))]} is negative"
        raise UsageError(Problem("agreement-numbers", what, expected="numbers of at least 0 on the ratio scale"))
    return unit_scale(numbers)


def unit_scale(numbers: Floats) -> Floats:
    """Numbers divided by a power of two, so that the largest is near 1 and squares stay finite.

    Agreement depends on ratios of differences alone, and a power of two changes no digit of them.
    """
    _, exponent = np.frexp(np.abs(numbers).max(initial=0.0))
    return np.asarray(np.ldexp(numbers, -exponent), np.float64)
