"""Who sees to it that things go wrong: one fault after the other, in an order that follows from the seed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from errorbar.judging import Study, backup
from errorbar.judging.store.engines import StoreError
from tests.helpers.postgresql_cluster import Cluster
from tests.judging.jepsen.failing_files import FailingFiles
from tests.judging.jepsen.history import History
from tests.judging.jepsen.manager import Manager
from tests.judging.jepsen.server import Server

HOUR = 3600.0


@dataclass(slots=True)
class Nemesis:
    """What it can reach."""

    server: Server
    history: History
    random: random.Random
    clock: Path
    folder: Path
    manager: Manager
    disk: FailingFiles | None = None
    cluster: Cluster | None = None
    offset: float = 0.0
    backups: int = 0

    async def run(self, until: float, every: float) -> None:
        """Each fault once, in a drawn order, then again, until it is time (the loop's)."""
        loop = asyncio.get_running_loop()
        while True:
            faults = self.faults()
            self.random.shuffle(faults)
            for fault in faults:
                left = until - loop.time()
                if left <= 0:
                    return
                await asyncio.sleep(min(left, self.random.expovariate(1 / every)))
                await fault()

    def faults(self) -> list[Callable[[], Awaitable[None]]]:
        chosen: list[Callable[[], Awaitable[None]]] = [
            self.kill_worker,
            self.kill_server,
            self.clock_jumps,
            self.clock_jumps,
            self.back_up,
            self.exclude,
            self.exclude,
            self.readmit,
            self.rest,
        ]
        if self.disk is not None:
            chosen += [self.disk_fills, self.disk_dies, self.one_call_fails, self.one_call_fails]
        if self.cluster is not None:
            chosen += [self.kill_database, self.stop_database]
        return chosen

    def note(self, what: str, **data: object) -> None:
        self.history.add("nemesis", what, "info", 0, **data)

    async def kill_worker(self) -> None:
        """SIGKILL; with several workers the others go on, and the server starts a new one."""
        if self.server.workers == 1:
            await self.kill_server()
            return
        workers = self.server.worker_pids()
        if workers:
            pid = self.random.choice(workers)
            self.note("kill-worker", pid=pid)
            os.kill(pid, signal.SIGKILL)

    async def kill_server(self) -> None:
        """SIGKILL of all, and a new start."""
        self.note("kill-server")
        await asyncio.to_thread(self.server.kill)
        await asyncio.sleep(self.random.random() * 0.5)
        await asyncio.to_thread(self.server.start)
        self.note("server-started")

    async def kill_database(self) -> None:
        """SIGKILL of the postmaster, and a new start."""
        assert self.cluster is not None
        await self._without_database("the database was killed", self.cluster.kill)

    async def stop_database(self) -> None:
        """``pg_ctl stop -m immediate``, and a new start."""
        assert self.cluster is not None
        await self._without_database("the database was stopped at once", self.cluster.stop)

    async def _without_database(self, state: str, end: Callable[[], None]) -> None:
        assert self.cluster is not None
        self.note("disk", state=state)
        await asyncio.to_thread(end)
        await asyncio.to_thread(self.cluster.start)
        self.note("disk", state="ok")

    async def clock_jumps(self) -> None:
        """Ahead, so that leases run out; back, so that they last for ever."""
        self.set_clock(self.offset + self.random.choice((2 * HOUR, 0.5 * HOUR, -0.9 * HOUR, 30.0, -30.0)))

    def set_clock(self, offset: float) -> None:
        self.offset = offset
        self.note("clock", offset=offset)
        new = self.clock.with_suffix(".new")
        new.write_text(str(offset), encoding="ascii")
        new.replace(self.clock)

    async def disk_fills(self) -> None:
        await self._failing("full", lambda disk: disk.fill())

    async def disk_dies(self) -> None:
        await self._failing("dying", lambda disk: disk.die())

    async def one_call_fails(self) -> None:
        """A write or an fsync, one of the next few; all is well but for this one."""
        n = self.random.randrange(1, 40)
        kind = self.random.choice(("write", "sync"))
        await self._failing(f"{kind} {n}", lambda disk: disk.fail(kind, n))  # type: ignore[arg-type]

    async def _failing(self, state: str, order: Callable[[FailingFiles], None]) -> None:
        assert self.disk is not None
        self.note("disk", state=state)
        order(self.disk)
        await asyncio.sleep(0.3 + self.random.random())
        self.heal()

    def heal(self) -> None:
        if self.disk is not None:
            self.disk.heal()
        self.note("disk", state="ok")

    async def back_up(self) -> None:
        """While raters write; what is in it is checked at the end."""
        self.backups += 1
        file = self.folder / f"backup-{self.backups}.sqlite3"
        call = self.history.call()
        self.history.add("nemesis", "backup", "invoke", call, file=str(file))
        try:
            await asyncio.to_thread(self._copy, file)
        except StoreError as failed:
            self.history.add("nemesis", "backup", "unknown", call, why=str(failed)[-300:])
        else:
            self.history.add("nemesis", "backup", "ok", call, file=str(file))

    def _copy(self, file: Path) -> None:
        with Study.open(self.server.study).store(read_only=True) as store:
            backup(store, file)

    async def exclude(self) -> None:
        await self.manager.exclude_somebody(self.random)

    async def rest(self) -> None:
        """The study is halted, and handed out again a moment later; at the end once more, if that got lost."""
        await self.manager.hand_out("halt")
        await asyncio.sleep(0.2 + self.random.random())
        await self.resume()

    async def resume(self) -> None:
        await self.manager.hand_out("resume")

    async def readmit(self) -> None:
        await self.manager.readmit_somebody(self.random)
