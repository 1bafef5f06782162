"""A system's output is made right at the page: keys, live differences, time, what is pasted, the essay around it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from errorbar.judging import JudgedItem
from tests.browser.test_accessible import axe_source
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import Rater

SitDown = Callable[..., Rater]
SOURCE = "She go to school yesterday ."
OUTPUT = "She goes to school yesterday ."


def output(number: int = 1, system: str = "zxqvj", **fields: Any) -> JudgedItem:  # noqa: ANN401
    return JudgedItem(
        f"{number}/{system}",
        SOURCE,
        candidates=(OUTPUT,),
        names=(system,),
        hidden={"sentence": str(number), "system": system},
        **fields,
    )


def said(study: LiveStudy) -> list[dict[str, object]]:
    return [json.loads(answer) for _, answer, _, _ in study.answers()]


def differences(rater: Rater) -> list[list[str]]:
    """What is marked as gone and as new, against the text that one started with and against the writer's."""
    marked = "(line) => [...line.querySelectorAll('del, ins')].map((each) => each.localName + ' ' + each.textContent)"
    return [line.evaluate(marked) for line in rater.page.locator(".differences dd").all()]


def replace_last(rater: Rater, old: str, new: str) -> None:
    """With the caret at the end of the field: back to a word, and another in its place."""
    field = rater.page.locator("textarea")
    after = field.input_value().partition(old)[2]
    for _ in after:
        rater.page.keyboard.press("ArrowLeft")
    for _ in old:
        rater.page.keyboard.press("Backspace")
    rater.type(new)


