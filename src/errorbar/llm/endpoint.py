"""The client of a server of OpenAI's interface: one request, its whole reply, and what it means when there is none.

The official library ``openai`` sends it, without its own retries: every request is a reserved attempt of the ledger.
A redirect is not followed: the prompt goes to the server that was named, and to no other.
Keys come from the environment alone, and are taken out of whatever a server sends back.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from weakref import finalize

from errorbar.core.problems import MissingExtraError, Problem, UsageError, shorten_text
from errorbar.llm.model import Call, Format, ModelRater, endpoint_name

if TYPE_CHECKING:
    from openai import OpenAI

KEYS = ("ERRORBAR_LLM_KEY", "OPENAI_API_KEY")
"""Variables of the environment in which the key is looked for, in this order."""
NO_KEY = "none"
"""Sent where there is no key: servers of one's own want none."""
SHORTEST_SECRET = 8
"""Characters of a key; a shorter one is a word like ``none`` or ``ollama``, which answers may have."""
MOST_BYTES = 10_000_000
"""Of a reply: more are no answer to one question."""
_UNBILLED = range(300, 500)
"""Statuses of requests that a server refuses before it computes anything; so does one that sends them elsewhere."""
_NO_SCHEMA = re.compile(r"response_format|json_schema|schema|grammar|guided", re.IGNORECASE)
_NEW_LIMIT = "max_completion_tokens"
_SAYS_WHY = 300
"""Characters of a server's message that are told."""
_MOST_WHY = 100_000
"""Bytes of such a message that are read."""
_GRACE = 0.5
"""Seconds after its time in which a request may end by itself."""


class NoReplyError(Exception):
    """A request has no whole reply.

    Attributes:
        reason: In a few words.
        raw: The body, as far as it came.
        is_final: Whether to ask again is useless: the server refuses such requests.
        may_be_billed: Whether the server may have computed something.
        retry_after: Seconds that the server asks to wait; None: it does not say.
        is_adapted: Whether the next request will be another one, which the server may know.
    """

    def __init__(
        self,
        reason: str,
        raw: str = "",
        *,
        is_final: bool = False,
        may_be_billed: bool = True,
        retry_after: float | None = None,
        is_adapted: bool = False,
    ) -> None:
        self.reason, self.raw, self.is_final = reason, raw, is_final
        self.may_be_billed, self.retry_after, self.is_adapted = may_be_billed, retry_after, is_adapted
        super().__init__(reason)


