"""The manager's pages in real browsers: axe, phones, keyboard alone, without scripts, live; on a study at work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from errorbar import judge_invite
from tests.browser.test_accessible import WIDTHS, axe_source
from tests.helpers.needed import missing
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.firefox import firefox, program
from tests.judging.browser.items import marked
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import EXPECTED
from tests.judging.served import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = (
    "",
    "/raters",
    "/raters?sort=gold&down=1",
    "/raters?changed=2",
    "/raters/1/exclude",
    "/raters/2/readmit",
    "/items",
    "/invitations",
    "/codes",
    "/handing-out/halt",
    "/handing-out/close",
)
AXE = "axe.run({ resultTypes: ['violations'] })"
CALLED = "(found) => found.violations.map((each) => [each.id, each.nodes[0].html.slice(0, 200)])"
DRAWN = "[...document.images].every((image) => image.complete && image.naturalWidth > 0)"
NARROW = "document.documentElement.scrollWidth <= innerWidth"


def answer(study: LiveStudy, name: str, said: str, most: int = 10) -> None:
    """Let somebody judge some items over HTTP."""
    visitor = Visitor(study.url)
    visitor.enter(study.link(name))
    visitor.answer(visitor.claim(most)["items"], said)


@pytest.fixture
def at_work(make_study: MakeStudy) -> Iterator[LiveStudy]:
    """Ada judged some items, and Bob, who is excluded; there is gold to test them by."""
    items = [marked(f"i{n}", f"Sentence {n} is [here] .") for n in range(30)]
    gold = [marked(f"g{n}", f"Gold {n} is [here] .", gold="error" if n % 2 else "ok") for n in range(6)]
    study = make_study("error-ok", [*items, *gold], raters_per_item=2, gold_per_page=2)
    answer(study, "Ada", "ok")
    answer(study, "Bob", "error")
    boss = manager_of(study)
    assert boss.form("/manage/raters/2/exclude", reason="always says error").status_code == 303
    yield study
    study.stop()


def manager_of(study: LiveStudy) -> Visitor:
    boss = Visitor(study.url)
    boss.form("/manage", token=study.token)
    return boss


@pytest.fixture
def sign_in(chromium: Browser) -> Iterator[Any]:
    """Opens a manager's page in a browser of its own; at the end it has said nothing."""
    said: list[str] = []
    contexts = []

    def open_page(study: LiveStudy, **options: Any) -> Page:  # noqa: ANN401 - of a browser's context
        context = chromium.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        context.set_default_timeout(60000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda line: said.append(f"{line.type}: {line.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.goto(f"{study.url}/manage")
        page.fill("#token", study.token)
        page.press("#token", "Enter")
        page.locator(".charts img").first.wait_for(state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    complaints = [line for line in said if line.startswith(("error", "warning"))]
    assert [line for line in complaints if not any(part in line for part in EXPECTED)] == []


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_in_chromium_and_nothing_is_cut_off(at_work: LiveStudy, sign_in: Any, dark: bool) -> None:  # noqa: ANN401
    page = sign_in(at_work, bypass_csp=True, color_scheme="dark" if dark else "light")
    found = {}
    for path in PAGES:
        page.goto(f"{at_work.url}/manage{path}")
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.wait_for_function(DRAWN)
        page.evaluate(axe_source())
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(DRAWN)
            assert page.evaluate(NARROW), (path, width)
            if not dark or width == WIDTHS[0]:  # dark changes colors alone
                found[path, width] = page.evaluate(f"{AXE}.then({CALLED})")
    assert {where: names for where, names in found.items() if names} == {}


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_in_firefox(at_work: LiveStudy, tmp_path: Path, dark: bool) -> None:
    if program() is None:
        missing("Firefox (apt-get install firefox-esr)")
    found = {}
    with firefox(tmp_path, {"layout.css.prefers-color-scheme.content-override": 0 if dark else 1}) as fox:
        fox.goto(f"{at_work.url}/manage")
        fox.run("document.querySelector('#token').value = arguments[0]", at_work.token)
        fox.run("document.querySelector('form button').click()")
        fox.until("document.querySelector('.charts img') !== null")
        for path in PAGES:
            fox.goto(f"{at_work.url}/manage{path}")
            assert fox.run("matchMedia('(prefers-color-scheme: dark)').matches") is dark
            for width in WIDTHS:
                fox.ask("WebDriver:SetWindowRect", width=width, height=900)
                fox.until(f"innerWidth <= Math.max({width}, 500)")  # no window of Firefox is as narrow as a phone
                assert fox.run(NARROW), (path, width)
                if dark and width != WIDTHS[0]:
                    continue  # dark changes colors alone
                script = f"{axe_source()}; {AXE}.then({CALLED}).then(arguments[arguments.length - 1])"
                found[path, width] = fox.ask("WebDriver:ExecuteAsyncScript", script=script, args=[])
    assert {where: names for where, names in found.items() if names} == {}


def press_until(page: Page, text: str) -> None:
    """Go from one thing to the next until the one of this text has the focus, and press it."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim() || document.activeElement.ariaLabel") == text:
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no way to {text!r}")


def test_a_rater_is_excluded_and_brought_back_by_keys_alone(at_work: LiveStudy, sign_in: Any) -> None:  # noqa: ANN401
    page = sign_in(at_work)
    press_until(page, "Raters")
    page.locator("#raters").wait_for()
    press_until(page, "Exclude")
    page.get_by_text("Exclude Ada?").wait_for()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "reason":
            break
    page.keyboard.type("to see")
    page.keyboard.press("Enter")
    told = page.locator(".told")
    assert told.inner_text().startswith("Ada is excluded: ")
    assert at_work.rows("SELECT status FROM rater WHERE name = 'Ada'") == [("excluded",)]
    press_until(page, "Undo")
    page.get_by_text("takes part again").wait_for()
    assert at_work.rows("SELECT status FROM rater WHERE name = 'Ada'") == [("active",)]


def test_forms_work_without_scripts(at_work: LiveStudy, sign_in: Any) -> None:  # noqa: ANN401
    page = sign_in(at_work, java_script_enabled=False)
    assert page.locator("[data-copy]:visible").count() == 0  # they would do nothing
    assert page.locator(".charts img").count() == 2  # nobody but Ada counts: there is no agreement
    page.click(".handing-out >> text=Pause the study")
    page.click("button:has-text('Pause the study')")
    assert page.locator("#state-title").inner_text() == "The study is paused"
    page.click(".handing-out >> text=Resume")
    page.click("button:has-text('Resume the study')")
    assert page.locator("#state-title").inner_text() == "The study is open"
    page.goto(f"{at_work.url}/manage/raters")
    page.select_option("#show", "excluded")
    page.click("text=Apply")
    assert page.locator("tbody th").all_inner_texts() == ["Bob"]
    page.click("th a:has-text('Judged')")
    assert "sort=judged" in page.url
    assert "show=excluded" in page.url


def test_the_page_follows_the_study_and_keeps_what_is_open_and_focused(at_work: LiveStudy, sign_in: Any) -> None:  # noqa: ANN401
    page = sign_in(at_work, bypass_csp=True)  # or Playwright could not wait
    page.click("text=All figures as tables")
    before = page.locator(".count").inner_text()
    answer(at_work, "Ada", "ok", 5)
    page.wait_for_function("text => document.querySelector('.count').innerText !== text", arg=before, timeout=120_000)
    assert page.evaluate("document.querySelector('#figures').open")
    assert page.locator("[data-every]").inner_text() == "This page stays up to date."
    at_work.stop()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("The server does not answer").wait_for()
    at_work.start()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("This page stays up to date.").wait_for()


def test_a_table_that_has_the_focus_is_renewed_and_the_focus_stays_with_its_rater(
    at_work: LiveStudy,
    sign_in: Any,  # noqa: ANN401
) -> None:
    page = sign_in(at_work, bypass_csp=True)
    page.goto(f"{at_work.url}/manage/raters?sort=judged")
    assert page.locator("tbody th").all_inner_texts() == ["Ada", "Bob"]  # as many each
    page.focus("[aria-label='Exclude Ada']")
    answer(at_work, "Ada", "ok", 5)
    page.wait_for_function("document.querySelector('tbody th').innerText === 'Bob'", timeout=120_000)
    assert page.evaluate("document.activeElement.ariaLabel") == "Exclude Ada"
    assert page.evaluate("document.activeElement.closest('tr').querySelector('th').innerText") == "Ada"


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_no_table_is_cut_off(at_work: LiveStudy, sign_in: Any, width: int) -> None:  # noqa: ANN401
    judge_invite(at_work.folder, names=["N" * 80])
    answer_link = judge_invite(at_work.folder).links[-1].url
    visitor = Visitor(at_work.url)
    visitor.enter(answer_link)
    visitor.answer(visitor.claim()["items"])
    page = sign_in(at_work, viewport={"width": width, "height": 900})
    for path in ("/raters", "/items", "/invitations", "/codes"):
        page.goto(f"{at_work.url}/manage{path}")
        assert page.evaluate("[...document.querySelectorAll('.scroll')].every((e) => e.scrollWidth <= e.clientWidth)")


def test_links_and_codes_are_copied(at_work: LiveStudy, sign_in: Any) -> None:  # noqa: ANN401
    page = sign_in(at_work, permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{at_work.url}/manage/invitations")
    page.fill("#name", "everybody")
    page.check("input[value=crowd]")
    page.click("text=Make a link")
    page.click("[aria-label='Copy the link of everybody']")
    page.get_by_text("Copied: http://127.0.0.1").wait_for(state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("code.link").last.inner_text()
