"""Counts kept by content: a key says what was counted of which bytes by which code, and an entry is whole or absent.

An entry is written beside its place, flushed to disk and moved there, so that whoever is stopped at any moment, or
writes at the same time, leaves either a whole entry or none. On reading, a checksum over all bytes and the key inside
are compared; what does not agree is counted again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems

MAGIC = b"errorbar-counts-1 "
ENDING = ".counts"
ABANDONED = 3600.0
"""Seconds after which a half-written file is taken for one whose writer was stopped."""
_META = "meta"
_DIGEST = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept under a key.

    Attributes:
        arrays: Counts.
        meta: What else belongs to them; JSON.
    """

    arrays: Mapping[str, NDArray[np.generic]]
    meta: Mapping[str, object]


class Store:
    """A folder of entries.

    Args:
        folder: Where they are; made when the first is written.
        problems: Where damaged entries are noted.
    """

    def __init__(self, folder: Path, problems: Problems) -> None:
        self.folder = folder
        self.problems = problems
        self._used: set[str] = set()

    def path(self, key: str) -> Path:
        """Where the entry of a key is."""
        return self.folder / key[:2] / f"{key[2:]}{ENDING}"

    def get(self, key: str) -> Entry | None:
        """The entry of a key; None where there is none, or where it is damaged, which is noted.

        Raises:
            InputError: If it is there and may not be read.
        """
        path = self.path(key)
        self._used.add(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(path, error) from None
        entry = _unpack(content, key)
        if entry is None:
            what = "damaged counts in the cache"
            self.problems.note("task-cache-damaged", what, Place(str(path)), fix="counted again")
        return entry

    def put(self, key: str, entry: Entry) -> None:
        """Keep an entry.

        Raises:
            InputError: If it cannot be written.
        """
        path = self.path(key)
        self._used.add(key)
        content = _pack(entry, key)
        try:
            self._prepare(path.parent)
            # Closed before it is moved; it must outlive the with statement that fills it.
            temporary = NamedTemporaryFile(dir=path.parent, prefix=".writing-", delete=False)  # noqa: SIM115
            try:
                with temporary:
                    temporary.write(content)
                    temporary.flush()
                    os.fsync(temporary.fileno())
                Path(temporary.name).replace(path)
            finally:
                with suppress(FileNotFoundError):  # it has been moved
                    Path(temporary.name).unlink()
        except OSError as error:
            raise _unusable(path, error) from None

    def sweep(self) -> None:
        """Remove what writers that were stopped have left half-written."""
        for left in self.folder.glob("*/.writing-*"):
            with suppress(OSError):  # somebody else swept it or finished it, or it is not ours to remove
                if time.time() - left.stat().st_mtime > ABANDONED:
                    left.unlink()

    def prune(self) -> int:
        """Remove entries that nobody asked this store for; the number of them.

        Raises:
            InputError: If one cannot be removed.
        """
        used = {self.path(key) for key in self._used}
        old = [path for path in self.folder.glob(f"*/*{ENDING}") if path not in used]
        for path in old:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise _unusable(path, error) from None
        return len(old)

    def _prepare(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("# Counts that errorbar can make again.\n*\n", encoding="utf-8")


def _pack(entry: Entry, key: str) -> bytes:
    buffer = io.BytesIO()
    meta = json.dumps({**entry.meta, "key": key}, ensure_ascii=True).encode()
    arrays = {name: np.ascontiguousarray(array) for name, array in entry.arrays.items()}
    arrays[_META] = np.frombuffer(meta, np.uint8)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    body = buffer.getvalue()
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _unpack(content: bytes, key: str) -> Entry | None:
    start = len(MAGIC) + _DIGEST + 1
    digest = content[len(MAGIC) : start - 1]
    if not content.startswith(MAGIC) or hashlib.sha256(content[start:]).hexdigest().encode() != digest:
        return None
    try:
        with np.load(io.BytesIO(content[start:]), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        meta = json.loads(arrays.pop(_META).tobytes())
    except (EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error):  # a whole entry of another making
        return None
    return Entry(arrays, meta) if meta.pop("key", None) == key else None


def _unusable(path: Path, error: OSError) -> InputError:
    what = f"the cache cannot be used: {error.strerror}"
    return InputError(Problem("task-cache", what, Place(str(path)), fix="name another folder: --cache DIR"))
