"""What is in the archive and in the wheel: each file of the package, what a build makes, and nothing else."""

from __future__ import annotations

import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from errorbar.version import __version__

pytestmark = pytest.mark.install

ABOUT = {"LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg", "setup.py"}
"""What an archive has besides the package, and what setuptools writes of it in src/errorbar.egg-info."""
LARGEST = {"sdist": 2_000_000, "wheel": 4_000_000}  # bytes; a corpus or a model that slips in is larger than the rest
EXTRAS = [
    "tokenize",
    "parquet",
    "report",
    "dask",
    "codabench",
    "errant",
    "detect",
    "judge",
    "postgresql",
    "llm",
    "inspect",
    "lm-eval",
    "all",
]


@pytest.fixture
def package(sources: list[str]) -> set[str]:
    """Files of the package, in the words of the wheel."""
    return {name.removeprefix("src/") for name in sources if name.startswith("src/errorbar/")}


def _about(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        return message_from_bytes(opened.read(f"errorbar-{__version__}.dist-info/METADATA"))


def test_the_archive(archive: Path, package: set[str]) -> None:
    top = f"errorbar-{__version__}/"
    assert archive.name == f"errorbar-{__version__}.tar.gz"
    with tarfile.open(archive) as opened:
        names = {member.name.removeprefix(top) for member in opened if member.isfile()}
        assert all(member.name.startswith(top) or member.name == top[:-1] for member in opened)
    others = {name for name in names if not name.startswith("src/errorbar.egg-info/")}
    assert others == ABOUT | {f"src/{name}" for name in package}
    assert archive.stat().st_size < LARGEST["sdist"]


def test_the_wheel(wheel: Path, package: set[str]) -> None:
    with zipfile.ZipFile(wheel) as opened:
        assert opened.testzip() is None
        names = {name for name in opened.namelist() if not name.endswith("/")}
    kernels = {name for name in names if name.endswith((".so", ".pyd"))}
    assert {name.split(".")[0] for name in kernels} == {name[:-4] for name in package if name.endswith(".pyx")}
    own = f"errorbar-{__version__}.dist-info/"
    assert {name.removeprefix(own) for name in names if name.startswith(own)} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt"),
    }
    assert {name for name in names - kernels if not name.startswith(own)} == package
    assert {"errorbar/py.typed", "errorbar/demo/gold.jsonl", "errorbar/reporting/templates/page.html"} <= names
    assert wheel.stat().st_size < LARGEST["wheel"]


def test_what_an_index_would_say(wheel: Path) -> None:
    about = _about(wheel)
    assert (about["Name"], about["Version"], about["License-Expression"]) == ("errorbar", __version__, "Apache-2.0")
    assert about["Requires-Python"] == ">=3.11"
    assert about.get_all("Provides-Extra") == EXTRAS
    assert about["Description-Content-Type"] == "text/markdown"
    page = MarkdownIt("gfm-like", {"linkify": False}).render(str(about.get_payload()))
    assert page.startswith("<h1>")
    assert '<pre><code class="language-console">' in page
    assert "<a href" in page


def test_all_is_every_extra_but_those_it_says(wheel: Path) -> None:
    needed = _about(wheel).get_all("Requires-Dist") or []
    (everything,) = [needed_line for needed_line in needed if needed_line.startswith("errorbar[")]
    names = everything.partition("[")[2].partition("]")[0].split(",")
    # psycopg's license is another; whoever uses a harness has it, and takes the adapter for it.
    assert sorted(names) == sorted({*EXTRAS} - {"all", "postgresql", "inspect", "lm-eval"})
