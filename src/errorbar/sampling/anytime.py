"""Intervals of P, R, F and numbers of errors that may be looked at after every judgment.

Formula
    ``prior-posterior``: R_h(M_h) is the ratio of prior to posterior of stratum h (``stats.anytime_share``). Strata are
    judged independently, so Π R_h over those that the quantity depends on is a martingale too: kept are all
    (M_1, …, M_H) with Σ ln R_h(M_h) < ln(1/α), and the interval goes from the smallest to the largest value of the
    quantity among them. −ln hyp is convex in M, so the least Σ ln R_h for a given number of hits (or of misses) is
    found by joining the steps of all strata in the order of their slopes; and P, R and F grow with the hits and, R
    and F, fall with the misses.
    ``asymptotic``: θ̂ ± c SE with the factor c of ``stats.running_normal``; θ̂ and SE from totals with half an error more
    on each side (``totals``), which keeps SE above 0.
Conventions
    One stratum: prior-posterior. Several: asymptotic, from 60 judged items on and where at least ten errors and ten
    others were judged on each side that the quantity depends on; before that prior-posterior, which always holds but
    is about a third wider. Strata that are judged whole do not count. Graded truths and ties of raters: asymptotic
    only. A stratum may be judged as much as one likes in reaction to what was seen. More than 2,000 numbers of errors
    of a stratum are looked at in 2,000 steps.
Source
    Waudby-Smith & Ramdas 2020, NeurIPS 33; products of martingales of strata: Spertus & Stark 2022, Sweeter than SUITE,
    E-Vote-ID. Waudby-Smith et al. 2024, Annals of Statistics 52(6).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.sampling.audit_heard import Heard
from errorbar.sampling.audit_plan import AuditStrata
from errorbar.sampling.audited import estimate_audit
from errorbar.sampling.frame import Floats, Strata
from errorbar.sampling.totals import Quantity, Sample, Totals, estimated_totals
from errorbar.stats.anytime_share import finite_bounds_of, finite_evidence
from errorbar.stats.planned_looks import MOST_LOOKS, look_boundaries, nominal_level
from errorbar.stats.resampling import tails
from errorbar.stats.running_normal import LEAST, running_factor

SEEN = 10
"""Errors, and others, that must have been judged on a side before the asymptotic interval is trusted."""
_STEPS = 2000
_ROUNDING = 1e-6


WANTED = 0.05
"""The half-width that is wanted where nobody says."""


@dataclass(frozen=True, slots=True)
class Anytime:
    """Intervals that may be seen after every judgment."""

    half_width: float = WANTED  # wanted, chosen beforehand: where asymptotic intervals are narrowest in comparison

    def __str__(self) -> str:
        return "anytime"


@dataclass(frozen=True, slots=True)
class Look:
    """One of several planned looks, equally spaced; raises ``UsageError`` if there is no such look."""

    at: int  # from 1
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.at <= self.of <= MOST_LOOKS:
            expected = f"the number of this look and of all, up to {MOST_LOOKS}, e.g. 2/5"
            raise UsageError(Problem("look-number", f"look {self.at} of {self.of}", expected=expected))

    def nominal(self, confidence_level: float) -> float:
        """The level of a plain interval at this look, by O'Brien and Fleming's boundary."""
        return nominal_level(_boundaries(self.of, confidence_level)[self.at - 1])

    def __str__(self) -> str:
        return f"look {self.at} of {self.of}"


@cache
def _boundaries(looks: int, confidence_level: float) -> tuple[float, ...]:
    """O'Brien and Fleming's, which every row of a result asks for."""
    return tuple(look_boundaries(looks, confidence_level=confidence_level).tolist())


def anytime_interval(
    quantity: Quantity, sample: Sample, smoothed: Totals, how: Anytime, confidence_level: float
) -> Interval | Undefined:
    """The interval of P, R, F or Q, or why there is none."""
    low, high, method = anytime_bounds(quantity, sample, smoothed, how, confidence_level)
    if np.isnan(low):
        return Undefined.TOO_FEW_UNITS
    return Interval(low, high, confidence_level, method) if low < high else Undefined.ZERO_WIDTH


def anytime_bounds(
    quantity: Quantity, sample: Sample, smoothed: Totals, how: Anytime, confidence_level: float
) -> tuple[float, float, str]:
    """Both ends and the method; NaN where graded truths are too few."""
    sides = [quantity.flags] if quantity.name == "P" else [~quantity.flags] if quantity.name == "Q" else []
    sides = sides or [quantity.flags, ~quantity.flags]
    exact = sample.is_binary and sample.within is None
    several = sum(int(side.sum()) for side in sides) > 1
    if trusted(sample, quantity.strata, sides) and (several or not exact):
        value, error = float(quantity.value(smoothed[0])), float(quantity.standard_error(*smoothed))
        half = error * float(running_factor(max(error, 1e-12), how.half_width, confidence_level=confidence_level))
        return max(value - half, 0.0), min(value + half, 1.0), "anytime, asymptotic"
    if not exact:
        return np.nan, np.nan, ""
    return *joint_bounds(quantity, sample, confidence_level), "anytime, prior-posterior"


def anytime_difference(
    value: float, error: float, sample: Sample, strata: Strata, how: Anytime, confidence_level: float
) -> Interval | Undefined:
    """The asymptotic interval of a difference of two systems, or why there is none."""
    if not trusted(sample, strata, [flags == side for flags in strata.flags for side in (True, False)]):
        return Undefined.TOO_FEW_UNITS
    if not error > 0:
        return Undefined.ZERO_WIDTH
    half = error * float(running_factor(error, how.half_width, confidence_level=confidence_level))
    return Interval(max(value - half, -1.0), min(value + half, 1.0), confidence_level, "anytime, asymptotic")


def anytime_audit(strata: AuditStrata, heard: Heard, system: int, *, how: Anytime, level: float = 0.95) -> Estimate:
    """Audited precision of one system with an interval that may be seen after every judgment.

    Args:
        strata: What was sampled from.
        heard: What was judged; each item is valid or not.
        system: Its number.
        how: The half-width that is wanted of the precision.
        level: Confidence level.

    Formula
        P' = C / P + (u / P) q, q the share of valid ones among the u items that the system proposes: a share of a
        stratified frame, as P of a sample is. Strata that it does not propose play no part; while one that it does has
        no judged item, prior-posterior.
    """
    n, x = heard.sample.n, heard.sample.x
    value = estimate_audit(strata, heard, level=level)[0][system].precision
    about, used = strata.systems[system], strata.flags[system]
    if value.value is None or not used.any():
        return value.with_interval(Undefined.NOTHING_PROPOSED)
    sizes, share = strata.sizes[used], int(strata.sizes[used].sum()) / about.proposed
    # One more item, of the other side and judged: a sample's strata have both.
    flags = np.array([[*[True] * len(sizes), False]])
    both = Strata(("",) * (len(sizes) + 1), np.append(sizes, 1), flags)
    sample = Sample(np.append(n[used], 1), np.append(x[used], 0.0))
    quantity, wanted = Quantity("P", both), Anytime(how.half_width / share)
    if (n[used] == 0).any():
        low, high, method = *joint_bounds(quantity, sample, level), "anytime, prior-posterior"
    else:
        smoothed = estimated_totals(sample, both)
        low, high, method = anytime_bounds(quantity, sample, smoothed, wanted, level)
    if not low < high:
        return value.with_interval(Undefined.ZERO_WIDTH)
    base = about.correct / about.proposed
    return value.with_interval(Interval(base + share * low, base + share * high, level, method))


def trusted(sample: Sample, strata: Strata, sides: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Whether enough was judged for the asymptotic interval; strata that are judged whole add no uncertainty.

    Of many samples at once if they have leading dimensions: their shape.
    """
    enough = sample.n.sum(axis=-1) >= LEAST
    for side in sides:
        unsure = side & (sample.n < strata.sizes)
        errors, others = (np.where(unsure, each, 0).sum(axis=-1) for each in (sample.x, sample.n - sample.x))
        enough &= ~unsure.any(axis=-1) | (np.minimum(errors, others) >= SEEN)
    return np.asarray(enough)


