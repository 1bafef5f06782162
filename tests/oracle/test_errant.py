"""ERRANT's counts against errant_compare 3.0.2 (errant_compare.csv, recorded by errant_compare.py)."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from errorbar import Hypothesis, parse_metric
from errorbar.core import InputError
from errorbar.metrics import Errant
from tests.helpers.scoring import score
from tests.oracle.errant_compare import NAMES, RECORDED, case


@cache
def rows() -> list[dict[str, str]]:
    with RECORDED.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


SLOW = set(NAMES) - {"conll14 CAMB", "conll14 INPUT", "conll14 NTHU", "cweb S", "conll13 revised"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in NAMES])
def test_every_count(data: Path, name: str) -> None:
    reference, made = case(data, name)
    asked = [row for row in rows() if row["case"] == name]
    specs = {row["metric"]: parse_metric(row["metric"]) for row in asked if not row["level"]}
    results = score(reference, [Hypothesis("it", made)], list(specs.values()))
    found = {
        spec: (
            result.counts["correct"],
            result.counts["proposed"] - result.counts["correct"],
            result.counts["gold"] - result.counts["correct"],
        )
        for spec, result in zip(specs, results, strict=True)
    }
    assert found == {
        row["metric"]: (int(row["tp"]), int(row["fp"]), int(row["fn"])) for row in asked if not row["level"]
    }


@pytest.mark.parametrize("name", dict.fromkeys(row["case"] for row in rows() if row["level"]))
def test_every_count_by_type(data: Path, name: str) -> None:
    reference, made = case(data, name)
    asked = [row for row in rows() if row["case"] == name and row["level"]]
    for spec, level in dict.fromkeys((row["metric"], row["level"]) for row in asked):
        metric = parse_metric(spec)
        assert isinstance(metric, Errant)
        levelled = metric.replaced(level=level)
        if name.startswith("conll") and level != "full":  # the program cuts ArtOrDet into A and tOrDet
            with pytest.raises(InputError, match="a part of ERRANT's types"):
                levelled.measure(reference, made, by_type=True)
            continue
        (result,) = score(reference, [Hypothesis("it", made)], [levelled], by_type=True)
        found = {
            of_type.type: [
                of_type.counts["correct"],
                of_type.counts["proposed"] - of_type.counts["correct"],
                of_type.counts["gold"] - of_type.counts["correct"],
            ]
            for of_type in result.by_type
        }
        wanted = {
            row["type"]: [int(row[name]) for name in ("tp", "fp", "fn")]
            for row in asked
            if (row["metric"], row["level"]) == (spec, level)
        }
        named = {name: counts for name, counts in found.items() if name and any(counts)}  # printed without a name
        assert named == wanted, (spec, level)
