"""Intervals of a share that may be looked at after every judgment: of a finite stratum, and of an endless stream.

Formula
    After t judgments, S of them positive. Finite: N items were put in random order, M of them are positive;
    hyp(S; N, M, t) = C(M, S) C(N − M, t − S) / C(N, t). With a uniform prior on M = 0..N the ratio of prior to
    posterior at M is R_t(M) = 1 / ((t + 1) hyp(S; N, M, t)), a martingale that starts at 1 where M is the truth. By
    Ville's inequality it ever reaches 1/α with probability at most α: the interval is all M with R_t(M) < 1/α, that
    is hyp(S; N, M, t) > α / (t + 1).
    Endless: the same with a uniform prior on p and the binomial probability: (t + 1) Bin(S; t, p) > α.
    p-value of p: min(1, (t + 1) Bin(S; t, p)), valid whenever one stops.
Conventions
    Both likelihoods are log-concave, so what is kept is an interval; its ends are found by bisection. With t = 0 it is
    everything; with t = N it is S alone. A judgment is positive or not: half ones are refused. The order of the items
    must be random, whereas when to stop, and how often to look, may depend on everything that was seen.
Source
    Waudby-Smith & Ramdas 2020, Confidence sequences for sampling without replacement, NeurIPS 33 (the prior-posterior
    ratio, for the hypergeometric distribution). Robbins 1970, Statistical methods related to the law of the iterated
    logarithm, Annals of Mathematical Statistics 41 (the binomial mixture); Howard, Ramdas, McAuliffe & Sekhon 2021,
    Annals of Statistics 49. Ville 1939.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.resampling import NORMAL, tails, z_value

_SHARE_HALVINGS = 60


def finite_evidence(positive: ArrayLike, judged: ArrayLike, size: ArrayLike, total: ArrayLike) -> Floats:
    """The logarithm of the ratio of prior to posterior at ``total`` positive items; infinite where that cannot be.

    Args:
        positive: S, of the judged items.
        judged: t.
        size: N, the items there are.
        total: M, how many of these are supposed to be positive; need not be whole.

    Returns:
        ln R_t(M), negative where M has become likelier than it was; the shape that all broadcast to.
    """
    S, t, N, M = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (positive, judged, size, total)))
    possible = (M >= S) & (t - S <= N - M)
    inside = np.where(possible, M, S)
    likelihood = _choose(inside, S) + _choose(np.where(possible, N - M, t - S), t - S) - _choose(N, t)
    return np.where(possible, -np.log(t + 1) - likelihood, np.inf)


def endless_evidence(positive: ArrayLike, judged: ArrayLike, share: ArrayLike) -> Floats:
    """The logarithm of the ratio of prior to posterior at a share of positive judgments; arguments as above."""
    from scipy.special import xlog1py, xlogy  # noqa: PLC0415 - loading it takes a while

    S, t, p = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (positive, judged, share)))
    return np.asarray(-np.log(t + 1) - _choose(t, S) - xlogy(S, p) - xlog1py(t - S, -p))


def finite_share_bounds(
    positive: ArrayLike, judged: ArrayLike, size: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Counts, Counts]:
    """Fewest and most positive items of a finite stratum, at any time.

    Args:
        positive: Positive among the judged items.
        judged: Items judged so far, the first of a random order.
        size: Items of the stratum.
        confidence_level: How likely all intervals together hold the truth, however often one looks.

    Returns:
        Both ends, whole numbers of items, which the interval includes; the shape that the arguments broadcast to.

    Raises:
        UsageError: If counts do not fit each other.
    """
    return finite_bounds_of(positive, judged, size, -np.log(2 * tails(confidence_level)[0]))


def finite_bounds_of(positive: ArrayLike, judged: ArrayLike, size: ArrayLike, limit: float) -> tuple[Counts, Counts]:
    """Fewest and most positive items with an evidence below a limit; else as ``finite_share_bounds``."""
    S, t, N = counts = _check_counts(positive, judged, size)
    peak = np.where(t > 0, np.clip(np.floor(S * (N + 1.0) / np.maximum(t, 1)), S, N - t + S), 0)

    def kept(total: Floats) -> NDArray[np.bool_]:
        return np.asarray(finite_evidence(*counts, total) < limit)

    low = _edge(kept, S - 1.0, peak, whole=True)
    high = _edge(kept, N - t + S + 1.0, peak, whole=True)
    return np.where(t > 0, low, 0).astype(np.int64), np.where(t > 0, high, N).astype(np.int64)


def endless_share_bounds(
    positive: ArrayLike, judged: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Ends of the interval of a share of an endless stream of judgments, e.g. of wins, at any time.

    Arguments and errors are those of ``finite_share_bounds``; both ends are shares.
    """
    S, t, _ = _check_counts(positive, judged, np.iinfo(np.int64).max)
    limit = -np.log(2 * tails(confidence_level)[0])
    peak = np.where(t > 0, S / np.maximum(t, 1), 0.5)

    def kept(p: Floats) -> NDArray[np.bool_]:
        return np.asarray(endless_evidence(S, t, p) < limit)

    low, high = _edge(kept, np.zeros(S.shape), peak), _edge(kept, np.ones(S.shape), peak)
    return np.where(S == 0, 0.0, low), np.where(t == S, 1.0, high)


