"""A study's question: read, refused where the study cannot answer it, and estimated as the export's commands do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

import errorbar
from errorbar import ErrorbarError
from errorbar.api import AuditKey
from errorbar.api.audit_edits import AuditFrame, AuditItem, set_name, stratify_items, write_audit_key
from errorbar.core import Estimate, Interval
from errorbar.judging import Study, StudyRules, read_study
from errorbar.judging.stopping.decision import (
    StopDecision,
    StopWatch,
    money_for,
    stop_decision,
    stopping_table,
    verdict,
)
from errorbar.judging.stopping.question import StopQuestion
from errorbar.judging.study.rules import current_rules
from errorbar.judging.web.live_status import LiveStatus
from errorbar.sampling.audit import OfficialCounts
from errorbar.stats import endless_share_bounds
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.judging.simulated_judges import SimulatedJudge
from tests.judging.simulated_work import simulate_work

TEXT = "He sat on the chair ."
JUDGES = [SimulatedJudge("judge", 0.9, unsure=0.03) for _ in range(5)]
STOP = "R(half_width=0.2)"


class EnoughError(Exception):
    """The raters go home."""


def judged(folder: Path, pages: int) -> None:
    """Raters judge so many pages and leave; one of them holds another."""
    left = iter(range(pages))

    def after_page() -> None:
        if next(left, None) is None:
            raise EnoughError

    with Study.open(folder).store() as store, suppress(EnoughError):
        simulate_work(store, JUDGES, np.random.default_rng(5), start=1_790_000_000.0, page=4, after_page=after_page)


@pytest.fixture(autouse=True, scope="module")
def one_order() -> Iterator[None]:
    """The same random order of items in each run, also of this module's fixtures."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("errorbar.judging.random_tokens._unpredictable", Random(7))
        yield


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample of 90 items of 300, its key, and items that say what they are."""
    folder = tmp_path_factory.mktemp("drawn")
    flags = "".join(f"i{at},{int(at % 3 == 0)}\n" for at in range(300))
    (folder / "flags.csv").write_text(f"item,flag\n{flags}")
    errorbar.sample_draw(folder / "flags.csv", budget=90, floor=40).save(str(folder / "set.jsonl"), str(folder / "key"))
    rows = [json.loads(line) for line in (folder / "set.jsonl").read_text().splitlines()]
    told = [
        {"item": row["item"], "text": TEXT, "word": "on", "set": row["set"], "truth": _truth(row["item"])}
        for row in rows
    ]
    (folder / "todo.jsonl").write_text("\n".join(map(json.dumps, told)) + "\n")
    return folder


def _truth(item: str) -> str:
    number = int(item[1:])
    return "error" if number % 10 < (8 if number % 3 == 0 else 2) else "ok"


@pytest.fixture(scope="module")
def study(drawn: Path) -> Path:
    """Two fifths of it judged by three raters each, pages still held."""
    folder = drawn / "study"
    errorbar.judge_init(folder, drawn / "todo.jsonl", key=drawn / "key", stop=STOP, pay="$0.02", policy="none")
    judged(folder, 43)
    return folder


def decision(folder: Path, question: str = "") -> StopDecision:
    with Study.open(folder).store(read_only=True) as store, store.read() as tx:
        found = read_study(tx)
    if question:
        about = replace(found.about, rules=replace(found.about.rules, stop=question))
        found = replace(found, about=about)
    now = stop_decision(found, 3.0)
    assert now is not None
    return now


@pytest.mark.parametrize(
    "question", [STOP, "F(half_width=0.3,beta=0.5)", "P(threshold=0.5)", "P(half_width=0.2,interval=plain)"]
)
def test_the_estimate_is_that_of_the_export(study: Path, drawn: Path, question: str, tmp_path: Path) -> None:
    now, said = decision(study, question), StopQuestion.parse(question)
    errorbar.judge_export(study, tmp_path / "judgments.csv")
    found = errorbar.sample_estimate(
        tmp_path / "judgments.csv",
        key=drawn / "key",
        unknown="unknown",
        beta=said.beta,
        anytime=said.interval == "anytime",
        half_width=said.half_width,
    )
    assert now.estimate == found.found.systems[0][said.of].estimate
    assert now.n_items > 20
    assert now.estimate.n_units <= now.n_items  # of some items nobody could tell


def test_what_lies_beyond_the_front_is_left_out_and_said(study: Path, tmp_path: Path) -> None:
    now = decision(study)
    some = errorbar.judge_export(study, tmp_path / "some.csv")
    errorbar.judge_export(study, tmp_path / "all.csv", include="beyond")
    (note,) = some.notes
    lines = [len((tmp_path / name).read_text().splitlines()) - 1 for name in ("some.csv", "all.csv")]
    assert note.code == "judge-beyond"
    assert lines[0] == 3 * now.n_items
    assert f"{lines[1] - lines[0]} judgments" in note.what
    assert (now.n_beyond > 0, now.waits_for[0]) == (True, "i")


def test_what_stopping_saves(study: Path) -> None:
    now = decision(study)
    with Study.open(study).store(read_only=True) as store, store.read() as tx:
        (given,) = tx.execute(text("SELECT sum(taken) FROM item")).one()
    assert now.left == 270 - given
    assert now.minutes == pytest.approx(now.left * 3 / 60)
    assert now.money == f"${now.left * 0.02:.2f}"
    said = {str(row[0]): str(row[1]) for row in stopping_table(now).rows}
    assert said["still to be judged"] == f"{now.left} judgments, {now.minutes:.1f} minutes, {now.money}"
    assert said["wanted"] == "± 20"


def test_the_status_tells_it(study: Path) -> None:
    status = errorbar.judge_status(study, ci=False)
    document = {"schema": "errorbar.judge.status/1", **status.to_dict(), "warnings": []}
    found = validated("judge-status", json.dumps(document, allow_nan=False))["stopping"]
    assert (found["question"], found["decided"], found["looks"]) == (STOP, False, "anytime")
    assert "stopping" in [table.name for table in status.tables()]


@pytest.mark.parametrize(
    ("question", "looks"),
    [
        ("P(threshold=0.5)", "anytime"),
        ("P(half_width=0.1,interval=plain)", "width"),
        ("P(threshold=0.5,interval=plain)", "peeked"),
    ],
)
def test_a_plain_interval_that_is_peeked_at_is_named(study: Path, question: str, looks: str) -> None:
    now = decision(study, question)
    assert now.looks == looks
    assert ("too short" in stopping_table(now).notes[0]) == (looks != "anytime")


def test_a_restored_study_asks_the_same(study: Path, tmp_path: Path) -> None:
    errorbar.judge_export(study, tmp_path / "all.jsonl")
    errorbar.judge_init(tmp_path / "again", tmp_path / "all.jsonl")
    assert decision(tmp_path / "again") == decision(study)


def test_rules_of_older_studies_have_no_question() -> None:
    old = json.loads(StudyRules().to_json())
    del old["stop"]
    assert StudyRules.from_json(json.dumps(old)) == StudyRules()


def test_a_study_halts_by_its_rule(drawn: Path, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    stop = "P(half_width=0.2,act=true)"
    errorbar.judge_init(folder, drawn / "todo.jsonl", key=drawn / "key", stop=stop, policy="none", page=3)
    with Study.open(folder).store() as store:
        live = LiveStatus(Study.open(folder), store)
        watch, done = StopWatch(store, lambda: 1_790_000_000.0, live.decision), False
        assert watch.look() is None

        def after_page() -> None:
            nonlocal done
            if (now := watch.look()) is not None:
                assert now.question == stop
                store.write(lambda tx: watch.act(tx, replace(now, question="P(half_width=0.1)")))  # asked before
                assert not decision(folder).halted
                done |= bool(store.write(lambda tx: watch.act(tx, now)))
            assert watch.look() is None or done

        simulate_work(store, JUDGES, np.random.default_rng(5), start=1_790_000_000.0, after_page=after_page)
    now = decision(folder)
    assert done
    assert (now.decided, now.left > 30) == (True, True)  # not a tenth of the judgments
    assert now.halted.startswith("P of flags is ")
    errorbar.judge_export(folder, tmp_path / "judgments.csv")
    found = errorbar.sample_estimate(
        tmp_path / "judgments.csv", key=drawn / "key", unknown="unknown", anytime=True, half_width=0.2
    )
    assert now.estimate == found.found.systems[0]["P"].estimate
    assert found.narrow_enough() == ["P"]
    going = errorbar.judge_status(folder, ci=False)
    assert (going.progress.counted, going.forecast.why) == (going.progress.wanted, "complete")
    changed = errorbar.judge_change(folder, resume=True)
    assert (changed.halted, changed.rules.stop) == ("", "P(half_width=0.2)")


@pytest.fixture(scope="module")
def choices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty pairs of two systems, every second with sides that are the other way round; all judged."""
    folder = tmp_path_factory.mktemp("choices")
    rows = []
    for at in range(60):
        names = ("a", "b") if at % 2 else ("b", "a|c")
        better = "a" if at % 4 else "b"
        truth = "first" if better in names[0].split("|") else "second"
        row = {"item": f"i{at}", "text": TEXT, "start": 7, "end": 9, "candidate1": "on", "candidate2": "in"}
        rows.append(json.dumps({**row, "system1": names[0], "system2": names[1], "truth": truth}))
    (folder / "items.jsonl").write_text("\n".join(rows) + "\n")
    errorbar.judge_init(folder / "study", folder / "items.jsonl", scheme="choice", policy="none")
    with Study.open(folder / "study").store() as store:
        judges = [SimulatedJudge("judge", 1.0) for _ in range(3)]
        simulate_work(store, judges, np.random.default_rng(5), start=1_790_000_000.0)
    return folder / "study"


