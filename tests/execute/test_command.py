"""``errorbar score --jobs``: processes, and a Dask cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from errorbar.execute import cluster
from tests.helpers.cli import CommandLine


def write(folder: Path, n: int) -> list[str]:
    """Files of ``n`` sentences, as arguments."""
    gold, system = folder / f"gold{n}.m2", folder / f"system{n}.txt"
    with gold.open("w") as m2, system.open("w") as text:
        for k in range(n):
            m2.write(f"S w{k} a b w{k % 97} c\nA 0 1|||Det|||x|||REQUIRED|||-NONE-|||{k % 2}\n\n")
            text.write(f"{'x' if k % 5 else f'w{k}'} a {'b' if k % 7 else 'd'} w{k % 97} c\n")
    return ["--gold", str(gold), f"it={system}", "--format", "csv"]


@pytest.mark.parametrize(
    "more", [[], ["--ci", "--resamples", "50"], ["--by", "sentence"], ["--metric", "m2(choose=1)"]]
)
def test_the_number_of_jobs_changes_nothing(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    monkeypatch.setattr("errorbar.metrics.scoring.PIECE", 100)
    files = write(tmp_path, 1000)
    one = errorbar("score", *files, *more)
    assert one.code == 0
    assert errorbar("score", *files, *more, "--jobs", "2") == one


def test_jobs_with_a_corpus_that_is_not_cut(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorbar.metrics.scoring.PIECE", 100)
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    arguments = ("score", "--gold", "demo/gold.jsonl", "demo/careful.txt", "demo/greedy.txt", "--ci")
    one = errorbar(*arguments, "--resamples", "50")
    assert one.code == 0
    assert errorbar(*arguments, "--resamples", "50", "--jobs", "2") == one


def test_a_scheduler_that_cannot_be_reached(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    start = time.monotonic()
    outcome = errorbar("score", *write(tmp_path, 10), "--jobs", "tcp://127.0.0.1:9")
    assert (outcome.code, outcome.out) == (2, "")
    assert len(outcome.err.splitlines()) == 1
    assert "127.0.0.1:9" in outcome.err
    assert "[dask-unreachable]" in outcome.err
    assert time.monotonic() - start < 3


@pytest.mark.parametrize("jobs", ["local:x", "local:", "local:0", "local:-1"])
def test_a_number_of_local_workers_that_is_none_is_refused(errorbar: CommandLine, tmp_path: Path, jobs: str) -> None:
    outcome = errorbar("score", *write(tmp_path, 2), "--jobs", jobs)
    assert (outcome.code, outcome.out) == (2, "")
    assert "[jobs]" in outcome.err


@pytest.mark.slow
def test_dask_prints_the_same(errorbar: CommandLine, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    files = write(tmp_path, 20_000)
    one = errorbar("score", *files)
    assert one.code == 0
    assert errorbar("score", *files, "--jobs", "local:2") == one


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_memory_does_not_grow_with_the_input(tmp_path: Path, jobs: str) -> None:
    peaks = [peak([*write(tmp_path, n), "--jobs", jobs]) for n in (40_000, 200_000)]
    assert peaks[1] < peaks[0] + 12, peaks  # the input grows by 20 MB; a row kept for each sentence would show


def peak(arguments: list[str]) -> float:
    """Largest resident memory of the command, in MB."""
    with subprocess.Popen(
        [sys.executable, "-m", "errorbar", "score", *arguments], stdout=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss / 1024


def test_warnings_come_in_the_order_of_the_files_whoever_found_them(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorbar.metrics.scoring.PIECE", 100)
    write(tmp_path, 1000)
    gold, system = tmp_path / "gold1000.m2", tmp_path / "system1000.txt"
    gold.write_bytes(b"".join(line + (b"junk\xff\n" if k in (11, 2000) else b"") for k, line in lines_of(gold)))
    for name in ("a", "b"):
        bad = b"".join(line[:-1] + (b"\xff\n" if k in (5, 900) else b"\n") for k, line in lines_of(system))
        (tmp_path / name).write_bytes(bad)
    arguments = ("score", "--gold", str(gold), str(tmp_path / "a"), str(tmp_path / "b"), "--lenient")
    one = errorbar(*arguments)
    assert one.code == 0
    places = [line.split(": ")[1].rpartition(":")[::2] for line in one.err.splitlines() if "is not UTF-8" in line]
    files = [str(gold), str(tmp_path / "a"), str(tmp_path / "b")]
    assert [file for file, _ in places] == sorted((file for file, _ in places), key=files.index)
    assert {file for file, _ in places} == set(files)
    assert errorbar(*arguments, "--jobs", "2") == one


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_of_countless_warnings_some_are_kept_and_all_counted(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.setattr("errorbar.metrics.scoring.PIECE", 100)
    monkeypatch.setattr("errorbar.core.problems.MOST_KEPT", 20)
    arguments = write(tmp_path, 1000)
    gold = Path(arguments[1])
    gold.write_text(gold.read_text().replace("|||x|||", "|||w|||").replace("S w", "S w w"))  # w for w: changes nothing
    done = errorbar("score", *arguments, "--jobs", jobs)
    assert done.code == 0
    assert "and 995 more [edit-no-change]" in done.err
    found = errorbar("score", *arguments[:-2], "--format", "json", "--jobs", jobs)
    counted = [each for each in json.loads(found.out)["warnings"] if "not listed" in each["what"]]
    assert [(each["what"], each["file"], each["line"]) for each in counted] == [
        ("980 more of these, not listed", "", 0)
    ]


def lines_of(path: Path) -> list[tuple[int, bytes]]:
    return list(enumerate(path.read_bytes().splitlines(keepends=True)))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_pipes_are_read_once(tmp_path: Path, jobs: str) -> None:
    """As a shell's ``<(zcat gold.m2.gz)``: more sentences than are read at a time, in both."""
    arguments = write(tmp_path, 9000)
    gold, system = Path(arguments[1]), Path(arguments[2].partition("=")[2])
    command = [sys.executable, "-m", "errorbar", "score", "--format", "csv", "--jobs", jobs]
    plain = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True, timeout=1500).stdout
    pipes = []
    for file in (gold, system):
        os.mkfifo(tmp_path / f"{file.name}.pipe")
        pipes.append(subprocess.Popen(["sh", "-c", 'cat "$0" > "$0.pipe"', str(file)]))
    try:
        piped = ["--gold", f"{gold}.pipe", f"it={system}.pipe"]
        outcome = subprocess.run([*command, *piped], capture_output=True, text=True, timeout=60, check=False)
    finally:
        for pipe in pipes:
            pipe.kill()
            pipe.wait()
    assert (outcome.returncode, outcome.stdout) == (0, plain), outcome.stderr
