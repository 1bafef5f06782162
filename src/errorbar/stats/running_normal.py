"""Asymptotic intervals that may be looked at after every judgment: of any estimate with a standard error.

Formula
    θ̂_t ± SE_t √((1 + r)(ln(1 + 1/r) + 2 ln(1/α))), r = r₀ (SE_t / SE*)². SE* = w / √((1 + r₀)(ln(1 + 1/r₀) +
    2 ln(1/α))) is the standard error at which the half-width is the wanted one, w, and r₀ makes that factor as small as
    it can be: 1/r₀ = ln(1 + 1/r₀) + 2 ln(1/α). For α = .05: r₀ = .1218, factor 3.035, so (3.035 / 1.96)² = 2.40 times
    the items of an interval at a fixed time.
Conventions
    w must be chosen beforehand; it says where the interval is narrowest in comparison, and any w is valid. The
    estimates must gain information as a sum of independent parts does: means and totals of simple random samples
    within strata with the finite-population correction, and smooth functions of them (ratios). The guarantee holds in
    the limit: from 60 judgments on, and where enough was seen on both sides (docs/stopping.md).
Source
    Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Time-uniform central limit theory and asymptotic confidence
    sequences, Annals of Statistics 52(6): the Gaussian mixture with t ρ² = 1/r; Robbins 1970 for the mixture behind it.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.stats.resampling import tails

Floats = NDArray[np.float64]
LEAST = 60
"""Judgments from which the asymptotic interval is trusted."""
_HALVINGS = 200


def best_ratio(confidence_level: float = 0.95) -> float:
    """r₀, at which the factor is smallest."""
    twice = -2 * log(2 * tails(confidence_level)[0])
    low, high = 1e-12, 1e6
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        low, high = (middle, high) if 1 / middle > log(1 + 1 / middle) + twice else (low, middle)
    return low


def running_factor(standard_error: ArrayLike, half_width: float, *, confidence_level: float = 0.95) -> Floats:
    """How many standard errors the interval reaches to each side; the shape of the standard errors.

    Args:
        standard_error: SE_t, above 0.
        half_width: w, chosen beforehand: where the interval shall be narrowest.
        confidence_level: How likely all intervals together hold the truth, however often one looks.

    Raises:
        UsageError: If the half-width is not above 0.
    """
    if not half_width > 0:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0"))
    best, twice = best_ratio(confidence_level), -2 * log(2 * tails(confidence_level)[0])
    wanted = half_width / sqrt((1 + best) * (log(1 + 1 / best) + twice))
    r = best * (np.asarray(standard_error, np.float64) / wanted) ** 2
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt((1 + r) * (np.log1p(1 / r) + twice)))
