"""HOO scores of runs: figures with intervals over fragments, the best run of each team, recall by type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.core.standoff import Fragment, StandoffEdit, fragments_hash, texts_hash
from errorbar.metrics.hoo import CONDITIONS, FIGURES, MEASURES, Hoo
from errorbar.metrics.hoo_statistics import COLUMNS, HooStatistics, quotients
from errorbar.metrics.hoo_types import row_names, row_of
from errorbar.stats.bootstrap import bootstrap_interval, multiplicities, resample_units
from errorbar.stats.resampling import Resampling
from errorbar.stats.streams import blocks

_RUN = re.compile(r"(?P<team>.*?)[-_. ]?(?P<run>\d+)")
MOST_RUNS = 10
"""Runs a team could submit."""
_ABOVE = 1 + 1e-9
"""Above 1 beyond the rounding of a mean of fragments; no quotient of counts is that near."""
Edits = Sequence[StandoffEdit]


@dataclass(frozen=True, slots=True)
class Prf:
    """Precision, recall and F of one measure under one condition."""

    precision: Estimate
    recall: Estimate
    f: Estimate


@dataclass(frozen=True, slots=True)
class HooScore:
    """A run's scores.

    Attributes:
        run: The run's name.
        team: Who submitted it: the name without the number at its end.
        figures: By condition and measure.
        counts: Totals, by the names of COLUMNS.
        statistics: What was counted per fragment.
        by_fragment: P, R and F per fragment; shape (units, 2 conditions, 3 measures, 3).
        signature: What was computed on which data how.
    """

    run: str
    team: str
    figures: Mapping[tuple[str, str], Prf]
    counts: Mapping[str, int]
    statistics: HooStatistics
    by_fragment: NDArray[np.float64]
    signature: Signature


def team_of(run: str) -> str:
    """The team of a run: ``UI`` for ``UI0``, ``UI-0`` and ``UI.0``."""
    match = _RUN.fullmatch(run)
    return match["team"] or run if match else run


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What was counted of a run under a metric.

    Attributes:
        run: The run's name.
        metric: The metric.
        statistics: Its counts per fragment.
        hypothesis: Hash of the run's edits.
    """

    run: str
    metric: Hoo
    statistics: HooStatistics
    hypothesis: str


@dataclass(frozen=True, slots=True)
class HooCounts:
    """What was counted of some runs, runs outermost.

    Attributes:
        n_fragments: How many fragments there are.
        source: Hash of the source texts.
        reference: Hash of the gold edits.
        runs: The counts.
    """

    n_fragments: int
    source: str
    reference: str
    runs: Sequence[RunCounts]


def score_runs(
    gold: Sequence[Fragment],
    runs: Mapping[str, Sequence[Edits]],
    metrics: Sequence[Hoo],
    problems: Problems,
    *,
    resampling: Resampling | None = None,
    conventions: tuple[str, ...] = (),
) -> list[HooScore]:
    """Score runs.

    Args:
        gold: Fragments with their gold edits.
        runs: By name, a run's edits of each fragment.
        metrics: What to compute.
        problems: Where warnings go.
        resampling: How to make intervals over fragments; None: none.
        conventions: Further choices that belong in the signature.

    Returns:
        A score for each run and metric, runs outermost.

    Raises:
        UsageError: If the resampling is no bootstrap.
        InputError: If a metric needs source texts and a fragment has none.
    """
    counted = []
    for name, edits in runs.items():
        said = [Fragment(one.name, tuple(each)) for one, each in zip(gold, edits, strict=True)]
        hypothesis = fragments_hash(said)
        counted += [RunCounts(name, metric, metric.measure(gold, edits), hypothesis) for metric in metrics]
    counts = HooCounts(len(gold), texts_hash(gold), fragments_hash(gold), counted)
    return score_counts(counts, problems, resampling=resampling, conventions=conventions)


