"""The figures of docs/measurements/intervals.md are those that the simulations give."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from errorbar.metrics.judges import spread_of
from errorbar.stats import TwoWay, texts_and_runs
from tests.helpers.page_rows import rows_of_page
from tests.stats.coverage import TABLES, Table

LONG = ("Bootstrap of F0.5", "Draws without a value", "Many systems")
MEASURED = Path(__file__).resolve().parents[2] / "tests/measured/intervals.md"
# The seed is fixed, so a difference comes from another release of numpy; two independent shares of 20,000 draws
# near 0.9 differ by .003 in the mean square, and three of them are allowed.
TOLERANCE = 0.009


def printed(name: str) -> Table:
    """The table under a heading of the record."""
    text = MEASURED.read_text(encoding="utf-8").split(f"## {name}\n")[1].split("\n## ")[0]
    header, _, *rows = (
        [cell.strip() for cell in line.strip("|\n").split("|")] for line in re.findall(r"^\|.*\n", text, re.MULTILINE)
    )
    return {
        row[0]: {column: float(cell) for column, cell in zip(header[1:], row[1:], strict=True) if cell} for row in rows
    }


@pytest.mark.parametrize(
    "name", rows_of_page(TABLES, in_ci=[number for number, name in enumerate(TABLES) if name not in LONG])
)
def test_the_page_says_what_the_simulation_gives(name: str) -> None:
    made, shown = TABLES[name](), printed(name)
    assert {row: set(cells) for row, cells in shown.items()} == {row: set(cells) for row, cells in made.items()}
    for row, cells in made.items():
        assert shown[row] == pytest.approx(cells, abs=TOLERANCE), row


# How often intervals over texts and runs hold the truth: a mean over texts, whose runs have levels of their own.


N_TEXTS, SD_TEXT, SD_BOTH = 30, 0.1, 0.1


def share_that_hold(n_runs: int, sd_run: float, corpora: int, *, pair: bool) -> tuple[float, float]:
    """Of intervals over texts and runs, and of those over texts alone."""
    rng, held = np.random.default_rng([n_runs, round(100 * sd_run), pair]), np.zeros(2)
    for _ in range(corpora):
        texts = rng.normal(0, SD_TEXT, N_TEXTS)
        systems = []
        for _ in range(1 + pair):
            runs = rng.normal(0, sd_run, (n_runs, 1)) + texts + rng.normal(0, SD_BOTH, (n_runs, N_TEXTS))
            systems.append(runs)
            texts = rng.normal(0, SD_BOTH, N_TEXTS) + texts
        means = [runs.mean(axis=0) for runs in systems]
        spreads = [spread_of(runs.mean(axis=1)) for runs in systems]
        values = means[0] - means[1] if pair else means[0]
        spread = spreads[0] - spreads[1] if pair else spreads[0]
        without = (values.sum() - values) / (N_TEXTS - 1)
        for k, own in enumerate((spread, spread_of([0.0]))):
            found = texts_and_runs(float(values.mean()), without, own.variance, own.df)
            assert isinstance(found, TwoWay)
            held[k] += abs(found.value) <= found.half_width(0.95)
    both, alone = (held / corpora).tolist()
    return both, alone


@pytest.mark.slow
@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize(("n_runs", "sd_run"), [(3, 0.02), (3, 0.05), (5, 0.02), (5, 0.05)])
def test_three_runs_are_enough(n_runs: int, sd_run: float, pair: bool) -> None:
    both, alone = share_that_hold(n_runs, sd_run, 2000, pair=pair)
    assert both >= 0.94
    assert alone < both


@pytest.mark.slow
def test_two_runs_are_few() -> None:
    """Two runs that vary more than texts do: the normal degrees of freedom say so, and the interval is wide."""
    both, alone = share_that_hold(2, 0.05, 2000, pair=False)
    assert both >= 0.9
    assert alone < 0.75