def test_by_keys_alone_with_live_differences_and_undo(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("post-edit", [output(n) for n in range(1, 5)])
    rater = sit_down(study)
    rater.press("r", "n", "e")
    assert rater.page.evaluate("document.activeElement.localName") == "textarea"
    assert differences(rater) == [[], ["del go", "ins goes"]]
    rater.press("Enter")  # nothing is changed: that is another answer
    assert "Nothing is changed" in rater.page.locator("#problem").inner_text()
    replace_last(rater, "goes", "went")
    assert differences(rater) == [["del goes", "ins went"], ["del go", "ins went"]]
    rater.press("Escape", "z")  # back before the choice
    assert not rater.page.locator("textarea").is_visible()
    rater.press("e")
    assert rater.page.locator("textarea").input_value() == "She went to school yesterday ."  # what was typed is kept
    rater.press("Enter")
    rater.saved()
    edited = {"verdict": "edited", "text": "She went to school yesterday ."}
    assert said(study) == [{"verdict": "right"}, {"verdict": "unsavable"}, edited]
    rater.press("b")  # an earlier answer is changed
    assert rater.page.locator("textarea").input_value() == edited["text"]
    rater.press("r")
    rater.saved()
    assert said(study)[-1] == {"verdict": "right"}


def test_a_draft_outlives_a_reload_and_the_server(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("post-edit", [output()])
    rater = sit_down(study)
    rater.press("e")
    replace_last(rater, "goes", "went")
    study.kill()
    rater.press("Enter")
    rater.page.wait_for_selector("#state[data-pending='1']")
    study.start()
    rater.saved()
    assert [answer["text"] for answer in said(study)] == ["She went to school yesterday ."]
    other = sit_down(study, "Bob")
    other.press("e")
    replace_last(other, "goes", "walked")
    other.page.reload()
    other.settled()
    assert other.page.locator("textarea").input_value() == "She walked to school yesterday ."


def test_a_whole_book_that_is_pasted_is_refused_and_kept(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("post-edit", [output()])
    rater = sit_down(study)
    rater.press("e")
    book = "word " * 50_000
    rater.page.evaluate("(text) => document.execCommand('insertText', false, text)", book)
    rater.press("Enter")
    problem = rater.page.locator("#problem").inner_text()
    assert "too long: it has 250,029 characters, and at most 560 can be saved" in problem
    assert book.strip() in rater.page.locator("textarea").input_value()
    assert study.answers() == []
    rater.press("Control+a")
    rater.page.evaluate("(text) => document.execCommand('insertText', false, text)", "She\nwent  to school .")
    rater.press("Enter")
    rater.saved()
    assert said(study) == [{"verdict": "edited", "text": "She went to school ."}]


def test_time_runs_while_the_page_has_the_focus(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("post-edit", [output(1), output(2)])
    rater = sit_down(study)
    page = rater.page
    page.evaluate("document.hasFocus = () => false; window.dispatchEvent(new Event('blur'))")
    page.wait_for_timeout(1500)
    page.evaluate("delete document.hasFocus; window.dispatchEvent(new Event('focus'))")
    page.wait_for_timeout(300)
    rater.press("r")
    page.wait_for_timeout(1000)
    rater.press("r")
    rater.saved()
    away, here = (row[0] for row in study.rows("SELECT milliseconds FROM answer ORDER BY id"))
    assert 400 < away < 1400
    assert here > 1000


def test_the_essay_is_around_the_item_scrolled_to_it_and_reached_by_key(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    lines = "\n".join(f"This is line {n} of the essay ." for n in range(40))
    study = make_study("post-edit", [output(before=lines, after=lines)])
    rater = sit_down(study)
    page = rater.page
    for place, seen, unseen in (("before", 39, 0), ("after", 0, 39)):
        box = page.locator(f"#item .{place}")
        text, height = box.bounding_box(), box.evaluate("(e) => [e.scrollTop, e.scrollHeight, e.clientHeight]")
        assert text is not None
        assert height[1] > 3 * height[2]
        assert (height[0] + height[2] >= height[1] - 1) == (place == "before"), (seen, unseen)
        assert box.get_attribute("tabindex") == "0"
    rater.press("Tab")
    assert page.evaluate("document.activeElement.className") == "before"
    rater.press("r")
    rater.saved()
    assert said(study) == [{"verdict": "right"}]


def test_nothing_that_reaches_the_browser_names_the_system(make_study: MakeStudy, sit_down: SitDown) -> None:
    items = [output(n, system) for n in range(1, 3) for system in ("zxqvj", "qqwzk")]
    study = make_study("post-edit", items, editors="crossed", systems=("zxqvj", "qqwzk"))
    rater = sit_down(study)
    bodies: list[str] = []
    rater.page.on("response", lambda response: bodies.append(f"{response.headers} {response.text()}"))
    rater.page.reload()
    rater.settled()
    rater.press("r", "r")
    rater.saved()
    everything = json.dumps(rater.page.evaluate("[document.documentElement.outerHTML, {...localStorage}]"))
    everything += " ".join(bodies)
    assert SOURCE in everything
    assert [name for name in ("zxqvj", "qqwzk") if name in everything] == []
    assert len({item.partition("/")[0] for item, *_ in study.answers()}) == 2  # of each sentence one


def test_axe_finds_nothing_on_a_phone_right_to_left_and_without_network(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    written, out, right = "هو ذهب إلى المدرسه أمس .", "هو ذهب إلى المدرسه بالأمس .", "هو ذهب إلى المدرسة بالأمس ."
    essay = "\n".join(f"هذا هو السطر {n} من المقال ." for n in range(40))
    texts = replace(output(), text=written, candidates=(out,), before=essay, after=essay)
    items = [replace(texts, name=f"{n}/s", hidden={"sentence": str(n)}) for n in range(1, 4)]
    study = make_study("post-edit", items, language="ar", page=3)
    rater = sit_down(study, viewport={"width": 320, "height": 640}, color_scheme="dark")
    page = rater.page
    page.evaluate(axe_source())

    def look() -> None:
        assert page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        for shown in page.locator("#item p, .differences dd, textarea").all():
            assert shown.evaluate("(element) => getComputedStyle(element).direction") == "rtl", shown.inner_html()

    look()
    study.kill()
    for key in ("e", "r", "n"):
        rater.press(key)
        if key != "e" and page.locator("#toast:not([hidden])").count():
            rater.press(key)  # the answers were not on the screen: they are now
        if key == "e":
            page.keyboard.press("Control+a")
            rater.type(right)
            assert differences(rater) == [["del المدرسه", "ins المدرسة"], ["del المدرسه أمس", "ins المدرسة بالأمس"]]
            look()
            rater.press("Enter")
    assert len(rater.kept("out:")) == 3
    study.start()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    rater.saved()
    assert said(study) == [{"verdict": "edited", "text": right}, {"verdict": "right"}, {"verdict": "unsavable"}]
