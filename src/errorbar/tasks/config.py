"""Shared tasks as their organizers write them down: one TOML file, its tables, and an example to begin with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from glob import glob
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from errorbar.api.arguments import public
from errorbar.core.problems import ErrorbarError, Place, Problem, Problems, UsageError, nearest
from errorbar.core.spec import split_spec
from errorbar.formats import toml_tables as toml
from errorbar.formats.catalog import is_hoo
from errorbar.formats.reference import UNMARKED, Unmarked
from errorbar.formats.saving import save_lines
from errorbar.formats.toml_tables import Field, TomlTable, read_toml

if TYPE_CHECKING:
    from errorbar.metrics.base import Reads


# The table ``[codabench]`` of a task's file: the texts and dates of a competition that a task has no place for.


@dataclass(frozen=True, slots=True)
class Competition:
    """The texts and dates of a competition on Codabench that a task has no place for."""

    docker_image: str = ""  # in which submissions are scored; empty: a name that must be replaced
    description: str = ""
    contact_email: str = ""
    start: datetime | None = None  # from when on test data is handed out and runs are taken; None: from the beginning
    dev_start: datetime | None = None  # of the development phase
    submissions_per_day: int | None = None
    terms: Path | None = None  # a Markdown file
    pages: tuple[Path, ...] = ()  # Markdown files, behind the pages that are made
    logo: Path | None = None


FIELDS = {
    **{key: Field(toml.text, "") for key in ("docker_image", "description", "contact_email")},
    "start": Field(toml.beginning),
    "dev_start": Field(toml.beginning),
    "submissions_per_day": Field(toml.whole),
    "terms": Field(toml.path),
    "pages": Field(toml.paths, ()),
    "logo": Field(toml.path),
}


def read_competition(top: TomlTable, deadline: datetime | None) -> Competition:
    """Read the table ``[codabench]``, which may be missing."""
    table = top.table("codabench")
    competition = Competition(**table.read(FIELDS))
    start, dev_start = competition.start, competition.dev_start
    for key, begin, end, name in (("start", start, deadline, "the deadline"), ("dev_start", dev_start, start, "start")):
        if begin is not None and end is not None and begin >= end:
            message = f"{key} must be before {name}, {end.isoformat()}, got {begin.isoformat()}"
            table.error("task-value", message, key)
    if dev_start is not None and start is None:
        table.error("task-value", "dev_start without start, when the development phase ends", "dev_start")
    return competition


Kind = Literal["m2", "hoo"]
Role = Literal["test", "dev"]
MadeBy = Literal["corrector", "detector", "command"]
KINDS: tuple[Kind, ...] = ("m2", "hoo")
ROLES: tuple[Role, ...] = ("test", "dev")
RUNS_PER_TEAM = 10
TIMEOUT = 3600
LONGEST = 30 * 24 * 3600
"""Seconds that a command may be given."""


@dataclass(frozen=True, slots=True)
class TaskCorpus:
    """Data that systems are scored on; of kind ``hoo`` the paths are folders."""

    name: str
    role: Role = "test"  # what submissions are for, or dev: what teams try their systems on
    kind: Kind = "m2"
    gold: tuple[Path, ...] = ()  # empty where only the source was handed out
    source: Path | None = None
    annotators: tuple[Path, ...] = ()  # files of single annotators; empty: the gold files
    alternatives: tuple[Path, ...] = ()  # reference files that include accepted alternative answers
    documents: Path | None = None  # NUCLE SGML that tells the essay of each sentence
    unmarked: Unmarked = "auto"
    lenient: bool = False
    missing_as_empty: bool = False
    line: int = 0  # where the TOML file describes it


@dataclass(frozen=True, slots=True)
class Baseline:
    """A system that errorbar runs itself, a baseline."""

    kind: MadeBy
    spec: str  # as ``errorbar correct`` or ``errorbar detect`` takes it; of a command its words
    models: Path | None  # folder of its models; None: where the commands look
    place: Place  # where the TOML file names it
    depends: tuple[Path, ...] | None = None  # files that a command reads; None: nobody knows, so it runs every time
    timeout: int = TIMEOUT  # seconds that a command may take
    output: Path | None = None  # of a command that a receipt tells of, which is not run again
    models_hash: str = ""  # of the models that made the output, once it is made, as the next
    table: Path | None = None  # flags and scores of a detector


@dataclass(frozen=True, slots=True)
class TeamSubmission:
    """One run of a team for a corpus."""

    team: str
    run: int
    corpus: str
    path: Path
    late: bool = False
    submitted: datetime | None = None  # None where nobody asked, because there is no deadline
    baseline: Baseline | None = None  # what makes its output; None: a team handed it in
    references: tuple[Path, ...] = ()  # that were made for it, of its own output

    @property
    def name(self) -> str:
        """The name of its row: ``CAMB-1``, and a baseline's own name."""
        return f"{self.team}-{self.run}" if self.baseline is None else self.team


