"""Charts are valid, start at zero, show every interval, hold no color, and stay legible with 1 or 200 systems."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from errorbar.core import InputError, Undefined
from errorbar.reporting import (
    Axis,
    Dot,
    HeatCell,
    LinePoint,
    PlanePoint,
    Report,
    RowNames,
    Spec,
    bar_chart,
    build_report,
    dot_chart,
    export,
    fixed_width,
    heat_chart,
    line_chart,
    plane_chart,
    save_charts,
)
from errorbar.reporting.charts.plane import HALF, NamedPoint, Spot, contour, place_names, spread
from errorbar.reporting.charts.vega import DARK, LIGHT, percent_top, round_top, text_width
from tests.helpers.expectations import expect_refusal, require
from tests.helpers.scoring import type_score
from tests.reporting.pages import charts, draw, report_of
from tests.reporting.studies import ceiling, score, study, systems

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")
Demo = tuple[list[str], Report]
HOSTILE = "</script><b>'\"\\\\ _x_ 日本 עברית"


def layers(spec: Spec) -> Iterator[dict[str, object]]:
    found = spec.get("layer")
    assert isinstance(found, list)
    yield from found


def domains(spec: Spec) -> list[list[float]]:
    """Domains of quantitative scales."""
    text = json.dumps(spec)
    return [json.loads(found) for found in re.findall(r'"domain": (\[-?[\d.]+, -?[\d.]+\])', text)]


def test_every_chart_of_a_report_keeps_to_the_schema_of_vega_lite_and_can_be_drawn(demo: Demo) -> None:
    from jsonschema import ValidationError

    drawn = charts(demo[1])
    assert len(drawn) >= 7
    for chart in drawn.values():
        assert draw(chart.spec).startswith("<svg"), chart.name
    with pytest.raises(ValidationError):
        draw({**drawn["leaderboard-chart"].spec, "height": "tall"})


def test_specifications_hold_no_color_and_name_known_roles(demo: Demo) -> None:
    for chart in charts(demo[1]).values():
        text = json.dumps(chart.spec)
        assert not re.search(r'"#[0-9a-fA-F]{3,8}"|rgb|"config"|"scheme"', text), chart.name
        assert set(re.findall(r'"style": "(\w+)"', text)) <= set(LIGHT["style"])
    assert set(LIGHT["style"]) == set(DARK["style"])


def test_axes_start_at_zero(demo: Demo) -> None:
    for chart in charts(demo[1]).values():
        if chart.name != "agreement-matrix":
            assert {low for low, _ in domains(chart.spec)} <= {0}, chart.name


def test_captions_say_what_to_see_and_leave_the_numbers_to_the_table(demo: Demo) -> None:
    for chart in charts(demo[1]).values():
        assert len(chart.description) > 40, chart.name
        assert not re.search(r"\d\.\d\d", chart.description), chart.name
        assert chart.table.rows
        assert all(len(row) == len(chart.table.columns) for row in chart.table.rows), chart.name


def test_every_interval_is_drawn() -> None:
    dots = [Dot("a", 30, 28, 33), Dot("b", 20, 17, 22), Dot("c", 10)]
    bars, points, *_ = layers(dot_chart(dots, Axis("F")))
    datasets = dot_chart(dots, Axis("F"))["datasets"]
    assert isinstance(datasets, dict)
    drawn = [datasets[layer["data"]["name"]] for layer in (bars, points)]  # type: ignore[index]  # a chart is plain data of any shape
    assert [(row["low"], row["high"]) for row in drawn[0]] == [(28, 33), (17, 22)]
    assert [row["value"] for row in drawn[1]] == [30, 20, 10]


def test_a_row_without_a_value_stays_on_the_axis() -> None:
    svg = draw(dot_chart([Dot("known", 3.0), Dot("nothing-here", None)], Axis("F")))
    assert "nothing-here" in svg


def test_rounded_ends_of_axes() -> None:
    assert [round_top(value) for value in (0, 0.03, 1, 37.1, 61, 100, 101)] == [10, 0.03, 1, 40, 70, 100, 150]
    assert percent_top([97.0, None], room=1.12) == 100  # no axis of percent beyond 100 ...
    assert percent_top([104.0]) == 150  # ... unless a value is
    assert percent_top([]) == 10


def test_contours_are_where_f_is() -> None:
    # beta = 1, F = 50: R = 50 gives P = 50 * 50 / (2 * 50 - 50) = 50; R = 100 gives P = 5000 / 150 = 33.3.
    recall, precision = contour(50, 1, 100, 100)[-1]
    assert recall == 100
    assert precision == pytest.approx(100 / 3)
    for r, p in contour(30, 0.5, 60, 80):
        assert 1.25 * p * r / (0.25 * p + r) == pytest.approx(30)
        assert p <= 80 + 1e-9
    assert contour(90, 1, 40, 40) == []  # no point with P, R <= 40 has F = 90


def test_all_zero_and_one_system() -> None:
    report = report_of([study([score("only", 0.0, half=None)])])
    for chart in charts(report).values():
        assert draw(chart.spec)
    assert "only" in draw(charts(report)["leaderboard-chart"].spec)


def test_200_systems_are_cut_and_the_description_says_so() -> None:
    kinds = [type_score(f"T{k}", k, 60 - k) for k in range(60)]
    values = {f"s{k}": 0.4 - k / 1000 for k in range(200)}
    many = systems(values, humans=ceiling(0.5, values))
    scores = [score(system_score.system, system_score.f.value, types=kinds) for system_score in many.scores]
    report = report_of([replace(many, scores=scores)])
    drawn = charts(report)
    for name, said in (
        ("leaderboard-chart", "the best 40 of them"),
        ("type-recall-map", "the 40 most frequent types and the best 16 systems"),
        ("ceiling-curves", "the best 40 of 200 systems"),
    ):
        assert said in drawn[name].description
        assert draw(drawn[name].spec)
    assert len(drawn["leaderboard-chart"].table.rows) == 200
    assert len(drawn["type-recall-map"].table.rows) == 60
    # 200 names would cover the plane: they are left to the table.
    assert sum("text" in json.dumps(layer["mark"]) for layer in layers(drawn["precision-recall-plane"].spec)) == 1


def test_one_number_of_references_is_drawn_as_rows() -> None:
    report = report_of([systems({"a": 0.4, "b": 0.2}, humans=ceiling(0.5, {"a": 0.4, "b": 0.2}))])
    svg = draw(charts(report)["ceiling-curves"].spec)
    assert ">human<" in svg
    assert "F0.5 (percent), 9 references" in svg


def test_hostile_names_are_data() -> None:
    report = report_of([systems({HOSTILE: 0.4, "b": 0.2}, humans=ceiling(0.5, {HOSTILE: 0.4, "b": 0.2}))])
    for chart in charts(report).values():
        svg = draw(chart.spec)
        assert "<b>" not in svg
        assert "</script>" not in svg


def test_undefined_values_are_gaps() -> None:
    cells = [HeatCell("t", "a", None, "–"), HeatCell("t", "b", 20.0, "20")]
    assert "–" in draw(heat_chart(cells, RowNames("r"), column_title="c", value_title="v", domain=(0, 20)))
    none = score("a", None, undefined=Undefined.NO_UNITS)
    assert draw(charts(report_of([study([none])]))["leaderboard-chart"].spec)


def test_negative_values_are_inside_the_axis() -> None:
    points = [LinePoint("a", 0.5, -0.2, -0.4, 0.1), LinePoint("a", 1.0, None), LinePoint("b", 0.5, 3.0)]
    spec = line_chart(points, Axis("x", "number"), Axis("y", "number"))
    assert {tuple(found) for found in domains(spec)} == {(-0.4, 4.0)}  # 3 * 1.02 = 3.06, the next round number is 4
    assert draw(spec)
    assert draw(dot_chart([Dot("a", -5.0, -7.0, 2.0)], Axis("d")))


def test_curves_with_bars_stand_beside_each_other() -> None:
    points = [LinePoint(name, x, 1.0, 0.5, 1.5) for name in "ab" for x in (1, 3)]
    spec = line_chart(points, Axis("x", "count"), Axis("y"))
    places = {(row["series"], row["x"]): row["at"] for data in spec["datasets"].values() for row in data}  # type: ignore[attr-defined]  # a chart is plain data of any shape
    # 3 % of the width 2 over two curves: a step of 0.03, half of it to each side.
    assert places["a", 1] == pytest.approx(0.985)
    assert places["b", 1] == pytest.approx(1.015)


def test_bars_and_plane_alone() -> None:
    assert "1,200" in draw(bar_chart({"0.5–1": 1200}, x_title="x", y_title="y"))
    svg = draw(plane_chart([PlanePoint("mine", 40, 30, (35, 45), None)], beta=0.5, f_name="F0.5"))
    assert "mine" in svg
    # The axes end at 40 and 50: F0.5 of (50, 40) is 1.25 * .5 * .4 / (.25 * .5 + .4) = 47.6, so 40 is the last line.
    assert re.findall(r">((?:F0\.5 )?\d+)</text>", svg).count("F0.5 40") == 1
    assert "F0.5 10" not in svg


# Names beside marks: none covers another, all are there, and names of curves stay in order.


CLOSE = [
    NamedPoint(f"SYS{k}", 0.5 + 0.01 * (k % 4), 0.5 + 0.01 * (k // 4), (0.4, 0.6), (0.45, 0.55)) for k in range(12)
]
"""Twelve points within nine pixels of a phone's plane."""


