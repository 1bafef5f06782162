"""Scores with judges, or runs, drawn anew: the second bar of every measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from errorbar.core.estimate import Undefined
from errorbar.core.problems import Problems
from errorbar.execute import run
from errorbar.metrics.base import Metric, Opaque
from errorbar.metrics.folding import Whole
from errorbar.metrics.judge_sets import JudgedValues, Judging, judging_of
from errorbar.metrics.judges import TWO, JudgePlan, JudgeRule, note_parts, note_short
from errorbar.metrics.runs import Measured, RunSpread
from errorbar.metrics.runs_drawn import measures_over_runs, run_values, runs_convention
from errorbar.metrics.scored import JointEstimate, JudgedScore, Score
from errorbar.stats.resampling import Resampling
from errorbar.stats.two_way import Prior, TwoWay


def over_judges(
    scores: Sequence[Score], measured: Sequence[Measured], whole: Whole, plan: JudgePlan, problems: Problems
) -> list[Score]:
    """The scores with intervals over texts and judges, where judges can be drawn anew; notes say where not, and why."""
    kinds: dict[str, tuple[JudgeRule, Judging | None]] = {}
    for score, (metric, kept) in zip(scores, measured, strict=True):
        if score.metric not in kinds:
            kinds[score.metric] = _kind(metric, kept(), whole, plan, problems)

    def widen(item: tuple[Score, Measured]) -> Score:
        score, (metric, kept) = item
        rule, judging = kinds[score.metric]
        if judging is None or whole.resampling is None:
            return _over_runs(score, metric, kept(), whole)
        return _over_judges(score, metric, kept(), (rule, judging), whole.resampling)

    jobs = 1 if whole.resampling is None else whole.resampling.jobs
    widened = list(run(widen, list(zip(scores, measured, strict=True)), jobs))
    note_short(list(dict.fromkeys(score.system for score in widened if _looks_short(score))), problems)
    return widened


def _over_judges(
    score: Score, metric: Metric, statistics: Opaque, kind: tuple[JudgeRule, Judging], resampling: Resampling
) -> Score:
    """The score with intervals over texts and judges."""
    rule, judging = kind
    values, spreads = judging.values(metric, statistics), judging.spreads(metric, statistics)
    estimates = judged_measures(metric, values, rule, resampling.confidence_level, spreads)
    sets = judging.sets(rule)
    measures = _no_narrower(estimates, score) if sets.whole else estimates
    conventions = *score.signature.conventions, sets.convention(resampling.seed)
    signature = replace(score.signature, conventions=conventions)
    return replace(score, signature=signature, judges=JudgedScore(sets, measures))


def _no_narrower(estimates: Mapping[str, JointEstimate], score: Score) -> dict[str, JointEstimate]:
    """Every measure, its interval drawn out to the one over texts alone where an end lies inside that."""
    wider = dict(estimates)
    for name, joint in estimates.items():
        interval = joint.estimate.interval
        if interval is not None:
            estimate = replace(joint.estimate, interval=interval.covering(score.estimates[name].interval))
            wider[name] = replace(joint, estimate=estimate)
    return wider


def _looks_short(score: Score) -> bool:
    """Whether the main measure's interval over texts and judges is likely too short."""
    components = None if score.judges is None else score.judges.measures[score.main].components
    return components is not None and components.looks_short


def _kind(
    metric: Metric, statistics: Opaque, whole: Whole, plan: JudgePlan, problems: Problems
) -> tuple[JudgeRule, Judging | None]:
    """What is done with a metric, and who judged what; its notes are taken."""
    names, clusters = whole.annotators, whole.documents.clusters()
    rule = plan.rule(metric, len(names))
    judging = None
    if rule.random and whole.resampling is not None and whole.n:
        judging = judging_of(metric, statistics, len(names), clusters, plan.k, whole.resampling.seed)
        rule = plan.rule(metric, len(judging.judges))  # without those who looked at nothing
        unit = "group" if judging.grouped else whole.documents.unit
        note_parts(judging.looked, [names[k] for k in judging.judges], judging.n_left_out, unit, problems)
    if whole.documents.n_clusters > 1:  # without others there is no interval to be rough
        rule.note(problems)
    return rule, judging if rule.random else None


def _over_runs(score: Score, metric: Metric, statistics: Opaque, whole: Whole) -> Score:
    """The score where judges are fixed: with intervals over texts and runs where the system has several."""
    if not score.runs or whole.resampling is None or not whole.n:
        return score
    clusters, level = whole.documents.clusters(), whole.resampling.confidence_level
    estimates = measures_over_runs(metric, run_values(metric, statistics, clusters), level)
    signature = replace(score.signature, conventions=(*score.signature.conventions, runs_convention(clusters)))
    return replace(score, signature=signature, over_runs=_no_narrower(estimates, score))


def judged_measures(
    metric: Metric, values: JudgedValues, rule: JudgeRule, level: float, runs: Sequence[RunSpread]
) -> dict[str, JointEstimate]:
    """Every measure over texts and judges, and runs whose spread is given, or why that is not known."""
    estimates, n_texts = {}, len(values.table) - 1
    for k, measure in enumerate(metric.measures):
        value, known = float(values.means(k)[0, 0]), rule.variances(measure)
        components: TwoWay | Undefined = Undefined.NO_PRIOR
        if known is not None or not rule.moderated or rule.n_judges > TWO:
            prior = None if known is None else Prior(known.of_score(value, rule.k, rule.n_judges), known.df)
            components = values.components(k, prior, runs[k])
        joint = JointEstimate.of(value, n_texts, components, level, measure.scale)
        if joint.components is not None and not joint.components.moderated:
            joint = replace(joint, unbiased=values.unbiased(k))
        estimates[measure.name] = joint
    return estimates
