"""Hits, misses, false positives, P, R and F of a whole corpus from a sample of its strata, and of two systems apart.

Formula
    With totals T_h and variances V_h of ``totals`` and derivatives g_h of its ``Quantity``: Var θ = Σ g_h² V_h.
    Intervals: those of ``near_exact_interval``, or logit and Wald. Two systems share a sample whose strata
    cross the flags of both (both, only A, only B, neither): d = θ_A − θ_B, Var d = Σ (g_A − g_B)² V_h; for R this is
    ((k = 10) − (k = 01) − d) / Σ T. The interval of d is d ± z SE.
Conventions
    Values and standard errors are plain (Ĥ = N x / n). logit takes smoothed totals, half an error more on each side;
    where no hit or no miss was seen R has the exact box with logit and wald, and so has P at 0 or 1. An interval of
    width zero (everything was judged) is named instead, and one that would lie beside its value ends there. Intervals
    of differences are made of smoothed totals unless ``add`` is 0; judging both systems on the same items makes them
    some three times narrower than two samples.
Source
    Tetreault and Chodorow 2008, table 5, whose intervals (section 6.3) lack the correction; Cochran 1977 for the
    variances; the delta method on stratum totals for differences. docs/measurements/sampling.md measures the choice.

Many samples of a corpus that is judged whole: how far estimates lie from the truth, and how often intervals hold it.

Conventions
    A repetition is what a user does: ``draw_sample`` under a seed of its own, the judgments of the drawn items, of all
    raters or of some drawn anew for each item, ``judge_sample`` and ``estimate_systems``. The truth is what the same
    rule makes of all judgments of all items; of graded truths it is the mean of these raters. An interval that is
    missing, because all that a score rests on was judged, holds the truth if the value is the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, Problems, UsageError, nearest, pick
from errorbar.sampling.draw import Labels, Truth, draw_sample, judge_sample
from errorbar.sampling.frame import (
    FEW,
    HALF,
    TARGETS,
    Frame,
    Name,
    Quantity,
    Sample,
    Strata,
    Totals,
    estimated_totals,
    stratify,
)
from errorbar.sampling.intervals import (
    delta_interval,
    near_exact_interval,
    posterior_interval,
    posterior_totals,
    total_bounds,
)
from errorbar.sampling.prediction_powered import AssistedTotals, assisted_totals
from errorbar.sampling.stopping import Anytime, Look, anytime_difference, anytime_interval
from errorbar.stats.resampling import stream, z_value

Method = Literal["near-exact", "logit", "wald"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class Estimation:
    """How a sample is estimated; raises ``UsageError`` if there is no such method of intervals."""

    beta: float = 1.0
    method: Method = "near-exact"
    confidence_level: float = 0.95
    seed: int | None = None  # of the Bayesian intervals, which need truths that are 0 or 1; None: none are made
    looks: Anytime | Look | None = None  # that the intervals may be seen any time, or at planned looks; None: once

    @property
    def nominal(self) -> float:
        """The level of a plain interval that holds the truth as often as all planned looks together shall."""
        return self.looks.nominal(self.confidence_level) if isinstance(self.looks, Look) else self.confidence_level

    def name_look(self, interval: Interval | Undefined) -> Interval | Undefined:
        """A plain interval of the nominal level as one of a planned look."""
        if not isinstance(interval, Interval) or not isinstance(self.looks, Look):
            return interval
        return interval._replace(confidence_level=self.confidence_level, method=f"{interval.method}, {self.looks}")

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            message = f"no interval of a sample is called '{self.method}'"
            raise UsageError(Problem("interval-method", message, fix=nearest(self.method, METHODS)))


@dataclass(frozen=True, slots=True)
class SampleEstimate:
    """One quantity: hits, misses, false positives (numbers of items), P, R or F."""

    name: str
    estimate: Estimate
    standard_error: float | None
    bayes: Interval | None = None


@dataclass(frozen=True, slots=True)
class SampleEstimates:
    """Hits, misses, false positives, P, R and F of one system; notes of cells that are small or empty."""

    system: str
    rows: tuple[SampleEstimate, ...]
    notes: tuple[Problem, ...]

    def __getitem__(self, name: str) -> SampleEstimate:
        """The estimate of that name; a ``UsageError`` names those that there are."""
        return pick(name, {row.name: row for row in self.rows}, "estimate", "unknown-measure")


@dataclass(frozen=True, slots=True)
class SystemEstimates:
    """Each system, in the order of the strata, and of two P, R and F of the first minus the second."""

    systems: Sequence[SampleEstimates]
    differences: Sequence[SampleEstimate]

    @property
    def notes(self) -> list[Problem]:
        """Warnings of all systems, each once."""
        return list(dict.fromkeys(note for system in self.systems for note in system.notes))


def estimate_systems(
    strata: Strata, sample: Sample, how: Estimation | None = None, *, assisted: AssistedTotals | None = None
) -> SystemEstimates:
    """Estimate each system, and of two their differences; ``assisted`` has totals that votes helped to find."""
    systems = range(len(strata.systems))
    estimates = [estimate_sample(strata, sample, how, system=system, assisted=assisted) for system in systems]
    return SystemEstimates(
        estimates, paired_differences(strata, sample, how, assisted=assisted) if len(estimates) == 2 else ()
    )


def estimate_sample(
    strata: Strata,
    sample: Sample,
    how: Estimation | None = None,
    *,
    system: int = 0,
    assisted: AssistedTotals | None = None,
) -> SampleEstimates:
    """Estimate one system's scores on the whole corpus; arguments and errors are those of ``estimate_systems``."""
    how = how or Estimation()
    plain, smoothed = _totals(sample, strata, assisted, 0 if how.method == "wald" else HALF)
    posterior = None
    if how.seed is not None and sample.is_binary and assisted is None and how.looks is None:
        posterior = posterior_totals(sample, strata, stream(how.seed, "sample", "bayes"))

    def row(quantity: Quantity) -> SampleEstimate:
        value = float(quantity.value(plain[0]))
        if np.isnan(value):
            return _no_error(quantity.name, sample)
        ends: Interval | Undefined
        if isinstance(how.looks, Anytime):
            ends = anytime_interval(quantity, sample, smoothed, how.looks, how.confidence_level)
        elif how.method == "near-exact":
            ends = how.name_look(near_exact_interval(quantity, sample, plain[0], smoothed[1], how.nominal))
        else:
            ends = how.name_look(delta_interval(quantity, sample, smoothed, how.nominal, method=how.method))
        bayes = None if posterior is None else posterior_interval(quantity, posterior, how.confidence_level)
        return _estimate(quantity.name, value, sample, ends, float(quantity.standard_error(*plain)), bayes)

    names: tuple[Name, ...] = get_args(Name)
    P, R, F, Q = (row(Quantity(name, strata, system, how.beta)) for name in names)
    precision = Quantity("P", strata, system)
    hits, misses = _scale_share("hits", P, precision.flagged), _scale_share("misses", Q, precision.unflagged)
    rows = (hits, misses, _scale_share("false positives", P, precision.flagged, mirrored=True), P, R, F)
    return SampleEstimates(strata.systems[system], rows, tuple(_notes(precision, sample, how, (hits, misses))))


