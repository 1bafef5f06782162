"""Pools of judges in results: the rows of each pool in tables and JSON, and the sentences on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from errorbar.api.paper import variances_record
from errorbar.api.significance import cell_estimate, ends_record
from errorbar.core.estimate import Estimate, value_or_none
from errorbar.core.labels import format_count, join_words
from errorbar.core.pools import ALL_POOLS, Pool, Pools
from errorbar.core.problems import Place
from errorbar.metrics.base import Measure, Metric
from errorbar.metrics.comparison import System
from errorbar.metrics.judges import JudgePlan, JudgeRule
from errorbar.metrics.over_judges import PairTesting
from errorbar.metrics.pool_ceiling import PoolCeiling
from errorbar.metrics.pool_pairs import Depends, PoolComparison, PoolPair, compare_in_pools, where_in
from errorbar.metrics.pools import pool_judging
from errorbar.metrics.scores import JointEstimate, PoolMean, PoolScore, Score, over_text
from errorbar.tables.plain import attributes, estimate_record
from errorbar.tables.table import Cell, Column, PValue, Table

if TYPE_CHECKING:
    from errorbar.api.inputs import Loaded
    from errorbar.stats.resampling import Resampling

MOST_NAMED = 5
"""Systems, or pairs, that a note names; further ones are counted."""


def pool_tables(scores: Sequence[Score], name: str = "pools", shown: Sequence[Measure] = ()) -> list[Table]:
    """A row for each pool and system, the best of a pool first; the mean over pools where these are a sample.

    ``shown``: the measures of all scores; empty: those of the first.
    """
    pooled = [score for score in scores if score.pools is not None]
    if not pooled:
        return []
    several = len({score.metric for score in pooled}) > 1
    measures = {measure.name: measure for measure in shown or pooled[0].measures}
    columns = [Column("pool"), Column("judges", "count"), Column("system")]
    columns.append(Column("metric", only="" if several else "data"))
    columns += [
        Column(m.title, m.kind, m.name, interval="" if any(m.name == score.main for score in pooled) else "hidden")
        for m in measures.values()
    ]
    rows: list[list[Cell]] = []
    for pool, n_judges, own in _by_pool(pooled):
        for score, estimates in own:
            rows.append([pool, n_judges, score.system, score.metric, *(estimates.get(m) for m in measures)])
    return [Table(columns, rows, "Scores in each pool of judges", name, list(_notes(pooled)), series="pools")]


def _by_pool(scores: Sequence[Score]) -> Iterator[tuple[str, int, list[tuple[Score, dict[str, Estimate]]]]]:
    """Every pool with its judges, and its scores, the best first; then the mean over pools, if they are a sample."""
    first = scores[0].pools
    assert first is not None
    for at, row in enumerate(first.rows):
        own = [(score, _estimates(score.pools.rows[at].measures)) for score in scores if score.pools is not None]
        yield row.pool.name, row.rule.n_judges, sorted(own, key=_rank_key)
    if first.mean is not None:
        means = [(s, _estimates(s.pools.mean)) for s in scores if s.pools is not None and s.pools.mean is not None]
        yield ALL_POOLS, sum(row.rule.n_judges for row in first.rows), sorted(means, key=_rank_key)


def _estimates(measures: Mapping[str, JointEstimate] | Mapping[str, PoolMean]) -> dict[str, Estimate]:
    return {name: joint.estimate for name, joint in measures.items()}


def _rank_key(scored: tuple[Score, dict[str, Estimate]]) -> tuple[str, float]:
    score, estimates = scored
    value = estimates[score.main].value
    return score.metric, float("inf") if value is None else -main_measure(score).sign * value


def main_measure(score: Score) -> Measure:
    """The measure that ranks systems."""
    return next(measure for measure in score.measures if measure.name == score.main)


def _notes(scores: Sequence[Score]) -> Iterator[str]:
    """Lines on what intervals are over, the best system and the range over pools; the pools' own descriptions."""
    first = scores[0].pools
    assert first is not None
    pools, k = [row.pool for row in first.rows], first.rows[0].rule.k
    against = f"scores are against {format_count(k, 'judges')} of the pool"
    larger = any(row.rule.n_judges > k for row in first.rows)
    yield f"{against}, the mean over all choices of so many" if larger else against
    level = next(
        (i.confidence_level for row in first.rows if (i := row.measures[scores[0].main].estimate.interval)), None
    )
    if level is not None:
        runs = any(score.runs for score in scores)
        for row in first.rows:
            yield f"{100 * level:g}% CI of pool {row.pool.name}: {_scope(row.pool, row.rule, runs=runs)}"
    if level is not None and first.mean is not None:
        yield f"{100 * level:g}% CI of {ALL_POOLS}: over texts, judges and pools, which are a random sample"
    yield from Pools(tuple(pools)).descriptions
    metrics = dict.fromkeys(score.metric for score in scores)
    for metric in metrics:
        of_metric = f"{metric}: " * (len(metrics) > 1)
        own = [score for score in scores if score.metric == metric]
        if len(own) > 1:
            ranked = [
                (pool, [(score.system, values[score.main].value) for score, values in row])
                for pool, _, row in _by_pool(own)
            ]
            best = best_line([(pool, [name for name, value in row if value == row[0][1]]) for pool, row in ranked])
            yield f"{of_metric}{best}; whether that is chance: errorbar compare --pools"
        if first.mean is None:
            yield f"{of_metric}{_range_line(own)}"


