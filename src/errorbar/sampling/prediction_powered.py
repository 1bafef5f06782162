"""Cheap plus expensive labels: many items with votes of a crowd or a model, some of them with experts' labels.

Formula
    f is the cheap share of an item, Y the expert label, of n items. Without end (``ppi_mean``): θ = λ mean f(U) +
    mean(Y − λ f) over N further items U, Var = λ² Var f(U) / N + Var(Y − λ f) / n, and the best
    λ = Cov(Y, f) / [(1 + n/N) Var f], between 0 and 1. In a stratum of N items of which m have votes and n of those
    an expert label (``assisted_total``): T = N [λ mean_m f + mean_n(Y − λ f)],
    Var = N² [s_Y² (1/m − 1/N) + s_d² (1/n − 1/m)] with d = Y − λ f, and the best λ = Cov(Y, f) / Var f.
Conventions
    Variances of ``ppi_mean`` divide by n and N, as published, unless it is told otherwise, and so do those of its λ
    (Var f over all items); those of a stratum by n − 1. Power tuning: where the cheap labels do not help in the sample
    (λ ≤ 0, or s_d ≥ s_Y), or there are fewer than ``FEWEST`` expert labels, or all experts said the same, λ is 0, which
    is experts alone. Experts must have labeled a random part of what has votes, and f may not have been tuned on their
    labels. In a sample experts also stand alone where fewer than ``FEW`` errors, or fewer than ``FEW`` items without
    one, were judged: the votes' own errors cannot be learnt from so few. Intervals rest on a variance that is guarded,
    and experts stand alone where theirs is smaller: help never makes the total of a stratum less sure.
Source
    Angelopoulos et al. 2023, Science 382 (PPI); Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453 (PPI++); Fisch
    et al. 2024, arXiv 2406.04291 (in strata); Cochran 1977, section 12.2 for two phases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest
from errorbar.sampling.draw import JudgedSample, Key, check_frame
from errorbar.sampling.frame import FEW, HALF, Frame, Totals, stratify
from errorbar.stats.resampling import z_value

FEWEST = 10
Divisor = Literal["n", "n - 1"]


@dataclass(frozen=True, slots=True)
class TrustedMean:
    """A mean and how far the cheap labels were trusted."""

    estimate: Estimate
    standard_error: float
    trust: float  # λ, 0 to 1; 0 is experts alone


def ppi_mean(
    labels: ArrayLike,
    cheap: ArrayLike,
    unlabeled: ArrayLike,
    *,
    trust: float | None = None,
    confidence_level: float = 0.95,
    divisor: Divisor = "n",
) -> TrustedMean:
    """The mean of expert labels in a population without end.

    Args:
        labels: Expert labels; shape (n,).
        cheap: Cheap labels of the same items; shape (n,).
        unlabeled: Cheap labels of other items; shape (N,).
        trust: λ; None: the best one.
        confidence_level: Nominal coverage.
        divisor: Of the variances, as published ``n``; ``n - 1`` is a little wider, which few labels deserve.

    Raises:
        UsageError: If there are no labels or too few for the divisor, shapes do not fit, or no divisor is called so.
    """
    y, f, u = (np.asarray(column, np.float64) for column in (labels, cheap, unlabeled))
    if divisor not in get_args(Divisor):
        message = f"no divisor is called '{divisor}'"
        raise UsageError(Problem("sample-ppi", message, fix=nearest(divisor, get_args(Divisor))))
    if y.ndim != 1 or y.shape != f.shape or u.ndim != 1 or not y.size or not u.size:
        message = f"{y.shape} expert labels, {f.shape} and {u.shape} cheap ones"
        raise UsageError(
            Problem("sample-ppi", message, expected="as many cheap as expert labels, and further cheap ones")
        )
    less = get_args(Divisor).index(divisor)
    if min(y.size, u.size) <= less:
        message = f"variances that divide by n - 1 of {y.size} expert labels and {u.size} further items"
        raise UsageError(Problem("sample-ppi", message, expected="at least 2 of each"))
    if trust is None:
        trust = min(max(best_trust(y, f, u), 0.0), 1.0)
    residuals = y - trust * f
    value = float(trust * u.mean() + residuals.mean())
    error = float(np.sqrt(trust**2 * u.var(ddof=less) / u.size + residuals.var(ddof=less) / y.size))
    half = z_value(confidence_level) * error
    interval = Interval(value - half, value + half, confidence_level, "ppi") if error > 0 else Undefined.ZERO_WIDTH
    return TrustedMean(Estimate(value, int(y.size)).with_interval(interval), error, trust)


def best_trust(labels: Floats, cheap: Floats, unlabeled: Floats) -> float:
    """The λ of the smallest variance, of any size and sign; 0 where cheap labels never vary or one label is known."""
    spread = float(np.concatenate([cheap, unlabeled]).var())
    if labels.size < 2 or spread == 0:
        return 0.0
    return float(np.cov(labels, cheap, ddof=0)[0, 1]) / ((1 + labels.size / unlabeled.size) * spread)


def assisted_total(labels: Floats, cheap: Floats, voted: Floats, size: int) -> tuple[float, float, float]:
    """The errors of a stratum of ``size`` items: the total, its variance, and the best λ.

    Expert ``labels``, two or more, and ``cheap`` ones of the same items have shape (n,), those ``voted`` on shape (m,).
    """
    trust, spread = 0.0, float(cheap.var(ddof=1))
    if len(labels) >= FEWEST and spread > 0 and labels.var() > 0:
        best = min(max(float(np.cov(labels, cheap)[0, 1]) / spread, 0.0), 1.0)
        trust = best if (labels - best * cheap).var() < labels.var() else 0.0
    residuals = labels - trust * cheap
    total = size * (trust * voted.mean() + residuals.mean())
    n, m = len(labels), len(voted)
    variance = size**2 * (labels.var(ddof=1) * (1 / m - 1 / size) + residuals.var(ddof=1) * (1 / n - 1 / m))
    return float(total), float(variance), trust


def guarded_variance(labels: Floats, cheap: Floats, voted: Floats, size: int, trust: float) -> float:
    """The variance of ``assisted_total`` as if votes had misled twice more, which is what intervals rest on.

    Of few errors the votes may have seen all by luck, and then Y − λ f hardly varies in the sample. One error with the
    lowest vote and one item without, with the highest vote, are added to the squares (not to the divisor).
    """
    n, m = len(labels), len(voted)
    alone, helped = (guarded_square(labels, cheap, voted, weight) for weight in (0.0, trust))
    return size**2 * (alone * (1 / m - 1 / size) + helped * (1 / n - 1 / m))


def variance_kept(assisted: AssistedTotals) -> Floats:
    """The share of the variance of expert labels that cheap ones leave in each stratum: 1 − ρ², guarded; (strata,)."""
    kept = np.ones(len(assisted.trust))
    for at, (part, trust) in enumerate(zip(assisted.votes, assisted.trust.tolist(), strict=True)):
        if part is not None and trust > 0:
            alone, helped = (guarded_square(part.labels, part.cheap, part.voted, weight) for weight in (0.0, trust))
            kept[at] = min(helped / alone, 1.0)
    return kept


def _variance_alone(labels: Floats, size: int, spread: float) -> float:
    """The smoothed variance that experts' intervals rest on where they stand alone (``frame``)."""
    n = len(labels)
    rate = (float(labels.sum()) + HALF) / (n + 2 * HALF)
    return size**2 * (1 - n / size) * rate * (1 - rate) * spread / (n - 1)


