"""A large study, its rows written by SQL as the protocol leaves them, and what an export of it costs."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

RATERS = 400
LEFT = 2000
"""Items that lack their last judgment."""


def fill(store: Path, k: int, left: int = LEFT, n_raters: int = RATERS) -> None:
    """Judgments of all items but the last one of some."""
    one = sqlite3.connect(store)
    one.execute("PRAGMA synchronous = OFF")
    items = one.execute("SELECT id, place FROM item WHERE kind = 'work' ORDER BY id").fetchall()
    draw = random.Random(1)
    short = set(draw.sample(range(len(items)), min(left, len(items))))
    taken = [k - 1 if n in short else k for n in range(len(items))]
    one.executemany(
        "INSERT INTO rater (id, name, participant, seed, status, quiz, claims, answered, judged, joined)"
        " VALUES (?, ?, ?, ?, 'active', 'due', ?, ?, ?, 0)",
        _raters(items, taken, k, n_raters),
    )
    one.executemany(
        "INSERT INTO assignment (id, token, item, rater, round, seq, answered, reversed, state, version, lease_until)"
        " VALUES (?, ?, ?, ?, 'main', ?, ?, 0, 'done', 1, 0)",
        ((a, f"{a:024x}", item, rater, seq, seq) for a, item, rater, seq in _rows(items, taken, k, n_raters)),
    )
    one.executemany(
        "INSERT INTO answer (submission, assignment, version, answer, milliseconds, status, at)"
        " VALUES (?, ?, 1, '{\"judgment\": \"ok\"}', 2000, 'saved', 0)",
        ((f"s{a}", a) for a, *_ in _rows(items, taken, k, n_raters)),
    )
    one.executemany(
        "INSERT INTO event (at, kind, rater, assignment, submission, data) VALUES (0, 'answered', ?, ?, ?, ?)",
        ((rater, a, f"s{a}", _receipt(a)) for a, _, rater, _ in _rows(items, taken, k, n_raters)),
    )
    one.executemany("UPDATE item SET taken = ? WHERE id = ?", ((taken[n], item) for n, (item, _) in enumerate(items)))
    one.commit()
    one.close()


def _receipt(number: int) -> str:
    receipt = {"id": f"s{number}", "status": "saved", "version": 1, "stored": None, "why": "", "feedback": None}
    return json.dumps({"receipt": receipt, "state": "done"})


def _rows(items: list[tuple[int, int]], taken: list[int], k: int, n_raters: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, item, rater and place in the rater's order of each assignment."""
    order = [0] * (n_raters + 1)
    number = 0
    for n, (item, _) in enumerate(items):
        for j in range(taken[n]):
            rater = 1 + (n * k + j) % n_raters
            order[rater] += 1
            number += 1
            yield number, item, rater, order[rater]


def _raters(items: list[tuple[int, int]], taken: list[int], k: int, n_raters: int) -> Iterator[tuple[object, ...]]:
    n = [0] * (n_raters + 1)
    for _, _, rater, seq in _rows(items, taken, k, n_raters):
        n[rater] = seq
    for rater in range(1, n_raters + 1):
        yield rater, f"r{rater}", f"p{rater}", rater, n[rater], n[rater], n[rater]


EXPORT = (
    "import resource, sys; from errorbar.judging.study.export import judge_export;"
    "judge_export(sys.argv[1], sys.argv[2]);"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
)


def export_memory(study: Path, out: Path) -> tuple[float, float, int]:
    """Megabytes at most, seconds, lines."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", EXPORT, study, out], check=True, capture_output=True, text=True, timeout=1500
    )
    seconds = time.perf_counter() - start
    with out.open("rb") as file:
        lines = sum(1 for _ in file)
    return int(done.stdout) / 1024, seconds, lines
