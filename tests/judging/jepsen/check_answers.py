"""No acknowledged answer is lost, changed, doubled or put where it does not belong.

Each check takes a history and a store and says what is wrong, one line for each fault; nothing: all is well.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.judging.jepsen.history import History, Op
from tests.judging.jepsen.stored import Row, Stored


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A submission whose receipt said that it is kept."""

    id: str
    who: str
    sent: Mapping[str, Any]
    receipt: Mapping[str, Any]
    first_sent: float
    first_known: float


def sent(history: History) -> dict[str, list[Op]]:
    """Every posting of each submission."""
    found: dict[str, list[Op]] = defaultdict(list)
    for op in history.of("answer", "invoke"):
        found[op.data["submission"]].append(op)
    return found


def acknowledged(history: History) -> Iterator[Acknowledged]:
    """Those that a receipt called ``saved`` or ``extra``."""
    posted = sent(history)
    seen = set()
    for op in history.of("answer", "ok"):
        name = op.data["submission"]
        if op.data["status"] in ("saved", "extra") and name not in seen:
            seen.add(name)
            first = posted[name][0]
            yield Acknowledged(name, first.who, first.data, op.data, first.at, op.at)


def acknowledged_is_stored(history: History, stored: Stored) -> list[str]:
    """The same answer, under the same id, of the same assignment, with the version that the receipt said."""
    rows = {row["submission"]: row for row in stored.answer}
    tokens = {row["id"]: row["token"] for row in stored.assignment}
    faults = []
    for each in acknowledged(history):
        row = rows.get(each.id)
        if row is None:
            faults.append(f"{each.id} of {each.who} was acknowledged as {each.receipt['status']} and is not stored")
            continue
        pairs = {
            "assignment": (each.sent["assignment"], tokens.get(row["assignment"])),
            "answer": (each.sent["answer"], json.loads(row["answer"])),
            "skip": (each.sent["skip"], row["skip"]),
            "version": (each.receipt["version"], row["version"]),
            "status": (each.receipt["status"], "saved" if row["status"] == "extra" else row["status"]),
        }
        faults += [
            f"{each.id} of {each.who}: its {name} was {was!r}, {now!r} is stored"
            for name, (was, now) in pairs.items()
            if was != now
        ]
    return faults


def stored_was_sent(history: History, stored: Stored) -> list[str]:
    """Nothing is stored that nobody sent, and nothing that a receipt denied."""
    posted = sent(history)
    denied = {
        op.data["submission"]: op.data["status"]
        for op in history.of("answer", "ok")
        if op.data["status"] in ("refused", "conflict")
    }
    faults = [
        f"{row['submission']} is stored, nobody sent it" for row in stored.answer if row["submission"] not in posted
    ]
    return faults + [
        f"{row['submission']} is stored, its receipt said {denied[row['submission']]}"
        for row in stored.answer
        if row["submission"] in denied
    ]


def same_receipt_again(history: History, _stored: Stored) -> list[str]:
    """A submission that was sent twice got the same receipt twice."""
    first: dict[str, tuple[object, object]] = {}
    faults = []
    for op in history.of("answer", "ok"):
        name, now = op.data["submission"], (op.data["status"], op.data["version"])
        was = first.setdefault(name, now)
        if was != now and was[0] in ("saved", "extra"):
            faults.append(f"{name} of {op.who} got the receipts {was} and {now}")
    return faults


def versions_without_gaps(history: History, stored: Stored) -> list[str]:
    """1, 2, ... of each assignment, each the successor of the one that its sender had seen; the last one counts."""
    posted = sent(history)
    of: dict[int, list[Row]] = defaultdict(list)
    for row in stored.answer:
        of[row["assignment"]].append(row)
    faults = []
    for assignment in stored.assignment:
        rows = sorted(of.get(assignment["id"], []), key=lambda row: row["version"])
        versions = [row["version"] for row in rows]
        if versions != list(range(1, len(rows) + 1)):
            faults.append(f"assignment {assignment['id']} has the versions {versions}")
        if assignment["version"] != len(rows):
            faults.append(f"assignment {assignment['id']} counts version {assignment['version']} of {len(rows)}")
        for row in rows:
            if row["submission"] in posted:
                base = posted[row["submission"]][0].data["base_version"]
                if base != row["version"] - 1:
                    faults.append(
                        f"{row['submission']} replaced version {row['version'] - 1}, its sender had seen {base}"
                    )
    return faults


def versions_in_order_of_time(history: History, _stored: Stored) -> list[str]:
    """An answer that was acknowledged before another to the same assignment was sent has the lower version."""
    of: dict[str, list[Acknowledged]] = defaultdict(list)
    for each in acknowledged(history):
        of[each.sent["assignment"]].append(each)
    return [
        f"{before.id} was acknowledged before {after.id} was sent, and has version {before.receipt['version']} "
        f"where the later has {after.receipt['version']}"
        for those in of.values()
        for before in those
        for after in those
        if before.first_known < after.first_sent and before.receipt["version"] >= after.receipt["version"]
    ]


def own_work_alone(history: History, stored: Stored) -> list[str]:
    """An assignment is shown to one rater, who is one rater in the store; answers in another's name were refused."""
    raters = {row["token"]: row["rater"] for row in stored.assignment}
    hashes = {op.data["assignment"]: op.data["text_hash"] for op in history.of("seen")}
    who_of_token: dict[str, str] = {}
    rater_of_who: dict[str, int] = {}
    faults = []
    for op in history.of("seen"):
        token = op.data["assignment"]
        if who_of_token.setdefault(token, op.who) != op.who:
            faults.append(f"{token} was shown to {who_of_token[token]} and to {op.who}")
        if token not in raters:
            faults.append(f"{token} was shown to {op.who} and is not stored")
        elif rater_of_who.setdefault(op.who, raters[token]) != raters[token]:
            faults.append(f"{op.who} is rater {rater_of_who[op.who]} and rater {raters[token]} of the store")
    for each in acknowledged(history):
        token = each.sent["assignment"]
        if who_of_token.get(token) != each.who:
            faults.append(f"{each.who} was acknowledged {each.id} for {token}, shown to {who_of_token.get(token)}")
        if each.sent["text_hash"] != hashes.get(token):
            faults.append(f"{each.id} was acknowledged for the text {each.sent['text_hash']} of another item")
    return faults
