"""Requests: limits on headers, bodies and number; bodies that are checked before anything is done with them."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from errorbar.judging.page_languages import ENGLISH, PageLanguage, phrase
from errorbar.judging.scheme import Submission

# What the server refuses: one shape for programs, a plain page for people.


class RefusalError(Exception):
    """A request that is not answered as it was asked.

    Attributes:
        status: Of HTTP.
        code: Short and stable; docs/judge/server.md lists those that need somebody to act.
        message: What is wrong, for people.
        fix: What they can do.
        number: What ``{n}`` in the message stands for.
    """

    def __init__(self, status: int, code: str, message: str, fix: str = "", number: int = 0) -> None:
        self.status, self.code, self.fix, self.number = status, code, fix, number
        self.phrase, self.message = message, ENGLISH.say(message, n=number)
        super().__init__(self.message)

    def sentences(self, language: PageLanguage) -> list[str]:
        """A refusal and what people can do, in the language of a page."""
        return [language.say(each, n=self.number) for each in (self.phrase, self.fix) if each]

    def body(self) -> dict[str, object]:
        """The one shape of errors."""
        return {"error": {"code": self.code, "message": self.message, "fix": self.fix}}

    def response(self) -> Response:
        """For programs."""
        return JSONResponse(self.body(), self.status)


def signed_out_error() -> RefusalError:
    """The session is over, or there was none."""
    return RefusalError(
        401, "signed-out", phrase("You are not signed in."), phrase("Open the link that you were given again.")
    )


def forged_post_error() -> RefusalError:
    """A post that does not come from one of our own pages."""
    return RefusalError(
        403, "form-expired", phrase("This form is not valid any more."), phrase("Load the page again and send it.")
    )


def unfit_error(what: str) -> RefusalError:
    """A body that is not what was asked for."""
    return RefusalError(400, "bad-request", what, "")


MOST_FIELDS = 100
MOST_ANSWERS = 100
MOST_WANTED = 10
LONGEST = 20_000
"""Characters of a comment."""
MOST_STEPS, LONGEST_STEP = 100, 100
"""Entries of a trail, and characters of the name of one."""
MOST_NUMBER = 2**31 - 1


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; of a repeated one the last."""
    if _media_type(request) != "application/x-www-form-urlencoded":
        raise unfit_error("A form was expected.")
    try:
        text = (await request.body()).decode("ascii")
        fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
    except ValueError:
        raise unfit_error("The form cannot be read.") from None
    if not all(map(is_storable, fields.values())):
        raise unfit_error("The form has a character that cannot be stored (U+0000).")
    return fields


async def read_json(request: Request) -> dict[str, Any]:
    """A JSON object."""
    if _media_type(request) != "application/json":
        raise unfit_error("JSON was expected.")
    return json_body(await request.body())


def _media_type(request: Request) -> str:
    """Without parameters, in small letters, as capital ones make no difference."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def json_body(content: bytes) -> dict[str, Any]:
    """The JSON object that a body is."""
    try:
        body = json.loads(content, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise unfit_error("The body is no JSON.") from None
    if not isinstance(body, dict):
        raise unfit_error("The body must be a JSON object.")
    return body


def _finite(said: str) -> float:
    """A number as JSON has it: exports of what was sent must be JSON too."""
    value = float(said)
    if not isfinite(value):
        raise ValueError
    return value


def parse_wanted(body: Mapping[str, Any]) -> int:
    """How many items the page wants to hold."""
    want = body.get("want", MOST_WANTED)
    if not _count(want) or want > MOST_WANTED:
        raise unfit_error(f"'want' must be a whole number from 0 to {MOST_WANTED}.")
    return int(want)


def submissions(body: Mapping[str, Any]) -> list[Submission]:
    """The answers of a post; all of them are as they must be, or none is taken."""
    answers = body.get("answers")
    if not isinstance(answers, list):
        raise unfit_error("'answers' must be a list.")
    if len(answers) > MOST_ANSWERS:
        raise RefusalError(413, "too-many-answers", f"A post takes {MOST_ANSWERS} answers.", "Send them in parts.")
    return [_submission(raw) for raw in answers]


def _submission(raw: object) -> Submission:
    """An answer; what is said beside it is taken as far as it can be, so that nothing waits in a browser for ever."""
    if not isinstance(raw, dict):
        raise unfit_error("An answer must be a JSON object.")
    answer, trail = raw.get("answer"), raw.get("trail")
    if not (answer is None or isinstance(answer, dict)):
        raise unfit_error("'answer' must be an object or null.")
    whole = (
        isinstance(trail, dict)
        and len(trail) <= MOST_STEPS
        and all(len(name) <= LONGEST_STEP and _count(number) for name, number in trail.items())
    )
    return Submission(
        id=_text(raw, "submission"),
        token=_text(raw, "assignment"),
        text_hash=_text(raw, "text_hash"),
        base_version=_number(raw, "base_version"),
        answer=answer,
        skip=_text(raw, "skip"),
        comment=_text(raw, "comment"),
        milliseconds=_number(raw, "milliseconds"),
        trail=trail if whole else None,
    )


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    return value[:LONGEST] if isinstance(value, str) else ""


def _number(raw: Mapping[str, Any], name: str) -> int:
    value = raw.get(name)
    if isinstance(value, float):
        value = round(value)
    return min(max(value, 0), MOST_NUMBER) if isinstance(value, int) and not isinstance(value, bool) else 0


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_NUMBER


def is_storable(text: str) -> bool:
    """Whether both stores can hold a text: no NUL, no half of a pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


