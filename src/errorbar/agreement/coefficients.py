"""Coefficients of raters who give names, each a function of label counts that any resample can be put into.

Every coefficient is a function of sums over items. Items that got the same labels equally often are alike to it, so
they are kept as one pattern with its number of items: a million judgments become a handful of rows, and a resample
of items is a multinomial draw of pattern frequencies (``errorbar.stats.resampling``).

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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments, code_of
from errorbar.core.problems import Problem, UsageError
from errorbar.execute import run
from errorbar.stats.resampling import Resampling, Units, cluster_table, sparse_table

if TYPE_CHECKING:
    from scipy import sparse


Clusters = Sequence[int] | NDArray[np.int64] | None
"""Number of the cluster (essay, sentence) that each item of ``Judgments.items`` is from; None: there are none."""
MAX_LABELS = 500  # labels of the largest matrix of labels by labels that is made


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Label counts of items; items with the same counts share a row."""

    counts: sparse.csr_array  # how many raters gave each label, at least one; shape (rows, labels)
    units: Units  # how many items each row stands for
    labels: tuple[str, ...]

    @property
    def n_raters(self) -> Floats:
        """Raters of an item of each row; shape (rows,)."""
        return np.asarray(self.counts.sum(axis=1), np.float64).ravel()

    @property
    def n_paired(self) -> int:
        """Items that two raters or more judged: only they say anything about agreement."""
        return int(self.units.frequency[self.n_raters >= 2].sum())

    @property
    def reason(self) -> Undefined:
        """Why a coefficient of these items has no value, if it has none."""
        return Undefined.ONE_LABEL if self.n_paired else Undefined.TOO_FEW_RATERS


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """How often one of two raters gave each label where the other gave each, over the items that both judged."""

    counts: Counts  # by the label of the first rater (rows) and of the second (columns); shape (labels, labels)
    labels: tuple[str, ...]
    raters: tuple[str, str] = ("1", "2")
    clusters: sparse.csr_array | None = None
    """Items of each cluster in each cell, cells row by row; shape (clusters, labels * labels). None: independent."""

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], labels: Sequence[str] = ()) -> PairTable:
        """Make a table of counts, e.g. as a paper prints it; labels are 0, 1, ... unless they are given."""
        names = tuple(labels) or tuple(str(number) for number in range(len(rows)))
        if len(names) != len(rows) or any(len(row) != len(rows) for row in rows):
            message = f"a table of {len(rows)} rows of {sorted({len(row) for row in rows})} cells, {len(names)} labels"
            raise UsageError(Problem("agreement-table", message, expected="as many rows, columns and labels"))
        if any(cell < 0 for row in rows for cell in row):
            raise UsageError(Problem("agreement-table", "a count is negative", expected="counts of at least 0"))
        return cls(np.array(rows, np.int64).reshape(len(rows), len(rows)), names)

    @property
    def n_items(self) -> int:
        """Items that both raters judged."""
        return int(self.counts.sum())

    @property
    def cells(self) -> Counts:
        """Numbers of the cells that occur, counted row by row."""
        return np.flatnonzero(self.counts)

    @property
    def units(self) -> Units:
        """The cells that occur as what is resampled."""
        clusters = None if self.clusters is None else self.clusters[:, self.cells]
        return Units(self.counts.ravel()[self.cells].astype(np.float64), clusters)

    def proportions(self) -> Floats:
        """Share of items in each cell; all NaN without items."""
        total = self.n_items
        return self.counts / total if total else np.full(self.counts.shape, np.nan)

    def item_counts(self) -> ItemCounts:
        """The same items as counts of labels, for the coefficients of any number of raters."""
        size, cells = len(self.labels), self.cells
        rows = np.tile(np.arange(len(cells)), 2)
        parts = (np.ones(len(rows)), (rows, np.concatenate([cells // size, cells % size])))
        return ItemCounts(sparse_table(parts, (len(cells), size)), self.units, self.labels)


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


class Shares:
    """Share of agreeing pairs and of each label, for weights of shape (replicates, rows).

    Label shares are a mean over all judged items of the item's own shares: an item counts once however many judged it.
    """

    def __init__(self, table: ItemCounts) -> None:
        m = table.n_raters
        self.n_labels = len(table.labels)
        self.paired = (m >= 2).astype(np.float64)
        agreeing = np.asarray(table.counts.multiply(table.counts).sum(axis=1), np.float64).ravel() - m
        self._agreeing = np.divide(agreeing, m * (m - 1), out=np.zeros_like(m), where=m >= 2)
        self._shares = table.counts.multiply(1 / m[:, None]).tocsr()

    def agreement(self, weights: Floats) -> Floats:
        """Observed agreement; shape (replicates,)."""
        return ratio(weights @ self._agreeing, weights @ self.paired)

    def labels(self, weights: Floats) -> Floats:
        """Share of each label; shape (replicates, labels)."""
        return ratio(totals(weights, self._shares), weights.sum(axis=1)[:, None])


Data = Judgments | ItemCounts | PairTable  # what any number of raters' coefficients take


def item_counts(judgments: Judgments, clusters: Clusters = None) -> ItemCounts:
    """Count the labels of every item. Weights of judgments are not used: a rater has one voice."""
    refuse_repeats(judgments)
    n_items, n_labels = len(judgments.items), max(len(judgments.labels), 1)
    cells, times = np.unique(judgments.item.astype(np.int64) * n_labels + judgments.label, return_counts=True)
    parts = (times.astype(np.float64), (cells // n_labels, cells % n_labels))
    counts = sparse_table(parts, (n_items, n_labels))
    judged = np.flatnonzero(np.diff(counts.indptr))  # an item that nobody judged is not resampled
    first, row_of_judged, frequency = _patterns(counts[judged])
    row_of = np.full(n_items, -1, np.int64)
    row_of[judged] = row_of_judged
    units = Units(frequency, cluster_table(row_of, len(frequency), clusters, n_items))
    return ItemCounts(counts[judged[first]], units, judgments.labels)


def pair_table(judgments: Judgments, first: str, second: str, clusters: Clusters = None) -> PairTable:
    """Cross the labels of the raters of the rows and of the columns over the items that both judged."""
    codes = [code_of(name, judgments.raters, "rater") for name in (first, second)]
    if first == second:
        message = f"rater '{first}' is crossed with itself"
        raise UsageError(Problem("agreement-table", message, expected="two different raters"))
    chosen = judgments.take(np.isin(judgments.rater, codes))
    refuse_repeats(chosen)
    labels = np.full((2, len(judgments.items)), -1, np.int64)
    for row, code in enumerate(codes):
        own = chosen.rater == code
        labels[row, chosen.item[own]] = chosen.label[own]
    size = len(judgments.labels)
    cell = np.where((labels >= 0).all(axis=0), labels[0] * size + labels[1], -1)
    counts = np.bincount(cell[cell >= 0], minlength=size * size).reshape(size, size)
    table = cluster_table(cell, size * size, clusters, len(judgments.items))
    return PairTable(counts.astype(np.int64), judgments.labels, (first, second), table)


def as_counts(data: Data) -> ItemCounts:
    """Label counts of items, from whatever holds them."""
    if isinstance(data, PairTable):
        return data.item_counts()
    return item_counts(data) if isinstance(data, Judgments) else data


def check_matrix(labels: Sequence[str]) -> None:
    """Refuse a matrix of labels by labels that nobody could read or hold."""
    if len(labels) > MAX_LABELS:
        message = f"{len(labels):,} different labels are too many for a matrix of labels"
        raise UsageError(
            Problem("agreement-labels", message, expected=f"at most {MAX_LABELS:,}", fix="group the labels")
        )


def refuse_repeats(judgments: Judgments) -> None:
    """Refuse judgments in which a rater judged an item twice."""
    if repeated := judgments.n_repeated():
        repeat = "1 judgment repeats" if repeated == 1 else f"{repeated:,} judgments repeat"
        message = f"{repeat} an item that the same rater had judged before"
        fix = "keep one of them"
        raise UsageError(
            Problem("agreement-repeated", message, expected="one label of each rater for an item", fix=fix)
        )


def _patterns(counts: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """First item, row of each item, and number of items of each different row of label counts.

    The order of the rows is made of what they hold, so that the order of the items changes no draw.
    """
    base = int(counts.data.max(initial=0)) + 1
    if base ** counts.shape[1] < 2**62:  # a row is the digits of one number: much faster to sort than rows
        digits = np.array([base**k for k in range(counts.shape[1])], np.int64)
        numbers = np.zeros(counts.shape[0], np.int64)
        item_of = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        np.add.at(numbers, item_of, counts.data.astype(np.int64) * digits[counts.indices])
        _, first, row_of, times = np.unique(numbers, return_index=True, return_inverse=True, return_counts=True)
        return first, row_of.ravel(), times.astype(np.float64)
    lengths = np.diff(counts.indptr)
    row_of = np.empty(counts.shape[0], np.int64)
    firsts, frequencies, n_rows = [np.empty(0, np.int64)], [np.empty(0)], 0
    # Rows of one length are a small table of labels and their counts: no cell for a label that nobody gave.
    by_length = np.argsort(lengths, kind="stable")
    for items in np.split(by_length, np.flatnonzero(np.diff(lengths[by_length])) + 1):
        places = counts.indptr[items][:, None] + np.arange(lengths[items[0]] if len(items) else 0)
        rows = np.hstack([counts.indices[places], counts.data[places].astype(np.int64)])
        _, first, same, times = np.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
        row_of[items] = n_rows + same.ravel()
        firsts.append(items[first])
        frequencies.append(times.astype(np.float64))
        n_rows += len(first)
    return np.concatenate(firsts), row_of, np.concatenate(frequencies)


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
