"""Commands that messages suggest, which a shell takes as they stand: names of files may have spaces in them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def suggested(err: str, mark: str) -> list[str]:
    """The words of the command after a mark, as a shell reads them."""
    (line,) = [line for line in err.splitlines() if mark in line]
    return shlex.split(line.partition(mark)[2])


def test_a_task_in_a_folder_with_a_space(errorbar: CommandLine) -> None:
    done = errorbar("demo", "--task", "--save", "my task")
    program, *words = suggested(done.err, "next: ")
    assert (program, words) == ("errorbar", ["task", "run", "my task/task.toml"])
    assert errorbar(*words).code == 0


def test_a_study_in_a_folder_with_a_space(errorbar: CommandLine) -> None:
    errorbar("demo", "--save", "demo")
    done = errorbar("judge", "init", "a b", "--from", "demo/careful.txt")
    assert done.code == 0
    assert suggested(done.err, "next: ") == ["errorbar", "judge", "serve", "a b"]
    missing = errorbar("judge", "status", "no study")
    assert suggested(missing.err.replace("[judge-no-study]", ""), "make one: ") == [
        "errorbar",
        *["judge", "init"],
        "no study",
    ]


@pytest.mark.parametrize("kind", ["gold.jsonl", "gold.m2"])
def test_a_reference_given_as_a_system(errorbar: CommandLine, kind: str) -> None:
    errorbar("demo", "--save", "my demo")
    if kind == "gold.m2":
        assert errorbar("convert", "my demo/gold.jsonl", "-o", f"my demo/{kind}").code == 0
    done = errorbar("score", "--gold", f"my demo/{kind}", f"my demo/{kind}")
    assert done.code == 2
    assert f"'my demo/{kind}'" in done.err.partition("errorbar convert")[2]
