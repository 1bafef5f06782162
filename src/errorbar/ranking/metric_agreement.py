"""How metrics rank systems, beside how humans do: correlations, windows of neighbors, tests between metrics.

Formula
    Pearson's r, Spearman's ρ and Kendall's τ-b of two series with one number for each system. A window of N is the
    same of the systems that humans put at places k to k + N − 1, for every k.
    Tests between two metrics: Williams' (errorbar.stats.correlation) on Pearson's r, and swapping: if it made no
    difference which of the two metrics gave a score, scores of both could be swapped; the statistic is the difference
    of the two correlations with the humans. ``systems`` swaps all scores of a system, ``both`` each score of a system
    and sentence on its own (where both metrics have sentence scores: a system's score is then their mean).
Conventions
    Each metric's scores are standardized before swapping, since metrics have scales of their own. Swapping ``both``
    asks about these systems on other texts: two metrics that misjudge each system in ways of their own differ on any
    systems, however alike they would be on others, which Williams' test asks about. Two intervals: over systems
    (Fisher's; a dozen systems give wide ones), and over judgments, where there are any (``subsample_interval`` of the
    correlations with the humans' scores on subsamples of the judged items). They answer different questions: other
    systems, or the same systems judged again.
Source
    Macháček & Bojar 2014 and Graham & Baldwin 2014 (Williams); Deutsch, Dror & Roth 2021, A statistical analysis of
    summarization evaluation metrics using resampling methods, TACL 9 (PERM-SYSTEMS, PERM-BOTH); windows: Kobayashi,
    Mita & Komachi 2024, Revisiting meta-evaluation for grammatical error correction, TACL 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Interval, Scale, Undefined
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.ranking.ranked import Method, Progress, rank_systems, subsampled_scores
from errorbar.ranking.wins import By, clusters, order_pairs, round_scores
from errorbar.stats.correlation import CorrelationKind, Williams, correlate, williams_test
from errorbar.stats.paired import WAYS, Randomization, Swaps, randomization_test, share_above, sign_flip_p, ways_to_swap
from errorbar.stats.resampling import Resampling, Units, blocks, cluster_table, left_out_of, stream, subsample_interval

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
    """The scores that humans gave to systems, best first."""

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
    gone = [row.system for row in result.systems if row.score.value is None]
    if gone:
        message = f"{result.method} has no score for {', '.join(gone)}"
        raise UsageError(Problem("meta-no-human-score", message, fix="use another --method"))
    values = np.array([row.score.value for row in result.systems], np.float64)
    systems = tuple(row.system for row in result.systems)
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
    for n, most, message in ((n_systems, MOST_SYSTEMS, "systems"), (len(metrics), MOST_METRICS, "metrics")):
        if n > most:
            raise InputError(Problem("meta-too-many", f"{n:,} {message}", expected=f"at most {most:,}"))
    places = {system: at for at, system in enumerate(human.systems)}
    kept = dict.fromkeys(human.systems)
    for metric in metrics:
        for system in (name for name in human.systems if name not in metric.systems):
            message = f"{metric.metric} has no score for '{system}', which humans ranked"
            hint = "" if problems.lenient or not metric.systems else nearest(system, metric.systems)
            if any(system in row for row in metric.sentences.values()):  # else it had their mean: wins are counted
                hint = "it neither won nor lost a sentence"
            problems.repairable("meta-missing-system", message, Place(), repair="the system is left out", hint=hint)
            kept.pop(system, None)
        for system in (name for name in metric.systems if name not in places):
            message = f"{metric.metric} has a score for '{system}', which no human ranked"
            hint = "" if problems.lenient else nearest(system, human.systems)
            problems.repairable("meta-unknown-system", message, Place(), repair="the score is left out", hint=hint)
    problems.raise_errors()
    if len(kept) < 2:
        message = f"{len(kept)} systems have scores of humans and of all metrics"
        raise InputError(Problem("meta-few-systems", message, expected="at least 2"))
    at = [places[system] for system in kept]
    subsampled = None if human.subsampled is None else human.subsampled[:, at]
    return HumanScores(tuple(kept), human.scores[at], subsampled, human.n_drawn)


def metric_agreement(
    human: HumanScores, metric: MetricScores, *, window: int = 0, confidence_level: float = 0.95
) -> MetricAgreement:
    """Correlate a metric with humans, in windows of so many systems too (0: none); every system has a score of it."""
    n = len(human.systems)
    if window and not 2 < window <= n:
        message = f"a window of {window} systems"
        raise UsageError(Problem("meta-window", message, expected=f"3 to {n}, the number of systems"))
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
    block, scaled = max(1, _CELLS // a.size), (_standardize(a), _standardize(b))
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
    correlations: Floats = np.divide((x * y).sum(axis=1), spread, out=np.full(len(x), np.nan), where=spread > 1e-14)
    return correlations


def _swapped_difference(human: Floats, first: Floats, second: Floats, kind: Kind, swaps: Swaps) -> Floats:
    """The difference of two correlations for ways to swap; each swaps a row of what can be swapped."""
    ways = swaps.reshape(len(swaps), *first.shape)
    # Scores that are equal on paper must be ties, whatever the scales of the two metrics left behind.
    x = round_scores(np.where(ways, second, first).mean(axis=1))
    y = round_scores(np.where(ways, first, second).mean(axis=1))
    humans = np.broadcast_to(human, x.shape)
    return correlations_of(humans, x, kind) - correlations_of(humans, y, kind)


def _standardize(scores: Floats) -> Floats:
    # By the systems' scores, so that a system's mean of sentences keeps its place on the metric's own scale.
    systems = scores.mean(axis=0)
    spread = float(systems.std())
    standardized: Floats = (scores - systems.mean()) / (spread if spread > 0 else 1.0)
    return standardized


def _series(human: HumanScores, metric: MetricScores) -> Floats:
    return np.array([metric.systems[system] for system in human.systems], np.float64)


def _matrix(human: HumanScores, first: MetricScores, second: MetricScores) -> tuple[Floats, Floats]:
    """Scores of both metrics; shape (sentences that both have for all systems, or 1, systems)."""
    everybody = set(human.systems)
    whole = ({name for name, own in metric.sentences.items() if everybody <= own.keys()} for metric in (first, second))
    both = set.intersection(*whole)
    common = [sentence for sentence in first.sentences if sentence in both]
    if len(common) < 2:
        return _series(human, first)[None], _series(human, second)[None]

    def table(metric: MetricScores) -> Floats:
        return np.array([[metric.sentences[sentence][system] for system in human.systems] for sentence in common])

    return table(first), table(second)


# Soft pairwise accuracy: is a metric as sure as humans of which of two systems is better?
#
# Formula
#     SPA = mean over pairs of systems i, j of 1 − |p_h − p_m|. p_h is the one-sided p-value of the humans, and p_m that
#     of the metric, of i being no better than j, both from swapping outputs of the two (errorbar.stats.paired). Of
#     judgments: D is how often i was found better than j less how often j was. What is drawn as one (an item, or with
#     ``by`` a sentence or a comparison) is swapped as one: its part of D changes sign. p_h is of all ways to swap. Of
#     scores of sentences: D is the sum of the differences of both systems' scores over the sentences that have both;
#     sentences are swapped, 1,000 random ways and their opposites, or all ways if there are no more. Of a metric that
#     is computed: D is the difference of the systems' scores of the corpus, and documents (or sentences) are swapped
#     (errorbar.metrics.swaps).
# Conventions
#     Published SPA counts all ways with D* = D, and so depends on which system of a pair comes first where any are
#     equal; here half of them count. Where none of R ways but to swap nothing is equal, both are the same but for
#     1/(2R). Ties of judges move no D. Pairs that were never compared are left out; one that was, and always tied, has
#     p = ½. The interval is over judgments (``subsample_interval``): p_h on subsamples of what is drawn as one, p_m as
#     it is.
# Source
#     Thompson, Mathur, Deutsch & Khayrallah 2024, Improving statistical significance in human evaluation of automatic
#     metrics via soft pairwise accuracy, WMT. The program of the shared task (mt-metrics-eval, pce.py) draws 1,000
#     ways.


SHARE = Scale(0.0, 1.0)
_PART = 20
"""Subsamples leave out a twentieth: p-values of much fewer judgments are others, and vary less."""
_AT_ONCE = 1000
"""Pairs whose sentences are swapped together."""
Sentences = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class SoftAccuracy:
    """Soft pairwise accuracy of a metric."""

    metric: str
    accuracy: Estimate  # units are pairs of systems; the interval is over judgments


class JudgedPairs:
    """Judges' comparisons of each pair of systems, in the order of ``itertools.combinations``."""

    def __init__(self, comparisons: Comparisons, systems: Sequence[str], by: By) -> None:
        self.by = by
        size = len(systems)
        self.n_pairs = size * (size - 1) // 2
        known = {system: at for at, system in enumerate(systems)}
        place = np.array([known.get(system, -1) for system in comparisons.systems], np.int64)
        first, second, outcome = order_pairs(comparisons)
        first, second = place[first], place[second]
        low, high = np.minimum(first, second), np.maximum(first, second)
        kept = low >= 0
        pair = (low * (2 * size - low - 1) // 2 + high - low - 1)[kept]
        signed = np.where(first < second, outcome, -outcome)[kept]
        self._met = np.bincount(pair, minlength=self.n_pairs) > 0
        drawn = clusters(comparisons, by)
        self.n_drawn = int(drawn.max(initial=-1)) + 1
        keys, at = np.unique(drawn[kept] * self.n_pairs + pair, return_inverse=True)
        net = np.rint(np.bincount(at, weights=signed, minlength=len(keys))).astype(np.int64)
        self.most = max(1, int(np.abs(net).max(initial=0)))
        decided = net != 0
        self._drawn, pair, net = keys[decided] // self.n_pairs, keys[decided] % self.n_pairs, net[decided]
        self._cells = (pair * 2 + (net < 0)) * self.most + np.abs(net) - 1

    @cached_property
    def chances(self) -> Floats:
        """P of each pair, NaN where the two were never compared; shape (pairs,)."""
        cells = np.bincount(self._cells, minlength=self._width)
        p_values: Floats = self._chances(cells[None].astype(np.float64))[0]
        return p_values

    def subsampled(self, how: Resampling) -> Iterator[Floats]:
        """P on subsamples, some of them first; shape (subsamples, pairs)."""
        used, kinds = np.unique(self._cells, return_inverse=True)
        # Whoever decided nothing is drawn too: a unit of the last kind, which counts nowhere.
        undrawn = np.setdiff1d(np.arange(self.n_drawn), self._drawn)
        kind = np.concatenate([kinds, np.full(len(undrawn), len(used))]).astype(np.int64)
        group = None if self.by == "comparison" else np.concatenate([self._drawn, undrawn])
        frequency = np.bincount(kind, minlength=len(used) + 1).astype(np.float64)
        units = Units(frequency, cluster_table(kind, len(used) + 1, group, len(kind)))
        for block in units.draws(
            how, "ranking", self.by, width=self._width, n_left_out=left_out_of(self.n_drawn, _PART)
        ):
            for weights in block():
                cells = np.zeros((len(weights), self._width))
                cells[:, used] = weights[:, :-1]
                yield self._chances(cells)

    @property
    def _width(self) -> int:
        return self.n_pairs * 2 * self.most

    def _chances(self, cells: Floats) -> Floats:
        table = cells.reshape(-1, 2, self.most)
        p_values = sign_flip_p(table[:, 0], table[:, 1]).reshape(len(cells), self.n_pairs)
        p_values[:, ~self._met] = np.nan
        return p_values


def sentence_chances(sentences: Sentences, systems: Sequence[str], seed: int = 0) -> Floats:
    """P of each pair of systems from scores of sentences, NaN where no sentence has both; shape (pairs,)."""
    rows = [[scores.get(system, np.nan) for system in systems] for scores in sentences.values()]
    scores = np.array(rows, np.float64).reshape(-1, len(systems))
    pairs = np.array(list(combinations(range(len(systems)), 2)), np.int64).reshape(-1, 2)
    random = _signs(len(scores), stream(seed, "soft-accuracy", len(scores)))
    p_values = np.full(len(pairs), np.nan)
    for start in range(0, len(pairs), _AT_ONCE):
        first, second = pairs[start : start + _AT_ONCE].T
        apart = scores[:, first] - scores[:, second]
        scored = ~np.isnan(apart)
        apart = np.where(scored, apart, 0.0)
        swapped = random @ apart
        for k in np.flatnonzero(scored.any(axis=0)).tolist():
            differing, ways = apart[apart[:, k] != 0, k], swapped[:, k]
            if len(differing) < len(apart) and 2 ** min(len(differing), 63) <= WAYS:
                ways = _signs(len(differing)) @ differing
            scale = float(np.abs(differing).sum())
            p_values[start + k] = share_above(float(differing.sum()), ways, scale)
    return p_values


def _signs(n: int, rng: np.random.Generator | None = None) -> Floats:
    """``ways_to_swap`` as factors of differences; without a generator all ways, which must be few."""
    return np.where(ways_to_swap(n, WAYS, rng or np.random.default_rng(0)), -1.0, 1.0)


def soft_accuracies(
    human: JudgedPairs | Floats | None, metrics: Mapping[str, Floats | None], how: Resampling | None = None
) -> list[SoftAccuracy]:
    """Soft pairwise accuracy of metrics, with intervals over judgments if there are any.

    Args:
        human: Judgments, or p of each pair, shape (pairs,); None: there are scores of systems alone.
        metrics: p of each pair by metric, NaN where there is none; None: the metric has scores of systems alone.
        how: How many subsamples of the judgments there are; None: there are no intervals.
    """
    known: dict[str, Floats] = {}
    chances = None
    if any(p is not None for p in metrics.values()):
        chances = human.chances if isinstance(human, JudgedPairs) else human
    if chances is not None:
        known = {name: p for name, p in metrics.items() if p is not None and not np.isnan(p - chances).all()}
    drawn: dict[str, Floats] = {}
    if isinstance(human, JudgedPairs) and how is not None and known:
        many = [[_accuracy(some, p) for p in known.values()] for some in human.subsampled(how)]
        drawn = dict(zip(known, np.concatenate(many, axis=1), strict=True))
    accuracies = []
    for name, p in metrics.items():
        if chances is None or p is None or name not in known:
            why = Undefined.SYSTEMS_ALONE if chances is None or p is None else Undefined.NO_UNITS
            accuracies.append(SoftAccuracy(name, Estimate(None, 0, undefined=why)))
            continue
        value = float(_accuracy(chances, p))
        estimate = Estimate(value, int(np.count_nonzero(~np.isnan(p - chances))))
        if isinstance(human, JudgedPairs) and how is not None:
            level = how.confidence_level
            n = human.n_drawn
            interval = subsample_interval(value, drawn[name], n, part=_PART, confidence_level=level, scale=SHARE)
            estimate = estimate.with_interval(interval)
        accuracies.append(SoftAccuracy(name, estimate))
    return accuracies


def _accuracy(human: Floats, metric: Floats) -> Floats:
    """SPA of p-values of shape (..., pairs) and (pairs,); shape (...)."""
    accuracy: Floats = 1.0 - np.nanmean(np.abs(human - metric), axis=-1)
    return accuracy