def paired_differences(
    strata: Strata,
    sample: Sample,
    how: Estimation | None = None,
    *,
    add: float = HALF,
    assisted: AssistedTotals | None = None,
) -> tuple[SampleEstimate, ...]:
    """The differences of P, R and F of two systems, first minus second.

    ``add`` smooths the interval (0: not); the other arguments are those of ``estimate_systems``.
    """
    how = how or Estimation()
    if len(strata.systems) != 2:
        message, fix = "a difference needs two systems", "draw a sample for two systems: two files of flags"
        raise UsageError(Problem("sample-systems", message, fix=fix))
    plain, smoothed = _totals(sample, strata, assisted, add)
    rows = []
    for name in TARGETS:
        value, error = difference(name, *plain, strata, beta=how.beta)
        if np.isnan(value):
            rows.append(_no_error(name, sample))
            continue
        middle, width = difference(name, *smoothed, strata, beta=how.beta)
        if isinstance(how.looks, Anytime):
            ends = anytime_difference(middle, width, sample, strata, how.looks, how.confidence_level)
        else:
            half = z_value(how.nominal) * width
            interval = Interval(max(middle - half, -1.0), min(middle + half, 1.0), how.nominal, "wald")
            ends = how.name_look(interval) if half > 0 else Undefined.ZERO_WIDTH
        rows.append(_estimate(name, value, sample, ends, error))
    return tuple(rows)


def _estimate(
    name: Name, value: float, sample: Sample, ends: Interval | Undefined, error: float, bayes: Interval | None = None
) -> SampleEstimate:
    """A value with its interval, an end of which is the value where smoothed totals put it beyond."""
    if isinstance(ends, Interval):
        ends = ends._replace(low=min(ends.low, value), high=max(ends.high, value))
    return SampleEstimate(name, Estimate(value, int(sample.n.sum())).with_interval(ends), error, bayes)