def score_counts(
    counts: HooCounts, problems: Problems, *, resampling: Resampling | None = None, conventions: tuple[str, ...] = ()
) -> list[HooScore]:
    """As ``score_runs``, from what was counted already.

    Raises:
        UsageError: If the resampling is no bootstrap.
    """
    resampled: Sequence[NDArray[np.float64] | None] = [None] * len(counts.runs)
    if resampling is not None:
        conventions = (*conventions, resampling.convention("fragment"))
        resampled = _resampled(counts, resampling)
    scores = []
    for one, figures in zip(counts.runs, resampled, strict=True):
        signature = Signature(
            str(one.metric.spec),
            counts.source,
            counts.reference,
            one.hypothesis,
            counts.n_fragments,
            1,
            conventions,
        )
        score = score_statistics(one.run, one.metric, one.statistics, signature, resampling, figures)
        warn_above_1(score, problems)
        scores.append(score)
    return scores


def _resampled(counts: HooCounts, resampling: Resampling) -> list[NDArray[np.float64] | None]:
    """The figures of every run in every resample, all of them over the same resamples; None for a single fragment."""
    if counts.n_fragments < 2:
        return [None] * len(counts.runs)
    folded: list[list[NDArray[np.float64]]] = [[] for _ in counts.runs]
    for weights in weight_blocks(counts.n_fragments, resampling):
        for one, figures in zip(counts.runs, folded, strict=True):
            figures.append(one.metric.fold(one.statistics, weights))
    return [np.concatenate(figures) for figures in folded]


def best_runs(scores: Sequence[HooScore]) -> list[tuple[str, str, HooScore]]:
    """The run with the best F of each team, for each condition and measure; the first of equal ones.

    Returns:
        Condition, measure and score; teams in the order of their first run.
    """
    teams: dict[tuple[str, str], list[HooScore]] = {}
    for score in scores:
        teams.setdefault((score.team, score.signature.spec), []).append(score)
    return [
        (condition, measure, max(own, key=lambda score: _f(score, condition, measure)))
        for condition in CONDITIONS
        for measure in MEASURES
        for own in teams.values()
    ]


def recall_by_row(score: HooScore, overrides: Mapping[str, str] | None = None) -> dict[str, tuple[int, ...]]:
    """Gold, detected, recognized and corrected edits of each row of table 8; rows without gold edits have zeros."""
    totals = {row: np.zeros(4, np.int64) for row in row_names()}
    sums = score.statistics.by_type.sum(axis=0)
    for code, counts in zip(score.statistics.types, sums, strict=True):
        totals[row_of(code, overrides)] += counts
    return {row: tuple(counts.tolist()) for row, counts in totals.items()}


def recall_by_code(score: HooScore) -> dict[str, tuple[int, ...]]:
    """As ``recall_by_row``, for each error code of the gold edits."""
    sums = score.statistics.by_type.sum(axis=0)
    return {code: tuple(counts.tolist()) for code, counts in zip(score.statistics.types, sums, strict=True)}


def _f(score: HooScore, condition: str, measure: str) -> float:
    return score.figures[condition, measure].f.value or 0.0


def weight_blocks(n_units: int, resampling: Resampling) -> Iterator[NDArray[np.float64]]:
    """How often each resample holds each fragment, a block of resamples at a time; shape (resamples, units).

    All of them at once would take gigabytes for ten thousand fragments.

    Raises:
        UsageError: If the resampling is no bootstrap.
    """
    if resampling.method == "closed":
        what = "no formula gives intervals of HOO scores"
        raise UsageError(Problem("interval-method", what, fix="--ci-method=bca|percentile|basic"))
    for size, rng in blocks(resampling.seed, "hoo", replicates=resampling.replicates):
        yield multiplicities(resample_units(n_units, size, rng), n_units).astype(np.float64)


