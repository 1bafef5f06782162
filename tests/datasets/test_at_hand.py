"""Corpora in other languages, where they were fetched before: each is checked, scored and agreed on, slowly.

``errorbar data fetch ua-gec multiged2023 estgec-l2`` puts them there; corpora that nobody fetched are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import errorbar as package
from errorbar.core import InputError
from errorbar.datasets import catalog, path
from tests.helpers.cli import CommandLine

pytestmark = pytest.mark.slow


def fetched(name: str) -> Path:
    """The folder of a corpus, complete; skips where it was never fetched."""
    try:
        return path(name)
    except InputError as error:
        pytest.skip(f"{name} is not at hand: {error}")


@pytest.mark.parametrize(
    ("guideline", "n_sentences", "n_edits"), [("gec-only", 2704, 6169), ("gec-fluency", 2697, 7858)]
)
def test_ukrainian(guideline: str, n_sentences: int, n_edits: int, errorbar: CommandLine) -> None:
    """The counts are those of UA-GEC's README."""
    gold = fetched("ua-gec") / f"data/{guideline}/test/{guideline}.test.m2"
    assert errorbar("check", gold).code == 0
    corpus = package.read_corpus(gold)
    assert len(corpus.sentences) == n_sentences
    assert sum(len(edits) for sentence in corpus.sentences for edits in sentence.annotations.values()) == n_edits
    alpha = package.agree(gold, items="tokens", ci=False).report.coefficients["krippendorff"]
    assert alpha.value is not None
    assert 0 < alpha.value < 1
    assert errorbar("ceiling", "--gold", gold, "--no-ci").code == 0


@pytest.mark.parametrize("file", [file.path for file in catalog()["multiged2023"].files])
def test_labels_of_multiged(file: str, errorbar: CommandLine) -> None:
    """Against themselves labels have every count right: as many as the file has lines that end in i."""
    labels = fetched("multiged2023") / file
    assert errorbar("check", labels).code == 0
    n_incorrect = sum(line.endswith("\ti") for line in labels.read_text(encoding="utf-8").splitlines())
    (score,) = package.score(labels, [labels], ci=False).scores
    assert score.counts == {"correct": n_incorrect, "proposed": n_incorrect, "gold": n_incorrect}


@pytest.mark.parametrize("level", ["A2", "B1", "B2", "C1"])
def test_edits_of_estonian_overlap(level: str, tmp_path: Path, errorbar: CommandLine) -> None:
    """As many sentences as the file of the source has, and every A line that corrects something is an edit."""
    folder = fetched("estgec-l2") / f"test/{level}"
    gold, kept = folder / f"{level}_source_gold.txt", tmp_path / "gold.jsonl"
    assert errorbar("convert", gold, "--from", "m2(overlap=allowed)", "-o", kept).code == 0
    corpus = package.read_corpus(kept)
    assert len(corpus.sentences) == len((folder / f"{level}_source_sentences.txt").read_text().splitlines())
    lines = [line for line in gold.read_text(encoding="utf-8").splitlines() if line.startswith("A ")]
    edits = [edit for sentence in corpus.sentences for edits in sentence.annotations.values() for edit in edits]
    assert len(edits) == sum("|||noop|||" not in line for line in lines)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_german(part: str, errorbar: CommandLine) -> None:
    """The corrected version as a system is right everywhere."""
    source, target = (fetched("falko-merlin") / f"fm-{part}.{ending}" for ending in ("src", "trg"))
    (score,) = package.score(target, [target], source=source, ci=False).scores
    assert score.counts["correct"] == score.counts["proposed"] == score.counts["gold"] > 0
