"""A published number beside ours: what counts as a match."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.core import InputError, UsageError
from errorbar.reproduce import STUDIES, Cell, Number, Outcome, Sources, read_published, reproduce


@pytest.mark.parametrize(
    ("ours", "known", "outcome"),
    [
        (12.34, "", Outcome.MATCH),
        (12.3449, "", Outcome.MATCH),
        (12.345, "", Outcome.MATCH),  # papers round halves either way
        (12.335, "", Outcome.MATCH),
        (12.3451, "", Outcome.MISMATCH),
        (12.3349, "", Outcome.MISMATCH),
        (None, "", Outcome.MISMATCH),
        (float("nan"), "", Outcome.MISMATCH),
        (None, "never released", Outcome.NOT_COMPUTABLE),
        (99.0, "another reading", Outcome.KNOWN),
        (99.0, "unexplained: nobody knows", Outcome.UNEXPLAINED),
        (12.34, "another reading", Outcome.MATCH),
    ],
)
def test_outcome(ours: float | None, known: str, outcome: Outcome) -> None:
    assert Cell("t", "r", "c", Number("12.34"), ours, known=known).outcome == outcome


def test_what_the_paper_does_not_print_is_added() -> None:
    cell = Cell("t", "r", "low", None, 0.5, known="no interval there")
    assert (cell.outcome, cell.difference) == (Outcome.ADDED, None)


def test_counts_match_exactly_or_not() -> None:
    assert Cell("t", "r", "c", Number("5560"), 5560).outcome == Outcome.MATCH
    assert Cell("t", "r", "c", Number("5560"), 5559).outcome == Outcome.MISMATCH


@pytest.mark.parametrize(
    ("text", "value", "rounds"),
    [
        ("0.630", 0.6305, True),
        ("0.630", 0.6306, False),
        ("0.63", 0.6306, True),
        ("7", 7.5, True),
        ("71.60", 71.606, False),
    ],
)
def test_a_number_stands_for_what_rounds_to_its_print(text: str, value: float, rounds: bool) -> None:
    assert Number(text).rounds(value) == rounds
    assert str(Number(text)) == text


def test_other_data_never_match() -> None:
    assert Cell("t", "r", "c", Number("0.80"), 0.8, "other essays", other_data=True).outcome == Outcome.KNOWN


def test_difference() -> None:
    assert Cell("t", "r", "c", Number("2.0"), 5.0).difference == 3.0
    assert Cell("t", "r", "c", Number("2.0"), None).difference is None


def test_the_transcriptions_are_those_of_the_shared_folder(published: Path) -> None:  # the fixture, not the function
    import errorbar.reproduce

    assert errorbar.reproduce.__file__ is not None
    ours = sorted((Path(errorbar.reproduce.__file__).parent / "published").glob("*.csv"))
    assert len(ours) >= 11
    for file in ours:
        assert file.read_text(encoding="utf-8").split() == (published / file.name).read_text(encoding="utf-8").split()


def test_a_table_is_read_by_its_columns() -> None:
    rows = list(read_published("bryant_ng2015_ratio"))
    assert [row["gold_annotators"] for row in rows] == [str(k) for k in range(1, 10)]


def test_an_unknown_study() -> None:
    with pytest.raises(UsageError, match=r"'foo'; known: conll2014, .*, hoo2011"):
        reproduce("foo", Sources())
    with pytest.raises(UsageError, match="no study is called 'conll14'; did you mean 'conll2014'"):
        reproduce("conll14", Sources())


@pytest.mark.parametrize("study", STUDIES)
def test_a_missing_corpus_is_named_with_what_to_do(study: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        list(reproduce(study, Sources(tmp_path)))
    (problem,) = refused.value.problems
    assert problem.code == "no-corpus"
    assert problem.fix.startswith("errorbar data fetch ")
    assert problem.fix.endswith(", or name a folder that has it: --data DIR")
    assert str(tmp_path) in problem.place.file
