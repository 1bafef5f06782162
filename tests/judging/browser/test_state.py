"""What is on the screen belongs to the item on the screen: back and forward, a thousand clicks, what is missing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from tests.browser.test_accessible import axe_source
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.items import marked
from tests.judging.browser.rater import Rater

SitDown = Callable[..., Rater]


def test_back_and_forward_leak_no_answer_into_another_item(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("cloze")
    rater = sit_down(study)
    rater.type("on")
    rater.press("Enter")
    rater.type("hal")
    rater.saved()
    second = rater.text
    rater.page.goto(f"{study.url}/guidelines")
    rater.page.go_back()
    rater.settled()
    assert (rater.text, rater.page.locator(".blank input").input_value()) == (second, "hal")
    rater.type("f")
    rater.press("Enter")
    assert rater.page.locator(".blank input").input_value() == ""
    rater.page.goto(f"{study.url}/guidelines")
    rater.page.go_back()
    rater.settled()
    assert rater.page.locator(".blank input").input_value() == ""
    assert rater.text != second
    rater.saved()
    assert [json.loads(each[1])["word"] for each in study.answers()] == [["on"], ["half"]]


def test_a_thousand_random_clicks_leave_one_value(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("preposition", [marked("one", "He depends [of] the weather."), marked("two", "It is [on] it.")])
    rater = sit_down(study)
    rater.press("Enter")
    values = ["extraneous", "incorrect", "correct", "equal"]
    clicks = random.Random(1).choices(values, k=1000)
    script = """(values) => values.map((value) => {
        document.querySelector(`[data-question=rating] [data-value=${value}]`).click();
        return [...document.querySelectorAll('[data-question=rating] [aria-pressed=true]')].map((o) => o.dataset.value);
    })"""
    rater.page.wait_for_timeout(200)
    assert rater.page.evaluate(script, clicks) == [[value] for value in clicks]
    rater.page.locator("[data-question=rating] [data-value=correct]").click()
    rater.press("h")
    rater.saved()
    (stored,) = study.answers()
    assert json.loads(stored[1])["rating"] == "correct"


def test_what_is_missing_is_said_and_gets_the_focus(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("preposition")
    rater = sit_down(study)
    focused = "document.activeElement.closest('[data-question]')?.dataset.question"
    rater.press("Enter", "Enter")
    assert rater.page.locator("#problem").inner_text() == "Still to be answered: The preposition is"
    assert rater.page.evaluate(focused) == "rating"
    rater.press("1", "Enter")
    assert "Which one belongs here" in rater.page.locator("#problem").inner_text()
    assert rater.page.evaluate(focused) == "prepositions"
    rater.type("qqq")
    rater.press("Enter")
    assert "not in the list" in rater.page.locator("#problem").inner_text()
    assert study.answers() == []


def test_the_live_region_announces_what_happens(make_study: MakeStudy, sit_down: SitDown) -> None:
    rater = sit_down(make_study("error-ok"))
    live = rater.page.locator("#live[role=status]")
    rater.press("e")
    rater.page.wait_for_timeout(100)
    assert live.inner_text().strip() != ""
    rater.press("z")
    rater.page.wait_for_timeout(100)
    assert "Earlier item" in live.inner_text()


def test_the_next_item_needs_no_request(make_study: MakeStudy, sit_down: SitDown) -> None:
    rater = sit_down(make_study("error-ok"))
    rater.saved()
    held: list[object] = []
    rater.page.route("**/api/**", lambda route: held.extend([route]))  # nothing comes back
    texts = [rater.text]
    for _ in range(5):
        rater.press("o")
        texts.append(rater.text)
    assert len(set(texts)) == 6
    rater.page.unroute("**/api/**")


def test_who_signs_out_by_the_keyboard_is_forgotten_here(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok", [marked("one", "He depends [of] the weather."), marked("two", "It is [on] it.")])
    rater = sit_down(study)
    page = rater.page
    rater.press("o")
    rater.saved()
    own = "Object.keys(localStorage).filter((key) => key.startsWith('errorbar-judge:') && !key.includes('probe'))"
    assert any(key.endswith(":device") for key in page.evaluate(own))
    page.goto(f"{study.url}/signout")
    page.evaluate(axe_source())
    assert page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"] == []
    page.focus("form button")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-notice=signed-out]")
    assert page.evaluate(own) == []
    page.goto(f"{study.url}/")
    assert page.locator("#returning").is_hidden()
