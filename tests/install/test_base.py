"""Without any extra: by the pip that comes with Python, from an archive without a compiler, and on other Pythons."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.formats.test_nucle import ESSAY
from tests.install.clean import ROOT, Clean, said, variables

pytestmark = pytest.mark.install

NAMES = """
import errorbar
from pathlib import Path
found = [getattr(errorbar, name) for name in errorbar.__all__]
assert len(found) == len(set(errorbar.__all__)) > 40
print(Path(errorbar.__file__).parent)
"""


NEEDY = (
    "report --gold demo/gold.jsonl demo/careful.txt -o page.html",
    "judge status study",
    "judge init study --from demo/careful.txt",
    "judge demo",
    "score --gold demo/gold.jsonl demo/careful.txt --jobs tcp://127.0.0.1:9",
    "agree votes.parquet",
    "convert essay.sgml --to m2",
    "convert --source essay.txt better.txt --edits errant -o gold.m2",
)
"""Commands that need an extra, and say so in one line."""


def works(clean: Clean, demo: str) -> None:
    """It says what it is, knows each public name, and is the one that was installed."""
    assert set(clean.extras().values()) == {"not"}, "an extra that nobody asked for"
    assert clean.run("--version").strip().startswith("errorbar ")
    assert clean.run("demo") == demo
    place = clean.program("python", "-c", NAMES).strip()
    assert place.startswith(str(clean.folder)), "the errorbar of the checkout was found, not the one installed"
    clean.run("demo", "--save", "demo")
    assert (clean.folder / "demo/gold.jsonl").exists()


@pytest.fixture(scope="session")
def demo() -> str:
    """What ``errorbar demo`` prints in the checkout."""
    checkout = str(Path(sys.executable).parent / "errorbar")
    return said([checkout, "demo"], Path("/"), {**variables(), "PYTHONPATH": str(ROOT / "src")})


def test_the_wheel_by_the_pip_that_comes_with_python(wheel: Path, tmp_path: Path, demo: str) -> None:
    said([_base(sys.executable), "-m", "venv", str(tmp_path / "venv")], tmp_path, variables())
    clean = Clean(tmp_path)
    clean.program("python", "-m", "pip", "install", "--quiet", str(wheel))
    assert clean.doctor()["kernel"] == "compiled kernel"
    works(clean, demo)
    (clean.folder / "votes.parquet").write_bytes(b"PAR1PAR1")
    (clean.folder / "essay.txt").write_text("A cat sit .\n", encoding="utf-8")
    (clean.folder / "better.txt").write_text("A cat sits .\n", encoding="utf-8")
    (clean.folder / "essay.sgml").write_text(ESSAY, encoding="utf-8")
    for words in NEEDY:
        assert re.search(r"^error: .* needs? .*: make \w+", clean.run(*words.split(), code=2)), words
    clean.program("python", "-m", "pip", "check")


def _base(python: str) -> str:
    """The Python that an environment was made of."""
    return said([python, "-c", "import sys; print(sys._base_executable)"], Path("/"), variables()).strip()


def test_the_archive_without_a_compiler(archive: Path, tmp_path: Path, demo: str) -> None:
    clean = Clean(tmp_path)
    clean.install(archive, path=str(clean.bin))  # nothing else is on the path: no cc, no gcc
    found = clean.doctor()
    assert found["kernel"].startswith("readable twin, because no C compiler was found when errorbar was installed")
    works(clean, demo)


def _other(version: str) -> str | None:
    """A Python of this version that runs, on the path or among pyenv's, which has names for what does not run."""
    known = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    for python in filter(None, [shutil.which(f"python{version}"), *map(str, known)]):
        done = subprocess.run([python, "--version"], capture_output=True, text=True, check=False, timeout=1500)
        if done.stdout.startswith(f"Python {version}."):
            return python
    return None


HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.mark.parametrize("version", [version for version in ("3.11", "3.12", "3.13", "3.14") if version != HERE])
def test_the_archive_on_another_python(version: str, archive: Path, tmp_path: Path, demo: str) -> None:
    python = _other(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    clean = Clean(tmp_path, python)
    clean.install(archive)
    assert clean.doctor()["Python"].startswith(version)
    assert clean.doctor()["kernel"] == "compiled kernel"
    works(clean, demo)
