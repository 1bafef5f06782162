"""Every run for a corpus of sentences: against the gold edits, with alternative answers, against single annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from errorbar.core.corpus import ContentHash
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines
from errorbar.formats.reference import OF_ALL
from errorbar.metrics.base import Metric
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.score import Score
from errorbar.metrics.statistics import Statistics
from errorbar.tasks.config import Submission, Task, TaskCorpus
from errorbar.tasks.counter import Counter
from errorbar.tasks.results import CorpusResults, RunScores
from errorbar.tasks.scores import against, score_entry, score_statistics
from errorbar.tasks.sentences import SentenceTarget, notes_of, statistics_of
from errorbar.tasks.store import Entry


def score_sentences(task: Task, corpus: TaskCorpus, counter: Counter) -> CorpusResults:
    """Score every run for a corpus of sentences.

    Raises:
        InputError: If a reference is bad, or with the problems of every bad run.
    """
    metrics = [parse_metric(spec) for spec in task.metrics]

    def target(files: tuple[Path, ...], data: TaskCorpus = corpus) -> SentenceTarget:
        return SentenceTarget(data, files, counter.hashes, counter.store)

    gold = target(corpus.gold)
    # Who proposed an answer for one sentence did not look at the others.
    proposed = replace(corpus, unmarked="official") if corpus.unmarked in OF_ALL else corpus
    alternatives = target(corpus.alternatives, proposed) if corpus.alternatives else None
    single = target(corpus.annotators) if corpus.annotators else gold
    gold.facts, single.facts  # noqa: B018 - bad references are said before anything is counted
    if corpus.source is not None:
        _check_source(task, corpus, gold)
    if alternatives is not None:
        _same_source(task, corpus, gold, alternatives)
    _same_source(task, corpus, gold, single)
    alone = _alone(metrics[0], single)

    def one(run: Submission) -> RunScores:
        sha = counter.hashes.of(run.path)
        found: dict[str, tuple[Entry, Statistics]] = {}

        def scores(against_: SentenceTarget, wanted: Sequence[Metric]) -> tuple[list[Score], Entry]:
            made = []
            key = ""
            for metric in wanted:
                key = against_.entry_key(sha, metric)
                if key not in found:
                    entry = counter.entry(key, partial(against_.count_file, run.path, metric))
                    found[key] = entry, statistics_of(entry, against_.facts.annotators)
                entry, statistics = found[key]
                hypothesis = str(entry.meta["hypothesis"])
                made.append(score_statistics(run.name, metric, statistics, against_.facts, hypothesis))
            return made, found[key][0]

        main, entry = scores(gold, metrics)
        other = scores(alternatives, metrics)[0] if alternatives is not None else []
        own = scores(single, list(alone.values()))[0] if alone else []
        n_changed = entry.meta["n_changed"]
        assert isinstance(n_changed, int)  # as it was written
        by_annotator = dict(zip(alone, own, strict=True))
        return RunScores(run, tuple(main), tuple(other), by_annotator, n_changed, notes_of(entry.meta, run.path))

    runs = counter.every(one, task.submissions(corpus.name))
    return CorpusResults(corpus, gold.facts, runs, _pairs(single, alone, counter))


def _alone(metric: Metric, single: SentenceTarget) -> dict[str, Metric]:
    found = {name: against(metric, name) for name in single.facts.annotators} if metric.annotator is None else {}
    return {name: made for name, made in found.items() if made is not None}


def _pairs(single: SentenceTarget, alone: dict[str, Metric], counter: Counter) -> list[tuple[str, str, Score]]:
    """Every annotator's text against every other annotator."""
    found: list[tuple[str, str, Score]] = []
    if len(alone) < 2:
        return found
    for writer, metric in alone.items():
        key = single.entry_key(f"annotator {writer}", metric)
        entry = counter.entry(key, partial(single.count_annotator, writer, metric))
        found += [
            (writer, judge, score_entry(writer, other, entry, single.facts))
            for judge, other in alone.items()
            if judge != writer
        ]
    return found


def _check_source(task: Task, corpus: TaskCorpus, gold: SentenceTarget) -> None:
    """What teams got must be what their runs are counted against."""
    assert corpus.source is not None  # the caller asked
    problems = Problems(lenient=corpus.lenient)
    content = ContentHash()
    content.add([" ".join(line.split()) for line in Lines(corpus.source, problems)])
    problems.raise_errors()
    if content.short() != gold.facts.source:
        what = f"corpus '{corpus.name}': {corpus.source.name} has not the sentences of {gold.files[0].name}"
        place = Place(str(task.file), corpus.line)
        raise InputError(Problem("task-other-source", what, place, "the source of the gold edits"))


def _same_source(task: Task, corpus: TaskCorpus, gold: SentenceTarget, other: SentenceTarget) -> None:
    if gold.facts.source != other.facts.source:
        what = f"corpus '{corpus.name}': {other.files[0].name} is not over the sentences of {gold.files[0].name}"
        raise InputError(
            Problem("task-other-source", what, Place(str(task.file), corpus.line), "files over the same text")
        )
