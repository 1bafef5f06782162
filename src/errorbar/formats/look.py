"""Inputs: what a path leads to is opened once, and looked at and read from its first byte as often as somebody asks.

``look`` gives the ``Input`` of a path. Within ``looking``, as every public function and command runs, it is the same
for all who ask, so that a pipe can be read again too. ``Lines`` are its text, and one clear line for whatever is wrong.
The files that a command reads are remembered, so that no output replaces one of them.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from errno import ENAMETOOLONG
from functools import cached_property
from itertools import chain, count, islice
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self, cast

from errorbar.core.problems import InputError, Place, Problem, Problems, nearest_file, shorten_text
from errorbar.formats.limits import FREELY_UNPACKED, LONGEST_LINE, MOST_EXPANSION

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from errorbar.core.entry_points import Registered

STANDARD_INPUT = "-"
Source = str | PathLike[str]
NAMES = {STANDARD_INPUT: "<stdin>"}  # what is called otherwise than by its path
BLOCK = 1 << 18  # bytes read at a time
LOOK_BLOCK = 1 << 14  # the same where only the first lines are wanted
LOOKED = 40  # lines by which a file is recognized
START = 1 << 12  # unpacked bytes by which XML and Parquet are recognized
IN_MEMORY = 1 << 20  # bytes of a pipe that are kept in memory before a file without a name takes them
MAGIC = 4  # bytes that the first read of a pipe waits for: those that tell what it is
MOST_IDLE = 64  # files that stay open between a look and their reading
FOLDERS = "errorbar.folders"
"""Entry points named by the file that tells what a folder is: functions that write its lines, as of one file."""
_HEAD = 64  # bytes that tell what a file is
_GZIP = b"\x1f\x8b"
_OFFICE = {"word/": "a Word document", "xl/": "a spreadsheet", "ppt/": "a presentation"}  # folders inside
_OFFICE |= {
    f"opendocument.{kind}": name for kind, name in (("text", "a Word document"), ("spreadsheet", "a spreadsheet"))
}
_OTHER = {  # what other files begin with
    b"%PDF-": "a PDF",
    b"{\\rtf": "a Word document",
    b"\xd0\xcf\x11\xe0": "a Word document",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"PAR1": "Parquet",
    b"PK\x03\x04": "a zip archive",
    b"BZh": "bzip2 data",
    b"\xfd7zXZ\x00": "xz data",
    b"\x28\xb5\x2f\xfd": "zstd data",
}
_FIXES = {
    "Parquet": "the name of a Parquet file must end in .parquet",
    "a Word document": "save it as plain text (UTF-8), one sentence per line",
    "a PDF": "get its text, one sentence per line",
    "a spreadsheet": "save it as CSV (UTF-8)",
    "a presentation": "save its text as plain text (UTF-8)",
}


def list_paths(paths: Source | Sequence[Source]) -> list[str]:
    """One path or several, as texts."""
    return [str(fspath(path)) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]


def display_name(path: Source) -> str:
    """The name of a file in messages."""
    return NAMES.get(fspath(path), fspath(path))


def _status(path: Source) -> os.stat_result | None:
    try:
        if fspath(path) == STANDARD_INPUT:
            return None if sys.stdin is None else os.fstat(sys.stdin.fileno())
        return os.stat(path)  # noqa: PTH116 - paths may be strings, and a Path would be built for each look
    except (OSError, ValueError):  # whoever opens it says what is wrong; or no file of the system's
        return None


def is_there(path: Source) -> bool:
    """Whether a path leads to something; not if it is too long for one, or holds what none can."""
    return _status(path) is not None


def read_once(path: Source) -> bool:
    """Whether what is read is gone: standard input, or a pipe such as ``<(zcat gold.m2.gz)`` in a shell."""
    return look(path).is_pipe


class Input(PathLike[str]):
    """A file, a pipe or standard input: opened once, and read from its first byte as often as somebody asks.

    What is read of a pipe is kept, until somebody says that this reading is the ``last``. A file that was only looked
    at stays open for its reading.
    """

    def __init__(self, path: Source, scope: _Scope | None = None) -> None:
        self.path, self.name = fspath(path), display_name(path)
        self.status = status = _status(path)
        mode = 0 if status is None else status.st_mode
        self.is_stream = self.path == STANDARD_INPUT or stat.S_ISFIFO(mode)
        self.is_pipe = self.is_stream or stat.S_ISCHR(mode)  # ``/dev/null`` can be given twice
        self.is_file = stat.S_ISREG(mode) and not self.is_pipe
        self.is_folder = stat.S_ISDIR(mode)
        self.key: object = self.path  # what tells it from others; a pipe may have several names
        self.stamp: object = None  # of a file, which changes as it is written
        if status is not None and self.is_file:
            self.stamp = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
        elif status is not None and stat.S_ISFIFO(mode):
            self.key = status.st_dev, status.st_ino
        self.format: Any = None  # as somebody said; None: it is recognized
        self._folder = _find_folder_writer(self.path) if self.is_folder else None
        if self._folder is not None:
            self.is_folder, self.is_file = False, True
        self._scope = scope
        self._stream: IO[bytes] | None = None
        self._n_readers = 0
        self._copy: IO[bytes] | None = None  # of what was read of a pipe
        self._n_kept = self._n_read = 0
        self._last = False

    def __fspath__(self) -> str:
        return self.path

    @cached_property
    def start(self) -> bytes:
        """The first unpacked bytes of a file, of a pipe only a few; none where there is nothing to read."""
        try:
            with self.open(looking_only=True) as stream:
                return stream.read(MAGIC if self.is_pipe else START)
        except InputError:  # whoever reads it says what is wrong
            return b""

    @cached_property
    def _head(self) -> tuple[str, list[str]]:
        with self.open(looking_only=True) as stream:
            lines = Lines(self, Problems(lenient=True), cut=whole_lines(stream, self.name, LOOK_BLOCK))
            return lines.peek(), lines.ahead(LOOKED)

    def peek(self) -> str:
        """The first line that is not blank, by which readers tell what a file is; XML may have another encoding."""
        return self._head[0]

    def ahead(self, n: int) -> list[str]:
        """The first lines, no more than ``LOOKED``."""
        return self._head[1][:n]

    @cached_property
    def is_packed(self) -> bool:
        """Whether it is compressed."""
        with self.open(looking_only=True) as stream:
            return isinstance(stream.raw, _Unpacked)

    @property
    def is_parquet(self) -> bool:
        """Whether it is called Parquet, or is so by its first bytes."""
        return self.path.endswith(".parquet") or self.start.startswith(b"PAR1")

    @contextmanager
    def open(self, *, last: bool = False, looking_only: bool = False) -> Iterator[io.BufferedReader]:
        """Read it from its first byte, unpacked, and name what goes wrong.

        Args:
            last: Nobody reads a pipe again, so that what comes from here on need not be kept.
            looking_only: Only its beginning is wanted, and it will be read later.
        """
        place = Place(self.name)
        note_input(self)
        packed = self.raw()
        self._last |= last or (self._scope is None and not looking_only)
        try:
            with packed:
                is_gzip = packed.peek(2)[:2] == _GZIP
                yield io.BufferedReader(_Unpacked(packed, place), BLOCK) if is_gzip else packed
        except OSError as error:
            raise InputError(Problem("cannot-open", f"cannot be read: {error.strerror or error}", place)) from None
        finally:
            self._n_readers -= 1
            if not self._n_readers and not self._stays_open(looking_only=looking_only):
                self.close()

    def raw(self) -> io.BufferedReader:
        """The bytes as they are stored, from the first one."""
        try:
            if self._stream is None and self.path == STANDARD_INPUT:
                if sys.stdin is None:
                    raise InputError(Problem("cannot-open", "standard input is closed", Place(self.name)))
                self._stream = sys.stdin.buffer
            elif self._stream is None and self._folder is not None:
                self._stream = _spool(self._folder.load()(self.path))
            elif self._stream is None:
                self._stream = Path(self.path).open("rb", buffering=0)  # noqa: SIM115 - see close
        except (OSError, ValueError) as error:
            raise InputError(cannot_open(self.path, error)) from None
        self._n_readers += 1
        return io.BufferedReader(_Reader(self))

    def _stays_open(self, *, looking_only: bool) -> bool:
        if self.is_pipe:
            return looking_only or self._scope is not None
        if not looking_only or self._scope is None or len(self._scope.idle) >= MOST_IDLE:
            return False
        self._scope.idle.add(self)
        return True

    def close(self) -> None:
        """Forget it; standard input stays open."""
        if self._copy is not None:
            with suppress(OSError):  # what could not be kept is tried again
                self._copy.close()
        if self._stream is not None and self.path != STANDARD_INPUT:
            self._stream.close()
        self._stream = None
        if self._scope is not None:
            self._scope.idle.discard(self)

    def read(self, at: int, size: int) -> bytes:
        """Up to ``size`` stored bytes from a position, in a pipe one that earlier reads have reached."""
        assert self._stream is not None
        if not self.is_pipe:
            if hasattr(os, "pread"):
                return os.pread(self._stream.fileno(), size, at)
            self._stream.seek(at)
            return self._stream.read(size)
        if at < self._n_kept:
            assert self._copy is not None
            self._copy.seek(at)
            return self._copy.read(min(size, self._n_kept - at))
        if at != self._n_read:
            message = "a pipe can be read only once, and its beginning is gone"
            raise InputError(Problem("read-once", message, Place(self.name), fix="write it into a file first"))
        read = getattr(self._stream, "read1", self._stream.read)  # without waiting for more than there is
        data = read(size) or b""
        while data and self._n_read + len(data) < MAGIC and (more := read(size)):
            data += more
        if not self._last:
            self._keep(data)
        self._n_read += len(data)
        return data

    def _keep(self, data: bytes) -> None:
        try:
            if self._copy is None:
                from tempfile import SpooledTemporaryFile  # noqa: PLC0415 - few inputs are pipes

                self._copy = cast("IO[bytes]", SpooledTemporaryFile(max_size=IN_MEMORY))  # noqa: SIM115 - see close
            self._copy.seek(0, os.SEEK_END)
            self._copy.write(data)
            self._copy.flush()
        except OSError as error:
            raise cannot_keep(self.name, error) from None
        self._n_kept += len(data)


def _find_folder_writer(path: str) -> Registered | None:
    """The function that writes the lines of such a folder, by the file that tells what it is; None: it is no such."""
    from errorbar.core.entry_points import find_registered  # noqa: PLC0415 - few inputs are folders

    entries = find_registered(FOLDERS).items()
    return next((entry for name, entry in entries if (Path(path) / name).is_file()), None)


def _spool(lines: Iterable[str]) -> IO[bytes]:
    """A file without a name that has these lines."""
    from tempfile import TemporaryFile  # noqa: PLC0415 - as above

    file = cast("IO[bytes]", TemporaryFile())  # noqa: SIM115 - see ``Input.close``
    file.writelines(f"{line}\n".encode() for line in lines)
    file.flush()
    return file


def cannot_keep(name: str, error: OSError) -> InputError:
    """A file that goes through a pipe found no room on the way; the pipe is not to blame."""
    from tempfile import gettempdir  # noqa: PLC0415 - as above

    try:
        folder = gettempdir()
    except OSError:  # there is none that can be written to
        folder = "a temporary folder"
    message = f"no copy of what goes through can be kept in {folder}: {error.strerror or error}"
    fix = "make room, name another folder by TMPDIR, or use a file instead of a pipe"
    return InputError(Problem("no-space", message, Place(name), fix=fix))


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
    """One reading of an input, from its first byte."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._at = 0

    def take(self, size: int) -> bytes:
        data = self._source.read(self._at, size)
        self._at += len(data)
        return data

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        while whence == os.SEEK_END and self.take(IN_MEMORY):
            pass
        self._at = offset + self._at * (whence != os.SEEK_SET)
        return self._at