# How often an address may try what nobody has signed in for, and how often the log is told the same.
#
# Answers of raters are never counted.


MOST_ADDRESSES = 10_000
QUIET = 60.0
"""Seconds for which the log is not told the same again."""
_LOG = logging.getLogger("uvicorn.error")


@dataclass(slots=True)
class RateLimit:
    """A bucket of tries for each address, which fills up again; of one process.

    Attributes:
        most: Tries at once.
        per_second: How many come back.
        clock: Seconds.
    """

    most: int
    per_second: float
    clock: Callable[[], float]
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, address: str) -> None:
        """Count a try.

        Raises:
            RefusalError: If there were too many.
        """
        left, now = self._now(address)
        self._left.pop(address, None)
        self._left[address] = (max(0.0, left - 1), now)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        _refuse_below_one(left)

    def look(self, address: str) -> None:
        """Refuse as ``take`` does, and count nothing."""
        _refuse_below_one(self._now(address)[0])

    def _now(self, address: str) -> tuple[float, float]:
        now = self.clock()
        left, since = self._left.get(address, (float(self.most), now))
        return min(self.most, left + max(0.0, now - since) * self.per_second), now


MOST_BODIES = 8
"""Bodies of one rater that a process reads at a time: a page sends one, and a rater may have some tabs."""


@dataclass(slots=True)
class BodyLimit:
    """The number of bodies that are being read for each rater; of one process."""

    most: int = MOST_BODIES
    _n_open: Counter[int] = field(init=False, default_factory=Counter)

    @contextmanager
    def reading(self, rater: int) -> Iterator[None]:
        """Count a body as long as it is read.

        Raises:
            RefusalError: If so many of the rater's are being read already.
        """
        if self._n_open[rater] >= self.most:
            message = f"{self.most} other requests of yours are still being received."
            raise RefusalError(429, "too-many-bodies", message, "Wait until they have arrived, and send it again.")
        self._n_open[rater] += 1
        try:
            yield
        finally:
            self._n_open[rater] -= 1
            if not self._n_open[rater]:
                del self._n_open[rater]


@dataclass(slots=True)
class RareWarning:
    """A warning in the server's log: one line, and none for a minute, however often it is true."""

    _until: float = float("-inf")

    def log(self, message: object) -> None:
        """Tell the log, unless it was told a moment ago."""
        now = time.monotonic()
        if now >= self._until:
            self._until = now + QUIET
            _LOG.warning("%s", message)


STORE_FAILS = RareWarning()
"""Of all requests of a process, and of what it does by itself."""


def _refuse_below_one(left: float) -> None:
    if left < 1:
        message = phrase("There were too many tries from your address.")
        raise RefusalError(429, "too-many", message, phrase("Wait a minute and try again."))


# What holds for every connection and request: how much is read, for how long, of which host; headers of replies.


MOST_HEAD = 64 * 1024
"""Bytes of a request's first line and headers."""
MOST_BYTES = 2 * 1024 * 1024
"""Of a body with answers, which is read for raters alone: a hundred answers with long comments."""
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
    """The limits on a server's connections.

    Attributes:
        head_seconds: Until a request's headers are complete, from its first byte or from the connection's beginning.
        body_seconds: Until its body is complete, from the end of its headers.
        connections: That one process has open at once.
    """

    head_seconds: float = 20.0
    body_seconds: float = 120.0
    connections: int = 10_000


class LimitedConnection(HttpToolsProtocol):
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
            message = "The server has too many visitors just now."
            self._refuse(RefusalError(503, "too-many-connections", message, "Try again soon."))

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
                message = f"The headers are longer than {MOST_HEAD:,} bytes."
                self._refuse(RefusalError(431, "headers-too-long", message) if before else _too_long(MOST_BYTES))

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
        most = left = MOST_BYTES if path == "/api/answer" else MOST_FORM
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
        if self.hosts is not None and _strip_port(host) not in self.hosts:
            message = f"This server does not answer to the name '{host}'."
            return RefusalError(421, "wrong-host", message, "Open the address that the server printed.")
        if length and (not length.isdecimal() or int(length) > most):
            return _too_long(most)
        return None


def _strip_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _too_long(most: int) -> RefusalError:
    return RefusalError(413, "too-long", f"The request is longer than {most:,} bytes.", "Send it in parts.")
