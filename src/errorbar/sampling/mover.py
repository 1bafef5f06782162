"""R and F from one interval for the hits and one for the misses, joined without a normal R or F.

Formula
    R = ρ / (1 + ρ) with ρ = H / M; F = (1 + β²) ρ / (1 + β² ρ) with ρ = H / D, D = β² M + F₁ (F₁ items flagged). Both
    grow with ρ. H has the ends h, h' and D the ends d, d' of Wilson's interval of the share of errors in the stratum,
    with n / (1 − n/N) in the place of n (x in proportion). The ends of ρ are
    h (2 H − h) / [H D + √((H D)² − h d' (2 H − h)(2 D − d'))] and
    [H D + √((H D)² − h' d (2 H − h')(2 D − d))] / [d (2 D − d)]. (The published form of the first,
    [H D − √...] / [d' (2 D − d')], is the same and breaks where d' = 2 D, which few misses come near.)
Conventions
    For two strata: what is flagged and what is not. Without a miss seen R may be 1, without a hit 0;
    without both there is no value. A stratum that was judged whole has no interval to join. ``corrected=False`` leaves
    the finite-population correction out, which is right for a corpus that stands for a larger one.
Source
    Donner and Zou 2012, Statistical Methods in Medical Research 21(4), equations for a ratio (MOVER-R); Wilson 1927.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.sampling.quantities import Target
from errorbar.sampling.strata import Strata
from errorbar.sampling.totals import Sample
from errorbar.stats.proportion import proportion_bounds

METHOD = "mover-wilson"


class Ends(NamedTuple):
    """A number and the ends of its interval."""

    value: float
    low: float
    high: float


def mover_interval(
    name: Target,
    sample: Sample,
    strata: Strata,
    *,
    beta: float = 1.0,
    confidence_level: float = 0.95,
    corrected: bool = True,
) -> Interval | Undefined:
    """The interval of R or F, or why there is none; that of P is Wilson's own.

    Args:
        name: P, R or F.
        sample: What was judged in each of the two strata.
        strata: What is flagged and what is not.
        beta: Weight of recall in F.
        confidence_level: Nominal coverage.
        corrected: Whether the finite-population correction is made.

    Raises:
        UsageError: If the sample does not fit the strata, truths are not 0 or 1, or there are not two strata.
    """
    sample.check(strata)
    if len(strata) != 2 or not sample.is_binary:
        what = f"{len(strata)} strata" if sample.is_binary else "graded truths"
        fix = "use estimate_sample, which takes any strata and truths"
        raise UsageError(Problem("sample-mover", what, expected="two strata, and truths that are 0 or 1", fix=fix))
    open_share = np.where(strata.sizes > sample.n, 1 - sample.n / strata.sizes, np.nan) if corrected else np.ones(2)
    if np.isnan(open_share).any():
        return Undefined.ZERO_WIDTH
    if not sample.x.any():
        return Undefined.NOTHING_IN_REFERENCE
    low, high = proportion_bounds(sample.x / open_share, sample.n / open_share, confidence_level=confidence_level)
    flagged, rest = (1, 0) if strata.flags[0][1] else (0, 1)
    if name == "P":
        return Interval(float(low[flagged]), float(high[flagged]), confidence_level, METHOD)
    weight, fixed, top = (1.0, 0.0, 1.0) if name == "R" else (beta**2, float(strata.sizes[flagged]), 1 + beta**2)
    sizes, rate = strata.sizes.astype(np.float64), sample.x / sample.n
    hits, misses = (Ends(*(float(sizes[at] * side[at]) for side in (rate, low, high))) for at in (flagged, rest))
    below = Ends(*(weight * end + fixed for end in misses))
    return Interval(*join_ends(hits, below, weight, top), confidence_level, METHOD)


def join_ends(hits: Ends, below: Ends, b: float, top: float) -> tuple[float, float]:
    """Ends of R or F, which is ``top`` / (1 / ρ + ``b``).

    Args:
        hits: H and its ends.
        below: D and its ends.
        b: 1 for R, β² for F.
        top: 1 for R, 1 + β² for F.
    """
    product = hits.value * below.value
    # Of the hits, and of what is below, that which the ends leave: x (2 T - x) for an end x of T.
    less, more = (end * (2 * hits.value - end) for end in hits[1:])
    under, over = (end * (2 * below.value - end) for end in below[1:])
    # Rounding may take a root of 0 below it.
    first, second = (sqrt(max(product**2 - part, 0.0)) for part in (less * over, more * under))
    start = less / (product + first) if product + first > 0 else inf  # nothing is below, and that is known
    ends = [start if less > 0 else 0.0, (product + second) / under if under > 0 else inf]
    # R = 1 / (1 / rho + 1) and F = (1 + b) / (1 / rho + b): written so, rho may be without end.
    low, high = (top / (1 / end + b) if end > 0 else 0.0 for end in ends)
    return low, min(high, 1.0)
