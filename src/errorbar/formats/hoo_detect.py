"""Telling HOO data from other files; every scoring asks, so it loads next to nothing."""

from __future__ import annotations

import re
from pathlib import Path

GOLD = "Gold"
_EDITS = re.compile(rb"<edits[\s>/]")
_HEAD = 4096


def is_hoo(path: str) -> bool:
    """Whether a path is HOO data: a folder with edit files (perhaps in ``Gold``), or an edit file."""
    place = Path(path)
    if place.is_dir():
        return any(is_xml(each) for folder in (place, place / GOLD) if folder.is_dir() for each in folder.iterdir())
    if not place.is_file():
        return False
    with place.open("rb") as stream:
        return _EDITS.search(stream.read(_HEAD)) is not None


def is_xml(path: Path) -> bool:
    """Whether a file is called like an edit file."""
    return path.name.endswith((".xml", ".xml.gz"))
