"""The errors in each stratum of a sample, and the scores that are functions of them, with variances.

Formula
    Of N items of a stratum n were drawn without replacement, with truths y between 0 and 1 that sum to x.
    Plain: T = N x / n, Var T = N² (1 − n/N) s² / n with s² the variance of y (divisor n − 1; p (1 − p) n / (n − 1)
    where every y is 0 or 1). Smoothed: the unsampled items get the rate p' = (x + w/2) / (n + w), so
    T = x + (N − n) p', and p' (1 − p') stands for p (1 − p) in s². Two stages: if the truth of an item is a mean of k
    judgments with variance v_i, N Σ v_i / n is added.
    T_h are the errors of stratum h, N_h its size, a_h = 1 if the system flags it, else 0. H = Σ a_h T_h (hits),
    A = Σ T_h, F₁ = Σ a_h N_h. P = H / F₁; R = H / A; F = (1 + β²) H / (β² A + F₁); the rate of misses among what is
    not flagged, Q = (A − H) / Σ (1 − a_h) N_h.
    ∂P = a_h / F₁; ∂R = (a_h − R) / A; ∂F = ((1 + β²) a_h − β² F) / (β² A + F₁); ∂Q = (1 − a_h) / Σ (1 − a_h) N_h.
    With totals T_h of variances V_h: Var θ = Σ ∂θ_h² V_h.
Conventions
    w = 1 is shared by the strata with the same flags in proportion to their sizes, so that cutting a stratum into
    bands does not smooth more. A stratum of which one item was judged takes s² = p' (1 − p'). Where all items are
    drawn nothing is smoothed. With one judgment for each item of a graded truth v_i is not known; then there is no
    finite-population correction, which makes the variance large enough. R is NaN where there is no error. P exists
    always: a system that flags nothing is refused before.
Source
    Cochran 1977, Sampling Techniques, sections 2.6, 5.3 and 10.3; the half as in Brown, Cai and DasGupta 2001;
    Tetreault and Chodorow 2008, section 6; van Rijsbergen's F.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.sampling.frame import Counts, Floats, Strata

Target = Literal["P", "R", "F"]
Name = Literal["P", "R", "F", "Q"]
TARGETS: tuple[Target, ...] = ("P", "R", "F")
HALF = 0.5
FEW = 5  # fewer errors than this on a side are few
Totals = tuple[Floats, Floats]  # errors in each stratum, and the variances of that; shape (..., strata) each


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What was judged in each stratum; all of shape (..., strata)."""

    n: Counts
    x: Floats  # sum of the truths of the n judged items
    spread: Floats | None = None  # variance of the truths by that of 0/1 truths of the same mean; None: all are 0 or 1
    within: Floats | None = None  # mean variance of a truth that comes from asking k raters only; None: they are exact
    corrected: Floats | None = None  # whether the finite-population correction is made; None: everywhere

    @property
    def is_binary(self) -> bool:
        """Whether every truth is 0 or 1."""
        return self.spread is None

    @classmethod
    def of(cls, n: list[int], x: list[float]) -> Sample:
        """Judged items and errors among them, by stratum."""
        return cls(np.array(n, np.int64), np.array(x, np.float64))

    def check(self, strata: Strata) -> None:
        """Raise ``UsageError`` if the sample cannot be from the strata, or nothing was judged in one of them."""
        if self.n.shape != (len(strata),) or self.x.shape != self.n.shape:
            what = f"a sample of {self.n.size} strata for {len(strata)} strata"
            raise UsageError(Problem("sample-strata", what, expected="one count for each stratum"))
        for name, size, n, x in zip(strata.names, strata.sizes.tolist(), self.n.tolist(), self.x.tolist(), strict=True):
            if n > size:
                what = f"{n} items of stratum '{name}' were judged, but it has {size}"
                raise UsageError(Problem("sample-size", what, expected=f"at most {size}"))
            if not 0 <= x <= n:
                what = f"{x:g} errors among {n} judged items of stratum '{name}'"
                raise UsageError(Problem("sample-size", what, expected="between 0 and the judged items"))
            if n == 0:
                what = f"nobody judged an item of stratum '{name}', which has {size}"
                raise UsageError(Problem("sample-unseen", what, fix="judge at least 2 items of every stratum"))

    def rates(self, strata: Strata, add: float = HALF) -> Floats:
        """The share of errors with ``add`` errors more on each side, so that none is 0 or 1."""
        extra = add * strata.shares
        return np.asarray((self.x + extra) / (self.n + 2 * extra))


