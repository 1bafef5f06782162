"""What an archive from elsewhere must not do: leave its folder, link out of it, or unpack to a flood."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, NoReturn

from errorbar.core.errors import InputError, Place, Problem

MOST_BYTES = 512 * 2**20
"""How large an archive's content may be: fifty times the largest corpus of the catalog."""
MOST_MEMBERS = 20_000


@dataclass(slots=True)
class Budget:
    """Counts what an archive says it holds, before any of it is written."""

    path: Path
    n_bytes: int = 0
    n_members: int = 0

    def spend(self, n_bytes: int) -> None:
        """Count a member.

        Raises:
            InputError: If that is too much.
        """
        self.n_bytes += n_bytes
        self.n_members += 1
        if self.n_bytes > MOST_BYTES:
            refuse(self.path, f"it unpacks to more than {MOST_BYTES:,} bytes")
        if self.n_members > MOST_MEMBERS:
            refuse(self.path, f"it has more than {MOST_MEMBERS:,} members")


@dataclass(slots=True)
class Limited:
    """A stream that ends the reading once too much came out of it: headers can be bombs, too."""

    stream: IO[bytes]
    path: Path
    n_bytes: int = 0

    def read(self, size: int) -> bytes:
        """Read on.

        Raises:
            InputError: If that is too much, or damaged.
        """
        try:
            data = self.stream.read(size)
        except OSError as error:
            if error.errno is not None:  # of the system; bz2 has no error of its own, and no number
                raise
            broken(self.path, error)
        self.n_bytes += len(data)
        if self.n_bytes > MOST_BYTES:
            refuse(self.path, f"it unpacks to more than {MOST_BYTES:,} bytes")
        return data


def safe_name(raw: str, path: Path) -> str:
    """A member's name with forward slashes.

    Args:
        raw: The name in the archive.
        path: The archive.

    Raises:
        InputError: If it is absolute, has a drive, or climbs with ``..``.
    """
    name = raw.replace("\\", "/")
    parts = PurePosixPath(name).parts
    if name.startswith("/") or PureWindowsPath(raw).drive or ".." in parts:
        refuse(path, f"the member '{raw}' lies outside of the archive")
    return "/".join(part for part in parts if part != ".")


def check_link(name: str, base: str, target: str, path: Path) -> None:
    """Look where a link leads.

    Args:
        name: The link.
        base: The folder its target is relative to, "" for the top of the archive.
        target: Where it points.
        path: The archive.

    Raises:
        InputError: If that is outside of the archive.
    """
    end = posixpath.normpath(posixpath.join(base, target.replace("\\", "/")))
    if end.startswith(("/", "..")) or PureWindowsPath(target).drive:
        refuse(path, f"the member '{name}' links to '{target}', outside of the archive")


def refuse(path: Path, what: str, fix: str = "do not use it; get it from the publisher") -> NoReturn:
    """Refuse an archive or folder."""
    raise InputError(Problem("data-archive-unsafe", what, Place(str(path)), fix=fix))


def broken(path: Path, error: Exception) -> NoReturn:
    """Refuse an archive that cannot be read, and say so where it is a web page, as a moved address gives."""
    with path.open("rb") as file:
        start = file.read(512).lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        what = "it is a web page, not an archive"
    else:
        what = f"it cannot be read as a tar or zip archive: {str(error) or type(error).__name__}"
    fix = "it is damaged or was moved by the publisher; get it again"
    raise InputError(Problem("data-archive-broken", what, Place(str(path)), expected="a zip or tar.gz", fix=fix))
