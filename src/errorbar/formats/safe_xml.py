"""XML from anybody: no entities, no outside references, a size limit, and the line of whatever is wrong."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from gzip import GzipFile
from typing import IO, NoReturn
from xml.parsers import expat

from errorbar.core.errors import InputError, Place, Problem
from errorbar.formats.opening import Source, display_name, open_bytes

EXPANSION = 12
"""How many times its size a packed file may have, unpacked; the edit files of the shared task have 6 to 10 times."""
SMALL_UNPACKED = 1 << 20
"""Bytes that any packed file may have, unpacked."""


def read_limited(path: Source, limit: int, code: str, fix: str) -> bytes:
    """Read a whole file, gzipped or not, and never more of it than is allowed.

    Args:
        path: The file.
        limit: Bytes of it, unpacked. A packed file may besides have no more than ``EXPANSION`` times its size, or
            ``SMALL_UNPACKED``: a small file that unpacks to a large one is not a text.
        code: The code of the error where it is larger.
        fix: What to do about a file that is larger than ``limit``.

    Raises:
        InputError: If it cannot be opened, is larger, or its compressed data is damaged.
    """
    place = Place(display_name(path))
    with open_bytes(path) as stream:
        packed = isinstance(stream, GzipFile)
        allowed = min(limit, max(SMALL_UNPACKED, EXPANSION * _size(stream))) if packed else limit
        try:
            content = stream.read(allowed + 1)
        except (EOFError, OSError, zlib.error) as error:
            what = f"the compressed data is damaged: {error}" if packed else f"cannot be read: {error}"
            again = "fetch or compress the file again" if packed else ""
            raise InputError(Problem("gzip-damaged" if packed else "cannot-open", what, place, fix=again)) from None
    if len(content) > limit:
        raise InputError(Problem(code, f"the file has more than {limit:,} bytes", place, fix=fix))
    if len(content) > allowed:
        what = f"the packed file has more than {allowed:,} bytes, unpacked"
        raise InputError(Problem(code, what, place, fix=f"unpack it: a plain file may have {limit:,} bytes"))
    return content


def _size(stream: IO[bytes]) -> int:
    """Bytes of the file on the disk; 0 for a pipe."""
    return os.fstat(stream.fileno()).st_size


def guarded_parser(refuse: Callable[..., NoReturn], encoding: str | None = None) -> expat.XMLParserType:
    """A parser that calls ``refuse`` where a document type begins.

    Args:
        refuse: What raises the error.
        encoding: That of the content, whatever the file declares; None: what it declares.

    A document type is the only way to declare an entity or to name an outside file. It is refused where it begins, so
    nothing is expanded and nothing is fetched.
    """
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    return parser


def parse(parser: expat.XMLParserType, content: bytes, code: str, name: str, expected: str) -> None:
    """Parse a whole file; whatever is wrong with it is one error with a place.

    Args:
        parser: The parser, whose handlers take what is in the file.
        content: The file.
        code: The code of the error.
        name: What the file is called in messages.
        expected: What the file should hold.

    Raises:
        InputError: If it is not well-formed XML (line and column are named), its encoding is unknown, or as the
            handlers do.
    """
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        problem = Problem(code, _not_well_formed(error, content), Place(name, error.lineno), expected)
    except (LookupError, ValueError) as error:  # what Python says of an encoding that expat does not know
        problem = Problem(code, f"the encoding that it declares cannot be read: {error}", Place(name, 1), "UTF-8")
    else:
        return
    raise InputError(problem)


def _not_well_formed(error: expat.ExpatError, content: bytes) -> str:
    if not content.strip():
        return "the file is empty"
    return f"not well-formed XML at column {error.offset + 1}: {expat.errors.messages[error.code]}"
