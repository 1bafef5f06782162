"""How units, or clusters of them, are drawn: rows of unit numbers where their order matters, weights where it does not.

A row of unit numbers keeps the order of the corpus, so that a metric that depends on the order of sentences can fold it
like a corpus. Where clusters have different sizes, so have resamples: rows are filled up with -1, which stands for no
unit. What is a sum over units needs no rows but how often each unit is drawn; units that are alike to it are one kind
with a frequency, so that a million judgments become a handful of weights and a draw is multinomial.

Conventions
    Each block of 1,000 draws has its own random stream (``stream``), drawn when it is called for: neither the number of
    workers nor what is held at a time changes a digit; the same names give the same draws.
Source
    Davison & Hinkley 1997, section 3.8 (resample clusters, keep what is inside).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.stats.resampling import Resampling, blocks

if TYPE_CHECKING:
    from scipy import sparse

Rows = NDArray[np.int64]
"""Unit numbers, -1 after the last; shape (replicates, units of the longest resample)."""
Floats = NDArray[np.float64]
MOST_KEPT = 1 << 23
"""Units in all resamples up to which rows are kept for the next system: 64 MB."""
MOST_GROUPS = 400
"""Sentences are left out in at most this many groups for BCa's acceleration."""
MOST_HELD = 4_000_000
"""Weights, draws times kinds, held at a time."""


def resample_units(n_units: int, replicates: int, rng: np.random.Generator) -> Rows:
    """Draw units with replacement; unit numbers ascend in each row, shape (replicates, n_units)."""
    if n_units < 1:
        raise UsageError(Problem("nothing-to-resample", "there is no unit to draw from", expected="at least 1"))
    draws = rng.integers(n_units, size=(replicates, n_units))
    # Short integers sort several times faster; the draws do not depend on it.
    short = draws.astype(np.int16 if n_units < 2**15 else np.int32 if n_units < 2**31 else np.int64)
    short.sort(axis=1)
    return short.astype(np.int64)


def resample_clusters(clusters: ArrayLike, replicates: int, rng: np.random.Generator) -> Rows:
    """Draw clusters with replacement; each brings all its units, as often as it is drawn.

    ``clusters`` says which one each unit belongs to, shape (units,); with one unit in every cluster the result is that
    of resample_units. Clusters are in the order of their first units, units of a cluster in the order of the corpus.
    """
    members = cluster_members(clusters)
    return _rows(members, resample_units(len(members), replicates, rng))


def subsample_clusters(clusters: ArrayLike, n_left_out: int, replicates: int, rng: np.random.Generator) -> Rows:
    """Leave out so many clusters at random, as ``resample_clusters`` draws them."""
    members = cluster_members(clusters)
    picks = rng.permuted(np.tile(np.arange(len(members)), (replicates, 1)), axis=1)[:, n_left_out:]
    return _rows(members, np.sort(picks, axis=1))


def leave_one_out(clusters: ArrayLike) -> Rows:
    """Every resample that leaves out one cluster, for the jackknife: a row for each."""
    members = cluster_members(clusters)
    n = len(members)
    return _rows(members, np.tile(np.arange(n), (n, 1))[~np.eye(n, dtype=bool)].reshape(n, n - 1))


def cluster_members(clusters: ArrayLike) -> list[Rows]:
    """The units of each cluster, in the order in which clusters first appear."""
    codes = np.asarray(clusters).ravel()
    if not codes.size:
        raise UsageError(Problem("nothing-to-resample", "there is no unit to draw from", expected="at least 1"))
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))[inverse]
    order = np.argsort(rank, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(rank))[:-1])


def multiplicities(units: Rows, n_units: int) -> NDArray[np.int64]:
    """How often each resample holds each unit: rows made weights; shape (replicates, n_units)."""
    shifted = units + 1 + (n_units + 1) * np.arange(len(units))[:, None]
    counted = np.bincount(shifted.ravel(), minlength=len(units) * (n_units + 1))
    return counted.reshape(len(units), n_units + 1)[:, 1:]


