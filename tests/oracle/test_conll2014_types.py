"""Recall by error type (Ng et al. 2014, tables 9 and 10): 27 types x 12 teams x 2 references.

The 28th row, ``Cit`` (citations), has no edit in any file: errorbar has no such row where the paper prints 0.00.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from errorbar import M2, Hypothesis
from errorbar.formats import read_corpus
from errorbar.metrics import TypeScore
from tests.helpers.official import read_lines, read_table
from tests.helpers.scoring import score

HALF_A_HUNDREDTH = Fraction(1, 200)
"""The paper rounds exact halves either way: 0.625 to 0.63 (NTHU, Wci), but 3.125 to 3.12 (RAC, Others)."""


def distance(row: TypeScore, printed: str) -> Fraction:
    """Between the exact recall in percent and the printed one."""
    return abs(Fraction(100 * row.counts["correct"], row.counts["gold"] or 1) - Fraction(printed))


@pytest.mark.parametrize(
    ("table", "reference"),
    [
        ("conll2014_table09_recall_by_type_no_alternatives.csv", "noalt/official-2014.combined.m2"),
        ("conll2014_table10_recall_by_type_with_alternatives.csv", "alt/official-2014.combined-withalt.m2"),
    ],
)
@pytest.mark.parametrize("number", [3, pytest.param(12, marks=pytest.mark.slow)])
def test_recall_by_type(data: Path, published: Path, table: str, reference: str, number: int) -> None:
    rows = [row for row in read_table(published / table) if row["error_type"] != "Cit"]
    assert len(rows) == 27
    teams = [team for team in rows[0] if team not in ("error_type", "NARA")][:number]
    folder = data / "conll14_systems/official_submissions"
    systems = [Hypothesis(team, read_lines(folder / team)) for team in teams]
    for result in score(read_corpus([data / "conll14" / reference]), systems, [M2()], by_type=True):
        expected = {row["error_type"]: row[result.system] for row in rows}
        assert {row.type for row in result.by_type} == expected.keys()
        wrong = [row for row in result.by_type if distance(row, expected[row.type]) > HALF_A_HUNDREDTH]
        assert not wrong, result.system