class _Unpacked(RawBytes):
    """Unpack gzip data, as long as its size is in proportion: some kilobytes can be made to fill any memory."""

    def __init__(self, packed: io.BufferedReader, place: Place) -> None:
        import gzip  # noqa: PLC0415 - most files are not packed
        import zlib  # noqa: PLC0415

        self._packed, self._unpacked = packed, gzip.GzipFile(fileobj=packed)
        self._damages = EOFError, gzip.BadGzipFile, zlib.error
        self._place = place
        self._size = 0

    def take(self, size: int) -> bytes:
        try:
            data = self._unpacked.read(size)
        except self._damages as error:
            message = f"the compressed data is damaged: {error}"
            fix = "fetch or compress the file again"
            raise InputError(Problem("gzip-damaged", message, self._place, fix=fix)) from None
        self._size += len(data)
        if self._size > FREELY_UNPACKED and self._size > MOST_EXPANSION * self._packed.tell():
            message = f"{self._packed.tell():,} compressed bytes hold more than {self._size:,}"
            expected = f"at most {MOST_EXPANSION} times as many"
            fix = "unpack it with gunzip if that is meant"
            raise InputError(Problem("gzip-expands", message, self._place, expected, fix))
        return data


@dataclass(slots=True)
class _Scope:
    """The inputs of a public function or a command."""

    outer: _Scope | None
    inputs: dict[object, Input] = field(default_factory=dict)
    idle: set[Input] = field(default_factory=set)  # open, and nobody reads them
    numbers: set[tuple[int, int]] = field(default_factory=set)  # device and number of what is read
    own_folders: set[Path] = field(default_factory=set)  # that are written


