"""Pages in other languages, from the link to the end: in German by its words, in Arabic from right to left."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import errorbar
from tests.judging.browser.items import marked
from tests.judging.browser.rater import Rater
from tests.judging.browser.test_face_pages import BREAK, context, findings

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.judging.browser.conftest import MakeStudy

__all__ = ["context"]  # a fixture
ENGLISH = re.compile(r"\b(the|you|your|and|is|are|of|to|not|here|this)\b", re.IGNORECASE)
CHECK = json.dumps([{"ask": "Frage?", "options": ["ja", "nein"], "right": "ja"}])
STUDY: dict[str, Any] = {
    "title": "Studie",
    "contact": "jo@example.org",
    "minutes": 20,
    "pay": "0,02 €",
    "consent": "Einverstanden.",
    "comprehension": CHECK,
    "training": 1,
    "quiz": 1,
    "quiz_pass": 0.0,
    "break_items": 1,
    "items_per_rater": 2,
    "withdrawal": "remove",
}


def gold(name: str) -> Any:  # noqa: ANN401
    return replace(marked(name, "It depends [of] him."), kind="gold", answers=("Error",), explanation="Weil.")


ITEMS = [marked("one", "He depends [of] the weather."), marked("two", "It is [on] it."), gold("g1"), gold("g2")]


def own_words(page: Page) -> str:
    """What the page says by itself: not the texts of the study, nor those of its scheme."""
    return str(
        page.evaluate("""() => {
            const copy = document.body.cloneNode(true);
            const others = '.prose, .consent, .item, legend, .label, .hint, .help[dir=auto], script, [hidden], #live';
            for (const each of copy.querySelectorAll(others)) each.remove();
            const labels = [...copy.querySelectorAll('[aria-label]')].map((each) => each.getAttribute('aria-label'));
            return [copy.innerText, ...labels].join(' ');
        }""")
    )


def pass_check(page: Page, *answers: str) -> None:
    for answer in answers:
        page.check(f"[value={answer}]")
        page.click("form button[type=submit]")


def walk(page: Page, link: str, look: Any) -> Rater:  # noqa: ANN401
    """From the link to the completion code, with a look at every page on the way."""
    page.goto(link)
    look()
    page.check("[name=consent]")
    page.click("button[type=submit]")
    look()  # questions on the guidelines
    pass_check(page, "nein")
    assert page.locator("#problem").count() == 1
    look()
    pass_check(page, "ja")
    rater = Rater(page)
    for standing in ("training", "quiz"):
        page.wait_for_selector(f"#message[data-standing={standing}]")
        look()
        page.click(f"#begin-{standing}")
        rater.settled()
        look()
        rater.press("o")
        page.wait_for_selector("#feedback[data-right=false]")
        look()
        rater.press("Enter")
    rater.settled()
    rater.press("?")
    look()
    rater.press("?")
    rater.press("f")
    look()
    page.keyboard.press("Escape")
    rater.press("s")
    look()
    page.keyboard.press("Escape")
    rater.press("o")
    page.wait_for_selector(BREAK)
    look()
    page.wait_for_timeout(700)
    rater.press("Enter")
    return rater


def test_all_pages_are_in_german(make_study: MakeStudy, context: BrowserContext) -> None:
    study, page = make_study("error-ok", ITEMS, **STUDY, language="de"), context.new_page()

    def look() -> None:
        text = re.sub(r"(?i)is the marked place[^\n]*", "", own_words(page))  # the question of the scheme
        assert ENGLISH.findall(text) == [], text
        assert page.evaluate("document.documentElement.lang") == "de"

    rater = walk(page, study.link(), look)
    assert page.locator("#progress").inner_text() == "2 von 2"
    rater.press("b")
    look()
    rater.press("Enter")
    rater.press("o")
    page.wait_for_selector("#code, dialog[open]")
    page.wait_for_timeout(700)
    page.keyboard.press("Enter")
    page.wait_for_selector("#code")
    look()
    assert "Ihr Abschlusscode" in page.locator("#message").inner_text()
    for path in ("done", "guidelines", "signout", "withdraw"):
        page.goto(f"{study.url}/{path}")
        look()
    page.check("[name=sure]")
    page.click("form button[type=submit]")
    page.wait_for_selector("[data-notice=withdrawn]")
    look()
    assert page.evaluate("Object.keys(localStorage).filter((key) => !key.includes('probe'))") == []
    assert errorbar.judge_status(study.folder).progress.withdrawn == 1
    assert {(answer, skip) for _, answer, _, skip in study.answers()} == {("null", "withdrawn")}


def test_pages_in_arabic_run_from_right_to_left(make_study: MakeStudy, context: BrowserContext) -> None:
    study, page = make_study("error-ok", ITEMS, **STUDY, page_language="ar"), context.new_page()
    page.set_viewport_size({"width": 390, "height": 740})

    seen: set[str] = set()

    def look() -> None:
        assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
        assert page.evaluate("document.documentElement.lang") == "ar"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, page.url
        if page.url not in seen:  # axe takes a second: one look at each address, and one at the end of the work
            seen.add(page.url)
            assert findings(page) == [], page.url

    rater = walk(page, study.link(), look)
    page.set_viewport_size({"width": 1100, "height": 800})
    assert page.evaluate("getComputedStyle(document.querySelector('#item .text')).direction") == "ltr"  # it is English
    places = page.evaluate("""() => [...document.querySelectorAll('#questions .option')]
        .map((each) => [each.getBoundingClientRect().left, each.dataset.value, each.querySelector('.way').textContent])
        .sort((one, other) => one[0] - other[0])""")
    assert [way for _, _, way in places] == ["←", "↓", "→"]
    rater.press("ArrowLeft")
    page.wait_for_selector("#code, dialog[open]")
    rater.saved()
    assert json.loads(study.answers()[-1][1])["judgment"] == places[0][1]
    page.wait_for_timeout(700)
    page.keyboard.press("Enter")
    page.wait_for_selector("#code")
    page.set_viewport_size({"width": 390, "height": 740})
    seen.discard(page.url)
    look()
    for path in ("done", "signout", "withdraw"):
        page.goto(f"{study.url}/{path}")
        look()
