"""The numbers of the page are those of the report, which ``test_numbers`` holds against the commands.

What is drawn is what stands in the tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from errorbar.api import Study
from errorbar.demo import demo_files
from errorbar.reporting import Chart, Report
from tests.helpers.cli import CommandLine
from tests.reporting.pages import (
    charts,
    compute_studies,
    drawn,
    headings,
    notes,
    printed,
    prose,
    report_of,
    tables,
    text_rows,
)
from tests.reporting.studies import crowd_study, hoo_study, sample_study

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("jinja2", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")
Demo = tuple[list[str], Report]


class Tables(HTMLParser):
    """Collects the cells of every table."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables:
            self._cell = []

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append(" ".join("".join(self._cell).split()))
            self._cell = None


def read(page: str) -> list[list[list[str]]]:
    """Rows of every table, without headings."""
    parser = Tables()
    parser.feed(page)
    return [[row for row in table[1:] if row] for table in parser.tables if table]


def test_every_table_of_the_report_stands_in_the_page(demo: tuple[list[str], Report]) -> None:
    from errorbar.reporting import page_html

    page = read(page_html(demo[1]))
    for table in tables(demo[1]).values():
        rows = [[" ".join(cell.split()) for cell in row] for row in text_rows(table)]
        assert rows in page, table.name


