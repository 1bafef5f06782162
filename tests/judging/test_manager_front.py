"""The manager's desk: the next step, progress, charts, the table of raters, pause and close."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from errorbar import judge_change, judge_init, judge_invite, judge_status
from errorbar.core import UsageError
from errorbar.judging import (
    RATER,
    Study,
    StudyInfo,
    StudyRules,
    current_rules,
    exclude,
    read_study,
    stop_item,
    write_about,
)
from errorbar.judging.protocol.changes import close, resume
from errorbar.judging.study.figures import Forecast, history, progress
from errorbar.judging.study.invitations import Invite, Link
from errorbar.judging.web.manager_front import StudyCounts, count_study, describe_end, next_steps
from tests.judging.empty_stores import SCHEME, work_item
from tests.judging.empty_stores import Study as SmallStudy
from tests.judging.served import Visitor, made_study, served

PAGES = (
    *("", "/raters", "/items", "/invitations", "/codes", "/raters/1/exclude", "/raters/1/readmit"),
    *("/handing-out/halt", "/handing-out/resume", "/handing-out/close"),
)
CODE_WORDS = re.compile(
    r"\b(sprt|held|hold|halt|halted|leases?|leased|estimands?|invites?|csrf|null|nan)\b",
    re.IGNORECASE,
)
COUNTS = StudyCounts(10, 40, 3, 3, 3, "")
CROWD = Link(Invite(1, "crowd", "everybody", 0.0, None, None, 3, None), "http://x/j/crowd", "open")
PERSONAL = Link(Invite(2, "personal", "ann", 0.0, None, None, 0, 1), "http://x/j/ann", "open")
AT_WORK = Forecast(30, 60.0, 1.0, 1800.0, 1500.0, 2400.0)


@pytest.mark.parametrize(
    ("counts", "links", "ahead", "n_doubts", "title"),
    [
        (COUNTS, [CROWD], AT_WORK, 0, "Wait"),
        (replace(COUNTS, counted=40), [CROWD], None, 0, "Export the judgments"),
        (replace(COUNTS, counted=40), [CROWD], None, 2, "Look at 2 raters"),
        (replace(COUNTS, paused="lunch"), [CROWD], AT_WORK, 2, "Resume the study, or close it"),
        (replace(COUNTS, paused="over", closed="over"), [], AT_WORK, 2, "Export the judgments"),
        (COUNTS, [CROWD], AT_WORK, 2, "Look at 2 raters"),
        (COUNTS, [CROWD], AT_WORK, 1, "Look at 1 rater"),
        (replace(COUNTS, n_raters=0, n_active=0), [], None, 0, "Invite raters"),
        (replace(COUNTS, n_raters=0, n_active=0), [PERSONAL, CROWD], None, 0, "Share the link"),
        (replace(COUNTS, n_active=1), [PERSONAL], AT_WORK, 0, "Invite more raters"),
        (replace(COUNTS, n_active=2), [PERSONAL], AT_WORK, 0, "Wait"),
        (COUNTS, [CROWD], Forecast(30, 0.0, 6.0, why="nobody is at work"), 0, "Share the link again"),
    ],
)
def test_the_next_step(
    counts: StudyCounts, links: Sequence[Link], ahead: Forecast | None, n_doubts: int, title: str
) -> None:
    step, *_ = next_steps(counts, links, ahead, n_doubts)
    assert step.title == title
    assert title == "Wait" or step.page or step.share is not None
    if title.startswith("Share"):
        assert step.share == CROWD  # not a link of one person


@pytest.mark.parametrize(
    ("ahead", "text"),
    [
        (None, "The expected end is being computed."),
        (Forecast(0, why="complete"), "Nothing is left to judge."),
        (Forecast(9, why="nobody judged yet"), "Expected end: not known, nobody judged yet."),
        (
            Forecast(9, why="too early"),
            "Expected end: not known, too early to tell before 20 judgments in 10 minutes.",
        ),
        (AT_WORK, "Expected end: 00:30 UTC, between 00:25 UTC and 00:40 UTC."),
        (replace(AT_WORK, latest=None), "Expected end: 00:30 UTC, 00:25 UTC at the earliest."),
        (
            replace(AT_WORK, latest=90000.0),
            "Expected end: 00:30 UTC, between 00:25 UTC and 1970-01-02 01:00 UTC.",
        ),
    ],
)
def test_the_expected_end(ahead: Forecast | None, text: str) -> None:
    assert describe_end(COUNTS, ahead, 60.0) == text


def test_history_counts_judgments_at_equal_distances() -> None:
    import numpy as np

    assert history(np.array([np.nan])) == []
    assert history(np.array([5.0, np.nan])) == [(5.0, 1)]
    assert history(np.array([4.0, 0.0, 1.0])) == [(0.0, 1), (2.0, 2), (4.0, 3)]
    points = history(np.linspace(0, 100, 1000))
    assert (len(points), points[0], points[-1]) == (120, (0.0, 1), (100.0, 1000))


def count(study: Study) -> StudyCounts:
    with study.store(read_only=True) as store, store.read() as tx:
        return count_study(tx)


def test_the_desk_of_a_study_from_its_first_link_to_its_close(tmp_path: Path) -> None:
    """Counts of the short look are those of the status at every step."""
    text = tmp_path / "text.csv"
    text.write_text("item,text\n" + "".join(f"i{n},A [cat] sat {n} .\n" for n in range(12)), encoding="utf-8")
    judge_init(tmp_path / "study", text, scheme="error-ok", raters_per_item=1, policy="none")
    study = Study.open(tmp_path / "study")
    with served(study) as url:
        boss = Visitor(url)
        boss.manage(study)

        def front() -> str:
            page = boss.http.get("/manage").text
            going, counts = judge_status(study, ci=False).progress, count(study)
            assert counts.counted == going.counted
            return page

        assert "<h2>Invite raters</h2>" in front()
        link = judge_invite(study.folder, crowd="everybody").links[0].url
        page = front()
        assert "<h2>Share the link</h2>" in page
        assert f'<code class="link" id="share">{url}{link[link.index("/j/") :]}</code>' in page
        assert "<progress" in page
        assert "<figure" not in page  # nothing to see yet
        ann = Visitor(url)
        ann.enter(link)
        items = ann.claim(5)["items"]
        ann.answer(items[:3])
        boss.form("/manage/handing-out/halt", reason="lunch")
        page = front()
        assert "<h2>Resume the study, or close it</h2>" in page
        assert "of 12 judgments" in page  # a pause makes nothing done
        assert "the study is paused" in page.casefold()
        asks = boss.http.get("/manage/handing-out/close").text
        assert "1 open link will let nobody new in" in asks
        assert boss.form("/manage/handing-out/resume").status_code == 303
        assert "<h2>Wait</h2>" in front()
        assert "items without all judgments will not be handed out" in boss.http.get("/manage/handing-out/halt").text
        assert boss.http.get("/manage/handing-out/delete").status_code == 404
        assert boss.form("/manage/handing-out/close", reason="enough").status_code == 303
        page = front()
        assert "<h2>Export the judgments</h2>" in page
        assert "the study is closed" in page.casefold()
        assert {link.state for link in judge_invite(study.folder).links} == {"revoked"}
        judge_change(study.folder, resume=True)
        assert "the study is open" in front().casefold()
        assert not re.search(r"\b(sprt|held|estimand)\b", page)


def test_a_study_is_closed_by_a_command_as_by_the_desk(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, policy="none"), items=4)
    for name in ("ann", "bob"):
        judge_invite(study.folder, names=[name])
    judge_invite(study.folder, revoked="ann")
    with pytest.raises(UsageError, match="reason"):
        judge_change(study.folder, close=True)
    with pytest.raises(UsageError, match="close and resume"):
        judge_change(study.folder, close=True, resume=True)
    assert {link.state for link in judge_invite(study.folder).links} == {"open", "revoked"}  # nothing was done
    assert judge_change(study.folder, close=True, reason="enough").closed == "enough"
    assert {link.state for link in judge_invite(study.folder).links} == {"revoked"}
    status = judge_status(study, ci=False)
    assert (status.closed, count(study).state) == ("enough", "closed")
    assert status.tables()[0].notes == ["the study is closed: enough"]
    more = tmp_path / "more.csv"
    more.write_text("item,text\nnew,A [cat] sat .\n", encoding="utf-8")
    assert judge_change(study.folder, add=more).n_added == 1
    with study.store(read_only=True) as store, store.read() as tx:
        assert set(read_study(tx).stopped) == {"halted: enough"}  # nothing of a closed study is handed out
    assert judge_change(study.folder, resume=True).to_dict()["closed"] is None
    judge_change(study.folder, halt=True, reason="lunch")
    assert judge_status(study, ci=False).tables()[0].notes == ["nothing more is handed out: lunch"]


def test_new_items_of_a_complete_and_closed_study_wait(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, policy="none"), items=2)
    link = judge_invite(study.folder, crowd="everybody").links[0].url
    more = tmp_path / "more.csv"
    more.write_text("item,text\nnew,A [cat] sat .\n", encoding="utf-8")
    with served(study) as url:
        ann = Visitor(url)
        ann.enter(link)
        ann.through()
        boss = Visitor(url)
        boss.manage(study)
        assert boss.form("/manage/handing-out/close", reason="enough").status_code == 303
        judge_change(study.folder, add=more)
        assert ann.claim()["items"] == []
        judge_change(study.folder, resume=True)
        assert len(ann.claim()["items"]) == 1


def test_the_short_look_counts_as_the_figures_do(store_url: str) -> None:
    """After every step; only what a halt stopped is wanted still."""
    study = SmallStudy(
        store_url, StudyRules(raters_per_item=2, policy="none"), [work_item(f"w{n}") for n in range(8)], 3
    )
    study.write(lambda tx: write_about(tx, StudyInfo(SCHEME, current_rules(tx), "", "test")))
    one, two, three = study.raters

    def compare() -> StudyCounts:
        with study.store.read() as tx:
            counts, going = count_study(tx), progress(read_study(tx))
        assert counts.counted == going.counted
        assert counts.wanted == going.wanted
        return counts

    try:
        assert compare() == StudyCounts(0, 16, 3, 3, 2, "")
        for rater, n_answers in ((one, 5), (two, 3)):
            for lease in study.claim(rater, 6).leases[:n_answers]:
                study.answer(rater, lease)
            compare()
        study.write(lambda tx: stop_item(tx, "w0", "cut", 0.0))
        compare()
        study.write(lambda tx: exclude(tx, one, "reason", "manager", 1.0))
        assert compare().n_active == 2
        study.claim(three, 2)
        wanted = compare().wanted
        study.write(lambda tx: close(tx, "enough", "manager", 2.0))
        counts = compare()
        assert (counts.wanted, counts.state, counts.closed) == (wanted, "closed", "enough")
        study.write(lambda tx: resume(tx, "manager", 3.0))
        assert compare().state == "open"
    finally:
        study.store.close()


def test_a_paused_study_says_so_in_plain_words_on_every_page(tmp_path: Path) -> None:
    """Words of the code are not among them; ``docs/glossary.md`` has those that are."""
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, policy="none"), items=12, gold=0)
    with served(study) as url:
        rater = Visitor(url)
        rater.enter(judge_invite(study.folder, names=["ann"]).links[0].url)
        rater.answer(rater.claim(6)["items"])
        boss = Visitor(url)
        boss.manage(study)

        def read(page: str) -> str:
            return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", boss.http.get(f"/manage{page}").text)).strip()

        boss.form("/manage/handing-out/halt", reason="lunch")
        pages = {page: read(page) for page in PAGES}
        assert {page: found for page, text in pages.items() if (found := CODE_WORDS.findall(text))} == {}
        assert " expected end paused " in pages[""]
        assert " paused 0 – – lunch " in pages["/items"]
        assert "The study is paused: these items wait until it is resumed" in pages["/raters/1/exclude"]
        boss.form("/manage/handing-out/close", reason="enough")
        assert " expected end closed " in read("")
        assert "these items wait until it is resumed" in read("/raters/1/exclude")
        boss.form("/manage/raters/1/exclude", reason="careless")
        assert "6 judgments set aside" in read("/raters?changed=1")
        assert read("/items").count(" paused ") == 12


def test_charts_are_drawn_for_both_schemes_and_widths(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=2, policy="none"), items=12, gold=4)
    with served(study) as url:
        for name in ("ann", "bob"):
            rater = Visitor(url)
            rater.enter(judge_invite(study.folder, names=[name]).links[0].url)
            rater.through()
        boss = Visitor(url)
        assert boss.http.get("/manage/charts/gold-wide-light.svg").status_code == 401
        boss.manage(study)
        page = boss.http.get("/manage").text
        addresses = re.findall(r'(?:srcset|src)="(/manage/charts/[^"]+)"', page)
        assert len(addresses) == 12  # three charts
        alternatives = re.findall(r'alt="([^"]+)"', page)
        assert "24 of 24 judgments" in alternatives[0]
        assert re.search(r"ann \d+ % \(\d+–\d+\)", alternatives[1])
        assert "observed agreement 1.00" in alternatives[2]
        assert page.count("0 is what chance alone would give") == 1
        gold = [address for address in addresses if "/gold-" in address]
        pictures = {address: boss.http.get(address, timeout=120) for address in [*gold, addresses[0], addresses[-1]]}
        for reply in pictures.values():
            assert reply.headers["content-type"] == "image/svg+xml"
            assert "script-src 'self'" in reply.headers["content-security-policy"]
            assert ET.fromstring(reply.text).tag.endswith("svg")
        assert len({reply.text for reply in pictures.values()}) == 6
        ann = next(reply.text for address, reply in pictures.items() if "gold-narrow-dark" in address)
        assert ">ann<" in ann
        for name in ("none-wide-light", "gold-huge-light", "gold-wide-pink"):
            assert boss.http.get(f"/manage/charts/{name}.svg").status_code == 404


def names(page: str) -> list[str]:
    return re.findall(r'scope="row" dir="auto">([^<]+)</th>', page)


def test_one_table_of_raters_is_sorted_filtered_and_marks_who_fails(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=9, policy="none", gold_per_page=2), 30, 8)
    with served(study) as url:
        for name, label in (("ann", "ok"), ("bob", "error"), ("cleo", "ok")):
            rater = Visitor(url)
            rater.enter(judge_invite(study.folder, names=[name]).links[0].url)
            rater.answer(rater.claim(5)["items"], label)
        with study.store() as store, store.exclusive() as tx:
            failing = '[[1,"Error",false],[2,"Error",false],[3,"Error",false],[4,"Error",false]]'
            tx.execute(update(RATER).where(RATER.c.name == "cleo").values(gold=failing))
        boss = Visitor(url)
        boss.manage(study)
        page = boss.http.get("/manage/raters").text
        assert page.count("<table") == 1
        assert names(page) == ["cleo", "ann", "bob"]  # to look at first
        assert page.count("look at</strong>") == 1
        assert "0 of 4 gold items right where &#39;Error&#39; is right" in page
        front = boss.http.get("/manage").text
        assert "<h2>Invite more raters</h2>" in front  # each item needs nine
        assert 'Besides: <a href="/manage/raters?show=doubtful">Look at 1 rater</a>' in front
        for query, expected in (
            ("?sort=rater", ["ann", "bob", "cleo"]),
            ("?sort=rater&down=1", ["cleo", "bob", "ann"]),
            ("?name=O", ["cleo", "bob"]),
            ("?show=doubtful", ["cleo"]),
            ("?show=excluded", []),
            ("?show=x&sort=y&from=z", ["cleo", "ann", "bob"]),
            ("?from=100", []),
        ):
            assert names(boss.http.get(f"/manage/raters{query}").text) == expected, query
        assert 'aria-sort="descending"' in boss.http.get("/manage/raters?sort=gold&down=1").text
        for sort in ("standing", "judged", "counted", "gold", "agree", "seconds", "hasty", "last", "code"):
            assert sorted(names(boss.http.get(f"/manage/raters?sort={sort}").text)) == ["ann", "bob", "cleo"]
        with study.store() as store, store.exclusive() as tx:  # some have a code, others none
            tx.execute(update(RATER).where(RATER.c.name == "ann").values(code="C-1", code_used=1.0))
            tx.execute(update(RATER).where(RATER.c.name == "bob").values(code="C-2"))
        assert names(boss.http.get("/manage/raters?sort=code").text) == ["ann", "bob", "cleo"]  # redeemed, withdrawn
        assert names(boss.http.get("/manage/raters?sort=code&down=1").text) == ["bob", "ann", "cleo"]
        boss.form("/manage/raters/3/exclude", reason="gold")
        assert names(boss.http.get("/manage/raters?show=excluded").text) == ["cleo"]
        assert "Look at" not in boss.http.get("/manage").text
