"""Scores as a value: which one is asked for, and what is said where that is not clear."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import cast

import pytest

import errorbar
from errorbar.api import Scores
from errorbar.core import UsageError
from tests.helpers.cli import CommandLine


@pytest.fixture(scope="module")
def scores() -> Scores:
    corpus = errorbar.Corpus(
        [errorbar.Sentence("a b c d e", {"0": (errorbar.Edit(0, 1, ("X",), "Det"),)}, document="one")], ("0",)
    )
    systems = {"A": ["X b c d e"], "B": ["a b c d e"]}
    return errorbar.score(corpus, systems, ["m2", "gleu", "m2(beta=1)"], ci=False)


def test_a_system_and_its_metric(scores: Scores) -> None:
    assert scores["A", "gleu"].metric == "gleu"
    assert scores["B", "m2(beta=1)"].system == "B"
    assert scores["A", "m2"].metric == "m2"  # a whole spec goes before a name that several begin with
    assert scores[0] == scores["A", "m2"]


def test_a_system_under_several_metrics_is_no_score(scores: Scores) -> None:
    with pytest.raises(UsageError, match=r"'A' has scores of 3 metrics; take one of \[\"A\", \"m2\"\]") as caught:
        scores["A"]
    assert caught.value.code == "which-metric"
    with pytest.raises(UsageError, match=r"'A' has no score of 'errant'; take one of"):
        scores["A", "errant"]
    with pytest.raises(UsageError, match="no score of a system 'AA'; did you mean 'A'") as caught:
        scores["AA"]
    assert caught.value.code == "unknown-system"


def test_frames_of_types_have_the_rows_of_the_command(
    tmp_path: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errorbar as library

    monkeypatch.setitem(sys.modules, "pandas", cast("ModuleType", SimpleNamespace(DataFrame=dict)))
    gold = tmp_path / "gold.m2"
    gold.write_text("S a b\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n")
    systems = [tmp_path / "one", tmp_path / "two"]
    for system in systems:
        system.write_text("X b\n")
    frame = library.score(gold, systems, by="type", ci=False).to_pandas()
    printed = errorbar("score", "--gold", gold, *systems, "--by", "type", "--no-ci", "--format", "csv").out
    assert list(frame) == printed.splitlines()[0].split(",")
    assert frame["system"] == ["one", "two"]


def test_names_are_among_scores_and_measures_among_estimates(scores: Scores) -> None:
    assert all(known in scores for known in ("A", ("A", "gleu"), scores[0]))
    assert not any(unknown in scores for unknown in ("C", ("A", "errant"), 0))
    assert "f" in scores[0]
    assert "gleu" not in scores[0]


def test_under_one_metric_the_name_does(scores: Scores) -> None:
    assert Scores([score for score in scores if score.metric == "gleu"])["B"].system == "B"


def test_a_measure_that_a_metric_does_not_give(scores: Scores) -> None:
    gleu = scores["A", "gleu"]
    for name, ask in {"f": "f", "precision": "precision", "P": ""}.items():
        with pytest.raises(UsageError, match=f"gleu: there is no measure '{name}'; known: gleu") as caught:
            getattr(gleu, ask) if ask else gleu[name]
        assert caught.value.code == "unknown-measure"
    assert gleu.estimate == gleu["gleu"]
    assert scores["A", "m2"].estimate == scores["A", "m2"].f
