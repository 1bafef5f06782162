"""Scores of systems with several runs: the mean of the runs' scores, its intervals those of the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from errorbar.core.corpus import ContentHash
from errorbar.core.estimate import Estimate
from errorbar.metrics.folding import Whole
from errorbar.metrics.runs import Measured, Runs, mean_of_runs
from errorbar.metrics.scored import Score


def means_over_runs(
    scores: Sequence[Score], measured: Sequence[Measured], whole: Whole, runs: Mapping[str, tuple[str, ...]]
) -> tuple[list[Score], list[Measured]]:
    """Scores in which the runs of a system have become one, and what they are made of; others stay as they are.

    ``runs``: the names of a system's runs, which follow each other in ``scores``; a system with one has its own name.
    """
    owner = {run: name for name, names in runs.items() for run in names}
    pairs = list(zip(scores, measured, strict=True))
    made: list[tuple[Score, Measured]] = []

    def owner_of(pair: tuple[Score, Measured]) -> str:
        return owner.get(pair[0].system, pair[0].system)

    for system, group in groupby(pairs, owner_of):
        own = list(group)
        if system not in runs:
            made += own
            continue
        for spec in dict.fromkeys(score.metric for score, _ in own):
            made.append(_mean(system, [pair for pair in own if pair[0].metric == spec], whole))
    return [score for score, _ in made], [each for _, each in made]


def _mean(name: str, runs: Sequence[tuple[Score, Measured]], whole: Whole) -> tuple[Score, Measured]:
    metric = mean_of_runs(runs[0][1][0])

    def statistics() -> Runs:
        return Runs(tuple(join() for _, (_, join) in runs))

    scores = [score for score, _ in runs]
    first, output = scores[0], ContentHash()
    output.add([score.signature.hypothesis for score in scores])
    estimates = {measure: _of_measure([score.estimates[measure] for score in scores]) for measure in first.estimates}
    if whole.resampling is not None:
        from errorbar.metrics.intervals import score_intervals  # noqa: PLC0415 - scipy

        joined = statistics()
        found = score_intervals(metric, joined, metric.fold(joined), whole.documents.clusters(), whole.resampling)
        both = zip(estimates.items(), found, strict=True)
        n = first.estimate.n_clusters
        estimates = {measure: one.with_interval(interval, n_clusters=n) for (measure, one), interval in both}
    signature = replace(first.signature, hypothesis=f"{len(runs)}x{output.short()}")
    mean = replace(first, system=name, estimates=estimates, counts={}, signature=signature, runs=tuple(scores))
    return mean, (metric, statistics)


def _of_measure(runs: Sequence[Estimate]) -> Estimate:
    """The mean of the runs' values; none where a run has none, with its reason."""
    why = next((one.undefined for one in runs if one.undefined is not None), None)
    values = [one.value for one in runs if one.value is not None]
    value = sum(values) / len(values) if len(values) == len(runs) else None
    return Estimate(value, runs[0].n_units, undefined=why)
