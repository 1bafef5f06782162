"""Whoever looked while raters worked saw the store: nothing that is not in it, and all that had been acknowledged."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.judging.jepsen.check_answers import acknowledged
from tests.judging.jepsen.check_outside import LOCKED, failing
from tests.judging.jepsen.history import History, Op
from tests.judging.jepsen.stored import Stored
from tests.judging.jepsen.study import in_a_cell

Place = tuple[str, str, str]
"""Item, rater, round."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer that a look showed."""

    place: Place
    version: int
    judgment: str
    skip: str


def _said(answer: Any) -> str:  # noqa: ANN401 - JSON
    return in_a_cell((answer or {}).get("judgment"))


def _rows(records: Iterator[dict[str, Any]]) -> Iterator[Shown]:
    for row in records:
        place = row["item"], row["rater"], row["round"]
        yield Shown(place, int(row["version"]), in_a_cell(row["judgment"]), row["skip"])


@cache
def shown(file: Path) -> tuple[Shown, ...]:
    """Of an export, or of what a program wrote of ``errorbar.judge``; every version where it tells of them."""
    with file.open(encoding="utf-8", newline="") as lines:
        if file.suffix == ".csv":
            return tuple(_rows(csv.DictReader(lines)))
        records = [json.loads(line) for line in lines]
    if file.suffix == ".json":
        return tuple(_rows(iter(records)))
    return tuple(
        Shown((row["judgment"], row["rater"], row["round"]), one["version"], _said(one["answer"]), one["skip"])
        for row in records
        if "judgment" in row
        for one in row["answers"]
    )


def _looks(history: History) -> Iterator[tuple[Op, Path]]:
    """Those that brought judgments."""
    for op in history.of("look", "ok"):
        if op.data["file"]:
            yield op, Path(op.data["file"])


def _places(stored: Stored) -> dict[int, Place]:
    items = {row["id"]: row["name"] for row in stored.item}
    raters = {row["id"]: row["name"] for row in stored.rater}
    return {row["id"]: (items[row["item"]], raters[row["rater"]], row["round"]) for row in stored.assignment}


def looks_show_what_is_stored(history: History, stored: Stored) -> list[str]:
    """Answers are never changed or deleted: each that was shown is in the store at the end, as it was shown."""
    places = _places(stored)
    kept = {
        Shown(places[row["assignment"]], row["version"], _said(json.loads(row["answer"])), row["skip"])
        for row in stored.answer
    }
    return [
        f"{op.data['how']} at {op.at:.2f} s showed {one}, which is not stored"
        for op, file in _looks(history)
        for one in dict.fromkeys(shown(file))
        if one not in kept
    ]


def looks_miss_nothing_acknowledged(history: History, stored: Stored) -> list[str]:
    """A look at everything shows each answer acknowledged before it began, or a later version of it."""
    began = {op.call: op.at for op in history.of("look", "invoke")}
    places = _places(stored)
    of_token = {row["token"]: places[row["id"]] for row in stored.assignment}
    known = list(acknowledged(history))
    faults = []
    for op, file in _looks(history):
        if not op.data["whole"]:
            continue
        last: dict[Place, int] = {}
        for one in shown(file):
            last[one.place] = max(one.version, last.get(one.place, 0))
        faults += [
            f"{op.data['how']} lacks {each.id}, acknowledged {began[op.call] - each.first_known:.3f} s before it began"
            for each in known
            if each.first_known < began[op.call]
            and last.get(of_token.get(each.sent["assignment"], ("", "", "")), 0) < each.receipt["version"]
        ]
    return faults


def _first_judgment(history: History, stored: Stored) -> float:
    """When the first judgment of an item for work was acknowledged; infinity if none was."""
    work = {row["id"] for row in stored.item if row["kind"] == "work"}
    tokens = {row["token"] for row in stored.assignment if row["item"] in work}
    judged = (each for each in acknowledged(history) if each.sent["assignment"] in tokens and not each.sent["skip"])
    return min((each.first_known for each in judged), default=math.inf)


def looks_fail_for_a_reason(history: History, stored: Stored) -> list[str]:
    """A command ends well unless the store could not be reached, or it began before there was a judgment to analyze.

    It never speaks of locks, nor with a traceback.
    """
    began = {op.call: op.at for op in history.of("look", "invoke")}
    down = failing(history)
    judged_from = _first_judgment(history, stored)
    faults = []
    for op in history.of("look", "refused"):
        why = str(op.data["why"])
        excused = any(start <= op.at and began[op.call] <= end for start, end in down)
        excused |= "[judge-nothing]" in why and began[op.call] < judged_from
        if "Traceback" in why or any(each in why for each in LOCKED) or not excused:
            faults.append(f"{op.data['how']} failed at {op.at:.2f} s: {why[-300:]}")
    return faults
