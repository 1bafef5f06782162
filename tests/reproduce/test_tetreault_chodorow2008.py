"""Tetreault and Chodorow 2008: their counts give their numbers, and the rest says why it cannot."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import pytest

from errorbar.reproduce import Cell, Outcome, Sources
from errorbar.reproduce import prepositions as study
from errorbar.reproduce.prepositions import OTHER_JUDGES


@pytest.fixture(scope="module")
def cells(data: Path) -> list[Cell]:
    return list(study.tetreault_chodorow2008(Sources(data)))


def test_what_can_be_recomputed_matches(cells: list[Cell]) -> None:
    matching = {(cell.table, cell.row, cell.column) for cell in cells if cell.outcome == Outcome.MATCH}
    assert {
        ("table 3", "three categories", "agreement"),
        ("table 3", "three categories", "kappa"),
        *(("table 5", "sampling", name) for name in ("hit_rate", "false_positive_rate", "miss_rate")),
        ("table 5", "sampling", "precision"),
        ("table 5", "sampling", "recall"),
        *(("table 5", f"95% interval of {name}", end) for name in ("precision", "hit_rate") for end in ("low", "high")),
        *(("table 3", f"errors of rater {number}", "OK to the other") for number in (1, 2)),
    } == matching
    assert not [cell for cell in cells if cell.outcome == Outcome.MISMATCH]


def test_the_intervals_of_section_6_3_leave_out_the_correction(cells: list[Cell]) -> None:
    """P .77-.83 and hits .077-.083 are Wald's, .8 ± 1.96 sqrt(.16 / 750), without finite-population correction."""
    printed = {(c.row, c.column): str(c.published) for c in cells if c.table == "table 5" and "interval" in c.row}
    assert printed["95% interval of precision", "low"] == "0.77"
    assert printed["95% interval of hit_rate", "high"] == "0.083"
    ours = {(c.row, c.column): c.ours for c in cells}
    assert ours["95% interval of precision", "high"] == pytest.approx(0.8 + 1.959964 * (0.16 / 750) ** 0.5)
    assert not any("no interval" in c.known for c in cells)


def test_disagreement_follows_from_table_3(cells: list[Cell]) -> None:
    """Of 86 errors of rater 1 the other one calls 26 OK, of 97 of rater 2 37."""
    ours = {c.row: c.ours for c in cells if c.column == "OK to the other"}
    assert ours == {"errors of rater 1": pytest.approx(26 / 86), "errors of rater 2": pytest.approx(37 / 97)}


def test_cells_say_whose_edits_are_the_truth(cells: list[Cell]) -> None:
    reasons = {c.table: c.known for c in cells if c.table.endswith("ten annotators")}
    assert "flags" not in reasons["table 3, ten annotators"]
    assert "edit of any type" in reasons["table 3, ten annotators"]
    assert "flags of CAMB; truth: edits of any type by five of ten" in reasons["table 6, ten annotators"]


def test_the_paper_is_the_one_of_the_workshop() -> None:
    """Its tables: P .78 and .68 against two raters; the other paper of 2008 has P .84, R .19 in its abstract."""
    assert study.tetreault_chodorow2008.__doc__ is not None
    assert "Native judgments of non-native usage" in study.tetreault_chodorow2008.__doc__.splitlines()[0]


def test_table_5_has_the_corrected_intervals_too(cells: list[Cell]) -> None:
    """Derived independently: delta method on the logit, finite-population correction, without the half error."""
    added = {(cell.row, cell.column): cell.ours for cell in cells if cell.outcome == Outcome.ADDED}
    assert len(added) == 6
    assert added["95% interval of R, corrected", "low"] == pytest.approx(0.215985, abs=2e-4)
    assert added["95% interval of R, corrected", "high"] == pytest.approx(0.241666, abs=2e-4)
    assert added["95% interval of P, corrected", "low"] == pytest.approx(0.7857, abs=1e-3)
    assert added["95% interval of F, corrected", "high"] == pytest.approx(0.3715, abs=1e-3)


@pytest.mark.parametrize(
    ("row", "agreement", "kappa"),
    [  # computed with scikit-learn and statsmodels
        ("three categories", 0.952096, 0.629717),
        ("extraneous and wrong choice as one", 0.952844, 0.630524),
        ("extraneous against the rest", 0.991766, 0.751370),
        ("wrong choice against the rest", 0.959581, 0.587555),
    ],
)
def test_only_the_unmerged_table_gives_both_numbers(
    cells: list[Cell], row: str, agreement: float, kappa: float
) -> None:
    found = {cell.column: cell for cell in cells if cell.table == "table 3" and cell.row == row}
    assert found["agreement"].ours == pytest.approx(agreement, abs=5e-7)
    assert found["kappa"].ours == pytest.approx(kappa, abs=5e-7)


def test_the_ten_annotators_say_that_they_are_other_data(cells: list[Cell]) -> None:
    others = [cell for cell in cells if "ten annotators" in cell.table and "table 4" not in cell.table]
    assert {cell.known for cell in others} == {study.OTHER_FLAGS, OTHER_JUDGES}
    found = {(cell.row, cell.column): cell.ours for cell in others}
    # 122 of 222 flagged prepositions are errors, 305 of 3,614 others: counted one by one in the coverage study.
    assert found["standard", "precision"] == pytest.approx(122 / 222)
    assert found["standard", "recall"] == pytest.approx(122 / 427)
    for column, half in (("precision", 0.06), ("recall", 0.09)):
        sampled = found["sampling", column]
        assert sampled == pytest.approx(found["standard", column], abs=half)
        assert sampled != found["standard", column]


def test_every_printed_number_has_a_cell(cells: list[Cell]) -> None:
    printed = 0
    for path in files("errorbar.reproduce").joinpath("published").iterdir():
        if path.name.startswith(study.PREFIX) and not any(part in path.name for part in ("table3", "table5", "facts")):
            rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
            printed += sum(len(row) - 1 for row in rows)
    assert printed == sum(cell.known == study.NOT_RELEASED and cell.table != "facts" for cell in cells)
