"""Measures of a detector from its confusion with the truth, with and without the prevalence of errors in them.

Formula
    Se = hits / (hits + misses), Sp = true negatives / (true negatives + false positives), π = share of errors.
    κ(Se, Sp, π) = (A_o - A_e) / (1 - A_e) of the table a = π Se, b = π (1 - Se), c = (1 - π)(1 - Sp), d = (1 - π) Sp:
    A_o = a + d, A_e = π (a + c) + (1 - π)(b + d).
    Youden J = Se + Sp - 1. Log diagnostic odds ratio = ln(hits · true negatives / (false positives · misses)).
    κ standardised to a reference π is κ(Se, Sp, π_ref).
Conventions
    κ of the same detector changes with the prevalence: .25 at 1 % and .64 at 20 % for Se .6, Sp .97. J, the odds
    ratio and the standardised κ do not. The odds ratio adds ½ to each of the four counts where one of them is 0
    (Haldane, Anscombe). Undefined, NaN, where one class does not occur; κ also where nobody varies.
Source
    Youden 1950; Glas et al. 2003 (diagnostic odds ratio); for κ and prevalence Feinstein and Cicchetti 1990.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """Measures of many tables at once, each of shape (tables,), NaN where undefined.

    Attributes:
        sensitivity: Se.
        specificity: Sp.
        prevalence: Share of errors.
        kappa: Cohen's κ at that prevalence.
        youden: J.
        log_odds: Log diagnostic odds ratio.
        kappa_at: κ at the reference prevalence.
    """

    sensitivity: Floats
    specificity: Floats
    prevalence: Floats
    kappa: Floats
    youden: Floats
    log_odds: Floats
    kappa_at: Floats


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
    left = 1 - expected
    return _over(a + d - expected, left)


def rates(counts: Floats, reference_prevalence: float) -> Rates:
    """Measure tables of hits, false positives, misses and true negatives.

    Args:
        counts: One table per row; shape (tables, 4).
        reference_prevalence: Share of errors that kappa is standardised to.

    Raises:
        UsageError: If the reference prevalence is no fraction.
    """
    if not 0 < reference_prevalence < 1:
        what = f"the reference prevalence is {reference_prevalence}"
        raise UsageError(Problem("crowd-rates", what, expected="a fraction between 0 and 1"))
    hits, wrong, missed, right = np.maximum(counts, 0).T
    errors, fine = hits + missed, wrong + right
    se, sp = _over(hits, errors), _over(right, fine)
    prevalence = _over(errors, errors + fine)
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


def _over(above: Floats, below: Floats) -> Floats:
    value: Floats = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=value, where=np.abs(below) > 1e-12)
    return value
