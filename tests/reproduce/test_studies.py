"""Both studies on the real corpora: every cell that should match does.

Expected numbers: the papers' own tables (Ng et al. 2014, tables 2, 3, 7 to 12, and section 4.3; Bryant & Ng 2015), of
which ``src/errorbar/reproduce/published`` is a transcription.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from errorbar.reproduce import Cell, Outcome, Sources, reproduce
from errorbar.reproduce.cells import published


@cache
def cells(study: str, data: Path) -> list[Cell]:
    return list(reproduce(study, Sources(data)))


def counts(found: list[Cell]) -> dict[str, tuple[int, int, int]]:
    """Match, known or not computable, and mismatch by table."""
    tables: dict[str, Counter[Outcome]] = {}
    for cell in found:
        tables.setdefault(cell.table, Counter())[cell.outcome] += 1
    return {
        t: (c[Outcome.MATCH], c[Outcome.KNOWN] + c[Outcome.NOT_COMPUTABLE], c[Outcome.MISMATCH])
        for t, c in tables.items()
    }


def test_conll2014(data: Path) -> None:
    """Known: NARA's output (3 x 1, 2 x 28 and 6 cells), the NUCLE columns (3 and 29), two other readings of kappa."""
    assert counts(cells("conll2014", data)) == {
        "table 2": (3, 3, 0),
        "table 3": (116, 29, 0),
        "table 7": (36, 3, 0),
        "table 8": (36, 3, 0),
        "table 9": (12 * 28, 28, 0),
        "table 10": (12 * 28, 28, 0),
        "table 11": (72, 6, 0),
        "table 12": (6, 0, 0),
        "kappa": (2, 2, 0),
    }
    total = Counter(cell.outcome for cell in cells("conll2014", data))
    assert total == {Outcome.MATCH: 943, Outcome.KNOWN: 2, Outcome.NOT_COMPUTABLE: 100}


def test_every_known_difference_has_its_reason_and_nothing_else_has(data: Path) -> None:
    for cell in cells("conll2014", data):
        if cell.outcome not in (Outcome.MATCH, Outcome.MISMATCH):
            assert (cell.outcome == Outcome.NOT_COMPUTABLE) == (cell.ours is None) == (cell.table != "kappa")
            assert (cell.row == "NARA" or cell.column == "NARA") == (
                cell.known == "the team's output was never released"
            )


def test_the_identification_kappas(data: Path) -> None:
    """To four digits, as derived independently when the data were first studied; the paper prints 0.43."""
    kappas = {cell.column: cell.ours for cell in cells("conll2014", data) if cell.table == "kappa"}
    expected = {"tokens": 0.4346, "tokens-before": 0.4330, "tokens-after": 0.4353, "tokens-gaps": 0.4423}
    assert {name: round(value or 0, 4) for name, value in kappas.items()} == expected


def test_bryant_ng2015(data: Path) -> None:
    found = cells("bryant-ng2015", data)
    assert counts(found) == {"edits": (66, 0, 0), "CAMB by annotator": (30, 0, 0), "ratio": (63, 0, 0)}
    assert len(found) == 159


def test_the_ratio_table_is_near_the_published_one(data: Path) -> None:
    """Human, AMU and CAMB within one in the last digit, CUUI within three (its output differs from theirs)."""
    for cell in cells("bryant-ng2015", data):
        if cell.table != "ratio" or "ratio" in cell.column:
            continue
        assert cell.ours is not None
        assert cell.published is not None
        assert round(abs(round(cell.ours, 2) - cell.published), 2) <= (0.03 if "cuui" in cell.column else 0.01), cell


def test_a_changed_published_number_is_a_mismatch(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from errorbar.reproduce import bryant_ng2015

    read = published

    def changed(table: str) -> list[dict[str, str]]:
        return [{**row, "A1": "1"} if row["error_type"] == "Total" else dict(row) for row in read(table)]

    monkeypatch.setattr(bryant_ng2015, "published", changed)
    wrong = [c for c in bryant_ng2015._edits(Sources(data)) if c.outcome == Outcome.MISMATCH]
    assert [(c.row, c.column, c.published, c.ours) for c in wrong] == [("Total", "A1", 1.0, 5560.0)]