def resampled_units(clusters: NDArray[np.int64], resampling: Resampling, *names: str | int) -> list[Callable[[], Rows]]:
    """The resamples as rows, in blocks that are drawn when they are called for; the same ones at every call.

    ``clusters`` says which one each unit belongs to (``np.arange(n)``: independent units), ``names`` what the resamples
    are for; two systems that are compared share them.
    """

    def later(size: int, rng: np.random.Generator) -> Callable[[], Rows]:
        # A fresh copy each time: systems that are compared must see the same resamples.
        return lambda: resample_clusters(clusters, size, deepcopy(rng))

    if clusters.size * resampling.replicates <= MOST_KEPT:
        return [partial(np.asarray, rows) for rows in _kept(clusters.tobytes(), resampling, *names)]
    return [later(size, rng) for size, rng in blocks(resampling.seed, *names, replicates=resampling.replicates)]


@lru_cache(maxsize=2)
def _kept(clusters: bytes, resampling: Resampling, *names: str | int) -> list[Rows]:
    """Resamples that are drawn once for all systems of a corpus: drawing takes longer than folding."""
    codes = np.frombuffer(clusters, np.int64)
    drawn = blocks(resampling.seed, *names, replicates=resampling.replicates)
    return [_unchanging(resample_clusters(codes, size, rng)) for size, rng in drawn]


def left_out_groups(
    clusters: NDArray[np.int64], most: int = MOST_GROUPS, n_groups: int = MOST_GROUPS
) -> NDArray[np.int64]:
    """What is left out together: clusters, or ``n_groups`` groups of neighbors where there are more than ``most``."""
    known, rank = np.unique(clusters, return_inverse=True)
    return rank.ravel() * n_groups // len(known) if len(known) > most else clusters


def left_out_units(clusters: NDArray[np.int64]) -> Rows:
    """Rows with one cluster left out at a time; many independent sentences are left out in groups of neighbors."""
    return left_out_rows(left_out_groups(clusters))


def left_out_rows(groups: NDArray[np.int64]) -> Rows:
    """Rows with one group left out at a time."""
    few = len(np.unique(groups)) * groups.size <= MOST_KEPT
    return _kept_left_out(groups.astype(np.int64).tobytes()) if few else leave_one_out(groups)


@lru_cache(maxsize=2)
def _kept_left_out(groups: bytes) -> Rows:
    """Rows that are made once for all systems of a corpus."""
    return _unchanging(leave_one_out(np.frombuffer(groups, np.int64)))


def _unchanging(rows: Rows) -> Rows:
    rows.setflags(write=False)
    return rows


def _rows(members: list[Rows], picks: Rows) -> Rows:
    """Join the units of the clusters picked in each row, and fill up with -1."""
    sizes = np.array([len(units) for units in members], np.int64)
    starts = np.cumsum(sizes) - sizes
    picked = sizes[picks]
    lengths = picked.sum(axis=1)
    flat = picked.ravel()
    within = np.arange(flat.sum()) - np.repeat(np.cumsum(flat) - flat, flat)
    units = np.concatenate(members)[np.repeat(starts[picks.ravel()], flat) + within]
    table = np.full((len(picks), int(lengths.max(initial=0))), -1, np.int64)
    table[np.arange(table.shape[1]) < lengths[:, None]] = units
    return table


