"""GoToScorer against the authors' program, on the systems of CoNLL-2014 (gotoscorer.csv).

Recorded with the functions of the repository gotutiyan/GTS (gotoscorer.py, commit 1431d98; generate_all_chunks,
evaluation_systems, cluc_weight, update_score and get_RPFA, taken out of it by hand and run on their own). It got M2
files of annotator 0 of the official M2 and of the smallest edits between source and each output, both without edits
that overlap others and without those that have no correction. The program was retyped twice, by two hands that did not
know of each other; both copies gave these values. Counts are of weights, shares of thirteen systems.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import errorbar
from tests.helpers.official import read_table

ROWS = read_table(Path(__file__).with_name("gotoscorer.csv"))


@pytest.mark.parametrize("beta", ["0.5", "1"])
def test_all_systems(data: Path, beta: str) -> None:
    outputs = {row["system"]: data / "conll14_systems/official_submissions" / row["system"] for row in ROWS}
    gold = data / "conll14/noalt/official-2014.combined.m2"
    scores = errorbar.score(gold, outputs, f"gotoscorer(beta={beta})", ci=False, order="input")
    assert [score.system for score in scores] == [row["system"] for row in ROWS]
    for score, row in zip(scores, ROWS, strict=True):
        counts = [score.counts[name] / len(ROWS) for name in ("tp", "fp", "fn", "tn")]
        assert counts == pytest.approx([float(row[name]) for name in ("tp", "fp", "fn", "tn")], abs=1e-9)
        values = [score[name].value for name in ("precision", "recall", "f")]
        expected = [float(row[name]) for name in ("precision", "recall", f"f{beta}")]
        assert values == pytest.approx(expected, abs=1e-11), row["system"]
