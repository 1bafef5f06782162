"""A process beside the one that runs tests: it ends a test that hangs, and whatever a run leaves behind.

It is told what runs and how long that may take. It acts when the time is over, or when the process that runs tests has
ended, in whatever way; so it works where that process itself cannot: in a call of C that holds Python's lock, after a
crash, after SIGKILL.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

MARK = "ERRORBAR_TEST_RUN"
"""The environment variable that names a run; every process that a test starts inherits it."""
LAST_SECONDS = 2.0
"""How long processes have to end, or to write their stacks."""
HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
"""Processes that Python starts once for all others and that end with the one that runs tests."""


class Watcher:
    """The process that watches this one, and a folder for temporary files that it removes when this one has ended."""

    def __init__(self, errors: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="errorbar-tests-"))
        self.folder.chmod(0o755)  # PostgreSQL's account reads in it
        words = [sys.executable, __file__, str(os.getpid()), str(self.folder)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=errors, start_new_session=True)
        os.environ |= {MARK: str(self.folder), "TMPDIR": str(self.folder), "PYTHONFAULTHANDLER": "1"}
        tempfile.tempdir = None

    def limit(self, name: str, seconds: float) -> None:
        """Give what has this name so many seconds from now."""
        assert self._process.stdin is not None
        os.write(self._process.stdin.fileno(), f"{time.monotonic() + seconds} {name}\n".encode())

    def left_processes(self) -> list[str]:
        """Describe the processes that tests started and that do not end by themselves."""
        psutil.wait_procs(self._started(), timeout=LAST_SECONDS)
        return [describe(process) for process in self._started()]

    def _started(self) -> list[psutil.Process]:
        return started_by(os.getpid(), str(self.folder), self._process.pid)


def started_by(runner: int, mark: str, watcher: int) -> list[psutil.Process]:
    """List the processes that tests started, also those whose parents have ended."""
    result = []
    children: set[psutil.Process] = set()
    with contextlib.suppress(psutil.NoSuchProcess):
        children.update(psutil.Process(runner).children(recursive=True))
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            is_own = process in children or process.environ().get(MARK) == mark
            is_helper = any(name in word for word in process.cmdline() for name in HELPERS)
            if is_own and not is_helper and process.pid not in {runner, watcher}:
                result.append(process)
    return result


def describe(process: psutil.Process) -> str:
    """Name a process by its number, the test that started it, and its command."""
    number, test, command = process.pid, "a test", ""
    with contextlib.suppress(psutil.Error):
        command = " ".join(process.cmdline())[:300] or process.name()
        test = process.environ().get("PYTEST_CURRENT_TEST", test)
    return f"process {number}, which {test} started: {command}"


def show(text: str) -> None:
    """Write to the standard error of the run."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Errors:
    """What a process writes to its standard error from now on, where that is a file or a pipe."""

    def __init__(self, process: psutil.Process) -> None:
        self._descriptor = -1
        with contextlib.suppress(OSError):
            self._descriptor = os.open(f"/proc/{process.pid}/fd/2", os.O_RDONLY | os.O_NONBLOCK)
            os.lseek(self._descriptor, 0, os.SEEK_END)  # in a file; a pipe keeps what nobody has read

    def read(self) -> str:
        """Read what came since, at most 64 KB."""
        with contextlib.suppress(OSError):
            return os.read(self._descriptor, 1 << 16).decode(errors="replace")
        return ""


def end_with_stacks(runner: int, mark: str) -> None:
    """End the process that runs tests and those that it started; where Python runs they write their stacks first."""
    processes = started_by(runner, mark, os.getpid())
    descriptions = [describe(process) for process in processes]
    errors = [Errors(process) for process in processes]
    for number in [runner, *(process.pid for process in processes)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGABRT)
    psutil.wait_procs(processes, timeout=LAST_SECONDS)
    for description, text in zip(descriptions, errors, strict=True):
        show(f"\n{description}\n{text.read()}")


def watch(runner: int, mark: str) -> None:
    """Wait until a test's time is over or there are no more tests."""
    deadline, name, text = float("inf"), "", b""
    while os.getppid() == runner:
        seconds = deadline - time.monotonic()
        if seconds < 0:
            show(f"\n{name} took too long: it ends here, with all that it started, and the run with it.")
            end_with_stacks(runner, mark)
            return
        if select.select([sys.stdin], [], [], min(seconds, 1))[0]:
            message = os.read(sys.stdin.fileno(), 1 << 16)
            if not message:
                return
            *lines, text = (text + message).split(b"\n")
            if lines:
                time_of_end, name = lines[-1].decode().split(" ", 1)
                deadline = float(time_of_end)


def main(runner: str, folder: str) -> None:
    """Watch a process; at the end, kill what it left and remove its folder."""
    try:
        watch(int(runner), folder)
    finally:
        processes = started_by(int(runner), folder, os.getpid())
        for process in processes:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(processes, timeout=LAST_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
