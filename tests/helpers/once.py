"""What several processes need is made by the first of them, while the others wait."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def once(made: Path) -> Iterator[bool]:
    """One process at a time; whether this is the first, which makes it."""
    done = made.with_name(f"{made.name}.done")
    with made.with_name(f"{made.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield not done.exists()
        done.touch()
