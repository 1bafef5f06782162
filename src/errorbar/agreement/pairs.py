"""Two raters: the joint table of the labels they gave to the items that both judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.units import Floats, ItemCounts, Units, cluster_table, item_counts, sparse_table
from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import Judgments, code_of

if TYPE_CHECKING:
    from scipy import sparse

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """How often one rater gave each label where the other gave each.

    Attributes:
        counts: Items by the label of the first rater (rows) and of the second (columns); shape (labels, labels).
        labels: Names of both axes.
        raters: Names of the two raters.
        clusters: Items of each cluster in each cell, cells row by row; sparse, shape (clusters, labels * labels).
            None: the items count as independent.
    """

    counts: Counts
    labels: tuple[str, ...]
    raters: tuple[str, str] = ("1", "2")
    clusters: sparse.csr_array | None = None

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], labels: Sequence[str] = ()) -> PairTable:
        """Make a table of counts, e.g. as a paper prints it; labels are 0, 1, ... unless they are given.

        Raises:
            UsageError: If the table is not square, has a negative count, or does not fit the labels.
        """
        names = tuple(labels) or tuple(str(number) for number in range(len(rows)))
        if len(names) != len(rows) or any(len(row) != len(rows) for row in rows):
            what = f"a table of {len(rows)} rows of {sorted({len(row) for row in rows})} cells, {len(names)} labels"
            raise UsageError(Problem("agreement-table", what, expected="as many rows, columns and labels"))
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


def pair_table(
    judgments: Judgments,
    first: str,
    second: str,
    clusters: Sequence[int] | NDArray[np.int64] | None = None,
) -> PairTable:
    """Cross the labels of two raters over the items that both judged.

    Args:
        judgments: The judgments.
        first: Name of the rater of the rows.
        second: Name of the rater of the columns.
        clusters: Number of the cluster that each item of ``judgments.items`` is from.

    Raises:
        UsageError: If a rater is unknown, both are the same, or one judged an item twice.
    """
    codes = [code_of(name, judgments.raters, "rater") for name in (first, second)]
    if first == second:
        what = f"rater '{first}' is crossed with itself"
        raise UsageError(Problem("agreement-table", what, expected="two different raters"))
    chosen = judgments.take(np.isin(judgments.rater, codes))
    if chosen.n_repeated():
        item_counts(chosen)  # which says what is wrong
    said = np.full((2, len(judgments.items)), -1, np.int64)
    for row, code in enumerate(codes):
        own = chosen.rater == code
        said[row, chosen.item[own]] = chosen.label[own]
    size = len(judgments.labels)
    cell = np.where((said >= 0).all(axis=0), said[0] * size + said[1], -1)
    counts = np.bincount(cell[cell >= 0], minlength=size * size).reshape(size, size)
    table = cluster_table(cell, size * size, clusters, len(judgments.items))
    return PairTable(counts.astype(np.int64), judgments.labels, (first, second), table)


def as_counts(data: Judgments | ItemCounts | PairTable) -> ItemCounts:
    """Label counts of items, from whatever holds them.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    if isinstance(data, PairTable):
        return data.item_counts()
    return item_counts(data) if isinstance(data, Judgments) else data