def is_too_few(labels: Floats) -> bool:
    """Whether experts' labels of a stratum are too few to learn from how votes err."""
    return len(labels) < 2 or min(labels.sum(), (1 - labels).sum()) < FEW


def guarded_square(labels: Floats, cheap: Floats, voted: Floats, trust: float) -> float:
    """The variance of Y − λ f among items, with the two that ``guarded_variance`` adds."""
    deviations = labels - trust * cheap
    middle = deviations.mean()
    added = (1 - trust * voted.min() - middle) ** 2 + (trust * voted.max() + middle) ** 2
    return float((((deviations - middle) ** 2).sum() + added) / (len(labels) - 1))


@dataclass(frozen=True, slots=True, eq=False)
class StratumVotes:
    """Experts' labels and cheap ones of a stratum."""

    labels: Floats  # experts', 0 to 1; (n,)
    cheap: Floats  # of the same items; (n,)
    voted: Floats  # of all items that have some; (m,)
    size: int


class SizedStrata(Protocol):
    """Strata, as far as totals need them."""

    @property
    def names(self) -> Sequence[str]:
        """Their names."""

    @property
    def sizes(self) -> Counts:
        """How many items each has."""


@dataclass(frozen=True, slots=True, eq=False)
class AssistedTotals:
    """Totals that use cheap labels; all of shape (strata,)."""

    totals: Floats  # errors; NaN where the experts stand alone, as are both variances
    variances: Floats
    trust: Floats  # how far the cheap labels were used, 0 to 1
    voted: tuple[int, ...]  # items that have cheap labels
    guarded: Floats  # the variances that intervals rest on
    votes: tuple[StratumVotes | None, ...] = ()  # of each stratum; None where items that experts judged lack one