_scope: ContextVar[_Scope | None] = ContextVar("scope", default=None)


@contextmanager
def looking(*, command: bool = False) -> Iterator[None]:
    """Open each input once until the end, and remember what is read. Functions join what runs, a command does not."""
    outer = _scope.get()
    if outer is not None and not command:
        yield
        return
    scope = _Scope(outer)
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)
        for opened in scope.inputs.values():
            opened.close()


def look(path: Source) -> Input:
    """The input at a path; an ``Input`` is one already."""
    if isinstance(path, Input):
        return path
    scope = _scope.get()
    now = Input(path, scope)
    if scope is None:
        return now
    known = scope.inputs.get(now.key)
    if known is not None and known.stamp == now.stamp:
        return known
    if known is not None and known in scope.idle:
        known.close()
    scope.inputs[now.key] = now
    return now


def note_input(path: Source) -> None:
    """Remember a file or folder that is read, under all its names: ``is_input`` knows it until the end.

    What lies in a folder that is written is the writer's own, to be read and made anew, as ``train`` does.
    """
    scope = _scope.get()
    if scope is None:
        return
    status = path.status if isinstance(path, Input) else _status(path)
    if status is None or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return
    if scope.own_folders.isdisjoint(Path(os.path.realpath(path)).parents):
        scope.numbers.add((status.st_dev, status.st_ino))