def test_wins_of_one_system_over_another(choices: Path) -> None:
    now = decision(choices, "win(first=a,second=b,threshold=0.5)")
    assert (now.estimate.value, now.estimate.n_units) == (0.75, 60)
    made = now.estimate.interval
    assert made is not None
    low, high = (float(end) for end in endless_share_bounds(45, 60))
    assert (made.low, made.high, made.method) == (low, high, "anytime, beta")
    assert (now.decided, now.left) == (True, 0)
    assert decision(choices, "win(first=b,second=a,threshold=0.5)").estimate.value == 0.25
    assert decision(choices, "win(first=b,second=c,threshold=0.5)").estimate.n_units == 30


def test_the_share_of_a_label(choices: Path, study: Path) -> None:
    now = decision(choices, "share(label=first,half_width=0.1)")
    assert (now.estimate.n_units, now.estimate.interval and now.estimate.interval.method) == (
        60,
        "anytime, prior-posterior",
    )
    assert decision(study, "share(label=error,half_width=0.1)").estimate.n_units <= decision(study).n_items


def audit(folder: Path) -> Path:
    """An audit of two systems, both strata drawn in part; the key and the items to be judged."""
    items = [AuditItem(f"e{at}", at, ((0, 1, "x"),), TEXT, (True, at % 2 == 0)) for at in range(120)]
    systems = (OfficialCounts("one", 80, 200, 400), OfficialCounts("two", 90, 150, 400))
    frame: AuditFrame = stratify_items(items, systems, "m2", empty=0, bands=False)
    key = AuditKey(frame, 0, (30, 30), set_name(frame, 0, (30, 30)))
    (folder / "key").write_text("\n".join(write_audit_key(key)))
    names = [frame.items[at].name for at in key.drawn()]
    same = {"text": TEXT, "start": 0, "end": 2, "candidate1": "He", "candidate2": "x"}
    told = [{"item": name, **same, "truth": "valid" if int(name[1:]) % 3 == 0 else "not-valid"} for name in names]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, told)) + "\n")
    return folder / "items.jsonl"


