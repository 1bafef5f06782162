"""Resampling units or clusters, and intervals from resamples.

A resample is a row of unit numbers, so that a metric that depends on the order of sentences can fold it like a
corpus; it keeps the order of the corpus. Where clusters have different sizes, so have resamples: the rows of a table
are filled up with -1, which stands for no unit.

Formula
    q(a) is the a-quantile of the resampled values (linear between order statistics), v the value on the corpus.
    percentile: q(α), q(1 − α). basic: 2v − q(1 − α), 2v − q(α).
    bca: q(Φ(z0 + (z0 + z_a) / (1 − acc (z0 + z_a)))) for both tails z_a, with z0 = Φ⁻¹(share of resampled values
    below v, ties half) and acc = Σ d³ / (6 (Σ d²)^1.5), d = mean of the leave-one-out values minus each of them.
Conventions
    A resample in which the value is undefined (NaN) counts as below everything for the low end and as above
    everything for the high end, so that it can only widen the interval; where it is the end, there is no interval.
    No interval has zero width: where all resamples agree, the reason is named instead. A basic interval may leave the
    range of the score.
Source
    Efron 1987, Better bootstrap confidence intervals, JASA 82; Efron & Tibshirani 1993, chapters 13, 14. Clusters:
    Davison & Hinkley 1997, section 3.8 (resample clusters, keep what is inside).
"""

from __future__ import annotations

from math import ceil, floor
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Interval, Undefined
from errorbar.stats.distributions import NORMAL, tails

BootstrapMethod = Literal["bca", "percentile", "basic"]
Units = NDArray[np.int64]
_ROUNDING = 1e-9


def resample_units(n_units: int, replicates: int, rng: np.random.Generator) -> Units:
    """Draw units with replacement.

    Returns:
        Unit numbers, ascending in each row; shape (replicates, n_units).

    Raises:
        UsageError: There is no unit to draw from.
    """
    if n_units < 1:
        raise UsageError(Problem("nothing-to-resample", "there is no unit to draw from", expected="at least 1"))
    draws = rng.integers(n_units, size=(replicates, n_units))
    # Short integers sort several times faster; the draws do not depend on it.
    short = draws.astype(np.int16 if n_units < 2**15 else np.int32 if n_units < 2**31 else np.int64)
    short.sort(axis=1)
    return short.astype(np.int64)


def resample_clusters(clusters: ArrayLike, replicates: int, rng: np.random.Generator) -> Units:
    """Draw clusters with replacement; each brings all its units, as often as it is drawn.

    Args:
        clusters: Which cluster each unit belongs to, as whole numbers; shape (units,).
        replicates: How many resamples.
        rng: The stream to draw from. With one unit in every cluster the result is that of resample_units.

    Returns:
        Unit numbers, -1 after the last; shape (replicates, units of the longest resample). Clusters stand in the
        order of their first units, units of a cluster in the order of the corpus.

    Raises:
        UsageError: There is no unit.
    """
    members = cluster_members(clusters)
    return _rows(members, resample_units(len(members), replicates, rng))


def leave_one_out(clusters: ArrayLike) -> Units:
    """Every resample that leaves out one cluster, for the jackknife.

    Args:
        clusters: Which cluster each unit belongs to; ``np.arange(n)`` for independent units. For a large corpus,
            ``np.arange(n) * 1000 // n`` leaves out blocks, which serves BCa as well and costs less.

    Returns:
        Unit numbers, -1 after the last; shape (clusters, units of the longest row).

    Raises:
        UsageError: There is no unit.
    """
    members = cluster_members(clusters)
    everyone = np.arange(len(members))
    others = np.tile(everyone, (len(members), 1))[~np.eye(len(members), dtype=bool)]
    return _rows(members, others.reshape(len(members), len(members) - 1))


def cluster_members(clusters: ArrayLike) -> list[Units]:
    """The units of each cluster, in the order in which clusters first appear.

    Raises:
        UsageError: There is no unit.
    """
    codes = np.asarray(clusters).ravel()
    if not codes.size:
        raise UsageError(Problem("nothing-to-resample", "there is no unit to draw from", expected="at least 1"))
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))[inverse]
    order = np.argsort(rank, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(rank))[:-1])


def multiplicities(units: Units, n_units: int) -> NDArray[np.int64]:
    """How often each resample holds each unit, for metrics that are sums: ``multiplicities(...) @ counts``.

    Args:
        units: Resamples; shape (replicates, n). -1 is no unit.
        n_units: Units of the corpus.

    Returns:
        Shape (replicates, n_units).
    """
    shifted = units + 1 + (n_units + 1) * np.arange(len(units))[:, None]
    counted = np.bincount(shifted.ravel(), minlength=len(units) * (n_units + 1))
    return counted.reshape(len(units), n_units + 1)[:, 1:]


