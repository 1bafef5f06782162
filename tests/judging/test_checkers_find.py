"""Each checker finds the fault that it is for, and finds nothing in a good history."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.judging.jepsen import check_answers, check_outside, check_places, checks, telling
from tests.judging.jepsen.history import History
from tests.judging.jepsen.stored import Stored

Tables = dict[str, list[dict[str, Any]]]


def good() -> tuple[History, Tables]:
    """Two raters judge one item of k = 2 and a gold item each; one answer is changed, one is sent twice."""
    history = History()
    tables: Tables = {name: [] for name in ("item", "rater", "assignment", "answer", "event", "exclusion")}
    for item, kind in enumerate(("work", "gold"), 1):
        tables["item"].append(
            {"id": item, "name": f"i{item}", "kind": kind, "text_hash": f"{item:016x}", "stopped": "", "taken": 0}
        )
    tables["item"][0]["taken"] = 2
    for rater in (1, 2):
        tables["rater"].append({"id": rater, "name": f"r{rater}", "participant": f"p{rater}", "status": "active"})
        for item in (1, 2):
            claim(history, tables, rater, item)
            answer(history, tables, rater, item, base=0)
    answer(history, tables, 1, 1, base=1)  # changed
    history.add("rater-2", "answer", "invoke", 99, **sent(2, 1, 0))
    history.add("rater-2", "answer", "ok", 99, submission="s-2-1-0", status="saved", version=1)
    return history, tables


def sent(rater: int, item: int, base: int) -> dict[str, Any]:
    return {
        "submission": f"s-{rater}-{item}-{base}",
        "assignment": f"t-{rater}-{item}",
        "base_version": base,
        "answer": {"judgment": "OK"},
        "skip": "",
        "text_hash": f"{item:016x}",
    }


def claim(history: History, tables: Tables, rater: int, item: int) -> None:
    number = len(tables["assignment"]) + 1
    token = f"t-{rater}-{item}"
    tables["assignment"].append(
        {"id": number, "token": token, "item": item, "rater": rater, "round": "main"}
        | {"seq": item, "state": "open", "version": 0}
    )
    event(tables, number, rater, "claimed", "open")
    history.add(f"rater-{rater}", "seen", "info", 0, assignment=token, text_hash=f"{item:016x}")


def event(tables: Tables, assignment: int, rater: int, kind: str, state: str) -> None:
    tables["event"].append(
        {"id": len(tables["event"]) + 1, "kind": kind, "rater": rater, "assignment": assignment}
        | {"data": f'{{"state": "{state}"}}' if kind == "answered" else ""}
    )


def answer(history: History, tables: Tables, rater: int, item: int, base: int) -> None:
    data = sent(rater, item, base)
    assignment = next(row for row in tables["assignment"] if row["token"] == data["assignment"])
    assignment["state"], assignment["version"] = "done", base + 1
    tables["answer"].append(
        {"id": len(tables["answer"]) + 1, "submission": data["submission"], "assignment": assignment["id"]}
        | {"version": base + 1, "answer": '{"judgment": "OK"}', "skip": "", "status": "saved"}
    )
    event(tables, assignment["id"], rater, "answered", "done")
    call = history.call()
    history.add(f"rater-{rater}", "answer", "invoke", call, **data)
    history.add(f"rater-{rater}", "answer", "ok", call, submission=data["submission"], status="saved", version=base + 1)


CHECKS = [*checks.ALWAYS, *checks.OF_A_RUN, check_places.k_at_the_end]


def stored(tables: Tables, **changes: object) -> Stored:
    made = Stored(**tables, raters_per_item=2)  # type: ignore[arg-type]
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_good_history_has_no_fault(check: Callable[[History, Stored], list[str]]) -> None:
    history, tables = good()
    assert check(history, stored(tables)) == []


def lost(_history: History, tables: Tables) -> None:
    del tables["answer"][-1]


def changed(_history: History, tables: Tables) -> None:
    tables["answer"][0]["answer"] = '{"judgment": "Error"}'


def swapped(_history: History, tables: Tables) -> None:
    first, second = tables["answer"][:2]
    first["assignment"], second["assignment"] = second["assignment"], first["assignment"]


def unsent(_history: History, tables: Tables) -> None:
    tables["answer"][0]["submission"] = "from nowhere"


def denied(history: History, _tables: Tables) -> None:
    history.add("rater-1", "answer", "ok", 7, submission="s-1-1-1", status="conflict", version=1)


def other_receipt(history: History, _tables: Tables) -> None:
    history.add("rater-1", "answer", "ok", 7, submission="s-1-1-0", status="saved", version=2)


def gap(_history: History, tables: Tables) -> None:
    tables["answer"][-1]["version"] = 3


def blind_overwrite(history: History, tables: Tables) -> None:
    """Two tabs, both of which had seen version 1: the second one replaces the first."""
    call = history.call()
    data = {**sent(1, 1, 1), "submission": "other tab"}
    tables["answer"].append({**tables["answer"][-1], "id": 99, "submission": "other tab", "version": 3})
    tables["assignment"][0]["version"] = 3
    history.add("rater-1", "answer", "invoke", call, **data)
    history.add("rater-1", "answer", "ok", call, submission="other tab", status="saved", version=3)


def stale_read(history: History, tables: Tables) -> None:
    """The later answer got the lower version."""
    of_first = [row for row in tables["answer"] if row["assignment"] == 1]
    of_first[0]["version"], of_first[1]["version"] = 2, 1
    for place, op in enumerate(history.ops):
        if op.what == "answer" and op.phase == "ok" and op.data["submission"].startswith("s-1-1"):
            version = 2 if op.data["submission"] == "s-1-1-0" else 1
            history.ops[place] = dataclasses.replace(op, data={**op.data, "version": version})


def shown_to_two(history: History, _tables: Tables) -> None:
    history.add("rater-2", "seen", "info", 0, assignment="t-1-1", text_hash=f"{1:016x}")


def answered_for_another(history: History, _tables: Tables) -> None:
    history.add("rater-2", "answer", "invoke", 50, **{**sent(1, 1, 2), "submission": "forged"})
    history.add("rater-2", "answer", "ok", 50, submission="forged", status="saved", version=3)


def wrong_text(history: History, _tables: Tables) -> None:
    history.add("rater-1", "answer", "invoke", 50, **{**sent(1, 2, 0), "submission": "x", "text_hash": "0" * 16})
    history.add("rater-1", "answer", "ok", 50, submission="x", status="saved", version=2)


def third_place(history: History, tables: Tables) -> None:
    """Three hold an item of two places; by the end one has let go, so that the tables look well."""
    tables["rater"].append({"id": 3, "name": "r3", "participant": "p3", "status": "active"})
    claim(history, tables, 3, 1)
    tables["assignment"][-1]["state"] = "expired"
    event(tables, tables["assignment"][-1]["id"], 3, "expired", "expired")


def silent_change(_history: History, tables: Tables) -> None:
    tables["assignment"][0]["state"] = "expired"


def below_k(_history: History, tables: Tables) -> None:
    tables["assignment"][0]["state"] = "aside"
    tables["item"][0]["taken"] = 1


def above_k(_history: History, tables: Tables) -> None:
    tables["assignment"].append({**tables["assignment"][0], "id": 9, "rater": 3})
    tables["item"][0]["taken"] = 3


def miscounted(_history: History, tables: Tables) -> None:
    tables["item"][0]["taken"] = 1


def gold_takes_places(_history: History, tables: Tables) -> None:
    tables["item"][1]["taken"] = 1


def same_person(_history: History, tables: Tables) -> None:
    tables["rater"][1]["participant"] = "p1"


def done_without_answer(_history: History, tables: Tables) -> None:
    tables["answer"] = [row for row in tables["answer"] if row["assignment"] != 3]


def skipped_with_answer(_history: History, tables: Tables) -> None:
    tables["assignment"][0]["state"] = "skipped"


def excluded_counts(_history: History, tables: Tables) -> None:
    tables["rater"][0]["status"] = "excluded"
    tables["exclusion"].append({"id": 1, "rater": 1, "until": None})


def excluded_in_one_table(_history: History, tables: Tables) -> None:
    tables["exclusion"].append({"id": 1, "rater": 1, "until": None})


def claimed_while_halted(_history: History, tables: Tables) -> None:
    tables["event"][0]["id"] = 3
    tables["event"].insert(0, {"id": 2, "kind": "halted", "rater": None, "assignment": None, "data": ""})


def withdrawal_lost(history: History, _tables: Tables) -> None:
    history.add("rater-1", "withdraw", "ok", 98, status=200)


def answered_after_withdrawal(history: History, tables: Tables) -> None:
    tables["rater"][0]["status"] = "withdrawn"
    last = {"id": 3, "kind": "withdrawn", "rater": 1, "assignment": None, "data": "kept"}
    tables["event"] = [*tables["event"][:2], last, *({**each, "id": each["id"] + 1} for each in tables["event"][2:])]
    history.add("rater-1", "withdraw", "ok", 98, status=200)


def server_error(history: History, _tables: Tables) -> None:
    history.add("rater-1", "http", "info", 0, status=500, path="/api/answer", body="")


def unavailable_for_no_reason(history: History, _tables: Tables) -> None:
    history.add("rater-1", "http", "info", 0, status=503, path="/api/answer", body="")


def locked(history: History, _tables: Tables) -> None:
    history.add("rater-1", "http", "info", 0, status=409, path="/api/answer", body="database is locked")


def traceback(history: History, _tables: Tables) -> None:
    history.add("server", "log", "info", 0, line="Traceback (most recent call last):")


BAD: list[tuple[Callable[[History, Tables], None], Callable[[History, Stored], list[str]], str]] = [
    (lost, check_answers.acknowledged_is_stored, "not stored"),
    (changed, check_answers.acknowledged_is_stored, "its answer was"),
    (swapped, check_answers.acknowledged_is_stored, "its assignment was"),
    (gap, check_answers.acknowledged_is_stored, "its version was"),
    (unsent, check_answers.stored_was_sent, "nobody sent"),
    (denied, check_answers.stored_was_sent, "said conflict"),
    (other_receipt, check_answers.same_receipt_again, "got the receipts"),
    (gap, check_answers.versions_without_gaps, "has the versions"),
    (lost, check_answers.versions_without_gaps, "counts version"),
    (blind_overwrite, check_answers.versions_without_gaps, "its sender had seen 1"),
    (stale_read, check_answers.versions_in_order_of_time, "was acknowledged before"),
    (shown_to_two, check_answers.own_work_alone, "was shown to rater-1 and to rater-2"),
    (answered_for_another, check_answers.own_work_alone, "shown to rater-1"),
    (wrong_text, check_answers.own_work_alone, "of another item"),
    (third_place, check_places.at_most_k_always, "had 3 places taken"),
    (silent_change, check_places.at_most_k_always, "its events end with"),
    (below_k, check_places.k_at_the_end, "ends with 1 answers of 2"),
    (above_k, check_places.k_at_the_end, "ends with 3 answers of 2"),
    (miscounted, check_places.k_at_the_end, "counts 1 places, 2 are taken"),
    (gold_takes_places, check_places.k_at_the_end, "the gold item i2 takes"),
    (withdrawal_lost, check_places.withdrawn_stay_out, "rater-1 was told that they have withdrawn, and is active"),
    (answered_after_withdrawal, check_places.withdrawn_stay_out, "rater 1 withdrew by event 3, and event 4 is claimed"),
    (claimed_while_halted, check_places.nothing_handed_out_while_halted, "i1 was handed out by event 3 while"),
    (same_person, check_places.nobody_twice, "given to p1 twice"),
    (done_without_answer, check_places.states_have_answers, "has no answer"),
    (skipped_with_answer, check_places.states_have_answers, "not a skip"),
    (excluded_counts, check_places.excluded_do_not_count, "take places"),
    (excluded_in_one_table, check_places.excluded_do_not_count, "says otherwise"),
    (server_error, check_outside.no_error_but_a_full_disk, "got 500"),
    (unavailable_for_no_reason, check_outside.no_error_but_a_full_disk, "got 503"),
    (locked, check_outside.no_error_but_a_full_disk, "database is locked"),
    (traceback, check_outside.no_error_but_a_full_disk, "Traceback"),
]


@pytest.mark.parametrize(("spoil", "check", "says"), BAD, ids=lambda each: getattr(each, "__name__", None))
def test_a_fault_is_found(
    spoil: Callable[[History, Tables], None], check: Callable[[History, Stored], list[str]], says: str
) -> None:
    history, tables = good()
    spoil(history, tables)
    faults = check(history, stored(tables))
    assert any(says in fault for fault in faults), faults


def test_a_full_disk_excuses_503_while_it_lasts() -> None:
    history = History()
    history.add("nemesis", "disk", "info", 0, state="full")
    history.add("rater-1", "http", "info", 0, status=503, path="/api/answer", body="")
    history.add("nemesis", "disk", "info", 0, state="ok")
    _, tables = good()
    assert check_outside.no_error_but_a_full_disk(history, stored(tables)) == []
    history.ops.append(dataclasses.replace(history.ops[1], at=history.ops[-1].at + 60))
    assert len(check_outside.no_error_but_a_full_disk(history, stored(tables))) == 1


def test_a_file_that_is_not_whole_is_found() -> None:
    history, tables = good()
    damaged = stored(tables, integrity="row 3 missing from index")
    assert check_outside.file_is_whole(history, damaged) == ["integrity_check: row 3 missing from index"]


def exported(tables: Tables, kinds: tuple[str, ...] = ("work", "gold")) -> list[dict[str, Any]]:
    kind = {row["id"]: row["kind"] for row in tables["item"]}
    return [
        {"item": f"i{row['item']}", "rater": f"r{row['rater']}", "round": "main", "state": row["state"]}
        | {"version": row["version"], "judgment": "OK", "skip": ""}
        for row in tables["assignment"]
        if kind[row["item"]] in kinds
    ]


def test_an_export_that_is_not_the_store_is_found() -> None:
    _, tables = good()
    rows = exported(tables)
    assert check_outside.exported_is_stored(rows, stored(tables)) == []
    assert check_outside.exported_is_stored(exported(tables, ("work",)), stored(tables), all_kinds=False) == []
    assert "not exported" in check_outside.exported_is_stored(rows[1:], stored(tables))[0]
    assert "not stored so" in check_outside.exported_is_stored([*rows, rows[0]], stored(tables))[0]
    assert len(check_outside.exported_is_stored([{**rows[0], "judgment": "Error"}, *rows[1:]], stored(tables))) == 2
    assert "gold" not in check_outside.exported_is_stored(rows, stored(tables), all_kinds=False)[0]


def blind(leak: Callable[[dict[str, Any], bool], None] | None) -> tuple[History, Stored]:
    """A hundred pages of ten with a gold item at a random place each, and a leak."""
    random = np.random.default_rng(5)
    history = History()
    tables: Tables = {name: [] for name in ("item", "rater", "assignment", "answer", "event", "exclusion")}
    tables["item"] = [{"id": 1, "kind": "work"}, {"id": 2, "kind": "gold"}]
    for page in range(100):
        at = int(random.integers(10))
        for place in range(10):
            token = random.bytes(12).hex()
            tables["assignment"].append(
                {"token": token, "item": 2 if place == at else 1, "rater": 1, "round": "main", "seq": page * 10 + place}
            )
            seen = {
                "assignment": token,
                "text_hash": random.bytes(8).hex(),
                "length": int(random.integers(300, 400)),
                "tags": int(random.integers(20, 30)),
                "shape": "<p><mark></mark></p>",
                "keys": ["assignment", "html"],
                "place": place,
                "seconds": float(random.exponential(0.01)),
                "headers": 400,
                "round": "main",
            }
            if leak is not None:
                leak(seen, place == at)
            history.add("rater-1", "seen", "info", 0, **seen)
    return history, stored(tables)


def longer(seen: dict[str, Any], gold: bool) -> None:
    seen["length"] += 30 * gold


def slower(seen: dict[str, Any], gold: bool) -> None:
    seen["seconds"] += 0.005 * gold


def other_markup(seen: dict[str, Any], gold: bool) -> None:
    seen["shape"] = "<p data-gold><mark></mark></p>" if gold else seen["shape"]


def another_field(seen: dict[str, Any], gold: bool) -> None:
    seen["keys"] = [*seen["keys"], "explanation"] if gold else seen["keys"]


def low_token(seen: dict[str, Any], gold: bool) -> None:
    seen["text_hash"] = "0000" + seen["text_hash"][4:] if gold else seen["text_hash"]


@pytest.mark.parametrize(
    ("leak", "says"),
    [
        (longer, "length of the markup"),
        (slower, "time of the reply"),
        (other_markup, "by the tags"),
        (another_field, "names of the fields"),
        (low_token, "value of the text's hash"),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_a_leak_of_gold_is_found(leak: Callable[[dict[str, Any], bool], None], says: str) -> None:
    faults = telling.gold_cannot_be_told(*blind(leak))
    assert any(says in fault for fault in faults), faults


def test_gold_that_cannot_be_told_is_not_told() -> None:
    history, table = blind(None)
    assert telling.gold_cannot_be_told(history, table) == []
    assert telling.place_in_page_is_uniform(history, table, 10) == []


def test_gold_that_always_comes_last_is_found() -> None:
    assert "gold stands at" in telling.uniform([0, 0, 0, 100])[0]
    assert "too few" in telling.uniform([1, 0])[0]


def test_few_gold_items_prove_nothing() -> None:
    history, tables = good()
    assert "too few" in telling.gold_cannot_be_told(history, stored(tables))[0]
