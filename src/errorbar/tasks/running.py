"""Scoring every run of a task: what was counted before is not counted again."""

from __future__ import annotations

from pathlib import Path

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.tasks.config import Task
from errorbar.tasks.counter import Counter, Progress
from errorbar.tasks.fragments import score_fragments
from errorbar.tasks.keys import FileHashes
from errorbar.tasks.results import CorpusResults, HooResults, TaskResults
from errorbar.tasks.sentence_scores import score_sentences
from errorbar.tasks.store import Store


def run_task(
    task: Task,
    problems: Problems,
    *,
    jobs: int = 1,
    cache: Path | None = None,
    prune: bool = False,
    progress: Progress = lambda _: None,
) -> TaskResults:
    """Score every run of a task's test data.

    Args:
        task: The task.
        problems: Where warnings go.
        jobs: How many runs are worked on at the same time; changes no digit.
        cache: Folder of the counts; None: the task's own.
        prune: Remove the counts in it that this task no longer needs.
        progress: Told how many runs are done.

    Raises:
        InputError: If a reference is bad, or with the problems of every bad run.
    """
    store = Store(task.cache if cache is None else cache, problems)
    store.sweep()
    counter = Counter(store, FileHashes(), jobs, progress)
    found: list[CorpusResults | HooResults] = []
    for corpus in task.with_role("test"):
        if not corpus.gold:
            what = f"corpus '{corpus.name}' has no gold edits, so nothing is scored on it"
            problems.note("task-no-gold", what, Place(str(task.file), corpus.line))
            continue
        score = score_fragments if corpus.kind == "hoo" else score_sentences
        found.append(score(task, corpus, counter))
    for results in found:
        problems.notes += results.facts.notes if isinstance(results, CorpusResults) else results.notes
        problems.notes += [note for run in results.runs for note in run.notes]
    n_pruned = store.prune() if prune else 0
    return TaskResults(task, found, counter.n_counted, counter.n_cached, n_pruned)
