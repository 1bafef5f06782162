"""Kill -9, again and again: ``python -m tests.judging.jepsen.kills --runs 200 --store sqlite --workers 1``.

Each run starts the server on the study that the last one left, or on a fresh one where all of that is answered, lets
raters answer as fast as they can, and kills all processes at a random moment (on PostgreSQL now and then the database's
too): in three of four runs after the first answer of the run was acknowledged, however slow the machine is; in the
fourth at any moment, also while the server starts. After each kill, before anybody opens the store again, the file must
be whole, and every answer that was acknowledged must be in it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from tests.helpers.postgresql_cluster import Cluster, cluster
from tests.judging.jepsen import check_answers, checks
from tests.judging.jepsen.failing_files import FailingFiles
from tests.judging.jepsen.history import History
from tests.judging.jepsen.manager import Manager
from tests.judging.jepsen.onlookers import Onlookers
from tests.judging.jepsen.rater import OVER, Rater
from tests.judging.jepsen.rater_page import World
from tests.judging.jepsen.run import Plan, bench, make_study
from tests.judging.jepsen.server import HOST, Server
from tests.judging.jepsen.stored import Stored, read_stored

LOOKED_AT = 0.3
"""Share of the runs in which somebody downloads and a command runs before the kill."""
AT_ANY_MOMENT = 4
"""One of so many runs is killed whether or not an answer was acknowledged."""
PATIENCE = 240.0
"""Seconds within which the first answer of the others must be acknowledged."""
WITH_ANSWERS = "runs in which answers were acknowledged"


@dataclass(slots=True)
class Kills:
    """What came of them: ``runs``, ``acknowledged``, ``unknown``, ``unknown and stored``, ``looks``, ...

    Of a study in which something is wrong nothing is counted but the runs.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def kill_runs(plan: Plan, runs: int, *, power: bool = False, fresh: int = 25) -> Kills:
    """``power``: cut it; ``fresh``: runs with one study at most."""
    found = Kills()
    draw = random.Random(f"kills {plan.seed}")
    with ExitStack() as stack:
        database: Cluster | None = stack.enter_context(cluster()) if plan.store == "postgresql" else None
        while found.counts["runs"] < runs and not found.faults:
            with bench() as folder:
                url = database.database(f"study{found.counts['runs']}") if database else ""
                some = min(fresh, runs - found.counts["runs"])
                _study_of_kills(plan, some, folder, url, database, draw, power, found)
    return found


def _study_of_kills(
    plan: Plan,
    runs: int,
    folder: Path,
    url: str,
    database: Cluster | None,
    draw: random.Random,
    power: bool,
    found: Kills,
) -> None:
    study, invite = make_study(plan, folder, url, policy="none")
    disk = FailingFiles(folder / "disk", f"{study}/") if power else None
    environment = disk.environment() | disk.remember_what_is_synced(study) if disk else {}
    server = Server(study, plan.workers, folder / "server.log", environment)
    history = History()
    world = World(HOST, server.port, invite, history, pause=0.0)
    raters = [Rater(world, each, plan.seed) for each in range(1, plan.raters + 1)]
    manager = Manager(study, HOST, server.port, history)
    onlookers = Onlookers(study, folder, manager, history, draw, environment)
    where = url or f"sqlite:///{study / 'store.sqlite3'}"
    try:
        for _ in range(runs):
            new = _New(history)
            any_moment = found.counts["runs"] % AT_ANY_MOMENT == AT_ANY_MOMENT - 1
            (server.launch if any_moment else server.start)()
            asyncio.run(_answer_until_killed(raters, server, draw, onlookers, None if any_moment else new))
            if not (any_moment or new.acknowledged()) and _all_is_answered(raters):
                break  # a fast machine: what was left came with the run before, and the next one needs another study
            found.counts[WITH_ANSWERS] += new.acknowledged()
            if not (any_moment or new.acknowledged()):
                found.faults.append(f"kill {found.counts['runs']}: no answer was acknowledged within {PATIENCE:.0f} s")
            if database is not None and draw.random() < 0.3:
                how, end = draw.choice((("killed", database.kill), ("stopped at once", database.stop)))
                found.counts[f"times the database was {how}"] += 1
                end()
                database.start()
            if disk is not None:
                disk.cut_the_power(study)
                found.counts["power cuts"] += 1
            found.counts["runs"] += 1
            stored = read_stored(where)
            if disk is not None:
                disk.remember_what_is_synced(study)  # the look at the store moved its log into the file
            found.faults += _faults(checks.ALWAYS, history, stored, found)
            if found.faults:
                return
    finally:
        server.kill()
    found.faults += _faults(checks.OF_LOOKS, history, stored, found)
    found.counts["looks"] += sum(1 for _ in history.of("look", "ok"))
    kept = {row["submission"] for row in stored.answer}
    known = {each.id for each in check_answers.acknowledged(history)}
    found.counts["acknowledged"] += len(known)
    unknown = set(check_answers.sent(history)) - {op.data["submission"] for op in history.of("answer", "ok")}
    found.counts["unknown"] += len(unknown)
    found.counts["unknown and stored"] += len(unknown & kept)


