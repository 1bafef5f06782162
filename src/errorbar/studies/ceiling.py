"""What humans score against each other, and how near systems come: ``errorbar ceiling`` and ``errorbar.ceiling``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from errorbar.ceilings import Study, StudyPlan, affordable_subsets, prepare_study, usual_sizes
from errorbar.ceilings import ceiling as fold_ceiling
from errorbar.ceilings.jackknife import folds_left_out, groups_within, jackknife_intervals, left_out_convention
from errorbar.ceilings.spread import (
    TypeRow,
    ceiling_intervals,
    essay_spread,
    type_rows,
)
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.metrics.base import Metric
from errorbar.metrics.judge_sets import GROUPS
from errorbar.metrics.judges import LEAST_JUDGES, JudgePlan, JudgeRule
from errorbar.metrics.subsets import MOST
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import left_out_groups
from errorbar.studies.ceiling_result import CeilingResult
from errorbar.studies.door import Progress, public, resampling, sentence_metric
from errorbar.studies.inputs import Gold, Loaded, ReadingOptions, Systems, load, note_untyped, usual_metric
from errorbar.studies.panels import ComparingWithJudges, asked_judges
from errorbar.studies.signatures import made_by, types_convention

RESAMPLES = 200
"""Usual number of resamples: each folds every text against every subset of annotators."""
USUAL_JUDGES = JudgePlan()
MOST_FOLDED = 400_000_000
"""Sentences in all folds up to which intervals are made unasked, without groups of texts: some seconds."""


@dataclass(frozen=True, slots=True)
class Subsets:
    """What of the data humans and systems are scored on; the attributes are arguments of ``ceiling``."""

    sizes: Sequence[int] = ()
    most: int = MOST
    n_documents: int | None = None
    repeats: int = 100
    by_type: bool = False


@public(resamples=RESAMPLES)
def ceiling(
    gold: Gold,
    systems: Systems = (),
    metric: Metric | str | None = None,
    *,
    beta: float | None = None,
    sizes: int | Sequence[int] = (),
    most: int = MOST,
    by: Literal["type"] | None = None,
    n_documents: int | None = None,
    repeats: int = 100,
    progress: Progress = lambda _: None,
    **shared: Unpack[ComparingWithJudges],
) -> CeilingResult:
    """Score annotators against each other, and systems beside them, by number of references.

    Args:
        gold: The reference with at least two annotators, as for ``score``.
        systems: Systems, as for ``score``.
        metric: What is computed; the ratio is of its main measure. None: M2, or ``tokens`` of token labels.
        beta: Weight of recall in F, short for the metric's parameter.
        sizes: Numbers of references; none: 1 to one less than there are annotators.
        most: Subsets of one size that are enumerated; of more, as many are drawn.
        by: ``type``: also recall of each error type at every size.
        n_documents: Repeat on random subsets of so many documents; None: do not.
        repeats: How many such subsets.
        progress: Is told how many resamples, or then subsets, are done.
        ci: True: percentile intervals over texts, from resamples of which each folds the whole study. None: by leaving
            texts out, where that takes seconds, which depends on the numbers of sentences, texts and subsets alone.
        judges: Whether intervals are also over judges: ``fixed`` or ``random``; None: random from three judges on.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or edits of one annotator overlap.
        UsageError: If there is one annotator, the metric knows none, or an argument will not do.
    """
    for what, value in {"most": most, "n_documents": n_documents, "repeats": repeats}.items():
        if value is not None and value < 1:
            raise UsageError(Problem("bad-parameter", f"{what} must be a whole number from 1, got {value!r}"))
    parsed = sentence_metric(usual_metric(gold, metric), beta, "ceiling")
    data = load(gold, systems, ReadingOptions.of(shared, [parsed]))
    wanted = Subsets([sizes] if isinstance(sizes, int) else sizes, most, n_documents, repeats, by == "type")
    return reached(
        data, parsed, resampling(shared, jobs=shared["jobs"]), wanted, shared["ci"], progress, asked_judges(shared)
    )


def reached(
    data: Loaded,
    metric: Metric,
    drawn: Resampling,
    subsets: Subsets = Subsets(),
    ci: bool | None = None,
    progress: Progress = lambda _: None,
    judges: JudgePlan = USUAL_JUDGES,
) -> CeilingResult:
    """What humans score on what was read; errors are those of ``ceiling``, seed and cores those of the resampling."""
    seed, jobs, most, n = drawn.seed, drawn.jobs, subsets.most, len(data.corpus.annotators)
    sizes = subsets.sizes or usual_sizes(n, data.problems)
    possible = [k for k in range(1, n) if k in sizes]  # sizes may be a huge range
    most = affordable_subsets(n, possible, data.problems, most)
    plan = StudyPlan(sizes, most, seed, jobs, subsets.by_type, force=True)  # who read the files looked at them
    study = prepare_study(data.corpus, data.systems, metric, data.problems, plan)
    found = fold_ceiling(study, jobs=jobs)
    intervals = spread = types = None
    every: list[list[TypeRow]] = []
    how = [*made_by(metric, (text.statistics for text in (*study.humans, *study.systems)))]
    how += [] if all(found.exact) else [f"most:{most}", f"seed:{seed}"]
    judged = None
    clusters, by = data.documents.clusters(), data.documents.clustering
    groups = groups_within(study, clusters, MOST_FOLDED)
    if ci if ci is not None else _takes_seconds(study, clusters, groups, data.problems):
        groups = left_out_groups(clusters, GROUPS, GROUPS) if groups is None else groups
        data.documents.warn(data.problems)
        rule = _judge_rule(judges, len(study.annotators))
        if data.documents.n_clusters > 1:  # without others there is no interval to be rough
            rule.note(data.problems, "the ceiling's")
        level, told = drawn.confidence_level, progress if ci is None else lambda _: None
        if ci is None or rule.random:
            intervals, judged = jackknife_intervals(study, groups, drawn, told)
        if ci is not None:  # the bootstrap that was asked for
            intervals = ceiling_intervals(study, clusters, drawn, progress)
        left = left_out_convention(study, clusters, groups)
        how.append(f"ci:jackknife,{level},by:{by},seed:{seed}{left}" if ci is None else drawn.convention(by))
        judged = judged.covering(intervals) if judged and intervals and rule.random else None
        how += [f"judges:random{'' if ci is None else left}"] if rule.random else []
    if (n_documents := subsets.n_documents) is not None:
        of, repeats = data.need_documents("--n-documents"), subsets.repeats
        spread = essay_spread(study, of, n_documents, replace(drawn, replicates=repeats), progress)
        how.append(f"documents:{n_documents},{repeats},by:{data.documents.clustering},seed:{seed}")
    if subsets.by_type:
        how += [f"size:{study.sizes[-1]}", types_convention(data.corpus)]
        every = [type_rows(study, size) for size in study.sizes]
        types = every[-1]
        note_untyped([row.type for row in types], data.problems)
    signature = data.signature(str(metric.spec), *how)
    notes, level = tuple(data.problems.notes), drawn.confidence_level
    return CeilingResult(found, intervals, spread, types, signature, notes, judged, level, every)


def _judge_rule(plan: JudgePlan, n_judges: int) -> JudgeRule:
    """Whether judges are drawn anew: a judge less must leave a human and somebody else."""
    if plan.k is not None or plan.population != "known":
        why = "the numbers of references are those of --sizes, and intervals lean on no population"
        what = f"--judges takes fixed or random here: {why}"
        raise UsageError(Problem("bad-judges", what, fix="leave the parentheses out"))
    if plan.kind == "fixed":
        return JudgeRule(n_judges, n_judges)
    if n_judges < LEAST_JUDGES:
        return JudgeRule(n_judges, n_judges, "without one of two judges nobody is left to score against")
    return JudgeRule(n_judges, n_judges, random=True)


def _takes_seconds(
    study: Study, clusters: NDArray[np.int64], groups: NDArray[np.int64] | None, problems: Problems
) -> bool:
    """Whether intervals are made unasked; if not, a note says so."""
    if groups is not None:
        return True
    n_folds = folds_left_out(study, left_out_groups(clusters, GROUPS, GROUPS))
    what = f"no intervals unless they are asked for: {n_folds:,} folds of {len(clusters):,} sentences take a while"
    problems.note("no-intervals", what, Place(), fix="add --ci; in a report --page=ceiling-ci=200")
    return False
