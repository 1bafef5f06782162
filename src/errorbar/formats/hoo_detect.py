"""Telling HOO data from other files; every scoring asks, so it loads next to nothing."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

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