def joint_bounds(quantity: Quantity, sample: Sample, confidence_level: float) -> tuple[float, float]:
    """Both ends of the quantity where no (M_1, …, M_H) with too much evidence against it counts."""
    limit, flags = -np.log(2 * tails(confidence_level)[0]), quantity.flags
    if quantity.name in ("P", "Q"):
        side = flags if quantity.name == "P" else ~flags
        totals, against = _least_evidence(quantity, sample, side, side, limit)
        kept = totals[against < limit]
        size = quantity.strata.sizes[side].sum()
        return float(kept.min() / size), float(kept.max() / size)
    every = np.ones(len(flags), np.bool_)
    hits, against_hits = _least_evidence(quantity, sample, flags, every, limit)
    misses, against = _least_evidence(quantity, sample, ~flags, every, limit)
    best = int(against.argmin())
    room = limit - against_hits
    inside = room >= against[best]
    # On either side of its least value the evidence is monotone.
    fewest = np.interp(room, against[: best + 1][::-1], misses[: best + 1][::-1])[inside]
    most = np.interp(room, against[best:], misses[best:])[inside]
    fewest, most = np.ceil(fewest - _ROUNDING), np.floor(most + _ROUNDING)  # there are no parts of an error
    whole = fewest <= most
    hits = hits[inside][whole]
    return _least(quantity, hits, most[whole]), -_least(quantity, hits, fewest[whole], -1.0)


