"""A study with a real server in a process of its own, which tests kill and start again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from errorbar import judge_serve
from errorbar.judging import JudgedItem, Scheme, Store, Study, StudyRules, add_items, set_value
from errorbar.judging.study.invitations import invite_token, make_invite

SERVERS = multiprocessing.get_context("forkserver")
"""Servers are forked from a process that has imported what they need: that takes longer than most tests."""
SERVERS.set_forkserver_preload([f"errorbar.judging.web.{name}" for name in ("serve", "app")] + ["uvicorn", "uvloop"])
LOG = "server.log"


def serve(folder: Path, port: int) -> None:
    """Serve a study, by its own clock."""
    with (folder / LOG).open("ab") as log:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
    os.environ["ERRORBAR_JUDGE_CLOCK"] = str(folder / "clock")
    judge_serve(folder, port=port)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass
class LiveStudy:
    """A study, its server, and what its store says."""

    folder: Path
    scheme: Scheme
    port: int = field(default_factory=free_port)
    process: ForkServerProcess | None = None

    @classmethod
    def make(cls, folder: Path, scheme: Scheme, items: Sequence[JudgedItem], rules: StudyRules) -> LiveStudy:
        """Make the study with links for Ada and Bob."""

        def fill(study: Study) -> None:
            with Store.create(study.url) as store:

                def work(tx: Any) -> None:  # noqa: ANN401 - a connection
                    now = time.time()
                    set_value(tx, "scheme", scheme.to_json())
                    set_value(tx, "rules", rules.to_json())
                    set_value(tx, "seed", "1")
                    add_items(tx, items, now)
                    for name in ("Ada", "Bob"):
                        make_invite(tx, study.secrets.cookie, "personal", name, now, (None, None))

                store.write(work)

        Study.create(folder, fill)
        (folder / "clock").write_text("0")
        return cls(folder, scheme)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self, name: str = "Ada") -> str:
        return f"{self.url}/j/{invite_token(Study.open(self.folder).secrets.cookie, name)}"

    @property
    def token(self) -> str:
        """What the manager signs in with."""
        return Study.open(self.folder).secrets.manager

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self.process = SERVERS.Process(target=serve, args=(self.folder, self.port))
        self.process.start()
        until = time.monotonic() + 30
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/", timeout=5).read()
            except OSError:
                if time.monotonic() > until or not self.process.is_alive():
                    raise RuntimeError((self.folder / LOG).read_text()) from None
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """Kill the server as the cable of its machine would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the server as its manager would, with all that it started."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self.process is not None and self.process.pid is not None:
            os.kill(self.process.pid, how)
            self.process.join(timeout=100)
            assert not self.process.is_alive()
            self.process = None

    def pass_time(self, seconds: float) -> None:
        """Let the server's clock jump."""
        clock = self.folder / "clock"
        clock.write_text(str(float(clock.read_text()) + seconds))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the store says."""
        import sqlite3

        with sqlite3.connect(f"file:{self.folder / 'store.sqlite3'}?mode=ro", uri=True) as store:
            return store.execute(query).fetchall()

    def answers(self, rater: str = "Ada") -> list[tuple[str, str, int, str]]:
        """Item, answer as JSON, version and skip reason of every stored version, in the order in which they came."""
        found = self.rows(
            "SELECT i.name, w.answer, w.version, w.skip FROM answer w JOIN assignment a ON a.id = w.assignment"
            f" JOIN item i ON i.id = a.item JOIN rater r ON r.id = a.rater WHERE r.name = '{rater}' ORDER BY w.id"
        )
        return [(str(a), str(b), int(c), str(d)) for a, b, c, d in found]
