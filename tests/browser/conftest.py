"""A real browser, and pages in it that are watched: what they say, ask for, and run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from errorbar import report
from errorbar.reporting import Report
from tests.browser.pages import demo_browse, report_of, whole_report, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OWN = ("file:", "data:", "blob:")
OBSERVED = """window.observers = [];
window.IntersectionObserver = class extends IntersectionObserver {
  constructor(callback, options) {
    super(callback, options);
    window.observers.push({ callback, observer: this });
  }
};"""
"""Makes a page keep what asks to be told of parts that come near the screen."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs the browser."""
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)


def n_matches(status: str) -> int:
    """How many units match, in the words of the page."""
    words = status.replace(",", "").split()
    return 0 if words[0] == "None" else int(words[1] if words[0] == "All" else words[0])


@dataclass
class Watched:
    """A page and what it did."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def count(self) -> int:
        """How many sentences match, as the page says."""
        return n_matches(self.page.locator("[data-part=status]").inner_text())

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
        context.add_init_script(OBSERVED)
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
def whole() -> Report:
    """The report that ``errorbar demo --report`` makes: every section of a corpus."""
    return whole_report()


@pytest.fixture(scope="session")
def whole_url(whole: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where its page is."""
    return write(whole, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="session")
def twelve_url(data: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of twelve systems against ten annotators with everything on, from fewer resamples than usual."""
    outputs = sorted(path for path in (data / "conll14_systems/official_submissions").iterdir() if path.name != "INPUT")
    gold = data / "bn2015_10gec" / "A*.m2"
    made = report(str(gold), [str(path) for path in outputs], lenient=True, resamples=100, swaps=1000, jobs=2)
    path = tmp_path_factory.mktemp("twelve") / "report.html"
    made.save(path)
    return path.as_uri()