@dataclass(frozen=True, slots=True)
class Units:
    """Units by kind: what is alike to a sum over units is one kind with a frequency."""

    frequency: Floats  # how many units are of each kind; shape (kinds,)
    clusters: sparse.csr_array | None = None
    """How many units of each cluster are of each kind, shape (clusters, kinds); None: the units are independent."""

    @property
    def n_clusters(self) -> int | None:
        """How many clusters there are, if any."""
        return None if self.clusters is None else self.clusters.shape[0]

    def n_clusters_of(self, kinds: NDArray[np.bool_]) -> int | None:
        """How many clusters have a unit of these kinds, if there are any clusters."""
        return None if self.clusters is None else int(np.count_nonzero(self.clusters @ kinds.astype(np.float64)))

    def draws(
        self, resampling: Resampling, *names: str | int, width: int = 1, n_left_out: int = 0
    ) -> list[Callable[[], Iterator[Floats]]]:
        """The resamples as weights, in blocks that are drawn when they are called for; the same ones at every call.

        Each block yields weights of shape (replicates, kinds), some replicates at a time. ``width`` numbers are held
        for one resample besides the weights, e.g. one for each label. With ``n_left_out`` each unit (or cluster) is
        drawn once, but for so many that are left out.
        """
        step = self._step(width)

        def block(size: int, rng: np.random.Generator) -> Iterator[Floats]:
            fresh = deepcopy(rng)
            for start in range(0, size, step):
                yield self._draw(fresh, min(step, size - start), n_left_out)

        drawn = blocks(resampling.seed, *names, replicates=resampling.replicates)
        return [partial(block, size, rng) for size, rng in drawn]

    def left_out(self, width: int = 1) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
        """Weights with one unit, or one cluster, left out, and for how many units each row of them stands."""
        step, n = self._step(width), self.n_clusters or len(self.frequency)
        for start in range(0, n, step):
            some = np.arange(start, min(n, start + step))
            if self.clusters is not None:
                yield self.frequency - self.clusters[some].toarray(), np.ones(len(some), np.int64)
                continue
            weights = np.tile(self.frequency, (len(some), 1))
            weights[np.arange(len(some)), some] -= 1
            yield weights, self.frequency[some].astype(np.int64)

    def _step(self, width: int) -> int:
        return max(1, MOST_HELD // max(self.n_clusters or 0, len(self.frequency), width, 1))

    def _draw(self, rng: np.random.Generator, size: int, n_left_out: int) -> Floats:
        """Draw some weights."""
        if self.clusters is None:
            n = int(self.frequency.sum())
            if n_left_out:
                kinds = self.frequency.astype(np.int64)
                kept = rng.multivariate_hypergeometric(kinds, n - n_left_out, size, method="marginals")
                return kept.astype(np.float64)
            return rng.multinomial(n, self.frequency / n, size).astype(np.float64)
        n = self.clusters.shape[0]
        if n_left_out:
            drawn = np.ones((size, n))
            order = rng.random((size, n)).argpartition(n_left_out - 1, axis=1)
            np.put_along_axis(drawn, order[:, :n_left_out], 0, axis=1)
        else:
            drawn = rng.multinomial(n, np.full(n, 1 / n), size).astype(np.float64)
        return np.asarray((self.clusters.T @ drawn.T).T)


def cluster_table(
    kind_of: NDArray[np.int64], n_kinds: int, clusters: Sequence[int] | NDArray[np.int64] | None, n_units: int
) -> sparse.csr_array | None:
    """Count the units of each cluster of each kind; None without clusters.

    ``kind_of`` is the kind of each unit, -1 for one that is left out; ``clusters`` its cluster's number.
    """
    if clusters is None:
        return None
    if len(clusters) != n_units:
        what = f"{len(clusters)} clusters for {n_units} items"
        raise UsageError(Problem("agreement-clusters", what, expected="one cluster number for each item"))
    kept = kind_of >= 0
    names, codes = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    return sparse_table((np.ones(len(codes)), (codes, kind_of[kept])), (len(names), n_kinds))


def sparse_table(
    parts: tuple[Floats, tuple[NDArray[np.int64], NDArray[np.int64]]], shape: tuple[int, int]
) -> sparse.csr_array:
    """A sparse table of values and their (rows, columns); values of one place add up."""
    from scipy import sparse  # noqa: PLC0415 - loading it takes a while

    return sparse.csr_array(parts, shape=shape)


def divided(above: NDArray[Any], below: NDArray[Any]) -> NDArray[np.float64]:
    """Quotients, NaN where the divisor is not above 0."""
    nowhere = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    return np.asarray(np.divide(above, below, out=nowhere, where=below > 0), np.float64)
