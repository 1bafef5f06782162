"""Pipes and standard input: their bytes come once, and readers open files as often as they like.

Within ``keeping_pipes`` whatever is read of a pipe is kept, and every opening starts at the first byte; the files that
are read are remembered, so that no output replaces one of them.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from errorbar.core.errors import InputError, Place, Problem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = "-"
Source = str | PathLike[str]
IN_MEMORY = 1 << 20  # bytes of a pipe that are kept in memory before a file without a name takes them
MAGIC = 2  # bytes that the first read of a pipe waits for: those that tell what is packed
Key = tuple[int, int] | str
NAMES = {STANDARD_INPUT: "<stdin>"}  # what is called otherwise than by its path: also copies of pipes


def display_name(path: Source) -> str:
    """What a file is called in messages."""
    return NAMES.get(fspath(path), fspath(path))


def read_once(path: Source) -> bool:
    """Whether what is read is gone: standard input, or a pipe such as ``<(zcat gold.m2.gz)`` in a shell."""
    mode = getattr(_status(path), "st_mode", 0)
    return fspath(path) == STANDARD_INPUT or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def is_there(path: Source) -> bool:
    """Whether a path leads to something; not if it is too long for one, or holds what none can."""
    return _status(path) is not None


def pipe_key(path: Source) -> Key | None:
    """What tells this pipe from others under all its names; None: it can be read again, as ``/dev/null`` can."""
    status = _status(path)
    if status is not None and stat.S_ISFIFO(status.st_mode):
        return status.st_dev, status.st_ino
    return STANDARD_INPUT if fspath(path) == STANDARD_INPUT else None


def _status(path: Source) -> os.stat_result | None:
    try:
        if fspath(path) == STANDARD_INPUT:
            return None if sys.stdin is None else os.fstat(sys.stdin.fileno())
        return os.stat(path)  # noqa: PTH116 - paths may be strings, and a Path would be built for each look
    except (OSError, ValueError):  # whoever opens it says what is wrong; or no file of the system's
        return None


class _Pipe:
    """A pipe and what was read of it."""

    def __init__(self, path: Source) -> None:
        self.name = display_name(path)
        self.own = fspath(path) != STANDARD_INPUT
        self.stream: IO[bytes] | BinaryIO
        if self.own:
            # Closed by ``close``; without a buffer, so that what has come is handed on at once.
            self.stream = open(path, "rb", buffering=0)  # noqa: PTH123, SIM115
        elif sys.stdin is None:
            raise InputError(Problem("cannot-open", "standard input is closed", Place(self.name)))
        else:
            self.stream = sys.stdin.buffer
        self.copy: IO[bytes] | None = None
        self.kept = self.size = 0
        self.last = False

    def read(self, at: int, size: int) -> bytes:
        """Up to ``size`` bytes from a position that earlier reads have reached."""
        if at < self.kept:
            assert self.copy is not None
            self.copy.seek(at)
            return self.copy.read(min(size, self.kept - at))
        if at != self.size:
            what = "a pipe can be read only once, and its beginning is gone"
            raise InputError(Problem("read-once", what, Place(self.name), fix="write it into a file first"))
        data = self._next(size)
        while data and self.size + len(data) < MAGIC and (more := self._next(size)):
            data += more
        if not self.last:
            self._keep(data)
        self.size += len(data)
        return data

    def _next(self, size: int) -> bytes:
        read = getattr(self.stream, "read1", self.stream.read)  # without waiting for more than there is
        return cast("bytes", read(size)) or b""

    def _keep(self, data: bytes) -> None:
        try:
            if self.copy is None:
                self.copy = cast("IO[bytes]", SpooledTemporaryFile(max_size=IN_MEMORY))  # noqa: SIM115 - see close
            self.copy.seek(0, os.SEEK_END)
            self.copy.write(data)
            self.copy.flush()
        except OSError as error:
            raise cannot_keep(self.name, error) from None
        self.kept += len(data)

    def close(self) -> None:
        """Forget it; standard input stays open."""
        if self.copy is not None:
            with suppress(OSError):  # what could not be kept is tried again
                self.copy.close()
        if self.own:
            self.stream.close()


def cannot_keep(name: str, error: OSError) -> InputError:
    """What goes through a pipe has no room on the way; the pipe is not to blame."""
    try:
        folder = gettempdir()
    except OSError:  # there is none that can be written to
        folder = "a temporary folder"
    what = f"no copy of what goes through can be kept in {folder}: {error.strerror or error}"
    fix = "make room, name another folder by TMPDIR, or use a file instead of a pipe"
    return InputError(Problem("no-space", what, Place(name), fix=fix))


class RawBytes(io.RawIOBase):
    """Bytes that ``take`` gives, for ``io.BufferedReader``."""

    def take(self, size: int) -> bytes:
        """Up to so many of the next bytes."""
        raise NotImplementedError

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill a buffer as far as there is something."""
        room = memoryview(buffer).cast("B")
        data = self.take(len(room))
        room[: len(data)] = data
        return len(data)


