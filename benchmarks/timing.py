"""Timing that can be trusted on a noisy machine: medians, children's own memory, a calibration beside every figure."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

ERRORBAR = str(Path(sys.executable).with_name("errorbar"))


@dataclass(frozen=True)
class Run:
    """One process, finished.

    Attributes:
        seconds: From start to exit.
        megabytes: Its largest resident memory.
        cpu: Seconds of processor time, which other work on the machine changes less.
    """

    seconds: float
    megabytes: float
    cpu: float


def run_process(command: Sequence[str]) -> Run:
    """Run a process to its end, output thrown away."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} exited with {process.returncode}")
    return Run(time.perf_counter() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


def median_process(command: Sequence[str], repeats: int) -> Run:
    """The median of several runs, after one that warms the file cache."""
    run_process(command)
    runs = [run_process(command) for _ in range(repeats)]
    return Run(*(statistics.median(figures) for figures in zip(*map(astuple, runs), strict=True)))


def median_call(call: Callable[[], object], repeats: int) -> float:
    """Median seconds of a call, after one that warms up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    print(f"\n{title}")
    for row in [columns, ["-" * width for width in widths], *rows]:
        print(
            "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
        )
