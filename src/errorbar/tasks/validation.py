"""What a team checks before sending a run: no gold edits of the test data are needed, and none of it is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.metrics.base import Measure
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scored import Score
from errorbar.studies.score_result import measure_column
from errorbar.tables.records import note_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import Role, Task, TaskCorpus
from errorbar.tasks.reading import read_task
from errorbar.tasks.task_data import SentenceData, TaskData, of_run, read_data

DEV: Role = "dev"


@dataclass(frozen=True, slots=True)
class Validation:
    """What was seen of a submission.

    Attributes:
        path: The submission.
        n_units: Sentences or texts.
        n_changed: How many of them it changes.
        kept: Share of the source's words that it keeps; None for HOO runs and where lines are not in step.
        errors: What is wrong with it.
        notes: What is worth a look.
        dry: Its score on the development data, where that was asked for and can be made.
    """

    path: Path
    n_units: int
    n_changed: int
    kept: float | None
    errors: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    dry: Score | None = None

    @property
    def valid(self) -> bool:
        """Whether it can be sent."""
        return not self.errors

    @property
    def shown(self) -> list[tuple[Measure, float | None]]:
        """The dry score: the measures that stand beside the one that ranks."""
        if self.dry is None:
            return []
        main = next(one for one in self.dry.measures if one.name == self.dry.main)
        return [(one, self.dry[one.name].value) for one in self.dry.measures if one.group == main.group]


@dataclass(frozen=True, slots=True, repr=False)
class Validations(Result):
    """What was seen of submissions for a corpus.

    Attributes:
        corpus: The corpus.
        submissions: What was seen of each.
        notes: What is worth a look, of all of them.
    """

    corpus: str
    submissions: Sequence[Validation]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every submission, with what is wrong with it."""
        return {"corpus": self.corpus, "submissions": [_record(each) for each in self.submissions]}

    def tables(self) -> Sequence[Table]:
        """A row for each submission."""
        measures = next(([one for one, _ in each.shown] for each in self.submissions if each.shown), [])
        rows: list[list[Cell]] = []
        for each in self.submissions:
            verdict = "ok" if each.valid else f"{len(each.errors)} to mend"
            dry = [value for _, value in each.shown] or [None] * len(measures)
            changed = f"{each.n_changed} of {each.n_units}" if each.valid else None
            rows.append([each.path.name, verdict, changed, each.kept, *dry])
        columns = [
            Column("submission"),
            Column("verdict"),
            Column("changed"),
            Column("words kept", "percent", digits=1),
        ]
        notes = ["dry scores on the development data"] if measures else []
        return [Table([*columns, *map(measure_column, measures)], rows, name="submissions", notes=notes)]


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
        corpus: What they are for; development data is scored. None: the only test corpus.
        dev: The same system's output for the development data, for a dry score.

    Raises:
        InputError: If the task's own data cannot be read.
        UsageError: If there is no such corpus, or a dry score is asked for and there is no development data with gold
            edits.
    """
    read = task if isinstance(task, Task) else read_task(task, for_teams=True)
    chosen = choose_corpus(read, corpus)
    data = _data(chosen)
    found = [_validated(read, data, Path(path)) for path in submissions]
    if dev is not None and any(each.valid for each in found):
        tried = next((each for each in read.with_role(DEV) if each.gold), None)
        if tried is None:
            what = "the task has no development data with gold edits"
            place = Place(str(read.file))
            raise UsageError(Problem("task-no-gold", what, place, fix='[[corpus]] with role = "dev"'))
        dry = _validated(read, _data(tried), Path(dev))
        found = [
            replace(each, errors=dry.errors, notes=(*each.notes, *dry.notes), dry=dry.dry) if each.valid else each
            for each in found
        ]
    return Validations(chosen.name, found, tuple(dict.fromkeys(note for each in found for note in each.notes)))


def choose_corpus(task: Task, name: str | None) -> TaskCorpus:
    """The corpus of a name, or the only one that submissions are for.

    Raises:
        UsageError: If there is none of that name, or no name and several.
    """
    if name is not None:
        names = [corpus.name for corpus in task.corpora]
        if name not in names:
            what = f"no corpus is called '{name}'"
            raise UsageError(Problem("task-value", what, Place(str(task.file)), fix=nearest(name, names)))
        return task.corpus(name)
    tests = task.with_role("test")
    if len(tests) != 1:
        what = f"the task has {len(tests)} test corpora"
        raise UsageError(Problem("task-value", what, Place(str(task.file)), fix="say which one: --corpus NAME"))
    return tests[0]


def _data(corpus: TaskCorpus) -> TaskData:
    """What a run is compared with: the source alone, unless development data is scored."""
    if corpus.kind == "m2" and corpus.source is not None and not (corpus.role == DEV and corpus.gold):
        return SentenceData(corpus, ())
    return read_data(corpus, need_text=True)


def _validated(task: Task, data: TaskData, path: Path) -> Validation:
    problems = Problems()
    output: Sequence[Any] = ()
    dry: Score | None = None
    kept: float | None = None  # lines that are not in step cannot be compared
    errors: Sequence[Problem] = ()
    try:
        output = data.output(path, problems)
        data.look(str(path), output, problems)
        kept = data.kept(output)
        if data.corpus.role == DEV and data.corpus.gold:
            dry = data.score({str(path): output}, [parse_metric(task.metrics[0])], Problems())[0]
    except InputError as error:  # the next submission is checked all the same
        errors = of_run(error.problems)
    notes = tuple(of_run(problems.notes))
    return Validation(path, len(data.units), data.n_changed(output), kept, tuple(errors), notes, dry)


def _record(found: Validation) -> dict[str, object]:
    return {
        "submission": str(found.path),
        "valid": found.valid,
        "units": found.n_units,
        "changed": found.n_changed,
        "kept": found.kept,
        "dry": {one.name.rpartition("_")[2]: value for one, value in found.shown} or None,
        "errors": [note_record(problem) for problem in found.errors],
        "warnings": [note_record(note) for note in found.notes],
    }
