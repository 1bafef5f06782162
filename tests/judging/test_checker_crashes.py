"""The checker after kills, power cuts and calls that fail; another worker runs ``test_checker_run.py`` meanwhile."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.helpers.postgresql_cluster import binaries, cluster
from tests.judging.jepsen.failing_files import Kind, compiler
from tests.judging.jepsen.run import Plan, make_study
from tests.judging.jepsen.server import Server

pytestmark = pytest.mark.slow

no_compiler = pytest.mark.skipif(compiler() is None, reason="needs a C compiler for the failing file layer")
no_postgresql = pytest.mark.skipif(binaries() is None, reason="needs a PostgreSQL server's programs (initdb)")
ON_BOTH = [pytest.param("sqlite"), pytest.param("postgresql", marks=no_postgresql)]


@pytest.mark.parametrize(("workers", "runs"), [(1, 4), (4, 2)])
@pytest.mark.parametrize("store", ON_BOTH)
def test_killed_at_random_moments(store: str, workers: int, runs: int) -> None:
    from tests.judging.jepsen.kills import AT_ANY_MOMENT, WITH_ANSWERS, kill_runs

    found = kill_runs(Plan(seconds=10, rate=400, raters=12, workers=workers, store=store), runs)
    assert (found.faults, found.counts["runs"]) == ([], runs)
    assert found.counts["acknowledged"] >= found.counts[WITH_ANSWERS] >= runs - runs // AT_ANY_MOMENT


@no_compiler
def test_the_power_is_cut_four_times() -> None:
    from tests.judging.jepsen.kills import WITH_ANSWERS, kill_runs

    found = kill_runs(Plan(seconds=10, rate=400, raters=12, workers=1), 4, power=True)
    assert (found.faults, found.counts["power cuts"]) == ([], 4)
    assert found.counts["acknowledged"] >= found.counts[WITH_ANSWERS] >= 3


@no_compiler
def test_a_store_that_does_not_wait_for_the_disk_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """``synchronous=NORMAL`` outlives any kill, and loses what it acknowledged when the power is cut."""
    from tests.judging.jepsen.kills import kill_runs

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "careless"), prepend=":")
    found = kill_runs(Plan(seconds=10, rate=400, raters=12, workers=1), 5, power=True)
    assert any("was acknowledged as saved and is not stored" in fault for fault in found.faults)


@no_compiler
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("kind", ["write", "sync"])
def test_each_call_fails_in_turn(kind: Kind, lasting: bool, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from tests.judging.jepsen.every_call import run_every_call

    found = run_every_call(tmp_path, kind, lasting=lasting)
    assert found["faults"] == []
    calls, refusals = found["calls"], found["refusals"]
    assert isinstance(calls, int)
    assert isinstance(refusals, int)
    assert calls > 10
    # A disk that fails once: works that shared the transaction are tried again, each alone, and then stored.
    assert refusals > (calls / 2 if lasting else calls / 10)


@no_postgresql
def test_a_worker_that_starts_while_the_database_is_down_waits_for_it(tmp_path: Path) -> None:
    plan = Plan(seconds=1, workers=2, store="postgresql")
    with cluster() as database:
        study, _ = make_study(plan, tmp_path, database.database("study"))
        server = Server(study, 2, tmp_path / "log")
        server.start()
        try:
            database.kill()
            before = set(server.worker_pids())
            for pid in before:
                os.kill(pid, signal.SIGKILL)
            time.sleep(4)  # as long as five starts that fail take
            assert server.process is not None
            assert server.process.poll() is None
            database.start()
            until = time.monotonic() + 20
            while not server.answers() and time.monotonic() < until:
                time.sleep(0.1)
            assert server.answers()
            assert not before & set(server.worker_pids())
        finally:
            server.kill()
        assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")
