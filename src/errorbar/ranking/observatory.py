"""How sure it is that one metric agrees with humans better than another: over systems, texts and judges.

Formula
    The agreement a of a metric is soft pairwise accuracy (errorbar.ranking.metric_agreement), or Fisher's
    z = artanh r of Pearson's r. It is computed again without each system, without each of G stretches of the text
    (judgments and scores of its sentences), and without each judge. Each source of k parts has the variance of the
    delete-one jackknife, V = (k - 1) / k Σ (a_i - mean a)². That of all is their sum, with Satterthwaite's degrees of
    freedom, (Σ V)² / Σ V² / (k - 1); the interval is a ∓ t √(Σ V), of r back from z. A difference of two metrics has
    the variance of the differences of the same parts; its p is two-sided, adjusted (Holm) over all pairs of metrics.
Conventions
    Judgments are left out with their sentence and with their judge, so that what one judgment adds is counted in both:
    intervals are a little too wide, not too narrow. A source with fewer than three parts is not known, and claims
    hold for these texts, or these judges, only. Metrics with scores of systems alone are fixed over texts.
Source
    Efron & Stein 1981, The jackknife estimate of variance, Annals of Statistics 9; Satterthwaite 1946, Biometrics 2;
    Holm 1979; the sum over crossed sources as in errorbar.stats.two_way. That claims about metrics have to hold for
    other systems and texts: Deutsch, Dror & Roth 2021, TACL 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.ranking.metric_agreement import correlations_of
from errorbar.stats.multiple import adjust

Statistic = Literal["pearson", "spa"]
Variation = Literal["systems", "texts", "judges"]
LEAST_PARTS = 3
_WITHOUT: Mapping[Variation, Undefined] = {
    "systems": Undefined.CONSTANT,
    "texts": Undefined.WITHOUT_A_TEXT,
    "judges": Undefined.WITHOUT_A_JUDGE,
}
"""Why there is no interval where a metric has no value without one of the parts of a source."""
_SURE = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class View:
    """The scores that humans and metrics give the systems, of all that was judged or without a part of it."""

    human: Floats  # scores of systems; shape (systems,)
    metrics: Floats  # shape (metrics, systems)
    human_chances: Floats | None = None  # how sure humans are of each pair; shape (pairs,)
    chances: Floats | None = None  # how sure metrics are, NaN where a metric cannot say; shape (metrics, pairs)

    def agreement(self, statistic: Statistic, systems: NDArray[np.int64]) -> Floats:
        """The agreement of each metric over some systems, in order; shape (metrics,)."""
        if statistic == "pearson":
            metrics = self.metrics[:, systems]
            r = correlations_of(np.broadcast_to(self.human[systems], metrics.shape), metrics, "pearson")
            return np.asarray(np.arctanh(np.clip(r, -_SURE, _SURE)), np.float64)
        if self.human_chances is None or self.chances is None:
            return np.full(len(self.metrics), np.nan)
        first, second = np.array(list(combinations(range(len(self.human)), 2)), np.int64).T
        kept = np.isin(first, systems) & np.isin(second, systems)
        apart = np.abs(self.chances[:, kept] - self.human_chances[kept])
        known = ~np.isnan(apart)
        n = known.sum(axis=1)
        return np.where(n > 0, 1 - np.where(known, apart, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)


@dataclass(frozen=True, slots=True)
class Claim:
    """Whether one metric agrees with humans better than another."""

    first: str
    second: str
    statistic: Statistic
    difference: float  # of the agreement; of Pearson's r, of r itself
    p_values: Mapping[Variation, float]  # for other systems, other texts, other judges alone
    p: float  # for others of all that vary
    adjusted: float  # for the number of pairs of metrics

    def survives(self, alpha: float) -> bool:
        """Whether it holds for other systems, texts and judges."""
        return self.adjusted <= alpha


@dataclass(frozen=True, slots=True)
class Observed:
    """The agreement of metrics with one human ranking."""

    metrics: tuple[str, ...]
    agreements: Mapping[Statistic, tuple[Estimate, ...]]  # of each metric, with intervals over all that varies
    alone: Mapping[Statistic, Mapping[Variation, tuple[Interval | None, ...]]]  # intervals over one of it
    claims: tuple[Claim, ...]


def observe_metrics(
    names: Sequence[str],
    whole: View,
    without: Mapping[Variation, Sequence[View]],
    systems: NDArray[np.int64],
    *,
    confidence_level: float = 0.95,
) -> Observed:
    """Agreements, intervals and claims over some systems, numbers into ``View.human``.

    ``without``: views without each stretch of text and without each judge; systems are left out here.
    """
    agreements: dict[Statistic, tuple[Estimate, ...]] = {}
    alone: dict[Statistic, dict[Variation, tuple[Interval | None, ...]]] = {}
    claims: list[Claim] = []
    statistics: tuple[Statistic, ...] = ("pearson", "spa")
    for statistic in statistics:
        values = whole.agreement(statistic, systems)
        if statistic == "spa" and np.isnan(values).all():
            continue
        parts: dict[Variation, Floats] = {
            "systems": np.array([whole.agreement(statistic, np.delete(systems, at)) for at in range(len(systems))])
        }
        for source, views in without.items():
            parts[source] = np.array([view.agreement(statistic, systems) for view in views]).reshape(-1, len(values))
        parts = {source: table for source, table in parts.items() if len(table) >= LEAST_PARTS}
        spreads = {source: (_jackknife_variance(table), len(table) - 1) for source, table in parts.items()}
        agreements[statistic] = tuple(
            _estimate(
                statistic, value, len(systems), {s: (v[k], df) for s, (v, df) in spreads.items()}, confidence_level
            )
            for k, value in enumerate(values.tolist())
        )
        alone[statistic] = {
            source: tuple(
                _estimate(statistic, value, len(systems), {source: (variance[k], df)}, confidence_level).interval
                for k, value in enumerate(values.tolist())
            )
            for source, (variance, df) in spreads.items()
        }
        claims += _claims(names, statistic, values, parts)
    return Observed(tuple(names), agreements, alone, tuple(claims))


def _claims(
    names: Sequence[str], statistic: Statistic, values: Floats, parts: Mapping[Variation, Floats]
) -> list[Claim]:
    """Every pair of metrics, the better one first."""
    shown = np.tanh(values) if statistic == "pearson" else values
    rows = []
    for one, other in combinations(np.flatnonzero(~np.isnan(values)).tolist(), 2):
        better, worse = (one, other) if values[one] >= values[other] else (other, one)
        difference = float(values[better] - values[worse])
        spreads = {
            source: (float(_jackknife_variance(table[:, better] - table[:, worse])), len(table) - 1)
            for source, table in parts.items()
        }
        single = {source: _p_value(difference, {source: spread}) for source, spread in spreads.items()}
        rows.append((better, worse, single, _p_value(difference, spreads)))
    adjusted = adjust([p for *_, p in rows]).tolist() if rows else []
    return [
        Claim(names[better], names[worse], statistic, float(shown[better] - shown[worse]), single, p, of_all)
        for (better, worse, single, p), of_all in zip(rows, adjusted, strict=True)
    ]


def _jackknife_variance(parts: Floats) -> Floats:
    """The variance from values without each part; shape (parts, ...) to (...)."""
    k = len(parts)
    return np.asarray((k - 1) / k * ((parts - parts.mean(axis=0)) ** 2).sum(axis=0), np.float64)


def _freedom(spreads: Mapping[Variation, tuple[float, int]]) -> tuple[float, float]:
    """The variance of all sources, and Satterthwaite's degrees of freedom."""
    total = sum(variance for variance, _ in spreads.values())
    weights = sum(variance * variance / df for variance, df in spreads.values())
    return total, total * total / weights if weights > 0 else float("inf")