def endless_p_value(positive: ArrayLike, judged: ArrayLike, share: float = 0.5) -> Floats:
    """The p-value of a share of an endless stream, valid whenever one stops; the shape of the arguments."""
    S, t, _ = _check_counts(positive, judged, np.iinfo(np.int64).max)
    if not 0 <= share <= 1:
        raise UsageError(Problem("anytime-counts", f"a share of {share:g}", expected="a share from 0 to 1"))
    return np.asarray(np.exp(np.minimum(0.0, -endless_evidence(S, t, share))))


def _check_counts(positive: ArrayLike, judged: ArrayLike, size: ArrayLike) -> tuple[Counts, Counts, Counts]:
    arrays = np.broadcast_arrays(*(np.asarray(each) for each in (positive, judged, size)))
    S, t, N = arrays
    if not ((S >= 0) & (t >= S) & (t <= N)).all() or any((each != np.floor(each)).any() for each in arrays):
        message = "positive, judged and all items do not fit"
        raise UsageError(Problem("anytime-counts", message, expected="whole numbers, 0 <= positive <= judged <= all"))
    return S.astype(np.int64), t.astype(np.int64), N.astype(np.int64)


def _choose(n: Floats, k: Floats) -> Floats:
    """The logarithm of the number of ways to choose k of n."""
    from scipy.special import gammaln  # noqa: PLC0415 - as above

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _edge(
    kept: Callable[[Floats], NDArray[np.bool_]], outside: ArrayLike, inside: ArrayLike, *, whole: bool = False
) -> Floats:
    """The last value that is kept on the way from one inside to one outside, by bisection; whole: a whole number."""
    out, within = (np.array(each, np.float64) for each in np.broadcast_arrays(outside, inside))
    for _ in range(_SHARE_HALVINGS):
        middle = (out + within) / 2
        if whole:
            middle = np.where(out < within, np.ceil(middle), np.floor(middle))
            if (np.abs(out - within) <= 1).all():
                break
        edge = kept(middle)
        out, within = np.where(edge, out, middle), np.where(edge, middle, within)
    return within


