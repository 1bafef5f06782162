"""What the server must not do: believe another site, tell secrets, take what is too long or too often."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from errorbar import judge_invite
from errorbar.judging import Reach, Study, StudyRules
from errorbar.judging.random_tokens import fingerprint
from errorbar.judging.store.tables import INVITE, SESSION
from errorbar.judging.web.pages import markdown_html
from errorbar.judging.web.requests import MOST_BYTES, RateLimit, RefusalError
from errorbar.judging.web.server_state import csrf_of
from tests.judging.served import CSRF, Visitor, made_study, said_of, served

DEVICE = re.compile(r'"device": ?"(\w+)"')


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return made_study(tmp_path_factory.mktemp("security") / "study", StudyRules(raters_per_item=2), items=30, gold=6)


@pytest.fixture(scope="module")
def url(study: Study) -> Iterator[str]:
    with served(study) as url:
        yield url


@pytest.fixture(scope="module")
def rater(study: Study, url: str) -> Visitor:
    found = Visitor(url)
    found.enter(judge_invite(study.folder, names=["ann"]).links[0].url)
    return found


PATHS = ("/", "/work", "/nowhere", "/api/recent", "/manage", "/static/judge.css", "/j/none", "/api/claim")


@pytest.mark.parametrize("path", PATHS)
def test_headers_of_every_answer(rater: Visitor, path: str) -> None:
    headers = rater.http.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert ("no-store" in headers.get("cache-control", "")) is not path.startswith("/static/")
    assert "server" not in headers


@pytest.mark.parametrize("path", ["/work", "/guidelines", "/manage", "/"])
def test_pages_ask_nobody_else_for_anything(rater: Visitor, path: str) -> None:
    text = rater.http.get(path).text
    assert "http://" not in text.replace(rater.url, "")
    assert "https://" not in text
    assert "<style" not in text
    assert " style=" not in text
    assert "onclick" not in text


def test_a_post_without_the_word_of_its_cookie_does_nothing(study: Study, rater: Visitor) -> None:
    item = rater.claim(1)["items"][0]
    body = {"answers": [said_of(item)]}
    for word in ("", "0" * 32, rater.csrf[:-1]):
        reply = rater.post("/api/answer", body, **{"X-CSRF-Token": word})
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "form-expired")
    elsewhere = rater.post("/api/answer", body, **{"Sec-Fetch-Site": "cross-site"})
    assert elsewhere.status_code == 403
    assert rater.claim(1)["done"] == 0
    assert rater.http.post("/signout", data={"csrf": ""}).status_code == 403


def test_forms_before_one_has_a_session_have_a_word_too(study: Study, url: str) -> None:
    path = judge_invite(study.folder, names=["bob"]).links[0].url
    bare = Visitor(url)
    assert bare.http.post(path[path.index("/j/") :], data={"consent": "yes"}).status_code == 403
    other = CSRF.search(Visitor(url).http.get("/manage").text)
    assert other
    stolen = {"csrf": other[1], "token": study.secrets.manager}
    assert bare.http.post("/manage", data=stolen).status_code == 403


def test_a_simple_request_of_another_site_is_no_json(rater: Visitor) -> None:
    reply = rater.http.post("/api/claim", content=b'{"want": 1}', headers={"X-CSRF-Token": rater.csrf})
    assert reply.status_code == 400


def test_cookies(study: Study, url: str, tmp_path: Path) -> None:
    path = judge_invite(study.folder, names=["cy"]).links[0].url
    plain = Visitor(url).enter(path).headers.get_list("set-cookie")[0]
    assert re.match(r"errorbar_judge_[\w-]{8}=", plain)
    assert "HttpOnly" in plain
    assert "SameSite=lax" in plain
    assert "Secure" not in plain
    other = made_study(tmp_path / "tls", StudyRules())
    with served(other, Reach(port=0, public_url="https://judge.example.org")) as address:
        behind = Visitor(address).http.get("/manage")
    assert "Secure" in behind.headers["set-cookie"]
    assert "strict-transport-security" in behind.headers


def test_the_store_keeps_no_secret(study: Study, rater: Visitor) -> None:
    """Who reads the store can neither sign in nor come by a link."""
    token = rater.http.cookies[rater.cookie("errorbar_judge")]
    with study.store(read_only=True) as store, store.read() as snapshot:
        kept = " ".join(snapshot.scalars(select(SESSION.c.token_hash)))
        kept += " ".join(snapshot.scalars(select(INVITE.c.token_hash)))
    assert token not in kept
    assert not any(each.url.rpartition("/")[2] in kept for each in judge_invite(study.folder).links)
    assert stat.S_IMODE((study.folder / "secrets.json").stat().st_mode) == 0o600


def test_one_session_does_not_pass_for_another(study: Study, url: str, rater: Visitor) -> None:
    sly = Visitor(url)
    manager = Visitor(url)
    manager.manage(study)
    sly.http.cookies.set(manager.cookie("errorbar_manage"), rater.http.cookies[rater.cookie("errorbar_judge")])
    assert sly.http.get("/manage/raters").status_code == 401
    mixed = Visitor(url)
    mixed.http.cookies.set(rater.cookie("errorbar_judge"), manager.http.cookies[manager.cookie("errorbar_manage")])
    assert mixed.http.get("/work").status_code == 401


def test_a_session_does_not_follow_from_a_cookie_that_somebody_chose(study: Study, url: str) -> None:
    """Who put a form's cookie into another's browser does not get that browser's session."""
    link = judge_invite(study.folder, crowd="fixed").links[0].url
    path = link[link.index("/j/") :]
    victim, thief = Visitor(url), Visitor(url)
    victim.http.get(path)
    name = victim.cookie("errorbar_form")
    for visitor in (victim, thief):
        visitor.http.cookies.clear()
        visitor.http.cookies.set(name, "chosen-by-the-thief")
    assert victim.enter(f"{path}?participant=vic", participant="vic").status_code == 303
    session = victim.http.cookies[victim.cookie("errorbar_judge")]
    held = victim.claim()
    assert held["items"]
    chosen_word = {"csrf": csrf_of("chosen-by-the-thief"), "participant": "vic"}
    assert thief.http.post(path, data=chosen_word).status_code == 403
    assert thief.enter(f"{path}?participant=vic", participant="vic").status_code == 409
    nameless = [Visitor(url) for _ in range(2)]
    for visitor in nameless:
        visitor.http.cookies.set(name, "chosen-by-the-thief")
        assert visitor.enter(path).status_code == 303
    sessions = {visitor.http.cookies[visitor.cookie("errorbar_judge")] for visitor in nameless}
    assert len({session, *sessions}) == 3
    assert victim.claim() == held