def own_folder(path: Source) -> None:
    """Say that this folder is written, after inputs were noted."""
    if (scope := _scope.get()) is not None and not look(path).is_file:
        scope.own_folders.add(Path(os.path.realpath(path)))


def is_input(path: Source) -> bool:
    """Whether a path leads to what was read, by whatever link, number or spelling."""
    scope, status = _scope.get(), _status(path)
    while scope is not None and status is not None:
        if (status.st_dev, status.st_ino) in scope.numbers:
            return True
        scope = scope.outer
    return False


def byte_blocks(path: Source, *, last: bool = False, size: int = BLOCK) -> Generator[bytes]:
    """Yield whole lines, many at once, each with its LF, which only the last of the file may lack."""
    with look(path).open(last=last) as stream:
        yield from whole_lines(stream, display_name(path), size)


def whole_lines(stream: io.BufferedReader, name: str, size: int) -> Generator[bytes]:
    """Cut bytes after lines.

    All reading of lines begins here: none may be longer than ``LONGEST_LINE``, and other files than text are refused.
    """
    number = 0
    parts: list[bytes] = []  # of a line whose end is not read yet
    length = 0
    try:
        while chunk := stream.read(size):
            if not number and not parts:
                refuse_other(chunk, name)
            end = chunk.rfind(b"\n") + 1
            if end:
                block = b"".join([*parts, chunk[:end]])
                number += block.count(b"\n")
                yield block
                parts, length = [], 0
            parts.append(chunk[end:])
            length += len(chunk) - end
            if length > LONGEST_LINE:
                message = f"a line of more than {LONGEST_LINE:,} bytes"
                raise InputError(Problem("line-too-long", message, Place(name, number + 1), "text in lines"))
    except InputError as error:
        if error.code not in ("gzip-damaged", "gzip-expands"):
            raise
        raise InputError(replace(error.problems[0], place=Place(name, number + 1))) from None
    if last := b"".join(parts):
        yield last


def refuse_other(chunk: bytes, name: str) -> None:
    """Refuse what begins as other files than UTF-8 text do."""
    head = chunk[:_HEAD]
    kind = next((description for magic, description in _OTHER.items() if head.startswith(magic)), "")
    if kind == "a zip archive":
        kind = next((description for inside, description in _OFFICE.items() if inside.encode() in chunk), kind)
    if not head.strip(b"\0"):
        kind = "nothing but zeros, as a file has that was never written" if len(head) == _HEAD else ""
    elif any(half and not half.strip(b"\0") for half in (head[::2], head[1::2])):
        kind = "UTF-16"  # without a mark, every other byte of a text in Latin letters is 0
    if kind == "UTF-16":
        fix = "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"
        raise InputError(Problem("utf-16", "this looks like UTF-16", Place(name), "UTF-8 text", fix))
    if kind:
        fix = _FIXES.get(kind, "unpack it, or get it again")
        raise InputError(Problem("not-text", f"this is {kind}", Place(name), "UTF-8 text, gzipped or not", fix))


