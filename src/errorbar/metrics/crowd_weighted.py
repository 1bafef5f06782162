"""Crowd-weighted precision, recall and F of error detection, and the same for the majority of the crowd.

Formula
    p_i: share of the crowd (or of its trust, or probability) that calls item i an error; f_i: 1 where the system
    flags it, else 0.
    weighted: hits = Σ f_i p_i, false positives = Σ f_i (1 - p_i), misses = Σ (1 - f_i) p_i.
    majority: the same with p_i rounded to 1 above ½ and to 0 below.
    P = hits / (hits + false positives), R = hits / (hits + misses),
    F = (1 + beta²) hits / ((1 + beta²) hits + false positives + beta² misses).
Conventions
    The two are different estimands: what share of raters, against what most raters say. Majority recall depends on
    how many judge an item, weighted recall does not, so both and the number of judgments stand in every row. Items
    nobody judged do not count. A tie (p_i = ½) counts as ``ties`` says: ``half`` an error, ``unknown`` (the item does
    not count for the majority), ``error`` or ``ok``. P is undefined where nothing is flagged, R where no share is an
    error. Intervals are those of ratios of sums over items, or clusters of them, with all their judgments
    (``errorbar.stats.ratio_interval``): they do not say what other raters would have said.
Source
    Madnani et al. 2011.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Counts, Flags, Floats, divide
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.core.spec import Parameter, beta_parameter, word_parameter
from errorbar.metrics.base import Folded, Measure, Metric, Selection, UnitParts
from errorbar.metrics.intervals import fold_unit_resamples, make_estimates
from errorbar.stats.proportion import ratio_interval
from errorbar.stats.resampling import Resampling, Units, cluster_table

Ties = Literal["half", "unknown", "error", "ok"]
TIES: tuple[Ties, ...] = get_args(Ties)
Estimand = Literal["weighted", "majority"]
ESTIMANDS: tuple[Estimand, ...] = get_args(Estimand)
Shares = Literal["votes", "trust", "dawid-skene"]
EQUAL = 1e-9  # shares this near to ½ are a tie


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """A crowd's votes on items; columns that do not fit, or a share that is not a fraction, are a ``UsageError``."""

    share: Floats  # of errors, NaN where nobody judged; shape (items,), as the next
    n_judgments: Counts
    clusters: Sequence[int] | Counts | None = None  # number of each item's essay or sentence; None: independent items

    def __post_init__(self) -> None:
        if self.share.shape != self.n_judgments.shape or self.share.ndim != 1:
            raise _unlike("shares and judgments", self.share, self.n_judgments)
        known = self.share[~np.isnan(self.share)]
        if not ((known >= -EQUAL) & (known <= 1 + EQUAL)).all():
            raise UsageError(Problem("crowd-columns", "a share is not between 0 and 1", expected="fractions"))


def _unlike(message: str, first: NDArray[np.generic], second: NDArray[np.generic]) -> UsageError:
    message = f"{message} have shapes {first.shape} and {second.shape}"
    return UsageError(Problem("crowd-columns", message, expected="one of each for every item"))


@dataclass(frozen=True, eq=False)
class CrowdStatistics:
    """Counts of items: those with one share, flag and number of judgments are one kind."""

    counts: Floats  # hits, false positives, misses and true negatives of an item of each kind; shape (kinds, 4)
    share: Floats  # of errors; shape (kinds,), as the next two
    flag: Flags
    n_judgments: Counts
    kind: Counts  # of each item, -1 where it does not count; shape (items,)
    clusters: Counts | None  # of each item

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, units: Counts | slice) -> CrowdStatistics:
        """The statistics of some items."""
        clusters = None if self.clusters is None else self.clusters[units]
        return replace(self, kind=self.kind[units], clusters=clusters)

    @cached_property
    def units(self) -> Units:
        """How many items each kind stands for, and of which clusters."""
        n_kinds = len(self.counts)
        frequency = np.bincount(self.kind[self.kind >= 0], minlength=n_kinds).astype(np.float64)
        return Units(frequency, cluster_table(self.kind, n_kinds, self.clusters, len(self.kind)))


