"""From a TOML file to a task: everything that is wrong with it is said at once."""

from __future__ import annotations

from glob import glob
from pathlib import Path

from errorbar.core.errors import ErrorbarError, Problem
from errorbar.core.problems import Problems
from errorbar.formats.hoo_detect import is_hoo
from errorbar.formats.reference import UNMARKED
from errorbar.tasks.config import KINDS, ROLES, RUNS_PER_TEAM, Kind, Task, TaskCorpus
from errorbar.tasks.fields import Fields
from errorbar.tasks.teams import TeamReader
from errorbar.tasks.toml_lines import TomlFile, read_toml

CACHE = ".errorbar-task"
TOP = ("task", "corpus", "team")
TASK_KEYS = ("name", "deadline", "runs_per_team", "metrics", "cache")
CORPUS_KEYS = (
    "name",
    "role",
    "kind",
    "gold",
    "source",
    "annotators",
    "alternatives",
    "documents",
    "unmarked",
    "lenient",
    "missing_as_empty",
)
GOLD_KEYS = ("gold", "annotators", "alternatives", "documents")
SENTENCES_ONLY = ("annotators", "alternatives", "documents", "unmarked")
DEFAULT_METRICS = {"m2": ("m2",), "hoo": ("hoo",)}


def read_task(path: str | Path, problems: Problems | None = None, *, for_teams: bool = False) -> Task:
    """Read a task's TOML file.

    Args:
        path: The file; the paths in it are seen from its folder.
        problems: Where notes go; None: they are dropped.
        for_teams: As a team has it, which has no submissions of others and maybe no gold edits: files that are not
            there are not missed where the source is.

    Raises:
        InputError: If it is no TOML, or with every key and value that will not do.
    """
    notebook = Problems() if problems is None else problems
    file = read_toml(Path(path))
    Fields(file.document, file, ("", 0), notebook).only(TOP)
    head = _head(file, notebook)
    head.only(TASK_KEYS)
    top = Fields({key: file.document.get(key, []) for key in ("corpus", "team")}, file, ("", 0), notebook)
    corpora: list[TaskCorpus] = []
    top.each("corpus", lambda fields: _corpus(fields, corpora, for_teams=for_teams))
    if not corpora and "corpus" not in file.document:
        notebook.error("task-value", "the task has no corpus", file.place(("task", 0)), expected="[[corpus]]")
    name, deadline = head.text("name", required=True), head.moment("deadline")
    runs_per_team = head.whole("runs_per_team", RUNS_PER_TEAM)
    reader = TeamReader(corpora, deadline, runs_per_team)
    if not for_teams:
        top.each("team", reader.read)
    metrics = _metrics(head, corpora)
    cache = head.inside("cache", CACHE)
    notebook.raise_errors()
    return Task(name, file.path, tuple(corpora), tuple(reader.teams), metrics, deadline, runs_per_team, cache)


def _head(file: TomlFile, problems: Problems) -> Fields:
    found = file.document.get("task")
    if not isinstance(found, dict):
        problems.error("task-value", "there is no table [task]", file.place(("", 0)), expected="[task] with a name")
        found = {"name": "-"}
    return Fields(found, file, ("task", 0), problems)


def _corpus(fields: Fields, corpora: list[TaskCorpus], *, for_teams: bool) -> None:
    fields.only(CORPUS_KEYS)
    if for_teams and "source" in fields.values:
        folder = fields.file.path.parent
        hidden = [key for key in GOLD_KEYS if not all(_there(folder, text) for text in fields.texts(key))]
        fields.values = {key: value for key, value in fields.values.items() if key not in hidden}
    name = fields.text("name", required=True)
    if name and name in [corpus.name for corpus in corpora]:
        fields.problems.error("task-same-name", f"two corpora are called '{name}'", fields.place("name"))
    gold, source = fields.paths("gold"), fields.path("source")
    if not gold and source is None and "gold" not in fields.values and "source" not in fields.values:
        what = f"corpus '{name}' has neither gold nor source"
        fields.problems.error("task-value", what, fields.place(), expected="gold = [...] or source = ...")
    guessed: Kind = "hoo" if any(is_hoo(str(path)) for path in gold) else "m2"
    kind = fields.one_of("kind", KINDS, guessed)
    for key in SENTENCES_ONLY if kind == "hoo" else ():
        if key in fields.values:
            fields.problems.error("task-value", f"a corpus of kind hoo has no {key}", fields.place(key))
    if kind == "hoo" and len(gold) > 1:
        fields.problems.error("task-value", "several gold folders", fields.place("gold"), expected="one folder")
    corpora.append(
        TaskCorpus(
            name,
            fields.one_of("role", ROLES, "test"),
            kind,
            gold,
            source,
            fields.paths("annotators"),
            fields.paths("alternatives"),
            fields.path("documents"),
            fields.one_of("unmarked", UNMARKED, "auto"),
            bool(fields.flag("lenient")),
            bool(fields.flag("missing_as_empty")),
            fields.place().line,
        )
    )


def _there(folder: Path, text: str) -> bool:
    try:
        return (folder / text).exists() or bool(glob(str(folder / text)))  # noqa: PTH207 - Path.glob refuses absolute ones
    except (OSError, ValueError):  # no name that a file can have: whoever opens it says so
        return True


def _metrics(head: Fields, corpora: list[TaskCorpus]) -> tuple[str, ...]:
    """Specs in their short form, so that two ways to write one are one."""
    from errorbar.metrics.registry import parse_metric  # noqa: PLC0415 - numpy, once the rest is read

    kinds: list[Kind] = [corpus.kind for corpus in corpora]
    if len(set(kinds)) > 1:
        what = "corpora of kind m2 and of kind hoo in one task"
        head.problems.error("task-value", what, head.place(), expected="one kind", fix="make two tasks of it")
    kind = kinds[0] if kinds else "m2"
    specs = head.texts("metrics") or DEFAULT_METRICS[kind]
    found: dict[str, None] = {}
    for spec in specs:
        try:
            metric = parse_metric(spec, "fragments" if kind == "hoo" else "sentences")
        except ErrorbarError as error:
            for problem in error.problems:
                head.problems.errors.append(
                    Problem(problem.code, problem.what, head.place("metrics"), problem.expected, problem.fix)
                )
            continue
        found[str(metric.spec)] = None
    return tuple(found)
