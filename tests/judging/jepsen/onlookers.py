"""Who looks while raters work, each in a process of their own or through the manager's page, while all else goes wrong.

What they saw is kept in files, for the checks. Commands that write (invitations, exclusions, items stopped) are among
them: a command that lets go of the store is the one that may take its log for left over.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from errorbar.judging.study.rows import PARTS
from tests.helpers.lean_http import BrokenError
from tests.judging.jepsen.history import History
from tests.judging.jepsen.manager import Manager

PROGRAM = """
import json, sys, errorbar
for row in errorbar.judge(sys.argv[1]).rows:
    told = {"item": row.item.name, "rater": row.rater, "round": row.round, "version": row.version}
    print(json.dumps(told | {"judgment": (row.answer or {}).get("judgment"), "skip": row.skip}))
"""
Look = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Onlookers:
    """All that they need."""

    study: Path
    folder: Path
    manager: Manager
    history: History
    random: random.Random
    environment: Mapping[str, str]
    item: str = "w{}"
    """The name of the item of a number from 1 on."""
    stopped: int = 0

    async def run(self, until: float, every: float) -> None:
        """Two at the same time, a browser and a shell, until it is time (the loop's)."""
        await asyncio.gather(
            self._again_and_again(self._in_the_browser(), until, every),
            self._again_and_again(self._in_the_shell(), until, every),
        )

    async def one_after_the_other(self) -> None:
        """A download, and then a command: the next that ends is the one that may take too much with it."""
        await self.random.choice(self._in_the_browser())()
        await self.random.choice(self._in_the_shell())()

    def _in_the_browser(self) -> Sequence[Look]:
        return self.download, self.download, self.figures

    def _in_the_shell(self) -> Sequence[Look]:
        return self.read, self.read, self.write, self.write, self.back_up

    async def _again_and_again(
        self, looks: Sequence[Callable[[], Awaitable[object]]], until: float, every: float
    ) -> None:
        loop = asyncio.get_running_loop()
        while (left := until - loop.time()) > 0:
            await asyncio.sleep(min(left, self.random.expovariate(1 / every)))
            await self.random.choice(looks)()

    def _file(self, call: int, ending: str) -> Path:
        looks = self.folder / "looks"
        looks.mkdir(exist_ok=True)
        return looks / f"{call}.{ending}"

    async def download(self) -> None:
        """Through the manager's page; of what a study has not, they are told so.

        Pairs and M2 have no rows of single answers to keep for the checks.
        """
        kind = self.random.choice(("csv", "csv", "jsonl", "jsonl", "pairs", "m2"))
        ending = kind if kind in ("csv", "jsonl") else ""
        await self._through_the_page(f"/manage/export.{kind}", ending, whole=kind == "jsonl")

    async def figures(self) -> None:
        path = self.random.choice(("", "/figures.json", "/raters", "/items", "/codes", "/invitations"))
        await self._through_the_page(f"/manage{path}", "", whole=False)

    async def _through_the_page(self, path: str, ending: str, *, whole: bool) -> None:
        call = self.history.call()
        how = f"GET {path}"
        self.history.add("manager", "look", "invoke", call, how=how)
        try:
            reply = await self.manager.get(path)
        except BrokenError as broken:
            self.history.add("manager", "look", "unknown", call, how=how, why=str(broken))
            return
        if reply.status == 404 and b"nothing of the kind" in reply.body:
            self.history.add("manager", "look", "ok", call, how=how, file="", whole=False)
            return
        if reply.status != 200:
            self.history.add("manager", "look", "unknown", call, how=how, why=str(reply.status))
            return
        file = self._file(call, ending) if ending else None
        if file:
            file.write_bytes(reply.body)
        self.history.add("manager", "look", "ok", call, how=how, file=str(file or ""), whole=whole)

    async def read(self) -> None:
        """A command that writes nothing, or a program of somebody's."""
        whole = [f"--include={part}" for part in PARTS]
        commands = (
            ["status", "--format=json"],
            ["analyze", "--format=json", "--resamples=50"],
            ["raters"],
            ["invite"],
            ["change"],
            ["export", "OUT.csv"],
            ["export", "OUT.csv", *whole],
            ["export", "OUT.jsonl"],
            ["program"],
        )
        await self._command(self.random.choice(commands))

    async def write(self) -> None:
        """A command that changes something that raters can live with."""
        what = self.random.choice(("invite", "exclude", "readmit", "stop"))
        if what == "invite":
            await self._command(["invite", f"--name=guest-{self.random.getrandbits(40):x}"])
        elif what == "stop":
            self.stopped += 1  # a few, from the first on: most have their judgments by then
            await self._command(["change", f"--stop={self.item.format(self.stopped)}", "--reason=the nemesis wants it"])
        else:
            names = json.loads(await self._command(["raters", "--format=json"]) or '{"raters": []}')["raters"]
            able = [one["name"] for one in names if one["status"] == ("active" if what == "exclude" else "excluded")]
            if able:
                name = self.random.choice(able)
                why = ["--reason=the nemesis wants it"] if what == "exclude" else []
                await self._command(["raters", f"--{what}={name}", *why])

    async def back_up(self) -> None:
        """By the command."""
        call = self.history.call()
        out = self.folder / f"backup-{call}"
        self.history.add("nemesis", "backup", "invoke", call, file=str(out))
        said = await self._command(["backup", str(out)])
        file = str(out / "store.sqlite3")
        self.history.add("nemesis", "backup", "unknown" if said is None else "ok", call, file=file)

    async def _command(self, words: Sequence[str]) -> str | None:
        """What it printed; None: it failed."""
        call = self.history.call()
        how = " ".join(["errorbar", *words])
        self.history.add("onlooker", "look", "invoke", call, how=how)
        out = next((self._file(call, word[4:]) for word in words if word.startswith("OUT.")), None)
        named = [f"--output={out}" if word.startswith("OUT.") else word for word in words]
        start = ["-m", "errorbar", "judge", named[0], str(self.study), *named[1:]]
        if words == ["program"]:
            out, start = self._file(call, "json"), ["-c", PROGRAM, str(self.study)]
        pipe = asyncio.subprocess.PIPE
        environment = {**os.environ, **self.environment}
        running = await asyncio.create_subprocess_exec(
            sys.executable, *start, env=environment, stdout=pipe, stderr=pipe, stdin=asyncio.subprocess.DEVNULL
        )
        try:
            said, wrong = await running.communicate()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                running.kill()
            await running.wait()
            self.history.add("onlooker", "look", "unknown", call, how=how, why="thrown out")
            raise
        if running.returncode:
            why = wrong.decode(errors="replace")[-1500:]
            self.history.add("onlooker", "look", "refused", call, how=how, why=why)
            return None
        if words == ["program"] and out:
            out.write_bytes(said)
        whole = len(words) != 2 or words[1] != "OUT.csv"
        self.history.add("onlooker", "look", "ok", call, how=how, file=str(out or ""), whole=whole)
        return said.decode()