@dataclass(frozen=True, slots=True)
class Team:
    """A team, its profile, and its runs by corpus and number."""

    name: str
    full_name: str = ""
    affiliation: str = ""
    approach: str = ""
    resources: str = ""
    submissions: tuple[TeamSubmission, ...] = ()
    line: int = 0
    baseline: bool = False  # errorbar makes its runs


@dataclass(frozen=True, slots=True)
class Task:
    """A shared task: its data and teams, as the TOML file has them."""

    name: str
    file: Path
    corpora: tuple[TaskCorpus, ...]
    teams: tuple[Team, ...]  # in the order of the file, behind them baselines
    metrics: tuple[str, ...]  # specs; the first one ranks
    deadline: datetime | None  # submissions after it are marked late
    runs_per_team: int  # most, for each corpus
    cache: Path  # folder of the statistics already made
    competition: Competition = Competition()
    submit: str = ""  # where runs are sent, and where the data is, in the words of the organizers

    def corpus(self, name: str) -> TaskCorpus:
        """The corpus of a name that the reader has checked."""
        return next(corpus for corpus in self.corpora if corpus.name == name)

    def with_role(self, role: Role) -> Sequence[TaskCorpus]:
        """The test or the development data."""
        return [corpus for corpus in self.corpora if corpus.role == role]

    def submissions(self, corpus: str) -> list[TeamSubmission]:
        """Every run for a corpus, team by team."""
        return [run for team in self.teams for run in team.submissions if run.corpus == corpus]

    def has_own_references(self, corpus: str) -> bool:
        """Whether references were made for runs for a corpus, against which all of them are scored."""
        return any(run.references for run in self.submissions(corpus))


# The keys of each table of the file.
TASK = {
    "name": Field(toml.name, "", required=True),
    "deadline": Field(toml.moment),
    "runs_per_team": Field(toml.whole, RUNS_PER_TEAM),
    "metrics": Field(toml.texts, ()),
    "cache": Field(toml.inside),
    "submit": Field(toml.text, ""),
}
CORPUS = {
    "name": Field(toml.name, "", required=True),
    "role": Field(toml.one_of(*ROLES), "test"),
    "kind": Field(toml.one_of(*KINDS)),
    "gold": Field(toml.paths, ()),
    "source": Field(toml.path),
    "annotators": Field(toml.paths, ()),
    "alternatives": Field(toml.paths, ()),
    "documents": Field(toml.path),
    "unmarked": Field(toml.one_of(*UNMARKED), "auto"),
    "lenient": Field(toml.flag, default=False),
    "missing_as_empty": Field(toml.flag, default=False),
}
PROFILE = ("full_name", "affiliation", "approach", "resources")
TEAM = {
    "name": Field(toml.file_name, "", required=True),
    **{key: Field(toml.text, "") for key in PROFILE},
    "submissions": Field(toml.raw),
    "submitted": Field(toml.moment),
    "late": Field(toml.flag),
    "run": Field(toml.raw),
}
RUN = {
    "number": Field(toml.whole),
    "file": Field(toml.path, required=True),
    "corpus": Field(toml.text, ""),
    "references": Field(toml.paths, ()),
    "submitted": Field(toml.moment),
    "late": Field(toml.flag),
}
SYSTEM = {
    "name": Field(toml.file_name, "", required=True),
    "corrector": Field(toml.text, ""),
    "detector": Field(toml.text, ""),
    "command": Field(toml.raw, ""),
    "models": Field(toml.path),
    "depends": Field(toml.paths),
    "timeout": Field(
        toml.make_reader(
            f"whole seconds, 1 to {LONGEST:,}", lambda value: type(value) is int and 1 <= value <= LONGEST
        ),
        TIMEOUT,
    ),
}


