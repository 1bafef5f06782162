"""HOO tasks: scores of the metric, counted once."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from errorbar import Problems, Resampling
from errorbar.api import HooStudy
from errorbar.core import Fragment, InputError, StandoffEdit
from errorbar.formats import save_fragments
from errorbar.metrics import Hoo, score_runs
from errorbar.tasks import CorpusResults, TaskResults, read_task, run_task, study_best

TEXTS = {"0001": "He go home .\n", "0002": "They likes it .\n"}
GOLD = {
    "0001": StandoffEdit("1", 3, 5, "go", ("goes",), type="FV"),
    "0002": StandoffEdit("1", 5, 10, "likes", ("like",), type="AGV"),
}
WRONG = {
    "0001": StandoffEdit("1", 3, 5, "go", ("went",)),
    "0002": StandoffEdit("1", 11, 13, "it", ("them",)),
}
TASK = """\
[task]
name = "Two texts"

[[corpus]]
name = "test"
gold = "gold"

[[team]]
name = "T1"
submissions = "T1"
"""


def fragments(edits: dict[str, StandoffEdit]) -> list[Fragment]:
    return [Fragment(name, (edits[name],), text) for name, text in TEXTS.items()]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """Two runs of a team whose name ends in a number."""
    save_fragments(fragments(GOLD), str(tmp_path / "gold"), Problems(), texts=True)
    save_fragments(fragments(GOLD), str(tmp_path / "T1" / "T1-0"), Problems())
    save_fragments(fragments(WRONG), str(tmp_path / "T1" / "T1-1"), Problems())
    (tmp_path / "task.toml").write_text(TASK)
    return tmp_path / "task.toml"


def results_of(task: Path) -> tuple[TaskResults, CorpusResults]:
    results = run_task(task)
    (corpus,) = results.corpora
    return results, corpus


def test_scores_are_those_of_the_metric(task: Path) -> None:
    runs = {f"T1-{number}": [(edit,) for edit in edits.values()] for number, edits in enumerate((GOLD, WRONG))}
    right = score_runs(fragments(GOLD), runs, [Hoo()], Problems())
    for _ in range(2):  # counted, and then from the cache
        _, corpus = results_of(task)
        assert [run.submission.name for run in corpus.runs] == ["T1-0", "T1-1"]
        assert (corpus.n_units, sum(corpus.rows.values())) == (2, 2)
        for run, expected in zip(corpus.runs, right, strict=True):
            assert run.gold == (expected,)
            assert run.submission.team == "T1"
            assert [row.type for row in run.by_code[0]] == ["AGV", "FV"]


def test_the_best_run_of_each_team_is_studied(task: Path) -> None:
    # Run 0 is right in all and run 1 in none; team T2 handed in the same two the other way round.
    for number, edits in enumerate((WRONG, GOLD)):
        save_fragments(fragments(edits), str(task.parent / "T2" / f"T2-{number}"), Problems())
    task.write_text(TASK + '\n[[team]]\nname = "T2"\nsubmissions = "T2"\n\n[[team]]\nname = "T3"\n')
    results, _ = results_of(task)
    progress: list[int] = []
    (study,) = study_best(results, Problems(), Resampling(replicates=20), browse=False, progress=progress.append)
    assert isinstance(study, HooStudy)
    assert [score.system for score in study.scores] == ["T1-0", "T2-1"]
    assert (study.name, study.browse, progress) == ("test", None, [1])
    task.write_text(TASK.split("[[team]]", maxsplit=1)[0])
    assert study_best(results_of(task)[0], Problems(), Resampling(replicates=20)) == []


def test_a_run_came_when_its_last_file_did(task: Path) -> None:
    task.write_text(TASK.replace('name = "Two texts"', 'name = "Two texts"\ndeadline = 2026-01-02T00:00:00Z'))
    deadline = datetime(2026, 1, 2, tzinfo=UTC).timestamp()
    for name, moment in (("T1-0/0001", -9), ("T1-0/0002", 9), ("T1-1/0001", -9), ("T1-1/0002", -1)):
        os.utime(task.parent / "T1" / f"{name}.xml", (deadline + moment, deadline + moment))
    runs = read_task(task).submissions("test")
    assert [(run.name, run.late) for run in runs] == [("T1-0", True), ("T1-1", False)]


def test_only_what_changed_is_counted(task: Path) -> None:
    assert [results_of(task)[0].n_measured for _ in range(2)] == [2, 0]
    run = task.parent / "T1" / "T1-1" / "0001.xml"
    run.write_text(run.read_text().replace("went", "goes"))
    assert results_of(task)[0].n_measured == 1
    gold = task.parent / "gold" / "Gold" / "0001.xml"
    gold.write_text(gold.read_text().replace("goes", "is going"))
    results, corpus = results_of(task)
    assert (results.n_measured, results.n_found) == (2, 0)
    assert corpus.runs[0].gold[0].counts["corrected"] == 1
    task.write_text(TASK.replace('name = "Two texts"', 'name = "Two texts"\nmetrics = ["hoo(case=ignore)"]'))
    assert results_of(task)[0].n_measured == 2


def test_a_missing_text_is_refused_or_counts_as_nothing(task: Path) -> None:
    (task.parent / "T1" / "T1-1" / "0002.xml").unlink()
    (refused,) = results_of(task)[0].refused
    assert "T1-1: no file for fragment 0002" in str(refused.problems[0])
    task.write_text(TASK.replace('gold = "gold"', 'gold = "gold"\nmissing_as_empty = true'))
    _, corpus = results_of(task)
    assert corpus.runs[1].gold[0].counts["system"] == 1
    assert corpus.runs[1].gold[0].signature.conventions == ("missing:empty",)
    (task.parent / "T1" / "T1-0" / "0002.xml").unlink()
    task.write_text(TASK.replace('name = "Two texts"', 'name = "Two texts"\nmetrics = ["hoo(missing=empty)"]'))
    results, corpus = results_of(task)
    (study,) = study_best(results, Problems(), Resampling(replicates=20), browse=False)
    assert isinstance(study, HooStudy)
    (best,) = study.scores
    assert best.counts == corpus.best()[0].gold[0].counts
    assert best.signature.conventions[0] == "missing:empty"


def test_edits_out_of_range_are_refused(task: Path) -> None:
    run = task.parent / "T1" / "T1-1" / "0001.xml"
    run.write_text(run.read_text().replace('end="5"', 'end="500"'))
    (refused,) = results_of(task)[0].refused
    assert re.search(r"0001.xml:3: .*ends past the text.*; correct it \[hoo-outside\]", str(refused.problems[0]))


@pytest.mark.parametrize("key", ["annotators", "alternatives"])
def test_keys_of_the_other_kind(key: str, task: Path) -> None:
    task.write_text(TASK.replace('gold = "gold"', f'gold = "gold"\n{key} = "gold"'))
    with pytest.raises(InputError, match=rf"task.toml:7: a corpus of kind hoo has no {key}"):
        results_of(task)
