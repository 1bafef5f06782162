"""Puts an old fault back into every process that is started with this folder in PYTHONPATH: a test of the tests.

Whether a file is SQLite's was seen by reading its first bytes. Closing it let go of all locks (fcntl) that the process
had on it, those of the server's own connections too, so that the next command took the server's log for left over.
"""

from pathlib import Path

from errorbar.judging.store import engines


def _by_its_first_bytes(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


engines.is_sqlite = _by_its_first_bytes
