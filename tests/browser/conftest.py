"""A real browser, and pages in it that are watched: what they say, ask for, and run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from errorbar.reporting.blocks import Report
from tests.browser.pages import demo_browse, report_of, whole_report, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OWN = ("file:", "data:", "blob:")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs the browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def missing(what: str) -> NoReturn:
    """Say what is missing and skip, but where nobody would notice fail."""
    if os.environ.get("CI"):
        pytest.fail(f"needs {what}, and CI is set")
    pytest.skip(f"needs {what}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Chromium, headless."""
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


@dataclass
class Watched:
    """A page and what it did."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def count(self) -> int:
        """How many sentences match, as the page says."""
        words = self.page.locator("[data-part=status]").inner_text().replace(",", "").split()
        return 0 if words[0] == "None" else int(words[1] if words[0] == "All" else words[0])

    def shown(self) -> list[str]:
        """Headings of the sentences on the screen."""
        return self.page.locator(".unit h3").all_inner_texts()


class Opener:
    """Opens pages; what they did is judged at the end of the test."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.opened: list[Watched] = []

    def __call__(
        self, url: str, *, width: int = 1440, height: int = 900, dark: bool = False, bypass_csp: bool = False
    ) -> Watched:
        """Open a page in a fresh context."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", bypass_csp=bypass_csp
        )
        page = context.new_page()
        watched = Watched(page)
        self.opened.append(watched)
        page.on("console", lambda message: watched.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: watched.said.append(f"uncaught: {error}"))
        page.on("request", lambda request: watched.asked.append(request.url))

        def dialog(box: Any) -> None:  # noqa: ANN401 - Playwright's
            watched.dialogs.append(box.message)
            box.dismiss()

        page.on("dialog", dialog)
        page.goto(url)
        return watched


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Opener]:
    """Opens pages, and fails the test if one complained, asked outside, or let a script of the data run."""
    opener = Opener(chromium)
    yield opener
    for watched in opener.opened:
        harmed = watched.page.evaluate("window.harmed")
        watched.page.context.close()
        assert watched.said == []
        assert [url for url in watched.asked if not url.startswith(OWN)] == []
        assert watched.dialogs == []
        assert harmed is None


@pytest.fixture(scope="session")
def demo_report() -> Report:
    """The demo corpus with its systems."""
    return report_of(demo_browse())


@pytest.fixture(scope="session")
def demo_url(demo_report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where its page is."""
    return write(demo_report, tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def whole_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page that ``errorbar demo --report`` makes: every section of a corpus."""
    return write(whole_report(), tmp_path_factory.mktemp("whole"))
