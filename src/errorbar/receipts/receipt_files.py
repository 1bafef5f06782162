"""Data files of a receipt: what they are called there, their hashes, and finding them again.

A name tells no more than somebody who gets receipt and data has to know: it starts at the folder of the receipt, or
else at the working folder, or else has only so many parts as tell the files apart. So no name leads out of a folder.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import shutil
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Literal

from errorbar.core.errors import InputError, Place, Problem
from errorbar.formats.look import note_input, read_once

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
        told = {"pipe": True} if self.pipe else {"sha256": self.sha256, "size": self.size}
        return {"name": self.name, **told}


@dataclass(frozen=True, slots=True)
class FoundFile:
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
        found = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links, whose own names count
        inside = list(_files(found))
        for inner, _ in inside:
            if inner and not safe_name(inner):
                what = f"'{inner}' is a name that a receipt cannot hold: other systems have none like it"
                fix = "rename it, or leave no receipt: --page=receipt=no of a report, --no-receipt of a task"
                raise InputError(Problem("receipt-file", what, Place(path), fix=fix))
        name = next(name for name in self._names(found) if self._is_free(name, inside))
        self._take(name, inside)
        return name

    def add_beside(self, path: str, name: str, other: Path) -> None:
        """Add a folder that a reader looks for near ``path``, called ``name``, in the same place as on the disk."""
        way = Path(os.path.relpath(other, path)).as_posix()
        full = posixpath.normpath(f"{name}/{way}")
        inside = list(_files(other))
        if safe_name(full) and self._is_free(full, inside):
            self._take(full, inside)

    def _take(self, name: str, inside: Sequence[tuple[str, Path]]) -> None:
        for inner, path in inside:
            full = f"{name}/{inner}" if inner else name
            self._paths[full] = path
            self._records[full] = DataRecord(full, hash_of(path), path.stat().st_size)

    def _is_free(self, name: str, inside: Sequence[tuple[str, Path]]) -> bool:
        full = ((f"{name}/{inner}" if inner else name, path) for inner, path in inside)
        return safe_name(name) and all(self._paths.get(each, path) == path for each, path in full)

    def _names(self, path: Path) -> Iterator[str]:
        """What a file or folder may be called, the best name first."""
        yield from (path.relative_to(base).as_posix() for base in self._bases if path.is_relative_to(base))
        # A folder called by a number is a run of the team it stands in.
        least = 2 if path.name.isdecimal() and path.is_dir() else 1
        parts = path.parts[1:]
        yield from ("/".join(parts[-k:]) for k in range(least, len(parts)))
        yield from (f"{number}/{path.name}" for number in range(2, MOST_ALIKE))
        yield from (f"file-{number}" for number in count(1))  # of names that some system could not hold


def _above_home(base: Path) -> bool:
    """Whether names that start there would tell whose computer this is."""
    with suppress(RuntimeError):
        return base != Path.home() and Path.home().is_relative_to(base)
    return base == base.parent


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    """A file under no name, or the files of a folder under their names in it; hidden ones are nobody's data."""
    if not path.is_dir():
        yield "", path
        return
    for each in sorted(path.rglob("*")):
        inner = each.relative_to(path)
        if each.is_file() and not any(part.startswith(".") for part in inner.parts):
            yield inner.as_posix(), each


def hash_of(path: Path) -> str:
    """SHA-256 of the bytes of a file, packed or not."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise InputError(Problem("cannot-open", what, Place(str(path)))) from None


def find(records: Sequence[DataRecord], folder: Path, *, deep: bool = False) -> list[FoundFile]:
    """Look for files in a folder under their names, or under the last part of them.

    ``deep``: also in the folders inside, for what has the recorded hash. A link that leads out of the folder is
    followed only to what the receipt knows already: its own bytes.
    """
    found = [_found(record, folder) for record in records]
    lost = {PurePosixPath(each.record.name).name for each in found if each.state == "missing"}
    if not deep or not lost:
        return found
    inside = _called(folder, lost)
    return [_deeper(each, inside) if each.state == "missing" else each for each in found]


def _found(record: DataRecord, folder: Path) -> FoundFile:
    if record.pipe:
        return FoundFile(record, "pipe")
    seen: list[FoundFile] = []
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
            return FoundFile(record, "same", path, sha)
        seen.append(FoundFile(record, "changed", path, sha) if inside else FoundFile(record, "outside"))
    return seen[0] if seen else FoundFile(record, "missing")


def _called(folder: Path, names: Container[str]) -> dict[str, list[Path]]:
    """Files of such names in the folders inside."""
    found: dict[str, list[Path]] = {}
    seen = 0
    for place, _, files in os.walk(folder):
        for name in files:
            if name in names:
                found.setdefault(name, []).append(Path(place, name))
        seen += 1 + len(files)
        if seen > MOST_SEARCHED:
            break
    return found


def _deeper(lost: FoundFile, inside: Mapping[str, Sequence[Path]]) -> FoundFile:
    for path in inside.get(PurePosixPath(lost.record.name).name, ()):
        if path.is_file() and path.stat().st_size == lost.record.size and hash_of(path) == lost.record.sha256:
            return FoundFile(lost.record, "same", path, lost.record.sha256)
    return lost


def staged(files: Sequence[FoundFile], stage: Path) -> None:
    """Put files under their names into an empty folder, by links where the system has them, else as copies."""
    for each in files:
        assert each.path is not None
        target = stage / each.record.name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.symlink_to(each.path.resolve())
        except OSError:
            shutil.copyfile(each.path, target)


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
