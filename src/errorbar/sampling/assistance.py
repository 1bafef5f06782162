"""The help of cheap labels, of a crowd or a model: both estimates, Rogan and Gladen's, and what was saved.

Formula
    A score is θ(T) with T the errors of the strata and g its slopes at the assisted totals. Stratum h has N_h items,
    m_h with a cheap share f and n_h of those with an expert label Y.
    Rogan and Gladen: T_h = N_h (mean_m f − a₀) / (a₁ − a₀), cut to 0 and N_h, with a₁ the mean of f over errors and
    a₀ that over the others (sensitivity and 1 − specificity where f is 0 or 1), of all strata together, each judged
    item counting N_h / n_h. Its slopes by a₁ and a₀ are −N_h π_h / (a₁ − a₀) and −N_h (1 − π_h) / (a₁ − a₀). An item's
    influence is that on a₁ and a₀ through them; Var = Σ_h (1 − n_h/N_h) n_h s²(influences), and where m_h < N_h,
    (g_h N_h / (a₁ − a₀))² s_f² (1/m_h − 1/N_h) more. The items of a stratum differ from a₁ and a₀ by chance, also if
    all are judged: with E_h errors, E in all, s₁² the variance of f among them, and the like of the others,
    s₁² [Σ g_h² E_h − (Σ g_h E_h)² / E] / (a₁ − a₀)² more. The difference from the assisted estimate takes the
    differences of the influences, of which the assisted one is g_h N_h (Y − λ_h f) / n_h.
    Saved judgments: r n − n. With c_h = (g_h N_h)² s_Y² and d_h the same of Y − λ_h f, experts alone would need r
    times as many items of each stratum for the assisted variance: r = A / B, A = Σ c_h / n_h and
    B = Σ c_h / m_h + d_h (1/n_h − 1/m_h). ln r has the influences ((Y − Ȳ)² − s_Y²) (g_h N_h)² (1/(n_h A) − 1/(m_h B))
    / n_h less the like of d with (1/n_h − 1/m_h) / B; the interval is r exp(±z SE).
Conventions
    Few labels may seem to save much by luck, as none of the cheap ones' mistakes is among them: s_Y² and s_d² are
    guarded as those of intervals are (``guarded_variance``), but for the upper end of r. So is the variance of the
    difference from Rogan and Gladen's estimate in strata with too few labels for help.
    λ_h is the tuned one; it is at the least of B, so that its own spread moves ln r in the second order only. Where no
    λ is above 0 nothing was saved, without an interval. Rogan and Gladen's estimate needs an error and an item without
    one among the labels, and a₁ > a₀. The two disagree where their difference is beyond z standard errors: then the
    cheap labels err differently in the strata, which the assisted estimate allows for and the other does not. The score
    of cheap labels alone has no interval: its bias is in none.
Source
    Rogan and Gladen 1978, American Journal of Epidemiology 107; Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453
    (effective sample size); Cochran 1977, chapter 5; influences: Deville 1999, Survey Methodology 25.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.sampling.audit import AuditAnswers, AuditedSystem, AuditStrata, estimate_audit, plain_totals
from errorbar.sampling.estimators import Estimation, SystemEstimates, estimate_systems
from errorbar.sampling.frame import TARGETS, Quantity, Sample, Strata, estimated_totals
from errorbar.sampling.prediction_powered import (
    AssistedTotals,
    SizedStrata,
    StratumVotes,
    assisted_totals,
    guarded_square,
    is_too_few,
)
from errorbar.stats.resampling import z_value

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class WeighedScore:
    """A score as a function of the errors in each stratum, and its slopes there; shape (strata,) each."""

    name: str
    system: str
    value: Callable[[Floats], float]
    slope: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Assistance:
    """A score by experts alone, with the help of cheap labels, by these corrected for errors, and by them alone."""

    system: str
    name: str
    alone: Estimate
    assisted: Estimate
    rogan_gladen: Estimate
    apart: float | None  # Rogan and Gladen's minus the assisted one, in standard errors; None: not known
    disagree: bool
    saved: Estimate  # judgments of experts
    cheap_only: float | None


def weigh_sample(
    strata: Strata, sample: Sample, how: Estimation, assisted: AssistedTotals, found: SystemEstimates
) -> list[Assistance]:
    """P, R and F of each system with the help of cheap labels, as ``found``, beside the other ways."""
    alone = found if not assisted.trust.any() else estimate_systems(strata, sample, replace(how, seed=None))
    plain = estimated_totals(sample, strata, add=0)
    totals = assisted_totals(assisted, strata, plain, plain)[0][0]
    result = []
    for at, (own, helped) in enumerate(zip(alone.systems, found.systems, strict=True)):
        for target in TARGETS:
            score = _score_of_quantity(Quantity(target, strata, at, how.beta), own.system)
            estimates = own[target].estimate, helped[target].estimate
            result.append(weigh_assistance(score, strata, assisted, estimates, totals))
    return result


def weigh_audit(
    strata: AuditStrata, heard: AuditAnswers, systems: Sequence[AuditedSystem], level: float
) -> list[Assistance]:
    """The audited precision of each system with the help of cheap labels beside the other ways."""
    if heard.assisted is None:
        return []
    alone, _ = estimate_audit(strata, replace(heard, assisted=None), level=level)
    totals, result = plain_totals(strata, heard), []
    for at, (own, helped) in enumerate(zip(alone, systems, strict=True)):
        weights, system = strata.weights()[at], own.system
        score = _audited_precision(system.name, system.correct / max(system.proposed, 1), weights)
        estimates = own.precision, helped.precision
        result.append(weigh_assistance(score, strata, heard.assisted, estimates, totals))
    return result


def _score_of_quantity(quantity: Quantity, system: str) -> WeighedScore:
    def value(errors: Floats) -> float:
        return float(quantity.value(errors))

    return WeighedScore(quantity.name, system, value, quantity.gradient)


def _audited_precision(system: str, base: float, weights: Floats) -> WeighedScore:
    def value(valid: Floats) -> float:
        return base + float(weights @ valid)

    def slope(_: Floats) -> Floats:
        return weights

    return WeighedScore("audited P", system, value, slope)


def weigh_assistance(
    score: WeighedScore,
    strata: SizedStrata,
    assisted: AssistedTotals,
    estimates: tuple[Estimate, Estimate],
    totals: Floats,
) -> Assistance:
    """Set the ways to estimate a score side by side.

    Args:
        score: What is estimated.
        strata: What was sampled from.
        assisted: The totals with the help of cheap labels, with the labels themselves.
        estimates: By experts alone, and with help; the level of intervals is that of these.
        totals: Those that the assisted estimate is made of.
    """
    alone, helped = estimates
    interval = helped.interval or alone.interval
    level = 0.95 if interval is None else interval.confidence_level
    votes = [part for part in assisted.votes if part is not None]
    value, why = helped.value, helped.undefined or Undefined.NO_VALUE
    if not votes or len(votes) < len(strata.sizes):
        value, why = None, Undefined.NO_VOTES
    elif min(len(part.labels) for part in votes) < 2:
        value, why = None, Undefined.TOO_FEW_JUDGMENTS
    if value is None:
        nothing = Estimate(None, helped.n_units, undefined=why).with_interval(why)
        return Assistance(score.system, score.name, alone, helped, nothing, None, False, nothing, None)
    means = np.array([part.voted.mean() for part in votes])
    slopes = score.slope(totals)
    only = score.value(means * strata.sizes)
    corrected, apart = _correct_rates(score, votes, means, (value, slopes, assisted.trust), level)
    saved = _count_saved(votes, slopes, assisted.trust, level)
    return Assistance(
        *(score.system, score.name, alone, helped, corrected, apart),
        apart is not None and abs(apart) > z_value(level),
        saved,
        None if np.isnan(only) else only,
    )


def _correct_rates(
    score: WeighedScore,
    votes: list[StratumVotes],
    means: Floats,
    assisted: tuple[float, Floats, Floats],
    level: float,
) -> tuple[Estimate, float | None]:
    """Rogan and Gladen's estimate, and how far it is from the assisted one (value, slopes, λ) in standard errors."""
    value, slopes, trust = assisted
    n = sum(len(part.labels) for part in votes)
    sizes = np.array([part.size for part in votes], np.float64)
    weight = [part.size / len(part.labels) for part in votes]
    errors = sum(w * float(part.labels.sum()) for w, part in zip(weight, votes, strict=True))
    others = sum(w * float((1 - part.labels).sum()) for w, part in zip(weight, votes, strict=True))
    if min(errors, others) <= 0:
        return Estimate(None, n, undefined=Undefined.ONE_LABEL).with_interval(Undefined.ONE_LABEL), None
    of_errors = sum(w * float(part.labels @ part.cheap) for w, part in zip(weight, votes, strict=True)) / errors
    of_others = sum(w * float((1 - part.labels) @ part.cheap) for w, part in zip(weight, votes, strict=True)) / others
    gap = of_errors - of_others
    if gap <= 0:
        return Estimate(None, n, undefined=Undefined.UNINFORMATIVE).with_interval(Undefined.UNINFORMATIVE), None
    shares = np.clip((means - of_others) / gap, 0.0, 1.0)
    corrected = score.value(sizes * shares)
    if np.isnan(corrected):
        absent = Undefined.NOTHING_IN_REFERENCE
        return Estimate(None, n, undefined=absent).with_interval(absent), None
    by_errors, by_others = -float(slopes @ (sizes * shares)) / gap, -float(slopes @ (sizes * (1 - shares))) / gap
    own = apart = sum(_chance_of_strata(votes, slopes, errors=are_errors) for are_errors in (True, False)) / gap**2
    for part, w, slope, share_used in zip(votes, weight, slopes.tolist(), trust.tolist(), strict=True):
        influence = by_errors * w * part.labels * (part.cheap - of_errors) / errors
        influence = influence + by_others * w * (1 - part.labels) * (part.cheap - of_others) / others
        residual = slope * w * (part.labels - share_used * part.cheap)
        judged = (1 - len(part.labels) / part.size) * len(part.labels)
        own += judged * float(influence.var(ddof=1))
        apart += judged * float((influence - residual).var(ddof=1))
        if is_too_few(part.labels):
            unseen = guarded_square(part.labels, part.cheap, part.voted, share_used) - float(part.labels.var(ddof=1))
            apart += judged * (slope * w) ** 2 * unseen
        if 1 < len(part.voted) < part.size:
            open_share = (slope * part.size) ** 2 * float(part.voted.var(ddof=1))
            open_share *= 1 / len(part.voted) - 1 / part.size
            own += open_share / gap**2
            apart += open_share * (1 / gap - share_used) ** 2
    half = z_value(level) * float(np.sqrt(own))
    ends: Interval | Undefined = Undefined.ZERO_WIDTH
    if half > 0:
        ends = Interval(max(corrected - half, 0.0), min(corrected + half, 1.0), level, "rogan-gladen, delta")
    distance = (corrected - value) / float(np.sqrt(apart)) if apart > 0 else None
    if abs(corrected - value) < _ROUNDING:  # neither of which varies where the cheap labels are always right
        distance = 0.0
    return Estimate(corrected, n).with_interval(ends), distance


