"""The archive and the wheel, built once for all processes, and environments to install them into."""

from __future__ import annotations

import subprocess
import tarfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.once import once
from tests.install.clean import ROOT, Clean, said, variables

Install = Callable[..., Clean]


@pytest.fixture(scope="session")
def sources() -> list[str]:
    """Every file of the checkout that is, or would be, committed."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True, timeout=1500).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def _made(builder: Clean, backend: str, source: Path, dist: Path) -> None:
    """Let the build backend do its work in a folder."""
    code = f"from setuptools.build_meta import {backend}; {backend}({str(dist)!r})"
    said([builder.python, "-c", code], source, variables())


@pytest.fixture(scope="session")
def archive(shared_folder: Path, sources: list[str]) -> Path:
    """The sdist, built from a copy without anything that this checkout has made."""
    dist, copy = shared_folder / "sdist", shared_folder / "copy"
    with once(dist) as first:
        if first:
            for name in sources:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_bytes((ROOT / name).read_bytes())
            _made(_builder(shared_folder), "build_sdist", copy, dist)
    (made,) = dist.iterdir()
    return made


@pytest.fixture(scope="session")
def wheel(shared_folder: Path, archive: Path) -> Path:
    """The wheel, built from the sdist, so that nothing comes from the checkout that the sdist lacks."""
    dist, unpacked = shared_folder / "wheel", shared_folder / "unpacked"
    with once(dist) as first:
        if first:
            with tarfile.open(archive) as opened:
                opened.extractall(unpacked, filter="data")
            (source,) = unpacked.iterdir()
            _made(Clean(shared_folder / "builder"), "build_wheel", source, dist)
    (made,) = dist.iterdir()
    return made


def _builder(folder: Path) -> Clean:
    """An environment of what pyproject.toml says that a build needs."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    builder = Clean(folder / "builder")
    builder.install(*needed)
    return builder


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Install:
    """Install the wheel with extras, and other packages, into a new environment."""

    def install(*extras: str, others: tuple[str | Path, ...] = ()) -> Clean:
        clean = Clean(tmp_path / "place")
        clean.install(f"{wheel}[{','.join(extras)}]" if extras else wheel, *others)
        return clean

    return install
