"""The arguments of a report, as a receipt has them: those of ``errorbar.report``, files under their names there.

Only arguments that can change a number are kept, and only these are taken from a receipt: whoever wrote it, it can say
nothing that the public function does not take, and every file that it names is one of its own list.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import shutil
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast, get_args

from errorbar.api.own_references import list_references
from errorbar.core.corpus import Corpus
from errorbar.core.entry_points import find_registered
from errorbar.core.problems import InputError, Place, Problem, shorten_text
from errorbar.core.spec import split_spec
from errorbar.edits.tokenizers import LANGUAGE, SYNTOK
from errorbar.formats.catalog import RAW, is_hoo
from errorbar.formats.look import note_input, read_once
from errorbar.formats.reference import UNMARKED, NamedFile, expand_files
from errorbar.formats.saving import STUDY_FILES
from errorbar.formats.text import CHARACTERS, SPACES
from errorbar.metrics.registry import parse_metrics
from errorbar.tasks.config import KINDS, RUNS_PER_TEAM, Baseline, MadeBy, Task, TaskCorpus, Team, TeamSubmission

# Data files of a receipt: their names in it, their hashes, and where to find them again.
#
# A name says no more than a reader of the receipt needs: it starts at the folder of the receipt, or else at the
# working folder, or else has only as many parts as distinguish the files. So no name leads out of a folder.


MOST_SEARCHED = 200_000
"""Files and folders that are looked at for files that were moved."""
MOST_ALIKE = 1000
"""Files of one name in different places that keep it."""
LONGEST_PART, LONGEST, DEEPEST = 255, 2000, 100
"""Bytes of a part of a name, of all its parts, and how many: more is not on every system."""
State = Literal["same", "changed", "missing", "outside", "pipe"]


@dataclass(frozen=True, slots=True)
class DataRecord:
    """A file as a receipt has it; one that was a pipe has neither hash nor size, and nobody can read it again."""

    name: str
    sha256: str | None
    size: int | None

    @property
    def pipe(self) -> bool:
        """Whether it came through a pipe."""
        return self.sha256 is None

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        content = {"pipe": True} if self.pipe else {"sha256": self.sha256, "size": self.size}
        return {"name": self.name, **content}


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file of a receipt, looked for in a folder."""

    record: DataRecord
    state: State
    path: Path | None = None  # where it is, if it may be read
    sha256: str | None = None  # of what is there


class DataFiles:
    """The files that a command read, as its receipt will name them."""

    def __init__(self, folder: Path, working: Path | None = None) -> None:
        bases = (folder.absolute(), (working or Path.cwd()).absolute())
        self._bases = [base for base in bases if not _above_home(base)]
        self._paths: dict[str, Path] = {}
        self._pipes: dict[str, str] = {}
        self._records: dict[str, DataRecord] = {}

    @property
    def records(self) -> list[DataRecord]:
        """Every file, in the order in which they were added."""
        return list(self._records.values())

    def add(self, path: str) -> str:
        """Add a file, or all files of a folder; the name that the receipt gives it."""
        if read_once(path):
            name = self._pipes.setdefault(path, f"<pipe {1 + len(self._pipes)}>")
            self._records[name] = DataRecord(name, None, None)
            return name
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links, whose own names count
        inside = list(_files(absolute))
        for inner, _ in inside:
            if inner and not safe_name(inner):
                message = f"'{inner}' is a name that a receipt cannot hold: other systems do not allow it"
                fix = "rename it, or leave no receipt: --page=receipt=no of a report, --no-receipt of a task"
                raise InputError(Problem("receipt-file", message, Place(path), fix=fix))
        name = next(name for name in self._names(absolute) if self._is_free(name, inside))
        self._take(name, inside)
        return name

    def _take(self, name: str, inside: Sequence[tuple[str, Path]]) -> None:
        for inner, path in inside:
            full = f"{name}/{inner}" if inner else name
            self._paths[full] = path
            self._records[full] = DataRecord(full, hash_of(path), path.stat().st_size)

    def _is_free(self, name: str, inside: Sequence[tuple[str, Path]]) -> bool:
        full = ((f"{name}/{inner}" if inner else name, path) for inner, path in inside)
        return safe_name(name) and all(self._paths.get(name_in_receipt, path) == path for name_in_receipt, path in full)

    def _names(self, path: Path) -> Iterator[str]:
        """Names for a file or folder, the best one first."""
        yield from (path.relative_to(base).as_posix() for base in self._bases if path.is_relative_to(base))
        # A folder called by a number is a run of the team it stands in.
        least = 2 if path.name.isdecimal() and path.is_dir() else 1
        parts = path.parts[1:]
        yield from ("/".join(parts[-k:]) for k in range(least, len(parts)))
        yield from (f"{number}/{path.name}" for number in range(2, MOST_ALIKE))
        yield from (f"file-{number}" for number in count(1))  # of names that some system could not hold


