"""How often each system beat each other, on all comparisons and on resamples of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.rankings import Comparisons
from errorbar.stats.bootstrap import multiplicities, resample_units
from errorbar.stats.streams import blocks

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
By = Literal["item", "sentence", "comparison"]
_AT_ONCE = 4_000_000
"""Cells of resamples that are held together: some tens of megabytes."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Wins and ties of each pair of systems; a batch of them has the batch first.

    Attributes:
        wins: How often the row's system beat the column's; shape (..., systems, systems).
        ties: How often neither did, the same both ways; shape as ``wins``.
    """

    wins: Floats
    ties: Floats


def without_identical(comparisons: Comparisons) -> Comparisons:
    """The comparisons of different texts: the ties that a judge said, none that follow from equal output."""
    kept = ~comparisons.identical
    return Comparisons(
        comparisons.first[kept],
        comparisons.second[kept],
        comparisons.outcome[kept],
        comparisons.item[kept],
        comparisons.judge[kept],
        comparisons.sentence[kept],
        comparisons.identical[kept],
        comparisons.shown[kept],
        comparisons.systems,
        comparisons.items,
        comparisons.judges,
        comparisons.sentences,
    )


def count(comparisons: Comparisons) -> Counts:
    """Count wins and ties."""
    size = len(comparisons.systems)
    cells = np.bincount(_cells(comparisons), minlength=2 * size * size).astype(np.float64)
    return _counts(cells[None], size, batch=False)


def clusters(comparisons: Comparisons, by: By) -> Integers:
    """What is drawn as one: the number of the item, the sentence, or the comparison itself; shape (comparisons,).

    Raises:
        UsageError: There is no such cluster.
    """
    if by not in get_args(By):
        what = f"comparisons are not resampled by '{by}'"
        raise UsageError(Problem("ranking-by", what, fix=nearest(by, get_args(By))))
    if by == "comparison":
        return np.arange(len(comparisons), dtype=np.int64)
    codes = comparisons.item if by == "item" else comparisons.sentence
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def resampled_counts(comparisons: Comparisons, *, by: By, replicates: int, seed: int) -> Counts:
    """Count wins and ties in resamples of items, sentences or comparisons, drawn with replacement.

    Returns:
        Counts with the resamples first.

    Raises:
        UsageError: There is nothing to draw from, or no such cluster.
    """
    parts = list(resampled_blocks(comparisons, by=by, replicates=replicates, seed=seed))
    return Counts(np.concatenate([part.wins for part in parts]), np.concatenate([part.ties for part in parts]))


def resampled_blocks(comparisons: Comparisons, *, by: By, replicates: int, seed: int) -> Iterator[Counts]:
    """The same in blocks, so that memory does not grow with the resamples.

    Raises:
        UsageError: As ``resampled_counts``.
    """
    from scipy import sparse  # noqa: PLC0415 - loading it takes a while

    size = len(comparisons.systems)
    group, cells = clusters(comparisons, by), _cells(comparisons)
    n_groups = int(group.max(initial=-1)) + 1
    # Of a thousand systems most pairs never meet: only what occurs is counted. The last cell is always among them,
    # since the draws of a multinomial end with it.
    used, at = np.unique(np.append(cells, 2 * size * size - 1), return_inverse=True)
    at = at[:-1]
    shares = np.bincount(at, minlength=len(used)) / max(1, len(comparisons))
    table = sparse.csr_matrix((np.ones(len(cells)), (group, at)), shape=(n_groups, len(used))).T
    at_once = max(1, _AT_ONCE // (2 * size * size))
    for n, rng in _blocks(seed, by, replicates):
        drawn = None
        if by == "comparison" and len(comparisons):
            drawn = rng.multinomial(len(comparisons), shares, n)
        else:
            units = resample_units(n_groups, n, rng)
        for start in range(0, n, at_once):
            rows = slice(start, start + at_once)
            some = (table @ multiplicities(units[rows], n_groups).T).T if drawn is None else drawn[rows]
            whole = np.zeros((len(some), 2 * size * size))
            whole[:, used] = some
            yield _counts(whole, size)


def _blocks(seed: int, by: By, replicates: int) -> list[tuple[int, np.random.Generator]]:
    return list(blocks(seed, "ranking", by, replicates=replicates))


def _cells(comparisons: Comparisons) -> Integers:
    """Where each comparison counts: winner and loser, then both of a tie in the order given."""
    size = len(comparisons.systems)
    lost = comparisons.outcome < 0
    one = np.where(lost, comparisons.second, comparisons.first).astype(np.int64)
    two = np.where(lost, comparisons.first, comparisons.second).astype(np.int64)
    cells: Integers = one * size + two + size * size * (comparisons.outcome == 0)
    return cells


def _counts(cells: Floats, size: int, *, batch: bool = True) -> Counts:
    table = np.asarray(cells, np.float64).reshape(-1, 2, size, size)
    wins, ties = table[:, 0], table[:, 1] + table[:, 1].transpose(0, 2, 1)
    return Counts(wins, ties) if batch else Counts(wins[0], ties[0])
