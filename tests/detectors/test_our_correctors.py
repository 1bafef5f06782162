"""Our correctors beside the teams of CoNLL-2014."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.detectors.correctors import CORRECTORS
from errorbar.reproduce import Outcome, Sources, reproduce


@pytest.mark.slow
def test_rows_of_what_the_folder_has(data: Path, trained: Path) -> None:
    """Models without labels: two correctors, and why there is no third."""
    cells = [cell for cell in reproduce("conll2014", Sources(data, trained)) if cell.row in CORRECTORS]
    value = {(cell.table, cell.row, cell.column): cell.ours for cell in cells if cell.ours is not None}
    assert {cell.outcome for cell in cells} == {Outcome.ADDED, Outcome.NOT_COMPUTABLE}
    (missing,) = (cell for cell in cells if cell.outcome == Outcome.NOT_COMPUTABLE)
    assert missing.row == "ranked"
    assert "learned from labels" in missing.known
    for table in ("table 7", "table 8"):
        # docs/measurements/correctors.md: intervals from 23.37 and 27.55 on, of models with the same parts.
        for name, least in (("lm", 23.0), ("lm+classifiers", 27.0)):
            low, found, high = (value[table, name, column] for column in ("f0.5, low", "f0.5", "f0.5, high"))
            assert least < low < found < high < found + 5
    for name in ("lm", "lm+classifiers"):
        better, worse = (value["groups", name, f"significantly {which} than"] for which in ("better", "worse"))
        assert 0 < better + worse <= 13  # of 12 teams and the other corrector
        one, nine = (value["ratio to humans", name, f"percent, {n}"] for n in ("1 reference", "9 references"))
        assert 30 < one < nine < 80
