"""A task whose runs have references of their own: ``references`` of a ``[[team.run]]``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar import Problems, Resampling
from errorbar.api import CorpusStudy
from errorbar.core import UsageError
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
    codes = [note.code for note in results.notes]
    assert [codes.count(code) for code in ("reference-numbers", "reference-texts", "reference-kinds")] == [1, 1, 1]


def test_a_gold_of_texts_has_the_warning_that_it_has_elsewhere(task: Path) -> None:
    lines = [line for line in TASK.splitlines() if not line.startswith(("references", "metrics"))]
    common = "\n".join(lines).replace("[[team]]", 'gold = ["greedy.txt"]\n\n[[team]]', 1)
    for metrics, warned in (('["m2", "gleu"]', 1), ('["gleu"]', 0)):
        task.write_text(common.replace("[task]", f"[task]\nmetrics = {metrics}"))
        assert [note.code for note in run_task(task).notes].count("reference-texts") == warned


def test_references_that_nobody_looked_at_are_refused_or_named(task: Path) -> None:
    sentences = [line for line in Path("gold.jsonl").read_text().splitlines() if '"text"' in line]
    for n, expected in ((0, "reference-nobody"), (30, "reference-parts")):
        rows = [{**json.loads(line), "annotations": {"0": []} if at < n else {}} for at, line in enumerate(sentences)]
        Path("some.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        task.write_text(TASK.replace('references = ["b.m2", "articles.txt"]', 'references = ["some.jsonl"]'))
        if n:
            assert expected in [note.code for note in run_task(task).notes]
        else:
            with pytest.raises(UsageError) as caught:
                run_task(task)
            assert caught.value.code == expected


def test_its_page_and_its_receipt_know_them(task: Path, errorbar_command: CommandLine) -> None:
    results, problems = run_task(task), Problems()
    (study,) = study_best(results, problems, Resampling(replicates=50), browse=False)
    assert isinstance(study, CorpusStudy)
    assert study.editors == {"A": 2, "B": 1}
    done = errorbar_command("task", "run", task, "-o", "own.json")
    assert (done.code, "[task-no-reference]" in done.err) == (2, True)  # of a run that was refused
    assert errorbar.verify("own.receipt.json").good
