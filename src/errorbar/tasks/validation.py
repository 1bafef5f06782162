"""Checks of a run before a team sends it: they need no gold edits of the test data, and score none of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errorbar.api.score_result import measure_column
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.metrics.base import Measure
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scores import Score
from errorbar.tables.plain import note_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import Task, TaskCorpus, read_task
from errorbar.tasks.running import SentenceData, TaskData, of_run, read_data


@dataclass(frozen=True, slots=True)
class Validation:
    """The findings on a submission: how many units it changes, its errors, and what is worth a look."""

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
        main = next(one for one in self.dry.measures if one.name == self.dry.main)
        return [(one, self.dry[one.name].value) for one in self.dry.measures if one.group == main.group]

    def to_dict(self) -> dict[str, object]:
        """The submission as JSON has it."""
        return {
            "submission": str(self.path),
            "valid": not self.errors,
            "units": self.n_units,
            "changed": self.n_changed,
            "kept": self.kept,
            "dry": {one.name.rpartition("_")[2]: value for one, value in self.shown} or None,
            "errors": [note_record(problem) for problem in self.errors],
            "warnings": [note_record(note) for note in self.notes],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Validations(Result):
    """The findings on submissions for a corpus, and what is worth a look of all of them."""

    corpus: str
    submissions: Sequence[Validation]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every submission, with what is wrong with it."""
        return {"corpus": self.corpus, "submissions": [each.to_dict() for each in self.submissions]}

    def tables(self) -> Sequence[Table]:
        """A row for each submission."""
        measures = next(([one for one, _ in each.shown] for each in self.submissions if each.shown), [])
        rows: list[list[Cell]] = []
        for each in self.submissions:
            verdict = f"{len(each.errors)} to mend" if each.errors else "ok"
            dry = [value for _, value in each.shown] or [None] * len(measures)
            changed = None if each.errors else f"{each.n_changed} of {each.n_units}"
            rows.append([each.path.name, verdict, changed, each.kept, *dry])
        columns = [*map(Column, ("submission", "verdict", "changed")), Column("words kept", "percent", digits=1)]
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
    if chosen.kind == "m2":
        data.views([parse_metric(spec) for spec in read.metrics])
    found = [_validated(read, data, Path(path)) for path in submissions]
    if dev is not None and not all(each.errors for each in found):
        tried = next((each for each in read.with_role("dev") if each.gold), None)
        if tried is None:
            message = "the task has no development data with gold edits"
            place = Place(str(read.file))
            raise UsageError(Problem("task-no-gold", message, place, fix='[[corpus]] with role = "dev"'))
        dry = _validated(read, _data(tried), Path(dev))
        found = [
            each if each.errors else replace(each, errors=dry.errors, notes=(*each.notes, *dry.notes), dry=dry.dry)
            for each in found
        ]
    return Validations(chosen.name, found, tuple(dict.fromkeys(note for each in found for note in each.notes)))


def choose_corpus(task: Task, name: str | None) -> TaskCorpus:
    """The corpus of a name, or the only one that submissions are for."""
    tests = task.with_role("test")
    if name is None and len(tests) == 1:
        return tests[0]
    what, fix = f"the task has {len(tests)} test corpora", "say which one: --corpus NAME"
    if name is not None:
        names = [corpus.name for corpus in task.corpora]
        if name in names:
            return task.corpus(name)
        what, fix = f"no corpus is called '{name}'", nearest(name, names)
    raise UsageError(Problem("task-value", what, Place(str(task.file)), fix=fix))


def _data(corpus: TaskCorpus) -> TaskData:
    """The references of a run: the source alone, unless development data is scored."""
    if corpus.kind == "m2" and corpus.source is not None and not (corpus.role == "dev" and corpus.gold):
        return SentenceData(corpus, ())
    return read_data(corpus, need_text=True)


def _validated(task: Task, data: TaskData, path: Path) -> Validation:
    problems = Problems()
    seen = Validation(path, len(data.units))
    try:
        output = data.output(path, problems)
        seen = replace(seen, n_changed=data.n_changed(output))
        data.look(str(path), output, problems)
        seen = replace(seen, kept=data.kept(output))
        if data.corpus.role == "dev" and data.corpus.gold:
            seen = replace(seen, dry=data.score({str(path): output}, [parse_metric(task.metrics[0])])[0])
    except InputError as error:  # the next submission is checked all the same
        seen = replace(seen, errors=of_run(error.problems))
    return replace(seen, notes=of_run(problems.notes))