class Lines:
    """The lines of a UTF-8 file, cut on LF alone (not U+2028), without LF or CR LF and without a byte order mark.

    A byte that is not UTF-8 is an error; lenient reading replaces it by U+FFFD. Lines that were ``cut`` out of the file
    after ``before`` others are taken instead of opening it. With ``returns`` the CR of a CR LF stays: it may be of a
    quoted cell of a table, whose spans count it.
    """

    def __init__(
        self,
        path: Source,
        problems: Problems,
        last: bool = False,
        cut: Iterable[bytes] | None = None,
        before: int = 0,
        returns: bool = False,
    ) -> None:
        self.input = look(path) if cut is None else None
        self.name = display_name(path)
        self.before = before
        self.returns = returns
        blocks = byte_blocks(self.input, last=last) if self.input is not None else cut or ()
        self._blocks = self._decode_lines(blocks, problems)
        self._ahead: list[str] = []
        self._lines: Iterator[str] = chain.from_iterable(self.blocks())

    @classmethod
    def kept(cls, name: str, lines: Iterable[str]) -> Self:
        """Lines that are in memory, under a name."""
        lines_kept = cls(name, Problems(), cut=())
        lines_kept._ahead = list(lines)
        lines_kept._lines = iter(lines_kept._ahead)
        return lines_kept

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def close(self) -> None:
        """Close the file, of which no more is wanted."""
        self._blocks.close()

    def _decode_lines(self, blocks: Iterable[bytes], problems: Problems) -> Generator[list[str]]:
        """Decoding and cutting many lines at once is several times faster than one by one."""
        number = self.before
        for whole in filter(None, blocks):
            block = whole.removesuffix(b"\n")
            try:
                lines = block.decode().split("\n")
            except UnicodeDecodeError:
                numbered = enumerate(block.split(b"\n"), number + 1)
                lines = [decode_text(raw, Place(self.name, at), problems) for at, raw in numbered]
            if b"\r" in block and not self.returns:
                lines = [line.removesuffix("\r") for line in lines]
            if number == 0:
                lines[0] = lines[0].removeprefix("\ufeff")
                if lines[0].lower().startswith(("<!doctype html", "<html")):
                    fix = "download the raw file, not the page that shows it"
                    raise InputError(Problem("web-page", "this is a web page", Place(self.name, 1), "text", fix))
            yield lines
            number += len(lines)

    def blocks(self) -> Iterator[list[str]]:
        """The lines many at a time, for who can take them so; instead of iterating."""
        yield self._ahead
        yield from self._blocks

    def _iterate_ahead(self) -> Iterator[str]:
        """The lines, before any is taken, read as far as they are looked at."""
        for number in count():
            if number == len(self._ahead):
                self._ahead += next(self._blocks, ())
            if number == len(self._ahead):
                return
            yield self._ahead[number]

    def ahead(self, n: int) -> list[str]:
        """The first lines, before any is taken; fewer in a shorter file."""
        return list(islice(self._iterate_ahead(), n))

    def peek(self) -> str:
        """The first line that is not blank, before any is taken; ``""`` where there is none."""
        return next((line for line in self._iterate_ahead() if line.strip()), "")


def decode_text(raw: bytes, place: Place, problems: Problems) -> str:
    """Text in UTF-8 from a place on, in which the first bad byte is said and all are replaced."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start)
        column = error.start - raw.rfind(b"\n", 0, error.start)
        message = f"byte 0x{raw[error.start]:02X} at column {column} is not UTF-8"
        there = place._replace(line=place.line + line)
        hint = "if it was written on Windows: iconv -f cp1252 -t UTF-8 FILE > NEW" if _is_cp1252(raw) else ""
        problems.repairable("not-utf8", message, there, "replaced by U+FFFD", "UTF-8 text", hint)
        return raw.decode(errors="replace")


def _is_cp1252(raw: bytes) -> bool:
    """Whether bytes could be text of the code page that Windows has for the languages of Western Europe."""
    return not any(byte in raw for byte in (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d", b"\x00"))


def cannot_open(path: Source, error: OSError | ValueError) -> Problem:
    """Why a file cannot be opened, and what was meant, perhaps."""
    place = Place(fspath(path))
    if isinstance(error, OSError) and error.errno == ENAMETOOLONG:
        message = f"this is too long for the path of a file: {shorten_text(fspath(path))}"
        return Problem("cannot-open", message, fix="give a text in memory as a list of sentences: text.splitlines()")
    if isinstance(error, IsADirectoryError):
        return Problem("is-directory", "this is a directory", place, "a file", "name the file inside it")
    if isinstance(error, FileNotFoundError):
        return Problem("no-such-file", "no such file", place, fix=nearest_file(path))
    reason = (error.strerror or error) if isinstance(error, OSError) else "no file has such a name"
    return Problem("cannot-open", f"cannot be opened: {reason}", place)