def test_two_studies_on_one_host_do_not_sign_each_other_out(study: Study, url: str, tmp_path: Path) -> None:
    """Browsers send the cookies of a host to all of its ports."""
    other = made_study(tmp_path / "other", StudyRules(), items=3)
    one = Visitor(url)
    one.enter(judge_invite(study.folder, names=["two-studies"]).links[0].url)
    one.manage(study)
    with served(other) as second_url:
        two = Visitor(second_url)
        two.http.cookies = one.http.cookies
        two.enter(judge_invite(other.folder, names=["ann"]).links[0].url)
        two.manage(other)
        assert two.claim(1)["items"]
        assert two.http.get("/manage/raters").status_code == 200
    one.http.cookies = two.http.cookies
    assert one.claim(1)["items"]
    assert one.http.get("/manage/raters").status_code == 200


def test_an_item_of_somebody_else_cannot_be_answered(study: Study, url: str, rater: Visitor) -> None:
    """R8: tokens of items are random, and only their rater's session may use them."""
    dan = Visitor(url)
    dan.enter(judge_invite(study.folder, names=["dan"]).links[0].url)
    theirs = rater.claim()["items"][0]
    receipt = dan.answer([theirs])["receipts"][0]
    assert (receipt["status"], receipt["version"]) == ("refused", 0)
    assert next(each["assignment"] for each in rater.claim()["items"]) == theirs["assignment"]


