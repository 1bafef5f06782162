"""Before the first item and after the last one: by the keyboard alone, on a phone, for those who cannot see; breaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest

import errorbar
from errorbar.judging import Study
from errorbar.judging.study.invitations import invite_token
from tests.browser.test_accessible import axe_source
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.firefox import Firefox
from tests.judging.browser.items import marked
from tests.judging.browser.rater import Rater
from tests.judging.browser.test_firefox import SHOWN, fox

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from tests.judging.browser.live_study import LiveStudy

__all__ = ["fox"]  # a fixture
SitDown = Callable[..., Rater]
BREAK = "dialog[data-dialog=break]"
RETURN = "https://crowd.example.org/complete?cc=C1A2&id={participant}&code={code}"
FACE: dict[str, Any] = {
    "title": "How good are corrections?",
    "contact": "Dr. Jo Doe, Department of Linguistics, jo.doe-with-a-long-name@linguistics.example.org",
    "minutes": 20,
    "pay": "$0.02",
    "pay_total": "$3.00",
    "consent": "# Taking part\n\nYou may stop at any time.\n\n* Answers are published.\n* Names are not.",
    "eligibility": ("Is English your first language?",),
    "return_url": RETURN,
    "items_per_rater": 2,
}
TWO = [marked("one", "He depends [of] the weather."), marked("two", "It is [on] it.")]


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(bypass_csp=True)
    context.set_default_timeout(15000)
    yield context
    context.close()


def findings(page: Page) -> list[tuple[str, str]]:
    """All that axe finds, of any weight."""
    page.evaluate(axe_source())
    violations = page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"]
    return [(each["id"], node["html"][:200]) for each in violations for node in each["nodes"]]


def focus_by_tab(page: Page, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never comes to {selector}")


def judge(rater: Rater, *keys: str) -> None:
    """Answer as fast as one reads, so that nobody is asked to slow down."""
    for key in keys:
        rater.page.wait_for_timeout(1000)
        rater.page.keyboard.press(key)


def test_the_keyboard_alone_leads_from_the_link_to_the_way_back(make_study: MakeStudy, context: BrowserContext) -> None:
    study, page = make_study("error-ok", TWO, **FACE), context.new_page()
    page.goto(study.link())
    focus_by_tab(page, "[name=eligible-0]")
    page.keyboard.press("Space")
    focus_by_tab(page, "[name=consent]")
    page.keyboard.press("Space")
    focus_by_tab(page, "button[type=submit]")
    page.keyboard.press("Enter")
    rater = Rater(page)
    rater.settled()
    assert page.locator("#progress").inner_text() == "1 of 2"
    rater.press("o", "e")
    page.wait_for_selector("#code")
    focus_by_tab(page, "#back")
    code = page.locator("#code").inner_text()
    address = f"https://crowd.example.org/complete?cc=C1A2&id=&code={code}"
    assert page.evaluate("document.activeElement.href") == address
    assert page.evaluate("document.activeElement.textContent") == "Go back to crowd.example.org"
    page.goto(f"{study.url}/done")
    assert page.locator("#back").get_attribute("href") == address


@pytest.mark.parametrize("secure", [True, False])
def test_a_code_is_copied_where_pages_may_write_to_the_clipboard_and_where_they_may_not(
    make_study: MakeStudy, context: BrowserContext, secure: bool
) -> None:
    study, page = make_study("error-ok", TWO, items_per_rater=2), context.new_page()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    if not secure:  # as at an address without TLS
        context.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    page.goto(study.link())
    page.click("button[type=submit]")
    rater = Rater(page)
    rater.settled()
    rater.press("o", "e")
    page.wait_for_selector("#code")
    assert page.locator("#back").count() == 0
    for _ in ("at the end of the work", "on the page of the end"):
        page.evaluate("() => navigator.permissions && document.getSelection().removeAllRanges()")
        page.click("#copy")
        page.wait_for_function("document.querySelector('#copy').textContent !== 'Copy'")
        assert page.locator("#copy").inner_text() == "Copied ✓"
        if secure:
            assert page.evaluate("navigator.clipboard.readText()") == page.locator("#code").inner_text()
        else:
            assert page.evaluate("String(document.getSelection())").strip() == page.locator("#code").inner_text()
        page.goto(f"{study.url}/done")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    make_study: MakeStudy, chromium: Browser, width: int, dark: bool
) -> None:
    study = make_study("error-ok", TWO, **FACE, break_items=1)
    scheme: Literal["dark", "light"] = "dark" if dark else "light"
    context = chromium.new_context(viewport={"width": width, "height": 740}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()

    def look() -> None:
        assert findings(page) == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url

    page.goto(study.link())
    look()
    page.check("[name=eligible-0][value=no]")
    page.check("[name=consent]")
    page.click("button[type=submit]")
    look()  # not eligible
    page.goto(study.link())
    page.check("[name=eligible-0][value=yes]")
    page.check("[name=consent]")
    page.click("button[type=submit]")
    rater = Rater(page)
    rater.settled()
    look()
    rater.press("?")
    look()  # with guidelines and contact
    rater.press("?", "o")
    page.wait_for_selector(BREAK)
    look()
    page.wait_for_timeout(700)
    rater.press("Enter", "o")
    page.wait_for_selector("#code")
    look()
    for path in ("done", "guidelines"):
        page.goto(f"{study.url}/{path}")
        look()
    context.close()


def test_a_break_is_suggested_after_some_items_and_one_key_goes_on(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok", break_items=3, lease_minutes=90)
    ada = sit_down(study)
    page = ada.page
    judge(ada, "o", "o")
    assert page.locator(BREAK).count() == 0
    judge(ada, "e")
    page.keyboard.press("o")  # meant for the next item, perhaps: it neither answers nor goes on
    page.keyboard.press("Enter")
    page.wait_for_selector(BREAK)
    text = page.locator(BREAK).inner_text()
    assert "You have judged 3 items." in text
    assert "wait for you for 90 minutes" in text
    assert page.evaluate("document.activeElement.textContent") == "Go on"
    page.wait_for_timeout(2500)  # a break, which is no time at an item
    page.keyboard.press("Enter")
    page.wait_for_selector(BREAK, state="detached")
    judge(ada, "u", "o")
    assert page.locator(BREAK).count() == 0
    judge(ada, "o")
    page.wait_for_selector(BREAK)
    ada.saved()
    assert [json.loads(answer)["judgment"] for _, answer, _, _ in study.answers()] == [
        "ok",
        "ok",
        "error",
        "unknown",
    ] + ["ok"] * 2
    times = [milliseconds for (milliseconds,) in study.rows("SELECT milliseconds FROM answer ORDER BY id")]
    assert max(times) < 2500


def test_a_break_is_suggested_after_a_while_at_work_and_not_to_who_was_away(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    ada = sit_down(make_study("error-ok", break_minutes=25))
    page = ada.page
    judge(ada, "o")
    assert page.locator(BREAK).count() == 0
    work = """(minutesAgo) => {
        const name = Object.keys(localStorage).find((key) => key.endsWith(':worked'));
        const worked = { items: 59, milliseconds: 25 * 60000 - 1, at: Date.now() - 60000 * minutesAgo };
        localStorage.setItem(name, JSON.stringify(worked));
    }"""
    page.evaluate(work, 11)
    judge(ada, "o")
    page.wait_for_timeout(300)
    assert page.locator(BREAK).count() == 0
    page.evaluate(work, 9)
    judge(ada, "o")
    page.wait_for_selector(BREAK)
    assert "You have judged 60 items in 25 minutes." in page.locator(BREAK).inner_text()


def test_no_break_is_suggested_where_none_is_wanted(make_study: MakeStudy, sit_down: SitDown) -> None:
    ada = sit_down(make_study("error-ok", break_minutes=0, break_items=0))
    ada.press(*"ooooo")
    ada.page.wait_for_timeout(300)
    assert ada.page.locator(BREAK).count() == 0


def test_progress_has_its_total(make_study: MakeStudy, sit_down: SitDown) -> None:
    """Of 14 items, where the study wants no number of a rater."""
    ada = sit_down(make_study("error-ok", raters_per_item=1))
    progress = ada.page.locator("#progress")
    assert progress.inner_text() == "1 of about 14"
    ada.press("o", "o")
    assert progress.inner_text() == "3 of about 14"
    ada.saved()
    ada.page.reload()
    ada.settled()
    ada.saved()
    assert progress.inner_text() == "3 of about 14"
    ada.press(*"oooooooooooo")
    ada.page.wait_for_selector("#message[data-standing=finished]")
    assert progress.inner_text() == "14 done"


def test_who_is_excluded_reads_to_whom_they_can_write(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok", contact="jo@example.org")
    ada = sit_down(study)
    errorbar.judge_raters(study.folder, exclude="Ada", reason="a mistake")
    ada.page.reload()
    message = ada.page.locator("#message[data-standing=excluded]")
    message.wait_for()
    assert "write to jo@example.org" in message.inner_text()


def link_of_crowd(study: LiveStudy) -> str:
    errorbar.judge_invite(study.folder, crowd="crowd")
    return f"{study.url}/j/{invite_token(Study.open(study.folder).secrets.cookie, 'crowd')}"


AXE = """
    const done = arguments[arguments.length - 1];
    axe.run().then(({ violations, passes }) => done([violations.map((each) => each.id), passes.length > 9]), done);
