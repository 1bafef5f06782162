"""What a shared task consisted of, as a receipt has it: its test corpora, metrics and runs, files under their names.

The task is made again of these and not of its TOML file, which may name any path; the file stands in the list of files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, cast, get_args

from errorbar.core.errors import Place
from errorbar.core.spec import split_spec
from errorbar.formats.look import read_once
from errorbar.formats.reference import UNMARKED
from errorbar.metrics.registry import parse_metrics
from errorbar.receipts.receipt_arguments import add_texts, broken, check_specs, staged_path
from errorbar.receipts.receipt_files import DataFiles
from errorbar.tasks.config import KINDS, RUNS_PER_TEAM, Made, MadeBy, Submission, Task, TaskCorpus, Team

_PATHS = ("gold", "annotators", "alternatives")
_PATH = ("source", "documents")
_FLAGS = ("lenient", "missing_as_empty")
_TASK = {"name", "metric", "corpora", "runs"}
_CORPUS = {"name", "kind", "unmarked", *_FLAGS, *_PATHS, *_PATH}
_RUN = {"team", "run", "corpus", "name", "file", "made"}
"""What is said of each; anything else would be said and not computed."""


def task_arguments(task: Task, files: DataFiles) -> dict[str, object]:
    """A task as a receipt has it; every file that was read is added to ``files``."""
    if not read_once(str(task.file)):
        files.add(str(task.file))
    corpora = [corpus for corpus in task.with_role("test") if corpus.gold]
    names = {corpus.name for corpus in corpora}
    runs = [run for team in task.teams for run in team.submissions if run.corpus in names]
    return {
        "name": task.name,
        "metric": list(task.metrics),
        "corpora": [_corpus_record(corpus, files) for corpus in corpora],
        "runs": [_run_record(run, files) for run in runs],
    }


def _corpus_record(corpus: TaskCorpus, files: DataFiles) -> dict[str, object]:
    found: dict[str, object] = {"name": corpus.name, "kind": corpus.kind, "unmarked": corpus.unmarked}
    found |= {name: getattr(corpus, name) for name in _FLAGS}
    for name in _PATHS:
        found[name] = [{"file": files.add(str(path))} for path in getattr(corpus, name)]
    found |= {name: _file(getattr(corpus, name), files) for name in _PATH if getattr(corpus, name) is not None}
    if corpus.kind == "hoo" and corpus.source is None:
        for path in corpus.gold:
            add_texts(str(path), files.add(str(path)), files)
    return found


def _file(path: Path, files: DataFiles) -> dict[str, str]:
    return {"file": files.add(str(path))}


def _run_record(run: Submission, files: DataFiles) -> dict[str, object]:
    found: dict[str, object] = {"team": run.team, "run": run.run, "corpus": run.corpus}
    if run.made is None:
        return {**found, **_file(run.path, files)}
    models = {} if run.made.models is None else {"models": _file(run.made.models, files)}
    return {**found, "made": {"kind": run.made.kind, "spec": run.made.spec, **models}}


def read_task_record(said: Mapping[str, Any], names: Iterable[str], stage: Path, receipt: str) -> Task:
    """The task of a receipt, whose files stand in a folder.

    Raises:
        InputError: If it is not as ``task_arguments`` writes it.
    """
    known = set(names)
    file = stage / "task.toml"
    try:
        _only(said, _TASK)
        corpora = [_corpus(each, known, stage, receipt) for each in said["corpora"]]
        runs = [_run(each, known, stage, receipt) for each in said["runs"]]
        check_specs(list(said["metric"]), receipt)
        metrics, name = tuple(said["metric"]), str(said["name"])
        if not metrics:
            raise ValueError("no metric")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"the task is not described as one ({type(error).__name__}: {error})"
        raise broken(what, receipt) from None
    lost = {run.corpus for run in runs} - {corpus.name for corpus in corpora}
    if lost:
        raise broken(f"the task has no corpus '{min(lost)}'", receipt)
    for kind in dict.fromkeys(corpus.kind for corpus in corpora):
        parse_metrics(metrics, "fragments" if kind == "hoo" else "sentences")
    teams = [
        Team(name, submissions=tuple(run for run in runs if run.team == name), baseline=any(_made(runs, name)))
        for name in dict.fromkeys(run.team for run in runs)
    ]
    return Task(name, file, tuple(corpora), tuple(teams), metrics, None, RUNS_PER_TEAM, stage / ".statistics")


def _made(runs: Iterable[Submission], team: str) -> list[bool]:
    return [run.made is not None for run in runs if run.team == team]


def _only(said: Mapping[str, Any], known: AbstractSet[str]) -> None:
    for name in said:
        if name not in known:
            raise ValueError(f"'{name}' is nothing that a task has")


def _corpus(said: Mapping[str, Any], known: set[str], stage: Path, receipt: str) -> TaskCorpus:
    _only(said, _CORPUS)
    paths = {name: tuple(Path(staged_path(each, known, stage, receipt)) for each in said[name]) for name in _PATHS}
    path = {name: Path(staged_path(said[name], known, stage, receipt)) for name in _PATH if name in said}
    flags = {name: said[name] for name in _FLAGS}
    if said["kind"] not in KINDS or said["unmarked"] not in UNMARKED or not paths["gold"]:
        raise ValueError("a corpus")
    if not all(isinstance(flag, bool) for flag in flags.values()):
        raise ValueError("true or false of a corpus")
    how: dict[str, Any] = {"kind": said["kind"], "unmarked": said["unmarked"], **paths, **path, **flags}
    return TaskCorpus(str(said["name"]), **how)


def _run(said: Mapping[str, Any], known: set[str], stage: Path, receipt: str) -> Submission:
    _only(said, _RUN)
    team, number, corpus = said["team"], said["run"], said["corpus"]
    if not isinstance(team, str) or not isinstance(corpus, str) or type(number) is not int:
        raise ValueError("a run")
    if "made" not in said:
        return Submission(team, number, corpus, Path(staged_path(said, known, stage, receipt)))
    made = said["made"]
    if made["kind"] not in get_args(MadeBy):
        raise ValueError("a system")
    split_spec(made["spec"])
    models = Path(staged_path(made["models"], known, stage, receipt)) if "models" in made else None
    kind = cast("MadeBy", made["kind"])
    return Submission(team, number, corpus, stage / team, made=Made(kind, made["spec"], models, Place(receipt)))
