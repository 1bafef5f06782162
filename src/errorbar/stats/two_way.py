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
    Runs of a system, e.g. from other seeds: V_R is a third part with its own degrees of freedom, in the sum and in
    Satterthwaite's; where judges are fixed, V = V_E + V_R.
    zeta: D_c is half the mean squared difference of two sets of k judges that share c; zeta_c = D_0 - D_c, so that
    zeta_k = D_0 is the variance of the score over fresh sets. Var U = sum over c from 1 to k of
    C(k,c) C(m - k,k - c)/C(m,k) zeta_c. It needs two sets that share nobody: m >= 2k.
Conventions
    V_E and V_A both hold V_EA. Taking it off once, as in multiway clustering, would estimate the variance itself; it
    lost half a point to a point and a half of coverage in the simulation of docs/judges.md, and is not done. The sum is
    never below 0.
    The jackknife of m judges where U needs all of them estimates, on average from above, (m - 1)/m times the variance
    with m - 1 judges (Efron & Stein); so it is an approximation, and so are the degrees of freedom.
    Nothing is a zero in silence: one text, one judge, a value that is undefined without somebody, or judges (or texts)
    of whom any one can go without any change are named reasons. So is an interval that would leave nearly every value
    possible: too few of what adds most to the uncertainty of V, judges, texts or runs.
Source
    Tukey 1958; Efron & Stein 1981, The jackknife estimate of variance, Annals of Statistics 9; Hoeffding 1948 for
    zeta; Satterthwaite 1946, Biometrics Bulletin 2; Cameron, Gelbach & Miller 2011, JBES 29; Smyth 2004 for moderated
    variances; MacKinnon, Nielsen & Webb 2024, arXiv 2406.08880, for the
    two-way jackknife of regressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb, inf, isnan, sqrt
from sys import float_info
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.estimate import Interval, Scale, Undefined
from errorbar.stats.resampling import ANYWHERE, ROUNDING, tails

Floats = NDArray[np.float64]
V = TypeVar("V", float, NDArray[np.float64])
TOO_FEW = Undefined.TOO_FEW_TEXTS, Undefined.TOO_FEW_JUDGES, Undefined.TOO_FEW_RUNS


@dataclass(frozen=True, slots=True)
class Prior:
    """A variance over judges that is known beforehand."""

    variance: float
    df: float  # degrees of freedom that it counts for


@dataclass(frozen=True, slots=True)
class TwoWay:
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
    def looks_short(self) -> bool:
        """Whether judges seem to differ less than judges and texts together can: the interval is likely too short."""
        return not self.moderated and self.judges < self.both

    def half_width(self, confidence_level: float) -> float:
        """Half the interval's width."""
        return t_half_width(self._parts, confidence_level)

    def interval(self, confidence_level: float, scale: Scale = ANYWHERE) -> Interval | Undefined:
        """The interval over texts and judges inside the range of a measure, or why it would say nothing."""
        method = "two-way jackknife, t" if self.n_judges else "jackknife over texts and runs, t"
        method += ", moderated" if self.moderated else ""
        return t_interval(self.value, self._parts, confidence_level, scale, method)

    @property
    def p_value(self) -> float:
        """How likely a value at least so far from 0 is where 0 is true: two-sided, and never 0."""
        from scipy.special import stdtr  # noqa: PLC0415 - scipy takes its time

        p = 2 * float(stdtr(self.df, -abs(self.value) / sqrt(self.variance)))
        return min(1.0, max(p, float_info.min))


def two_way(
    value: float,
    without_text: ArrayLike,
    without_judge: ArrayLike,
    without_both: ArrayLike | None = None,
    *,
    prior: Prior | None = None,
) -> TwoWay | Undefined:
    """The components of a score's variance, or why they are not known.

    Args:
        value: U.
        without_text: U(-e); shape (texts,), NaN where there is no value.
        without_judge: U(-i); shape (judges,).
        without_both: U(-i,-e); shape (judges, texts); None: not known.
        prior: What V_A is moderated with; None: V_A as it is.
    """
    texts, judges = np.asarray(without_text, np.float64).ravel(), np.asarray(without_judge, np.float64).ravel()
    if reason := _unknown(value, texts, judges, moderated=prior is not None):
        return reason
    both = float("nan") if without_both is None else _interaction(np.asarray(without_both, np.float64))
    found = TwoWay(
        float(value), jackknife(texts), jackknife(judges), both, texts.size, judges.size, float(judges.size - 1)
    )
    return found if prior is None else moderate(found, prior)


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


def t_half_width(parts: Sequence[tuple[float, float]], confidence_level: float) -> float:
    """Half the width of a t interval of variances that add up, each with its degrees of freedom."""
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy takes its time

    variance = sum(each for each, _ in parts)
    return float(stdtrit(satterthwaite(parts), tails(confidence_level)[1])) * sqrt(variance) if variance > 0 else 0.0


def t_interval(
    value: float, parts: Sequence[tuple[float, float]], confidence_level: float, scale: Scale, method: str
) -> Interval | Undefined:
    """A t interval of variances of texts, judges and runs, inside a range, or why it would say nothing."""
    ends = scale.ends(value, t_half_width(parts, confidence_level))
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


def _unknown(value: float, texts: Floats, judges: Floats, *, moderated: bool) -> Undefined | None:
    """Why nothing can be said."""
    if judges.size < 2 and not moderated:
        return Undefined.ONE_JUDGE
    if not isnan(value) and np.isnan(judges).any():
        return Undefined.WITHOUT_A_JUDGE
    if why := unknown_texts(value, texts):
        return why
    return Undefined.SAME_JUDGES if not moderated and np.ptp(judges) <= ROUNDING else None


def jackknife(without: ArrayLike) -> float:
    """The jackknife's variance of values with one of n left out; shape (n,)."""
    left = np.asarray(without, np.float64)
    return float((left.size - 1) / left.size * np.sum((left - left.mean()) ** 2))


def _interaction(without: Floats) -> float:
    """V_EA of a table of judges and texts; NaN where a cell is."""
    m, n = without.shape
    rest = without - without.mean(axis=1, keepdims=True) - without.mean(axis=0, keepdims=True) + without.mean()
    return float((m - 1) * (n - 1) / (m * n) * np.sum(rest**2))


def moderated_variance(own: V, own_df: float, known: V, known_df: float) -> V:
    """A variance, or a covariance, drawn towards one that is known beforehand."""
    return (known_df * known + own_df * own) / (known_df + own_df)


def moderate(found: TwoWay, prior: Prior) -> TwoWay:
    """The components with V_A drawn towards a prior variance."""
    own = found.n_judges - 1
    judges = moderated_variance(found.judges, own, prior.variance, prior.df)
    return replace(found, judges=judges, judges_df=prior.df + own, moderated=True)


def lean_less(found: TwoWay, prior: Prior, share: float) -> TwoWay:
    """The components with a share of the prior variance that they were moderated with."""
    excess = (1 - share) * prior.variance * prior.df / found.judges_df
    return replace(found, judges=found.judges - excess)


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
