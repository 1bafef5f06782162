"""How often each system beat each other, on all comparisons and on resamples of them, and what two methods make of it.

Formula
    w_ij is how often i was found better than j, t_ij how often neither was; with half ties w_ij + t_ij/2 is taken.
    Expected Wins: mean over j of w_ij / (w_ij + w_ji).
    Bradley–Terry: P(i beats j) = 1 / (1 + exp(θ_j − θ_i)). θ maximizes the likelihood of the wins; Σ θ = 0. Newton's
    method: the gradient is g_i = Σ_j (w_ij − n_ij P_ij), the information H_ij = −n_ij P_ij (1 − P_ij), with rows that
    sum to 0.
    Rank ranges and clusters: in each of R resamples a system takes the ranks from 1 + (how many score higher) to (how
    many score at least as high, itself with them). Of its R ranks, ⌈R α/2⌉ are left out at either side, α = 1 −
    confidence; what is left is its range. A line is drawn below a system where nobody above can rank as low as the best
    rank of anybody below, and where it and the next are not interchangeable: in everything that is drawn as one (an
    item) their names are swapped or not, in all ways or many random ones, and at most α / max(1, ⌊m/2⌋) of these, of m
    systems, have their Expected Wins as far apart as they are. Clusters are the groups between the lines; where the
    swaps draw none the ranges of the two systems beside it are made to meet.
Conventions
    Expected Wins is a mean over the systems that i was compared with (and, where ties are ignored, compared with a
    decision); the WMT's scripts count a pair that never met as lost by both. A system that met nobody has no value.
    Bradley–Terry has natural logarithms. The maximum exists only where each system is reached from each other one by a
    chain of wins (Ford's condition); else all values are NaN. Unlike Expected Wins, a win over a strong system counts
    for more.
    Systems of one cluster are not told apart, systems of different ones are. The WMT's script looks at the worst rank
    of the system right above the line only; we look at all above. Scores are compared in steps of 1e-9 of the largest:
    rounding must not separate systems with the same wins. A resample in which a score is undefined (NaN) gives its
    system every rank, and moves no other.
    Resamples of few items vary too little: those of one comparison always have the same winner. Swapping is right with
    any number of items, if equal systems were shown alike; m systems have at most ⌊m/2⌋ groups of equals that a line
    may cut, hence the divisor. With so few items that no way to swap is rare enough (2^(1 − n) > α), and where systems
    fall into parts that were never compared, every range has all ranks.
Source
    Bojar et al. 2013, Findings of the WMT, section 3 (ties ignored: "Expected Wins"); Koehn 2012, Simulating human
    judgment in machine translation evaluation campaigns, IWSLT. Bradley & Terry 1952, Biometrika 39; Ford 1957,
    American Mathematical Monthly 64(8); Hunter 2004, MM algorithms for generalized Bradley-Terry models, Annals of
    Statistics 32. Ranges: Koehn 2012 again; Bojar et al. 2013; Sakaguchi, Post & Van Durme 2014, WMT. Lines that
    swapping confirms are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2, pi, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.core.rankings import Comparisons
from errorbar.stats.paired import Swaps, needed_swaps, randomization_test
from errorbar.stats.resampling import NORMAL, Resampling, Units, blocks, cluster_table

Integers = NDArray[np.int64]
By = Literal["item", "sentence", "comparison"]
_STEPS = 100
_LONGEST = 2.0
"""The longest step of a strength, so that a far start cannot overshoot."""
_ENOUGH = 1e-12
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Counts:
    """Wins and ties of each pair of systems, shape (..., systems, systems); a batch of them has the batch first."""

    wins: Floats  # how often the row's system beat the column's
    ties: Floats  # how often neither did, the same both ways

    def won(self, half_ties: bool) -> Floats:
        """Wins, with or without half of the ties."""
        return self.wins + self.ties / 2 if half_ties else self.wins


def count(comparisons: Comparisons) -> Counts:
    """Count wins and ties."""
    size = len(comparisons.systems)
    cells = np.bincount(_cells(comparisons), minlength=2 * size * size)
    counts = _counts(cells[None], size)
    return Counts(counts.wins[0], counts.ties[0])


def order_pairs(comparisons: Comparisons) -> tuple[Integers, Integers, Integers]:
    """Both systems of each comparison, the smaller number first, and what was said of that one."""
    first, second = comparisons.first.astype(np.int64), comparisons.second.astype(np.int64)
    outcome = comparisons.outcome.astype(np.int64)
    return np.minimum(first, second), np.maximum(first, second), np.where(first > second, -outcome, outcome)


def head_to_head(comparisons: Comparisons) -> list[tuple[str, str, int, int, int]]:
    """Wins, losses and ties of the first system of each pair that was compared, in the order of the systems."""
    names, size = comparisons.systems, len(comparisons.systems)
    first, second, outcome = order_pairs(comparisons)
    pairs, at = np.unique(first * size + second, return_inverse=True)
    columns = [np.bincount(at[outcome == result], minlength=len(pairs)).tolist() for result in (1, -1, 0)]
    places = zip((pairs // size).tolist(), (pairs % size).tolist(), strict=True)
    return [(names[a], names[b], *counts) for (a, b), *counts in zip(places, *columns, strict=True)]


def clusters(comparisons: Comparisons, by: By) -> Integers:
    """The clusters that are drawn: numbers of items, of sentences, or of comparisons; shape (comparisons,)."""
    if by not in get_args(By):
        message = f"comparisons are not resampled by '{by}'"
        raise UsageError(Problem("ranking-by", message, fix=nearest(by, get_args(By))))
    if by == "comparison":
        return np.arange(len(comparisons), dtype=np.int64)
    codes = comparisons.item if by == "item" else comparisons.sentence
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def count_resampled_wins(
    comparisons: Comparisons, how: Resampling, by: By = "item", *, n_left_out: int = 0
) -> Iterator[Counts]:
    """Count wins and ties in resamples, some of them first, in blocks: memory does not grow with the resamples.

    ``n_left_out``: in subsamples, which leave out so many items (or what is drawn as one).
    """
    size = len(comparisons.systems)
    group = None if by == "comparison" else clusters(comparisons, by)
    # Of a thousand systems most pairs never meet: only what occurs is drawn.
    used, kinds = np.unique(_cells(comparisons), return_inverse=True)
    frequency = np.bincount(kinds).astype(np.float64)
    units = Units(frequency, cluster_table(kinds.astype(np.int64), len(used), group, len(comparisons)))
    for block in units.draws(how, "ranking", by, width=2 * size * size, n_left_out=n_left_out):
        for weights in block():
            cells = np.zeros((len(weights), 2 * size * size))
            cells[:, used] = weights
            yield _counts(cells, size)


def expected_wins(counts: Counts, *, half_ties: bool = False) -> Floats:
    """Expected Wins of every system, shape (..., systems), NaN where undefined; ties are half a win or left out."""
    won = counts.won(half_ties)
    met = won + np.swapaxes(won, -1, -2)
    share = np.divide(won, met, out=np.zeros_like(won), where=met > 0)
    n_met = np.count_nonzero(met > 0, axis=-1)
    wins: Floats = np.divide(share.sum(axis=-1), n_met, out=np.full(n_met.shape, np.nan), where=n_met > 0)
    return wins


def connected_parts(won: Floats) -> Integers:
    """Number of the part that each system is in; no chain of comparisons leads from one part to another."""
    from scipy import sparse  # noqa: PLC0415 - loading it takes a while
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    return np.asarray(connected_components(sparse.csr_array(won > 0), directed=False)[1], np.int64)


def interchangeable_p(
    comparisons: Comparisons, pair: tuple[int, int], by: By, *, half_ties: bool, level: float, seed: int = 0
) -> float:
    """How often two systems whose names are swapped at random lie as far apart as they do.

    ``level`` is what the p-value is compared with: it decides how many ways to swap are drawn.
    """
    from scipy import sparse  # noqa: PLC0415 - loading it takes a while

    group, size = clusters(comparisons, by), len(comparisons.systems)
    profiles = []
    for system, rival in (pair, pair[::-1]):
        # Wins over each opponent, then losses; the rival is an opponent of the same name for both.
        ends = ((comparisons.first, comparisons.second, 1), (comparisons.second, comparisons.first, -1))
        rows, columns, values = [], [], []
        for own, other, sign in ends:
            met = own == system
            opponent = np.where(other[met] == rival, pair[0], other[met])
            outcome = sign * comparisons.outcome[met]
            for lost, worth in ((0, 1), (1, -1)):
                rows.append(group[met])
                columns.append(opponent + lost * size)
                values.append(np.where(outcome == worth, 1.0, np.where(outcome == 0, half_ties / 2, 0.0)))
        parts = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        profiles.append(sparse.csr_array(parts, shape=(int(group.max()) + 1, 2 * size)))
    totals = [np.asarray(profile.sum(axis=0)).ravel() for profile in profiles]
    moved = profiles[1] - profiles[0]
    moved.eliminate_zeros()
    moved = moved[np.flatnonzero(np.diff(moved.indptr))]
    if not moved.shape[0]:
        return 1.0

    def wins(total: Floats) -> Floats:
        won, lost = total[:, :size], total[:, size:]
        met = won + lost > _ROUNDING
        share = np.divide(won, won + lost, out=np.zeros_like(won), where=met)
        return np.asarray(share.sum(axis=1) / np.maximum(met.sum(axis=1), 1))

    def difference(swaps: Swaps) -> Floats:
        gain = np.asarray((moved.T @ swaps.T.astype(np.float64)).T)
        return wins(totals[0] + gain) - wins(totals[1] - gain)

    ways = blocks(seed, "ranking", "interchangeable", replicates=needed_swaps(level))
    return randomization_test(difference, moved.shape[0], ways).p_value or 0.0


def bradley_terry(counts: Counts, *, half_ties: bool = True) -> Floats:
    """Log strengths of every system, shape (..., systems), with the sum 0; NaN where there is no maximum."""
    from scipy import sparse  # noqa: PLC0415 - loading it takes a while
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    won = counts.won(half_ties)
    size = won.shape[-1]
    wins = won.reshape(-1, size, size)
    theta = np.full((len(wins), size), np.nan)
    # Whether a chain of wins leads from each system to each other.
    parts = (connected_components(sparse.csr_matrix(table > 0), connection="strong")[0] for table in wins)
    connected = np.fromiter((number <= 1 for number in parts), np.bool_, len(wins))
    if connected.any() and size > 1:
        theta[connected] = _maximum(wins[connected])
    return theta.reshape(won.shape[:-1])


def _maximum(wins: Floats) -> Floats:
    n = wins + wins.transpose(0, 2, 1)
    size = wins.shape[-1]
    theta = np.zeros(wins.shape[:2])
    diagonal = np.arange(size)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(np.clip(theta[:, None, :] - theta[:, :, None], -700, 700)))
        gradient = (wins - n * p).sum(axis=2)
        information = -n * p * (1 - p)
        information[:, diagonal, diagonal] = 0
        information[:, diagonal, diagonal] = -information.sum(axis=2)
        # The matrix has no inverse along (1, ..., 1); adding that direction keeps the sum at 0.
        step = np.linalg.solve(information + 1 / size, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        theta += step * np.minimum(1, _LONGEST / np.maximum(longest, _LONGEST))
        theta -= theta.mean(axis=1, keepdims=True)
        if longest.max() < _ENOUGH:
            break
    return theta


def _cells(comparisons: Comparisons) -> Integers:
    """Where each comparison counts: winner and loser, then both of a tie in the order given."""
    size = len(comparisons.systems)
    lost = comparisons.outcome < 0
    winner = np.where(lost, comparisons.second, comparisons.first).astype(np.int64)
    loser = np.where(lost, comparisons.first, comparisons.second).astype(np.int64)
    cells: Integers = winner * size + loser + size * size * (comparisons.outcome == 0)
    return cells


def _counts(cells: NDArray[np.float64] | Integers, size: int) -> Counts:
    table = np.asarray(cells, np.float64).reshape(-1, 2, size, size)
    return Counts(table[:, 0], table[:, 1] + table[:, 1].transpose(0, 2, 1))


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranks of every system."""

    rank: Integers  # by the score on all comparisons; equal scores share the best; 0 where undefined
    low: Integers  # the best rank of its range
    high: Integers  # the worst
    cluster: Integers  # numbered from 1 at the top


