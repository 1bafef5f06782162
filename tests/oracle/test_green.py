"""GREEN against the authors' program, on the systems of CoNLL-2014 (green.csv).

Recorded with the functions of the repository shotakoyama/green (commit 02ddb44; accum, aggreg, score and corpus_main,
taken out of it by hand and run on their own), on texts that errorbar makes of the official M2: of each sentence the
texts of the annotators who looked at it. ``mean`` is that of the scores of single sentences.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from errorbar.formats import read_corpus
from errorbar.metrics.additive import Sums
from errorbar.metrics.green import Green
from tests.helpers.official import read_lines, read_table

ROWS = read_table(Path(__file__).with_name("green.csv"))


CASES = [
    pytest.param(row, id="-".join(row[name] for name in ("system", "beta")), marks=[pytest.mark.slow] * (k > 1))
    for k, row in enumerate(ROWS)
    if row["unit"] == "word"
]


@pytest.mark.parametrize("row", CASES)
def test_a_system_by_words(data: Path, row: dict[str, str]) -> None:
    check(data, row)


@pytest.mark.slow
def test_a_system_by_characters(data: Path) -> None:
    check(data, next(row for row in ROWS if row["unit"] == "char"))


@cache
def measured(data: Path, system: str, unit: str) -> Sums:
    """What a system's text has of the annotators', which is the same for every beta."""
    reference = read_corpus([data / "conll14/noalt/official-2014.combined.m2"])
    return Green(unit=unit).measure(reference, read_lines(data / "conll14_systems/official_submissions" / system))


def check(data: Path, row: dict[str, str]) -> None:
    metric, statistics = Green(beta=float(row["beta"]), unit=row["unit"]), measured(data, row["system"], row["unit"])
    expected = [float(row[name]) for name in ("precision", "recall", "f")]
    assert metric.fold(statistics).values[0].tolist() == pytest.approx(expected, abs=1e-11)
    alone = metric.parts(statistics).values
    assert alone is not None
    assert alone[:, 2].mean() == pytest.approx(float(row["mean"]), abs=1e-11)
