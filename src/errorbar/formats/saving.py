"""Writing files whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, SpooledTemporaryFile
from typing import IO, cast

from errorbar.core.errors import InputError, Place, Problem

STANDARD_OUTPUT = "-"
_IN_MEMORY = 1 << 26
"""Bytes that are kept in memory before standard output is buffered on disk."""


def save_lines(lines: Iterable[str], target: str) -> None:
    """Write lines to a file, or to standard output (``-``), once the last one is known.

    Until then nothing of the target changes: a file is written beside it and moved into its place, and what goes
    to standard output is buffered. A name that ends in ``.gz`` is compressed, the same bytes for the same lines.

    Raises:
        InputError: If the target cannot be written.
    """
    _save(target, lambda stream: _write(lines, stream))


def save_bytes(content: bytes, target: str) -> None:
    """Write bytes to a file, or to standard output (``-``), whole or not at all, as ``save_lines`` does.

    Raises:
        InputError: If the target cannot be written.
    """
    _save(target, lambda stream: stream.write(content))


def _save(target: str, fill: Callable[[IO[bytes]], object]) -> None:
    """Let ``fill`` write beside the target, then move it into its place."""
    path = Path(target)
    if target == STANDARD_OUTPUT or (path.exists() and not path.is_file()):
        with cast("IO[bytes]", SpooledTemporaryFile(max_size=_IN_MEMORY)) as spool:
            fill(spool)
            spool.seek(0)
            _pour(spool, target)
        return
    try:
        # Closed and moved below; it must outlive the with statement that fills it.
        temporary = NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False)  # noqa: SIM115
    except OSError as error:
        raise _cannot_write(target, error) from None
    try:
        with temporary:
            if path.suffix == ".gz":
                import gzip  # noqa: PLC0415 - most files are not gzipped

                with gzip.GzipFile("", "wb", fileobj=temporary, mtime=0) as packed:
                    fill(cast("IO[bytes]", packed))
            else:
                fill(cast("IO[bytes]", temporary))
        Path(temporary.name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        Path(temporary.name).replace(path)
    finally:
        with suppress(FileNotFoundError):  # it has been moved
            Path(temporary.name).unlink()


def _write(lines: Iterable[str], stream: IO[bytes]) -> None:
    for number, line in enumerate(lines, 1):
        try:
            stream.write(f"{line}\n".encode())
        except UnicodeEncodeError as error:
            what = f"character {error.start + 1} of output line {number} is half of a surrogate pair, not text"
            raise InputError(Problem("not-unicode", what, expected="Unicode text", fix="correct the input")) from None


def _pour(spool: IO[bytes], target: str) -> None:
    if target == STANDARD_OUTPUT:
        shutil.copyfileobj(spool, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        with Path(target).open("wb") as stream:
            shutil.copyfileobj(spool, stream)
    except OSError as error:
        raise _cannot_write(target, error) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cannot_write(target: str, error: OSError) -> InputError:
    return InputError(Problem("cannot-write", f"cannot be written: {error.strerror}", Place(target)))