def test_gold_cannot_be_told(study: Study, url: str) -> None:
    """R35: the same keys, the same pattern of markup; no name, no kind."""
    eli = Visitor(url)
    eli.enter(judge_invite(study.folder, names=["eli"]).links[0].url)
    items = eli.claim()["items"]
    assert any("Gold" in each["html"] for each in items)
    assert any("Sentence" in each["html"] for each in items)
    assert {frozenset(each) for each in items} == {
        frozenset({"assignment", "text_hash", "round", "html", "proposed", "version", "answer"})
    }
    assert {each["round"] for each in items} == {"main"}
    assert len({len(each["assignment"]) for each in items}) == 1
    assert not {"kind", "gold-", "item-"} & {word for word in ("kind", "gold-", "item-") if word in json.dumps(items)}


def test_only_the_names_that_it_is_known_by(study: Study, url: str) -> None:
    """A page of elsewhere whose name was made to point here (DNS rebinding)."""
    visitor = Visitor(url)
    assert visitor.http.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert visitor.http.get("/", headers={"Host": "localhost:1"}).status_code == 200


def test_long_bodies_are_refused_before_they_are_read(rater: Visitor) -> None:
    long = b'{"answers": [], "pad": "' + b"x" * MOST_BYTES + b'"}'
    headers = {"X-CSRF-Token": rater.csrf, "Content-Type": "application/json"}
    assert rater.http.post("/api/answer", content=long, headers=headers).status_code == 413
    pieces = (long[at : at + 65536] for at in range(0, len(long), 65536))
    assert rater.http.post("/api/answer", content=pieces, headers=headers).status_code == 413
    many = {"answers": [said_of({"assignment": "x", "text_hash": "y", "version": 0})] * 101}
    assert rater.post("/api/answer", many).json()["error"]["code"] == "too-many-answers"


def test_guesses_of_the_managers_token_are_slowed_down(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules())
    with served(study) as url:
        guesser = Visitor(url)
        found = [guesser.form("/manage", token=f"guess {n}").status_code for n in range(12)]
        assert found == [403] * 10 + [429] * 2
        assert guesser.manage(study).status_code == 429


def test_answers_of_who_is_signed_in_are_never_too_many(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, page=1), items=350)
    with served(study) as url:
        fast = Visitor(url)
        fast.enter(judge_invite(study.folder, names=["fast"]).links[0].url)
        codes = {fast.post("/api/claim", {"want": 1}).status_code for _ in range(320)}
        assert codes == {200}


def test_a_bucket_fills_up_again() -> None:
    now = 0.0
    limit = RateLimit(2, 0.5, lambda: now)
    limit.take("a")
    limit.take("a")
    with pytest.raises(RefusalError):
        limit.take("a")
    limit.take("b")
    now = 2.0
    limit.look("a")
    limit.take("a")
    with pytest.raises(RefusalError):
        limit.take("a")


def test_guidelines_are_text_and_little_else() -> None:
    text = "# What\n\nJudge *each* <b>word</b>.\nIn **one** go.\n\n- `a` & b\n- [x](javascript:y)\n\n1. one"
    assert markdown_html(text) == (
        "<h2>What</h2>\n<p>Judge <em>each</em> &lt;b&gt;word&lt;/b&gt;. In <strong>one</strong> go.</p>\n"
        "<ul>\n<li><code>a</code> &amp; b</li>\n<li>[x](javascript:y)</li>\n</ul>\n<ol>\n<li>one</li>\n</ol>"
    )


def _answered_with(rater: Visitor, **said: object) -> tuple[int, dict[str, Any]]:
    """What comes of an answer as no page sends it; halves of characters stay halves."""
    item = rater.claim(1)["items"][0]
    body = json.dumps({"answers": [{**said_of(item), **said}], "want": 1}).encode()
    headers = {"X-CSRF-Token": rater.csrf, "Content-Type": "application/json"}
    reply = rater.http.post("/api/answer", content=body, headers=headers)
    return reply.status_code, reply.json()


ODD: dict[str, dict[str, object]] = {
    "half a character as a name": {"submission": "\ud800", "text_hash": ""},
    "half a character as a question": {"answer": {"\ud800": 1}},
    "zeros": {"submission": "\0", "assignment": "\0", "comment": "\0", "skip": "\0", "answer": None},
    "another type": {"submission": 5, "assignment": [], "text_hash": {}, "trail": [1], "skip": 2.5},
    "a long number": {"milliseconds": 10**400, "base_version": -(10**400), "answer": {}},
}


