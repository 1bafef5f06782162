"""XML from anybody: no entities, no outside references, a size limit, and the line of whatever is wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO, NoReturn
from xml.parsers import expat

from errorbar.formats.opening import Source, open_bytes, packed_stream

EXPANSION = 12
"""How many times its size a packed file may have, unpacked; the edit files of the shared task have 6 to 10 times."""
SMALL_UNPACKED = 1 << 20
"""Bytes that any packed file may have, unpacked."""


def read_limited(path: Source, limit: int, refuse: Callable[[str, str], NoReturn]) -> bytes:
    """Read a whole file, gzipped or not, and never more of it than is allowed.

    Args:
        path: The file.
        limit: Bytes of it, unpacked. A packed file may besides have no more than ``EXPANSION`` times its size, or
            ``SMALL_UNPACKED``: a small file that unpacks to a large one is not a text.
        refuse: What raises the error where it is larger: told what is wrong, and what a packed file's user may do.

    Raises:
        InputError: If it cannot be opened, is larger, or its compressed data is damaged.
    """
    with open_bytes(path) as stream:
        packed = packed_stream(stream)
        allowed = limit if packed is None else min(limit, max(SMALL_UNPACKED, EXPANSION * _size(packed)))
        content = stream.read(allowed + 1)
    if len(content) > limit:
        refuse(f"the file has more than {limit:,} bytes", "")
    if len(content) > allowed:
        what = f"the packed file has more than {allowed:,} bytes, unpacked"
        refuse(what, f"unpack it: a plain file may have {limit:,} bytes")
    return content


def _size(stream: IO[bytes]) -> int:
    """Bytes of the file on the disk; 0 for a pipe, or what is no file."""
    try:
        return os.fstat(stream.fileno()).st_size
    except OSError:
        return 0


def guarded_parser(refuse: Callable[..., NoReturn], encoding: str | None = None) -> expat.XMLParserType:
    """A parser that calls ``refuse`` where a document type begins.

    A document type is the only way to declare an entity or to name an outside file. It is refused where it begins, so
    nothing is expanded and nothing is fetched.

    Args:
        refuse: What raises the error.
        encoding: That of the content, whatever the file declares; None: what it declares.
    """
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    return parser


def parse(parser: expat.XMLParserType, content: bytes, refuse: Callable[[str, int], NoReturn]) -> None:
    """Parse a whole file; whatever is wrong with it is one error with a place.

    Args:
        parser: The parser, whose handlers take what is in the file.
        content: The file.
        refuse: What raises the error where it is not well-formed XML or its encoding is unknown: told what is wrong,
            with the column, and in which line.
    """
    try:
        parser.Parse(content, True)
        return
    except expat.ExpatError as error:
        what, line = _not_well_formed(error, content), error.lineno
    except (LookupError, ValueError) as error:  # what Python says of an encoding that expat does not know
        what, line = f"the encoding that it declares cannot be read: {error}", 1
    refuse(what, line)


def _not_well_formed(error: expat.ExpatError, content: bytes) -> str:
    if not content.strip():
        return "the file is empty"
    return f"not well-formed XML at column {error.offset + 1}: {expat.errors.messages[error.code]}"
