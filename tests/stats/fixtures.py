"""Two systems on twelve sentences: fixture B of the project's statistics notes, sections 7 and 10."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FIRST = np.array(
    [
        [1, 0, 2, 1, 0, 3, 1, 0, 1, 2, 0, 1],
        [0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1],
        [1, 1, 0, 0, 2, 1, 0, 0, 1, 1, 0, 0],
    ]
).T
"""tp, fp, fn of each sentence; shape (12, 3)."""
SECOND = np.array(
    [
        [1, 0, 1, 1, 0, 2, 1, 0, 0, 2, 0, 1],
        [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
        [1, 1, 1, 0, 2, 2, 0, 0, 2, 1, 0, 0],
    ]
).T


def f_half(totals: Floats | NDArray[np.int64]) -> Floats:
    """F0.5 of tp, fp, fn on the last axis; NaN where all are 0."""
    tp, fp, fn = np.moveaxis(np.asarray(totals, np.float64), -1, 0)
    with np.errstate(invalid="ignore"):
        return np.asarray(1.25 * tp / (1.25 * tp + fp + 0.25 * fn))
