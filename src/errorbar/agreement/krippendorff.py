"""Krippendorff's alpha: disagreement observed against disagreement expected, with any judgments missing.

Formula
    α = 1 - (n - 1) Σ_ck o_ck δ_ck / Σ_ck n_c n_k δ_ck, with o the coincidence matrix (``confusion``), n_c
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
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from errorbar.agreement.coefficients import (
    Data,
    ItemCounts,
    Kernel,
    as_counts,
    check_matrix,
    estimate_items,
    ratio,
    totals,
)
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate
from errorbar.core.labels import as_number, quote_labels
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.resampling import Resampling

if TYPE_CHECKING:
    from scipy import sparse

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
_Fixed = tuple[Floats, Callable[[Floats], Floats]]
"""Disagreement of each row, and that expected of margins, shape (replicates, labels) to (replicates,)."""
ROWS = 1 << 12  # rows of label counts that meet a table of labels at a time


def alpha_kernel(table: ItemCounts, level: Level, order: Sequence[str] | None = None) -> Kernel:
    """Alpha as a function of how often each row occurs."""
    check_level(level)
    m = table.n_raters
    counts = table.counts.multiply((m >= 2)[:, None]).tocsr()
    one_less = np.divide(1.0, m - 1, out=np.zeros_like(m), where=m >= 2)  # 0 where nobody could disagree
    if level == "ordinal":
        rank = label_order(table.labels, order, "ordinal alpha needs")
        return _ordinal(counts[:, np.argsort(rank)], one_less, m * one_less)
    if level == "nominal":
        by_row, expected = _nominal(counts)
    elif level == "interval":
        by_row, expected = _interval(counts, label_numbers(table.labels, level))
    else:
        numbers = label_numbers(table.labels, level)
        check_matrix(table.labels)
        by_row, expected = _ratio(counts, numbers[:, None], numbers[None, :])
    disagreement = by_row * one_less

    def kernel(weights: Floats) -> Floats:
        margins = totals(weights, counts)
        return _alpha(weights @ disagreement, expected(margins), margins.sum(axis=1))

    return kernel


def check_level(level: str) -> None:
    """Refuse a level of measurement that is none of ``LEVELS``."""
    if level not in LEVELS:
        message = f"no level of measurement is called '{level}'"
        raise UsageError(Problem("agreement-level", message, fix=nearest(level, LEVELS)))


def scale_remarks(level: Level, labels: Sequence[str]) -> tuple[str, ...]:
    """Remarks for readers of coefficients on the scale on which labels were compared."""
    if level == "nominal":
        # Two labels are equally far apart on every scale.
        if len(labels) < 3 or any(isnan(as_number(label)) for label in labels):
            return ()
        return (
            "the labels are numbers and were compared as names: 1 and 2 differ as much as 1 and 4; where they are ranks"
            " or amounts, choose the ordinal, interval or ratio scale",
        )
    near, kappa = "Krippendorff's alpha and Cohen's kappa count", ""
    if level == "ratio":
        near, kappa = "Krippendorff's alpha counts", "; Cohen's kappa, which has no weights for ratios, is left out too"
    return (
        f"on the {level} scale {near} near labels as near, and observed and specific agreement are of equal labels;"
        f" Fleiss' kappa, Gwet's AC1, Bennett's S and Scott's pi know names alone and are left out{kappa}",
    )


def krippendorff_alpha(
    data: Data, *, level: Level = "nominal", order: Sequence[str] | None = None, resampling: Resampling | None = None
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


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    return 1 - (n - 1) * ratio(observed, expected)


def _ordinal(counts: sparse.csr_array, one_less: Floats, raters: Floats) -> Kernel:
    """Alpha of ranks, whose differences depend on how often labels are given; labels in order."""

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


def _nominal(counts: sparse.csr_array) -> _Fixed:
    """Pairs of judgments of a row that differ, in both orders: m² - Σ n_k²."""
    disagreement = _sums(counts) ** 2 - _sums(counts.multiply(counts))
    return disagreement, lambda margins: margins.sum(axis=1) ** 2 - (margins**2).sum(axis=1)


def _interval(counts: sparse.csr_array, numbers: Floats) -> _Fixed:
    """Squared differences of all pairs of a row: 2 (m Σ n_k x_k² - (Σ n_k x_k)²)."""
    x = unit_scale(numbers - numbers.mean())  # keeps the difference of two large sums exact
    disagreement = np.asarray(2 * (_sums(counts) * (counts @ x**2) - (counts @ x) ** 2), np.float64)
    return disagreement, lambda margins: 2 * (margins.sum(axis=1) * (margins @ x**2) - (margins @ x) ** 2)


def _ratio(counts: sparse.csr_array, first: Floats, second: Floats) -> _Fixed:
    total = first + second
    squares = unit_scale(np.divide(first - second, total, out=np.zeros(total.shape), where=total > 0) ** 2)
    parts = [counts[start : start + ROWS] for start in range(0, counts.shape[0], ROWS)]
    disagreement = np.concatenate([np.empty(0), *(_sums(part.multiply(part @ squares)) for part in parts)])
    return disagreement, lambda margins: ((margins @ squares) * margins).sum(axis=1)


def _sums(counts: sparse.csr_array) -> Floats:
    return np.asarray(counts.sum(axis=1), np.float64).ravel()


@dataclass(frozen=True, slots=True, eq=False)
class LabelConfusion:
    """Which labels meet on one item."""

    counts: Floats  # weighted ordered pairs; shape (labels, labels)
    labels: tuple[str, ...]  # names of both axes

    def shares(self) -> Floats:
        """Given one rater's label (rows), how often another gave each label; NaN where nobody gave it."""
        return ratio(self.counts, self.counts.sum(axis=1, keepdims=True))


