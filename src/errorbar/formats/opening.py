"""Opening files: gzip, pipes and standard input as bytes, text as lines, and one clear line for whatever is wrong."""

from __future__ import annotations

import io
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from gzip import BadGzipFile
from itertools import chain
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING

from errorbar.core.errors import InputError, Place, Problem, nearest
from errorbar.core.problems import Problems
from errorbar.formats.pipes import (
    NAMES,
    STANDARD_INPUT,
    Source,
    cannot_keep,
    display_name,
    open_pipe,
    pipes_are_kept,
    read_once,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["STANDARD_INPUT", "Lines", "Source", "byte_blocks", "display_name", "open_bytes", "read_once", "rereadable"]

BLOCK = 1 << 18
"""Bytes read at a time."""
LONGEST_LINE = 1 << 26
"""Bytes; a whole book in one line has a few million."""
MOST_EXPANSION = 50
"""Times as many bytes as gzip data may hold; text has up to 10, regular tables 30; gzip can pack 1,030."""
FREELY_UNPACKED = 1 << 19
"""Bytes that are unpacked whatever they were packed in."""
_HEAD = 64
"""Bytes that tell what a file is."""
_GZIP = b"\x1f\x8b"
_OTHER = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"PAR1": "Parquet",
    b"PK\x03\x04": "a zip archive",
    b"BZh": "bzip2 data",
    b"\xfd7zXZ\x00": "xz data",
    b"\x28\xb5\x2f\xfd": "zstd data",
}
"""What other files begin with."""
_BOM = "\ufeff"
_WEB_PAGE = ("<!doctype html", "<html")


