"""The scores of a shared task's runs: the value of ``run_task``, its tables and its records."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from errorbar.api.hoo_score import HooScores
from errorbar.api.score_result import measure_column, merged_measures
from errorbar.core.problems import Problem
from errorbar.metrics.scores import Score, TypeScore, signature_lines
from errorbar.tables.plain import note_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import Baseline, Task, TaskCorpus, TeamSubmission

LATE = "late"
_SHOWN = 12  # letters of a hash


@dataclass(frozen=True, slots=True)
class RunScores:
    """A run's scores, a score for each metric of the task, and what was noted of its file."""

    submission: TeamSubmission
    gold: tuple[Score, ...]
    alternatives: tuple[Score, ...] = ()  # empty where the corpus has none
    single: Mapping[str, Score] = field(default_factory=dict)  # by annotator, under the first metric, without types
    n_changed: int = 0
    notes: tuple[Problem, ...] = ()
    by_code: Sequence[Sequence[TypeScore]] = ()  # of fragments: recall by error code; ``gold`` has it by row

    @property
    def late(self) -> str:
        """The fields of its row."""
        return LATE if self.submission.late else ""


@dataclass(frozen=True, slots=True)
class RefusedRun:
    """A run that was not scored, and its errors."""

    submission: TeamSubmission
    problems: tuple[Problem, ...]

    def to_dict(self) -> dict[str, object]:
        """The run as JSON has it."""
        errors = [note_record(problem) for problem in self.problems]
        return {**_submission_record(self.submission), "file": str(self.submission.path), "errors": errors}


@dataclass(frozen=True, slots=True)
class CorpusResults:
    """Every run for a corpus, and the sizes and names that ``TaskData`` knows."""

    corpus: TaskCorpus
    n_units: int
    n_documents: int | None
    annotators: tuple[str, ...]
    rows: Mapping[str, int]
    runs: Sequence[RunScores]
    refused: Sequence[RefusedRun] = ()
    pairs: Sequence[tuple[str, str, Score]] = ()  # annotators against each other: writer, judge, score
    names: Sequence[str] = ()

    @property
    def teams(self) -> Mapping[str, str]:
        """The team of each run."""
        return {run.submission.name: run.submission.team for run in self.runs}

    def best(self, *, alternatives: bool = False) -> list[RunScores]:
        """The best run of each team under the first metric, best team first; of equal ones the first."""

        def key(run: RunScores) -> float:
            return (run.alternatives if alternatives else run.gold)[0].rank_key

        best: dict[str, RunScores] = {}
        for run in sorted(self.runs, key=key):
            best.setdefault(run.submission.team, run)
        teams = list(self.teams.values())  # equal teams stay in the file's order
        return sorted(best.values(), key=lambda run: (key(run), teams.index(run.submission.team)))

    def to_dict(self) -> dict[str, object]:
        """Every run as JSON has it."""
        return {
            "corpus": self.corpus.name,
            "runs": [self._record(run) for run in self.runs],
            "refused": [run.to_dict() for run in self.refused],
        }

    def _record(self, run: RunScores) -> dict[str, object]:
        record = _submission_record(run.submission)
        if self.corpus.kind == "hoo":
            return {**record, "gold": self._hoo([run]).to_dict()["rows"]}
        return {
            **record,
            "changed": run.n_changed,
            "gold": [_record(score) for score in run.gold],
            "alternatives": [_record(score) for score in run.alternatives],
            "single": {name: _record(score) for name, score in run.single.items()},
        }

    def _hoo(self, runs: Sequence[RunScores]) -> HooScores:
        """Runs of fragments as ``errorbar score`` shows them; a run's team is not guessed from its name."""
        scores = [score for run in runs for score in run.gold]
        by_row, by_code = [score.by_type for score in scores], [rows for run in runs for rows in run.by_code]
        return HooScores(scores, by_row=by_row, by_code=by_code, fragments=self.names, teams=self.teams)

    def tables(self) -> list[Table]:
        """The runs, best first under the first metric, and those that were refused if any was."""
        tables = self._hoo(self.runs).tables() if self.corpus.kind == "hoo" else [self._table()]
        return [*tables, *([self.refused_table()] if self.refused else [])]

    def _table(self) -> Table:
        scores = [score for run in self.runs for score in run.gold]
        measures = merged_measures(scores)
        other = any(run.alternatives for run in self.runs)
        columns = [
            Column("run"),
            Column("late"),
            Column("metric", only="" if any(len(run.gold) > 1 for run in self.runs) else "data"),
            *map(measure_column, measures),
            *(
                Column(f"{measure.title} alt.", measure.kind, f"{measure.name}_alternatives")
                for measure in measures
                if other
            ),
            Column("changed", "count"),
        ]
        rows: list[list[Cell]] = [
            [
                run.submission.name,
                run.late,
                score.metric,
                *(column.estimates.get(measure.name) for column in (score, *answers) for measure in measures),
                run.n_changed,
            ]
            for run in sorted(self.runs, key=lambda run: run.gold[0].rank_key)
            for score, *answers in zip(run.gold, *([run.alternatives] if other else []), strict=True)
        ]
        notes = [f"corpus {self.corpus.name}", *signature_lines(scores)]
        return Table(columns, rows, name=f"runs-{self.corpus.name}", notes=notes)

    def refused_table(self) -> Table:
        """Runs that could not be scored, and why: the first problem of each."""
        columns = [Column("refused"), Column("problems", "count"), Column("first", key="problem")]
        rows = [(run.submission.name, len(run.problems), str(run.problems[0])) for run in self.refused]
        return Table(columns, rows, name=f"refused-{self.corpus.name}")


