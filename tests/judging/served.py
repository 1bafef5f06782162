"""A study with a server in this process, and the browser of somebody who visits it."""

from __future__ import annotations

import re
import ssl
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from errorbar.judging import (
    JudgedItem,
    Reach,
    Store,
    Study,
    StudyInfo,
    StudyRules,
    add_items,
    load_scheme,
    set_rules,
    write_about,
)
from errorbar.judging.web.serve import running

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of a server without TLS: reading the authorities would take longer than a test's requests."""
CSRF = re.compile(r'name="csrf" (?:content|value)="([^"]+)"')


def made_study(folder: Path, rules: StudyRules, items: int = 12, gold: int = 0, url: str = "") -> Study:
    """Sentences with the question whether a word is an error."""
    scheme = load_scheme("error-ok")
    found = [JudgedItem(f"item-{n}", f"Sentence {n} is here .", (9, 10)) for n in range(items)]
    found += [
        JudgedItem(f"gold-{n}", f"Gold {n} is here .", (5, 6), kind="gold", answers=("Error", "OK")[n % 2 : n % 2 + 1])
        for n in range(gold)
    ]

    def fill(study: Study) -> None:
        with Store.create(study.url) as store, store.exclusive() as tx:
            set_rules(tx, rules, 0.0)
            write_about(tx, StudyInfo(scheme, rules, scheme.guidelines, "test"))
            add_items(tx, found, 0.0)

    return Study.create(folder, fill, store=url)


@contextmanager
def served(study: Study, reach: Reach | None = None) -> Iterator[str]:
    """The address of a server."""
    with running(study.folder, reach or Reach(port=0)) as server:
        yield server.url


@dataclass
class Visitor:
    """A browser: its cookies, and the word that its posts bring."""

    url: str
    csrf: str = ""

    def __post_init__(self) -> None:
        nothing_kept = httpx.Limits(max_keepalive_connections=0)
        self.http = httpx.Client(
            base_url=self.url, trust_env=False, verify=NO_CERTIFICATES, limits=nothing_kept, timeout=30
        )

    def cookie(self, name: str) -> str:
        """The name of a cookie of this study."""
        return next(known for known in self.http.cookies if known.startswith(f"{name}_"))

    def form(self, path: str, page: str | None = None, **fields: str) -> httpx.Response:
        """Load a page and send its form."""
        found = CSRF.search(self.http.get(path if page is None else page).text)
        return self.http.post(path, data={"csrf": found[1] if found else "", **fields})

    def enter(self, link: str, **fields: str) -> httpx.Response:
        """Come by a link; the page of the work has the word for the posts."""
        path = link[link.index("/j/") :]
        reply = self.form(path.partition("?")[0], path, **fields)
        found = CSRF.search(self.http.get("/work").text)
        self.csrf = found[1] if found else ""
        return reply

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        return self.http.post(path, json=body, headers={"X-CSRF-Token": self.csrf, **headers})

    def claim(self, want: int = 10) -> dict[str, Any]:
        found: dict[str, Any] = self.post("/api/claim", {"want": want}).json()["work"]
        return found

    def answer(self, items: Sequence[dict[str, Any]], said: str = "ok") -> dict[str, Any]:
        found: dict[str, Any] = self.post("/api/answer", {"answers": [said_of(i, said) for i in items]}).json()
        return found

    def through(self, said: str = "ok") -> dict[str, Any]:
        """Judge all there is; what came of the last post."""
        work = self.claim()
        found: dict[str, Any] = {"work": work, "receipts": []}
        while found["work"]["items"]:
            found = self.answer(found["work"]["items"], said)
        return found

    def manage(self, study: Study) -> httpx.Response:
        return self.form("/manage", token=study.secrets.manager)


def said_of(item: dict[str, Any], said: str = "ok") -> dict[str, Any]:
    """An answer on its way."""
    kept = {"assignment": item["assignment"], "text_hash": item["text_hash"], "base_version": item["version"]}
    return {"submission": str(uuid.uuid4()), **kept, "answer": {"judgment": said}, "milliseconds": 900}
