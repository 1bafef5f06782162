"""Opening files: gzip, pipes and standard input as bytes, text as lines, and one clear line for whatever is wrong."""

from __future__ import annotations

import io
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from gzip import BadGzipFile
from itertools import chain, count, islice
from os import fspath
from pathlib import Path
from typing import Self

from errorbar.core.errors import InputError, Place, Problem, nearest_file
from errorbar.core.problems import Problems
from errorbar.formats import FREELY_UNPACKED, LONGEST_LINE, MOST_EXPANSION
from errorbar.formats.pipes import (
    NAMES,
    RawBytes,
    Source,
    cannot_keep,
    display_name,
    note_input,
    open_pipe,
    pipes_are_kept,
    read_once,
)

__all__ = [
    "Lines",
    "Source",
    "byte_blocks",
    "cannot_open",
    "display_name",
    "first_line",
    "open_bytes",
    "read_once",
    "rereadable",
]

BLOCK = 1 << 18  # bytes read at a time
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


@contextmanager
def open_bytes(path: Source, *, last: bool = False) -> Iterator[io.BufferedReader]:
    """Open what is read, gzipped or not, or ``-``, and name what goes wrong; ``last``: nobody opens a pipe again."""
    place = Place(display_name(path))
    note_input(path)
    try:
        # The handle outlives this function: the generator that reads it closes it.
        stream = open_pipe(path, last=last) if read_once(path) else Path(path).open("rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise InputError(cannot_open(path, error)) from None
    with stream:
        try:
            yield io.BufferedReader(Unpacked(stream, place), BLOCK) if stream.peek(2)[:2] == _GZIP else stream
        except (EOFError, BadGzipFile, zlib.error) as error:
            what = f"the compressed data is damaged: {error}"
            raise InputError(Problem("gzip-damaged", what, place, fix="fetch or compress the file again")) from None
        except OSError as error:
            raise InputError(Problem("cannot-open", f"cannot be read: {error.strerror or error}", place)) from None


class Unpacked(RawBytes):
    """What gzip data holds, as long as that is in proportion: some kilobytes can be made to fill any memory."""

    def __init__(self, packed: io.BufferedReader, place: Place) -> None:
        import gzip  # noqa: PLC0415 - most files are not gzipped

        self._packed = packed
        self._unpacked = gzip.GzipFile(fileobj=packed)
        self._place = place
        self._size = 0

    def take(self, size: int) -> bytes:
        data = self._unpacked.read(size)
        self._size += len(data)
        if self._size > FREELY_UNPACKED and self._size > MOST_EXPANSION * self._packed.tell():
            what = f"{self._packed.tell():,} compressed bytes hold more than {self._size:,}"
            expected = f"at most {MOST_EXPANSION} times as many"
            fix = "unpack it with gunzip if that is meant"
            raise InputError(Problem("gzip-expands", what, self._place, expected, fix))
        return data


def byte_blocks(path: Source, *, last: bool = False, size: int = BLOCK) -> Generator[bytes]:
    """Yield whole lines, many at once, each with its LF, which only the last of the file may lack.

    All reading of lines begins here: none may be longer than ``LONGEST_LINE``, and other files than text are refused.
    """
    name = display_name(path)
    number = 0
    parts: list[bytes] = []  # of a line whose end is not read yet
    length = 0
    try:
        with open_bytes(path, last=last) as stream:
            while chunk := stream.read(size):
                if not number and not parts:
                    _refuse_other(chunk, name)
                end = chunk.rfind(b"\n") + 1
                if end:
                    block = b"".join([*parts, chunk[:end]])
                    number += block.count(b"\n")
                    yield block
                    parts, length = [], 0
                parts.append(chunk[end:])
                length += len(chunk) - end
                if length > LONGEST_LINE:
                    what = f"a line of more than {LONGEST_LINE:,} bytes"
                    raise InputError(Problem("line-too-long", what, Place(name, number + 1), "text in lines"))
    except InputError as error:
        if error.code not in ("gzip-damaged", "gzip-expands"):
            raise
        raise InputError(replace(error.problems[0], place=Place(name, number + 1))) from None
    if rest := b"".join(parts):
        yield rest


def _refuse_other(chunk: bytes, name: str) -> None:
    head = chunk[:_HEAD]
    found = next((what for magic, what in _OTHER.items() if head.startswith(magic)), "")
    if found == "a zip archive":
        found = next((what for inside, what in _OFFICE.items() if inside.encode() in chunk), found)
    if not head.strip(b"\0"):
        found = "nothing but zeros, as a file has that was never written" if len(head) == _HEAD else ""
    elif any(half and not half.strip(b"\0") for half in (head[::2], head[1::2])):
        found = "UTF-16"  # without a mark, every other byte of a text in Latin letters is 0
    if found == "UTF-16":
        fix = "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"
        raise InputError(Problem("utf-16", "this looks like UTF-16", Place(name), "UTF-8 text", fix))
    if found:
        fix = _FIXES.get(found, "unpack it, or get it again")
        raise InputError(Problem("not-text", f"this is {found}", Place(name), "UTF-8 text, gzipped or not", fix))


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
        self.name = display_name(path)
        self.before = before
        self.returns = returns
        self._blocks = self._decoded(byte_blocks(path, last=last) if cut is None else cut, problems)
        self._ahead: list[str] = []
        self._lines: Iterator[str] = chain.from_iterable(self.blocks())

    @classmethod
    def kept(cls, name: str, lines: Iterable[str]) -> Self:
        """Lines that are in memory, under a name."""
        made = cls(name, Problems(), cut=())
        made._ahead = list(lines)
        made._lines = iter(made._ahead)
        return made

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def close(self) -> None:
        """Close the file, of which no more is wanted."""
        self._blocks.close()

    def _decoded(self, blocks: Iterable[bytes], problems: Problems) -> Generator[list[str]]:
        """Decoding and cutting many lines at once is several times faster than one by one."""
        number = self.before
        for whole in filter(None, blocks):
            block = whole.removesuffix(b"\n")
            try:
                lines = block.decode().split("\n")
            except UnicodeDecodeError:
                each = enumerate(block.split(b"\n"), number + 1)
                lines = [decoded(raw, Place(self.name, at), problems) for at, raw in each]
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

    def _looked(self) -> Iterator[str]:
        """The lines, before any is taken, read as far as they are looked at."""
        for number in count():
            if number == len(self._ahead):
                self._ahead += next(self._blocks, ())
            if number == len(self._ahead):
                return
            yield self._ahead[number]

    def ahead(self, n: int) -> list[str]:
        """The first lines, before any is taken; fewer in a shorter file."""
        return list(islice(self._looked(), n))

    def peek(self) -> str:
        """The first line that is not blank, before any is taken; ``""`` where there is none."""
        return next((line for line in self._looked() if line.strip()), "")


def first_line(path: Source) -> str:
    """The first line that is not blank, by which readers tell what a file is; XML may have another encoding."""
    with closing(Lines(path, Problems(lenient=True))) as lines:
        return lines.peek()


def rereadable(path: Source) -> Source:
    """A path that can be opened more than once: a pipe that nobody keeps is copied to a file for the whole process."""
    if pipes_are_kept() or not read_once(path):
        return path
    import atexit  # noqa: PLC0415 - rarely needed
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    with open_bytes(path) as pipe:
        try:
            copy = tempfile.NamedTemporaryFile(prefix="errorbar-", delete=False)  # noqa: SIM115 - closed below
            atexit.register(Path(copy.name).unlink, missing_ok=True)
            NAMES[copy.name] = display_name(path)
            with copy:
                shutil.copyfileobj(pipe, copy, BLOCK)
        except OSError as error:
            raise cannot_keep(display_name(path), error) from None
    return copy.name


def decoded(raw: bytes, place: Place, problems: Problems) -> str:
    """Text in UTF-8 from a place on, in which the first bad byte is said and all are replaced."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start)
        column = error.start - raw.rfind(b"\n", 0, error.start)
        what = f"byte 0x{raw[error.start]:02X} at column {column} is not UTF-8"
        there = replace(place, line=place.line + line)
        hint = "if it was written on Windows: iconv -f cp1252 -t UTF-8 FILE > NEW" if _is_cp1252(raw) else ""
        problems.repairable("not-utf8", what, there, "replaced by U+FFFD", "UTF-8 text", hint)
        return raw.decode(errors="replace")


def _is_cp1252(raw: bytes) -> bool:
    """Whether bytes could be text of the code page that Windows has for the languages of Western Europe."""
    return not any(byte in raw for byte in (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d", b"\x00"))


def cannot_open(path: Source, error: OSError | ValueError) -> Problem:
    """Why a file cannot be opened, and what was meant, perhaps."""
    place = Place(fspath(path))
    if isinstance(error, IsADirectoryError):
        return Problem("is-directory", "this is a directory", place, "a file", "name the file inside it")
    if isinstance(error, FileNotFoundError):
        return Problem("no-such-file", "no such file", place, fix=nearest_file(path))
    said = (error.strerror or error) if isinstance(error, OSError) else "a file name has no character 0"
    return Problem("cannot-open", f"cannot be opened: {said}", place)
