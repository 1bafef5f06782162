"""Raters at a page: a real server, a real browser, and what the store says in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from errorbar.judging import JudgedItem, StudyRules
from tests.judging.browser.items import items_of, scheme_of
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import PATIENT, Rater

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

MakeStudy = Callable[..., LiveStudy]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a browser, but what reads fragments alone."""
    for item in items:
        if item.nodeid.startswith("tests/judging/browser/") and item.path.name != "test_screens.py":
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def make_study(tmp_path: Path) -> Iterator[MakeStudy]:
    """Makes a study and starts its server."""
    made: list[LiveStudy] = []

    def make(name: str, items: list[JudgedItem] | None = None, **rules: Any) -> LiveStudy:  # noqa: ANN401
        scheme = scheme_of(name, tmp_path)
        defaults = {"raters_per_item": 2, "gold_per_page": 0, "policy": "none"}
        study = LiveStudy.make(
            tmp_path / f"study{len(made)}", scheme, items or items_of(scheme), StudyRules(**{**defaults, **rules})
        )
        made.append(study)
        study.start()
        return study

    yield make
    for study in made:
        study.kill()


@pytest.fixture
def sit_down(chromium: Browser) -> Iterator[Callable[..., Rater]]:
    """Lets somebody in by their link, in a browser of their own or in one that is given.

    The page asks them to slow down and waits for nobody, unless they are ``patient``.
    """
    raters: list[Rater] = []
    contexts: list[BrowserContext] = []

    def sit(
        study: LiveStudy,
        name: str = "Ada",
        *,
        context: BrowserContext | None = None,
        setup: str = "",
        patient: bool = False,
        reads: bool = False,
        link: str = "",
        **options: Any,  # noqa: ANN401 - of a browser's context
    ) -> Rater:
        if context is None:
            context = chromium.new_context(**{"viewport": {"width": 1100, "height": 800}, **options})
            context.set_default_timeout(15000)
            contexts.append(context)
            for script in (setup, "" if patient else PATIENT):
                if script:
                    context.add_init_script(script)
        rater = Rater.enter(context, link or study.link(name), reads=reads)
        raters.append(rater)
        return rater

    yield sit
    for context in contexts:
        context.close()
    for rater in raters:
        assert rater.errors == []
        assert [url for url in rater.asked if not url.startswith(("http://127.0.0.1:", "blob:", "data:"))] == []
