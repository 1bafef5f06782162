"""Is the difference of two systems on the same units real: swapping outputs, resampling, McNemar.

Formula
    Approximate randomization: if it made no difference which system wrote an output, the outputs of both could be
    swapped in any unit (or cluster). c of R random ways to swap give a difference at least as large, in size, as
    the one observed: p = (c + 1) / (R + 1). Where all 2^n ways are no more than R, all are tried: p = c / 2^n.
    Paired bootstrap: d* are the differences on resampled units, the same units for both systems. The interval is
    one of errorbar.stats.resampling. Centered p = (1 + number of |d* − d| >= |d|) / (R + 1).
Conventions
    Two-sided. Differences that agree but for rounding count as ties, hence as "at least as large". So does a way to
    swap that leaves the difference undefined (NaN): it can only make p larger.
    The share of resamples in which the better system is not better is not a p-value: with few units it is far too
    small (docs/design/intervals.md). It is kept under that name, since papers report it.
Source
    Noreen 1989, Computer-intensive methods for testing hypotheses; the +1: Phipson & Smyth 2010. Koehn 2004,
    Statistical significance tests for machine translation evaluation, EMNLP; centering: Hall & Wilson 1991.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Interval, Undefined
from errorbar.stats.resampling import BLOCK, ROUNDING, BootstrapMethod, bootstrap_interval

Swaps = NDArray[np.bool_]
"""Whether the outputs of a unit (or cluster) are swapped; shape (replicates, n)."""
McNemarMethod = Literal["exact", "mid-p", "chi2"]
FEWEST = 2000
"""Ways to swap that are always worth their time."""
EXPECTED = 20
"""Ways that should be as extreme as an observed difference whose p-value is the level: its relative error is 22 %."""


@dataclass(frozen=True, slots=True)
class Randomization:
    """What swapping outputs says about a difference, first system minus second."""

    difference: float | None
    p_value: float | None  # how likely a difference of this size is if the outputs are exchangeable
    n_extreme: int  # ways to swap that give a difference at least as large
    n_replicates: int  # ways tried
    exact: bool  # they are all ways there are
    undefined: Undefined | None = None

    @property
    def smallest(self) -> float | None:
        """The smallest p-value that so many ways give: of all, those that swap nothing and everything always count."""
        if self.p_value is None:
            return None
        return 2 / self.n_replicates if self.exact else 1 / (self.n_replicates + 1)

    @property
    def at_floor(self) -> bool:
        """Whether no random way was as extreme, so that all that is known is p <= 1 / (R + 1)."""
        return self.p_value is not None and not self.exact and self.n_extreme == 0


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """What resampling units says about a difference, first system minus second."""

    difference: float
    interval: Interval | Undefined
    centered_p: float | None  # two-sided; None where the difference is undefined in some resample
    share_not_better: float  # of resamples in which the better system is not better: not a p-value


def randomization_test(
    difference: Callable[[Swaps], NDArray[np.float64]], n: int, draws: Iterable[tuple[int, np.random.Generator]]
) -> Randomization:
    """Test a difference by swapping outputs.

    Args:
        difference: Gives the difference of the two systems for each way to swap; shape (replicates, n) to
            (replicates,). Units in which both systems did the same need not be among the n.
        n: How many units or clusters can be swapped.
        draws: How many ways to try from which stream, as ``blocks`` gives them.
    """
    plan = list(draws)
    replicates = sum(size for size, _ in plan)
    if n < 1 or replicates < 1:
        what = f"{n} units and {replicates} replicates"
        raise UsageError(Problem("nothing-to-swap", what, expected="at least one of each"))
    observed = float(difference(np.zeros((1, n), np.bool_))[0])
    exact = n < 63 and 2**n <= replicates
    if np.isnan(observed):
        return Randomization(None, None, 0, 0, exact, Undefined.NOT_COMPARABLE)
    tables = all_swaps(n) if exact else (random_swaps(n, size, rng) for size, rng in plan)
    extreme = sum(count_extreme(observed, difference(table)) for table in tables)
    if exact:
        return Randomization(observed, extreme / 2**n, extreme, 2**n, exact)
    return Randomization(observed, (extreme + 1) / (replicates + 1), extreme, replicates, exact)


def needed_swaps(alpha: float, n_pairs: int = 1) -> int:
    """How many random ways to swap decide at a level: max(2,000, ⌈20 K / alpha⌉ − 1).

    K are the pairs whose p-values are multiplied by their number (Holm); 1 for max-T, whose smallest p-value does not
    depend on it.
    """
    return max(FEWEST, ceil(round(EXPECTED * n_pairs / alpha, 6)) - 1)


def random_swaps(n: int, replicates: int, rng: np.random.Generator) -> Swaps:
    """Swap each of n units or clusters with probability one half; shape (replicates, n)."""
    return rng.integers(2, size=(replicates, n), dtype=np.uint8).view(np.bool_)


def all_swaps(n: int) -> Iterator[Swaps]:
    """All 2^n ways to swap, in blocks."""
    bits = np.arange(n)
    for start in range(0, 2**n, BLOCK):
        ways = np.arange(start, min(2**n, start + BLOCK), dtype=np.int64)
        yield ((ways[:, None] >> bits) & 1).astype(np.bool_)


def count_extreme(observed: float, differences: ArrayLike) -> int:
    """How many differences are at least as large, in size, as the one observed; undefined ones are."""
    sizes = np.abs(np.asarray(differences, np.float64))
    return int(np.count_nonzero(~(sizes < abs(observed) - ROUNDING * max(1.0, abs(observed)))))


def paired_bootstrap(
    difference: float,
    resampled: ArrayLike,
    *,
    jackknife: ArrayLike | None = None,
    method: BootstrapMethod = "bca",
    confidence_level: float = 0.95,
) -> PairedBootstrap:
    """The interval of a difference from resamples, the same for both systems; arguments as of bootstrap_interval."""
    values = np.asarray(resampled, np.float64)
    interval = bootstrap_interval(
        difference, values, jackknife=jackknife, method=method, confidence_level=confidence_level
    )
    centered = None
    if not np.isnan(difference) and not np.isnan(values).any():
        centered = (1 + count_extreme(difference, values - difference)) / (values.size + 1)
    not_better = ~(values * np.sign(difference) > 0)
    return PairedBootstrap(float(difference), interval, centered, float(np.mean(not_better)))


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test: the items that only the one or only the other system has right, and a two-sided p-value."""

    only_first: int
    only_second: int
    p_value: float | None  # None where the systems never differ
    method: McNemarMethod
    chi2: float | None = None  # the test statistic of that method
    undefined: Undefined | None = None


