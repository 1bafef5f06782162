"""The few distributions that the other modules need: the one place that loads scipy.special.

scipy.stats has all of them too, but takes four times as long to load. Loading waits until a function is called, so
that a command without intervals does not pay for it; the normal distribution is in the standard library.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError

NORMAL = NormalDist()


def tails(confidence_level: float) -> tuple[float, float]:
    """The probabilities at which a two-sided interval ends, e.g. (0.025, 0.975).

    Raises:
        UsageError: The confidence level is not between 0 and 1.
    """
    if not 0 < confidence_level < 1:
        what = f"the confidence level is {confidence_level}"
        raise UsageError(Problem("confidence-level", what, expected="between 0 and 1", fix="95 % is 0.95"))
    return (1 - confidence_level) / 2, (1 + confidence_level) / 2


def z_value(confidence_level: float) -> float:
    """How many standard errors a normal interval reaches to each side: 1.96 for 0.95."""
    return NORMAL.inv_cdf(tails(confidence_level)[1])


def beta_quantile(probability: ArrayLike, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Quantiles of Beta(a, b), elementwise."""
    from scipy.special import betaincinv  # noqa: PLC0415 - see the module

    return np.asarray(betaincinv(a, b, probability), np.float64)


def beta_cdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Distribution function of Beta(a, b), elementwise."""
    from scipy.special import betainc  # noqa: PLC0415 - see the module

    return np.asarray(betainc(a, b, x), np.float64)


def binomial_cdf(successes: int, trials: int, probability: float) -> float:
    """How likely at most so many successes are."""
    from scipy.special import bdtr  # noqa: PLC0415 - see the module

    return float(bdtr(successes, trials, probability)) if successes >= 0 else 0.0


def chi2_tail(x: float, df: int) -> float:
    """How likely a chi-squared value of at least x is."""
    from scipy.special import chdtrc  # noqa: PLC0415 - see the module

    return float(chdtrc(df, x))


def t_two_sided(t: float, df: int) -> float:
    """How likely Student's t is at least so far from 0, on either side."""
    from scipy.special import stdtr  # noqa: PLC0415 - see the module

    return float(2 * stdtr(df, -abs(t)))


def t_quantile(probability: float, df: float) -> float:
    """A quantile of Student's t."""
    from scipy.special import stdtrit  # noqa: PLC0415 - see the module

    return float(stdtrit(df, probability))


def noncentral_t_cdf(t: float, df: float, noncentrality: float) -> float:
    """Distribution function of the noncentral t."""
    from scipy.special import nctdtr  # noqa: PLC0415 - see the module

    return float(nctdtr(df, noncentrality, t))
