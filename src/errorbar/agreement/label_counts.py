"""Counts of labels: how many raters gave which label to an item, and how often that pattern occurs.

Every coefficient is a function of sums over items. Items that got the same labels equally often are alike to it, so
they are kept as one pattern with its number of items: a million judgments become a handful of rows, and a resample
of items is a multinomial draw of pattern frequencies (``errorbar.stats.resampling``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Undefined
from errorbar.core.judgments import Judgments, code_of
from errorbar.core.problems import Problem, UsageError
from errorbar.stats.resampling import Units, cluster_table, sparse_table

if TYPE_CHECKING:
    from scipy import sparse

Clusters = Sequence[int] | NDArray[np.int64] | None
"""Number of the cluster (essay, sentence) that each item of ``Judgments.items`` is from; None: there are none."""
MAX_LABELS = 500  # labels of the largest matrix of labels by labels that is made


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Label counts of items; items with the same counts share a row."""

    counts: sparse.csr_array  # how many raters gave each label, at least one; shape (rows, labels)
    units: Units  # how many items each row stands for
    labels: tuple[str, ...]

    @property
    def n_raters(self) -> Floats:
        """Raters of an item of each row; shape (rows,)."""
        return np.asarray(self.counts.sum(axis=1), np.float64).ravel()

    @property
    def n_paired(self) -> int:
        """Items that two raters or more judged: only they say anything about agreement."""
        return int(self.units.frequency[self.n_raters >= 2].sum())

    @property
    def reason(self) -> Undefined:
        """Why a coefficient of these items has no value, if it has none."""
        return Undefined.ONE_LABEL if self.n_paired else Undefined.TOO_FEW_RATERS


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """How often one of two raters gave each label where the other gave each, over the items that both judged."""

    counts: Counts  # by the label of the first rater (rows) and of the second (columns); shape (labels, labels)
    labels: tuple[str, ...]
    raters: tuple[str, str] = ("1", "2")
    clusters: sparse.csr_array | None = None
    """Items of each cluster in each cell, cells row by row; shape (clusters, labels * labels). None: independent."""

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], labels: Sequence[str] = ()) -> PairTable:
        """Make a table of counts, e.g. as a paper prints it; labels are 0, 1, ... unless they are given."""
        names = tuple(labels) or tuple(str(number) for number in range(len(rows)))
        if len(names) != len(rows) or any(len(row) != len(rows) for row in rows):
            message = f"a table of {len(rows)} rows of {sorted({len(row) for row in rows})} cells, {len(names)} labels"
            raise UsageError(Problem("agreement-table", message, expected="as many rows, columns and labels"))
        if any(cell < 0 for row in rows for cell in row):
            raise UsageError(Problem("agreement-table", "a count is negative", expected="counts of at least 0"))
        return cls(np.array(rows, np.int64).reshape(len(rows), len(rows)), names)

    @property
    def n_items(self) -> int:
        """Items that both raters judged."""
        return int(self.counts.sum())

    @property
    def cells(self) -> Counts:
        """Numbers of the cells that occur, counted row by row."""
        return np.flatnonzero(self.counts)

    @property
    def units(self) -> Units:
        """The cells that occur as what is resampled."""
        clusters = None if self.clusters is None else self.clusters[:, self.cells]
        return Units(self.counts.ravel()[self.cells].astype(np.float64), clusters)

    def proportions(self) -> Floats:
        """Share of items in each cell; all NaN without items."""
        total = self.n_items
        return self.counts / total if total else np.full(self.counts.shape, np.nan)

    def item_counts(self) -> ItemCounts:
        """The same items as counts of labels, for the coefficients of any number of raters."""
        size, cells = len(self.labels), self.cells
        rows = np.tile(np.arange(len(cells)), 2)
        parts = (np.ones(len(rows)), (rows, np.concatenate([cells // size, cells % size])))
        return ItemCounts(sparse_table(parts, (len(cells), size)), self.units, self.labels)


def totals(weights: Floats, table: sparse.csr_array) -> Floats:
    """Sum the columns of a sparse table for each replicate; shape (replicates, columns)."""
    return np.asarray((table.T @ weights.T).T, np.float64)


def ratio(numerator: Floats, denominator: Floats | float) -> Floats:
    """Quotients, NaN where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    # A denominator such as 1 - A_e that is 0 but for rounding must not make a number.
    quotient: Floats = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.abs(denominator) > 1e-12)
    return quotient


class Shares:
    """Share of agreeing pairs and of each label, for weights of shape (replicates, rows).

    Label shares are a mean over all judged items of the item's own shares: an item counts once however many judged it.
    """

    def __init__(self, table: ItemCounts) -> None:
        m = table.n_raters
        self.n_labels = len(table.labels)
        self.paired = (m >= 2).astype(np.float64)
        agreeing = np.asarray(table.counts.multiply(table.counts).sum(axis=1), np.float64).ravel() - m
        self._agreeing = np.divide(agreeing, m * (m - 1), out=np.zeros_like(m), where=m >= 2)
        self._shares = table.counts.multiply(1 / m[:, None]).tocsr()

    def agreement(self, weights: Floats) -> Floats:
        """Observed agreement; shape (replicates,)."""
        return ratio(weights @ self._agreeing, weights @ self.paired)

    def labels(self, weights: Floats) -> Floats:
        """Share of each label; shape (replicates, labels)."""
        return ratio(totals(weights, self._shares), weights.sum(axis=1)[:, None])


Data = Judgments | ItemCounts | PairTable  # what any number of raters' coefficients take


def item_counts(judgments: Judgments, clusters: Clusters = None) -> ItemCounts:
    """Count the labels of every item. Weights of judgments are not used: a rater has one voice."""
    refuse_repeats(judgments)
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


def pair_table(judgments: Judgments, first: str, second: str, clusters: Clusters = None) -> PairTable:
    """Cross the labels of the raters of the rows and of the columns over the items that both judged."""
    codes = [code_of(name, judgments.raters, "rater") for name in (first, second)]
    if first == second:
        message = f"rater '{first}' is crossed with itself"
        raise UsageError(Problem("agreement-table", message, expected="two different raters"))
    chosen = judgments.take(np.isin(judgments.rater, codes))
    refuse_repeats(chosen)
    labels = np.full((2, len(judgments.items)), -1, np.int64)
    for row, code in enumerate(codes):
        own = chosen.rater == code
        labels[row, chosen.item[own]] = chosen.label[own]
    size = len(judgments.labels)
    cell = np.where((labels >= 0).all(axis=0), labels[0] * size + labels[1], -1)
    counts = np.bincount(cell[cell >= 0], minlength=size * size).reshape(size, size)
    table = cluster_table(cell, size * size, clusters, len(judgments.items))
    return PairTable(counts.astype(np.int64), judgments.labels, (first, second), table)


def as_counts(data: Data) -> ItemCounts:
    """Label counts of items, from whatever holds them."""
    if isinstance(data, PairTable):
        return data.item_counts()
    return item_counts(data) if isinstance(data, Judgments) else data


def check_matrix(labels: Sequence[str]) -> None:
    """Refuse a matrix of labels by labels that nobody could read or hold."""
    if len(labels) > MAX_LABELS:
        message = f"{len(labels):,} different labels are too many for a matrix of labels"
        raise UsageError(
            Problem("agreement-labels", message, expected=f"at most {MAX_LABELS:,}", fix="group the labels")
        )


def refuse_repeats(judgments: Judgments) -> None:
    """Refuse judgments in which a rater judged an item twice."""
    if repeated := judgments.n_repeated():
        repeat = "1 judgment repeats" if repeated == 1 else f"{repeated:,} judgments repeat"
        message = f"{repeat} an item that the same rater had judged before"
        fix = "keep one of them"
        raise UsageError(
            Problem("agreement-repeated", message, expected="one label of each rater for an item", fix=fix)
        )


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