def difference(
    name: Name, totals: Floats, variances: Floats, strata: Strata, *, beta: float = 1.0
) -> tuple[float, float]:
    """The first system's value minus the second's, and its standard error."""
    first, second = (Quantity(name, strata, system, beta) for system in range(2))
    error = np.sqrt(((first.gradient(totals) - second.gradient(totals)) ** 2 * variances).sum(axis=-1))
    return float(first.value(totals) - second.value(totals)), float(error)


def _totals(sample: Sample, strata: Strata, assisted: AssistedTotals | None, add: float) -> tuple[Totals, Totals]:
    """Plain and smoothed totals, with the help of votes if there is any."""
    sample.check(strata)
    plain, smoothed = estimated_totals(sample, strata, add=0), estimated_totals(sample, strata, add=add)
    return (plain, smoothed) if assisted is None else assisted_totals(assisted, strata, plain, smoothed)


def _no_error(name: str, sample: Sample) -> SampleEstimate:
    """A quantity that has no value, as no error was seen."""
    why = Undefined.NOTHING_IN_REFERENCE
    return SampleEstimate(name, Estimate(None, int(sample.n.sum()), undefined=why).with_interval(why), None)


def _scale_share(name: str, row: SampleEstimate, size: int, *, mirrored: bool = False) -> SampleEstimate:
    """A share, which exists, as a number of items; mirrored: of the others."""

    def items(share: float) -> float:
        return size * (1 - share) if mirrored else size * share

    def scale(interval: Interval | None) -> Interval | None:
        if interval is None:
            return None
        low, high = sorted((items(interval.low), items(interval.high)))
        return interval._replace(low=low, high=high)

    share, error = row.estimate.value, row.standard_error
    assert share is not None  # P and Q exist always
    assert error is not None
    estimate = replace(row.estimate, value=items(share), interval=scale(row.estimate.interval))
    return SampleEstimate(name, estimate, size * error, scale(row.bayes))


def _notes(
    quantity: Quantity, sample: Sample, how: Estimation, rows: tuple[SampleEstimate, SampleEstimate]
) -> Iterator[Problem]:
    """Notes on few hits or misses, of which there are two rows."""
    strata, flags = quantity.strata, quantity.flags
    for side, row, name in ((flags, rows[0], "hit"), (~flags, rows[1], "miss")):
        n, sizes = sample.n[side], strata.sizes[side]
        seen, judged, size = float(sample.x[side].sum()), int(n.sum()), int(sizes.sum())
        if judged == size or seen >= FEW:
            continue
        message = f"{seen:g} {name if seen == 1 else row.name} in {judged} judged item{'s' * (judged != 1)}"
        message += f" for {strata.systems[quantity.system]}"
        if seen:
            fix = f"with fewer than {FEW} the interval is wide and not symmetric: judge more of that side"
            yield Problem("sample-few", message, fix=fix, severity="warning")
            continue
        if row.estimate.interval and (
            how.method == "near-exact" or how.looks
        ):  # its end is exact where nothing was seen
            bound = row.estimate.interval.high
        else:
            level = 1 - (1 - how.confidence_level) / len(n)
            pairs = zip(n.tolist(), sizes.tolist(), strict=True)
            bound = float(sum(total_bounds(0, *pair, confidence_level=level)[1] for pair in pairs))
        most = f"{bound:.1f}".removesuffix(".0")  # as many digits as the row has
        message += f": with {100 * how.confidence_level:g} % confidence there are at most {most} among {size}"
        yield Problem("sample-none-seen", message, fix="judge more of that side", severity="warning")


