"""How likely chance alone would make the first of two systems look at least as good: one-sided p-values by swapping.

Formula
    D is the difference of two systems (first minus second), D* the same with the outputs of some units swapped. p is
    the share of ways to swap with D* > D, plus half the share with D* = D.
    Where D is a sum of d_u over units, a swap turns the sign of d_u. With whole d_u, of which n_a have the size a, all
    ways to swap have the characteristic function φ(t) = Π_a cos(a t)^n_a, hence
    p = ½ − D/M − 1/(2M) Σ_k φ(t_k) sin(D t_k) / tan(t_k / 2), t_k = 2πk/M, k = 1..M−1, for any M > |D| + Σ a n_a.
Conventions
    Half of what is equal: p of the second against the first is then 1 − p, whatever is equal, and two systems that
    never differ have p = ½. (An error rate would count all of it, as errorbar.stats.paired does.)
    M need not reach where φ's distribution has no mass: |D| + 9 √(Σ a² n_a) leaves out less than 1e-17 (Hoeffding).
    With d_u of −1 and 1 only, p is that of the sign test, from the binomial distribution.
    Random ways come with their opposites (swap what was not swapped), so that they are as symmetric as all ways are.
Source
    Lancaster 1961, Significance tests in discrete distributions, JASA 56 (half of what is equal). Hoeffding 1963,
    Probability inequalities for sums of bounded random variables, JASA 58. The sum is the discrete Fourier inversion
    of the distribution of Σ ± d_u over |s| <= |D|, the two ends by half.
"""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from errorbar.stats.paired import Swaps, all_swaps, random_swaps
from errorbar.stats.resampling import ROUNDING

Floats = NDArray[np.float64]
WAYS = 2000
"""Ways to swap that a p-value rests on: its standard error is at most .011."""
_DEVIATIONS = 9
_HELD = 4_000_000
"""Numbers held at a time."""


def ways_to_swap(n: int, ways: int, rng: np.random.Generator) -> Swaps:
    """Half of so many ways to swap n units, whose opposites are the other half; of all ways, if there are no more."""
    if n < 63 and 2**n <= ways:
        every = np.concatenate(list(all_swaps(n)))
        return every[: max(1, len(every) // 2)]  # the last unit is swapped in the other half only
    return random_swaps(n, max(1, ways // 2), rng)


def share_above(observed: float, differences: Floats, scale: float = 1.0) -> float:
    """P of an observed difference and those of ``ways_to_swap``; NaN where the observed one or any other is.

    ``scale``: of what is summed; differences that agree but for its rounding are equal.
    """
    if np.isnan(observed) or np.isnan(differences).any():
        return float("nan")
    near = ROUNDING * scale
    found = np.concatenate([differences, -differences])
    above, below = np.count_nonzero(found > observed + near), np.count_nonzero(found < observed - near)
    return float((above + len(found) - below) / (2 * len(found)))


def sign_flip_p(positive: Floats, negative: Floats) -> Floats:
    """P of sums of whole numbers, from how many of them are 1, 2, ..., and how many −1, −2, ...

    Args:
        positive: How many units have d_u = 1, 2, ...; shape (sums, sizes).
        negative: How many have d_u = −1, −2, ...; shape as of ``positive``.

    Returns:
        p of each sum, shape (sums,); ½ where no unit differs.
    """
    both, size = positive + negative, np.arange(1, positive.shape[1] + 1)
    total = (positive - negative) @ size
    if len(size) == 1:
        return _sign_test(positive[:, 0], both[:, 0])
    spread = np.sqrt(both @ size**2)
    most = np.minimum(both @ size, _DEVIATIONS * spread) + np.abs(total)
    found = np.empty(len(total))
    step = max(1, int(_HELD // max(1.0, most.max(initial=0.0))))
    for start in range(0, len(total), step):
        some = slice(start, start + step)
        n_points = 2 * ceil(float(most[some].max()) / 2) + 3
        # Odd, so that the points from 1 to the middle are half of them, and the others mirror these.
        t = 2 * np.pi * np.arange(1, n_points // 2 + 1) / n_points
        cosines = np.cos(size[:, None] * t)
        phi = np.exp(both[some] @ np.log(np.abs(cosines)))
        phi[((both[some] @ (cosines < 0)).astype(np.int64) & 1).astype(np.bool_)] *= -1
        mirrored = np.einsum("st,st,t->s", phi, np.sin(total[some, None] * t), 1 / np.tan(t / 2))
        found[some] = 0.5 - (total[some] + mirrored) / n_points
    return np.clip(found, 0.0, 1.0)


def _sign_test(won: Floats, n: Floats) -> Floats:
    """The chance of more than ``won`` of n tosses, and half of that of as many."""
    from scipy.special import bdtr  # noqa: PLC0415 - loading it takes a while

    tosses = n.astype(np.int64)
    at_most, below = bdtr(won, tosses, 0.5), np.where(won > 0, bdtr(np.maximum(won - 1, 0), tosses, 0.5), 0.0)
    found: Floats = 1.0 - (at_most + below) / 2
    return found
