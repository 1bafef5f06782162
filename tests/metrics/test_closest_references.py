"""The tables of docs/measurements/references.md, with other random numbers and fewer of them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.simulated_references import (
    NOISES,
    SIZES,
    audit_cost,
    closest_bias,
    editor_rates,
    study_rates,
    time_coverage,
)

RECORD = Path(__file__).parents[1] / "measured/references.md"


@cache
def rows(title: str) -> dict[str, list[float]]:
    """The rows of a table by their first cell."""
    section = RECORD.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if re.match(r"\| [\d.,]+", line)]
    return {first.strip(): [float(cell) for cell in cells] for first, *cells in lines}


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_closest_of_n_is_biased_as_the_table_says(noise: float) -> None:
    """2,000 sentences: the standard error of a difference is about 1.2 points."""
    biases = closest_bias(noise, n=2000, seed=8)
    column = NOISES.index(noise)
    for size, bias in zip(SIZES, biases, strict=True):
        assert 100 * bias == pytest.approx(rows("Closest of N")[str(size)][column], abs=4)
    assert biases == sorted(biases)


def test_with_faultless_references_the_closest_stays_below_own_references() -> None:
    table = rows("Closest of N")
    assert all(table[str(size)][0] < 0 for size in SIZES)
    assert all(values[1:] >= values[:1] for size, values in table.items() if int(size) >= 10)


def test_intervals_cover_and_equal_systems_are_not_told_apart() -> None:
    for score, change, apart in rows("Intervals and pairs").values():
        assert min(score, change) >= 0.93
        assert apart <= 0.06


def test_intervals_over_texts_and_editors_cover() -> None:
    assert all(both >= 0.93 for _, both in rows("Change over editors").values())


def test_an_audit_costs_what_the_table_says() -> None:
    judged, edited, f = audit_cost(0.04, draws=400)
    assert [judged, edited] == pytest.approx(rows("Audit or own references")["4"][:2], rel=0.08)
    assert 100 * f == pytest.approx(rows("Audit or own references")["4"][3], abs=0.4)


def test_saved_time_is_covered_as_the_table_says() -> None:
    """100 studies of 20 sentences: the standard error is .024."""
    known, covered = time_coverage(5, n_sentences=20, studies=100, seed=9)
    assert known >= 0.97
    assert covered >= 0.86


@pytest.mark.slow
def test_simulated_studies_give_the_rates_of_the_table() -> None:
    """100 other studies: the standard error of a rate of .94 is .024, of .05 .022."""
    rates = study_rates(200, 100, 4, seed=21)
    assert rates == pytest.approx(rows("Intervals and pairs")["200, 4"], abs=0.06)
    assert editor_rates(200, 3, 100, seed=22) == pytest.approx(rows("Change over editors")["3, 200"], abs=0.06)
