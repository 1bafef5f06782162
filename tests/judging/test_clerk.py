"""What takes long in a large study is computed in a process beside the server, which ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import SpawnProcess
from pathlib import Path

import numpy as np
import pytest

from errorbar import judge_init, judge_invite
from errorbar.core import Problem, UsageError
from errorbar.judging import Study, StudyRules
from errorbar.judging.store.engines import StoreError
from errorbar.judging.web import live_status, manager
from errorbar.judging.web.live_status import Clerk, Figures
from tests.judging.jepsen.large_study import fill
from tests.judging.jepsen.server import Server
from tests.judging.jepsen.study import write_items
from tests.judging.served import Visitor, made_study, served

PATIENCE = 300.0


def prepare(start: int) -> list[int]:
    return [start]


def count(known: list[int], step: int) -> tuple[int, int]:
    known[0] += step
    return known[0], os.getpid()


def refuse(_: list[int]) -> None:
    raise UsageError(Problem("a-code", "this will not do"))


def time_out(_: list[int]) -> None:
    time.sleep(PATIENCE)


def end(_: list[int]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_large_study_is_left_to_the_clerk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []

    def ask(_: object, *what: object) -> tuple[list[object], int]:
        asked.append(what)
        return [], 0

    monkeypatch.setattr(Clerk, "ask", ask)
    study = made_study(tmp_path / "study", StudyRules(), items=2)
    with study.store() as store:
        live = live_status.LiveStatus(study, store)
        assert len(live.items(0, 5)[0]) == 2
        assert asked == []
        monkeypatch.setattr(live_status, "LARGE", -1)
        live.items(0, 5)
        live.export("csv", "-")
        live.decision()
        assert asked == [(Figures.items, 0, 5), (Figures.export, "csv", "-"), (Figures.decision,)]


@pytest.mark.slow
def test_a_clerk_remembers_passes_errors_on_and_is_replaced() -> None:
    clerk = Clerk(prepare, 5)
    assert clerk.ask(count, 1)[0] == 6
    with pytest.raises(UsageError, match="this will not do"):
        clerk.ask(refuse)
    number, pid = clerk.ask(count, 1)
    assert (number, pid != os.getpid()) == (7, True)
    with pytest.raises(StoreError, match="has ended"):
        clerk.ask(end)
    assert clerk.ask(count, 1)[0] == 6
    clerk.close()
    with pytest.raises(StoreError, match="has ended"):
        clerk.ask(count, 1)


@pytest.mark.slow
def test_pages_and_downloads_of_a_large_study_are_those_of_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = made_study(tmp_path / "study", StudyRules(), items=12)
    paths = ("/manage/items", "/manage/export.csv", "/manage/export.jsonl", "/manage/export.pairs")
    with served(study) as url:
        ann, boss = Visitor(url), Visitor(url)
        ann.enter(judge_invite(study.folder, names=["ann"]).links[0].url)
        ann.through()
        boss.manage(study)
        small = [boss.http.get(path).text for path in paths]
    monkeypatch.setattr(live_status, "LARGE", 0)
    monkeypatch.setattr(manager, "PATIENCE", PATIENCE)  # the process has low priority, and a machine may be busy
    with served(study) as url:
        boss = Visitor(url)
        boss.manage(study)
        replies = [boss.http.get(path, timeout=60) for path in paths]
        figures = boss.http.get("/manage/figures.json", timeout=60)
    assert [reply.text.count("<td") for reply in replies] == [page.count("<td") for page in small]
    assert [reply.text for reply in replies[1:]] == small[1:]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 404]
    assert figures.json()["progress"]["counted"] == 12


@pytest.mark.slow
def test_a_clerk_that_starts_while_the_server_ends_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clerk = Clerk(prepare, 5)
    started: list[SpawnProcess] = []

    def start(process: SpawnProcess) -> None:
        start_process(process)
        started.append(process)
        clerk.close()

    start_process = SpawnProcess.start
    monkeypatch.setattr(SpawnProcess, "start", start)
    began = time.monotonic()
    with pytest.raises(StoreError, match="has ended"):
        clerk.ask(time_out)
    pid = started[0].pid
    assert pid is not None
    assert not is_alive(pid)
    assert time.monotonic() - began < PATIENCE


CHILD = """
import sys, time
from errorbar.judging.web.live_status import Clerk
from tests.judging.test_clerk import count, prepare
if __name__ == "__main__":
    print(Clerk(prepare, 0).ask(count, 1)[1], flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_clerk_ends_with_the_server(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(CHILD, encoding="utf-8")
    path = os.pathsep.join(each for each in (str(Path.cwd()), os.environ.get("PYTHONPATH", "")) if each)
    command = [sys.executable, str(tmp_path / "server.py")]
    environment = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        clerk = int(server.stdout.readline())
        assert is_alive(clerk)
        server.send_signal(how)
    until = time.monotonic() + 30
    while is_alive(clerk) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(clerk)


def is_alive(pid: int) -> bool:
    """Not one that has ended and that nobody buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_raters_do_not_wait_while_the_figures_of_a_large_study_are_computed(tmp_path: Path) -> None:
    """60,000 judgments, read and computed beside the server: p99 of an answer stays below half a second."""
    work, gold = write_items(tmp_path, 3000, 4, 0)
    study = tmp_path / "study"
    judge_init(study, work, gold_items=gold, raters_per_item=20, policy="none")
    fill(next(study.glob("*.sqlite3")), 20)
    link = judge_invite(study, crowd="crowd").links[0].url
    server = Server(study, 1, tmp_path / "log")
    server.start()
    url = f"http://127.0.0.1:{server.port}"
    try:
        visitors = [Visitor(url) for _ in range(5)]
        for visitor in visitors:
            visitor.enter(link)
        boss = Visitor(url)
        boss.manage(Study.open(study))
        with ThreadPoolExecutor(1) as beside:
            figures = beside.submit(boss.http.get, "/manage/figures.json", timeout=PATIENCE)
            seconds: list[float] = []
            while not figures.done() or len(seconds) < 100:
                for visitor in visitors:
                    item = visitor.claim(1)["items"][0]
                    began = time.perf_counter()
                    assert visitor.answer([item])["receipts"][0]["status"] == "saved"
                    seconds.append(time.perf_counter() - began)
        assert figures.result().json()["progress"]["counted"] > 50_000
        assert np.quantile(seconds, 0.99) < 0.5
    finally:
        server.kill()
