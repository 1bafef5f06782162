"""Charts are valid, start at zero, show every interval, hold no color, and stay legible with 1 or 200 systems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from errorbar.core.estimate import Undefined
from errorbar.metrics.score import TypeRecall
from errorbar.report import Report
from errorbar.report.charts import (
    Dot,
    HeatCell,
    LinePoint,
    PlanePoint,
    bar_chart,
    dot_chart,
    heat_chart,
    line_chart,
    plane_chart,
)
from errorbar.report.charts.build import percent_top, round_top
from errorbar.report.charts.plane import ANCHORS, contour, places
from errorbar.report.charts.theme import DARK, LIGHT, ROLES
from errorbar.report.model import Chart, Spec
from errorbar.studies.model import Study
from tests.report.pages import charts, draw, drawn, report_of, tables, text_rows
from tests.report.studies import ceiling, crowd_study, hoo_study, sample_study, score, study, systems

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


def test_every_chart_of_a_report_can_be_drawn(demo: Demo) -> None:
    for chart in charts(demo[1]).values():
        assert draw(chart.spec).startswith("<svg"), chart.name


def test_every_chart_keeps_to_the_schema_of_vega_lite(demo: Demo) -> None:
    """The check that ``unchecked`` leaves out where reports are made."""
    import altair
    from jsonschema import ValidationError

    drawn = charts(demo[1])
    assert len(drawn) >= 7
    for chart in drawn.values():
        altair.Chart.from_dict(dict(chart.spec))
    wrong = {**drawn["leaderboard-chart"].spec, "height": "tall"}
    with pytest.raises(ValidationError):
        altair.Chart.from_dict(wrong)


def test_specifications_hold_no_color_and_name_known_roles(demo: Demo) -> None:
    for chart in charts(demo[1]).values():
        text = json.dumps(chart.spec)
        assert not re.search(r'"#[0-9a-fA-F]{3,8}"|rgb|"config"|"scheme"', text), chart.name
        assert set(re.findall(r'"style": "(\w+)"', text)) <= set(ROLES)
    assert set(LIGHT["style"]) == set(DARK["style"]) == set(ROLES)


def test_axes_start_at_zero(demo: Demo) -> None:
    for chart in charts(demo[1]).values():
        if chart.name != "agreement-matrix":
            assert {low for low, _ in domains(chart.spec)} <= {0}, chart.name


def test_every_chart_has_a_text_alternative_with_a_number_and_a_table(demo: Demo) -> None:
    for chart in charts(demo[1]).values():
        assert re.search(r"\d\.\d\d", chart.description), chart.name
        assert chart.table.rows
        assert all(len(row) == len(chart.table.columns) for row in chart.table.rows)


def test_every_interval_is_drawn() -> None:
    given = [Dot("a", 30, 28, 33), Dot("b", 20, 17, 22), Dot("c", 10)]
    bars, points, *_ = layers(dot_chart(given, title="F"))
    datasets = dot_chart(given, title="F")["datasets"]
    assert isinstance(datasets, dict)
    drawn = [datasets[layer["data"]["name"]] for layer in (bars, points)]  # type: ignore[index]
    assert [(row["low"], row["high"]) for row in drawn[0]] == [(28, 33), (17, 22)]
    assert [row["value"] for row in drawn[1]] == [30, 20, 10]


def test_a_row_without_a_value_stays_on_the_axis() -> None:
    svg = draw(dot_chart([Dot("known", 3.0), Dot("nothing-here", None)], title="F"))
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
    kinds = [TypeRecall(f"T{k}", k, 60 - k) for k in range(60)]
    values = {f"s{k}": 0.4 - k / 1000 for k in range(200)}
    one = systems(values, found=ceiling(0.5, values))
    scores = [score(each.system, each.f.value, types=kinds) for each in one.scores]
    report = report_of([study(scores, one.comparison, found=one.ceiling)])
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
    report = report_of([systems({"a": 0.4, "b": 0.2}, found=ceiling(0.5, {"a": 0.4, "b": 0.2}))])
    svg = draw(charts(report)["ceiling-curves"].spec)
    assert ">human<" in svg
    assert "F0.5 (percent), 9 references" in svg


def test_hostile_names_are_data() -> None:
    report = report_of([systems({HOSTILE: 0.4, "b": 0.2}, found=ceiling(0.5, {HOSTILE: 0.4, "b": 0.2}))])
    for chart in charts(report).values():
        svg = draw(chart.spec)
        assert "<b>" not in svg
        assert "</script>" not in svg


def test_undefined_values_are_gaps() -> None:
    cells = [HeatCell("t", "a", None, "–"), HeatCell("t", "b", 20.0, "20")]
    assert "–" in draw(heat_chart(cells, row_title="r", column_title="c", value_title="v", domain=(0, 20)))
    none = score("a", None, undefined=Undefined.NO_UNITS)
    assert draw(charts(report_of([study([none])]))["leaderboard-chart"].spec)


def test_negative_values_are_inside_the_axis() -> None:
    points = [LinePoint("a", 0.5, -0.2, -0.4, 0.1), LinePoint("a", 1.0, None), LinePoint("b", 0.5, 3.0)]
    spec = line_chart(points, x_title="x", y_title="y", percent=False, whole=False)
    assert {tuple(found) for found in domains(spec)} == {(-0.4, 4.0)}  # 3 * 1.02 = 3.06, the next round number is 4
    assert draw(spec)
    assert draw(dot_chart([Dot("a", -5.0, -7.0, 2.0)], title="d"))


def test_curves_with_bars_stand_beside_each_other() -> None:
    points = [LinePoint(name, x, 1.0, 0.5, 1.5) for name in "ab" for x in (1, 3)]
    spec = line_chart(points, x_title="x", y_title="y")
    places = {(row["series"], row["x"]): row["at"] for data in spec["datasets"].values() for row in data}  # type: ignore[attr-defined]
    # 3 % of the width 2 over two curves: a step of 0.03, half of it to each side.
    assert places["a", 1] == pytest.approx(0.985)
    assert places["b", 1] == pytest.approx(1.015)


def test_names_in_the_plane_do_not_cover_each_other() -> None:
    # Two points 1 % of the width (6 pixels) apart: to the right the first name would cover the second point.
    placed = places([("RAC", 0.5, 0.5), ("UMC", 0.51, 0.5), ("far", 0.9, 0.9)])
    assert {name: anchor for anchor, names in placed.items() for name in names} == {
        "RAC": ("right", -7, -8),
        "UMC": ("left", 7, -8),
        "far": ("left", 7, -8),
    }


def test_on_a_phone_names_without_a_place_are_left_out() -> None:
    # 15 of 220 pixels apart and one above the other: five places are not enough for six names of 28 pixels.
    points = [(f"n{k}xx", 0.5 + 0.01 * k, 0.5) for k in range(6)]
    narrow = places(points, wide=220, every=False)
    wide = places(points, wide=220)
    assert {name for names in wide.values() for name in names} == {name for name, _, _ in points}
    assert 0 < sum(map(len, narrow.values())) < 6


def test_a_name_at_the_edge_does_not_cover_that_of_a_contour() -> None:
    # Right of the point, 8 pixels up, stands the contour's name.
    (anchor,) = places([("mine", 1.0, 0.5)], [("60", 0.5 + 8 / 380)])
    assert anchor != ANCHORS[0]
    assert places([("mine", 1.0, 0.5)]) == {ANCHORS[0]: {"mine"}}


def test_bars_and_plane_alone() -> None:
    assert "1,200" in draw(bar_chart({"0.5–1": 1200}, x_title="x", y_title="y"))
    svg = draw(plane_chart([PlanePoint("mine", 40, 30, (35, 45), None)], beta=0.5, f_name="F0.5"))
    assert "mine" in svg
    # The axes end at 40 and 50: F0.5 of (50, 40) is 1.25 * .5 * .4 / (.25 * .5 + .4) = 47.6, so 40 is the last line.
    assert re.findall(r">((?:F0\.5 )?\d+)</text>", svg).count("F0.5 40") == 1
    assert "F0.5 10" not in svg


def dots(chart: Chart) -> list[tuple[str, ...]]:
    """Name, series, value and interval of every point, as tooltips show them."""
    return sorted((row["name"], row["series"], row["shown"], row["interval"]) for row in drawn(chart))


def curves(chart: Chart) -> list[tuple[str, ...]]:
    """Series, place, value and interval of every point, as tooltips show them."""
    return sorted((row["series"], f"{row['x']:g}", row["shown"], row["interval"]) for row in drawn(chart))


def layer_rows(chart: Chart, number: int) -> list[dict[str, str]]:
    """The data of one layer, in the order of the data."""
    layer = list(layers(chart.spec))[number]
    found = chart.spec["datasets"][layer["data"]["name"]]  # type: ignore[index]
    assert isinstance(found, list)
    return found


def names(chart: Chart) -> list[str]:
    """The rows of a chart of points, from above."""
    first = next(layers(chart.spec))
    found = first["encoding"]["y"]["scale"]["domain"]  # type: ignore[index]
    assert isinstance(found, list)
    return found


def ends(cell: str) -> str:
    """An interval of a table as tooltips show it."""
    return "none" if cell == "–" else cell


class TestChartsShowTheirTables:
    """What stands in the table is what is drawn: the same names, numbers and intervals."""

    @staticmethod
    def chart(one: Study, name: str) -> Chart:
        return charts(report_of([one]))[name]

    def test_leaderboard(self, demo: Demo) -> None:
        chart = charts(demo[1])["leaderboard-chart"]
        rows = text_rows(chart.table)
        assert names(chart) == [row[0] for row in rows]
        assert dots(chart) == sorted((row[0], "", row[5], ends(row[6])) for row in rows)
        assert {row["name"]: row["note"] for row in drawn(chart)} == {row[0]: row[-1] for row in rows}

    def test_plane(self, demo: Demo) -> None:
        chart = charts(demo[1])["precision-recall-plane"]
        rows = [row for row in drawn(chart) if "precision" in row]
        shown = {(row["name"], f"{row['precision']:.2f}", f"{row['recall']:.2f}") for row in rows}
        assert shown == {(row[0], row[1].rstrip("*"), row[3].rstrip("*")) for row in text_rows(chart.table)}

    def test_recall_by_type(self, demo: Demo) -> None:
        chart, counts = charts(demo[1])["type-recall-map"], text_rows(tables(demo[1])["type-counts"])
        systems = chart.table.columns[2:]
        expected = [
            (f"{kind} ({edits})", system, "–" if recall == "–" else f"{recall}: {found.replace(' / ', ' of ')}")
            for (kind, edits, *recalls), (same, *parts) in zip(text_rows(chart.table), counts, strict=True)
            for system, recall, found in zip(systems, recalls, parts, strict=True)
            if kind == same
        ]
        assert len(expected) == len(counts) * len(systems)
        assert [(row["row"], row["column"], row["detail"]) for row in layer_rows(chart, -1)] == expected
        for row in drawn(chart):
            assert row["text"] == ("–" if row["value"] is None else f"{row['value']:.0f}")
            assert row["detail"].startswith("–" if row["value"] is None else f"{row['value']:.2f}: ")

    @pytest.mark.parametrize("name", ["ceiling-curves", "ceiling-ratio"])
    def test_ceiling(self, demo: Demo, name: str) -> None:
        chart = charts(demo[1])[name]
        columns = chart.table.columns
        assert columns[2::2] == ["95% CI"] * (len(columns) // 2)
        assert curves(chart) == sorted(
            (series, row[0].split()[0], row[k], ends(row[k + 1]))
            for row in text_rows(chart.table)
            for k, series in enumerate(columns)
            if k % 2
        )

    def test_agreement(self, demo: Demo) -> None:
        found = charts(demo[1])
        coefficients = {row[0]: row[1:] for row in text_rows(tables(demo[1])["agreement-coefficients"])}
        for name, _, shown, interval in dots(found["agreement-chart"]):
            value, between = coefficients[name]
            assert (shown, interval) == (value, between.replace(" to ", "–"))
        details = {
            (row["row"], row["column"]): (row["text"], row["detail"]) for row in drawn(found["agreement-matrix"])
        }
        for first, second, _, _, kappa, between in text_rows(found["agreement-matrix"].table):
            expected = (f"{float(kappa):.2f}", f"{kappa} ({between})")
            assert details[first, second] == details[second, first] == expected
            assert details[first, first] == details[second, second] == ("", "")

    def test_crowd(self) -> None:
        found = charts(report_of([crowd_study()]))
        histogram = found["crowd-histogram"]
        assert [(row["name"], row["text"]) for row in drawn(histogram)] == [
            (row[0], row[1]) for row in text_rows(histogram.table)
        ]
        scores = found["crowd-scores"]
        assert dots(scores) == sorted((row[0], row[1], row[11], ends(row[12])) for row in text_rows(scores.table))
        bins = found["crowd-bins"]
        weighted = [row for row in text_rows(bins.table) if row[2] == "weighted"]
        assert names(bins) == [f"{row[0]} at {row[1]}" for row in weighted]
        assert dots(bins) == sorted(
            (f"{row[0]} at {row[1]}", quantity, row[k], ends(row[k + 1]))
            for row in weighted
            for quantity, k in (("P", 5), ("R", 7))
        )
        for name in ("crowd-kappa", "crowd-youden", "crowd-kappa-at", "crowd-odds"):
            assert curves(found[name]) == sorted(
                (row[0], row[1].removeprefix(">= "), row[6], ends(row[7])) for row in text_rows(found[name].table)
            )

    def test_crowd_in_words(self) -> None:
        found = charts(report_of([crowd_study()]))
        text = found["crowd-histogram"].description
        assert text.startswith("60 items by the share of raters who agree with the majority. 0.5–0.6: ")
        for row in text_rows(found["crowd-histogram"].table):
            assert f" {row[0]}: {row[1]}" in text
        for row in text_rows(found["crowd-scores"].table):
            assert f" {row[0]}, {row[1]}: {row[11]} (95% interval {row[12]})" in found["crowd-scores"].description
        weighted = [row for row in text_rows(found["crowd-bins"].table) if row[2] == "weighted"]
        for row in weighted[:3]:
            said = f" P of {row[0]} at {row[1]}: {row[5]}; R of {row[0]} at {row[1]}: {row[7]}"
            assert said in found["crowd-bins"].description
        kappas = [row for row in text_rows(found["crowd-kappa"].table) if row[0] == "a"]
        said = f" a: {kappas[0][6]} at 0.5, {kappas[-1][6]} at 1."
        assert found["crowd-kappa"].description.endswith(said)

    @pytest.mark.parametrize("name", ["hoo-plain", "hoo-bonus"])
    def test_runs(self, name: str) -> None:
        chart = self.chart(hoo_study(), name)
        rows = text_rows(chart.table)
        assert names(chart) == ["AA1", "BB0", "AA0"]  # by F of correction
        assert dots(chart) == sorted((row[0], row[1], row[6], ends(row[7])) for row in rows)
        said = [f"{row[1]} {row[6]}" + (f" (95% interval {row[7]})" if row[7] != "–" else "") for row in rows[:3]]
        assert chart.description.endswith(f" sorted by correction. AA1: {', '.join(said)}.")

    def test_recall_of_runs(self) -> None:
        chart = self.chart(hoo_study(), "hoo-recall")
        rows = text_rows(chart.table)
        assert [row[:3] for row in rows[:2]] == [["AA1", "Noun", "2"], ["AA1", "Verb", "2"]]
        expected = {(f"{kind} ({gold})", run): shares for run, kind, gold, *shares in rows}
        assert {(row["row"], row["column"]) for row in drawn(chart)} == set(expected)
        for row in drawn(chart):
            detected, recognized, corrected = expected[row["row"], row["column"]]
            assert row["value"] == pytest.approx(float(corrected))
            assert row["text"] == f"{row['value']:.0f}"
            # Two gold edits each: 50 percent are one of them.
            n = {share: f"{share} ({float(share) / 50:.0f} of 2)" for share in (detected, recognized, corrected)}
            said = f"detection {n[detected]}, recognition {n[recognized]}, correction {n[corrected]}"
            assert row["detail"] == said
        assert chart.description.endswith(" for 3 runs. Noun, the most frequent: AA1 corrects 1 of 2.")
        (note,) = chart.table.notes
        assert note.startswith("no gold edit: Article, ")
        assert "Noun" not in note

    def test_sample(self) -> None:
        found = charts(report_of([sample_study()]))
        chart = found["sample-estimates"]
        rows = [row for row in text_rows(chart.table) if row[1] in ("P", "R", "F")]
        assert names(chart) == ["a: P", "a: R", "a: F", "b: P", "b: R", "b: F"]
        assert dots(chart) == sorted((f"{row[0]}: {row[1]}", "", row[2], row[3]) for row in rows)
        said = [f"{row[1]} {row[2]} (95% interval {row[3]})" for row in rows]
        assert chart.description == (
            "P, R and F of the whole corpus of 1,000 items, estimated from 160. "
            f"a: {', '.join(said[:3])}; b: {', '.join(said[3:])}."
        )

    def test_budget(self) -> None:
        chart = self.chart(sample_study(), "sample-budget")
        rows = text_rows(chart.table)
        assert curves(chart) == sorted(
            (name, row[0].replace(",", ""), value, "none")
            for row in rows
            for name, value in zip("PRF", row[1:], strict=True)
        )
        first, last = rows[0], rows[-1]
        assert chart.table.columns == ["judgments", "± P", "± R", "± F"]
        assert (
            chart.description
            == "Expected half-width of the intervals by number of judgments. "
            + "; ".join(
                f"{name}: ± {first[k]} points with {first[0]}, ± {last[k]} with {last[0]}"
                for k, name in enumerate("PRF", start=1)
            )
            + "."
        )
