"""Hits, misses, false positives, P, R and F of a whole corpus from a sample of its strata.

Formula
    With totals T_h and variances V_h of ``totals`` and the derivatives g_h of ``quantities``: Var θ = Σ g_h² V_h.
    near-exact: as in ``near_exact``. logit: the ends are those of ln(θ / (1 − θ)) ± z SE(θ) / (θ (1 − θ)), turned back;
    for R this is ln H − ln M with variance Var H / H² + Var M / M². wald: θ ± z SE.
Conventions
    Values and standard errors are plain (Ĥ = N x / n). logit takes smoothed totals, half an error more on each side;
    where no hit or no miss was seen R has the exact box with logit and wald, and so has P at 0 or 1. An
    interval of width zero (everything was judged) is named instead.
Source
    Tetreault and Chodorow 2008, section 5, who give no interval; Cochran 1977 for the variances. The choice is
    measured in docs/design/sampling.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.sampling.bayes import DRAWS, posterior_interval, posterior_totals
from errorbar.sampling.exact import box_interval, total_bounds
from errorbar.sampling.near_exact import near_exact_interval
from errorbar.sampling.quantities import Name, gradient, quantity
from errorbar.sampling.strata import Floats, Strata
from errorbar.sampling.totals import FEW, HALF, Assisted, Sample, assisted_totals, estimated_totals
from errorbar.stats.distributions import z_value

Method = Literal["near-exact", "logit", "wald"]
METHODS: tuple[Method, ...] = get_args(Method)


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
    bayes: Interval | None


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


def estimate_sample(
    strata: Strata,
    sample: Sample,
    *,
    system: int = 0,
    beta: float = 1.0,
    method: Method = "near-exact",
    confidence_level: float = 0.95,
    rng: np.random.Generator | None = None,
    draws: int = DRAWS,
    assisted: Assisted | None = None,
) -> SampleEstimates:
    """Estimate a system's scores on the whole corpus.

    Args:
        strata: What was sampled from.
        sample: What was judged; shape (strata,).
        system: Which system.
        beta: Weight of recall in F.
        method: near-exact, logit or wald.
        confidence_level: Nominal coverage.
        rng: Stream of the Bayesian intervals; None: none are made.
        draws: How many draws they rest on.
        assisted: Totals of each stratum from cheap and expensive labels (``assist``).

    Raises:
        UsageError: If the sample does not fit the strata, or there is no such method.
    """
    check_method(method)
    sample.check(strata)
    plain = estimated_totals(sample, strata, add=0)
    smoothed = estimated_totals(sample, strata, add=0 if method == "wald" else HALF)
    posterior = None
    if rng is not None and sample.is_binary and assisted is None:
        posterior = posterior_totals(sample, strata, rng, draws=draws)
    if assisted is not None:
        plain, smoothed = assisted_totals(assisted, strata, plain, smoothed)

    def row(name: Name) -> SampleEstimate:
        value, error = value_and_error(name, *plain, strata, system=system, beta=beta)
        n = int(sample.n.sum())
        if np.isnan(value):
            missing = Estimate(None, n, undefined=Undefined.NOTHING_IN_REFERENCE)
            return SampleEstimate(name, missing.with_interval(Undefined.NOTHING_IN_REFERENCE), None, None)
        made: Interval | Undefined
        if method == "near-exact":
            made = near_exact_interval(
                name,
                sample,
                strata,
                plain[0],
                smoothed[1],
                system=system,
                beta=beta,
                confidence_level=confidence_level,
            )
        elif _at_edge(name, sample, strata, system):
            made = box_interval(name, sample, strata, system=system, beta=beta, confidence_level=confidence_level)
            if made.low == made.high:
                made = Undefined.ZERO_WIDTH  # all that the quantity rests on was judged
        else:
            made = _interval(name, *smoothed, strata, system, beta, method, confidence_level)
        bayes = None
        if posterior is not None:
            bayes = posterior_interval(
                name, posterior, strata, system=system, beta=beta, confidence_level=confidence_level
            )
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
    own = {each.name: each.estimate.interval for each in rows} if method == "near-exact" else {}
    return SampleEstimates(strata.systems[system], rows, tuple(_notes(strata, sample, system, confidence_level, own)))


def check_method(method: str) -> None:
    """See that there is such a method.

    Raises:
        UsageError: If not.
    """
    if method not in METHODS:
        what = f"no interval of a sample is called '{method}'"
        raise UsageError(Problem("interval-method", what, fix=nearest(method, METHODS)))


def value_and_error(
    name: Name, totals: Floats, variances: Floats, strata: Strata, *, system: int = 0, beta: float = 1.0
) -> tuple[float, float]:
    """The value of a quantity and its standard error."""
    slope = gradient(name, totals, strata, system=system, beta=beta)
    value = quantity(name, totals, strata, system=system, beta=beta)
    return float(value), float(np.sqrt((slope**2 * variances).sum(axis=-1)))


def logit_bounds(
    name: Name,
    totals: Floats,
    variances: Floats,
    strata: Strata,
    *,
    system: int = 0,
    beta: float = 1.0,
    confidence_level: float = 0.95,
) -> tuple[Floats, Floats]:
    """Ends of logit intervals of many samples at once; totals and variances have shape (..., strata)."""
    value = quantity(name, totals, strata, system=system, beta=beta)
    slope = gradient(name, totals, strata, system=system, beta=beta)
    error = np.sqrt((slope**2 * variances).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        middle, half = np.log(value / (1 - value)), z_value(confidence_level) * error / (value * (1 - value))
        return 1 / (1 + np.exp(half - middle)), 1 / (1 + np.exp(-half - middle))


def _interval(
    name: Name,
    totals: Floats,
    variances: Floats,
    strata: Strata,
    system: int,
    beta: float,
    method: Method,
    confidence_level: float,
) -> Interval | Undefined:
    if method == "logit":
        bounds = logit_bounds(
            name, totals, variances, strata, system=system, beta=beta, confidence_level=confidence_level
        )
        low, high = (float(end) for end in bounds)
    else:
        value, error = value_and_error(name, totals, variances, strata, system=system, beta=beta)
        half = z_value(confidence_level) * error
        low, high = max(value - half, 0.0), min(value + half, 1.0)
    if not low < high:
        return Undefined.ZERO_WIDTH
    return Interval(low, high, confidence_level, method)


def _at_edge(name: Name, sample: Sample, strata: Strata, system: int) -> bool:
    """Whether the sample shows 0 or 1, or a recall that hangs on something not seen."""
    flags = strata.flags[system]
    hits, misses = sample.x[flags].sum(), sample.x[~flags].sum()
    all_hits, all_misses = sample.n[flags].sum(), sample.n[~flags].sum()
    if name == "P":
        return bool(hits in (0, all_hits))
    if name == "Q":
        return bool(misses in (0, all_misses))
    return bool(hits == 0 or misses == 0) if name == "R" else bool(hits == 0 or (hits == all_hits and misses == 0))


def _scaled(name: str, row: SampleEstimate, size: int, *, mirrored: bool = False) -> SampleEstimate:
    """A share as a number of items; mirrored: of the others."""

    def scale(interval: Interval | None) -> Interval | None:
        if interval is None:
            return None
        ends = [size * (1 - end) if mirrored else size * end for end in (interval.low, interval.high)]
        return Interval(min(ends), max(ends), interval.confidence_level, interval.method)

    share = row.estimate.value
    assert share is not None  # P and Q exist always
    estimate = Estimate(size * (1 - share) if mirrored else size * share, row.estimate.n_units)
    made = scale(row.estimate.interval) or row.estimate.no_interval or Undefined.ZERO_WIDTH
    error = None if row.standard_error is None else size * row.standard_error
    return SampleEstimate(name, estimate.with_interval(made), error, scale(row.bayes))


def _notes(
    strata: Strata, sample: Sample, system: int, confidence_level: float, own: Mapping[str, Interval | None]
) -> Sequence[Problem]:
    """What to be told about few hits or misses; own: intervals by row whose ends are exact where none were seen."""
    found = []
    flags = strata.flags[system]
    for side, word in ((flags, "hits"), (~flags, "misses")):
        seen, judged, size = float(sample.x[side].sum()), int(sample.n[side].sum()), int(strata.sizes[side].sum())
        what = f"{_number(seen, word)} in {_number(judged, 'judged items')} for {strata.systems[system]}"
        if judged == size:
            continue
        if seen == 0:
            interval = own.get(word)
            if interval is None:
                parts = int(side.sum())
                level = 1 - (1 - confidence_level) / parts
                counts = zip(sample.n[side].tolist(), strata.sizes[side].tolist(), strict=True)
                bound = float(sum(total_bounds(0, n, N, confidence_level=level)[1] for n, N in counts))
            else:
                bound = interval.high
            most = f"{bound:.1f}".removesuffix(".0")  # as many digits as the row has
            what += f": with {100 * confidence_level:g} % confidence there are at most {most} among {size}"
            found.append(Problem("sample-none-seen", what, fix="judge more of that side", severity="warning"))
        elif seen < FEW:
            fix = f"with fewer than {FEW} the interval is wide and not symmetric: judge more of that side"
            found.append(Problem("sample-few", what, fix=fix, severity="warning"))
    return found


def _number(n: float, many: str) -> str:
    """``2 misses``, ``1 miss``, ``1 judged item``."""
    one = many.removesuffix("es") if many == "misses" else many.removesuffix("s")
    return f"{n:g} {one if n == 1 else many}"
