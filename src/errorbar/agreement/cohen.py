"""Cohen's kappa of two raters, plain or weighted, with standard errors.

Formula
    κ = (A_o - A_e) / (1 - A_e), A_o = Σ_ij w_ij p_ij, A_e = Σ_ij w_ij r_i c_j, with p the joint shares of the labels,
    r and c its margins and w the weights of agreement: 1 for equal labels, else 0; linear 1 - |x_i - x_j| / d;
    quadratic 1 - (x_i - x_j)² / d², with x the ranks of the labels, or the numbers they are, and d the largest
    difference. With w̄_i· = Σ_j w_ij c_j and w̄_·j = Σ_i w_ij r_i:
    Var = {Σ_ij p_ij [w_ij - (w̄_i· + w̄_·j)(1 - κ)]² - [κ - A_e (1 - κ)]²} / [n (1 - A_e)²], and if κ = 0
    Var₀ = {Σ_ij r_i c_j [w_ij - (w̄_i· + w̄_·j)]² - A_e²} / [n (1 - A_e)²].
    The largest κ with these margins has A_o = Σ_k min(r_k, c_k).
Conventions
    Ranks are places in the order given, so a label that nobody gave but the order names keeps its place.
    Only items that both raters judged count. Undefined where A_e = 1, that is, both gave every item the same label.
    The closed-form interval is κ ± z·SE cut off at 1 and at -1, for independent items; a standard error of 0 gives
    none. A maximum is only given without weights.
Source
    Cohen 1960, 1968; Fleiss, Cohen and Everitt 1969, equations 8 and 9, 13 and 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.labels import label_numbers, label_order
from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Kernel, Resampling, check_confidence_level, estimates
from errorbar.agreement.shares import chance_corrected, ratio, totals
from errorbar.agreement.units import Floats, sparse_table
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Interval, Undefined

if TYPE_CHECKING:
    from scipy import sparse

Weighting = Literal["none", "linear", "quadratic"]
WEIGHTINGS: tuple[Weighting, ...] = ("none", "linear", "quadratic")
ROUNDING = 1e-12
"""A difference of less than this share of what it was taken from is rounding."""


@dataclass(frozen=True, slots=True)
class CohenKappa:
    """Cohen's kappa and what it is made of. Where it is undefined, all but the agreements is None.

    Attributes:
        estimate: κ, with an interval.
        observed: A_o, or None without items.
        expected: A_e, or None without items.
        standard_error: Standard error of κ.
        null_standard_error: Standard error if κ were 0: what a test of κ = 0 divides by.
        maximum: The largest κ that these margins allow; None with weights.
    """

    estimate: Estimate
    observed: float | None
    expected: float | None
    standard_error: float | None
    null_standard_error: float | None
    maximum: float | None


def cohen_kernel(cells: NDArray[np.int64], weights: Floats, n_tables: int = 1) -> Kernel:
    """κ of some tables as a function of how often each of their cells occurs.

    Args:
        cells: Numbers of the cells that occur, row by row of one table after the other.
        weights: Weights of agreement; shape (labels, labels).
        n_tables: How many tables there are; with one, values have shape (replicates,), else (replicates, tables).
    """
    size = len(weights)
    table, first, second = cells // size**2, cells // size % size, cells % size
    agreeing = _summing(table, n_tables, weights[first, second])
    margins = [_summing(table * size + label, n_tables * size) for label in (first, second)]
    plain = np.array_equal(weights, np.eye(size))

    def kernel(times: Floats) -> Floats:
        rows, columns = (totals(times, each).reshape(len(times), n_tables, size) for each in margins)
        n = rows.sum(axis=2)
        observed = ratio(totals(times, agreeing), n)
        r, c = ratio(rows, n[:, :, None]), ratio(columns, n[:, :, None])
        expected = ((r if plain else r @ weights) * c).sum(axis=2)
        kappa = chance_corrected(observed, expected)
        return kappa[:, 0] if n_tables == 1 else kappa

    return kernel


def _summing(columns: NDArray[np.int64], n_columns: int, values: Floats | None = None) -> sparse.csr_array:
    """A table that sums cells into columns."""
    weights = np.ones(len(columns)) if values is None else values
    return sparse_table((weights, (np.arange(len(columns)), columns)), (len(columns), n_columns))


def agreement_weights(
    labels: Sequence[str], weighting: Weighting, order: Sequence[str] | None, *, numbers: bool = False
) -> Floats:
    """Weights of agreement; shape (labels, labels).

    Args:
        labels: The labels.
        weighting: How near labels agree.
        order: The labels from lowest to highest; needed with weights of ranks.
        numbers: Labels are as far apart as the numbers they are, not as their ranks.

    Raises:
        UsageError: If the weighting is unknown, or the labels have no order or are no numbers where it needs that.
    """
    if weighting not in WEIGHTINGS:
        what = f"no weighting of kappa is called '{weighting}'"
        raise UsageError(Problem("agreement-weighting", what, fix=nearest(weighting, WEIGHTINGS)))
    if weighting == "none":
        return np.eye(len(labels))
    purpose = f"{weighting} weights"
    places = label_numbers(labels, "interval") if numbers else label_order(labels, order, f"{purpose} need")
    distance = np.abs(places[:, None] - places[None, :])
    distance /= distance.max(initial=0.0) or 1.0
    return 1 - distance if weighting == "linear" else 1 - distance**2


def cohen_kappa(
    table: PairTable,
    *,
    weighting: Weighting = "none",
    order: Sequence[str] | None = None,
    numbers: bool = False,
    confidence_level: float = 0.95,
    resampling: Resampling | None = None,
) -> CohenKappa:
    """Cohen's kappa.

    Args:
        table: The labels of two raters, crossed.
        weighting: How near labels agree.
        order: The labels from lowest to highest; needed with weights of ranks.
        numbers: Weigh by the numbers that the labels are, not by their ranks.
        confidence_level: Nominal coverage of the closed-form interval, a fraction.
        resampling: Make the interval by resampling instead. Clustered items need it: without it, they get no
            interval, as the closed form would be too narrow.

    Raises:
        UsageError: As ``agreement_weights`` does.
    """
    check_confidence_level(confidence_level)
    w = agreement_weights(table.labels, weighting, order, numbers=numbers)
    n = table.n_items
    reason = Undefined.ONE_LABEL if n else Undefined.TOO_FEW_RATERS
    kernels = {"it": cohen_kernel(table.cells, w)}
    estimate = estimates(
        table.units, kernels, n_units=n, reason=reason, resampling=resampling, width=len(table.labels)
    )["it"]
    if not n:
        return CohenKappa(estimate, None, None, None, None, None)
    p = table.proportions()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((p * w).sum()), float(rows @ w @ columns)
    if estimate.value is None:
        return CohenKappa(estimate, observed, expected, None, None, None)
    kappa = estimate.value
    means = (w @ columns)[:, None] + (rows @ w)[None, :]
    scale = n * (1 - expected) ** 2
    squares = float((p * (w - means * (1 - kappa)) ** 2).sum())
    error = float(np.sqrt(_difference(squares, (kappa - expected * (1 - kappa)) ** 2) / scale))
    null_squares = float((np.outer(rows, columns) * (w - means) ** 2).sum())
    null_error = float(np.sqrt(_difference(null_squares, expected**2) / scale))
    if resampling is None:
        made = _closed_form(kappa, error, confidence_level) if table.clusters is None else Undefined.DEPENDENT_UNITS
        estimate = estimate.with_interval(made, n_clusters=table.units.n_clusters)
    maximum = (float(np.minimum(rows, columns).sum()) - expected) / (1 - expected) if weighting == "none" else None
    return CohenKappa(estimate, observed, expected, error, null_error, maximum)


def _difference(squares: float, square: float) -> float:
    """A mean of squares less the square of the mean, 0 where only rounding is left of it."""
    difference = squares - square
    return difference if difference > ROUNDING * squares else 0.0


def _closed_form(kappa: float, error: float, confidence_level: float) -> Interval | Undefined:
    if not error:
        return Undefined.ZERO_WIDTH
    from scipy.special import ndtri  # noqa: PLC0415 - loading it takes a while

    half = float(ndtri((1 + confidence_level) / 2)) * error
    return Interval(max(kappa - half, -1.0), min(kappa + half, 1.0), confidence_level, "closed form")


def kappa_max(table: PairTable) -> float | None:
    """The largest Cohen's kappa that the two raters' label frequencies allow; None where kappa is undefined."""
    return cohen_kappa(table).maximum