def test_the_precision_of_an_audit(tmp_path: Path) -> None:
    stop = "precision(system=two,half_width=0.1)"
    given: dict[str, Any] = {"scheme": "edit-valid", "key": tmp_path / "key", "stop": stop}
    given |= {"raters_per_item": 1, "policy": "none"}
    errorbar.judge_init(tmp_path / "study", audit(tmp_path), **given)
    judged(tmp_path / "study", 3)
    now = decision(tmp_path / "study")
    errorbar.judge_export(tmp_path / "study", tmp_path / "judged.csv")
    found = errorbar.audit_estimate(tmp_path / "judged.csv", key=tmp_path / "key")
    two = next(each for each in found.systems if each.system.name == "two")
    assert (now.of, now.estimate.value) == ("audited precision of two", two.precision.value)
    plain, made = two.precision.interval, now.estimate.interval
    assert plain is not None
    assert made is not None
    assert two.precision.value is not None
    assert made.low < two.precision.value < made.high
    assert made.high - made.low > plain.high - plain.low
    looked = errorbar.audit_estimate(tmp_path / "judged.csv", key=tmp_path / "key", anytime=True, half_width=0.1)
    assert now.estimate == next(each for each in looked.systems if each.system.name == "two").precision
    assert (looked.differences, looked.systems[0].judges.interval) == ([], None)
    assert "|looks:anytime|" in looked.spec
    assert "Differences" not in [table.title for table in looked.tables()]
    assert decision(tmp_path / "study", "precision(system=two,half_width=0.1,interval=plain)").estimate == two.precision