def _chance_of_strata(votes: list[StratumVotes], slopes: Floats, *, errors: bool) -> float:
    """The variance that errors, or the others, bring as cheap labels of each stratum's own items differ by chance."""
    which = [part.labels if errors else 1 - part.labels for part in votes]
    weight = [part.size / len(part.labels) for part in votes]
    counts = np.array([w * own.sum() for w, own in zip(weight, which, strict=True)])
    moments = [
        [w * float(own @ part.cheap**k) for k in (1, 2)] for w, own, part in zip(weight, which, votes, strict=True)
    ]
    mean, square = np.array(moments).sum(axis=0) / counts.sum()
    between = slopes**2 @ counts - (slopes @ counts) ** 2 / counts.sum()
    return float(max(square - mean**2, 0.0) * max(between, 0.0))


def _count_saved(votes: list[StratumVotes], slopes: Floats, trust: Floats, level: float) -> Estimate:
    """How many more items experts alone would have had to judge, in the strata that the score depends on."""
    used = [
        (part, float(slope), float(share))
        for part, slope, share in zip(votes, slopes, trust, strict=True)
        if slope != 0 and len(part.voted) >= len(part.labels)
    ]
    n = sum(len(part.labels) for part, _, _ in used)
    if not any(share > 0 for _, _, share in used):
        return Estimate(0.0, n).with_interval(Undefined.NOT_TRUSTED)
    (value, spread), (plain, plain_spread) = (_times_as_many(used, guarded=guarded) for guarded in (True, False))
    if not spread:
        return Estimate(n * (value - 1), n).with_interval(Undefined.ZERO_WIDTH)
    z = z_value(level)
    low, high = value * float(np.exp(-z * spread)), max(plain, value) * float(np.exp(z * max(plain_spread, spread)))
    ends = Interval(n * (low - 1), n * (high - 1), level, "delta, of logarithms")
    return Estimate(n * (value - 1), n).with_interval(ends)