# Intervals of the mean of scores between 0 and 1 that may be looked at after every score: betting on the next one.
#
# Formula
#     Scores x_1 … x_t; μ̂_t = (½ + Σ x_i) / (t + 1), σ̂²_t = (¼ + Σ (x_i − μ̂_i)²) / (t + 1), so ½ and ¼ at t = 0;
#     λ_t = √(2 ln(2/α) / (σ̂²_{t−1} t ln(t + 1))).
#     Hedged capital: K_t(m) = max(½ Π (1 + λ⁺_i (x_i − m_i)), ½ Π (1 − λ⁻_i (x_i − m_i))) with λ⁺ = min(λ, ½ / m_i),
#     λ⁻ = min(λ, ½ / (1 − m_i)); the interval is all m with K_t(m) < 1/α. m_i = m for independent scores; of a finite
#     population of N, drawn without replacement, m_i = (N m − S_{i−1}) / (N − i + 1), the mean of what is left if m is
#     right; an m for which that leaves 0 to 1 is impossible.
#     Empirical Bernstein: Σ λx / Σ λ ± (ln(2/α) + Σ (x_i − μ̂_{i−1})² (−ln(1 − λ_i) − λ_i)) / Σ λ, λ at most ½.
# Conventions
#     The capital that bets on a higher mean falls in m, the other grows, so what is kept is an interval; its ends are
#     found by bisection. Every bet is fixed before its score is seen. The order of scores counts: it must be random,
#     and neither chosen nor sorted. Without a score the interval is 0 to 1. Betting is the narrower one; empirical
#     Bernstein has a closed form, and is for independent scores.
# Source
#     Waudby-Smith & Ramdas 2024, Estimating means of bounded random variables by betting, JRSS B 86(1): the predictable
#     plug-in empirical Bernstein confidence sequence, the hedged capital one with weights ½, and the latter without
#     replacement. Howard, Ramdas, McAuliffe & Sekhon 2021, Time-uniform, nonparametric, nonasymptotic confidence
#     sequences, Annals of Statistics 49(2), for the bound behind empirical Bernstein.


TRUNCATED = 0.5
"""The share of what could be lost that a bet risks at most."""
_BET_HALVINGS = 40


def bets(scores: ArrayLike, *, confidence_level: float = 0.95) -> Floats:
    """λ of each score, known before it; shape of the scores, (..., t)."""
    x = _checked_scores(scores)
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
    x = _checked_scores(scores)
    remaining = np.broadcast_to(np.asarray(mean, np.float64)[..., None], x.shape)
    if size is not None:
        done = np.concatenate([np.zeros((*x.shape[:-1], 1)), np.cumsum(x, axis=-1)[..., :-1]], axis=-1)
        left = size - np.arange(x.shape[-1])
        remaining = (size * remaining - done) / left
    slack = 1e-9  # of sums that are not whole
    impossible = np.logical_or.accumulate((remaining < -slack) | (remaining > 1 + slack), axis=-1)
    remaining, λ = np.clip(remaining, 0, 1), bets(x, confidence_level=confidence_level)  # noqa: PLC2401 - as in the formula
    with np.errstate(divide="ignore"):
        up, down = np.minimum(λ, TRUNCATED / remaining), np.minimum(λ, TRUNCATED / (1 - remaining))
    gains = np.log1p(up * (x - remaining)), np.log1p(-down * (x - remaining))
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
    x = _checked_scores(scores)
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
        for _ in range(_BET_HALVINGS):
            middle = (out + within) / 2
            capital = log_capital(x, middle, size=size, confidence_level=confidence_level)[side][..., -1]
            kept = capital < limit
            out, within = np.where(kept, out, middle), np.where(kept, middle, within)
        farthest = log_capital(x, outside, size=size, confidence_level=confidence_level)[side][..., -1]
        ends.append(np.where(farthest < limit, outside, within))
    return ends[0], ends[1]


def empirical_bernstein_bounds(scores: ArrayLike, *, confidence_level: float = 0.95) -> tuple[Floats, Floats]:
    """Ends of the interval of the mean of independent scores after every score, cut at 0 and 1; shape (..., t)."""
    x = _checked_scores(scores)
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


def _checked_scores(scores: ArrayLike) -> Floats:
    x = np.asarray(scores, np.float64)
    if x.ndim < 1 or not ((x >= 0) & (x <= 1)).all():
        raise UsageError(Problem("anytime-scores", "a score is not from 0 to 1", fix="divide by the highest score"))
    return x


