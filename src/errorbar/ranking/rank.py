"""Systems ranked from comparisons, by several methods, each with intervals, rank ranges and clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from errorbar.core.corpus import ContentHash
from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.rankings import Comparisons
from errorbar.ranking.bradley_terry import bradley_terry
from errorbar.ranking.counts import By, Counts, Floats, clusters, count, resampled_blocks
from errorbar.ranking.expected_wins import expected_wins
from errorbar.ranking.matchmaking import matched_runs
from errorbar.ranking.ranges import rank_ranges, rounded
from errorbar.ranking.trueskill import ORIGINAL, Orders, play, wmt_skill
from errorbar.stats.bootstrap import bootstrap_interval, resample_clusters
from errorbar.stats.streams import stream
from errorbar.version import __version__

Method = Literal[
    "expected-wins",
    "expected-wins-half-ties",
    "bradley-terry",
    "bradley-terry-no-ties",
    "trueskill",
    "trueskill-original",
    "trueskill-wmt",
]
METHODS: tuple[Method, ...] = get_args(Method)
ORDERS = 20
"""Random orders over which TrueSkill's scores on all comparisons are averaged."""
MOST_SCORES = 20_000_000
"""Scores of resamples that are kept: 160 megabytes."""
_AT_ONCE = 200
_STEPS_AT_ONCE = 12_000_000
"""Orders, and their steps in all, that TrueSkill goes through together: half a gigabyte."""
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Resamples:
    """How intervals are made.

    Attributes:
        replicates: How many resamples.
        seed: Of the random stream.
        by: What is drawn as one: item, sentence or comparison.
        confidence_level: Nominal coverage of intervals and rank ranges.
    """

    replicates: int = 1000
    seed: int = 0
    by: By = "item"
    confidence_level: float = 0.95


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system in a ranking.

    Attributes:
        system: Its name.
        score: Its score with an interval; units are its comparisons, clusters what was drawn.
        rank: Its rank by the score, from 1; 0 where it has none.
        low: The best rank of its range.
        high: The worst.
        cluster: Number of its cluster, from 1.
    """

    system: str
    score: Estimate
    rank: int
    low: int
    high: int
    cluster: int


@dataclass(frozen=True, slots=True)
class RankingResult:
    """A ranking.

    Attributes:
        method: How it was made.
        systems: The systems, best first.
        resampled: Their scores on the resamples, columns in the order of ``systems``; shape (resamples, systems).
    """

    method: Method
    systems: tuple[RankedSystem, ...]
    resampled: Floats


def rank_systems(
    comparisons: Comparisons,
    methods: Sequence[Method] = ("expected-wins",),
    resamples: Resamples | None = None,
    *,
    progress: Progress | None = None,
) -> list[RankingResult]:
    """Rank systems.

    Args:
        comparisons: Who was found better than whom.
        methods: How to rank; any of METHODS.
        resamples: How intervals are made.
        progress: Told how many comparisons TrueSkill has gone through.

    Raises:
        UsageError: There is no such method, or nothing was compared.
    """
    how = Resamples() if resamples is None else resamples
    for method in methods:
        if method not in METHODS:
            what = f"no ranking is called '{method}'"
            raise UsageError(Problem("ranking-method", what, fix=nearest(method, METHODS)))
    if not len(comparisons):
        raise UsageError(Problem("ranking-nothing", "no comparison to rank from", expected="at least 1"))
    size = len(comparisons.systems)
    if how.replicates * size > MOST_SCORES:
        what = f"{how.replicates:,} resamples of {size:,} systems"
        raise UsageError(Problem("ranking-resamples", what, expected=f"at most {MOST_SCORES // size:,} resamples"))
    counts = count(comparisons)
    many = _resampled(comparisons, [method for method in methods if not method.startswith("trueskill")], how)
    results = []
    for method in methods:
        if method in many:
            score, resampled = score_counts(counts, method), many[method]
        else:
            score, resampled = _trueskill(comparisons, method, how, progress)
        results.append(_result(comparisons, method, score, resampled, how))
    return results


def _resampled(comparisons: Comparisons, methods: Sequence[Method], how: Resamples) -> dict[Method, Floats]:
    """Scores of resamples by methods that need the counts alone; shape (resamples, systems) each."""
    if not methods:
        return {}
    parts: dict[Method, list[Floats]] = {method: [] for method in methods}
    for counts in resampled_blocks(comparisons, by=how.by, replicates=how.replicates, seed=how.seed):
        for method, found in parts.items():
            found.append(score_counts(counts, method))
    return {method: np.concatenate(found) for method, found in parts.items()}


def score_counts(counts: Counts, method: Method) -> Floats:
    """Scores of every system by a method that needs the counts alone; shape (..., systems)."""
    if method.startswith("expected-wins"):
        return expected_wins(counts, half_ties=method.endswith("half-ties"))
    return bradley_terry(counts, half_ties=not method.endswith("no-ties"))


def no_scores(results: Sequence[RankingResult]) -> list[Problem]:
    """Say why a method has no scores."""
    notes = []
    for result in results:
        gone = [each.system for each in result.systems if each.score.value is None]
        if gone:
            chain = "bradley" in result.method
            reason = "no chain of wins leads from each system to each other" if chain else "they met nobody"
            what = f"{result.method} has no score for {', '.join(gone)}: {reason}"
            fix = "use expected-wins, or judge more"
            notes.append(Problem("ranking-undefined", what, Place(), fix=fix, severity="warning"))
    return notes


def signature(comparisons: Comparisons, how: Resamples) -> str:
    """What was ranked how: all that a digit depends on but the method."""
    judged = ContentHash()
    columns = (comparisons.first, comparisons.second, comparisons.outcome, comparisons.item, comparisons.sentence)
    judged.add([" ".join(map(str, row)) for row in zip(*(column.tolist() for column in columns), strict=True)])
    judged.add(comparisons.systems)
    ci = f"ci:percentile,{how.confidence_level:g},{how.replicates},by:{how.by},seed:{how.seed}"
    return f"rank|judgments:{judged.short()}|n:{len(comparisons)}|{ci}|v:{__version__}"


def _trueskill(
    comparisons: Comparisons, method: Method, how: Resamples, progress: Progress | None
) -> tuple[Floats, Floats]:
    if method == "trueskill-wmt":
        rng = stream(how.seed, "ranking", method)
        done = None if progress is None else _shifted(progress, 0, how.replicates, how.replicates, len(comparisons))
        runs = matched_runs(comparisons, wmt_skill(len(comparisons)), how.replicates, rng, done)
        return runs.mean(axis=0), runs
    skill = wmt_skill(len(comparisons)) if method == "trueskill" else ORIGINAL
    rng = stream(how.seed, "ranking", method, "orders")
    everything = np.arange(len(comparisons), dtype=np.int32)
    orders: Orders = rng.permuted(np.tile(everything, (ORDERS, 1)), axis=1)
    score = play(comparisons, orders, skill)[0].mean(axis=0)
    groups = clusters(comparisons, how.by)
    parts = []
    at_once = max(1, min(_AT_ONCE, _STEPS_AT_ONCE // len(comparisons)))
    for start in range(0, how.replicates, at_once):
        n = min(at_once, how.replicates - start)
        rng = stream(how.seed, "ranking", method, how.by, start)
        drawn = rng.permuted(resample_clusters(groups, n, rng).astype(np.int32), axis=1)
        done = None if progress is None else _shifted(progress, start, n, how.replicates, drawn.shape[1])
        parts.append(play(comparisons, drawn, skill, done)[0])
    return score, np.concatenate(parts)


def _shifted(progress: Progress, start: int, n: int, total: int, steps: int) -> Progress:
    """Tell resamples done where the steps of one block are told."""
    return lambda step: progress(min(total, start + n * step // max(1, steps)))


def _result(
    comparisons: Comparisons, method: Method, score: Floats, resampled: Floats, how: Resamples
) -> RankingResult:
    ranges = rank_ranges(score, resampled, confidence_level=how.confidence_level)
    size = len(comparisons.systems)
    met = np.bincount(comparisons.first, minlength=size) + np.bincount(comparisons.second, minlength=size)
    # The WMT's program draws single comparisons, whatever is drawn as one elsewhere.
    alone = how.by == "comparison" or method == "trueskill-wmt"
    n_clusters = len(np.unique(clusters(comparisons, how.by)))
    order = np.argsort(-np.nan_to_num(rounded(score), nan=-np.inf), kind="stable")
    systems = []
    for at in order.tolist():
        value = float(score[at])
        if np.isnan(value):
            why = Undefined.TOO_FEW_UNITS
            if not met[at]:
                why = Undefined.NO_UNITS
            elif method.startswith("bradley"):
                why = Undefined.NOT_CONNECTED
            estimate = Estimate(None, int(met[at]), undefined=why)
        else:
            interval = bootstrap_interval(
                value, resampled[:, at], method="percentile", confidence_level=how.confidence_level
            )
            estimate = Estimate(value, int(met[at])).with_interval(interval, n_clusters=None if alone else n_clusters)
        placed = (int(ranges.rank[at]), int(ranges.low[at]), int(ranges.high[at]), int(ranges.cluster[at]))
        systems.append(RankedSystem(comparisons.systems[at], estimate, *placed))
    return RankingResult(method, tuple(systems), resampled[:, order])
