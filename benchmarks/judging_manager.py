"""The time that raters wait while the manager of a large study looks at it, in the same server.

``python -m benchmarks.judging_manager`` from the checkout; 100,000 items of 20 judgments make a SQLite file of 1 GB.
Forty raters answer all the while, each about every third of a second; the manager asks for one thing after the other,
of a server that was just started. Prints, for each, how long it took, and the time of raters' posts in the meantime.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import uvloop
from tests.helpers.lean_http import Browser
from tests.judging.jepsen.history import History
from tests.judging.jepsen.joining import join
from tests.judging.jepsen.large_study import RATERS as RATERS_OF_STUDY
from tests.judging.jepsen.large_study import fill
from tests.judging.jepsen.manager import Manager
from tests.judging.jepsen.run import bench
from tests.judging.jepsen.server import HOST, Server
from tests.judging.jepsen.study import errorbar, write_items

from errorbar.judging.study.make import judge_init

RATERS, LEFT = 40, 90_000
WATCHED, EVERY = 60.0, 10.0
"""Seconds for which the desk is open, and between two looks, as the page's script has it."""
CHARTS = ("progress", "gold", "agreement")
ASKED = (
    ("nothing, for 10 seconds", ""),
    ("the desk, for 60 seconds", "/manage"),
    ("raters", "/manage/raters"),
    ("figures", "/manage/figures.json"),
    ("items, of the same figures", "/manage/items?from=50000"),
    ("export.csv", "/manage/export.csv"),
    ("export.jsonl", "/manage/export.jsonl"),
)
Posts = list[tuple[float, float]]
"""When each was sent, by the loop's clock, and the milliseconds until its reply."""


async def rate(browser: Browser, csrf: str, pause: float, posts: Posts, done: asyncio.Event) -> None:
    """Answer until it is done."""
    loop = asyncio.get_running_loop()
    items = (await browser.post("/api/claim", {"want": 2}, csrf)).json()["work"]["items"]
    while items and not done.is_set():
        await asyncio.sleep(random.expovariate(1 / pause))
        item = items[0]
        answer = {"submission": str(uuid.uuid4()), "assignment": item["assignment"], "text_hash": item["text_hash"]}
        answer |= {"base_version": item["version"], "answer": {"judgment": "ok"}, "skip": "", "comment": ""}
        answer |= {"milliseconds": 1500, "trail": None}
        began = loop.time()
        reply = await browser.post("/api/answer", {"answers": [answer], "want": 2}, csrf)
        assert reply.status == 200, reply.body[:500]
        posts.append((began, reply.seconds * 1000))
        items = reply.json()["work"]["items"]
    assert done.is_set(), "no work is left"


async def watch_desk(manager: Manager) -> list[float]:
    """Look at the first page with its charts for a while, as a browser does; how long each page took."""
    loop, pages = asyncio.get_running_loop(), list[float]()
    until = loop.time() + WATCHED
    while loop.time() < until:
        began = loop.time()
        page = await manager.get("/manage")
        pages.append(loop.time() - began)
        for chart in CHARTS:
            if f"/manage/charts/{chart}-".encode() in page.body:
                reply = await manager.get(f"/manage/charts/{chart}-wide-light.svg")
                assert reply.status == 200, reply.body[:500]
        await asyncio.sleep(3 if b"being computed" in page.body else EVERY)
    return pages


async def measure(study: Path, invite: str, server: Server, pause: float, most: int) -> None:
    """Time each request of the manager once."""
    name = uuid.uuid4().hex[:6]
    loop = asyncio.get_running_loop()
    raters = [await join(invite, server.port, f"{name}-{number}") for number in range(RATERS)]
    posts: Posts = []
    done = asyncio.Event()
    tasks = [asyncio.create_task(rate(*rater, pause, posts, done)) for rater in raters]
    manager = Manager(study, HOST, server.port, History())
    manager.browser.patience = 600.0
    await manager.get("/manage/codes")
    await asyncio.sleep(2)
    for title, path in ASKED[:most]:
        began = loop.time()
        pages: list[float] = []
        if path == "/manage":
            pages = await watch_desk(manager)
        elif path:
            reply = await manager.get(path)
            assert reply.status == 200, reply.body[:500]
        else:
            await asyncio.sleep(10)
        took = loop.time() - began
        await asyncio.sleep(1)  # posts that were sent meanwhile come back
        times = [milliseconds for at, milliseconds in posts if began - 0.5 <= at <= began + took]
        cuts = statistics.quantiles(times, n=100)
        print(
            f"{server.workers:>9}{title:>28}{took:>8.1f}{len(times):>8,}{cuts[49]:>9.1f}{cuts[98]:>9.1f}{max(times):>9.1f}",
            flush=True,
        )
        if pages:
            first, slowest = (1000 * seconds for seconds in (pages[0], max(pages)))
            print(f"{'':>9}first screen {first:.0f} ms, the slowest of {len(pages)} {slowest:.0f} ms", flush=True)
    done.set()
    await asyncio.gather(*tasks)
    for browser, _ in raters:
        browser.drop()
    manager.browser.drop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--raters-per-item", type=int, default=20)
    parser.add_argument("--raters", type=int, default=RATERS_OF_STUDY, help="who judged before")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 4])
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between a rater's reply and next post")
    parser.add_argument("--most", type=int, default=len(ASKED), help="so many of what the manager may ask for")
    parser.add_argument("--study", type=Path, help="folder of one that an earlier run kept, or that this one keeps")
    options = parser.parse_args()
    with bench() as folder:
        study = options.study or folder / "study"
        if not study.exists():
            work, gold = write_items(folder, options.items, 40, 0)
            judge_init(study, work, gold_items=gold, raters_per_item=options.raters_per_item, policy="none")
            fill(next(study.glob("*.sqlite3")), options.raters_per_item, min(LEFT, options.items), options.raters)
            errorbar("judge", "invite", study, "--crowd")
        invite = urlsplit(next(word for word in errorbar("judge", "invite", study).split() if "/j/" in word)).path
        print(f"{'processes':>9}{'asked for':>28}{'seconds':>8}{'posts':>8}{'p50 ms':>9}{'p99 ms':>9}{'most ms':>9}")
        for workers in options.workers:
            server = Server(study, workers, folder / "log")
            server.start()
            try:
                uvloop.run(measure(study, invite, server, options.pause, options.most))
            finally:
                server.kill()


if __name__ == "__main__":
    main()
