"""TrueSkill of two players: a belief about each system's skill, moved by one comparison after another.

Comparisons come in random orders (``play``), or as the WMT's program chooses them (``matched_runs``).

Formula
    A system's skill is believed to be N(μ, σ²). Before each comparison σ² grows by τ². With c² = 2β² + σ₁² + σ₂²,
    t = (μ₁ − μ₂)/c and the margin of draws ε = √2 β Φ⁻¹((1 + q)/2), q the probability of a draw between equals, the
    difference of performances is a normal number of mean t that was seen to lie between a and b: ε/c and ∞ for a win,
    −ε/c and ε/c for a draw. With Z = Φ(b − t) − Φ(a − t):
    v = (φ(a − t) − φ(b − t)) / Z,  w = v² + ((b − t) φ(b − t) − (a − t) φ(a − t)) / Z,
    μ₁ += (σ₁²/c) v, μ₂ −= (σ₂²/c) v, σᵢ² −= σᵢ² (σᵢ²/c²) w.
    The WMT's program makes as many steps as there are comparisons. In each, the system of the largest σ meets another,
    j drawn with a probability proportional to exp(−|μ_i − μ_j|); one of the comparisons of these two is drawn, with
    replacement, and moves the beliefs. The score is the mean of μ over many runs.
Conventions
    The beliefs depend on the order of the comparisons, so orders are drawn at random and the scores averaged.
    ``original``: μ 25, σ 25/3, β 25/6, τ 25/300, q .10. ``wmt``: μ 0, σ .5, τ 0, q .25, and β = σ N/40 for N
    comparisons, so large that each moves the beliefs a little and their order hardly matters.
    Each step is made for many orders at once; -1 in an order is no comparison.
    In the WMT's program every pair of systems weighs about as much as every other, however often it was judged, and
    near ones a little more. A run draws single comparisons, so that the runs vary as if no two comparisons had a judge
    or a sentence in common: their ranges are too narrow. Of systems with the same σ the first named is taken; two that
    were never compared do not meet.
Source
    Herbrich, Minka & Graepel 2006, TrueSkill: a Bayesian skill rating system, NIPS 19 (equations of two players);
    wmt: Sakaguchi, Post & Van Durme 2014, Efficient elicitation of annotations for human evaluation of machine
    translation, WMT, and the parameters of their program, which Grundkiewicz et al. 2015 used, averaging 1,000 runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from errorbar.core.rankings import Comparisons
from errorbar.ranking.wins import ordered
from errorbar.stats.resampling import NORMAL

Floats = NDArray[np.float64]
Orders = NDArray[np.int32]
_Places = NDArray[np.int64] | tuple[NDArray[np.int64], NDArray[np.int64]]
_ROOT = sqrt(2 * pi)
_FAR = 40.0
"""Stands for infinity: the normal density is 0 here."""
_LEAST = 1e-290
_AT_ONCE = 1000
"""Steps of the WMT's program whose random numbers are drawn together."""


@dataclass(frozen=True, slots=True)
class Skill:
    """The parameters of TrueSkill."""

    mu: float = 25.0  # mean of the belief before the first comparison
    sigma: float = 25 / 3  # its standard deviation
    beta: float = 25 / 6  # standard deviation of a performance around the skill
    tau: float = 25 / 300  # added to the standard deviation before each comparison
    draw: float = 0.10  # probability of a draw between equals


ORIGINAL = Skill()


def wmt_skill(n_comparisons: int) -> Skill:
    """The parameters that the WMT used for so many comparisons."""
    return Skill(0.0, 0.5, 0.5 * max(n_comparisons, 1) / 40, 0.0, 0.25)


