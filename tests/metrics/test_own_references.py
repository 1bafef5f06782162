"""Editors of a system, simulated: tests/measured/own-references.md with other random numbers."""

from __future__ import annotations

import re
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from errorbar.stats import TwoWay
from tests.helpers.own_references import coverage, p_values
from tests.helpers.page_rows import rows_of_page

MEASURED = (Path(__file__).resolve().parents[1] / "measured/own-references.md").read_text(encoding="utf-8")
SEED = 7


def cells(start: str) -> list[str]:
    """The cells of the first measured row that starts so: coverage comes before p-values."""
    row = next(line for line in MEASURED.splitlines() if line.startswith(start))
    return [cell.strip() for cell in row.strip("|").split("|")]


def shares(cell: str) -> list[float]:
    return [float(share) for share in re.findall(r"\d?\.\d{3}", cell)]


def test_the_record_has_at_least_93() -> None:
    rows = [line for line in MEASURED.splitlines() if re.match(r"\| [123] \| (200|1,312) \| \d?\.\d{3} /", line)]
    assert len(rows) == 6
    assert all(min(shares(row.split("|")[3])) >= 0.93 for row in rows)


@pytest.mark.parametrize(("n_editors", "ratio"), [(2, 1.0), (2, 8.0), (3, 8.0)])
def test_one_t_covers_less_where_few_editors_vary_more_than_texts(n_editors: int, ratio: float) -> None:
    """Normal texts and editors; ``ratio``: V_e / e through V_t."""
    rng, df, draws = np.random.default_rng(SEED), n_editors - 1, 1500
    errors = rng.standard_normal(draws) * sqrt(1 + ratio)
    parts = [TwoWay(0.0, 1.0, ratio * chi / df, 0.0, 1312, n_editors, float(df)) for chi in rng.chisquare(df, draws)]
    one = np.mean([abs(e) <= part.half_width(0.95) for e, part in zip(errors, parts, strict=True)])
    few = [TwoWay(0.0, 1.0, part.judges, 0.0, 1312, n_editors, float(df), few=True) for part in parts]
    each = np.mean([abs(e) <= part.half_width(0.95) for e, part in zip(errors, few, strict=True)])
    said = [shares(cell)[0] for cell in cells(f"| {n_editors} editors, {ratio:g} ")[1:]]
    for found, expected in zip((one, each), said, strict=True):
        assert abs(found - expected) <= 3.5 * sqrt(expected * (1 - expected) / draws)
    assert each >= 0.95 - 3 * sqrt(0.05 * 0.95 / draws)


@pytest.mark.parametrize("n_editors", rows_of_page([1, 2, 3], in_ci=(0, 2)))
def test_coverage_is_that_of_the_record(n_editors: int) -> None:
    studies = 80
    found = coverage(200, n_editors, studies, SEED)
    said = shares(cells(f"| {n_editors} | 200 | ")[2])
    for share, expected in zip((found.score, found.difference), said, strict=True):
        assert abs(share - expected) <= 3.5 * sqrt(0.05 * 0.95 / studies)


@pytest.mark.slow
def test_p_values_of_equal_systems_are_uniform() -> None:
    """One editor each, equally strict: p of swaps is uniform on the 200 values that it can have."""
    p = p_values(200, 1, 1000, SEED)
    spread = p - np.random.default_rng(SEED).random(len(p)) / 200
    assert kstest(spread, "uniform").pvalue > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("n_editors", [2, 3])
def test_the_t_over_editors_errs_no_more_often_than_it_says(n_editors: int) -> None:
    p = p_values(200, n_editors, 500, SEED)
    assert np.mean(p <= 0.05) <= 0.05 + 3 * sqrt(0.05 * 0.95 / len(p))
