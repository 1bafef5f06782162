"""Hits, misses, false positives, P, R and F of a whole corpus from a sample of its strata, and of two systems apart.

Formula
    With totals T_h and variances V_h of ``stratum_totals`` and derivatives g_h of ``quantities``: Var θ = Σ g_h² V_h.
    Intervals: ``near_exact``, or ``logit`` and ``wald`` of ``other_intervals``. Two systems share a sample whose strata
    cross the flags of both (both, only A, only B, neither): d = θ_A − θ_B, Var d = Σ (g_A − g_B)² V_h; for R this is
    ((k = 10) − (k = 01) − d) / Σ T. The interval of d is d ± z SE.
Conventions
    Values and standard errors are plain (Ĥ = N x / n). logit takes smoothed totals, half an error more on each side;
    where no hit or no miss was seen R has the exact box with logit and wald, and so has P at 0 or 1. An interval of
    width zero (everything was judged) is named instead. Intervals of differences are made of smoothed totals unless
    ``add`` is 0; judging both systems on the same items makes them some three times narrower than two samples.
Source
    Tetreault and Chodorow 2008, section 5, who give no interval; Cochran 1977 for the variances; the delta method on
    stratum totals for differences. The choice is measured in docs/design/sampling.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.sampling.near_exact import near_exact_interval
from errorbar.sampling.other_intervals import (
    box_interval,
    logit_bounds,
    posterior_interval,
    posterior_totals,
    total_bounds,
    wald_bounds,
)
from errorbar.sampling.prediction_powered import Assisted, assisted_totals
from errorbar.sampling.quantities import TARGETS, Name, Quantity
from errorbar.sampling.strata import Floats, Strata
from errorbar.sampling.stratum_totals import FEW, HALF, Sample, Totals, estimated_totals
from errorbar.stats.resampling import stream, z_value

Method = Literal["near-exact", "logit", "wald"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class Estimation:
    """How a sample is estimated.

    Attributes:
        beta: Weight of recall in F.
        method: Of the intervals: near-exact, logit or wald.
        confidence_level: Nominal coverage of intervals.
        seed: Of the Bayesian intervals, which need truths that are 0 or 1; None: none are made.

    Raises:
        UsageError: If there is no such method.
    """

    beta: float = 1.0
    method: Method = "near-exact"
    confidence_level: float = 0.95
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            what = f"no interval of a sample is called '{self.method}'"
            raise UsageError(Problem("interval-method", what, fix=nearest(self.method, METHODS)))


@dataclass(frozen=True, slots=True)
class SampleEstimate:
    """One quantity.

    Attributes:
        name: hits, misses, false positives, P, R or F.
        estimate: Value and interval; the first three are numbers of items.
        standard_error: Standard error of the value, or None.
        bayes: The Bayesian interval, or None.
    """

    name: str
    estimate: Estimate
    standard_error: float | None
    bayes: Interval | None = None


@dataclass(frozen=True, slots=True)
class SampleEstimates:
    """Everything about one system.

    Attributes:
        system: Its name.
        rows: Hits, misses, false positives, P, R, F.
        notes: Cells that are small, and bounds where nothing was seen.
    """

    system: str
    rows: tuple[SampleEstimate, ...]
    notes: tuple[Problem, ...]

    def __getitem__(self, name: str) -> SampleEstimate:
        return next(row for row in self.rows if row.name == name)


@dataclass(frozen=True, slots=True)
class SystemEstimates:
    """What a sample says of its systems.

    Attributes:
        systems: One per system, in the order of the strata.
        differences: P, R and F of the first system minus the second, where there are two.
    """

    systems: Sequence[SampleEstimates]
    differences: Sequence[SampleEstimate]

    @property
    def notes(self) -> list[Problem]:
        """Warnings of all systems, each once."""
        return list(dict.fromkeys(note for one in self.systems for note in one.notes))


def estimate_systems(
    strata: Strata, sample: Sample, how: Estimation | None = None, *, assisted: Assisted | None = None
) -> SystemEstimates:
    """Estimate each system, and with two of them their differences.

    ``assisted`` has totals of each stratum from cheap and expensive labels.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    systems = range(len(strata.systems))
    found = [estimate_sample(strata, sample, how, system=system, assisted=assisted) for system in systems]
    return SystemEstimates(found, paired_differences(strata, sample, how, assisted=assisted) if len(found) == 2 else ())


