from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from errorbar.core import InputError
from errorbar.datasets import fetch
from errorbar.datasets.archives import MOST_SMALL, copy, files_in
from tests.datasets.conftest import FILES, corpus, tar, zipped

Change = Callable[[tarfile.TarFile], None]


def tar_with(change: Change, mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]  # one mode for each kind of archive
        for name, content in FILES.items():
            add(archive, name, content)
        change(archive)
    return buffer.getvalue()


def add(
    archive: tarfile.TarFile, name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(content)
    archive.addfile(info, io.BytesIO(content))


def zip_with(name: str, content: bytes, *, mode: int = 0) -> bytes:
    buffer = io.BytesIO(zipped(FILES))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, content)
    return buffer.getvalue()


def encrypted() -> bytes:
    """The flag in both headers, as a reader sees it; the content does not matter."""
    content = bytearray(zipped({"a.txt": b"x"}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


EVIL = {
    "tar climbs": (tar_with(lambda a: add(a, "x/../../evil")), "lies outside"),
    "tar absolute": (tar_with(lambda a: add(a, "/evil")), "lies outside"),
    "tar backslash": (tar_with(lambda a: add(a, "..\\evil")), "lies outside"),
    "tar symlink": (tar_with(lambda a: add(a, "x/l", kind=tarfile.SYMTYPE, link="../../evil")), "links to"),
    "tar absolute symlink": (tar_with(lambda a: add(a, "l", kind=tarfile.SYMTYPE, link="/etc/passwd")), "links to"),
    "tar hard link": (tar_with(lambda a: add(a, "x/l", kind=tarfile.LNKTYPE, link="../evil")), "links to"),
    "tar device": (tar_with(lambda a: add(a, "d", kind=tarfile.CHRTYPE)), "neither file nor folder"),
    "tar fifo": (tar_with(lambda a: add(a, "d", kind=tarfile.FIFOTYPE)), "neither file nor folder"),
    "zip climbs": (zip_with("../evil", b""), "lies outside"),
    "zip absolute": (zip_with("/evil", b""), "lies outside"),
    "zip drive": (zip_with("C:\\evil", b""), "lies outside"),
    "zip symlink": (zip_with("l", b"../evil", mode=stat.S_IFLNK | 0o777), "links to"),
    "zip symlink to a drive": (zip_with("l", b"C:evil", mode=stat.S_IFLNK | 0o777), "links to"),
    "zip encrypted": (encrypted(), "encrypted"),
}


def refused(root: Path, source: Path, content: bytes) -> InputError:
    source.write_bytes(content)
    before = sorted(source.parent.rglob("*"))
    with pytest.raises(InputError) as caught:
        fetch(corpus(), from_file=source)
    new = {path.name for path in set(source.parent.rglob("*")) - set(before)}
    assert new <= {"cache", ".lock"}  # nothing else was written, inside or outside of the cache
    return caught.value


@pytest.mark.parametrize("case", EVIL)
def test_evil_archives_are_refused(root: Path, tmp_path: Path, case: str) -> None:
    content, what = EVIL[case]
    error = refused(root, tmp_path / "evil", content)
    assert error.code == "data-archive-unsafe"
    assert what in str(error)


@pytest.mark.parametrize("kind", ["tar", "zip", "header", "members"])
def test_bombs_are_refused(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr("errorbar.datasets.archives.MOST_BYTES", 100_000)
    monkeypatch.setattr("errorbar.datasets.archives.MOST_MEMBERS", 100)
    if kind == "header":  # a file whose name is the bomb: it costs memory before any size can be read
        content = tar_with(lambda archive: add(archive, "n" * 300_000))
    elif kind == "members":
        content = tar({**FILES, **{f"f{i}": b"" for i in range(100)}})
    else:
        flood = {**FILES, "flood": b"\0" * 200_000}
        content = tar(flood) if kind == "tar" else zipped(flood)
    assert len(content) < 10_000 or kind == "members"
    error = refused(root, tmp_path / "bomb", content)
    assert error.code == "data-archive-unsafe"
    said = {"members": "members", "header": "names of its members"}
    assert said.get(kind, "unpacks to more than 100,000 bytes") in str(error)


@pytest.mark.parametrize("content", [tar(FILES)[:-40], zipped(FILES)[:-40], b"", b"no archive at all"])
def test_broken_archives_are_refused(root: Path, tmp_path: Path, content: bytes) -> None:
    assert refused(root, tmp_path / "broken", content).code == "data-archive-broken"


def test_damaged_zip_member_is_refused(root: Path, tmp_path: Path) -> None:
    content = bytearray(zipped(FILES))
    content[45] ^= 0xFF  # inside the packed bytes of the first member
    assert refused(root, tmp_path / "broken.zip", bytes(content)).code == "data-archive-broken"


def test_name_that_is_no_utf8_is_refused(root: Path, tmp_path: Path) -> None:
    content = zipped({"\u00e9.txt": b"x"}).replace("\u00e9".encode(), b"\xa9\xa9")
    assert refused(root, tmp_path / "broken.zip", content).code == "data-archive-broken"


def test_harmless_link_is_left_out(root: Path, tmp_path: Path) -> None:
    content = tar_with(lambda a: add(a, "sub/latest", kind=tarfile.SYMTYPE, link="../a.txt"))
    (tmp_path / "x.tar.gz").write_bytes(content)
    fetch(corpus(), from_file=tmp_path / "x.tar.gz")
    assert not (root / "tiny/sub/latest").exists()
    assert (root / "tiny/a.txt").read_bytes() == FILES["a.txt"]


def test_link_in_place_of_a_file_is_not_followed(root: Path, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        add(archive, "sub/b.m2", FILES["sub/b.m2"])
        add(archive, "a.txt", kind=tarfile.SYMTYPE, link="sub/b.m2")
    assert "'a.txt' is not there; the copy is incomplete [data-file-missing]" in str(
        refused(root, tmp_path / "x.tar", buffer.getvalue())
    )


def test_link_of_a_zip_in_place_of_a_file_is_not_followed(root: Path, tmp_path: Path) -> None:
    content = zipped({"sub/b.m2": FILES["sub/b.m2"]})
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a") as archive:
        info = zipfile.ZipInfo("a.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "sub/b.m2")
    assert "'a.txt' is not there; the copy is incomplete [data-file-missing]" in str(
        refused(root, tmp_path / "x.zip", buffer.getvalue())
    )


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_every_compression(root: Path, tmp_path: Path, mode: str) -> None:
    (tmp_path / "x").write_bytes(tar_with(lambda archive: None, mode))
    assert fetch(corpus(), from_file=tmp_path / "x").n_verified == 2


def test_folder_given_by_mistake(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.datasets.archives.MOST_MEMBERS", 3)
    for i in range(5):
        (tmp_path / f"file{i}").touch()
    with pytest.raises(InputError, match="more than 3 files; give the folder of the corpus itself"):
        fetch(corpus(), from_file=tmp_path)


def unpack(file: Path) -> None:
    files_in(file)
    copy(file, {name: file.parent / "out" / name for name in FILES})


@pytest.mark.parametrize("at", [11, 40])
def test_damaged_bzip2_is_an_archive_that_cannot_be_read(at: int, tmp_path: Path) -> None:
    """Python's bz2 calls it an OSError without a number."""
    whole = bytearray(bz2.compress(gzip.decompress(tar(FILES))))
    whole[at] ^= 0xFF
    (tmp_path / "damaged").write_bytes(whole)
    with pytest.raises(InputError) as caught:
        unpack(tmp_path / "damaged")
    assert caught.value.code == "data-archive-broken"


def test_what_extends_headers_is_not_looked_through_for_long(tmp_path: Path) -> None:
    """A name of digits: 217 bytes took 7.6 s in Python's own reader (mended in 3.11.10)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        add(archive, "1" * 100_000)
    (tmp_path / "a.tar.xz").write_bytes(lzma.compress(buffer.getvalue()))
    with pytest.raises(InputError) as error:
        files_in(tmp_path / "a.tar.xz")
    assert error.value.code == "data-archive-unsafe"
    assert len(str(error.value)) < 500


def test_a_small_archive_is_not_unpacked_to_a_large_one(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(2 * MOST_SMALL))
    with pytest.raises(InputError, match="unpacks to more than"):
        files_in(path)


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_members_that_cannot_be_unpacked_in_small_steps(tmp_path: Path, way: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", way) as archive:
        archive.writestr("a.txt", b"x")
    with pytest.raises(InputError, match="packed in a way"):
        files_in(tmp_path / "a.zip")