MOST_SEEDS = 2**31
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The sample that is drawn and asked, again and again."""

    n: Counts  # items of each stratum
    edges: tuple[float, ...] = ()  # of score
    raters: int | None = None  # asked about each item, drawn anew for it; None: all who judged it
    truth: Truth = "majority"
    labels: Labels = field(default_factory=Labels)
    how: Estimation = field(default_factory=Estimation)
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class RehearsedScore:
    """One score of one system, or of two the difference; arrays have shape (repetitions,), NaN where there is none."""

    system: str  # empty: the difference of both
    name: str  # P, R or F
    truth: float
    values: Floats
    lows: Floats
    highs: Floats

    @property
    def held(self) -> NDArray[np.bool_]:
        """Where the truth is held."""
        # Ends are often totals that can be, and so may be the truth but for rounding.
        inside = (self.lows - _SAME <= self.truth) & (self.truth <= self.highs + _SAME)
        return np.asarray(inside | (np.isnan(self.lows) & (np.abs(self.values - self.truth) < _SAME)))


def rehearse(
    frame: Frame,
    judgments: Judgments,
    rehearsal: Rehearsal,
    repetitions: int,
    progress: Callable[[int], object] = lambda _: None,
) -> list[RehearsedScore]:
    """Draw, judge and estimate ``repetitions`` times."""
    kept = _of_frame(frame, judgments, rehearsal)
    truths = true_scores(frame, kept, rehearsal)
    seeds, rng = (stream(rehearsal.seed, "sample", "rehearsal", name) for name in ("draws", "raters"))
    scores: list[list[tuple[float, float, float]]] = []
    for number, seed in enumerate(seeds.integers(MOST_SEEDS, size=repetitions).tolist(), 1):
        key = draw_sample(frame, rehearsal.n, edges=rehearsal.edges, seed=seed)
        asked = _ask_raters(kept, key.items(), rehearsal.raters, rng)
        judged = judge_sample(asked, key, Problems(), truth=rehearsal.truth, labels=rehearsal.labels)
        scores.append([*_ends(estimate_systems(key.strata, judged.sample, rehearsal.how))])
        progress(number)
    columns = np.array(scores).transpose(1, 2, 0)
    return [RehearsedScore(*named, *column) for named, column in zip(truths, columns, strict=True)]


def true_scores(frame: Frame, judgments: Judgments, rehearsal: Rehearsal) -> list[tuple[str, str, float]]:
    """System, name and value of every score if all items are judged; of two systems the differences come last."""
    strata, _ = stratify(frame, rehearsal.edges)
    everything = draw_sample(frame, strata.sizes, edges=rehearsal.edges)
    judged = judge_sample(judgments, everything, Problems(), truth=rehearsal.truth, labels=rehearsal.labels)
    errors, beta = judged.sample.x, rehearsal.how.beta
    if not errors.any():
        message = "nobody calls an item an error, so there is nothing to find"
        raise UsageError(Problem("sample-rehearsal", message, fix="say what labels mean: --labels=error=LABEL"))
    scores: list[tuple[str, str, float]] = [
        (system, target, float(Quantity(target, strata, at, beta).value(errors)))
        for at, system in enumerate(strata.systems)
        for target in TARGETS
    ]
    if len(strata.systems) > 1:
        none = np.zeros(len(strata))
        scores += [("", target, difference(target, errors, none, strata, beta=beta)[0]) for target in TARGETS]
    return scores


def _of_frame(frame: Frame, judgments: Judgments, rehearsal: Rehearsal) -> Judgments:
    """The judgments of the items of the frame that say something, by item; every item must have enough."""
    known = set(frame.items)
    inside = np.array([item in known for item in judgments.items], np.bool_)
    usable = np.array([label not in rehearsal.labels.unknown for label in judgments.labels], np.bool_)
    kept = judgments.take(inside[judgments.item] & usable[judgments.label])
    kept = kept.take(np.argsort(kept.item, kind="stable"))
    counts = dict(zip(judgments.items, np.bincount(kept.item, minlength=len(judgments.items)).tolist(), strict=True))
    least = rehearsal.raters or 1
    short = [item for item in frame.items if counts.get(item, 0) < least]
    if short:
        message = f"{len(short):,} of {len(frame):,} items have fewer than {least} judgments, first '{short[0]}'"
        if least == 1:
            message = f"{len(short):,} of {len(frame):,} items have no judgment, first '{short[0]}'"
        fix = "a rehearsal needs the truth of every item: leave out the others, or ask fewer raters"
        raise UsageError(Problem("sample-rehearsal", message, fix=fix))
    return kept


def _ask_raters(kept: Judgments, drawn: Collection[str], raters: int | None, rng: np.random.Generator) -> Judgments:
    """The judgments of drawn items, by some raters of each; ``kept`` are in the order of their items."""
    chosen = np.array([item in drawn for item in kept.items], np.bool_)
    rows = np.flatnonzero(chosen[kept.item])
    if raters is None:
        return kept.take(rows)
    order = np.lexsort((rng.random(len(rows)), kept.item[rows]))
    rows = rows[order]
    starts = np.flatnonzero(np.diff(kept.item[rows], prepend=-1))
    place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    return kept.take(rows[place < raters])


def _ends(estimates: SystemEstimates) -> Iterator[tuple[float, float, float]]:
    """Value and interval of P, R and F of each system, and of their differences."""
    rows = [system[target] for system in estimates.systems for target in TARGETS]
    for row in [*rows, *estimates.differences]:
        value, interval = row.estimate.value, row.estimate.interval
        nan = float("nan")
        yield (nan if value is None else value, *((nan, nan) if interval is None else (interval.low, interval.high)))
