"""A publisher's web server on this machine, with every bad habit a test asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Page:
    """What stands at one address.

    Attributes:
        content: The file.
        ranges: Whether Range is honored.
        etag: Its version, or "" for none.
        cut: How many of the next answers break off, each after half of what it had to send.
        failures: Status codes of the next answers, before any success.
        redirect: Where to go instead.
        length: Whether Content-Length is sent.
        shift: By how much an answer to Range misses the start that was asked for.
    """

    content: bytes = b""
    ranges: bool = True
    etag: str = '"1"'
    cut: int = 0
    failures: list[int] = field(default_factory=list)
    redirect: str = ""
    length: bool = True
    shift: int = 0


@dataclass
class Site:
    """Pages by path, and what was asked for: (path, Range header, bytes sent)."""

    base: str = ""
    pages: dict[str, Page] = field(default_factory=dict)
    log: list[tuple[str, str, int]] = field(default_factory=list)

    def put(self, path: str, page: Page) -> str:
        """Publish a page; returns its address."""
        self.pages[path] = page
        return self.base + path


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        page = self.site.pages.get(self.path)
        wanted = self.headers.get("Range") or ""
        if page is None or page.failures:
            code = 404 if page is None else page.failures.pop(0)
            self._answer(code, wanted, b"")
        elif page.redirect:
            self._answer(302, wanted, b"", {"Location": page.redirect})
        else:
            self._send(page, wanted)

    def _send(self, page: Page, wanted: str) -> None:
        first = 0
        found = re.fullmatch(r"bytes=(\d+)-", wanted)
        unchanged = self.headers.get("If-Range") in {None, page.etag}
        headers = {"ETag": page.etag} if page.etag else {}
        if found and page.ranges and unchanged:
            first = int(found[1]) - page.shift
            if first >= len(page.content):
                self._answer(416, wanted, b"", {"Content-Range": f"bytes */{len(page.content)}"})
                return
            headers["Content-Range"] = f"bytes {first}-{len(page.content) - 1}/{len(page.content)}"
        body = page.content[first:]
        if page.length:
            headers["Content-Length"] = str(len(body))
        if page.cut:
            page.cut -= 1
            body = body[: len(body) // 2]
        self._answer(206 if "Content-Range" in headers else 200, wanted, body, headers)

    def _answer(self, code: int, wanted: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.site.log.append((self.path, wanted, len(body)))
        self.send_response(code)
        for name, value in (headers or {"Content-Length": "0"}).items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def serve() -> Iterator[Site]:
    """Run a server until the block ends."""
    site = Site()
    handler = type("Handler", (_Handler,), {"site": site})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        site.base = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=lambda: server.serve_forever(poll_interval=0.01))
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
