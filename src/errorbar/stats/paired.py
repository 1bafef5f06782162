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
    small (docs/measurements/intervals.md). It is kept under that name, since papers report it.
Source
    Noreen 1989, Computer-intensive methods for testing hypotheses; the +1: Phipson & Smyth 2010. Koehn 2004,
    Statistical significance tests for machine translation evaluation, EMNLP; centering: Hall & Wilson 1991.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil, inf, isnan, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import BootstrapMethod, Interval, Undefined
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.resampling import BLOCK, ROUNDING, bootstrap_interval, z_value

Swaps = NDArray[np.bool_]
"""Whether the outputs of a unit (or cluster) are swapped; shape (replicates, n)."""
McNemarMethod = Literal["exact", "mid-p", "chi2"]
FEWEST = 2000
"""Ways to swap that are always worth their time."""
EXPECTED = 20
"""Ways that should be as extreme as an observed difference whose p-value is the level: its relative error is 22 %."""


@dataclass(frozen=True, slots=True)
class Randomization:
    """The test of a difference by swapping outputs, first system minus second."""

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
    """The interval of a difference by resampling units, first system minus second."""

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
        message = f"{n} units and {replicates} replicates"
        raise UsageError(Problem("nothing-to-swap", message, expected="at least one of each"))
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

    if not all(count >= 0 and count == count // 1 for count in (only_first, only_second)):
        message = f"{only_first} and {only_second} items"
        raise UsageError(Problem("mcnemar-counts", message, expected="whole counts from 0"))
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


# How likely chance alone would make the first of two systems look at least as good: one-sided p-values by swapping.
#
# Formula D is the difference of two systems (first minus second), D* the same with the outputs of some units swapped.
# p is the share of ways to swap with D* > D, plus half the share with D* = D. Where D is a sum of d_u over units, a
# swap turns the sign of d_u. With whole d_u, of which n_a have the size a, all ways to swap have the characteristic
# function φ(t) = Π_a cos(a t)^n_a, hence p = ½ − D/M − 1/(2M) Σ_k φ(t_k) sin(D t_k) / tan(t_k / 2), t_k = 2πk/M, k =
# 1..M−1, for any M > |D| + Σ a n_a. Conventions Half of what is equal: p of the second against the first is then 1 −
# p, whatever is equal, and two systems that never differ have p = ½. (An error rate would count all of it, as
# errorbar.stats.paired does.) M need not reach where φ's distribution has no mass: |D| + 9 √(Σ a² n_a) leaves out less
# than 1e-17 (Hoeffding). With d_u of −1 and 1 only, p is that of the sign test, from the binomial distribution. Random
# ways come with their opposites (swap what was not swapped), so that they are as symmetric as all ways are. Source
# Lancaster 1961, Significance tests in discrete distributions, JASA 56 (half of what is equal). Hoeffding 1963,
# Probability inequalities for sums of bounded random variables, JASA 58. The sum is the discrete Fourier inversion of
# the distribution of Σ ± d_u over |s| <= |D|, the two ends by half.


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
    signed = np.concatenate([differences, -differences])
    above, below = np.count_nonzero(signed > observed + near), np.count_nonzero(signed < observed - near)
    return float((above + len(signed) - below) / (2 * len(signed)))


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
    p_values = np.empty(len(total))
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
        p_values[some] = 0.5 - (total[some] + mirrored) / n_points
    return np.clip(p_values, 0.0, 1.0)


def _sign_test(won: Floats, n: Floats) -> Floats:
    """The chance of more than ``won`` of n tosses, and half of that of as many."""
    from scipy.special import bdtr  # noqa: PLC0415 - loading it takes a while

    tosses = n.astype(np.int64)
    at_most, below = bdtr(won, tosses, 0.5), np.where(won > 0, bdtr(np.maximum(won - 1, 0), tosses, 0.5), 0.0)
    p_values: Floats = 1.0 - (at_most + below) / 2
    return p_values


# What a corpus of some size can show, and what size is needed.
#
# Formula d_i are the differences of two systems on n independent units, with mean d and standard deviation s; for a
# score that is not a mean, d_i are pseudo-values n v − (n − 1) v_(i), v_(i) being the value without unit i. The test
# of d = 0 is Student's with n − 1 degrees of freedom. power = P(|T| > t) with T noncentral, noncentrality d √n / s. n
# for a power: the smallest that reaches it. n for a half-width h: (z s / h)². Conventions Two-sided. Units are what
# varies independently: where sentences of one essay depend on each other, the d_i are per essay, and n counts essays.
# The effect is to be chosen for its meaning. Power at the *observed* difference is the p-value in other clothes (p =
# alpha always gives about one half), so nothing here takes it by default. Source Cohen 1988, Statistical power
# analysis, chapter 2; pseudo-values: Tukey 1958; observed power: Hoenig & Heisey 2001, The American Statistician
# 55(1).


_MOST_UNITS = 10**12
_STEPS = 60


@dataclass(frozen=True, slots=True)
class PairedPower:
    """The power of a corpus for two systems; None where undefined."""

    n: int  # units (or clusters) observed
    standard_deviation: float | None  # of the differences of units
    effect: float  # the difference to be found, in the unit of the score
    power: float | None = None  # how likely the corpus shows it
    detectable: float | None = None  # the smallest difference that the corpus shows with the wanted power
    units_needed: int | None = None  # how many units show the effect with the wanted power; None: more than 10^12
    undefined: Undefined | None = None


def paired_power(differences: ArrayLike, effect: float, *, alpha: float = 0.05, wanted: float = 0.8) -> PairedPower:
    """Power, detectable difference and sample size from observed per-unit differences.

    Args:
        differences: One per independent unit; for F and the like, pseudo_values of the difference.
        effect: The difference that matters, e.g. 0.01 for one point of F.
        alpha: Level of the two-sided test.
        wanted: The power wanted.

    Raises:
        UsageError: A number does not fit.
    """
    d = np.asarray(differences, np.float64).ravel()
    why = None
    if d.size < 2:
        why = Undefined.ONE_UNIT if d.size else Undefined.NO_UNITS
    elif not np.isfinite(d).all():
        why = Undefined.NOT_COMPARABLE
    elif (size := float(np.abs(d).max())) == 0:
        why = Undefined.NO_DISAGREEMENT
    elif np.ptp(d) <= ROUNDING * max(1.0, size):
        why = Undefined.SAME_DIFFERENCE
    if why is not None:
        return PairedPower(d.size, None, effect, undefined=why)
    deviation = float(np.std(d, ddof=1))
    return PairedPower(
        d.size,
        deviation,
        effect,
        power_of_test(effect, deviation, d.size, alpha=alpha),
        detectable_difference(deviation, d.size, wanted=wanted, alpha=alpha),
        _units_for_power(effect, deviation, wanted, alpha),
    )


def pseudo_values(value: float, jackknife: ArrayLike) -> NDArray[np.float64]:
    """The contribution of each unit to a score that is not a mean: n v − (n − 1) v_(i); for a mean, the units' values.

    ``value`` is the score (or difference of scores) on the corpus, ``jackknife`` it without each unit, shape (n,).
    """
    left_out = np.asarray(jackknife, np.float64)
    return left_out.size * value - (left_out.size - 1) * left_out


def power_of_test(effect: float, standard_deviation: float, n: int, *, alpha: float = 0.05) -> float:
    """How likely n units show a difference of this size."""
    _check(effect, standard_deviation, alpha)
    return _power(effect, standard_deviation, n, _critical_t(n, alpha))


def _critical_t(n: int, alpha: float) -> float:
    from scipy.special import stdtrit  # noqa: PLC0415 - loading it takes a while

    if n < 2:
        raise UsageError(Problem("power-units", f"{n} units", expected="at least 2"))
    return float(stdtrit(n - 1, 1 - alpha / 2))


def _power(effect: float, standard_deviation: float, n: int, t: float) -> float:
    from scipy.special import nctdtr  # noqa: PLC0415 - as above

    noncentrality = abs(effect) * sqrt(n) / standard_deviation
    # The far tail is below 1e-11 from 7 on. Of either tail scipy has no value at some points, all of them below 1e-15.
    wrong_side = float(nctdtr(n - 1, noncentrality, -t)) if noncentrality < 7 else 0.0
    missed = float(nctdtr(n - 1, noncentrality, t))
    return 1 - (0.0 if isnan(missed) else missed) + (0.0 if isnan(wrong_side) else wrong_side)


def units_for_power(effect: float, standard_deviation: float, *, wanted: float = 0.8, alpha: float = 0.05) -> int:
    """The smallest number of units that show a difference with the power wanted."""
    needed = _units_for_power(effect, standard_deviation, wanted, alpha)
    if needed is None:
        message = f"no corpus shows a difference of {effect:g}"
        raise UsageError(Problem("power-effect", message, fix="name a larger difference"))
    return needed


def _units_for_power(effect: float, standard_deviation: float, wanted: float, alpha: float) -> int | None:
    _check(effect, standard_deviation, alpha, wanted)

    def short(n: int) -> bool:
        return _power(effect, standard_deviation, n, _critical_t(n, alpha)) < wanted

    low, high = 1, 2
    while high < _MOST_UNITS and short(high):
        low, high = high, high * 2
    if high >= _MOST_UNITS:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return high


def detectable_difference(standard_deviation: float, n: int, *, wanted: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest difference that n units show with the power wanted."""
    _check(1, standard_deviation, alpha, wanted)
    t = _critical_t(n, alpha)

    def short(effect: float) -> bool:  # scipy has no value where the power is 1
        return _power(effect, standard_deviation, n, t) < wanted

    low, high = 0.0, standard_deviation
    while short(high):
        low, high = high, high * 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return high


def units_for_half_width(standard_deviation: float, half_width: float, *, confidence_level: float = 0.95) -> int:
    """How many units make an interval of a mean reach so far to each side.

    ``standard_deviation`` is that of the units' values (or pseudo-values): standard error times √n of a pilot study.
    """
    if not (0 < half_width < inf and 0 <= standard_deviation < inf):
        message = f"half-width {half_width:g} and standard deviation {standard_deviation:g}"
        raise UsageError(Problem("power-numbers", message, expected="a half-width above 0"))
    # A hair less, lest rounding turn a whole number into the next one.
    return max(1, ceil((z_value(confidence_level) * standard_deviation / half_width) ** 2 * (1 - 1e-12)))


def _check(effect: float, standard_deviation: float, alpha: float, wanted: float | None = None) -> None:
    fits = 0 < standard_deviation < inf and abs(effect) < inf and 0 < alpha < 1
    message = f"standard deviation {standard_deviation:g}, effect {effect:g}, alpha {alpha:g}"
    expected = "a standard deviation above 0, alpha between 0 and 1"
    if wanted is not None:
        fits = fits and alpha < wanted < 1
        message += f", power {wanted:g}"
        expected = "a standard deviation above 0, alpha below the power wanted, both between 0 and 1"
    if not fits:
        raise UsageError(Problem("power-numbers", message, expected=expected))
