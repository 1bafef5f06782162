"""Exact bounds for the errors of a stratum, and for what is made of two of them.

Formula
    Of N items with T errors, n are drawn without replacement and x errors seen: x is hypergeometric. The bounds are
    the smallest T with P(X ≥ x) ≥ α/2 and the largest with P(X ≤ x) ≥ α/2. Box: with bounds at 1 − α/2 for hits and
    for misses, R lies between H_low / (H_low + M_high) and H_high / (H_high + M_low), and so does F.
Conventions
    The box is conservative: both bounds hold together with at least 1 − α. Where a side has several strata, α is
    shared among them in equal parts.
Source
    Buonaccorsi 1987 for the bounds; Bonferroni for the box.
"""

from __future__ import annotations

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval
from errorbar.sampling.quantities import Name, quantity
from errorbar.sampling.strata import Floats, Strata
from errorbar.sampling.totals import Sample
from errorbar.stats.distributions import tails

METHOD = "exact"
ROUNDING = 1e-9


def total_bounds(x: int, n: int, size: int, *, confidence_level: float = 0.95) -> tuple[int, int]:
    """Bounds for the errors among all items of a stratum.

    Args:
        x: Errors seen.
        n: Items drawn.
        size: Items of the stratum.
        confidence_level: Of both bounds together; each fails with half of the rest.

    Raises:
        UsageError: If the counts do not fit.
    """
    if not 0 <= x <= n <= size:
        what = f"{x} errors among {n} of {size} items"
        raise UsageError(Problem("sample-size", what, expected="errors <= drawn <= items"))
    from scipy.stats import hypergeom  # noqa: PLC0415 - slow to load, rarely needed

    alpha = tails(confidence_level)[0] * (1 - ROUNDING)  # a total whose probability is α/2 itself is not too far
    lowest, highest = x, size - (n - x)

    def too_small(total: int) -> bool:
        return bool(hypergeom.sf(x - 1, size, total, n) < alpha)

    def fits(total: int) -> bool:
        return bool(hypergeom.cdf(x, size, total, n) >= alpha)

    low, high = lowest, highest
    while low < high:  # the first total that is not too small
        middle = (low + high) // 2
        low, high = (middle + 1, high) if too_small(middle) else (low, middle)
    first = low
    low, high = lowest, highest
    while low < high:  # the last total that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return first, low


def box_interval(
    name: Name, sample: Sample, strata: Strata, *, system: int = 0, beta: float = 1.0, confidence_level: float = 0.95
) -> Interval:
    """A conservative interval of P, R, F or the miss rate Q; truths are rounded to whole errors.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    flags = strata.flags[system]
    # P and Q rest on one side only, which needs no sharing.
    sides = 1 if name in ("P", "Q") else 2
    ends: list[Floats] = []
    bounds = []
    for at in range(len(strata)):
        parts = sides * int((flags == flags[at]).sum())
        level = 1 - (1 - confidence_level) / parts
        x, n, size = round(float(sample.x[at])), int(sample.n[at]), int(strata.sizes[at])
        bounds.append(total_bounds(x, n, size, confidence_level=level))
    low, high = (np.array(side, np.float64) for side in zip(*bounds, strict=True))
    for own, other in ((low, high), (high, low)):
        ends.append(np.where(flags, own, other) if sides == 2 else own)
    found = [float(quantity(name, end, strata, system=system, beta=beta)) for end in ends]
    # Without any error at an end, R is not defined there: it can be anything.
    left = 0.0 if np.isnan(found[0]) else found[0]
    right = 1.0 if np.isnan(found[1]) else found[1]
    return Interval(left, right, confidence_level, METHOD)