def estimate_sample(
    strata: Strata,
    sample: Sample,
    how: Estimation | None = None,
    *,
    system: int = 0,
    assisted: Assisted | None = None,
) -> SampleEstimates:
    """Estimate one system's scores on the whole corpus; arguments and errors are those of ``estimate_systems``."""
    how = how or Estimation()
    sample.check(strata)
    plain = estimated_totals(sample, strata, add=0)
    smoothed = estimated_totals(sample, strata, add=0 if how.method == "wald" else HALF)
    posterior = None
    if how.seed is not None and sample.is_binary and assisted is None:
        posterior = posterior_totals(sample, strata, stream(how.seed, "sample", "bayes"))
    if assisted is not None:
        plain, smoothed = assisted_totals(assisted, strata, plain, smoothed)
    n = int(sample.n.sum())

    def row(name: Name) -> SampleEstimate:
        quantity = Quantity(name, strata, system, how.beta)
        value = float(quantity.value(plain[0]))
        if np.isnan(value):
            missing = Estimate(None, n, undefined=Undefined.NOTHING_IN_REFERENCE)
            return SampleEstimate(name, missing.with_interval(Undefined.NOTHING_IN_REFERENCE), None)
        made = _interval(quantity, sample, plain, smoothed, how)
        bayes = None if posterior is None else posterior_interval(quantity, posterior, how.confidence_level)
        error = float(quantity.standard_error(*plain))
        return SampleEstimate(name, Estimate(value, n).with_interval(made), error, bayes)

    precision, misses = row("P"), row("Q")
    flagged = strata.n_flagged(system)
    rows = (
        _scaled("hits", precision, flagged),
        _scaled("misses", misses, int(strata.sizes.sum()) - flagged),
        _scaled("false positives", precision, flagged, mirrored=True),
        precision,
        row("R"),
        row("F"),
    )
    own = {each.name: each.estimate.interval for each in rows} if how.method == "near-exact" else {}
    return SampleEstimates(strata.systems[system], rows, tuple(_notes(Quantity("P", strata, system), sample, how, own)))


def paired_differences(
    strata: Strata,
    sample: Sample,
    how: Estimation | None = None,
    *,
    add: float = HALF,
    assisted: Assisted | None = None,
) -> tuple[SampleEstimate, ...]:
    """The differences of P, R and F of two systems, first minus second.

    ``add`` smooths the interval (0: not); the other arguments are those of ``estimate_systems``.

    Raises:
        UsageError: If there is one system only, or the sample does not fit the strata.
    """
    how = how or Estimation()
    if len(strata.systems) != 2:
        what = "a difference needs two systems"
        raise UsageError(Problem("sample-systems", what, fix="draw a sample for two systems: two files of flags"))
    sample.check(strata)
    plain, smoothed = estimated_totals(sample, strata, add=0), estimated_totals(sample, strata, add=add)
    if assisted is not None:
        plain, smoothed = assisted_totals(assisted, strata, plain, smoothed)
    rows = []
    for name in TARGETS:
        value, error = difference(name, *plain, strata, beta=how.beta)
        n = int(sample.n.sum())
        if np.isnan(value):
            missing = Estimate(None, n, undefined=Undefined.NOTHING_IN_REFERENCE)
            rows.append(SampleEstimate(name, missing.with_interval(Undefined.NOTHING_IN_REFERENCE), None))
            continue
        middle, width = difference(name, *smoothed, strata, beta=how.beta)
        half = z_value(how.confidence_level) * width
        interval = Interval(max(middle - half, -1.0), min(middle + half, 1.0), how.confidence_level, "wald")
        made = interval if half > 0 else Undefined.ZERO_WIDTH
        rows.append(SampleEstimate(name, Estimate(value, n).with_interval(made), error))
    return tuple(rows)


