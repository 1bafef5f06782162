"""A strict local server of OpenAI's interface, with faults on demand; it counts what it would bill.

It refuses what the interface does not have: other paths, unknown keys, messages without role or text, schemas that are
not strict. A request is billed once the server has begun to compute: also where its answer never arrives.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Self

KEYS = {"model", "messages", "temperature", "seed", "response_format"}
Body = Mapping[str, Any]
Answer = Callable[[Body], object]
"""Makes the answer to a request: a text as it is, anything else as JSON."""
FAULTS = (
    *("429", "500", "malformed", "no-json", "stream", "empty-choices", "closed", "timeout"),
    *("prose", "language", "truncated", "refusal", "filtered", "nothing"),
)
"""The first eight give no whole reply, the others replies that are no answers; ``stream``: events nobody asked for."""
NO_REPLY = FAULTS[:8]


def user_message(body: Body) -> str:
    """The last message of a request."""
    return str(body["messages"][-1]["content"])


def first_options(body: Body) -> object:
    """An answer that fits the schema: of everything the first that is allowed."""
    return _first(body["response_format"]["json_schema"]["schema"])


def _first(schema: Mapping[str, Any]) -> object:
    if "anyOf" in schema:
        return _first(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _first(part) for name, part in schema["properties"].items()}
    if schema["type"] == "array":
        return [_first(schema["items"])]
    return 1 if schema["type"] == "integer" else "text"


@dataclass
class ModelServer:
    """The server; a context manager, listening on a port of its own.

    Attributes:
        answer: Makes answers.
        fault: Names the fault of a request by its number, counted from 0, and its body; empty: none.
        key: That a request must have; empty: any.
        has_schema: Whether it knows ``json_schema``.
        limit: How it calls the most tokens of an answer.
        delay: Seconds that an answer takes.
        stall: Seconds that a request of the fault ``timeout`` takes.
    """

    answer: Answer = first_options
    fault: Callable[[int, Body], str] = lambda number, body: ""
    key: str = ""
    has_schema: bool = True
    limit: str = "max_tokens"
    delay: float = 0.0
    stall: float = 3.0
    bodies: list[Body] = field(default_factory=list)
    billed: list[tuple[str, int, int]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def __enter__(self) -> Self:
        model_server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                model_server.handle(self)

            def log_message(self, format: str, *arguments: object) -> None:
                """Nothing is told."""

        class Server(ThreadingHTTPServer):
            request_queue_size = 100
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """Clients that were killed are expected."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.thread = Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self) -> str:
        """The base of its paths."""
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def billed_tokens(self) -> int:
        """All that were computed."""
        with self.lock:
            return sum(prompt + completion for _, prompt, completion in self.billed)

    def times_billed(self) -> Counter[str]:
        """How often each message was billed."""
        with self.lock:
            return Counter(message for message, _, _ in self.billed)

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        """One request."""
        raw = request.rfile.read(int(request.headers["Content-Length"]))
        body: dict[str, Any] = json.loads(raw)
        if wrong := self._wrong(request, body):
            self._send(request, wrong[0], {"error": {"message": wrong[1], "code": wrong[0]}})
            return
        with self.lock:
            number = len(self.bodies)
            self.bodies.append(body)
        fault = self.fault(number, body)
        if fault in ("429", "500"):
            error = {"error": {"message": "slow down" if fault == "429" else "it broke"}}
            self._send(request, int(fault), error, {"Retry-After": "0.1"} if fault == "429" else {})
            return
        written = self.answer(body)
        text = {
            "prose": "Sure! I think it is an error.",
            "language": "Das ist ein Fehler.",
            "truncated": '{"judgment": "err',
            "nothing": "",
        }.get(fault, written if isinstance(written, str) else json.dumps(written))
        tokens = len(raw) // 4, min(len(text) // 4 + 1, body[self.limit])
        with self.lock:
            self.billed.append((user_message(body), *tokens))
        time.sleep(self.stall if fault == "timeout" else self.delay)
        finish = {"truncated": "length", "filtered": "content_filter"}.get(fault, "stop")
        message: dict[str, object] = {"role": "assistant", "content": text}
        if fault == "refusal":
            message |= {"content": None, "refusal": "I cannot help with that."}
        usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
        choices = [] if fault == "empty-choices" else [{"index": 0, "message": message, "finish_reason": finish}]
        reply: object = {"object": "chat.completion", "model": body["model"], "choices": choices, "usage": usage}
        if fault == "malformed":
            reply = '{"object": "chat.completion", "choices": [{"index": 0, "mess'
        elif fault == "no-json":
            reply = "<html>Bad gateway</html>"
        elif fault == "stream":
            reply = "".join(f"data: {event}\n\n" for event in (*_events(body, text), "[DONE]"))
        headers = {"Content-Type": "text/event-stream"} if fault == "stream" else {}
        self._send(request, 200, reply, headers, cut=fault == "closed")

    def _wrong(self, request: BaseHTTPRequestHandler, body: Mapping[str, Any]) -> tuple[int, str] | None:
        """The status and message of a request that the interface does not have; None: it is right."""
        if request.path != "/v1/chat/completions":
            return 404, f"no path {request.path}"
        if self.key and request.headers["Authorization"] != f"Bearer {self.key}":
            return 401, f"the key is wrong: {request.headers['Authorization']}"
        message = self._wrong_body(body)
        return (400, message) if message else None

    def _wrong_body(self, body: Mapping[str, Any]) -> str:
        """Why a body is refused; empty: it is right."""
        messages = body.get("messages")
        form = body.get("response_format", {})
        schema = form.get("json_schema", {})
        unknown = sorted(body.keys() - KEYS - {self.limit})
        if unknown or self.limit not in body:
            return f"unknown keys: {unknown}; the limit of tokens is {self.limit}"
        if not isinstance(messages, list) or [m.get("role") for m in messages] not in (["system", "user"], ["user"]):
            return "messages must be of the system and the user"
        if not all(isinstance(m["content"], str) and m["content"] for m in messages):
            return "every message needs a text"
        if form and not self.has_schema:
            return "response_format json_schema is not supported"
        if form and (form["type"] != "json_schema" or not schema["strict"] or not _is_strict(schema["schema"])):
            return "the schema is not strict"
        return ""

    def _send(
        self,
        request: BaseHTTPRequestHandler,
        status: int,
        reply: object,
        headers: Mapping[str, str] = {},
        *,
        cut: bool = False,
    ) -> None:
        content = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
        request.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content[: len(content) // 2] if cut else content)
        request.close_connection = True


def _events(body: Body, text: str) -> Iterator[str]:
    """The answer piece by piece, as the interface streams it."""
    for start in range(0, len(text), 5):
        delta = {"role": "assistant", "content": text[start : start + 5]}
        choices = [{"index": 0, "delta": delta, "finish_reason": None}]
        yield json.dumps({"object": "chat.completion.chunk", "model": body["model"], "choices": choices})


def _is_strict(schema: Mapping[str, Any]) -> bool:
    """Whether every object of a schema names all its keys as required, and allows no other."""
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    parts += [schema["items"]] if "items" in schema else []
    is_whole = schema.get("type") != "object" or (
        schema["additionalProperties"] is False and set(schema["required"]) == set(schema["properties"])
    )
    return is_whole and all(map(_is_strict, parts))