class _StatusError(Exception):
    """A status that is none of success."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status, self.headers, self.content = status, headers, content
        super().__init__(status)


def read_key(environment: Mapping[str, str]) -> str:
    """The key in the environment; empty: there is none.

    Raises:
        UsageError: If no header can hold it (``llm-key``); the message does not show it.
    """
    name, key = next(((name, key) for name in KEYS if (key := environment.get(name, "").strip())), ("", ""))
    if not (key.isascii() and key.isprintable()):
        message = f"the key in {name} has a line break, or a character that is not ASCII"
        raise UsageError(Problem("llm-key", message, fix="copy the key again, as one line"))
    return key


def _spellings(key: str) -> re.Pattern[str]:
    """The key as itself, or as JSON or a URL may spell it."""
    letters = [rf"(?:\\?{re.escape(letter)}|\\u{ord(letter):04x}|%{ord(letter):02x})" for letter in key]
    return re.compile("".join(letters), re.IGNORECASE)


@dataclass
class Endpoint:
    """A server of OpenAI's interface; threads may share it.

    Attributes:
        url: The base of its paths, such as ``http://localhost:8000/v1``.
        timeout: Seconds that a reply may take.
        key: Sent with every request; empty: none.
    """

    url: str
    timeout: float = 60.0
    key: str = field(default="", repr=False)
    _has_schema: bool = field(default=True, init=False)
    _limit: str = field(default="max_tokens", init=False)
    _client: OpenAI | None = field(default=None, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _spelled: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._spelled = _spellings(self.key)

    @classmethod
    def open(cls, url: str, timeout: float = 60.0) -> Endpoint:
        """An endpoint with the key of the environment.

        Raises:
            UsageError: If the URL is none, or could have a key in it; or if the key cannot be sent.
            MissingExtraError: If the library is not installed.
        """
        endpoint_name(url)
        endpoint = cls(url.strip().rstrip("/"), timeout, read_key(os.environ))
        endpoint.client()
        return endpoint

    @property
    def lease(self) -> float:
        """Seconds after which no request that was sent can still be answered here; ``send`` sees to it."""
        return 2 * self.timeout + 2

    def client(self) -> OpenAI:
        """The library's client, made once."""
        with self._lock:
            if self._client is None:
                try:
                    from openai import DefaultHttpxClient, OpenAI  # noqa: PLC0415 - a second, and an extra
                except ModuleNotFoundError:
                    raise MissingExtraError("llm", "asking a language model") from None
                transport = DefaultHttpxClient(follow_redirects=False, event_hooks={"response": [_raise_status]})
                finalize(self, transport.close)
                self._client = OpenAI(
                    api_key=self.key or NO_KEY,
                    base_url=self.url,
                    max_retries=0,
                    timeout=self.timeout,
                    http_client=transport,
                )
                _ = self._client.chat.completions  # loads the rest now, and not in the time of the first reply
            return self._client

    def redact(self, text: str) -> str:
        """The text without the key, and without its beginning where the text breaks off within it."""
        if len(self.key) < SHORTEST_SECRET:
            return text
        text = self._spelled.sub("[key]", text)
        beginnings = (self.key[:n] for n in range(len(self.key) - 1, SHORTEST_SECRET - 1, -1))
        cut = next((beginning for beginning in beginnings if text.endswith(beginning)), "")
        return f"{text.removesuffix(cut)}[key]" if cut else text

    def send(self, rater: ModelRater, call: Call) -> str:
        """Send a call, and wait for its reply.

        Returns:
            The body of the reply, whole, without the key; whether it is a completion ``read_completion`` tells.

        Raises:
            NoReplyError: If there is none.
        """
        pieces, errors = list[bytes](), list[BaseException]()

        def exchange() -> None:
            try:
                self._exchange(rater, call, pieces)
            except BaseException as error:  # noqa: BLE001 - raised below
                errors.append(error)

        # In a thread that is left alone after its time: the library's timeouts are those of each byte it waits for.
        thread = Thread(target=exchange, name="errorbar-llm-send", daemon=True)
        thread.start()
        thread.join(self.timeout + _GRACE)
        if thread.is_alive():
            raise NoReplyError("no whole reply in time", self._text(pieces))
        if errors:
            raise errors[0]
        return self._text(pieces)

    def _exchange(self, rater: ModelRater, call: Call, pieces: list[bytes]) -> None:
        """Send a call, and put the body of its reply into ``pieces``; raises ``NoReplyError``."""
        from openai import APIConnectionError, APITimeoutError  # noqa: PLC0415 - as above

        deadline = time.monotonic() + self.timeout
        body = self._body(rater, call)
        try:
            with self.client().chat.completions.with_streaming_response.create(**body) as response:
                for piece in response.iter_bytes():
                    pieces.append(piece)
                    if time.monotonic() > deadline:
                        raise NoReplyError("no whole reply in time", self._text(pieces))
                    if sum(map(len, pieces)) > MOST_BYTES:
                        raise NoReplyError("the reply never ends", is_final=True)
        except NoReplyError:
            raise
        except APITimeoutError as error:
            is_sent = _is_sent(error)
            raise NoReplyError("no whole reply in time", self._text(pieces), may_be_billed=is_sent) from None
        except Exception as error:  # noqa: BLE001 - of the library's transport, which reads the body outside its own errors
            cause = error.__cause__ or error
            if isinstance(cause, _StatusError):
                raise self._refused(cause, body, rater.decoding.format) from None
            kind = "no connection" if isinstance(error, APIConnectionError) else "the connection broke"
            reason = f"{kind}: {shorten_text(self.redact(str(cause)), _SAYS_WHY)}"
            raise NoReplyError(reason, self._text(pieces), may_be_billed=_is_sent(error)) from None

    def _body(self, rater: ModelRater, call: Call) -> dict[str, Any]:
        decoding = rater.decoding
        messages = [{"role": "system", "content": rater.prompt}, {"role": "user", "content": call.content}]
        body: dict[str, Any] = {
            "model": rater.model,
            "messages": messages if rater.prompt else messages[1:],
            "temperature": decoding.temperature,
            self._limit: decoding.max_tokens,
        }
        if decoding.seed is not None:
            body["seed"] = decoding.seed
        if call.schema and decoding.format != "text" and self._has_schema:
            schema = {"name": "answer", "schema": call.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _text(self, pieces: list[bytes]) -> str:
        return self.redact(b"".join(pieces).decode("utf-8-sig", "replace"))

    def _refused(self, error: _StatusError, body: Mapping[str, Any], form: Format) -> NoReplyError:
        """The error on a status that is none of success; what a server does not have is left out from now on."""
        status, raw = error.status, self._text([error.content])
        target = self.redact(error.headers.get("location", "")) if 300 <= status < 400 else ""
        says = f"it sends requests on to {target}" if target else " ".join(raw.split())
        reason = f"status {status}: {shorten_text(says, _SAYS_WHY)}"
        is_adapted = False  # by what this request had: others of it may be on their way
        if status == 400 and _NEW_LIMIT not in body and _NEW_LIMIT in raw:
            self._limit, is_adapted = _NEW_LIMIT, True
        elif status in (400, 422) and form == "auto" and "response_format" in body and _NO_SCHEMA.search(raw):
            self._has_schema, is_adapted = False, True
        if is_adapted:
            return NoReplyError(reason, raw, may_be_billed=False, is_adapted=True)
        again = status in (408, 409, 425, 429) or status >= 500
        wait = _read_wait(error.headers)
        return NoReplyError(reason, raw, is_final=not again, may_be_billed=status not in _UNBILLED, retry_after=wait)


def _raise_status(response: Any) -> None:  # noqa: ANN401 - the library is loaded late
    """Refuse every status but those of success, with the beginning of what the server says: it may never end."""
    if not 200 <= response.status_code < 300:
        content = b""
        for piece in response.iter_bytes():
            content += piece
            if len(content) > _MOST_WHY:
                break
        raise _StatusError(response.status_code, response.headers, content[:_MOST_WHY])


def _is_sent(error: Exception) -> bool:
    """Whether a request may have reached the server: not where there never was a connection."""
    return type(error.__cause__).__name__ not in ("ConnectError", "ConnectTimeout")


def _read_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds of ``Retry-After``, where it is a number; a date is rare, and the usual wait does."""
    try:
        seconds = float(headers.get("retry-after-ms", "")) / 1000
    except ValueError:
        try:
            seconds = float(headers.get("retry-after", ""))
        except ValueError:
            return None
    return seconds if 0 <= seconds < math.inf else None


def refused_error(error: NoReplyError, endpoint: str) -> UsageError:
    """The error on a request that a server will never answer."""
    message = f"{endpoint} refuses the request: {error.reason}"
    fix = f"look at --endpoint, the name of the model, and the key in {KEYS[0]}"
    return UsageError(Problem("llm-refused", message, fix=fix))
