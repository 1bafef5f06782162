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

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.pairs import PairTable, as_counts
from errorbar.agreement.shares import ratio
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.judgments import Judgments


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


@dataclass(frozen=True, slots=True, eq=False)
class LabelPairs:
    """The terms of the matrix, one for each two labels that meet in a row.

    Attributes:
        row: Row of the item counts.
        first: Code of the label c.
        second: Code of the label k.
        value: n_uc (n_uk - [c = k]) / (m_u - 1).
    """

    row: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    value: Floats


def label_pairs(table: ItemCounts) -> LabelPairs:
    """List the terms of the coincidence matrix of each row, with no table of labels by labels."""
    counts = table.counts
    lengths = np.diff(counts.indptr)
    row_of = np.repeat(np.arange(counts.shape[0]), lengths)
    # Entry e of a row meets every entry of that row: repeat it as often as the row is long.
    left = np.repeat(np.arange(len(row_of)), lengths[row_of])
    starts = np.repeat(np.cumsum(lengths[row_of]) - lengths[row_of], lengths[row_of])
    right = counts.indptr[row_of[left]] + np.arange(len(left)) - starts
    first, second = counts.indices[left].astype(np.int64), counts.indices[right].astype(np.int64)
    row = row_of[left]
    others = table.n_raters[row] - 1
    pairs = counts.data[left] * (counts.data[right] - (first == second))
    kept = (others > 0) & (pairs > 0)
    return LabelPairs(row[kept], first[kept], second[kept], pairs[kept] / others[kept])


def confusion(data: Judgments | ItemCounts | PairTable) -> Confusion:
    """The confusion matrix of all raters.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    table = as_counts(data)
    pairs = label_pairs(table)
    size = len(table.labels)
    weighted = pairs.value * table.units.frequency[pairs.row]
    counts = np.bincount(pairs.first * size + pairs.second, weighted, minlength=size * size)
    return Confusion(counts.astype(np.float64).reshape(size, size), table.labels)
