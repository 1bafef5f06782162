"""What docs/sampling.md says is the truth is that; tests/test_docs.py runs its commands with those of all pages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from errorbar import read_corpus
from errorbar.api.sample import sample_draw
from errorbar.edits.items import edit_items
from tests.helpers.cli import CommandLine

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sampling.md"


def test_the_truth_of_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> None:
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    frame = sample_draw("demo/greedy.txt", corpus="demo/gold.jsonl", budget=100).frame
    judgments = edit_items(read_corpus(["demo/gold.jsonl"]), "tokens").judgments
    votes = Counter(judgments.item[judgments.label == judgments.labels.index("error")].tolist())
    errors = {judgments.items[code] for code, n in votes.items() if n >= 2}  # of three annotators
    flagged = {item for item, flag in zip(frame.items, frame.flags[0].tolist(), strict=True) if flag}
    hits = len(errors & flagged)
    scores = hits / len(flagged), hits / len(errors), 2 * hits / (len(flagged) + len(errors))
    truth = ", ".join(f"{name} {100 * value:.2f}" for name, value in zip("PRF", scores, strict=True))
    said = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"judged all {len(frame.items)} tokens, so the truth is known: {truth}." in said
