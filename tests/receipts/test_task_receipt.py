"""Receipts of tasks: every run's scores, computed again from the record and not from the task's file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar.core import InputError
from errorbar.receipts.receipt import digest
from tests.helpers.cli import CommandLine
from tests.receipts.test_verify import receipt_of
from tests.tasks.small import make_task


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> Path:
    """A task with a run that cannot be scored, and the receipt of its scores."""
    monkeypatch.chdir(tmp_path)
    make_task(tmp_path)
    Path("two/run2.txt").write_text("one line\n")
    assert errorbar("task", "run", "task.toml", "-o", "scores.csv", "--quiet").code == 2
    return tmp_path


def test_every_run_and_every_file(scored: Path) -> None:
    document = receipt_of("scores.receipt.json")
    assert [file["name"] for file in document["files"]] == [
        *("task.toml", "gold.m2", "source.txt"),
        *("one/run1.txt", "one/run2.txt", "two/run1.txt", "two/run2.txt"),
    ]
    assert (document["command"], document["specs"], document["seed"]) == ("task run", ["m2", "m2(beta=1)"], None)
    values = document["results"]["values"]
    (results,) = errorbar.run_task("task.toml").corpora
    assert values["corpora/test/runs/two, 1/gold/m2(beta=1)/f"] == round(results.runs[2].gold[1]["f"].value or 0, 12)
    assert values["refused/test/two-2"] == "line-count"
    assert errorbar.verify("scores.receipt.json").good


def test_other_times_and_another_folder_change_nothing(scored: Path, tmp_path: Path) -> None:
    for path in scored.rglob("*.txt"):
        os.utime(path, (1, 1))
    shutil.copytree(scored, tmp_path / "copy")
    assert errorbar.verify(tmp_path / "copy" / "scores.receipt.json").good


def test_a_run_that_was_changed(scored: Path) -> None:
    shutil.copy("one/run2.txt", "two/run1.txt")
    result = errorbar.verify("scores.receipt.json")
    assert [item.record.name for item in result.other_files] == ["two/run1.txt"]
    assert {item.path.split("/")[3] for item in result.differences or ()} == {"two, 1"}


def test_the_file_of_the_task_is_not_read_again(scored: Path) -> None:
    """It may name any path; what it said stands in the receipt."""
    Path("task.toml").write_text('[[corpus]]\ngold = "/etc/passwd"\n')
    result = errorbar.verify("scores.receipt.json")
    assert ([file.record.name for file in result.other_files], result.differences) == (["task.toml"], [])


def change(edit: Callable[[Any], object]) -> None:
    """Change the document of the receipt."""
    document = json.loads(Path("scores.receipt.json").read_text())
    edit(document)
    Path("scores.receipt.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    "edit",
    [
        lambda task: task.pop("corpora"),
        lambda task: task["corpora"][0].update(kind="other"),
        lambda task: task["corpora"][0].update(gold=[]),
        lambda task: task["corpora"][0].update(gold=[{"file": "../gold.m2"}]),
        lambda task: task["corpora"][0].update(name="another"),
        lambda task: task["runs"][0].update(file="/etc/passwd"),
        lambda task: task["runs"][0].update(run="x"),
        lambda task: task["runs"][0].update(made={"kind": "shell", "spec": "rm"}),
        lambda task: task["runs"][0].update(run=True),
        lambda task: task["runs"][0].update(late=True),
        lambda task: task["corpora"][0].update(lenient=1),
        lambda task: task["corpora"][0].update(role="dev"),
        lambda task: task.update(confidence=0.99),
        lambda task: task.update(metric="m2", runs=3),
        lambda task: task.update(metric=[]),
    ],
)
@pytest.mark.usefixtures("scored")
def test_a_record_that_is_not_a_task(edit: Callable[[Any], object]) -> None:
    change(lambda document: edit(document["arguments"]))
    with pytest.raises(InputError, match="receipt-broken"):
        errorbar.verify("scores.receipt.json")


@pytest.mark.parametrize("metric", ["hoo", "crowd"])
@pytest.mark.usefixtures("scored")
def test_a_metric_of_other_data(metric: str, errorbar: CommandLine) -> None:
    change(lambda document: document["arguments"].update(metric=[metric]))
    done = errorbar("verify", "scores.receipt.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("[metric-input]\n")


@pytest.mark.usefixtures("scored")
def test_values_that_are_new() -> None:
    def forget_team_two(document: dict[str, Any]) -> None:
        values, results = document["results"]["values"], document["results"]
        results["values"] = {path: value for path, value in values.items() if "/runs/two" not in path}
        results["sha256"] = digest(results["values"])

    change(forget_team_two)
    result = errorbar.verify("scores.receipt.json")
    n = len(result.differences or ())
    assert n == result.n_beside > 0
    assert f"; {n} differences, {n} of them beside the receipt's {result.n_values} values." in result.sentences()[0]
    assert str(result).startswith(result.sentences()[0]), "printed as the command prints it"
    assert " recorded " in str(result)


def test_none_on_request_or_to_a_stream(scored: Path, errorbar: CommandLine) -> None:
    before = sorted(path.name for path in scored.iterdir())
    assert errorbar("task", "run", "task.toml", "--quiet").code == 2
    assert errorbar("task", "run", "task.toml", "--quiet", "--no-receipt", "-o", "x.json").code == 2
    assert errorbar("task", "run", "task.toml", "--quiet", "-o", "/dev/null", "--format", "csv").code == 2
    assert sorted(path.name for path in scored.iterdir()) == [*before, "x.json"]