@dataclass(frozen=True, slots=True, repr=False)
class TaskResults(Result):
    """Everything that was scored.

    Attributes:
        task: The task, as its file says.
        corpora: The results of each test corpus that has gold edits.
        notes: Warnings and repairs.
        n_measured: Outputs that had to be measured.
        n_found: Outputs that had been measured before.
        n_pruned: Old entries of the cache that were removed.
    """

    task: Task
    corpora: Sequence[CorpusResults]
    notes: Sequence[Problem] = ()
    n_measured: int = 0
    n_found: int = 0
    n_pruned: int = 0

    @property
    def refused(self) -> list[RefusedRun]:
        """Every run that could not be scored."""
        return [run for corpus in self.corpora for run in corpus.refused]

    def to_dict(self) -> dict[str, object]:
        """Every run, corpus by corpus."""
        return {"task": self.task.name, "corpora": [corpus.to_dict() for corpus in self.corpora]}

    def tables(self) -> Sequence[Table]:
        """For each corpus its runs, and those that were refused if any was."""
        return [table for corpus in self.corpora for table in corpus.tables()]


def strip_folders(results: TaskResults) -> TaskResults:
    """The same results with names of files in place of paths, for readers who have other folders."""
    corpora = [
        replace(
            corpus,
            runs=[replace(run, notes=tuple(map(strip_folder, run.notes))) for run in corpus.runs],
            refused=[replace(run, problems=tuple(map(strip_folder, run.problems))) for run in corpus.refused],
        )
        for corpus in results.corpora
    ]
    return replace(results, corpora=corpora, notes=tuple(map(strip_folder, results.notes)))


def strip_folder(problem: Problem) -> Problem:
    """A problem that names its file without the folders that it is in."""
    path, name = problem.place.file, Path(problem.place.file).name
    if path in ("", name):
        return problem
    place = problem.place._replace(file=name)
    message, expected, fix = (text.replace(path, name) for text in (problem.what, problem.expected, problem.fix))
    return replace(problem, place=place, what=message, expected=expected, fix=fix)


def sign_score(score: Score, baseline: Baseline | None) -> Score:
    """Add the system that made the hypothesis, with a hash of its models or of the command, to a signature."""
    if baseline is None:
        return score
    is_command = baseline.kind == "command"
    spec = hashlib.sha256(baseline.spec.encode()).hexdigest()[:_SHOWN] if is_command else baseline.spec
    models = f",models={baseline.models_hash[:_SHOWN]}" if baseline.models_hash else ""
    by = f"{score.signature.hypothesis}({baseline.kind}={spec}{models})"
    return replace(score, signature=score.signature._replace(hypothesis=by))


def _submission_record(submission: TeamSubmission) -> dict[str, object]:
    submitted = None if submission.submitted is None else submission.submitted.isoformat()
    return {"team": submission.team, "run": submission.run, "late": submission.late, "submitted": submitted}


def _record(score: Score) -> dict[str, Any]:
    values = {name: estimate.value for name, estimate in score.estimates.items()}
    return {"metric": score.metric, **values, **score.counts, "signature": str(score.signature)}
