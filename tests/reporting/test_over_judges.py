"""Both intervals on the page: over texts by these judges, and over texts and judges."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errorbar.reporting.blocks import Report
from tests.helpers.cli import CommandLine
from tests.reporting.pages import charts, found, prose, report_of, tables, text_rows

Demo = tuple[list[str], Report]
SAME = ("--resamples", "200", "--seed", "7", "--format", "json")


def bars(spec: Mapping[str, Any], width: int) -> dict[str, tuple[float, float]]:
    """The ends of bars of a width in a chart, by name."""
    rows: dict[str, tuple[float, float]] = {}
    for layer in spec["layer"]:
        if layer["mark"].get("strokeWidth") == width and layer["mark"]["type"] == "rule":
            low, high = layer["encoding"]["x"]["field"], layer["encoding"]["x2"]["field"]
            data = spec["datasets"][layer["data"]["name"]]
            rows |= {row["name"]: (round(row[low], 9), round(row[high], 9)) for row in data}
    return rows


def known(intervals: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """The ends in percent of those intervals that there are."""
    ends = {name: (one["low"], one["high"]) for name, one in intervals.items() if one["low"] is not None}
    return {name: (round(100 * low, 9), round(100 * high, 9)) for name, (low, high) in ends.items()}


def test_the_leaderboard_has_a_thick_and_a_thin_bar(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    chart = charts(report)["leaderboard-chart"]
    scores = json.loads(errorbar("score", *arguments, "--ci", *SAME).out)["rows"]
    assert bars(chart.spec, 4) == known({one["system"]: one["intervals"]["f"] for one in scores})
    assert bars(chart.spec, 1) == known({one["system"]: one["judges"]["measures"]["f"]["interval"] for one in scores})
    assert "Thick bars: other texts, these judges; thin bars: other texts and other judges." in chart.description


def test_the_summary_says_both(demo: Demo) -> None:
    _, report = demo
    best = text_rows(tables(report)["scores"])[0]
    over_texts, over_both = best[6], best[7]
    assert f"{best[5]} (95% intervals {over_texts} over texts, {over_both} over texts and judges)" in report.summary[0]


def test_the_ceiling_has_both(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    table = tables(report)["ceiling-scores"]
    assert table.columns[:4] == ["references", "human", "95% CI", "texts+judges"]
    made = json.loads(errorbar("ceiling", *arguments, "--seed", "7", "--format", "json").out)["rows"]
    for row, ours in zip(made, text_rows(table), strict=True):
        interval = row["human_interval_judges"]
        assert ours[3] == f"{100 * interval['low']:.2f}–{100 * interval['high']:.2f}"
    layers: Any = charts(report)["ceiling-curves"].spec["layer"]
    assert {layer["mark"].get("strokeWidth") for layer in layers if layer["mark"]["type"] == "rule"} == {1, 4}


def test_judges_of_a_page_can_be_fixed(demo: Demo) -> None:
    arguments, _ = demo
    one, two = arguments[2:4]
    report = report_of(found(gold=(arguments[1],), systems=(one, two), judges="fixed"))
    assert not any("texts+judges" in table.columns for table in tables(report).values())
    assert "over texts and judges" not in " ".join((*report.summary, prose(report, "leaderboard")))


def test_a_page_of_pairs_of_judges_goes_by_pairs(demo: Demo) -> None:
    arguments, _ = demo
    report = report_of(found(gold=(arguments[1],), systems=tuple(arguments[2:]), judges="random(k=2)"))
    assert "F0.5, 2 judges" in tables(report)["scores"].columns
    assert "F diff, 2 judges" in tables(report)["pairs"].columns


def test_hoo_data_knows_no_judges(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "Gold").mkdir()
    done = errorbar("report", "--gold", tmp_path, "--judges", "fixed", "-o", tmp_path / "r.md", "--metric", "hoo")
    assert done.code == 2
    assert "not for HOO data" in done.err
