"""Scoring every run of a task: what was measured before is not measured again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.apply import corrected_text
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
from errorbar.tasks.task_data import SentenceData, TaskData, of_run, read_data
from errorbar.tasks.task_results import CorpusResults, Refused, RunScores, TaskResults

Progress = Callable[[int], object]
Output = Sequence[Any]
"""A run as metrics measure it."""


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
    scoring = _Scoring(read, folder, jobs, progress)
    found: list[CorpusResults] = []
    for corpus in read.with_role("test"):
        if corpus.gold:
            found.append(scoring.corpus(corpus, problems))
        else:
            what = f"corpus '{corpus.name}' has no gold edits, so nothing is scored on it"
            problems.note("task-no-gold", what, Place(str(read.file), corpus.line))
    n_pruned = folder.prune() if prune else 0
    notes = tuple(dict.fromkeys(problems.notes))
    return TaskResults(read, tuple(found), notes, folder.n_measured, folder.n_found, n_pruned)


class _Scoring:
    """Scores the runs of one corpus after the other."""

    def __init__(self, task: Task, folder: TaskCache, jobs: int, progress: Progress) -> None:
        self.task = task
        self.folder = folder
        self.jobs = jobs
        self.progress = progress
        self.metrics = [parse_metric(spec) for spec in task.metrics]
        self.n_done = 0

    def corpus(self, corpus: TaskCorpus, problems: Problems) -> CorpusResults:
        """Score every run for a corpus.

        Raises:
            InputError: If a reference is bad.
            UsageError: If a metric names an annotator that the corpus does not have.
        """
        data = read_data(corpus)
        problems.take(data.problems.notes)
        gold = _Target(data, data.views(self.metrics), self.folder)
        alternatives, single = self._others(data, gold)
        targets = [each for each in (gold, alternatives, single) if each is not None]
        runs = self.task.submissions(corpus.name)
        outputs, refused, notes = self._measure(data, runs, targets)
        n_views = len(gold.metrics)
        together = single is not None and single.data is data  # so that every run is looked at once
        if single is not None and together:
            gold.metrics += single.metrics
        scores = _score(gold, outputs, refused, notes)
        answers = {} if alternatives is None else alternatives.score(outputs)
        alone = {name: found[n_views:] for name, found in scores.items()} if together else {}
        if single is not None and not together:
            alone = single.score(outputs)
        found: list[RunScores] = []
        for run in runs:
            name = str(run.path)
            if name in outputs:
                own = tuple(note for note in notes if note.place.file == name or note.place.file.startswith(f"{name}/"))
                every = _named(run, scores[name][:n_views])
                by_annotator = {each.annotators[0]: each for each in _named(run, alone.get(name, ()))}
                others = _named(run, answers.get(name, ()))
                n_changed = data.n_changed(outputs[name])
                by_code = [each.by_type for each in every[1 :: data.n_views]] if data.n_views > 1 else []
                found.append(RunScores(run, every[:: data.n_views], others, by_annotator, n_changed, own, by_code))
        problems.take(note for run in found for note in run.notes)
        bad = [Refused(run, tuple(of_run(refused[str(run.path)]))) for run in runs if str(run.path) in refused]
        pairs = [] if single is None else _pairs(single)
        return CorpusResults(
            corpus, len(data.units), data.n_documents, data.annotators, data.rows, found, bad, pairs, data.names
        )

    def _others(self, data: TaskData, gold: _Target) -> tuple[_Target | None, _Target | None]:
        """Alternative answers and single annotators, where a corpus and the metrics have them."""
        corpus, file = data.corpus, self.task.file
        if not isinstance(data, SentenceData):
            return None, None
        alternatives = None
        if corpus.source is not None:
            data.check_source(file)
        if corpus.alternatives:
            # Who proposed an answer for one sentence did not look at the others.
            proposed = replace(corpus, unmarked="official") if corpus.unmarked in OF_ALL else corpus
            answers = SentenceData(proposed, corpus.alternatives)
            data.check_same(answers, file)
            alternatives = _Target(answers, self.metrics, self.folder)
        first = self.metrics[0]
        judges: SentenceData = data
        memory: Kept | None = gold.memory
        if corpus.annotators:
            judges = SentenceData(corpus, corpus.annotators)
            data.check_same(judges, file)
            memory = None
        if first.annotator is not None or "annotators" in first.lacks:
            return alternatives, None
        against = [first.against(name) for name in judges.annotators]
        return alternatives, _Target(judges, against, self.folder, memory)

    def _measure(
        self, data: TaskData, runs: Sequence[Submission], targets: Sequence[_Target]
    ) -> tuple[dict[str, Output], dict[str, list[Problem]], list[Problem]]:
        """Read and measure every run: outputs and what is wrong with the others by path, and what was noted."""

        def one(run: Submission) -> tuple[Output | None, Sequence[Problem], list[Problem]]:
            own = Problems()
            try:
                output = data.output(run.path, str(run.path), own)
                for target in targets:
                    target.measure(output)
            except InputError as error:
                if error.code == CACHE_ERROR:
                    raise
                return None, error.problems, own.notes
            return output, (), own.notes

        outputs: dict[str, Output] = {}
        refused: dict[str, list[Problem]] = {}
        notes: list[Problem] = []
        for run, (output, wrong, noted) in zip(runs, run_pieces(one, runs, self.jobs), strict=True):
            self.n_done += 1
            self.progress(self.n_done)
            if output is None:
                refused[str(run.path)] = list(wrong)
            else:
                outputs[str(run.path)] = output
                notes += noted
        return outputs, refused, notes


class _Target:
    """References and the metrics that remember what was measured against them."""

    def __init__(
        self, data: TaskData, metrics: Sequence[Metric], folder: TaskCache, memory: Kept | None = None
    ) -> None:
        self.data = data
        self.memory = memory or Kept(data.reference, data.units, folder)
        self.metrics = [remembering(metric, self.memory) for metric in metrics]

    def measure(self, output: Output) -> None:
        """Measure an output; every metric knows it then."""
        for metric in self.metrics:
            metric.measure(self.data.reference, output)

    def score(self, outputs: Mapping[str, Output], problems: Problems | None = None) -> dict[str, list[Score]]:
        """The score of each output under each metric, by its name."""
        found = self.data.score(outputs, self.metrics, Problems() if problems is None else problems)
        n = len(self.metrics)
        return {name: found[at * n : (at + 1) * n] for at, name in enumerate(outputs)}


def _score(
    gold: _Target, outputs: dict[str, Output], refused: dict[str, list[Problem]], notes: list[Problem]
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


def _pairs(single: _Target) -> list[tuple[str, str, Score]]:
    """Every annotator's text against every other annotator."""
    names = single.data.annotators
    if len(names) < 2:
        return []
    problems = Problems(lenient=single.data.corpus.lenient)
    sentences = single.data.units
    texts = {
        name: [corrected_text(each, name, problems, file=single.data.corpus.name) for each in sentences]
        for name in names
    }
    problems.raise_errors()
    found = single.score(texts)
    return [
        (writer, judge, score)
        for writer in names
        for judge, score in zip(names, found[writer], strict=True)
        if judge != writer
    ]


def _named(run: Submission, scores: Sequence[Score]) -> tuple[Score, ...]:
    """Scores under the run's name, which stood under its path."""
    return tuple(replace(score, system=run.name) for score in scores)
