"""The output of a task's baselines: made of the source by models, and kept by the content of both.

A corrector's output is a text, a detector's a table of items with flags and scores, of which labels of tokens are made:
a word that it calls an error is incorrect.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shlex
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock
from time import monotonic
from types import NoneType, UnionType
from typing import IO, Any, get_args, get_type_hints

import numpy as np

from errorbar.api.corpus_results import Memory
from errorbar.api.installed_systems import Tokens, TrainedSystem, check_lines, correct_by, detect_by, find_system
from errorbar.core.corpus import CorrectedSentence, Sentence, source_record, system_record
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, shorten_text
from errorbar.formats.judgments import read_flags
from errorbar.formats.saving import save_bytes, save_lines
from errorbar.formats.token_labels import CORRECT, INCORRECT
from errorbar.metrics.base import Metric, Statistics
from errorbar.tables.table import Cell, Column, Table
from errorbar.tables.writers import tables_text
from errorbar.tasks.config import Baseline, TeamSubmission
from errorbar.version import __version__

# What was measured, kept in a folder by content: a task measures only what is new.
#
# An entry is the statistics of one output against one reference. Its name is a hash of all that it depends on:
# reference and output as they were read, what the metric's map depends on, errorbar's version and the code that
# measures. Whatever changes finds nothing. What a metric of another package or a pipeline depends on nobody knows, so
# that is measured every time. A file is written beside its place and moved there, and starts with a checksum: whoever
# is stopped at any moment, or works at the same time, leaves whole entries only; a damaged one is measured anew, and
# noted.


CACHE_ERROR = "task-cache"
ENDING, OUTPUT, CHECK = ".statistics", ".output", ".sha256"
_MEASURING = ("core", "edits", "formats", "metrics")
_CODE = (".py", ".so", ".pyd")
_PLAIN = "plain"
_DIGEST = 32


class TaskCache:
    """A folder of statistics, and how many of those asked for were measured and found; notes go to ``problems``."""

    def __init__(self, folder: Path, problems: Problems) -> None:
        self.folder = folder
        self.problems = problems
        self.n_measured = 0
        self.n_found = 0
        self._used: set[Path] = set()
        self._lock = Lock()

    def statistics(self, metric: Metric, parts: Sequence[str], measure: Callable[[], Statistics]) -> Statistics:
        """Take the entry's value for the metric's class and these parts; measure and keep it if there is none."""
        kind = type(metric)
        if not kind.__module__.startswith("errorbar.") or metric.makes_edits:  # nobody hashes a pipeline
            with self._lock:
                self.n_measured += 1
            return measure()
        path = self._place([code_hash(), kind.__qualname__, *parts], ENDING)
        content: bytes | None = None
        with _using(path), suppress(FileNotFoundError):
            content = path.read_bytes()
        stored: Any = None if content is None else unpack(content, path.stem, get_type_hints(kind.measure)["return"])
        with self._lock:
            self._used.add(path)
            self.n_found += stored is not None
            self.n_measured += stored is None
            if content is not None and stored is None:
                message = "damaged statistics in the cache"
                self.problems.note("task-cache-damaged", message, Place(str(path)), fix="measured again")
        result: Statistics = measure() if stored is None else stored
        if stored is None:
            with _using(path):
                self._make_room(path)
                save_bytes(pack(result, path.stem), str(path))
        return result

    def output(
        self, parts: Sequence[str], rooms: Sequence[str], make: Callable[[Path], None], *, anew: bool = False
    ) -> Path:
        """The file of what these parts and the code of some rooms make; a checksum beside it tells that it is whole.

        ``anew``: make it also where it is there, since it depends on more than these.
        """
        path = self._place([code_hash(tuple(rooms)), *parts], OUTPUT)
        check = path.with_suffix(CHECK)
        self._used |= {path, check}
        with _using(path):
            there = path.exists() and check.exists()
            if there and not anew and check.read_bytes() == hashlib.sha256(path.read_bytes()).digest():
                return path
            if there and not anew:
                message = "a damaged output in the cache"
                self.problems.note("task-cache-damaged", message, Place(str(path)), fix="made again")
            self._make_room(path)
        make(path)
        with _using(path):
            save_bytes(hashlib.sha256(path.read_bytes()).digest(), str(check))
        return path

    def _place(self, parts: Sequence[str], ending: str) -> Path:
        key = hashlib.sha256(json.dumps([__version__, *parts]).encode()).hexdigest()
        return self.folder / key[:2] / f"{key[2:]}{ending}"

    def _make_room(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("# Statistics that errorbar can make again.\n*\n", encoding="utf-8")

    def prune(self) -> int:
        """Remove entries that nobody asked for; the number of them."""
        kept = [path for ending in (ENDING, OUTPUT, CHECK) for path in self.folder.glob(f"*/*{ending}")]
        old = [path for path in kept if path not in self._used]
        for path in old:
            with _using(path):
                path.unlink(missing_ok=True)
        return sum(path.suffix != CHECK for path in old)


class Kept(Memory):
    """A memory of outputs against one reference that takes from a cache what this process has not measured.

    The memory knows the ``reference`` by identity, the cache by the ``units`` that make it up.
    """

    def __init__(self, reference: Any, units: Sequence[object], folder: TaskCache) -> None:  # noqa: ANN401
        super().__init__(reference)
        self._folder = folder
        self._reference = _content(units)

    def statistics(self, metric: Metric, lines: Sequence[Any]) -> Statistics:
        """The result of the map, measured where no cache has it."""
        content = _content(lines)

        def find() -> Statistics:
            measure = partial(metric.measure, self.corpus, lines, by_type="types" not in metric.lacks)
            return self._folder.statistics(metric, [self._reference, content, metric.measure_key], measure)

        result: Statistics = self._once((metric.measure_key, content), find)
        return result


def pack(statistics: object, key: str) -> bytes:
    """Statistics, a dataclass, as bytes: a checksum, then arrays and the plain values beside them as ``.npz``."""
    parts = dict(_parts(statistics, ""))
    arrays: dict[str, Any] = {name: value for name, value in parts.items() if isinstance(value, np.ndarray)}
    plain = {"": key} | {name: value for name, value in parts.items() if name not in arrays}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays | {_PLAIN: np.frombuffer(json.dumps(plain).encode(), np.uint8)})
    body = buffer.getvalue()
    return hashlib.sha256(body).digest() + body


def _parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - a dataclass, or a field of one
    if is_dataclass(value):
        for field in fields(value):
            yield from _parts(getattr(value, field.name), f"{name}.{field.name}")
    else:
        yield name, value


def unpack(content: bytes, key: str, kind: Any) -> Any:  # noqa: ANN401 - of that kind
    """Statistics of a kind; None where the bytes are damaged or another's."""
    body = content[_DIGEST:]
    if hashlib.sha256(body).digest() != content[:_DIGEST]:
        return None
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as archive:
            parts = {name: archive[name] for name in archive.files}
        parts |= json.loads(parts.pop(_PLAIN).tobytes())
        return _unpack_value(kind, "", parts) if parts.pop("") == key else None
    except (KeyError, TypeError, ValueError):  # whole, but of another making
        return None


