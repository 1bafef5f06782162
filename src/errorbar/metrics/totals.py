"""Precision, recall and F of many replicates at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PRF = ("precision", "recall", "f")


def score_totals(totals: NDArray[np.int64], beta: float) -> NDArray[np.float64]:
    """P, R and F of corpus totals, with the conventions of ``errorbar.core.counts`` and equal to them bit by bit.

    Args:
        totals: Correct, proposed and reference edits; shape (..., 3).
        beta: Weight of recall against precision.

    Returns:
        Fractions; shape (..., 3).
    """
    correct, proposed, gold = (totals[..., k].astype(np.float64) for k in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(proposed > 0, correct / proposed, 1.0)
        r = np.where(gold > 0, correct / gold, 1.0)
        denominator = beta * beta * p + r
        f = np.where(denominator > 0, (1.0 + beta * beta) * p * r / denominator, 0.0)
    return np.stack([p, r, f], axis=-1)
