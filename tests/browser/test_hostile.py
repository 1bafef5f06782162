"""Data is shown to the letter, lays out, and runs nothing: the fixture looks for dialogs and for ``window.harmed``."""

from __future__ import annotations

import pytest

from errorbar.api import Browse, BrowseEdit, BrowseUnit
from errorbar.core import visible
from errorbar.reporting import Report, Section, SentenceBrowser
from tests.browser.conftest import Opener
from tests.browser.hostile import LONG, TEXTS, hostile_browse, hostile_report
from tests.browser.pages import write
from tests.browser.test_page import draw_all


@pytest.fixture(scope="module")
def hostile_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(hostile_report(), tmp_path_factory.mktemp("hostile"))


def seen(text: str) -> str:
    """As a browser gives text back: what cannot stand in HTML source as it is."""
    return " ".join(text.split())


@pytest.mark.parametrize("width", [360, 1440])
def test_shown_literally_and_lays_out(opened: Opener, hostile_url: str, width: int) -> None:
    page = opened(hostile_url, width=width).page
    draw_all(page)
    for button in page.locator(".show-table").all():
        button.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.title() == seen(TEXTS[1])
    assert page.locator("h1").inner_text() == TEXTS[1]
    paragraphs = page.locator(".summary p").evaluate_all("all => all.map(e => e.textContent)")
    shown = [visible(text) for text in TEXTS]  # what turns or hides the text beside it is shown
    assert paragraphs == shown
    assert page.locator(".items mark").evaluate_all("all => all.map(e => e.textContent)") == shown
    assert page.locator(".code code").evaluate_all("all => all.map(e => e.textContent)")[: len(TEXTS)] == shown


def test_every_sentence_is_there_to_the_letter(opened: Opener, hostile_url: str) -> None:
    watched = opened(hostile_url)
    sources = ".unit .source"
    texts = watched.page.locator(sources).evaluate_all("all => all.map(e => e.textContent)")
    button = watched.page.get_by_role("button", name="Next")
    while button.is_visible() and button.is_enabled():
        button.click()
        texts += watched.page.locator(sources).evaluate_all("all => all.map(e => e.textContent)")
    assert texts == [unit.text for unit in hostile_browse().units]


def test_edits_and_names_to_the_letter(opened: Opener, hostile_url: str) -> None:
    """Offsets beyond the basic plane too: the emoji is what is deleted."""
    watched = opened(hostile_url)
    watched.page.get_by_label("Search texts and corrections").fill("emoji 👩")
    card = watched.page.locator(".unit").filter(has=watched.page.locator(".source", has_text="emoji"))
    assert card.locator("del").first.evaluate("e => e.textContent") == "😀"
    assert card.locator("ins").first.evaluate("e => e.textContent") == TEXTS[0]
    others = card.locator(".edit").first.locator(".or bdi").evaluate_all("all => all.map(e => e.textContent)")
    assert others == list(TEXTS[1:])
    assert card.locator(".text:not(.missed) .tag", has_text="no correction given").count() == 1
    names = card.locator("dt bdi").evaluate_all("all => all.map(e => e.textContent)")
    assert {TEXTS[0], TEXTS[4], TEXTS[8]} < set(names)
    types = watched.page.locator("[data-part=type] option").all_inner_texts()
    assert any("__proto__" in text for text in types)


def test_right_to_left_text_runs_its_way(opened: Opener, hostile_url: str) -> None:
    watched = opened(hostile_url)
    watched.page.get_by_label("Search texts and corrections").fill("שלום")
    source = watched.page.locator(".unit .source", has_text="שלום")
    assert source.evaluate("e => getComputedStyle(e).direction") == "rtl"


def test_a_long_sentence_wraps(opened: Opener, hostile_url: str) -> None:
    watched = opened(hostile_url, width=360)
    watched.page.get_by_label("Search texts and corrections").fill("word1999")
    source = watched.page.locator(".unit .source").first
    assert source.evaluate("e => e.textContent") == LONG
    assert not source.is_visible()  # folded, because the corpus has long texts
    watched.page.get_by_label("Only around edits").uncheck()
    assert source.evaluate("e => e.scrollWidth <= e.clientWidth && e.clientHeight > 1000")


def test_two_hundred_systems_can_be_chosen_from(opened: Opener, hostile_url: str) -> None:
    page = opened(hostile_url).page
    page.get_by_text("6 of 200 systems").click()
    page.get_by_label("Find among 200 systems").fill("7 * 7")
    boxes = page.locator(".chooser-list label:visible input")
    page.get_by_role("button", name="All systems").click()
    chosen = page.locator(".chooser fieldset").nth(1).locator("input:checked").count()
    assert boxes.count() >= 16
    # Those that were shown from the start, and those that the search left: one of them is both.
    assert chosen == 6 + 17 - 1
    assert page.get_by_text(f"{chosen} of 200 systems").is_visible()


def test_links_with_hostile_names(opened: Opener, hostile_url: str) -> None:
    watched = opened(hostile_url)
    watched.page.locator(".unit h3 a").first.click()
    again = opened(watched.page.url)
    assert again.page.locator(".unit.current h3").inner_text() == f"Sentence {TEXTS[0]}"


@pytest.mark.parametrize(
    ("browse", "status"),
    [
        (Browse((), (), ()), "All 0 sentences"),
        (Browse(("a",), (), [BrowseUnit("1", "One .", "", ((),), (), (), ())]), "1 sentence"),
        (Browse(("a",), ("s",), [BrowseUnit("t", "One .", "", (None,), ((),), ((0, 0, 0),), (-1,))], "text"), "1 text"),
        (
            Browse((), ("s",), [BrowseUnit("1", "", "", (), ((BrowseEdit(0, 0, ("x",)),),), ((0, 1, 0),), (-1,))]),
            "1 sentence",
        ),
    ],
    ids=["no sentence", "no edit", "one text", "empty sentence"],
)
def test_little_to_show(opened: Opener, tmp_path_factory: pytest.TempPathFactory, browse: Browse, status: str) -> None:
    report = Report("Little", (), [Section("only", "Only", [SentenceBrowser(browse)])])
    watched = opened(write(report, tmp_path_factory.mktemp("little")), width=360)
    assert watched.page.locator("[data-part=status]").inner_text() == status
    assert watched.page.locator(".unit").count() == len(browse.units)
    # Questions that these data cannot answer are not asked.
    for part in ("document", "least", "type"):
        assert not watched.page.locator(f"[data-part={part}]").is_visible()
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 360
