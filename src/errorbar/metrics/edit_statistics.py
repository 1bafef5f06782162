"""Edit counts per sentence and annotator: what metrics over annotators' edits keep, so that every score is a fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import annotator_order
from errorbar.metrics.type_counts import TypeCounts, join_types


@dataclass(frozen=True, slots=True)
class EditStatistics:
    """Edit counts per sentence and annotator.

    Attributes:
        counts: Correct, proposed and reference edits; shape (units, annotators, 3).
        present: Whether an annotator looked at a unit; shape (units, annotators).
        annotators: Names of the annotator axis.
        by_type: Correct and reference edits of each error type; None where it was not asked for.
        types: Names of the type axis.
        n_large: Sentence pairs too large for the official search order (docs/design/large-lattices.md).
    """

    counts: NDArray[np.int32]
    present: NDArray[np.uint8]
    annotators: tuple[str, ...]
    by_type: TypeCounts | None = None
    types: tuple[str, ...] = ()
    n_large: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, units: NDArray[np.int64] | slice) -> EditStatistics:
        """The statistics of some units: the metric of a sub-corpus needs no second measuring."""
        by_type = None if self.by_type is None else self.by_type.take(units)
        return EditStatistics(self.counts[units], self.present[units], self.annotators, by_type, self.types)


def concatenate(parts: Sequence[EditStatistics]) -> EditStatistics:
    """Join the statistics of consecutive parts of a corpus; annotators and types are joined by name."""
    annotators = tuple(annotator_order(name for part in parts for name in part.annotators))
    types = tuple(dict.fromkeys(name for part in parts for name in part.types))
    n = sum(map(len, parts))
    counts = np.zeros((n, len(annotators), 3), np.int32)
    present = np.zeros((n, len(annotators)), np.uint8)
    counted = [part.by_type for part in parts if part.by_type is not None]
    placed: list[NDArray[np.int64]] = []
    at = 0
    for part in parts:
        rows = slice(at, at + len(part))
        columns = np.array([annotators.index(name) for name in part.annotators], np.int64)
        placed.append(columns)
        counts[rows, columns] = part.counts
        present[rows, columns] = part.present
        at += len(part)
    by_type = None
    if len(counted) == len(parts):
        number = {name: k for k, name in enumerate(types)}
        kinds = [np.array([number[name] for name in part.types], np.int64) for part in parts]
        by_type = join_types(counted, placed, kinds, len(annotators))
    return EditStatistics(counts, present, annotators, by_type, types, sum(part.n_large for part in parts))