def confusion(data: Data) -> LabelConfusion:
    """The confusion matrix of any number of raters: which labels meet on one item.

    Formula
        o_ck = Σ_u n_uc (n_uk - [c = k]) / (m_u - 1): all ordered pairs of judgments of item u, weighted so that the
        item counts m_u, its number of judgments.
    Conventions
        Items with fewer than two judgments are left out. The matrix is symmetric: the raters' names play no part. With
        two raters it is the joint table plus its transpose.
    Source
        Krippendorff 2004, chapter 11 (coincidence matrix).
    """
    table = as_counts(data)
    check_matrix(table.labels)
    m = table.n_raters
    weight = np.divide(table.units.frequency, m - 1, out=np.zeros_like(m), where=m > 1)
    weighed = table.counts.multiply(weight[:, None]).tocsr()
    counts = np.asarray((table.counts.T @ weighed).toarray(), np.float64)
    counts[np.diag_indices(len(table.labels))] -= np.asarray(weighed.sum(axis=0)).ravel()
    return LabelConfusion(counts, table.labels)


def label_order(labels: Sequence[str], order: Sequence[str] | None, purpose: str) -> Floats:
    """Rank of each label, from 0; ``purpose`` is what needs the order, with its verb: ``ordinal alpha needs``."""
    if order is None:
        message = f"{purpose} an explicit order of the labels"
        raise UsageError(
            Problem("agreement-order", message, fix=f"name them from lowest to highest: {quote_labels(labels)}")
        )
    if sorted(order) != sorted(labels):
        message = f"the order of labels is {quote_labels(order)}"
        raise UsageError(Problem("agreement-order", message, expected=f"each of {quote_labels(labels)} once"))
    rank = {label: place for place, label in enumerate(order)}
    return np.array([rank[label] for label in labels], np.float64)


def label_numbers(labels: Sequence[str], level: str) -> Floats:
    """The number that each label is, all divided by one power of two (``unit_scale``); shape (labels,)."""
    numbers = np.array([as_number(label) for label in labels], np.float64)
    for label in (labels[int(code)] for code in np.flatnonzero(np.isnan(numbers))):
        message, expected = f"the label '{quote_labels([label])}' is not a number", f"numbers on the {level} scale"
        raise UsageError(Problem("agreement-numbers", message, expected=expected))
    if level == "ratio" and (numbers < 0).any():
        message = f"the label {labels[int(np.argmin(numbers))]} is negative"
        raise UsageError(Problem("agreement-numbers", message, expected="numbers of at least 0 on the ratio scale"))
    return unit_scale(numbers)


def unit_scale(numbers: Floats) -> Floats:
    """Numbers divided by a power of two, so that the largest is near 1 and squares stay finite.

    Agreement depends on ratios of differences alone, and a power of two changes no digit of them.
    """
    _, exponent = np.frexp(np.abs(numbers).max(initial=0.0))
    return np.asarray(np.ldexp(numbers, -exponent), np.float64)
