"""Intervals of the mean of scores between 0 and 1 that may be looked at after every score: betting on the next one.

Formula
    Scores x_1 … x_t; μ̂_t = (½ + Σ x_i) / (t + 1), σ̂²_t = (¼ + Σ (x_i − μ̂_i)²) / (t + 1), so ½ and ¼ at t = 0;
    λ_t = √(2 ln(2/α) / (σ̂²_{t−1} t ln(t + 1))).
    Hedged capital: K_t(m) = max(½ Π (1 + λ⁺_i (x_i − m_i)), ½ Π (1 − λ⁻_i (x_i − m_i))) with λ⁺ = min(λ, ½ / m_i),
    λ⁻ = min(λ, ½ / (1 − m_i)); the interval is all m with K_t(m) < 1/α. m_i = m for independent scores; of a finite
    population of N, drawn without replacement, m_i = (N m − S_{i−1}) / (N − i + 1), the mean of what is left if m is
    right; an m for which that leaves 0 to 1 is impossible.
    Empirical Bernstein: Σ λx / Σ λ ± (ln(2/α) + Σ (x_i − μ̂_{i−1})² (−ln(1 − λ_i) − λ_i)) / Σ λ, λ at most ½.
Conventions
    The capital that bets on a higher mean falls in m, the other grows, so what is kept is an interval; its ends are
    found by bisection. Every bet is fixed before its score is seen. The order of scores counts: it must be random,
    and neither chosen nor sorted. Without a score the interval is 0 to 1. Betting is the narrower one; empirical
    Bernstein has a closed form, and is for independent scores.
Source
    Waudby-Smith & Ramdas 2024, Estimating means of bounded random variables by betting, JRSS B 86(1): the predictable
    plug-in empirical Bernstein confidence sequence, the hedged capital one with weights ½, and the latter without
    replacement. Howard, Ramdas, McAuliffe & Sekhon 2021, Time-uniform, nonparametric, nonasymptotic confidence
    sequences, Annals of Statistics 49(2), for the bound behind empirical Bernstein.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.stats.resampling import tails

Floats = NDArray[np.float64]
TRUNCATED = 0.5
"""The share of what could be lost that a bet risks at most."""
_HALVINGS = 40


def bets(scores: ArrayLike, *, confidence_level: float = 0.95) -> Floats:
    """λ of each score, known before it; shape of the scores, (..., t)."""
    x = _checked(scores)
    t = np.arange(1, x.shape[-1] + 1)
    mean = _means(x)[..., 1:]
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (t + 1)
    before = np.concatenate([np.full((*x.shape[:-1], 1), 0.25), variance], axis=-1)[..., :-1]
    alpha = 2 * tails(confidence_level)[0]
    return np.asarray(np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(t + 1))))


def log_capital(
    scores: ArrayLike, mean: ArrayLike, *, size: int | None = None, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """The logarithm of both capitals after every score, if the mean is ``mean``.

    Args:
        scores: x, shape (..., t), in the order in which they came.
        mean: m, the shape (...), or a number.
        size: N of a finite population; None: scores are independent.
        confidence_level: For which bets are chosen.

    Returns:
        Logarithms of the one that bets on a higher mean and of the one that bets on a lower, ½ at the start; shape
        (..., t). Both are infinite from where the mean is impossible.
    """
    x = _checked(scores)
    rest = np.broadcast_to(np.asarray(mean, np.float64)[..., None], x.shape)
    if size is not None:
        done = np.concatenate([np.zeros((*x.shape[:-1], 1)), np.cumsum(x, axis=-1)[..., :-1]], axis=-1)
        left = size - np.arange(x.shape[-1])
        rest = (size * rest - done) / left
    slack = 1e-9  # of sums that are not whole
    impossible = np.logical_or.accumulate((rest < -slack) | (rest > 1 + slack), axis=-1)
    rest, λ = np.clip(rest, 0, 1), bets(x, confidence_level=confidence_level)  # noqa: PLC2401 - as in the formula
    with np.errstate(divide="ignore"):
        up, down = np.minimum(λ, TRUNCATED / rest), np.minimum(λ, TRUNCATED / (1 - rest))
    gains = np.log1p(up * (x - rest)), np.log1p(-down * (x - rest))
    high, low = (np.where(impossible, np.inf, np.log(0.5) + np.cumsum(gain, axis=-1)) for gain in gains)
    return high, low


def betting_bounds(
    scores: ArrayLike, *, size: int | None = None, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Ends of the interval of the mean after the last score, at any time; the leading shape of the scores.

    Args:
        scores: Between 0 and 1, shape (..., t), in a random order.
        size: N of a finite population from which they were drawn without replacement; None: independent scores.
        confidence_level: How likely all intervals together hold the mean, however often one looks.

    Raises:
        UsageError: If a score is not from 0 to 1, or there are more than ``size``.
    """
    x = _checked(scores)
    t, total = x.shape[-1], x.sum(axis=-1)
    if size is not None and t > size:
        raise UsageError(Problem("anytime-scores", f"{t} scores of {size} items", expected=f"at most {size}"))
    if t == 0:
        return np.zeros(total.shape), np.ones(total.shape)
    limit = -np.log(2 * tails(confidence_level)[0])
    least = total / (size or np.inf)
    most = (total + (size or np.inf) - t) / size if size else np.ones(total.shape)
    ends = []
    for side, outside in ((0, least), (1, most)):
        # Only the capital that bets against this end can exclude it.
        out, within = np.array(outside, np.float64), total / t
        for _ in range(_HALVINGS):
            middle = (out + within) / 2
            capital = log_capital(x, middle, size=size, confidence_level=confidence_level)[side][..., -1]
            kept = capital < limit
            out, within = np.where(kept, out, middle), np.where(kept, middle, within)
        farthest = log_capital(x, outside, size=size, confidence_level=confidence_level)[side][..., -1]
        ends.append(np.where(farthest < limit, outside, within))
    return ends[0], ends[1]


def empirical_bernstein_bounds(scores: ArrayLike, *, confidence_level: float = 0.95) -> tuple[Floats, Floats]:
    """Ends of the interval of the mean of independent scores after every score, cut at 0 and 1; shape (..., t)."""
    x = _checked(scores)
    λ = np.minimum(bets(x, confidence_level=confidence_level), TRUNCATED)  # noqa: PLC2401 - as above
    before = _means(x)[..., :-1]
    spread = np.cumsum((x - before) ** 2 * (-np.log1p(-λ) - λ), axis=-1)
    weight = np.cumsum(λ, axis=-1)
    middle = np.cumsum(λ * x, axis=-1) / weight
    half = (np.log(1 / tails(confidence_level)[0]) + spread) / weight
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def _means(x: Floats) -> Floats:
    """μ̂ from before the first score to after the last; shape (..., t + 1)."""
    start = np.full((*x.shape[:-1], 1), 0.5)
    sums = np.concatenate([start, 0.5 + np.cumsum(x, axis=-1)], axis=-1)
    return np.asarray(sums / np.arange(1, x.shape[-1] + 2))


def _checked(scores: ArrayLike) -> Floats:
    x = np.asarray(scores, np.float64)
    if x.ndim < 1 or not ((x >= 0) & (x <= 1)).all():
        raise UsageError(Problem("anytime-scores", "a score is not from 0 to 1", fix="divide by the highest score"))
    return x
