"""The way to the first item on a slow network: how many requests, how many bytes, how long."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.judging.browser.conftest import MakeStudy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SLOW_3G = {"offline": False, "latency": 400, "downloadThroughput": 400_000 / 8, "uploadThroughput": 400_000 / 8}
"""400 kbit a second, 400 ms for each round: ``Network.emulateNetworkConditions``."""
MOST_REQUESTS, MOST_BYTES = 8, 60_000


@dataclass
class Traffic:
    """What a page asks for until it has its first items; what the browser has already does not count.

    Attributes:
        paths: Of requests, in the order in which they were sent.
        n_bytes: That came, headers included.
    """

    paths: dict[str, str] = field(default_factory=dict)
    n_bytes: int = 0
    is_over: bool = False

    def watch(self, page: Page) -> None:
        """Count from now on, on a slow network."""
        protocol = page.context.new_cdp_session(page)
        protocol.send("Network.enable")
        protocol.send("Network.emulateNetworkConditions", SLOW_3G)
        protocol.on("Network.requestWillBeSent", self._send)
        protocol.on("Network.requestServedFromCache", self._drop)
        protocol.on("Network.loadingFinished", self._finish)

    def _send(self, event: dict[str, Any]) -> None:
        if self.is_over:
            return
        name = event["requestId"]
        if "redirectResponse" in event:  # a request of its own, by the name of the one that it leads to
            self.paths[f"{name} before"] = self.paths[name]
            self.n_bytes += event["redirectResponse"]["encodedDataLength"]
        self.paths[name] = urlsplit(event["request"]["url"]).path

    def _drop(self, event: dict[str, Any]) -> None:
        self.paths.pop(event["requestId"], None)

    def _finish(self, event: dict[str, Any]) -> None:
        if not self.is_over:
            self.n_bytes += event["encodedDataLength"]
            self.is_over = self.paths.get(event["requestId"]) == "/api/claim"


@pytest.mark.parametrize(
    ("scheme", "language"), [("error-ok", "en"), ("preposition", "ar"), ("edits", "ar"), ("rank", "ja")]
)
def test_the_first_item_takes_few_requests_and_bytes(
    make_study: MakeStudy, chromium: Browser, scheme: str, language: str
) -> None:
    study = make_study(scheme, page_language=language)
    context = chromium.new_context()
    page, traffic = context.new_page(), Traffic()
    traffic.watch(page)
    start = time.monotonic()
    page.goto(study.link(), wait_until="commit")
    page.wait_for_selector("button[type=submit]")
    welcome = time.monotonic()
    page.click("button[type=submit]")  # nobody reads so fast: what is loaded meanwhile is not loaded yet
    page.wait_for_selector("#item .text")
    shown = time.monotonic()
    context.close()
    n_requests, n_bytes = len(traffic.paths), traffic.n_bytes
    times = f"welcome after {welcome - start:.2f} s, first item {shown - welcome:.2f} s after Start"
    sys.stdout.write(f"\n{scheme}: {times}; {n_requests} requests, {n_bytes:,} bytes\n")
    assert traffic.is_over
    assert {"/work", "/static/judge.css", "/static/judge.js", "/api/claim"} <= {*traffic.paths.values()}
    assert n_requests <= MOST_REQUESTS
    assert 10_000 < n_bytes <= MOST_BYTES
