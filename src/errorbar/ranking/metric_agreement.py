"""How metrics rank systems, beside how humans do: correlations, windows of neighbors, tests between metrics.

Formula
    Pearson's r, Spearman's ρ and Kendall's τ-b of two series with one number for each system. A window of N is the
    same of the systems that humans put at places k to k + N − 1, for every k.
    Tests between two metrics: Williams' (errorbar.stats.correlation) on Pearson's r, and swapping: if it made no
    difference which of the two metrics gave a score, scores of both could be swapped; the statistic is the difference
    of the two correlations with the humans. ``systems`` swaps all scores of a system, ``both`` each score of a system
    and sentence on its own (where both metrics have sentence scores: a system's score is then their mean).
Conventions
    Each metric's scores are standardized before swapping, since metrics have scales of their own. Two intervals: over
    systems (Fisher's; a dozen systems give wide ones), and over judgments, where there are any (``subsample_interval``
    of the correlations with the humans' scores on subsamples of the judged items). They answer different questions:
    other systems, or the same systems judged again.
Source
    Macháček & Bojar 2014 and Graham & Baldwin 2014 (Williams); Deutsch, Dror & Roth 2021, A statistical analysis of
    summarization evaluation metrics using resampling methods, TACL 9 (PERM-SYSTEMS, PERM-BOTH); windows: Kobayashi,
    Mita & Komachi 2024, Revisiting meta-evaluation for grammatical error correction, TACL 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, get_args

import numpy as np

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Interval, Scale, Undefined
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.ranking.ranked import Method, Progress, rank_systems, subsampled_scores
from errorbar.ranking.wins import By, Floats, clusters, rounded
from errorbar.stats.correlation import CorrelationKind, Williams, correlate, williams_test
from errorbar.stats.paired import Randomization, Swaps, randomization_test
from errorbar.stats.resampling import Resampling, blocks, subsample_interval

Kind = Literal["pearson", "spearman", "kendall-b"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Swapped = Literal["systems", "both"]
CORRELATION = Scale(-1.0, 1.0)
LEAST_RANKED = 8
"""Of fewer systems a rank correlation has few values, and its intervals over judgments hold too rarely."""
_TINIEST = 1e-300
_CELLS = 20_000_000
"""Scores that are swapped at once."""
_PAIRS = 4_000_000
"""Pairs of systems that are held at once: some hundred megabytes."""
MOST_SYSTEMS, MOST_METRICS = 1000, 100
"""More have more pairs than anybody waits for."""


@dataclass(frozen=True, slots=True)
class HumanScores:
    """What humans gave to systems, best first."""

    systems: tuple[str, ...]
    scores: Floats
    subsampled: Floats | None = None  # on subsamples of the judgments, if any; shape (subsamples, systems)
    n_drawn: int = 0  # items, or what else a subsample leaves out


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """How one metric agrees with humans, by kind of correlation."""

    metric: str
    correlations: dict[Kind, Estimate] = field(default_factory=dict)  # intervals over systems
    judged: dict[Kind, Estimate] = field(default_factory=dict)  # intervals over judgments; empty without judgments
    p_values: dict[Kind, float | None] = field(default_factory=dict)  # of no correlation at all
    windows: dict[Kind, tuple[Estimate, ...]] = field(default_factory=dict)  # the one of the best systems first


@dataclass(frozen=True, slots=True)
class MetricTest:
    """Whether one metric agrees better than another."""

    first: str
    second: str
    williams: Williams  # of Pearson's r
    permutation: Mapping[Kind, Randomization]  # by swapping
    swapped: Swapped


def human_scores(
    comparisons: Comparisons,
    method: Method,
    how: Resampling | None = None,
    *,
    by: By = "item",
    seed: int = 0,
    progress: Progress | None = None,
) -> HumanScores:
    """Score systems as ``rank_systems`` does, on subsamples too where ``how`` says how many."""
    runs = how if method == "trueskill-wmt" else None
    (result,) = rank_systems(comparisons, [method], runs, by=by, seed=seed, progress=progress)
    gone = [each.system for each in result.systems if each.score.value is None]
    if gone:
        what = f"{result.method} has no score for {', '.join(gone)}"
        raise UsageError(Problem("meta-no-human-score", what, fix="use another --method"))
    values = np.array([each.score.value for each in result.systems], np.float64)
    systems = tuple(each.system for each in result.systems)
    if how is None:
        return HumanScores(systems, values)
    order = [comparisons.systems.index(system) for system in systems]
    subsampled = subsampled_scores(comparisons, method, how, by, progress)[:, order]
    return HumanScores(systems, values, subsampled, len(np.unique(clusters(comparisons, by))))


def plain_scores(scores: Mapping[str, float]) -> HumanScores:
    """Scores without judgments."""
    systems = tuple(sorted(scores, key=lambda system: -scores[system]))
    return HumanScores(systems, np.array([scores[system] for system in systems], np.float64))


def common_systems(human: HumanScores, metrics: Sequence[MetricScores], problems: Problems) -> HumanScores:
    """Check that metrics and humans speak of the same systems; lenient: those that all have."""
    n_systems = max([len(human.systems), *(len(metric.systems) for metric in metrics)])
    for n, most, what in ((n_systems, MOST_SYSTEMS, "systems"), (len(metrics), MOST_METRICS, "metrics")):
        if n > most:
            raise InputError(Problem("meta-too-many", f"{n:,} {what}", expected=f"at most {most:,}"))
    places = {system: at for at, system in enumerate(human.systems)}
    kept = dict.fromkeys(human.systems)
    for metric in metrics:
        for system in (each for each in human.systems if each not in metric.systems):
            what = f"{metric.metric} has no score for '{system}', which humans ranked"
            hint = "" if problems.lenient else nearest(system, metric.systems)
            problems.repairable("meta-missing-system", what, Place(), repair="the system is left out", hint=hint)
            kept.pop(system, None)
        for system in (each for each in metric.systems if each not in places):
            what = f"{metric.metric} has a score for '{system}', which no human ranked"
            hint = "" if problems.lenient else nearest(system, human.systems)
            problems.repairable("meta-unknown-system", what, Place(), repair="the score is left out", hint=hint)
    problems.raise_errors()
    if len(kept) < 2:
        what = f"{len(kept)} systems have scores of humans and of all metrics"
        raise InputError(Problem("meta-few-systems", what, expected="at least 2"))
    at = [places[system] for system in kept]
    subsampled = None if human.subsampled is None else human.subsampled[:, at]
    return HumanScores(tuple(kept), human.scores[at], subsampled, human.n_drawn)


def metric_agreement(
    human: HumanScores, metric: MetricScores, *, window: int = 0, confidence_level: float = 0.95
) -> MetricAgreement:
    """Correlate a metric with humans, in windows of so many systems too (0: none); every system has a score of it."""
    n = len(human.systems)
    if window and not 2 < window <= n:
        what = f"a window of {window} systems"
        raise UsageError(Problem("meta-window", what, expected=f"3 to {n}, the number of systems"))
    scores = _series(human, metric)
    agreement = MetricAgreement(metric.metric)
    places = [slice(at, at + window) for at in range(n - window + 1)] if window else []
    for kind in KINDS:
        whole, *parts = (
            correlate(human.scores[place], scores[place], kind=kind, confidence_level=confidence_level)
            for place in (slice(None), *places)
        )
        agreement.correlations[kind], agreement.p_values[kind] = whole.estimate, whole.p_value
        agreement.windows[kind] = tuple(part.estimate for part in parts)
        value = whole.estimate.value
        if human.subsampled is not None and value is not None:
            interval: Interval | Undefined = Undefined.RUNS_ALONE
            if kind != "pearson" and n < LEAST_RANKED:
                interval = Undefined.TOO_FEW_SYSTEMS
            elif len(human.subsampled):
                many = correlations_of(human.subsampled, np.broadcast_to(scores, human.subsampled.shape), kind)
                interval = subsample_interval(
                    value, many, human.n_drawn, confidence_level=confidence_level, scale=CORRELATION
                )
            agreement.judged[kind] = Estimate(value, n).with_interval(interval)
    return agreement


def compare_metrics(
    human: HumanScores, first: MetricScores, second: MetricScores, *, replicates: int = 1000, seed: int = 0
) -> MetricTest:
    """Test whether two metrics agree with humans differently; every system has scores of both.

    ``replicates`` ways to swap are drawn; with few systems all are tried.
    """
    a, b = _matrix(human, first, second)
    swapped: Swapped = "both" if len(a) > 1 else "systems"
    # The scores of systems as they are reported, which need not be means of sentences.
    x, y = _series(human, first), _series(human, second)
    permutation = {}
    block, scaled = max(1, _CELLS // a.size), (_standardized(a), _standardized(b))
    for kind in KINDS:
        drawn = blocks(seed, "ranking", "meta", swapped, kind, first.metric, second.metric, replicates=replicates)
        plan = [(min(block, n - at), rng) for n, rng in drawn for at in range(0, n, block)]
        swap = partial(_swapped_difference, human.scores, *scaled, kind)
        permutation[kind] = randomization_test(swap, a.size, plan)
    r12, r13 = (correlate(human.scores, series).estimate.value for series in (x, y))
    r23 = correlate(x, y).estimate.value
    n = len(human.systems)
    if r12 is None or r13 is None or r23 is None:
        williams = Williams(float("nan"), None, n - 3, None, Undefined.CONSTANT)
    else:
        williams = williams_test(r12, r13, r23, n)
    return MetricTest(first.metric, second.metric, williams, permutation, swapped)


def correlations_of(x: Floats, y: Floats, kind: CorrelationKind) -> Floats:
    """Correlations of many pairs of series at once, NaN where undefined; (batch, n) and (batch, n) to (batch,)."""
    if kind == "kendall-b" and len(x) > (at_once := max(1, _PAIRS // x.shape[1] ** 2)):
        starts = range(0, len(x), at_once)
        return np.concatenate([correlations_of(x[at : at + at_once], y[at : at + at_once], kind) for at in starts])
    if kind == "spearman":
        from scipy.stats import rankdata  # noqa: PLC0415 - loading it takes most of a second

        x, y = rankdata(x, axis=1), rankdata(y, axis=1)
    if kind == "kendall-b":
        x, y = (np.sign(z[:, :, None] - z[:, None, :]).reshape(len(z), -1) for z in (x, y))
    else:
        # On a scale of their own, since scores may be tiny; what is left of equal ones is rounding.
        x, y = (z / np.maximum(np.abs(z).max(axis=1, keepdims=True), _TINIEST) for z in (x, y))
        x, y = (z - z.mean(axis=1, keepdims=True) for z in (x, y))
    spread = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    found: Floats = np.divide((x * y).sum(axis=1), spread, out=np.full(len(x), np.nan), where=spread > 1e-14)
    return found


def _swapped_difference(human: Floats, first: Floats, second: Floats, kind: Kind, swaps: Swaps) -> Floats:
    """The difference of two correlations for ways to swap; each swaps a row of what can be swapped."""
    ways = swaps.reshape(len(swaps), *first.shape)
    # Scores that are equal on paper must be ties, whatever the scales of the two metrics left behind.
    x = rounded(np.where(ways, second, first).mean(axis=1))
    y = rounded(np.where(ways, first, second).mean(axis=1))
    humans = np.broadcast_to(human, x.shape)
    return correlations_of(humans, x, kind) - correlations_of(humans, y, kind)


def _standardized(scores: Floats) -> Floats:
    # By the systems' scores, so that a system's mean of sentences keeps its place on the metric's own scale.
    systems = scores.mean(axis=0)
    spread = float(systems.std())
    standardized: Floats = (scores - systems.mean()) / (spread if spread > 0 else 1.0)
    return standardized


def _series(human: HumanScores, metric: MetricScores) -> Floats:
    return np.array([metric.systems[system] for system in human.systems], np.float64)


def _matrix(human: HumanScores, first: MetricScores, second: MetricScores) -> tuple[Floats, Floats]:
    """Scores of both metrics; shape (sentences that both have for all systems, or 1, systems)."""
    sentences, everybody = (first.sentences, second.sentences), set(human.systems)
    common = [each for each in first.sentences if all(everybody <= scores.get(each, {}).keys() for scores in sentences)]
    if len(common) < 2:
        return _series(human, first)[None], _series(human, second)[None]
    one, two = (
        np.array([[metric.sentences[sentence][system] for system in human.systems] for sentence in common])
        for metric in (first, second)
    )
    return one, two
