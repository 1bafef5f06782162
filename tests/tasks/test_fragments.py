"""HOO tasks: scores of the metric, counted once."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.core.errors import InputError
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.formats.hoo_write import save_fragments
from errorbar.metrics.hoo import Hoo
from errorbar.metrics.hoo_score import score_runs
from errorbar.tasks import HooResults, TaskResults, read_task, run_task

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


def results_of(task: Path) -> tuple[TaskResults, HooResults]:
    results = run_task(read_task(task), Problems())
    (found,) = results.corpora
    assert isinstance(found, HooResults)
    return results, found


def test_scores_are_those_of_the_metric(task: Path) -> None:
    runs = {f"T1-{number}": [(each,) for each in edits.values()] for number, edits in enumerate((GOLD, WRONG))}
    right = score_runs(fragments(GOLD), runs, [Hoo()], Problems())
    for _ in range(2):  # counted, and then from the cache
        _, found = results_of(task)
        assert [run.submission.name for run in found.runs] == ["T1-0", "T1-1"]
        assert (found.n_fragments, sum(found.rows.values())) == (2, 2)
        for run, expected in zip(found.runs, right, strict=True):
            assert run.scores[0].figures == expected.figures
            assert run.scores[0].counts == expected.counts
            assert run.scores[0].signature == expected.signature
            assert run.scores[0].team == "T1"


def test_only_what_changed_is_counted(task: Path) -> None:
    # Two runs and what is known of the gold edits.
    assert [results_of(task)[0].n_counted for _ in range(2)] == [3, 0]
    run = task.parent / "T1" / "T1-1" / "0001.xml"
    run.write_text(run.read_text().replace("went", "goes"))
    assert results_of(task)[0].n_counted == 1
    gold = task.parent / "gold" / "Gold" / "0001.xml"
    gold.write_text(gold.read_text().replace("goes", "is going"))
    results, found = results_of(task)
    assert (results.n_counted, results.n_cached) == (3, 0)
    assert found.runs[0].scores[0].counts["corrected"] == 1
    task.write_text(TASK.replace('name = "Two texts"', 'name = "Two texts"\nmetrics = ["hoo(case=ignore)"]'))
    assert results_of(task)[0].n_counted == 2


def test_a_missing_text_is_refused_or_counts_as_nothing(task: Path) -> None:
    (task.parent / "T1" / "T1-1" / "0002.xml").unlink()
    with pytest.raises(InputError, match=r"T1-1: no file for fragment 0002.*hoo-missing"):
        results_of(task)
    task.write_text(TASK.replace('gold = "gold"', 'gold = "gold"\nmissing_as_empty = true'))
    _, found = results_of(task)
    assert found.runs[1].scores[0].counts["system"] == 1
    assert found.runs[1].scores[0].signature.conventions == ("missing:empty",)


def test_edits_out_of_range_are_refused(task: Path) -> None:
    run = task.parent / "T1" / "T1-1" / "0001.xml"
    run.write_text(run.read_text().replace('end="5"', 'end="500"'))
    with pytest.raises(InputError, match=r"0001.xml:3: .*ends past the text.*; correct it \[hoo-outside\]"):
        results_of(task)


@pytest.mark.parametrize("key", ["annotators", "alternatives"])
def test_keys_of_the_other_kind(key: str, task: Path) -> None:
    task.write_text(TASK.replace('gold = "gold"', f'gold = "gold"\n{key} = "gold"'))
    with pytest.raises(InputError, match=rf"task.toml:7: a corpus of kind hoo has no {key}"):
        results_of(task)