def _unpack_value(hint: Any, name: str, parts: dict[str, Any]) -> Any:  # noqa: ANN401
    if name in parts:
        return tuple(parts[name]) if isinstance(parts[name], list) else parts[name]
    if isinstance(hint, UnionType):
        (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
    hints = get_type_hints(hint)
    return hint(*(_unpack_value(hints[part.name], f"{name}.{part.name}", parts) for part in fields(hint)))


def _content(units: Sequence[object]) -> str:
    """Hash of units as they were read: everything that is in them, the edits of a sentence that knows them too."""
    records = [system_record(unit) if isinstance(unit, CorrectedSentence) else unit for unit in units]
    return hashlib.sha256(repr(records).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def code_hash(rooms: tuple[str, ...] = _MEASURING) -> str:
    """Hash of the code that reads and measures, or of other rooms, compiled kernels included."""
    sha = hashlib.sha256()
    for folder in rooms:
        root = Path(str(files("errorbar"))) / folder
        for file in sorted(path for path in root.rglob("*") if path.suffix in _CODE):
            sha.update(file.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return sha.hexdigest()


@contextmanager
def _using(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, InputError) as error:
        why = error.problems[0].what if isinstance(error, InputError) else error.strerror
        message = f"the cache cannot be used: {why}"
        raise InputError(
            Problem(CACHE_ERROR, message, Place(str(path)), fix="name another folder: --cache DIR")
        ) from None


CODE = ("api", "core", "edits", "formats", "metrics", "stats", "tables")
"""The folders on whose code an output depends, beside that of the system."""


@dataclass(frozen=True, slots=True)
class BaselineMaker:
    """Makes the output of systems for sentences, and keeps it in a cache."""

    sentences: Sequence[Sentence]
    cache: TaskCache

    def with_output(self, run: TeamSubmission) -> TeamSubmission:
        """The run with its output; one that a team handed in stays the same.

        Raises:
            InputError: If a model is missing or does not fit, the file names no such system, or it fails.
        """
        baseline = run.baseline
        if baseline is None:
            return run
        try:
            return self._with_output(run, baseline)
        except UsageError as error:  # it is the file of the task that names it
            raise InputError([replace(problem, place=baseline.place) for problem in error.problems]) from None

    def _with_output(self, run: TeamSubmission, baseline: Baseline) -> TeamSubmission:
        if baseline.output is not None:
            return replace(run, path=baseline.output)
        records = "\n".join(map(source_record, self.sentences))
        source = hashlib.sha256(records.encode("utf-8", "surrogatepass")).hexdigest()
        system = None if baseline.kind == "command" else find_system(baseline.kind, baseline.spec)
        parts: list[str] = [baseline.kind, baseline.spec, source]
        code: tuple[str, ...] = CODE
        anew = baseline.depends is None
        if isinstance(system, TrainedSystem):
            models, models_hash = system.fingerprint(baseline.models)
            tokens = [sentence.tokens for sentence in self.sentences]
            system.warn(tokens, baseline.place, baseline.spec, models, self.cache.problems)
            write = partial(self._write_trained, system, baseline.spec, models)
            baseline, anew = replace(baseline, models_hash=models_hash), False
            parts, code = [*parts, models_hash], (*CODE, system.code)
        else:
            parts.append(_content_of(baseline.depends or ()))
            write = partial(self._write_other, baseline, system)
        path = self.cache.output(parts, code, write, anew=anew)
        if baseline.kind != "detector":
            return replace(run, path=path, baseline=baseline)
        parts.append("labels")
        labels = self.cache.output(parts, code, lambda out: save_lines(self._labels(path), str(out)), anew=anew)
        return replace(run, path=labels, baseline=replace(baseline, table=path))

    def _write_trained(self, system: TrainedSystem, spec: str, models: Path, out: Path) -> None:
        with TemporaryDirectory() as folder:
            text = Path(folder) / "source.txt"
            save_lines((" ".join(sentence.tokens) for sentence in self.sentences), str(text))
            system.write(text, out, spec, models)

    def _write_other(self, baseline: Baseline, function: Any, out: Path) -> None:  # noqa: ANN401 - see find_system
        tokens = [sentence.tokens for sentence in self.sentences]
        if baseline.kind == "command":
            lines = run_command(baseline, tokens)
        elif baseline.kind == "corrector":
            lines = correct_by(baseline.spec, function, tokens)
        else:
            columns = [Column("item"), Column("flag", "count"), Column("score", "number"), Column("word")]
            rows: list[list[Cell]] = [
                [f"{s + 1}:{t}-{t + 1}", int(flag), score, tokens[s][t], suggestion]
                for s, t, flag, score, suggestion in detect_by(baseline.spec, function, tokens)
            ]
            table = Table([*columns, Column("suggestion")], rows, name="judgments")
            lines = tables_text([table], "csv").rstrip("\n").split("\n")
        save_lines(lines, str(out))

    def _labels(self, table: Path) -> Iterator[str]:
        flags = read_flags(table, Problems()).flags
        flagged = {item for item, flag in flags.items() if flag}
        for number, sentence in enumerate(self.sentences, 1):
            if not sentence.tokens:
                message = f"sentence {number} is empty, and labels of tokens have no empty sentences"
                raise InputError(Problem("task-detector", message, Place(str(table)), fix="leave the detector out"))
            for at, token in enumerate(sentence.tokens):
                yield f"{token}\t{INCORRECT if f'{number}:{at}-{at + 1}' in flagged else CORRECT}"
            yield ""


MOST_TIMES, MOST_MORE = 100, 1 << 20
"""A command may write so many times the bytes of the source, and so many more."""


def run_command(baseline: Baseline, sentences: Tokens) -> list[str]:
    """Run a command on sentences, one a line, in the folder of the task's file; its output, one line for each.

    No shell runs it. What it started ends with it.

    Raises:
        InputError: If it cannot be started, fails, takes too long, or does not give one line for each sentence.
    """
    words, folder = shlex.split(baseline.spec), Path(baseline.place.file).parent
    source = "".join(f"{' '.join(tokens)}\n" for tokens in sentences)
    command = f"the command '{shorten_text(baseline.spec)}'"
    with TemporaryFile() as file, TemporaryFile() as written, TemporaryFile() as errors:
        most = MOST_TIMES * file.write(source.encode("utf-8", "surrogatepass")) + MOST_MORE
        file.seek(0)
        try:
            process = Popen(words, stdin=file, stdout=written, stderr=errors, cwd=folder, start_new_session=True)
        except (OSError, ValueError) as error:
            message = f"{command} cannot be started: {getattr(error, 'strerror', None) or error}"
            raise InputError(Problem("system-failed", message, baseline.place)) from None
        with process:
            try:
                _wait(process, baseline, command, (written, errors), most)
            finally:
                _end(process)
        if process.returncode:
            errors.seek(-min(errors.seek(0, os.SEEK_END), 1 << 12), os.SEEK_END)
            lines = errors.read().decode(errors="replace").splitlines()
            last = next((line for line in reversed(lines) if line.strip()), "")
            message = f"{command} {_ending(process.returncode)}{f': {shorten_text(last, 200)}' if last else ''}"
            raise InputError(Problem("system-failed", message, baseline.place))
        written.seek(0)
        output = written.read()
    try:
        text = output.decode()
    except UnicodeDecodeError:
        message = f"{command} wrote something that is not UTF-8"
        raise InputError(Problem("system-output", message, baseline.place)) from None
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
    check_lines(command, lines, len(sentences), baseline.place)
    return lines


def _wait(process: Popen[bytes], baseline: Baseline, command: str, written: Sequence[IO[bytes]], most: int) -> None:
    """Wait until a command ends, and refuse one that takes too long or writes too much."""
    deadline = monotonic() + baseline.timeout
    while process.poll() is None:
        if any(os.fstat(file.fileno()).st_size > most for file in written):
            message = f"{command} wrote more than {most:,} bytes"
            raise InputError(Problem("system-output", message, baseline.place, expected="one line for each sentence"))
        if monotonic() > deadline:
            message = f"{command} did not end in {baseline.timeout:,} seconds"
            fix = f"give it longer: timeout = {2 * baseline.timeout}"
            raise InputError(Problem("system-failed", message, baseline.place, fix=fix))
        with suppress(TimeoutExpired):
            process.wait(timeout=0.05)


def _ending(code: int) -> str:
    """How a command ended."""
    return f"failed with exit code {code}" if code > 0 else f"was ended by {signal.Signals(-code).name}"


def _end(process: Popen[bytes]) -> None:
    """End a command and all that it started, which its group has."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _content_of(paths: Sequence[Path]) -> str:
    """Hash of the files and folders that a system depends on, by content."""
    sha = hashlib.sha256()
    for path in paths:
        for file in sorted(inner for inner in path.rglob("*") if inner.is_file()) if path.is_dir() else [path]:
            with _reading(file), file.open("rb") as stream:
                content = hashlib.file_digest(stream, "sha256").digest()
            sha.update(str(file.relative_to(path.parent)).encode("utf-8", "surrogateescape") + b"\0" + content)
    return sha.hexdigest()


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(Problem("cannot-open", f"cannot be opened: {error.strerror}", Place(str(file)))) from None


def make_all(
    runs: Sequence[TeamSubmission], maker: BaselineMaker, refused: dict[str, list[Problem]]
) -> list[TeamSubmission]:
    """Every run with its output; what is wrong with those that have none goes to ``refused``, by path."""
    whole = []
    for run in runs:
        try:
            whole.append(maker.with_output(run))
        except InputError as error:
            if error.code == CACHE_ERROR:
                raise
            refused[str(run.path)] = list(error.problems)
            whole.append(run)
    return whole
