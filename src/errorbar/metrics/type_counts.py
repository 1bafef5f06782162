"""Counts of error types, kept only where an annotator has edits: most sentences have none of most types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Correct and reference edits of each type, for each unit and annotator who has any.

    Attributes:
        shape: Units, annotators, types.
        slot: ``unit * annotators + annotator``, ascending; shape (rows,).
        type: Number of the type; shape (rows,).
        count: Correct and reference edits; shape (rows, 2).
    """

    shape: tuple[int, int, int]
    slot: Ints
    type: Ints
    count: Ints

    @classmethod
    def of_edits(cls, shape: tuple[int, int, int], slots: Ints, types: Ints, matched: NDArray[np.uint8]) -> TypeCounts:
        """Count edits.

        Args:
            shape: Units, annotators, types.
            slots: Slot of each edit.
            types: Its type.
            matched: Whether it was matched.
        """
        cells, row = np.unique(slots * max(1, shape[2]) + types, return_inverse=True)
        count = np.stack([np.bincount(row, matched, len(cells)), np.bincount(row, minlength=len(cells))], axis=1)
        return cls(shape, cells // max(1, shape[2]), cells % max(1, shape[2]), count.astype(np.int64))

    def weighted(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Sums over slots.

        Args:
            weights: How often each slot counts; shape (units * annotators,).

        Returns:
            Correct and reference edits of each type; shape (types, 2).
        """
        often = weights[self.slot]
        sums = [np.bincount(self.type, often * self.count[:, k], self.shape[2]) for k in range(2)]
        return np.stack(sums, axis=1).astype(np.int64)

    def chosen(self, units: Ints, columns: NDArray[np.int32]) -> NDArray[np.int64]:
        """Sums over units, each with the annotator chosen for it; a unit or annotator of -1 adds nothing.

        Args:
            units: The units, e.g. a resample; shape (n,).
            columns: The annotator chosen for each; shape (n,).

        Returns:
            Correct and reference edits of each type; shape (types, 2).
        """
        looked = (columns >= 0) & (units >= 0)
        slots = units[looked] * self.shape[1] + columns[looked]
        return self.weighted(np.bincount(slots, minlength=self.shape[0] * self.shape[1]).astype(np.float64))

    def take(self, units: Ints | slice) -> TypeCounts:
        """The counts of some units, in their order."""
        picked = np.arange(self.shape[0])[units]
        width = self.shape[1]
        first = np.searchsorted(self.slot, picked * width)
        size = np.searchsorted(self.slot, (picked + 1) * width) - first
        rows = np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())
        new = np.repeat(np.arange(len(picked)), size) * width + self.slot[rows] % max(1, width)
        return TypeCounts((len(picked), *self.shape[1:]), new, self.type[rows], self.count[rows])

    def dense(self) -> NDArray[np.int64]:
        """The same with every zero; shape (units, annotators, types, 2)."""
        table = np.zeros((*self.shape, 2), np.int64)
        table.reshape(self.shape[0] * self.shape[1], self.shape[2], 2)[self.slot, self.type] = self.count
        return table


def join_types(parts: Sequence[TypeCounts], columns: Sequence[Ints], kinds: Sequence[Ints], width: int) -> TypeCounts:
    """Join the counts of consecutive parts of a corpus.

    Args:
        parts: The parts.
        columns: For each part, where its annotators stand in the whole.
        kinds: For each part, where its types stand in the whole; every type of the whole is in some part.
        width: Annotators of the whole.
    """
    if not parts:
        nothing = np.zeros(0, np.int64)
        return TypeCounts((0, width, 0), nothing, nothing, np.zeros((0, 2), np.int64))
    slots, types = [], []
    at = 0
    for part, column, kind in zip(parts, columns, kinds, strict=True):
        unit, annotator = np.divmod(part.slot, max(1, part.shape[1]))
        slots.append((unit + at) * width + column[annotator])
        types.append(kind[part.type])
        at += part.shape[0]
    slot, type_ = np.concatenate(slots), np.concatenate(types)
    order = np.argsort(slot, kind="stable")
    n_types = max((int(kind.max()) + 1 for kind in kinds if kind.size), default=0)
    return TypeCounts((at, width, n_types), slot[order], type_[order], np.concatenate([p.count for p in parts])[order])