def test_the_page_of_the_command_has_the_scores_of_the_command(
    tmp_path: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with demo_files() as (gold, systems):
        given = ("--gold", gold, *systems)
        assert errorbar("report", *given, "-o", "r.html", "--resamples", 100, "--seed", 3).code == 0
        theirs = printed(errorbar("score", *given, "--ci", "--resamples", 100, "--seed", 3, "--format", "markdown").out)
    page = read(Path("r.html").read_text(encoding="utf-8"))
    wanted = {tuple(row[:7]) for row in theirs}
    assert any({tuple(row[:7]) for row in table} == wanted for table in page)


def test_three_systems_of_2014(data: Path) -> None:
    submissions = data / "conll14_systems/official_submissions"
    names = [path for path in sorted(submissions.iterdir()) if path.name in ("CAMB", "CUUI", "IITB")]
    gold = str(data / "conll14/noalt/official-2014.combined.m2")
    report = report_of(compute_studies(gold=(gold,), systems=tuple(map(str, names)), lenient=True))
    # Ng et al. 2014, table 7: F0.5 of CAMB 37.33, CUUI 36.79, IITB 5.90.
    rows = {row[0]: row[5] for row in text_rows(tables(report)["scores"])}
    assert rows == {"CAMB": "37.33", "CUUI": "36.79", "IITB": "5.90"}
    assert report.summary[0].startswith("CAMB has the highest F0.5 of 3 systems, 37.33 (95% intervals ")
    assert report.summary[1].startswith("CAMB is not significantly better than CUUI at the 5% level")


def dots(chart: Chart) -> list[tuple[str, ...]]:
    """Name, series, value and interval of every point, as tooltips show them."""
    return sorted((row["name"], row["series"], row["shown"], row["interval"]) for row in drawn(chart))


def curves(chart: Chart) -> list[tuple[str, ...]]:
    """Series, place, value and interval of every point, as tooltips show them."""
    return sorted(
        (row["series"], f"{row['x']:g}", row["shown"], row["interval"])
        for row in drawn(chart)
        if "series" in row and "label" not in row
    )


def layer_rows(chart: Chart, number: int) -> list[dict[str, str]]:
    """The data of one layer, in the order of the data."""
    layers, datasets = chart.spec["layer"], chart.spec["datasets"]
    assert isinstance(layers, list)
    assert isinstance(datasets, dict)
    found = datasets[layers[number]["data"]["name"]]
    assert isinstance(found, list)
    return found


def names(chart: Chart) -> list[str]:
    """The rows of a chart of points, from above."""
    layers = chart.spec["layer"]
    assert isinstance(layers, list)
    found = layers[0]["encoding"]["y"]["scale"]["domain"]
    assert isinstance(found, list)
    return found


def beside(value: str, interval: str) -> str:
    """A value and its interval of a table as tooltips of the plane show them."""
    return value.rstrip("*") + ("" if interval == "–" else f" ({interval})")


def ends(cell: str) -> str:
    """An interval of a table as tooltips show it."""
    return cell.replace(" to ", "–") if cell.lstrip("-")[:1].isdigit() else "none"


class TestChartsShowTheirTables:
    """The chart draws the numbers of the table: the same names, numbers and intervals."""

    @staticmethod
    def chart(reported: Study, name: str) -> Chart:
        return charts(report_of([reported]))[name]

    def test_leaderboard(self, demo: Demo) -> None:
        chart = charts(demo[1])["leaderboard-chart"]
        rows = text_rows(chart.table)
        assert names(chart) == [row[0] for row in rows]
        assert dots(chart) == sorted((row[0], "", row[5], ends(row[6])) for row in rows)
        assert {row["name"]: row["note"] for row in drawn(chart)} == {row[0]: row[-1] for row in rows}

    def test_plane(self, demo: Demo) -> None:
        chart = charts(demo[1])["precision-recall-plane"]
        rows = text_rows(chart.table)
        points = [row for row in drawn(chart) if "name" in row and "at" not in row]
        assert [(row["name"], row["P_shown"], row["R_shown"]) for row in points] == [
            (name, beside(*precision), beside(*recall))
            for name, *both in rows
            for precision, recall in [(both[:2], both[2:])]
        ]
        for row in points:
            for letter in "PR":
                low, high = row[f"{letter}_low"], row[f"{letter}_high"]
                ends = "" if low is None else f" ({low:.2f}–{high:.2f})"
                assert row[f"{letter}_shown"] == f"{row[letter]:.2f}{ends}"

    def test_recall_by_type(self, demo: Demo) -> None:
        """Each cell once, colored, faded or a gap; every type with its name."""
        chart, counts = charts(demo[1])["type-recall-map"], text_rows(tables(demo[1])["type-counts"])
        assert headings(chart.table)[:3] == ["type", "that is", "edits"]
        systems = headings(chart.table)[3:]
        expected = [
            (kind, system, "–" if found == "–" else f"{recall}: {found.replace(' / ', ' of ')}")
            for (kind, _, _, *recalls), (same, _, *parts) in zip(text_rows(chart.table), counts, strict=True)
            for system, recall, found in zip(systems, recalls, parts, strict=True)
            if kind == same
        ]
        assert len(expected) == len(counts) * len(systems)
        cells = [row for row in drawn(chart) if "detail" in row]
        plain = [(row["row"], row["column"], re.sub(r" \(.*\)", "", row["detail"])) for row in cells]
        assert sorted(plain) == sorted(expected)
        for row in cells:
            assert row["text"] == ("–" if row["value"] is None else f"{row['value']:.0f}")
            for low, high in re.findall(r"\((.*)–(.*)\)", row["detail"]):
                assert float(low) - 0.01 <= row["value"] <= float(high) + 0.01
        names = {row["row"]: row["behind"] for row in drawn(chart) if "behind" in row}
        assert names == {kind: edits for kind, _, edits, *_ in text_rows(chart.table)}
        spoken = {row["row"]: row["spoken"] for row in drawn(chart) if "spoken" in row}
        assert spoken == {kind: f"{kind}: {meaning}" for kind, meaning, *_ in text_rows(chart.table)}

    @pytest.mark.parametrize("name", ["ceiling-curves", "ceiling-ratio"])
    def test_ceiling(self, demo: Demo, name: str) -> None:
        chart = charts(demo[1])[name]
        columns = headings(chart.table)
        n = len(columns) // 3
        assert (columns[2::3], columns[3::3]) == (["95% CI"] * n, ["texts+judges"] * n)
        cells = [
            (series, row[0].split()[0], row[k : k + 3])
            for row in text_rows(chart.table)
            for k, series in enumerate(columns)
            if k % 3 == 1
        ]
        assert curves(chart) == sorted((who, place, value, ends(own)) for who, place, (value, own, _) in cells)
        wider = {(row["series"], f"{row['x']:g}"): row["outer"] for row in drawn(chart) if "outer" in row}
        assert wider == {(who, place): ends(both) for who, place, (_, _, both) in cells if both != "–"}

    def test_agreement(self, demo: Demo) -> None:
        found = charts(demo[1])
        coefficients = {row[0]: row[1:] for row in text_rows(tables(demo[1])["agreement-coefficients"])}
        for name, _, shown, interval in dots(found["agreement-chart"]):
            value, between = coefficients[name]
            assert (shown, interval) == (value, between.replace(" to ", "–"))
        matrix = found["agreement-matrix"]
        details = {
            (row["row"], row["column"]): (row["text"], row["detail"]) for row in drawn(matrix) if "detail" in row
        }
        assert len(details) == len(matrix.table.rows)  # one triangle
        for first, second, _, _, kappa, between in text_rows(found["agreement-matrix"].table):
            expected = (f"{float(kappa):.2f}", f"{kappa} ({between})")
            assert details[second, first] == expected
        kappas = sorted((float(row[4]), row[0], row[1], row[4]) for row in text_rows(found["agreement-matrix"].table))
        (_, *low), (_, *high) = kappas[0], kappas[-1]
        assert matrix.description == (
            "Each cell is a pair of annotators; colors run from the pair that agrees least to the one that agrees "
            f"most. Annotators {high[0]} and {high[1]} agree most, {low[0]} and {low[1]} least."
        )

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

    @pytest.mark.parametrize("name", ["hoo-plain", "hoo-bonus"])
    def test_runs(self, name: str) -> None:
        chart = self.chart(hoo_study(), name)
        rows = text_rows(chart.table)
        assert names(chart) == ["AA1", "BB0", "AA0"]  # by F of correction
        assert dots(chart) == sorted((row[0], row[1], row[6], ends(row[7])) for row in rows)

    def test_recall_of_runs(self) -> None:
        chart = self.chart(hoo_study(), "hoo-recall")
        rows = text_rows(chart.table)
        assert [row[:3] for row in rows[:2]] == [["AA1", "Noun", "2"], ["AA1", "Verb", "2"]]
        expected = {(kind, run): shares for run, kind, _, *shares in rows}
        cells = [row for row in drawn(chart) if "detail" in row]
        assert {(row["row"], row["column"]) for row in cells} == set(expected)
        for row in cells:
            detected, recognized, corrected = expected[row["row"], row["column"]]
            assert row["value"] == pytest.approx(float(corrected))
            assert row["text"] == f"{row['value']:.0f}"
            # Two gold edits each: 50 percent are one of them.
            n = {share: f"{share} ({float(share) / 50:.0f} of 2)" for share in (detected, recognized, corrected)}
            said = f"detection {n[detected]}, recognition {n[recognized]}, correction {n[corrected]}"
            assert row["detail"] == said
        assert chart.description.endswith(" Faded: fewer than 20 edits, too few to compare.")
        (note,) = notes(chart.table)
        assert note.startswith("no gold edit: Article, ")
        assert "Noun" not in note

    def test_sample(self) -> None:
        found = charts(report_of([sample_study()]))
        chart = found["sample-estimates"]
        rows = [row for row in text_rows(chart.table) if row[1] in ("P", "R", "F")]
        assert names(chart) == ["a: P", "a: R", "a: F", "b: P", "b: R", "b: F"]
        assert dots(chart) == sorted((f"{row[0]}: {row[1]}", "", row[2], row[3]) for row in rows)

    def test_budget(self) -> None:
        chart = self.chart(sample_study(), "sample-budget")
        rows = text_rows(chart.table)
        assert curves(chart) == sorted(
            (name, row[0].replace(",", ""), value, "none")
            for row in rows
            for name, value in zip("PRF", row[1:], strict=True)
        )
        assert headings(chart.table) == ["judgments", "± P", "± R", "± F"]


# Both intervals on the page: over texts by these judges, and over texts and judges.


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
    ends = {name: (ends["low"], ends["high"]) for name, ends in intervals.items() if ends["low"] is not None}
    return {name: (round(100 * low, 9), round(100 * high, 9)) for name, (low, high) in ends.items()}


def test_the_leaderboard_has_a_thick_and_a_thin_bar(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    chart = charts(report)["leaderboard-chart"]
    scores = json.loads(errorbar("score", *arguments, "--ci", *SAME).out)["rows"]
    assert bars(chart.spec, 4) == known({score["system"]: score["intervals"]["f"] for score in scores})
    of_judges = {score["system"]: score["judges"]["measures"]["f"]["interval"] for score in scores}
    assert bars(chart.spec, 1) == known(of_judges)
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
    first, second = arguments[2:4]
    report = report_of(compute_studies(gold=(arguments[1],), systems=(first, second), judges="fixed"))
    assert not any("texts+judges" in table.columns for table in tables(report).values())
    assert "over texts and judges" not in " ".join((*report.summary, prose(report, "leaderboard")))


def test_a_page_of_pairs_of_judges_goes_by_pairs(demo: Demo) -> None:
    arguments, _ = demo
    report = report_of(compute_studies(gold=(arguments[1],), systems=tuple(arguments[2:]), judges="random(k=2)"))
    assert "F0.5, 2 judges" in tables(report)["scores"].columns
    assert "F diff, 2 judges" in tables(report)["pairs"].columns


def test_hoo_data_knows_no_judges(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "Gold").mkdir()
    done = errorbar("report", "--gold", tmp_path, "--judges", "fixed", "-o", tmp_path / "r.md", "--metric", "hoo")
    assert done.code == 2
    assert "not for HOO data" in done.err
