"""Every rater against every other.

Formula
    For raters a and b the joint table over the items that both judged, and Cohen's kappa of it (``cohen``).
Conventions
    Two raters without a common item have a table of zeros and an undefined kappa. Intervals are closed form, or, where
    items come in clusters and a resampling is given, percentile intervals from the same draws for all pairs.
Source
    As ``cohen``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.cohen import CohenKappa, Weighting, agreement_weights, cohen_kappa, cohen_kernel
from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Resampling, percentile_interval, replicates
from errorbar.agreement.units import Units, cluster_table, item_counts, sparse_table
from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import Judgments

if TYPE_CHECKING:
    from scipy import sparse

MAX_CELLS = 2_000_000
"""Cells of all joint tables together."""


@dataclass(frozen=True, slots=True, eq=False)
class PairAgreement:
    """Two raters.

    Attributes:
        table: Their labels, crossed.
        kappa: Cohen's kappa.
    """

    table: PairTable
    kappa: CohenKappa


def pair_tables(judgments: Judgments) -> list[PairTable]:
    """Joint tables of all pairs of raters, in the order (1, 2), (1, 3), ..., (2, 3), ...

    Raises:
        UsageError: If a rater judged an item twice, or the tables would be too large together.
    """
    counts, _ = _count(judgments, None)
    return _tables(judgments, counts)


def pairwise_agreement(
    judgments: Judgments,
    *,
    weighting: Weighting = "none",
    order: Sequence[str] | None = None,
    numbers: bool = False,
    confidence_level: float = 0.95,
    resampling: Resampling | None = None,
    clusters: Sequence[int] | NDArray[np.int64] | None = None,
) -> list[PairAgreement]:
    """Cohen's kappa of all pairs of raters, in the order (1, 2), (1, 3), ..., (2, 3), ...

    Args:
        judgments: The judgments.
        weighting: How near labels agree.
        order: The labels from lowest to highest; needed with weights of ranks.
        numbers: Weigh by the numbers that the labels are, not by their ranks.
        confidence_level: Nominal coverage of closed-form intervals, a fraction.
        resampling: How to make intervals where there are clusters; None: clustered pairs get none.
        clusters: Number of the cluster that each item of ``judgments.items`` is from.

    Raises:
        UsageError: If a rater judged an item twice, the tables would be too large together, or the labels do not fit
            the weights.
    """
    counts, by_cluster = _count(judgments, clusters)
    weights = agreement_weights(judgments.labels, weighting, order, numbers=numbers)
    kappa = partial(cohen_kappa, weighting=weighting, order=order, numbers=numbers, confidence_level=confidence_level)
    tables = _tables(judgments, counts)
    if by_cluster is None:
        return [PairAgreement(table, kappa(table)) for table in tables]
    size = len(judgments.labels)
    width = size * size
    parts = by_cluster.tocsc()
    tables = [
        PairTable(t.counts, t.labels, t.raters, parts[:, width * at : width * (at + 1)].tocsr())
        for at, t in enumerate(tables)
    ]
    plain = [PairAgreement(table, kappa(table)) for table in tables]
    if resampling is None or by_cluster.shape[0] < 2:
        return plain
    used = np.flatnonzero(counts)
    units = Units(counts[used].astype(np.float64), by_cluster[:, used])
    kernels = {"kappa": cohen_kernel(used, weights, len(tables))}
    drawn = replicates(units, kernels, resampling, width=len(tables) * size)["kappa"].reshape(-1, len(tables))
    made = []
    for at, pair in enumerate(plain):
        estimate = pair.kappa.estimate
        if estimate.value is not None:
            estimate = estimate.with_interval(
                percentile_interval(drawn[:, at], resampling), n_clusters=by_cluster.shape[0]
            )
        made.append(PairAgreement(pair.table, replace(pair.kappa, estimate=estimate)))
    return made


def joint_cells(n_raters: int, n_labels: int) -> int:
    """Cells of the joint tables of all pairs of raters."""
    return n_raters * (n_raters - 1) // 2 * n_labels * n_labels


def _tables(judgments: Judgments, counts: NDArray[np.int64]) -> list[PairTable]:
    size = len(judgments.labels)
    names = [(a, b) for i, a in enumerate(judgments.raters) for b in judgments.raters[i + 1 :]]
    return [
        PairTable(table, judgments.labels, pair)
        for table, pair in zip(counts.reshape(len(names), size, size), names, strict=True)
    ]


def _count(
    judgments: Judgments, clusters: Sequence[int] | NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], sparse.csr_array | None]:
    """Items in each cell of each pair's table, cells in one row; and the same by cluster."""
    n, size = len(judgments.raters), len(judgments.labels)
    total = joint_cells(n, size)
    if total > MAX_CELLS:
        what = f"{n:,} raters and {size:,} labels make {total:,} cells of joint tables"
        fix = "choose raters, or group the labels"
        raise UsageError(Problem("agreement-raters", what, expected=f"at most {MAX_CELLS:,}", fix=fix))
    if judgments.n_repeated():
        item_counts(judgments)  # which says what is wrong
    order = np.lexsort((judgments.rater, judgments.item))
    item, rater, label = (
        column[order].astype(np.int64) for column in (judgments.item, judgments.rater, judgments.label)
    )
    counts = np.zeros(total, np.int64)
    cells, items = [], []
    # Judgments of one item stand together, raters ascending: meet each with the one that stands `away` further on.
    for away in range(1, int(np.bincount(item, minlength=1).max(initial=0))):
        same = np.flatnonzero(item[away:] == item[:-away])
        a, b = rater[same], rater[same + away]
        pair = a * (2 * n - a - 1) // 2 + (b - a - 1)
        cell = (pair * size + label[same]) * size + label[same + away]
        counts += np.bincount(cell, minlength=total)
        if clusters is not None:
            cells.append(cell)
            items.append(item[same])
    if clusters is None:
        return counts, None
    n_items = len(judgments.items)
    if len(clusters) != n_items:
        cluster_table(np.arange(n_items), n_items, clusters, n_items)  # which says what is wrong
    none = np.empty(0, np.int64)
    names, codes = np.unique(np.asarray(clusters)[np.concatenate([*items, none])], return_inverse=True)
    places = (codes, np.concatenate([*cells, none]))
    return counts, sparse_table((np.ones(len(codes)), places), (len(names), total))