@contextmanager
def open_bytes(path: Source, *, last: bool = False) -> Iterator[io.BufferedReader]:
    """Open a file, gzipped or not, a pipe, or standard input (``-``); what goes wrong while it is read is named too.

    Args:
        path: The file.
        last: Of a pipe: nobody opens it again, and what is read from here on need not be kept.

    Raises:
        InputError: If it does not exist, is a directory, may not be read, or its compressed data is damaged.
    """
    place = Place(display_name(path))
    try:
        # The handle outlives this function: the generator that reads it closes it.
        stream = open_pipe(path, last=last) if read_once(path) else Path(path).open("rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise InputError(_cannot_open(path, error)) from None
    with stream:
        try:
            yield io.BufferedReader(_Unpacked(stream, place), BLOCK) if stream.peek(2)[:2] == _GZIP else stream
        except (EOFError, BadGzipFile, zlib.error) as error:
            what = f"the compressed data is damaged: {error}"
            raise InputError(Problem("gzip-damaged", what, place, fix="fetch or compress the file again")) from None
        except OSError as error:
            raise InputError(Problem("cannot-open", f"cannot be read: {error.strerror or error}", place)) from None


class _Unpacked(io.RawIOBase):
    """What gzip data holds, as long as that is in proportion: some kilobytes can be made to fill any memory."""

    def __init__(self, packed: io.BufferedReader, place: Place) -> None:
        import gzip  # noqa: PLC0415 - most files are not gzipped

        self.packed = packed
        self._unpacked = gzip.GzipFile(fileobj=packed)
        self._place = place
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        data = self._unpacked.read(len(room))
        room[: len(data)] = data
        self._size += len(data)
        if self._size > FREELY_UNPACKED and self._size > MOST_EXPANSION * self.packed.tell():
            what = f"{self.packed.tell():,} compressed bytes hold more than {self._size:,}"
            expected = f"at most {MOST_EXPANSION} times as many"
            fix = "unpack it with gunzip if that is meant"
            raise InputError(Problem("gzip-expands", what, self._place, expected, fix))
        return len(data)


def packed_stream(stream: io.BufferedReader) -> io.BufferedReader | None:
    """The gzip data behind a stream that ``open_bytes`` opened; None where the file is not gzipped."""
    return stream.raw.packed if isinstance(stream.raw, _Unpacked) else None


def byte_blocks(path: Source, *, last: bool = False, size: int = BLOCK) -> Generator[bytes]:
    """Yield whole lines, many at once, each with its LF, which only the last of the file may lack.

    However a file is read, its lines come from here: none may be longer than ``LONGEST_LINE``.

    Args:
        path: The file.
        last: As for ``open_bytes``.
        size: Bytes read at a time.

    Raises:
        InputError: As ``open_bytes`` does; or if a line is too long, or the file is known not to be text in UTF-8.
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
                    raise InputError(Problem("line-too-long", what, Place(name, number + 1), expected="text in lines"))
    except InputError as error:
        if error.code not in ("gzip-damaged", "gzip-expands"):
            raise
        raise InputError(replace(error.problems[0], place=Place(name, number + 1))) from None
    if rest := b"".join(parts):
        yield rest


def _refuse_other(start: bytes, name: str) -> None:
    """Refuse what is known, from its first bytes, to be no text in UTF-8."""
    found = next((what for magic, what in _OTHER.items() if start.startswith(magic)), "")
    # Without a mark, every other byte of a text in Latin letters is 0.
    if any(
        start[at:_HEAD:2].strip(b"\0") == b"" and start[1 - at : _HEAD : 2].strip(b"\0")
        for at in (0, 1)
        if start[at:_HEAD:2]
    ):
        found = "UTF-16"
    if len(start) >= _HEAD and not start[:_HEAD].strip(b"\0"):
        found = "nothing but zeros, as a file has that was never written"
    if found == "UTF-16":
        fix = "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"
        raise InputError(Problem("utf-16", "this looks like UTF-16", Place(name), "UTF-8 text", fix))
    if found:
        fix = "the name of a Parquet file must end in .parquet" if found == "Parquet" else "unpack it, or get it again"
        raise InputError(Problem("not-text", f"this is {found}", Place(name), "UTF-8 text, gzipped or not", fix))


class Lines:
    """The lines of a UTF-8 file, cut on LF alone, without their LF or CR LF and without a byte order mark.

    U+2028 and its relatives stay inside their line. A byte that is not UTF-8 is an error; lenient reading
    replaces it by U+FFFD. Iterating twice goes on where the first iteration stopped.

    Attributes:
        name: What the file is called in messages.
        before: Lines of the file before these.

    Args:
        path: The file.
        problems: Where problems are recorded.
        last: As for ``open_bytes``.
        cut: Blocks of whole lines that were cut out of the file; None: it is opened.
        before: Lines of the file before those blocks.
    """

    def __init__(
        self,
        path: Source,
        problems: Problems,
        *,
        last: bool = False,
        cut: Iterable[bytes] | None = None,
        before: int = 0,
    ) -> None:
        self.name = display_name(path)
        self.before = before
        self._blocks = self._decoded(byte_blocks(path, last=last) if cut is None else cut, problems)
        self._ahead: list[str] = []
        self._lines = chain.from_iterable(self.blocks())

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def _decoded(self, blocks: Iterable[bytes], problems: Problems) -> Iterator[list[str]]:
        """Decoding and cutting many lines at once is several times faster than one by one."""
        number = self.before
        for block in filter(None, blocks):
            lines = _decode(block.removesuffix(b"\n"), self.name, number, problems)
            yield lines
            number += len(lines)

    def blocks(self) -> Iterator[list[str]]:
        """The lines many at a time, for who can take them so; instead of iterating."""
        yield self._ahead
        yield from self._blocks

    def ahead(self, count: int) -> list[str]:
        """The first lines, before any is taken; fewer in a shorter file."""
        while len(self._ahead) < count and self._more():
            pass
        return self._ahead[:count]

    def _more(self) -> bool:
        """Look one block further; False at the end."""
        block = next(self._blocks, None)
        self._ahead += block or ()
        return block is not None

    def peek(self) -> str:
        """The first line that is not blank, before any is taken; ``""`` where there is none."""
        number = 0
        while number < len(self._ahead) or self._more():
            if self._ahead[number].strip():
                return self._ahead[number]
            number += 1
        return ""


def rereadable(path: Source) -> Source:
    """A path that can be opened more than once: a pipe that nobody keeps is copied to a file for the whole process."""
    if pipes_are_kept() or not read_once(path):
        return path
    import atexit  # noqa: PLC0415 - rarely needed
    import tempfile  # noqa: PLC0415

    with open_bytes(path) as pipe:
        try:
            copy = tempfile.NamedTemporaryFile(prefix="errorbar-", delete=False)  # noqa: SIM115 - closed below
            atexit.register(Path(copy.name).unlink, missing_ok=True)
            NAMES[copy.name] = display_name(path)
            with copy:
                while block := pipe.read(BLOCK):
                    copy.write(block)
        except OSError as error:
            raise InputError(cannot_keep(display_name(path), error)) from None
    return copy.name


def _decode(block: bytes, name: str, number: int, problems: Problems) -> list[str]:
    """Lines of a block that starts after line ``number``, without their ends and without a byte order mark."""
    try:
        lines = block.decode().split("\n")
    except UnicodeDecodeError:
        lines = [_decode_line(raw, name, number + i, problems) for i, raw in enumerate(block.split(b"\n"), 1)]
    if b"\r" in block:
        lines = [line.removesuffix("\r") for line in lines]
    if number == 0:
        lines[0] = lines[0].removeprefix(_BOM)
        if lines[0].lower().startswith(_WEB_PAGE):
            fix = "download the raw file, not the page that shows it"
            raise InputError(Problem("web-page", "this is a web page", Place(name, 1), "text", fix))
    return lines


def _decode_line(raw: bytes, name: str, number: int, problems: Problems) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{raw[error.start]:02X} at column {error.start + 1} is not UTF-8"
        problems.repairable("not-utf8", what, Place(name, number), expected="UTF-8 text", repair="replaced by U+FFFD")
        return raw.decode(errors="replace")


def _cannot_open(path: Source, error: OSError | ValueError) -> Problem:
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
    said = (error.strerror or error) if isinstance(error, OSError) else "a file name has no character 0"
    return Problem("cannot-open", f"cannot be opened: {said}", place)
