"""Answers: one receipt for one id, versions, late ones, skipped ones, and nothing lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from errorbar.judging import StudyRules, Submission, check
from errorbar.judging.protocol.submissions import MOST_KEPT, MOST_VOLUME, make_storable
from tests.judging.empty_stores import MAIN, VALUES, Study, answer_to, gold_item, skip_of, work_item

HOUR = 3600.0


@pytest.fixture
def study(store_url: str) -> Iterator[Study]:
    items = [work_item(f"w{number}") for number in range(16)]
    made = Study(store_url, StudyRules(raters_per_item=1, policy="none"), items, 3)
    yield made
    assert check(made.store) == []
    made.store.close()


def kept(study: Study, kind: str) -> list[dict[str, Any]]:
    return [
        json.loads(data)["submission"] for (data,) in study.rows("SELECT data FROM event WHERE kind = :kind", kind=kind)
    ]


def test_the_same_id_five_times_at_once_is_one_answer(study: Study) -> None:
    one = answer_to(study.claim(study.raters[0]).leases[0])
    with ThreadPoolExecutor(5) as pool:
        receipts = list(pool.map(lambda _: study.submit(study.raters[0], one), range(5)))
    assert all(each == receipts[0] for each in receipts)
    assert receipts[0][0].status == "saved"
    assert study.rows("SELECT count(*) FROM answer") == [(1,)]


def test_the_same_id_twice_in_one_post_and_with_other_content(study: Study) -> None:
    one = answer_to(study.claim(study.raters[0]).leases[0])
    first, second = study.submit(study.raters[0], one, one)
    assert first == second
    assert study.submit(study.raters[0], replace(one, answer={MAIN: VALUES[1]})) == [first]
    assert study.rows("SELECT answer FROM answer") == [(json.dumps({MAIN: VALUES[0]}),)]


def test_an_id_of_another_rater_tells_nothing(study: Study) -> None:
    one = answer_to(study.claim(study.raters[0]).leases[0])
    study.submit(study.raters[0], one)
    receipt = study.submit(study.raters[1], one)[0]
    assert (receipt.status, receipt.stored, receipt.version) == ("refused", None, 0)


def test_a_token_of_another_rater_is_refused_and_kept(study: Study) -> None:
    lease = study.claim(study.raters[0]).leases[0]
    receipt = study.answer(study.raters[1], lease)
    assert (receipt.status, receipt.why) == ("refused", "this item was not given to you")
    assert [each["answer"] for each in kept(study, "refused")] == [{MAIN: VALUES[0]}]
    assert study.answer(study.raters[0], lease).status == "saved"


def test_a_stale_tab_overwrites_nothing(study: Study) -> None:
    rater, lease = study.raters[0], study.claim(study.raters[0]).leases[0]
    study.answer(rater, lease, VALUES[0])
    stale = answer_to(lease, VALUES[1])
    receipt = study.submit(rater, stale)[0]
    assert (receipt.status, receipt.version, receipt.stored) == ("conflict", 1, {MAIN: VALUES[0]})
    assert study.submit(rater, stale) == [receipt]  # also after the next version
    assert study.answer(rater, lease, VALUES[1], base=1).version == 2
    assert study.submit(rater, stale) == [receipt]
    assert [each["answer"] for each in kept(study, "conflict")] == [{MAIN: VALUES[1]}]
    assert study.rows("SELECT version, answer FROM answer ORDER BY version") == [
        (1, json.dumps({MAIN: VALUES[0]})),
        (2, json.dumps({MAIN: VALUES[1]})),
    ]


def test_an_answer_to_another_text_is_refused_and_kept(study: Study) -> None:
    lease = study.claim(study.raters[0]).leases[0]
    wrong = replace(answer_to(lease), text_hash="0" * 16, comment="a remark", trail={"judgment": 7})
    receipt = study.submit(study.raters[0], wrong)[0]
    assert receipt.status == "refused"
    assert "another text" in receipt.why
    assert study.submit(study.raters[0], wrong) == [receipt]
    (found,) = kept(study, "refused")
    assert (found["comment"], found["trail"], found["answer"]) == ("a remark", {"judgment": 7}, {MAIN: VALUES[0]})


@pytest.mark.parametrize("answer", [{}, {MAIN: "perhaps"}, {"nothing": "Error"}, {MAIN: 7}])
def test_an_unfit_answer_is_refused_with_what_is_wrong(study: Study, answer: dict[str, object]) -> None:
    lease = study.claim(study.raters[0]).leases[0]
    receipt = study.submit(study.raters[0], replace(answer_to(lease), answer=answer))[0]
    assert receipt.status == "refused"
    assert receipt.why
    assert study.answer(study.raters[0], lease).status == "saved"


def test_ten_answers_back_can_be_changed_and_no_more(study: Study) -> None:
    rater, leases = study.raters[0], []
    for _ in range(11):
        leases.append(study.claim(rater).leases[0])
        study.answer(rater, leases[-1])
    assert study.answer(rater, leases[0], VALUES[1], base=1).why == "only the last 10 answers can be changed"
    assert study.answer(rater, leases[1], VALUES[1], base=1).status == "saved"
    assert study.answer(rater, leases[1], VALUES[0], base=2).version == 3  # a change makes no answer older


def test_a_late_answer_takes_the_place_if_it_is_free(study: Study) -> None:
    rater, other = study.raters[:2]
    first, second = study.claim(rater, 2).leases
    study.clock.now += 2 * HOUR
    assert study.answer(rater, first).status == "saved"
    theirs = [lease for lease in study.claim(other).leases if lease.item.name == second.item.name]
    while not theirs:
        study.answer(other, study.claim(other).leases[0])
        theirs = [lease for lease in study.claim(other).leases if lease.item.name == second.item.name]
    study.answer(other, theirs[0])
    assert study.answer(rater, second).status == "extra"
    assert study.states()[rater, second.item.name, "main"] == "extra"


def test_an_item_is_skipped_with_a_reason_and_goes_to_others(study: Study) -> None:
    rater, lease = study.raters[0], study.claim(study.raters[0], 1).leases[0]
    assert study.skip(rater, lease, "  ").why == "an item is skipped with a reason"
    assert study.skip(rater, lease, "I know the writer").status == "saved"
    assert lease.item.name not in [each.item.name for each in study.claim(rater).leases]
    assert study.rows("SELECT answer, skip FROM answer") == [("null", "I know the writer")]
    assert study.rows("SELECT taken FROM item WHERE name = :name", name=lease.item.name) == [(0,)]
    assert study.answer(rater, lease, base=1).status == "saved"  # undone
    assert study.rows("SELECT taken FROM item WHERE name = :name", name=lease.item.name) == [(1,)]


def test_empty_skipped_and_answered_stay_apart(study: Study) -> None:
    rater = study.raters[0]
    first, second, third = study.claim(rater, 3).leases
    study.submit(rater, replace(skip_of(first), comment="why"), answer_to(second))
    rows = dict(study.rows("SELECT i.name, a.state FROM assignment a JOIN item i ON i.id = a.item"))
    assert rows == {first.item.name: "skipped", second.item.name: "done", third.item.name: "open"}


def test_what_no_database_can_hold_is_replaced_and_stored(study: Study) -> None:
    lease = study.claim(study.raters[0]).leases[0]
    odd = replace(answer_to(lease), id="id\0", comment="a\0b \ud800 \U0001f600 e\u0301", milliseconds=10**30)
    receipt = study.submit(study.raters[0], odd)[0]
    assert receipt.status == "saved"
    assert study.submit(study.raters[0], odd)[0].status == "saved"
    assert study.rows("SELECT comment, milliseconds FROM answer") == [("a\ufffdb \ufffd \U0001f600 e\u0301", 2**31 - 1)]
    for bad in (replace(odd, id=""), replace(odd, id="x" * 65), replace(odd, id="y", token="\0")):
        assert study.submit(study.raters[0], bad)[0].status == "refused"


def test_texts_that_can_be_stored_stay_as_they_are() -> None:
    assert make_storable("plain é \U0001f600 \u0301 שלום") == "plain é \U0001f600 \u0301 שלום"
    assert make_storable("\ud83d\ude00") == "\U0001f600"


def test_fast_wrong_answers_to_gold_exclude_a_rater(store_url: str) -> None:
    items = [work_item(f"w{number}") for number in range(90)]
    items += [gold_item(f"g{number}", VALUES[number % 2]) for number in range(12)]
    study = Study(store_url, StudyRules(raters_per_item=2, policy="fixed", policy_gold=5), items, 2)
    for rater, good in zip(study.raters, (True, False), strict=True):
        work = study.claim(rater, 1)
        while work.leases and work.done < 60:
            lease = work.leases[0]
            right = (*lease.item.answers, VALUES[0])[0]
            wrong = VALUES[1] if right == VALUES[0] else VALUES[0]
            study.answer(rater, lease, right if good else wrong)
            work = study.claim(rater, 1)
        assert work.standing == ("work" if good else "excluded")
    assert study.rows('SELECT "by" FROM exclusion') == [("policy",)]
    assert check(study.store) == []
    study.store.close()


def stored_bytes(study: Study) -> int:
    (events,) = study.rows("SELECT sum(length(data)) FROM event")[0]
    (answers,) = study.rows("SELECT coalesce(sum(length(comment) + length(answer)), 0) FROM answer")[0]
    return int(events + answers)


def test_a_refused_submission_keeps_4_kb_and_all_of_a_rater_a_megabyte(study: Study) -> None:
    rater = study.raters[0]
    lease = study.claim(rater).leases[0]
    long = replace(answer_to(lease), answer={"nothing": "x" * 30_000}, comment="y" * 20_000)
    receipts = study.submit(rater, *(replace(long, id=f"long-{n}") for n in range(400)))
    assert {receipt.status for receipt in receipts} == {"refused"}
    begun = kept(study, "refused")
    assert 200 < len(begun) < 400
    assert all(each["bytes"] > 50_000 and len(each["beginning"]) <= MOST_KEPT for each in begun)
    assert all(lease.token in each["beginning"] for each in begun)
    assert stored_bytes(study) < MOST_VOLUME
    short = replace(answer_to(lease), text_hash="0" * 16)
    assert study.submit(rater, *(replace(short, id=f"short-{n}") for n in range(3000)))[-1].status == "refused"
    assert stored_bytes(study) < MOST_VOLUME
    again = replace(long, id="long-0")
    assert study.submit(rater, again) == [receipts[0]]
    assert study.answer(rater, lease).status == "saved", "a first answer is always taken"
    assert study.answer(study.raters[1], study.claim(study.raters[1]).leases[0]).status == "saved"


def test_comments_are_not_rewritten_without_end_and_nothing_acknowledged_is_lost(study: Study) -> None:
    rater = study.raters[0]
    first, second = study.claim(rater, 2).leases
    acknowledged: list[Submission] = []
    for version in range(100):
        sent = replace(answer_to(first, base=len(acknowledged)), comment=f"{version}" + "z" * 19_990)
        (receipt,) = study.submit(rater, sent)
        if receipt.status == "saved":
            acknowledged.append(sent)
        else:
            assert receipt.why.startswith("what you have sent so far is too long")
    assert 40 < len(acknowledged) < 60
    rows = study.rows("SELECT submission, comment FROM answer ORDER BY version")
    assert rows == [(sent.id, sent.comment) for sent in acknowledged]
    assert stored_bytes(study) < 1.1 * MOST_VOLUME
    assert study.submit(rater, replace(answer_to(second), comment="A remark of usual length."))[0].status == "saved"
