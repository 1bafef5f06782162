"""The checks of what onlookers saw find what they are for; all together, they find a fault that only reading found."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.judging.jepsen import check_looks, kills
from tests.judging.jepsen.history import History
from tests.judging.jepsen.run import Plan
from tests.judging.jepsen.stored import Stored
from tests.judging.test_checkers_find import good, stored

Rows = list[dict[str, Any]]


def rows_of(tables: dict[str, Rows]) -> Rows:
    """What an export of a good history shows: the last version of each answer."""
    last = {row["assignment"]: row for row in tables["answer"]}
    return [
        {"item": f"i{one['item']}", "rater": f"r{one['rater']}", "round": "main"}
        | {"version": last[one["id"]]["version"], "judgment": "OK", "skip": ""}
        for one in tables["assignment"]
    ]


def looked(history: History, file: Path, rows: Rows, *, whole: bool = True) -> None:
    """After all that was acknowledged so far."""
    call = history.call()
    history.add("manager", "look", "invoke", call, how="a look")
    with file.open("w", encoding="utf-8", newline="") as out:
        if file.suffix == ".csv":
            table = csv.DictWriter(out, ["item", "rater", "round", "version", "judgment", "skip"])
            table.writeheader()
            table.writerows(rows)
        else:
            out.writelines(json.dumps(row) + "\n" for row in rows)
    history.add("manager", "look", "ok", call, how="a look", file=str(file), whole=whole)


def everything(rows: Rows) -> Rows:
    """As JSONL has them, beside lines of other kinds."""
    answers = [{"version": n, "answer": {"judgment": "OK"}, "skip": ""} for n in (1, 2)]
    head: Rows = [{"format": "errorbar-judge"}, {"event": "claimed"}]
    return head + [
        {"judgment": row["item"], "rater": row["rater"], "round": "main", "answers": answers[: row["version"]]}
        for row in rows
    ]


def found(history: History, table: Stored) -> list[str]:
    looks = check_looks.looks_show_what_is_stored, check_looks.looks_miss_nothing_acknowledged
    return [fault for look in looks for fault in look(history, table)]


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_a_look_must_show_what_is_stored_and_acknowledged(ending: str, tmp_path: Path) -> None:
    history, tables = good()
    rows = rows_of(tables)
    shaped = everything if ending == "jsonl" else list
    looked(history, tmp_path / f"1.{ending}", shaped(rows))
    looked(history, tmp_path / f"2.{ending}", shaped(rows[1:]), whole=False)
    assert found(history, stored(tables)) == []
    looked(history, tmp_path / f"3.{ending}", shaped(rows[1:]))
    assert [fault.split(",")[0] for fault in found(history, stored(tables))] == [
        "a look lacks s-1-1-0",
        "a look lacks s-1-1-1",
    ]


def test_a_look_that_shows_an_older_version_or_what_vanishes_later_is_found(tmp_path: Path) -> None:
    history, tables = good()
    rows = rows_of(tables)
    looked(history, tmp_path / "old.csv", [{**rows[0], "version": 1}, *rows[1:]])
    assert [fault.split(",")[0] for fault in found(history, stored(tables))] == ["a look lacks s-1-1-1"]
    looked(history, tmp_path / "more.csv", [*rows, {**rows[0], "version": 3}])
    assert "which is not stored" in found(history, stored(tables))[0]


def test_a_command_may_fail_while_the_store_cannot_be_reached_and_never_for_a_lock() -> None:
    history, tables = good()
    history.add("onlooker", "look", "invoke", 1, how="errorbar status")
    history.add("nemesis", "disk", "info", 0, state="the database was killed")
    history.add("onlooker", "look", "refused", 1, how="errorbar status", why="the store cannot be read")
    history.add("nemesis", "disk", "info", 0, state="ok")
    assert check_looks.looks_fail_for_a_reason(history, stored(tables)) == []
    history.add("onlooker", "look", "refused", 1, how="errorbar status", why="database is locked")
    assert "is locked" in check_looks.looks_fail_for_a_reason(history, stored(tables))[0]


def test_a_command_may_find_nothing_to_analyze_only_before_the_first_judgment() -> None:
    history, tables = good()
    empty = "nobody judged anything in this study yet [judge-nothing]"
    history.add("onlooker", "look", "invoke", 1, how="errorbar analyze")
    history.add("onlooker", "look", "refused", 1, how="errorbar analyze", why=empty)
    assert "nobody judged" in check_looks.looks_fail_for_a_reason(history, stored(tables))[0]
    for item in tables["item"]:
        item["kind"] = "gold"  # answers to gold are not judgments
    assert check_looks.looks_fail_for_a_reason(history, stored(tables)) == []


@pytest.mark.slow
def test_a_server_that_lets_go_of_its_locks_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault was there until somebody read the code: no checker downloaded while another process ran a command."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "letting_go"), prepend=":")
    monkeypatch.setattr(kills, "LOOKED_AT", 1.0)
    found = kills.kill_runs(Plan(seconds=10, rate=400, raters=12, workers=1), 20)
    assert any("was acknowledged as saved and is not stored" in fault for fault in found.faults)
