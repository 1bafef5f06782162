"""Folders, tar and zip archives: their contents, and copies of some of them; archives are read with suspicion.

An archive from elsewhere must not name or link to anything outside of itself, hold anything but files, folders and
links, or unpack to a flood. Links are looked at and left out. The rules are those of every system at once (backslashes
and drives are refused everywhere), and the same for tar and zip.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import posixpath
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from errno import EINVAL
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import IO, Any, NoReturn, cast

from errorbar.core.problems import InputError, Place, Problem, shorten_text

MOST_BYTES = 512 * 2**20  # how large an archive's content may be: fifty times the largest corpus of the catalog
MOST_MEMBERS = 20_000
MOST_SMALL, MOST_RATIO = 1 << 24, 100
"""A small archive may unpack to so many bytes, and to so many times its own size more; corpora do to 10."""
MOST_SQUARED = 5 * 10**8
"""Of the sizes of extended headers of a tar: before 3.11.10 Python looks through each in quadratic time."""
LONGEST_LINK = 4096
_EXTENDED = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)


_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, lzma.LZMAError)
Walk = Iterator[tuple[str, int, Callable[[], Any] | None]]
"""Every member's name, with forward slashes, its size, and what opens it; None where it is a link or folder."""


def files_in(path: Path) -> list[str]:
    """Every file of a folder, a zip, or a tar archive (plain, gzip, bzip2, xz), whatever its name.

    Raises:
        InputError: If there is none, it is broken, a member could do harm, or they are too many or too large.
    """
    names: list[str] = []
    total = 0
    with _naming_damage(path):
        for number, (name, n_bytes, opened) in enumerate(_walk(path), 1):
            names += [] if opened is None else [name]
            total += n_bytes
            _check_size(path, total)
            if number > MOST_MEMBERS and path.is_dir():  # a home folder given by mistake
                _refuse(path, f"more than {MOST_MEMBERS:,} files", "give the folder of the corpus itself")
            if number > MOST_MEMBERS:
                _refuse(path, f"it has more than {MOST_MEMBERS:,} members")
    return names


def copy(path: Path, targets: Mapping[str, Path]) -> None:
    """Copy files to their targets; ``files_in`` has counted what they unpack to."""
    with _naming_damage(path):
        for name, _, opened in _walk(path):
            if opened is not None and name in targets:
                targets[name].parent.mkdir(parents=True, exist_ok=True)
                with opened() as stream, targets[name].open("wb") as out:
                    shutil.copyfileobj(stream, out)


def _walk(path: Path) -> Walk:
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        fix = "give a folder, a .zip or a .tar.gz"
        raise InputError(Problem("data-no-file", "no such file or folder", Place(str(path)), fix=fix))
    return _zip(path) if zipfile.is_zipfile(path) else _tar(path)


def _folder(path: Path) -> Walk:
    """A folder at hand, which its owner vouches for; links to folders are not entered."""
    for folder, _, names in os.walk(path):
        for name in names:
            file = Path(folder) / name
            yield file.relative_to(path).as_posix(), 0, partial(open, file, "rb")


def _tar(path: Path) -> Walk:
    """Read as a stream, so that its end is never reached where it is endless."""
    squared = 0

    class Info(tarfile.TarInfo):
        """A member; too much of what extends headers is refused before it is looked through."""

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Info:
            """Read a header."""
            nonlocal squared
            info = super().frombuf(buf, encoding, errors)
            squared += info.size**2 if info.type in _EXTENDED else 0
            if squared > MOST_SQUARED:
                _refuse(path, "the names of its members, or what is said of them, are too long")
            return info

    with _open_unpacked(path) as stream, tarfile.open(fileobj=stream, mode="r|", tarinfo=Info) as tar:
        for info in tar:
            name = _safe_name(path, info.name)
            if info.issym() or info.islnk():
                _check_link(path, name, posixpath.dirname(name) if info.issym() else "", info.linkname)
            elif not info.isfile() and not info.isdir():
                _refuse(path, f"the member '{shorten_text(name)}' is neither file nor folder nor link")
            yield name, info.size, partial(tar.extractfile, info) if info.isfile() else None