def test_an_audit_at_any_time_is_plain(tmp_path: Path) -> None:
    """No cheap votes, no shares, and no half-width for nothing."""
    audit(tmp_path)
    wrong: dict[str, Any]
    for wrong, code in (
        ({"anytime": True, "valid": "graded"}, "audit-rule"),
        ({"anytime": True, "assist": "votes.csv"}, "two-choices"),
        ({"half_width": 0.1}, "useless-option"),
        ({"anytime": True, "half_width": 1.0}, "bad-parameter"),
    ):
        with pytest.raises(ErrorbarError) as caught:
            errorbar.audit_estimate("judged.csv", key=tmp_path / "key", **wrong)
        assert caught.value.problems[0].code == code


def test_no_judgment_no_estimate(drawn: Path, tmp_path: Path) -> None:
    errorbar.judge_init(tmp_path / "study", drawn / "todo.jsonl", key=drawn / "key", stop=STOP)
    now = decision(tmp_path / "study")
    assert (now.estimate.value, now.decided, now.n_items, now.left) == (None, False, 0, 270)


@pytest.mark.parametrize(
    ("pay", "told"),
    [
        ("$0.02", "$0.20"),
        ("0.02 USD", "0.20 USD"),
        ("€0,05", "€0.50"),
        ("2 cents", "20.00 cents"),
        ("a coffee", ""),
        ("", ""),
        ("1 to 2 USD", ""),
        ("0.02 USD per item", "0.20 USD"),
        ("$12 per hour", ""),
        ("£9 an hour", ""),
        ("5 EUR for all of it", ""),
    ],
)
def test_what_judgments_cost(pay: str, told: str) -> None:
    assert money_for(pay, 10) == told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("R(half_width=0.03)", "R(half_width=0.03)"),
        ("R( half_width=0.03, interval=anytime,act=true )", "R(half_width=0.03,act=true)"),
        ('share(label="can not",threshold=.5)', 'share(label="can not",threshold=0.5)'),
        ("F(beta=0.5,threshold=0.7,interval=plain,system=lm)", "F(system=lm,beta=0.5,threshold=0.7,interval=plain)"),
        ("win(threshold=0.9999999)", "win(threshold=0.9999999)"),
        ("R(half_width=0.0123456789)", "R(half_width=0.0123456789)"),
    ],
)
def test_a_question_is_written_as_it_is_read(text: str, said: str) -> None:
    assert str(StopQuestion.parse(text)) == said
    assert StopQuestion.parse(said) == StopQuestion.parse(text)


@pytest.mark.parametrize(
    ("stop", "said"),
    [
        ("R", "no half-width and no threshold"),
        ("R(half_width=0.1,threshold=0.5)", "a half-width and a threshold"),
        ("R(half_width=2)", "half_width is '2' (expected a number above 0 and below 1)"),
        ("R(half_width=x)", "half_width is 'x'"),
        ("R(halfwidth=0.1)", "did you mean 'half_width'?"),
        ("Recall(half_width=0.1)", "no question is called 'Recall'; known: P, R, F"),
        ("R half_width=0.1", "is no question"),
        ("R(half_width=0.1,act=yes)", "act is 'yes' (expected true or false)"),
        ("R(half_width=0.1,system=lm)", "no system 'lm'"),
        ("R(half_width=0.1,error=wrong)", "error is 'wrong'"),
        ("share(half_width=0.1)", "share says of no label"),
        ("share(label=unknown,half_width=0.1)", "label is 'unknown'"),
        ("win(threshold=0.5)", "has no winner"),
        ("win(first=a,threshold=0.5)", "names one side"),
        ("precision(half_width=0.1)", "the key of another kind"),
    ],
)
def test_questions_that_a_study_cannot_answer(drawn: Path, tmp_path: Path, stop: str, said: str) -> None:
    with pytest.raises(ErrorbarError) as caught:
        errorbar.judge_init(tmp_path / "study", drawn / "todo.jsonl", key=drawn / "key", stop=stop)
    (problem,) = caught.value.problems
    assert problem.code == "judge-stop"
    assert said in str(caught.value)
    assert not (tmp_path / "study").exists()


def test_sides_of_a_choice_test_must_be_named(choices: Path) -> None:
    for stop, said in (
        ("win(threshold=0.5)", "the candidates are of a, b, c"),
        ("win(first=a,second=d,threshold=0.5)", "no candidate is of 'd'"),
        ("win(first=a,second=a,threshold=0.5)", "both sides are the same"),
    ):
        with pytest.raises(ErrorbarError, match=said):
            errorbar.judge_change(choices, rules={"stop": stop})


