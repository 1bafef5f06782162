"""Bayesian intervals: what the unsampled items may hold.

Formula
    p_h ~ Beta(x + w/2, n − x + w/2); T_h = x + Binomial(N − n, p_h); quantiles of the quantity over the draws.
Conventions
    Jeffreys' prior (w = 1), shared by strata with the same flags as in ``totals``. Draws without any error have no
    recall and are left out. Only for truths that are 0 or 1.
Source
    Brown, Cai and DasGupta 2001 for the prior; Ericson 1969 for the prediction of a finite population.
"""

from __future__ import annotations

import numpy as np

from errorbar.core.estimate import Interval
from errorbar.sampling.quantities import Name, quantity
from errorbar.sampling.strata import Floats, Strata
from errorbar.sampling.totals import HALF, Sample, shares
from errorbar.stats.distributions import tails

METHOD = "bayes"
DRAWS = 20_000


def posterior_totals(sample: Sample, strata: Strata, rng: np.random.Generator, *, draws: int = DRAWS) -> Floats:
    """Draws of the errors in each stratum; shape (draws, strata)."""
    prior = HALF * shares(strata)
    rate = rng.beta(sample.x + prior, sample.n - sample.x + prior, (draws, len(strata)))
    return np.asarray(sample.x + rng.binomial(strata.sizes - sample.n, rate), np.float64)


def posterior_interval(
    name: Name,
    totals: Floats,
    strata: Strata,
    *,
    system: int = 0,
    beta: float = 1.0,
    confidence_level: float = 0.95,
) -> Interval | None:
    """The interval of a quantity from draws of the totals; None if it is undefined in all of them or never varies."""
    values = quantity(name, totals, strata, system=system, beta=beta)
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = np.quantile(values, tails(confidence_level)).tolist()
    return None if low == high else Interval(low, high, confidence_level, METHOD)
