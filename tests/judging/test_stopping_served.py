"""A question is decided while raters work: the server halts the study, and nobody loses anything."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy.stats import binom

from errorbar import judge_invite
from errorbar.judging import Study, StudyRules
from errorbar.judging.stopping import decision as stop_watch
from tests.helpers.page_rows import rows_of_page
from tests.judging.jepsen import check_places
from tests.judging.jepsen.history import History
from tests.judging.jepsen.stored import read_stored
from tests.judging.served import Visitor, made_study, served
from tests.judging.stopping_runs import CASES, run, shares

STOP = "share(label=error,half_width=0.2"
RULES = StudyRules(raters_per_item=1, page=5, policy="none", pay="$0.02", gold_per_page=0)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Study]:
    """Makes a study with a question; its server looks often."""
    monkeypatch.setattr(stop_watch, "SECONDS", 0.05)
    monkeypatch.setattr(stop_watch, "TIMES", 1.0)
    monkeypatch.setattr("errorbar.judging.web.live_status.KEPT_SECONDS", 0.0)
    monkeypatch.setattr("errorbar.judging.web.live_status.TIMES", 0.0)

    def made(more: str) -> Study:
        rules = StudyRules(**{name: getattr(RULES, name) for name in StudyRules.__slots__} | {"stop": f"{STOP}{more})"})
        return made_study(tmp_path / "study", rules, items=60)

    return made


def entered(study: Study, url: str, name: str) -> Visitor:
    visitor = Visitor(url)
    visitor.enter(judge_invite(study.folder, names=[name]).links[0].url)
    return visitor


def database(study: Study) -> str:
    return study.url.removeprefix("sqlite:///")


def test_a_study_that_acts(make: Callable[[str], Study], monkeypatch: pytest.MonkeyPatch) -> None:
    study = make(",act=true")
    both_hold, look = threading.Event(), stop_watch.StopWatch.look
    monkeypatch.setattr(stop_watch.StopWatch, "look", lambda watch: look(watch) if both_hold.is_set() else None)
    with served(study) as url:
        ann, bob, manager = entered(study, url, "ann"), entered(study, url, "bob"), Visitor(url)
        work = ann.claim(5)
        for _ in range(4):
            work = ann.answer(work["items"])["work"]
        held = bob.claim(5)["items"]
        work = ann.answer(work["items"])["work"]  # twenty-five of sixty, and each holds five
        both_hold.set()
        until = time.monotonic() + 60
        while "halted" not in [event["kind"] for event in read_stored(database(study)).event]:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert len(work["items"]) == 5
        work = ann.answer(work["items"])["work"]
        assert (work["standing"], bool(work["code"]), work["done"]) == ("finished", True, 30)
        late = bob.answer(held)
        assert {receipt["status"] for receipt in late["receipts"]} <= {"saved"}
        assert (late["work"]["standing"], bool(late["work"]["code"])) == ("finished", True)
        manager.manage(study)
        page = manager.http.get("/manage").text.replace("&#39;", "'")
        assert "Nothing more is handed out. Why: <span dir=\"auto\">share of 'error' is 0.00" in page
        assert "Pausing saved" in page
        assert manager.form("/manage/handing-out/resume", "/manage").status_code == 303
        assert entered(study, url, "cleo").claim(5)["standing"] == "work"
        page = manager.http.get("/manage").text
        assert "narrow enough to stop. Pausing now saves" in page.replace("</span>", "")
        assert "paused by itself" not in page
    stored = read_stored(database(study))
    assert check_places.nothing_handed_out_while_halted(History(), stored) == []
    assert check_places.at_most_k_always(History(), stored) == []


def test_a_manager_who_is_told(make: Callable[[str], Study]) -> None:
    study = make("")
    with served(study) as url:
        ann, manager = entered(study, url, "ann"), Visitor(url)
        manager.manage(study)
        assert "go on. Still to be judged: 60 judgments, $1.20" in manager.http.get("/manage").text.replace(
            "</span>", ""
        )
        work = ann.claim(5)
        for _ in range(6):
            work = ann.answer(work["items"])["work"]
        found = manager.http.get("/manage/figures.json").json()["stopping"]
        assert (found["decided"], found["halted"], found["n_items"]) == (True, "", 30)
        assert work["standing"] == "work"  # nobody stopped it
        assert manager.form("/manage/handing-out/halt", "/manage", reason=" ").status_code == 422
        assert manager.form("/manage/handing-out/halt", "/manage", reason="enough").status_code == 303
        assert manager.form("/manage/handing-out/else", "/manage").status_code == 404
        assert len(ann.claim(5)["items"]) == 5  # what was held
        bob = judge_invite(study.folder, names=["bob"]).links[0].url
        assert 'data-notice="paused"' in Visitor(url).http.get(bob[bob.index("/j/") :]).text
        assert manager.http.get("/manage/figures.json").json()["stopping"]["halted"] == "enough"


# How often a study's question is ever wrong, through the real protocol; docs/measurements/stopping.md has longer runs.


RUNS = 30


def test_a_run_stops_early_and_knows_its_truth(tmp_path: Path) -> None:
    *wrong, given = run(CASES["errors take as long"], 1, tmp_path)
    assert {type(each) for each in wrong} == {bool}
    assert 0.3 < given < 1


@pytest.mark.parametrize("name", rows_of_page(list(CASES)[:2]))
def test_ever_wrong_at_most_one_in_twenty(name: str) -> None:
    """The runs are the same each time, so that what chance would exceed once in a hundred tests is a fault."""
    ever, _, _, given = shares(CASES[name], RUNS)
    assert ever * RUNS <= binom.isf(0.01, RUNS, 0.05)
    assert given < 0.85
