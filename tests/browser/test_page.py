"""The page around the sentence browser: opening, schemes, widths, contents, tables, charts, paper."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from errorbar.reporting import Links, Report, Section, SentenceBrowser
from errorbar.tables import Column, Table
from tests.browser.conftest import Opener
from tests.browser.pages import far_apart, write


def draw_all(page: object) -> None:
    """Bring every chart on the screen, so that all are drawn."""
    figures = page.locator("figure.chart")  # type: ignore[attr-defined]  # Playwright is optional, and untyped here
    for number in range(figures.count()):
        figures.nth(number).scroll_into_view_if_needed()
        # Said once the chart is whole: its picture is there before its marks can be asked for.
        figures.nth(number).locator("xpath=self::*[@data-drawn]").wait_for()


def test_opens_from_disk_and_asks_for_nothing(opened: Opener, demo_url: str) -> None:
    """The fixture judges console, requests and dialogs."""
    watched = opened(demo_url)
    draw_all(watched.page)
    assert demo_url.startswith("file:")
    assert watched.page.get_by_text("needs scripts").count() == 0
    assert set(watched.asked) <= {demo_url, "data:,"}
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    first = watched.page.wait_for_function(paint).json_value()  # told some frames after it
    print(f"first view after {first:.0f} ms")  # noqa: T201 - measured, not judged


def test_the_policy_forbids_what_is_not_the_pages_own(chromium: object, demo_url: str) -> None:
    page = chromium.new_page()  # type: ignore[attr-defined]  # Playwright is optional, and untyped here
    page.goto(demo_url)
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.harmed = 1';"
        " document.body.append(s); const i = document.createElement('img'); i.src = 'https://example.invalid/x.png';"
        " i.setAttribute('onerror', 'window.harmed = 2'); document.body.append(i); }"
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.harmed") is None
    # Later, because what a debugger evaluates is let through.
    page.evaluate(
        "setTimeout(() => { try { new Function('window.harmed = 3')() } catch { document.title = 'refused' } })"
    )
    page.wait_for_function("document.title === 'refused' || window.harmed")
    assert page.evaluate("window.harmed") is None
    page.close()


@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("kind", ["demo_url", "whole_url"])
def test_never_scrolls_sideways(opened: Opener, request: pytest.FixtureRequest, kind: str, width: int) -> None:
    page = opened(request.getfixturevalue(kind), width=width).page
    draw_all(page)
    for button in page.locator(".show-table").all():
        button.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_scheme_follows_the_reader_and_the_button(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url, dark=True).page
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(18, 22, 28)"
    chart = page.locator("figure.chart").first
    chart.scroll_into_view_if_needed()
    page.locator("figure.chart[data-drawn=dark]").first.wait_for()
    page.get_by_role("button", name="Switch to light colors").click()
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.locator("figure.chart[data-drawn=light]").first.wait_for()
    page.reload()
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    assert page.get_by_role("button", name="Switch to dark colors").is_visible()


def test_tables_sort_by_value_and_keep_the_undefined_last(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url).page
    table = page.locator("#table-leaderboard")
    names = table.locator("tbody th")
    heading = table.locator("thead th").nth(3)
    assert names.all_inner_texts() == ["careful", "greedy", "articles", "copy"]
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert names.all_inner_texts() == ["greedy", "careful", "articles", "copy"]
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert names.all_inner_texts() == ["articles", "careful", "greedy", "copy"]
    table.get_by_role("button", name="System").click()
    assert heading.get_attribute("aria-sort") is None
    assert names.all_inner_texts() == ["articles", "careful", "copy", "greedy"]


def test_every_chart_has_its_table_and_says_what_it_shows(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url).page
    for figure in page.locator("figure.chart").all():
        assert figure.locator("figcaption span").inner_text()
        assert figure.get_by_role("img").first.get_attribute("aria-label")
        button, table = figure.get_by_role("button", name="Table"), figure.locator(".chart-table table")
        assert not table.is_visible()
        button.click()
        assert button.get_attribute("aria-expanded") == "true"
        assert table.locator("tbody tr").count() == 4
        button.click()
        assert not table.is_visible()


def test_no_two_buttons_of_charts_have_one_name(opened: Opener, demo_url: str) -> None:
    """Who hears a list of buttons hears which chart each is of, and the words that are seen come first."""
    buttons = opened(demo_url).page.locator(".chart-controls button")
    names = buttons.evaluate_all("all => all.map(e => e.getAttribute('aria-label') || e.textContent)")
    assert len(names) == len(set(names)) > 3
    assert all(text in name for text, name in zip(buttons.all_inner_texts(), names, strict=True))


@pytest.mark.parametrize(("kind", "start"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_charts_can_be_saved(opened: Opener, demo_url: str, tmp_path: Path, kind: str, start: bytes) -> None:
    page = opened(demo_url, dark=True).page
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Save as {kind}: F with intervals").click()
    waiting.value.save_as(tmp_path / "chart")
    assert waiting.value.suggested_filename == f"bars.{kind.lower()}"
    saved = (tmp_path / "chart").read_bytes()
    assert saved.startswith(start)
    assert len(saved) > 1000


def test_contents_say_where_the_reader_is(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url).page
    page.get_by_role("link", name="Methods").click()
    page.locator(".contents a:not([href='#summary-of-report'])[aria-current]").wait_for()
    assert page.url.endswith("#methods")
    page.get_by_role("link", name="Sentences").click()
    page.locator(".contents a[href='#sentences'][aria-current]").wait_for()


def test_skip_link_comes_first(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_headings_are_in_order(opened: Opener, demo_url: str) -> None:
    levels = opened(demo_url).page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels[1:]))


def test_prints_all_charts_in_light_and_no_controls(opened: Opener, demo_url: str) -> None:
    """Pictures stand for the charts, also for those that nobody scrolled to."""
    page = opened(demo_url, dark=True, height=300).page
    page.emulate_media(media="print")
    assert [is_picture(figure) for figure in page.locator("figure.chart").all()] == [True, True]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for hidden in (".control", ".browser-controls", ".contents", ".pager"):
        assert not any(part.is_visible() for part in page.locator(hidden).all()), hidden
    assert page.locator(".unit").first.is_visible()


def is_picture(figure: Any) -> bool:  # noqa: ANN401 - Playwright is optional, and untyped here
    """True if a picture, whole and with words, stands in the place of a chart."""
    picture = figure.locator("img.picture")
    size = picture.evaluate("(one) => one.decode().then(() => one.naturalWidth)")
    shown = picture.is_visible() and not figure.locator(".canvas").is_visible()
    return bool(size > 200 and shown and picture.get_attribute("alt"))


def test_without_scripts_the_numbers_are_there(opened: Opener, demo_url: str, demo_report: Report) -> None:
    """Of the sentences the first, and the page says so; pictures stand in the place of charts."""
    watched = opened.browser.new_context(java_script_enabled=False).new_page()
    watched.goto(demo_url)
    tables = watched.locator("table")
    assert tables.count() == 3
    assert all(table.is_visible() for table in tables.all())
    assert watched.get_by_text("browser needs scripts").is_visible()
    (browse,) = (block.browse for block in demo_report.blocks if isinstance(block, SentenceBrowser))
    first = max(browse.units, key=far_apart)
    assert watched.locator(".examples li").first.inner_text().startswith(f"{first.name} {first.text}")
    assert watched.get_by_text(demo_report.summary[0]).is_visible()
    assert [is_picture(figure) for figure in watched.locator("figure.chart").all()] == [True, True]
    watched.context.close()


def test_a_page_that_was_never_scrolled_is_printed_with_all_charts(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url, height=300).page
    page.wait_for_timeout(200)
    assert page.locator("figure.chart svg").count() < 2
    whole = len(page.pdf())
    page.evaluate("document.querySelectorAll('img.picture').forEach((one) => one.remove())")
    assert whole > len(page.pdf()) + 4_000  # its two charts


def test_a_table_of_twelve_systems_fits_on_paper(opened: Opener, tmp_path: Path) -> None:
    names = [f"TEAM{k}" for k in range(12)]
    counts = Table([Column("type"), *map(Column, names)], [["ArtOrDet", *["300 / 514"] * 12]], "Edits found", "counts")
    url = write(Report("wide", [], [Section("wide", "Wide", [counts])]), tmp_path)
    page = opened(url, width=794).page  # 21 cm
    assert page.evaluate("document.querySelector('#table-counts').scrollWidth") > 794
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 794


def test_a_scrolled_table_keeps_its_names_and_shows_no_part_of_a_number(opened: Opener, tmp_path: Path) -> None:
    names = [f"TEAM{k}" for k in range(12)]
    wide = Table([Column("type"), *map(Column, names)], [["ArtOrDet", *["300 / 514"] * 12]], "Edits found", "counts")
    page = opened(write(Report("wide", [], [Section("wide", "Wide", [wide])]), tmp_path), width=360).page
    edges = "one => [one.getBoundingClientRect().left, one.getBoundingClientRect().right]"
    box = page.locator(".scroll")
    left = box.evaluate(edges)[0]
    assert box.get_attribute("data-behind") is None
    for scrolled in (37, 150, 10_000):
        box.evaluate("(one, to) => { one.scrollLeft = to; }", scrolled)
        page.locator(".scroll[data-behind]").wait_for()
        page.wait_for_timeout(100)
        firsts = page.locator("caption, thead th:first-child, tbody th")
        assert {round(edge[0] - left) for edge in (first.evaluate(edges) for first in firsts.all())} == {0}
        end = page.locator("tbody th").evaluate(edges)[1]
        covered = end + float(box.evaluate("one => one.style.getPropertyValue('--cut')").removesuffix("px"))
        cells = [cell.evaluate(edges) for cell in page.locator("tbody td").all()]
        assert not [start for start, stop in cells if start < covered - 1 and stop > covered + 1]


def test_a_header_on_the_next_sheet_has_its_words(opened: Opener, demo_url: str) -> None:
    """Chromium leaves buttons out of a header that it repeats."""
    page = opened(demo_url).page
    page.emulate_media(media="print")
    assert page.locator(".sort").first.evaluate("one => getComputedStyle(one).display") == "contents"


def test_links_lead_to_pages_beside_this_one(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "teams").mkdir()
    back = Report("a team", [], [Section("one", "One", [Links("The task", {"All teams": "../report.html"})])])
    write(back, tmp_path / "teams")
    ways = Links("A page for each team", {"<b>A & B</b>": "teams/report.html"})
    url = write(Report("the task", [], [Section("one", "One", [ways])]), tmp_path)
    page = opened(url).page
    page.get_by_role("link", name="<b>A & B</b>").click()
    page.wait_for_url("**/teams/report.html")
    page.get_by_role("link", name="All teams").click()
    page.wait_for_url(url)


def test_the_receipt_is_saved_from_inside_the_page(opened: Opener, tmp_path: Path) -> None:
    """Also of a page that was passed on alone: nothing stands beside it."""
    held = {"schema": "errorbar.receipt/1", "files": [{"name": "</script>.m2"}]}
    table = Table([Column("system")], [["a"]], "Systems", "systems")
    report = Report("r", [], [Section("one", "One", [table])], receipt=("r.receipt.json", held))
    page = opened(write(report, tmp_path)).page
    with page.expect_download() as waiting:
        page.get_by_role("link", name="r.receipt.json").click()
    waiting.value.save_as(tmp_path / "saved.json")
    assert waiting.value.suggested_filename == "r.receipt.json"
    assert json.loads((tmp_path / "saved.json").read_text()) == held
