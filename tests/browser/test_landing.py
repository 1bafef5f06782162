"""Every link of the contents leads to the head of its section, however the page is opened and whatever is drawn."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Opener
from tests.helpers.page_rows import rows_of_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

PADDING = 16
"""Pixels between the top of the screen and that of a section, as the style sheet has it."""
NEAR = 3
SETTLE = """() => new Promise((done) => {
  let last = -1, still = 0;
  const look = () => {
    still = scrollY === last ? still + 1 : 0;
    last = scrollY;
    if (still > 9) done(); else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
DRAW_ALL = """() => {
  const entries = [...document.querySelectorAll('figure.chart')].map((target) => ({ target, isIntersecting: true }));
  for (const { callback, observer } of window.observers) if (observer.rootMargin.startsWith('500px')) callback(entries);
}"""
"""As if the reader had been everywhere; ``window.observers`` is what ``OBSERVED`` keeps."""
ALL_DRAWN = "() => [...document.querySelectorAll('figure.chart')].every((one) => one.querySelector('svg'))"
OFF = """([anchor, padding, near]) => new Promise((done) => {
  let still = 0, frames = 0;
  const look = () => {
    const top = document.querySelector(anchor).getBoundingClientRect().top;
    const end = document.documentElement.scrollHeight - innerHeight - scrollY;  // the last one may not reach the top
    const off = top > padding && end < 2 ? 0 : Math.abs(top - padding);
    still = off > near ? 0 : still + 1;
    frames += 1;
    if (still > 9 || frames > 300) done(off); else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
COVERED = """(anchor) => {
  const heading = document.querySelector(`${anchor} h2`);
  const head = heading.classList.contains('unseen') ? heading.nextElementSibling : heading;
  const box = head.getBoundingClientRect();
  return !head.contains(document.elementFromPoint(box.left + 4, box.top + box.height / 2));
}"""


def off(page: Page, anchor: str) -> float:
    """How far the section is from where it should be, once it stays there, or after five seconds of drawing.

    Frames are counted, not time; the browser's own way back begins some frames after its address is there.
    """
    return float(page.evaluate(OFF, [anchor, PADDING, NEAR]))


def anchors_of(page: Page) -> list[str]:
    """Where the links of the contents lead."""
    found = page.locator(".contents a").evaluate_all("all => all.map((link) => link.getAttribute('href'))")
    assert len(found) > 5
    return list(found)


@pytest.mark.parametrize(
    ("kind", "width"), rows_of_page(product(("whole_url", "twelve_url"), (360, 1440, 768)), in_ci=(0, 1, 3))
)
def test_a_link_on_a_page_of_which_nothing_is_drawn(
    opened: Opener, request: pytest.FixtureRequest, kind: str, width: int
) -> None:
    url = request.getfixturevalue(kind)
    first = opened(url, width=width).page
    missed = {}
    for anchor in anchors_of(first):
        page = first.context.new_page()
        page.emulate_media(reduced_motion="reduce")
        page.goto(url)
        page.locator(f".contents a[href='{anchor}']").click()
        how = [off(page, anchor)]
        if kind == "whole_url":
            page.evaluate(DRAW_ALL)
            page.wait_for_function(ALL_DRAWN)
            how.append(off(page, anchor))
        missed[anchor] = max(how), page.evaluate(COVERED, anchor)
        page.close()
    assert {anchor: how for anchor, how in missed.items() if how[0] > NEAR or how[1]} == {}


def test_a_link_on_the_way_to_which_the_page_moves_smoothly(opened: Opener, twelve_url: str) -> None:
    """Charts are drawn while they pass."""
    page = opened(twelve_url, width=360).page
    anchor = anchors_of(page)[-3]
    page.locator(f".contents a[href='{anchor}']").click()
    assert off(page, anchor) <= NEAR


@pytest.mark.parametrize(
    ("kind", "width"),
    rows_of_page([*product(("whole_url",), (360, 1440, 768)), ("twelve_url", 360)], in_ci=(0, 1)),
)
def test_a_page_opened_at_a_section_reloaded_and_returned_to(
    opened: Opener, request: pytest.FixtureRequest, kind: str, width: int
) -> None:
    url = request.getfixturevalue(kind)
    page = opened(url, width=width).page
    page.emulate_media(reduced_motion="reduce")
    anchors = anchors_of(page)
    missed = {}
    for at, anchor in enumerate(anchors):
        page.goto("about:blank")
        page.goto(url + anchor)
        how = [off(page, anchor)]
        page.reload()
        how.append(off(page, anchor))
        other = anchors[(at + len(anchors) // 2) % len(anchors)]
        # From where the page is: a click by pointer would first bring the list, at the top of a phone, on screen.
        page.locator(f".contents a[href='{other}']").evaluate("link => link.click()")
        how.append(off(page, other))
        page.go_back()
        page.wait_for_function("anchor => location.hash === anchor", arg=anchor)
        how.append(off(page, anchor))
        missed[anchor] = how
    assert {anchor: how for anchor, how in missed.items() if max(how) > NEAR} == {}


@pytest.mark.parametrize("width", [360, 1440])
def test_a_chart_has_its_room_before_it_is_drawn(opened: Opener, twelve_url: str, width: int) -> None:
    page = opened(twelve_url, width=width, height=300).page
    heights = "() => [...document.querySelectorAll('.canvas-scroll')].map((one) => one.offsetHeight)"
    before = page.evaluate(heights)
    page.evaluate(DRAW_ALL)
    page.wait_for_function(ALL_DRAWN)
    page.evaluate(SETTLE)
    after = page.evaluate(heights)
    assert len(after) > 5
    # Turned names of columns are as long as the browser's fonts make them.
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= 2
