"""Executors: the same results in the same order from one worker or many, whoever dies."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from errorbar import ErrorbarError
from errorbar.core import InputError, MissingExtraError, UsageError
from errorbar.execute import Executor, Processes, Serial, choose_executor
from errorbar.execute import cluster as cluster_module
from errorbar.execute.executor import AHEAD, FEW, RETRIES, Job
from tests.execute import workloads


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    """One Dask cluster of two processes for all tests: it takes seconds to start."""
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    with choose_executor(2, "local") as executor:
        yield executor


@pytest.fixture(params=["processes", "dask"])
def elsewhere(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Whoever works in other processes."""
    if request.param == "dask":
        yield request.getfixturevalue("cluster")
        return
    with Processes(2) as executor:
        yield executor


@pytest.fixture(params=["serial", "processes", "dask"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Whoever works."""
    if request.param == "dask":
        yield request.getfixturevalue("cluster")
        return
    with Serial() if request.param == "serial" else Processes(2) as found:
        yield found


def test_results_come_in_the_order_of_the_pieces(executor: Executor) -> None:
    assert list(executor.map_ordered(workloads.square, range(40))) == [k * k for k in range(40)]
    assert list(executor.map_ordered(workloads.square, [])) == []
    assert list(executor.map_ordered(workloads.square, [3])) == [9]


def test_the_work_is_done_elsewhere_and_only_a_few_pieces_are_taken_ahead(elsewhere: Executor) -> None:
    pieces = iter(range(100))
    results = elsewhere.map_ordered(workloads.process, pieces)
    found = {next(results)}
    assert next(pieces) <= AHEAD * elsewhere.n_workers + FEW
    found.update(results)
    assert os.getpid() not in found
    assert list(pieces) == []


def test_a_few_pieces_start_no_process() -> None:
    with Processes(2) as executor:
        assert set(executor.map_ordered(workloads.process, range(FEW - 1))) == {os.getpid()}


def test_the_first_failure_is_raised_with_all_its_problems(executor: Executor) -> None:
    results = executor.map_ordered(workloads.refuse_seven, range(40))
    assert [next(results) for _ in range(7)] == list(range(7))
    with pytest.raises(InputError) as caught:
        next(results)
    assert [problem.what for problem in caught.value.problems] == ["seven", "again"]
    assert str(caught.value.problems[0].place) == "file:7"


def test_an_internal_error_stays_what_it_is(executor: Executor) -> None:
    with pytest.raises(ZeroDivisionError, match="seven"):
        list(executor.map_ordered(workloads.fail_at_seven, range(20)))


def test_a_worker_killed_in_the_middle_changes_nothing(elsewhere: Executor, tmp_path: Path) -> None:
    found = list(elsewhere.map_ordered(workloads.Dying(tmp_path, 1), range(20)))
    assert found == [k * k for k in range(20)]
    assert len(list(tmp_path.iterdir())) == 1  # it did happen


def test_work_that_kills_every_process_is_given_up(tmp_path: Path) -> None:
    with Processes(2) as executor, pytest.raises(UsageError) as caught:
        list(executor.map_ordered(workloads.Dying(tmp_path, 100), range(20)))
    assert caught.value.code == "workers-lost"
    assert len(list(tmp_path.iterdir())) >= RETRIES + 1


@pytest.mark.slow
def test_work_that_kills_every_dask_worker_is_given_up(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    with choose_executor(2, "local") as executor, pytest.raises(UsageError) as caught:
        list(executor.map_ordered(workloads.Dying(tmp_path, 100), range(20)))
    assert caught.value.code == "workers-lost"


def test_another_version_is_refused() -> None:
    outcome = Job(workloads.square, "0.0.0")(3)
    assert isinstance(outcome, UsageError)
    assert (outcome.code, outcome.problems[0].expected) == ("worker-version", "0.0.0")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{}", "127.0.0.1:{}", "no such address", "http://127.0.0.1:{}"])
def test_no_scheduler_at_the_address(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    assert cluster_module.PATIENCE <= 5
    monkeypatch.setattr(cluster_module, "PATIENCE", 0.5)
    start = time.monotonic()
    with pytest.raises(UsageError) as caught:
        choose_executor(1, address.format(free_port()))
    assert caught.value.code == "dask-unreachable"
    assert len(str(caught.value).splitlines()) == 1
    assert time.monotonic() - start < 3


def test_a_server_that_is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    monkeypatch.setattr(cluster_module, "PATIENCE", 0.5)
    start = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(UsageError) as caught:
        choose_executor(1, f"tcp://127.0.0.1:{silent.getsockname()[1]}")
    assert caught.value.code == "dask-unreachable"
    assert time.monotonic() - start < 3


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
    monkeypatch.setattr(cluster_module, "PATIENCE", 0.5)
    with distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty:
        with pytest.raises(UsageError) as caught:
            choose_executor(1, empty.scheduler_address)
        assert caught.value.code == "no-workers"
        assert empty.scheduler_address in str(caught.value)


@pytest.mark.slow
def test_a_scheduler_lost_in_the_middle() -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
    lost = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with choose_executor(1, lost.scheduler_address) as executor:
        assert executor.n_workers == 2  # an address, not a cluster of our own: jobs do not matter
        results = executor.map_ordered(workloads.square, range(1000))
        assert next(results) == 0
        lost.close()
        with pytest.raises(UsageError) as caught:
            list(results)
    assert caught.value.code == "scheduler-lost"


@pytest.mark.slow
def test_all_workers_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask itself waits for new ones for ever."""
    distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
    monkeypatch.setattr(cluster_module, "PATIENCE", 1.0)
    monkeypatch.setattr(cluster_module, "LOOK", 0.25)
    lost = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with lost, choose_executor(1, lost.scheduler_address) as executor:
        results = executor.map_ordered(workloads.square, range(1000))
        assert next(results) == 0
        lost.scale(0)
        with pytest.raises(UsageError, match=r"has lost all its workers; start some .*workers-lost"):
            list(results)


def test_no_logger_of_dask_speaks(cluster: Executor) -> None:
    """Some have levels of their own, and print the traceback of a connection that was lost."""
    loggers = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    assert "distributed.client" in loggers
    assert [name for name in loggers if logging.getLogger(name).isEnabledFor(logging.CRITICAL)] == []


def test_files_are_told_apart_by_size_and_both_ends(tmp_path: Path) -> None:
    """What every worker reports of the files it finds, so that a cluster does not score others of the same name."""
    size = 4 * cluster_module.PROBE
    content = bytearray(size)
    file = tmp_path / "file"
    file.write_bytes(content)
    (known,) = cluster_module.fingerprints([str(file)])
    assert cluster_module.fingerprints([str(file), str(tmp_path / "none")]) == [known, ""]
    for at in (0, cluster_module.PROBE - 1, size - cluster_module.PROBE, size - 1):
        changed = content.copy()
        changed[at] = 1
        file.write_bytes(changed)
        assert cluster_module.fingerprints([str(file)]) != [known]
    file.write_bytes(content + b"\0")
    assert cluster_module.fingerprints([str(file)]) != [known]
    file.write_bytes(b"")
    assert cluster_module.fingerprints([str(file)])[0].startswith("0:")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_looked_at(tmp_path: Path) -> None:
    """Opening one would wait for its writer, and take what it writes; nor is standard input a file for workers."""
    os.mkfifo(tmp_path / "pipe")
    assert cluster_module.fingerprints([str(tmp_path / "pipe"), "-"]) == ["", ""]


def test_the_workers_of_a_cluster_look_at_the_files(cluster: Executor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here for everybody\n")
    assert cluster.sees([str(tmp_path / "file")])
    assert not cluster.sees(
        [str(tmp_path / "file"), str(tmp_path / "none")]
    )  # what nobody opens is sent, and fails here


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match="make dask"):
        choose_executor(1, "local")


def test_the_kinds() -> None:
    assert isinstance(choose_executor(), Serial)
    assert isinstance(choose_executor(2), Processes)
    assert issubclass(MissingExtraError, ErrorbarError)


SCRIPT = """
import errorbar
print("run")
{begin}
corpus = errorbar.Corpus([errorbar.Sentence("a b", {{"A": (errorbar.Edit(0, 1, ("c",)),)}})] * 200, ("A",))
systems = {{f"s{{k}}": ["c b"] * 200 for k in range(80)}}
try:
    print(errorbar.score(corpus, systems, {metric}, ci=False, jobs=2)["s3"].counts)
except errorbar.ErrorbarError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("begin", "metric", "last"),
    [
        ("", "'m2'", "{'correct': 200, 'proposed': 200, 'gold': 200}"),
        ("class Own(errorbar.M2): pass", "Own()", 'put its calls under if __name__ == "__main__", or what it defines'),
    ],
)
def test_a_script_without_a_main_guard_is_run_once_where_workers_do_not_need_it(
    tmp_path: Path, begin: str, metric: str, last: str
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(begin=begin, metric=metric))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=True)
    lines = done.stdout.splitlines()
    assert last in lines[-1]
    assert (lines[:-1] == ["run"]) == (not begin)
    assert not done.stderr or begin
