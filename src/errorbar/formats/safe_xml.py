"""XML from anybody: no entities, no outside references, a size limit, and the line of whatever is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn
from xml.parsers import expat

from errorbar.core.errors import InputError, Place, Problem
from errorbar.formats.opening import Source, display_name, open_bytes


def read_limited(path: Source, limit: int) -> bytes | None:
    """Read a whole file, gzipped or not; None if it has more than ``limit`` bytes, and no more is ever read.

    Raises:
        InputError: If it cannot be opened or its compressed data is damaged.
    """
    with open_bytes(path) as stream:
        try:
            content = stream.read(limit + 1)
        except (EOFError, OSError) as error:
            what = f"the compressed data is damaged: {error}"
            raise InputError(Problem("gzip-damaged", what, Place(display_name(path)))) from None
    return None if len(content) > limit else content


def guarded_parser(refuse: Callable[..., NoReturn]) -> expat.XMLParserType:
    """A parser that calls ``refuse`` where a document type begins.

    A document type is the only way to declare an entity or to name an outside file. It is refused where it begins, so
    nothing is expanded and nothing is fetched.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    return parser


def not_well_formed(error: expat.ExpatError, content: bytes) -> str:
    """Say what is wrong with XML that cannot be parsed."""
    if not content.strip():
        return "the file is empty"
    return f"not well-formed XML at column {error.offset + 1}: {expat.errors.messages[error.code]}"
