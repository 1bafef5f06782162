"""The confusion matrix of any number of raters: which labels meet on one item.

Formula
    o_ck = Σ_u n_uc (n_uk - [c = k]) / (m_u - 1): all ordered pairs of judgments of item u, weighted so that the item
    counts m_u, its number of judgments.
Conventions
    Items with fewer than two judgments are left out. The matrix is symmetric: the raters' names play no part. With
    two raters it is the joint table plus its transpose.
Source
    Krippendorff 2004, chapter 11 (coincidence matrix).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errorbar.agreement.pairs import PairTable, as_counts
from errorbar.agreement.shares import ratio
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import Judgments

MAX_LABELS = 500
"""Labels of the largest matrix of labels by labels that is made."""


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Which labels meet on one item.

    Attributes:
        counts: Weighted ordered pairs; shape (labels, labels).
        labels: Names of both axes.
    """

    counts: Floats
    labels: tuple[str, ...]

    def shares(self) -> Floats:
        """Given one rater's label (rows), how often another gave each label; NaN where nobody gave it."""
        return ratio(self.counts, self.counts.sum(axis=1, keepdims=True))


def confusion(data: Judgments | ItemCounts | PairTable) -> Confusion:
    """The confusion matrix of all raters.

    Raises:
        UsageError: If a rater judged an item twice, or there are more than ``MAX_LABELS`` labels.
    """
    table = as_counts(data)
    check_matrix(table.labels)
    m = table.n_raters
    weight = np.divide(table.units.frequency, m - 1, out=np.zeros_like(m), where=m > 1)
    weighed = table.counts.multiply(weight[:, None]).tocsr()
    counts = np.asarray((table.counts.T @ weighed).toarray(), np.float64)
    counts[np.diag_indices(len(table.labels))] -= np.asarray(weighed.sum(axis=0)).ravel()
    return Confusion(counts, table.labels)


def check_matrix(labels: Sequence[str]) -> None:
    """Refuse a matrix of labels by labels that nobody could read or hold.

    Raises:
        UsageError: If there are more than ``MAX_LABELS`` labels.
    """
    if len(labels) > MAX_LABELS:
        what = f"{len(labels):,} different labels are too many for a matrix of labels"
        raise UsageError(Problem("agreement-labels", what, expected=f"at most {MAX_LABELS:,}", fix="group the labels"))