@pytest.mark.parametrize("said", ODD.values(), ids=ODD)
def test_odd_answers_get_a_receipt(rater: Visitor, said: dict[str, object]) -> None:
    status, reply = _answered_with(rater, **said)
    assert status == 200
    assert [receipt["status"] for receipt in reply["receipts"]] == ["refused"]


@pytest.mark.parametrize("digits", [20, 5000])
@pytest.mark.parametrize("path", ["/manage/raters/{}/exclude", "/manage/invitations/{}/revoke"])
def test_a_long_number_in_an_address_is_no_error_of_the_server(rater: Visitor, path: str, digits: int) -> None:
    assert rater.http.get(path.format("9" * digits)).status_code == 401


def test_a_device_that_is_no_text_is_not_known(rater: Visitor) -> None:
    reply = rater.http.post(
        "/api/return", content=b'{"device": "\\ud800"}', headers={"content-type": "application/json"}
    )
    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "signed-out")


def test_capital_letters_of_a_media_type_make_no_difference(rater: Visitor) -> None:
    headers = {"Content-Type": "Application/JSON; charset=UTF-8", "X-CSRF-Token": rater.csrf}
    assert rater.http.post("/api/claim", content=b'{"want": 0}', headers=headers).status_code == 200


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_what_is_no_number_of_json_never_reaches_the_store(rater: Visitor, number: str) -> None:
    body = f'{{"answers": [{{"submission": "n", "answer": {{"judgment": {number}}}}}], "want": 0}}'
    headers = {"X-CSRF-Token": rater.csrf, "Content-Type": "application/json"}
    assert rater.http.post("/api/answer", content=body, headers=headers).status_code == 400


def test_a_refusal_is_short_however_much_was_wrong(rater: Visitor) -> None:
    status, reply = _answered_with(rater, answer={f"k{n}": n for n in range(5000)})
    (receipt,) = reply["receipts"]
    assert status == 200
    assert len(receipt["why"]) < 1000


def device_word(visitor: Visitor) -> str:
    """The word that the page of the work keeps on the device."""
    found = DEVICE.search(visitor.http.get("/work").text)
    return found[1] if found else ""


def come_back(url: str, word: str) -> int:
    """Whether a word signs a browser without cookies in: the status."""
    return Visitor(url).http.post("/api/return", json={"device": word}).status_code


def test_signing_out_ends_every_word_and_session_of_the_browser(study: Study, url: str) -> None:
    link = judge_invite(study.folder, names=["dora"]).links[0].url
    dora, elsewhere = Visitor(url), Visitor(url)
    dora.enter(link)
    elsewhere.enter(link)
    words = [device_word(dora)]
    for _ in range(2):
        assert dora.http.post("/api/return", json={"device": words[0]}).status_code == 200
        words.append(device_word(dora))
    dora.enter(link)
    words.append(device_word(dora))
    assert len(set(words)) == 3 + (words[-1] != words[-2])
    assert "You have signed out" in dora.form("/signout").text
    assert [come_back(url, word) for word in words] == [401] * 4
    assert dora.http.get("/work").status_code == 401
    with study.store() as store, store.read() as tx:  # a process believes for five seconds what it read of a session
        rater = select(SESSION.c.rater).where(SESSION.c.token_hash == fingerprint(device_word(elsewhere)))
        left = tx.execute(select(SESSION.c.token_hash).where(SESSION.c.rater == rater.scalar_subquery())).all()
    assert len(left) == 2  # the cookie and the word of the other browser
    assert elsewhere.http.get("/work").status_code == 200  # another browser of the same rater goes on
    assert come_back(url, device_word(elsewhere)) == 200


def test_the_page_on_which_one_signs_out_says_how_one_comes_back(study: Study, url: str) -> None:
    della, crowd = Visitor(url), Visitor(url)
    della.enter(judge_invite(study.folder, names=["della"]).links[0].url)
    assert 'href="/signout"' in della.http.get("/work").text
    assert "open the link that you were given once more" in della.http.get("/signout").text
    crowd.enter(judge_invite(study.folder, crowd="all").links[0].url)
    assert "ask for a link of your own before you sign out" in crowd.http.get("/signout").text
