"""Files as bytes: gzip, pipes, standard input, and one clear line for whatever cannot be read."""

from __future__ import annotations

import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from gzip import BadGzipFile
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING

from errorbar.core.errors import InputError, Place, Problem, nearest
from errorbar.formats.pipes import Source, display_name, open_pipe, read_once

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

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


@contextmanager
def open_bytes(path: Source, *, name: str = "", last: bool = False) -> Iterator[io.BufferedReader]:
    """Open a file, gzipped or not, a pipe, or standard input (``-``); what goes wrong while it is read is named too.

    Args:
        path: The file.
        name: What messages call it; "": the path.
        last: Of a pipe: nobody opens it again, and what is read from here on need not be kept.

    Raises:
        InputError: If it does not exist, is a directory, may not be read, or its compressed data is damaged.
    """
    place = Place(name or display_name(path))
    try:
        # The handle outlives this function: the generator that reads it closes it.
        stream = open_pipe(path, last=last) if read_once(path) else Path(path).open("rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise InputError(_cannot_open(path, error)) from None
    with stream:
        try:
            yield _Unpacked(stream, place.file).buffered() if stream.peek(2)[:2] == _GZIP else stream
        except (EOFError, BadGzipFile, zlib.error) as error:
            what = f"the compressed data is damaged: {error}"
            raise InputError(Problem("gzip-damaged", what, place, fix="fetch or compress the file again")) from None
        except OSError as error:
            raise InputError(Problem("cannot-open", f"cannot be read: {error.strerror or error}", place)) from None


class _Unpacked(io.RawIOBase):
    """What gzip data holds, as long as that is in proportion: some kilobytes can be made to fill any memory."""

    def __init__(self, packed: io.BufferedReader, name: str) -> None:
        import gzip  # noqa: PLC0415 - most files are not gzipped

        self.packed = packed
        self._unpacked = gzip.GzipFile(fileobj=packed)
        self._name = name
        self._size = 0

    def buffered(self) -> io.BufferedReader:
        """As other files are read."""
        return io.BufferedReader(self, BLOCK)

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
            raise InputError(Problem("gzip-expands", what, Place(self._name), expected, fix))
        return len(data)


def is_packed(path: Source) -> bool:
    """Whether a file that can be read again is gzipped.

    Raises:
        InputError: If it cannot be opened.
    """
    with open_bytes(path) as stream:
        return packed_stream(stream) is not None


def packed_stream(stream: io.BufferedReader) -> io.BufferedReader | None:
    """The gzip data behind a stream that ``open_bytes`` opened; None where the file is not gzipped."""
    return stream.raw.packed if isinstance(stream.raw, _Unpacked) else None


def byte_blocks(path: Source, name: str = "", *, last: bool = False, size: int = BLOCK) -> Generator[bytes]:
    """Yield whole lines, many at once, each with its LF, which only the last of the file may lack.

    However a file is read, its lines come from here: none may be longer than ``LONGEST_LINE``.

    Args:
        path: The file.
        name: What messages call it; "": the path.
        last: As for ``open_bytes``.
        size: Bytes read at a time.

    Raises:
        InputError: As ``open_bytes`` does; or if a line is too long, or the file is known not to be text in UTF-8.
    """
    name = name or display_name(path)
    number = 0
    parts: list[bytes] = []  # of a line whose end is not read yet
    length = 0
    try:
        with open_bytes(path, name=name, last=last) as stream:
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
    """Tell what is no text in UTF-8 from its first bytes.

    Raises:
        InputError: If it is something that is known.
    """
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
