"""Each write and each fsync of a store fails in turn: ``python -m tests.judging.jepsen.every_call FOLDER KIND``.

SQLite tests itself so. The same small study is worked through again and again; the first time the first call of a kind
(write, sync) fails, the second time the second one, until there is no such call any more; once as a disk that fails
once, once as one that has failed for good until it is replaced. The failing file layer must have been loaded before
Python began (``run_every_call`` does). What must hold: a failure is a ``StoreError`` and nothing else, the same
submission sent again is stored, whatever was acknowledged before is there, and the invariants hold.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from errorbar.judging import (
    JudgedItem,
    Lease,
    Store,
    StudyRules,
    Submission,
    SubmissionReceipt,
    Work,
    check,
    claim,
    exclude,
    load_scheme,
    readmit,
    shown_hash,
    submit,
)
from errorbar.judging.store.engines import StoreError
from errorbar.judging.store.store import GroupCommit
from tests.judging.jepsen.failing_files import FailingFiles, Kind
from tests.judging.jepsen.study_in_process import add_raters, fill_store

T = TypeVar("T")
RULES = StudyRules(raters_per_item=2, page=3, policy="none")
SCHEME = load_scheme("error-ok")
ITEMS = [JudgedItem(f"w{n}", f"Item {n} is here .", (0, 4)) for n in range(3)]
ITEMS += [JudgedItem("g0", "Gold 0 is here .", (0, 4), kind="gold", answers=("ok",))]
RATERS = (1, 2, 3)


@dataclass(slots=True)
class Passed:
    """One time through: what was acknowledged, and how often the store refused."""

    acknowledged: dict[str, SubmissionReceipt] = field(default_factory=dict)
    refusals: int = 0
    faults: list[str] = field(default_factory=list)


def work_through(url: str, disk: FailingFiles, order: Callable[[], None]) -> Passed:
    """Three raters judge all there is; one is excluded on the way and readmitted."""
    passed = Passed()
    order()
    store = _patient(passed, disk, lambda: Store.open(url))
    try:
        asyncio.run(_judge(store, disk, passed))
    finally:
        store.close()
        disk.heal()
    return passed


async def _judge(store: Store, disk: FailingFiles, passed: Passed) -> None:
    writer = GroupCommit(store)

    async def wants(work: Callable[[Connection], T]) -> T:
        """As a browser does: the same again until it is done; the disk is mended after the third time."""
        for tries in range(10):
            try:
                return await writer.do(work)
            except StoreError:
                passed.refusals += 1
                if tries == 2:
                    disk.heal()
            except Exception as error:  # noqa: BLE001 - whatever else comes is the fault that is looked for
                passed.faults.append(f"{type(error).__name__}: {error}")
                disk.heal()
        raise RuntimeError("the store refuses for ever")

    async def rate(rater: int) -> None:
        for turn in range(10):
            now = 1000.0 + turn
            work: Work = await wants(lambda tx: claim(tx, RULES, rater, 3, now))  # noqa: B023 - awaited here
            if not work.leases:
                return
            for lease in work.leases:
                one = _answer(lease, rater)
                receipts = await wants(lambda tx: submit(tx, SCHEME, RULES, rater, [one], now))  # noqa: B023
                passed.acknowledged[one.id] = receipts[0]

    try:
        await asyncio.gather(*(rate(each) for each in RATERS))
        await wants(lambda tx: exclude(tx, 1, "test", "manager", 2000.0))
        await rate(2)
        await wants(lambda tx: readmit(tx, 1, "manager", 2001.0))
    except RuntimeError as error:
        passed.faults.append(str(error))
    finally:
        await writer.close()


def _answer(lease: Lease, rater: int) -> Submission:
    text_hash = shown_hash(SCHEME, lease.item, lease.reversed)
    return Submission(f"{rater}-{lease.token}", lease.token, text_hash, lease.version, {"judgment": "ok"})


def _patient(passed: Passed, disk: FailingFiles, what: Callable[[], T]) -> T:
    for tries in range(10):
        try:
            return what()
        except StoreError:
            passed.refusals += 1
            if tries == 2:
                disk.heal()
    raise RuntimeError("the store cannot be opened")


def faults_after(url: str, passed: Passed) -> list[str]:
    """What is wrong with the store that is left."""
    faults = list(passed.faults)
    with sqlite3.connect(url.removeprefix("sqlite:///")) as one:
        faults += [row[0] for row in one.execute("PRAGMA integrity_check") if row[0] != "ok"]
        kept = {row[0]: row[1] for row in one.execute("SELECT submission, version FROM answer")}
        places = {row[0] for row in one.execute("SELECT taken FROM item WHERE kind = 'work'")}
    one.close()
    lost = [name for name, receipt in passed.acknowledged.items() if kept.get(name) != receipt.version]
    faults += [f"{name} was acknowledged and is not stored" for name in lost]
    faults += [f"an item has {taken} places taken" for taken in places - {RULES.raters_per_item}]
    with Store.open(url) as store:
        return faults + [f"{each.what}: {each.rows}" for each in check(store)]


def every_call(folder: Path, kind: Kind, *, lasting: bool) -> dict[str, object]:
    """All of it; the summary."""
    disk = FailingFiles(folder / "failing", f"{folder}/store")
    template = folder / "template.sqlite3"
    fill_store(f"sqlite:///{template}", SCHEME, RULES, ITEMS)
    add_raters(f"sqlite:///{template}", RATERS)
    n, refusals, faults = 0, 0, list[str]()
    while not faults:
        n += 1
        shutil.rmtree(folder / "store", ignore_errors=True)
        (folder / "store").mkdir()
        url = f"sqlite:///{folder / 'store' / 'store.sqlite3'}"
        shutil.copy(template, folder / "store" / "store.sqlite3")
        before = disk.counted()
        passed = work_through(url, disk, lambda: disk.fail(kind, n, lasting=lasting))  # noqa: B023
        after = disk.counted()
        refusals += passed.refusals
        faults = [f"{kind} {n}{' and all after it' if lasting else ''}: {each}" for each in faults_after(url, passed)]
        calls = after[0] - before[0] if kind == "write" else after[1] - before[1]
        if n > calls:
            break
    return {"calls": n - 1, "refusals": refusals, "answers": len(passed.acknowledged), "faults": faults}


def run_every_call(folder: Path, kind: Kind, *, lasting: bool) -> dict[str, object]:
    """In a process of its own, with the failing file layer before everything else."""
    disk = FailingFiles(folder / "failing", f"{folder}/store")
    command = [
        sys.executable,
        "-m",
        "tests.judging.jepsen.every_call",
        str(folder),
        kind,
        "lasting" if lasting else "once",
    ]
    environment = {**os.environ, **disk.environment()}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=280)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    found: dict[str, object] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    said = sys.argv[1:]
    print(json.dumps(every_call(Path(said[0]), said[1], lasting=said[2] == "lasting")))  # type: ignore[arg-type]