def _least(quantity: Quantity, hits: Floats, misses: Floats, sign: float = 1.0) -> float:
    """The smallest value of R or F (sign −1: of its negative) over pairs of hits and misses."""
    errors, square = hits + misses, quantity.beta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        values = hits / errors if quantity.name == "R" else (1 + square) * hits / (square * errors + quantity.flagged)
    known = values[~np.isnan(values)]
    return float((sign * known).min()) if len(known) else sign * (0.0 if sign > 0 else 1.0)


def _least_evidence(
    quantity: Quantity, sample: Sample, side: NDArray[np.bool_], every: NDArray[np.bool_], limit: float
) -> tuple[Floats, Floats]:
    """Errors on a side, rising, and the least evidence against so many, over all ways to share them among strata.

    ``every``: the strata of the quantity, of which each leaves the others room by the evidence for it.
    """
    x, n, sizes = sample.x.astype(np.int64), sample.n, quantity.strata.sizes
    peak = np.clip(np.floor(x * (sizes + 1.0) / np.maximum(n, 1)), x, sizes - n + x)
    least = np.where(every, finite_evidence(x, n, sizes, peak), 0.0)
    steps, slopes, total, start = [], [], 0.0, 0.0
    for at in np.flatnonzero(side).tolist():
        room = limit - float(least.sum() - least[at])
        low, high = (int(end) for end in finite_bounds_of(x[at], n[at], sizes[at], room))
        nodes = np.unique(np.rint(np.append(np.linspace(low, high, _STEPS), peak[at])))
        against = finite_evidence(x[at], n[at], sizes[at], nodes)
        total, start = total + float(nodes[0]), start + float(against[0])
        steps.append(np.diff(nodes))
        slopes.append(np.diff(against) / np.diff(nodes))
    step, slope = np.concatenate(steps), np.concatenate(slopes)
    order = np.argsort(slope, kind="stable")
    errors = total + np.concatenate([[0.0], np.cumsum(step[order])])
    return errors, start + np.concatenate([[0.0], np.cumsum((step * slope)[order])])