def assisted_totals(
    assisted: AssistedTotals, strata: SizedStrata, plain: Totals, smoothed: Totals
) -> tuple[Totals, Totals]:
    """Plain and smoothed totals moved as far as cheap labels say; smoothed ones get the guarded variances."""
    helped = ~np.isnan(assisted.totals)
    moved = np.where(helped, assisted.totals - plain[0], 0.0)

    def with_help(totals: Totals, own: Floats) -> Totals:
        return np.clip(totals[0] + moved, 0, strata.sizes), np.where(helped, own, totals[1])

    return with_help(plain, assisted.variances), with_help(smoothed, assisted.guarded)


def voted_totals(
    frame: Frame, key: Key, judged: JudgedSample, cheap: Mapping[str, float], problems: Problems
) -> AssistedTotals:
    """Combine experts' labels of a drawn sample with cheap ones, item to share that says error, in each stratum."""
    check_frame(frame, key)
    strata, codes = stratify(frame, key.edges)
    return combined_totals(strata, codes, frame.items, judged, cheap, problems)


def combined_totals(
    strata: SizedStrata,
    codes: Counts,
    items: Sequence[str],
    judged: JudgedSample,
    cheap: Mapping[str, float],
    problems: Problems,
) -> AssistedTotals:
    """As ``voted_totals``, of strata; ``codes`` are the strata of all ``items``."""
    votes, expert = (np.array([cheap.get(item, np.nan) for item in names]) for names in (items, judged.items))
    totals, variances, guarded = np.full((3, len(strata.sizes)), np.nan)
    parts: list[StratumVotes | None] = [None] * len(strata.sizes)
    trust, sample = np.zeros(len(strata.sizes)), judged.sample
    has_vote = ~np.isnan(votes)
    for at, (name, size) in enumerate(zip(strata.names, strata.sizes.tolist(), strict=True)):
        if sample.corrected is not None and not sample.corrected[at]:
            # One judgment for each item of a graded truth: how raters vary is not known, nor then what votes save.
            continue
        own = judged.stratum == at
        truth, verdicts, seen = judged.truth[own], expert[own], votes[(codes == at) & has_vote]
        if lacking := int(np.isnan(verdicts).sum()):
            message = f"{lacking} of {len(truth)} items that experts judged in stratum '{name}' have no vote"
            fix = "there the experts' labels stand alone; collect votes for every drawn item"
            problems.note("sample-votes", message, Place(), fix=fix)
            continue
        parts[at] = StratumVotes(truth, verdicts, seen, size)
        if is_too_few(truth):
            continue
        total, variance, weight = assisted_total(truth, verdicts, seen, size)
        careful = guarded_variance(truth, verdicts, seen, size, weight)
        spread = 1.0 if sample.spread is None else float(sample.spread[at])
        if weight > 0 and 0 < total < size and careful <= _variance_alone(truth, size, spread):
            raters = 0.0 if sample.within is None else size * float(sample.within[at])
            trust[at], totals[at], variances[at] = weight, total, variance + raters
            guarded[at] = careful + raters
    voted = np.bincount(codes[has_vote], minlength=len(strata.sizes))
    return AssistedTotals(totals, variances, trust, tuple(voted.tolist()), guarded, tuple(parts))
