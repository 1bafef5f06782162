"""What axe finds: nothing of serious or critical impact, with everything open, in both schemes and widths."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.browser.conftest import Opener, missing
from tests.browser.hostile import hostile_report
from tests.browser.pages import write
from tests.browser.test_page import draw_all


def axe_source() -> str:
    """The script itself; the package's own way in is stopped by the page's policy."""
    try:
        package = import_module("axe_playwright_python")
    except ImportError:
        missing("axe-playwright-python (uv sync --group browser)")
    return (Path(str(package.__file__)).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("kind", ["demo", "whole", "hostile"])
def test_axe_finds_nothing_serious(
    opened: Opener, request: pytest.FixtureRequest, tmp_path: Path, kind: str, width: int, dark: bool
) -> None:
    url = write(hostile_report(), tmp_path) if kind == "hostile" else request.getfixturevalue(f"{kind}_url")
    # Past the policy for this alone: axe runs inside the page.
    page = opened(url, width=width, dark=dark, bypass_csp=True).page
    draw_all(page)
    for button in page.locator(".show-table").all():
        button.click()
    page.locator(".shown summary").click()
    page.evaluate(axe_source())
    found = page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"]
    serious = [
        (violation["id"], node["html"][:200], node.get("failureSummary"))
        for violation in found
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"][:3]
    ]
    assert serious == []
