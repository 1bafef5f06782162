"""The rescaled bootstrap of a stratified sample: resampling that knows how much of each stratum was judged.

Formula
    Of N items of a stratum n were judged, with share of errors p. A draw takes n − 1 of the judged items with
    replacement, whose share of errors is p*, and T* = N [p + √(1 − n/N) (p* − p)]: its variance is the
    N² (1 − n/N) p (1 − p) / (n − 1) of ``totals``. The ends are quantiles of the quantity over the draws.
Conventions
    Plain bootstrap (n of n items) has no finite-population correction and forgets the n − 1: too wide where much of a
    stratum was judged, too narrow where little was. A stratum that was judged whole does not vary. A total is between 0
    and N, as a weighted mean of two shares is between 0 and 1. A stratum without an error never gets one, so a recall
    without a miss has no interval; ``estimate_sample`` gives the exact bound there and is the default for that reason.
    Only for truths that are 0 or 1.
Source
    Rao and Wu 1988, Journal of the American Statistical Association 83(401), section 2, with resamples of n − 1.
"""

from __future__ import annotations

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.sampling.quantities import Name, quantity
from errorbar.sampling.strata import Floats, Strata
from errorbar.sampling.totals import Sample
from errorbar.stats.distributions import tails

METHOD = "rescaled bootstrap"
DRAWS = 20_000


def rescaled_interval(
    name: Name,
    sample: Sample,
    strata: Strata,
    rng: np.random.Generator,
    *,
    system: int = 0,
    beta: float = 1.0,
    confidence_level: float = 0.95,
    draws: int = DRAWS,
) -> Interval | Undefined:
    """The percentile interval of P, R, F or the miss rate Q, or why there is none.

    Args:
        name: The quantity.
        sample: What was judged; shape (strata,).
        strata: What was sampled from.
        rng: The stream.
        system: Which system.
        beta: Weight of recall in F.
        confidence_level: Nominal coverage.
        draws: How many draws.

    Raises:
        UsageError: If the sample does not fit the strata, or truths are not 0 or 1.
    """
    values = quantity(name, rescaled_totals(sample, strata, rng, draws=draws), strata, system=system, beta=beta)
    if np.isnan(values).any():
        return Undefined.RESAMPLES_UNDEFINED
    low, high = np.quantile(values, tails(confidence_level)).tolist()
    return Interval(low, high, confidence_level, METHOD) if low < high else Undefined.NO_VARIATION


def rescaled_totals(sample: Sample, strata: Strata, rng: np.random.Generator, *, draws: int = DRAWS) -> Floats:
    """Draws of the errors in each stratum; shape (draws, strata).

    Raises:
        UsageError: If the sample does not fit the strata, or truths are not 0 or 1.
    """
    sample.check(strata)
    if not sample.is_binary or draws < 1:
        what = "a rescaled bootstrap of graded truths" if draws > 0 else f"{draws} draws"
        raise UsageError(Problem("sample-rescaled", what, expected="truths that are 0 or 1, and at least one draw"))
    rate = sample.x / sample.n
    size = np.maximum(sample.n - 1, 1)
    drawn = rng.binomial(size, rate, (draws, len(strata))) / size
    return np.asarray(strata.sizes * (rate + np.sqrt(1 - sample.n / strata.sizes) * (drawn - rate)), np.float64)
