"""Subsets of annotators, as masks that a fold takes: all of a size, or as many different ones as are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.metrics.base import Floats

NO_ONE = -1
MOST = 1000  # subsets of one size that are enumerated; of more, as many are drawn


@dataclass(frozen=True, slots=True)
class Subsets:
    """Subsets of annotators, by size."""

    masks: NDArray[np.uint8]  # which annotators each subset has; shape (subsets, annotators)
    sizes: tuple[int, ...]  # ascending
    n_subsets: tuple[int, ...]  # of each size
    exact: tuple[bool, ...]  # whether they are all of their size

    def means(self, values: Floats) -> Floats:
        """Mean of a value over the subsets of each size; shape (subsets, ...) becomes (sizes, ...)."""
        starts = np.cumsum([0, *self.n_subsets])[:-1]
        counts = np.array(self.n_subsets).reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(np.add.reduceat(values, starts, axis=0) / counts, np.float64)


def annotator_subsets(
    n_annotators: int,
    sizes: Sequence[int],
    stream_of: Callable[[int], np.random.Generator],
    *,
    without: int = NO_ONE,
    most: int = MOST,
) -> Subsets:
    """List the subsets of some sizes, without an annotator: the author of the text that is scored.

    Those of a size that has more than ``most`` are drawn from its own stream, so that no other size changes them.
    ``UsageError`` if a size is not between 1 and the number of annotators left.
    """
    others = [k for k in range(n_annotators) if k != without]
    rows: list[list[tuple[int, ...]]] = []
    exact: list[bool] = []
    for size in sizes:
        if not 1 <= size <= len(others):
            what = f"--sizes={size} with {len(others)} annotators"
            what += " besides the author of a text" if len(others) < n_annotators else ""
            raise UsageError(Problem("subset-size", what, expected=f"1 to {len(others)}"))
        exact.append(comb(len(others), size) <= most)
        rows.append(list(combinations(others, size)) if exact[-1] else _sample(others, size, most, stream_of(size)))
    masks = np.zeros((sum(map(len, rows)), n_annotators), np.uint8)
    for mask, row in zip(masks, chain.from_iterable(rows), strict=True):
        mask[list(row)] = 1
    return Subsets(masks, tuple(sizes), tuple(map(len, rows)), tuple(exact))


def _sample(others: list[int], size: int, number: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    found: dict[tuple[int, ...], None] = {}
    while len(found) < number:
        found[tuple(sorted(rng.choice(others, size, replace=False).tolist()))] = None
    return list(found)
