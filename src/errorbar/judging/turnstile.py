"""Processes that write to one file take turns: nobody waits for ever because another always comes first."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

try:
    import fcntl
except ImportError:  # Windows: SQLite's own lock keeps writers apart, without an order
    fcntl = None  # type: ignore[assignment]  # a module elsewhere

_TURN, _NEXT = 0, 1  # bytes of the file that are locked


class Turnstile:
    """A lock for processes, given to who waits longest but for those who came together.

    SQLite's lock is taken by whoever asks in the right millisecond, mostly who had it last. Here one waits at the gate
    as the next, and who has just left must stand behind them. The system lets go of the locks of a dead process.
    """

    def __init__(self, path: Path) -> None:
        self._file = -1
        if fcntl is not None:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __enter__(self) -> None:
        if self._file >= 0:
            self._lock(_NEXT)
            try:
                self._lock(_TURN)
            finally:
                self._unlock(_NEXT)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file >= 0:
            self._unlock(_TURN)

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _lock(self, byte: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_EX, 1, byte)

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
