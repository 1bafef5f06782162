"""Subsets of annotators, by size: all of them, or a sample where there are too many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError

MOST = 1000
"""Subsets of one size that are enumerated; of more, as many are drawn."""


@dataclass(frozen=True, slots=True)
class Subsets:
    """Subsets of annotators.

    Attributes:
        masks: Which annotators each subset has; shape (subsets, annotators).
        sizes: The sizes, ascending.
        n_subsets: How many subsets each size has here.
        exact: Whether they are all subsets of their size.
    """

    masks: NDArray[np.uint8]
    sizes: tuple[int, ...]
    n_subsets: tuple[int, ...]
    exact: tuple[bool, ...]

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of a value over the subsets of each size.

        Args:
            values: One row per subset; shape (subsets, ...).

        Returns:
            Shape (sizes, ...).
        """
        starts = np.concatenate([[0], np.cumsum(self.n_subsets)[:-1]])
        counts = np.array(self.n_subsets).reshape(-1, *[1] * (values.ndim - 1))
        means: NDArray[np.float64] = np.add.reduceat(values, starts, axis=0) / counts
        return means


def annotator_subsets(
    n_annotators: int,
    sizes: Sequence[int],
    stream_of: Callable[[int], np.random.Generator],
    *,
    without: int | None = None,
    most: int = MOST,
) -> Subsets:
    """List the subsets of some sizes.

    Args:
        n_annotators: How many annotators there are.
        sizes: The sizes wanted.
        stream_of: The stream that samples of a size are drawn from, so that no other size changes them.
        without: An annotator who is in no subset: the author of the text that is scored.
        most: Subsets of one size that are enumerated; of more, as many different ones are drawn.

    Raises:
        UsageError: If a size is not between 1 and the number of annotators left.
    """
    others = [k for k in range(n_annotators) if k != without]
    rows: list[tuple[int, ...]] = []
    numbers: list[int] = []
    exact: list[bool] = []
    for size in sizes:
        if not 1 <= size <= len(others):
            left = "as many as there are" if without is None else "as many as there are besides the author of a text"
            what = f"subsets of {size} annotators"
            raise UsageError(Problem("subset-size", what, expected=f"1 to {len(others)}, {left}"))
        everything = comb(len(others), size) <= most
        chosen = list(combinations(others, size)) if everything else _sample(others, size, most, stream_of(size))
        rows += chosen
        numbers.append(len(chosen))
        exact.append(everything)
    masks = np.zeros((len(rows), n_annotators), np.uint8)
    for mask, row in zip(masks, rows, strict=True):
        mask[list(row)] = 1
    return Subsets(masks, tuple(sizes), tuple(numbers), tuple(exact))


def _sample(others: list[int], size: int, number: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    found: dict[tuple[int, ...], None] = {}
    while len(found) < number:
        found[tuple(sorted(rng.choice(others, size, replace=False).tolist()))] = None
    return list(found)
