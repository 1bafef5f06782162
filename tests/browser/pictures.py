"""Pictures of the report on the demo corpus, for README, the docs and the tutorial: ``make pictures``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from errorbar import report
from errorbar.demo import demo_files
from tests.helpers.browser import launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCROLL = "(top) => window.scrollBy(0, top.getBoundingClientRect().top - 16)"
DESK, PHONE = (1200, 840), (360, 740)
PICTURES = {
    "leaderboard": ("", DESK),
    "pairs": ("table.pairs", (1200, 460)),
    "precision-recall": ("#precision-recall", DESK),
    "types": ("#types", DESK),
    "sentences": ("#sentences", DESK),
    "dark": ("#sentences", DESK),
    "phone": ("article.unit >> nth=2", PHONE),
}
"""The top and the screen of each picture; ``dark`` is in dark colors."""
CHARTS = ("precision-recall-plane", "ceiling-curves")
"""Those of the tutorial."""


def draw(browser: Browser, page_of: Path, folder: Path) -> None:
    """All pictures of a page."""
    for name, (top, (width, height)) in PICTURES.items():
        colors: Literal["dark", "light"] = "dark" if name == "dark" else "light"
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=colors)
        page = context.new_page()
        page.goto(page_of.as_uri())
        for _ in range(3 if top else 1):  # charts are drawn as they come near the screen, and push what is below
            page.wait_for_timeout(400)
            if top:
                page.locator(top).evaluate(SCROLL)
        page.wait_for_timeout(400)
        page.screenshot(path=folder / f"{name}.png")
        context.close()


def write_charts(gold: Path, systems: list[Path], made: Path, folder: Path) -> None:
    """The charts of the tutorial, as the report of its two systems exports them."""
    report(gold, systems).save_charts(made)
    for name in CHARTS:
        shutil.copy(made / f"{name}.svg", folder)


def main() -> None:
    """Draw."""
    with tempfile.TemporaryDirectory() as made, demo_files() as (gold, systems), launched() as browser:
        page = Path(made) / "report.html"
        report(gold, systems, title="Four systems on the demo corpus").save(page)
        draw(browser, page, Path(sys.argv[1]))
        write_charts(gold, systems[:2], Path(made), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
