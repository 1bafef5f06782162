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
MOST_BITS, MOST_CLASSES = 22, 127
"""Of any table: memory for as many rows is taken whatever a file holds, and the kernel counts classes in eight bits."""


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

    Raises:
        ValueError: If these are no weights of such a table: the kernel reads where it is told to.
    """

    bits: int
    n_classes: int
    rows: NDArray[np.int32]
    classes: NDArray[np.int8]
    values: NDArray[np.float16]
    offsets: NDArray[np.int32] = field(init=False, repr=False)
    wide: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check what the kernel relies on, and find where each row begins."""
        rows, classes = self.rows, self.classes
        if not (1 <= self.bits <= MOST_BITS and 1 <= self.n_classes <= MOST_CLASSES):
            raise ValueError(f"a table of {self.bits} bits and {self.n_classes} classes")
        if not rows.shape == classes.shape == self.values.shape == (len(rows),):
            raise ValueError("columns of different lengths")
        if len(rows) and not (rows[0] >= 0 and rows[-1] < 1 << self.bits and (rows[1:] >= rows[:-1]).all()):
            raise ValueError("rows out of order")
        if len(rows) and not (classes.min() >= 0 and classes.max() < self.n_classes):
            raise ValueError("a class outside of the set")
        if not np.isfinite(self.values).all():
            raise ValueError("a weight that is no number")
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
