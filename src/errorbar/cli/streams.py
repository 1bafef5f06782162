"""Standard streams and signals as a command finds them: closed, full, in another encoding, told to stop."""

from __future__ import annotations

import codecs
import errno
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

ENCODING = "PYTHONIOENCODING"
HANDLER = "errorbar.plain"
STOPPING = ("SIGTERM", "SIGHUP")
"""Signals that end a command as Ctrl-C does: what is half-written goes with it."""


PLAIN = {"─": "-", "–": "-", "−": "-", "…": "...", "±": "+/-", "×": "x", "≤": "<=", "≥": ">=", "→": "->", "·": "."}
"""What tables and signatures have beyond ASCII, for terminals that lack it."""


class StoppedError(BaseException):
    """A signal, ``number``, asked the command to stop; nothing but the outermost level catches it."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


class _Closed(io.RawIOBase):
    """Standard output that was closed (``>&-``): Python would drop what is written, and nobody would know."""

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


def prepare_streams() -> None:
    """Make standard output take every character, and fail where it takes nothing.

    What goes to a file or a pipe is UTF-8 whatever the locale, as every file that errorbar reads and writes, unless
    ``PYTHONIOENCODING`` says otherwise. What an encoding lacks is written plainly, or as an escape such as ``\\u0141``.
    """
    codecs.register_error(HANDLER, _plain)
    _occupy_closed()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole process
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed(), 1), encoding="utf-8", write_through=True)
    elif isinstance(sys.stdout, io.TextIOWrapper):
        if not sys.stdout.isatty() and not os.environ.get(ENCODING):
            sys.stdout.reconfigure(encoding="utf-8", errors=HANDLER)
        else:
            sys.stdout.reconfigure(errors=HANDLER)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """An error handler of ``codecs``: another way to write what cannot be encoded."""
    assert isinstance(error, UnicodeEncodeError)
    said = (
        PLAIN.get(each) or each.encode("ascii", "backslashreplace").decode()
        for each in error.object[error.start : error.end]
    )
    return "".join(said), error.end


def _occupy_closed() -> None:
    """Fill the places of closed standard streams: the next file opened would take them, and what is said go into it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one


def stop_on_signals() -> None:
    """Let the signals that end a command raise, so that half-written files go; an ignored one stays ignored."""
    for name in STOPPING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # once is enough: a second would stop the tidying up
    raise StoppedError(number)


def finish_output() -> None:
    """Write out what is buffered while there is still somebody to tell that it cannot be written (``OSError``)."""
    if sys.stdout is not None:
        sys.stdout.flush()


@contextmanager
def while_read() -> Iterator[None]:
    """Go on where the reader of what is shown has gone: neither other outputs nor the exit code depend on it."""
    try:
        yield
    except BrokenPipeError:
        _drop_broken()


def _drop_broken() -> None:
    """Forget what no reader takes any more of standard output or of standard error, each by itself."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _drop(stream)
        except (OSError, ValueError, AttributeError):  # another matter, which is told where it is met
            continue


def drop_output() -> None:
    """Forget what could not be written: it would fail again when the interpreter goes."""
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    try:
        number = stream.fileno()
    except (OSError, ValueError, AttributeError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
