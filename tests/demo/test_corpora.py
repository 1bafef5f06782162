"""The corpora of the demo are what their scripts write, are installed, and are shown and saved."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import errorbar as package
from tests.demo import make_crowd, make_edited, make_hoo
from tests.helpers.cli import CommandLine

DEMO = Path(package.__file__).parent / "demo"
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.parametrize(
    ("name", "made"), [("crowd", make_crowd.write), ("edited", make_edited.write), ("hoo", make_hoo.write)]
)
def test_they_come_out_again(name: str, made: object, tmp_path: Path) -> None:
    assert callable(made)
    made(tmp_path / name)
    assert contents(tmp_path / name) == contents(DEMO / name)


def test_every_file_is_installed() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["errorbar"]
    installed = {file for each in patterns if each.startswith("demo/") for file in DEMO.parent.glob(each)}
    files = {file for file in DEMO.rglob("*") if file.is_file() and file.suffix not in (".py", ".pyc")}
    assert len(files) > 40
    assert files <= installed
    assert sum(file.stat().st_size for file in files) < 300_000


@pytest.mark.parametrize(
    ("option", "first", "rough", "file"),
    [
        ("--crowd", " careful   weighted  12           107", "", "votes.csv"),
        ("--hoo", " careful  detection    no bonus   90.91", "one annotator", "Gold/8.xml"),
    ],
)
def test_a_first_score_and_what_to_type_next(
    errorbar: CommandLine, tmp_path: Path, option: str, first: str, rough: str, file: str
) -> None:
    shown = errorbar("demo", option)
    assert shown.code == 0
    assert shown.out.splitlines()[2].startswith(first)
    assert f"errorbar demo {option} --save" in shown.err
    assert rough in shown.err
    assert "warning" not in shown.err
    assert errorbar("demo", option, "--quiet").err == ""
    assert errorbar("demo", option, "--save", tmp_path / "made").code == 0
    assert (tmp_path / "made" / file).is_file()
    assert errorbar("demo", option, "--report", "-o", tmp_path / "page.md").code == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8").startswith("# errorbar demo: ")


def test_what_editors_made_is_saved(errorbar: CommandLine, tmp_path: Path) -> None:
    assert errorbar("demo", "--edited", "--save", tmp_path / "edited").code == 0
    assert contents(tmp_path / "edited") == contents(DEMO / "edited")
    alone = errorbar("demo", "--edited")
    assert (alone.code, "[no-argument]" in alone.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [("--crowd", "--hoo"), ("--crowd", "--edited"), ("--crowd", "--by", "type"), ("--hoo", "--by", "sentence")],
)
def test_what_does_not_go_together(errorbar: CommandLine, words: tuple[str, ...]) -> None:
    done = errorbar("demo", *words)
    assert (done.code, "[useless-option]" in done.err) == (2, True)
