"""Failures that recur in servers of this kind, provoked over HTTP; recurrent_failures.md numbers them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from errorbar import judge_init, judge_invite
from errorbar.judging import Reach, Study, StudyRules
from errorbar.judging.web.listening import warnings_of
from errorbar.judging.web.serve import running
from tests.judging.jepsen.rater_page import CSRF
from tests.judging.served import NO_CERTIFICATES

ROOT = Path(__file__).resolve().parents[2]
OPENED: list[httpx.Client] = []


@pytest.fixture(autouse=True)
def _browsers_are_closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


class Rater:
    """A browser with a study open in it."""

    def __init__(self, url: str, link: str, participant: str) -> None:
        self.http = httpx.Client(base_url=url, verify=NO_CERTIFICATES, follow_redirects=True, timeout=30)
        OPENED.append(self.http)
        self.link, self.participant, self.csrf = link, participant, ""

    def join(self) -> httpx.Response:
        page = self.http.get(self.link, params={"participant": self.participant})
        found = CSRF.search(page.text)
        if "/j/" in str(page.url) and found and page.status_code == 200:
            page = self.http.post(self.link, data={"csrf": found[1], "participant": self.participant})
        meta = CSRF.search(page.text)
        self.csrf = meta[1] if meta and page.url.path == "/work" else ""
        return page

    def post(self, path: str, **body: object) -> dict[str, Any]:
        reply = self.http.post(path, json=body, headers={"X-CSRF-Token": self.csrf})
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        return found

    def claim(self) -> dict[str, Any]:
        work: dict[str, Any] = self.post("/api/claim", want=10)["work"]
        return work

    def answer(self, item: dict[str, Any]) -> dict[str, Any]:
        one = {"submission": f"s {item['assignment']}", "assignment": item["assignment"], "answer": {"judgment": "ok"}}
        one |= {"text_hash": item["text_hash"], "base_version": 0, "skip": "", "comment": "", "milliseconds": 900}
        return self.post("/api/answer", answers=[{**one, "trail": None}], want=10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of four items and a gold one, which is on the first page."""
    items, gold = tmp_path / "items.jsonl", tmp_path / "gold.jsonl"
    items.write_text(
        "".join(f'{{"id": "w{n}", "text": "Item {n} is here .", "start": 0, "end": 4}}\n' for n in range(4))
    )
    gold.write_text('{"id": "g0", "text": "Thing 7 is here .", "start": 0, "end": 5, "answer": "ok"}\n')
    judge_init(tmp_path / "study", items, gold_items=gold, raters_per_item=2, page=4)
    return tmp_path / "study"


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    """Where it is served."""
    with running(folder, Reach(port=0)) as served:
        yield served.url


def crowd_link(folder: Path, **said: Any) -> str:  # noqa: ANN401
    found = judge_invite(folder, crowd="crowd", **said)
    link = re.search(r"/j/[\w-]+", str(found.to_dict()))
    assert link, found.to_dict()
    return link[0]


def number(folder: Path, query: str) -> int:
    with Study.open(folder).store(read_only=True) as store, store.read() as tx:
        return int(tx.scalar(text(query)) or 0)


def test_looking_takes_no_work(folder: Path, url: str) -> None:
    """Link previews, HEAD, reload: only a post leases an item."""
    rater = Rater(url, crowd_link(folder), "ann")
    for method in ("HEAD", "GET", "GET"):
        rater.http.request(method, rater.link)
    assert number(folder, "SELECT count(*) FROM rater") == 0
    rater.join()
    for path in ("/work", "/api/recent", "/guidelines", "/done", "/"):
        rater.http.get(path)
        rater.http.head(path)
    assert rater.http.get("/api/claim").status_code == 405
    assert number(folder, "SELECT count(*) FROM assignment") == 0


def test_five_posts_at_once_are_one_answer(folder: Path, url: str) -> None:
    rater = Rater(url, crowd_link(folder), "ann")
    rater.join()
    item = rater.claim()["items"][0]
    with ThreadPoolExecutor(5) as pool:
        receipts = [each["receipts"][0] for each in pool.map(lambda _: rater.answer(item), range(5))]
    assert all(each == receipts[0] for each in receipts)
    assert number(folder, "SELECT count(*) FROM answer") == 1


