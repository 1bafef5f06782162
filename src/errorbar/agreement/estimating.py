"""From label counts to estimates: sums that coefficients share, for many resamples at once, and their intervals.

Conventions
    All raters of a drawn item come along. With a seed, all coefficients use the same resamples, whatever the number of
    workers; draws without a value: ``errorbar.stats.resampling``. One item or one cluster has no interval.
Source
    Efron and Tibshirani 1993, chapters 13 and 14; Krippendorff 2004 for resampling units, not ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.label_counts import Data, ItemCounts, as_counts
from errorbar.core.estimate import Estimate, Undefined
from errorbar.execute import run
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import Floats, Units

if TYPE_CHECKING:
    from scipy import sparse

Kernel = Callable[[Floats], Floats]
"""Takes how many items each row stands for, shape (replicates, rows); gives values, NaN where undefined, of shape
(replicates,) or, with one for each label or pair, (replicates, values)."""
STREAM = "agreement"


class Shares:
    """Share of agreeing pairs and of each label, for weights of shape (replicates, rows).

    The pair share is a mean over the items with two raters or more; the label shares are a mean over all judged
    items of the item's own shares, so an item counts once however many judged it.
    """

    def __init__(self, table: ItemCounts) -> None:
        m = table.n_raters
        self.n_labels = len(table.labels)
        self.paired = (m >= 2).astype(np.float64)
        self._agreeing = np.divide(table.agreeing_pairs(), m * (m - 1), out=np.zeros_like(m), where=m >= 2)
        self._shares = table.counts.multiply(1 / m[:, None]).tocsr()

    def agreement(self, weights: Floats) -> Floats:
        """Observed agreement; shape (replicates,)."""
        return ratio(weights @ self._agreeing, weights @ self.paired)

    def labels(self, weights: Floats) -> Floats:
        """Share of each label; shape (replicates, labels)."""
        return ratio(totals(weights, self._shares), weights.sum(axis=1)[:, None])


def totals(weights: Floats, table: sparse.csr_array) -> Floats:
    """Sum the columns of a sparse table for each replicate; shape (replicates, columns)."""
    return np.asarray((table.T @ weights.T).T, np.float64)


def ratio(numerator: Floats, denominator: Floats | float) -> Floats:
    """Quotients, NaN where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    # A denominator such as 1 - A_e that is 0 but for rounding must not make a number.
    quotient: Floats = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.abs(denominator) > 1e-12)
    return quotient


def chance_corrected(observed: Floats, expected: Floats | float) -> Floats:
    """(A_o - A_e) / (1 - A_e), NaN where the expected agreement is 1."""
    return ratio(observed - expected, 1 - expected)


def why_undefined(table: ItemCounts) -> Undefined:
    """The reason that a coefficient of these items has no value, if it has none."""
    return Undefined.ONE_LABEL if table.n_paired else Undefined.TOO_FEW_RATERS


def replicates(units: Units, kernels: Mapping[str, Kernel], resampling: Resampling, width: int) -> dict[str, Floats]:
    """Values of coefficients in the same resamples; each of shape (replicates,) or (replicates, values)."""

    def values(draw: Callable[[], Iterator[Floats]]) -> dict[str, list[Floats]]:
        found: dict[str, list[Floats]] = {name: [] for name in kernels}
        for weights in draw():
            for name, kernel in kernels.items():
                found[name].append(kernel(weights))
        return found

    blocks = list(run(values, units.draws(resampling, STREAM, width=width), resampling.jobs))
    return {name: np.concatenate([part for block in blocks for part in block[name]]) for name in kernels}


def jackknife(units: Units, kernel: Kernel, width: int) -> tuple[Floats, NDArray[np.int64]]:
    """Values with one item or cluster left out, shape (rows, values), and for how many of them each row stands."""
    parts = [(kernel(weights), times) for weights, times in units.left_out(width)]
    found, times = (np.concatenate(column) for column in zip(*parts, strict=True))
    return found.reshape(len(found), -1), times.astype(np.int64)


def estimates(
    units: Units,
    kernels: Mapping[str, Kernel],
    n_units: int,
    reason: Undefined,
    resampling: Resampling | None = None,
    width: int = 1,
) -> dict[str, list[Estimate]]:
    """Values with intervals of several coefficients, all from the same resamples: each a list, most of one estimate.

    Args:
        units: What is resampled.
        kernels: Name to coefficient.
        n_units: How many items the values rest on.
        reason: Why a value is undefined, if it is.
        resampling: How to make intervals; None: none are made.
        width: Numbers that a kernel holds for one resample besides the rows, e.g. one for each label.

    Raises:
        UsageError: If the resampling is a formula.
    """
    method = None if resampling is None else resampling.bootstrap("agreement")
    able = n_units > 1 and units.n_clusters != 1
    drawn = replicates(units, kernels, resampling, width) if resampling is not None and able else {}
    made = {}
    for name, kernel in kernels.items():
        values = np.atleast_1d(kernel(units.frequency[None])[0])
        columns = drawn[name].reshape(-1, len(values)) if name in drawn else None
        left_out = jackknife(units, kernel, width) if method == "bca" and able else None
        found = []
        for k, value in enumerate(values.tolist()):
            if np.isnan(value):
                found.append(Estimate(None, n_units, None, units.n_clusters, reason))
                continue
            estimate = Estimate(value, n_units, None, units.n_clusters)
            if resampling is not None and columns is None:
                estimate = estimate.with_interval(Undefined.ONE_UNIT, n_clusters=units.n_clusters)
            elif resampling is not None and columns is not None:
                without = None if left_out is None else np.repeat(left_out[0][:, k], left_out[1])
                interval = resampling.interval(value, columns[:, k], without)
                estimate = estimate.with_interval(interval, n_clusters=units.n_clusters)
            found.append(estimate)
        made[name] = found
    return made


def estimate_items(data: Data, make: Callable[[ItemCounts], Kernel], resampling: Resampling | None) -> Estimate:
    """One coefficient of items with its interval.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    table = as_counts(data)
    reason, width = why_undefined(table), len(table.labels)
    return estimates(table.units, {"it": make(table)}, table.n_paired, reason, resampling, width)["it"][0]
