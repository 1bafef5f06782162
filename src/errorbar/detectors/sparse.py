"""Weights of a linear model over hashed features, only those that are not zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.hashing import Rows
from errorbar.detectors.kernels import kernel

Floats = NDArray[np.float64]
_PART = 1 << 16  # rows


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights by row and class, as model files hold them.

    Attributes:
        bits: The table has 2^bits rows.
        n_classes: Number of classes.
        rows: Row of each weight, in order.
        classes: Class of each weight.
        values: The weights, rounded to half precision.
        offsets: Where the weights of each row begin; one more at the end.
        wide: The values in single precision, which the kernel reads.
    """

    bits: int
    n_classes: int
    rows: NDArray[np.int32]
    classes: NDArray[np.int8]
    values: NDArray[np.float16]
    offsets: NDArray[np.int32] = field(init=False, repr=False)
    wide: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find where each row begins."""
        begins = np.searchsorted(self.rows, np.arange((1 << self.bits) + 1, dtype=np.int32))
        object.__setattr__(self, "offsets", begins.astype(np.int32))
        object.__setattr__(self, "wide", self.values.astype(np.float32))

    @classmethod
    def of_table(cls, part: Callable[[slice], NDArray[Any]], shape: tuple[int, ...]) -> Weights:
        """What is not zero in a table of 2^bits rows, read a part at a time: the table is large."""
        found: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        for first in range(0, shape[0], _PART):
            values = part(slice(first, first + _PART)).astype(np.float16)
            rows, classes = np.nonzero(values)
            found.append(((rows + first).astype(np.int32), classes.astype(np.int8), values[rows, classes]))
        columns: list[NDArray[Any]] = [np.concatenate(column) for column in zip(*found, strict=True)]
        return cls(shape[0].bit_length() - 1, shape[1], *columns)

    def scores(self, rows: Rows) -> Floats:
        """Sum the weights of each example's rows, by class; shape (examples, classes)."""
        found = np.zeros((len(rows), self.n_classes))
        kernel().add_scores(np.ascontiguousarray(rows), self.offsets, self.classes, self.wide, found)
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file holds."""
        return {"rows": self.rows, "classes": self.classes, "values": self.values}
