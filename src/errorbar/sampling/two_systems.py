"""Two systems from one sample: the difference of their scores.

Formula
    The strata cross the flags of both (both, only A, only B, neither). d = θ_A − θ_B, Var d = Σ (g_A − g_B)² V_h with
    the derivatives of ``quantities``; for R this is ((k = 10) − (k = 01) − d) / Σ T. The interval is d ± z SE.
Conventions
    Value and standard error are plain; the interval is made of smoothed totals unless ``add`` is 0. Both systems are
    judged on the same items: taking them for independent makes the interval of R some three times too wide.
Source
    The delta method on stratum totals; Cochran 1977 for their variances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.sampling.quantities import TARGETS, Name, gradient, quantity
from errorbar.sampling.strata import Floats, Strata
from errorbar.sampling.totals import HALF, Assisted, Sample, assisted_totals, estimated_totals
from errorbar.stats.distributions import z_value


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How much better the first system is than the second.

    Attributes:
        name: P, R or F.
        estimate: The difference and its interval.
        standard_error: Its standard error, or None.
    """

    name: str
    estimate: Estimate
    standard_error: float | None


def paired_differences(
    strata: Strata,
    sample: Sample,
    *,
    beta: float = 1.0,
    confidence_level: float = 0.95,
    add: float = HALF,
    assisted: Assisted | None = None,
) -> tuple[PairedDifference, ...]:
    """The differences of P, R and F.

    Args:
        strata: Strata of two systems.
        sample: What was judged.
        beta: Weight of recall in F.
        confidence_level: Nominal coverage.
        add: Smoothing of the interval; 0: none.
        assisted: Totals of each stratum from cheap and expensive labels, as for ``estimate_sample``.

    Raises:
        UsageError: If there is one system only, or the sample does not fit the strata.
    """
    if len(strata.systems) != 2:
        what = "a difference needs two systems"
        raise UsageError(Problem("sample-systems", what, fix="draw a sample for two systems: two files of flags"))
    sample.check(strata)
    plain, smoothed = estimated_totals(sample, strata, add=0), estimated_totals(sample, strata, add=add)
    if assisted is not None:
        plain, smoothed = assisted_totals(assisted, strata, plain, smoothed)
    rows = []
    for name in TARGETS:
        value, error = difference(name, *plain, strata, beta=beta)
        n = int(sample.n.sum())
        if np.isnan(value):
            missing = Estimate(None, n, undefined=Undefined.NOTHING_IN_REFERENCE)
            rows.append(PairedDifference(name, missing.with_interval(Undefined.NOTHING_IN_REFERENCE), None))
            continue
        middle, width = difference(name, *smoothed, strata, beta=beta)
        half = z_value(confidence_level) * width
        interval = Interval(max(middle - half, -1.0), min(middle + half, 1.0), confidence_level, "wald")
        made = interval if half > 0 else Undefined.ZERO_WIDTH
        rows.append(PairedDifference(name, Estimate(value, n).with_interval(made), error))
    return tuple(rows)


def difference(
    name: Name, totals: Floats, variances: Floats, strata: Strata, *, beta: float = 1.0
) -> tuple[float, float]:
    """The first system's value minus the second's, and its standard error."""
    values = [quantity(name, totals, strata, system=system, beta=beta) for system in range(2)]
    slopes = [gradient(name, totals, strata, system=system, beta=beta) for system in range(2)]
    error = np.sqrt(((slopes[0] - slopes[1]) ** 2 * variances).sum(axis=-1))
    return float(values[0] - values[1]), float(error)
