"""From what was judged in each stratum to the errors in it, with variances.

Formula
    Of N items of a stratum n were drawn without replacement, with truths y between 0 and 1 that sum to x.
    Plain: T = N x / n, Var T = N² (1 − n/N) s² / n with s² the variance of y (divisor n − 1; p (1 − p) n / (n − 1)
    where every y is 0 or 1). Smoothed: the unsampled items get the rate p' = (x + w/2) / (n + w), so
    T = x + (N − n) p', and p' (1 − p') stands for p (1 − p) in s². Two stages: if the truth of an item is a mean of k
    judgments with variance v_i, N Σ v_i / n is added.
Conventions
    w = 1 is shared by the strata with the same flags in proportion to their sizes, so that cutting a stratum into
    bands does not smooth more. A stratum of which one item was judged takes s² = p' (1 − p'). Where all items are
    drawn nothing is smoothed. With one judgment for each item of a graded truth v_i is not known; then there is no
    finite-population correction, which makes the variance large enough.
Source
    Cochran 1977, Sampling Techniques, sections 2.6, 5.3 and 10.3; the half as in Brown, Cai and DasGupta 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.sampling.strata import Counts, Floats, Strata

HALF = 0.5
FEW = 5
"""Fewer errors than this on a side are few."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What was judged in each stratum.

    Attributes:
        n: Items judged; shape (..., strata), as all.
        x: Sum of their truths.
        spread: Variance of the truths divided by that of 0/1 truths of the same mean, 0 to 1; None: all are 0 or 1.
        within: Mean variance of an item's truth that comes from asking only k raters; None: truths are exact.
        corrected: Whether the finite-population correction is made; None: everywhere.
    """

    n: Counts
    x: Floats
    spread: Floats | None = None
    within: Floats | None = None
    corrected: Floats | None = None

    @property
    def is_binary(self) -> bool:
        """Whether every truth is 0 or 1."""
        return self.spread is None

    @classmethod
    def of(cls, n: list[int], x: list[float]) -> Sample:
        """Judged items and errors among them, by stratum."""
        return cls(np.array(n, np.int64), np.array(x, np.float64))

    def check(self, strata: Strata) -> None:
        """See that the sample can be from the strata.

        Raises:
            UsageError: If a stratum has no judged item, more judged items than items, or more errors than items.
        """
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


def shares(strata: Strata) -> Floats:
    """Share of each stratum in the items with the same flags; shape (strata,)."""
    powers = 2 ** np.arange(len(strata.systems))
    group = strata.flags.T @ powers
    same = group[:, None] == group[None, :]
    return np.asarray(strata.sizes / (same @ strata.sizes), np.float64)


Totals = tuple[Floats, Floats]
"""Errors in each stratum, and the variances of that; shape (..., strata) each."""


def estimated_totals(sample: Sample, strata: Strata, *, add: float = HALF) -> Totals:
    """Errors in each stratum and the variance of that estimate; shape (..., strata) each.

    ``add`` successes are added on each side, a half; 0: plain.
    """
    sizes = strata.sizes.astype(np.float64)
    n, x = sample.n.astype(np.float64), sample.x
    with np.errstate(divide="ignore", invalid="ignore"):
        extra = add * shares(strata)
        rate = (x + extra) / (n + 2 * extra)
        totals = x + (sizes - n) * rate
        # One item says nothing of the spread: plain, its stratum would seem to have none.
        half = HALF * shares(strata)
        judged = np.where(n > 1, rate, (x + half) / (n + 2 * half))
        square = judged * (1 - judged) * (1.0 if sample.spread is None else sample.spread)
        square = square * n / np.maximum(n - 1, 1)
        open_share = 1 - n / sizes
        if sample.corrected is not None:
            open_share = np.where(sample.corrected > 0, open_share, 1.0)
        variances = sizes**2 * open_share * square / n
        if sample.within is not None:
            variances = variances + sizes * sample.within
    return totals, variances
