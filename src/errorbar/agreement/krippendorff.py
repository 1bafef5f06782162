"""Krippendorff's alpha: disagreement observed against disagreement expected, with any judgments missing.

Formula
    α = 1 - (n - 1) Σ_ck o_ck δ_ck / Σ_ck n_c n_k δ_ck, with o the coincidence matrix (``prevalence.confusion``), n_c
    its margins, n their sum, and δ the squared difference of two labels: nominal 1 if c ≠ k; ordinal
    (s_c - s_k)², s_c = Σ_{g<c} n_g + n_c/2; interval (c - k)²; ratio ((c - k)/(c + k))².
Conventions
    Items with fewer than two judgments are left out. Undefined where all judgments left have the same label. Ordinal
    needs the labels in order, from lowest; interval and ratio read them as numbers, ratio as numbers of at least 0.
    Differences are summed without a table of labels by labels, but for ratio, which has few labels (``check_matrix``).
Source
    Krippendorff 2004, chapter 11; Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from errorbar.agreement.estimating import Kernel, estimate_items, ratio, totals
from errorbar.agreement.label_counts import Data, ItemCounts, check_matrix
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate
from errorbar.core.labels import as_number, named
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import Floats

if TYPE_CHECKING:
    from scipy import sparse

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
_Expected = Callable[[Floats], Floats]
_Observed = Callable[["sparse.csr_array"], Floats]
ROWS = 1 << 12
"""Rows of label counts that meet a table of labels at a time."""


def alpha_kernel(table: ItemCounts, level: Level, order: Sequence[str] | None = None) -> Kernel:
    """Alpha as a function of how often each row occurs.

    Raises:
        UsageError: If the level is unknown, or the labels do not fit it.
    """
    check_level(level)
    if level == "ordinal":
        return _ordinal(table, label_order(table.labels, order, "ordinal alpha needs"))
    if level == "nominal":
        return _fixed(table, _nominal, _nominal_expected)
    numbers = label_numbers(table.labels, level)
    if level == "interval":
        numbers = unit_scale(numbers - numbers.mean())  # keeps the difference of two large sums exact
        return _fixed(table, partial(_interval, numbers), partial(_interval_expected, numbers))
    check_matrix(table.labels)
    squares = unit_scale(_ratio_square(numbers[:, None], numbers[None, :]))
    return _fixed(table, partial(_by_table, squares), partial(_table_expected, squares))


def check_level(level: str) -> None:
    """Refuse an unknown level of measurement.

    Raises:
        UsageError: If it is none of ``LEVELS``.
    """
    if level not in LEVELS:
        what = f"no level of measurement is called '{level}'"
        raise UsageError(Problem("agreement-level", what, fix=nearest(level, LEVELS)))


def krippendorff_alpha(
    data: Data,
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


def _fixed(table: ItemCounts, observed: _Observed, expected: _Expected) -> Kernel:
    """Alpha where the difference of two labels does not depend on how often they are given."""
    counts = _paired_counts(table)
    disagreement = observed(counts) * _one_less(table)

    def kernel(weights: Floats) -> Floats:
        margins = totals(weights, counts)
        return _alpha(weights @ disagreement, expected(margins), margins.sum(axis=1))

    return kernel


def _one_less(table: ItemCounts) -> Floats:
    """1 / (m - 1) of each row, 0 where nobody could disagree."""
    m = table.n_raters
    return np.divide(1.0, m - 1, out=np.zeros_like(m), where=m >= 2)


def _ordinal(table: ItemCounts, rank: Floats) -> Kernel:
    counts = _paired_counts(table)[:, np.argsort(rank)]
    one_less = _one_less(table)
    raters = table.n_raters * one_less

    def kernel(weights: Floats) -> Floats:
        margins = totals(weights, counts)
        n = margins.sum(axis=1)
        places = np.cumsum(margins, axis=1) - margins / 2 - n[:, None] / 2
        # Σ_ck n_uc n_uk (s_c - s_k)² = 2 (m Σ_c n_uc s_c² - (Σ_c n_uc s_c)²): no table of labels by labels.
        squares = (totals(weights * raters, counts) * places**2).sum(axis=1)
        sums = np.asarray(counts @ places.T).T
        observed = 2 * (squares - (weights * one_less * sums**2).sum(axis=1))
        expected = 2 * (n * (margins * places**2).sum(axis=1) - (margins * places).sum(axis=1) ** 2)
        return _alpha(observed, expected, n)

    return kernel


def _nominal(counts: sparse.csr_array) -> Floats:
    """Pairs of judgments of a row that differ, in both orders: m² - Σ n_k²."""
    return _sums(counts) ** 2 - _sums(counts.multiply(counts))


def _interval(numbers: Floats, counts: sparse.csr_array) -> Floats:
    """Squared differences of all pairs of a row: 2 (m Σ n_k x_k² - (Σ n_k x_k)²)."""
    return np.asarray(2 * (_sums(counts) * (counts @ numbers**2) - (counts @ numbers) ** 2), np.float64)


def _by_table(squares: Floats, counts: sparse.csr_array) -> Floats:
    found = [
        np.asarray(counts[start : start + ROWS].multiply(counts[start : start + ROWS] @ squares).sum(axis=1)).ravel()
        for start in range(0, counts.shape[0], ROWS)
    ]
    return np.concatenate([np.empty(0), *found])


def _sums(counts: sparse.csr_array) -> Floats:
    return np.asarray(counts.sum(axis=1), np.float64).ravel()


def _nominal_expected(margins: Floats) -> Floats:
    expected: Floats = margins.sum(axis=1) ** 2 - (margins**2).sum(axis=1)
    return expected


def _interval_expected(centered: Floats, margins: Floats) -> Floats:
    expected: Floats = 2 * (margins.sum(axis=1) * (margins @ centered**2) - (margins @ centered) ** 2)
    return expected


def _table_expected(squares: Floats, margins: Floats) -> Floats:
    expected: Floats = ((margins @ squares) * margins).sum(axis=1)
    return expected


def _ratio_square(first: Floats, second: Floats) -> Floats:
    total = np.add(first, second)
    return np.divide(first - second, total, out=np.zeros(np.shape(total)), where=total > 0) ** 2


def label_order(labels: Sequence[str], order: Sequence[str] | None, purpose: str) -> Floats:
    """Rank of each label, from 0; shape (labels,).

    Args:
        labels: The labels.
        order: The labels from lowest to highest.
        purpose: What needs the order, with its verb: ``ordinal alpha needs``.

    Raises:
        UsageError: If there is no order, or it does not name every label once.
    """
    if order is None:
        what = f"{purpose} an explicit order of the labels"
        raise UsageError(Problem("agreement-order", what, fix=f"name them from lowest to highest: {named(labels)}"))
    if sorted(order) != sorted(labels):
        what = f"the order of labels is {named(order)}"
        raise UsageError(Problem("agreement-order", what, expected=f"each of {named(labels)} once"))
    rank = {label: place for place, label in enumerate(order)}
    return np.array([rank[label] for label in labels], np.float64)


def label_numbers(labels: Sequence[str], level: str) -> Floats:
    """The number that each label is, all divided by one power of two (``unit_scale``); shape (labels,).

    Raises:
        UsageError: If a label is no finite number, or is negative on the ratio scale.
    """
    numbers = np.array([as_number(label) for label in labels], np.float64)
    for label in (labels[int(code)] for code in np.flatnonzero(np.isnan(numbers))):
        what, expected = f"the label '{named([label])}' is not a number", f"numbers on the {level} scale"
        raise UsageError(Problem("agreement-numbers", what, expected=expected))
    if level == "ratio" and (numbers < 0).any():
        what = f"the label {labels[int(np.argmin(numbers))]} is negative"
        raise UsageError(Problem("agreement-numbers", what, expected="numbers of at least 0 on the ratio scale"))
    return unit_scale(numbers)


def unit_scale(numbers: Floats) -> Floats:
    """Numbers divided by a power of two, so that the largest is near 1 and squares stay finite.

    Agreement depends on ratios of differences alone, and a power of two changes no digit of them.
    """
    _, exponent = np.frexp(np.abs(numbers).max(initial=0.0))
    return np.asarray(np.ldexp(numbers, -exponent), np.float64)
