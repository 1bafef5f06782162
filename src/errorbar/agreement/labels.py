"""Labels as ranks or as numbers, where a coefficient needs more than whether two are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errorbar.agreement.units import Floats
from errorbar.core.errors import Problem, UsageError
from errorbar.core.labels import as_number, named


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
    for label in (labels[int(code)] for code in np.flatnonzero(np.isnan(numbers))):
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
