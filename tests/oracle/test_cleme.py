"""Counts of correction behavior against the program of CLEME 2.0 (cleme.csv; cleme.py says how they were recorded)."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path

import pytest

from errorbar.metrics.behavior import Behavior
from tests.oracle import cleme
from tests.oracle.cleme import RECORDED, WAYS

case = lru_cache(2)(cleme.case)  # rows of one comparison come one after the other


def rows(path: Path = RECORDED) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


QUICK = ("cweb S", "ten AMU", "conll14 NTHU")


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["case"], marks=[pytest.mark.slow] * (row["case"] not in QUICK)) for row in rows()]
)
def test_every_count_and_the_score(data: Path, row: dict[str, str]) -> None:
    folded = Behavior().fold(Behavior().measure(*case(data, row["case"])))
    assert folded.counts[0].tolist() == [int(row[name]) for name in ("hit", "wrong", "under", "over")]
    assert folded.values[0, -1] == pytest.approx(float(row["score"]), abs=1e-12)


WAY = ("case", "assumption", "average")
QUICK_WAYS = ("cweb S", "ten AMU")


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row, id="-".join(map(row.__getitem__, WAY)), marks=[pytest.mark.slow] * (row["case"] not in QUICK_WAYS)
        )
        for row in rows(WAYS)
    ],
)
def test_both_assumptions_of_a_corpus_and_by_sentence(data: Path, row: dict[str, str]) -> None:
    metric = Behavior(assumption=row["assumption"], average=row["average"])
    folded = metric.fold(metric.measure(*case(data, row["case"])))
    assert folded.counts[0].tolist() == [int(row[name]) for name in metric.counted]
    assert folded.values[0].tolist() == pytest.approx([float(row[one.name]) for one in metric.measures], abs=1e-12)
