"""A PostgreSQL cluster that is thrown away: its own folder, port and processes, of an account without privileges."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ACCOUNTS = ("postgres", "nobody")
"""Whom the cluster runs as if the tests run as root, which PostgreSQL refuses."""
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""For tests that pull no plug."""


def binaries() -> Path | None:
    """The folder of ``initdb``, newest version first; None: PostgreSQL's server is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: -float(folder.parent.name))
    found = shutil.which("initdb")
    folders += [Path(found).resolve().parent] if found else []
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def account() -> str | None:
    if os.getuid() != 0:
        return None
    return next(name for name in ACCOUNTS if any(entry.pw_name == name for entry in pwd.getpwall()))


class Cluster:
    """Running, until ``stop``; databases are made by ``database``."""

    def __init__(self, folder: Path, settings: tuple[str, ...] = ()) -> None:
        found = binaries()
        if found is None:
            raise RuntimeError("no initdb here: install PostgreSQL's server")
        self.bin, self.folder, self.settings = found, folder, settings
        self.user, self.port = account(), free_port()
        if self.user:
            shutil.chown(folder, self.user)
        # What is tested pulls plugs of processes, not of the machine: the folder's own first write need not last.
        self._run("initdb", "-D", "data", "-U", "errorbar", "--auth=trust", "--encoding=UTF8", "--no-sync")
        self.start()

    def _run(self, program: str, *words: str) -> None:
        command = [str(self.bin / program), *words]
        subprocess.run(command, cwd=self.folder, user=self.user, check=True, capture_output=True, timeout=120)

    def start(self, patience: float = 30.0) -> None:
        """Also after ``kill``: what the killed one's children still hold is waited for."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        settings = ("recovery_init_sync_method=syncfs", *self.settings)  # not each of a thousand files by itself
        options += "".join(f" -c {setting}" for setting in settings)
        until = time.monotonic() + patience
        while True:
            try:
                # Its standard streams go to the log, so that nobody waits for a pipe that the server keeps open.
                self._run("pg_ctl", "-D", "data", "-l", "log", "-o", options, "-w", "start")
                return
            except subprocess.CalledProcessError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def kill(self) -> None:
        """SIGKILL of the postmaster: nothing is flushed, nobody says goodbye."""
        os.kill(self.pid(), signal.SIGKILL)

    def pid(self) -> int:
        return int((self.folder / "data/postmaster.pid").read_text().split("\n", 1)[0])

    def stop(self) -> None:
        self._run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")

    def database(self, name: str) -> str:
        """Make an empty one; its URL."""
        import psycopg

        url = f"postgresql://errorbar@127.0.0.1:{self.port}"
        with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return f"{url}/{name}"


@contextmanager
def cluster(*settings: str) -> Iterator[Cluster]:
    """One for as long as the block runs."""
    folder = Path(tempfile.mkdtemp(prefix="errorbar-pg-"))
    folder.chmod(0o755)
    try:
        made = Cluster(folder, settings)
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
