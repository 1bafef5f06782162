"""Cohen's kappa of two raters, plain or weighted, with standard errors; and of every rater against every other.

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
    none. A maximum is only given without weights. Of all pairs of raters two without a common item have a table of
    zeros and an undefined kappa; intervals are closed form, or, where items come in clusters and a resampling is given,
    from the same draws for all pairs.
Source
    Cohen 1960, 1968; Fleiss, Cohen and Everitt 1969, equations 8 and 9, 13 and 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.coefficients import (
    Clusters,
    Kernel,
    PairTable,
    chance_corrected,
    estimates,
    ratio,
    refuse_repeats,
    totals,
)
from errorbar.agreement.krippendorff import Level, label_numbers, label_order
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.resampling import Resampling, Units, cluster_table, sparse_table, z_value

if TYPE_CHECKING:
    from scipy import sparse

Weighting = Literal["none", "linear", "quadratic"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)
ROUNDING = 1e-12  # a difference of less than this share of what it was taken from is rounding
MAX_CELLS = 2_000_000  # of all joint tables together


@dataclass(frozen=True, slots=True)
class CohenKappa:
    """Cohen's kappa and what it is made of. Where it is undefined, all but the agreements is None."""

    estimate: Estimate
    observed: float | None = None  # A_o, or None without items
    expected: float | None = None  # A_e, or None without items
    standard_error: float | None = None
    maximum: float | None = None  # the largest κ that these margins allow; None with weights


def cohen_kernel(cells: NDArray[np.int64], weights: Floats, n_tables: int = 1) -> Kernel:
    """κ of some tables as a function of how often each of ``cells`` occurs: numbers of cells, table by table.

    With one table, values have shape (replicates,), else (replicates, tables).
    """
    size = len(weights)
    table, first, second = cells // size**2, cells // size % size, cells % size

    def summing(columns: NDArray[np.int64], n_columns: int, values: Floats) -> sparse.csr_array:
        return sparse_table((values, (np.arange(len(cells)), columns)), (len(cells), n_columns))

    agreeing = summing(table, n_tables, weights[first, second])
    margins = [summing(table * size + label, n_tables * size, np.ones(len(cells))) for label in (first, second)]
    plain = np.array_equal(weights, np.eye(size))

    def kernel(times: Floats) -> Floats:
        rows, columns = (totals(times, margin).reshape(len(times), n_tables, size) for margin in margins)
        n = rows.sum(axis=2)
        observed = ratio(totals(times, agreeing), n)
        r, c = ratio(rows, n[:, :, None]), ratio(columns, n[:, :, None])
        expected = ((r if plain else r @ weights) * c).sum(axis=2)
        kappa = chance_corrected(observed, expected)
        return kappa[:, 0] if n_tables == 1 else kappa

    return kernel


def agreement_weights(
    labels: Sequence[str], weighting: Weighting, order: Sequence[str] | None, *, numbers: bool = False
) -> Floats:
    """Weights of agreement, shape (labels, labels), by the ranks of the labels or by the numbers that they are."""
    check_weighting(weighting)
    if weighting == "none":
        return np.eye(len(labels))
    places = label_numbers(labels, "interval") if numbers else label_order(labels, order, f"{weighting} weights need")
    distance = np.abs(places[:, None] - places[None, :])
    distance /= distance.max(initial=0.0) or 1.0
    return 1 - distance if weighting == "linear" else 1 - distance**2


def check_weighting(weighting: Weighting, level: Level | None = None) -> None:
    """Refuse a weighting that there is not, or not at the level of measurement."""
    if weighting not in WEIGHTINGS:
        message = f"no weighting of kappa is called '{weighting}'"
        raise UsageError(Problem("agreement-weighting", message, fix=nearest(weighting, WEIGHTINGS)))
    if level is not None and (level == "ratio" or (level == "nominal") != (weighting == "none")):
        allowed = {"nominal": "none", "ratio": "no kappa of ratios"}.get(level, "linear or quadratic")
        message = f"weights '{weighting}' of Cohen's kappa on the {level} scale"
        raise UsageError(Problem("agreement-weighting", message, expected=allowed))


