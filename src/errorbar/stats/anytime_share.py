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

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.stats.resampling import tails

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
_HALVINGS = 60


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
    S, t, N = counts = _checked(positive, judged, size)
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
    S, t, _ = _checked(positive, judged, np.iinfo(np.int64).max)
    limit = -np.log(2 * tails(confidence_level)[0])
    peak = np.where(t > 0, S / np.maximum(t, 1), 0.5)

    def kept(p: Floats) -> NDArray[np.bool_]:
        return np.asarray(endless_evidence(S, t, p) < limit)

    low, high = _edge(kept, np.zeros(S.shape), peak), _edge(kept, np.ones(S.shape), peak)
    return np.where(S == 0, 0.0, low), np.where(t == S, 1.0, high)


def endless_p_value(positive: ArrayLike, judged: ArrayLike, share: float = 0.5) -> Floats:
    """The p-value of a share of an endless stream, valid whenever one stops; the shape of the arguments."""
    S, t, _ = _checked(positive, judged, np.iinfo(np.int64).max)
    return np.asarray(np.exp(np.minimum(0.0, -endless_evidence(S, t, share))))


def _checked(positive: ArrayLike, judged: ArrayLike, size: ArrayLike) -> tuple[Counts, Counts, Counts]:
    arrays = np.broadcast_arrays(*(np.asarray(each) for each in (positive, judged, size)))
    S, t, N = arrays
    if not ((S >= 0) & (t >= S) & (t <= N)).all() or any((each != np.floor(each)).any() for each in arrays):
        what = "positive, judged and all items do not fit"
        raise UsageError(Problem("anytime-counts", what, expected="whole numbers, 0 <= positive <= judged <= all"))
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
    for _ in range(_HALVINGS):
        middle = (out + within) / 2
        if whole:
            middle = np.where(out < within, np.ceil(middle), np.floor(middle))
            if (np.abs(out - within) <= 1).all():
                break
        found = kept(middle)
        out, within = np.where(found, out, middle), np.where(found, middle, within)
    return within
