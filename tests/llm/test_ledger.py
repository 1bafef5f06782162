"""The ledger of calls: nothing lost, nothing paid twice, caps that hold; with faults, four processes, and kills."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from errorbar.core import InputError
from errorbar.llm.asking import Pace, ask
from errorbar.llm.calls import CapReached, Caps, Ledger, Prices, Reservation, Taken
from errorbar.llm.endpoint import Endpoint
from errorbar.llm.model import Call, ModelRater
from tests.llm.server import NO_REPLY, Body, ModelServer
from tests.llm.workers import CALLS, N_CALLS, make_rater

RATER = ModelRater("localhost:1/v1", "tiny", "Judge.")
CALL = Call("item", "Text")


def run_workers(server: ModelServer, ledger: Path, rounds: int, processes: int, most_tokens: int = 0) -> None:
    numbers = map(str, (rounds, processes, most_tokens))
    command = [sys.executable, "-m", "tests.llm.workers", server.url, str(ledger), *numbers]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def read_rows(ledger: Path, statement: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(ledger)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_a_call_is_open_in_one_place_and_answered_once(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with Ledger.open(path) as first, Ledger.open(path) as second:
        first.introduce(RATER)
        mine = first.reserve(RATER, CALL, lease=60)
        assert isinstance(mine, Reservation)
        assert isinstance(second.reserve(RATER, CALL, lease=60), Taken)
        assert isinstance(second.reserve(RATER, Call("item", "Another text"), lease=60), Reservation)
        assert first.settle(mine, "answered", "{}", (7, 2)) == "answered"
        assert second.reserve(RATER, CALL, lease=60) is None
        assert first.spent() == first.recount()


def test_a_new_ledger_is_opened_by_many_at_once(tmp_path: Path) -> None:
    """SQLite said to some of them that it is locked: one in thirty."""
    with ThreadPoolExecutor(8) as pool:
        for number in range(60):
            path, start = tmp_path / f"{number}.sqlite", Barrier(8)

            def open_it(_: int, path: Path = path, start: Barrier = start) -> tuple[int, int, float]:
                start.wait()
                with Ledger.open(path) as ledger:
                    return ledger.spent()

            assert set(pool.map(open_it, range(8))) == {(0, 0, 0)}


def test_a_dead_call_is_taken_over_after_its_lease_and_a_late_answer_is_kept(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "calls.sqlite") as ledger:
        ledger.introduce(RATER)
        dead = ledger.reserve(RATER, CALL, lease=0.01)
        time.sleep(0.02)
        again = ledger.reserve(RATER, CALL, lease=60)
        assert isinstance(dead, Reservation)
        assert isinstance(again, Reservation)
        reserved = sum(CALL.most_tokens(RATER))
        assert ledger.spent()[:2] == (2, 2 * reserved)
        assert ledger.settle(again, "answered", "the answer", (7, 2)) == "answered"
        assert ledger.spent()[:2] == (2, reserved + 9)
        assert ledger.settle(dead, "answered", "another", (7, 3)) == "late"
        assert ledger.spent()[:2] == (2, 19)
        assert [answer.raw for answer in ledger.answers(RATER).values()] == ["the answer"]
        assert ledger.spent() == ledger.recount()


def test_what_nobody_knows_stays_counted_in_full(tmp_path: Path) -> None:
    prices = Prices(3, 15)
    with Ledger.open(tmp_path / "calls.sqlite", prices=prices) as ledger:
        ledger.introduce(RATER)
        reserved = CALL.most_tokens(RATER)
        for tokens, cost in ((None, reserved[0] * 3e-6 + reserved[1] * 15e-6), ((0, 0), 0.0), ((100, 10), 450e-6)):
            before = ledger.spent()
            reservation = ledger.reserve(RATER, CALL, lease=60)
            assert isinstance(reservation, Reservation)
            ledger.settle(reservation, "failed", "", tokens, "no reply")
            assert ledger.spent().cost - before.cost == pytest.approx(cost, abs=1e-12)
        assert ledger.spent() == ledger.recount()


@pytest.mark.parametrize("cap", Caps._fields)
def test_no_reservation_exceeds_a_cap(cap: str, tmp_path: Path) -> None:
    """The cap is that of three calls, less a trifle: two are reserved, and as many more as settled ones leave."""
    tokens = sum(CALL.most_tokens(RATER))
    most = {
        "calls": Caps(calls=2),
        "tokens": Caps(tokens=3 * tokens - 1),
        "cost": Caps(cost=3 * tokens * 1e-6 - 1e-9),
    }[cap]
    with Ledger.open(tmp_path / "calls.sqlite", most, Prices(1, 1)) as ledger:
        ledger.introduce(RATER)
        reserved = [ledger.reserve(RATER, Call(f"item-{n}", "Text"), lease=60) for n in range(3)]
        assert [type(each) for each in reserved] == [Reservation, Reservation, CapReached]
        assert isinstance(reserved[0], Reservation)
        ledger.settle(reserved[0], "answered", "{}", (1, 1))
        is_free = isinstance(ledger.reserve(RATER, Call("item-4", "Text"), lease=60), Reservation)
        assert is_free is (cap != "calls")


def test_requests_of_a_minute_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with Ledger.open(path) as first, Ledger.open(path) as second:
        first.introduce(RATER)
        for n in range(3):
            assert isinstance(first.reserve(RATER, Call(f"item-{n}", "Text"), lease=60, per_minute=3), Reservation)
        wait = second.reserve(RATER, CALL, lease=60, per_minute=3)
        assert isinstance(wait, Taken)
        assert wait.all_are
        assert wait.until > time.time() + 50


def test_faults_of_all_kinds_lose_and_double_nothing(tmp_path: Path) -> None:
    """Every third request goes wrong, a new way each time; what was billed is never more than what is counted."""
    draws = random.Random(3)

    def fault(number: int, body: Body) -> str:
        kinds = [kind for kind in NO_REPLY if kind != "timeout"]
        return draws.choice(kinds) if number % 3 == 0 else ""

    with ModelServer(fault=fault) as server, Ledger.open(tmp_path / "calls.sqlite") as ledger:
        rater = make_rater(server.url)
        calls = CALLS[:40]
        asked = ask(rater, calls, ledger, Endpoint.open(server.url, 5), Pace(jobs=4, retries=20))
        assert (asked.n_answered, asked.n_failed, asked.n_left) == (40, 0, 0)
        assert ledger.answers(rater).keys() == {call.key for call in calls}
        spent = ledger.spent()
        assert spent == ledger.recount()
        assert spent.calls == len(server.bodies) == 40 + sum(asked.reasons.values())
        assert server.billed_tokens() <= spent.tokens
        again = ask(rater, calls, ledger, Endpoint.open(server.url, 5))
        assert (again.n_known, ledger.spent()) == (40, spent)


def test_a_call_that_never_gets_a_reply_is_given_up_and_told(tmp_path: Path) -> None:
    with ModelServer(fault=lambda number, body: "500") as server, Ledger.open(tmp_path / "calls.sqlite") as ledger:
        asked = ask(make_rater(server.url), CALLS[:2], ledger, Endpoint.open(server.url, 5), Pace(jobs=1, retries=1))
    assert (asked.n_answered, asked.n_failed, len(server.bodies)) == (0, 2, 4)
    assert [note.code for note in asked.notes()] == ["llm-no-reply"]


def test_a_server_that_is_not_there_costs_nothing_and_ends_the_run(tmp_path: Path) -> None:
    with ModelServer() as server:
        url = server.url
    with Ledger.open(tmp_path / "calls.sqlite") as ledger:
        asked = ask(make_rater(url), CALLS, ledger, Endpoint.open(url, 5), Pace(jobs=1, retries=0))
        assert (asked.n_answered, asked.n_failed, asked.n_left) == (0, 10, N_CALLS - 10)
        assert ledger.spent() == (10, 0, 0)
        assert "110 other calls" in str(next(asked.notes()))


@pytest.mark.slow
def test_four_processes_pay_for_nothing_twice(tmp_path: Path) -> None:
    ledger = tmp_path / "calls.sqlite"
    with ModelServer(delay=0.02) as server:
        run_workers(server, ledger, rounds=0, processes=4)
        assert set(server.times_billed().values()) == {1}
        assert len(server.billed) == N_CALLS
    assert read_rows(ledger, "SELECT status, count(*) FROM outcome GROUP BY status") == [("answered", N_CALLS)]


@pytest.mark.slow
def test_four_processes_share_a_cap(tmp_path: Path) -> None:
    ledger = tmp_path / "calls.sqlite"
    most = 60 * sum(CALLS[-1].most_tokens(make_rater("http://127.0.0.1:65535/v1")))
    with ModelServer(delay=0.01) as server:
        run_workers(server, ledger, rounds=0, processes=4, most_tokens=most)
        with Ledger.open(ledger, read_only=True) as calls:
            spent = calls.spent()
        assert server.billed_tokens() <= spent.tokens <= most
        assert len(server.billed) >= 60  # settled calls leave room for others


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "most_tokens"), [(1, 0), (4, 60_000)])
def test_thirty_kills_lose_nothing_and_exceed_nothing(processes: int, most_tokens: int, tmp_path: Path) -> None:
    """A call is billed again only where a killed process took its answer away, and that attempt stays counted."""
    ledger = tmp_path / "calls.sqlite"
    with ModelServer(delay=0.05, fault=lambda number, body: "429" if number % 17 == 0 else "") as server:
        run_workers(server, ledger, rounds=30, processes=processes, most_tokens=most_tokens)
        with Ledger.open(ledger, read_only=True) as calls:
            spent, answers = calls.spent(), calls.answers(make_rater(server.url))
            assert spent == calls.recount()
        times = server.times_billed()
        assert server.billed_tokens() <= spent.tokens
        assert len(server.bodies) <= spent.calls
        if most_tokens:
            assert spent.tokens <= most_tokens
        else:
            assert answers.keys() == {call.key for call in CALLS}
    by_item = (
        "SELECT a.item, count(*) - count(o.attempt) FROM attempt a LEFT JOIN outcome o ON o.attempt = a.id GROUP BY 1"
    )
    lost = {str(item): int(str(n)) for item, n in read_rows(ledger, by_item)}
    answered = {item for item, *_ in answers}
    assert sum(lost.values()) > 0  # some were killed with a request on its way
    for call in CALLS:
        assert times[call.content] <= lost.get(call.item, 0) + (call.item in answered)
    assert read_rows(ledger, "PRAGMA integrity_check") == [("ok",)]


def test_a_clock_that_went_back_keeps_nobody_waiting_for_longer_than_a_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(tmp_path / "calls.sqlite") as ledger:
        ledger.introduce(RATER)
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 365 * 86_400)
        assert isinstance(ledger.reserve(RATER, CALL, lease=30), Reservation)
        monkeypatch.setattr(time, "time", lambda: now)
        full = ledger.reserve(RATER, Call("item-2", "Text"), lease=30, per_minute=1)
        assert full == Taken(now + 60, all_are=True)
        assert ledger.reserve(RATER, CALL, lease=30) == Taken(now + 30)  # its process may be alive
        monkeypatch.setattr(time, "time", lambda: now + 31)
        assert isinstance(ledger.reserve(RATER, CALL, lease=30), Reservation)
        assert ledger.spent() == ledger.recount()


def test_no_call_is_sent_where_its_reply_may_not_fit_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer() as server, Ledger.open(tmp_path / "calls.sqlite") as ledger:
        endpoint, rater = Endpoint.open(server.url, 5), make_rater(server.url)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 2_000_000))
        with pytest.raises(InputError, match=r"2\.0 MB are free"):
            ask(rater, CALLS[:3], ledger, endpoint)
        monkeypatch.undo()
        assert (server.bodies, ledger.spent()) == ([], (0, 0, 0.0))
        assert ask(rater, CALLS[:3], ledger, endpoint).n_answered == 3


def test_another_database_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="is no ledger of calls"):
        Ledger.open(path)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


def test_a_ledger_where_nothing_can_be_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "calls.sqlite"
    with Ledger.open(path) as ledger:
        ledger.introduce(RATER)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with Ledger.open(path, read_only=True) as ledger:
        assert ledger.raters() == [RATER]
        assert [*tmp_path.iterdir()] == [path]  # where it can, SQLite writes two files beside it
