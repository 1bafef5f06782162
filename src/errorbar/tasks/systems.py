"""Baselines: systems that errorbar runs itself on a task's source, as the task's file names them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from errorbar.core.errors import UsageError
from errorbar.core.spec import split_spec
from errorbar.formats.toml_tables import Table
from errorbar.tasks.config import SYSTEM, Made, MadeBy, Submission, Task, Team

MODELS = "models"
KINDS: tuple[MadeBy, ...] = get_args(MadeBy)


def read_systems(task: Task, top: Table) -> Iterator[Team]:
    """Each ``[[system]]`` as a team with one run for every test corpus, whose output is made when it is scored."""
    names = {team.name for team in task.teams}
    for table in top.each("system"):
        said = table.read(SYSTEM)
        name = said["name"]
        if name and name in names:
            what = f"a team or another system is called '{name}'"
            table.error("task-same-name", what, "name", fix="give one of them another name")
        names.add(name)
        given = [kind for kind in KINDS if said[kind]]
        if len(given) != 1:
            what = f"system '{name}' has {'both a corrector and a detector' if given else 'no corrector'}"
            table.error("task-value", what, expected='corrector = "lm", or detector = "me"')
            continue
        (kind,) = given
        if not _is_known(table, kind, said[kind]):
            continue
        _see_what_it_can_do(task, table, kind, said[kind])
        models = said["models"] or task.file.parent / MODELS
        made = Made(kind, said[kind], models if models.exists() else None, table.place(kind))
        runs = [
            Submission(name, 1, corpus.name, task.file.parent / name, made=made) for corpus in task.with_role("test")
        ]
        approach = f"errorbar {'correct' if kind == 'corrector' else 'detect'} --{kind} {said[kind]}"
        yield Team(name, approach=approach, submissions=tuple(runs), line=table.place().line, baseline=True)


def _is_known(table: Table, kind: MadeBy, spec: str) -> bool:
    """Whether there is such a system; if not, the file is told so before anything is computed."""
    from errorbar.studies.correct import known_corrector  # noqa: PLC0415 - numpy, where there is a system
    from errorbar.studies.detect import read_detector  # noqa: PLC0415

    try:
        known_corrector(spec) if kind == "corrector" else read_detector(spec)
    except UsageError as error:
        (problem,) = error.problems
        table.error(problem.code, problem.what, kind, expected=problem.expected, fix=problem.fix)
        return False
    return True


def _see_what_it_can_do(task: Task, table: Table, kind: str, spec: str) -> None:
    """Refuse texts that are not cut into tokens, and a detector where a metric needs corrections."""
    from errorbar.metrics.registry import parse_metric  # noqa: PLC0415 - numpy, once the rest is read

    if hoo := next((corpus.name for corpus in task.with_role("test") if corpus.kind == "hoo"), ""):
        what = f"errorbar's own systems read tokenized sentences, and corpus '{hoo}' is of kind hoo"
        table.error("task-value", what, kind, fix="leave the system out, or hand its runs in as a team's")
        return
    corrects = next((each for each in map(parse_metric, task.metrics) if not each.detects), None)
    if kind == "detector" and corrects is not None:
        what = (
            f"{split_spec(spec)[0]} is a detector, which has no corrections, and the metric {corrects.name} needs them"
        )
        fix = 'name a corrector, or set metrics = ["tokens"], which looks where errors are'
        table.error("task-detector", what, kind, fix=fix)
