"""Scoring every run of a task: what was measured before is not measured again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.texts import corrected_text
from errorbar.execute import run as run_pieces
from errorbar.formats.reference import OF_ALL
from errorbar.metrics.base import Metric
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scored import Score
from errorbar.studies.corpus_study import remembering
from errorbar.studies.door import public
from errorbar.tasks.config import Submission, Task, TaskCorpus
from errorbar.tasks.reading import read_task
from errorbar.tasks.task_cache import CACHE_ERROR, Kept, TaskCache
from errorbar.tasks.task_data import Outputs, SentenceData, TaskData, of_run, read_data
from errorbar.tasks.task_results import CorpusResults, Refused, RunScores, TaskResults, signed

Progress = Callable[[int], object]


@public()
def run_task(
    task: str | Path | Task,
    *,
    jobs: int = 1,
    cache: str | Path | None = None,
    prune: bool = False,
    progress: Progress = lambda _: None,
) -> TaskResults:
    """Score every run of a task's test data; a run that cannot be scored is listed with what is wrong with it.

    Args:
        task: The task, or its TOML file.
        jobs: How many runs are measured at the same time; changes no digit.
        cache: Folder of what was measured; None: the task's own.
        prune: Remove from it what this task no longer needs.
        progress: Told how many runs are done.

    Raises:
        InputError: If the task's file or a reference is bad, or the cache cannot be used.
        UsageError: If a metric names an annotator that a corpus does not have.
    """
    problems = Problems()
    read = task if isinstance(task, Task) else read_task(task, problems)
    folder = TaskCache(read.cache if cache is None else Path(cache), problems)
    numbers = count(1)
    found: list[CorpusResults] = []
    for corpus in read.with_role("test"):
        if corpus.gold:
            found.append(_score_corpus(read, corpus, folder, problems, jobs, lambda: progress(next(numbers))))
        else:
            what = f"corpus '{corpus.name}' has no gold edits, so nothing is scored on it"
            problems.note("task-no-gold", what, Place(str(read.file), corpus.line))
    seen = (folder.n_measured, folder.n_found, folder.prune() if prune else 0)
    return TaskResults(read, tuple(found), tuple(dict.fromkeys(problems.notes)), *seen)


class _Target:
    """References and the metrics that remember what was measured against them."""

    def __init__(self, data: TaskData, metrics: Sequence[Metric], memory: Kept, *, by_type: bool = True) -> None:
        self.data, self.memory, self.by_type = data, memory, by_type
        self.metrics = [remembering(metric, memory) for metric in metrics]

    def score(self, outputs: Outputs, problems: Problems | None = None) -> dict[str, list[Score]]:
        """The score of each output under each metric, by its name."""
        found, n = self.data.score(outputs, self.metrics, problems, by_type=self.by_type), len(self.metrics)
        return {name: found[at * n : (at + 1) * n] for at, name in enumerate(outputs)}


def _score_corpus(
    task: Task, corpus: TaskCorpus, folder: TaskCache, problems: Problems, jobs: int, done: Callable[[], object]
) -> CorpusResults:
    data = read_data(corpus)
    problems.take(data.problems.notes)
    metrics = [parse_metric(spec) for spec in task.metrics]
    gold = _Target(data, data.views(metrics), Kept(data.reference, data.units, folder))
    alternatives, single = _others(task, metrics, gold, folder) if isinstance(data, SentenceData) else (None, None)

    def measure(run: Submission) -> tuple[Sequence[Any] | None, Sequence[Problem]]:
        """A run and what was noted of it, or nothing and what is wrong with it."""
        own = Problems()
        try:
            output = data.output(run.path, own)
            for target in filter(None, (gold, alternatives, single)):
                for metric in target.metrics:
                    metric.measure(target.data.reference, output)
        except InputError as error:
            if error.code == CACHE_ERROR:
                raise
            return None, error.problems
        return output, own.notes

    outputs: dict[str, Sequence[Any]] = {}  # by path, as what is wrong with the others
    refused: dict[str, list[Problem]] = {}
    notes: list[Problem] = []
    runs = task.submissions(corpus.name)
    if any(run.made is not None for run in runs):
        from errorbar.tasks.making import Maker, make_all  # noqa: PLC0415 - detectors, where a task has some

        runs = make_all(runs, Maker(data.units, folder), refused)
    whole = [run for run in runs if str(run.path) not in refused]
    for _ in runs[len(whole) :]:
        done()
    for run, (output, said) in zip(whole, run_pieces(measure, whole, jobs), strict=True):
        done()
        if output is None:
            refused[str(run.path)] = list(said)
        else:
            outputs[str(run.path)] = output
            notes += said
    scores = _taken(gold, outputs, refused, notes)
    answers, alone = ({} if target is None else target.score(outputs) for target in (alternatives, single))
    found: list[RunScores] = []
    for run in runs:
        name = str(run.path)
        if name in outputs:
            every, others, by_one = (
                tuple(signed(replace(score, system=run.name), run.made) for score in those.get(name, ()))
                for those in (scores, answers, alone)
            )
            own = tuple(note for note in notes if note.place.file == name or note.place.file.startswith(f"{name}/"))
            by_annotator = {score.annotators[0]: score for score in by_one}
            by_code = [score.by_type for score in every[1 :: data.n_views]] if data.n_views > 1 else []
            n_changed = data.n_changed(outputs[name])
            found.append(RunScores(run, every[:: data.n_views], others, by_annotator, n_changed, own, by_code))
            problems.take(own)
    bad = [Refused(run, of_run(refused[str(run.path)])) for run in runs if str(run.path) in refused]
    pairs = [] if single is None else _pairs(single)
    about = (len(data.units), data.n_documents, data.annotators, data.rows)
    return CorpusResults(corpus, *about, found, bad, pairs, data.names)


def _others(
    task: Task, metrics: Sequence[Metric], gold: _Target, folder: TaskCache
) -> tuple[_Target | None, _Target | None]:
    data, corpus = gold.data, gold.data.corpus
    assert isinstance(data, SentenceData)

    def read(of: TaskCorpus, files: Sequence[Path]) -> tuple[SentenceData, Kept]:
        other = SentenceData(of, files)
        data.check_same(other, task.file)
        return other, Kept(other.reference, other.units, folder)

    if corpus.source is not None:
        data.check_same(SentenceData(corpus, ()), task.file)
    alternatives = None
    if corpus.alternatives:
        # Who proposed an answer for one sentence did not look at the others.
        proposed = replace(corpus, unmarked="official") if corpus.unmarked in OF_ALL else corpus
        answers, memory = read(proposed, corpus.alternatives)
        alternatives = _Target(answers, metrics, memory)
    judges, memory = read(corpus, corpus.annotators) if corpus.annotators else (data, gold.memory)
    if metrics[0].annotator is not None or "annotators" in metrics[0].lacks:
        return alternatives, None
    against = [metrics[0].against(name) for name in judges.annotators]
    return alternatives, _Target(judges, against, memory, by_type=False)


def _taken(
    gold: _Target, outputs: dict[str, Sequence[Any]], refused: dict[str, list[Problem]], notes: list[Problem]
) -> dict[str, list[Score]]:
    """Score the runs that are corrections of the source; the others go from the outputs to those refused."""
    while outputs:
        problems = Problems()
        try:
            scores = gold.score(outputs, problems)
        except InputError as error:
            if not any(each.place.file in outputs for each in error.problems):
                raise
            for each in error.problems:
                if outputs.pop(each.place.file, None) is not None or each.place.file in refused:
                    refused.setdefault(each.place.file, []).append(each)
        else:
            notes += problems.notes
            return scores
    return {}


def _pairs(single: _Target) -> list[tuple[str, str, Score]]:  # each annotator's text against each other annotator
    names, corpus = single.data.annotators, single.data.corpus
    if len(names) < 2:
        return []
    problems, units = Problems(lenient=corpus.lenient), single.data.units
    texts = {
        name: [corrected_text(each, name, problems, place=Place(corpus.name, each.line)) for each in units]
        for name in names
    }
    problems.raise_errors()
    return [
        (writer, judge, score)
        for writer, scores in single.score(texts).items()
        for judge, score in zip(names, scores, strict=True)
        if judge != writer
    ]
