"""Rankings on the page: digits, ties, what is missing, pairs, buttons, axe, no network, right to left."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from errorbar.judging import JudgedItem
from errorbar.judging.items.context import with_outputs
from errorbar.judging.question_kinds import arrange
from tests.browser.test_accessible import axe_source
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import Rater

SitDown = Callable[..., Rater]
SOURCE = "He go at home yesterday with she"
OUTPUTS = (
    "He went home yesterday with her",
    "He goes home yesterday with her",
    "He went at home",
    SOURCE,
    "He go home",
)
AXE = "axe.run({ resultTypes: ['violations'] })"


def item(name: str, n: int, text: str = SOURCE, outputs: tuple[str, ...] = OUTPUTS) -> JudgedItem:
    systems = ("Athens|Berlin", "Cairo", "Dublin", "Essen", "Fez")
    return with_outputs(JudgedItem(name, text), list(zip(outputs[:n], systems, strict=False)))


def said(study: LiveStudy) -> list[list[int]]:
    return [json.loads(answer)["ranks"] for _, answer, _, _ in study.answers()]


def orders(study: LiveStudy, n: int) -> list[list[int]]:
    rows = study.rows("SELECT reversed FROM assignment WHERE version > 0 ORDER BY seq")
    return [arrange(n, arrangement) for (arrangement,) in rows]


def cards(rater: Rater) -> list[str]:
    return [" ".join(each.split()) for each in rater.page.locator(".outputs .text").all_text_contents()]


def test_digits_rank_ties_are_kept_and_enter_waits_for_all(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("rank", [item("i1", 5), item("i2", 5)])
    rater = sit_down(study)
    page = rater.page
    assert page.content().count("Athens") == 0
    assert page.locator(".outputs > li").count() == 5
    assert page.locator(".unchanged").count() == 1
    rater.press("3", "1", "ArrowDown", "3", "Enter")
    assert "Still to be answered" in page.locator("#problem").inner_text()
    assert page.evaluate("document.activeElement.querySelector('.letter').textContent") == "C"
    assert page.locator(".current .letter").inner_text() == "C"
    rater.press("5", "1", "z", "1")
    pressed = page.locator(".rank[aria-pressed=true]")
    assert pressed.all_inner_texts() == ["3", "1", "5", "3", "1"]
    rater.press("Enter")
    assert "A 3, B 1, C 5, D 3, E 1" in page.locator("#toast").inner_text()
    for at, rank in enumerate((2, 1, 1, 2, 3)):  # the same by mouse, and the last one is changed
        page.locator(".outputs > li").nth(at).locator(".rank").nth(rank).click()
    page.locator(".rank").last.click()
    page.locator(".confirm .button").click()
    rater.saved()
    assert rater.errors == []
    for ranks, order, shown in zip(said(study), orders(study, 5), ([3, 1, 5, 3, 1], [3, 2, 2, 3, 5]), strict=True):
        assert [ranks[at] for at in order] == shown
    rater.press("p")
    assert pressed.all_inner_texts() == ["3", "2", "2", "3", "5"]
    rater.press("ArrowUp", "1", "Enter")
    rater.saved()
    again, order = said(study)[-1], orders(study, 5)[-1]
    assert [again[at] for at in order] == [1, 2, 2, 3, 5]


def test_of_two_one_key_says_which_is_better(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("rank", [item(f"i{n}", 2) for n in range(6)])
    rater = sit_down(study)
    tops = []
    for key in ("a", "b", "=", "a", "b"):
        tops.append(cards(rater)[0])
        rater.press(key)
    tops.append(cards(rater)[0])
    rater.page.wait_for_timeout(170)  # what comes sooner is the second half of a double press
    rater.page.get_by_role("button", name="A is better").click()
    rater.saved()
    names = [name for name, *_ in study.answers()]
    for name, ranks, order, top, key in zip(names, said(study), orders(study, 2), tops, "ab=aba", strict=True):
        assert [ranks[at] for at in order] == {"a": [1, 2], "b": [2, 1], "=": [1, 1]}[key]
        assert ("goes" in top) == ("goes" in item(name, 2).candidates[order[0]])
    assert rater.errors == []


@pytest.mark.parametrize("n", [2, 5])
def test_axe_finds_nothing_on_a_phone_right_to_left_and_without_network(
    make_study: MakeStudy, sit_down: SitDown, n: int
) -> None:
    hebrew = ("הוא הלך אתמול הביתה", "הוא הולך אתמול הביתה", "הוא הלך הבית", "הלך אתמול", "הוא הלך הביתה")
    study = make_study("rank", [item(f"i{k}", n, hebrew[2], hebrew) for k in range(3)], language="he", page=3)
    rater = sit_down(study, viewport={"width": 320, "height": 640}, color_scheme="dark")
    page = rater.page
    page.evaluate(axe_source())
    assert page.evaluate(AXE)["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    if n == 5:
        size = "[...document.querySelectorAll('.rank')].map((e) => Math.min(e.offsetWidth, e.offsetHeight))"
        assert min(page.evaluate(size)) >= 24
    study.kill()
    answer = ["a"] if n == 2 else ["1", "2", "2", "3", "3", "Enter"]
    for _ in range(3):
        page.evaluate("window.scrollTo(0, 1e6)")
        page.wait_for_timeout(100)
        for key in answer:
            rater.press(key)
            if page.locator("#toast:not([hidden])").count() and "was not on the screen" in page.inner_text("#toast"):
                rater.press(key)
    assert len(rater.kept("out:")) == 3
    study.start()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    rater.saved()
    assert len(said(study)) == 3