def _zip(path: Path) -> Walk:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            name = _safe_name(path, info.filename)
            is_link = stat.S_ISLNK(info.external_attr >> 16)
            if info.flag_bits & 1:
                _refuse(path, f"the member '{shorten_text(name)}' is encrypted", "unpack it and give the folder")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                message = f"the member '{shorten_text(name)}' is packed in a way that cannot be unpacked in small steps"
                _refuse(path, message, "unpack it and give the folder")
            if is_link:
                with archive.open(info) as stream:
                    _check_link(path, name, posixpath.dirname(name), os.fsdecode(stream.read(LONGEST_LINK)))
            # What is opened never yields more than the size that is said here.
            yield name, info.file_size, None if is_link or info.is_dir() else partial(archive.open, info)


@dataclass(slots=True)
class _Limited:
    """A stream that ends the reading once too much came out of it: headers can be bombs, too."""

    stream: IO[bytes]
    path: Path
    n_bytes: int = 0

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.n_bytes += len(data)
        _check_size(self.path, self.n_bytes)
        return data


@contextmanager
def _open_unpacked(path: Path) -> Iterator[IO[bytes]]:
    packed: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
    with path.open("rb") as file:
        start = file.peek(6)
        opened = next((open_ for magic, open_ in packed.items() if start.startswith(magic)), nullcontext)
        with opened(file) as stream:
            yield cast("IO[bytes]", _Limited(stream, path))


def _inside(raw: str, folder: str = "") -> str | None:
    """A path seen from a folder of the archive, with forward slashes; None where it leads out of the archive."""
    name = posixpath.normpath(posixpath.join(folder, raw.replace("\\", "/")))
    return None if name.startswith("/") or PureWindowsPath(raw).drive or name.split("/")[0] == ".." else name


def _safe_name(path: Path, raw: str) -> str:
    return _inside(raw) or _refuse(path, f"the member '{shorten_text(raw)}' lies outside of the archive")


def _check_size(path: Path, n_bytes: int) -> None:
    most = MOST_BYTES if path.is_dir() else min(MOST_BYTES, MOST_SMALL + MOST_RATIO * path.stat().st_size)
    if n_bytes > most:
        _refuse(path, f"it unpacks to more than {most:,} bytes")


def _check_link(path: Path, name: str, folder: str, target: str) -> None:
    if _inside(target, folder) is None:
        _refuse(path, f"the member '{shorten_text(name)}' links to '{shorten_text(target)}', outside of the archive")


def _refuse(path: Path, message: str, fix: str = "do not use it; get it from the publisher") -> NoReturn:
    raise InputError(Problem("data-archive-unsafe", message, Place(str(path)), fix=fix))


def is_page(path: Path) -> bool:
    """Whether a file is a web page, as a moved address gives."""
    with path.open("rb") as file:
        return file.read(512).lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml"))


@contextmanager
def _naming_damage(path: Path) -> Iterator[None]:
    """Refuse an archive that cannot be read, and say why."""
    try:
        yield
        return
    except OSError as error:
        # Of the system; but bz2's and gzip's have no number, and a header said to be before the start cannot be sought.
        if error.errno not in (None, EINVAL):
            raise
        damage: Exception = error
    except UnicodeDecodeError:  # zipfile reads names that are marked as UTF-8 and are none
        damage = ValueError("a name in it is not UTF-8")
    except (*_DAMAGE, MemoryError) as error:  # LZMA takes as much memory as a file asks for
        damage = error
    reason = f"it cannot be read as a tar or zip archive: {str(damage) or type(damage).__name__}"
    fault = "it is a web page, not an archive" if is_page(path) else reason
    fix = "it is damaged or was moved by the publisher; get it again"
    raise InputError(Problem("data-archive-broken", fault, Place(str(path)), expected="a zip or tar.gz", fix=fix))