def difference(
    name: Name, totals: Floats, variances: Floats, strata: Strata, *, beta: float = 1.0
) -> tuple[float, float]:
    """The first system's value minus the second's, and its standard error."""
    one, two = (Quantity(name, strata, system, beta) for system in range(2))
    error = np.sqrt(((one.gradient(totals) - two.gradient(totals)) ** 2 * variances).sum(axis=-1))
    return float(one.value(totals) - two.value(totals)), float(error)


def _interval(
    quantity: Quantity, sample: Sample, plain: Totals, smoothed: Totals, how: Estimation
) -> Interval | Undefined:
    if how.method == "near-exact":
        return near_exact_interval(quantity, sample, plain[0], smoothed[1], how.confidence_level)
    if _at_edge(quantity, sample):
        box = box_interval(quantity, sample, how.confidence_level)
        return box if box.low != box.high else Undefined.ZERO_WIDTH  # all that the quantity rests on was judged
    bounds = logit_bounds if how.method == "logit" else wald_bounds
    low, high = (float(end) for end in bounds(quantity, *smoothed, how.confidence_level))
    return Interval(low, high, how.confidence_level, how.method) if low < high else Undefined.ZERO_WIDTH


def _at_edge(quantity: Quantity, sample: Sample) -> bool:
    """Whether the sample shows 0 or 1, or a recall that hangs on something not seen."""
    flags, name = quantity.flags, quantity.name
    hits, misses = sample.x[flags].sum(), sample.x[~flags].sum()
    all_hits, all_misses = sample.n[flags].sum(), sample.n[~flags].sum()
    if name in ("P", "Q"):
        return bool(hits in (0, all_hits) if name == "P" else misses in (0, all_misses))
    return bool(hits == 0 or (misses == 0 and (name == "R" or hits == all_hits)))


def _scaled(name: str, row: SampleEstimate, size: int, *, mirrored: bool = False) -> SampleEstimate:
    """A share as a number of items; mirrored: of the others."""

    def scale(interval: Interval | None) -> Interval | None:
        if interval is None:
            return None
        ends = [size * (1 - end) if mirrored else size * end for end in (interval.low, interval.high)]
        return replace(interval, low=min(ends), high=max(ends))

    share = row.estimate.value
    assert share is not None  # P and Q exist always
    estimate = Estimate(size * (1 - share) if mirrored else size * share, row.estimate.n_units)
    made = scale(row.estimate.interval) or row.estimate.no_interval or Undefined.ZERO_WIDTH
    error = None if row.standard_error is None else size * row.standard_error
    return SampleEstimate(name, estimate.with_interval(made), error, scale(row.bayes))


def _notes(
    quantity: Quantity, sample: Sample, how: Estimation, own: Mapping[str, Interval | None]
) -> Sequence[Problem]:
    """What to be told about few hits or misses; own: intervals by row whose ends are exact where none were seen."""
    found = []
    strata, flags = quantity.strata, quantity.flags
    for side, word in ((flags, "hits"), (~flags, "misses")):
        seen, judged, size = float(sample.x[side].sum()), int(sample.n[side].sum()), int(strata.sizes[side].sum())
        what = f"{_number(seen, word)} in {_number(judged, 'judged items')} for {strata.systems[quantity.system]}"
        if judged == size:
            continue
        if seen == 0:
            interval = own.get(word)
            if interval is None:
                level = 1 - (1 - how.confidence_level) / int(side.sum())
                counts = zip(sample.n[side].tolist(), strata.sizes[side].tolist(), strict=True)
                bound = float(sum(total_bounds(0, n, N, confidence_level=level)[1] for n, N in counts))
            else:
                bound = interval.high
            most = f"{bound:.1f}".removesuffix(".0")  # as many digits as the row has
            what += f": with {100 * how.confidence_level:g} % confidence there are at most {most} among {size}"
            found.append(Problem("sample-none-seen", what, fix="judge more of that side", severity="warning"))
        elif seen < FEW:
            fix = f"with fewer than {FEW} the interval is wide and not symmetric: judge more of that side"
            found.append(Problem("sample-few", what, fix=fix, severity="warning"))
    return found


def _number(n: float, many: str) -> str:
    """``2 misses``, ``1 miss``, ``1 judged item``."""
    one = many.removesuffix("es") if many == "misses" else many.removesuffix("s")
    return f"{n:g} {one if n == 1 else many}"
