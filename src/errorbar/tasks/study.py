"""The best run of each team as a study: intervals, comparison, ceiling, agreement and sentences for a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from errorbar.core.corpus import Hypothesis
from errorbar.core.problems import Problems
from errorbar.edits.standoff_reading import read_run
from errorbar.formats.documents import add_documents
from errorbar.formats.hoo_folder import read_gold
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.reference import NamedFile, read_named
from errorbar.metrics.documents import Documents
from errorbar.metrics.registry import parse_metric
from errorbar.stats.resampling import Resampling
from errorbar.studies import CorpusStudy, HooStudy, Study, study_corpus, study_hoo
from errorbar.tasks.config import Submission, Task
from errorbar.tasks.results import CorpusResults, HooResults, TaskResults
from errorbar.tasks.wording import of_run

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
            if isinstance(found, CorpusResults):
                studies.append(_sentences(results.task, found, problems, resampling, browse))
            else:
                studies.append(_fragments(results.task, found, problems, resampling, browse))
        progress(at)
    return studies


def _sentences(
    task: Task, found: CorpusResults, problems: Problems, resampling: Resampling, browse: bool
) -> CorpusStudy:
    spec = found.corpus
    notebook = Problems(lenient=spec.lenient)
    named = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in spec.gold]
    corpus = read_named(named, notebook, unmarked=spec.unmarked)
    if spec.documents is not None:
        add_documents(corpus, str(spec.documents), notebook)
    corpus.name = spec.name
    notebook.raise_errors()
    strict = Problems()  # as the runs were read for their scores
    systems = []
    for run in found.best():
        reader = HypothesisReader(NamedFile(str(run.submission.path), run.submission.team), strict)
        systems.append(Hypothesis(run.submission.team, reader.take(len(corpus))))
        reader.finish(len(corpus))
    strict.raise_errors()
    documents = Documents()
    documents.add(corpus.sentences)
    if documents.unit == "document":
        documents.warn(problems)
    first, *others = [parse_metric(text) for text in task.metrics]
    study = study_corpus(
        corpus,
        systems,
        first,
        problems,
        documents,
        resampling=resampling,
        metrics=others,
        jobs=resampling.jobs,
        browse=browse,
    )
    return replace(study, notes=of_run(study.notes))


def _fragments(task: Task, found: HooResults, problems: Problems, resampling: Resampling, browse: bool) -> HooStudy:
    spec = found.corpus
    notebook = Problems(lenient=spec.lenient)
    source = None if spec.source is None else str(spec.source)
    gold = read_gold(str(spec.gold[0]), notebook, source=source)
    best: dict[str, tuple[float, Submission]] = {}
    for run in found.runs:
        f = run.scores[0]["correction_f"].value or 0.0
        team = run.submission.team
        if team not in best or f > best[team][0]:
            best[team] = f, run.submission
    strict = Problems()  # as the runs were read for their scores
    edits = {
        submission.name: read_run(
            str(submission.path), submission.name, gold, strict, missing_as_empty=spec.missing_as_empty
        )
        for _, submission in best.values()
    }
    notebook.raise_errors()
    strict.raise_errors()
    return study_hoo(gold, edits, task.metrics[0], problems, resampling=resampling, name=spec.name, browse=browse)
