"""Opening files: gzip, standard input, UTF-8, and one clear line for whatever is wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import IO, BinaryIO, cast

from errorbar.core.errors import InputError, Place, Problem, nearest
from errorbar.core.problems import Problems

STANDARD_INPUT = "-"
Source = str | PathLike[str]

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
    replaces it by U+FFFD.

    Attributes:
        name: What the file is called in messages.
        number: Number of the line yielded last, counted from 1.
    """

    def __init__(self, path: Source, problems: Problems) -> None:
        self.name = display_name(path)
        self.number = 0
        self._lines = _read(path, problems)
        self._ahead: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._ahead.pop(0) if self._ahead else next(self._lines)
        self.number += 1
        return line

    def ahead(self, count: int) -> list[str]:
        """The next lines, without taking them; fewer at the end of the file."""
        self._ahead += islice(self._lines, max(0, count - len(self._ahead)))
        return self._ahead[:count]

    def peek(self) -> str:
        """The first line that is not blank, without taking it; ``""`` where there is none.

        Raises:
            InputError: If the file cannot be opened.
        """
        for line in self._ahead:
            if line.strip():
                return line
        for line in self._lines:
            self._ahead.append(line)
            if line.strip():
                return line
        return ""


def _read(path: Source, problems: Problems) -> Iterator[str]:
    name = display_name(path)
    with open_bytes(path) as stream:
        number = 0
        try:
            for raw in stream:
                number += 1
                line = _decode(raw, name, number, problems)
                if number == 1:
                    line = line.removeprefix(_BOM)
                    if line.lower().startswith(_WEB_PAGE):
                        raise InputError(_web_page(name))
                yield line
        except (EOFError, OSError) as error:
            what = f"the compressed data is damaged: {error}"
            place = Place(name, number)
            raise InputError(Problem("gzip-damaged", what, place, fix="fetch or compress the file again")) from None


def _decode(raw: bytes, name: str, number: int, problems: Problems) -> str:
    end = len(raw)
    if raw.endswith(b"\r\n"):
        end -= 2
    elif raw.endswith(b"\n"):
        end -= 1
    try:
        return raw[:end].decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{raw[error.start]:02X} at column {error.start + 1} is not UTF-8"
        problems.repairable("not-utf8", what, Place(name, number), expected="UTF-8 text", repair="replaced by U+FFFD")
        return raw[:end].decode(errors="replace")


def _cannot_open(path: Source, error: OSError) -> Problem:
    name = Path(path)
    place = Place(fspath(path))
    if isinstance(error, IsADirectoryError):
        return Problem("is-directory", "this is a directory", place, "a file", "name the file inside it")
    if isinstance(error, FileNotFoundError):
        siblings = [entry.name for entry in name.parent.iterdir()] if name.parent.is_dir() else []
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
