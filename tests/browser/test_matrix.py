"""The square of pairs: what a cell says, by pointer, keyboard and screen reader, on every screen and on paper."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Opener

MATRIX = "table.pairs"


def test_arrow_keys_move_from_pair_to_pair(opened: Opener, whole_url: str) -> None:
    page = opened(whole_url).page
    first = page.locator(f"{MATRIX} td[tabindex='0']")
    assert first.count() == 1
    tip = page.locator(".of-pair")
    assert not tip.is_visible()
    first.focus()
    here = "document.activeElement.querySelector('.fact span').textContent"
    said = page.evaluate(here)
    assert said in tip.inner_text()
    assert "95% interval over texts and judges" in tip.inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    moved = page.evaluate(here)
    assert moved != said
    assert moved in tip.inner_text()
    page.keyboard.press("ArrowLeft")  # there is no pair left of the diagonal's
    assert page.evaluate(here) == moved
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.nextElementSibling") is None
    assert page.locator(f"{MATRIX} td[tabindex='0']").count() == 1


def test_a_pointer_shows_interval_and_p(opened: Opener, whole_url: str) -> None:
    page = opened(whole_url).page
    cell = page.locator(f"{MATRIX} td.significant").first
    cell.hover()
    tip = page.locator(".of-pair")
    assert tip.is_visible()
    assert "p (t over texts and judges and swaps, max-T)" in tip.inner_text()
    page.locator("#leaderboard-title").hover()
    assert not tip.is_visible()


def test_a_cell_says_all_of_it_to_who_hears_it(opened: Opener, whole_url: str) -> None:
    page = opened(whole_url).page
    rows = page.locator(f"{MATRIX} tbody tr")
    names = page.locator(f"{MATRIX} tbody th").all_inner_texts()
    assert rows.count() == len(names) == 3
    assert page.locator("#table-scores tbody th").all_inner_texts()[:3] == names
    for cell in page.locator(f"{MATRIX} td[tabindex]").all():
        text = cell.text_content() or ""
        parts = ("; of ", " minus ", "; the test says ", "; 95% interval over texts ", "; p ")
        assert all(part in text for part in parts)
    assert page.locator(f"{MATRIX} td:not([tabindex]):not(:first-child)").all_text_contents() == [""] * 3


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_scores_and_pairs_are_there_without_a_click(opened: Opener, whole_url: str, width: int) -> None:
    page = opened(whole_url, width=width).page
    table = page.locator("#table-scores")
    assert table.is_visible()
    headings = [text.strip(" ↕") for text in table.locator("thead th").all_inner_texts()]
    assert {"P", "R", "F0.5", "correct", "proposed", "gold", "group"} <= set(headings)
    assert page.locator(MATRIX).is_visible()
    assert not page.locator("#table-pairs").is_visible()
    # Names stay where they are when the box is scrolled.
    for box in ("#table-scores", MATRIX):
        scrolled = page.locator(box).evaluate(
            "table => { const box = table.closest('.scroll'); box.scrollLeft = 200;"
            " return [box.scrollLeft, table.querySelector('tbody th').getBoundingClientRect().left"
            " - box.getBoundingClientRect().left]; }"
        )
        assert scrolled[1] == 0
        assert scrolled[0] > 0 or width > 360 or box == MATRIX
    page.locator("details.fold summary").first.click()
    assert page.locator("#table-pairs").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_paper_has_the_matrix_and_the_table_behind_it(opened: Opener, twelve_url: str) -> None:
    page = opened(twelve_url, width=794, dark=True).page  # 21 cm
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#table-pairs").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 794
    cells = page.locator(f"{MATRIX} td[tabindex]")
    assert cells.count() == 66
    assert max(cells.nth(at).evaluate("cell => cell.getBoundingClientRect().x") for at in (10, 65)) < 794 - 30
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator("#table-pairs").is_visible()


def test_what_made_the_page_is_said_at_the_end(opened: Opener, twelve_url: str) -> None:
    page = opened(twelve_url).page
    assert page.title() == page.locator("h1").inner_text() == "CoNLL-2014 test set: 12 systems against 10 annotators"
    assert page.locator("#table-signature-systems tbody tr").count() == 12
    assert not page.locator("#table-signatures").is_visible()
    page.locator("#methods details.fold summary").click()
    assert page.locator("#table-signatures").is_visible()
    assert "version" in page.locator("#table-signature-parts").inner_text()
