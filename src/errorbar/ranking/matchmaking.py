"""TrueSkill as the WMT's program runs it: it chooses which systems to compare next, and draws what a judge said.

Formula
    As many steps as there are comparisons. In each, the system of the largest σ meets another, j drawn with a
    probability proportional to exp(−|μ_i − μ_j|); one of the comparisons of these two is drawn, with replacement, and
    moves the beliefs (errorbar.ranking.trueskill, parameters ``wmt``). The score is the mean of μ over many runs.
Conventions
    Every pair of systems weighs about as much as every other, however often it was judged, and near ones a little
    more. A run draws single comparisons, so that the runs vary as if no two comparisons had a judge or a sentence in
    common: their ranges are too narrow. Of systems with the same σ the first named is taken; two that were never
    compared do not meet.
Source
    Sakaguchi, Post & Van Durme 2014, WMT; the program of Grundkiewicz et al. 2015, who averaged 1,000 runs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from errorbar.core.rankings import Comparisons
from errorbar.ranking.trueskill import Floats, Skill, margin_of, moves

_AT_ONCE = 1000
"""Steps whose random numbers are drawn together."""


def matched_runs(
    comparisons: Comparisons,
    skill: Skill,
    runs: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Floats:
    """Go through as many comparisons as there are, chosen as the beliefs ask for.

    Args:
        comparisons: The comparisons; at least one.
        skill: The parameters.
        runs: How many runs.
        rng: Where choices are drawn from.
        progress: Told now and then how many steps are done.

    Returns:
        Means of the beliefs; shape (runs, systems).
    """
    size = len(comparisons.systems)
    lost = comparisons.first > comparisons.second
    low = np.where(lost, comparisons.second, comparisons.first).astype(np.int64)
    high = np.where(lost, comparisons.first, comparisons.second).astype(np.int64)
    outcome = np.where(lost, -comparisons.outcome, comparisons.outcome)
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
    edge = margin_of(skill)
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
        v1, v2 = variance[run, better] + skill.tau**2, variance[run, worse] + skill.tau**2
        square = 2 * skill.beta**2 + v1 + v2
        c = np.sqrt(square)
        v, w = moves((mu[run, better] - mu[run, worse]) / c, edge / c, drawn == 0)
        mu[run, better] += v1 / c * v
        mu[run, worse] -= v2 / c * v
        variance[run, better] = v1 * (1 - v1 / square * w)
        variance[run, worse] = v2 * (1 - v2 / square * w)
    return mu
