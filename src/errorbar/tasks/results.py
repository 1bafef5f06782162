"""What a shared task's runs scored: plain data that tables and pages are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from errorbar.core.errors import Problem
from errorbar.metrics.score import Score
from errorbar.studies.hoo_scores import HooScores
from errorbar.tasks.config import Submission, Task, TaskCorpus
from errorbar.tasks.sentences import Facts


@dataclass(frozen=True, slots=True)
class RunScores:
    """A run's scores.

    Attributes:
        submission: The run.
        gold: Against the gold edits: a score for each metric, in the task's order.
        alternatives: With alternative answers; empty where the corpus has none.
        single: Against each annotator alone, under the first metric: annotator to score.
        n_changed: Sentences that the run changes.
        notes: What was noted of its file.
    """

    submission: Submission
    gold: tuple[Score, ...]
    alternatives: tuple[Score, ...] = ()
    single: Mapping[str, Score] = field(default_factory=dict)
    n_changed: int = 0
    notes: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class CorpusResults:
    """Every run for a corpus of sentences.

    Attributes:
        corpus: The corpus.
        facts: Of its gold edits.
        runs: The runs, team by team.
        pairs: Annotators against each other: writer, judge, score.
    """

    corpus: TaskCorpus
    facts: Facts
    runs: Sequence[RunScores]
    pairs: Sequence[tuple[str, str, Score]] = ()

    def best(self, *, alternatives: bool = False) -> list[RunScores]:
        """The run with the best F of each team, best team first; of equal runs the first."""

        def f(run: RunScores) -> float:
            return (run.alternatives if alternatives else run.gold)[0].f.value or 0.0

        return _best(self.runs, f)


@dataclass(frozen=True, slots=True)
class HooRunScores:
    """A run's HOO scores.

    Attributes:
        submission: The run.
        made: A score for each metric, in the task's order, and what it is made of.
        notes: What was noted of its files.
    """

    submission: Submission
    made: HooScores
    notes: tuple[Problem, ...] = ()

    @property
    def scores(self) -> Sequence[Score]:
        """A score for each metric, in the task's order."""
        return self.made.scores


@dataclass(frozen=True, slots=True)
class HooResults:
    """Every run for a corpus of stand-off edits.

    Attributes:
        corpus: The corpus.
        n_fragments: How many texts.
        rows: Gold edits of each row of the type table.
        runs: The runs, team by team.
        notes: What was noted of the gold edits.
    """

    corpus: TaskCorpus
    n_fragments: int
    rows: Mapping[str, int]
    runs: Sequence[HooRunScores]
    notes: tuple[Problem, ...] = ()

    @property
    def teams(self) -> Mapping[str, str]:
        """Whose each run is."""
        return {run.submission.name: run.submission.team for run in self.runs}


@dataclass(frozen=True, slots=True)
class TaskResults:
    """Everything that was scored.

    Attributes:
        task: The task.
        corpora: Results of each test corpus that has gold edits.
        n_counted: Runs and references that had to be counted.
        n_cached: Those that were counted before.
        n_pruned: Old counts that were removed.
    """

    task: Task
    corpora: Sequence[CorpusResults | HooResults]
    n_counted: int
    n_cached: int
    n_pruned: int = 0


def _best(runs: Sequence[RunScores], f: Callable[[RunScores], float]) -> list[RunScores]:
    best: dict[str, RunScores] = {}
    for run in runs:
        team = run.submission.team
        if team not in best or f(run) > f(best[team]):
            best[team] = run
    return sorted(best.values(), key=lambda run: -f(run))  # a stable sort: equal teams stay in the file's order