def box(point: NamedPoint, spot: Spot, wide: float, high: float) -> tuple[float, float, float, float]:
    length = text_width(point.name)
    left = wide * point.right + spot.right - {"left": 0.0, "center": 0.5, "right": 1.0}[spot.align] * length
    middle = (1 - point.up) * high + spot.down
    return left, middle - HALF, left + length, middle + HALF


@pytest.mark.parametrize("widths", [(200, 230, 260), (640, 1000)])
def test_twelve_systems_that_score_alike_have_twelve_names_apart(widths: tuple[float, ...]) -> None:
    spots = require(place_names(CLOSE, widths, 420))
    for wide in widths:
        boxes = [box(*pair, wide, 420) for pair in zip(CLOSE, spots, strict=True)]
        for k, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0
            assert right <= wide
            assert top >= 0
            assert bottom <= 420
            for other in boxes[:k]:
                assert left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom


def test_a_name_alone_needs_no_line() -> None:
    (spot,) = place_names([NamedPoint("mine", 0.5, 0.5)], (300,), 420) or []
    assert not spot.led


def test_names_that_have_no_room_are_not_placed() -> None:
    long = [NamedPoint(f"{k} of those names that take a whole line", 0.5, 0.5) for k in range(9)]
    assert place_names(long, (60,), 100) is None


