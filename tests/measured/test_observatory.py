"""The table of metrics.md that needs no corpus: SEEDA's scores as published."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import errorbar

FOLDER = Path(__file__).with_name("observatory")
MEASURED = Path(__file__).with_name("metrics.md")
SUBSETS = ("twelve neural", "with human outputs", "all systems")


@pytest.fixture
def seeda(tmp_path: Path) -> Path:
    """The rankings of SEEDA alone."""
    for table in FOLDER.glob("*.csv"):
        (tmp_path / table.name).symlink_to(table)
    text = (FOLDER / "rankings.toml").read_text(encoding="utf-8")
    file = tmp_path / "seeda.toml"
    file.write_text("[[ranking]]\n" + text.partition('[[ranking]]\nname = "SEEDA')[2].join(['name = "SEEDA', ""]))
    return file


def number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def test_the_table_of_seeda(seeda: Path) -> None:
    result = errorbar.observe(seeda)
    by_subset = {one.subset: one.observed for one in result.rankings if one.ranking == "SEEDA sentence"}
    measured = MEASURED.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| (.*) \| (.*) \| (.*\)) \|$", measured, re.MULTILINE)
    assert [name for name, *_ in rows] == [*by_subset["all systems"].metrics]
    for at, (name, *cells) in enumerate(rows):
        for subset, cell in zip(SUBSETS, cells, strict=True):
            estimate = by_subset[subset].agreements["pearson"][at]
            assert estimate.value is not None
            assert estimate.interval is not None
            ends = f"({number(estimate.interval.low)} to {number(estimate.interval.high)})"
            assert cell == f"{number(estimate.value)} {ends}", (name, subset)
    claims = [claim for one in result.rankings for claim in one.observed.claims]
    assert (len(claims), sum(claim.survives(result.alpha) for claim in claims)) == (330, 5)
