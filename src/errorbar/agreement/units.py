"""What agreement is computed from: how many raters gave which label to an item, and how often that pattern occurs.

Every coefficient is a function of sums over items. Items that got the same labels equally often are alike to it, so
they are kept as one pattern with its number of items: a million judgments become a handful of rows, and a resample
of items is a multinomial draw of pattern frequencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import MAX_CELLS, Judgments

Floats = NDArray[np.float64]
_DENSE_CELLS = MAX_CELLS // 4


@dataclass(frozen=True, slots=True)
class Units:
    """What is resampled: rows of which each stands for some items.

    Attributes:
        frequency: How many items each row stands for; shape (rows,).
        clusters: How many items of each cluster are of each row; sparse, shape (clusters, rows). None: the items
            count as independent.
    """

    frequency: Floats
    clusters: sparse.csr_array | None = None

    @property
    def n_clusters(self) -> int | None:
        """How many clusters there are, if any."""
        return None if self.clusters is None else self.clusters.shape[0]

    def n_clusters_of(self, rows: NDArray[np.bool_]) -> int | None:
        """How many clusters have an item of these rows, if there are any clusters."""
        return None if self.clusters is None else int(np.count_nonzero(self.clusters @ rows.astype(np.float64)))


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
    cells = judgments.item.astype(np.int64) * n_labels + judgments.label
    if n_items * n_labels <= _DENSE_CELLS:
        dense = np.bincount(cells, minlength=n_items * n_labels).reshape(n_items, n_labels)
        first, row_of, frequency = _patterns(dense)
        counts = sparse.csr_array(dense[first].astype(np.float64))
    else:
        kept, times = np.unique(cells, return_counts=True)
        parts = (times.astype(np.float64), (kept // n_labels, kept % n_labels))
        counts = sparse.csr_array(parts, shape=(n_items, n_labels))
        row_of, frequency = np.arange(n_items), np.ones(n_items)
    judged = np.asarray(counts.sum(axis=1)).ravel() > 0
    row_of = np.where(judged, np.cumsum(judged) - 1, -1)[row_of]  # an item that nobody judged is not resampled
    counts, frequency = counts[judged], frequency[judged]
    units = Units(frequency, cluster_table(row_of, len(frequency), clusters, n_items))
    return ItemCounts(counts, units, judgments.labels)


def cluster_table(
    row_of: NDArray[np.int64], n_rows: int, clusters: Sequence[int] | NDArray[np.int64] | None, n_items: int
) -> sparse.csr_array | None:
    """Count the items of each cluster in each row; None without clusters.

    Args:
        row_of: Row of each item, -1 for an item that is left out; shape (items,).
        n_rows: How many rows there are.
        clusters: Cluster number of each item.
        n_items: How many items there are.

    Raises:
        UsageError: If there is not one cluster per item.
    """
    if clusters is None:
        return None
    if len(clusters) != n_items:
        what = f"{len(clusters)} clusters for {n_items} items"
        raise UsageError(Problem("agreement-clusters", what, expected="one cluster number for each item"))
    kept = row_of >= 0
    names, codes = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    return sparse.csr_array((np.ones(len(codes)), (codes, row_of[kept])), shape=(len(names), n_rows))


def _patterns(dense: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """First item, row of each item, and number of items of each different row."""
    base = int(dense.max(initial=0)) + 1
    if base ** dense.shape[1] < 2**62:  # a row is the digits of one number: much faster to sort than rows
        numbers = dense @ np.array([base**k for k in range(dense.shape[1])], np.int64)
        _, first, row_of, times = np.unique(numbers, return_index=True, return_inverse=True, return_counts=True)
    else:
        _, first, row_of, times = np.unique(dense, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return first, row_of.ravel(), times.astype(np.float64)


def _check_repeats(judgments: Judgments) -> None:
    repeated = judgments.n_repeated()
    if repeated:
        repeat = "1 judgment repeats" if repeated == 1 else f"{repeated:,} judgments repeat"
        what = f"{repeat} an item that the same rater had judged before"
        fix = "keep one of them"
        raise UsageError(Problem("agreement-repeated", what, expected="one label of each rater for an item", fix=fix))
