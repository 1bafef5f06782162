"""No finding of axe, with everything open, at three widths, in light, in dark and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from errorbar.api import Study
from errorbar.reporting import build_report, write_board
from errorbar.tasks import run_task
from tests.browser.conftest import Opener
from tests.browser.hostile import hostile_report
from tests.browser.pages import write
from tests.browser.test_page import draw_all
from tests.helpers.needed import missing
from tests.judging.browser.firefox import Firefox, firefox, program
from tests.reporting.studies import crowd_study, hoo_study
from tests.tasks.small import make_task

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTHS = (360, 768, 1440)
MEDIA = ("light", "dark", "print")
COLORS = {("light", 360), ("dark", 768), ("print", 1440)}
LOOKS = {*COLORS, ("light", 768), ("light", 1440)}
"""Dark and paper change colors, and hide parts: at one width each."""
# Rows of tables and sentences look alike: once all of them are looked at, else the first three. Charts are pictures.
REST = "['svg'], ['tbody tr:nth-child(n+4)'], ['.units > :nth-child(n+3)'], ['.chooser label:nth-child(n+4)']"
KINDS = ("demo", "whole", "hostile", "hoo", "crowd", "task", "team")


def axe_source() -> str:
    """The script itself; the package's own way in is stopped by the page's policy."""
    try:
        package = import_module("axe_playwright_python")
    except ImportError:
        missing("axe-playwright-python (uv sync --group browser)")
    return (Path(str(package.__file__)).parent / "axe.min.js").read_text(encoding="utf-8")


def url_of(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """The page of a kind."""
    studies: dict[str, Callable[[], Study]] = {"hoo": hoo_study, "crowd": crowd_study}
    if kind in studies:
        return write(build_report([studies[kind]()], title=kind, command="errorbar report"), folder)
    if kind in {"task", "team"}:
        write_board(run_task(make_task(folder)), folder / "board", resamples=50)
        return (folder / "board" / ("index.html" if kind == "task" else "teams/one.html")).as_uri()
    return write(hostile_report(), folder) if kind == "hostile" else str(request.getfixturevalue(f"{kind}_url"))


def open_all(page: Page) -> None:
    """Draw every chart, and open every table and every list."""
    draw_all(page)
    page.evaluate(
        "() => { for (const button of document.querySelectorAll('.show-table')) button.click();"
        " for (const details of document.querySelectorAll('details')) details.open = true }"
    )


def complaints(page: Page, whole: tuple[str, int] | None) -> Iterator[tuple[str, ...]]:
    """The findings of axe in each width and medium: ``whole``: where all of the page is looked at."""
    page.evaluate(axe_source())
    for medium in MEDIA:
        page.emulate_media(
            media="print" if medium == "print" else "screen", color_scheme="dark" if medium == "dark" else "light"
        )
        page.wait_for_function(
            "s => [...document.querySelectorAll('figure.chart')].every((figure) => figure.dataset.drawn === s)",
            arg="dark" if medium == "dark" else "light",
        )
        for width in (width for width in WIDTHS if (medium, width) in LOOKS):
            page.set_viewport_size({"width": width, "height": 900})
            where = "document" if (medium, width) == whole else f"{{ exclude: [{REST}] }}"
            # Colors are those of the medium, whatever the width, and take most of the time.
            colors = "{}" if (medium, width) in COLORS else "{ 'color-contrast': { enabled: false } }"
            run = f"() => axe.run({where}, {{ resultTypes: ['violations'], rules: {colors} }})"
            found = page.evaluate(run)["violations"]
            for violation in found:
                for node in violation["nodes"][:3]:
                    said = str(node.get("failureSummary"))
                    yield medium, str(width), violation["id"], violation["impact"], node["html"][:200], said


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(opened: Opener, request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    # Past the policy for this alone: axe runs inside the page.
    page = opened(url_of(kind, request, tmp_path), bypass_csp=True).page
    open_all(page)
    assert list(complaints(page, None if kind == "hostile" else ("light", 360))) == []


@pytest.fixture
def fox(tmp_path: Path) -> Iterator[Firefox]:
    if program() is None:
        missing("Firefox (apt-get install firefox-esr)")
    with firefox(tmp_path) as browser:
        yield browser


NEXT = """(() => {
  const next = [...document.querySelectorAll('figure.chart')].find((one) => one.dataset.drawn !== arguments[0]);
  next?.scrollIntoView();
  return !next;
})()"""


def test_axe_finds_nothing_in_firefox(fox: Firefox, whole_url: str) -> None:
    fox.connection.settimeout(300)
    fox.ask("WebDriver:SetTimeouts", script=300_000)
    fox.goto(whole_url)
    fox.ask("WebDriver:ExecuteScript", script=axe_source(), args=[], newSandbox=False)
    found = []
    for scheme, other in (("light", "Dark"), ("dark", "Light")):
        if fox.run("document.getElementById('scheme').textContent") != other:
            fox.run("document.getElementById('scheme').click()")
        fox.until(NEXT, scheme)
        for width in WIDTHS:
            fox.ask("WebDriver:SetWindowRect", width=width, height=900)
            rules = f"axe.run({{ exclude: [{REST}] }}, {{ resultTypes: ['violations'] }})"
            for violation in fox.run(rules)["violations"]:
                found.append((scheme, width, violation["id"], violation["nodes"][0]["html"][:200]))
    assert found == []
