"""Edits by type of many replicates: the compiled sums are those of the twin, and those written out."""

from __future__ import annotations

import numpy as np
import pytest

from errorbar.edits.matching import KERNEL
from errorbar.metrics.choice import TypeCounts, tally_types

TABLE = tally_types([(0, 1, 2, 3), (3, 0, 1, 1), (3, 2, 0, 4), (5, 1, 7, 0)], (3, 2, 3), 2)
UNITS, COLUMNS = np.array([[0, 1, 2], [1, 1, -1], [2, 2, 0]]), np.array([[0, 1, 1], [1, 0, 0], [1, -1, 1]], np.int32)


def some(seed: int, replicates: int) -> tuple[TypeCounts, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n, width, types = (int(each) for each in rng.integers(1, 12, 3))
    rows = [
        (int(rng.integers(n * width)), int(rng.integers(types)), *rng.integers(0, 5, 2).tolist()) for _ in range(40)
    ]
    units = rng.integers(-1, n, (replicates, 15))
    return tally_types(rows, (n, width, types), 2), units, rng.integers(-1, width, (replicates, 15)).astype(np.int32)


@pytest.mark.parametrize(
    "kernel", [False, pytest.param(True, marks=pytest.mark.skipif(not KERNEL, reason="no kernel"))]
)
def test_sums_written_out(kernel: bool) -> None:
    found = TABLE.chosen(UNITS, COLUMNS, kernel=kernel).tolist()
    both = [[1, 1], [2, 3], [0, 4]]
    assert found == [[[1, 1], [9, 3], [0, 4]], [[1, 1], [0, 0], [0, 4]], [[0, 0], [7, 0], [0, 0]]]
    assert TABLE.chosen(np.array([[0, 1, -1]]), np.array([[0, 1, 1]], np.int32), kernel=kernel).tolist() == [both]


@pytest.mark.skipif(not KERNEL, reason="no kernel")
@pytest.mark.parametrize("replicates", [1, 2, 30])
@pytest.mark.parametrize("seed", range(5))
def test_kernel_and_twin_agree(seed: int, replicates: int) -> None:
    table, units, columns = some(seed, replicates)
    for rows in (units, units[:1]):
        mine, theirs = (table.chosen(rows, columns, kernel=kernel) for kernel in (True, False))
        assert mine.tolist() == theirs.tolist()