def _scope(pool: Pool, rule: JudgeRule, *, runs: bool) -> str:
    """The scope of an interval in a pool: what it is over, the judges, and the population that it leans on."""
    population = "" if rule.population is None else f", leaning on how {rule.population.described} vary"
    return f"{over_text(pool, rule, runs=runs)} ({join_words(pool.judges)}){population}"


def best_line(best: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The line on who is best in each pool: the systems that have its best score."""
    where: dict[str, list[str]] = {}
    for pool, systems in best:
        if pool != ALL_POOLS:
            where.setdefault(join_words(systems), []).append(pool)
    if len(where) == 1:
        return f"{next(iter(where))} {'has' if len(best[0][1]) == 1 else 'have'} the best score in every pool"
    named = [f"of {systems} {where_in(pools, len(best))}" for systems, pools in where.items()]
    return f"the best score is that {join_words(named, len(named))}"


def _range_line(scores: Sequence[Score]) -> str:
    """The line on the ranges of scores over fixed pools."""
    measure, ranges = main_measure(scores[0]), []
    for score in scores[:MOST_NAMED]:
        ends = None if score.pools is None else score.pools.range_of(score.main)
        if ends is not None:
            low, high = (f"{100 * end:.2f}" if measure.kind == "percent" else f"{end:.4f}" for end in ends)
            ranges.append(f"{score.system} {low} to {high}")
    more = f" and {len(scores) - MOST_NAMED} more systems" if len(scores) > MOST_NAMED else ""
    return f"range of {measure.title} over the pools: {'; '.join(ranges)}{more}; of fixed pools there is no variance"


def pools_record(score: Score) -> dict[str, object]:
    """The measures in every pool, as JSON has them."""
    pooled = score.pools
    if pooled is None:
        return {}
    ends = pooled.range_of(score.main)
    return {
        "k": pooled.rows[0].rule.k,
        "random": pooled.mean is not None,
        "rows": [_row_record(row) for row in pooled.rows],
        "range": None if ends is None else dict(zip(("low", "high"), ends, strict=True)),
        "mean": None if pooled.mean is None else {name: _mean_record(mean) for name, mean in pooled.mean.items()},
    }


def _row_record(row: PoolScore) -> dict[str, object]:
    measures = row.measures.values()
    return {
        "pool": row.pool.name,
        "described": row.pool.described,
        "judges": list(row.pool.judges),
        "over": row.over if any(joint.estimate.interval or joint.estimate.no_interval for joint in measures) else None,
        "measures": {
            name: {**estimate_record(joint.estimate), **variances_record(joint.components)}
            for name, joint in row.measures.items()
        },
    }


def _mean_record(mean: PoolMean) -> dict[str, object]:
    parts = mean.components
    names = "texts", "within", "between", "pools"
    variances = {f"variance_{name}": None if parts is None else getattr(parts, name) for name in names}
    return {**estimate_record(mean.estimate), **variances, "df": None if parts is None else parts.df}


# Pairs of systems in pools: ``errorbar compare --pools``.


def compare_loaded_in_pools(
    data: Loaded, metric: Metric, systems: Sequence[System], pools: Pools, plan: JudgePlan, how: Resampling
) -> PoolComparison:
    """Compare systems in every pool on what was read."""
    corpus, clusters = data.corpus, data.documents.clusters()
    judging = pool_judging(
        metric, systems[0].statistics, pools, corpus.annotators, clusters, plan, how.seed, data.problems
    )
    judges = judging.pools.judges
    complete = np.array([all(name in s.annotations for name in judges) for s in corpus.sentences], np.bool_)
    tested = "whether differences depend on the pool is tested"
    if not complete.all():
        message = (
            f"all judges of all pools looked at {complete.sum():,} of {len(complete):,} sentences: {tested} on those"
        )
        data.problems.note("pool-parts", message, Place(), fix="let every judge look at the same sentences")
    kept = [(system.name, system.statistics) for system in systems]
    result = compare_in_pools(
        metric, kept, judging, complete, clusters, PairTesting("max-t", how.confidence_level, how.seed)
    )
    if result.test_k < judging.k:
        message = f"there are too many sets of {judging.k} judges: {tested} with scores against {result.test_k}"
        data.problems.note(
            "pool-sets", message, Place(), fix=f"--judges='random(k={result.test_k})' takes them everywhere"
        )
    if leaning := [f"{pair.first} and {pair.second}" for pair in result.pairs if result.leans(pair)]:
        headline = "Welch's test does not show that a difference depends on the pool"
        message = (
            f"judges of one pool may vary more than those of another: a test that allows for it (Welch) does not show "
            f"that the difference depends on the pool ({join_words(leaning)})"
        )
        data.problems.note("pool-spreads", message, Place(), fix="add judges to the smaller pools", headline=headline)
    return result


def pool_comparison_tables(result: PoolComparison, *, intervals: bool = True) -> list[Table]:
    """The scores of all systems in each pool, the best first; and every pair in each pool, with what follows."""
    measure, rows = result.measure, list[list[Cell]]()
    for at, (pool, rule) in enumerate(zip(result.judging.pools, result.judging.rules, strict=True)):
        best, level = result.best(at), result.winner(at)[1]
        goodness = np.nan_to_num(measure.sign * result.values[at], nan=-np.inf)
        for system in np.argsort(-goodness, kind="stable").tolist():
            name = result.names[system]
            standing = "best" if name in best else "not told apart from the best" if name in level else ""
            rows.append([pool.name, rule.n_judges, name, value_or_none(float(result.values[at, system])), standing])
    columns = [
        Column("pool"),
        Column("judges", "count"),
        Column("system"),
        Column(measure.title, measure.kind, measure.name),
    ]
    columns.append(Column("in this pool", key="standing"))
    winners = [(name, result.best(at)) for at, name in enumerate(result.pool_names)]
    notes = [f"scores are against {format_count(result.judging.k, 'judges')} of the pool", best_line(winners)]
    notes += result.judging.pools.descriptions
    scores = Table(columns, rows, "Systems in each pool of judges", "pools", notes)
    return [scores, _pair_table(result, intervals=intervals)]


def _pair_table(result: PoolComparison, *, intervals: bool) -> Table:
    """A row for each pair and pool: the difference, its interval if these are shown, and who is ahead."""
    measure, sign, alpha = result.measure, result.measure.sign, result.alpha
    short, percent = measure.title.rstrip("0123456789."), measure.kind != "number"
    beside: Literal["beside", ""] = "beside" if intervals else ""
    difference = Column(f"{short} diff", measure.kind, "difference", signed=True, interval=beside)
    columns = [Column("first"), Column("second"), Column("pool"), difference, Column("p", "p"), Column("ahead")]
    columns += [Column("system x pool", "p", "p_interaction"), Column("interaction", only="data")]
    rows: list[list[Cell]] = []
    for pair in result.pairs:
        test = pair.interaction
        by_pool = PValue(None if test is None else test.p), pair.result(alpha)
        for at, (pool, own) in enumerate(zip(result.pool_names, pair.tests, strict=True)):
            estimate = cell_estimate(own.difference, own.interval if intervals else None)
            ahead = pair.ahead(at, sign, alpha) or None
            rows.append([pair.first, pair.second, pool, estimate, PValue(own.p, own.at_floor), ahead, *by_pool])
        if pair.mean is not None:
            p, ahead = pair.p_mean, None
            if p is not None and p <= alpha and pair.mean.estimate.value is not None:
                ahead = pair.first if sign * pair.mean.estimate.value > 0 else pair.second
            mean = pair.mean.estimate
            estimate = cell_estimate(mean.value, mean.interval_or_reason if intervals else None)
            rows.append([pair.first, pair.second, ALL_POOLS, estimate, PValue(p), ahead, *by_pool])
    notes = [
        f"{short} diff: {short} of the first minus {short} of the second{', in points' * percent}",
        *_pair_notes(result, intervals=intervals),
    ]
    return Table(columns, rows, "Every pair of systems in each pool", "pool-pairs", notes, 1 - alpha)


def _pair_notes(result: PoolComparison, *, intervals: bool) -> Iterator[str]:
    """Lines on what intervals and p-values are over, and a sentence for each pair."""
    p, n_pairs = f"{100 * (1 - result.alpha):g}% CI and p" if intervals else "p", len(result.pairs)
    for pool, rule in zip(result.judging.pools, result.judging.rules, strict=True):
        yield f"{p} of pool {pool.name}: {_scope(pool, rule, runs=result.has_runs)}"
    if result.judging.pools.sampled:
        yield f"{p} of {ALL_POOLS}: over texts, judges and pools, which are a random sample"
    adjusted = ""
    if n_pairs > 1:
        adjusted = f", adjusted for {n_pairs:,} pairs"
        alone = "intervals are of one pair alone; only " * intervals
        yield f"{alone}p is adjusted for the {n_pairs:,} pairs of a pool"
    test = next((pair.interaction for pair in result.pairs if pair.interaction is not None), None)
    if test is not None:
        ways = f"all {test.n_ways:,} ways" if test.exact else f"{test.n_ways:,} random ways"
        ways = f"{'the only way' if test.n_ways == 1 else ways} to deal the judges into such pools"
        yield f"system x pool: p of no dependence on the pool{adjusted}, from {ways}; on these texts"
    yield from (f"{result.sentence(pair)}." for pair in result.pairs[:MOST_NAMED])
    if n_pairs > MOST_NAMED:
        counts = Counter(pair.result(result.alpha) for pair in result.pairs)
        parts = [f"{words} {counts[kind]:,}" for kind, words in _COUNTED.items() if counts[kind]]
        yield f"pairs whose difference depends on the pool, of {n_pairs:,}: {', '.join(parts)}"


_COUNTED: Mapping[Depends, str] = {
    "depends": "shown",
    "not shown": "not shown",
    "undecided": "too few judges to show it",
    "not tested": "not tested",
}


def pool_comparison_record(result: PoolComparison) -> dict[str, object]:
    """The comparison in pools as JSON has it."""
    judging = result.judging
    pools = [
        {
            "pool": pool.name,
            "described": pool.described,
            "judges": list(pool.judges),
            "over": over_text(pool, rule, runs=result.has_runs),
            "winner": result.winner(at)[0],
            "not_told_apart": result.winner(at)[1],
            "scores": dict(zip(result.names, map(value_or_none, result.values[at].tolist()), strict=True)),
        }
        for at, (pool, rule) in enumerate(zip(judging.pools, judging.rules, strict=True))
    ]
    return {
        "k": judging.k,
        "random": judging.pools.sampled,
        "pools": pools,
        "pairs": [_pair_record(result, pair) for pair in result.pairs],
        "test": {"k": result.test_k, "n_sentences": result.n_units},
    }


def _pair_record(result: PoolComparison, pair: PoolPair) -> dict[str, object]:
    test, sign = pair.interaction, result.measure.sign
    return {
        "first": pair.first,
        "second": pair.second,
        "pools": [
            {
                "pool": pool,
                "difference": value_or_none(own.difference),
                "interval": ends_record(own.interval),
                **variances_record(own.components),
                "p": own.p,
                "p_unadjusted": own.p_unadjusted,
                "ahead": pair.ahead(at, sign, result.alpha) or None,
            }
            for at, (pool, own) in enumerate(zip(result.pool_names, pair.tests, strict=True))
        ],
        "mean": None if pair.mean is None else {**_mean_record(pair.mean), "p": pair.p_mean},
        "interaction": None
        if test is None
        else {
            "q": value_or_none(test.q),
            **attributes(test, "p", "p_unadjusted", "p_welch", "smallest_p", "n_ways", "exact"),
            "result": pair.result(result.alpha),
        },
        "sentence": result.sentence(pair),
    }


# Humans of pools against the references of pools: ``errorbar ceiling --pools``.


def pool_ceiling_table(result: PoolCeiling, confidence: float) -> Table:
    """A row for the humans of each pool, and for each system, against the references of each pool."""
    measure = result.measure
    columns = [
        Column("references of"),
        Column("text"),
        Column(measure.title, measure.kind, measure.name),
        Column("of its humans %", "percent", "ratio"),
    ]
    rows: list[list[Cell]] = []
    for row in result.rows:
        text = row.text if not row.human else "its humans" if row.text == row.pool else f"humans of {row.text}"
        rows.append([row.pool, text, row.score, row.ratio])
    against = format_count(result.k, "references")
    notes = [
        f"{measure.title} against {against} of a pool, humans never against their own; of its humans: the ratio to them"
    ]
    if any(row.score.interval for row in result.rows):
        over = (
            "over texts and the annotators of the pools in the row" if result.random else "over texts, these annotators"
        )
        notes.append(f"{100 * confidence:g}% CI: {over}")
    notes += result.pools.descriptions
    return Table(columns, rows, "Humans and systems against each pool", "pools", notes, confidence)


def pool_ceiling_record(result: PoolCeiling) -> dict[str, object]:
    """The scores against each pool as JSON has them."""
    rows = [
        {
            "references": row.pool,
            "text": row.text,
            "human": row.human,
            "score": estimate_record(row.score),
            "ratio": estimate_record(row.ratio),
        }
        for row in result.rows
    ]
    return {"n_references": result.k, "judges": "random" if result.random else "fixed", "rows": rows}
