"""What agreement is computed from: how many raters gave which label to an item, and how often that pattern occurs.

Every coefficient is a function of sums over items. Items that got the same labels equally often are alike to it, so
they are kept as one pattern with its number of items: a million judgments become a handful of rows, and a resample
of items is a multinomial draw of pattern frequencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import Judgments
from errorbar.stats.units import Floats, Units, cluster_table, sparse_table

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["Floats", "ItemCounts", "Units", "cluster_table", "item_counts", "sparse_table"]


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Label counts of items; items with the same counts share a row.

    Attributes:
        counts: How many raters gave each label, at least one; sparse, shape (rows, labels).
        units: How many items each row stands for.
        labels: Names of the label axis.
    """

    counts: sparse.csr_array
    units: Units
    labels: tuple[str, ...]

    @property
    def n_raters(self) -> Floats:
        """Raters of an item of each row; shape (rows,)."""
        return np.asarray(self.counts.sum(axis=1), np.float64).ravel()

    @property
    def n_paired(self) -> int:
        """Items that two raters or more judged: only they say anything about agreement."""
        return int(self.units.frequency[self.n_raters >= 2].sum())

    def agreeing_pairs(self) -> Floats:
        """Ordered pairs of raters that agree on an item of each row; shape (rows,)."""
        return np.asarray(self.counts.multiply(self.counts).sum(axis=1), np.float64).ravel() - self.n_raters


def item_counts(judgments: Judgments, clusters: Sequence[int] | NDArray[np.int64] | None = None) -> ItemCounts:
    """Count the labels of every item. Weights of judgments are not used: a rater has one voice.

    Args:
        judgments: The judgments.
        clusters: Number of the cluster (essay, sentence) that each item of ``judgments.items`` is from.

    Raises:
        UsageError: If a rater judged an item twice, or the clusters do not fit the items.
    """
    _check_repeats(judgments)
    n_items, n_labels = len(judgments.items), max(len(judgments.labels), 1)
    cells, times = np.unique(judgments.item.astype(np.int64) * n_labels + judgments.label, return_counts=True)
    parts = (times.astype(np.float64), (cells // n_labels, cells % n_labels))
    counts = sparse_table(parts, (n_items, n_labels))
    judged = np.flatnonzero(np.diff(counts.indptr))  # an item that nobody judged is not resampled
    first, row_of_judged, frequency = _patterns(counts[judged])
    row_of = np.full(n_items, -1, np.int64)
    row_of[judged] = row_of_judged
    units = Units(frequency, cluster_table(row_of, len(frequency), clusters, n_items))
    return ItemCounts(counts[judged[first]], units, judgments.labels)


def _patterns(counts: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """First item, row of each item, and number of items of each different row of label counts.

    The order of the rows is made of what they hold, so that the order of the items changes no draw.
    """
    base = int(counts.data.max(initial=0)) + 1
    if base ** counts.shape[1] < 2**62:  # a row is the digits of one number: much faster to sort than rows
        digits = np.array([base**k for k in range(counts.shape[1])], np.int64)
        numbers = np.zeros(counts.shape[0], np.int64)
        item_of = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        np.add.at(numbers, item_of, counts.data.astype(np.int64) * digits[counts.indices])
        _, first, row_of, times = np.unique(numbers, return_index=True, return_inverse=True, return_counts=True)
        return first, row_of.ravel(), times.astype(np.float64)
    lengths = np.diff(counts.indptr)
    row_of = np.empty(counts.shape[0], np.int64)
    firsts, frequencies, n_rows = [np.empty(0, np.int64)], [np.empty(0)], 0
    # Rows of one length are a small table of labels and their counts: no cell for a label that nobody gave.
    by_length = np.argsort(lengths, kind="stable")
    for items in np.split(by_length, np.flatnonzero(np.diff(lengths[by_length])) + 1):
        places = counts.indptr[items][:, None] + np.arange(lengths[items[0]] if len(items) else 0)
        rows = np.hstack([counts.indices[places], counts.data[places].astype(np.int64)])
        _, first, same, times = np.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
        row_of[items] = n_rows + same.ravel()
        firsts.append(items[first])
        frequencies.append(times.astype(np.float64))
        n_rows += len(first)
    return np.concatenate(firsts), row_of, np.concatenate(frequencies)


def _check_repeats(judgments: Judgments) -> None:
    repeated = judgments.n_repeated()
    if repeated:
        repeat = "1 judgment repeats" if repeated == 1 else f"{repeated:,} judgments repeat"
        what = f"{repeat} an item that the same rater had judged before"
        fix = "keep one of them"
        raise UsageError(Problem("agreement-repeated", what, expected="one label of each rater for an item", fix=fix))
