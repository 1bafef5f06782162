"""No answer is lost and none goes astray: the server dies, the network goes, the sign-in ends, two tabs, two people."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from errorbar.judging import Study
from errorbar.judging.study.invitations import find_invite, invite_token, make_invite
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.items import marked
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import Rater

if TYPE_CHECKING:
    from playwright.sync_api import Route

SitDown = Callable[..., Rater]
DAY = 86400
STALE = "delete window.BroadcastChannel; addEventListener('storage', (event) => event.stopImmediatePropagation(), true)"
"""Tabs that hear nothing of each other, like browsers on two machines."""


def labels(study: LiveStudy, rater: str = "Ada") -> list[str]:
    """What is stored, in order; skipped items left out."""
    stored = study.answers(rater)
    return [json.loads(answer)["judgment"] for _, answer, _, _ in stored if answer != "null"]


def test_a_draft_survives_a_reload(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("preposition")
    rater = sit_down(study)
    text = rater.text
    rater.press("Enter", "1")
    rater.type("thr")
    rater.page.wait_for_timeout(300)
    rater.page.reload()
    rater.settled()
    assert (rater.text, rater.pressed()) == (text, ["incorrect"])
    assert rater.page.locator("input[role=combobox]").input_value() == "thr"
    rater.press("Enter", "Enter", "h")
    rater.saved()
    assert [json.loads(each[1])["prepositions"] for each in study.answers()] == [["through"]]
    (spent,) = study.rows("SELECT milliseconds FROM answer")[0]
    assert spent >= 1000  # what it took before the reload counts


def test_the_server_dies_and_comes_back(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.press("e")
    rater.saved()
    study.kill()
    rater.press("o", "u", "e")
    rater.page.wait_for_selector("#state[data-state=offline]")
    assert rater.state == "offline · 3 saved here"
    rater.page.reload()  # from the shell that the worker keeps
    rater.settled()
    rater.press("o")
    rater.page.wait_for_selector("#state[data-pending='4']")
    study.start()
    rater.saved()
    assert labels(study) == ["error", "ok", "unknown", "error", "ok"]
    assert len({item for item, _, _, _ in study.answers()}) == 5


def test_all_that_was_held_is_judged_without_network_and_comes_two_days_later(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("error-ok", raters_per_item=1)
    rater = sit_down(study)
    rater.press("e")
    rater.saved()
    rater.page.context.set_offline(True)
    rater.press(*"eoueoueoue")
    rater.page.wait_for_selector("#message:not([hidden])")
    assert "sent when the connection is back" in rater.page.locator("#message").inner_text()
    rater.page.reload()
    rater.page.wait_for_selector("#message:not([hidden])")
    study.pass_time(2 * DAY)  # the leases are over; Bob has some of the items meanwhile
    bob = sit_down(study, "Bob")
    bob.press(*"ooo")
    bob.saved()
    rater.page.context.set_offline(False)
    rater.saved()
    assert labels(study) == ["error", *["error", "ok", "unknown"] * 3, "error"]
    taken = study.rows("SELECT COUNT(*) FROM assignment WHERE round = 'main' AND state = 'done' GROUP BY item")
    assert set(taken) == {(1,)}
    extra = study.rows("SELECT COUNT(*) FROM assignment WHERE state = 'extra'")
    assert extra == [(11 + 3 - len(taken),)]


def test_a_reload_without_network_shows_the_item_and_keeps_the_draft(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("cloze")
    rater = sit_down(study)
    rater.saved()
    text = rater.text
    rater.type("beside")
    rater.page.wait_for_timeout(200)
    rater.page.wait_for_function("navigator.serviceWorker.controller !== null")
    rater.page.context.set_offline(True)
    rater.page.reload()
    rater.settled()
    assert rater.text == text
    assert rater.page.locator(".blank input").input_value() == "beside"
    rater.press("Enter")
    rater.page.context.set_offline(False)
    rater.saved()
    assert [json.loads(each[1]) for each in study.answers()] == [{"word": ["beside"]}]


def crowd_link(study: LiveStudy) -> str:
    """A link that proves nothing of who comes by it."""
    folder = Study.open(study.folder)
    key = folder.secrets.cookie
    with folder.store() as store:
        if not store.write(lambda tx: find_invite(tx, invite_token(key, "all"))):
            store.write(lambda tx: make_invite(tx, key, "crowd", "all", time.time(), (None, None)))
    return f"{study.url}/j/{invite_token(key, 'all')}"


def raters_and_answers(study: LiveStudy) -> tuple[int, list[str]]:
    found = study.rows("SELECT answer FROM answer ORDER BY id")
    (number,) = study.rows("SELECT COUNT(*) FROM rater")[0]
    return int(number), [json.loads(answer)["judgment"] for (answer,) in found]


def test_who_loses_the_cookie_goes_on_and_what_waits_arrives_once(make_study: MakeStudy, sit_down: SitDown) -> None:
    """Of a crowd, where no link says who it is: the device knows."""
    study = make_study("error-ok")
    rater = sit_down(study, link=crowd_link(study))
    rater.press("e")
    rater.saved()
    context = rater.page.context
    context.set_offline(True)
    rater.press("o", "u")
    context.clear_cookies()
    context.set_offline(False)
    rater.saved()  # the page is open: nobody notices
    assert raters_and_answers(study) == (1, ["error", "ok", "unknown"])
    context.set_offline(True)
    rater.press("o", "e")
    assert len(rater.kept("out:")) == 2
    context.clear_cookies()
    rater.page.close()
    context.set_offline(False)
    again = Rater.tab(context)
    again.page.goto(crowd_link(study))  # the page was closed: the link is all that one has
    box = again.page.locator("#returning")
    assert "2 answers are kept here and will be sent when you go on" in box.inner_text()
    box.get_by_role("button", name="Go on as before").click()
    again.settled()
    again.saved()
    assert raters_and_answers(study) == (1, ["error", "ok", "unknown", "ok", "error"])
    again.page.goto(f"{study.url}/work")  # and once more is not once more
    again.saved()
    assert len(raters_and_answers(study)[1]) == 5
    rater.errors += again.errors


def test_answers_of_a_device_that_is_not_known_any_more_are_offered_as_a_file(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("error-ok")
    rater = sit_down(study, link=crowd_link(study))
    rater.saved()
    context = rater.page.context
    context.set_offline(True)
    rater.press("e", "o")
    context.clear_cookies()
    with sqlite3.connect(study.folder / "store.sqlite3") as store:
        store.execute("DELETE FROM session")
    rater.page.wait_for_timeout(5500)  # a server believes what it read of a session for some seconds
    context.set_offline(False)
    banner = rater.page.locator("[data-banner=signed-out]")
    banner.wait_for()
    assert "does not know this device any more" in banner.inner_text()
    assert "2 answers are kept on this device" in banner.inner_text()
    assert "will be sent" not in banner.inner_text()
    with rater.page.expect_download() as download:
        banner.get_by_role("button", name="Download them").click()
    assert [each["answer"]["judgment"] for each in json.loads(download.value.path().read_text())] == ["error", "ok"]
    rater.page.goto(f"{study.url}/work")
    box = rater.page.locator("#returning")
    box.get_by_role("button", name="Go on as before").click()
    box.get_by_role("button", name="Download them").wait_for()
    assert "cannot be sent" in box.inner_text()
    assert raters_and_answers(study) == (1, [])


def test_an_idle_page_whose_sign_in_ended_keeps_its_work_until_the_link_is_opened(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.saved()
    study.kill()
    study.pass_time(500 * DAY)
    study.start()
    rater.press("e", "o")
    rater.page.wait_for_selector("[data-banner=signed-out]")
    assert "2 answers are kept on this device" in rater.page.locator("[data-banner=signed-out]").inner_text()
    assert labels(study) == []
    again = Rater.enter(rater.page.context, study.link())
    again.saved()
    rater.page.bring_to_front()
    rater.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    rater.saved()
    rater.page.wait_for_selector("[data-banner=signed-out]", state="detached")
    assert sorted(labels(study)) == ["error", "ok"]
    rater.press("u")
    rater.saved()
    assert labels(study)[-1] == "unknown"


def test_two_people_on_one_machine_never_mix(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    ada = sit_down(study)
    ada.press("e")
    ada.saved()
    ada.page.context.set_offline(True)
    ada.press("e", "e")
    ada.page.wait_for_selector("#state[data-pending='2']")
    ada.page.route("**/api/**", lambda route: route.abort())
    ada.page.context.set_offline(False)
    ada.page.context.clear_cookies()
    bob = Rater.enter(ada.page.context, study.link("Bob"))
    bob.press("o")
    bob.saved()
    ada.page.unroute("**/api/**")
    ada.page.evaluate("window.dispatchEvent(new Event('online'))")
    ada.page.wait_for_selector("[data-banner=stranger], [data-banner=signed-out]")
    assert labels(study, "Bob") == ["ok"]
    assert labels(study) == ["error"]
    bob.page.context.clear_cookies()
    again = Rater.enter(bob.page.context, study.link())
    again.saved()
    assert labels(study) == ["error"] * 3
    assert labels(study, "Bob") == ["ok"]


@pytest.mark.parametrize("times", [1, 4])
def test_a_lost_response_is_asked_for_again_and_counts_once(
    make_study: MakeStudy, sit_down: SitDown, times: int
) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.saved()
    lost = []

    def lose(route: Route) -> None:
        route.fetch()
        lost.append(1)
        route.abort()

    rater.page.route("**/api/answer", lose, times=times)
    rater.press("e")
    rater.saved()
    assert labels(study) == ["error"]
    assert len(lost) == times


def test_a_double_click_and_a_held_key_answer_one_item(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.page.locator("[data-value=ok]").dblclick()
    rater.press("z")  # only one to undo
    assert rater.page.locator("#earlier").inner_text().startswith("An earlier item, 1 back")
    rater.press("Enter")
    rater.page.wait_for_timeout(200)
    for _ in range(12):
        rater.page.keyboard.down("e")  # without up: the browser repeats it
    rater.page.keyboard.up("e")
    rater.saved()
    assert labels(study) == ["ok", "error"]


def test_two_keys_at_once_answer_one_item(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.page.wait_for_timeout(200)
    script = "for (const key of ['e', 'o', 'u', 'e', 'e']) document.dispatchEvent(new KeyboardEvent('keydown', {key}))"
    rater.page.evaluate(script)
    rater.saved()
    assert labels(study) == ["error"]


def test_an_answer_is_on_this_machine_before_it_is_sent(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.saved()
    seen: list[tuple[str, str]] = []

    def look(route: Route) -> None:
        sent = json.loads(route.request.post_data or "")["answers"]
        kept = rater.kept("out:")
        seen.append((sent[0]["submission"], kept[0]["submission"] if kept else "nothing"))
        route.continue_()

    rater.page.route("**/api/answer", look)
    rater.press("e")
    rater.saved()
    assert len(seen) == 1
    assert seen[0][0] == seen[0][1]
    assert rater.kept("out:") == []


def test_a_second_tab_shows_the_same_item_takes_no_second_slot_and_moves_on(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("error-ok")
    one = sit_down(study)
    two = Rater.tab(one.page.context, f"{study.url}/work")
    first = one.text
    assert two.text == first
    assert study.rows("SELECT COUNT(*) FROM assignment") == [(10,)]
    one.page.bring_to_front()
    one.press("e")
    one.saved()
    two.page.wait_for_function(
        "(text) => document.querySelector('#item .text').textContent !== text", arg=first, polling=50
    )
    two.page.bring_to_front()
    two.settled()
    assert two.text == one.text
    two.press("o")
    two.saved()
    assert labels(study) == ["error", "ok"]
    assert len({item for item, _, _, _ in study.answers()}) == 2


def stale_tab(study: LiveStudy, sit_down: SitDown) -> Rater:
    """The second of two tabs, which does not know that the first has answered its item by "Error"."""
    one = sit_down(study, setup=STALE)
    two = Rater.tab(one.page.context, f"{study.url}/work")
    one.page.bring_to_front()
    one.press("e")
    one.saved()
    two.page.bring_to_front()
    return two


@pytest.mark.parametrize("mine", [True, False])
def test_answers_that_met_are_shown_side_by_side_and_the_rater_chooses(
    make_study: MakeStudy, sit_down: SitDown, mine: bool
) -> None:
    """A stale tab: it knew nothing of the other one."""
    study = make_study("error-ok")
    two = stale_tab(study, sit_down)
    two.page.route("**/api/claim", lambda route: route.abort())
    two.press("o")
    dialog = two.page.locator("dialog")
    dialog.wait_for()
    assert "two answers of yours" in dialog.inner_text()
    assert dialog.locator("dd").all_inner_texts() == ["Error", "OK"]
    assert labels(study) == ["error"]  # nothing was overwritten
    two.press("Escape")
    assert dialog.is_visible()
    two.page.unroute("**/api/claim")
    two.page.reload()  # nor does it go away by that
    dialog.wait_for()
    if mine:
        two.press("Tab")
    two.press("Enter")
    two.saved()
    stored = [(version, json.loads(answer)["judgment"]) for _, answer, version, _ in study.answers()]
    assert stored == [(1, "error"), (2, "ok")] if mine else [(1, "error")]


def test_the_same_answer_from_two_tabs_asks_nothing(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    two = stale_tab(study, sit_down)
    two.press("e")
    two.saved()
    assert two.page.locator("dialog").count() == 0
    assert labels(study) == ["error"]


def test_what_the_server_can_never_store_stays_and_can_be_downloaded(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.saved()

    def spoil(route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        body["answers"][0]["text_hash"] = "0" * 16
        route.continue_(post_data=json.dumps(body))

    rater.page.route("**/api/answer", spoil, times=1)
    rater.press("e")
    banner = rater.page.locator("[data-banner=refused]")
    banner.wait_for()
    assert "another text" in banner.inner_text()
    rater.page.reload()
    banner.wait_for()
    with rater.page.expect_download() as download:
        banner.get_by_role("button", name="Download them").click()
    (kept,) = json.loads(download.value.path().read_text())
    assert kept["entry"]["answer"] == {"judgment": "error"}
    rater.page.on("dialog", lambda dialog: dialog.accept())
    banner.get_by_role("button", name="Remove them here").click()
    banner.wait_for(state="detached")
    assert labels(study) == []


def test_one_bad_answer_does_not_hold_up_the_others(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.saved()
    rater.page.context.set_offline(True)
    rater.press(*"eoueo")
    rater.page.wait_for_selector("#state[data-pending='5']")
    spoil = """() => {
        const key = Object.keys(localStorage).filter((each) => each.includes(':out:')).sort()[2];
        const entry = JSON.parse(localStorage[key]);
        localStorage[key] = JSON.stringify({ ...entry, milliseconds: 'long' });
    }"""
    rater.page.evaluate(spoil)
    rater.page.context.set_offline(False)
    rater.page.wait_for_selector("#state[data-pending='0']", timeout=30000)
    assert len(labels(study)) + len(rater.kept("refused:")) == 5
    assert len(labels(study)) >= 4


@pytest.mark.parametrize(
    "forbidden",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })",
        "Storage.prototype.setItem = function () { throw new DOMException('full', 'QuotaExceededError'); }",
    ],
)
def test_without_storage_one_is_warned_and_works_on(make_study: MakeStudy, sit_down: SitDown, forbidden: str) -> None:
    study = make_study("error-ok")
    rater = sit_down(study, setup=forbidden)
    assert rater.page.locator("[data-banner=memory]").is_visible()
    rater.press("e")
    rater.saved()
    rater.page.context.set_offline(True)
    rater.press("o")
    rater.page.wait_for_selector("#state[data-pending='1']")
    asked = []

    def closing(dialog: Any) -> None:  # noqa: ANN401 - Playwright's
        asked.append(dialog.type)
        dialog.dismiss()

    rater.page.on("dialog", closing)
    rater.page.close(run_before_unload=True)
    for _ in range(50):
        if asked:
            break
        rater.page.wait_for_timeout(100)
    assert asked == ["beforeunload"]
    rater.page.context.set_offline(False)
    rater.page.evaluate("window.dispatchEvent(new Event('online'))")
    rater.saved()
    assert labels(study) == ["error", "ok"]


def test_storage_that_becomes_full_keeps_the_answer_in_memory(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    rater.press("e")
    rater.saved()
    rater.page.context.set_offline(True)
    fill = (
        "() => { try { for (let n = 0, text = 'x'.repeat(2 ** 19); ; n += 1) localStorage[`y${n}`] = text; } catch {}"
    )
    rater.page.evaluate(fill + " try { for (let n = 0; ; n += 1) localStorage[`z${n}`] = 'x'; } catch {} }")
    rater.press("o", "u")
    rater.page.wait_for_selector("[data-banner=memory]")
    rater.page.context.set_offline(False)
    rater.saved()
    assert labels(study) == ["error", "ok", "unknown"]


def test_a_clock_that_jumps_changes_no_duration_and_a_hidden_page_does_not_count(
    make_study: MakeStudy, sit_down: SitDown
) -> None:
    study = make_study("error-ok")
    jumping = "const was = Date.now; let by = 0; Date.now = () => was() + (by += 3.6e6);"
    rater = sit_down(study, setup=jumping)
    hide = """(hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    rater.page.evaluate(hide, True)
    rater.page.wait_for_timeout(3000)
    rater.page.evaluate(hide, False)
    rater.press("e", "o")
    rater.saved()
    (first,), (second,) = study.rows("SELECT milliseconds FROM answer ORDER BY id")
    assert 100 < first < 2900
    assert 100 < second < 2900


def test_a_fresh_browser_gets_the_last_answers_from_the_server(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok")
    rater = sit_down(study)
    texts = []
    for key in "eou":
        texts.append(rater.text)
        rater.press(key)
    rater.saved()
    other = sit_down(study)
    other.saved()
    other.page.wait_for_timeout(500)
    other.press("b")
    assert (other.text, other.pressed()) == (texts[-1], ["unknown"])
    other.press("e")
    other.saved()
    assert study.answers()[-1][1:3] == ('{"judgment": "error"}', 2)


def test_the_end_says_why_there_is_no_code_after_a_skip(make_study: MakeStudy, sit_down: SitDown) -> None:
    """R37: and Back leads to the item, whose answer brings the code."""
    study = make_study("error-ok", [marked("a", "It is [on] it."), marked("b", "It is [in] it.")])
    rater = sit_down(study)
    rater.press("o", "s", "Enter")
    message = rater.page.locator("#message[data-standing=finished]")
    message.wait_for()
    rater.page.wait_for_function("document.querySelector('#message').innerText.includes('saved')")
    assert "There is no completion code yet: an item that you skipped does not count." in message.inner_text()
    rater.press("b", "o")
    rater.page.wait_for_selector("#code")
    assert "skipped" not in message.inner_text()


def test_a_skipped_item_can_be_answered_after_all(make_study: MakeStudy, sit_down: SitDown) -> None:
    study = make_study("error-ok", [marked("a", "It is [on] it."), marked("b", "It is [in] it.")])
    rater = sit_down(study)
    first = rater.text
    rater.press("s", "Enter", "z")
    assert rater.text == first
    rater.press("e")
    rater.saved()
    assert [(answer, version) for _, answer, version, _ in study.answers()] == [
        ("null", 1),
        ('{"judgment": "error"}', 2),
    ]