def rank_ranges(
    scores: Floats,
    resampled: Floats,
    *,
    confidence_level: float = 0.95,
    differ: Callable[[int, int], bool] = lambda upper, lower: True,
) -> Ranges:
    """Rank ranges and clusters: scores (systems,), NaN where undefined, and those on resamples (resamples, systems).

    ``differ`` confirms that a line may be drawn between two systems.
    """
    n, size = resampled.shape
    scores, resampled = round_scores(scores), round_scores(resampled)
    above = np.nan_to_num(resampled, nan=-np.inf)
    ordered = np.sort(above, axis=1)
    best, worst = np.empty((n, size), np.int64), np.empty((n, size), np.int64)
    for row, (scale, higher) in enumerate(zip(ordered, above, strict=True)):
        best[row] = 1 + size - np.searchsorted(scale, higher, side="right")
        worst[row] = size - np.searchsorted(scale, higher, side="left")
    undefined = np.isnan(resampled)
    best[undefined], worst[undefined] = 1, size
    # The tiny amount keeps 1 - .95 from becoming more than a twentieth.
    cut = min(ceil(n * (1 - confidence_level) / 2 - 1e-9), (n - 1) // 2)
    low = np.sort(best, axis=0)[cut].astype(np.int64)
    high = np.sort(worst, axis=0)[n - 1 - cut].astype(np.int64)
    known = np.sort(scores[~np.isnan(scores)])
    rank = np.where(np.isnan(scores), 0, 1 + len(known) - np.searchsorted(known, scores, side="right")).astype(np.int64)
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    for place, (upper, lower) in enumerate(pairwise(order.tolist()), start=1):
        if high[order[:place]].max() < low[order[place:]].min() and not differ(upper, lower):
            high[upper], low[lower] = place + 1, place
    lines = np.maximum.accumulate(high[order])[:-1] < np.minimum.accumulate(low[order][::-1])[::-1][1:]
    cluster = np.ones(size, np.int64)
    cluster[order[1:]] += np.cumsum(lines)
    return Ranges(rank, low, high, cluster)


def fewest_drawn(confidence_level: float) -> int:
    """How many items (or what is drawn as one) it takes that a way to swap them all is rare enough: 2^(1 − n) ≤ α."""
    return ceil(1 - log2(1 - confidence_level) - _ROUNDING)


def round_scores(scores: Floats) -> Floats:
    """Scores without what sums of floating-point numbers leave behind; shape as given."""
    finite = np.abs(scores[np.isfinite(scores)])
    step = float(finite.max(initial=0.0)) * _ROUNDING
    return scores if step == 0 else np.round(scores / step) * step


# TrueSkill of two players: a belief about each system's skill, moved by one comparison after another.
#
# Comparisons come in random orders (``play``), or as the WMT's program chooses them (``matched_runs``).
#
# Formula
#     A system's skill is believed to be N(μ, σ²). Before each comparison σ² grows by τ². With c² = 2β² + σ₁² + σ₂², t =
#     (μ₁ − μ₂)/c and the margin of draws ε = √2 β Φ⁻¹((1 + q)/2), q the probability of a draw between equals, the
#     difference of performances is a normal number of mean t that was seen to lie between a and b: ε/c and ∞ for a win,
#     −ε/c and ε/c for a draw. With Z = Φ(b − t) − Φ(a − t): v = (φ(a − t) − φ(b − t)) / Z,  w = v² + ((b − t) φ(b − t)
#     − (a − t) φ(a − t)) / Z, μ₁ += (σ₁²/c) v, μ₂ −= (σ₂²/c) v, σᵢ² −= σᵢ² (σᵢ²/c²) w. The WMT's program makes as many
#     steps as there are comparisons. In each, the system of the largest σ meets another, j drawn with a probability
#     proportional to exp(−|μ_i − μ_j|); one of the comparisons of these two is drawn, with replacement, and moves the
#     beliefs. The score is the mean of μ over many runs.
# Conventions
#     The beliefs depend on the order of the comparisons, so orders are drawn at random and the scores averaged.
#     ``original``: μ 25, σ 25/3, β 25/6, τ 25/300, q .10. ``wmt``: μ 0, σ .5, τ 0, q .25, and β = σ N/40 for N
#     comparisons, so large that each moves the beliefs a little and their order hardly matters. Each step is made for
#     many orders at once; -1 in an order is no comparison. In the WMT's program every pair of systems weighs about as
#     much as every other, however often it was judged, and near ones a little more. A run draws single comparisons, so
#     that the runs vary as if no two comparisons had a judge or a sentence in common: their ranges are too narrow. Of
#     systems with the same σ the first named is taken; two that were never compared do not meet.
# Source
#     Herbrich, Minka & Graepel 2006, TrueSkill: a Bayesian skill rating system, NIPS 19 (equations of two players);
#     wmt: Sakaguchi, Post & Van Durme 2014, Efficient elicitation of annotations for human evaluation of machine
#     translation, WMT, and the parameters of their program, which Grundkiewicz et al. 2015 used, averaging 1,000 runs.


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
    low, high, outcome = order_pairs(comparisons)
    # The outcomes of each pair stand together.
    order = np.argsort(low * size + high, kind="stable")
    outcomes = outcome[order]
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
        uncertain = np.where(everybody, variance, -1.0).argmax(axis=1)
        weight = np.where(met[uncertain], np.exp(-np.abs(mu - mu[run, uncertain][:, None])), 0.0).cumsum(axis=1)
        two = (weight <= (chance[step % _AT_ONCE, 0] * weight[:, -1])[:, None]).sum(axis=1)
        pair = np.minimum(uncertain, two) * size + np.maximum(uncertain, two)
        drawn = outcomes[starts[pair] + (chance[step % _AT_ONCE, 1] * counts[pair]).astype(np.int64)]
        swap = (uncertain < two) == (drawn < 0)
        better, worse = np.where(swap, two, uncertain), np.where(swap, uncertain, two)
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