def test_items_must_be_those_of_the_key(drawn: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text(f"item,text,word\nother,{TEXT},on\n")
    errorbar.judge_init(tmp_path / "study", drawn / "todo.jsonl", key=drawn / "key", stop=STOP)
    with pytest.raises(ErrorbarError, match=r"1 items were not drawn with the key, e\.g\. other"):
        errorbar.judge_change(tmp_path / "study", add=tmp_path / "more.csv")
    assert errorbar.judge_change(tmp_path / "study", rules={"stop": ""}, add=tmp_path / "more.csv").n_added == 1


def test_on_the_command_line(drawn: Path, tmp_path: Path, errorbar: CommandLine) -> None:
    folder = tmp_path / "study"
    given = ("--from", drawn / "todo.jsonl", "--key", drawn / "key", "--stop", "P(half_width=0.1)")
    assert errorbar("judge", "init", folder, *given).code == 0
    halted = errorbar("judge", "change", folder, "--halt", "--reason", "it rains", "--format", "json")
    assert validated("judge-change", halted.out)["halted"] == "it rains"
    assert "nothing more is handed out: it rains" in errorbar("judge", "change", folder).out
    found = validated("judge-status", errorbar("judge", "status", folder, "--format", "json").out)
    assert found["stopping"]["halted"] == "it rains"
    assert "ended: it rains" in errorbar("judge", "status", folder).out
    resumed = errorbar("judge", "change", folder, "--resume", "--rule", "stop=P(half_width=0.2)", "--format", "json")
    assert validated("judge-change", resumed.out)["rules"]["stop"] == "P(half_width=0.2)"
    for wrong, code in (
        (("--halt",), "judge-no-reason"),
        (("--halt", "--resume", "--reason", "x"), "two-choices"),
        (("--rule", "stop=P"), "judge-stop"),
        (("--key", drawn / "flags.csv"), "sample-key"),
    ):
        said = errorbar("judge", "change", folder, *wrong)
        assert (said.code, said.err.count("\n"), f"[{code}]" in said.err) == (2, 1, True), said.err


def test_what_is_added_to_a_halted_study_waits_for_its_resumption(tmp_path: Path) -> None:
    """Items and places that came after the halt were handed out at once."""
    (tmp_path / "items.csv").write_text("item,text\na,[x] y\nb,[y] z\n")
    (tmp_path / "more.csv").write_text("item,text\nc,[z] x\n")
    stop = "share(label=error,half_width=0.05)"
    given: dict[str, Any] = {"raters_per_item": 1, "policy": "none", "stop": stop}
    errorbar.judge_init(tmp_path / "study", tmp_path / "items.csv", **given)
    errorbar.judge_change(tmp_path / "study", halt=True, reason="it rains")
    added = errorbar.judge_change(tmp_path / "study", add=tmp_path / "more.csv", rules={"raters_per_item": 2})
    assert (added.n_added, added.halted) == (1, "it rains")
    with Study.open(tmp_path / "study").store() as store, store.read() as tx:
        assert tx.execute(text("SELECT count(*) FROM item WHERE stopped = 'halted: it rains'")).scalar() == 3
    errorbar.judge_change(tmp_path / "study", resume=True)
    with Study.open(tmp_path / "study").store() as store, store.read() as tx:
        assert tx.execute(text("SELECT count(*) FROM item WHERE stopped <> ''")).scalar() == 0


@pytest.mark.parametrize(("low", "high", "side"), [(0.52, 0.7, "above"), (0.3, 0.48, "below")])
def test_the_side_of_a_threshold_is_the_intervals(low: float, high: float, side: str) -> None:
    """An asymptotic interval lies around another value than the plain one."""
    estimate = Estimate(0.5, 90).with_interval(Interval(low, high, 0.95, "anytime, asymptotic"))
    known = (True, False, "anytime", 90, 90, 0, 0, 0, "", 0, None, "", "", False)
    now = StopDecision("R(threshold=0.5)", "R", estimate, None, 0.5, *known)
    assert verdict(now) == f"decided: {side} 50"


def test_a_question_is_the_same_once_its_study_was_resumed(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,text,word\ni1,He is here .,is\ni2,She is here .,is\n", encoding="utf-8")
    study = tmp_path / "study"
    errorbar.judge_init(study, tmp_path / "items.csv", stop="share(label=error,threshold=0.9999999,act=true)")
    errorbar.judge_change(study, halt=True, reason="lunch")
    errorbar.judge_change(study, resume=True)
    with Study.open(study).snapshot() as tx:
        assert current_rules(tx).stop == "share(label=error,threshold=0.9999999)"
    assert errorbar.judge_status(study).stopping is not None