# Boundaries for looks that were planned: how large a standardized difference must be at each, and what peeking does.
#
# Formula Z_1 … Z_K are standard normal with Cov(Z_j, Z_k) = √(t_j / t_k), j <= k, where t_k is the share of all
# information (1 / SE²) that there is at look k. P(|Z_k| >= c_k for some k) = α. O'Brien–Fleming: c_k = c / √t_k.
# Pocock: c_k = c. The smallest c is found by bisection on the probability, which is computed look by look: with f_k
# the density of the sum B_k = √t_k Z_k among paths that have not crossed, f_k(b) = ∫ f_{k−1}(u) φ((b − u) / √(t_k −
# t_{k−1})) / √(t_k − t_{k−1}) du over |u| < √t_{k−1} c_{k−1}. The interval at look k, value ± c_k SE_k, is one of
# nominal level 1 − 2Φ(−c_k); all K together hold the truth with 1 − α (repeated confidence intervals). At the last
# look it needs (c_K / z)² times the items of a single look. Conventions Integrals are Gauss–Legendre sums; 64 points
# give nine digits of c. Looks are equally spaced unless said otherwise. A look that was planned and not taken costs
# nothing but width; one that was not planned is not covered. Source O'Brien & Fleming 1979, A multiple testing
# procedure for clinical trials, Biometrics 35. Pocock 1977, Group sequential methods in the design and analysis of
# clinical trials, Biometrika 64. Armitage, McPherson & Rowe 1969, Repeated significance tests on accumulating data,
# JRSS A 132 (the integrals). Lan & DeMets 1983, Biometrika 70, and Jennison & Turnbull 1989, Interim analyses: the
# repeated confidence interval approach, JRSS B 51.


Boundary = Literal["obrien-fleming", "pocock"]
MOST_LOOKS = 100
_POINTS, _LOOK_HALVINGS = 64, 50


def look_boundaries(
    looks: int | Sequence[float], *, kind: Boundary = "obrien-fleming", confidence_level: float = 0.95
) -> Floats:
    """How many standard errors an interval reaches to each side at each planned look; shape (looks,).

    Args:
        looks: How many, equally spaced; or the shares of information at each, rising to 1.
        kind: O'Brien and Fleming's, which starts wide and costs little in the end, or Pocock's, the same at all looks.
        confidence_level: Of all looks together.

    Raises:
        UsageError: If there are no such looks, or no boundary of that name.
    """
    times = _times(looks)
    if kind not in get_args(Boundary):
        message = f"no boundary is called '{kind}'"
        raise UsageError(Problem("look-boundary", message, fix=nearest(kind, get_args(Boundary))))
    shape = 1 / np.sqrt(times) if kind == "obrien-fleming" else np.ones(len(times))
    alpha = 2 * tails(confidence_level)[0]
    low, high = z_value(confidence_level), z_value(1 - alpha / len(times)) + 1e-9  # Bonferroni's is never too small
    for _ in range(_LOOK_HALVINGS):
        middle = (low + high) / 2
        wide = ever_crossed(middle * shape, times) <= alpha
        low, high = (low, middle) if wide else (middle, high)
    return np.asarray(high * shape)


def ever_crossed(boundaries: Sequence[float] | Floats, looks: int | Sequence[float] | Floats) -> float:
    """The chance that one of several looks crosses its boundary although there is nothing to find.

    Args:
        boundaries: c_k of each look: 1.96 everywhere is a plain interval that is peeked at.
        looks: As for ``look_boundaries``.
    """
    times, c = _times(looks), np.asarray(boundaries, np.float64)
    if c.shape != times.shape or not (c > 0).all():
        message = f"{c.size} boundaries for {len(times)} looks"
        raise UsageError(Problem("look-boundary", message, expected="one above 0 for each look"))
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    ends = np.sqrt(times) * c
    crossed = 2 * NORMAL.cdf(-float(c[0]))
    places = nodes * ends[0]
    density = _normal(places / np.sqrt(times[0])) / np.sqrt(times[0]) * weights * ends[0]
    for (before, now), end in zip(pairwise(times), ends[1:], strict=True):
        step = np.sqrt(now - before)
        above = np.array(
            [
                NORMAL.cdf(float(u)) + NORMAL.cdf(float(v))
                for u, v in zip((places - end) / step, (-end - places) / step, strict=True)
            ]
        )
        crossed += float((density * above).sum())
        following = nodes * end
        density = (_normal((following[:, None] - places) / step) / step) @ density * weights * end
        places = following
    return float(crossed)