def test_places_along_a_line_move_as_little_as_can_be() -> None:
    assert spread([10, 60, 110], 14, 0, 300) == [10, 60, 110]
    assert spread([100, 100], 14, 0, 300) == [93, 107]
    assert spread([107, 93, 100], 14, 0, 300) == [114, 86, 100]  # in their order
    assert spread([1, 2, 299], 14, 0, 300) == [0, 14, 299]
    assert spread([298, 299], 14, 0, 296) == [282, 296]


# Charts as files.


pytest.importorskip("vl_convert", reason="needs the extra 'report'")
pytest.importorskip("altair", reason="needs the extra 'report'")


@pytest.fixture
def small() -> Report:
    """One chart in the leaderboard, one in the plane."""
    return build_report([study([score("mine", 0.3)])], title="t", command="")


def test_every_chart_in_every_format(small: Report, tmp_path: Path) -> None:
    files = save_charts(small, tmp_path / "new/folder")
    kinds = {file.suffix: file.read_bytes()[:8] for file in files if file.stem == "leaderboard-chart"}
    assert kinds[".png"] == b"\x89PNG\r\n\x1a\n"
    assert kinds[".pdf"].startswith(b"%PDF-")
    assert kinds[".svg"].startswith(b"<svg")
    assert {file.stem for file in files} == set(charts(small))
    assert sorted(file.name for file in (tmp_path / "new/folder").iterdir()) == sorted(file.name for file in files)


def test_an_exported_chart_is_on_white_in_the_light_colors(small: Report, tmp_path: Path) -> None:
    save_charts(small, tmp_path, ("svg",))
    svg = (tmp_path / "leaderboard-chart.svg").read_text(encoding="utf-8")
    assert "mine" in svg
    assert 'fill="white"' in svg
    assert "#0b62a4" in svg


def test_a_folder_that_is_a_file(small: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with expect_refusal("cannot-write", kind=InputError):
        save_charts(small, tmp_path / "file")


def test_failing_half_way_leaves_no_file(small: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        save_charts(small, tmp_path, ("svg",))
    assert list(tmp_path.iterdir()) == []


def test_a_width_of_its_own_is_kept() -> None:
    assert fixed_width({"width": {"step": 5}}, 600) == {"width": {"step": 5}}
    made = fixed_width({"width": "container"}, 600)
    assert made == {"width": 600, "params": [{"name": "place", "value": 600}]}
    # Figures in narrower cells could not be read.
    assert fixed_width({"width": "container", "usermeta": {"least": 700}}, 600)["width"] == 700
    assert export.PIXELS["half"] < export.PIXELS["full"]
