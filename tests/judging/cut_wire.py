"""A wire to a PostgreSQL server that breaks when a transaction is to be committed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

Cut = Literal["", "before", "after"]
"""Whether the next COMMIT still reaches the server when the wire breaks; empty: it does not break."""


@dataclass
class Wire:
    """Attributes: where to connect; the next cut; whether the wire stays broken after it; how many cuts there were."""

    url: str
    cut: Cut = ""
    stays: bool = False
    cuts: int = 0
    _listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    _broken: bool = False
    _threads: list[threading.Thread] = field(default_factory=list)
    _pairs: list[_Pair] = field(default_factory=list)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        self._server = (parts.hostname or "", parts.port or 5432)
        port = self._listener.getsockname()[1]
        self.url = urlunsplit(parts._replace(netloc=f"{parts.username}@127.0.0.1:{port}"))
        self._start(self._accept)

    def _start(self, work: Callable[[], None]) -> None:
        self._threads.append(threading.Thread(target=work, daemon=True))
        self._threads[-1].start()

    def take_down(self) -> None:
        """Break every connection, and refuse new ones: so a server looks that is down."""
        self._broken = True
        for pair in self._pairs:
            pair.end()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for each in self._threads:
            each.join(10)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._broken:
                    client.close()
                    continue
                pair = _Pair(client, socket.create_connection(self._server))
                self._pairs.append(pair)
                self._start(partial(self._carry, pair))

    def _carry(self, pair: _Pair) -> None:
        back = threading.Thread(target=pair.reply, daemon=True)
        back.start()
        self._ask(pair)
        back.join(10)
        pair.client.close()
        pair.server.close()

    def _ask(self, pair: _Pair) -> None:
        """From the client to the server."""
        with suppress(OSError):
            while data := pair.client.recv(1 << 16):
                if self.cut and b"COMMIT" in data.replace(b"READ COMMITTED", b""):
                    cut, self.cut, self._broken = self.cut, "", self.stays
                    self.cuts += 1
                    pair.deaf.set()
                    if cut == "after":
                        pair.server.sendall(data)
                        pair.replied.wait(30)
                    break
                pair.server.sendall(data)
        pair.end()


@dataclass
class _Pair:
    """Both ends of a connection; a deaf client is told nothing more."""

    client: socket.socket
    server: socket.socket
    deaf: threading.Event = field(default_factory=threading.Event)
    replied: threading.Event = field(default_factory=threading.Event)

    def reply(self) -> None:
        """From the server to the client."""
        with suppress(OSError):
            while data := self.server.recv(1 << 16):
                if self.deaf.is_set():
                    self.replied.set()
                else:
                    self.client.sendall(data)
        self.end()

    def end(self) -> None:
        for each in (self.client, self.server):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def wire(url: str) -> Iterator[Wire]:
    made = Wire(url)
    try:
        yield made
    finally:
        made.close()
