"""What the outside sees: errors, exports, the file itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from tests.judging.jepsen.history import History
from tests.judging.jepsen.stored import Row, Stored
from tests.judging.jepsen.study import in_a_cell

LOCKED = ("database is locked", "database table is locked", "deadlock detected", "could not serialize")


def failing(history: History) -> list[tuple[float, float]]:
    """From when to when the store could not be written, or the database not be reached."""
    found: list[tuple[float, float]] = []
    for op in history.of("disk"):
        if op.data["state"] != "ok":
            found.append((op.at, float("inf")))
        elif found and found[-1][1] == float("inf"):
            # What was under way when the disk healed may still say that it failed.
            found[-1] = (found[-1][0], op.at + 2.0)
    return found


def no_error_but_a_full_disk(history: History, _stored: Stored) -> list[str]:
    """No 5xx but 503 from a disk that fails; nobody hears of locks; the server's log has no traceback."""
    faults = []
    down = failing(history)
    for op in history.of("http"):
        status, body = op.data["status"], str(op.data["body"])
        excused = status == 503 and any(start <= op.at <= end for start, end in down)
        if status >= 500 and not excused:
            faults.append(f"{op.who} got {status} from {op.data['path']} at {op.at:.2f} s: {body[:200]}")
        faults += [f"{op.who} was told: {each}" for each in LOCKED if each in body]
    for op in history.of("log"):
        faults.append(f"the server's log says: {op.data['line'][:300]}")
    return faults


def file_is_whole(_history: History, stored: Stored) -> list[str]:
    """``PRAGMA integrity_check``."""
    return [] if stored.integrity == "ok" else [f"integrity_check: {stored.integrity}"]


def exported_is_stored(exported: Sequence[Row], stored: Stored, *, all_kinds: bool = True) -> list[str]:
    """The long table has each answered assignment once, as it stands; or, of the main round, those that count alone."""
    items = {row["id"]: row for row in stored.item}
    raters = {row["id"]: row["name"] for row in stored.rater}
    answers = {(row["assignment"], row["version"]): row for row in stored.answer}
    kept: Counter[tuple[str, ...]] = Counter()
    for row in stored.assignment:
        answer = answers.get((row["id"], row["version"]))
        item = items[row["item"]]
        counts = row["state"] == "done" and row["round"] == "main" and item["kind"] == "work"
        if answer is None or not (all_kinds or counts):
            continue
        said = in_a_cell((json.loads(answer["answer"]) or {}).get("judgment"))
        known = (item["name"], raters[row["rater"]], row["round"], row["state"], str(row["version"]), said)
        kept[(*known, answer["skip"])] += 1
    columns = ("item", "rater", "round", "state", "version", "judgment", "skip")
    written = Counter(tuple(str(row[name]) for name in columns) for row in exported)
    faults = [f"{' '.join(each)} is stored and not exported" for each in kept - written]
    return faults + [f"{' '.join(each)} is exported and not stored so" for each in written - kept]
