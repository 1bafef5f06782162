"""The manager sees that enough is known, and stops handing out; in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from errorbar import judge_change
from tests.browser.test_accessible import axe_source
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.items import marked
from tests.judging.browser.rater import Rater

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SitDown = Callable[..., Rater]


def test_a_rater_waits_for_the_end_of_a_pause(make_study: MakeStudy, sit_down: SitDown) -> None:
    items = [marked(f"i{n}", f"Sentence {n} is [here] .") for n in range(9)]
    study = make_study("error-ok", items, raters_per_item=1, page=2, items_per_rater=8)
    ada = sit_down(study)
    judge_change(study.folder, halt=True, reason="lunch")
    ada.press("o", "o")
    message = ada.page.locator("#message")
    message.get_by_text("The study is paused").wait_for()
    assert "This page asks again by itself" in message.inner_text()
    assert ada.page.locator("#progress").inner_text() == "2 done"
    judge_change(study.folder, resume=True)
    ada.page.locator("#item .target").wait_for(timeout=60_000)
    assert ada.page.locator("#progress").inner_text() == "3 of 8"


def test_stop_and_go_on(make_study: MakeStudy, sit_down: SitDown, chromium: Browser) -> None:
    items = [marked(f"i{n}", f"Sentence {n} is [here] .") for n in range(40)]
    stop = "share(label=error,half_width=0.3)"
    study = make_study("error-ok", items, raters_per_item=1, stop=stop, pay="$0.10")
    ada = sit_down(study)
    for _ in range(20):
        ada.press("o")
    ada.saved()
    context = chromium.new_context(bypass_csp=True)
    context.set_default_timeout(60000)
    try:
        page = context.new_page()
        page.goto(f"{study.url}/manage")
        page.fill("#token", study.token)
        page.click("text=Sign in")
        told = page.locator("#state-now")
        told.get_by_text("narrow enough to stop").wait_for()  # a busy machine computes the first figures meanwhile
        assert "Pausing now saves 10 judgments" in told.inner_text()  # ten more are held
        assert "$1.00" in told.inner_text()
        page.evaluate(axe_source())
        found = page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []
        page.click(".handing-out >> text=Pause the study")
        assert page.input_value("#reason").startswith("share of 'error' is 0.00")
        page.click("button:has-text('Pause the study')")
        assert "Nothing more is handed out. Why: share of 'error' is 0.00" in told.inner_text()
        for _ in range(10):
            ada.press("o")
        ada.saved()
        ada.page.get_by_text("code").first.wait_for()  # what was held is judged, and she gets her code
        assert len(study.answers()) == 30
        page.reload()
        page.click(".handing-out >> text=Resume")
        page.click("button:has-text('Resume the study')")
        assert "Nothing more" not in page.locator(".handing-out").inner_text()
        for act, state in (("Close", "no link that was open lets anybody in"), ("Resume", "Raters are given items")):
            page.click(f".handing-out >> text={act}")
            page.click(f"button:has-text('{act} the study')")
            told.get_by_text(state).wait_for()
    finally:
        context.close()
        study.stop()
