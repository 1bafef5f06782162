"""A publisher, a cache folder of the test's own, and a corpus of two small files."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from errorbar.datasets import Archive, CorpusFile, Dataset
from tests.datasets.server import Site, serve

FILES = {"a.txt": b"first\nfile\n", "sub/b.m2": b"S x\nA 0 1|||T|||y|||REQUIRED|||-NONE-|||0\n\n" * 200}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server on this machine; nothing waits between attempts."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("errorbar.datasets.fetching.PAUSE", 0.0)
    monkeypatch.setattr("errorbar.datasets.fetching.TIMEOUT", 5.0)
    with serve() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder."""
    monkeypatch.setenv("ERRORBAR_DATA", str(tmp_path / "cache"))
    return tmp_path / "cache"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def corpus(*urls: str, pinned: bool = True, archive_sha256: str | None = None, files: str = "") -> Dataset:
    """The corpus of FILES; ``urls`` are its archives, or ``files`` the address its files stand below."""
    return Dataset(
        name="tiny",
        title="Two files",
        release="1",
        page="https://example.org/tiny",
        license="CC0",
        citation="Nobody (2020).",
        citation_url="https://example.org/paper",
        traps=("It is small.",),
        archives=tuple(Archive(url, archive_sha256) for url in urls),
        files=tuple(
            CorpusFile(
                path,
                sha256(content) if pinned else None,
                len(content) if pinned else None,
                url=f"{files}/{path}" if files else "",
            )
            for path, content in FILES.items()
        ),
    )


def tar(files: Mapping[str, bytes], *, top: str = "tiny-1.0/") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(top + name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zipped(files: Mapping[str, bytes], *, top: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(top + name, content)
    return buffer.getvalue()


def folder(where: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_bytes(content)
    return where
