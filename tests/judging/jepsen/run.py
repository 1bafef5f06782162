"""A run: a study, a server, raters, a nemesis; then peace, the end of the work, and the checks."""

from __future__ import annotations

import asyncio
import csv
import io
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from errorbar import judge_export, judge_init
from errorbar.judging import restore
from errorbar.judging.scheme_kinds import Editors
from errorbar.judging.study.rows import PARTS, Part
from errorbar.judging.study.rules import Policy
from tests.helpers.postgresql_cluster import Cluster, cluster
from tests.judging.jepsen import check_answers, check_outside, check_places, checks, telling
from tests.judging.jepsen.failing_files import FailingFiles, compiler
from tests.judging.jepsen.history import History
from tests.judging.jepsen.manager import Manager
from tests.judging.jepsen.nemesis import HOUR, Nemesis
from tests.judging.jepsen.onlookers import Onlookers
from tests.judging.jepsen.rater import Rater
from tests.judging.jepsen.rater_page import World
from tests.judging.jepsen.server import HOST, Server
from tests.judging.jepsen.stored import Stored, read_stored
from tests.judging.jepsen.study import (
    EDITING,
    SCHEME,
    WRITING,
    edits_item,
    errorbar,
    pair,
    span_item,
    write_items,
    write_outputs,
)

