"""How a score varies over texts and over judges: both drawn anew, from values with one of each left out.

Formula
    U is a score of n texts against m judges; U(-e) without text e, U(-i) without judge i, U(-i,-e) without both.
    V_E = (n - 1)/n sum (U(-e) - mean)^2, V_A = (m - 1)/m sum (U(-i) - mean)^2, and V_EA = (m - 1)(n - 1)/(mn) times
    the sum of squares of what remains of U(-i,-e) after its row and column means. V = V_E + V_A, with
    V^2 / (V_E^2/(n - 1) + V_A^2/(m - 1)) degrees of freedom; the interval is U -+ t sqrt(V), made on a scale that keeps
    it inside the range of the measure (errorbar.core.estimate.Scale); the p-value is that of U / sqrt(V) under the
    same t.
    moderated: V_A becomes (d s^2 + (m - 1) V_A) / (d + m - 1) with d + m - 1 degrees of freedom, where s^2 is a prior
    variance that counts for d of them; of one judge it is s^2.
    few: judges of whom no prior is known, as the editors of a system: the half-width is the root of t_E^2 V_E + t_A^2
    V_A, each t with the degrees of freedom of its part (Howe), and p is that at which the interval ends at 0.
    Judges who are not the same for two systems: V_A of the difference is the sum of both systems', each with its own
    degrees of freedom; V_E is that of the difference.
    Runs of a system, e.g. from other seeds: V_R is a third part with its own degrees of freedom, in the sum and in
    Satterthwaite's; where judges are fixed, V = V_E + V_R.
    zeta: D_c is half the mean squared difference of two sets of k judges that share c; zeta_c = D_0 - D_c, so that
    zeta_k = D_0 is the variance of the score over fresh sets. Var U = sum over c from 1 to k of
    C(k,c) C(m - k,k - c)/C(m,k) zeta_c. It needs two sets that share nobody: m >= 2k.
Conventions
    V_E and V_A both hold V_EA. Taking it off once, as in multiway clustering, would estimate the variance itself; it
    lost half a point to a point and a half of coverage in simulations of the kind of docs/measurements/judges.md, and
    is not done. The sum is never below 0.
    The jackknife of m judges where U needs all of them estimates, on average from above, (m - 1)/m times the variance
    with m - 1 judges (Efron & Stein); so it is an approximation, and so are the degrees of freedom.
    Nothing is a zero in silence: one text, one judge, a value that is undefined without somebody, or judges (or texts)
    of whom any one can go without any change are named reasons; but editors of a system may always agree. So is an
    interval that would leave nearly every value possible: too few of what adds most to the uncertainty of V, judges,
    texts or runs.
Source
    Tukey 1958; Efron & Stein 1981, The jackknife estimate of variance, Annals of Statistics 9; Hoeffding 1948 for
    zeta; Satterthwaite 1946, Biometrics Bulletin 2; Howe 1974, JASA 69; Cameron, Gelbach & Miller 2011, JBES 29;
    Smyth 2004 for moderated variances; MacKinnon, Nielsen & Webb 2024, arXiv 2406.08880, for the two-way jackknife
    of regressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, inf, isnan, sqrt
from sys import float_info
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Interval, Scale, Undefined
from errorbar.stats.resampling import ANYWHERE, ROUNDING, tails

V = TypeVar("V", float, NDArray[np.float64])
TINY = 1e-12
"""Smaller p-values of few judges are not told apart."""
TOO_FEW = Undefined.TOO_FEW_TEXTS, Undefined.TOO_FEW_JUDGES, Undefined.TOO_FEW_RUNS, Undefined.TOO_FEW_POOLS


class VariancePrior(NamedTuple):
    """A variance over judges that is known beforehand."""

    variance: float
    df: float  # degrees of freedom that it counts for


class TwoWay(NamedTuple):
    """A score and how it varies over texts and judges."""

    value: float
    texts: float  # V_E: variance over texts
    judges: float  # V_A: over judges
    both: float  # V_EA: the part of both that belongs to texts and judges together; NaN where it is not known
    n_texts: int
    n_judges: int
    judges_df: float  # m - 1, and those of the prior where moderated; infinite where judges are fixed
    moderated: bool = False
    runs: float = 0.0  # V_R: over runs of a system; 0 where it has one, or is fixed
    runs_df: float = inf
    few: bool = False  # judges are few: each part has its own t

    @property
    def variance(self) -> float:
        """V_E + V_A, and V_R of systems with several runs."""
        return self.texts + self.judges + self.runs

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom."""
        return satterthwaite(self._parts)

    @property
    def _parts(self) -> list[tuple[float, float]]:
        return [(self.texts, self.n_texts - 1), (self.judges, self.judges_df), (self.runs, self.runs_df)]

    @property
    def over_texts_alone(self) -> bool:
        """Whether judges are drawn anew, and they and the runs always agree."""
        return self.n_judges > 0 and self.judges == self.runs == 0

    @property
    def looks_short(self) -> bool:
        """Whether judges seem to differ less than judges and texts together can: the interval is likely too short."""
        return not (self.moderated or self.few) and self.judges < self.both

    def half_width(self, confidence_level: float) -> float:
        """Half the interval's width."""
        if self.few:
            return sqrt(sum(t_half_width([part], confidence_level) ** 2 for part in self._parts))
        return t_half_width(self._parts, confidence_level)

    def interval(self, confidence_level: float, scale: Scale = ANYWHERE) -> Interval | Undefined:
        """The interval over texts and judges inside the range of a measure, or why it would say nothing."""
        method = "two-way jackknife, t" if self.n_judges else "jackknife over texts and runs, t"
        method += ", moderated" if self.moderated else ", of each part" * self.few
        return t_interval(
            self.value, self._parts, confidence_level, scale, method, half=self.half_width(confidence_level)
        )

    @property
    def p_value(self) -> float:
        """How likely a value at least so far from 0 is where 0 is true: two-sided, and never 0."""
        if not self.few or self.judges == 0:
            return t_p_value(self.value, self.variance, self.df)
        if self.value == 0:
            return 1.0
        from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

        def beyond(level: float) -> float:
            return abs(self.value) - self.half_width(1 - level)

        return TINY if beyond(TINY) >= 0 else float(brentq(beyond, TINY, 1 - TINY))


