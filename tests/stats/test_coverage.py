"""The figures of docs/design/intervals.md are those that the simulations give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stats.coverage import TABLES, Table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "design" / "intervals.md"
# The seed is fixed, so a difference comes from another release of numpy; two independent shares of 20,000 draws
# near 0.9 differ by .003 in the mean square, and three of them are allowed.
TOLERANCE = 0.009


def printed(name: str) -> Table:
    """The table under a heading of the page."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {name}\n")[1].split("\n## ")[0]
    header, _, *rows = (
        [cell.strip() for cell in line.strip("|\n").split("|")] for line in re.findall(r"^\|.*\n", text, re.MULTILINE)
    )
    return {
        row[0]: {column: float(cell) for column, cell in zip(header[1:], row[1:], strict=True) if cell} for row in rows
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_page_says_what_the_simulation_gives(name: str) -> None:
    made, shown = TABLES[name](), printed(name)
    assert {row: set(cells) for row, cells in shown.items()} == {row: set(cells) for row, cells in made.items()}
    for row, cells in made.items():
        assert shown[row] == pytest.approx(cells, abs=TOLERANCE), row
