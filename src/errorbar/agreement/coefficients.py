"""Coefficients of raters who give names, each a function of label counts that any resample can be put into.

Formula
    A_o = mean over items of Σ_k n_ik (n_ik - 1) / (m_i (m_i - 1)), with n_ik the raters who gave item i label k and
    m_i all its raters: how often two raters of an item give it the same label. Corrected for chance it is
    (A_o - A_e) / (1 - A_e); coefficients differ in the agreement A_e that they expect by chance. K is the number of
    labels, π_k = mean over items of n_ik / m_i.
Conventions
    The number of raters may vary. Items with fewer than two raters are left out of A_o; without any other the values
    are undefined. π_k is over all items that anybody judged. K counts every label the judgments declare, used or not.
    Judgments in which a rater judged an item twice are refused. All raters of a drawn item come along. With a seed, all
    coefficients use the same resamples, whatever the number of workers; draws without a value:
    ``errorbar.stats.resampling``. One item or one cluster has no interval.
Source
    Fleiss 1971, for a number of raters that may vary as in Gwet 2014, chapter 2; each coefficient names its own.
    Efron and Tibshirani 1993, chapters 13 and 14; Krippendorff 2004 for resampling units, not ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.label_counts import (
    Clusters,
    Data,
    ItemCounts,
    PairTable,
    Shares,
    as_counts,
    item_counts,
    ratio,
    totals,
)
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.execute import run
from errorbar.stats.resampling import Resampling, Units, cluster_table, sparse_table

Kernel = Callable[[Floats], Floats]
"""Takes how many items each row stands for, shape (replicates, rows); gives values, NaN where undefined, of shape
(replicates,) or, with one for each label or pair, (replicates, values)."""
EXPECTED: Mapping[str, Callable[[Shares, Floats], Floats | float]] = {
    "observed": lambda shares, weights: 0.0,
    "fleiss": lambda shares, weights: (shares.labels(weights) ** 2).sum(axis=1),
    "scott": lambda shares, weights: (shares.labels(weights * shares.paired) ** 2).sum(axis=1),
    "gwet": lambda shares, weights: ratio(((p := shares.labels(weights)) * (1 - p)).sum(axis=1), shares.n_labels - 1),
    "bennett": lambda shares, weights: 1 / max(shares.n_labels, 1),
}
"""The agreement that each coefficient expects by chance, for weights of shape (replicates, rows)."""


def chance_corrected(observed: Floats, expected: Floats | float) -> Floats:
    """(A_o - A_e) / (1 - A_e), NaN where the expected agreement is 1."""
    return ratio(observed - expected, 1 - expected)


def estimates(
    units: Units,
    kernels: Mapping[str, Kernel],
    n_units: int,
    reason: Undefined,
    resampling: Resampling | None = None,
    width: int = 1,
) -> dict[str, list[Estimate]]:
    """Values with intervals of several coefficients, all from the same resamples: each a list, most of one estimate.

    Undefined ones get the ``reason``; ``width`` numbers, e.g. of labels, are held for a resample besides the rows.
    """
    method = None if resampling is None else resampling.bootstrap("agreement")
    able = n_units > 1 and units.n_clusters != 1
    drawn: dict[str, Floats] = {}  # each of shape (replicates,) or (replicates, values)
    if resampling is not None and able:

        def drawn_values(draw: Callable[[], Iterator[Floats]]) -> list[list[Floats]]:
            return [[kernel(weights) for kernel in kernels.values()] for weights in draw()]

        blocks = run(drawn_values, units.draws(resampling, "agreement", width=width), resampling.jobs)
        drawn = dict(zip(kernels, map(np.concatenate, zip(*chain.from_iterable(blocks), strict=True)), strict=True))
    by_kernel: dict[str, list[Estimate]] = {name: [] for name in kernels}
    for name, kernel in kernels.items():
        values = np.atleast_1d(kernel(units.frequency[None])[0])
        columns = drawn[name].reshape(-1, len(values)) if drawn else None
        left_out = left_out_values(units, kernel, width) if method == "bca" and able else None
        for k, value in enumerate(values.tolist()):
            if np.isnan(value):
                by_kernel[name].append(Estimate(None, n_units, None, units.n_clusters, reason))
                continue
            estimate = Estimate(value, n_units, None, units.n_clusters)
            if resampling is not None:
                interval: Interval | Undefined = Undefined.ONE_UNIT
                if columns is not None:
                    without = None if left_out is None else np.repeat(left_out[0][:, k], left_out[1])
                    interval = resampling.interval(value, columns[:, k], without)
                estimate = estimate.with_interval(interval, n_clusters=units.n_clusters)
            by_kernel[name].append(estimate)
    return by_kernel


def left_out_values(units: Units, kernel: Kernel, width: int) -> tuple[Floats, NDArray[np.int64]]:
    """Values with one item or cluster left out, shape (rows, values), and for how many of them each row stands."""
    parts = [(kernel(weights), times) for weights, times in units.left_out(width)]
    values, times = (np.concatenate(column) for column in zip(*parts, strict=True))
    return values.reshape(len(values), -1), times.astype(np.int64)


def estimate_items(data: Data, make: Callable[[ItemCounts], Kernel], resampling: Resampling | None) -> Estimate:
    """One coefficient of items with its interval."""
    table = as_counts(data)
    kernels = {"it": make(table)}
    return estimates(table.units, kernels, table.n_paired, table.reason, resampling, len(table.labels))["it"][0]


def kernel_of(name: str, table: ItemCounts) -> Kernel:
    """A coefficient of ``EXPECTED`` as a function of how often each row of label counts occurs."""
    shares, expected = Shares(table), EXPECTED[name]
    return lambda weights: chance_corrected(shares.agreement(weights), expected(shares, weights))


def observed_agreement(data: Data, *, resampling: Resampling | None = None) -> Estimate:
    """Observed agreement A_o, a fraction; with two raters the share of items they agree on.

    Conventions
        Nothing is corrected for chance (A_e = 0): where one label is frequent, raters agree often without looking.
    Source
        Fleiss 1971, equation 2 (P̄), for a number of raters that may vary as in Gwet 2014, chapter 2.
    """
    return estimate_items(data, partial(kernel_of, "observed"), resampling)


def fleiss_kappa(data: Data, *, resampling: Resampling | None = None) -> Estimate:
    """Fleiss' kappa: agreement beyond what the frequencies of the labels make happen by chance, A_e = Σ_k π_k².

    Conventions
        With the same number of raters everywhere this is Fleiss' own formula; with two raters who judged every item it
        is Scott's π. Undefined where every judgment has the same label (A_e = 1).
    Source
        Fleiss 1971, equations 2 to 8; for varying raters Gwet 2014, chapter 2.
    """
    return estimate_items(data, partial(kernel_of, "fleiss"), resampling)


def scott_pi(table: PairTable, *, resampling: Resampling | None = None) -> Estimate:
    """Scott's π of two raters: A_e = Σ_k q_k², q_k = (r_k + c_k) / 2, with r and c the shares of the labels of each.

    Conventions
        Only items that both raters judged count. Undefined where both gave every item the same label.
    Source
        Scott 1955.
    """
    return estimate_items(table, partial(kernel_of, "scott"), resampling)


def gwet_ac1(data: Data, *, resampling: Resampling | None = None) -> Estimate:
    """Gwet's AC1: agreement beyond chance, where only hard items are guessed; A_e = Σ_k π_k (1 - π_k) / (K - 1).

    Conventions
        Undefined with one label. With a rare label A_e is near 0, so AC1 stays near A_o: it does not fall into kappa's
        prevalence trap, and it does not see what kappa sees.
    Source
        Gwet 2008, section 3; for varying raters Gwet 2014, chapter 2.
    """
    return estimate_items(data, partial(kernel_of, "gwet"), resampling)


def bennett_s(data: Data, *, resampling: Resampling | None = None) -> Estimate:
    """Bennett's S, PABAK with two labels: agreement beyond guessing every label equally often, A_e = 1 / K.

    Conventions
        A label added to the list raises S. Undefined with one label.
    Source
        Bennett, Alpert and Goldstein 1954; Byrt, Bishop and Carlin 1993 (PABAK); with many raters Randolph 2005
        (free-marginal kappa).
    """
    return estimate_items(data, partial(kernel_of, "bennett"), resampling)


def conger_kappa(judgments: Judgments, *, resampling: Resampling | None = None, clusters: Clusters = None) -> Estimate:
    """Conger's kappa: Cohen's kappa for many raters, each with label frequencies of its own.

    An interval draws every item anew: slow for more than some ten thousand items.

    Formula
        A_e = Σ_k (p̄_k² - s_k² / R), with p_gk the share of label k among the judgments of rater g, p̄_k and s_k² their
        mean and variance (divisor R - 1) over the R raters.
    Conventions
        Raters without a judgment are left out, also of a resample in which they lost all. With two raters who judged
        every item it is Cohen's kappa. Undefined with one rater, or where A_e = 1.
    Source
        Conger 1980; for missing judgments Gwet 2014, chapter 2.
    """
    reason = item_counts(judgments).reason  # also refuses repeated judgments
    n_items, n_raters, n_labels = len(judgments.items), len(judgments.raters), len(judgments.labels)
    judged, rows = np.unique(judgments.item, return_inverse=True)  # an item that nobody judged is not resampled
    row_of = np.full(n_items, -1)
    row_of[judged] = np.arange(len(judged))
    units = Units(np.ones(len(judged)), cluster_table(row_of, len(judged), clusters, n_items))
    ones, label = np.ones(len(rows)), judgments.label.astype(np.int64)
    table = ItemCounts(sparse_table((ones, (rows, label)), (len(judged), n_labels)), units, judgments.labels)
    columns = judgments.rater.astype(np.int64) * n_labels + label
    given_labels = sparse_table((ones, (rows, columns)), (len(judged), n_raters * n_labels))
    shares = Shares(table)

    def kernel(weights: Floats) -> Floats:
        counts = totals(weights, given_labels).reshape(len(weights), n_raters, n_labels)
        n_given = counts.sum(axis=2)
        present = n_given > 0
        n = present.sum(axis=1).astype(np.float64)[:, None]
        p = np.nan_to_num(ratio(counts, n_given[:, :, None]))
        mean = ratio(p.sum(axis=1), n)
        squares = (np.where(present[:, :, None], p - mean[:, None, :], 0.0) ** 2).sum(axis=1)
        expected = (mean**2 - ratio(squares, n * (n - 1))).sum(axis=1)
        return chance_corrected(shares.agreement(weights), expected)

    return estimates(units, {"it": kernel}, table.n_paired, reason, resampling)["it"][0]


def specific_agreement(data: Data, *, resampling: Resampling | None = None) -> dict[str, Estimate]:
    """Specific agreement of each label, a fraction: if one rater gives it, how often does another give it too?

    Formula
        S_k = Σ_i n_ik (n_ik - 1) / Σ_i n_ik (m_i - 1). With two raters 2 p_kk / (r_k + c_k): the F1 of one rater
        against the other.
    Conventions
        Undefined where nobody gave the label.
    Source
        Dice 1945; Cicchetti and Feinstein 1990; Fleiss 1981 for many raters.
    """
    table = as_counts(data)
    reason = Undefined.LABEL_NOT_USED if table.n_paired else Undefined.TOO_FEW_RATERS
    kernels = {"specific": specific_kernel(table)}
    agreements = estimates(table.units, kernels, table.n_paired, reason, resampling, len(table.labels))
    return dict(zip(table.labels, agreements["specific"], strict=True))


def specific_kernel(table: ItemCounts) -> Kernel:
    """The specific agreement of every label as a function of how often each row occurs; (replicates, labels)."""
    others = np.maximum(table.n_raters - 1, 0)
    weighted = table.counts.multiply(others[:, None]).tocsr()
    agreeing = (table.counts.multiply(table.counts) - table.counts).tocsr()
    return lambda weights: ratio(totals(weights, agreeing), totals(weights, weighted))
