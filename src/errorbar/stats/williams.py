"""Williams' test: two metrics, one human ranking; which correlates better with it?

Formula
    r12, r13: correlations of the humans with the two metrics; r23: of the metrics with each other; n systems.
    t = (r12 − r13) √((n − 1)(1 + r23) / (2 K (n − 1)/(n − 3) + r̄² (1 − r23)³)), with n − 3 degrees of freedom,
    K = 1 − r12² − r13² − r23² + 2 r12 r13 r23, r̄ = (r12 + r13) / 2.
Conventions
    Two-sided. For Pearson's r; with rank correlations it is an approximation. Metrics that agree entirely (r23 = 1)
    do not differ.
Source
    Williams 1959, The comparison of regression variables, JRSS B 21; Steiger 1980, Psychological Bulletin 87(2),
    equation 7; Graham & Baldwin 2014, EMNLP (its use for metrics).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, sqrt

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Undefined
from errorbar.stats.distributions import t_two_sided


@dataclass(frozen=True, slots=True)
class Williams:
    """Williams' test.

    Attributes:
        difference: r12 − r13.
        t: The test statistic; None where undefined.
        df: Its degrees of freedom, n − 3.
        p_value: Two-sided; None where undefined.
        undefined: Why there is no test.
    """

    difference: float
    t: float | None
    df: int
    p_value: float | None
    undefined: Undefined | None = None


def williams_test(r12: float, r13: float, r23: float, n: int) -> Williams:
    """Test whether two correlations that share one series differ.

    Args:
        r12: Correlation of the shared series (human scores) with the first metric.
        r13: Correlation of the shared series with the second metric.
        r23: Correlation of the two metrics.
        n: Number of systems.

    Raises:
        UsageError: No three series have these correlations.
    """
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if not (max(abs(r12), abs(r13), abs(r23)) <= 1 + 1e-9 and k >= -1e-9):
        what = f"no three series correlate by {r12:g}, {r13:g} and {r23:g}"
        raise UsageError(Problem("williams-correlations", what, fix="compute all three on the same systems"))
    if n < 4:
        return Williams(r12 - r13, None, n - 3, None, Undefined.TOO_FEW_UNITS)
    spread = 2 * max(k, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if spread <= 1e-15:
        # r23 = 1, so one metric is the other; or a fit without any rest (K = 0, r̄ = 0), whose t has no bound.
        if abs(r12 - r13) < 1e-7:
            return Williams(r12 - r13, None, n - 3, None, Undefined.NO_DISAGREEMENT)
        return Williams(r12 - r13, copysign(inf, r12 - r13), n - 3, 0.0)
    t = (r12 - r13) * sqrt((n - 1) * (1 + r23) / spread)
    return Williams(r12 - r13, t, n - 3, t_two_sided(t, n - 3))