def nominal_level(boundary: float) -> float:
    """The confidence level of a plain interval that reaches so many standard errors to each side."""
    return 1 - 2 * NORMAL.cdf(-boundary)


def _normal(z: Floats) -> Floats:
    return np.asarray(np.exp(-z * z / 2) / np.sqrt(2 * np.pi))


def _times(looks: int | Sequence[float] | Floats) -> Floats:
    if isinstance(looks, int):
        if not 1 <= looks <= MOST_LOOKS:
            raise UsageError(Problem("look-number", f"{looks} looks", expected=f"from 1 to {MOST_LOOKS}"))
        return np.arange(1, looks + 1) / looks
    times = np.asarray(looks, np.float64)
    if not 1 <= times.size <= MOST_LOOKS or (np.diff(times, prepend=0.0) <= 0).any() or abs(times[-1] - 1) > 1e-9:
        message = f"looks at {', '.join(f'{each:g}' for each in times.tolist())} of the information"
        raise UsageError(
            Problem("look-number", message, expected=f"at most {MOST_LOOKS} shares that rise from above 0 to 1")
        )
    return times


# Asymptotic intervals that may be looked at after every judgment: of any estimate with a standard error.
#
# Formula θ̂_t ± SE_t √((1 + r)(ln(1 + 1/r) + 2 ln(1/α))), r = r₀ (SE_t / SE*)². SE* = w / √((1 + r₀)(ln(1 + 1/r₀) + 2
# ln(1/α))) is the standard error at which the half-width is the wanted one, w, and r₀ makes that factor as small as it
# can be: 1/r₀ = ln(1 + 1/r₀) + 2 ln(1/α). For α = .05: r₀ = .1218, factor 3.035, so (3.035 / 1.96)² = 2.40 times the
# items of an interval at a fixed time. Conventions w must be chosen beforehand; it says where the interval is
# narrowest in comparison, and any w is valid. The estimates must gain information as a sum of independent parts does:
# means and totals of simple random samples within strata with the finite-population correction, and smooth functions
# of them (ratios). The guarantee holds in the limit: from 60 judgments on, and where enough was seen on both sides
# (docs/stopping.md). Source Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Time-uniform central limit theory and
# asymptotic confidence sequences, Annals of Statistics 52(6): the Gaussian mixture with t ρ² = 1/r; Robbins 1970 for
# the mixture behind it.


LEAST = 60
"""Judgments from which the asymptotic interval is trusted."""
_NORMAL_HALVINGS = 200


def best_ratio(confidence_level: float = 0.95) -> float:
    """r₀, at which the factor is smallest."""
    twice = -2 * log(2 * tails(confidence_level)[0])
    low, high = 1e-12, 1e6
    for _ in range(_NORMAL_HALVINGS):
        middle = sqrt(low * high)
        low, high = (middle, high) if 1 / middle > log(1 + 1 / middle) + twice else (low, middle)
    return low


def running_factor(standard_error: ArrayLike, half_width: float, *, confidence_level: float = 0.95) -> Floats:
    """How many standard errors the interval reaches to each side; the shape of the standard errors.

    Args:
        standard_error: SE_t, above 0.
        half_width: w, chosen beforehand: where the interval shall be narrowest.
        confidence_level: How likely all intervals together hold the truth, however often one looks.

    Raises:
        UsageError: If the half-width is not above 0.
    """
    if not half_width > 0:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0"))
    best, twice = best_ratio(confidence_level), -2 * log(2 * tails(confidence_level)[0])
    wanted = half_width / sqrt((1 + best) * (log(1 + 1 / best) + twice))
    r = best * (np.asarray(standard_error, np.float64) / wanted) ** 2
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt((1 + r) * (np.log1p(1 / r) + twice)))
