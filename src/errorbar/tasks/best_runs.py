"""What a page shows of the best run of each team, baselines among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.problems import Problems
from errorbar.metrics.documents import Documents
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scored import Score
from errorbar.stats.resampling import Resampling
from errorbar.studies.corpus_study import study_corpus
from errorbar.studies.detector_study import with_detectors
from errorbar.studies.inputs import Loaded
from errorbar.studies.judgment_input import JudgmentOptions
from errorbar.studies.model import CorpusStudy, Study
from errorbar.studies.other_studies import HooData, study_hoo
from errorbar.tasks.config import Made, Submission, Task
from errorbar.tasks.running import Progress
from errorbar.tasks.task_data import MISSING, of_run, read_data
from errorbar.tasks.task_results import CorpusResults, TaskResults, signed


def study_best(
    results: TaskResults,
    problems: Problems,
    resampling: Resampling,
    *,
    browse: bool = True,
    progress: Progress = lambda _: None,
) -> list[Study]:
    """Compute what a report shows of the best run of each team; warnings go to ``problems``."""
    studies: list[Study] = []
    for at, found in enumerate(results.corpora, 1):
        if found.runs:
            own = Problems(lenient=found.corpus.lenient)
            studies.append(_study(results.task, found, own, resampling, browse))
            problems.take(own.notes)
        progress(at)
    return studies


def _study(task: Task, found: CorpusResults, problems: Problems, resampling: Resampling, browse: bool) -> Study:
    data = read_data(found.corpus)
    metrics = [parse_metric(spec) for spec in task.metrics]
    first: Any = data.views(metrics)[0]
    own = Problems()  # what is to be said of the runs was said when they were scored
    runs = [run.submission for run in found.best()]
    outputs: dict[Submission, Any] = {run: data.output(run.path, own) for run in runs}
    if found.corpus.kind == "hoo":
        edits, name = {run.name: output for run, output in outputs.items()}, found.corpus.name
        lacking = any(note.code == MISSING for note in own.notes)
        read = HooData(data.reference, edits, name, ("missing:empty",) if lacking else ())
        return study_hoo(read, first, problems, resampling, browse=browse)
    documents = Documents()
    documents.add(data.units)
    if documents.unit == "document":
        documents.warn(problems)
    systems = [Hypothesis(run.team, list(output)) for run, output in outputs.items()]
    loaded = Loaded(data.reference, systems, documents, problems, ())
    study = study_corpus(loaded, metrics, resampling, browse=browse)
    made = {run.team: run.made for run in runs if run.made is not None}
    if made:
        study = _with_baselines(study, made, data.reference, resampling, texts=browse)
    return replace(study, notes=of_run(study.notes))


def _with_baselines(
    study: CorpusStudy, made: Mapping[str, Made], corpus: Corpus, resampling: Resampling, *, texts: bool
) -> CorpusStudy:
    """The study with signatures that say what made a baseline's output, and detectors under every threshold."""

    def signed_all(scores: Sequence[Score]) -> list[Score]:
        return [signed(score, made.get(score.system)) for score in scores]

    others = {spec: signed_all(scores) for spec, scores in study.others.items()}
    study = replace(study, scores=signed_all(study.scores), others=others)
    tables = [f"{name}={each.table}" for name, each in made.items() if each.table is not None]
    if not tables:
        return study
    return with_detectors(study, corpus, tables, JudgmentOptions(items="words"), resampling, texts=texts)
