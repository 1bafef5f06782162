"""The server as a browser meets it: links, consent, items, answers, the end, the manager's pages."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest
from sqlalchemy import func, select

from errorbar import judge_init, judge_invite, judge_raters
from errorbar.judging import RATER, Study, StudyRules
from errorbar.judging.store.tables import ASSIGNMENT, ITEM, SESSION
from errorbar.judging.study.status import StudyStatus
from errorbar.judging.web.live_status import Figures, LiveStatus
from tests.judging.served import CSRF, Visitor, made_study, said_of, served

RULES = StudyRules(
    raters_per_item=2, pay="$0.02", consent="You agree.", eligibility=("Is English your first language?",)
)
YES = {"consent": "yes", "eligible-0": "yes"}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return made_study(tmp_path_factory.mktemp("app") / "study", RULES, items=40, gold=4)


@pytest.fixture(scope="module")
def url(study: Study) -> Iterator[str]:
    with served(study) as url:
        yield url


def link(study: Study, name: str) -> str:
    return judge_invite(study.folder, names=[name]).links[0].url


def taken(study: Study) -> int:
    with study.store(read_only=True) as store, store.read() as snapshot:
        return snapshot.scalar(select(func.count()).select_from(ASSIGNMENT)) or 0


def places(study: Study) -> int:
    """Places of items that raters have taken."""
    with study.store(read_only=True) as store, store.read() as snapshot:
        return snapshot.scalar(select(func.sum(ITEM.c.taken))) or 0


def test_from_the_link_to_the_answers(study: Study, url: str) -> None:
    ann = Visitor(url)
    welcome = ann.http.get(link(study, "ann")[len("http://127.0.0.1:8765") :])
    assert "$0.02" in welcome.text
    assert "You agree." in welcome.text
    assert "first language" in welcome.text
    entered = ann.enter(judge_invite(study.folder).links[0].url, **YES)
    assert (entered.status_code, entered.headers["location"]) == (303, "/work")
    work = ann.claim(3)
    assert (work["standing"], len(work["items"]), work["done"]) == ("work", 3, 0)
    found = ann.answer(work["items"])
    assert [each["status"] for each in found["receipts"]] == ["saved"] * 3
    assert found["work"]["done"] == 3
    assert len(found["work"]["items"]) == 10
    recent = ann.http.get("/api/recent").json()["items"]
    assert [each["assignment"] for each in recent] == [each["assignment"] for each in reversed(work["items"])]
    assert recent[0]["answer"] == {"judgment": "ok"}
    assert recent[0]["version"] == 1


def test_who_comes_is_told_what_is_asked(study: Study, url: str) -> None:
    known = Visitor(url)
    path = f"/j/{link(study, 'ivy').rpartition('/')[2]}"
    assert "are asked: Is the marked place an error?" in known.http.get(path).text
    known.enter(path, **YES)
    assert "Welcome back." in Visitor(url).http.get(path).text


def test_consent_and_eligibility_come_first_and_are_stored(study: Study, url: str) -> None:
    bea = Visitor(url)
    path = link(study, "bea")
    assert bea.enter(path).status_code == 422
    assert "must agree" in bea.enter(path, **{"eligible-0": "yes"}).text
    assert 'data-notice="not-eligible"' in bea.enter(path, consent="yes", **{"eligible-0": "no"}).text
    assert bea.csrf == ""
    assert bea.enter(path, **YES).status_code == 303
    with study.store(read_only=True) as store, store.read() as snapshot:
        agreed = json.loads(snapshot.scalar(select(RATER.c.agreed).where(RATER.c.name == "bea")) or "")
    assert agreed["eligible"] == {"Is English your first language?": "yes"}
    assert re.fullmatch("[0-9a-f]{64}", agreed["consent"])
    assert agreed["at"] > 0


def test_to_look_takes_no_work_and_makes_nobody_a_rater(study: Study, url: str) -> None:
    """Link previews, reloads, HEAD (R7)."""
    path = link(study, "cleo")[len("http://127.0.0.1:8765") :]
    before, people = taken(study), len(judge_raters(study.folder).raters)
    for method in ("GET", "HEAD"):
        for each in (path, "/", "/work", "/api/claim", "/api/answer", "/guidelines", "/done"):
            Visitor(url).http.request(method, each)
    assert (taken(study), len(judge_raters(study.folder).raters)) == (before, people)


def test_a_link_of_ones_own_opens_anywhere_and_asks_once(study: Study, url: str) -> None:
    path = link(study, "dora")
    one, other = Visitor(url), Visitor(url)
    one.enter(path, **YES)
    held = [each["assignment"] for each in one.claim()["items"]]
    assert other.enter(path).status_code == 303
    assert [each["assignment"] for each in other.claim()["items"]] == held


def test_a_post_that_is_sent_again_gets_the_same_reply(study: Study, url: str) -> None:
    eve = Visitor(url)
    eve.enter(link(study, "eve"), **YES)
    body = {"answers": [said_of(eve.claim(1)["items"][0])], "want": 0}
    replies = [eve.post("/api/answer", body).json() for _ in range(5)]
    assert all(each["receipts"] == replies[0]["receipts"] for each in replies)
    assert replies[-1]["work"]["done"] == 1


def test_a_session_that_is_over_says_so_and_the_link_brings_all_back(study: Study, url: str) -> None:
    """R14: what the browser kept is sent after the link was opened again."""
    fay = Visitor(url)
    fay.enter(link(study, "fay"), **YES)
    kept = said_of(fay.claim(1)["items"][0])
    with study.store() as store, store.exclusive() as tx:
        tx.execute(SESSION.delete())
    fay.http.cookies.delete(fay.cookie("errorbar_judge"))
    refused = fay.post("/api/answer", {"answers": [kept]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "signed-out")
    fay.enter(judge_invite(study.folder).links[-1].url)
    assert fay.post("/api/answer", {"answers": [kept]}).json()["receipts"][0]["status"] == "saved"


def test_pages_for_people_and_one_shape_for_programs(url: str) -> None:
    nobody = Visitor(url)
    for path in ("/work", "/guidelines", "/done"):
        reply = nobody.http.get(path)
        assert reply.status_code == 401
        assert 'data-notice="signed-out"' in reply.text
    lost, wrong = nobody.http.get("/nowhere"), nobody.http.get("/api/nowhere")
    assert lost.status_code == 404
    assert lost.headers["content-type"].startswith("text/html")
    assert wrong.json()["error"].keys() == {"code", "message", "fix"}
    assert nobody.http.get("/j/none").status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/claim", {"want": 11}),
        ("/api/claim", {"want": True}),
        ("/api/claim", []),
        ("/api/answer", {}),
        ("/api/answer", {"answers": {}}),
        ("/api/answer", {"answers": [1]}),
        ("/api/answer", {"answers": [{"submission": "x", "assignment": "y", "answer": "OK"}]}),
    ],
)
def test_bodies_that_make_no_sense_are_refused(study: Study, url: str, path: str, body: object) -> None:
    gus = Visitor(url)
    name = f"gus {len(judge_invite(study.folder).links)}"
    gus.enter(link(study, name), **YES)
    reply = gus.post(path, body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "bad-request")


def test_the_manager_sees_and_changes(study: Study, url: str) -> None:
    hal, manager = Visitor(url), Visitor(url)
    hal.enter(link(study, "hal"), **YES)
    hal.answer(hal.claim(2)["items"])
    held = hal.claim()["items"]
    assert manager.manage(study).status_code == 303
    assert manager.http.get("/manage").status_code == 200
    address = re.search(r'href="(/manage/raters/\d+/exclude)"', row_of("hal", manager.http.get("/manage/raters").text))
    assert address
    asks = manager.http.get(address[1]).text
    assert "Exclude hal?" in asks
    taken_back = r"(?: and \d+ unanswered items? taken back)?"
    foreseen = re.search(rf"(\d+) judgments? set aside{taken_back}, (\d+) items back to work\.", asks)
    assert foreseen
    before = places(study)
    assert manager.form(address[1]).status_code == 422  # no reason
    done = manager.form(address[1], reason="a test")
    assert done.status_code == 303
    assert before - places(study) == int(foreseen[2])
    told = manager.http.get(done.headers["location"]).text
    assert f"<strong>hal</strong> is excluded: {foreseen[1]} judgment" in told
    assert f'action="{address[1].replace("exclude", "readmit")}"' in told  # Undo
    found = next(each for each in judge_raters(study.folder).raters if each.name == "hal")
    assert (found.status, found.reason, found.by, found.held) == ("excluded", "a test", "manager", 0)
    late = hal.answer(held[:1])
    assert late["receipts"][0]["status"] in ("saved", "extra")
    assert late["work"]["standing"] == "excluded"
    assert "count again." in manager.http.get(address[1].replace("exclude", "readmit")).text
    assert manager.form(address[1].replace("exclude", "readmit"), "/manage/raters").status_code == 303
    assert hal.claim()["standing"] == "work"
    assert manager.http.get("/manage/raters/999/exclude").status_code == 404
    assert manager.http.get(f"/manage/raters/{2**64}/exclude").status_code == 404
    assert manager.http.get("/manage/raters/1/delete").status_code == 404


def row_of(name: str, page: str) -> str:
    """Of a table, the row of that name."""
    return next(row for row in page.split("<tr") if f">{name}</th>" in row)


def test_every_page_of_the_manager(study: Study, url: str) -> None:
    manager = Visitor(url)
    assert manager.http.get("/manage/raters").status_code == 401
    manager.manage(study)
    for path in ("/manage", "/manage/raters", "/manage/items", "/manage/invitations", "/manage/codes"):
        page = manager.http.get(path)
        assert page.status_code == 200
        assert CSRF.search(page.text)
    assert "Sentence [3] is here ." in manager.http.get("/manage/items").text
    assert "Quiz" not in manager.http.get("/manage/raters").text  # the study has none
    assert manager.http.get("/manage/figures.json").json()["schema"] == "errorbar.judge.status/1"
    table = manager.http.get("/manage/export.csv")
    assert next(csv.reader(io.StringIO(table.text)))[:3] == ["item", "rater", "label"]
    assert manager.http.get("/manage/export.jsonl").status_code == 200
    for kind in ("pairs", "m2"):  # of other schemes
        refused = manager.http.get(f"/manage/export.{kind}")
        assert (refused.status_code, 'data-notice="judge-export-kind"' in refused.text) == (404, True)
        assert f"export.{kind}" not in manager.http.get("/manage").text
    assert manager.form("/manage/invitations", name="ira", kind="personal").status_code == 303
    assert "ira" in [each.invite.label for each in judge_invite(study.folder).links]
    assert manager.form("/manage/invitations", name="ira", kind="crowd").status_code == 422
    ira = next(each.invite.id for each in judge_invite(study.folder).links if each.invite.label == "ira")
    assert manager.form(f"/manage/invitations/{ira}/revoke").status_code == 303
    assert next(each.state for each in judge_invite(study.folder).links if each.invite.label == "ira") == "revoked"
    assert manager.form("/manage/items/stop", "/manage/items", name="item-39", reason="cut off").status_code == 303
    assert row_of("item-39", manager.http.get("/manage/items").text).count("Stop this item") == 0
    assert row_of("item-38", manager.http.get("/manage/items").text).count("Stop this item") == 1
    assert manager.form("/manage/items/stop", "/manage/items", name="item-400", reason="cut off").status_code == 422
    assert manager.form("/manage/signout", "/manage").status_code == 303
    gone = manager.http.get("/manage/raters")
    assert (gone.status_code, 'id="token"' in gone.text, "link" in gone.text.partition("<main")[2]) == (
        401,
        True,
        False,
    )


def test_a_completion_code_comes_with_the_last_answer_and_counts_once(tmp_path: Path) -> None:
    """R37: not before, the same when the last post is sent again, not by a guess."""
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1), items=3)
    path = judge_invite(study.folder, crowd="crowd").links[0].url
    with served(study) as url:
        jo, manager = Visitor(url), Visitor(url)
        jo.enter(path)
        first, *rest = jo.claim()["items"]
        assert jo.answer([first])["work"]["code"] == ""
        assert 'data-notice="not-done"' in jo.http.get("/done").text
        body = {"answers": [said_of(each) for each in rest]}
        code = jo.post("/api/answer", body).json()["work"]["code"]
        assert re.fullmatch("(-?[2-9A-HJ-NP-Z]{4}){3}", code)
        assert jo.post("/api/answer", body).json()["work"]["code"] == code
        assert code in jo.http.get("/done").text
        manager.manage(study)
        assert "is redeemed now" in manager.form("/manage/codes", code=code.lower()).text
        assert "redeemed before" in manager.form("/manage/codes", code=code).text
        assert "Nobody was given" in manager.form("/manage/codes", code="2222-2222-2222").text


def test_a_rater_who_skipped_learns_why_there_is_no_code(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1), items=3)
    with served(study) as url:
        jo = Visitor(url)
        jo.enter(judge_invite(study.folder, crowd="crowd").links[0].url)
        first, *others = jo.claim()["items"]
        jo.answer([first])
        assert "skipped" not in jo.http.get("/done").text
        skips = [{**said_of(item), "answer": None, "skip": "unclear"} for item in others]
        work = jo.post("/api/answer", {"answers": skips}).json()["work"]
        assert (work["standing"], work["done"], work["code"]) == ("finished", 1, "")
        page = jo.http.get("/done").text
        assert "You skipped 2 items. A skipped item does not count as judged; to judge it, press Back." in page
        back = [{**said_of(item), "base_version": 1} for item in others]
        assert jo.post("/api/answer", {"answers": back}).json()["work"]["code"] in jo.http.get("/done").text


def test_nothing_can_be_downloaded_before_the_first_answer(tmp_path: Path) -> None:
    study, text = tmp_path / "study", tmp_path / "text.csv"
    text.write_text("item,text\na,A [cat] sat .\n", encoding="utf-8")
    judge_init(study, text, scheme="cloze")
    with served(Study.open(study)) as url:
        manager = Visitor(url)
        manager.manage(Study.open(study))
        assert "/manage/export.m2" in manager.http.get("/manage").text
        assert "with the gold" not in manager.http.get("/manage").text  # there is none
        for kind, status in (("csv", 409), ("m2", 409), ("pairs", 404), ("jsonl", 200), ("doc", 404)):
            assert manager.http.get(f"/manage/export.{kind}").status_code == status


def test_pages_of_the_manager_that_take_long_keep_no_rater_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = made_study(tmp_path / "study", StudyRules(), items=3)
    over = Event()
    monkeypatch.setattr(LiveStatus, "status", lambda _: over.wait(60) and None)
    with served(study) as url, ThreadPoolExecutor(40) as impatient:
        boss, ann = Visitor(url), Visitor(url)
        boss.form("/manage", token=study.secrets.manager)
        cookies = dict(boss.http.cookies)
        for _ in range(40):  # more than there are threads, on any machine
            impatient.submit(httpx.get, f"{url}/manage/figures.json", cookies=cookies, timeout=60, trust_env=False)
        ann.enter(link(study, "ann"))
        assert ann.claim()["standing"] == "work"
        over.set()


def test_figures_that_take_long_are_shown_as_of_when_they_were_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At first the page says that it waits; later it shows the last ones."""
    study = made_study(tmp_path / "study", StudyRules(), items=3)
    may_end, compute = Event(), Figures.status

    def compute_slowly(figures: Figures) -> StudyStatus:
        assert may_end.wait(60)
        return compute(figures)

    monkeypatch.setattr(Figures, "status", compute_slowly)
    monkeypatch.setattr("errorbar.judging.web.manager.PATIENCE", 0.05)
    monkeypatch.setattr("errorbar.judging.web.live_status.KEPT_SECONDS", 0.0)
    monkeypatch.setattr("errorbar.judging.web.live_status.TIMES", 0.0)
    with served(study) as url:
        boss = Visitor(url)
        boss.form("/manage", token=study.secrets.manager)
        for path in ("/manage", "/manage/raters", "/manage/items"):
            page = boss.http.get(path)
            assert (page.headers["refresh"], "are being computed" in page.text) == ("3", True)
        may_end.set()
        assert boss.http.get("/manage/figures.json").status_code == 200
        may_end.clear()
        page = boss.http.get("/manage")
        assert "refresh" not in page.headers
        assert "Figures as of 20" in page.text
        assert "Figures as of 20" in boss.http.get("/manage/raters").text
        may_end.set()
