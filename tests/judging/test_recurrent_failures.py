"""Failures that recur in tools of this kind, provoked on both stores; recurrent_failures.md numbers them."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from errorbar.core import UsageError
from errorbar.judging import (
    JudgedItem,
    Lease,
    Store,
    StudyRules,
    Submission,
    SubmissionReceipt,
    Work,
    add_items,
    check,
    claim,
    exclude,
    load_scheme,
    readmit,
    set_rules,
    shown_hash,
    stop_item,
    submit,
)
from tests.judging.jepsen.study_in_process import add_raters, fill_store

SCHEME = load_scheme("error-ok")
RULES = StudyRules(raters_per_item=2, policy="none")
ITEMS = [JudgedItem(f"w{n}", f"Item {n} is here .", (0, 4)) for n in range(6)]
GOLD = JudgedItem("g0", "Gold is here .", (0, 4), kind="gold", answers=("ok",))
OK = {"judgment": "ok"}


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """Six items for work and a gold one, two judgments each, raters 1 to 9."""
    fill_store(store_url, SCHEME, RULES, [*ITEMS, GOLD])
    add_raters(store_url, range(1, 10))
    with Store.open(store_url) as opened:
        yield opened
        assert [each.what for each in check(opened)] == []


def claims(store: Store, rater: int, want: int = 10, now: float = 0.0, rules: StudyRules = RULES) -> Work:
    return store.write(lambda tx: claim(tx, rules, rater, want, now))


def answer(store: Store, rater: int, lease: Lease, now: float = 0.0, **changed: object) -> SubmissionReceipt:
    said: dict[str, object] = {
        "id": f"{rater} {lease.token} {lease.version} {now}",
        "token": lease.token,
        "text_hash": shown_hash(SCHEME, lease.item, lease.reversed),
        "base_version": lease.version,
        "answer": OK,
    }
    one = Submission(**said | changed)  # type: ignore[arg-type]
    return store.write(lambda tx: submit(tx, SCHEME, RULES, rater, [one], now))[0]


def judge_all(store: Store, rater: int, now: float = 0.0) -> int:
    """How many items for work there were."""
    n = 0
    while (found := claims(store, rater, now=now)).leases:
        for each in found.leases:
            answer(store, rater, each, now)
        n += len(work(found))
    return n


def number(store: Store, query: str) -> int:
    with store.read() as tx:
        return int(tx.scalar(text(query)) or 0)


def states(store: Store, item: str) -> list[str]:
    query = f"SELECT a.state FROM assignment a JOIN item i ON i.id = a.item WHERE i.name = '{item}' ORDER BY a.rater"
    with store.read() as tx:
        return list(tx.scalars(text(query)))


def work(leases: Work) -> list[Lease]:
    return [each for each in leases.leases if each.item.kind == "work"]


def test_raters_who_claim_at_once_never_exceed_k(store: Store, store_url: str) -> None:
    """Two stores stand for two processes; the checker has forty raters and four processes."""
    start = threading.Barrier(8)
    with Store.open(store_url) as other:

        def run(rater: int) -> None:
            start.wait()
            for _ in range(5):
                claims(store if rater % 2 else other, rater, want=2)

        threads = [threading.Thread(target=run, args=(rater,)) for rater in range(1, 9)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert number(store, "SELECT max(taken) FROM item") == 2
    assert number(store, "SELECT count(*) FROM assignment WHERE round = 'main'") >= 12


def test_a_lease_that_runs_out_gives_its_place_back_once_and_the_late_answer_is_extra(store: Store) -> None:
    late = next(iter(work(claims(store, 1))))
    hour = RULES.lease_minutes * 60 + 1
    assert judge_all(store, 2, hour) == judge_all(store, 3, hour) == 6
    receipt = answer(store, 1, late, hour + 1)
    assert receipt.status == "extra"
    assert sorted(states(store, late.item.name)) == ["done", "done", "extra"]


def test_there_is_work_as_long_as_an_item_can_be_had(store: Store) -> None:
    """Nothing left is said when nothing is left, and not before; what others hold may come back."""
    assert judge_all(store, 1) == 6
    assert claims(store, 1).standing == "finished"
    held = claims(store, 2, want=3)
    assert claims(store, 3).standing == "work"
    judge_all(store, 3)
    assert claims(store, 4).standing == "waiting"
    for each in held.leases:
        answer(store, 2, each)
    assert claims(store, 4).standing == "finished"


@pytest.mark.parametrize("how", ["expired", "skipped", "excluded"])
def test_what_is_given_back_is_given_back_once(store: Store, how: str) -> None:
    lease = next(iter(work(claims(store, 1))))
    later = RULES.lease_minutes * 60 + 1 if how == "expired" else 0.0
    for _ in range(2):
        if how == "skipped":
            answer(store, 1, lease, answer=None, skip="no idea", id="the same")
        elif how == "excluded":
            store.write(lambda tx: exclude(tx, 1, "test", "manager", 0.0))
        claims(store, 2, want=0, now=later)
    assert states(store, lease.item.name) == ["skipped" if how == "skipped" else "expired"]
    judge_all(store, 2, later)
    judge_all(store, 3, later)
    assert states(store, lease.item.name).count("done") == 2


def test_k_items_and_raters_change_in_the_middle(store: Store) -> None:
    judge_all(store, 1)
    more = StudyRules(raters_per_item=3, policy="none")
    store.write(lambda tx: set_rules(tx, more, 1.0))
    store.write(lambda tx: add_items(tx, [JudgedItem("new", "Another one .", (0, 7))], 1.0))
    store.write(lambda tx: stop_item(tx, "w0", "a typing error", 1.0))
    store.write(lambda tx: exclude(tx, 1, "test", "manager", 2.0))
    for rater in (2, 3, 4):
        judged = {each.item.name for each in work(claims(store, rater, rules=more))}
        assert "w0" not in judged
        for each in claims(store, rater, rules=more).leases:
            answer(store, rater, each)
    store.write(lambda tx: set_rules(tx, RULES, 3.0))
    assert number(store, "SELECT max(taken) FROM item") <= 3
    assert [each.what for each in check(store)] == []


def test_the_first_item_of_a_fresh_rater_is_theirs_and_nobody_else_can_take_it(store: Store) -> None:
    lease = claims(store, 1, want=1).leases[0]
    assert answer(store, 2, lease).status == "refused"
    assert answer(store, 1, lease, token="f" * 24, id="made up").status == "refused"
    assert answer(store, 1, lease).status == "saved"


def test_two_tabs_hold_the_same_items(store: Store) -> None:
    first, second = claims(store, 1, want=4), claims(store, 1, want=4)
    assert [each.token for each in first.leases] == [each.token for each in second.leases]
    assert number(store, "SELECT count(*) FROM assignment") == 4


def test_gold_that_is_used_up_or_stopped_stops_nobody(store: Store) -> None:
    store.write(lambda tx: stop_item(tx, "g0", "it was wrong", 0.0))
    assert judge_all(store, 1) == len(ITEMS)


def test_a_submission_sent_five_times_is_one_answer_and_one_receipt(store: Store) -> None:
    lease = claims(store, 1, want=1).leases[0]
    receipts = [answer(store, 1, lease) for _ in range(5)]
    assert receipts.count(receipts[0]) == 5
    assert receipts[0].status == "saved"
    assert number(store, "SELECT count(*) FROM answer") == 1


def test_a_stale_tab_overwrites_nothing(store: Store) -> None:
    lease = claims(store, 1, want=1).leases[0]
    answer(store, 1, lease)
    stale = answer(store, 1, lease, id="other tab", answer={"judgment": "error"})
    assert (stale.status, stale.version, stale.stored) == ("conflict", 1, OK)
    assert number(store, "SELECT count(*) FROM answer") == 1


def test_an_answer_to_another_text_is_refused(store: Store) -> None:
    one, other = claims(store, 1, want=2).leases
    assert answer(store, 1, one, text_hash=shown_hash(SCHEME, other.item, other.reversed)).status == "refused"
    assert number(store, "SELECT count(*) FROM answer") == 0


def test_two_raters_who_say_the_same_are_two_judgments(store: Store) -> None:
    judge_all(store, 1)
    judge_all(store, 2)
    assert {tuple(states(store, each.name)) for each in ITEMS} == {("done", "done")}
    assert number(store, "SELECT count(DISTINCT answer) FROM answer") == 1


def test_excluding_somebody_deletes_nothing_and_can_be_undone(store: Store) -> None:
    judge_all(store, 1)
    with store.read() as tx:
        before = [tuple(row) for row in tx.execute(text("SELECT * FROM answer ORDER BY id"))]
        events = [tuple(row) for row in tx.execute(text("SELECT * FROM event ORDER BY id"))]
    store.write(lambda tx: exclude(tx, 1, "test", "manager", 1.0))
    assert states(store, "w0") == ["aside"]
    store.write(lambda tx: readmit(tx, 1, "manager", 2.0))
    assert states(store, "w0") == ["done"]
    with store.read() as tx:
        assert [tuple(row) for row in tx.execute(text("SELECT * FROM answer ORDER BY id"))] == before
        assert [tuple(row) for row in tx.execute(text("SELECT * FROM event ORDER BY id"))][: len(events)] == events


def test_an_item_twice_is_refused_and_so_is_another_text(store: Store) -> None:
    with pytest.raises(UsageError) as again:
        store.write(lambda tx: add_items(tx, [ITEMS[0]], 1.0))
    assert again.value.problems[0].code == "judge-item-exists"
    with pytest.raises(UsageError) as changed:
        store.write(lambda tx: add_items(tx, [JudgedItem("w0", "Other text .", (0, 5))], 1.0))
    assert changed.value.problems[0].code == "judge-item-changed"
    assert number(store, "SELECT count(*) FROM item") == 7


def test_who_is_excluded_in_the_middle_loses_no_answer_and_holds_nobody_up(store: Store) -> None:
    leases = work(claims(store, 1))
    store.write(lambda tx: exclude(tx, 1, "test", "manager", 1.0))
    pending = answer(store, 1, leases[0], 2.0)
    assert (pending.status, claims(store, 1).standing) == ("saved", "excluded")
    assert judge_all(store, 2) == 6
    store.write(lambda tx: readmit(tx, 1, "manager", 3.0))
    assert states(store, leases[0].item.name) == ["done", "done"]
    judge_all(store, 1)
    assert {tuple(states(store, each.name)) for each in ITEMS} == {("done", "done")}