def _p_value(difference: float, spreads: Mapping[Variation, tuple[float, int]]) -> float:
    from scipy.special import stdtr  # noqa: PLC0415 - loading it takes a while

    variance, df = _freedom(spreads)
    if not variance > 0:
        return 1.0  # what never varies cannot be compared with its variation
    return float(2 * stdtr(min(df, 1e9), -abs(difference) / sqrt(variance)))


def _estimate(
    statistic: Statistic,
    value: float,
    n: int,
    spreads: Mapping[Variation, tuple[float, int]],
    confidence_level: float,
) -> Estimate:
    from scipy.special import stdtrit  # noqa: PLC0415 - loading it takes a while

    if np.isnan(value):
        return Estimate(None, 0, undefined=Undefined.CONSTANT if statistic == "pearson" else Undefined.SYSTEMS_ALONE)
    variance, df = _freedom(spreads)
    shown = float(np.tanh(value)) if statistic == "pearson" else value
    for source, (own, _) in spreads.items():
        if np.isnan(own):
            return Estimate(shown, n).with_interval(_WITHOUT[source])
    if not variance > 0:
        return Estimate(shown, n).with_interval(Undefined.CONSTANT)
    half = float(stdtrit(min(df, 1e9), (1 + confidence_level) / 2)) * sqrt(variance)
    ends = value - half, value + half
    low, high = np.tanh(ends).tolist() if statistic == "pearson" else (max(0.0, ends[0]), min(1.0, ends[1]))
    return Estimate(shown, n).with_interval(Interval(low, high, confidence_level, "jackknife"))
