"""Opening files: gzip, standard input, UTF-8, and one clear line for whatever is wrong."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile
from os import PathLike, fspath
from pathlib import Path
from typing import IO, BinaryIO, cast

from errorbar.core.errors import InputError, Place, Problem, nearest
from errorbar.core.problems import Problems

STANDARD_INPUT = "-"
Source = str | PathLike[str]

BLOCK = 1 << 18
"""Bytes read at a time."""
LONGEST_LINE = 1 << 26
"""Bytes; a whole book in one line has a few million."""
_GZIP = b"\x1f\x8b"
_BOM = "\ufeff"
_WEB_PAGE = ("<!doctype html", "<html")


def display_name(path: Source) -> str:
    """What a file is called in messages."""
    return "<stdin>" if fspath(path) == STANDARD_INPUT else fspath(path)


@contextmanager
def open_bytes(path: Source) -> Iterator[IO[bytes]]:
    """Open a file, gzipped or not, or standard input (``-``).

    Raises:
        InputError: If it does not exist, is a directory, or may not be read.
    """
    if fspath(path) == STANDARD_INPUT:
        yield _ungzip(sys.stdin.buffer)
        return
    try:
        # The handle outlives this function: the generator that reads it closes it.
        stream = Path(path).open("rb")  # noqa: SIM115
    except OSError as error:
        raise InputError(_cannot_open(path, error)) from None
    with stream:
        yield _ungzip(stream)


def _ungzip(stream: BinaryIO | IO[bytes]) -> IO[bytes]:
    peek = getattr(stream, "peek", None)
    if peek is not None and peek(2)[:2] == _GZIP:
        import gzip  # noqa: PLC0415 - most files are not gzipped

        return cast("IO[bytes]", gzip.open(stream))
    return stream


class Lines:
    """The lines of a UTF-8 file, cut on LF alone, without their LF or CR LF and without a byte order mark.

    U+2028 and its relatives stay inside their line. A byte that is not UTF-8 is an error; lenient reading
    replaces it by U+FFFD. Iterating twice goes on where the first iteration stopped.

    Attributes:
        name: What the file is called in messages.
    """

    def __init__(self, path: Source, problems: Problems, name: Source | None = None) -> None:
        self.name = display_name(path if name is None else name)
        self._blocks = _read_blocks(path, self.name, problems)
        self._ahead: list[str] = []
        self._lines = self._iterate()

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def _iterate(self) -> Iterator[str]:
        yield from self._ahead
        for block in self._blocks:
            yield from block

    def ahead(self, count: int) -> list[str]:
        """The first lines, before any is taken; fewer in a shorter file.

        Raises:
            InputError: If the file cannot be opened.
        """
        while len(self._ahead) < count:
            block = next(self._blocks, None)
            if block is None:
                break
            self._ahead += block
        return self._ahead[:count]

    def peek(self) -> str:
        """The first line that is not blank, before any is taken; ``""`` where there is none.

        Raises:
            InputError: If the file cannot be opened.
        """
        count = 1
        while len(lines := self.ahead(count)) == count:
            if lines[-1].strip():
                return lines[-1]
            count += 1
        return ""


def read_once(path: Source) -> bool:
    """Whether what is read is gone: standard input, or a pipe such as ``<(zcat gold.m2.gz)`` in a shell."""
    return fspath(path) == STANDARD_INPUT or Path(path).is_fifo()


def rereadable(path: Source) -> Source:
    """A path that can be read more than once: a pipe is first copied to a file, which goes with the process."""
    if not read_once(path):
        return path
    import atexit  # noqa: PLC0415 - rarely needed
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    with tempfile.NamedTemporaryFile(prefix="errorbar-", delete=False) as copy:
        atexit.register(Path(copy.name).unlink, missing_ok=True)
        if fspath(path) == STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with Path(path).open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
    return copy.name


def _read_blocks(path: Source, name: str, problems: Problems) -> Iterator[list[str]]:
    """Yield lists of lines: decoding and cutting many lines at once is several times faster than one by one."""
    with open_bytes(path) as stream:
        number = 0
        parts: list[bytes] = []  # of a line whose end is not read yet
        length = 0
        try:
            while chunk := stream.read(BLOCK):
                whole, newline, tail = chunk.rpartition(b"\n")
                if newline:
                    lines = decode_lines(b"".join([*parts, whole]), name, number, problems)
                    yield lines
                    number += len(lines)
                    parts, length = [], 0
                parts.append(tail)
                length += len(tail)
                if length > LONGEST_LINE:
                    what = f"a line of more than {LONGEST_LINE:,} bytes"
                    raise InputError(Problem("line-too-long", what, Place(name, number + 1), expected="text in lines"))
        except (EOFError, BadGzipFile, zlib.error) as error:
            what = f"the compressed data is damaged: {error}"
            place = Place(name, number)
            raise InputError(Problem("gzip-damaged", what, place, fix="fetch or compress the file again")) from None
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
            raise InputError(Problem("cannot-open", what, Place(name, number))) from None
        if rest := b"".join(parts):
            yield decode_lines(rest, name, number, problems)


def decode_lines(block: bytes, name: str, number: int, problems: Problems) -> list[str]:
    """Lines of a block that starts after line ``number``, without their ends and without a byte order mark.

    Raises:
        InputError: If the file is a web page, or as ``problems`` does.
    """
    try:
        lines = block.decode().split("\n")
    except UnicodeDecodeError:
        lines = [_decode_line(raw, name, number + i, problems) for i, raw in enumerate(block.split(b"\n"), 1)]
    if b"\r" in block:
        lines = [line.removesuffix("\r") for line in lines]
    if number == 0:
        lines[0] = lines[0].removeprefix(_BOM)
        if lines[0].lower().startswith(_WEB_PAGE):
            raise InputError(_web_page(name))
    return lines


def _decode_line(raw: bytes, name: str, number: int, problems: Problems) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{raw[error.start]:02X} at column {error.start + 1} is not UTF-8"
        problems.repairable("not-utf8", what, Place(name, number), expected="UTF-8 text", repair="replaced by U+FFFD")
        return raw.decode(errors="replace")


def _cannot_open(path: Source, error: OSError) -> Problem:
    name = Path(path)
    place = Place(fspath(path))
    if isinstance(error, IsADirectoryError):
        return Problem("is-directory", "this is a directory", place, "a file", "name the file inside it")
    if isinstance(error, FileNotFoundError):
        try:
            siblings = [entry.name for entry in name.parent.iterdir()]
        except OSError:  # no such folder either, or not ours to list
            siblings = []
        hint = nearest(name.name, siblings)
        return Problem("no-such-file", "no such file", place, fix=hint if hint.startswith("did") else "")
    return Problem("cannot-open", f"cannot be opened: {error.strerror}", place)


def _web_page(name: str) -> Problem:
    return Problem(
        "web-page",
        "this is a web page",
        Place(name, 1),
        "text",
        "download the raw file, not the page that shows it",
    )
