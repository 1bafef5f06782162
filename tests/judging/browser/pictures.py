"""Pictures of the rater's pages for the docs, and how fast they are: ``make pictures``."""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from errorbar import judge_invite
from errorbar.judging import StudyRules
from tests.helpers.browser import launched
from tests.judging.browser.items import items_of, marked, scheme_of
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import PATIENT, Rater
from tests.judging.served import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDE, PHONE = {"width": 1000, "height": 640}, {"width": 390, "height": 780}
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
NEXT = """(key) => new Promise((done) => {
    const text = document.querySelector('#item .text').textContent;
    const start = performance.now();
    document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const shown = document.querySelector('#item .text').textContent !== text;
    // The frame after this one begins when this one is on the screen.
    requestAnimationFrame(() => requestAnimationFrame(() => done(shown ? performance.now() - start : -1)));
})"""


@contextmanager
def study_of(name: str, quiz: int = 0, **rules: Any) -> Iterator[LiveStudy]:  # noqa: ANN401
    """A study with a server."""
    with tempfile.TemporaryDirectory() as folder:
        scheme = scheme_of(name, Path(folder))
        items = items_of(scheme)
        if quiz:
            gold = marked("gold", "She is interested [on] old maps.", gold="error")
            items.append(replace(gold, explanation="One is interested in something, not on it."))
        study = LiveStudy.make(
            Path(folder) / "study", scheme, items, StudyRules(**{"items_per_rater": 12, "quiz": quiz, **rules})
        )
        study.start()
        try:
            yield study
        finally:
            study.kill()


def enter(
    browser: Browser, study: LiveStudy, size: dict[str, int], *, dark: bool = False, patient: bool = False
) -> Rater:
    """Somebody at the page, who is asked to slow down only if they are patient."""
    colors: Literal["dark", "light"] = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": size["width"], "height": size["height"]}, color_scheme=colors)
    if not patient:
        context.add_init_script(PATIENT)
    rater = Rater.enter(context, study.link())
    rater.saved()
    return rater


def take(rater: Rater, folder: Path, name: str) -> None:
    """One picture."""
    rater.page.wait_for_timeout(400)
    rater.page.screenshot(path=folder / f"{name}.png")


FACE: dict[str, Any] = {
    "items_per_rater": 40,
    "title": "How good are corrections?",
    "contact": "Jo Doe, jo.doe@example.org",
    "minutes": 20,
    "pay_total": "$3.00",
    "consent": "You take part of your own will, and may stop at any time.\n\n"
    "* Your answers are published, with a pseudonym.\n* No name, address or browser is stored.",
}


def draw_welcome(browser: Browser, folder: Path) -> None:
    """The page behind a link."""
    with study_of("error-ok", **FACE) as study:
        page = browser.new_context(viewport={"width": 1000, "height": 640}).new_page()
        page.goto(study.link())
        page.screenshot(path=folder / "welcome.png", full_page=True)


def draw(browser: Browser, folder: Path) -> None:
    """All pictures."""
    draw_welcome(browser, folder)
    with study_of("error-ok") as study:
        for name, size in (("error-ok", WIDE), ("error-ok-dark", WIDE), ("error-ok-phone", PHONE)):
            rater = enter(browser, study, size, dark=name.endswith("dark"))
            if name == "error-ok":
                rater.press("e", "o")
            take(rater, folder, name)
        study.kill()
        rater.press("o", "o")
        rater.page.wait_for_selector("#state[data-state=offline]")
        rater.page.wait_for_timeout(5500)  # the toast is gone
        take(rater, folder, "offline-phone")
    draw_pause(browser, folder)
    draw_desk(browser, folder)
    with study_of("preposition") as study:
        rater = enter(browser, study, {"width": 1000, "height": 900})
        rater.press("d", "ArrowRight", " ", "Enter", "Enter", "1")
        rater.type("o")
        take(rater, folder, "preposition")
    with study_of("choice") as study:
        take(enter(browser, study, WIDE), folder, "choice")
    with study_of("cloze") as study:
        rater = enter(browser, study, WIDE, dark=True)
        rater.type("on")
        rater.press(";")
        rater.type("up")
        take(rater, folder, "cloze-dark")
    with study_of("error-ok", quiz=1) as study:
        rater = enter(browser, study, WIDE)
        rater.press("o")
        rater.page.wait_for_selector("#feedback h2")
        take(rater, folder, "quiz")


