"""The pictures of the docs, made by the machine that tests the page (``ERRORBAR_SCREENSHOTS=1``)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.conftest import Opener

FOLDER = Path(__file__).parents[2] / "docs" / "report"
LARGEST = 150_000
"""Bytes of a picture: the repository keeps every version of it."""

# Name, what is scrolled to, width, height, dark.
PICTURES = [
    ("leaderboard", "#summary-of-report", 1200, 760, False),
    ("precision-recall", "#precision-recall", 1200, 680, False),
    ("types", "#types", 1200, 760, False),
    ("sentences", "#sentences", 1200, 780, False),
    ("dark", "#sentences", 1200, 780, True),
    ("phone", ".unit >> nth=2", 360, 740, False),
]


@pytest.mark.parametrize(("name", "target", "width", "height", "dark"), PICTURES, ids=[row[0] for row in PICTURES])
def test_pictures(
    opened: Opener, whole_url: str, tmp_path: Path, name: str, target: str, width: int, height: int, dark: bool
) -> None:
    page = opened(whole_url, width=width, height=height, dark=dark).page
    if name != "leaderboard":
        page.locator(target).first.evaluate("e => e.scrollIntoView({ behavior: 'instant', block: 'start' })")
    # Charts above may have been drawn on the way and moved the place.
    page.wait_for_timeout(500)
    if name != "leaderboard":
        page.locator(target).first.evaluate("e => e.scrollIntoView({ behavior: 'instant', block: 'start' })")
        page.wait_for_timeout(300)
    folder = FOLDER if os.environ.get("ERRORBAR_SCREENSHOTS") else tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"{name}.png"
    page.screenshot(path=picture)
    assert 5_000 < picture.stat().st_size <= LARGEST
