"""The desk says what is so: who can still judge, whom to look at, whose links open, what raters meet in a pause."""

from __future__ import annotations

import re
import time
from html import unescape
from pathlib import Path
from typing import Unpack

import pytest
from sqlalchemy import update

import errorbar
from errorbar import judge_change, judge_invite, judge_raters, judge_status
from errorbar.core import UsageError
from errorbar.judging import RATER, Study, StudyRules, exclude
from errorbar.judging.quality import POLICY, count_gold_of_rater, fewest_to_fail
from errorbar.judging.study.make import Ruling
from tests.judging.served import Visitor, made_study, said_of, served


def words(page: str) -> str:
    """The text of a page."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.partition("<main")[2]))).strip()


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "clock"
    file.write_text("0")
    monkeypatch.setenv("ERRORBAR_JUDGE_CLOCK", str(file))
    return file


def manager(url: str, study: Study) -> Visitor:
    boss = Visitor(url)
    boss.manage(study)
    return boss


def read(boss: Visitor, path: str, text: str) -> str:
    """The text of a page once it says something: on a busy machine it may show figures of a moment ago."""
    until = time.monotonic() + 30
    while text not in (page := words(boss.http.get(path).text)) and time.monotonic() < until:
        time.sleep(0.2)
    assert text in page
    return page


def test_judgments_that_nobody_can_give_are_asked_for(tmp_path: Path) -> None:
    """Two raters of four items each, for six items of two judgments: four are lacking, whoever waits."""
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=2, items_per_rater=4, policy="none"), items=6)
    links = judge_invite(study.folder, raters=2).links
    with served(study) as url:
        boss = manager(url, study)
        first = read(boss, "/manage", "Invite more raters 12 judgments are still needed;")
        assert "can give 8 of them at most. Invite 1 rater or more. Besides: Send the links" in first
        for link in links:
            rater = Visitor(url)
            rater.enter(link.url)
            assert rater.through()["work"]["code"]
        boss.form("/manage/invitations", name="spare", kind="personal")
        boss.form("/manage/invitations/3/revoke")
        page = read(boss, "/manage", "Invite more raters 4 judgments are still needed;")
        assert "can give 0 of them at most. Invite 1 rater or more." in page
        assert "Expected end: never with these raters, who can give 0 of the 4 judgments that are left at most." in page
        status = judge_status(study.folder, ci=False)
        assert (status.forecast.finish, status.forecast.why, status.forecast.coming) == (None, "too few raters", 0)
        boss.form("/manage/invitations", name="more", kind="personal")
        assert judge_status(study.folder, ci=False).forecast.coming == 4
        assert "Expected end: not known, too early" in read(boss, "/manage", "Wait Raters are at work")


def test_gold_items_take_places_of_a_quota(tmp_path: Path) -> None:
    """Of ten items of a rater one is gold in every full page of five: eight are work."""
    rules = StudyRules(raters_per_item=1, items_per_rater=10, page=5, policy="none")
    study = made_study(tmp_path / "study", rules, items=9, gold=4)
    judge_invite(study.folder, raters=1)
    status = judge_status(study.folder, ci=False)
    assert (status.forecast.coming, status.progress.of_one_more) == (
        9,
        8,
    )  # of who has not come it is not known which pages they fill
    with served(study) as url:
        rater = Visitor(url)
        rater.enter(judge_invite(study.folder).links[0].url)
        rater.through()
    status = judge_status(study.folder, ci=False)
    assert (status.progress.counted, status.forecast.coming) == (8, 0)


def test_nobody_is_said_to_be_at_work_who_is_not(tmp_path: Path, clock: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, policy="none"), items=60)
    link = judge_invite(study.folder, raters=1).links[0].url
    with served(study) as url:
        boss, rater = manager(url, study), Visitor(url)
        rater.enter(link)
        for _ in range(3):
            rater.answer(rater.claim()["items"])
        read(boss, "/manage", "Wait Raters are at work")
        clock.write_text("1500")
        boss.form("/manage/invitations", name="x", kind="personal")  # figures are computed afresh
        page = read(boss, "/manage", "Remind your raters Nobody has judged since ")
        assert "Expected end: not known, nobody is at work, the last judgment came " in page


def test_a_link_of_one_rater_is_never_offered_to_all(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=2, policy="none"), items=6)
    judge_invite(study.folder, raters=3)
    with served(study) as url:
        page = manager(url, study).http.get("/manage").text
        assert "Send the links Nobody has come yet. Each rater has a link of their own: send it to them." in words(page)
        assert "/j/" not in page
        assert 'href="/manage/invitations">Show the links' in page


def test_a_policy_that_cannot_act_is_told_when_a_study_is_made(tmp_path: Path) -> None:
    work, gold = tmp_path / "work.csv", tmp_path / "gold.csv"
    work.write_text("item,text\n" + "".join(f"i{n},A [cat] sat {n} .\n" for n in range(107)), encoding="utf-8")
    answers = "".join(f"g{n},A [dog] sat {n} .,{('ok', 'error')[n % 2]}\n" for n in range(40))
    gold.write_text(f"item,text,answer\n{answers}", encoding="utf-8")

    def notes(name: str, **rules: Unpack[Ruling]) -> list[str]:
        made = errorbar.judge_init(tmp_path / name, work, gold_items=gold, **rules)
        return [note.what for note in made.notes if note.code == "judge-little-gold"]

    (told,) = notes("short", items_per_rater=60)
    assert told == (
        "a rater meets at most 6 gold items (3 where 'ok' is right, 3 where 'error' is right), and the policy"
        " sequential needs 4 of a class, so it excludes nobody"
    )
    assert "(3 where 'error' is right)" in notes("odd", items_per_rater=70)[0]
    assert notes("fixed", items_per_rater=60, policy="fixed") == [
        "a rater meets at most 6 gold items, and the policy fixed needs 10, so it excludes nobody"
    ]
    assert notes("long", items_per_rater=80) == notes("none", items_per_rater=60, policy="none") == []
    assert fewest_to_fail(StudyRules(policy="posterior")) == fewest_to_fail(StudyRules()) == 4
    assert fewest_to_fail(StudyRules(policy="fixed", policy_gold=1000)) == 1000
    assert fewest_to_fail(StudyRules(policy="posterior", policy_share=0.001)) == 2994
    assert count_gold_of_rater(StudyRules(quiz=4), {"a": 3, "b": 9}, 90) == {"a": 1, "b": 7}


def test_bad_gold_and_haste_are_looked_at_whatever_the_policy(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=9, items_per_rater=20), items=60, gold=8)
    visitors: dict[str, Visitor] = {}
    with served(study) as url:
        for name in ("ann", "bob", "cleo"):
            rater = Visitor(url)
            rater.enter(judge_invite(study.folder, names=[name]).links[0].url)
            answers = [said_of(item) for item in rater.claim()["items"]]
            visitors[name] = rater
            for answer in answers if name == "bob" else ():
                answer["milliseconds"] = 100
            rater.post("/api/answer", {"answers": answers})
        with study.store() as store, store.exclusive() as tx:
            wrong = '[[1,"error",false],[2,"error",false],[3,"error",false],[4,"ok",true]]'
            tx.execute(update(RATER).where(RATER.c.name == "ann").values(gold=wrong))
        boss = manager(url, study)
        page = read(boss, "/manage/raters?show=doubtful", "look at 0 of 3 gold items right where 'error' is right")
        assert "look at 10 of 10 answers too fast to have read the text" in page
        assert "2 of 3 raters" in page
        bob = next(rater for rater in judge_status(study.folder, ci=False).raters if rater.rater == "bob")
        assert (bob.n_hasty, bob.n_pauses) == (10, 1)
        boss.form("/manage/raters/2/exclude", reason="to ask him")
        boss.form("/manage/raters/2/readmit")
        read(boss, "/manage/raters?show=doubtful", "1 of 3 raters")  # who readmits has looked
        rest = [said_of(item) | {"milliseconds": 100} for item in visitors["bob"].claim()["items"]]
        visitors["bob"].post("/api/answer", {"answers": rest})
        read(boss, "/manage/raters?show=doubtful", "look at 10 of 10 answers too fast to have read the text")
        with study.store() as store:
            store.write(lambda tx: exclude(tx, 2, "gold (policy: sequential)", POLICY, time.time()))
        boss.form("/manage/raters/2/readmit")
        read(boss, "/manage/raters?show=doubtful", "look at 10 of 10 answers too fast")  # that was not looked at


def test_who_comes_in_a_pause_or_too_late_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    rules = StudyRules(raters_per_item=1, items_per_rater=8, policy="none", consent="I take part.")
    study = made_study(tmp_path / "study", rules, items=6)
    link = judge_invite(study.folder, crowd="all").links[0].url
    path = link[link.index("/j/") :]
    with served(study) as url:
        ann, bob = Visitor(url), Visitor(url)
        ann.enter(link, consent="yes")
        ann.answer(ann.claim(3)["items"])
        form = bob.http.get(path).text
        judge_change(study.folder, halt=True, reason="lunch")
        page = Visitor(url).http.get(path).text
        assert 'data-notice="paused"' in page
        assert "<form" not in page
        assert "Please come back later by the same link." in page
        csrf = re.search(r'name="csrf" value="([^"]+)"', form)
        assert csrf
        assert 'data-notice="paused"' in bob.http.post(path, data={"csrf": csrf[1], "consent": "yes"}).text
        assert [rater.name for rater in judge_raters(study.folder).raters] == ["rater-1"]
        while (work := ann.claim())["items"]:
            ann.answer(work["items"])
        assert (work["standing"], work["done"]) == ("finished", 6)
        judge_change(study.folder, resume=True)
        assert 'data-notice="over"' in Visitor(url).http.get(path).text  # every item has its judgment
        judge_change(study.folder, close=True, reason="enough")
        judge_invite(study.folder, crowd="late")
        boss = manager(url, study)
        assert "whoever comes by a new link reads that it is over" in words(boss.http.get("/manage/invitations").text)


def test_a_rater_in_a_pause_is_told_so_and_goes_on_after_it(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, page=2, policy="none"), items=6)
    with served(study) as url:
        ann = Visitor(url)
        ann.enter(judge_invite(study.folder, names=["ann"]).links[0].url)
        items = ann.claim()["items"]
        judge_change(study.folder, halt=True, reason="lunch")
        work = ann.answer(items)["work"]
        assert (work["standing"], bool(work["code"])) == ("paused", True)
        judge_change(study.folder, resume=True)
        more = ann.claim()
        assert (more["standing"], more["code"]) == ("work", work["code"])


def test_the_manager_finds_raters_by_the_id_of_their_service(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, items_per_rater=3, policy="none"), items=6)
    link = judge_invite(study.folder, crowd="prolific").links[0].url
    with served(study) as url:
        pat, nobody = Visitor(url), Visitor(url)
        nobody.enter(link)
        pat.enter(f"{link}?PROLIFIC_PID=5f3a9c", participant="5f3a9c")
        code = pat.through()["work"]["code"]
        raters = judge_raters(study.folder)
        assert [(rater.name, rater.participant) for rater in raters.raters] == [("rater-1", ""), ("rater-2", "5f3a9c")]
        assert [column.key or column.title for column in raters.tables()[0].columns][:2] == ["rater", "participant"]
        boss = manager(url, study)
        assert "rater-2 5f3a9c" in words(boss.http.get("/manage/raters?name=5F3A").text)
        assert f"rater-2 5f3a9c {code} given" in words(boss.http.get("/manage/codes").text)
        assert "5f3a9c" not in boss.http.get("/manage/export.jsonl").text  # exports have the pseudonym alone
        assert "(participant 5f3a9c)" in judge_raters(study.folder, redeem=code).notes[0].what
        errorbar.judge_forget(study.folder, "rater-2")
        assert "5f3a9c" not in boss.http.get("/manage/raters").text


def test_a_link_in_use_can_be_copied_and_is_revoked_after_a_question(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=2, policy="none"), items=6)
    link = judge_invite(study.folder, names=["ann"]).links[0].url
    with served(study) as url:
        boss, ann = manager(url, study), Visitor(url)
        ann.enter(link)
        assert judge_invite(study.folder).links[0].state == "in use"
        (again,), (known,) = judge_invite(study.folder, back="ann", days=1).links, judge_invite(study.folder).links
        assert (again.url, again.invite.expires) == (known.url, None)
        page = boss.http.get("/manage/invitations").text
        assert "in use" in words(page)
        assert 'aria-label="Copy the link of ann"' in page
        asks = boss.http.get("/manage/invitations/1/revoke").text
        assert "ann works on in a browser that is signed in, and cannot come by this link any more." in words(asks)
        assert judge_invite(study.folder).links[0].state == "in use"  # to ask changes nothing
        assert boss.form("/manage/invitations/1/revoke").status_code == 303
        assert judge_invite(study.folder).links[0].state == "revoked"
        assert boss.http.get("/manage/invitations/9/revoke").status_code == 404
        with pytest.raises(UsageError, match="the link of 'ann' has been revoked"):
            judge_invite(study.folder, back="ann")
        made = boss.form("/manage/invitations", name="all", kind="crowd")
        assert "The link of all is made:" in words(boss.http.get(made.headers["location"]).text)


def test_a_pause_changes_no_count(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, policy="none"), items=12)
    with served(study) as url:
        boss, ann = manager(url, study), Visitor(url)
        ann.enter(judge_invite(study.folder, names=["ann"]).links[0].url)
        ann.answer(ann.claim(5)["items"])
        before = judge_status(study.folder, ci=False).progress
        boss.form("/manage/handing-out/halt", reason="lunch")
        status = judge_status(study.folder, ci=False)
        assert (status.progress.wanted, status.progress.n_stopped) == (before.wanted, before.n_stopped) == (12, 0)
        assert (status.forecast.why, status.forecast.to_go) == ("paused", 7)
        assert "judgments 5 of 12" in read(boss, "/manage", "5 of 12 judgments")
        asks = words(boss.http.get("/manage/handing-out/close").text)
        assert "7 items without all judgments will not be handed out any more." in asks
        assert "No link is open that lets anybody new in." in asks


def test_what_an_exclusion_does_is_accounted_for(tmp_path: Path) -> None:
    rules = StudyRules(raters_per_item=1, items_per_rater=6, policy="none")
    study = made_study(tmp_path / "study", rules, items=12)
    with served(study) as url:
        boss = manager(url, study)
        for name, n in (("ann", 4), ("bob", 6)):
            rater = Visitor(url)
            rater.enter(judge_invite(study.folder, names=[name]).links[0].url)
            rater.answer(rater.claim()["items"][:n])
        asks = words(boss.http.get("/manage/raters/1/exclude").text)
        assert "4 judgments set aside and 2 unanswered items taken back, 6 items back to work." in asks
        assert "They get no more items." in asks
        asks = words(boss.http.get("/manage/raters/2/exclude").text)
        assert "6 judgments set aside, 6 items back to work." in asks
        assert "in hand" not in asks
        boss.form("/manage/handing-out/halt", reason="lunch")
        asks = words(boss.http.get("/manage/raters/1/exclude").text)
        assert "6 items back to work. The study is paused: these items wait until it is resumed." in asks
        boss.form("/manage/raters/2/exclude", reason="careless")
        asks = words(boss.http.get("/manage/raters/2/readmit").text)
        assert "They get no more items: they have judged the 6 that are wanted of a rater." in asks


def test_raters_are_sorted_as_people_count(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, policy="none"), items=12)
    with served(study) as url:
        for link in judge_invite(study.folder, names=["rater-10", "rater-2", "Ann", "100"]).links:
            Visitor(url).enter(link.url)
        page = manager(url, study).http.get("/manage/raters?sort=rater").text
    assert re.findall(r'scope="row" dir="auto">([^<]+)</th>', page) == ["100", "Ann", "rater-2", "rater-10"]
