"""What a folder, a tar or a zip archive contains, and copies of some of it; archives are read with suspicion."""

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EINVAL
from pathlib import Path
from typing import IO, Protocol, cast

from errorbar.core.errors import InputError, Place, Problem
from errorbar.datasets.safety import MOST_MEMBERS, Budget, Limited, broken, check_link, refuse, safe_name

LONGEST_LINK = 4096


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a folder or archive; ``is_link`` tells one that is never followed nor copied."""

    name: str
    is_link: bool = False


class Contents(Protocol):
    """A folder or an archive."""

    def members(self) -> list[Member]:
        """Every file, with forward slashes."""

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy members to their targets."""


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
        """Every file below the folder.

        Raises:
            InputError: If there are too many, so that a home folder given by mistake is not searched for an hour.
        """
        found: list[Member] = []
        for folder, _, names in os.walk(self.path):
            found += [Member((Path(folder) / name).relative_to(self.path).as_posix()) for name in names]
            if len(found) > MOST_MEMBERS:
                refuse(self.path, f"more than {MOST_MEMBERS:,} files", "give the folder of the corpus itself")
        return found

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy members to their targets."""
        for name, target in wanted.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.path / name, target)


@dataclass(frozen=True, slots=True)
class Tar:
    """A tar archive, read as a stream, so that its end is never reached where it is endless."""

    path: Path

    def members(self) -> list[Member]:
        """Every file.

        Raises:
            InputError: If the archive is broken, or a member could do harm.
        """
        budget = Budget(self.path)
        found: list[Member] = []
        for info, _ in self._walk():
            name = safe_name(info.name, self.path)
            budget.spend(info.size)
            if info.issym() or info.islnk():
                base = posixpath.dirname(name) if info.issym() else ""
                check_link(name, base, info.linkname, self.path)
                found.append(Member(name, is_link=True))
            elif info.isfile():
                found.append(Member(name))
            elif not info.isdir():
                refuse(self.path, f"the member '{name}' is neither file nor folder nor link")
        return found

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy members to their targets."""
        for info, tar in self._walk():
            target = wanted.get(safe_name(info.name, self.path))
            if target is not None and info.isfile():
                stream = tar.extractfile(info)
                assert stream is not None  # it is a file
                with stream:
                    _write(stream, target)

    def _walk(self) -> Iterator[tuple[tarfile.TarInfo, tarfile.TarFile]]:
        try:
            with _unpacked(self.path) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
                for info in tar:
                    yield info, tar
        except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            broken(self.path, error)


@dataclass(frozen=True, slots=True)
class Zip:
    """A zip archive."""

    path: Path

    def members(self) -> list[Member]:
        """Every file.

        Raises:
            InputError: If the archive is broken or encrypted, or a member could do harm.
        """
        budget = Budget(self.path)
        found: list[Member] = []
        with self._open() as archive:
            for info in archive.infolist():
                name = safe_name(info.filename, self.path)
                budget.spend(info.file_size)
                is_link = stat.S_ISLNK(info.external_attr >> 16)
                if info.flag_bits & 1:
                    refuse(self.path, f"the member '{name}' is encrypted", "unpack it and give the folder")
                if is_link:
                    with archive.open(info) as stream:
                        check_link(name, posixpath.dirname(name), os.fsdecode(stream.read(LONGEST_LINK)), self.path)
                if not info.is_dir():
                    found.append(Member(name, is_link=is_link))
        return found

    def copy(self, wanted: Mapping[str, Path]) -> None:
        """Copy members to their targets."""
        with self._open() as archive:
            for info in archive.infolist():
                target = wanted.get(safe_name(info.filename, self.path))
                if target is not None and not info.is_dir():
                    with archive.open(info) as stream:  # never yields more than the size that members() counted
                        _write(stream, target)

    @contextmanager
    def _open(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                yield archive
        except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, lzma.LZMAError) as error:
            broken(self.path, error)
        except OSError as error:
            # bz2 has no error of its own, and no number; a header said to be before the start cannot be sought
            if error.errno not in (None, EINVAL):
                raise
            broken(self.path, error)


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        start = file.read(6)
        file.seek(0)
        stream: IO[bytes] = file
        if start.startswith(b"\x1f\x8b"):
            stream = cast("IO[bytes]", gzip.GzipFile(fileobj=file))
        elif start.startswith(b"BZh"):
            stream = cast("IO[bytes]", bz2.BZ2File(file))
        elif start.startswith(b"\xfd7zXZ\0"):
            stream = cast("IO[bytes]", lzma.LZMAFile(file))  # noqa: SIM115 - closed by the with below
        with stream:
            yield cast("IO[bytes]", Limited(stream, path))


def _write(stream: IO[bytes], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        shutil.copyfileobj(stream, out)
