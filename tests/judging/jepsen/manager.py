"""The manager over HTTP: excludes raters in the middle of their work, and readmits them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

from tests.helpers.lean_http import BrokenError, Browser, Reply
from tests.judging.jepsen.history import History
from tests.judging.jepsen.rater_page import CSRF

ROW = re.compile(r'href="[^"]*/manage/raters/(\d+)/(exclude|readmit)"')
Form = tuple[str, dict[str, str]]
"""Where a form is sent, and what the history says of it."""


class Manager:
    """Signed in with the study's token, again where the session is over."""

    def __init__(self, study: Path, host: str, port: int, history: History) -> None:
        self.token: str = json.loads((study / "secrets.json").read_text(encoding="utf-8"))["manager"]
        self.browser = Browser(host, port)
        self.history = history

    async def sign_in(self) -> None:
        page = await self.browser.request("GET", "/manage")
        found = CSRF.search(page.body.decode())
        await self.browser.form("/manage", {"token": self.token, "csrf": found[1] if found else ""})

    async def get(self, path: str) -> Reply:
        """A page or a download."""
        reply = await self.browser.request("GET", path)
        if reply.status == 401 or (reply.status == 200 and b'name="token"' in reply.body):
            await self.sign_in()
            reply = await self.browser.request("GET", path)
        self._note(reply, path)
        return reply

    def _note(self, reply: Reply, path: str) -> None:
        if reply.status >= 400:
            body = reply.body[:300].decode(errors="replace")
            self.history.add("manager", "http", "info", 0, status=reply.status, path=path, body=body)

    async def raters(self) -> tuple[str, list[tuple[str, str]]]:
        """The word that a form must bring, and whom one can exclude or readmit."""
        for _ in range(2):
            page = await self.browser.request("GET", "/manage/raters")
            text = page.body.decode()
            if page.status == 200 and (found := CSRF.search(text)):
                return found[1], ROW.findall(text)
            await self.sign_in()
        raise BrokenError(f"the manager cannot sign in: {page.status}")

    async def exclude_somebody(self, draw: random.Random) -> None:
        await self._do("exclude", draw)

    async def readmit_somebody(self, draw: random.Random) -> None:
        await self._do("readmit", draw)

    async def hand_out(self, what: str) -> None:
        """Halt the study, or resume it."""
        await self._send(what, lambda _: (f"handing-out/{what}", {}))

    async def _do(self, what: str, draw: random.Random) -> None:
        def to_somebody(found: list[tuple[str, str]]) -> Form | None:
            able = [rater for rater, action in found if action == what]
            rater = draw.choice(able) if able else ""
            return (f"raters/{rater}/{what}", {"rater": rater}) if able else None

        await self._send(what, to_somebody)

    async def _send(self, what: str, form: Callable[[list[tuple[str, str]]], Form | None]) -> None:
        """Send the form that is made of raters and what can be done to them; None: there is nobody to do it to."""
        call = self.history.call()
        self.history.add("manager", what, "invoke", call)
        try:
            csrf, found = await self.raters()
            made = form(found)
            if made is None:
                self.history.add("manager", what, "info", call, why="nobody to do it to")
                return
            path, told = f"/manage/{made[0]}", made[1]
            reply = await self.browser.form(path, {"csrf": csrf, "reason": "the nemesis wants it"})
        except BrokenError as broken:
            self.history.add("manager", what, "unknown", call, why=str(broken))
            return
        self._note(reply, path)
        self.history.add("manager", what, "ok" if reply.status < 400 else "unknown", call, **told)
