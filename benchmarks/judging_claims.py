"""Claims in a large study: 100,000 items, some 15 judgments of each, and raters who judged nearly all of them.

``python -m benchmarks.judging_claims`` from the checkout; needs the extra ``judge``. The rows are written directly, in
two minutes instead of an hour. Times are of the claim inside its transaction, without the commit. Places are spread
over all levels from 10 to k = 20, the worst case of the search: in a study that grew by claims, nearly all items stand
on two neighboring levels.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection
from tests.judging.empty_stores import Study, answer_to, gold_item, work_item

from errorbar.judging.protocol.claims import claim
from errorbar.judging.scheme import Work
from errorbar.judging.study.rules import StudyRules, current_rules

K, RATERS, LEFT = 20, 24, 60
"""Places, raters, and items that the first rater has not judged."""
ASSIGNMENTS = """
INSERT INTO assignment (id, token, item, rater, round, seq, reversed, state, version, lease_until, answered)
VALUES (?, ?, ?, ?, 'main', ?, 0, 'done', 1, 0, ?)
"""
FOLLOWING = (
    """
INSERT INTO answer (submission, assignment, version, answer, milliseconds, status, at)
SELECT 'f' || id, id, 1, '{"judgment": "OK"}', 3000, 'saved', 0 FROM assignment
""",
    """
INSERT INTO event (at, kind, rater, assignment, submission, data)
SELECT 0, 'answered', rater, id, 'f' || id, '{}' FROM assignment
""",
    "UPDATE item SET taken = (SELECT count(*) FROM assignment a WHERE a.item = item.id) WHERE kind = 'work'",
    """
UPDATE rater SET (claims, answered, judged) =
(SELECT count(*), count(*), count(*) FROM assignment a WHERE a.rater = rater.id)
""",
)


def judged_by(items: int, seed: int = 1) -> Iterator[tuple[int, int]]:
    """Item and rater of each judgment: the first rater judged all items but a few, the second all."""
    draw = random.Random(seed)
    left = set(draw.sample(range(1, items + 1), LEFT))
    for item in range(1, items + 1):
        raters = {2, *draw.sample(range(3, RATERS + 1), draw.randint(8, 18))}
        yield from ((item, rater) for rater in sorted(raters | ({1} if item not in left else set())))


def fill(path: Path, items: int) -> int:
    """Write judgments with all that follows from them; how many."""
    with closing(sqlite3.connect(path)) as connection:
        pairs = list(judged_by(items))
        seq = [0] * (RATERS + 1)

        def rows() -> Iterator[tuple[int, str, int, int, int, int]]:
            for number, (item, rater) in enumerate(pairs, 1):
                seq[rater] += 1
                yield number, f"{number:024x}", item, rater, seq[rater], seq[rater]

        connection.executemany(ASSIGNMENTS, rows())
        for statement in FOLLOWING:
            connection.execute(statement)
        connection.commit()
        return len(pairs)


def told(title: str, study: Study, rater: int, times: int = 400) -> None:
    """Milliseconds of a claim, an answer after each."""
    taken = []

    def timed(tx: Connection) -> Work:
        began = time.perf_counter()
        work = claim(tx, current_rules(tx), rater, 2, study.clock())
        taken.append(1000 * (time.perf_counter() - began))
        return work

    for _ in range(times):
        for lease in study.write(timed).leases[:1]:
            study.submit(rater, answer_to(lease))
    taken.sort()
    print(
        f"{title:50} p50 {taken[times // 2]:6.2f} ms  p99 {taken[int(times * 0.99)]:6.2f} ms  most {taken[-1]:6.2f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--in-order", action="store_true", help="a study that may stop early")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = Path(folder) / "store.sqlite"
        items = [work_item(f"w{at}") for at in range(options.items)] + [gold_item(f"g{at}") for at in range(200)]
        stop = "share(label=error,half_width=0.01)" if options.in_order else ""
        study = Study(str(path), StudyRules(raters_per_item=K, policy="none", stop=stop), items, RATERS + 4)
        n = fill(path, options.items)
        print(f"{options.items} items, {n} judgments, {path.stat().st_size / 1e6:.0f} MB")
        nearly, whole, *others, new = study.raters
        told("a new rater", study, new)
        told("a rater who judged a third to three quarters", study, others[0])
        told(f"a rater who judged all but {LEFT}", study, nearly, LEFT)
        told("the same, when nothing is left", study, nearly, 100)
        told("a rater who judged everything", study, whole, 100)
        study.store.close()


if __name__ == "__main__":
    main()
