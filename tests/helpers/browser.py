"""Chromium of the distribution, and what is said where it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.helpers.needed import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium, headless. Playwright's loop takes one of these in a process at a time."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright (uv sync --group browser)")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        missing("Chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        # Without a sandbox of its own: where tests run there is often none to be had.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