def two_way(
    value: float,
    without_text: ArrayLike,
    without_judge: ArrayLike,
    without_both: ArrayLike | None = None,
    *,
    prior: VariancePrior | None = None,
    few: bool = False,
) -> TwoWay | Undefined:
    """The components of a score's variance, or why they are not known.

    Args:
        value: U.
        without_text: U(-e); shape (texts,), NaN where there is no value.
        without_judge: U(-i); shape (judges,).
        without_both: U(-i,-e); shape (judges, texts); None: not known.
        prior: What V_A is moderated with; None: V_A as it is.
        few: Judges are few, and known by nothing else: Howe's interval. They may always agree: then V_A is 0.
    """
    texts, judges = np.asarray(without_text, np.float64).ravel(), np.asarray(without_judge, np.float64).ravel()
    if reason := _undefined_reason(value, texts, judges, moderated=prior is not None, few=few):
        return reason
    both = float("nan") if without_both is None else _interaction(np.asarray(without_both, np.float64))
    components = TwoWay(
        *(float(value), jackknife(texts), jackknife(judges), both, texts.size, judges.size, float(judges.size - 1)),
        few=few,
    )
    return components if prior is None else moderate(components, prior)


def nested(value: float, without_text: ArrayLike, first: ArrayLike, second: ArrayLike) -> TwoWay | Undefined:
    """The components of a difference of two scores, each against judges of its own: V_A is the sum of both.

    Args:
        value: U of the first minus U of the second.
        without_text: The difference without each text; shape (texts,).
        first: U of the first without each of its judges; shape (judges,), at least two.
        second: U of the second without each of its.
    """
    texts = np.asarray(without_text, np.float64).ravel()
    own = [np.asarray(each, np.float64).ravel() for each in (first, second)]
    if why := unknown_texts(value, texts):
        return why
    if min(each.size for each in own) < 2:
        return Undefined.ONE_JUDGE
    if any(np.isnan(each).any() for each in own):
        return Undefined.WITHOUT_A_JUDGE
    parts = [(jackknife(each), each.size - 1.0) for each in own]
    judges, n_judges = sum(variance for variance, _ in parts), sum(each.size for each in own)
    nothing = float("nan")
    return TwoWay(float(value), jackknife(texts), judges, nothing, texts.size, n_judges, satterthwaite(parts))


