"""Leaves: a folder that is deleted takes its feature along and nothing else; packages register as the folders do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import errorbar

ROOT = Path(__file__).parents[1]
LEAVES = {
    "detectors": (["train", "correct", "detect"], ["train", "correct", "detect"]),
    "codabench": (["bundle"], ["bundle_task", "score_submission"]),
    "harnesses": ([], []),
}
"""Of each folder the commands and the public names that go with it."""
REST = ("cli", "receipts", "reproduce", "tasks")
"""Folders of tests of what stays, and which knows of leaves by their entry points."""
Run = Callable[..., "subprocess.CompletedProcess[str]"]

IMPORT_ALL = """
import importlib, pkgutil, errorbar
for module in pkgutil.walk_packages(errorbar.__path__, "errorbar."):
    if not module.name.startswith(("errorbar.harnesses.", "errorbar.judging.migrations", "errorbar.__main__")):
        importlib.import_module(module.name)
print(errorbar.__file__)
"""
"""Harnesses apart, which are not installed here."""
SAY_WHAT_IS_MISSING = """
import errorbar
for name in {names}:
    try:
        getattr(errorbar, name)("something")
    except errorbar.ErrorbarError as error:
        print(error)
"""


@pytest.fixture(params=[(leaf,) for leaf in LEAVES], ids=list(LEAVES))
def leaves(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The names of folders that are deleted."""
    names: tuple[str, ...] = request.param
    return names


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Where the copy is: a folder of its own, beside which tests look for corpora."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    return folder


@pytest.fixture
def run(leaves: tuple[str, ...], checkout: Path) -> Run:
    """Run Python with a copy of the package that lacks the leaves."""
    ignored = shutil.ignore_patterns("__pycache__", "*.c", "*.egg-info")
    shutil.copytree(Path(errorbar.__file__).parent, checkout / "src" / "errorbar", ignore=ignored)
    for leaf in leaves:
        shutil.rmtree(checkout / "src" / "errorbar" / leaf)
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "COLUMNS": "200"}

    def python(*arguments: object, timeout: float = 100) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, check=False, timeout=timeout
        )

    return python


def listed(text: str) -> Sequence[str]:
    """The commands that a help lists."""
    return re.findall(r"^  ([a-z][a-z-]+)  ", text, re.MULTILINE)


def test_its_commands_and_names_go_and_all_others_stay(leaves: tuple[str], run: Run, checkout: Path) -> None:
    (leaf,) = leaves
    commands, names = LEAVES[leaf]
    done = run("-c", IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(checkout / "src" / "errorbar" / "__init__.py")
    every = {name for leaf_commands, _ in LEAVES.values() for name in leaf_commands}
    done = run("-m", "errorbar", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    inner = run("-m", "errorbar", "task", "--help")
    assert (inner.returncode, inner.stderr) == (0, "")
    assert every - {*listed(done.stdout), *listed(inner.stdout)} == set(commands)
    done = run("-c", SAY_WHAT_IS_MISSING.format(names=names))
    assert done.stderr == ""
    expected = [f"errorbar.{name} needs errorbar.{leaf}, which is not installed here" for name in names]
    assert [line.partition(";")[0].partition(" [")[0] for line in done.stdout.splitlines()] == expected
    done = run("-m", "errorbar", "demo")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("leaves", [tuple(LEAVES)], ids=["all"])
def test_without_any_the_tests_of_the_rest_pass(run: Run, checkout: Path) -> None:
    for name in ("docs", "packages", "examples"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("_build", "build"))
    for name in ("pyproject.toml", "README.md", "Makefile", "CHANGELOG.md"):
        shutil.copy(ROOT / name, checkout / name)
    (checkout.parent / "shared").symlink_to(ROOT.parent / "shared")
    ignored = shutil.ignore_patterns("__pycache__", *LEAVES)
    shutil.copytree(ROOT / "tests", checkout / "tests", ignore=ignored)
    folders = [f"tests/{name}" for name in REST]
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile", *folders, timeout=1500)
    assert done.returncode == 0, done.stdout[-5000:]
