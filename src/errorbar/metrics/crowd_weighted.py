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
    error. Intervals resample items, or clusters of them, with all their judgments: they do not say what other raters
    would have said.
Source
    Madnani et al. 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.spec import Parameter, beta_parameter, word_parameter
from errorbar.metrics.base import Floats, Folded, Measure, Metric, Selection, UnitParts
from errorbar.metrics.intervals import estimated, resampled
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import Units, cluster_table, divided

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Ties = Literal["half", "unknown", "error", "ok"]
TIES: tuple[Ties, ...] = get_args(Ties)
Estimand = Literal["weighted", "majority"]
ESTIMANDS: tuple[Estimand, ...] = get_args(Estimand)
Shares = Literal["votes", "trust", "dawid-skene"]
EQUAL = 1e-9  # shares this near to ½ are a tie


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What a crowd says of items; columns that do not fit, or a share that is no fraction, are a ``UsageError``."""

    share: Floats  # of errors, NaN where nobody judged; shape (items,), as the next
    n_judgments: Counts
    clusters: Sequence[int] | Counts | None = None  # number of each item's essay or sentence; None: independent items

    def __post_init__(self) -> None:
        if self.share.shape != self.n_judgments.shape or self.share.ndim != 1:
            raise _unlike("shares and judgments", self.share, self.n_judgments)
        known = self.share[~np.isnan(self.share)]
        if not ((known >= -EQUAL) & (known <= 1 + EQUAL)).all():
            raise UsageError(Problem("crowd-columns", "a share is not between 0 and 1", expected="fractions"))


def _unlike(what: str, first: NDArray[np.generic], second: NDArray[np.generic]) -> UsageError:
    what = f"{what} have shapes {first.shape} and {second.shape}"
    return UsageError(Problem("crowd-columns", what, expected="one of each for every item"))


@dataclass(frozen=True, eq=False)
class CrowdStatistics:
    """What is kept of items: those with one share, flag and number of judgments are one kind."""

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
        "closed": "there is no formula for its intervals",
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
        hits, wrong, missed, _ = totals.T
        b2 = self.beta * self.beta
        over = (hits, hits, (1 + b2) * hits)
        under = (hits + wrong, hits + missed, (1 + b2) * hits + wrong + b2 * missed)
        return divided(np.stack(over, axis=1), np.stack(under, axis=1))

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
        """What each item adds; nothing where it does not count."""
        counts = np.vstack([statistics.counts, np.zeros(4)])[statistics.kind]
        return UnitParts([None] * len(statistics), counts, self._values(counts))


def score_kinds(
    metric: Crowd, statistics: CrowdStatistics, *, resampling: Resampling | None = None, rows: Flags | None = None
) -> CrowdScore:
    """Score what was counted, items of some kinds (``rows``) or all; with intervals if it is said how."""
    units, chosen = statistics.units, np.ones(len(statistics.counts), np.bool_) if rows is None else rows
    counts, frequency = statistics.counts * chosen[:, None], statistics.units.frequency * chosen
    n_items, n_clusters = int(frequency.sum()), units.n_clusters_of(chosen)
    folded = metric.fold_kinds(counts, frequency[None])
    drawn = None
    if resampling is not None and n_items > 1 and n_clusters != 1:
        drawn = resampled(units, lambda weights: metric.fold_kinds(counts, weights).values, resampling, "crowd")
    made = estimated(folded.values[0].tolist(), metric.reasons(folded), (n_items, n_clusters), resampling, drawn)
    ks = statistics.n_judgments[frequency > 0]
    mean = float(frequency @ statistics.n_judgments / n_items) if n_items else 0.0
    spread = (int(ks.min()) if len(ks) else 0, mean, int(ks.max(initial=0)))
    (precision, recall, f), (hits, wrong, missed, right) = made, folded.counts[0].tolist()
    return CrowdScore(metric.estimand, hits, wrong, missed, right, precision, recall, f, metric.beta, n_items, spread)
