"""Boundaries for looks that were planned: how large a standardized difference must be at each, and what peeking does.

Formula
    Z_1 … Z_K are standard normal with Cov(Z_j, Z_k) = √(t_j / t_k), j <= k, where t_k is the share of all information
    (1 / SE²) that there is at look k. P(|Z_k| >= c_k for some k) = α.
    O'Brien–Fleming: c_k = c / √t_k. Pocock: c_k = c. The smallest c is found by bisection on the probability, which
    is computed look by look: with f_k the density of the sum B_k = √t_k Z_k among paths that have not crossed,
    f_k(b) = ∫ f_{k−1}(u) φ((b − u) / √(t_k − t_{k−1})) / √(t_k − t_{k−1}) du over |u| < √t_{k−1} c_{k−1}.
    The interval at look k, value ± c_k SE_k, is one of nominal level 1 − 2Φ(−c_k); all K together hold the truth with
    1 − α (repeated confidence intervals). At the last look it needs (c_K / z)² times the items of a single look.
Conventions
    Integrals are Gauss–Legendre sums; 64 points give nine digits of c. Looks are equally spaced unless said otherwise.
    A look that was planned and not taken costs nothing but width; one that was not planned is not covered.
Source
    O'Brien & Fleming 1979, A multiple testing procedure for clinical trials, Biometrics 35. Pocock 1977, Group
    sequential methods in the design and analysis of clinical trials, Biometrika 64. Armitage, McPherson & Rowe 1969,
    Repeated significance tests on accumulating data, JRSS A 132 (the integrals). Lan & DeMets 1983, Biometrika 70, and
    Jennison & Turnbull 1989, Interim analyses: the repeated confidence interval approach, JRSS B 51.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.stats.resampling import NORMAL, tails, z_value

Floats = NDArray[np.float64]
Boundary = Literal["obrien-fleming", "pocock"]
MOST_LOOKS = 100
_POINTS, _HALVINGS = 64, 50


def look_boundaries(
    looks: int | Sequence[float], *, kind: Boundary = "obrien-fleming", confidence_level: float = 0.95
) -> Floats:
    """How many standard errors an interval reaches to each side at each planned look; shape (looks,).

    Args:
        looks: How many, equally spaced; or the shares of information at each, rising to 1.
        kind: O'Brien and Fleming's, which starts wide and costs little in the end, or Pocock's, the same at all looks.
        confidence_level: Of all looks together.

    Raises:
        UsageError: If there are no such looks, or no boundary of that name.
    """
    times = _times(looks)
    if kind not in get_args(Boundary):
        what = f"no boundary is called '{kind}'"
        raise UsageError(Problem("look-boundary", what, fix=nearest(kind, get_args(Boundary))))
    shape = 1 / np.sqrt(times) if kind == "obrien-fleming" else np.ones(len(times))
    alpha = 2 * tails(confidence_level)[0]
    low, high = z_value(confidence_level), z_value(1 - alpha / len(times)) + 1e-9  # Bonferroni's is never too small
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        wide = ever_crossed(middle * shape, times) <= alpha
        low, high = (low, middle) if wide else (middle, high)
    return np.asarray(high * shape)


def ever_crossed(boundaries: Sequence[float] | Floats, looks: int | Sequence[float] | Floats) -> float:
    """The chance that one of several looks crosses its boundary although there is nothing to find.

    Args:
        boundaries: c_k of each look: 1.96 everywhere is a plain interval that is peeked at.
        looks: As for ``look_boundaries``.
    """
    times, c = _times(looks), np.asarray(boundaries, np.float64)
    if c.shape != times.shape or not (c > 0).all():
        what = f"{c.size} boundaries for {len(times)} looks"
        raise UsageError(Problem("look-boundary", what, expected="one above 0 for each look"))
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    ends = np.sqrt(times) * c
    crossed = 2 * NORMAL.cdf(-float(c[0]))
    places = nodes * ends[0]
    density = _normal(places / np.sqrt(times[0])) / np.sqrt(times[0]) * weights * ends[0]
    for (before, now), end in zip(pairwise(times), ends[1:], strict=True):
        step = np.sqrt(now - before)
        above = np.array(
            [
                NORMAL.cdf(float(u)) + NORMAL.cdf(float(v))
                for u, v in zip((places - end) / step, (-end - places) / step, strict=True)
            ]
        )
        crossed += float((density * above).sum())
        following = nodes * end
        density = (_normal((following[:, None] - places) / step) / step) @ density * weights * end
        places = following
    return float(crossed)


def nominal_level(boundary: float) -> float:
    """The confidence level of a plain interval that reaches so many standard errors to each side."""
    return 1 - 2 * NORMAL.cdf(-boundary)


def _normal(z: Floats) -> Floats:
    return np.asarray(np.exp(-z * z / 2) / np.sqrt(2 * np.pi))


def _times(looks: int | Sequence[float] | Floats) -> Floats:
    if isinstance(looks, int):
        if not 1 <= looks <= MOST_LOOKS:
            raise UsageError(Problem("look-number", f"{looks} looks", expected=f"from 1 to {MOST_LOOKS}"))
        return np.arange(1, looks + 1) / looks
    times = np.asarray(looks, np.float64)
    if not 1 <= times.size <= MOST_LOOKS or (np.diff(times, prepend=0.0) <= 0).any() or abs(times[-1] - 1) > 1e-9:
        what = f"looks at {', '.join(f'{each:g}' for each in times.tolist())} of the information"
        raise UsageError(
            Problem("look-number", what, expected=f"at most {MOST_LOOKS} shares that rise from above 0 to 1")
        )
    return times
