"""A rater of a load test: comes by the link, and does nothing out of the ordinary."""

from __future__ import annotations

from tests.helpers.lean_http import Browser
from tests.judging.jepsen.rater_page import CSRF
from tests.judging.jepsen.server import HOST


async def join(invite: str, port: int, name: str) -> tuple[Browser, str]:
    """The browser, and the word that its posts bring."""
    browser = Browser(HOST, port)
    welcome = await browser.request("GET", f"{invite}?participant={name}")
    found = CSRF.search(welcome.body.decode())
    await browser.form(invite, {"csrf": found[1] if found else "", "participant": name})
    page = await browser.request("GET", "/work")
    meta = CSRF.search(page.body.decode())
    assert meta, page.body[:500]
    return browser, meta[1]