def texts_and_runs(value: float, without_text: ArrayLike, runs: float, runs_df: float) -> TwoWay | Undefined:
    """The components where judges are fixed: those of texts, and of runs with their degrees of freedom."""
    texts = np.asarray(without_text, np.float64).ravel()
    if why := unknown_texts(value, texts):
        return why
    return TwoWay(float(value), jackknife(texts), 0.0, float("nan"), texts.size, 0, inf, runs=runs, runs_df=runs_df)


def satterthwaite(parts: Sequence[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of variances, each with its own; infinite for a sum of nothing."""
    below = sum(variance**2 / df for variance, df in parts)
    return sum(variance for variance, _ in parts) ** 2 / below if below > 0 else inf


def t_p_value(value: float, variance: float, df: float) -> float:
    """How likely a value at least so far from 0 is where 0 is true: two-sided, and never 0."""
    from scipy.special import stdtr  # noqa: PLC0415 - scipy takes its time

    p = 2 * float(stdtr(df, -abs(value) / sqrt(variance)))
    return min(1.0, max(p, float_info.min))


def t_half_width(parts: Sequence[tuple[float, float]], confidence_level: float) -> float:
    """Half the width of a t interval of variances that add up, each with its degrees of freedom."""
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy takes its time

    variance = sum(each for each, _ in parts)
    return float(stdtrit(satterthwaite(parts), tails(confidence_level)[1])) * sqrt(variance) if variance > 0 else 0.0


def t_interval(
    value: float,
    parts: Sequence[tuple[float, float]],
    confidence_level: float,
    scale: Scale,
    method: str,
    *,
    half: float | None = None,
) -> Interval | Undefined:
    """A t interval of variances of texts, judges, runs and pools, inside a range, or why it would say nothing.

    ``half``: half its width; None: that of the variances' sum.
    """
    ends = scale.ends(value, t_half_width(parts, confidence_level) if half is None else half)
    if ends is None:
        return Undefined.AT_AN_END
    if scale.says_little(*ends):
        uncertain = [variance**2 / df for variance, df in parts]
        return TOO_FEW[uncertain.index(max(uncertain))]
    return Interval(*ends, confidence_level, method)


def unknown_texts(value: float, texts: Floats) -> Undefined | None:
    """Why nothing can be said over texts alone."""
    reasons = (
        (texts.size < 2, Undefined.ONE_UNIT),
        (isnan(value), Undefined.NO_VALUE),
        (np.isnan(texts).any(), Undefined.WITHOUT_A_TEXT),
        (not texts.size or np.ptp(texts) <= ROUNDING, Undefined.SAME_TEXTS),
    )
    return next((why for holds, why in reasons if holds), None)


def _undefined_reason(value: float, texts: Floats, judges: Floats, *, moderated: bool, few: bool) -> Undefined | None:
    """Why nothing can be said."""
    if judges.size < 2 and not moderated:
        return Undefined.ONE_JUDGE
    if not isnan(value) and np.isnan(judges).any():
        return Undefined.WITHOUT_A_JUDGE
    if why := unknown_texts(value, texts):
        return why
    return Undefined.SAME_JUDGES if not (moderated or few) and np.ptp(judges) <= ROUNDING else None


def jackknife(without: ArrayLike) -> float:
    """The jackknife's variance of values with one of n left out; shape (n,)."""
    left = np.asarray(without, np.float64)
    return float((left.size - 1) / left.size * np.sum((left - left.mean()) ** 2))


def _interaction(without: Floats) -> float:
    """V_EA of a table of judges and texts; NaN where a cell is."""
    m, n = without.shape
    residuals = without - without.mean(axis=1, keepdims=True) - without.mean(axis=0, keepdims=True) + without.mean()
    return float((m - 1) * (n - 1) / (m * n) * np.sum(residuals**2))


def moderated_variance(own: V, own_df: float, known: V, known_df: float) -> V:
    """A variance, or a covariance, drawn towards one that is known beforehand."""
    return (known_df * known + own_df * own) / (known_df + own_df)


def moderate(found: TwoWay, prior: VariancePrior) -> TwoWay:
    """The components with V_A drawn towards a prior variance."""
    own = found.n_judges - 1
    judges = moderated_variance(found.judges, own, prior.variance, prior.df)
    return found._replace(judges=judges, judges_df=prior.df + own, moderated=True)


def lean_less(found: TwoWay, prior: VariancePrior, share: float) -> TwoWay:
    """The components with a share of the prior variance that they were moderated with."""
    excess = (1 - share) * prior.variance * prior.df / found.judges_df
    return found._replace(judges=found.judges - excess)


def replication(value: float, variance: float, df: float) -> float:
    """How likely a difference is above 0 again, on as many other texts by as many other judges."""
    from scipy.special import stdtr  # noqa: PLC0415 - scipy takes its time

    return float(stdtr(df, value / sqrt(2 * variance)))


def judge_variances(values: ArrayLike, masks: NDArray[np.uint8]) -> Floats | None:
    """Variances over sets of judges without assumptions, or None where no two sets share nobody.

    Args:
        values: A score for each set of k judges; shape (sets,).
        masks: Who is in each; shape (sets, judges).

    Returns:
        zeta_0 to zeta_k, NaN where no two sets share so many; zeta_k is the variance over fresh sets.
    """
    halves = half_squares(values, masks)
    return None if np.isnan(halves[0]) else np.asarray(halves[0] - halves, np.float64)


def half_squares(values: ArrayLike, masks: NDArray[np.uint8]) -> Floats:
    """D_0 to D_k: half the mean squared difference of two sets of k judges that share so many; NaN where none do."""
    scores, members = np.asarray(values, np.float64), masks.astype(np.int64)
    k = int(members[0].sum())
    first, second = np.triu_indices(len(scores), 1)
    shared = (members @ members.T)[first, second]
    squares = 0.5 * (scores[first] - scores[second]) ** 2
    counts = np.bincount(shared, minlength=k + 1)
    halves = np.divide(
        np.bincount(shared, squares, minlength=k + 1), counts, out=np.full(k + 1, np.nan), where=counts > 0
    )
    halves[k] = 0.0
    return np.asarray(halves, np.float64)


def unbiased_variance(zeta: Floats, n_judges: int) -> float:
    """The variance of the mean over all sets of k of the judges, of zeta_0 to zeta_k; NaN where one is missing."""
    k = len(zeta) - 1
    weights = [comb(k, c) * comb(n_judges - k, k - c) / comb(n_judges, k) for c in range(k + 1)]
    return float(sum(weight * each for weight, each in zip(weights[1:], zeta[1:].tolist(), strict=True) if weight))


# What more judges, or more texts, would bring: the interval that is expected there, and what it would find.
#
# Formula Of V_E, V_A and V_EA of n texts and m judges (errorbar.stats.two_way): s2_A = m (V_A - V_EA), s2_E = n (V_E -
# V_EA) and s2_EA = n m V_EA, negatives set to 0. Of other numbers of them V_E = s2_E/n + s2_EA/(nm) and V_A = s2_A/m +
# s2_EA/(nm); V_EA is in both, as in the interval. Where a population of judges is known, the V_A to expect is lambda
# s2, s2 the population's variance and lambda what the pilot says of it: (d + (m - 1) V_A/s2) / (d + m - 1), the
# pilot's own V_A and s2, d the prior's degrees of freedom. The V_A that m other judges will show is V_A F(q) at
# quantile q, F with m - 1 degrees of freedom and those of the pilot (chi2_{m-1}(q) / (m - 1) of a pilot that knows
# V_A); the interval is then made as errorbar.stats.two_way makes it, moderated where it will be. The half-width to
# expect is that of q = 1/2. Its 10-90 % range, and the chance to find a difference D, are taken over everything that
# another corpus and other judges change: V_E by F with n - 1 and n_p - 1 degrees of freedom (n_p texts of the pilot),
# the true V_A by inverse chi-square with those of the pilot, the observed one by chi-square, s2 by the score that it
# depends on, and of a difference by V_E. D is found where the estimate, normal about it with the true V, is farther
# from 0 than t sqrt(V observed). Conventions The score against k judges is another score for each k, and no law leads
# from one to the other. The range and the chance are sums over a grid of equally likely values of each of the four,
# without draws. Source Brennan 2001, Generalizability Theory, for decision studies; docs/judges.md for how well it
# predicts.


CELLS = 8
"""Equally likely values of each of what varies."""
LOW, HIGH = 0.1, 0.9
"""Quantiles of the range."""


class Components(NamedTuple):
    """Variances of one text, one judge, and one judgment; of a measure as a fraction."""

    judges: float
    texts: float
    both: float

    @classmethod
    def of(cls, parts: TwoWay, n_texts: int) -> Components:
        """Those of a score; ``n_texts`` are not those of ``parts`` where texts were left out in groups."""
        m, both = parts.n_judges, 0.0 if isnan(parts.both) else parts.both
        return cls(
            max(0.0, m * (parts.judges - both)), max(0.0, n_texts * (parts.texts - both)), max(0.0, n_texts * m * both)
        )

    def over_texts(self, n_texts: float, n_judges: float) -> float:
        """V_E of so many texts and judges."""
        return self.texts / n_texts + self.both / (n_texts * n_judges)

    def over_judges(self, n_texts: float, n_judges: float) -> float:
        """V_A of so many texts and judges."""
        return self.judges / n_judges + self.both / (n_texts * n_judges)


class WidthRange(NamedTuple):
    """The half-width to expect, and its 10-90 % range; None where the interval would leave nearly all possible."""

    expected: float | None
    low: float | None
    high: float | None


class PlannedInterval(NamedTuple):
    """The interval of a score, or a difference, over texts and judges that are still to come."""

    value: float
    texts: float  # V_E to expect
    judges: float  # V_A to expect
    n_texts: float
    n_judges: int
    pilot_texts: float  # degrees of freedom of what is known of V_E
    pilot_judges: float  # and of V_A
    prior: VariancePrior | None = None  # what V_A will be moderated with; None: V_A as it is
    prior_follows: float = 0.0  # the power of V_E that the prior goes with: that of a difference does
    prior_spread: float = 0.0  # standard deviation of the logarithm of the prior: it depends on a score not yet known

    def half_width(self, confidence_level: float, scale: Scale = ANYWHERE, quantile: float = 0.5) -> float | None:
        """Half the width of the interval if V_A comes out at a quantile; None where it would say nothing."""
        from scipy.special import fdtri  # noqa: PLC0415 - scipy takes its time

        if self._untold:
            return None
        df = self.n_judges - 1.0
        judges = self.judges * float(fdtri(df, self.pilot_judges, quantile)) if df else 0.0
        if self.prior is not None:
            judges, df = moderated_variance(judges, df, self.prior.variance, self.prior.df), df + self.prior.df
        return self._within(scale, t_half_width([(self.texts, self.n_texts - 1), (judges, df)], confidence_level))

    def widths(self, confidence_level: float, scale: Scale = ANYWHERE) -> WidthRange:
        """The half-width to expect and its range."""
        if self._untold:
            return WidthRange(None, None, None)
        low, high = np.quantile(self._half_widths(confidence_level)[0], [LOW, HIGH]).tolist()
        expected = self.half_width(confidence_level, scale)
        return WidthRange(expected, self._within(scale, low), self._within(scale, high))

    def chance(self, difference: float, confidence_level: float) -> float | None:
        """How likely a true difference is found, the right way round; None where nothing could be tested."""
        from scipy.special import ndtr  # noqa: PLC0415 - scipy takes its time

        if self._untold:
            return None
        half, true = self._half_widths(confidence_level)
        return float(np.mean(ndtr((abs(difference) - half) / np.sqrt(true))))

    @property
    def _untold(self) -> bool:
        """Whether one judge would have to show how judges vary."""
        return self.n_judges < 2 and self.prior is None

    def _half_widths(self, confidence_level: float) -> tuple[Floats, Floats]:
        """Equally likely half-widths, and the true variances that belong to them; shape (cells,) each."""
        from scipy.special import chdtri, fdtri, ndtri, stdtrit  # noqa: PLC0415 - scipy takes its time

        middles, own = (np.arange(CELLS) + 0.5) / CELLS, self.n_judges - 1
        axes = (
            self.texts * fdtri(self.n_texts - 1, self.pilot_texts, middles),
            np.exp(self.prior_spread * ndtri(middles)),
            self.pilot_judges / chdtri(self.pilot_judges, middles),
            chdtri(own, middles) / own if own else np.zeros(1),
        )
        texts, moved, drawn, shown = (each.ravel() for each in np.meshgrid(*axes))
        moved = moved * (texts / self.texts) ** self.prior_follows
        true = self.judges * moved * drawn
        judges, df = true * shown, float(own)
        if self.prior is not None:
            judges = moderated_variance(judges, df, self.prior.variance * moved, self.prior.df)
            df += self.prior.df
        variance = texts + judges
        t = stdtrit(variance**2 / (texts**2 / (self.n_texts - 1) + judges**2 / df), tails(confidence_level)[1])
        return np.asarray(t * np.sqrt(variance), np.float64), texts + true

    def _within(self, scale: Scale, half: float) -> float | None:
        """A half-width, made inside the range of a measure."""
        ends = scale.ends(self.value, half)
        return None if ends is None or scale.says_little(*ends) else (ends[1] - ends[0]) / 2


# Ratios of sums whose units come in clusters: the jackknife over these.


def clustered_interval(
    sums: ArrayLike, formula: Callable[[Floats], Floats], confidence_level: float, scale: Scale
) -> tuple[float, Interval | Undefined]:
    """The value of sums over clusters, and its interval over clusters, or why there is none.

    Formula
        v = f(Σ_c x_c) of the C clusters' sums x_c; v(-c) = f without cluster c; V = (C - 1)/C Σ (v(-c) - mean)²; the
        interval is v -+ t(C - 1) sqrt(V), made on the scale (above 0 on that of logarithms).
    Source
        Tukey 1958; Cochran 1977, section 6.17, for ratios of sums.

    Args:
        sums: What each cluster adds; shape (clusters, k).
        formula: Gives the values of sums, shape (..., k) to (...), NaN where there is none.
        confidence_level: Nominal coverage.
        scale: The range of the value.
    """
    table = np.asarray(sums, np.float64)
    total = table.sum(axis=0)
    value, without = float(formula(total)), formula(total - table)
    if why := unknown_texts(value, without):
        return value, why
    variance = [(jackknife(without), float(len(table) - 1))]
    return value, t_interval(value, variance, confidence_level, scale, "jackknife over clusters, t")
