"""XML, JSON and Parquet from anybody: no entities, no outside references, size limits, and where whatever is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from os import fspath
from pathlib import Path
from typing import Any, ClassVar, NoReturn
from xml.parsers import expat

from errorbar.core.problems import InputError, MissingExtraError, Place, Problem, Problems
from errorbar.formats.look import Lines, Source, display_name, look, read_once

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_HALVES = re.compile("[\ud800-\udfff]")
ROWS = 1 << 16  # of Parquet, held at a time
MOST_ROWS, ROWS_A_BYTE = 100_000, 5
MOST_UNPACKED, MOST_RATIO = 1 << 24, 100
"""A Parquet file may have so many rows, and so many more for each of its bytes, and unpack to as many bytes: columns
that repeat themselves pack a thousandfold, and so does what is meant to exhaust a reader."""


def read_limited(path: Source, limit: int, code: str, fix: str) -> bytes:
    """Read a whole file, gzipped or not, and never more than ``limit`` bytes of it, unpacked."""
    with look(path).open() as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise InputError(Problem(code, f"the file has more than {limit:,} bytes", Place(display_name(path)), fix=fix))
    return content


class XmlReader:
    """Reads one XML file; who inherits it takes what is in the file by ``start``, ``end`` and ``data``.

    Nothing is expanded and nothing fetched: a document type, which alone can declare an entity, is refused.
    """

    kind: ClassVar[str]  # first word of the codes of errors
    called: ClassVar[str]  # what such files are called
    expected: ClassVar[str]  # what they have

    def __init__(self, name: str) -> None:
        self.name = name
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.parser.EntityDeclHandler = self._refuse_declaration
        self.parser.ExternalEntityRefHandler = self._refuse_declaration
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
        """Parse a whole file, which must be well-formed, in an encoding that is known, without a document type."""
        try:
            self.parser.Parse(content, True)
            return
        except expat.ExpatError as error:
            line = error.lineno
            message = f"not well-formed XML at column {error.offset + 1}: {expat.errors.messages[error.code]}"
        except (LookupError, ValueError) as error:  # what Python says of an encoding that expat does not know
            message, line = f"the encoding that it declares cannot be read: {error}", 1
        message = message if content.strip() else "the file is empty"
        raise InputError(Problem(f"{self.kind}-xml", message, Place(self.name, line), self.expected))

    def _refuse_declaration(self, *_: object) -> NoReturn:
        message = "the file declares a document type or an entity"
        fix = f"take the declaration out: {self.called} need none, and it can be used to do harm"
        raise InputError(Problem(f"{self.kind}-xml-entity", message, self.place, fix=fix))


class NotJsonError(Exception):
    """A text is not JSON, or JSON that cannot be held; readers make a problem of why, and of the line (0: none)."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


def parse_json(text: str) -> object:
    """Read one JSON value; half a character, which no file or terminal can show, is a ``NotJsonError`` too."""
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


def json_record(line: str) -> dict[str, Any] | None:
    """The object that a line is; None where it is none, and its reader says why."""
    try:
        record = parse_json(line)
    except NotJsonError:
        return None
    return record if isinstance(record, dict) else None


def parquet_names(path: Source) -> list[str]:
    """The names of the columns; errors as of ``parquet_columns``."""
    with _naming_parquet_faults(path, "its table of contents"), _parquet(path) as file:
        return list(file.schema_arrow.names)


def parquet_columns(path: Source) -> Iterator[list[list[Any]]]:
    """Yield the values of each column, for so many rows at a time as are held; needs pyarrow."""
    with _naming_parquet_faults(path, "its table of contents"):
        file = _parquet(path)
        batches = iter(file.iter_batches(batch_size=ROWS))
    done = 0
    with file:
        while True:
            with _naming_parquet_faults(path, f"row {done + 1:,} or a later one"):
                batch = next(batches, None)
                if batch is None:
                    return
                values = [_values(column) for column in batch.columns]
            yield values
            done += batch.num_rows


def _parquet(path: Source) -> Any:  # noqa: ANN401 - pyarrow publishes no types
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("parquet", "reading Parquet") from None
    # Within a command a pipe can be read from any place: what came before is kept.
    source = look(path).raw() if read_once(path) else fspath(path)
    file = parquet.ParquetFile(source)
    _check_expansion(file.metadata, path)
    # Texts that come again are held once, as in the file.
    texts = [field.name for field in file.schema_arrow if str(field.type) in ("string", "binary", "large_string")]
    return parquet.ParquetFile(source, read_dictionary=texts) if texts and not read_once(path) else file


def _check_expansion(metadata: Any, path: Source) -> None:  # noqa: ANN401 - pyarrow publishes no types
    """Refuse a file that is small and would be large."""
    packed = values = unpacked = 0
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            packed += max(chunk.total_compressed_size, 0)
            unpacked += max(chunk.total_uncompressed_size, 0)
            values = max(values, chunk.num_values)
    size = packed if read_once(path) else Path(fspath(path)).stat().st_size
    most, rows = MOST_UNPACKED + MOST_RATIO * size, MOST_ROWS + ROWS_A_BYTE * size
    if unpacked > most or max(metadata.num_rows, values) > rows:
        message = f"it is a file of {size:,} bytes with {max(metadata.num_rows, values):,} rows of {unpacked:,} bytes"
        expected = f"at most {rows:,} rows and {most:,} bytes"
        raise InputError(
            Problem("judgments-parquet", message, Place(display_name(path)), expected, "give CSV or JSON lines")
        )


def _values(column: Any) -> list[Any]:  # noqa: ANN401 - as above
    """The values of a column; those of a dictionary are one object wherever they stand."""
    if not hasattr(column, "dictionary"):
        values: list[Any] = column.to_pylist()
        return values
    known = column.dictionary.to_pylist()
    return [None if index is None else known[index] for index in column.indices.to_pylist()]


@contextmanager
def _naming_parquet_faults(path: Source, where: str) -> Iterator[None]:
    """Turn what pyarrow raises, which is of many kinds, into one line."""
    try:
        yield
    except (ArithmeticError, LookupError, MemoryError, NotImplementedError, OSError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        if isinstance(error, UnicodeDecodeError):
            reason = "a text is not UTF-8"
        message = f"cannot be read as Parquet at {where}: {reason}"
        fix = "write the table again, or give CSV or JSON lines"
        raise InputError(Problem("judgments-parquet", message, Place(display_name(path)), fix=fix)) from None


def read_json(path: Source) -> tuple[Any, Place]:
    """The content of a JSON file, None where it is no JSON, and the file's place."""
    problems = Problems()
    lines = Lines(path, problems)
    text = "\n".join(lines)
    problems.raise_errors()
    with suppress(NotJsonError):
        return parse_json(text), Place(lines.name)
    return None, Place(lines.name)
