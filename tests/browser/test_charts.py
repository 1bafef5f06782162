"""Charts as a reader has them: names that do not overlap, figures that can be read, tooltips by keyboard, cells that
open their sentences."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from errorbar.api import Browse, BrowseEdit, BrowseUnit
from errorbar.reporting import (
    Axis,
    Chart,
    LinePoint,
    PlanePoint,
    Report,
    Section,
    SentenceBrowser,
    line_chart,
    plane_chart,
)
from errorbar.tables import Column, Table
from tests.browser.conftest import Opener
from tests.browser.pages import far_apart, write
from tests.browser.test_page import draw_all
from tests.browser.test_sentences import GO
from tests.helpers.expectations import require

if TYPE_CHECKING:
    from playwright.sync_api import Locator

TEAMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")
BOXES = """(figure) => [...figure.querySelectorAll('.canvas text')].filter((e) => e.textContent.trim()
 && e.getAttribute('opacity') !== '0').map((e) => [e.textContent, e.getBoundingClientRect()])
 .map(([text, b]) => [text, b.left, b.top, b.right, b.bottom])"""
CONTRASTS = """(figure) => {
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const parts = (color) => {
    const context = document.createElement('canvas').getContext('2d');
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => sum + share * linear(rgb[k] / 255), 0);
  const paper = parts(getComputedStyle(document.body).backgroundColor);
  const cells = [...figure.querySelectorAll('.mark-rect path')].map((path) => {
    const share = Number(path.getAttribute('fill-opacity') ?? 1);
    const color = parts(path.getAttribute('fill')).map((part, k) => share * part + (1 - share) * paper[k]);
    return [path.getBoundingClientRect(), luminance(color)];
  });
  const found = [];
  for (const text of figure.querySelectorAll('.mark-text text')) {
    const box = text.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const cell = cells.find(([at]) => at.left < x && x < at.right && at.top < y && y < at.bottom);
    if (!cell || !text.textContent.trim()) continue;
    const [dark, light] = [luminance(parts(text.getAttribute('fill'))), cell[1]].sort((a, b) => a - b);
    found.push([text.textContent, (light + 0.05) / (dark + 0.05)]);
  }
  return found;
}"""


def page_of(charts: dict[str, Any], folder: Path) -> str:
    values = Table([Column("system"), Column("P", "count")], [["AMU", 30]], "Values", "values")
    made = [Chart(name, name, "Twelve systems.", spec, values) for name, spec in charts.items()]
    return write(Report("charts", [], [Section("charts", "Charts", made)]), folder)


def overlapping(boxes: list[list[Any]]) -> list[tuple[str, str]]:
    """Texts that cover each other: a pixel across and three of the room between lines are none."""
    return [
        (a[0], b[0])
        for k, a in enumerate(boxes)
        for b in boxes[:k]
        if a[1] < b[3] - 1 and b[1] < a[3] - 1 and a[2] < b[4] - 3 and b[2] < a[4] - 3
    ]


@pytest.mark.parametrize("width", [320, 360, 1440])
def test_every_system_has_its_name_and_no_name_covers_another(opened: Opener, tmp_path: Path, width: int) -> None:
    alike = [PlanePoint(name, 30 + k % 3, 20 + k / 2, (27 + k % 3, 33 + k % 3), None) for k, name in enumerate(TEAMS)]
    long = [PlanePoint(f"a system with a long name {name}", 30 + k % 3, 20 + k / 2) for k, name in enumerate(TEAMS)]
    lines = [LinePoint(name, x, 30 + x + k / 4) for k, name in enumerate(TEAMS) for x in (1, 2, 3)]
    url = page_of(
        {
            "alike": plane_chart(alike, beta=0.5, f_name="F0.5"),
            "long": plane_chart(long, beta=0.5, f_name="F0.5"),
            "lines": line_chart(lines, Axis("references", "count"), Axis("F0.5 (percent)")),
        },
        tmp_path,
    )
    page = opened(url, width=width).page
    draw_all(page)
    for figure in page.locator("figure.chart").all():
        texts = figure.evaluate(BOXES)
        names = [text for text in texts if text[0].split()[-1] in TEAMS]
        assert {text[0].split()[-1] for text in names} == {*TEAMS}
        room = require(figure.bounding_box())
        for text, left, _, right, _ in names:
            assert left >= room["x"] - 1, text
            assert right <= room["x"] + room["width"] + 1, text
        assert overlapping(names) == []
        numbers = [text for text in texts if text[0].isdecimal() and 1 <= int(text[0]) <= 12]
        assert overlapping([*names, *numbers]) == [] or figure.get_attribute("data-chart") != "long"


@pytest.mark.parametrize("dark", [False, True])
def test_figures_in_cells_can_be_read(opened: Opener, whole_url: str, dark: bool) -> None:
    page = opened(whole_url, dark=dark).page
    draw_all(page)
    for name, least in (("type-recall-map", 80), ("agreement-matrix", 3)):
        found = page.locator(f"#chart-{name}").evaluate(CONTRASTS)
        assert len(found) >= least
        assert [pair for pair in found if pair[1] < 4.5] == []


def test_charts_use_the_width_that_there_is(opened: Opener, whole_url: str) -> None:
    page = opened(whole_url).page
    draw_all(page)
    for figure in page.locator("figure.chart.full").all():
        room, drawn = figure.bounding_box(), figure.locator("svg").first.bounding_box()
        assert room is not None
        assert drawn is not None
        wanted = page.evaluate(
            "(name) => JSON.parse(document.getElementById('chart-data').textContent).specs[name].usermeta?.most",
            figure.get_attribute("data-chart"),
        )
        assert drawn["width"] >= min(room["width"], wanted or room["width"]) - 8


def misses(browse: Browse, unit: BrowseUnit, system: str, kind: str) -> bool:
    """Whether a system lacks an edit of the type by the annotator that it is scored against."""
    at = browse.systems.index(system)
    right = [edit for edit in unit.systems[at] if edit.matched]

    def is_found(wanted: BrowseEdit) -> bool:
        place = wanted.start, wanted.end
        return any((e.start, e.end) == place and {*e.replacements} <= {*wanted.replacements} for e in right)

    edits = (unit.annotators[unit.chosen[at]] or ()) if unit.chosen[at] >= 0 else ()
    return any(edit.type == kind and not is_found(edit) for edit in edits)


def click_cell(figure: Locator, asks: Mapping[str, str]) -> None:
    """Click a cell of a heat map, as soon as it is on the screen and nothing moves it."""
    cell = figure.evaluate_handle(
        "(figure, asks) => [...figure.querySelectorAll('.mark-rect path')].find((path) => {"
        " const d = path.__data__?.datum?.asks; return d && d.system === asks.system && d.type === asks.type; })",
        asks,
    ).as_element()
    assert cell is not None
    cell.scroll_into_view_if_needed()
    cell.wait_for_element_state("stable")
    box = require(cell.bounding_box())
    # Not cell.click(): the number in the cell lies above it, and hears the click in its place.
    figure.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_click_on_a_cell_opens_its_sentences(opened: Opener, whole: Report, whole_url: str) -> None:
    """Those in which the system missed such an edit; counted again here."""
    browse = next(block.browse for block in whole.blocks if isinstance(block, SentenceBrowser))
    spec: Any = next(chart for chart in whole.charts if chart.name == "type-recall-map").spec
    cells = [row for rows in spec["datasets"].values() for row in rows if row.get("asks")]
    assert len(cells) > 40
    cells = [row for row in cells if row["asks"]["verdict"] == "missed"]
    watched = opened(whole_url)
    page = watched.page
    draw_all(page)  # so that nothing moves between looking for a cell and the click
    figure = page.locator("#chart-type-recall-map")
    page.evaluate("() => { window.heard = 0; addEventListener('hashchange', () => { window.heard += 1; }); }")
    for clicks, number in enumerate((0, 7, len(cells) - 1), 1):
        asks = cells[number]["asks"]
        click_cell(figure, asks)
        page.wait_for_function("clicks => window.heard === clicks", arg=clicks)
        units = [unit for unit in browse.units if misses(browse, unit, asks["system"], asks["type"])]
        units.sort(key=lambda unit: -far_apart(unit))
        assert watched.count() == len(units) > 0
        assert watched.shown() == [f"Sentence {unit.name}" for unit in units[: len(watched.shown())]]
        assert asks["system"] in page.locator(".unit").first.inner_text()


def test_the_way_back_from_a_cell_finds_the_filters_as_they_were(opened: Opener, whole: Report, whole_url: str) -> None:
    spec: Any = next(chart for chart in whole.charts if chart.name == "type-recall-map").spec
    asks = next(row["asks"] for rows in spec["datasets"].values() for row in rows if row.get("asks"))
    watched = opened(whole_url)
    page = watched.page
    draw_all(page)
    page.fill("[data-part=search]", "the")
    chosen = watched.count()
    click_cell(page.locator("#chart-type-recall-map"), asks)
    page.wait_for_function("type => document.querySelector('[data-part=type]').value === type", arg=asks["type"])
    asked, left = watched.count(), page.evaluate("scrollY")
    page.go_back()
    page.wait_for_function("document.querySelector('[data-part=search]').value === 'the'")
    assert watched.count() == chosen != asked
    page.wait_for_function("left => scrollY < left", arg=left)
    page.go_forward()
    page.wait_for_function("type => document.querySelector('[data-part=type]').value === type", arg=asks["type"])
    assert watched.count() == asked
    assert page.input_value("[data-part=search]") == ""


def test_found_and_missed_of_a_cell_are_its_counts(opened: Opener, whole: Report, whole_url: str) -> None:
    """Where every sentence has at most one edit of the type, sentences are edits."""
    browse = next(block.browse for block in whole.blocks if isinstance(block, SentenceBrowser))
    chart = next(chart for chart in whole.charts if chart.name == "type-recall-map")
    spec: Any = chart.spec
    cells = [row for rows in spec["datasets"].values() for row in rows if row.get("asks")]
    alone = [
        (row["asks"], *map(int, row["detail"].split(": ")[-1].replace(",", "").split(" of ")))
        for row in {json.dumps(row): row for row in cells}.values()
        if all(
            sum(edit.type == row["asks"]["type"] for edit in unit.annotators[chosen] or ()) <= 1
            for unit in browse.units
            if (chosen := unit.chosen[browse.systems.index(row["asks"]["system"])]) >= 0
        )
    ]
    assert len(alone) > 10
    watched = opened(whole_url)
    for asks, found, gold in alone[:12]:
        for verdict, n in (("found", found), ("missed", gold - found)):
            address = f"#sentences?system={asks['system']}&type={asks['type']}&verdict={verdict}"
            watched.page.evaluate(GO, address)
            assert watched.count() == n, address


def test_marks_are_told_by_keyboard(opened: Opener, whole: Report, whole_url: str) -> None:
    page = opened(whole_url).page
    draw_all(page)
    figure = page.locator("#chart-leaderboard-chart")
    box, says = figure.locator(".canvas-scroll"), figure.locator(".says")
    box.focus()
    for name in ("greedy", "careful"):
        page.keyboard.press("ArrowRight")
        assert says.inner_text().startswith(f"system: {name}, F0.5 (percent): ")
        assert "interval: " in says.inner_text()
    assert page.locator(".tip:not(.of-pair)").is_visible()
    ring, svg = page.locator(".mark-ring:visible").bounding_box(), figure.locator("svg").bounding_box()
    assert ring is not None
    assert svg is not None
    assert svg["x"] < ring["x"] < svg["x"] + svg["width"]
    page.keyboard.press("Escape")
    assert not page.locator(".tip:not(.of-pair)").is_visible()
    grid = page.locator("#chart-type-recall-map")
    grid.locator(".canvas-scroll").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    said = grid.locator(".says").inner_text()
    kind = said.removeprefix("type: ").split(",")[0]
    assert "that is: " in said
    page.keyboard.press("Enter")
    page.wait_for_url(f"**type={kind}&verdict=missed*")
    page.locator(".unit:first-child:focus").wait_for()


def test_codes_are_spelled_out_below(opened: Opener, whole_url: str) -> None:
    page = opened(whole_url, width=360).page
    key = page.locator("#chart-type-recall-map .key")
    assert not key.get_by_text("article or determiner").is_visible()
    key.locator("summary").click()
    assert key.get_by_text("article or determiner").is_visible()
