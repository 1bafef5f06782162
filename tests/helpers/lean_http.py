"""An HTTP client that costs little, so that a load test measures the server: one kept connection, nothing pipelined."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any, cast

import httptools

from tests.helpers.expectations import require


class BrokenError(Exception):
    """No reply came: what was asked may have happened."""


@dataclass(slots=True)
class Reply:
    """What came back; ``seconds`` from the first byte sent to the last byte received."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    cookies: list[str] = field(default_factory=list)
    body: bytes = b""
    seconds: float = 0.0

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)

    def headers_length(self) -> int:
        return sum(len(name) + len(value) for name, value in self.headers.items())


class _Wire(asyncio.Protocol):
    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.waiting: asyncio.Future[Reply] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is of no such class
        self._renew()

    def _renew(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.reply, self.parts = Reply(), list[bytes]()

    def data_received(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as broken:
            self._fail(broken)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        self._fail(exc or ConnectionResetError("closed"))

    def _fail(self, why: Exception) -> None:
        if self.waiting and not self.waiting.done():
            self.waiting.set_exception(BrokenError(repr(why)))

    def on_header(self, name: bytes, value: bytes) -> None:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        if key == "set-cookie":
            self.reply.cookies.append(text)
        else:
            self.reply.headers[key] = text

    def on_body(self, body: bytes) -> None:
        self.parts.append(body)

    def on_message_complete(self) -> None:
        self.reply.status = self.parser.get_status_code()
        self.reply.body = b"".join(self.parts)
        reply, keep = self.reply, self.parser.should_keep_alive()
        self._renew()
        if self.waiting and not self.waiting.done():
            self.waiting.set_result(reply)
        if not keep and self.transport:
            self.transport.close()
            self.transport = None


class Browser:
    """Cookies and one connection, opened again where it broke."""

    def __init__(self, host: str, port: int, *, patience: float = 30.0) -> None:
        self.host, self.port, self.patience = host, port, patience
        self.cookies: dict[str, str] = {}
        self._wire: _Wire | None = None

    async def _connected(self) -> asyncio.Transport:
        if self._wire is None or self._wire.transport is None or self._wire.transport.is_closing():
            loop = asyncio.get_running_loop()
            try:
                _, self._wire = await loop.create_connection(_Wire, self.host, self.port)
            except OSError as refused:
                raise BrokenError(repr(refused)) from refused
        assert self._wire.transport is not None
        return self._wire.transport

    def _bytes(self, method: str, path: str, body: bytes, headers: str) -> bytes:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{headers}"
        head += f"Cookie: {cookies}\r\n" if cookies else ""
        head += f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        return head.encode("latin-1") + b"\r\n" + body

    async def request(self, method: str, path: str, body: bytes = b"", headers: str = "") -> Reply:
        """Headers are whole lines.

        Raises:
            BrokenError: If there is no reply.
        """
        transport = await self._connected()
        wire = require(self._wire)
        wire.waiting = asyncio.get_running_loop().create_future()
        start = time.perf_counter()
        transport.write(self._bytes(method, path, body, headers))
        try:
            async with asyncio.timeout(self.patience):
                reply = await wire.waiting
        except TimeoutError as late:
            self.drop()
            raise BrokenError(f"no reply within {self.patience} s") from late
        reply.seconds = time.perf_counter() - start
        for cookie in reply.cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply

    async def post(self, path: str, data: object, csrf: str = "") -> Reply:
        """JSON."""
        headers = (
            f"Content-Type: application/json\r\nX-CSRF-Token: {csrf}\r\nOrigin: http://{self.host}:{self.port}\r\n"
        )
        return await self.request("POST", path, json.dumps(data).encode(), headers)

    async def post_and_leave(self, path: str, data: object, csrf: str, seconds: float) -> None:
        """Sent, and the connection broken before the reply is read: whether it happened is unknown."""
        transport = await self._connected()
        headers = f"Content-Type: application/json\r\nX-CSRF-Token: {csrf}\r\n"
        transport.write(self._bytes("POST", path, json.dumps(data).encode(), headers))
        await asyncio.sleep(seconds)
        self.drop()

    async def form(self, path: str, fields: dict[str, str]) -> Reply:
        """As a page's form does."""
        from urllib.parse import urlencode

        headers = f"Content-Type: application/x-www-form-urlencoded\r\nOrigin: http://{self.host}:{self.port}\r\n"
        return await self.request("POST", path, urlencode(fields).encode(), headers)

    def drop(self) -> None:
        if self._wire and self._wire.transport:
            self._wire.transport.abort()
            self._wire.transport = None
        self._wire = None
