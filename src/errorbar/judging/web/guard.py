"""What holds for every connection and request: how much is read, for how long, of which host; headers of replies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from errorbar.judging.web.rate_limits import RareWarning
from errorbar.judging.web.refusals import RefusalError

MOST_HEAD = 64 * 1024
"""Bytes of a request's first line and headers."""
MOST_BYTES = 2 * 1024 * 1024
"""Of a body of the API: a hundred answers with long comments."""
MOST_FORM = 16 * 1024
"""Bytes of any other body."""
_MOST_SENT = 4 * MOST_BYTES
"""Bytes after the headers of a request, with what its encoding adds; nothing else counts what nobody reads."""
_LINGER = 1.0
"""Seconds in which a refused client can read why."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # links of invitations are secrets
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server takes from its connections.

    Attributes:
        head_seconds: Until a request's headers are complete, from its first byte or from the connection's beginning.
        body_seconds: Until its body is complete, from the end of its headers.
        connections: That one process has open at once.
    """

    head_seconds: float = 20.0
    body_seconds: float = 120.0
    connections: int = 10_000


class Connection(HttpToolsProtocol):
    """A connection whose requests have limits before anything of them is kept: length, time, and how many there are."""

    _too_many = RareWarning()  # connections; one for all

    def __init__(self, *arguments: Any, limits: Limits, **named: Any) -> None:  # noqa: ANN401 - of uvicorn
        super().__init__(*arguments, **named)
        self._limits = limits
        self._in_head = True
        self._n_bytes = 0  # of the head, or after it
        self._deadline: asyncio.TimerHandle | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin the first deadline; refuse where too many are open."""
        super().connection_made(transport)
        self._limit_seconds(self._limits.head_seconds)
        most = self._limits.connections
        if len(self.connections) > most:
            self._too_many.log(f"{most:,} connections are open, and the server takes no more: raise 'ulimit -n'")
            what = "The server has too many visitors just now."
            self._refuse(RefusalError(503, "too-many-connections", what, "Try again soon."))

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the deadline."""
        self._limit_seconds(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feed the parser no more of a head than there may be."""
        if self._in_head and self._deadline is None:
            self._limit_seconds(self._limits.head_seconds)
        while data and not self._is_refused and not self.transport.is_closing():
            most = MOST_HEAD if self._in_head else _MOST_SENT
            piece, data = data[: most - self._n_bytes], data[most - self._n_bytes :]
            self._n_bytes += len(piece)
            before = self._in_head
            super().data_received(piece)
            if self._in_head is before and self._n_bytes >= most:
                what = f"The headers are longer than {MOST_HEAD:,} bytes."
                self._refuse(RefusalError(431, "headers-too-long", what) if before else _too_long(MOST_BYTES))

    def on_headers_complete(self) -> None:
        """Go on to the body."""
        self._in_head, self._n_bytes = False, 0
        self._limit_seconds(self._limits.body_seconds)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait for the next request, for as long as uvicorn keeps a connection."""
        self._in_head, self._n_bytes = True, 0
        self._limit_seconds(None)
        super().on_message_complete()

    def _limit_seconds(self, seconds: float | None) -> None:
        """Set a deadline in place of the one before; None: there is none."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._refuse_slowness)

    def _refuse_slowness(self) -> None:
        self._refuse(RefusalError(408, "too-slow", "The request did not arrive in time.", "Send it again."))

    def _refuse(self, refusal: RefusalError) -> None:
        """Say why, where nothing was said yet, and close the connection once that can have been read."""
        self._is_refused = True
        self._limit_seconds(None)
        cycle: RequestResponseCycle | None = self.cycle
        is_replying = False
        if cycle is not None and not cycle.response_complete:
            is_replying = cycle.response_started
            cycle.disconnected = True
            cycle.message_event.set()
        if is_replying or self.transport.is_closing():
            self.transport.abort()
            return
        body = json.dumps(refusal.body()).encode()
        head = f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}\r\ncontent-type: application/json\r\n"
        head += f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(head.encode() + body)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()  # what comes is dropped: a close with unread bytes would take back the reply
        self.loop.call_later(_LINGER, self.transport.abort)


@dataclass(frozen=True, slots=True)
class Guard:
    """The outermost layer.

    Attributes:
        app: What answers.
        hosts: Names by which the server may be called, without ports; None: any. A page of elsewhere whose name was
            made to point at 127.0.0.1 names its own host.
        secure: Whether the browser came by TLS.
    """

    app: ASGIApp
    hosts: Collection[str] | None
    secure: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        still = path.startswith("/static/")
        most = left = MOST_BYTES if path.startswith("/api/") else MOST_FORM
        refusal = self._refusal(scope, most)

        async def limited() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise _too_long(most)
            return message

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                headers.extend(_HEADERS)
                if self.secure:
                    headers.append((b"strict-transport-security", b"max-age=31536000"))
                if not still:
                    headers.append(_NO_STORE)
            await send(message)

        if refusal is not None:
            await refusal.response()(scope, receive, headed)
        else:
            await self.app(scope, limited, headed)

    def _refusal(self, scope: Scope, most: int) -> RefusalError | None:
        length = host = ""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value.decode("latin-1")
            elif name == b"content-length":
                length = value.decode("latin-1")
        if self.hosts is not None and _without_port(host) not in self.hosts:
            what = f"This server does not answer to the name '{host}'."
            return RefusalError(421, "wrong-host", what, "Open the address that the server printed.")
        if length and (not length.isdecimal() or int(length) > most):
            return _too_long(most)
        return None


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _too_long(most: int) -> RefusalError:
    return RefusalError(413, "too-long", f"The request is longer than {most:,} bytes.", "Send it in parts.")