class _Reader(RawBytes):
    """One reading of a pipe, from its first byte; alone: the only one, after which the pipe is closed."""

    def __init__(self, pipe: _Pipe, *, alone: bool) -> None:
        self.pipe = pipe
        self.alone = alone
        self.at = 0

    def take(self, size: int) -> bytes:
        data = self.pipe.read(self.at, size)
        self.at += len(data)
        return data

    def seekable(self) -> bool:
        return not self.alone

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:
            while self.pipe.read(self.pipe.size, IN_MEMORY):
                pass
        self.at = offset + (0, self.at, self.pipe.size)[whence]
        return self.at

    def close(self) -> None:
        if self.alone and not self.closed:
            self.pipe.close()
        super().close()


_open_pipes: list[dict[Key, _Pipe]] = []  # what is kept now: the innermost ``keeping_pipes`` last; empty outside
_inputs: list[set[tuple[int, int]]] = []  # device and number of the files and folders that are read, in the same way
_own_folders: list[set[Path]] = []  # the folders that a command writes, in the same way


@contextmanager
def keeping_pipes() -> Iterator[None]:
    """Keep what is read of pipes until the end, so that each can be opened again; a command line runs within."""
    _open_pipes.append({})
    _inputs.append(set())
    _own_folders.append(set())
    try:
        yield
    finally:
        _inputs.pop()
        _own_folders.pop()
        for pipe in _open_pipes.pop().values():
            pipe.close()


def note_input(path: Source) -> None:
    """Remember a file or folder that is read, under all its names: ``is_input`` knows it until the end.

    What lies in a folder that the command writes is its own, which it may read and make anew, as ``train`` does.
    """
    status = _status(path) if _inputs else None
    if status is None or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return
    if _own_folders[-1].isdisjoint(Path(os.path.realpath(path)).parents):
        _inputs[-1].add((status.st_dev, status.st_ino))


def own_folder(path: Source) -> None:
    """Say that a command writes this folder, after its inputs were noted."""
    if _own_folders and not Path(path).is_file():
        _own_folders[-1].add(Path(os.path.realpath(path)))


def is_input(path: Source) -> bool:
    """Whether a path leads to what has been read, by whatever link, number or spelling."""
    status = _status(path) if _inputs else None
    return status is not None and any((status.st_dev, status.st_ino) in files for files in _inputs)


def pipes_are_kept() -> bool:
    """Whether a pipe may be opened more than once."""
    return bool(_open_pipes)


def open_pipe(path: Source, *, last: bool = False) -> io.BufferedReader:
    """Open what can be read once; last: nobody will open it again, and what comes from here on need not be kept."""
    if not _open_pipes:
        pipe = _Pipe(path)
        pipe.last = True
        return io.BufferedReader(_Reader(pipe, alone=True))
    known = _open_pipes[-1]
    key = pipe_key(path) or fspath(path)
    if key not in known:
        known[key] = _Pipe(path)
    known[key].last |= last
    return io.BufferedReader(_Reader(known[key], alone=False))