def _faults(which: Sequence[checks.Check], history: History, stored: Stored, found: Kills) -> list[str]:
    return [
        f"kill {found.counts['runs']}: {check.__name__}: {fault}" for check in which for fault in check(history, stored)
    ]


class _New:
    """Answers that nobody had sent before this was made."""

    def __init__(self, history: History) -> None:
        self._history, self._sent, self._from = history, set(check_answers.sent(history)), len(history.ops)

    def acknowledged(self) -> bool:
        """Whether one was."""
        return any(
            (op.what, op.phase) == ("answer", "ok")
            and op.data["status"] in ("saved", "extra")
            and op.data["submission"] not in self._sent
            for op in islice(self._history.ops, self._from, None)
        )


def _all_is_answered(raters: list[Rater]) -> bool:
    """Whether everybody was told so, and holds nothing back."""
    return all(each.standing in OVER and not each.outbox for each in raters)


async def _moment(draw: random.Random, new: _New | None, raters: list[Rater]) -> None:
    """Until it is time to kill; ``new``: what must have been answered before, unless nothing is left to answer."""
    if new is None:
        await asyncio.sleep(draw.uniform(0.0, 2.0))
        return
    until = time.monotonic() + PATIENCE
    while not (new.acknowledged() or _all_is_answered(raters)) and time.monotonic() < until:
        await asyncio.sleep(0.01)
    await asyncio.sleep(draw.uniform(0.05, 0.6))


async def _answer_until_killed(
    raters: list[Rater], server: Server, draw: random.Random, onlookers: Onlookers, new: _New | None
) -> None:
    """In some runs after a download and a command, which may be in the middle of it when the server dies."""
    tasks = [asyncio.create_task(each.run()) for each in raters]
    if draw.random() < LOOKED_AT:
        looking = asyncio.create_task(onlookers.one_after_the_other())
        tasks.append(looking)
        if draw.random() < 0.7:
            await asyncio.wait([looking], timeout=20)
    await _moment(draw, new, raters)
    server.kill()
    await asyncio.sleep(0.01)
    onlookers.manager.browser.drop()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for each in raters:
        each.drop()
    await asyncio.sleep(0.01)


def lines(plan: Plan, found: Kills, seconds: float) -> Iterator[str]:
    """For people."""
    yield f"{plan.store}, {plan.workers} workers: {seconds:.0f} s"
    yield from (f"{count:>9,} {what}" for what, count in found.counts.items())
    yield "  no acknowledged answer is lost" if not found.faults else "  FAULTS"
    yield from (f"  {fault}" for fault in found.faults[:20])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.judging.jepsen.kills", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--raters", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--power", action="store_true", help="what was not synced is lost, too (SQLite)")
    said = vars(parser.parse_args())
    runs, power = int(said.pop("runs")), bool(said.pop("power"))
    plan = Plan(seconds=60.0, rate=400.0, every=0.0, **said)
    start = time.monotonic()
    found = kill_runs(plan, runs, power=power)
    print("\n".join(lines(plan, found, time.monotonic() - start)))
    sys.exit(1 if found.faults else 0)


if __name__ == "__main__":
    main()
