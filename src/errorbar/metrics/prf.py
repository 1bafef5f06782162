"""Precision, recall and F of counts: of one corpus or of many replicates at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.base import Measure

EDITS = ("correct", "proposed", "gold")
"""Proposed edits that match the reference; edits of the hypothesis; edits of the reference."""


def prf_measures(beta: float) -> tuple[Measure, Measure, Measure]:
    """P, R and F with its weight in its title."""
    return Measure("precision", "P"), Measure("recall", "R"), Measure("f", f"F{beta:g}")


def score_totals(totals: NDArray[np.int64], beta: float) -> NDArray[np.float64]:
    """P, R and F of corpus totals, equal to the official M2 scorer's to the last bit.

    Formula
        P = correct / proposed, R = correct / gold, F = (1 + beta²) P R / (beta² P + R).
    Conventions
        Nothing proposed: P = 1. Nothing in the reference: R = 1. P = R = 0: F = 0.
    Source
        van Rijsbergen 1979; computed from P and R, as the official scorer does.

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


def prf_reasons(counts: NDArray[np.int64], n_units: int, f: float) -> tuple[Undefined | None, ...]:
    """Which empty case fills P, R and F of correct, proposed and reference edits."""
    if not n_units:
        return (Undefined.NO_UNITS,) * 3
    no_p = None if counts[1] else Undefined.NOTHING_PROPOSED
    no_r = None if counts[2] else Undefined.NOTHING_IN_REFERENCE
    # Where F is above 0, P and R are both defined or both not.
    return no_p, no_r, no_p if f else Undefined.NOTHING_CORRECT


def closed_prf(counts: NDArray[np.int64], beta: float, level: float) -> Sequence[Interval | Undefined]:
    """Wilson's interval for P and R, Goutte & Gaussier's for F, which take edits for independent."""
    from errorbar.stats.f_interval import f_score_interval  # noqa: PLC0415 - scipy takes its time
    from errorbar.stats.proportion import proportion_interval  # noqa: PLC0415

    correct, proposed, gold = counts.tolist()
    # Of a reference kept as it is written, what is proposed once can be correct twice.
    false_positives, misses = max(0, proposed - correct), gold - correct
    of_proposed = proportion_interval(min(correct, proposed), proposed, confidence_level=level)
    of_gold = proportion_interval(min(correct, gold), gold, confidence_level=level)
    return [
        of_proposed if proposed else Undefined.NOTHING_PROPOSED,
        of_gold if gold else Undefined.NOTHING_IN_REFERENCE,
        f_score_interval(correct, false_positives, misses, beta=beta, confidence_level=level),
    ]
