"""What was measured, kept in a folder by content: a task measures only what is new.

An entry is the statistics of one output against one reference. Its name is a hash of all that it depends on: reference
and output as they were read, what the metric's map depends on, errorbar's version and the code that measures. Whatever
changes finds nothing. A file is written beside its place and moved there, and starts with a checksum: whoever is
stopped at any moment, or works at the same time, leaves whole entries only; a damaged one is measured anew, and noted.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

import numpy as np

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.saving import save_bytes
from errorbar.metrics.base import Metric, Statistics
from errorbar.studies.corpus_study import Memory
from errorbar.version import __version__

CACHE_ERROR = "task-cache"
ENDING = ".statistics"
_MEASURING = ("core", "edits", "formats", "metrics")
_CODE = (".py", ".so", ".pyd")
_PLAIN = "plain"
_DIGEST = 32


class TaskCache:
    """A folder of statistics.

    Args:
        folder: Where they are; made when the first is written.
        problems: Where damaged entries are noted.

    Attributes:
        n_measured: Entries that were made.
        n_found: Entries that were there.
    """

    def __init__(self, folder: Path, problems: Problems) -> None:
        self.folder = folder
        self.problems = problems
        self.n_measured = 0
        self.n_found = 0
        self._used: set[Path] = set()
        self._lock = Lock()

    def path(self, *parts: object) -> Path:
        """Where the entry of what depends on these parts is."""
        said = json.dumps([__version__, code_hash(), *parts])
        key = hashlib.sha256(said.encode()).hexdigest()
        return self.folder / key[:2] / f"{key[2:]}{ENDING}"

    def statistics(self, path: Path, metric: Metric, measure: Callable[[], Statistics]) -> Statistics:
        """The statistics that an entry keeps, else those that are measured, and kept.

        Raises:
            InputError: If the folder cannot be used, or the output cannot be measured.
        """
        kind = get_type_hints(type(metric).measure).get("return")
        if not is_dataclass(kind):  # nobody knows what a metric of another package keeps
            return measure()
        found = self._load(path, kind)
        if found is None:
            found = measure()
            self._save(path, found)
        made: Statistics = found
        return made

    def _load(self, path: Path, kind: Any) -> Any:  # noqa: ANN401 - of that kind
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            content = None
        except OSError as error:
            raise _unusable(path, str(error.strerror)) from None
        found = None if content is None else unpack(content, path.stem, kind)
        with self._lock:
            self._used.add(path)
            self.n_found += found is not None
            self.n_measured += found is None
            if content is not None and found is None:
                what = "damaged statistics in the cache"
                self.problems.note("task-cache-damaged", what, Place(str(path)), fix="measured again")
        return found

    def _save(self, path: Path, statistics: Any) -> None:  # noqa: ANN401 - a dataclass
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            ignore = self.folder / ".gitignore"
            if not ignore.exists():
                ignore.write_text("# Statistics that errorbar can make again.\n*\n", encoding="utf-8")
            save_bytes(pack(statistics, path.stem), str(path))
        except OSError as error:
            raise _unusable(path, str(error.strerror)) from None
        except InputError as error:
            raise _unusable(path, error.problems[0].what) from None

    def prune(self) -> int:
        """Remove entries that nobody asked for; the number of them.

        Raises:
            InputError: If one cannot be removed.
        """
        old = [path for path in self.folder.glob(f"*/*{ENDING}") if path not in self._used]
        for path in old:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise _unusable(path, str(error.strerror)) from None
        return len(old)


class Kept(Memory):
    """A memory of outputs against one reference that takes from a cache what this process has not measured.

    Args:
        reference: What is measured against; the memory knows it by identity.
        units: The same, as the units that make it up.
        folder: The cache.
    """

    def __init__(self, reference: Any, units: Sequence[object], folder: TaskCache) -> None:  # noqa: ANN401
        super().__init__(reference)
        self.folder = folder
        self._reference = _content(units)

    def statistics(self, metric: Metric, lines: Sequence[Any]) -> Statistics:
        """What the map keeps; measured where it is nowhere."""

        def measure() -> Statistics:
            return metric.measure(self.corpus, lines, by_type="types" not in metric.lacks)

        def find() -> Statistics:
            output = _content(lines)
            path = self.folder.path(self._reference, output, metric.measure_key, class_hash(type(metric)))
            return self.folder.statistics(path, metric, measure)

        found: Statistics = self._once((metric.measure_key, tuple(lines)), find)
        return found


def pack(statistics: Any, key: str) -> bytes:  # noqa: ANN401 - a dataclass
    """Statistics as bytes: a checksum, then arrays and the plain values beside them as ``.npz``."""
    arrays: dict[str, Any] = {}
    plain: dict[str, object] = {"": key}

    def take(value: Any, name: str) -> None:  # noqa: ANN401 - a field of a dataclass, or one itself
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif is_dataclass(value):
            for field in fields(value):
                take(getattr(value, field.name), f"{name}.{field.name}")
        else:
            plain[name] = value

    take(statistics, "")
    buffer = io.BytesIO()
    arrays[_PLAIN] = np.frombuffer(json.dumps(plain).encode(), np.uint8)
    np.savez_compressed(buffer, **arrays)
    body = buffer.getvalue()
    return hashlib.sha256(body).digest() + body


def unpack(content: bytes, key: str, kind: Any) -> Any:  # noqa: ANN401 - of that kind
    """Statistics of a kind; None where the bytes are damaged or another's."""
    body = content[_DIGEST:]
    if hashlib.sha256(body).digest() != content[:_DIGEST]:
        return None
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        plain = json.loads(arrays.pop(_PLAIN).tobytes())
        return _made(kind, "", arrays, plain) if plain.pop("") == key else None
    except (KeyError, TypeError, ValueError):  # whole, but of another making
        return None


def _made(hint: Any, name: str, arrays: dict[str, Any], plain: dict[str, Any]) -> Any:  # noqa: ANN401
    """The value of a field, as its type says."""
    if name in arrays:
        return arrays[name]
    if name in plain:
        return tuple(plain[name]) if isinstance(plain[name], list) else plain[name]
    if isinstance(hint, UnionType):
        (hint,) = (each for each in get_args(hint) if each is not NoneType)
    hints = get_type_hints(hint)
    return hint(*(_made(hints[each.name], f"{name}.{each.name}", arrays, plain) for each in fields(hint)))


def _content(units: Sequence[object]) -> str:
    """Hash of units as they were read: everything that is in them."""
    sha = hashlib.sha256()
    for unit in units:
        sha.update(f"{unit!r}\n".encode("utf-8", "surrogatepass"))
    return sha.hexdigest()


@cache
def code_hash() -> str:
    """Hash of the code that reads and measures, compiled kernels included."""
    sha = hashlib.sha256()
    for folder in _MEASURING:
        root = Path(str(files("errorbar"))) / folder
        for file in sorted(each for each in root.rglob("*") if each.suffix in _CODE):
            sha.update(file.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return sha.hexdigest()


@cache
def class_hash(cls: type) -> str:
    """Hash of the module of a metric, which may be of another package."""
    module = inspect.getsourcefile(cls)
    said = f"{cls.__module__}.{cls.__qualname__}".encode()
    return hashlib.sha256(said + (Path(module).read_bytes() if module else b"")).hexdigest()


def _unusable(path: Path, why: str) -> InputError:
    what = f"the cache cannot be used: {why}"
    return InputError(Problem(CACHE_ERROR, what, Place(str(path)), fix="name another folder: --cache DIR"))
