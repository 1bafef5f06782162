"""A server that sends whatever bytes a test likes, at its own pace: what a strict one never sends."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread

USAGE = {"prompt_tokens": 5, "completion_tokens": 2}
Send = Callable[[socket.socket], object]
"""Sends a reply to a request that was read."""


def completion(content: str = "fine", model: str = "tiny", usage: object = USAGE) -> bytes:
    """The body of a whole reply."""
    message = {"role": "assistant", "content": content}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return json.dumps({"model": model, "choices": choices, "usage": usage}).encode()


def reply(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """A body with its status and headers."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body


@dataclass
class RawServer:
    """The URL of a running server, and the first line of each request that came."""

    url: str
    requests: list[str] = field(default_factory=list)


@contextmanager
def raw_server(answer: bytes | Send) -> Iterator[RawServer]:
    """Answer every request by these bytes, or as a function sends it."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=100)
    server = RawServer(f"http://127.0.0.1:{listener.getsockname()[1]}/v1")

    def handle(client: socket.socket) -> None:
        with client, suppress(OSError):
            client.settimeout(10)
            received = b""
            while b"\r\n\r\n" not in received:
                received += client.recv(65536) or b"\r\n\r\n"
            head, _, body = received.partition(b"\r\n\r\n")
            names = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            while len(body) < int(names.get(b"content-length", 0)):
                body += client.recv(65536)
            server.requests.append(head.partition(b"\r\n")[0].decode())
            if isinstance(answer, bytes):
                client.sendall(answer)
            else:
                answer(client)

    def accept() -> None:
        with suppress(OSError):
            while True:
                Thread(target=handle, args=(listener.accept()[0],), daemon=True).start()

    Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