@dataclass(frozen=True, slots=True)
class CrowdScore:
    """One system against the crowd, by one estimand."""

    estimand: Estimand
    hits: float  # flagged errors, a sum of shares; so the next three
    false_positives: float
    misses: float
    true_negatives: float
    precision: Estimate
    recall: Estimate
    f: Estimate
    beta: float
    n_items: int  # that count
    n_judgments: tuple[int, float, int]  # of an item: least, mean and most


def majority_share(share: Floats, ties: Ties = "half") -> Floats:
    """Shares rounded to 0 and 1; ties ½, NaN, 1 or 0 as the policy says."""
    tie = {"half": 0.5, "unknown": np.nan, "error": 1.0, "ok": 0.0}[ties]
    rounded = np.where(share > 0.5 + EQUAL, 1.0, np.where(share < 0.5 - EQUAL, 0.0, tie))
    return np.where(np.isnan(share), np.nan, rounded)


@dataclass(frozen=True, slots=True)
class Crowd(Metric):
    """P, R and F against a crowd.

    Attributes:
        beta: Weight of recall against precision.
        estimand: ``weighted``: share of raters; ``majority``: what most raters say.
        shares: What a share is: ``votes``, ``trust`` or ``dawid-skene``.
        ties: What a tie is to the majority: ``half``, ``unknown``, ``error`` or ``ok``.
    """

    name: ClassVar[str] = "crowd"
    summary: ClassVar[str] = "P, R and F of flags against the judgments of many raters, weighted or by majority"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        beta_parameter(1.0),
        word_parameter("estimand", "weighted: share of raters; majority: what most raters say.", *ESTIMANDS),
        word_parameter("shares", "What a share is: votes, trust or dawid-skene.", *get_args(Shares)),
        word_parameter("ties", "What a tie is to the majority: half, unknown, error or ok.", *TIES),
    )

    fold_only = frozenset({"beta", "shares"})
    reads = "judgments"
    counted = ("hits", "false_positives", "misses", "true_negatives")
    additive = True
    lacks: ClassVar = {
        "annotators": "every rater is part of the crowd",
        "types": "flags have no error types",
        "closed": "its formula needs the items, not their sums",
    }

    beta: float = 1.0
    estimand: Estimand = "weighted"
    shares: Shares = "votes"
    ties: Ties = "half"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """P, R and F."""
        return Measure("precision", "P"), Measure("recall", "R"), Measure("f", f"F{self.beta:g}")

    def measure(self, reference: Votes, output: Flags, *, by_type: bool = False) -> CrowdStatistics:
        """Count flags (``output``) against votes; ``UsageError`` if there is not one for each item."""
        share, n_judgments = reference.share, reference.n_judgments
        if output.shape != share.shape:
            raise _unlike("shares and flags", share, output)
        p = share if self.estimand == "weighted" else majority_share(share, self.ties)
        used = ~np.isnan(p)
        # Three small codes in one number sort much faster than rows.
        _, code = np.unique(share[used], return_inverse=True)
        ks, place = np.unique(n_judgments[used], return_inverse=True)
        coded = (code * 2 + output[used]) * max(len(ks), 1) + place
        _, first, kind_of_used = np.unique(coded, return_index=True, return_inverse=True)
        kind = np.full(len(p), -1, np.int64)
        kind[used] = kind_of_used
        at = np.flatnonzero(used)[first]
        p, f = p[at], output[at].astype(np.float64)
        counts = np.stack([f * p, f * (1 - p), (1 - f) * p, (1 - f) * (1 - p)], axis=1)
        clusters = None if reference.clusters is None else np.asarray(reference.clusters, np.int64)
        return CrowdStatistics(counts, share[at], output[at], n_judgments[at], kind, clusters)

    def join(self, parts: Sequence[CrowdStatistics]) -> CrowdStatistics:
        """Kinds stand one after the other; clusters keep their numbers."""
        if not parts:
            return self.measure(Votes(np.zeros(0), np.zeros(0, np.int64)), np.zeros(0, np.bool_))
        starts = np.cumsum([0, *(len(part.counts) for part in parts)])
        kind = [np.where(part.kind >= 0, part.kind + start, -1) for part, start in zip(parts, starts, strict=False)]
        groups = [part.clusters for part in parts if part.clusters is not None]
        counts, share, flag, n_judgments = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("counts", "share", "flag", "n_judgments")
        )
        clusters = np.concatenate(groups) if len(groups) == len(parts) else None
        return CrowdStatistics(counts, share, flag, n_judgments, np.concatenate(kind), clusters)

    def fold(
        self, statistics: CrowdStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """P, R and F of the sums over items, or over each replicate of a selection of them."""
        weights = statistics.units.frequency[None]
        if selection is not None:
            counted = statistics.kind >= 0
            of_items = selection.as_weights(len(statistics))[:, counted]
            weights = np.zeros((len(of_items), len(statistics.counts)))
            np.add.at(weights.T, statistics.kind[counted], of_items.T)
        return self.fold_kinds(statistics.counts, weights, start)

    def fold_kinds(self, counts: Floats, weights: Floats, start: Folded | None = None) -> Folded:
        """The fold where it is said how many items each kind stands for; shape (replicates, kinds)."""
        totals, n = weights @ counts, weights.sum(axis=1)
        if start is not None:
            totals, n = totals + start.counts, n + start.n_units
        return Folded(self._values(totals), totals, n.astype(np.int64))

    def _values(self, totals: Floats) -> Floats:
        """P, R and F of sums of shape (rows, 4); shape (rows, 3)."""
        return divide(*self.fractions(totals))

    def fractions(self, counts: Floats) -> tuple[Floats, Floats]:
        """Numerators and denominators of P, R and F of counts of shape (rows, 4); each of shape (rows, 3)."""
        hits, wrong, missed, _ = counts.T
        b2 = self.beta * self.beta
        over = (hits, hits, (1 + b2) * hits)
        under = (hits + wrong, hits + missed, (1 + b2) * hits + wrong + b2 * missed)
        return np.stack(over, axis=1), np.stack(under, axis=1)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Nothing was flagged, or no share is an error."""
        if not folded.n_units[0]:
            return [Undefined.NO_UNITS] * 3
        empty = (Undefined.NOTHING_PROPOSED, Undefined.NOTHING_IN_REFERENCE, Undefined.NO_EDITS)
        return [why if np.isnan(value) else None for why, value in zip(empty, folded.values[0], strict=True)]

    def differ(self, first: CrowdStatistics, second: CrowdStatistics) -> Flags:
        """In which items the flags differ."""
        one, other = (np.append(each.flag, False)[each.kind] for each in (first, second))
        return np.asarray(one != other, np.bool_)

    def parts(self, statistics: CrowdStatistics, *, start: Folded | None = None) -> UnitParts:
        """The part of each item; nothing where it does not count."""
        counts = np.vstack([statistics.counts, np.zeros(4)])[statistics.kind]
        return UnitParts([None] * len(statistics), counts, self._values(counts))


def score_kinds(
    metric: Crowd, statistics: CrowdStatistics, *, resampling: Resampling | None = None, rows: Flags | None = None
) -> CrowdScore:
    """Score what was counted, items of some kinds (``rows``) or all; with closed or percentile intervals if asked."""
    units, chosen = statistics.units, np.ones(len(statistics.counts), np.bool_) if rows is None else rows
    counts, frequency = statistics.counts * chosen[:, None], statistics.units.frequency * chosen
    n_items, n_clusters = int(frequency.sum()), units.n_clusters_of(chosen)
    folded = metric.fold_kinds(counts, frequency[None])
    closed, drawn = resampling is not None and resampling.method == "closed", None
    if resampling is not None and not closed and n_items > 1 and n_clusters != 1:
        drawn = fold_unit_resamples(
            units, lambda weights: metric.fold_kinds(counts, weights).values, resampling, "crowd"
        )
    values, reasons = folded.values[0].tolist(), metric.reasons(folded)
    estimates = make_estimates(values, reasons, (n_items, n_clusters), None if closed else resampling, drawn)
    if resampling is not None and closed:
        sides, level = zip(*(side.T for side in metric.fractions(counts)), strict=True), resampling.confidence_level
        estimates = [
            estimate
            if estimate.value is None
            else estimate.with_interval(
                ratio_interval(above, below, units, confidence_level=level), n_clusters=n_clusters
            )
            for estimate, (above, below) in zip(estimates, sides, strict=True)
        ]
    ks = statistics.n_judgments[frequency > 0]
    mean = float(frequency @ statistics.n_judgments / n_items) if n_items else 0.0
    spread = (int(ks.min()) if len(ks) else 0, mean, int(ks.max(initial=0)))
    (precision, recall, f), (hits, wrong, missed, right) = estimates, folded.counts[0].tolist()
    return CrowdScore(metric.estimand, hits, wrong, missed, right, precision, recall, f, metric.beta, n_items, spread)


# A system along the agreement of a crowd: P and R by bins of it, and the kappa-agreement curve.
#
# Formula The agreement on an item is the share of its majority, max(p, 1 - p) for two labels, from ½ to 1. Bins: a bin
# [low, high) holds the items whose agreement is at least low and below high; the last bin holds 1 too. Curve: for
# every threshold τ keep the items whose majority has a share of at least τ; there compute κ, and beside it Youden J,
# the log diagnostic odds ratio and κ at a reference prevalence, of the system's flags with the majority. Se = hits /
# (hits + misses), Sp = true negatives / (true negatives + false positives), π = share of errors. κ(Se, Sp, π) = (A_o -
# A_e) / (1 - A_e) of the table a = π Se, b = π (1 - Se), c = (1 - π)(1 - Sp), d = (1 - π) Sp: A_o = a + d, A_e = π (a
# + c) + (1 - π)(b + d). Youden J = Se + Sp - 1. Log diagnostic odds ratio = ln(hits · true negatives / (false
# positives · misses)). κ standardised to a reference π is κ(Se, Sp, π_ref). Conventions Bins: the default edges .5,
# .75, .9, 1 are the published ones. Few judgments reach few shares: with three, agreement is 2/3 or 1 and the middle
# bin is empty. A share that equals an edge but for rounding is on the edge. Both estimands and n are given for every
# bin; a bin with little in it gets an honest, wide interval or the reason why none. Curve: ties are not kept: they
# have no majority; each point says how many there are. So with few raters several thresholds keep the same items: of
# ten, none agree on 51 to 59 %. The band is a percentile bootstrap over items or clusters, all thresholds and measures
# from the same resamples, so neighboring points move together. n and the share of judged items kept stand at every
# point. κ of one detector changes with the prevalence: .25 at 1 % and .64 at 20 % for Se .6, Sp .97. J, the odds ratio
# and the standardised κ do not: compare systems on *different* data by these. The odds ratio adds ½ to each of the
# four counts where one of them is 0 (Haldane, Anscombe). Undefined, NaN, where one class does not occur; κ also where
# nobody varies. Source Madnani et al. 2011, whose software bins majority agreement at 50-75, 75-90 and 90-100 %.
# Youden 1950; Glas et al. 2003 (diagnostic odds ratio); for κ and prevalence Feinstein and Cicchetti 1990.


EDGES = (0.5, 0.75, 0.9, 1.0)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
REFERENCE_PREVALENCE = 0.1
CURVES = ("kappa", "youden", "log_odds", "kappa_at")


@dataclass(frozen=True, slots=True)
class AgreementBin:
    """The items whose agreement is at least ``low`` and below ``high``, or 1 where that is 1."""

    low: float
    high: float
    n_items: int
    scores: Mapping[Estimand, CrowdScore]


def agreement(share: Floats) -> Floats:
    """Share of the majority of two labels; NaN where nobody judged."""
    return np.maximum(share, 1 - share)


def in_bin(share: Floats, low: float, high: float) -> Flags:
    """Which shares of errors have an agreement in [low, high), or in [low, 1]."""
    agree = agreement(share)
    return np.asarray((agree >= low - EQUAL) & ((agree < high - EQUAL) | (high >= 1)), np.bool_)


def agreement_bins(
    counted: Mapping[Crowd, CrowdStatistics],
    edges: Sequence[float] = EDGES,
    *,
    resampling: Resampling | None = None,
) -> list[AgreementBin]:
    """Score a system in every bin, from counts of the same items by one metric for each estimand.

    Raises:
        UsageError: Unless there are two edges or more, ascending, from ½ to 1.
    """
    ascending = all(low < high for low, high in pairwise(edges))
    if len(edges) < 2 or not (ascending and edges[0] >= 0.5 and edges[-1] <= 1):
        message = f"the edges of bins are {', '.join(f'{edge:g}' for edge in edges)}"
        raise UsageError(Problem("crowd-edges", message, expected="ascending numbers between 0.5 and 1, two or more"))
    bins = []
    for low, high in pairwise(edges):
        scores = {
            metric.estimand: score_kinds(metric, table, resampling=resampling, rows=in_bin(table.share, low, high))
            for metric, table in counted.items()
        }
        bins.append(AgreementBin(low, high, max((score.n_items for score in scores.values()), default=0), scores))
    return bins


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The items on which the crowd agrees so far; all shares are fractions."""

    threshold: float  # smallest share of the majority
    n_items: int
    n_ties: int  # left out, though the threshold would keep them: those of a threshold of ½
    kept: float  # share of all judged items
    prevalence: float | None  # of errors
    sensitivity: float | None
    specificity: float | None
    kappa: Estimate
    youden: Estimate
    log_odds: Estimate
    kappa_at: Estimate  # at the reference prevalence


def kappa_curve(
    statistics: CrowdStatistics,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    reference_prevalence: float = REFERENCE_PREVALENCE,
    resampling: Resampling | None = None,
) -> list[CurvePoint]:
    """Follow a system along the crowd's agreement, from counts by ``Crowd(estimand="majority")``.

    Raises:
        UsageError: If a threshold or the prevalence is out of range.
    """
    if not thresholds or any(not 0.5 <= tau <= 1 for tau in thresholds):
        message = f"thresholds {', '.join(f'{tau:g}' for tau in thresholds) or 'none'}"
        raise UsageError(Problem("crowd-thresholds", message, expected="numbers from 0.5 to 1"))
    units, counts = statistics.units, statistics.counts
    tied, agree = np.abs(statistics.share - 0.5) <= EQUAL, agreement(statistics.share)
    keeping = [agree >= tau - EQUAL for tau in thresholds]
    kept = [rows & ~tied for rows in keeping]

    def fold(weights: Floats) -> Floats:
        curves = [rates(weights @ (counts * rows[:, None]), reference_prevalence) for rows in kept]
        return np.stack([[getattr(each, name) for name in CURVES] for each in curves]).transpose(2, 0, 1)

    total = units.frequency.sum()
    drawn = fold_unit_resamples(units, fold, resampling, "curve") if resampling is not None and total > 1 else None
    points = []
    for at, (tau, rows) in enumerate(zip(thresholds, kept, strict=True)):
        n, n_clusters = int(units.frequency[rows].sum()), units.n_clusters_of(rows)
        here = rates((units.frequency @ (counts * rows[:, None]))[None], reference_prevalence)
        values = [float(getattr(here, name)[0]) for name in CURVES]
        reasons = [(Undefined.ONE_LABEL if n else Undefined.NO_UNITS) if np.isnan(value) else None for value in values]
        several = drawn if n > 1 and n_clusters != 1 else None
        estimates = make_estimates(
            values, reasons, (n, n_clusters), resampling, None if several is None else several[:, at]
        )
        n_ties, share = int(units.frequency[keeping[at] & tied].sum()), n / total if total else 0.0
        of_items = (here.prevalence, here.sensitivity, here.specificity)
        pi, se, sp = (None if np.isnan(one[0]) else float(one[0]) for one in of_items)
        points.append(CurvePoint(tau, n, n_ties, share, pi, se, sp, *estimates))
    return points


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """Measures of many tables at once, each of shape (tables,), NaN where undefined."""

    sensitivity: Floats
    specificity: Floats
    prevalence: Floats  # of errors
    kappa: Floats  # Cohen's, at that prevalence
    youden: Floats
    log_odds: Floats
    kappa_at: Floats  # at the reference prevalence


def kappa_of_rates(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> Floats:
    """Cohen's kappa of a detector with the truth; NaN where both use one label only.

    Raises:
        UsageError: If a number is no fraction.
    """
    se, sp, pi = (np.asarray(value, np.float64) for value in (sensitivity, specificity, prevalence))
    for value in (se, sp, pi):
        if ((value < 0) | (value > 1)).any():
            raise UsageError(Problem("crowd-rates", "a rate or a prevalence is no fraction", expected="0 to 1"))
    a, b, c, d = pi * se, pi * (1 - se), (1 - pi) * (1 - sp), (1 - pi) * sp
    expected = pi * (a + c) + (1 - pi) * (b + d)
    return divide(a + d - expected, np.where(1 - expected > 1e-12, 1 - expected, 0.0))  # but for rounding 0


def rates(counts: Floats, reference_prevalence: float) -> Rates:
    """Measure tables of hits, false positives, misses and true negatives; shape (tables, 4).

    Raises:
        UsageError: If the reference prevalence is no fraction.
    """
    if not 0 < reference_prevalence < 1:
        message = f"the reference prevalence is {reference_prevalence}"
        raise UsageError(Problem("crowd-rates", message, expected="a fraction between 0 and 1"))
    hits, wrong, missed, right = np.maximum(counts, 0).T
    errors, fine = hits + missed, wrong + right
    se, sp = divide(hits, errors), divide(right, fine)
    prevalence = divide(errors, errors + fine)
    smoothed = counts + np.where((counts <= 0).any(axis=1, keepdims=True), 0.5, 0.0)
    defined = (errors > 0) & (fine > 0)
    odds = smoothed[:, 0] * smoothed[:, 3] / (smoothed[:, 1] * smoothed[:, 2])
    return Rates(
        se,
        sp,
        prevalence,
        np.where(defined, kappa_of_rates(se, sp, prevalence), np.nan),
        se + sp - 1,
        np.where(defined, np.log(odds), np.nan),
        kappa_of_rates(se, sp, np.full(len(counts), reference_prevalence)),
    )


# Precision and recall of a score under every threshold, against a crowd's errors.
#
# Formula Item i has a score s and a truth t between 0 and 1. Under the threshold τ the items with s ≥ τ are flagged:
# P(τ) = Σ t over the flagged / their number, R(τ) = Σ t over the flagged / Σ t over all. P at recall r: P of the
# largest τ with R(τ) ≥ r, where τ goes through the scores that occur. Average precision = Σ (R_k - R_k-1) P_k over
# these τ, largest first. Conventions Truth is ``any`` (1 if a rater calls the item an error), ``majority`` (1 or 0, of
# a tie ½, or as ``ties`` says) or ``weighted`` (the share of raters who call it one; Madnani et al. 2011). Items of
# equal scores are flagged together. Nothing is interpolated: linear interpolation between points overstates precision
# (Davis & Goadrich 2006). Intervals resample items, or clusters, with scores and truth; thresholds are found anew in
# each resample, so that the band is that of "P at a recall of r" and not of one threshold. Items that nobody judged
# are left out. Source The curve is Raghavan, Bollmann & Jung 1989; average precision as it is used since TREC.


Truth = Literal["any", "majority", "weighted"]
TRUTHS: tuple[Truth, ...] = get_args(Truth)
RECALLS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """Precision at a recall.

    Attributes:
        recall: The recall that is asked for.
        threshold: The largest score whose recall reaches it; None where there is no error.
        n_flagged: Items with at least that score.
        precision: P there.
    """

    recall: float
    threshold: float | None
    n_flagged: int
    precision: Estimate


@dataclass(frozen=True, slots=True)
class Sweep:
    """A score under every threshold.

    Attributes:
        truth: What counts as an error.
        n_items: Items with a judgment.
        errors: Sum of the truth.
        points: P at each recall that was asked for.
        average_precision: The area under the steps.
    """

    truth: Truth
    n_items: int
    errors: float
    points: tuple[SweepPoint, ...]
    average_precision: Estimate


def truth_of(votes: Votes, truth: Truth, ties: Ties = "half") -> Floats:
    """How much of an error each item is, NaN where nobody judged or a tie is left out; shape (items,)."""
    share = votes.share
    if truth == "weighted":
        return share
    if truth == "majority":
        return majority_share(share, ties)
    return np.where(np.isnan(share), np.nan, (share > EQUAL).astype(np.float64))


def sweep_scores(
    scores: Floats,
    votes: Votes,
    truth: Truth = "weighted",
    *,
    ties: Ties = "half",
    recalls: Sequence[float] = RECALLS,
    resampling: Resampling | None = None,
) -> Sweep:
    """Sweep a system's scores of items against what a crowd says.

    Args:
        scores: Of each item; the higher, the more of an error; shape (items,).
        votes: The crowd.
        truth: What counts as an error.
        ties: What a tie is to the majority.
        recalls: Where P is wanted, above 0 and at most 1.
        resampling: How intervals are made; None: not at all.

    Raises:
        UsageError: If a score is no number, or a recall is out of range.
    """
    if any(not 0 < recall <= 1 for recall in recalls):
        message = f"recalls must be above 0 and at most 1, got {', '.join(f'{recall:g}' for recall in recalls)}"
        raise UsageError(Problem("bad-parameter", message))
    wanted = truth_of(votes, truth, ties)
    judged = np.flatnonzero(~np.isnan(wanted))
    scores, wanted = scores[judged], wanted[judged]
    if not np.isfinite(scores).all():
        raise UsageError(Problem("wrong-type", "every judged item must have a score that is a number"))
    order = np.argsort(-scores, kind="stable")
    scores, wanted = scores[order], wanted[order]
    last = np.append(scores[1:] != scores[:-1], True)[: len(scores)]  # where a threshold is met
    clusters = None if votes.clusters is None else np.asarray(votes.clusters)[judged][order]
    units = Units(np.ones(len(scores)), cluster_table(np.arange(len(scores)), len(scores), clusters, len(scores)))
    goals = np.asarray(recalls, np.float64)

    def fold(weights: Floats) -> Floats:
        return np.stack([_values(row, wanted, last, goals)[0] for row in weights])

    values, at = _values(np.ones(len(scores)), wanted, last, goals)
    n, n_clusters = len(scores), units.n_clusters
    drawn = (
        fold_unit_resamples(units, fold, resampling, "sweep")
        if resampling is not None and n > 1 and n_clusters != 1
        else None
    )
    reason = Undefined.NO_UNITS if not n else Undefined.NOTHING_IN_REFERENCE
    reasons = [reason if np.isnan(value) else None for value in values]
    estimates = make_estimates(values.tolist(), reasons, (n, n_clusters), resampling, drawn)
    points = [
        SweepPoint(recall, None if k < 0 else float(scores[k]), int(k) + 1, estimate)
        for recall, k, estimate in zip(recalls, at.tolist(), estimates, strict=False)
    ]
    return Sweep(truth, n, float(wanted.sum()), tuple(points), estimates[-1])


def _values(weights: Floats, truth: Floats, last: Flags, goals: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """P at each recall, then average precision, NaN where there is no error; and the last item that is flagged."""
    hits, flagged = np.cumsum(weights * truth)[last], np.cumsum(weights)[last]
    if not len(hits) or hits[-1] <= 0:
        return np.full(len(goals) + 1, np.nan), np.full(len(goals), -1, np.int64)
    precision = np.divide(hits, flagged, out=np.zeros(len(hits)), where=flagged > 0)
    recall = hits / hits[-1]
    steps = np.minimum(np.searchsorted(recall, goals * (1 - EQUAL)), len(recall) - 1)
    average = float((np.diff(recall, prepend=0.0) * precision).sum())
    values: Floats = np.append(precision[steps], average)
    return values, np.flatnonzero(last).astype(np.int64)[steps]
