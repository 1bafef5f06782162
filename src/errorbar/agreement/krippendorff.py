"""Krippendorff's alpha: disagreement observed against disagreement expected, with any judgments missing.

Formula
    α = 1 - (n - 1) Σ_ck o_ck δ_ck / Σ_ck n_c n_k δ_ck, with o the coincidence matrix (``coincidences``), n_c its
    margins, n their sum, and δ the squared difference of two labels: nominal 1 if c ≠ k; ordinal
    (s_c - s_k)², s_c = Σ_{g<c} n_g + n_c/2; interval (c - k)²; ratio ((c - k)/(c + k))².
Conventions
    Items with fewer than two judgments are left out. Undefined where all judgments left have the same label. Ordinal
    needs the labels in order, from lowest; interval and ratio read them as numbers, ratio as numbers of at least 0.
Source
    Krippendorff 2004, chapter 11; Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np
from scipy import sparse

from errorbar.agreement.coincidences import label_pairs
from errorbar.agreement.labels import label_numbers, label_order
from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Kernel, Resampling
from errorbar.agreement.shares import estimate_items, ratio, totals
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import MAX_CELLS, Judgments

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
_Expected = Callable[[Floats], Floats]
_Difference = Callable[[Floats, Floats], Floats]


def alpha_kernel(table: ItemCounts, level: Level, order: Sequence[str] | None = None) -> Kernel:
    """Alpha as a function of how often each row occurs.

    Raises:
        UsageError: If the level is unknown, or the labels do not fit it.
    """
    if level not in LEVELS:
        what = f"no level of measurement is called '{level}'"
        raise UsageError(Problem("agreement-level", what, fix=nearest(level, LEVELS)))
    if level == "ordinal":
        return _ordinal(table, order)
    if level == "nominal":
        return _fixed(table, _nominal_expected, np.arange(len(table.labels), dtype=np.float64), _differ)
    numbers = label_numbers(table.labels, level)
    if level == "interval":
        return _fixed(table, partial(_interval_expected, numbers), numbers, _square)
    if len(numbers) ** 2 > MAX_CELLS:
        what = f"{len(numbers)} different labels are too many for ratio alpha"
        raise UsageError(Problem("agreement-level", what, fix="round the labels"))
    squares = _ratio_square(numbers[:, None], numbers[None, :])
    return _fixed(table, partial(_table_expected, squares), numbers, _ratio_square)


def krippendorff_alpha(
    data: Judgments | ItemCounts | PairTable,
    *,
    level: Level = "nominal",
    order: Sequence[str] | None = None,
    resampling: Resampling | None = None,
) -> Estimate:
    """Krippendorff's alpha.

    Args:
        data: The judgments.
        level: What the labels measure.
        order: The labels from lowest to highest; needed where the level is ordinal.
        resampling: How to make an interval; None: none.

    Raises:
        UsageError: If the level is unknown, the labels do not fit it, or a rater judged an item twice.
    """
    return estimate_items(data, partial(alpha_kernel, level=level, order=order), resampling)


def _paired_counts(table: ItemCounts) -> sparse.csr_array:
    """Label counts; rows with fewer than two judgments are all 0."""
    return table.counts.multiply((table.n_raters >= 2)[:, None]).tocsr()


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    return 1 - (n - 1) * ratio(observed, expected)


def _fixed(table: ItemCounts, expected: _Expected, values: Floats, difference: _Difference) -> Kernel:
    """Alpha where the difference of two labels does not depend on how often they are given."""
    counts = _paired_counts(table)
    pairs = label_pairs(table)
    terms = pairs.value * difference(values[pairs.first], values[pairs.second])
    observed = np.bincount(pairs.row, terms, minlength=counts.shape[0])

    def kernel(weights: Floats) -> Floats:
        margins = totals(weights, counts)
        return _alpha(weights @ observed, expected(margins), margins.sum(axis=1))

    return kernel


def _ordinal(table: ItemCounts, order: Sequence[str] | None) -> Kernel:
    rank = label_order(table.labels, order, "ordinal alpha")
    by_rank = np.argsort(rank)
    counts = _paired_counts(table)[:, by_rank]
    pairs = label_pairs(table)
    size = len(table.labels)
    cells = (rank[pairs.first] * size + rank[pairs.second]).astype(np.int64)
    met = sparse.csr_array((pairs.value, (pairs.row, cells)), shape=(counts.shape[0], size * size))

    def kernel(weights: Floats) -> Floats:
        margins = totals(weights, counts)
        places = np.cumsum(margins, axis=1) - margins / 2
        squares = (places[:, :, None] - places[:, None, :]) ** 2
        coincidences = totals(weights, met).reshape(len(weights), size, size)
        expected = np.einsum("rc,rk,rck->r", margins, margins, squares, optimize=True)
        return _alpha((coincidences * squares).sum(axis=(1, 2)), expected, margins.sum(axis=1))

    return kernel


def _nominal_expected(margins: Floats) -> Floats:
    expected: Floats = margins.sum(axis=1) ** 2 - (margins**2).sum(axis=1)
    return expected


def _interval_expected(numbers: Floats, margins: Floats) -> Floats:
    centered = numbers - numbers.mean()  # keeps the difference of two large sums exact
    expected: Floats = 2 * (margins.sum(axis=1) * (margins @ centered**2) - (margins @ centered) ** 2)
    return expected


def _table_expected(squares: Floats, margins: Floats) -> Floats:
    expected: Floats = ((margins @ squares) * margins).sum(axis=1)
    return expected


def _differ(first: Floats, second: Floats) -> Floats:
    return np.asarray(first != second, np.float64)


def _square(first: Floats, second: Floats) -> Floats:
    return (first - second) ** 2


def _ratio_square(first: Floats, second: Floats) -> Floats:
    total = np.add(first, second)
    return np.divide(first - second, total, out=np.zeros(np.shape(total)), where=total > 0) ** 2