# Baselines: systems that errorbar runs itself on a task's source, as the task's file names them.


MODELS = "models"
SYSTEM_KINDS: tuple[MadeBy, ...] = get_args(MadeBy)


def read_systems(task: Task, top: TomlTable) -> Iterator[Team]:
    """Each ``[[system]]`` as a team with one run for every test corpus, whose output is made when it is scored."""
    names = {team.name for team in task.teams}
    for table in top.each("system"):
        values = table.read(SYSTEM)
        name = values["name"]
        if name and name in names:
            message = f"a team or another system is called '{name}'"
            table.error("task-same-name", message, "name", fix="give one of them another name")
        names.add(name)
        kinds = [kind for kind in SYSTEM_KINDS if values[kind]]
        if len(kinds) != 1:
            message = f"system '{name}' has {' and '.join(f'a {kind}' for kind in kinds) or 'no corrector'}"
            expected = 'corrector = "lm", or detector = "me", or command = "PROGRAM"'
            table.error("task-value", message, expected=expected)
            continue
        (kind,) = kinds
        if kind != "command" and (values["depends"] or values["timeout"] != TIMEOUT):
            key = "depends" if values["depends"] else "timeout"
            table.error("task-value", f"{key} is of a command, and this is a {kind}", key)
        if not (_is_command(table, values[kind]) if kind == "command" else _is_known(table, kind, values[kind])):
            continue
        if kind == "command" and values["models"]:
            table.error("task-value", "models are of errorbar's own systems, and this is a command", "models")
        _check_fitness(task, table, kind, values[kind])
        models = values["models"] or task.file.parent / MODELS
        models = models if models.exists() else None
        baseline = Baseline(kind, values[kind], models, table.place(kind), values["depends"], values["timeout"])
        runs = [
            TeamSubmission(name, 1, corpus.name, task.file.parent / name, baseline=baseline)
            for corpus in task.with_role("test")
        ]
        approach = values[kind]
        if kind != "command":
            approach = f"errorbar {'correct' if kind == 'corrector' else 'detect'} --{kind} {values[kind]}"
        yield Team(name, approach=approach, submissions=tuple(runs), line=table.place().line, baseline=True)


def _is_command(table: TomlTable, command: object) -> bool:
    """Whether a command is one line that can be cut into words as a shell would, which does not run it."""
    try:
        if isinstance(command, str) and command.isprintable() and shlex.split(command):
            return True
    except ValueError:  # a quotation mark without its other half
        pass
    table.error("task-value", "this is not a command", "command", expected='command = "PROGRAM ARGUMENT..."')
    return False


def _is_known(table: TomlTable, kind: Literal["corrector", "detector"], spec: str) -> bool:
    """Whether such a system exists; if not, the error is reported before anything is computed."""
    from errorbar.api.installed_systems import find_system  # noqa: PLC0415 - only tasks with systems

    try:
        find_system(kind, spec)
    except UsageError as error:
        (problem,) = error.problems
        table.error(problem.code, problem.what, kind, expected=problem.expected, fix=problem.fix)
        return False
    return True


