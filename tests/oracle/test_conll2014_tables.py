"""The published tables of CoNLL-2014 (Ng et al. 2014), to two decimals of percent.

NARA, the thirteenth team, never released its output: its rows cannot be computed by anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from errorbar import M2, Corpus, Hypothesis, Score
from errorbar.edits import apply_edits
from errorbar.formats import read_corpus
from tests.helpers.official import percents, read_lines, read_table
from tests.helpers.scoring import score

NEVER_RELEASED = "NARA"
FIGURES = ("precision", "recall", "f0.5")
some_teams = pytest.mark.parametrize("number", [3, pytest.param(12, marks=pytest.mark.slow)])


@cache
def gold(data: Path, name: str) -> Corpus:
    return read_corpus([data / "conll14" / name])


def scored(corpus: Corpus, lines: Sequence[str], *, by_type: bool = False) -> Score:
    return score(corpus, [Hypothesis("it", lines)], [M2()], by_type=by_type)[0]


def figures(corpus: Corpus, lines: Sequence[str]) -> list[str]:
    result = scored(corpus, lines)
    return percents([result.precision.value, result.recall.value, result.f.value])


def submission(data: Path, team: str) -> list[str]:
    return read_lines(data / "conll14_systems/official_submissions" / team)


@pytest.mark.parametrize(
    ("table", "reference"),
    [
        ("conll2014_table07_no_alternatives.csv", "noalt/official-2014.combined.m2"),
        ("conll2014_table08_with_alternatives.csv", "alt/official-2014.combined-withalt.m2"),
    ],
)
@some_teams
def test_tables_7_and_8_the_official_ranking(
    data: Path, published: Path, table: str, reference: str, number: int
) -> None:
    rows = [row for row in read_table(published / table) if row["team"] != NEVER_RELEASED]
    assert len(rows) == 12
    expected = {row["team"]: [row[name] for name in FIGURES] for row in rows[:number]}
    assert {team: figures(gold(data, reference), submission(data, team)) for team in expected} == expected


@pytest.mark.parametrize("annotator", [1, 2])
@some_teams
def test_table_11_one_annotator_at_a_time(data: Path, published: Path, annotator: int, number: int) -> None:
    table = read_table(published / "conll2014_table11_single_annotator.csv")
    rows = [row for row in table if row["team"] != NEVER_RELEASED]
    assert len(rows) == 12
    expected = {row["team"]: [row[f"annotator{annotator}_{name}"] for name in FIGURES] for row in rows[:number]}
    corpus = gold(data, f"noalt/official-2014.{annotator - 1}.m2")
    assert {team: figures(corpus, submission(data, team)) for team in expected} == expected


@pytest.mark.parametrize("annotator", [1, 2])
def test_table_12_one_annotator_against_the_other(data: Path, published: Path, annotator: int) -> None:
    """The text of an annotator leaves ``Um`` (unclear meaning) as it stands: that gives the published figures."""
    rows = read_table(published / "conll2014_table12_annotator_vs_annotator.csv")
    row = next(row for row in rows if row["hypothesis"] == f"annotator{annotator}")
    own = gold(data, f"noalt/official-2014.{annotator - 1}.m2")
    (name,) = own.annotators
    text = [" ".join(apply_edits(sentence.tokens, sentence.annotations[name])) for sentence in own.sentences]
    other = gold(data, f"noalt/official-2014.{2 - annotator}.m2")
    assert figures(other, text) == [row[figure] for figure in FIGURES]
