"""Which equations the published tables 2 to 7 of HOO 2011 were made by: every whole number that can stand behind them.

Source: Dale & Kilgarriff 2011, tables 2 to 7 (the best runs of each team) and the 1,057 gold edits of the paper's text.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from errorbar.metrics import CONDITIONS, FIGURES, MEASURES
from errorbar.metrics.hoo import COLUMNS, rates
from tests.helpers.official import read_table
from tests.metrics.hoo_examples import BONUS, DETECTION, PLAIN

GOLD = 1_057
HALF_A_DIGIT = 0.0005 + 1e-9
"""Three digits are printed."""
Pairs = set[tuple[int, int]]


class Counts(NamedTuple):
    """What stands behind the six rows of a run: gold edits found, and what precision divides them by."""

    detected: int
    of: int
    recognized: int
    corrected: int
    system: int
    missing_optional: int


def fitting(printed: dict[str, str]) -> Pairs:
    """Numerators and denominators of precision that give the printed P, R and F."""
    pairs: Pairs = set()
    p, r, f = (float(printed[name]) for name in ("precision", "recall", "f1"))
    for found in range(GOLD + 1):
        if abs(found / GOLD - r) > HALF_A_DIGIT:
            continue
        for of in range(int(found / (p + HALF_A_DIGIT)), int(found / (p - HALF_A_DIGIT)) + 2):
            f_of = 2 * found / (GOLD + of)  # 2 P R / (P + R) with P = found / of, R = found / GOLD
            if abs(found / of - p) <= HALF_A_DIGIT and abs(f_of - f) <= HALF_A_DIGIT:
                pairs.add((found, of))
    return pairs


def every_row(published: Path) -> dict[tuple[str, str], dict[tuple[str, str], Pairs]]:
    """By team and run, by measure and condition."""
    runs: dict[tuple[str, str], dict[tuple[str, str], Pairs]] = defaultdict(dict)
    for row in read_table(published / "hoo2011_tables02_07_best_runs.csv"):
        runs[row["team"], row["run"]][row["measure"], row["condition"].replace("_", " ")] = fitting(row)
    return runs


def behind(rows: dict[tuple[str, str], Pairs]) -> set[Counts]:
    """Every choice of counts that fits the six rows of a run: the bonus is one number, and system edits are too."""
    return {
        Counts(detected, of, recognized, corrected, system, bonus)
        for bonus in range(GOLD)
        for (detected, of), (recognized, system), (corrected, same) in product(
            *(
                {pair for pair in rows[m, PLAIN] if (pair[0] + bonus, pair[1] + bonus) in rows[m, BONUS]}
                for m in MEASURES
            )
        )
        if system == same
    }


def test_only_equation_1_fits_the_published_detection_rows(published: Path) -> None:
    """Three runs are best in all six tables. For each exactly one choice of counts fits all 18 figures, and in none is
    detection precision a share of the system's edits (equations 6 and 8), as it must be if all three measures divided
    by the same number; detected / (spurious + detected) leaves a possible number of spurious edits.
    """
    runs = {run: rows for run, rows in every_row(published).items() if len(rows) == 6}
    found = {team: behind(rows) for (team, _), rows in runs.items()}
    assert found == {
        "JU": {Counts(68, 383, 48, 40, 385, 88)},
        "LI": {Counts(67, 164, 50, 34, 163, 82)},
        "NU": {Counts(117, 262, 107, 78, 268, 82)},
    }
    for counts in found.values():
        for each in counts:
            assert each.of != each.system
            assert 0 <= each.of - each.detected < each.system  # spurious edits are some of the system's


def test_every_published_row_is_a_share_of_1057_gold_edits(published: Path) -> None:
    """All 36 rows have a numerator and a denominator. Of UD's detection row without bonus 41 pairs fit."""
    rows = every_row(published)
    assert sum(map(len, rows.values())) == 36
    assert all(pairs for each in rows.values() for pairs in each.values())
    detection = {team: sorted(each[DETECTION, PLAIN]) for (team, _), each in rows.items() if (DETECTION, PLAIN) in each}
    assert len(detection.pop("UD")) == 41
    assert detection == {
        "JU": [(68, 383)],
        "LI": [(67, 164)],
        "NU": [(117, 262)],
        "UI": [(198, 374)],
        "UT": [(126, of) for of in range(937, 944)],
    }


@pytest.mark.parametrize("team", ["JU", "LI", "NU"])
def test_the_published_rows_come_out_of_their_counts(published: Path, team: str) -> None:
    """All 18 figures of each run, from its counts."""
    (rows,) = (rows for (name, _), rows in every_row(published).items() if name == team and len(rows) == 6)
    (found,) = behind(rows)
    counts = dict.fromkeys(COLUMNS, 0) | {
        "gold": GOLD,
        "system": found.system,
        "detected": found.detected,
        "recognized": found.recognized,
        "corrected": found.corrected,
        "missing_optional": found.missing_optional,
        "spurious": found.of - found.detected,
    }
    made = rates(np.array([list(counts.values())], np.float64), 1.0, 0.0, 1.0)[0]
    printed = [row for row in read_table(published / "hoo2011_tables02_07_best_runs.csv") if row["team"] == team]
    assert len(printed) == 6
    for row in printed:
        at = CONDITIONS.index(row["condition"].replace("_", " ")), MEASURES.index(row["measure"])
        for figure, name in zip(FIGURES, ("precision", "recall", "f1"), strict=True):
            assert made[at][FIGURES.index(figure)] == pytest.approx(float(row[name]), abs=HALF_A_DIGIT)
