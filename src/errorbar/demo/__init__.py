"""The corpus that ships inside the package: three annotators, four systems, no network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

GOLD = "gold.jsonl"
GOLD_ITEMS = "judge_gold.csv"
"""Items with known answers, beside the corpus, for ``errorbar judge demo``."""
SYSTEMS = ("careful", "greedy", "articles", "copy")


CROWD = "crowd"
"""Beside the corpus, a folder of judgments by a crowd, and of tables that go with them."""
EDITED = "edited"
"""Beside the corpus, a folder of references that editors made of three systems' outputs, and of their times."""
HOO = "hoo"
"""Beside the corpus, a folder of HOO files: source texts, gold edits and two runs."""


@contextmanager
def demo_folder(name: str) -> Iterator[Path]:
    """Yield a folder beside the corpus, such as ``CROWD``, as one on disk wherever the package is kept."""
    with as_file(files(__package__)) as folder:
        yield folder / name


@contextmanager
def demo_files() -> Iterator[tuple[Path, list[Path]]]:
    """Yield the reference file and the systems' files, as files on disk wherever the package is kept."""
    with as_file(files(__package__)) as folder:
        yield folder / GOLD, [folder / f"{name}.txt" for name in SYSTEMS]
