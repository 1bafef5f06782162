"""From a TOML file to a task: its tables, key by key, and what the keys of one table say of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from glob import glob
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorbar.core.errors import ErrorbarError, Place, nearest
from errorbar.core.problems import Problems
from errorbar.formats import toml_tables as toml
from errorbar.formats.catalog import is_hoo
from errorbar.formats.toml_tables import Field, Table, read_toml
from errorbar.tasks.competition import read_competition
from errorbar.tasks.config import CORPUS, PROFILE, RUN, TASK, TEAM, Submission, Task, TaskCorpus, Team
from errorbar.tasks.systems import read_systems

if TYPE_CHECKING:
    from errorbar.metrics.base import Reads

CACHE = ".errorbar-task"
GOLD_KEYS = ("gold", "annotators", "alternatives", "documents")
SENTENCES_ONLY = ("annotators", "alternatives", "documents", "unmarked")
_NUMBER = re.compile(r"(?<!\d)(\d{1,9})$")
_ENDINGS = (".gz", ".txt", ".out", ".xml", ".m2", ".md", ".tsv")


def read_task(path: str | Path, problems: Problems | None = None, *, for_teams: bool = False) -> Task:
    """Read a task's TOML file; raises ``InputError`` with every key and value that is not what it must be.

    ``for_teams``: as a team has it, without submissions and maybe without gold edits, which are not missed.
    """
    file = read_toml(Path(path), Problems() if problems is None else problems, "task")
    top = Table(file.document, file)
    top.only(("task", "corpus", "team", "system", "codabench"))
    found = file.document.get("task")
    if not isinstance(found, dict):
        top.error("task-value", "there is no table [task]", expected="[task] with a name")
        found = {"name": "-"}
    head = Table(found, file, ("task", 0))
    said = head.read(TASK)
    corpora: dict[str, TaskCorpus] = {}
    for table in top.each("corpus"):
        corpus = _corpus(table, for_teams=for_teams)
        if corpus.name and corpus.name in corpora:
            table.error("task-same-name", f"two corpora are called '{corpus.name}'", "name")
        corpora[corpus.name] = corpus
    if not corpora and "corpus" not in file.document:
        head.error("task-value", "the task has no corpus", expected="[[corpus]]")
    said["metrics"] = _metrics(head, said["metrics"], {corpus.kind for corpus in corpora.values()} or {"m2"})
    said["cache"] = said["cache"] or file.path.parent / CACHE
    task = Task(file=file.path, corpora=tuple(corpora.values()), teams=(), **said)
    if not for_teams:
        task = replace(task, competition=read_competition(top, task.deadline), teams=tuple(_teams(task, top)))
        task = replace(task, teams=(*task.teams, *read_systems(task, top)))
    file.problems.raise_errors()
    return task


def _corpus(table: Table, *, for_teams: bool) -> TaskCorpus:
    if for_teams and "source" in table.values:
        folder = table.file.path.parent
        hidden = [key for key in GOLD_KEYS if not _there(folder, table.values.get(key))]
        table.values = {key: value for key, value in table.values.items() if key not in hidden}
    said = table.read(CORPUS)
    if not {"gold", "source"} & set(table.values):
        what = f"corpus '{said['name']}' has neither gold nor source"
        table.error("task-value", what, expected="gold = [...] or source = ...")
    said["kind"] = said["kind"] or ("hoo" if any(is_hoo(str(path)) for path in said["gold"]) else "m2")
    if said["kind"] == "hoo":
        for key in SENTENCES_ONLY:
            if key in table.values:
                table.error("task-value", f"a corpus of kind hoo has no {key}", key)
        if len(said["gold"]) > 1:
            table.error("task-value", "several gold folders", "gold", expected="one folder")
    return TaskCorpus(**said, line=table.place().line)


def _there(folder: Path, said: object) -> bool:
    paths = [folder / each for each in (said if isinstance(said, list) else [said]) if isinstance(each, str)]
    try:
        return all(path.exists() or glob(str(path)) for path in paths)  # noqa: PTH207 - Path.glob refuses absolute ones
    except (OSError, ValueError):  # no name that a file can have: whoever opens it says so
        return True


def _metrics(head: Table, said: tuple[str, ...], kinds: set[str]) -> tuple[str, ...]:
    """Specs in their short form, so that two ways to write one are one."""
    from errorbar.metrics.registry import parse_metrics  # noqa: PLC0415 - numpy, once the rest is read

    if len(kinds) > 1:
        what = "corpora of kind m2 and of kind hoo in one task"
        head.error("task-value", what, expected="one kind", fix="make two tasks")
        return ()
    reads: Reads = "fragments" if kinds == {"hoo"} else "sentences"
    found: dict[str, None] = {}
    for spec in said or (None,):
        try:
            for metric in parse_metrics(spec, reads):
                found[str(metric.spec)] = None
        except ErrorbarError as error:
            for each in error.problems:
                head.error(each.code, each.what, "metrics", expected=each.expected, fix=each.fix)
    return tuple(found)


def _teams(task: Task, top: Table) -> Iterator[Team]:
    seen: set[str] = set()
    numbers = count()  # run tables: those of all teams are numbered in one row
    for table in top.each("team"):
        said = table.read(TEAM)
        name = said["name"]
        if name and name in seen:
            what = f"two teams are called '{name}'"
            table.error("task-same-name", what, "name", fix="give one of them another name")
        seen.add(name)
        runs = _Runs(task, table, name)
        for corpus, texts in runs.by_corpus(said["submissions"]):
            for number, path in runs.found(texts, hoo=task.corpus(corpus).kind == "hoo"):
                runs.add(table, number, corpus, path, said)
        for one in table.each("run"):
            one.where = ("team.run", next(numbers))
            runs.read(one, said)
        places = [corpus.name for corpus in task.corpora]
        ordered = sorted(runs.runs, key=lambda run: (places.index(run.corpus), run.run))
        profile = {key: said[key] for key in PROFILE}
        yield Team(name, submissions=tuple(ordered), line=table.place().line, **profile)


class _Runs:
    def __init__(self, task: Task, table: Table, team: str) -> None:
        self.task, self.table, self.team = task, table, team
        self.problems = table.file.problems
        self.runs: list[Submission] = []

    def by_corpus(self, said: object) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What ``submissions`` hands in for which corpus."""
        table = self.table
        if isinstance(said, Mapping):
            table, corpora = Table(said, table.file, table.where), [str(corpus) for corpus in said]
        else:
            corpora = [] if said is None else [self._only_corpus("submissions")]
        for corpus in corpora:
            if corpus and self._is_corpus(self.table, "submissions", corpus):
                yield corpus, table.value(corpus if table is not self.table else "submissions", Field(toml.texts, ()))

    def read(self, table: Table, team: Mapping[str, Any]) -> None:
        """Read a ``[[team.run]]``, for which what the team says of lateness holds too."""
        said = table.read(RUN)
        corpus = said["corpus"] or self._only_corpus("file")
        if corpus and self._is_corpus(table, "corpus", corpus) and said["file"] is not None:
            late = {key: team[key] if said[key] is None else said[key] for key in ("late", "submitted")}
            self.add(table, said["number"] or len(self.runs) + 1, corpus, said["file"], late)

    def found(self, said: Sequence[str], *, hoo: bool) -> Iterator[tuple[int, Path]]:
        """Run numbers and paths: a folder holds one run in each file (or, of HOO, in each folder)."""
        there = [path for text in said for path in toml.existing(self.table, "submissions", text)]
        paths = [run for path in there for run in self._in(path, hoo=hoo)]
        numbers = [run_number(path) for path in paths]
        # Without a number in every name the order of the names counts.
        in_order = None in numbers
        if in_order and any(number is not None for number in numbers):
            named = ", ".join(f"{path.name} is run {number}" for number, path in enumerate(paths, 1))
            what = f"not every name has a run's number at its end, so the order of the names counts: {named}"
            self.problems.note("task-run-numbers", what, self.table.place("submissions"), fix="rename the files")
        for at, (number, path) in enumerate(zip(numbers, paths, strict=True), 1):
            yield at if number is None or in_order else number, path

    def _in(self, path: Path, *, hoo: bool) -> list[Path]:
        if not path.is_dir():
            return [path]
        inside = sorted(each for each in path.iterdir() if each.name[0] != ".")
        runs = [each for each in inside if (each.is_dir() if hoo else each.is_file())]
        if not inside:
            self.problems.note("task-no-runs", "the folder is empty", Place(str(path)))
        if hoo and not runs:
            return [path]  # a run itself
        for each in inside:
            if each not in runs:
                fix = f"a run is a {'folder' if hoo else 'file'}"
                self.problems.note("task-not-a-run", "left out: this is no run", Place(str(each)), fix=fix)
        return runs

    def add(self, table: Table, number: int, corpus: str, path: Path, said: Mapping[str, Any]) -> None:
        """Take a run; ``said`` has ``late`` and ``submitted``."""
        own = [run.run for run in self.runs if run.corpus == corpus]
        key = "file" if "file" in table.values else "submissions"
        deadline, most = self.task.deadline, self.task.runs_per_team
        if number in own:
            what = f"team {self.team} has two runs of number {number} for corpus '{corpus}'"
            table.error("task-same-run", what, key, fix=f"rename {path.name}")
        elif len(own) == most:
            what = f"run {number} of team {self.team} ({path.name}) is one more than the {most} allowed"
            table.error("task-too-many-runs", what, key, fix="leave it out, or raise runs_per_team")
        else:
            submitted, late = said["submitted"], said["late"]
            if submitted is None and deadline is not None:
                submitted = datetime.fromtimestamp(_changed(path), UTC)
            if late is None:
                late = submitted is not None and deadline is not None and submitted > deadline
            self.runs.append(Submission(self.team, number, corpus, path, late, submitted))

    def _only_corpus(self, key: str) -> str:
        tests = [corpus.name for corpus in self.task.with_role("test")]
        if len(tests) == 1:
            return tests[0]
        if self.task.corpora:  # without any, that is what is wrong, and said
            what = f"{len(tests)} test corpora, so it must be said which one these runs are for"
            self.table.error("task-value", what, key, expected='submissions = { CORPUS = "folder" }')
        return ""

    def _is_corpus(self, table: Table, key: str, name: str) -> bool:
        names = [corpus.name for corpus in self.task.corpora]
        if name not in names:
            table.error("task-value", f"no corpus is called '{name}'", key, fix=nearest(name, names))
        return name in names


def _changed(path: Path) -> float:
    """When a run was last changed; a folder's own time does not tell what became of the files in it."""
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else []
    return max(each.stat().st_mtime for each in files or [path])


def run_number(path: Path) -> int | None:
    """The number at the end of a run's name, or None."""
    stem = path.name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    match = _NUMBER.search(stem)
    return int(match[1]) if match else None