def mcnemar_test(only_first: int, only_second: int, *, method: McNemarMethod = "exact") -> McNemar:
    """McNemar's test: are two systems right equally often on the same items?

    Formula
        b items only the first has right, c only the second; n = b + c, and X ~ Binomial(n, ½) if they are equally good.
        exact: p = 2 P(X <= min(b, c)), at most 1.
        mid-p: half of what is as likely as the observation does not count: 2 P(X <= min(b, c)) − P(X = min(b, c))
        where b and c differ, 1 − P(X = b) / 2 where they do not.
        chi2: (|b − c| − 1)² / n, chi-squared with 1 degree of freedom.
    Conventions
        Two-sided. At b = c, chi2 is 0 (the correction would make it 1 / n).
        With n = 0 there is no p-value. Items must be independent; for edits of one essay swap essays instead
        (randomization_test).
    Source
        McNemar 1947, Psychometrika 12; mid-p: Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13:91;
        the correction: Edwards 1948, Psychometrika 13.

    Args:
        only_first: Items only the first system has right.
        only_second: Items only the second has right.
        method: exact never calls too much significant; mid-p is nearer to the nominal level; chi2 is for large n.

    Raises:
        UsageError: A count is negative, or there is no such method.
    """
    from scipy.special import bdtr, chdtrc  # noqa: PLC0415 - loading it takes a while

    if only_first < 0 or only_second < 0:
        raise UsageError(Problem("mcnemar-counts", f"{only_first} and {only_second} items", expected="counts from 0"))
    if method not in get_args(McNemarMethod):
        fix = nearest(method, get_args(McNemarMethod))
        raise UsageError(Problem("mcnemar-method", f"McNemar's test has no variant '{method}'", fix=fix))
    n, less = only_first + only_second, min(only_first, only_second)
    if n == 0:
        return McNemar(0, 0, None, method, undefined=Undefined.NO_DISAGREEMENT)
    if method == "chi2":
        chi2 = max(0, abs(only_first - only_second) - 1) ** 2 / n
        return McNemar(only_first, only_second, float(chdtrc(1, chi2)), method, chi2)
    at_most, below = float(bdtr(less, n, 0.5)), float(bdtr(less - 1, n, 0.5)) if less else 0.0
    if method == "exact":
        p = min(1.0, 2 * at_most)
    elif only_first == only_second:
        p = 1 - (at_most - below) / 2
    else:
        p = at_most + below
    return McNemar(only_first, only_second, p, method)