def play(
    comparisons: Comparisons, orders: Orders, skill: Skill, progress: Callable[[int], None] | None = None
) -> tuple[Floats, Floats]:
    """Go through comparisons in many orders: numbers of comparisons, -1 for none; shape (orders, steps).

    Gives mean and standard deviation of the beliefs; each of shape (orders, systems).
    """
    n, n_systems = len(orders), len(comparisons.systems)
    # One more system takes the moves of comparisons that are none.
    mu = np.full(n * (n_systems + 1), skill.mu, np.float64)
    variance = np.full(n * (n_systems + 1), skill.sigma**2, np.float64)
    base = np.arange(n) * (n_systems + 1)
    better = np.append(np.where(comparisons.outcome < 0, comparisons.second, comparisons.first), n_systems)
    worse = np.append(np.where(comparisons.outcome < 0, comparisons.first, comparisons.second), n_systems)
    draw = np.append(comparisons.outcome == 0, True)
    for step in range(orders.shape[1]):
        rows = orders[:, step]
        _move(mu, variance, base + better[rows], base + worse[rows], draw[rows], skill)
        if progress is not None and step % 1000 == 0:
            progress(step)
    shape = (n, n_systems + 1)
    return mu.reshape(shape)[:, :-1], np.sqrt(variance.reshape(shape)[:, :-1])


def matched_runs(
    comparisons: Comparisons,
    skill: Skill,
    runs: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Floats:
    """Means of the beliefs after as many comparisons as there are, chosen as they ask for; shape (runs, systems)."""
    size = len(comparisons.systems)
    low, high, outcome = ordered(comparisons)
    # The outcomes of each pair stand together.
    order = np.argsort(low * size + high, kind="stable")
    said = outcome[order]
    counts = np.bincount(low * size + high, minlength=size * size)
    starts = np.cumsum(counts) - counts
    met = (counts.reshape(size, size) + counts.reshape(size, size).T) > 0
    mu = np.full((runs, size), skill.mu, np.float64)
    variance = np.full((runs, size), skill.sigma**2, np.float64)
    everybody = met.any(axis=1)
    run = np.arange(runs)
    for step in range(len(comparisons)):
        if step % _AT_ONCE == 0:
            chance = rng.random((_AT_ONCE, 2, runs))
            if progress is not None:
                progress(step)
        one = np.where(everybody, variance, -1.0).argmax(axis=1)
        weight = np.where(met[one], np.exp(-np.abs(mu - mu[run, one][:, None])), 0.0).cumsum(axis=1)
        two = (weight <= (chance[step % _AT_ONCE, 0] * weight[:, -1])[:, None]).sum(axis=1)
        pair = np.minimum(one, two) * size + np.maximum(one, two)
        drawn = said[starts[pair] + (chance[step % _AT_ONCE, 1] * counts[pair]).astype(np.int64)]
        swap = (one < two) == (drawn < 0)
        better, worse = np.where(swap, two, one), np.where(swap, one, two)
        _move(mu, variance, (run, better), (run, worse), drawn == 0, skill)
    return mu


def _move(mu: Floats, variance: Floats, better: _Places, worse: _Places, tied: NDArray[np.bool_], skill: Skill) -> None:
    """Move the beliefs by one comparison each, in place."""
    extra = skill.tau**2
    v1, v2 = variance[better] + extra, variance[worse] + extra
    square = 2 * skill.beta**2 + v1 + v2
    c = np.sqrt(square)
    margin = sqrt(2) * skill.beta * NORMAL.inv_cdf((1 + skill.draw) / 2)
    v, w = moves((mu[better] - mu[worse]) / c, margin / c, tied)
    mu[better] += v1 / c * v
    mu[worse] -= v2 / c * v
    variance[better] = v1 * (1 - v1 / square * w)
    variance[worse] = v2 * (1 - v2 / square * w)


def moves(t: Floats, edge: Floats, tied: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """By what (v and w) means and variances of the better and the worse system move; ``t`` and ``edge`` are over c."""
    from scipy.special import ndtr  # noqa: PLC0415 - loading it takes a while

    low = np.where(tied, -edge, edge) - t
    high = np.where(tied, edge - t, _FAR)
    dense_low, dense_high = np.exp(-0.5 * low * low) / _ROOT, np.exp(-0.5 * high * high) / _ROOT
    # The mass between the ends, from the side where the subtraction loses nothing.
    flip = low > 0
    mass = np.where(flip, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
    thin = mass < _LEAST
    mass = np.where(thin, 1.0, mass)
    v = np.where(thin, np.where(flip, low, high), (dense_low - dense_high) / mass)
    w = np.where(thin, 1.0, v * v + (high * dense_high - low * dense_low) / mass)
    return v, w