def cohen_kappa(
    table: PairTable,
    *,
    weighting: Weighting = "none",
    order: Sequence[str] | None = None,
    numbers: bool = False,
    resampling: Resampling | None = None,
) -> CohenKappa:
    """Cohen's kappa.

    Args:
        table: The labels of two raters, crossed.
        weighting: How near labels agree.
        order: The labels from lowest to highest; needed with weights of ranks.
        numbers: Weigh by the numbers that the labels are, not by their ranks.
        resampling: How to make the interval; None: in closed form. Clustered items need resampling: without it, they
            get no interval, as the closed form would be too narrow.

    Raises:
        UsageError: If the weighting is unknown, or the labels have no order or are no numbers where it needs that.
    """
    how = resampling or Resampling("closed")
    w = agreement_weights(table.labels, weighting, order, numbers=numbers)
    n, kernels = table.n_items, {"it": cohen_kernel(table.cells, w)}
    reason = Undefined.ONE_LABEL if n else Undefined.TOO_FEW_RATERS
    drawn = None if how.method == "closed" else how
    estimate = estimates(table.units, kernels, n, reason, drawn, len(table.labels))["it"][0]
    if not n:
        return CohenKappa(estimate)
    p = table.proportions()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((p * w).sum()), float(rows @ w @ columns)
    if estimate.value is None:
        return CohenKappa(estimate, observed, expected)
    kappa = estimate.value
    means = (w @ columns)[:, None] + (rows @ w)[None, :]
    squares = float((p * (w - means * (1 - kappa)) ** 2).sum())
    less = squares - (kappa - expected * (1 - kappa)) ** 2  # 0 where only rounding is left
    error = float(np.sqrt((less if less > ROUNDING * squares else 0.0) / (n * (1 - expected) ** 2)))
    if drawn is None:
        half = z_value(how.confidence_level) * error
        interval: Interval | Undefined = Undefined.ZERO_WIDTH
        if table.clusters is not None:
            interval = Undefined.DEPENDENT_UNITS
        elif half:
            interval = Interval(max(kappa - half, -1.0), min(kappa + half, 1.0), how.confidence_level, "closed form")
        estimate = estimate.with_interval(interval, n_clusters=table.units.n_clusters)
    maximum = (float(np.minimum(rows, columns).sum()) - expected) / (1 - expected) if weighting == "none" else None
    return CohenKappa(estimate, observed, expected, error, maximum)


@dataclass(frozen=True, slots=True, eq=False)
class PairAgreement:
    """Two raters: their labels, crossed, and Cohen's kappa."""

    table: PairTable
    kappa: CohenKappa


def pairwise_agreement(
    judgments: Judgments,
    *,
    weighting: Weighting = "none",
    order: Sequence[str] | None = None,
    numbers: bool = False,
    resampling: Resampling | None = None,
    clusters: Clusters = None,
) -> list[PairAgreement]:
    """Cohen's kappa of all pairs of raters, (1, 2), (1, 3), ..., (2, 3), ...; arguments are as of ``cohen_kappa``."""
    counts, by_cluster = _count(judgments, clusters)
    weights = agreement_weights(judgments.labels, weighting, order, numbers=numbers)
    closed = Resampling("closed", confidence_level=resampling.confidence_level if resampling else 0.95)
    kappa = partial(cohen_kappa, weighting=weighting, order=order, numbers=numbers, resampling=closed)
    size, names = len(judgments.labels), list(combinations(judgments.raters, 2))
    columns = None if by_cluster is None else by_cluster.tocsc()
    tables = []
    for k, raters in enumerate(names):
        cells = slice(k * size * size, (k + 1) * size * size)
        part = None if columns is None else columns[:, cells].tocsr()
        tables.append(PairTable(counts[cells].reshape(size, size), judgments.labels, raters, part))
    pairs = [PairAgreement(table, kappa(table)) for table in tables]
    if by_cluster is None or resampling is None or by_cluster.shape[0] < 2:
        return pairs
    used = np.flatnonzero(counts)
    units = Units(counts[used].astype(np.float64), by_cluster[:, used])
    kernels = {"kappa": cohen_kernel(used, weights, len(tables))}
    every = estimates(units, kernels, len(judgments.items), Undefined.ONE_LABEL, resampling, len(tables) * size)
    for k, (pair, drawn) in enumerate(zip(pairs, every["kappa"], strict=True)):
        interval = drawn.interval or drawn.no_interval
        if pair.kappa.estimate.value is not None and interval is not None:
            estimate = pair.kappa.estimate.with_interval(interval, n_clusters=drawn.n_clusters)
            pairs[k] = PairAgreement(pair.table, replace(pair.kappa, estimate=estimate))
    return pairs


def joint_cells(n_raters: int, n_labels: int) -> int:
    """Cells of the joint tables of all pairs of raters."""
    return n_raters * (n_raters - 1) // 2 * n_labels * n_labels


def _count(judgments: Judgments, clusters: Clusters) -> tuple[NDArray[np.int64], sparse.csr_array | None]:
    """Items in each cell of each pair's table, cells in one row; and the same by cluster."""
    n, size = len(judgments.raters), len(judgments.labels)
    total = joint_cells(n, size)
    if total > MAX_CELLS:
        message = f"{n:,} raters and {size:,} labels make {total:,} cells of joint tables"
        fix = "choose raters, or group the labels"
        raise UsageError(Problem("agreement-raters", message, expected=f"at most {MAX_CELLS:,}", fix=fix))
    refuse_repeats(judgments)
    order = np.lexsort((judgments.rater, judgments.item))
    item, rater, label = (codes[order].astype(np.int64) for codes in (judgments.item, judgments.rater, judgments.label))
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
    n_items, none = len(judgments.items), np.empty(0, np.int64)
    if len(clusters) != n_items:
        cluster_table(np.arange(n_items), n_items, clusters, n_items)  # which says what is wrong
    where = np.concatenate([*items, none])  # an item stands there once for every pair who judged it
    judged = np.bincount(where, minlength=n_items) > 0
    names, codes = np.unique(np.asarray(clusters)[judged], return_inverse=True)
    rows = codes[np.cumsum(judged)[where] - 1]
    return counts, sparse_table((np.ones(len(rows)), (rows, np.concatenate([*cells, none]))), (len(names), total))
