"""What a rater's page exchanges with the server, and what of it is written down."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.lean_http import BrokenError, Browser, Reply
from tests.judging.jepsen.history import History
from tests.judging.jepsen.telling import TAG, shape_of

CSRF = re.compile(r'name="csrf" (?:content|value)="([^"]+)"')


@dataclass(slots=True)
class World:
    """What all raters share: where the server is, what they wrote down, tokens that others may try."""

    host: str
    port: int
    invite: str
    history: History
    pause: float
    draining: bool = False
    tokens: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Held:
    """An item before a rater, or one answered."""

    item: Mapping[str, Any]
    version: int = 0


class Page:
    """One rater's: items before them, answers that no receipt came for yet."""

    def __init__(self, world: World, name: str, draw: random.Random) -> None:
        self.world, self.name, self.random = world, name, draw
        self.browser, self.second = Browser(world.host, world.port), Browser(world.host, world.port)
        self.csrf = ""
        self.held: dict[str, Held] = {}
        self.answered: dict[str, Held] = {}
        self.outbox: dict[str, dict[str, Any]] = {}
        self.seen: set[str] = set()
        self.standing = ""

    def drop(self) -> None:
        """The connections; in the next turn of the loop they are gone."""
        self.browser.drop()
        self.second.drop()

    async def join(self) -> None:
        """By the link, as the same participant each time."""
        path = f"{self.world.invite}?participant={self.name}"
        call = self._invoke("join")
        welcome = await self._request("GET", path)
        found = CSRF.search(welcome.body.decode())
        fields = {"csrf": found[1] if found else "", "participant": self.name, "consent": "yes"}
        reply = await self.browser.form(self.world.invite, fields)
        self._note(reply, self.world.invite)
        page = await self._request("GET", "/work")
        meta = CSRF.search(page.body.decode())
        if page.status == 200 and meta:
            self.csrf = meta[1]
            self.world.history.add(self.name, "join", "ok", call)
            await self.claim()
        else:
            self.world.history.add(self.name, "join", "unknown", call, status=page.status)
            await asyncio.sleep(0.2)

    async def withdraw(self) -> None:
        """Once: whoever gets no reply does not know whether they are out, and asks no more."""
        call = self._invoke("withdraw")
        try:
            reply = await self.browser.form("/withdraw", {"csrf": self.csrf, "sure": "yes"})
        except BrokenError as broken:
            self.world.history.add(self.name, "withdraw", "unknown", call, why=str(broken))
            return
        out = reply.status == 200 and b'data-notice="withdrawn"' in reply.body
        self.world.history.add(self.name, "withdraw", "ok" if out else "unknown", call, status=reply.status)

    async def claim(self) -> None:
        call = self._invoke("claim")
        reply = await self._post("/api/claim", {"want": 10}, self.browser)
        if reply.status == 200:
            self.take(reply, reply.json()["work"])
            self.world.history.add(self.name, "claim", "ok", call, standing=self.standing)
        else:
            self.world.history.add(self.name, "claim", "unknown", call, status=reply.status)
            await asyncio.sleep(0.1)

    async def send(self, body: dict[str, Any], browser: Browser) -> None:
        """A post, and its receipts or what became of it."""
        call = self.world.history.call()
        for each in body["answers"]:
            self.world.history.add(self.name, "answer", "invoke", call, **_written_down(each))
        try:
            reply = await self._post("/api/answer", body, browser)
        except BrokenError as broken:
            self._unknown(body, call, str(broken))
            raise
        if reply.status != 200:
            self._unknown(body, call, str(reply.status))
            await asyncio.sleep(0.1)
            return
        result = reply.json()
        for receipt in result["receipts"]:
            self.received(receipt, call)
        self.take(reply, result["work"])

    async def send_and_leave(self, body: dict[str, Any]) -> None:
        """The reply is lost; the answers stay in the outbox."""
        call = self.world.history.call()
        for each in body["answers"]:
            self.world.history.add(self.name, "answer", "invoke", call, **_written_down(each))
        with contextlib.suppress(BrokenError):
            await self.second.post_and_leave("/api/answer", body, self.csrf, self.random.random() * 0.03)
        self._unknown(body, call, "left")

    def _unknown(self, body: dict[str, Any], call: int, why: str) -> None:
        for each in body["answers"]:
            self.world.history.add(self.name, "answer", "unknown", call, submission=each["submission"], why=why)

    def received(self, receipt: Mapping[str, Any], call: int) -> None:
        name = receipt["submission"]
        kept = {key: receipt[key] for key in ("submission", "status", "version")}
        self.world.history.add(self.name, "answer", "ok", call, **kept, why=receipt.get("why", ""))
        sent = self.outbox.pop(name, None)
        if sent is not None and sent["assignment"] in self.answered:
            self.answered[sent["assignment"]].version = receipt["version"]

    def take(self, reply: Reply, work: Mapping[str, Any]) -> None:
        """What is before the rater now; writes down what reached the browser with it."""
        self.standing = work["standing"]
        headers = sum(len(n) + len(v) for n, v in reply.headers.items() if n not in ("content-length", "date"))
        pending = {each["assignment"] for each in self.outbox.values()}
        for place, item in enumerate(work["items"]):
            token = item["assignment"]
            if token not in pending:
                self.held[token] = Held(item, item["version"])
            if token in self.seen:
                continue
            self.seen.add(token)
            self.world.tokens.append(token)
            self.world.history.add(
                self.name,
                "seen",
                "info",
                0,
                assignment=token,
                text_hash=item["text_hash"],
                round=item["round"],
                length=len(item["html"]),
                tags=len(TAG.findall(item["html"])),
                shape=shape_of(item["html"]),
                keys=sorted(item),
                place=place,
                seconds=reply.seconds,
                headers=headers,
            )

    def _invoke(self, what: str) -> int:
        call = self.world.history.call()
        self.world.history.add(self.name, what, "invoke", call)
        return call

    async def _request(self, method: str, path: str) -> Reply:
        reply = await self.browser.request(method, path)
        self._note(reply, path)
        return reply

    async def _post(self, path: str, body: object, browser: Browser) -> Reply:
        browser.cookies = self.browser.cookies
        reply = await browser.post(path, body, self.csrf)
        self._note(reply, path)
        if reply.status in (401, 403):
            self.csrf = ""  # signed out: the outbox stays, and the link is opened again
        return reply

    def _note(self, reply: Reply, path: str) -> None:
        if reply.status >= 400:
            body = reply.body[:500].decode(errors="replace")
            self.world.history.add(self.name, "http", "info", 0, status=reply.status, path=path, body=body)


def _written_down(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {key: sent[key] for key in ("submission", "assignment", "text_hash", "base_version", "answer", "skip")}
