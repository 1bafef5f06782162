"""What counts depend on, as a hash: bytes of files, how they are read, the metric's map, and the code that counts."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.version import __version__

LAYOUT = 1
"""Of what is kept in an entry; raised when its meaning changes."""
_COUNTING = ("core", "edits", "formats", "metrics")
_CODE = (".py", ".so", ".pyd")


class FileHashes:
    """Hashes of files and folders, each read once; tells when one changes while it is being read."""

    def __init__(self) -> None:
        self._known: dict[Path, str] = {}

    def of(self, path: Path) -> str:
        """Hash of a file's bytes, or of the names and bytes of a folder's files.

        Raises:
            InputError: If it cannot be read.
        """
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = _hash(path)
        return known

    def check(self, paths: tuple[Path, ...]) -> None:
        """See that files are still what they were: what was read belongs to the hash.

        Raises:
            InputError: If one has changed.
        """
        for path in paths:
            if _hash(path) != self.of(path):
                what = "the file was changed while it was being read"
                raise InputError(Problem("task-file-changed", what, Place(str(path)), fix="run the command again"))


def _files(folder: Path) -> Iterator[Path]:
    """Every file of a folder, those of linked folders too, since they are read as well; each folder once."""

    def refuse(error: OSError) -> None:
        raise error

    seen: set[Path] = set()
    for root, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        real = Path(root).resolve()
        if real in seen:
            folders.clear()  # a link to where we are
            continue
        seen.add(real)
        yield from (each for each in (Path(root, name) for name in names) if each.is_file())


def _hash(path: Path) -> str:
    sha = hashlib.sha256()
    try:
        if path.is_dir():
            for file in sorted(_files(path)):
                name = file.relative_to(path).as_posix().encode("utf-8", "surrogateescape")
                sha.update(hashlib.sha256(name).digest() + hashlib.sha256(file.read_bytes()).digest())
        else:
            sha.update(path.read_bytes())
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise InputError(Problem("cannot-open", what, Place(str(path)))) from None
    return sha.hexdigest()


@cache
def code_hash() -> str:
    """Hash of the code that reads and counts, compiled kernels included."""
    sha = hashlib.sha256(__version__.encode())
    for folder in _COUNTING:
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


def key_of(*parts: object) -> str:
    """The key of what depends on these parts, and on the code."""
    said = json.dumps([LAYOUT, __version__, code_hash(), *parts], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()
