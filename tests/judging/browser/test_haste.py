"""Who answers too fast is asked to slow down; a finger answers on a phone; a program proposes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from errorbar.judging import load_scheme
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.items import items_of, marked
from tests.judging.browser.rater import Rater

SitDown = Callable[..., Rater]
PAUSE = "dialog[data-dialog=pause]"
DRAG = """async ([dx, dy]) => {
    const item = document.getElementById('item');
    const box = item.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + 20];
    const send = (type, x, y) => item.dispatchEvent(new PointerEvent(type, {
        pointerId: 1, pointerType: 'touch', isPrimary: true, bubbles: true, clientX: x, clientY: y }));
    item.setPointerCapture = () => {};
    send('pointerdown', x, y);
    for (const part of [0.3, 0.6, 1]) send('pointermove', x + part * dx, y + part * dy);
    const aimed = document.querySelector('.aimed')?.dataset.value ?? '';
    send('pointerup', x + dx, y + dy);
    return aimed;
}"""


def test_three_hasty_answers_are_kept_and_then_one_is_asked_to_slow_down(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    long = "many more words " * 30  # nobody reads them in four seconds, which a busy machine may take for a key
    study = make_study("error-ok", [marked(f"i{n}", f"Number {n} is [on] it. {long}") for n in range(10)])
    ada = sit_down(study, patient=True)
    page = ada.page
    page.context.set_offline(True)
    ada.press("e", "o")
    assert page.locator(PAUSE).count() == 0
    ada.press("o")
    page.wait_for_selector(PAUSE)
    told = page.locator(PAUSE).inner_text()
    assert "to texts with 95, 95 and 95 words that were new to you" in told
    assert "more than 1,500 words a minute" in told
    assert len(ada.kept("out:")) == 3  # before anything was asked
    shown = ada.text
    ada.press("e", "Escape")  # the end of the haste: neither answers nor goes on
    assert page.locator(PAUSE).count() == 1
    assert page.evaluate("document.activeElement.textContent") == "Go on"
    page.reload()  # no way around it, and no way to be stuck in it
    ada.settled()
    assert page.locator(PAUSE).count() == 0
    assert ada.text == shown
    ada.press("e", "o", "o")
    page.wait_for_selector(PAUSE)
    page.wait_for_timeout(700)
    page.keyboard.press("Enter")
    page.wait_for_selector(PAUSE, state="detached")
    assert page.evaluate("document.activeElement.id") == "item"
    ada.press("b")
    assert ada.pressed() == ["ok"]  # the last one, as it was given
    ada.press("Enter")
    page.wait_for_timeout(900)
    ada.press("u")
    page.context.set_offline(False)
    ada.saved()
    trails = [json.loads(trail) for (trail,) in study.rows("SELECT trail FROM answer ORDER BY id")]
    assert [trail.get("pause") for trail in trails[:4]] == [None, None, None, 0]
    assert len(trails) == 7
    assert trails[6]["pause"] >= 600  # how long the question stood
    assert [json.loads(answer)["judgment"] for _, answer, _, _ in study.answers()] == [
        *("error", "ok", "ok"),
        *("error", "ok", "ok", "unknown"),
    ]
    seconds = [row[0] for row in study.rows("SELECT milliseconds FROM answer ORDER BY id")]
    assert 1000 <= seconds[6] < 600 + 3000  # the pause is not the next item's time


def test_a_finger_answers_left_down_and_right(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    ada = sit_down(study, viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    for way, said in (((-90, 5), "error"), ((4, 90), "ok"), ((90, 0), "unknown")):
        before = ada.text
        assert ada.page.evaluate(DRAG, way) == said  # shown before the finger is lifted
        ada.settled()
        assert ada.text != before
    for way in ((-30, 0), (70, 70), (0, -90)):  # too short, aslant, upward: scrolling
        assert ada.page.evaluate(DRAG, way) == ""
    assert ada.page.locator("#toast").inner_text().startswith("Answered: Unknown.")
    ada.saved()
    assert [json.loads(answer)["judgment"] for _, answer, _, _ in study.answers()] == ["error", "ok", "unknown"]


def test_a_finger_that_scrolls_back_answers_nothing(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    ada = sit_down(study, viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    assert ada.page.evaluate("getComputedStyle(document.getElementById('item')).touchAction") == "pan-down pinch-zoom"
    before = ada.text
    ada.page.evaluate("() => { document.body.style.minHeight = '2000px'; window.scrollTo(0, 40); }")
    ada.page.wait_for_selector("#item[data-swipe=across]")
    assert ada.page.evaluate(DRAG, [0, 90]) == ""
    assert ada.text == before
    assert ada.page.evaluate("getComputedStyle(document.getElementById('item')).touchAction") == "pan-y pinch-zoom"
    assert ada.page.evaluate(DRAG, [-90, 0]) == "error"  # across it is an answer there too
    ada.saved()
    assert [json.loads(answer)["judgment"] for _, answer, _, _ in study.answers()] == ["error"]


def test_a_swipe_answers_the_item_on_which_it_began(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    ada = sit_down(study, viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    key = "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'o', bubbles: true }))"
    wait = "await new Promise((each) => setTimeout(each, 250))"
    meanwhile = DRAG.replace("send('pointerup'", f"{key}; {wait}; send('pointerup'")
    assert ada.page.evaluate(meanwhile, [-90, 0]) == "error"  # aimed, and then a key answers
    ada.saved()
    assert [json.loads(answer)["judgment"] for _, answer, _, _ in study.answers()] == ["ok"]


def test_schemes_without_three_answers_know_no_swipe(make_study: MakeStudy, sit_down: SitDown) -> None:
    ada = sit_down(make_study("choice"), viewport={"width": 390, "height": 780}, has_touch=True)
    assert ada.page.evaluate(DRAG, [-90, 0]) == ""
    assert ada.page.locator(".way").count() == 0


def test_a_proposed_verb_is_kept_changed_or_taken_away(make_study: MakeStudy, sit_down: SitDown) -> None:
    items = [replace(each, proposed={"verb": 2}) for each in items_of(load_scheme("preposition"), 4)]
    study = make_study(
        "preposition", [replace(each, text="It all depends of the weather .", span=(15, 17)) for each in items]
    )
    ada = sit_down(study)
    shown = ada.page.locator("[data-question=verb] .marked-words")
    verb = ada.page.locator("#item .named")
    assert shown.inner_text() == "depends (proposed)"
    assert verb.get_attribute("data-marks") == "v?"
    ada.press("Enter")
    assert (shown.inner_text(), verb.get_attribute("data-marks")) == ("depends", "v")
    ada.press("2", "h")
    ada.press("v", "ArrowLeft", "ArrowLeft", " ", "Enter", "2", "h")  # another word
    ada.press("v", "ArrowLeft", " ", "Enter", "2", "h")  # none
    ada.press("z", "b")  # an answer shows no proposal any more
    ada.saved()
    answers = [json.loads(answer) for _, answer, _, _ in study.answers()]
    assert [answer.get("verb") for answer in answers] == [2, 1, None]
    trails = [json.loads(trail) for (trail,) in study.rows("SELECT trail FROM answer ORDER BY id")]
    assert ["verb" in trail for trail in trails] == [False, True, True]  # nobody touched the first
