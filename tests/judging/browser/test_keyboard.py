"""Every scheme by keyboard alone, one that needs no code among them; the keys of the frame."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from errorbar.judging import JudgedItem
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.items import marked
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import Rater

SitDown = Callable[..., Rater]


def said(study: LiveStudy) -> list[dict[str, object]]:
    return [json.loads(answer) for _, answer, _, _ in study.answers()]


def test_error_ok(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.press("e", "o", "u", "ArrowLeft", "ArrowDown", "ArrowRight")
    rater.saved()
    labels = [answer["judgment"] for answer in said(study)]
    assert labels == ["error", "ok", "unknown", "error", "ok", "unknown"]


def test_a_whole_study_ends_with_thanks(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.press(*"eo" * 7)
    rater.page.wait_for_selector("#message[data-standing=finished]")
    assert sorted(item for item, _, _, _ in study.answers()) == sorted(f"i{n}" for n in range(14))
    assert "done" in rater.page.locator("#message").inner_text()
    assert rater.page.locator("#code").inner_text()
    assert rater.page.locator("#keys-now").inner_text() == ""  # no item, no key that answers
    assert not rater.page.locator("[data-action=skip]").is_visible()


def test_preposition_a_clean_item_takes_three_keys(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("preposition")
    rater = sit_down(study)
    rater.press("Enter", "2", "h")
    rater.saved()
    clean = {"spelling": [], "determiner": [], "grammar": [], "rating": "correct", "confidence": "high"}
    assert said(study) == [clean]


def test_preposition_every_step(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("preposition", [marked("one", "He depnds [of] the the weather.")])
    rater = sit_down(study)
    rater.press("h")  # a later step is locked: nothing happens
    assert rater.pressed() == []
    key = rater.page.locator("[data-question=spelling] kbd").inner_text().lower()
    rater.press(key, "ArrowLeft", " ", "Enter")  # depnds
    rater.press("d", "ArrowRight", "ArrowRight", " ", "Enter")  # the second the
    rater.press("v", "ArrowLeft", "Enter")  # looked, and chose none
    rater.press("v", "ArrowLeft", " ")  # depnds; one token ends it
    rater.press("Enter", "1")
    rater.type("onto")
    rater.press("Enter")
    rater.type("on")
    rater.press("Enter")
    assert rater.page.locator("[data-question=prepositions] .chips li").all_inner_texts() == ["onto\n×", "on\n×"]
    rater.press("Enter", "l")
    rater.saved()
    marks = {"spelling": [1], "determiner": [4], "grammar": [], "verb": 1}
    assert said(study) == [{**marks, "rating": "incorrect", "prepositions": ["onto", "on"], "confidence": "low"}]
    trail = json.loads(study.rows("SELECT trail FROM answer")[0][0])
    assert set(trail) == {"spelling", "determiner", "verb", "rating", "prepositions", "confidence"}
    assert trail["spelling"] < trail["rating"] < trail["confidence"]


def test_preposition_an_earlier_step_is_changed_and_later_ones_are_confirmed_anew(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("preposition", [marked("one", "He depends [of] the weather.")])
    rater = sit_down(study)
    rater.press("Enter", "e")
    rater.type("on")
    rater.press("Enter", "Enter")
    rater.press("1")  # not equally good: incorrect; what it is stays, and is confirmed anew
    assert rater.pressed() == ["incorrect"]
    assert rater.page.locator("[data-question=prepositions] .chips li").count() == 1
    assert rater.page.locator(".step[data-step='4']").get_attribute("data-state") == "locked"
    rater.press("Escape", "h")  # still locked
    assert study.answers() == []
    rater.press("Enter", "h")
    rater.saved()
    assert [(each["rating"], each["prepositions"]) for each in said(study)] == [("incorrect", ["on"])]


def test_preposition_what_is_not_asked_is_not_sent(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("preposition", [marked("one", "He depends [of] the weather.")])
    rater = sit_down(study)
    rater.press("Enter", "1")
    rater.type("on")
    rater.press("Enter", "Escape", "0", "l")
    rater.saved()
    assert [each.get("prepositions") for each in said(study)] == [None]


def test_choice(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("choice")
    rater = sit_down(study)
    keys = rater.page.locator("[data-question=better] kbd").all_inner_texts()
    tops = []
    for key in keys:
        tops.append(rater.page.locator(".candidates .text").first.inner_text())
        rater.press(key.lower())
    rater.saved()
    assert [each["better"] for each in said(study)] == ["top", "bottom", "equal", "neither"]
    stored = study.rows("SELECT reversed FROM assignment WHERE version > 0 ORDER BY seq")
    for (reversed_,), top in zip(stored, tops, strict=True):
        assert ("upon" in top) == bool(reversed_)


def test_choice_differences_are_underlined_and_can_be_hidden(make_study: MakeStudy, sit_down: SitDown) -> None:
    rater = sit_down(make_study("choice"))
    differing = rater.page.locator(".differs")
    assert differing.count() == 2
    assert "underline" in differing.first.evaluate("(e) => getComputedStyle(e).textDecorationLine")
    rater.press("t")
    assert "underline" not in differing.first.evaluate("(e) => getComputedStyle(e).textDecorationLine")


def test_cloze(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("cloze")
    rater = sit_down(study)
    assert rater.page.evaluate("document.activeElement.closest('.blank') !== null")
    rater.type("on")
    rater.press("Enter")
    rater.type("bez")  # letters are letters where one types: no undo, no back, no skip
    rater.press(";")
    rater.type("s?")
    rater.press("Enter")
    rater.press("Alt+0")
    rater.press("Escape", "0")
    rater.press("Tab", "Tab", "Enter")  # to the button that says so
    rater.saved()
    nothing = [{"word": ["∅"]}] * 3
    assert said(study) == [{"word": ["on"]}, {"word": ["bez", "s?"]}, *nothing]
    assert rater.page.locator(".blank input").get_attribute("autocomplete") == "off"
    assert rater.page.locator(".blank input").get_attribute("spellcheck") == "false"


def test_cloze_the_writers_word_is_never_sent(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("cloze", [marked("one", "He is married [zxqvj] her.", before="A wedding.")])
    rater = sit_down(study)
    assert rater.text == "He is married  her."
    assert "zxqvj" not in json.dumps(rater.page.evaluate("[document.documentElement.outerHTML, {...localStorage}]"))


def test_a_fifth_scheme_needs_no_code(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("fluency")
    rater = sit_down(study)
    rater.press("4", "2", "w", "ArrowRight", " ", "Enter", "1", "w", " ", "Enter")
    rater.type("All is well")
    rater.press("Enter")
    rater.saved()
    first, second, third = said(study)
    assert first == {"grade": "4"}
    assert second["grade"] == "2"
    assert isinstance(second["first"], int)
    assert (third["grade"], third["better"]) == ("1", ["All is well"])


def test_undo_goes_back_in_the_item_and_then_to_the_one_before(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    first = rater.text
    rater.press("e")
    assert rater.page.locator("#toast").is_visible()
    assert rater.text != first
    second = rater.text
    rater.press("z")
    assert (rater.text, rater.pressed()) == (first, ["error"])
    rater.press("o")
    assert rater.text == second
    rater.saved()
    assert [(version, json.loads(answer)["judgment"]) for _, answer, version, _ in study.answers()] == [
        (1, "error"),
        (2, "ok"),
    ]


def test_undo_inside_an_item(make_study: MakeStudy, sit_down: SitDown) -> None:
    rater = sit_down(make_study("preposition"))
    rater.press("Enter", "0")
    assert rater.pressed() == ["extraneous"]
    rater.press("z")
    assert rater.pressed() == []
    rater.press("Control+z")
    assert rater.page.locator(".step[data-step='1']").get_attribute("data-state") in ("open", "confirmed")


def test_the_last_ten_can_be_gone_back_to(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    texts = []
    for _ in range(12):
        texts.append(rater.text)
        rater.press("o")
    due = rater.text
    back = next(k for k in ("b", "p") if rater.page.locator(f"[data-action=back][aria-keyshortcuts={k}]").count())
    for n in range(10):
        rater.press(back)
        assert (rater.text, rater.pressed()) == (texts[-1 - n], ["ok"])
    rater.press(back)
    assert "as far as" in rater.page.locator("#problem").inner_text()
    rater.press("u")  # ten back, another answer
    assert rater.text == due
    rater.press(back, "Enter")  # looked, and left it
    assert rater.text == due
    rater.saved()
    assert [answer for answer in study.answers() if answer[2] > 1] == [
        (study.answers()[2][0], '{"judgment": "unknown"}', 2, "")
    ]


def test_skip_with_a_reason_comment_and_guidelines(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    page = rater.page
    rater.press("f")
    rater.type("odd item, zbs?")
    rater.press("Enter")
    rater.press("e")
    rater.press("s", "ArrowDown", "Enter")
    rater.press("?")
    assert page.locator("#guidelines").is_visible()
    rater.press("o")  # the panel is beside the work, not over it
    rater.press("?")
    assert not page.locator("#guidelines").is_visible()
    rater.saved()
    assert study.rows("SELECT comment FROM answer ORDER BY id")[0] == ("odd item, zbs?",)
    assert [(answer, skip) for _, answer, _, skip in study.answers()][1] == (
        "null",
        "Something is wrong with this item",
    )
    assert len(study.answers()) == 3


def test_single_keys_can_be_switched_off(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.page.locator("#single-keys").uncheck()
    rater.page.locator("#item").focus()
    before = rater.text
    rater.press("e", "b", "s")
    assert rater.text == before
    rater.press("Tab", "Enter")  # by the button all the same
    assert rater.text != before


LONG = "Much was said about it before they came to the point of the matter. " * 40
VISIBLE = """(selector) => [...document.querySelectorAll(selector)].every((each) => {
    const { left, right, top, bottom, width, height } = each.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    return top >= 0 && bottom <= innerHeight && (each === over || each.contains(over) || over?.contains(each));
})"""
SIZES = [(1440, 900), (1000, 640), (360, 640), (320, 480)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_key_answers_a_long_text_only_while_target_and_buttons_are_on_the_screen(
    make_study: MakeStudy, sit_down: SitDown, width: int, height: int
) -> None:
    items = [marked("one", f"{LONG}It depends [of] this. {LONG}"), marked("two", f"It [on] it. {LONG}{LONG}")]
    study = make_study("error-ok", items)
    rater = sit_down(study, viewport={"width": width, "height": height})
    page = rater.page
    for key in ("ArrowDown", "o"):
        before = rater.text
        assert page.evaluate(VISIBLE, "#item .target")  # scrolled to
        assert page.evaluate(VISIBLE, "#questions .option")  # and the answers stand beside it
        for place in (0, 100_000):
            page.evaluate("(top) => window.scrollTo(0, top)", place)
            page.wait_for_timeout(170)
            if page.evaluate(VISIBLE, "#item .target"):
                continue  # at the beginning of this text
            page.keyboard.press(key)
            assert rater.text == before
            assert "The marked place was not on the screen" in page.locator("#toast").inner_text()
            assert page.evaluate(VISIBLE, "#item .target")
        rater.press(key)
        rater.settled()
        assert rater.text != before
    rater.saved()
    assert [each["judgment"] for each in said(study)] == ["ok", "ok"]


def test_digits_confirmations_and_words_wait_for_a_target_that_was_seen(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("preposition", [marked("one", f"{LONG}It depends [of] this. {LONG}")])
    rater = sit_down(study, viewport={"width": 1000, "height": 640})
    page = rater.page
    assert page.evaluate(VISIBLE, "#item .target")
    page.evaluate("window.scrollTo(0, 0)")
    rater.press("Enter")
    assert "not on the screen" in page.locator("#toast").inner_text()
    assert page.locator(".step[data-step='1']").get_attribute("data-state") == "open"
    rater.press("Enter")
    assert page.locator(".step[data-step='1']").get_attribute("data-state") == "confirmed"
    page.evaluate("window.scrollTo(0, 0)")
    rater.press("1")
    assert rater.pressed() == []
    rater.press("1")
    assert rater.pressed() == ["incorrect"]
    rater.type("on")
    rater.press("Enter", "Enter", "h")
    rater.saved()
    assert [each["prepositions"] for each in said(study)] == [["on"]]


def test_a_long_text_without_a_target_is_answered_once_it_was_on_the_screen_to_its_end(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("fluency", [JudgedItem("one", LONG.strip())])
    rater = sit_down(study, viewport={"width": 1000, "height": 640})
    for _ in range(12):
        rater.press("4")
        if not rater.page.locator("#item .text").count():
            break
        assert "Part of the text was not on the screen yet" in rater.page.locator("#toast").inner_text()
    assert rater.page.evaluate("document.querySelector('#item .text')") is None
    rater.saved()
    assert [each["grade"] for each in said(study)] == ["4"]


@pytest.mark.parametrize("scheme", ["choice", "cloze", "edit-valid"])
def test_what_differs_and_the_gap_are_scrolled_to(make_study: MakeStudy, sit_down: SitDown, scheme: str) -> None:
    text = f"{LONG}It depends of this. {LONG if scheme == 'cloze' else ''}"
    start = text.index(" of this") + 1
    item = JudgedItem("one", text, (start, start + 2), candidates=("of", "on"), names=("w", "s"))
    rater = sit_down(make_study(scheme, [item]), viewport={"width": 1000, "height": 640})
    assert rater.page.evaluate(VISIBLE, "#item .blank" if scheme == "cloze" else "#item li:first-child .differs")
    if scheme != "cloze":
        key = rater.page.locator("#questions kbd").first.inner_text().lower()
        rater.press(key)
        assert rater.pressed() == []
        assert "What differs was not on the screen yet" in rater.page.locator("#toast").inner_text()
        rater.press(key)
        assert rater.pressed() or not rater.page.locator("#item .text").count()


def test_the_quiz_says_its_pass_mark_and_shows_the_guidelines_before_it_begins(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    gold = [marked(f"g{n}", f"Number {n} depends [of] it.", gold="error") for n in range(5)]
    study = make_study("error-ok", [*gold, marked("w", "It [in] it.")], quiz=5, quiz_pass=0.7)
    rater = sit_down(study, reads=True)
    page = rater.page
    told = page.locator("#message").inner_text()
    assert "at least 4 of 5 right" in told  # 0.7 * 5 = 3.5
    assert "Is the marked place an error?" in told  # the guidelines
    rater.press("e", "Enter")
    assert not page.locator("#item .text").count()
    page.reload()
    rater.settled()
    page.locator("#begin-quiz").click()
    rater.settled()
    rater.press("e")
    page.wait_for_selector("#feedback h2")
    page.reload()  # once is enough
    rater.settled()
    assert page.locator("#begin-quiz").count() == 0
    assert page.locator("#item .text").count() == 1


@pytest.mark.parametrize("right", [True, False])
def test_the_quiz_waits_and_explains(make_study: MakeStudy, sit_down: SitDown, right: bool) -> None:
    gold = [marked(f"g{n}", f"Number {n} depends [of] it.", gold="error") for n in range(4)]
    study = make_study("error-ok", [*gold, *(marked(f"w{n}", f"Work {n} [of] it.") for n in range(4))], quiz=2)
    rater = sit_down(study)
    assert rater.page.locator("#progress").inner_text() == "Quiz: 1 of 2"
    for _ in range(2):
        rater.press("e" if right else "o")
        rater.page.wait_for_selector("#feedback h2")
        told = rater.page.locator("#feedback").inner_text()
        assert ("Right" in told) == right
        assert "Because it is error." in told
        assert ("The answer is Error" in told) != right
        rater.press("Enter")
    if right:
        rater.page.wait_for_selector("#item .text")
        assert rater.text.startswith("Work") or rater.text.startswith("Number")
        assert "Quiz" not in rater.page.locator("#progress").inner_text()
    else:
        rater.page.wait_for_selector("#message[data-standing=failed]")
