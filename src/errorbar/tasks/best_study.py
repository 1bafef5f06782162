"""The best run of each team as a study: intervals, comparison, ceiling, agreement and sentences for a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from errorbar.core.corpus import Hypothesis
from errorbar.core.problems import Problems
from errorbar.metrics.documents import Documents
from errorbar.metrics.registry import parse_metric
from errorbar.stats.resampling import Resampling
from errorbar.studies.corpus_study import study_corpus
from errorbar.studies.inputs import Loaded
from errorbar.studies.model import Study
from errorbar.studies.other_studies import HooData, study_hoo
from errorbar.tasks.config import Task
from errorbar.tasks.task_data import of_run, read_data
from errorbar.tasks.task_results import CorpusResults, TaskResults

Progress = Callable[[int], object]


def study_best(
    results: TaskResults,
    problems: Problems,
    resampling: Resampling,
    *,
    browse: bool = True,
    progress: Progress = lambda _: None,
) -> list[Study]:
    """Compute what a report shows of the best run of each team; a corpus without runs has no study.

    Args:
        results: What was scored.
        problems: Where warnings go.
        resampling: How intervals are made.
        browse: Also the sentences.
        progress: Told how many corpora are done.

    Raises:
        InputError: If a file has become bad since it was scored.
    """
    studies: list[Study] = []
    for at, found in enumerate(results.corpora, 1):
        if found.runs:
            studies.append(_study(results.task, found, problems, resampling, browse))
        progress(at)
    return studies


def _study(task: Task, found: CorpusResults, problems: Problems, resampling: Resampling, browse: bool) -> Study:
    data = read_data(found.corpus)
    best = [run.submission for run in found.best()]
    own = Problems()  # what is to be said of the runs was said when they were scored
    metrics = [parse_metric(spec) for spec in task.metrics]
    if found.corpus.kind == "hoo":
        edits = {run.name: data.output(run.path, run.name, own) for run in best}
        read = HooData(data.reference, edits, found.corpus.name)
        return study_hoo(read, task.metrics[0], problems, resampling, browse=browse)
    systems = [Hypothesis(run.team, list(data.output(run.path, run.team, own))) for run in best]
    documents = Documents()
    documents.add(data.units)
    if documents.unit == "document":
        documents.warn(problems)
    loaded = Loaded(data.reference, systems, documents, problems, ())
    study = study_corpus(loaded, metrics, resampling, browse=browse)
    return replace(study, notes=of_run(study.notes))
