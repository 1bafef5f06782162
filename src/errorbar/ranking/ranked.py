"""Systems ranked from comparisons, by several methods, each with intervals, rank ranges and clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from errorbar.core.arrays import Floats
from errorbar.core.corpus import ContentHash
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Place, Problem, UsageError, nearest
from errorbar.core.rankings import Comparisons
from errorbar.ranking.wins import (
    ORIGINAL,
    By,
    Counts,
    Orders,
    bradley_terry,
    clusters,
    connected_parts,
    count,
    count_resampled_wins,
    expected_wins,
    fewest_drawn,
    head_to_head,
    interchangeable_p,
    matched_runs,
    play,
    rank_ranges,
    round_scores,
    wmt_skill,
)
from errorbar.stats.anytime import endless_p_value, endless_share_bounds
from errorbar.stats.multiple import adjust
from errorbar.stats.resampling import ROUNDING, Resampling, left_out_of, resample_clusters, stream, subsample_clusters
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
RUNS = 1000
"""Of the WMT's program, where no resamples are asked for."""
ORDERS = 20
"""Random orders over which TrueSkill's scores on all comparisons are averaged."""
MOST_SCORES = 20_000_000
"""Scores of resamples that are kept: 160 megabytes."""
_SHOWN = 10
"""Groups of systems that a warning names."""
_AT_ONCE = 200
_STEPS_AT_ONCE = 12_000_000
"""Orders, and their steps in all, that TrueSkill goes through together: half a gigabyte."""
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system in a ranking; its range and cluster are 0 without resamples."""

    system: str
    score: Estimate  # units are its comparisons, clusters what was drawn
    rank: int  # by the score, from 1; 0 where it has none
    low: int = 0  # the best rank of its range
    high: int = 0
    cluster: int = 0  # from 1 at the top


@dataclass(frozen=True, slots=True)
class RankingResult:
    """A ranking."""

    method: Method
    systems: tuple[RankedSystem, ...]  # best first
    resampled: Floats  # their scores on the resamples; shape (resamples, systems)
    parts: tuple[tuple[str, ...], ...]  # the systems by what connects them: comparisons that the method counts
    n_missing: int  # items (or what is drawn as one) that it takes besides to separate any two systems


def rank_systems(
    comparisons: Comparisons,
    methods: Sequence[Method] = ("expected-wins",),
    how: Resampling | None = None,
    *,
    by: By = "item",
    seed: int = 0,
    progress: Progress | None = None,
) -> list[RankingResult]:
    """Rank systems.

    Args:
        comparisons: Who was found better than whom.
        methods: How to rank; any of METHODS.
        how: How intervals and rank ranges are made; None: there are none.
        by: What is drawn as one: item, sentence or comparison.
        seed: Of the orders that TrueSkill goes through, where ``how`` gives none.
        progress: Told how many resamples TrueSkill has gone through.

    Raises:
        UsageError: There is no such method, or nothing was compared.
    """
    for method in methods:
        if method not in METHODS:
            message = f"no ranking is called '{method}'"
            raise UsageError(Problem("ranking-method", message, fix=nearest(method, METHODS)))
    if not len(comparisons):
        raise UsageError(Problem("ranking-nothing", "no comparison to rank from", expected="at least 1"))
    size = len(comparisons.systems)
    if how is not None:
        _see_resamples(how, size)
    counted = [method for method in methods if not method.startswith("trueskill")]
    counts, parts = count(comparisons), {method: list[Floats]() for method in counted}
    for block in count_resampled_wins(comparisons, how, by) if how is not None and counted else ():
        for method, part in parts.items():
            part.append(score_counts(block, method))
    results = []
    for method in methods:
        if method in parts:
            score, resampled = score_counts(counts, method), parts[method]
        elif method == "trueskill-wmt":
            score, resampled = _as_the_wmt(comparisons, how or Resampling("percentile", RUNS, seed=seed), progress)
        else:
            score, resampled = _trueskill(comparisons, method, how, by, seed, progress)
        drawn = np.concatenate(resampled) if how is not None else np.empty((0, size))
        results.append(_result(comparisons, method, score, drawn, how, by))
    return results


def subsampled_scores(
    comparisons: Comparisons, method: Method, how: Resampling, by: By = "item", progress: Progress | None = None
) -> Floats:
    """Score systems on subsamples of the judgments, as ``subsample_interval`` wants them; shape (subsamples, systems).

    Empty for ``trueskill-wmt``, which takes too long.
    """
    _see_resamples(how, len(comparisons.systems))
    n_left_out = left_out_of(len(np.unique(clusters(comparisons, by))))
    if method == "trueskill-wmt":
        return np.empty((0, len(comparisons.systems)))
    if method.startswith("trueskill"):
        return np.concatenate(_trueskill(comparisons, method, how, by, how.seed, progress, n_left_out)[1])
    counts = count_resampled_wins(comparisons, how, by, n_left_out=n_left_out)
    return np.concatenate([score_counts(block, method) for block in counts])


def _see_resamples(how: Resampling, size: int) -> None:
    """Refuse more resamples of so many systems than are kept."""
    if how.replicates * size > MOST_SCORES:
        message = f"{how.replicates:,} resamples of {size:,} systems"
        raise UsageError(Problem("ranking-resamples", message, expected=f"at most {MOST_SCORES // size:,} resamples"))


def score_counts(counts: Counts, method: Method) -> Floats:
    """Scores of every system by a method that needs the counts alone; shape (..., systems)."""
    if method.startswith("expected-wins"):
        return expected_wins(counts, half_ties=method.endswith("half-ties"))
    return bradley_terry(counts, half_ties=not method.endswith("no-ties"))


def ranking_notes(comparisons: Comparisons, results: Sequence[RankingResult]) -> list[Problem]:
    """Warn of ties alone, of methods without scores, of systems that nothing connects, and of too few items."""
    if not comparisons.outcome.any():
        message = "all comparisons are ties: nobody found any system better than another"
        return [Problem("ranking-ties", message, Place(), fix="judge more", severity="warning")]
    notes: dict[str, Problem] = {}
    for result in results:
        gone = [row for row in result.systems if row.score.value is None]
        if gone:
            chain = result.method.startswith("bradley")
            reason, fix = "all their comparisons are ties", "use expected-wins-half-ties, or judge more"
            if all(row.score.n_units == 0 for row in gone):
                reason, fix = "nobody compared them", "judge them too, or leave them out of --systems"
            elif chain:
                reason, fix = (
                    "no chain of wins leads from each system to each other",
                    "use expected-wins, or judge more",
                )
            message = f"{result.method} has no score for {', '.join(row.system for row in gone)}: {reason}"
            notes[message] = Problem("ranking-undefined", message, Place(), fix=fix, severity="warning")
        if len(result.parts) > 1:
            shown = "; ".join(", ".join(part) for part in result.parts[:_SHOWN]) + "; …" * (len(result.parts) > _SHOWN)
            message = f"no comparison connects these {len(result.parts)} groups of systems: {shown}"
            message += ", so ranks say nothing across them"
            fix = "judge systems of different groups against each other, or rank each group alone"
            headline = f"no comparison connects {len(result.parts)} groups of systems"
            notes[message] = Problem(
                "ranking-disconnected", message, Place(), fix=fix, severity="warning", headline=headline
            )
        if result.n_missing:
            message = "there are too few items to separate any two systems, so every rank range has all ranks"
            fix = f"judge at least {result.n_missing} more"
            headline = f"too few items to separate any two systems: at least {result.n_missing} more are needed"
            notes[message] = Problem("ranking-few", message, Place(), fix=fix, severity="warning", headline=headline)
    return list(notes.values())


def signature(
    comparisons: Comparisons,
    methods: Sequence[Method],
    how: Resampling | None,
    by: By,
    seed: int,
    *,
    swapped: bool = False,
    interval: str = "",
) -> str:
    """The signature of a ranking: all that a digit depends on but the method, whose random orders have the seed.

    ``swapped``: what is drawn as one was swapped, too. ``interval`` names intervals that are not those of ``how``.
    """
    judged = ContentHash()
    columns = (comparisons.first, comparisons.second, comparisons.outcome, comparisons.item, comparisons.sentence)
    judged.add([" ".join(map(str, row)) for row in zip(*(column.tolist() for column in columns), strict=True)])
    judged.add(comparisons.systems)
    ordered = [f"seed:{seed}"] if any(method.startswith("trueskill") for method in methods) else []
    drawn = [*[f"by:{by}"] * swapped, *ordered] if how is None else [how.convention(by, interval)]
    return "|".join(["rank", f"judgments:{judged.short()}", f"n:{len(comparisons)}", *drawn, f"v:{__version__}"])


def _as_the_wmt(comparisons: Comparisons, how: Resampling, progress: Progress | None) -> tuple[Floats, list[Floats]]:
    n, n_runs = len(comparisons), how.replicates
    done = _shift_progress(progress, 0, n_runs, n_runs, n)
    runs = matched_runs(comparisons, wmt_skill(n), n_runs, stream(how.seed, "ranking", "trueskill-wmt"), done)
    return runs.mean(axis=0), [runs]


def _trueskill(
    comparisons: Comparisons,
    method: Method,
    how: Resampling | None,
    by: By,
    seed: int,
    progress: Progress | None,
    n_left_out: int = 0,
) -> tuple[Floats, list[Floats]]:
    """Score systems on all comparisons, and on resamples or subsamples of them."""
    n_comparisons, seed = len(comparisons), seed if how is None else how.seed
    skill = wmt_skill(n_comparisons) if method == "trueskill" else ORIGINAL
    everything = np.arange(n_comparisons, dtype=np.int32)
    rng = stream(seed, "ranking", method, "orders")
    orders: Orders = rng.permuted(np.tile(everything, (ORDERS, 1)), axis=1)
    score = play(comparisons, orders, skill)[0].mean(axis=0)
    groups, parts = clusters(comparisons, by), []
    replicates = 0 if how is None else how.replicates
    at_once = max(1, min(_AT_ONCE, _STEPS_AT_ONCE // n_comparisons))
    for start in range(0, replicates, at_once):
        n = min(at_once, replicates - start)
        rng = stream(seed, "ranking", method, by, start)
        rows = subsample_clusters(groups, n_left_out, n, rng) if n_left_out else resample_clusters(groups, n, rng)
        drawn = rng.permuted(rows.astype(np.int32), axis=1)
        done = _shift_progress(progress, start, n, replicates, drawn.shape[1])
        parts.append(play(comparisons, drawn, skill, done)[0])
    return score, parts


def _shift_progress(progress: Progress | None, start: int, n: int, total: int, steps: int) -> Progress | None:
    """Tell resamples done where the steps of one block are told."""
    return progress and (lambda step: progress(min(total, start + n * step // max(1, steps))))


def _result(
    comparisons: Comparisons, method: Method, score: Floats, resampled: Floats, how: Resampling | None, by: By
) -> RankingResult:
    half_ties, groups = not method.endswith(("wins", "no-ties")), clusters(comparisons, by)
    won = count(comparisons).won(half_ties)
    part, counted = connected_parts(won), np.asarray((won + won.T).sum(axis=1)) > 0
    n_drawn, n_missing = len(np.unique(groups)), 0
    if how is None:  # the ranks alone
        ranges = rank_ranges(score, score[None])
    else:
        level, n_missing = 1 - how.confidence_level, max(0, fewest_drawn(how.confidence_level) - n_drawn)
        level /= max(1, len(score) // 2)

        def differ(upper: int, lower: int) -> bool:
            pair = (upper, lower)
            p = interchangeable_p(comparisons, pair, by, half_ties=half_ties, level=level, seed=how.seed)
            return p <= level + ROUNDING

        # Where nothing can separate systems every rank of each is as likely as any other.
        drawn = resampled if not n_missing and part.max() == 0 else np.full_like(resampled, np.nan)
        ranges = rank_ranges(score, drawn, confidence_level=how.confidence_level, differ=differ)
    size = len(comparisons.systems)
    met = np.bincount(comparisons.first, minlength=size) + np.bincount(comparisons.second, minlength=size)
    # The WMT's program draws single comparisons, whatever is drawn as one elsewhere.
    alone = by == "comparison" or method == "trueskill-wmt"
    n_clusters = None if alone else n_drawn
    order = np.argsort(-np.nan_to_num(round_scores(score), nan=-np.inf), kind="stable")
    systems = []
    for at in order.tolist():
        estimate = Estimate(float(score[at]), int(met[at]))
        if np.isnan(score[at]):
            chain = Undefined.NOT_CONNECTED if method.startswith("bradley") else Undefined.ONLY_TIES
            estimate = Estimate(None, int(met[at]), undefined=chain if met[at] else Undefined.NO_UNITS)
        elif how is not None:
            estimate = estimate.with_interval(how.interval(score[at], resampled[:, at]), n_clusters=n_clusters)
        placed = [int(column[at]) for column in (ranges.rank, ranges.low, ranges.high, ranges.cluster)]
        systems.append(RankedSystem(comparisons.systems[at], estimate, *placed[: 1 if how is None else 4]))
    names = np.array(comparisons.systems, object)
    numbers = dict.fromkeys(part[order][counted[order]].tolist())
    parts = tuple(tuple(names[order][part[order] == number].tolist()) for number in numbers)
    return RankingResult(method, tuple(systems), resampled[:, order], parts, n_missing)


# Which pairs of systems are decided, however often one looked: win rates with intervals that always hold.
#
# Formula
#     Of the n comparisons of a pair that were not ties the first system won w. The interval of its win rate and the
#     p-value of a rate of one half are those of an endless stream (``stats.anytime``): all p with (n + 1) Bin(w; n, p)
#     > α, and min(1, (n + 1) Bin(w; n, ½)). The p-values of all pairs are adjusted by Holm's method, which needs no
#     assumption about their dependence, and so holds at every look for all pairs together. A pair is decided where its
#     adjusted p-value is at most α.
# Conventions
#     Ties are dropped, as Expected Wins drops them. Comparisons of one pair count as independent: they are of different
#     items, but several judges of one sentence are alike. Which pair is judged next may depend on what was seen.
# Source
#     As ``stats.anytime`` and ``stats.multiple``.


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """Two systems, and whether one is known to be better."""

    first: str
    second: str
    wins: int  # of the first
    losses: int
    ties: int
    share: Estimate  # of wins among wins and losses, with its interval
    p: float  # that both are equally good, adjusted for all pairs: it decides
    p_unadjusted: float  # of this pair alone
    better: str  # empty: open


def decide_pairs(comparisons: Comparisons, *, confidence_level: float = 0.95, n_others: int = 0) -> list[PairVerdict]:
    """A verdict for each pair that was compared, in the order of the systems.

    ``n_others``: pairs that may yet be compared, for which p-values are adjusted too.
    """
    pairs = head_to_head(comparisons)
    wins, losses = (np.array([pair[at] for pair in pairs], np.int64) for at in (2, 3))
    decided = wins + losses
    low, high = endless_share_bounds(wins, decided, confidence_level=confidence_level)
    p_unadjusted = endless_p_value(wins, decided)
    p = adjust(np.append(p_unadjusted, np.ones(n_others)))[: len(p_unadjusted)]
    verdicts = []
    for at, (first, second, won, lost, ties) in enumerate(pairs):
        if won + lost:
            interval = Interval(float(low[at]), float(high[at]), confidence_level, "anytime, beta")
            share = Estimate(won / (won + lost), won + lost).with_interval(interval)
        else:
            share = Estimate(None, 0, undefined=Undefined.NO_UNITS).with_interval(Undefined.NO_UNITS)
        clear = p[at] <= 1 - confidence_level + ROUNDING
        better = (first if won > lost else second) if clear else ""
        p_values = float(p[at]), float(p_unadjusted[at])
        verdicts.append(PairVerdict(first, second, won, lost, ties, share, *p_values, better))
    return verdicts
