"""What a folder, a tar or a zip archive contains, and copies of some of it; archives are read with suspicion.

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from errno import EINVAL
from pathlib import Path, PureWindowsPath
from typing import IO, Any, NoReturn, Protocol, cast

from errorbar.core.errors import InputError, Place, Problem

MOST_BYTES = 512 * 2**20
"""How large an archive's content may be: fifty times the largest corpus of the catalog."""
MOST_MEMBERS = 20_000
LONGEST_LINK = 4096


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an archive or folder, with forward slashes; links and folders are never copied."""

    name: str
    n_bytes: int = 0
    is_file: bool = True


class Contents(Protocol):
    """A folder or an archive."""

    def members(self) -> list[Member]:
        """Every member; an ``InputError`` if it is broken, or one could do harm, or they are too many or too large."""

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy files to their targets."""


def open_contents(path: Path) -> Contents:
    """Look at a folder, a zip, or a tar archive (plain, gzip, bzip2, xz), whatever its name.

    Raises:
        InputError: If the path does not exist.
    """
    if path.is_dir():
        return Folder(path)
    if not path.is_file():
        fix = "give a folder, a .zip or a .tar.gz"
        raise InputError(Problem("data-no-file", "no such file or folder", Place(str(path)), fix=fix))
    return Zip(path) if zipfile.is_zipfile(path) else Tar(path)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder at hand, which its owner vouches for; links to folders are not entered."""

    path: Path

    def members(self) -> list[Member]:
        """Every file, up to a limit: a home folder given by mistake is not searched for an hour."""
        found: list[Member] = []
        for folder, _, names in os.walk(self.path):
            found += [Member((Path(folder) / name).relative_to(self.path).as_posix()) for name in names]
            if len(found) > MOST_MEMBERS:
                _refuse(self.path, f"more than {MOST_MEMBERS:,} files", "give the folder of the corpus itself")
        return found

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy files to their targets."""
        for name, target in wanted.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.path / name, target)


@dataclass(frozen=True, slots=True)
class Tar:
    """A tar archive, read as a stream, so that its end is never reached where it is endless."""

    path: Path

    def members(self) -> list[Member]:
        """Every member."""
        return _limited(self.path, (self._member(info) for info, _ in self._walk()))

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy files to their targets."""
        for info, tar in self._walk():
            target = wanted.get(_inside(info.name) or "")
            if target is not None and info.isfile():
                stream = tar.extractfile(info)
                assert stream is not None  # it is a file
                _write(stream, target)

    def _member(self, info: tarfile.TarInfo) -> Member:
        name = _safe_name(self.path, info.name)
        if info.issym() or info.islnk():
            _check_link(self.path, name, posixpath.dirname(name) if info.issym() else "", info.linkname)
        elif not info.isfile() and not info.isdir():
            _refuse(self.path, f"the member '{name}' is neither file nor folder nor link")
        return Member(name, info.size, info.isfile())

    def _walk(self) -> Iterator[tuple[tarfile.TarInfo, tarfile.TarFile]]:
        with _naming_damage(self.path), _unpacked(self.path) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
            for info in tar:
                yield info, tar


@dataclass(frozen=True, slots=True)
class Zip:
    """A zip archive."""

    path: Path

    def members(self) -> list[Member]:
        """Every member."""
        with self._open() as archive:
            return _limited(self.path, (self._member(info, archive) for info in archive.infolist()))

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy files to their targets."""
        with self._open() as archive:
            for info in archive.infolist():
                target = wanted.get(_inside(info.filename) or "")
                if target is not None and not info.is_dir():
                    _write(archive.open(info), target)  # never yields more than the size that members() counted

    def _member(self, info: zipfile.ZipInfo, archive: zipfile.ZipFile) -> Member:
        name = _safe_name(self.path, info.filename)
        is_link = stat.S_ISLNK(info.external_attr >> 16)
        if info.flag_bits & 1:
            _refuse(self.path, f"the member '{name}' is encrypted", "unpack it and give the folder")
        if is_link:
            with archive.open(info) as stream:
                _check_link(self.path, name, posixpath.dirname(name), os.fsdecode(stream.read(LONGEST_LINK)))
        return Member(name, info.file_size, not is_link and not info.is_dir())

    @contextmanager
    def _open(self) -> Iterator[zipfile.ZipFile]:
        with _naming_damage(self.path), zipfile.ZipFile(self.path) as archive:
            yield archive


@dataclass(slots=True)
class _Limited:
    """A stream that ends the reading once too much came out of it: headers can be bombs, too."""

    stream: IO[bytes]
    path: Path
    n_bytes: int = 0

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.n_bytes += len(data)
        if self.n_bytes > MOST_BYTES:
            _refuse(self.path, f"it unpacks to more than {MOST_BYTES:,} bytes")
        return data


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    packed: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
    with path.open("rb") as file:
        start = file.peek(6)
        opened = next((open_ for magic, open_ in packed.items() if start.startswith(magic)), None)
        with nullcontext(file) if opened is None else opened(file) as stream:
            yield cast("IO[bytes]", _Limited(cast("IO[bytes]", stream), path))


def _write(stream: IO[bytes], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with stream, target.open("wb") as out:
        shutil.copyfileobj(stream, out)


def _limited(path: Path, members: Iterable[Member]) -> list[Member]:
    """Every member, counted before any of it is written."""
    found: list[Member] = []
    n_bytes = 0
    for member in members:
        found.append(member)
        n_bytes += member.n_bytes
        if n_bytes > MOST_BYTES:
            _refuse(path, f"it unpacks to more than {MOST_BYTES:,} bytes")
        if len(found) > MOST_MEMBERS:
            _refuse(path, f"it has more than {MOST_MEMBERS:,} members")
    return found


def _inside(raw: str, folder: str = "") -> str | None:
    """A path seen from a folder of the archive, with forward slashes; None where it leads out of the archive."""
    name = posixpath.normpath(posixpath.join(folder, raw.replace("\\", "/")))
    return None if name.startswith("/") or PureWindowsPath(raw).drive or name.split("/")[0] == ".." else name


def _safe_name(path: Path, raw: str) -> str:
    name = _inside(raw)
    return _refuse(path, f"the member '{raw}' lies outside of the archive") if name is None else name


def _check_link(path: Path, name: str, folder: str, target: str) -> None:
    if _inside(target, folder) is None:
        _refuse(path, f"the member '{name}' links to '{target}', outside of the archive")


def _refuse(path: Path, what: str, fix: str = "do not use it; get it from the publisher") -> NoReturn:
    raise InputError(Problem("data-archive-unsafe", what, Place(str(path)), fix=fix))


@contextmanager
def _naming_damage(path: Path) -> Iterator[None]:
    """Say that an archive cannot be read, and where it is a web page, as a moved address gives, that it is one."""
    try:
        yield
    except OSError as error:
        # Of the system; but bz2's and gzip's have no number, and a header said to be before the start cannot be sought.
        if error.errno not in (None, EINVAL):
            raise
        damage: Exception = error
    except (tarfile.TarError, zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, lzma.LZMAError) as error:
        damage = error
    else:
        return
    with path.open("rb") as file:
        start = file.read(512).lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        what = "it is a web page, not an archive"
    else:
        what = f"it cannot be read as a tar or zip archive: {str(damage) or type(damage).__name__}"
    fix = "it is damaged or was moved by the publisher; get it again"
    raise InputError(Problem("data-archive-broken", what, Place(str(path)), expected="a zip or tar.gz", fix=fix))
