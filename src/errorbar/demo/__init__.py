"""The corpus that ships inside the package: three annotators, four systems, no network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

GOLD = "gold.jsonl"
SYSTEMS = ("careful", "greedy", "articles", "copy")


@contextmanager
def demo_files() -> Iterator[tuple[Path, list[Path]]]:
    """Yield the reference file and the systems' files, as files on disk wherever the package is kept."""
    with as_file(files(__package__)) as folder:
        yield folder / GOLD, [folder / f"{name}.txt" for name in SYSTEMS]
