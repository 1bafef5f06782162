"""Conger's kappa: Cohen's kappa for many raters, each with label frequencies of its own.

Formula
    κ = (A_o - A_e) / (1 - A_e), A_o as in ``observed``, A_e = Σ_k (p̄_k² - s_k² / R), with p_gk the share of label k
    among the judgments of rater g, p̄_k and s_k² their mean and variance (divisor R - 1) over the R raters.
Conventions
    Raters without a judgment are left out. With two raters who judged every item it is Cohen's kappa. In a resample
    a rater may lose all judgments and is then left out of it. Undefined with one rater, or where A_e = 1.
Source
    Conger 1980; for missing judgments Gwet 2014, chapter 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.resampling import Kernel, Resampling, estimates
from errorbar.agreement.shares import Shares, chance_corrected, ratio, totals, why_undefined
from errorbar.agreement.units import Floats, ItemCounts, Units, cluster_table, item_counts, sparse_table
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments

if TYPE_CHECKING:
    from scipy import sparse


def conger_kappa(
    judgments: Judgments,
    *,
    resampling: Resampling | None = None,
    clusters: Sequence[int] | NDArray[np.int64] | None = None,
) -> Estimate:
    """Conger's kappa. An interval draws every item anew: slow for more than some ten thousand items.

    Args:
        judgments: The judgments.
        resampling: How to make an interval; None: none.
        clusters: Number of the cluster that each item of ``judgments.items`` is from.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    reason = why_undefined(item_counts(judgments))  # also refuses repeated judgments
    n_items, n_labels = len(judgments.items), len(judgments.labels)
    judged, rows = np.unique(judgments.item, return_inverse=True)  # an item that nobody judged is not resampled
    counts = _table(rows, judgments.label, (len(judged), n_labels))
    row_of = np.full(n_items, -1)
    row_of[judged] = np.arange(len(judged))
    units = Units(np.ones(len(judged)), cluster_table(row_of, len(judged), clusters, n_items))
    table = ItemCounts(counts, units, judgments.labels)
    kernel = _kernel(judgments, rows, table)
    return estimates(units, {"it": kernel}, n_units=table.n_paired, reason=reason, resampling=resampling)["it"]


def _kernel(judgments: Judgments, rows: NDArray[np.int64], table: ItemCounts) -> Kernel:
    n_raters, n_labels = len(judgments.raters), len(judgments.labels)
    columns = judgments.rater.astype(np.int64) * n_labels + judgments.label
    said = _table(rows, columns, (table.counts.shape[0], n_raters * n_labels))
    shares = Shares(table)

    def kernel(weights: Floats) -> Floats:
        counts = totals(weights, said).reshape(len(weights), n_raters, n_labels)
        given = counts.sum(axis=2)
        present = given > 0
        n = present.sum(axis=1).astype(np.float64)[:, None]
        p = np.nan_to_num(ratio(counts, given[:, :, None]))
        mean = ratio(p.sum(axis=1), n)
        squares = (np.where(present[:, :, None], p - mean[:, None, :], 0.0) ** 2).sum(axis=1)
        expected = (mean**2 - ratio(squares, n * (n - 1))).sum(axis=1)
        return chance_corrected(shares.agreement(weights), expected)

    return kernel


def _table(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> sparse.csr_array:
    return sparse_table((np.ones(len(rows)), (rows, columns)), shape)
