"""``judge_demo``: a study of a corpus that systems corrected, served with a simulated crowd at work."""

from __future__ import annotations

import json
import re
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from html import unescape
from http.cookiejar import CookieJar
from os import PathLike
from pathlib import Path
from random import Random
from typing import Annotated, Any
from urllib.error import URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, ProxyHandler, Request, build_opener

from sqlalchemy import select

from errorbar.api.arguments import Bounds, Port, public
from errorbar.judging.scheme import JudgedItem
from errorbar.judging.store.tables import ITEM
from errorbar.judging.study.folder import Study
from errorbar.judging.study.make import Ruling, judge_init
from errorbar.judging.web.serve import Doors, judge_serve

# A simulated crowd that judges over HTTP, as browsers do, beside people who look on: for ``errorbar judge demo``.
#
# What it says is no judgment of anybody: an item counts as an error where a system changed something, or where gold
# says so, and each rater finds it with an accuracy of their own. Of schemes that ask one question with the answers
# Error and OK.


ACCURACIES = (0.95, 0.92, 0.9, 0.88, 0.85, 0.8, 0.75, 0.5)
"""Of each rater of the crowd; the last one tosses a coin."""
GOLD_PER_PAGE = 2
"""So that a rater meets enough gold items for the policy."""
_CSRF = re.compile(r'name="csrf" (?:content|value)="([^"]+)"')
_TAG = re.compile(r"<[^<>]+>")
_BEFORE = re.compile(r'<p class="before".*?</p>', re.DOTALL)
_TARGET = re.compile(r'<mark class="target">')
Truth = Mapping[tuple[str, int], bool]


@dataclass(slots=True)
class SimulatedCrowd:
    """Raters at work, in threads, until they are through or ``stop`` is called.

    Attributes:
        link: By which they come.
        truth: Whether an item is an error, by its text and where it begins.
        pause: Seconds between answers, on average.
        ahead: First answers of each that take a tenth of it, so that there is something to see for who looks on.
        seed: Of what they say.
    """

    link: str
    truth: Truth
    pause: float = 1.0
    ahead: int = 0
    seed: int = 0
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self, accuracies: Sequence[float] = ACCURACIES) -> None:
        """Let one come for each accuracy."""
        for number, accuracy in enumerate(accuracies, 1):
            rater = _Rater(self, f"simulated-{number}", accuracy, Random(f"{self.seed} {number}"))
            thread = threading.Thread(target=rater.work, name=rater.name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, patience: float = 5.0) -> None:
        """Let them go; whoever is in the middle of a request finishes it."""
        self._over.set()
        for thread in self._threads:
            thread.join(patience)

    def wait(self, draw: Random, answered: int) -> bool:
        """Think for a while; whether to go on."""
        pause = self.pause / 10 if answered < self.ahead else self.pause
        return not self._over.wait(draw.expovariate(1 / pause) if pause else 0.0)


def _browser() -> OpenerDirector:
    """Keeps cookies, and goes straight to the server."""
    return build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))


@dataclass(slots=True)
class _Rater:
    crowd: SimulatedCrowd
    name: str
    accuracy: float
    draw: Random
    csrf: str = ""
    opener: OpenerDirector = field(default_factory=_browser)

    def work(self) -> None:
        """Judge until there is nothing left; a server that is gone or slow is tried again."""
        items: list[dict[str, Any]] = []
        answers: list[dict[str, Any]] = []
        answered = 0
        while self.crowd.wait(self.draw, answered):
            try:
                if not self.csrf:
                    link = f"{self.crowd.link}?participant={quote(self.name)}"
                    form = self._text(Request(link))
                    fields = {"participant": self.name, "csrf": _word(form), "consent": "yes"}
                    page = self._text(Request(self.crowd.link, urlencode(fields).encode()))
                    self.csrf = _word(page)
                    reply = self._post("claim", {"want": 10})
                else:
                    if items and not answers:
                        answers = [self._answer(items[0])]
                    reply = self._post("answer", {"answers": answers, "want": 10})
                answered += len(answers)
                answers, items = [], reply["work"]["items"]
                if reply["work"]["standing"] in ("finished", "failed", "excluded"):
                    return
            except (URLError, OSError, ValueError):
                time.sleep(0.2)

    def _post(self, name: str, body: Mapping[str, object]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "X-CSRF-Token": self.csrf}
        url = f"{self.crowd.link.rpartition('/j/')[0]}/api/{name}"
        reply: dict[str, Any] = json.loads(self._text(Request(url, json.dumps(body).encode(), headers)))
        return reply

    def _text(self, request: Request) -> str:
        with self.opener.open(request, timeout=30) as reply:
            text: str = reply.read().decode()
            return text

    def _answer(self, item: Mapping[str, Any]) -> dict[str, Any]:
        error = self.crowd.truth.get(_parse_fragment(item["html"]), False)
        says_error = error if self.draw.random() < self.accuracy else not error
        return {
            "submission": str(uuid.UUID(int=self.draw.getrandbits(128))),
            "assignment": item["assignment"],
            "text_hash": item["text_hash"],
            "base_version": item["version"],
            "answer": {"judgment": "error" if says_error else "ok"},
            "milliseconds": round(self.draw.lognormvariate(8, 0.5)),
        }