"""


def test_firefox_leads_from_the_link_to_the_way_back(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("error-ok", TWO, **FACE)
    fox.ask("WebDriver:SetWindowRect", width=400, height=760)

    def look() -> None:
        fox.run(f"(() => {{ {axe_source()} }})()")
        assert fox.ask("WebDriver:ExecuteAsyncScript", script=AXE, args=[], newSandbox=False) == [[], True]
        assert fox.run("document.documentElement.scrollWidth <= window.innerWidth")

    fox.goto(f"{link_of_crowd(study)}?PROLIFIC_PID=5f1a")
    assert "20 minutes" in fox.run("document.querySelector('.facts').innerText")
    look()
    fox.run("document.querySelector('[name=eligible-0][value=yes]').click()")
    fox.run("document.querySelector('[name=consent]').click()")
    fox.run("document.querySelector('button[type=submit]').click()")
    fox.until("location.pathname === '/work'")
    fox.until(SHOWN)
    look()
    fox.press("o", "e")
    code = fox.until("document.querySelector('#code')?.textContent")
    address = f"https://crowd.example.org/complete?cc=C1A2&id=5f1a&code={code}"
    assert fox.run("document.querySelector('#back').href") == address
    look()
    fox.goto(f"{study.url}/done")
    assert fox.run("document.querySelector('#back').href") == address
    assert fox.until("document.querySelector('#copy')?.textContent") == "Copy"
    look()
