"""Tasks over essays and over token labels score what ``errorbar score`` does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errorbar import score
from tests.formats.test_essay_texts import HYPO, ORIG, REF1, REF2
from tests.formats.test_token_labels import OTHER, REF, SYSTEM
from tests.helpers.cli import CommandLine

TASK = """[task]
name = "Small"
metrics = ["{metric}"]

[[corpus]]
name = "test"
{corpus}

[[team]]
name = "one"
submissions = "one"
"""


def made(folder: Path, corpus: str, metric: str, **files: str) -> Path:
    (folder / "one").mkdir()
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        (folder / ("one" if stem.startswith("run") else "") / f"{stem}.{ending}").write_text(text, encoding="utf-8")
    (folder / "task.toml").write_text(TASK.format(metric=metric, corpus=corpus))
    return folder / "task.toml"


def runs(errorbar: CommandLine, task: Path, code: int = 0) -> tuple[list[Any], list[Any]]:
    for _ in range(2):  # measured, and then from the cache
        done = errorbar("task", "run", task, "--format", "json")
        assert done.code == code, done.err
    (corpus,) = json.loads(done.out)["corpora"]
    return corpus["runs"], corpus["refused"]


def f(run: dict[str, Any]) -> float:
    (gold,) = run["gold"]
    return float(gold["f"])


def test_essays_with_texts_as_references(tmp_path: Path, errorbar: CommandLine) -> None:
    corpus = 'source = "orig.md"\ngold = ["ref1.md", "ref2.md"]'
    task = made(tmp_path, corpus, "m2", orig_md=ORIG, ref1_md=REF1, ref2_md=REF2, run1_md=HYPO, run2_md=REF2)
    (run,), (refused,) = runs(errorbar, task, code=2)
    references = [tmp_path / "ref1.md", tmp_path / "ref2.md"]
    (alone,) = score(references, tmp_path / "one/run1.md", source=tmp_path / "orig.md", ci=False).scores
    assert f(run) == alone.f.value
    assert [error["code"] for error in refused["errors"]] == ["essay-missing"]


@pytest.mark.parametrize("by", ["task", "team"])
def test_essays_are_checked_before_they_are_sent(tmp_path: Path, errorbar: CommandLine, by: str) -> None:
    corpus = 'source = "orig.md"\ngold = ["ref1.md"]' if by == "task" else 'source = "orig.md"'
    task = made(tmp_path, corpus, "m2", orig_md=ORIG, ref1_md=REF1, run1_md=HYPO, run2_md=REF2)
    assert errorbar("task", "validate", task, tmp_path / "one/run1.md").code == 0
    bad = errorbar("task", "validate", task, tmp_path / "one/run2.md")
    assert "2 of 3 essays are missing: two words, 3" in bad.out + bad.err


def test_token_labels(tmp_path: Path, errorbar: CommandLine) -> None:
    files = {"ref_tsv": REF, "other_tsv": OTHER, "run1_tsv": SYSTEM, "run2_tsv": REF.replace("!\tc", "!\ti")}
    task = made(tmp_path, 'gold = ["ref.tsv", "other.tsv"]', "tokens", **files, run3_tsv=SYSTEM.replace("Fine", "fine"))
    scored, (refused,) = runs(errorbar, task, code=2)
    alone = score(
        [tmp_path / "ref.tsv", tmp_path / "other.tsv"], [tmp_path / f"one/run{k}.tsv" for k in (1, 2)], ci=False
    )
    assert sorted(map(f, scored)) == sorted(run_score.f.value or 0.0 for run_score in alone.scores)
    assert len({run["gold"][0]["signature"] for run in scored}) == 2
    assert [error["code"] for error in refused["errors"]] == ["labels-other-token"]
    assert errorbar("task", "validate", task, tmp_path / "one/run1.tsv").code == 0


def test_token_labels_need_a_metric_that_scores_them(tmp_path: Path, errorbar: CommandLine) -> None:
    task = made(tmp_path, 'gold = ["ref.tsv"]', "m2", ref_tsv=REF, run1_tsv=SYSTEM)
    done = errorbar("task", "run", task)
    assert done.code == 2
    assert 'the metric m2 needs corrections; set metrics = ["tokens"] [labels-metric]' in done.err
