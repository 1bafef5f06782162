"""Cheap plus expensive labels: many items with votes of a crowd or a model, some of them with experts' labels.

Formula
    f is the cheap share of an item, Y the expert label, of n items. Without end (``ppi_mean``): θ = λ mean f(U) +
    mean(Y − λ f) over N further items U, Var = λ² Var f(U) / N + Var(Y − λ f) / n, and the best
    λ = Cov(Y, f) / [(1 + n/N) Var f], between 0 and 1. In a stratum of N items of which m have votes and n of those
    an expert label (``assisted_total``): T = N [λ mean_m f + mean_n(Y − λ f)],
    Var = N² [s_Y² (1/m − 1/N) + s_d² (1/n − 1/m)] with d = Y − λ f, and the best λ = Cov(Y, f) / Var f.
Conventions
    Variances of ``ppi_mean`` divide by n and N, as published; those of its λ (Var f over all items) and of a stratum by
    n − 1. Power tuning: where the cheap
    labels do not help in the sample (λ ≤ 0, or s_d ≥ s_Y), or there are fewer than ``FEWEST`` expert labels, or all
    experts said the same, λ is 0, which is experts alone. Experts must have labeled a random part of what has votes,
    and f may not have been tuned on their labels.
Source
    Angelopoulos et al. 2023, Science 382 (PPI); Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453 (PPI++); Fisch
    et al. 2024, arXiv 2406.04291 (in strata); Cochran 1977, section 12.2 for two phases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.sampling.strata import Floats
from errorbar.stats.distributions import z_value

FEWEST = 10


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """A mean and how far the cheap labels were trusted.

    Attributes:
        estimate: The mean with its interval.
        standard_error: Its standard error.
        trust: λ, 0 to 1; 0 is experts alone.
    """

    estimate: Estimate
    standard_error: float
    trust: float


def ppi_mean(
    labels: ArrayLike,
    cheap: ArrayLike,
    unlabeled: ArrayLike,
    *,
    trust: float | None = None,
    confidence_level: float = 0.95,
) -> PredictionPowered:
    """The mean of expert labels in a population without end.

    Args:
        labels: Expert labels; shape (n,).
        cheap: Cheap labels of the same items; shape (n,).
        unlabeled: Cheap labels of other items; shape (N,).
        trust: λ; None: the best one.
        confidence_level: Nominal coverage.

    Raises:
        UsageError: If there are no labels, or shapes do not fit.
    """
    y, f, u = (np.asarray(column, np.float64) for column in (labels, cheap, unlabeled))
    if y.ndim != 1 or y.shape != f.shape or u.ndim != 1 or not y.size or not u.size:
        what = f"{y.shape} expert labels, {f.shape} and {u.shape} cheap ones"
        raise UsageError(Problem("sample-ppi", what, expected="as many cheap as expert labels, and further cheap ones"))
    if trust is None:
        spread = float(np.concatenate([f, u]).var(ddof=1))
        both = float(np.cov(y, f)[0, 1]) if y.size > 1 else 0.0
        trust = min(max(both / ((1 + y.size / u.size) * spread), 0.0), 1.0) if spread > 0 else 0.0
    rest = y - trust * f
    value = float(trust * u.mean() + rest.mean())
    error = float(np.sqrt(trust**2 * u.var() / u.size + rest.var() / y.size))
    half = z_value(confidence_level) * error
    made = Interval(value - half, value + half, confidence_level, "ppi") if error > 0 else Undefined.ZERO_WIDTH
    return PredictionPowered(Estimate(value, int(y.size)).with_interval(made), error, trust)


def assisted_total(
    labels: Floats, cheap: Floats, voted: Floats, size: int, *, trust: float | None = None
) -> tuple[float, float, float]:
    """The errors of a stratum.

    Args:
        labels: Expert labels; shape (n,).
        cheap: Cheap labels of the same items; shape (n,).
        voted: Cheap labels of all items that have them, those with expert labels among them; shape (m,).
        size: Items of the stratum.
        trust: λ; None: the best one.

    Returns:
        The total, its variance, and λ.

    Raises:
        UsageError: If there are fewer than two expert labels, or shapes or sizes do not fit.
    """
    n, m = len(labels), len(voted)
    if labels.shape != cheap.shape or not 2 <= n <= m <= size:
        what = f"{n} expert labels, {len(cheap)} and {m} cheap ones in a stratum of {size}"
        raise UsageError(Problem("sample-ppi", what, expected="at least 2 expert labels, each with a cheap one"))
    if trust is None:
        trust = _tuned(labels, cheap)
    rest = labels - trust * cheap
    total = size * (trust * voted.mean() + rest.mean())
    variance = size**2 * (labels.var(ddof=1) * (1 / m - 1 / size) + rest.var(ddof=1) * (1 / n - 1 / m))
    return float(total), float(variance), trust


def _tuned(labels: Floats, cheap: Floats) -> float:
    spread = float(cheap.var(ddof=1))
    if len(labels) < FEWEST or spread == 0 or labels.var() == 0:
        return 0.0
    trust = min(max(float(np.cov(labels, cheap)[0, 1]) / spread, 0.0), 1.0)
    return trust if (labels - trust * cheap).var() < labels.var() else 0.0
