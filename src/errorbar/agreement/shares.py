"""Sums that several coefficients share, for many resamples at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from errorbar.agreement.pairs import PairTable, as_counts
from errorbar.agreement.resampling import Kernel, Resampling, estimates
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments

if TYPE_CHECKING:
    from scipy import sparse


class Shares:
    """Share of agreeing pairs and of each label, for weights of shape (replicates, rows).

    The pair share is a mean over the items with two raters or more; the label shares are a mean over all judged
    items of the item's own shares, so an item counts once however many judged it.
    """

    def __init__(self, table: ItemCounts) -> None:
        m = table.n_raters
        self.n_labels = len(table.labels)
        self._paired = (m >= 2).astype(np.float64)
        self._agreeing = np.divide(table.agreeing_pairs(), m * (m - 1), out=np.zeros_like(m), where=m >= 2)
        self._shares = table.counts.multiply(1 / m[:, None]).tocsr()

    def agreement(self, weights: Floats) -> Floats:
        """Observed agreement; shape (replicates,)."""
        return ratio(weights @ self._agreeing, weights @ self._paired)

    def labels(self, weights: Floats) -> Floats:
        """Share of each label; shape (replicates, labels)."""
        return ratio(totals(weights, self._shares), weights.sum(axis=1)[:, None])


def totals(weights: Floats, table: sparse.csr_array) -> Floats:
    """Sum the columns of a sparse table for each replicate; shape (replicates, columns)."""
    return np.asarray((table.T @ weights.T).T, np.float64)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotients, NaN where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    # A denominator such as 1 - A_e that is 0 but for rounding must not make a number.
    quotient: Floats = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.abs(denominator) > 1e-12)
    return quotient


def chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """(A_o - A_e) / (1 - A_e), NaN where the expected agreement is 1."""
    return ratio(observed - expected, 1 - expected)


def estimate_items(
    data: Judgments | ItemCounts | PairTable, make: Callable[[ItemCounts], Kernel], resampling: Resampling | None
) -> Estimate:
    """One coefficient of items with its interval.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    table = as_counts(data)
    kernels = {"it": make(table)}
    n = table.n_paired
    reason, width = why_undefined(table), len(table.labels)
    return estimates(table.units, kernels, n_units=n, reason=reason, resampling=resampling, width=width)["it"]


def why_undefined(table: ItemCounts) -> Undefined:
    """The reason that a coefficient of these items has no value, if it has none."""
    return Undefined.ONE_LABEL if table.n_paired else Undefined.TOO_FEW_RATERS