def make_truth(study: Study) -> Truth:
    """Whether the first system changed something, or gold is an error, by the text of an item and where it begins."""
    truth = {}
    with study.snapshot() as snapshot:
        for payload in snapshot.scalars(select(ITEM.c.payload)):
            item = JudgedItem.from_json(payload)
            flags = [value for name, value in item.hidden.items() if name.startswith("flag:")]
            wrong = item.answers[:1] == ("error",) if item.kind == "gold" else flags[:1] == ["1"]
            truth[item.text, item.span[0] if item.span else 0] = wrong
    return truth


def _parse_fragment(html: str) -> tuple[str, int]:
    """The text of a fragment, and where its target begins."""
    html = _BEFORE.sub("", html)
    target = _TARGET.search(html)
    start = len(_plain(html[: target.start()])) if target else 0
    return _plain(html), start


def _plain(html: str) -> str:
    return unescape(_TAG.sub("", html))


def _word(page: str) -> str:
    match = _CSRF.search(page)
    if match is None:
        raise ValueError("no form")
    return match[1]


RATERS = 5
AHEAD = 45
"""Judgments of each simulated rater that come fast: some items have two, so that there is agreement to see."""
PAY, CONSENT = "$0.02", "This is a demonstration. Your answers stay on this machine."


@public()
def judge_demo(
    source: str | PathLike[str],
    systems: Sequence[str | PathLike[str]],
    *,
    gold_items: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    port: Port = 8765,
    pause: Annotated[float, Bounds(0.01, 3600)] = 2.0,
    ready: Callable[[Doors], object] | None = None,
) -> None:
    """Make a study of what systems change in a corpus, and serve it while a simulated crowd judges; Ctrl-C ends it.

    Args:
        source: The corpus.
        systems: Their texts; the crowd takes what the first one changes for errors.
        gold_items: A table of items whose answers are known, of which the crowd knows them as well; None: none.
        folder: Keep the study in this new folder. None: one that is deleted when the demonstration ends.
        port: Port to listen on; 0: one that is free.
        pause: Seconds between two answers of a simulated rater.
        ready: Called once, when the server listens.

    Raises:
        ErrorbarError: If the folder is taken, the corpus cannot be read, or the port is in use.
    """
    with ExitStack() as after:
        study = folder or Path(after.enter_context(tempfile.TemporaryDirectory(prefix="errorbar-judge-"))) / "study"
        gold = None if gold_items is None else str(gold_items)
        rules: Ruling = {"raters_per_item": RATERS, "gold_per_page": GOLD_PER_PAGE, "pay": PAY, "consent": CONSENT}
        judge_init(study, str(source), systems=list(map(str, systems)), gold_items=gold, **rules)
        truth = make_truth(Study.open(study))

        def listening(doors: Doors) -> None:
            if ready is not None:  # what goes at the end is on no volume, on purpose
                ready(
                    doors if folder else replace(doors, notes=[n for n in doors.notes if n.code != "judge-no-volume"])
                )
            crowd = SimulatedCrowd(doors.link, truth, pause, AHEAD)
            crowd.start()
            after.callback(crowd.stop, 0.5)

        judge_serve(study, port=port, ready=listening)
