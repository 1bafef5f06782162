"""Before the work: questions on the guidelines in two tries, a training that is no test, the quiz."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar.core import InputError, UsageError
from errorbar.judging import Study, StudyRules
from tests.judging.served import CSRF, Visitor, made_study, served

ASK = ["How many tries?", "May one skip?"]
QUESTIONS = [
    {"ask": ASK[0], "options": ["one", "two"], "right": "two"},
    {"ask": ASK[1], "options": ["yes", "no"], "right": "yes"},
]
RIGHT, WRONG = {"answer-0": "two", "answer-1": "yes"}, {"answer-0": "two", "answer-1": "no"}
ABOUT = """
title = "A study"

[[comprehension]]
ask = "How many tries?"
options = ["one", "two"]
right = "two"
"""


def visitor(study: Study, url: str, name: str) -> Visitor:
    """Somebody who has entered by a link of their own."""
    made = Visitor(url)
    link = errorbar.judge_invite(study.folder, names=[name]).links
    path = next(each.url for each in link if each.invite.label == name)
    made.enter(f"/j/{path.rpartition('/')[2]}")
    if csrf := CSRF.search(made.http.get("/check").text):
        made.csrf = csrf[1]
    return made


def checks(study: Study) -> dict[str, str]:
    """How the raters stand with the questions."""
    return {rater.name: rater.check for rater in errorbar.judge_raters(study.folder).raters}


def test_who_fails_the_questions_twice_gets_no_work(tmp_path: Path, store_url: str) -> None:
    rules = StudyRules(policy="none", gold_per_page=0, comprehension=json.dumps(QUESTIONS))
    study = made_study(tmp_path / "study", rules, url=store_url if "://" in store_url else "")
    with served(study) as url:
        ann, bob = visitor(study, url, "ann"), visitor(study, url, "bob")
        reply = ann.http.get("/work")
        assert (reply.status_code, reply.headers["location"]) == (303, "/check")
        assert ann.claim() == {"standing": "check", "items": [], "done": 0, "of": 0, "code": "", "back": ""}
        form = {"try": "1", **WRONG}
        for _ in range(2):  # the reply was lost, and the form is sent again: one try
            ann.form("/check", **form)
        assert checks(study)["ann"] == "due"
        page = ann.http.get("/check").text
        assert "Not all answers were right" in page
        assert 'name="try" value="2"' in page
        ann.form("/check", **{"try": "2", **RIGHT})
        assert ann.http.get("/work").status_code == 200
        assert ann.claim()["standing"] == "work"
        assert bob.form("/check", **{"try": "9" * 5000, **RIGHT}).status_code == 303  # no number: no try
        bob.form("/check", **{"try": "1"})  # no answer at all is a wrong one
        bob.form("/check", **{"try": "2", **WRONG})
        bob.form("/check", page="/guidelines", **{"try": "3", **RIGHT})
        assert 'data-notice="check-failed"' in bob.http.get("/check").text
        assert bob.claim()["standing"] == "check"
        assert checks(study) == {"ann": "passed", "bob": "failed"}
        kinds = [event for event in records(study, tmp_path) if event.get("event", "").startswith("check")]
        assert [json.loads(event["data"])["wrong"] for event in kinds] == [[ASK[1]], [], ASK, [ASK[1]]]


def records(study: Study, folder: Path) -> list[dict[str, Any]]:
    """All records of an export."""
    errorbar.judge_export(study.folder, folder / "all.jsonl")
    return [json.loads(line) for line in (folder / "all.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_training_is_told_and_counts_nowhere(tmp_path: Path, store_url: str) -> None:
    rules = StudyRules(raters_per_item=1, training=2, quiz=3, quiz_pass=1.0, gold_per_page=1, policy="none")
    study = made_study(tmp_path / "study", rules, items=5, gold=8, url=store_url if "://" in store_url else "")

    def right(item: dict[str, Any]) -> str:
        text = re.sub(r"<[^>]*>", "", item["html"])
        return ("error", "ok")[int(text.split()[1]) % 2]

    with served(study) as url:
        ann = visitor(study, url, "ann")
        work = ann.claim()
        assert (work["standing"], len(work["items"]), work["of"]) == ("training", 2, 2)
        for item in work["items"]:  # both wrong
            said = {"error": "ok", "ok": "error"}[right(item)]
            (receipt,) = ann.answer([item], said)["receipts"]
            assert receipt["feedback"]["right"] is False
        seen = {item["html"] for item in work["items"]}
        work = ann.claim()
        assert (work["standing"], work["done"], work["of"]) == ("quiz", 0, 3)
        for item in work["items"]:
            assert ann.answer([item], right(item))["receipts"][0]["feedback"]["right"] is True
            seen.add(item["html"])
        work = ann.claim()
        assert work["standing"] == "work"
        golds = [item["html"] for item in work["items"] if "Gold" in item["html"]]
        assert len(seen) == 5
        assert not seen & set(golds)
        ann.answer(work["items"])
    (rater,) = errorbar.judge_raters(study.folder).raters
    assert (rater.quiz, rater.judged) == ("passed", len(work["items"]))
    assert errorbar.judge_status(study.folder).progress.counted == 5


def test_who_has_begun_the_quiz_gets_no_training(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(quiz=2, policy="none"), gold=6)
    with served(study) as url:
        ann, bob = visitor(study, url, "ann"), visitor(study, url, "bob")
        assert ann.claim()["standing"] == "quiz"
        errorbar.judge_change(study.folder, rules={"training": 2, "quiz": 0})
        assert ann.claim()["standing"] == "quiz"
        work = bob.claim()
        assert work["standing"] == "training"
        bob.answer(work["items"])
        assert bob.claim()["standing"] == "work"  # a training needs no quiz behind it


def test_questions_come_with_what_a_study_says_of_itself(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text('{"item": "a", "text": "It is [here] ."}\n')
    about = tmp_path / "about.toml"
    about.write_text(ABOUT)
    made = errorbar.judge_init(tmp_path / "study", tmp_path / "items.jsonl", about=about, quiz=0)
    assert json.loads(made.rules.comprehension)[0]["right"] == "two"
    about.write_text(ABOUT.replace('right = "two"', 'right = "three"'))
    with pytest.raises(InputError, match="right is 'three', which is none of the options"):
        errorbar.judge_change(tmp_path / "study", about=about)
    about.write_text(ABOUT.replace('["one", "two"]', '["two"]'))
    with pytest.raises(InputError, match="has 1 option"):
        errorbar.judge_change(tmp_path / "study", about=about)
    for bad in ("What?", "{}", '[{"ask": "What?", "options": ["a"], "right": "b"}]'):
        with pytest.raises(UsageError, match="the rule comprehension is no list of questions"):
            errorbar.judge_change(tmp_path / "study", rules={"comprehension": bad})
    assert not errorbar.judge_change(tmp_path / "study", rules={"comprehension": ""}).rules.comprehension
    with pytest.raises(UsageError, match="a quiz of 0 and a training of 1 needs as many gold items, and there are 0"):
        errorbar.judge_init(tmp_path / "other", tmp_path / "items.jsonl", training=1)