def _above_home(base: Path) -> bool:
    """Whether names that start there would reveal the owner of the computer."""
    with suppress(RuntimeError):
        return base != Path.home() and Path.home().is_relative_to(base)
    return base == base.parent


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    """A file under no name, or the files of a folder under their names in it; hidden ones are nobody's data.

    Of a judging study only the file of its store is data: neither its secrets nor what else lies there.
    """
    if not path.is_dir():
        yield "", path
        return
    is_study = all((path / name).exists() for name in STUDY_FILES)
    for file in sorted([path / STUDY_FILES[0], *path.glob("store.sqlite3")] if is_study else path.rglob("*")):
        inner = file.relative_to(path)
        if file.is_file() and not any(part.startswith(".") for part in inner.parts):
            yield inner.as_posix(), file


def hash_of(path: Path) -> str:
    """SHA-256 of the bytes of a file, packed or not."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(Problem("cannot-open", message, Place(str(path)))) from None


def find_files(records: Sequence[DataRecord], folder: Path, *, deep: bool = False) -> list[RecordedFile]:
    """Look for files in a folder under their names, or under the last part of them.

    ``deep``: also in the folders inside, for what has the recorded hash. A link that leads out of the folder is
    followed only to what the receipt knows already: its own bytes.
    """
    files = [_find_file(record, folder) for record in records]
    lost = {PurePosixPath(file.record.name).name for file in files if file.state == "missing"}
    if not deep or not lost:
        return files
    inside = _search_names(folder, lost)
    return [_find_moved(file, inside) if file.state == "missing" else file for file in files]


def _find_file(record: DataRecord, folder: Path) -> RecordedFile:
    if record.pipe:
        return RecordedFile(record, "pipe")
    seen: list[RecordedFile] = []
    for name in dict.fromkeys((record.name, PurePosixPath(record.name).name)):
        path = folder / name
        try:
            if not path.is_file():
                continue
            inside = path.resolve().is_relative_to(folder.resolve())
        except (OSError, ValueError):
            continue
        note_input(path)
        sha = hash_of(path)
        if sha == record.sha256:
            return RecordedFile(record, "same", path, sha)
        seen.append(RecordedFile(record, "changed", path, sha) if inside else RecordedFile(record, "outside"))
    return seen[0] if seen else RecordedFile(record, "missing")


def _search_names(folder: Path, names: Container[str]) -> dict[str, list[Path]]:
    """Files of such names in the folders inside."""
    paths: dict[str, list[Path]] = {}
    seen = 0
    for place, _, files in os.walk(folder):
        for name in files:
            if name in names:
                paths.setdefault(name, []).append(Path(place, name))
        seen += 1 + len(files)
        if seen > MOST_SEARCHED:
            break
    return paths


def _find_moved(lost: RecordedFile, inside: Mapping[str, Sequence[Path]]) -> RecordedFile:
    for path in inside.get(PurePosixPath(lost.record.name).name, ()):
        if path.is_file() and path.stat().st_size == lost.record.size and hash_of(path) == lost.record.sha256:
            return RecordedFile(lost.record, "same", path, lost.record.sha256)
    return lost


def stage_files(files: Sequence[RecordedFile], stage: Path) -> None:
    """Put files under their names into an empty folder, by links where the system has them, else as copies."""
    for file in files:
        assert file.path is not None
        target = stage / file.record.name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.symlink_to(file.path.resolve())
        except OSError:
            shutil.copyfile(file.path, target)


def safe_name(name: object) -> bool:
    """Whether a name stays in the folder that it is seen from, on every system."""
    if not isinstance(name, str) or not name or "\0" in name or "\\" in name:
        return False
    parts = name.split("/")
    try:
        lengths = [len(part.encode()) for part in parts]
    except UnicodeEncodeError:  # half of a pair, which stands for a byte that is no text
        return False
    if max(lengths) > LONGEST_PART or sum(lengths) > LONGEST or len(parts) > DEEPEST:
        return False
    return not ({"", ".", ".."} & {*parts}) and not (os.name == "nt" and ":" in name)


PATTERNS = ("gold",)
SEVERAL = ("gold", "systems", "judgments", "judged", "drawn_from")
SINGLE = ("source", "documents", "sample_key", "assist", "pools")
PLAIN = (
    *("metric", "beta", "tokens", "essays", "unmarked", "lenient", "force", "retokenize"),
    *("column", "items", "labels", "error", "ok", "unknown", "type"),
    *(
        "judges",
        "pools_random",
        "adjust",
        "swaps",
        "ci_method",
        "resamples",
        "confidence",
        "seed",
        "ceiling_ci",
        "browse",
        "attacks",
    ),
)
"""Arguments of a report by what they are: files, one file, values."""
DRAWS = ("resamples", "swaps", "ceiling_ci")
MOST_DRAWN = 1_000_000
"""The most draws, so that a receipt cannot keep a computer busy for years."""
KNOWN_PIPELINES = re.compile(r"(errorbar_en|en_core_web_(sm|md|lg|trf))")
"""spaCy pipelines that a receipt may name: another package or folder runs what its maker put there."""
NEW_RECEIPT = "get it again, or make a new one"


def broken_receipt(message: str, file: str, expected: str = "", fix: str = NEW_RECEIPT) -> InputError:
    """The error for a receipt that is not as errorbar writes it."""
    return InputError(Problem("receipt-broken", message, Place(file), expected, fix))


def report_arguments(arguments: Mapping[str, Any], files: DataFiles) -> dict[str, object]:
    """The arguments of a report as a receipt has them; every file that they name is added to ``files``."""
    recorded: dict[str, object] = {}
    for name in SEVERAL:
        paths = _list_paths(arguments.get(name))
        if paths:
            every = expand_files(paths) if name in PATTERNS else [NamedFile.parse(path) for path in paths]
            recorded[name] = [_file_reference(file, paths, files) for file in every]
            if name == "gold" and arguments.get("source") is None:
                for file in every:
                    add_texts(file.path, files.add(file.path), files)
    if own := _own_references(arguments.get("reference_of") or (), files):
        recorded["reference_of"] = own
    for name in SINGLE:
        if arguments.get(name) is not None:
            recorded[name] = _file_reference(NamedFile(str(arguments[name]), ""), [str(arguments[name])], files)
    plain = {name: arguments[name] for name in PLAIN if arguments.get(name) is not None}
    if "tokens" in plain:
        plain["tokens"] = Path(plain["tokens"]).name  # of a folder the place is nobody's business
    return recorded | {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def _own_references(reference_of: Any, files: DataFiles) -> list[dict[str, str]]:  # noqa: ANN401 - as a report takes it
    """The references that were made for systems, each file with the name of its system."""
    texts = () if isinstance(reference_of, Mapping) else _list_paths(reference_of)
    named = [text.partition("=")[2] for text in texts]
    return [
        {"system": system, **_file_reference(file, named, files)}
        for system, references in list_references(reference_of).items()
        for file in (() if isinstance(references, Corpus) else references)
    ]


def _list_paths(paths: object) -> list[str]:
    """Paths of what may be one or several."""
    if paths is None:
        return []
    return [str(path) for path in paths] if isinstance(paths, list | tuple) else [str(paths)]


def _file_reference(file: NamedFile, named: Sequence[str], files: DataFiles) -> dict[str, str]:
    """A file, with its name in tables where the user gave it one, or where that of the receipt is another."""
    place = files.add(file.path)
    other = not place.startswith("<") and Path(place).name != Path(file.path).name
    has_own_name = file.name and (other or f"{file.name}={file.path}" in named)
    return {**({"name": file.name} if has_own_name else {}), "file": place}


def add_texts(path: str, name: str, files: DataFiles) -> None:
    """Add the source texts of HOO data, which stand in ``Raw`` beside the edits."""
    if not Path(path).exists() or not is_hoo(path):
        return
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    raw = next((texts for texts in (folder / RAW, folder.parent / RAW) if texts.is_dir()), None)
    if raw is not None and not (Path(path).is_dir() and raw.parent == folder):  # else it was added with the folder
        way = Path(os.path.relpath(raw, path)).as_posix()
        full = posixpath.normpath(f"{name}/{way}")
        inside = list(_files(raw))
        if safe_name(full) and files._is_free(full, inside):
            files._take(full, inside)


def read_arguments(recorded: Mapping[str, Any], names: Iterable[str], stage: Path, receipt: str) -> dict[str, Any]:
    """Arguments for ``errorbar.report`` from those of a receipt, whose files stand in a folder.

    Raises:
        InputError: If there is another argument, or a file that is not in the receipt's list.
    """
    unknown = [name for name in recorded if name not in {*SEVERAL, *SINGLE, *PLAIN, "reference_of"}]
    if unknown:
        raise broken_receipt(f"a report has no argument '{unknown[0]}'", receipt)
    known = set(names)
    arguments: dict[str, Any] = {name: recorded[name] for name in PLAIN if name in recorded}
    for name in DRAWS:
        if isinstance(number := arguments.get(name), int) and number > MOST_DRAWN:
            raise broken_receipt(f"'{name}' must be at most {MOST_DRAWN:,} in a receipt", receipt)
    for name in SEVERAL:
        if name in recorded:
            references = recorded[name] if isinstance(recorded[name], list) else [recorded[name]]
            arguments[name] = [staged_path(reference, known, stage, receipt) for reference in references]
    arguments |= {name: staged_path(recorded[name], known, stage, receipt) for name in SINGLE if name in recorded}
    arguments["reference_of"] = [
        _staged_reference(reference, known, stage, receipt) for reference in recorded.get("reference_of", ())
    ]
    check_specs(arguments.get("metric") or [], receipt)
    _check_tokens(arguments.get("tokens", SPACES), receipt)
    return arguments


def _staged_reference(reference: object, known: set[str], stage: Path, receipt: str) -> str:
    """The place of a reference that was made for a system, as ``SYSTEM=FILE``."""
    path = staged_path(reference, known, stage, receipt)
    system = reference.get("system") if isinstance(reference, dict) else None
    if not isinstance(system, str) or not system or "=" in system:
        raise broken_receipt("a reference does not say whose it is", receipt, '{"system": "A", "file": "a.m2"}')
    return f"{system}={path}"


def staged_path(reference: object, known: set[str], stage: Path, receipt: str) -> str:
    """The place of a file that a receipt names, or of a folder of such files; ``name=`` before it where it says so."""
    if not isinstance(reference, dict) or not isinstance(reference.get("file"), str):
        raise broken_receipt("a file is not written as a file", receipt, 'e.g. {"file": "gold.m2"}')
    name = reference["file"]
    if name not in known and not any(file.startswith(f"{name}/") for file in known):
        raise broken_receipt(f"the file '{name}' is not in the receipt's own list", receipt)
    called = reference.get("name")
    if called is None:
        return str(stage / name)
    argument = f"{called}={stage / name}"
    if not isinstance(called, str) or NamedFile.parse(argument) != NamedFile(str(stage / name), called):
        raise broken_receipt(
            f"the file '{name}' is called {shorten_text(repr(called))}, which is not a valid name", receipt
        )
    return argument


def check_specs(specs: object, receipt: str) -> None:
    """Refuse a metric whose pipeline is none of those known."""
    for spec in specs if isinstance(specs, list) else [specs]:
        if not isinstance(spec, str):
            raise broken_receipt("a metric must be a text", receipt)
        pipeline = split_spec(spec)[1].get("pipeline", "errorbar_en")
        if not KNOWN_PIPELINES.fullmatch(pipeline):
            raise _strange_pipeline(pipeline, receipt)


def _check_tokens(tokens: object, receipt: str) -> None:
    """Refuse a tokenizer that is a pipeline of somebody, or a folder that is called as a known one."""
    if not isinstance(tokens, str):
        raise broken_receipt("a tokenizer must be a text", receipt)
    rules = tokens in (SPACES, CHARACTERS, SYNTOK)
    if not rules and (Path(tokens).is_dir() or not (LANGUAGE.fullmatch(tokens) or KNOWN_PIPELINES.fullmatch(tokens))):
        raise _strange_pipeline(tokens, receipt)


def _strange_pipeline(name: str, receipt: str) -> InputError:
    message = f"the receipt names the pipeline '{name}', and a pipeline runs what its maker put there"
    fix = "run the command yourself if you trust it"
    return InputError(Problem("receipt-pipeline", message, Place(receipt), "errorbar_en or en_core_web_*", fix))


# What a shared task consisted of, as a receipt has it: its test corpora, metrics and runs, files under their names.
#
# The task is made again of these and not of its TOML file, which may name any path; the file stands in the list of
# files.


_PATHS = ("gold", "annotators", "alternatives")
_PATH = ("source", "documents")
_FLAGS = ("lenient", "missing_as_empty")
_TASK = {"name", "metric", "corpora", "runs"}
_CORPUS = {"name", "kind", "unmarked", *_FLAGS, *_PATHS, *_PATH}
_RUN = {"team", "run", "corpus", "name", "file", "made", "references"}
"""The keys of each record; any other key would be stated without being computed."""


def task_arguments(task: Task, files: DataFiles, outputs: Iterable[TeamSubmission] = ()) -> dict[str, object]:
    """A task as a receipt has it; every file that was read is added to ``files``.

    ``outputs`` are the runs that were scored: a command's output is data, since whoever verifies must not run it.
    """
    written = {(run.team, run.corpus): run.path for run in outputs if run.baseline and run.baseline.kind == "command"}
    if not read_once(str(task.file)):
        files.add(str(task.file))
    corpora = [corpus for corpus in task.with_role("test") if corpus.gold or task.has_own_references(corpus.name)]
    names = {corpus.name for corpus in corpora}
    runs = [run for team in task.teams for run in team.submissions if run.corpus in names]
    return {
        "name": task.name,
        "metric": list(task.metrics),
        "corpora": [_corpus_record(corpus, files) for corpus in corpora],
        "runs": [
            _run_record(run, files, written.get((run.team, run.corpus)))
            for run in runs
            if run.baseline is None or run.baseline.kind != "command" or (run.team, run.corpus) in written
        ],
    }


def _corpus_record(corpus: TaskCorpus, files: DataFiles) -> dict[str, object]:
    record: dict[str, object] = {"name": corpus.name, "kind": corpus.kind, "unmarked": corpus.unmarked}
    record |= {name: getattr(corpus, name) for name in _FLAGS}
    for name in _PATHS:
        record[name] = [{"file": files.add(str(path))} for path in getattr(corpus, name)]
    record |= {name: _file(getattr(corpus, name), files) for name in _PATH if getattr(corpus, name) is not None}
    if corpus.kind == "hoo" and corpus.source is None:
        for path in corpus.gold:
            add_texts(str(path), files.add(str(path)), files)
    return record


def _file(path: Path, files: DataFiles) -> dict[str, str]:
    return {"file": files.add(str(path))}


def _run_record(run: TeamSubmission, files: DataFiles, output: Path | None) -> dict[str, object]:
    record: dict[str, object] = {"team": run.team, "run": run.run, "corpus": run.corpus}
    if run.references:
        record["references"] = [_file(path, files) for path in run.references]
    if run.baseline is None:
        return {**record, **_file(run.path, files)}
    if output is not None:
        return {**record, **_file(output, files), "made": {"kind": run.baseline.kind, "spec": run.baseline.spec}}
    models = {} if run.baseline.models is None else {"models": _file(run.baseline.models, files)}
    return {**record, "made": {"kind": run.baseline.kind, "spec": run.baseline.spec, **models}}


def read_task_record(record: Mapping[str, Any], names: Iterable[str], stage: Path, receipt: str) -> Task:
    """The task of a receipt, whose files stand in a folder.

    Raises:
        InputError: If it is not as ``task_arguments`` writes it.
    """
    known = set(names)
    file = stage / "task.toml"
    try:
        _check_keys(record, _TASK)
        corpora = [_read_corpus(entry, known, stage, receipt) for entry in record["corpora"]]
        runs = [_read_run(entry, known, stage, receipt) for entry in record["runs"]]
        edited = {run.corpus for run in runs if run.references}
        if any(not corpus.gold and corpus.name not in edited for corpus in corpora):
            raise ValueError("gold of a corpus")
        check_specs(list(record["metric"]), receipt)
        metrics, name = tuple(record["metric"]), str(record["name"])
        if not metrics:
            raise ValueError("no metric")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        message = f"the record of the task is not valid ({type(error).__name__}: {error})"
        raise broken_receipt(message, receipt) from None
    lost = {run.corpus for run in runs} - {corpus.name for corpus in corpora}
    if lost:
        raise broken_receipt(f"the task has no corpus '{min(lost)}'", receipt)
    for kind in dict.fromkeys(corpus.kind for corpus in corpora):
        parse_metrics(metrics, "fragments" if kind == "hoo" else "sentences")
    teams = []
    for team in dict.fromkeys(run.team for run in runs):
        own = tuple(run for run in runs if run.team == team)
        teams.append(Team(team, submissions=own, baseline=any(run.baseline is not None for run in own)))
    return Task(name, file, tuple(corpora), tuple(teams), metrics, None, RUNS_PER_TEAM, stage / ".statistics")


def _check_keys(record: Mapping[str, Any], known: AbstractSet[str]) -> None:
    for name in record:
        if name not in known:
            raise ValueError(f"a task has no '{name}'")


def _read_corpus(record: Mapping[str, Any], known: set[str], stage: Path, receipt: str) -> TaskCorpus:
    _check_keys(record, _CORPUS)
    paths = {
        name: tuple(Path(staged_path(reference, known, stage, receipt)) for reference in record[name])
        for name in _PATHS
    }
    path = {name: Path(staged_path(record[name], known, stage, receipt)) for name in _PATH if name in record}
    flags = {name: record[name] for name in _FLAGS}
    if record["kind"] not in KINDS or record["unmarked"] not in UNMARKED or not (paths["gold"] or "source" in path):
        raise ValueError("kind, unmarked, gold or source of a corpus")
    if not all(isinstance(flag, bool) for flag in flags.values()):
        raise ValueError("a corpus needs true or false")
    values: dict[str, Any] = {"kind": record["kind"], "unmarked": record["unmarked"], **paths, **path, **flags}
    return TaskCorpus(str(record["name"]), **values)


def _read_run(record: Mapping[str, Any], known: set[str], stage: Path, receipt: str) -> TeamSubmission:
    _check_keys(record, _RUN)
    team, number, corpus = record["team"], record["run"], record["corpus"]
    if not isinstance(team, str) or not isinstance(corpus, str) or type(number) is not int:
        raise ValueError("team, corpus or number of a run")
    if "made" not in record:
        own = tuple(Path(staged_path(each, known, stage, receipt)) for each in record.get("references", ()))
        return TeamSubmission(team, number, corpus, Path(staged_path(record, known, stage, receipt)), references=own)
    system = record["made"]
    if system["kind"] not in get_args(MadeBy):
        raise ValueError("kind of a system")
    if system["kind"] == "command":  # a stranger's: it is never run
        output = Path(staged_path(record, known, stage, receipt))
        baseline = Baseline("command", str(system["spec"]), None, Place(receipt), output=output)
        return TeamSubmission(team, number, corpus, output, baseline=baseline)
    if system["spec"] not in find_registered("errorbar.correctors"):
        split_spec(system["spec"])
    models = Path(staged_path(system["models"], known, stage, receipt)) if "models" in system else None
    kind = cast("MadeBy", system["kind"])
    return TeamSubmission(
        team, number, corpus, stage / team, baseline=Baseline(kind, system["spec"], models, Place(receipt))
    )