PAGE = 10
SLOW = 300.0
"""Seconds within which raters must come to the end of the work once nothing goes wrong any more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is.

    Attributes:
        seconds: With the nemesis; the rest of the work comes after it.
        workers: Processes of the server.
        store: ``sqlite`` or ``postgresql``.
        seed: Of items, raters and faults. What the processes do in between differs from run to run all the same.
        raters: How many.
        rate: Answers in a second that the raters aim at, all together.
        raters_per_item: k.
        every: Seconds between two faults, on average; 0: none.
        adaptive: Whether raters compare pairs of systems, which the study chooses.
        edits: Whether raters write the edits of sentences.
        editors: Who edits which outputs of four systems (``scheme_kinds``); None: nobody edits.
        keep: Folder that the study, the server's log and the backups stay in; None: they go.
    """

    seconds: float = 60.0
    workers: int = 4
    store: str = "sqlite"
    seed: int = 0
    raters: int = 40
    rate: float = 200.0
    raters_per_item: int = 3
    every: float = 1.5
    adaptive: bool = False
    edits: bool = False
    editors: Editors | None = None
    keep: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Attributes:
        faults: Of each check.
        counts: What happened how often.
    """

    faults: Mapping[str, list[str]]
    counts: Mapping[str, int]

    def well(self) -> bool:
        return not any(self.faults.values())


@contextmanager
def bench(keep: Path | None = None) -> Iterator[Path]:
    """A folder for a run, not in memory alone; ``keep``: one that stays."""
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep.resolve()
        return
    folder = Path(tempfile.mkdtemp(prefix="errorbar-jepsen-", dir="/var/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_study(plan: Plan, folder: Path, url: str, policy: Policy = "sequential") -> tuple[Path, str]:
    """A study with items for all of the run, and the path of its link."""
    items = int(plan.seconds * plan.rate / plan.raters_per_item) + 50
    n_gold = max(40, items // 20)
    k, adaptive = plan.raters_per_item, plan.adaptive
    options: dict[str, Any] = {"raters_per_item": k, "policy": policy, "store": url, "adaptive": adaptive}
    if plan.editors:
        work, systems, gold = write_outputs(folder, items, n_gold, plan.seed)
        options |= {"systems": systems, "editors": plan.editors}
    else:
        make = pair if adaptive else edits_item if plan.edits else span_item
        work, gold = write_items(folder, items, n_gold, plan.seed, make)
    scheme: str | Path = "error-ok"
    if written := EDITING if plan.editors else SCHEME if adaptive else WRITING if plan.edits else "":
        scheme = folder / "scheme.toml"
        scheme.write_text(written, encoding="utf-8")
    study = folder / "study"
    judge_init(study, work, scheme=scheme, gold_items=gold, **options)
    link = errorbar("judge", "invite", study, "--crowd").split()
    found = next(each for each in link if "/j/" in each)
    return study, urlsplit(found).path


def run(plan: Plan, history: History) -> Outcome:
    """All of it."""
    with ExitStack() as stack:
        folder = stack.enter_context(bench(keep=plan.keep))
        database: Cluster | None = stack.enter_context(cluster()) if plan.store == "postgresql" else None
        url = database.database("study") if database else ""
        study, invite = make_study(plan, folder, url)
        disk = FailingFiles(folder / "failing", f"{study}/") if not database and compiler() else None
        clock = folder / "clock"
        clock.write_text("0", encoding="ascii")
        environment = {"ERRORBAR_JUDGE_CLOCK": str(clock), **(disk.environment() if disk else {})}
        server = Server(study, plan.workers, folder / "server.log", environment)
        stack.callback(server.kill)
        server.start()
        pause = plan.raters / plan.rate * 1.6
        world = World(HOST, server.port, invite, history, pause)
        looking = Manager(study, HOST, server.port, history), history, random.Random(f"looks {plan.seed}")
        names = "{}/A" if plan.editors else "w{}"
        onlookers = Onlookers(study, folder, *looking, {"ERRORBAR_JUDGE_CLOCK": str(clock)}, names)
        manager = Manager(study, HOST, server.port, history)
        draw = random.Random(plan.seed)
        nemesis = Nemesis(server, history, draw, clock, folder, manager, disk, database)
        stuck = asyncio.run(_work(plan, world, nemesis, onlookers))
        faults = {"raters_come_to_an_end": stuck}
        tables = [_exported(study, folder / "export.csv", parts) for parts in (PARTS, PARTS, ())]
        code = server.stop()
        _read_log(server.log, history)
        where = url or f"sqlite:///{study / 'store.sqlite3'}"
        stored = read_stored(where)
        every = (*checks.ALWAYS, *checks.OF_A_RUN, *checks.AT_THE_END)
        faults |= {check.__name__: check(history, stored) for check in every}
        faults["exported_is_stored"] = check_outside.exported_is_stored(_rows(tables[0]), stored)
        faults["exported_is_what_counts"] = check_outside.exported_is_stored(_rows(tables[2]), stored, all_kinds=False)
        faults["exported_twice_is_the_same"] = [] if tables[0] == tables[1] else ["two exports differ"]
        faults["gold_stands_anywhere_in_a_page"] = telling.place_in_page_is_uniform(history, stored, PAGE)
        faults["backups_hold_what_was_acknowledged"] = _check_backups(history, folder)
        faults["server_stops_politely"] = [] if code in (0, -15, 143) else [f"it ended with {code}"]
        return Outcome(faults, _counts(history, stored))


async def _work(plan: Plan, world: World, nemesis: Nemesis, onlookers: Onlookers) -> list[str]:
    raters = [Rater(world, each, plan.seed, careless=each % 13 == 0) for each in range(1, plan.raters + 1)]
    tasks = [asyncio.create_task(each.run()) for each in raters]
    until = asyncio.get_running_loop().time() + plan.seconds
    if plan.every:
        await asyncio.gather(nemesis.run(until, plan.every), onlookers.run(until, plan.every))
    else:
        await asyncio.sleep(plan.seconds)
    nemesis.heal()
    nemesis.set_clock(nemesis.offset + 3 * HOUR)  # what nobody will answer any more comes back
    await nemesis.resume()
    await asyncio.sleep(1.0)  # who was told that there is nothing left asks again
    nemesis.note("peace")
    world.draining = True
    _, pending = await asyncio.wait(tasks, timeout=SLOW)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for rater in raters:
        rater.drop()
    nemesis.manager.browser.drop()
    onlookers.manager.browser.drop()
    await asyncio.sleep(0.01)
    for task in tasks:
        if task not in pending:
            task.result()
    return [
        f"{each.name} is '{each.standing}' still, {len(each.outbox)} answers not acknowledged"
        for each, task in zip(raters, tasks, strict=True)
        if task in pending
    ]


def _exported(study: Path, file: Path, parts: Sequence[Part]) -> str:
    judge_export(study, file, include=parts)
    return file.read_text(encoding="utf-8")


def _rows(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table)))


def _read_log(log: Path, history: History) -> None:
    """Tracebacks, by their last line, and whatever speaks of locks."""
    raised = False
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        raised = raised or line.startswith("Traceback")
        ends = raised and not line.startswith((" ", "Traceback"))
        if ends or any(each in line for each in check_outside.LOCKED):
            history.add("server", "log", "info", 0, line=line)
        raised = raised and not ends


def _check_backups(history: History, folder: Path) -> list[str]:
    """Each backup, restored to a new store: whole, and with all that was acknowledged before it began."""
    began = {op.call: op.at for op in history.of("backup", "invoke")}
    faults = []
    for op in history.of("backup", "ok"):
        restored = folder / f"restored-{op.call}.sqlite3"
        restore(Path(op.data["file"]), str(restored))
        stored = read_stored(f"sqlite:///{restored}")
        kept = {row["submission"] for row in stored.answer}
        faults += [
            f"{op.data['file']} lacks {each.id}, acknowledged {began[op.call] - each.first_known:.3f} s before"
            for each in check_answers.acknowledged(history)
            if each.first_known < began[op.call] and each.id not in kept
        ]
        faults += check_outside.file_is_whole(history, stored) + check_places.at_most_k_always(history, stored)
    return faults


def _counts(history: History, stored: Stored) -> dict[str, int]:
    """For the summary."""
    phases = Counter(
        f"{op.what} {op.phase}"
        for op in history.ops
        if op.what in ("answer", "claim", "join", "withdraw", "backup", "look")
    )
    receipts = Counter(f"receipts {op.data['status']}" for op in history.of("answer", "ok"))
    faults = Counter(
        op.what for op in history.ops if op.who in ("nemesis", "manager") and op.what not in ("backup", "look")
    )
    states = Counter(f"assignments {row['state']}" for row in stored.assignment)
    work = sum(row["kind"] == "work" for row in stored.item)
    return {**phases, **receipts, **faults, **states, "items": work, "raters": len(stored.rater)}


def summary(plan: Plan, outcome: Outcome, seconds: float) -> Iterator[str]:
    """Lines for people."""
    yield f"{plan.store}, {plan.workers} workers, {plan.raters} raters, seed {plan.seed}: {seconds:.0f} s"
    for name, number in outcome.counts.items():
        yield f"  {number:>8,} {name}"
    for name, faults in outcome.faults.items():
        yield f"  {'ok' if not faults else 'FAULT':>8} {name}"
        for fault in faults[:10]:
            yield f"           {fault}"
        if len(faults) > 10:
            yield f"           and {len(faults) - 10} more"


def timed(plan: Plan, file: Path | None) -> tuple[Outcome, float]:
    history = History(file)
    start = time.monotonic()
    try:
        outcome = run(plan, history)
    finally:
        history.close()
    return outcome, time.monotonic() - start
