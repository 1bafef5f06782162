"""Precision and recall of a score under every threshold, against a crowd's errors.

Formula
    Item i has a score s and a truth t between 0 and 1. Under the threshold τ the items with s ≥ τ are flagged:
    P(τ) = Σ t over the flagged / their number, R(τ) = Σ t over the flagged / Σ t over all.
    P at recall r: P of the largest τ with R(τ) ≥ r, where τ goes through the scores that occur.
    Average precision = Σ (R_k - R_k-1) P_k over these τ, largest first.
Conventions
    Truth is ``any`` (1 if a rater calls the item an error), ``majority`` (1 or 0, of a tie ½, or as ``ties`` says) or
    ``weighted`` (the share of raters who call it one; Madnani et al. 2011). Items of equal scores are flagged together.
    Nothing is interpolated: linear interpolation between points overstates precision (Davis & Goadrich 2006). Intervals
    resample items, or clusters, with scores and truth; thresholds are found anew in each resample, so that the band is
    that of "P at a recall of r" and not of one threshold. Items that nobody judged are left out.
Source
    The curve is Raghavan, Bollmann & Jung 1989; average precision as it is used since TREC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.metrics.base import Floats
from errorbar.metrics.crowd_weighted import EQUAL, Flags, Ties, Votes, majority_share
from errorbar.metrics.intervals import estimated, resampled
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import Units, cluster_table

Truth = Literal["any", "majority", "weighted"]
TRUTHS: tuple[Truth, ...] = get_args(Truth)
RECALLS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """Precision at a recall.

    Attributes:
        recall: The recall that is asked for.
        threshold: The largest score whose recall reaches it; None where there is no error.
        n_flagged: Items with at least that score.
        precision: P there.
    """

    recall: float
    threshold: float | None
    n_flagged: int
    precision: Estimate


@dataclass(frozen=True, slots=True)
class Sweep:
    """A score under every threshold.

    Attributes:
        truth: What counts as an error.
        n_items: Items with a judgment.
        errors: Sum of the truth.
        points: P at each recall that was asked for.
        average_precision: The area under the steps.
    """

    truth: Truth
    n_items: int
    errors: float
    points: tuple[SweepPoint, ...]
    average_precision: Estimate


def truth_of(votes: Votes, truth: Truth, ties: Ties = "half") -> Floats:
    """How much of an error each item is, NaN where nobody judged or a tie is left out; shape (items,)."""
    share = votes.share
    if truth == "weighted":
        return share
    if truth == "majority":
        return majority_share(share, ties)
    return np.where(np.isnan(share), np.nan, (share > EQUAL).astype(np.float64))


def sweep_scores(
    scores: Floats,
    votes: Votes,
    truth: Truth = "weighted",
    *,
    ties: Ties = "half",
    recalls: Sequence[float] = RECALLS,
    resampling: Resampling | None = None,
) -> Sweep:
    """Sweep a system's scores of items against what a crowd says.

    Args:
        scores: Of each item; the higher, the more of an error; shape (items,).
        votes: The crowd.
        truth: What counts as an error.
        ties: What a tie is to the majority.
        recalls: Where P is wanted, above 0 and at most 1.
        resampling: How intervals are made; None: not at all.

    Raises:
        UsageError: If a score is no number, or a recall is out of range.
    """
    if any(not 0 < recall <= 1 for recall in recalls):
        what = f"recalls must be above 0 and at most 1, got {', '.join(f'{recall:g}' for recall in recalls)}"
        raise UsageError(Problem("bad-parameter", what))
    wanted = truth_of(votes, truth, ties)
    judged = np.flatnonzero(~np.isnan(wanted))
    scores, wanted = scores[judged], wanted[judged]
    if not np.isfinite(scores).all():
        raise UsageError(Problem("wrong-type", "every judged item must have a score that is a number"))
    order = np.argsort(-scores, kind="stable")
    scores, wanted = scores[order], wanted[order]
    last = np.append(scores[1:] != scores[:-1], True)[: len(scores)]  # where a threshold is met
    clusters = None if votes.clusters is None else np.asarray(votes.clusters)[judged][order]
    units = Units(np.ones(len(scores)), cluster_table(np.arange(len(scores)), len(scores), clusters, len(scores)))
    goals = np.asarray(recalls, np.float64)

    def fold(weights: Floats) -> Floats:
        return np.stack([_values(row, wanted, last, goals)[0] for row in weights])

    found, at = _values(np.ones(len(scores)), wanted, last, goals)
    n, n_clusters = len(scores), units.n_clusters
    drawn = (
        resampled(units, fold, resampling, "sweep") if resampling is not None and n > 1 and n_clusters != 1 else None
    )
    reason = Undefined.NO_UNITS if not n else Undefined.NOTHING_IN_REFERENCE
    reasons = [reason if np.isnan(value) else None for value in found]
    made = estimated(found.tolist(), reasons, (n, n_clusters), resampling, drawn)
    points = [
        SweepPoint(recall, None if k < 0 else float(scores[k]), int(k) + 1, estimate)
        for recall, k, estimate in zip(recalls, at.tolist(), made, strict=False)
    ]
    return Sweep(truth, n, float(wanted.sum()), tuple(points), made[-1])


def _values(weights: Floats, truth: Floats, last: Flags, goals: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """P at each recall, then average precision, NaN where there is no error; and the last item that is flagged."""
    hits, flagged = np.cumsum(weights * truth)[last], np.cumsum(weights)[last]
    if not len(hits) or hits[-1] <= 0:
        return np.full(len(goals) + 1, np.nan), np.full(len(goals), -1, np.int64)
    precision = np.divide(hits, flagged, out=np.zeros(len(hits)), where=flagged > 0)
    recall = hits / hits[-1]
    steps = np.minimum(np.searchsorted(recall, goals * (1 - EQUAL)), len(recall) - 1)
    average = float((np.diff(recall, prepend=0.0) * precision).sum())
    found: Floats = np.append(precision[steps], average)
    return found, np.flatnonzero(last).astype(np.int64)[steps]
