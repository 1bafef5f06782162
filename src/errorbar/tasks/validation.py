"""Checks of a run before a team sends it: they need no gold edits of the test data, and score none of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errorbar.api.arguments import public
from errorbar.api.score_result import measure_column
from errorbar.core.labels import format_count
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.edits.admission import explain_gap
from errorbar.formats.look import Lines
from errorbar.metrics.base import Measure
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scores import Score
from errorbar.tables.plain import note_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import Task, TaskCorpus, read_task
from errorbar.tasks.running import SentenceData, TaskData, read_data, reword_problems


@dataclass(frozen=True, slots=True)
class Validation:
    """The findings on a submission: how many units it changes, its errors and its notes."""

    path: Path
    n_units: int
    n_changed: int = 0
    kept: float | None = None  # share of the source's words; None for HOO runs and where lines are not in step
    errors: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    dry: Score | None = None  # on the development data, where that was asked for and can be made

    @property
    def shown(self) -> list[tuple[Measure, float | None]]:
        """The dry score: the measures that stand beside the one that ranks."""
        if self.dry is None:
            return []
        main = next(measure for measure in self.dry.measures if measure.name == self.dry.main)
        return [(measure, self.dry[measure.name].value) for measure in self.dry.measures if measure.group == main.group]

    def to_dict(self) -> dict[str, object]:
        """The submission as JSON has it."""
        return {
            "submission": str(self.path),
            "valid": not self.errors,
            "units": self.n_units,
            "changed": self.n_changed,
            "kept": self.kept,
            "dry": {measure.name.rpartition("_")[2]: value for measure, value in self.shown} or None,
            "errors": [note_record(problem) for problem in self.errors],
            "warnings": [note_record(note) for note in self.notes],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Validations(Result):
    """The findings on submissions for a corpus, and the notes on any of them."""

    corpus: str
    submissions: Sequence[Validation]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every submission, with its errors and warnings."""
        return {"corpus": self.corpus, "submissions": [submission.to_dict() for submission in self.submissions]}

    def tables(self) -> Sequence[Table]:
        """A row for each submission."""
        shown = next((submission.shown for submission in self.submissions if submission.shown), [])
        measures = [measure for measure, _ in shown]
        rows: list[list[Cell]] = []
        for submission in self.submissions:
            warnings = ", " + format_count(len(submission.notes), "warnings") if submission.notes else ""
            verdict = f"{len(submission.errors)} to mend" if submission.errors else f"ok{warnings}"
            dry = [value for _, value in submission.shown] or [None] * len(measures)
            changed = None if submission.errors else f"{submission.n_changed} of {submission.n_units}"
            rows.append([submission.path.name, verdict, changed, submission.kept, *dry])
        columns = [*map(Column, ("submission", "verdict", "changed")), Column("words kept", "percent", digits=1)]
        notes = ["dry scores on the development data"] if measures else []
        return [Table([*columns, *map(measure_column, measures)], rows, name="submissions", notes=notes)]


@public()
def validate(
    task: str | Path | Task,
    submissions: Sequence[str | Path],
    *,
    corpus: str | None = None,
    dev: str | Path | None = None,
) -> Validations:
    """Check submissions as a team does before sending.

    Args:
        task: The task, or its TOML file as a team has it.
        submissions: The files, or folders of HOO runs.
        corpus: The corpus that the submissions are for; development data is scored. None: the only test corpus.
        dev: The same system's output for the development data, which is scored as a rehearsal.

    Raises:
        InputError: If the task's own data cannot be read.
        UsageError: If there is no such corpus, or a dry score is asked for and there is no development data with gold
            edits.
    """
    read = task if isinstance(task, Task) else read_task(task, for_teams=True)
    chosen = choose_corpus(read, corpus)
    data = _data(chosen)
    if chosen.kind == "m2":
        data.views([parse_metric(spec) for spec in read.metrics])
    results = [_validate_run(read, data, Path(path)) for path in submissions]
    if dev is not None and not all(result.errors for result in results):
        dev_corpus = next((corpus for corpus in read.with_role("dev") if corpus.gold), None)
        if dev_corpus is None:
            message = "the task has no development data with gold edits"
            place = Place(str(read.file))
            raise UsageError(Problem("task-no-gold", message, place, fix='[[corpus]] with role = "dev"'))
        dry = _validate_run(read, _data(dev_corpus), Path(dev))
        results = [
            result
            if result.errors
            else replace(result, errors=dry.errors, notes=(*result.notes, *dry.notes), dry=dry.dry)
            for result in results
        ]
    return Validations(chosen.name, results, tuple(dict.fromkeys(note for result in results for note in result.notes)))


def choose_corpus(task: Task, name: str | None) -> TaskCorpus:
    """The corpus of a name, or the only one that submissions are for."""
    tests = task.with_role("test")
    if name is None and len(tests) == 1:
        return tests[0]
    message, fix = f"the task has {len(tests)} test corpora", "say which one: --corpus NAME"
    if name is not None:
        names = [corpus.name for corpus in task.corpora]
        if name in names:
            return task.corpus(name)
        message, fix = f"no corpus is called '{name}'", nearest(name, names)
    raise UsageError(Problem("task-value", message, Place(str(task.file)), fix=fix))


def _data(corpus: TaskCorpus) -> TaskData:
    """The references of a run: the source alone, unless development data is scored."""
    if corpus.kind == "m2" and corpus.source is not None and not (corpus.role == "dev" and corpus.gold):
        return SentenceData(corpus, ())
    return read_data(corpus, need_text=True)


def _validate_run(task: Task, data: TaskData, path: Path) -> Validation:
    problems = Problems()
    result = Validation(path, len(data.units))
    try:
        output = data.output(path, problems)
        result = replace(result, n_changed=data.n_changed(output))
        data.look(str(path), output, problems)
        result = replace(result, kept=data.kept(output))
        if data.corpus.role == "dev" and data.corpus.gold:
            result = replace(result, dry=data.score({str(path): output}, [parse_metric(task.metrics[0])])[0])
    except InputError as error:  # the next submission is checked all the same
        result = replace(result, errors=reword_problems(_say_where(error.problems, data, path)))
    return replace(result, notes=reword_problems(problems.notes))


def _say_where(problems: Sequence[Problem], data: TaskData, path: Path) -> Iterator[Problem]:
    """Name the lines that are missing or too many, where the others fit the source."""
    for problem in problems:
        gap = None
        if problem.code == "line-count" and isinstance(data, SentenceData):
            lines = list(Lines(str(path), Problems(lenient=True)))
            gap = explain_gap([unit.text for unit in data.units], lines, len(lines)) or "one line per sentence"
        yield problem if gap is None else replace(problem, fix=gap)
