"""Parquet files: pyarrow in one place, and one clear line for whatever is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import fspath
from typing import Any

from errorbar.core.errors import InputError, MissingExtraError, Place, Problem
from errorbar.formats.opening import Source, display_name, open_bytes, read_once
from errorbar.formats.pipes import open_pipe, pipes_are_kept

ENDING = ".parquet"
_MAGIC = b"PAR1"
ROWS = 1 << 16
"""Rows held at a time."""


def is_parquet(path: Source) -> bool:
    """Whether a file is called Parquet, or is one by its first bytes; a pipe that nobody keeps is not looked into."""
    if fspath(path).endswith(ENDING):
        return True
    if read_once(path) and not pipes_are_kept():
        return False
    try:
        with open_bytes(path) as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except InputError:
        return False  # the reader says what is wrong


def parquet_names(path: Source) -> list[str]:
    """The names of the columns.

    Raises:
        InputError: If the file is not Parquet or cannot be opened.
        MissingExtraError: If pyarrow is not installed.
    """
    with _said(path, "its table of contents"), _open(path) as file:
        return list(file.schema_arrow.names)


def parquet_columns(
    path: Source, columns: Sequence[str] | None = None, *, rows: int = ROWS, texts: bool = False
) -> Iterator[list[list[Any]]]:
    """Read a Parquet file some rows at a time.

    Args:
        path: The file.
        columns: The columns that are read; None: all.
        rows: How many rows at most.
        texts: Make every value a text, "" where there is none.

    Yields:
        The values of each column, for the next rows.

    Raises:
        InputError: If the file is not Parquet, cannot be opened, or is damaged.
        MissingExtraError: If pyarrow is not installed.
    """
    with _said(path, "its table of contents"):
        file = _open(path)
        batches = iter(file.iter_batches(batch_size=rows, columns=None if columns is None else list(columns)))
    done = 0
    with file:
        while True:
            with _said(path, f"row {done + 1:,} or a later one"):
                batch = next(batches, None)
                if batch is None:
                    return
                if texts:
                    string = import_module("pyarrow").string()
                    values = [column.cast(string).fill_null("").to_pylist() for column in batch.columns]
                else:
                    values = [column.to_pylist() for column in batch.columns]
            yield values
            done += batch.num_rows


def _open(path: Source) -> Any:  # noqa: ANN401 - pyarrow publishes no types
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("parquet", "reading Parquet") from None
    # Within a command a pipe can be read from any place: what came before is kept.
    return parquet.ParquetFile(open_pipe(path) if read_once(path) else fspath(path))


@contextmanager
def _said(path: Source, where: str) -> Iterator[None]:
    """Turn what pyarrow raises, which is of many kinds, into one line."""
    try:
        yield
    except (ArithmeticError, LookupError, MemoryError, NotImplementedError, OSError, TypeError, ValueError) as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        if isinstance(error, UnicodeDecodeError):
            said = "a text is not UTF-8"
        what = f"cannot be read as Parquet at {where}: {said}"
        fix = "write the table again, or give CSV or JSON lines"
        raise InputError(Problem("judgments-parquet", what, Place(display_name(path)), fix=fix)) from None