def draw_pause(browser: Browser, folder: Path) -> None:
    """Three answers in a row that came too fast."""
    with study_of("error-ok") as study:
        rater = enter(browser, study, WIDE, patient=True)
        for _ in range(12):
            if rater.page.locator("dialog").count():
                break
            rater.press("o")
        rater.page.wait_for_timeout(5500)  # the toast is gone
        take(rater, folder, "pause")


DESK_RATERS = {"anna": 0.97, "ben": 0.93, "carla": 0.9, "dilip": 0.85, "eva": 0.8, "coin": 0.5}
"""Who judges in the picture of the manager's page, and how often each is right."""


def draw_desk(browser: Browser, folder: Path) -> None:
    """The manager's first page after some hours of work by simulated raters."""
    draw = random.Random(2)
    labels = {f"Sentence {n} is here .": draw.choice(("error", "ok")) for n in range(300)}
    with tempfile.TemporaryDirectory() as place:
        items = [
            marked(f"i{n}", text.replace("here", "[here]"), gold=label if n % 6 == 0 else "")
            for n, (text, label) in enumerate(labels.items())
        ]
        rules = StudyRules(raters_per_item=3, gold_per_page=2, policy="none")
        study = LiveStudy.make(Path(place) / "study", scheme_of("error-ok", Path(place)), items, rules)
        study.start()
        try:
            link = judge_invite(study.folder, crowd="everybody").links[0].url
            raters = {name: Visitor(study.url) for name in DESK_RATERS}
            for visitor in raters.values():
                visitor.enter(link)
            for _ in range(9):
                for name, visitor in raters.items():
                    study.pass_time(draw.expovariate(1 / 240))
                    for item in visitor.claim(10)["items"]:
                        label = labels[html_text(item["html"])]
                        is_right = draw.random() < DESK_RATERS[name]
                        visitor.answer([item], label if is_right else {"error": "ok", "ok": "error"}[label])
            # The page's policy would not let Playwright wait for the charts.
            page = browser.new_context(viewport={"width": 1200, "height": 720}, bypass_csp=True).new_page()
            page.goto(f"{study.url}/manage")
            page.fill("#token", study.token)
            page.press("#token", "Enter")
            page.wait_for_selector(".charts img", state="attached")
            page.wait_for_function("[...document.images].every((image) => image.complete)", timeout=120_000)
            page.screenshot(path=folder / "desk.png")
        finally:
            study.stop()


def html_text(html: str) -> str:
    """The text that an item's markup shows."""
    return re.sub("<[^>]*>", "", html)


def measure(browser: Browser) -> None:
    """First paint of the page, and of the next item after a key."""
    with study_of("error-ok") as study:
        rater = enter(browser, study, WIDE)
        paints = []
        for _ in range(10):
            rater.page.reload()
            rater.settled()
            paints.append(rater.page.wait_for_function(PAINT).json_value())
        first = enter(browser, study, WIDE).page.wait_for_function(PAINT).json_value()
        nexts = []
        for _ in range(9):
            rater.page.wait_for_timeout(300)
            nexts.append(rater.page.evaluate(NEXT, "o"))
    sys.stdout.write(
        f"first paint, a browser's first visit: {first:.0f} ms\n"
        f"first paint, reloaded 10 times: median {median(paints):.0f} ms, slowest {max(paints):.0f} ms\n"
        f"next item on the screen, 9 times: median {median(nexts):.0f} ms, slowest {max(nexts):.0f} ms\n"
    )


def main() -> None:
    """Draw and measure."""
    folder = Path(sys.argv[1])
    with launched() as browser:
        draw(browser, folder)
        measure(browser)


if __name__ == "__main__":
    main()