def test_gold_looks_like_work(folder: Path, url: str) -> None:
    rater = Rater(url, crowd_link(folder), "ann")
    rater.join()
    seen = []
    while items := rater.claim()["items"]:
        seen += items
        for each in items:
            rater.answer(each)
    shapes = {re.sub(r"\d+", "#", re.sub(r">[^<]*<", "><", each["html"])) for each in seen}
    assert len(shapes) == 1
    keys = ("assignment", "text_hash", "round", "html", "proposed", "version", "answer")
    assert {tuple(each) for each in seen} == {keys}
    assert {(each["round"], each["version"], each["answer"]) for each in seen} == {("main", 0, None)}
    assert len(seen) == 5  # the gold item among them
    assert not re.search("gold|g0", str(seen), re.IGNORECASE)


def test_a_code_comes_with_the_last_answer_once_and_the_same_again(folder: Path, url: str) -> None:
    rater = Rater(url, crowd_link(folder), "ann")
    rater.join()
    work = rater.claim()
    while work["items"]:
        assert work["code"] == ""
        assert "Not yet" in rater.http.get("/done").text
        last = work["items"][0]
        work = rater.answer(last)["work"]
    code = work["code"]
    assert re.fullmatch(r"[2-9A-Z]{4}(-[2-9A-Z]{4}){2}", code)
    assert rater.answer(last)["work"]["code"] == code
    assert code in rater.http.get("/done").text
    other = Rater(url, rater.link, "ben")
    other.join()
    assert other.claim()["code"] == ""


def test_who_comes_again_is_the_same_rater(folder: Path, url: str) -> None:
    """In the same browser with another id, and with the same id: no item twice."""
    rater = Rater(url, crowd_link(folder, kind="trusting"), "ann")
    rater.join()
    held = [each["assignment"] for each in rater.claim()["items"]]
    rater.participant = "ann-again"
    rater.join()
    assert [each["assignment"] for each in rater.claim()["items"]] == held
    elsewhere = Rater(url, rater.link, "ann")
    elsewhere.join()
    assert [each["assignment"] for each in elsewhere.claim()["items"]] == held
    assert number(folder, "SELECT count(*) FROM rater") == 1


def test_a_link_for_three_lets_three_in_who_come_at_once(folder: Path, url: str) -> None:
    link = crowd_link(folder, most=3)
    raters = [Rater(url, link, f"p{n}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(reply.status_code for reply in pool.map(Rater.join, raters))
    assert statuses == [200] * 3 + [410] * 5
    assert number(folder, "SELECT count(*) FROM rater") == 3
    judge_invite(folder, revoked="crowd")
    assert Rater(url, link, "late").join().status_code == 410
    assert sum(bool(each.csrf) and each.join().status_code == 200 for each in raters) == 3


def test_a_container_without_a_volume_is_warned_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.judging.web.listening.in_container", lambda: True)
    there = folder.stat().st_dev == Path("/").stat().st_dev
    assert [each.code for each in warnings_of(Reach(), folder)] == ["judge-no-volume"] * there


def test_the_wheel_has_every_file_of_the_server() -> None:
    package = ROOT / "src" / "errorbar"
    said = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = said["tool"]["setuptools"]["package-data"]["errorbar"]
    packed = {file for pattern in patterns for file in package.glob(pattern)}
    others = [
        each for each in (package / "judging").rglob("*") if each.is_file() and each.suffix not in (".py", ".pyc")
    ]
    assert [str(each) for each in others if each not in packed] == []
    outside = re.compile(r"""(?:src|href|url|import|fetch)\W{1,3}(?:https?:)?//""")
    assert [str(each) for each in others if outside.search(each.read_text(encoding="utf-8", errors="replace"))] == []


def test_without_any_gold_nobody_fails(tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text('{"id": "w", "text": "Item is here .", "start": 0, "end": 4}\n')
    judge_init(tmp_path / "study", items, policy=StudyRules().policy)
    with running(tmp_path / "study", Reach(port=0)) as served:
        rater = Rater(served.url, crowd_link(tmp_path / "study"), "ann")
        rater.join()
        assert rater.answer(rater.claim()["items"][0])["work"]["standing"] == "finished"
