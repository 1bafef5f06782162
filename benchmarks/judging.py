"""Load of ``errorbar judge``: server and 40 raters on this machine, each answer on disk before it is acknowledged.

``python -m benchmarks.judging`` from the checkout; needs the extra ``judge``, and PostgreSQL's server for that store.
Each rater sends an answer and asks for the next item in one post, so that all together give ``--rate`` answers a
second, 25 times what forty people do; with ``--rate 0`` each goes on at once. Prints medians of the repeats beside the
targets; p50 and p99 are of single posts, seen from the rater.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import uvloop
from tests.helpers.lean_http import Browser
from tests.helpers.postgresql_cluster import binaries, cluster
from tests.judging.jepsen.joining import join
from tests.judging.jepsen.run import Plan, bench, make_study
from tests.judging.jepsen.server import Server
from tests.judging.jepsen.stored import read_stored

TARGET = 200
P99 = 150.0


@dataclass(frozen=True, slots=True)
class Load:
    """The measurements of one run; times in milliseconds."""

    per_second: float
    p50: float
    p99: float
    most: float
    errors: int
    over_assigned: int
    lost: int
    megabytes: float


async def rate(
    browser: Browser, csrf: str, until: float, want: int, times: list[float], acked: set[str], pause: float = 0.0
) -> int:
    """Give an answer every ``pause`` seconds until it is time; returns how many posts went wrong."""
    errors = 0
    reply = await browser.post("/api/claim", {"want": want}, csrf)
    items: list[dict[str, Any]] = reply.json()["work"]["items"]
    due = time.perf_counter() + pause * (1 + random.random())  # once all have their first items: nobody answers at once
    while time.perf_counter() < until and items:
        if pause:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            due += pause
        item = items[0]
        answer = {
            "submission": str(uuid.uuid4()),
            "assignment": item["assignment"],
            "text_hash": item["text_hash"],
            "base_version": item["version"],
            "answer": {"judgment": "ok"},
            "skip": "",
            "comment": "",
            "milliseconds": 1500,
            "trail": None,
        }
        reply = await browser.post("/api/answer", {"answers": [answer], "want": want}, csrf)
        result = json.loads(reply.body)
        if reply.status != 200 or result["receipts"][0]["status"] != "saved":
            errors += 1
            continue
        times.append(reply.seconds * 1000)
        acked.add(answer["submission"])
        items = result["work"]["items"]
    return errors


async def load(
    plan: Plan, invite: str, server: Server, want: int, pause: float
) -> tuple[list[float], set[str], int, float]:
    raters = [await join(invite, server.port, f"load-{number}") for number in range(plan.raters)]
    times: list[float] = []
    acked: set[str] = set()
    start = time.perf_counter()
    until = start + plan.seconds
    errors = await asyncio.gather(*(rate(*rater, until, want, times, acked, pause) for rater in raters))
    seconds = time.perf_counter() - start
    for browser, _ in raters:
        browser.drop()
    return times, acked, sum(errors), seconds


def measure(plan: Plan, want: int, pause: float) -> Load:
    with ExitStack() as stack:
        folder = stack.enter_context(bench())
        database = stack.enter_context(cluster()) if plan.store == "postgresql" else None
        url = database.database("study") if database else ""
        study, invite = make_study(plan, folder, url, policy="none")
        server = Server(study, plan.workers, folder / "log")
        stack.callback(server.kill)
        server.start()
        times, acked, errors, seconds = uvloop.run(load(plan, invite, server, want, pause))
        megabytes = server.memory() / 2**20
        server.stop()
        stored = read_stored(url or f"sqlite:///{study / 'store.sqlite3'}")
        kept = {row["submission"] for row in stored.answer}
        over = sum(row["taken"] > plan.raters_per_item for row in stored.item)
        cuts = statistics.quantiles(times, n=100)
        return Load(len(times) / seconds, cuts[49], cuts[98], max(times), errors, over, len(acked - kept), megabytes)


HOUR = 36_000
"""Answers that forty raters give in an hour, one in four seconds each."""


async def hour(plan: Plan, invite: str, server: Server) -> None:
    """As many answers as an hour has; memory and open files of the server on the way."""
    raters = [await join(invite, server.port, f"load-{number}") for number in range(plan.raters)]
    acked: set[str] = set()
    for share in (0.05, 0.25, 0.5, 0.75, 1.0):
        while len(acked) < HOUR * share:
            until = time.perf_counter() + 1.0
            await asyncio.gather(*(rate(*rater, until, 2, [], acked) for rater in raters))
        line = f"{len(acked):>7,} answers  {server.memory() / 2**20:.0f} MB  {server.open_files()} open files"
        print(line, flush=True)
    for browser, _ in raters:
        browser.drop()


def soak(plan: Plan) -> None:
    with bench() as folder:
        study, invite = make_study(plan, folder, "", policy="none")
        server = Server(study, plan.workers, folder / "log")
        server.start()
        try:
            uvloop.run(hour(plan, invite, server))
        finally:
            server.kill()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 4])
    parser.add_argument("--store", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--rate", type=float, default=1.05 * TARGET, help="answers a second of all raters; 0: no pause")
    parser.add_argument("--want", type=int, default=2, help="items that a rater holds: the one in work and the next")
    parser.add_argument("--hour", action="store_true", help="memory over the answers of an hour, on SQLite")
    options = parser.parse_args(arguments)
    if options.hour:
        soak(Plan(seconds=20.0, workers=options.workers[0], rate=HOUR / 20 * 1.2, every=0.0))
        return
    print(
        f"{'store':<12}{'processes':>10}{'answers/s':>11}{'target':>8}{'p50 ms':>8}{'p99 ms':>8}{'target':>8}"
        f"{'errors':>8}{'over':>6}{'lost':>6}{'MB':>6}"
    )
    for store in options.store:
        if store == "postgresql" and binaries() is None:
            print("postgresql  skipped: no server of it is installed")
            continue
        for workers in options.workers:
            plan = Plan(seconds=options.seconds, workers=workers, store=store, rate=4000.0, every=0.0)
            pause = plan.raters / options.rate if options.rate else 0.0
            runs = [measure(plan, options.want, pause) for _ in range(options.repeats)]

            def middle(name: str, runs: list[Load] = runs) -> float:
                return float(statistics.median(getattr(run, name) for run in runs))

            print(
                f"{store:<12}{workers:>10}{middle('per_second'):>11,.0f}{TARGET:>8}{middle('p50'):>8.1f}"
                f"{middle('p99'):>8.1f}{P99:>8.0f}{sum(run.errors for run in runs):>8}"
                f"{sum(run.over_assigned for run in runs):>6}{sum(run.lost for run in runs):>6}"
                f"{middle('megabytes'):>6.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
