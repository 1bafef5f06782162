"""Somebody at the page in Chromium."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

EXPECTED = ("Failed to load resource", "net::ERR", "status of")
"""What the browser itself says where the network or the sign-in is gone."""


PATIENT = """(() => {
    const show = HTMLDialogElement.prototype.showModal;
    HTMLDialogElement.prototype.showModal = function () {
        show.call(this);
        queueMicrotask(() => this.dataset.dialog === 'pause' && this.close());
    };
})()"""
"""Lets the page ask to slow down, and goes on at once: tests answer faster than one can read."""


@dataclass
class Rater:
    """One tab."""

    page: Page
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @classmethod
    def enter(cls, context: BrowserContext, link: str, *, reads: bool = False) -> Rater:
        """Open the link and start, also a quiz; who ``reads`` stays before it."""
        rater = cls.tab(context)
        rater.page.goto(link)
        if rater.page.locator("button[type=submit]").count():
            rater.page.locator("button[type=submit]").click()
        rater.settled()
        if not reads and rater.page.locator("#begin-quiz").count():
            rater.page.locator("#begin-quiz").click()
            rater.settled()
        return rater

    @classmethod
    def tab(cls, context: BrowserContext, url: str = "") -> Rater:
        """A further tab."""
        page = context.new_page()
        rater = cls(page)
        page.on("pageerror", lambda error: rater.errors.append(str(error)))
        page.on("console", lambda said: rater._said(said.type, said.text))
        page.on("request", lambda request: rater.asked.append(request.url))
        if url:
            page.goto(url)
            rater.settled()
        return rater

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(each in text for each in EXPECTED):
            self.errors.append(text)

    def settled(self) -> None:
        """Wait until an item, or why there is none, was seen for as long as it takes to see something."""
        self.page.wait_for_selector("#item .text, #message:not([hidden], [data-standing=unknown])")
        self.page.wait_for_timeout(170)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, as somebody who looks at the page."""
        for key in keys:
            self.page.wait_for_timeout(170)
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    @property
    def target(self) -> str:
        """What is highlighted."""
        return str(self.page.evaluate("document.querySelector('#item .target')?.textContent ?? ''"))

    @property
    def text(self) -> str:
        """The item's text."""
        return str(self.page.evaluate("document.querySelector('#item .text')?.textContent ?? ''"))

    @property
    def state(self) -> str:
        return self.page.locator("#state-text").inner_text()

    def pressed(self) -> list[str]:
        """Values of the options that are chosen."""
        found: list[str] = self.page.evaluate(
            "[...document.querySelectorAll('#questions [aria-pressed=true][data-value]')].map((o) => o.dataset.value)"
        )
        return found

    def kept(self, start: str) -> list[Any]:
        """Values in the browser's store whose key starts so."""
        found: dict[str, str] = self.page.evaluate("({...localStorage})")
        return [json.loads(value) for key, value in sorted(found.items()) if key.split(":", 2)[2].startswith(start)]

    def saved(self) -> None:
        """Wait until the server has everything."""
        self.page.wait_for_selector("#state[data-state=saved][data-pending='0']", timeout=30000)
