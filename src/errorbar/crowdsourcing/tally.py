"""Votes by item, read block by block: a hundred million judgments in memory that grows with the items alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import check_cells, code_of
from errorbar.crowdsourcing.answers import UNKNOWN, Answers, Floats, leading_answers, shares_of


class Tally:
    """Counts labels of items as blocks of judgments come in; who judged is not kept.

    Repeated judgments of a rater cannot be seen here: they count as often.

    Args:
        labels: Labels that get the first codes.
    """

    def __init__(self, labels: Sequence[str] = ()) -> None:
        self._items: dict[str, int] = {}
        self._labels = {label: code for code, label in enumerate(labels)}
        self._n = 0
        self._counts = np.zeros((1024, max(len(labels), 2)), np.int32)

    def add(self, items: Iterable[str], labels: Iterable[str]) -> None:
        """Count the next judgments; a judgment without a label is not counted.

        Raises:
            UsageError: If the columns differ in length, or items and labels are too many.
        """
        names, known = self._items, self._labels
        item = np.fromiter((names.setdefault(name, len(names)) for name in items), np.int64)
        label = np.fromiter((known.setdefault(name, len(known)) if name else -1 for name in labels), np.int64)
        if len(item) != len(label):
            what = f"{len(item)} items and {len(label)} labels"
            raise UsageError(Problem("crowd-tally", what, expected="columns of one length"))
        self._n += len(item)
        self._grow()
        width = self._counts.shape[1]
        said = label >= 0
        if said.any():
            # A block names few of all items: counting its own ones keeps a block's cost independent of the rest.
            cells, times = np.unique(item[said] * width + label[said], return_counts=True)
            self._counts.ravel()[cells] += times.astype(np.int32)

    def _grow(self) -> None:
        check_cells(len(self._items), len(self._labels), self._n)
        rows, columns = self._counts.shape
        if len(self._items) > rows or len(self._labels) > columns:
            shape = (
                max(rows, 2 * len(self._items)) if len(self._items) > rows else rows,
                max(columns, len(self._labels)),
            )
            larger = np.zeros(shape, np.int32)
            larger[:rows, :columns] = self._counts
            self._counts = larger

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the items."""
        return tuple(self._items)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels."""
        return tuple(self._labels)

    def counts(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
        """Judgments of each label of each item; shape (items, labels)."""
        return self._counts[: len(self._items), : len(self._labels)]

    def shares(self) -> Floats:
        """Share of each label, NaN where nobody judged; shape (items, labels)."""
        return shares_of(self.counts().astype(np.float64))

    def majority(self, *, ties: str = UNKNOWN, missing: Sequence[str] = ()) -> Answers:
        """The label that most judgments gave, as ``errorbar.crowdsourcing.majority`` finds it.

        Args:
            ties: ``unknown``, or the label that wins a tie it takes part in.
            missing: Labels that count as not judged.

        Raises:
            UsageError: If nothing was counted, or there is no such label.
        """
        gone = {code_of(label, self.labels, "label") for label in missing}
        kept = [code for code in range(len(self.labels)) if code not in gone]
        counts = self.counts()[:, kept]
        if not counts.any():
            raise UsageError(Problem("crowd-empty", "there is no judgment", expected="at least one"))
        labels = tuple(self.labels[code] for code in kept)
        n = counts.sum(axis=1, dtype=np.int64)
        return leading_answers("majority", self.items, labels, shares_of(counts.astype(np.float64)), n, ties)
