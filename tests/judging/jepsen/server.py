"""The server under test: a process group that is started, watched and killed."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.helpers.postgresql_cluster import free_port

HOST = "127.0.0.1"


def parent_of(pid: int) -> int:
    """0: there is no such process."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


class Server:
    """``errorbar judge serve`` on a port that stays the same over all its lives."""

    def __init__(self, study: Path, workers: int, log: Path, environment: Mapping[str, str] | None = None) -> None:
        self.study, self.workers, self.log = study, workers, log
        self.environment = dict(environment or {})
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self) -> None:
        """Without waiting for it."""
        command = [sys.executable, "-m", "errorbar", "judge", "serve", str(self.study), "--port", str(self.port)]
        command += ["--workers", str(self.workers)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def start(self, patience: float = 120.0) -> None:
        """Until it answers."""
        self.launch()
        assert self.process is not None
        until = time.monotonic() + patience
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise RuntimeError(f"the server did not start: {self.log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)

    def answers(self) -> bool:
        """Whether somebody listens and speaks HTTP."""
        try:
            with socket.create_connection((HOST, self.port), timeout=5) as one:
                one.sendall(f"GET / HTTP/1.1\r\nHost: {HOST}:{self.port}\r\nConnection: close\r\n\r\n".encode())
                return one.recv(12).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def worker_pids(self) -> list[int]:
        """Processes that answer requests; where there is one worker, the server itself."""
        assert self.process is not None
        if self.workers == 1:
            return [self.process.pid]
        children = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()]
        children = [pid for pid in children if parent_of(pid) == self.process.pid]
        return [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def pids(self) -> list[int]:
        """All of the group."""
        assert self.process is not None
        return sorted({self.process.pid, *self.worker_pids()})

    def kill(self) -> None:
        """SIGKILL of everything at once, as when the machine's plug is pulled but for what the system still writes."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=100)
            self.process = None

    def stop(self, patience: float = 15.0) -> int:
        """Politely; its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(patience)
        finally:
            self.kill()

    def memory(self) -> int:
        """Bytes that stay in memory, of all processes together."""
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.pids()]
        return sum(pages) * os.sysconf("SC_PAGE_SIZE")

    def open_files(self) -> int:
        return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in self.pids())
