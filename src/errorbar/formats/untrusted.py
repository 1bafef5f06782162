"""XML and JSON from anybody: no entities, no outside references, a size limit, and the line of whatever is wrong."""

from __future__ import annotations

import json
import os
import re
from typing import IO, ClassVar, NoReturn
from xml.parsers import expat

from errorbar.core.errors import InputError, Place, Problem
from errorbar.formats.opening import Source, open_bytes, packed_stream

EXPANSION = 12
"""How many times its size a packed file may have, unpacked; the edit files of the shared task have 6 to 10 times."""
SMALL_UNPACKED = 1 << 20
"""Bytes that any packed file may have, unpacked."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_HALVES = re.compile("[\ud800-\udfff]")


def read_limited(path: Source, limit: int, place: Place, code: str, fix: str) -> bytes:
    """Read a whole file, gzipped or not, and never more of it than is allowed.

    Args:
        path: The file.
        limit: Bytes of it, unpacked. A packed file may besides have no more than ``EXPANSION`` times its size, or
            ``SMALL_UNPACKED``: a small file that unpacks to a large one is not a text.
        place: What messages call it.
        code: Code of the error where it is larger.
        fix: What its user may do then.

    Raises:
        InputError: If it cannot be opened, is larger, or its compressed data is damaged.
    """
    with open_bytes(path) as stream:
        packed = packed_stream(stream)
        allowed = limit if packed is None else min(limit, max(SMALL_UNPACKED, EXPANSION * _size(packed)))
        content = stream.read(allowed + 1)
    if len(content) > limit:
        raise InputError(Problem(code, f"the file has more than {limit:,} bytes", place, fix=fix))
    if len(content) > allowed:
        what = f"the packed file has more than {allowed:,} bytes, unpacked"
        raise InputError(Problem(code, what, place, fix=f"unpack it: a plain file may have {limit:,} bytes"))
    return content


def _size(stream: IO[bytes]) -> int:
    """Bytes of the file on the disk; 0 for a pipe, or what is no file."""
    try:
        return os.fstat(stream.fileno()).st_size
    except OSError:
        return 0


class XmlReader:
    """Reads one XML file; who inherits it takes what is in the file by ``start``, ``end`` and ``data``.

    A document type is the only way to declare an entity or to name an outside file. It is refused where it begins, so
    nothing is expanded and nothing is fetched.
    """

    kind: ClassVar[str]
    """First word of the codes of errors."""
    called: ClassVar[str]
    """What such files are called."""
    expected: ClassVar[str]
    """What they have."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.parser.EntityDeclHandler = self._declared
        self.parser.ExternalEntityRefHandler = self._declared
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler = self.data

    @property
    def place(self) -> Place:
        """The line that the parser has come to."""
        return Place(self.name, self.parser.CurrentLineNumber)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of an element."""

    def end(self, tag: str) -> None:
        """Take the end of an element."""

    def data(self, data: str) -> None:
        """Take text, or a part of it."""

    def parse(self, content: bytes) -> None:
        """Parse a whole file.

        Raises:
            InputError: If it is not well-formed XML, has an encoding that nobody knows, or declares a document type.
        """
        try:
            self.parser.Parse(content, True)
            return
        except expat.ExpatError as error:
            line = error.lineno
            what = f"not well-formed XML at column {error.offset + 1}: {expat.errors.messages[error.code]}"
        except (LookupError, ValueError) as error:  # what Python says of an encoding that expat does not know
            what, line = f"the encoding that it declares cannot be read: {error}", 1
        what = what if content.strip() else "the file is empty"
        raise InputError(Problem(f"{self.kind}-xml", what, Place(self.name, line), self.expected))

    def _declared(self, *_: object) -> NoReturn:
        what = "the file declares a document type or an entity"
        fix = f"take the declaration out: {self.called} need none, and it can be used to do harm"
        raise InputError(Problem(f"{self.kind}-xml-entity", what, self.place, fix=fix))


class NotJsonError(Exception):
    """A text is not JSON, or JSON that cannot be held; its message says why. Readers turn it into a problem.

    Attributes:
        line: The line of the text; 0 where the error is none of one place.
    """

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


def parse_json(text: str) -> object:
    """Read one JSON value.

    Raises:
        NotJsonError: If the text is not JSON, is nested too deeply, has a number of thousands of digits, or half a
            character, which no file or terminal can show.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except RecursionError:
        raise NotJsonError("it is nested too deeply") from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        raise NotJsonError("it has a number with thousands of digits") from None
    if _HALF.search(text) and _HALVES.search(json.dumps(value, ensure_ascii=False)):
        raise NotJsonError("it has half a character (a lone surrogate, \\ud800 to \\udfff)")
    return value