def score_statistics(
    run: str,
    metric: Hoo,
    statistics: HooStatistics,
    signature: Signature,
    resampling: Resampling | None,
    resampled: NDArray[np.float64] | None,
) -> HooScore:
    """Make a run's score of what was counted.

    Args:
        run: The run's name.
        metric: What to compute.
        statistics: What was counted per fragment.
        signature: What was computed on which data how.
        resampling: How to make intervals over fragments; None: none.
        resampled: The figures of every resample, as ``Hoo.fold`` gives them; None: no intervals.
    """
    values = metric.fold(statistics)[0]
    totals = statistics.counts.sum(axis=0)
    of = quotients(totals[None])
    n_units = len(statistics)
    left_out = None if resampled is None else metric.fold_left_out(statistics)
    figures: dict[tuple[str, str], Prf] = {}
    for c, condition in enumerate(CONDITIONS):
        for m, measure in enumerate(MEASURES):
            made = []
            reasons = _reasons(bool(of.proposed[0, c, m]), bool(of.wanted[0, c, m]), bool(values[c, m].any()))
            for k, reason in enumerate(reasons):
                value = float(values[c, m, k])
                if not n_units:
                    made.append(Estimate(None, 0, undefined=Undefined.NO_UNITS))
                    continue
                estimate = Estimate(value, n_units, undefined=reason)
                if resampling is not None:
                    estimate = estimate.with_interval(_interval(value, resampled, left_out, (c, m, k), resampling))
                made.append(estimate)
            figures[condition, measure] = Prf(*made)
    counts = dict(zip(COLUMNS, totals.tolist(), strict=True))
    return HooScore(run, team_of(run), figures, counts, statistics, metric.fold_each(statistics), signature)


def _reasons(proposed: bool, wanted: bool, any_above_0: bool) -> tuple[Undefined | None, ...]:
    """Which empty case fills P, R and F; F rests on what fills P or R."""
    no_p = None if proposed else Undefined.NOTHING_PROPOSED
    no_r = None if wanted else Undefined.NOTHING_IN_REFERENCE
    if no_p and no_r:
        return no_p, no_r, Undefined.NO_EDITS
    return no_p, no_r, no_p or no_r or (None if any_above_0 else Undefined.NOTHING_CORRECT)


def _interval(
    value: float,
    resampled: NDArray[np.float64] | None,
    left_out: NDArray[np.float64] | None,
    cell: tuple[int, int, int],
    resampling: Resampling,
) -> Interval | Undefined:
    if resampled is None or left_out is None or resampling.method == "closed":
        return Undefined.ONE_UNIT
    return bootstrap_interval(
        value,
        resampled[:, *cell],
        jackknife=left_out[:, *cell],
        method=resampling.method,
        confidence_level=resampling.confidence_level,
    )


def warn_above_1(score: HooScore, problems: Problems) -> None:
    """Note where more gold edits are recognized or corrected than are proposed, or more corrections than gold edits.

    Detection cannot exceed 1: what P divides by holds what is detected.
    """
    for m, measure in enumerate(MEASURES):
        for k, figure in enumerate(FIGURES[:2]):
            units = np.flatnonzero((score.by_fragment[:, :, m, k] > _ABOVE).any(axis=1)).tolist()
            above = [score.statistics.units[unit] for unit in units]
            both = [score.figures[condition, measure] for condition in CONDITIONS]
            if any((getattr(prf, figure).value or 0.0) > _ABOVE for prf in both):
                above.append("the data set")
            if above:
                places = f"{len(above)} place{'' if len(above) == 1 else 's'}"
                named = f"{', '.join(above[:3])}{', ...' if len(above) > 3 else ''}"
                what = f"{measure} {figure} is above 1 in {places} ({named})"
                fix = f"two {'system' if k else 'gold'} edits met by one {'gold' if k else 'system'} edit count twice"
                problems.note("hoo-above-1", what, Place(score.run), fix=f"{fix}; see docs/design/hoo.md")