def _check_fitness(task: Task, table: TomlTable, kind: str, spec: str) -> None:
    """Refuse texts that are not cut into tokens, and a detector where a metric needs corrections."""
    from errorbar.metrics.registry import parse_metric  # noqa: PLC0415 - numpy, once the rest is read

    if hoo := next((corpus.name for corpus in task.with_role("test") if corpus.kind == "hoo"), ""):
        message = f"errorbar's own systems read tokenized sentences, and corpus '{hoo}' is of kind hoo"
        table.error("task-value", message, kind, fix="leave the system out, or hand its runs in as a team's")
        return
    correcting = next((metric for metric in map(parse_metric, task.metrics) if not metric.detects), None)
    if kind == "detector" and correcting is not None:
        detector = split_spec(spec)[0]
        message = f"{detector} is a detector, which has no corrections, and the metric {correcting.name} needs them"
        fix = 'name a corrector, or set metrics = ["tokens"], which scores where errors are'
        table.error("task-detector", message, kind, fix=fix)


CACHE = ".errorbar-task"
GOLD_KEYS = ("gold", "annotators", "alternatives", "documents")
SENTENCES_ONLY = ("annotators", "alternatives", "documents", "unmarked")
_NUMBER = re.compile(r"(?<!\d)(\d{1,9})$")
_ENDINGS = (".gz", ".txt", ".out", ".xml", ".m2", ".md", ".tsv")


def read_task(path: str | Path, problems: Problems | None = None, *, for_teams: bool = False) -> Task:
    """Read a task's TOML file; raises ``InputError`` with every wrong key and value.

    ``for_teams``: as a team has it, without submissions and possibly without gold edits.
    """
    file = read_toml(Path(path), Problems() if problems is None else problems, "task")
    top = TomlTable(file.document, file)
    top.only(("task", "corpus", "team", "system", "codabench"))
    content = file.document.get("task")
    if not isinstance(content, dict):
        top.error("task-value", "the table [task] is missing", expected="[task] with a name")
        content = {"name": "-"}
    head = TomlTable(content, file, ("task", 0))
    values = head.read(TASK)
    corpora: dict[str, TaskCorpus] = {}
    for table in top.each("corpus"):
        corpus = _corpus(table, for_teams=for_teams)
        if corpus.name and corpus.name in corpora:
            table.error("task-same-name", f"two corpora are called '{corpus.name}'", "name")
        corpora[corpus.name] = corpus
    if not corpora and "corpus" not in file.document:
        head.error("task-value", "the task has no corpus", expected="[[corpus]]")
    values["metrics"] = _metrics(head, values["metrics"], {corpus.kind for corpus in corpora.values()} or {"m2"})
    values["cache"] = values["cache"] or file.path.parent / CACHE
    task = Task(file=file.path, corpora=tuple(corpora.values()), teams=(), **values)
    if not for_teams:
        task = replace(task, competition=read_competition(top, task.deadline), teams=tuple(_teams(task, top)))
        task = replace(task, teams=(*task.teams, *read_systems(task, top)))
    file.problems.raise_errors()
    return task


def _corpus(table: TomlTable, *, for_teams: bool) -> TaskCorpus:
    if for_teams and "source" in table.values:
        folder = table.file.path.parent
        hidden = [key for key in GOLD_KEYS if not _exists(folder, table.values.get(key))]
        table.values = {key: value for key, value in table.values.items() if key not in hidden}
    values = table.read(CORPUS)
    if not {"gold", "source"} & set(table.values):
        message = f"corpus '{values['name']}' has neither gold nor source"
        table.error("task-value", message, expected="gold = [...] or source = ...")
    values["kind"] = values["kind"] or ("hoo" if any(is_hoo(str(path)) for path in values["gold"]) else "m2")
    if values["kind"] == "hoo":
        for key in SENTENCES_ONLY:
            if key in table.values:
                table.error("task-value", f"a corpus of kind hoo has no {key}", key)
        if len(values["gold"]) > 1:
            table.error("task-value", "several gold folders", "gold", expected="one folder")
    return TaskCorpus(**values, line=table.place().line)


