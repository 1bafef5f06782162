"""Telling HOO data from other files, and who means it; every command asks, so it loads next to nothing."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from errorbar.core.errors import Problem, UsageError
from errorbar.core.spec import split_spec

HOO = "hoo"
GOLD, RAW = "Gold", "Raw"
_EDITS = re.compile(rb"<edits[\s>/]")
_HEAD = 4096
_GZIP = b"\x1f\x8b"
_WITH_HEADER = 31
"""The window of zlib for data with the header of gzip."""


def is_hoo(path: str) -> bool:
    """Whether a path is HOO data: a folder with edit files (perhaps in ``Gold``), or an edit file."""
    place = Path(path)
    if place.is_dir():
        return any(is_xml(each) for folder in (place, place / GOLD) if folder.is_dir() for each in folder.iterdir())
    if not place.is_file():
        return False
    with place.open("rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=_WITH_HEADER).decompress(head, _HEAD)
        except zlib.error:  # the reader of lines will say what is wrong with it
            return False
    return _EDITS.search(head) is not None


def is_xml(path: Path) -> bool:
    """Whether a file is called like an edit file."""
    return path.name.endswith((".xml", ".xml.gz"))


def wants_hoo(gold: object, metrics: object = None) -> bool:
    """Whether HOO scores are asked for, by the reference files or by the metrics.

    Args:
        gold: What a public function takes: a path, several, or objects in memory, which are no HOO data.
        metrics: The same: a spec or metric, several, or None.

    Raises:
        UsageError: If HOO data is to be scored by another metric.
    """
    specs = _listed(metrics)
    paths = [str(fspath(path)) for path in _listed(gold) if isinstance(path, str | PathLike)]
    asked = [_name(spec) == HOO for spec in specs]
    data = [is_hoo(path) for path in paths]
    if any(data) and specs and not all(asked):
        what = "HOO edit files hold stand-off edits, which only the metric hoo scores"
        raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to m2 makes M2 of them"))
    if any(asked) and not all(asked):
        raise UsageError(Problem("hoo-metric", "hoo and other metrics do not score the same data", fix="two commands"))
    other = _other_file(paths, data)
    if any(asked) and other:
        what = f"{other} is no HOO edit file"
        raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to hoo makes one of M2 and JSONL"))
    return any(asked) or any(data)


def _listed(value: object) -> Sequence[object]:
    return [] if value is None else value if isinstance(value, list | tuple) else [value]


def _name(metric: object) -> object:
    return split_spec(metric)[0] if isinstance(metric, str) else getattr(metric, "name", None)


def _other_file(gold: Sequence[str], data: Sequence[bool]) -> str:
    """The first file that is there and is something else than edits; a broken edit file is left to its reader."""
    others = (path for path, hoo in zip(gold, data, strict=True) if not hoo)
    return next((path for path in others if Path(path).is_file() and not path.endswith((".xml", ".xml.gz"))), "")
