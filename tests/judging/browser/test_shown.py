"""How an item is shown: characters of every kind, both directions, small and magnified screens, dark; axe."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from errorbar.judging import JudgedItem
from tests.browser.test_accessible import axe_source
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.items import marked
from tests.judging.browser.rater import Rater

SitDown = Callable[..., Rater]
ODD = [
    "A family 👨‍👩‍👧‍👦 lives [🏳️‍🌈 by] the sea 🌊.",
    "Un e\u0301le\u0300ve [a\u0301] l'e\u0301cole.",
    "Two lines\r\nof [a\r\nletter] here\rand here.",
    "A price of 5\u00a0€ [for\u00a0a] cup\u202fof tea.",
    "هذا يعتمد [على] الطقس في الشمال 123.",
    "𝒜 math [𝓑ook] & <b>tags</b> \"quoted\" 'so'.",
    "Zero\u200bwidth [x\u200by]\u2060joined.",
    "क्षेत्र [में] नमस्ते.",
]
WIDE = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def test_the_target_is_the_slice_of_the_text_in_python_and_in_the_page(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    items = {item.text: item for item in (marked(f"odd{n}", text) for n, text in enumerate(ODD))}
    study = make_study("error-ok", [*items.values()])
    rater = sit_down(study)
    seen = set()
    for _ in items:
        item = items[rater.text]
        assert item.span is not None
        start, end = item.span
        assert rater.target == item.text[start:end]
        by_code_points = (
            "([start, end]) => [...document.querySelector('#item .text').textContent].slice(start, end).join('')"
        )
        assert rater.page.evaluate(by_code_points, [start, end]) == rater.target
        seen.add(item.name)
        rater.press("o")
    rater.saved()
    assert len(seen) == len(ODD)
    assert len(study.answers()) == len(ODD)


def test_right_to_left(make_study: MakeStudy, sit_down: SitDown) -> None:
    text = "هذا يعتمد [على] الطقس في الشمال."
    study = make_study("preposition", [marked("one", text)], language="ar", direction="rtl")
    rater = sit_down(study)
    style = "getComputedStyle(document.querySelector('#item .text')).direction"
    assert rater.page.evaluate(style) == "rtl"
    assert rater.page.locator("#item").get_attribute("lang") == "ar"
    key = rater.page.locator("[data-question=spelling] kbd").inner_text().lower()
    rater.press(key, "ArrowLeft", " ", "Enter")  # to the left is the next word
    assert rater.page.locator("[data-question=spelling] .marked-words").inner_text() == "الطقس"
    rater.press("Enter", "2", "h")
    rater.saved()
    assert '"spelling": [3]' in study.answers()[0][1]


def test_mixed_directions_are_told_by_the_text_itself(make_study: MakeStudy, sit_down: SitDown) -> None:
    rater = sit_down(make_study("error-ok", [JudgedItem("one", "שלום עולם", (0, 4))]))
    assert rater.page.evaluate("getComputedStyle(document.querySelector('#item .text')).direction") == "rtl"
    assert rater.page.evaluate("getComputedStyle(document.body).direction") == "ltr"


@pytest.mark.parametrize("scheme", ["error-ok", "preposition", "choice", "cloze"])
@pytest.mark.parametrize(("width", "height", "zoom"), [(320, 640, 1), (640, 512, 2)])
def test_nothing_is_cut_off_on_a_small_screen_or_magnified(
    make_study: MakeStudy, sit_down: SitDown, scheme: str, width: int, height: int, zoom: int
) -> None:
    """Twice as large means half as many pixels of a style sheet, each of two on the screen."""
    viewport = {"width": width // zoom, "height": height // zoom}
    rater = sit_down(make_study(scheme), viewport=viewport, device_scale_factor=zoom)
    rater.press("?")
    assert rater.page.evaluate(WIDE)
    sizes = rater.page.evaluate(
        "[...document.querySelectorAll('button, input:not([type=checkbox]), a.button')].filter((e) => e.offsetParent)"
        ".map((e) => [e.textContent, e.offsetWidth, e.offsetHeight]).filter(([, w, h]) => w < 24 || h < 24)"
    )
    assert sizes == []
    text = rater.page.evaluate("parseFloat(getComputedStyle(document.querySelector('#item .text')).fontSize)")
    assert text >= 18


@pytest.mark.parametrize("width", [320, 360])
def test_every_step_fits_a_narrow_screen(make_study: MakeStudy, sit_down: SitDown, width: int) -> None:
    rater = sit_down(make_study("preposition"), viewport={"width": width, "height": 640})
    rater.press("Enter", "1")  # now words are typed, and suggested
    rater.page.keyboard.type("in")
    assert rater.page.locator("[role=listbox]").is_visible()
    assert rater.page.evaluate(WIDE)
    assert rater.page.evaluate("scrollX") == 0


COVERED = """() => {
    const toast = document.getElementById('toast').getBoundingClientRect();
    const parts = document.querySelectorAll('#item .target, #questions .option, #legend .action');
    return [...parts].filter((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top;
    }).map((each) => each.textContent);
}"""


@pytest.mark.parametrize(("width", "height"), [(360, 640), (1440, 900)])
def test_the_word_with_undo_covers_neither_target_nor_answers(
    make_study: MakeStudy, sit_down: SitDown, width: int, height: int
) -> None:
    long = "word " * 400
    study = make_study("error-ok", [*(marked(f"i{n}", f"{long * (n % 2)}It is [on] it. {long}") for n in range(4))])
    rater = sit_down(study, viewport={"width": width, "height": height})
    for _ in range(3):
        rater.press("o")
        assert rater.page.locator("#toast button").is_visible()
        assert rater.page.evaluate(COVERED) == []
        assert rater.page.evaluate(WIDE)


def test_no_line_is_longer_than_seventy_characters(make_study: MakeStudy, sit_down: SitDown) -> None:
    item = marked("long", "word " * 80 + "[of] " + "sentence " * 40)
    rater = sit_down(make_study("error-ok", [item]), viewport={"width": 1900, "height": 1000})
    longest = """() => {
        const text = document.querySelector('#item .text');
        const range = document.createRange(), lines = new Map();
        for (const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT); walker.nextNode();) {
            for (let n = 0; n < walker.currentNode.length; n += 1) {
                range.setStart(walker.currentNode, n);
                range.setEnd(walker.currentNode, n + 1);
                const { bottom } = range.getBoundingClientRect();
                lines.set(Math.round(bottom / 10), (lines.get(Math.round(bottom / 10)) ?? 0) + 1);
            }
        }
        return Math.max(...lines.values());
    }"""
    assert 40 < rater.page.evaluate(longest) <= 75  # ch is the width of a zero; letters are a little narrower


def test_motion_is_reduced_on_request(make_study: MakeStudy, sit_down: SitDown) -> None:
    rater = sit_down(make_study("error-ok"), reduced_motion="reduce")
    assert rater.page.evaluate("getComputedStyle(document.querySelector('#meter-fill')).transitionProperty") in (
        "none",
        "all",
    )
    assert rater.page.evaluate("getComputedStyle(document.querySelector('#meter-fill')).transitionDuration") in (
        "0s",
        "",
    )


def serious(rater: Rater) -> list[tuple[str, str, str]]:
    rater.page.evaluate(axe_source())
    found = rater.page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"]
    return [
        (violation["id"], node["html"][:200], node.get("failureSummary"))
        for violation in found
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"][:3]
    ]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("scheme", ["error-ok", "preposition", "choice", "cloze", "edit-valid"])
def test_axe_finds_nothing_serious(make_study: MakeStudy, sit_down: SitDown, scheme: str, dark: bool) -> None:
    rater = sit_down(make_study(scheme), color_scheme="dark" if dark else "light", bypass_csp=True)
    assert serious(rater) == []
    if scheme == "preposition":
        rater.press("d", " ", "Enter", "Enter", "1")
        rater.type("o")
        rater.page.wait_for_timeout(200)
        assert serious(rater) == []
    else:
        if scheme == "cloze":
            rater.type("on")
            rater.press("Enter", "Escape")
        else:
            rater.press({"choice": "0", "edit-valid": "v"}.get(scheme, "e"))
        rater.page.wait_for_timeout(200)  # with a toast
        rater.press("?")
        assert serious(rater) == []
        rater.press("f")
        assert rater.page.locator("dialog").is_visible()
        assert serious(rater) == []


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious_on_the_pages_around(make_study: MakeStudy, sit_down: SitDown, dark: bool) -> None:
    gold = [marked("g", "It [on] it.", gold="error")]
    study = make_study("error-ok", [*gold, marked("w", "It [in] it.")], quiz=1)
    rater = sit_down(study, color_scheme="dark" if dark else "light", bypass_csp=True)
    rater.press("e")
    rater.page.wait_for_selector("#feedback h2")
    assert serious(rater) == []
    rater.press("Enter")
    rater.page.wait_for_selector("#item .text")
    rater.press("o")
    rater.page.wait_for_selector("#message[data-standing=finished]")
    assert serious(rater) == []
    for path in ("guidelines", "done"):
        rater.page.goto(f"{study.url}/{path}")
        assert serious(rater) == []
    rater.page.context.clear_cookies()
    for path in ("", "nowhere", f"j/{study.link('Bob').rpartition('/')[2]}"):
        rater.page.goto(f"{study.url}/{path}")
        assert serious(rater) == []