def estimated_totals(sample: Sample, strata: Strata, *, add: float = HALF) -> Totals:
    """Errors in each stratum and the variance of that estimate; shape (..., strata) each.

    ``add`` successes are added on each side, a half; 0: plain.
    """
    sizes, n = strata.sizes.astype(np.float64), sample.n.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = sample.rates(strata, add)
        totals = sample.x + (sizes - n) * rate
        # One item says nothing of the spread: plain, its stratum would seem to have none.
        judged = np.where(n > 1, rate, sample.rates(strata))
        square = judged * (1 - judged) * (1.0 if sample.spread is None else sample.spread)
        square = square * n / np.maximum(n - 1, 1)
        open_share = 1 - n / sizes
        if sample.corrected is not None:
            open_share = np.where(sample.corrected > 0, open_share, 1.0)
        variances = sizes**2 * open_share * square / n
        if sample.within is not None:
            variances = variances + sizes * sample.within
    return totals, variances


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A score of one system as a function of the errors in each stratum; Q: misses among what is not flagged."""

    name: Name
    strata: Strata
    system: int = 0
    beta: float = 1.0

    @property
    def flags(self) -> NDArray[np.bool_]:
        """Whether the system flags the items of each stratum; shape (strata,)."""
        return np.asarray(self.strata.flags[self.system])

    @property
    def flagged(self) -> int:
        """Items that the system flags."""
        return int(self.strata.sizes[self.flags].sum())

    @property
    def unflagged(self) -> int:
        """Items that it does not flag."""
        return int(self.strata.sizes[~self.flags].sum())

    def value(self, totals: Floats) -> Floats:
        """The value for errors of shape (..., strata); shape (...), NaN where undefined."""
        hits, errors = totals[..., self.flags].sum(axis=-1), totals.sum(axis=-1)
        square = self.beta**2
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.name == "P":
                return np.asarray(hits / self.flagged)
            if self.name == "R":
                return np.asarray(hits / errors)
            if self.name == "F":
                return np.asarray((1 + square) * hits / (square * errors + self.flagged))
            return np.asarray((errors - hits) / self.unflagged)

    def gradient(self, totals: Floats) -> Floats:
        """The derivative by the errors of each stratum; shape (..., strata)."""
        one = np.broadcast_to(self.flags.astype(np.float64), totals.shape)
        if self.name == "P":
            return one / self.flagged
        if self.name == "Q":
            return (1 - one) / self.unflagged
        value = self.value(totals)[..., None]
        errors = totals.sum(axis=-1)[..., None]
        if self.name == "R":
            return np.asarray((one - value) / errors)
        square = self.beta**2
        return np.asarray(((1 + square) * one - square * value) / (square * errors + self.flagged))

    def standard_error(self, totals: Floats, variances: Floats) -> Floats:
        """The standard error of the value; shape (...)."""
        return np.asarray(np.sqrt((self.gradient(totals) ** 2 * variances).sum(axis=-1)))


def random_sampling_error(quantity: Quantity, rates: ArrayLike, budget: int) -> float:
    """The expected standard error of P, R or F from a simple random sample.

    Formula
        n of N items count hits, false positives and misses; a score θ is a ratio of means Σ u / Σ v (P: u hits, v
        flagged; R: v errors; F: u (1 + β²) hits, v β² errors + flagged): (1 − n/N) mean((u − θ v)²) / (n mean(v)²).
    Source
        Cochran 1977, section 6.3.
    """
    sizes, flags, square = quantity.strata.sizes, quantity.flags.astype(np.float64), quantity.beta**2
    p, total = np.asarray(rates, np.float64), float(sizes.sum())
    value, deviation, mean = float(quantity.value(p * sizes)), 0.0, 0.0
    for error, given in ((0.0, 1 - p), (1.0, p)):
        share = sizes / total * given
        hits, errors = flags * error, np.full(len(flags), error)
        ratios = {"P": (hits, flags), "R": (hits, errors), "F": ((1 + square) * hits, square * errors + flags)}
        u, v = ratios[quantity.name]
        deviation += float((share * (u - value * v) ** 2).sum())
        mean += float((share * v).sum())
    return float(np.sqrt((1 - budget / total) * deviation / budget) / mean)