def _exists(folder: Path, value: object) -> bool:
    paths = [folder / text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    try:
        return all(path.exists() or glob(str(path)) for path in paths)  # noqa: PTH207 - Path.glob refuses absolute ones
    except (OSError, ValueError):  # an invalid name, which is reported when the file is opened
        return True


def _metrics(head: TomlTable, specs: tuple[str, ...], kinds: set[str]) -> tuple[str, ...]:
    """Specs in their short form, so that two ways to write a metric count as the same."""
    from errorbar.metrics.registry import parse_metrics  # noqa: PLC0415 - numpy, once the rest is read

    if len(kinds) > 1:
        message = "corpora of kind m2 and of kind hoo in one task"
        head.error("task-value", message, expected="one kind", fix="make two tasks")
        return ()
    reads: Reads = "fragments" if kinds == {"hoo"} else "sentences"
    short: dict[str, None] = {}
    for spec in specs or (None,):
        try:
            for metric in parse_metrics(spec, reads):
                short[str(metric.spec)] = None
        except ErrorbarError as error:
            for problem in error.problems:
                head.error(problem.code, problem.what, "metrics", expected=problem.expected, fix=problem.fix)
    return tuple(short)


def _teams(task: Task, top: TomlTable) -> Iterator[Team]:
    seen: set[str] = set()
    numbers = count()  # run tables: those of all teams are numbered in one row
    for table in top.each("team"):
        values = table.read(TEAM)
        name = values["name"]
        if name and name in seen:
            message = f"two teams are called '{name}'"
            table.error("task-same-name", message, "name", fix="give one of them another name")
        seen.add(name)
        runs = _Runs(task, table, name)
        for corpus, texts in runs.by_corpus(values["submissions"]):
            for number, path in runs.number_files(texts, hoo=task.corpus(corpus).kind == "hoo"):
                runs.add(table, number, corpus, path, values)
        for run_table in table.each("run"):
            run_table.where = ("team.run", next(numbers))
            runs.read(run_table, values)
        places = [corpus.name for corpus in task.corpora]
        ordered = sorted(runs.runs, key=lambda run: (places.index(run.corpus), run.run))
        profile = {key: values[key] for key in PROFILE}
        yield Team(name, submissions=tuple(ordered), line=table.place().line, **profile)


class _Runs:
    def __init__(self, task: Task, table: TomlTable, team: str) -> None:
        self.task, self.table, self.team = task, table, team
        self.problems = table.file.problems
        self.runs: list[TeamSubmission] = []

    def by_corpus(self, submissions: object) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The files that ``submissions`` hands in, by corpus."""
        table = self.table
        if isinstance(submissions, Mapping):
            table, corpora = TomlTable(submissions, table.file, table.where), [str(corpus) for corpus in submissions]
        else:
            corpora = [] if submissions is None else [self._only_corpus("submissions")]
        for corpus in corpora:
            if corpus and self._is_corpus(self.table, "submissions", corpus):
                yield corpus, table.value(corpus if table is not self.table else "submissions", Field(toml.texts, ()))

    def read(self, table: TomlTable, team: Mapping[str, Any]) -> None:
        """Read a ``[[team.run]]``, for which what the team says of lateness holds too."""
        values = table.read(RUN)
        corpus = values["corpus"] or self._only_corpus("file")
        if corpus and self._is_corpus(table, "corpus", corpus) and values["file"] is not None:
            late = {key: team[key] if values[key] is None else values[key] for key in ("late", "submitted")}
            number, references = values["number"] or len(self.runs) + 1, values["references"]
            self.add(table, number, corpus, values["file"], late, references)

    def number_files(self, texts: Sequence[str], *, hoo: bool) -> Iterator[tuple[int, Path]]:
        """Run numbers and paths: a folder holds one run in each file (or, of HOO, in each folder)."""
        existing = [path for text in texts for path in toml.existing(self.table, "submissions", text)]
        paths = [run for path in existing for run in self._list_runs(path, hoo=hoo)]
        numbers = [run_number(path) for path in paths]
        # Without a number in every name the order of the names counts.
        in_order = None in numbers
        if in_order and any(number is not None for number in numbers):
            named = ", ".join(f"{path.name} is run {number}" for number, path in enumerate(paths, 1))
            message = f"not every name has a run's number at its end, so the order of the names counts: {named}"
            self.problems.note("task-run-numbers", message, self.table.place("submissions"), fix="rename the files")
        for at, (number, path) in enumerate(zip(numbers, paths, strict=True), 1):
            yield at if number is None or in_order else number, path

    def _list_runs(self, path: Path, *, hoo: bool) -> list[Path]:
        if not path.is_dir():
            return [path]
        inside = sorted(entry for entry in path.iterdir() if entry.name[0] != ".")
        runs = [entry for entry in inside if (entry.is_dir() if hoo else entry.is_file())]
        if not inside:
            self.problems.note("task-no-runs", "the folder is empty", Place(str(path)))
        if hoo and not runs:
            return [path]  # a run itself
        for entry in inside:
            if entry not in runs:
                fix = f"a run is a {'folder' if hoo else 'file'}"
                self.problems.note("task-not-a-run", "left out: this is not a run", Place(str(entry)), fix=fix)
        return runs

    def add(
        self,
        table: TomlTable,
        number: int,
        corpus: str,
        path: Path,
        times: Mapping[str, Any],
        references: tuple[Path, ...] = (),
    ) -> None:
        """Add a run; ``times`` has ``late`` and ``submitted``."""
        own = [run.run for run in self.runs if run.corpus == corpus]
        key = "file" if "file" in table.values else "submissions"
        deadline, most = self.task.deadline, self.task.runs_per_team
        if number in own:
            message = f"team {self.team} has two runs of number {number} for corpus '{corpus}'"
            table.error("task-same-run", message, key, fix=f"rename {path.name}")
        elif len(own) == most:
            message = f"run {number} of team {self.team} ({path.name}) is one more than the {most} allowed"
            table.error("task-too-many-runs", message, key, fix="leave it out, or raise runs_per_team")
        else:
            submitted, late = times["submitted"], times["late"]
            if submitted is None and deadline is not None:
                submitted = datetime.fromtimestamp(_last_change(path), UTC)
            if late is None:
                late = submitted is not None and deadline is not None and submitted > deadline
            run = TeamSubmission(self.team, number, corpus, path, late, submitted, references=references)
            self.runs.append(run)

    def _only_corpus(self, key: str) -> str:
        tests = [corpus.name for corpus in self.task.with_role("test")]
        if len(tests) == 1:
            return tests[0]
        if self.task.corpora:  # otherwise the reader reports that there is none
            message = f"the task has {len(tests)} test corpora, and the runs must name theirs"
            self.table.error("task-value", message, key, expected='submissions = { CORPUS = "folder" }')
        return ""

    def _is_corpus(self, table: TomlTable, key: str, name: str) -> bool:
        names = [corpus.name for corpus in self.task.corpora]
        if name not in names:
            table.error("task-value", f"no corpus is called '{name}'", key, fix=nearest(name, names))
        return name in names


def _last_change(path: Path) -> float:
    """The time of the last change of a run; that of a folder does not include its files'."""
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else []
    return max(file.stat().st_mtime for file in files or [path])


def run_number(path: Path) -> int | None:
    """The number at the end of a run's name, or None."""
    stem = path.name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    match = _NUMBER.search(stem)
    return int(match[1]) if match else None


# An example of a task to begin with: a commented TOML file and the folders that it names.


FILE = "task.toml"

_HEAD = """\
# A shared task. Paths are seen from the folder of this file.
#   errorbar task validate {file} SUBMISSION   what a team runs before sending
#   errorbar task run {file}                   score everything; a new submission costs only itself
#   errorbar task board {file} -o board        tables, a page, and a page for each team
#   errorbar task bundle {file} -o bundle.zip  a competition to upload to Codabench

[task]
name = "My shared task"
# deadline = 2026-12-24T23:59:59Z   # runs that came later are marked late
# submit = "Send runs to ...; the data is at ..."   # pages say it under "How to submit"
runs_per_team = 10
metrics = {metrics}   # the first one ranks; `errorbar metrics` lists them
"""

_M2 = """\
[[corpus]]
name = "test"
role = "test"
source = "data/test.txt"     # what teams get: one sentence per line
gold = ["data/test.m2"]      # M2 or errorbar JSONL; several files are several annotators
# annotators = ["data/test-a.m2", "data/test-b.m2"]   # each annotator's own file, for the tables that compare them
# alternatives = ["data/test-with-alternatives.m2"]   # the gold edits with accepted alternative answers
# documents = "data/test.sgml"                        # NUCLE SGML: which essay each sentence is from
# lenient = true             # repair what can be repaired in the gold files, and say so

[[corpus]]
name = "dev"
role = "dev"                 # teams try their systems on it: errorbar task validate ... --dev OUTPUT
source = "data/dev.txt"
gold = ["data/dev.m2"]

# A [[system]] with name, corrector and models is a baseline that errorbar runs itself.
"""

_HOO = """\
[[corpus]]
name = "test"
kind = "hoo"
role = "test"
source = "data/test/Raw"     # what teams get: a text in each file
gold = "data/test"           # a folder with Gold and Raw
# lenient = true             # repair what can be repaired in the gold edits, and say so
# missing_as_empty = true    # a text that a run lacks counts as one without edits

[[corpus]]
name = "dev"
kind = "hoo"
role = "dev"                 # teams try their systems on it: errorbar task validate ... --dev OUTPUT
source = "data/dev/Raw"
gold = "data/dev"
"""

_TEAM = """\
[[team]]
name = "{name}"
full_name = "{title}"
# affiliation = "A university"
# approach = "How the system works"
# resources = "What it was built from"
submissions = "submissions/{name}"   # {runs}
# submitted = 2026-12-24T12:00:00Z   # when the runs came; without it the files' own time counts
# late = true                        # or say yourself whether they came in time
"""
_RUNS = {"m2": "a run in each file", "hoo": "a run in each folder"}
_COMPETITION = """\
[codabench]   # what a competition says that `errorbar task bundle` makes; all of it may stay away
# docker_image = "you/my-task:1"       # the image that you push; the bundle has its recipe
# start = 2026-12-01T00:00:00Z         # test phase, until the deadline; the development phase comes before it
"""
TEAMS = {"alpha": "The Alpha Group", "beta": "The Beta Group"}
FOLDERS: dict[Kind, tuple[str, ...]] = {
    "m2": ("data",),
    "hoo": ("data/test/Gold", "data/test/Raw", "data/dev/Gold", "data/dev/Raw"),
}


@public()
def write_template(folder: str | Path, kind: Kind = "m2") -> list[Path]:
    """Write an example TOML file and the folders that it names; nothing is overwritten.

    Args:
        folder: Of the task; it may be there already.
        kind: What the data is.

    Returns:
        The paths that were made.

    Raises:
        UsageError: If there is a task already, or the folders cannot be made.
    """
    folder = Path(folder)
    file = folder / FILE
    if file.exists():
        raise UsageError(Problem("not-empty", "a task exists already", Place(str(file)), fix="name a new folder"))
    parts = [
        _HEAD.format(file=FILE, metrics='["hoo"]' if kind == "hoo" else '["m2"]'),
        _HOO if kind == "hoo" else _M2,
        *(_TEAM.format(name=name, title=title, runs=_RUNS[kind]) for name, title in TEAMS.items()),
        _COMPETITION,
    ]
    folders = [folder / name for name in (*FOLDERS[kind], *(f"submissions/{name}" for name in TEAMS))]
    try:
        for path in folders:
            path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot be made: {error.strerror}"
        raise UsageError(Problem("cannot-write", message, Place(str(folder)), fix="name a new folder")) from None
    save_lines("\n".join(parts).removesuffix("\n").split("\n"), str(file))
    return [file, *folders]