def bootstrap_interval(
    value: float,
    resampled: ArrayLike,
    *,
    jackknife: ArrayLike | None = None,
    method: BootstrapMethod = "bca",
    confidence_level: float = 0.95,
) -> Interval | Undefined:
    """An interval from the values of resamples, or why there is none.

    Args:
        value: The value on the corpus.
        resampled: The values on the resamples, NaN where undefined; shape (replicates,).
        jackknife: The values with one unit or cluster left out; shape (units or clusters,). Needed by bca.
        method: bca, percentile or basic; the choice of the default is measured in docs/design/intervals.md.
        confidence_level: Nominal coverage.

    Raises:
        UsageError: The method or confidence level does not exist, bca has no jackknife, or there is no resample.
    """
    values = np.sort(np.asarray(resampled, np.float64).ravel())  # NaN last
    left, right = tails(confidence_level)
    if method not in get_args(BootstrapMethod):
        fix = nearest(method, get_args(BootstrapMethod))
        raise UsageError(Problem("interval-method", f"no bootstrap interval is called '{method}'", fix=fix))
    if not values.size:
        raise UsageError(Problem("replicates", "0 replicates", expected="at least 1"))
    n_undefined = int(np.count_nonzero(np.isnan(values))) if np.isnan(values[-1]) else 0
    defined = values[: values.size - n_undefined]
    if np.isnan(value) or not defined.size:
        return Undefined.RESAMPLES_UNDEFINED
    if method == "bca":
        if jackknife is None:
            raise UsageError(Problem("bca-jackknife", "bca needs the leave-one-out values", fix="use percentile"))
        ends = _bca_tails(value, defined, np.asarray(jackknife, np.float64).ravel(), (left, right))
        if isinstance(ends, Undefined):
            return Undefined.NO_VARIATION if defined[0] == defined[-1] else ends
        left, right = ends
    # Undefined values stand below all others for the low end, above all others for the high end.
    low = _at(defined, left * (values.size - 1) - n_undefined)
    high = _at(defined, right * (values.size - 1))
    if low is None or high is None:
        return Undefined.RESAMPLES_UNDEFINED
    if low == high:
        return Undefined.NO_VARIATION
    if method == "basic":
        low, high = 2 * float(value) - high, 2 * float(value) - low
    return Interval(low, high, confidence_level, f"bootstrap-{method}")


def standard_error(resampled: ArrayLike) -> float:
    """The standard deviation of the values of resamples; NaN with fewer than two."""
    values = np.asarray(resampled, np.float64)
    return float(np.std(values, ddof=1)) if values.size > 1 else float("nan")


def acceleration(jackknife: ArrayLike) -> float:
    """BCa's measure of how the standard error changes with the value, from leave-one-out values; NaN if all agree."""
    values = np.asarray(jackknife, np.float64)
    d = values.mean() - values
    square = float(np.sum(d**2))
    return float(np.sum(d**3)) / (6 * square**1.5) if square else float("nan")


def _bca_tails(
    value: float, defined: NDArray[np.float64], jackknife: NDArray[np.float64], ends: tuple[float, float]
) -> tuple[float, float] | Undefined:
    if jackknife.size < 2:
        return Undefined.ONE_UNIT
    if np.isnan(jackknife).any():
        return Undefined.RESAMPLES_UNDEFINED
    below = (np.searchsorted(defined, value) + np.searchsorted(defined, value, side="right")) / (2 * defined.size)
    acc = acceleration(jackknife)
    if not 0 < below < 1 or np.isnan(acc):
        return Undefined.ONE_SIDED
    z0 = NORMAL.inv_cdf(float(below))
    shifted = [z0 + NORMAL.inv_cdf(end) for end in ends]
    if any(acc * z >= 1 for z in shifted):
        return Undefined.ONE_SIDED
    left, right = (NORMAL.cdf(z0 + z / (1 - acc * z)) for z in shifted)
    return left, right


def _at(ordered: NDArray[np.float64], position: float) -> float | None:
    """The number at a position, between neighbors if it is not whole; None outside. numpy's default quantile."""
    if abs(position - round(position)) < _ROUNDING:  # (1 - .9) / 2 * 40 is a little less than 2
        position = round(position)
    below = floor(position)
    above = ceil(position)
    if below < 0 or above >= ordered.size:
        return None
    a, b = float(ordered[below]), float(ordered[above])
    return a + (b - a) * (position - below)


def _rows(members: list[Units], picks: Units) -> Units:
    """Join the units of the clusters picked in each row, and fill up with -1."""
    sizes = np.array([len(units) for units in members], np.int64)
    starts = np.cumsum(sizes) - sizes
    picked = sizes[picks]
    lengths = picked.sum(axis=1)
    flat = picked.ravel()
    within = np.arange(flat.sum()) - np.repeat(np.cumsum(flat) - flat, flat)
    units = np.concatenate(members)[np.repeat(starts[picks.ravel()], flat) + within]
    table = np.full((len(picks), int(lengths.max(initial=0))), -1, np.int64)
    table[np.arange(table.shape[1]) < lengths[:, None]] = units
    return table
