"""Labels as ranks or as numbers, where a coefficient needs more than whether two are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errorbar.agreement.units import Floats
from errorbar.core.errors import Problem, UsageError


def label_order(labels: Sequence[str], order: Sequence[str] | None, purpose: str) -> Floats:
    """Rank of each label, from 0; shape (labels,).

    Raises:
        UsageError: If there is no order, or it does not name every label once.
    """
    if order is None:
        what = f"{purpose} need an explicit order of the labels"
        raise UsageError(Problem("agreement-order", what, fix=f"name them from lowest to highest: {', '.join(labels)}"))
    if sorted(order) != sorted(labels):
        what = f"the order of labels is {', '.join(order)}"
        raise UsageError(Problem("agreement-order", what, expected=f"each of {', '.join(labels)} once"))
    return np.array([list(order).index(label) for label in labels], np.float64)


def label_numbers(labels: Sequence[str], level: str) -> Floats:
    """The number that each label is; shape (labels,).

    Raises:
        UsageError: If a label is no finite number, or negative where a ratio is needed.
    """
    numbers = np.empty(len(labels))
    for code, label in enumerate(labels):
        try:
            numbers[code] = float(label)
        except ValueError:
            numbers[code] = np.nan
        if not np.isfinite(numbers[code]):
            raise UsageError(
                Problem(
                    "agreement-numbers", f"the label '{label}' is not a number", expected=f"numbers for {level} alpha"
                )
            )
        if level == "ratio" and numbers[code] < 0:
            raise UsageError(
                Problem(
                    "agreement-numbers",
                    f"the label {label} is negative",
                    expected="numbers of at least 0 for ratio alpha",
                )
            )
    return numbers
