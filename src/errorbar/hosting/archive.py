"""Zip files that are the same bytes for the same content, wherever and whenever they are made."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say
MODE = 0o100644 << 16  # a regular file that everybody may read
UNIX = 3


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Files by name as a zip: sorted, all of one day, without folders' own entries."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, MODE, UNIX
            archive.writestr(entry, files[name])
    return content.getvalue()


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}
