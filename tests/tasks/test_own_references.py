"""A task whose runs have references of their own: ``references`` of a ``[[team.run]]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar import Problems, Resampling
from errorbar.api import CorpusStudy
from errorbar.demo import demo_files
from errorbar.tasks import run_task, study_best
from tests.helpers.cli import CommandLine

TASK = """\
[task]
name = "Own"
metrics = ["m2", "gleu"]

[[corpus]]
name = "test"
source = "copy.txt"

[[team]]
name = "A"
[[team.run]]
file = "careful.txt"
references = ["b.m2", "articles.txt"]

[[team]]
name = "B"
[[team.run]]
file = "greedy.txt"
references = ["b.m2"]
[[team.run]]
file = "articles.txt"
"""


@pytest.fixture
def errorbar_command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capfd)


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with demo_files() as (gold, systems):
        for path in (gold, *systems):
            Path(path.name).write_bytes(path.read_bytes())
    Path("b.m2").write_text(errorbar.convert("gold.jsonl", to="m2", annotator="0").text)
    Path("task.toml").write_text(TASK)
    return tmp_path / "task.toml"


def test_each_run_is_scored_against_its_own_references(task: Path) -> None:
    results = run_task(task)
    (corpus,) = results.corpora
    references = {"A-1": ["b.m2", "articles.txt"], "B-1": ["b.m2"]}
    systems = {"A-1": "careful.txt", "B-1": "greedy.txt"}
    how: dict[str, Any] = {"systems": systems, "reference_of": references, "source": "copy.txt", "ci": False}
    typed, others = errorbar.score(by="type", **how), errorbar.score(metric="gleu", **how)
    expected = [score for name in systems for score in (typed[name], others[name])]
    assert [score for run in corpus.runs for score in run.gold] == expected
    (refused,) = corpus.refused
    assert (refused.submission.name, refused.problems[0].code) == ("B-2", "task-no-reference")
    assert "reference-numbers" in [note.code for note in results.notes]


def test_its_page_and_its_receipt_know_them(task: Path, errorbar_command: CommandLine) -> None:
    results, problems = run_task(task), Problems()
    (study,) = study_best(results, problems, Resampling(replicates=50), browse=False)
    assert isinstance(study, CorpusStudy)
    assert study.editors == {"A": 2, "B": 1}
    done = errorbar_command("task", "run", task, "-o", "own.json")
    assert (done.code, "[task-no-reference]" in done.err) == (2, True)  # of a run that was refused
    assert errorbar.verify("own.receipt.json").good