def _times_as_many(used: Sequence[tuple[StratumVotes, float, float]], *, guarded: bool) -> tuple[float, float]:
    """The ratio r of strata with their slopes and λ, and the standard error of its logarithm; 0: nothing varies."""
    alone = helped = 0.0
    parts = []
    for part, slope, share in used:
        factor, judged, m = (slope * part.size) ** 2, len(part.labels), len(part.voted)
        squares = [factor * (own - own.mean()) ** 2 * judged / (judged - 1) for own in _residuals(part, share)]
        means = [float(own.mean()) for own in squares]
        if guarded:
            labels = part.labels, part.cheap, part.voted
            means = [factor * guarded_square(*labels, weight) for weight in (0.0, share)]
        alone += means[0] / judged
        helped += means[0] / m + means[1] * (1 / judged - 1 / m)
        parts.append((judged, m, *squares))
    if alone <= 0 or helped <= 0:
        return 1.0, 0.0
    variance = 0.0
    for judged, m, c, d in parts:
        influence = (c - c.mean()) * (1 / (judged * alone) - 1 / (m * helped)) / judged
        influence = influence - (d - d.mean()) * (1 / judged - 1 / m) / (judged * helped)
        variance += judged * float(influence.var(ddof=1))
    return alone / helped, float(np.sqrt(variance))


def _residuals(part: StratumVotes, trust: float) -> tuple[Floats, Floats]:
    """Experts' labels, and what is left of them without the cheap ones."""
    return part.labels, part.labels - trust * part.cheap
