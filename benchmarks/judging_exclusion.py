"""How long others wait while a rater with many judgments is excluded or readmitted, or the number of judgments changes.

``python -m benchmarks.judging_exclusion`` from the checkout; needs the extra ``judge``, and PostgreSQL's server for its
store. One rater judged ``--judged`` items, and two others these and the rest; a tenth of the items has an answer that
came too late for a place. Each change is one transaction, in which nobody else can write; the rules of a store are
checked after each.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, text
from tests.helpers.postgresql_cluster import binaries, cluster
from tests.judging.empty_stores import Study, work_item

from errorbar.judging import StudyRules, check, current_rules, exclude, readmit, set_rules

K = 2
ASSIGNMENT = text(
    "INSERT INTO assignment (id, token, item, rater, round, seq, reversed, state, version, lease_until, answered)"
    " VALUES (:id, :token, :item, :rater, 'main', :seq, 0, :state, 1, 0, :seq)"
)
FOLLOWING = (
    "INSERT INTO answer (submission, assignment, version, answer, milliseconds, status, at)"
    " SELECT 'f' || id, id, 1, '{\"judgment\": \"ok\"}', 3000, 'saved', 0 FROM assignment",
    "INSERT INTO event (at, kind, rater, assignment, submission, data)"
    " SELECT 0, 'answered', rater, id, 'f' || id, '{}' FROM assignment",
    "UPDATE item SET taken = (SELECT count(*) FROM assignment a WHERE a.item = item.id AND a.state = 'done')",
    "UPDATE rater SET answered = (SELECT count(*) FROM assignment a WHERE a.rater = rater.id),"
    " judged = (SELECT count(*) FROM assignment a WHERE a.rater = rater.id),"
    " claims = (SELECT count(*) FROM assignment a WHERE a.rater = rater.id)",
)


def judgments(n_items: int, n_judged: int) -> Iterator[tuple[int, int, str]]:
    """Item, rater and state: of each item K are done, of every tenth one more is extra."""
    for item in range(1, n_items + 1):
        raters = [1, 2] if item <= n_judged else [2, 3]
        yield from ((item, rater, "done") for rater in raters)
        if item % 10 == 0:
            yield item, 4, "extra"


def fill(tx: Connection, n_items: int, n_judged: int) -> None:
    """Write the judgments with all that follows from them."""
    n_of = [0] * 5
    rows = []
    for number, (item, rater, state) in enumerate(judgments(n_items, n_judged), 1):
        n_of[rater] += 1
        values = {"id": number, "token": f"{number:024x}", "item": item, "rater": rater}
        rows.append({**values, "seq": n_of[rater], "state": state})
    tx.execute(ASSIGNMENT, rows)
    for statement in FOLLOWING:
        tx.execute(text(statement))


def measure(url: str, n_items: int, n_judged: int) -> Iterator[tuple[str, float]]:
    """What was done, and its seconds."""
    study = Study(url, StudyRules(raters_per_item=K), [work_item(f"w{at}") for at in range(n_items)], 4)
    study.write(lambda tx: fill(tx, n_items, n_judged))

    def set_k(k: int) -> Callable[[Connection], object]:
        return lambda tx: set_rules(tx, replace(current_rules(tx), raters_per_item=k), study.clock())

    changes: tuple[tuple[str, Callable[[Connection], object]], ...] = (
        ("exclude", lambda tx: exclude(tx, 1, "reason", "manager", study.clock())),
        ("readmit", lambda tx: readmit(tx, 1, "manager", study.clock())),
        ("fewer judgments of each item", set_k(K - 1)),
        ("more judgments of each item", set_k(K)),
    )
    for title, change in changes:
        began = time.perf_counter()
        study.write(change)
        yield title, time.perf_counter() - began
        assert not check(study.store)
    study.store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--judged", type=int, default=10_000, help="items that the rater judged who is excluded")
    parser.add_argument("--store", nargs="*", default=["sqlite", "postgresql"])
    options = parser.parse_args()
    for store in options.store:
        with ExitStack() as stack:
            url = str(Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp"))) / "store.sqlite")
            if store == "postgresql":
                if binaries() is None:
                    print("postgresql  skipped: no server of it is installed")
                    continue
                url = stack.enter_context(cluster()).database("study")
            for title, seconds in measure(url, options.items, options.judged):
                print(f"{store:<12}{title:<32}{seconds:>8.2f} s", flush=True)


if __name__ == "__main__":
    main()
