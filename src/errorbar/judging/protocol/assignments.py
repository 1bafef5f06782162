"""The states of assignments and the k places of items: the one module that changes either."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text

from errorbar.judging.items.item import JUDGED, State
from errorbar.judging.study.rules import current_rules

TAKING = ("open", "done")
HALTED = "halted: "
"""So begins the reason of items that a halt of the whole study stopped; see ``halting``."""


@dataclass(slots=True)
class Held:
    """An assignment with what its change of state needs to know.

    Attributes:
        place: Of the item among work; None: gold.
        taken: Places of the item.
        stopped: Why no more judgments of it are wanted; empty: they are.
    """

    id: int
    item: int
    rater: int
    round: str
    state: State
    place: int | None
    taken: int
    stopped: str


HELD = "a.id, a.item, a.rater, a.round, a.state, i.place, i.taken, i.stopped"
_HELD = text(f"SELECT {HELD} FROM assignment a JOIN item i ON i.id = a.item WHERE a.id = :id")
_STATE = text("UPDATE assignment SET state = :state WHERE id = :id")
_TAKEN = text("UPDATE item SET taken = :taken WHERE id = :item")
_JUDGED = text("UPDATE rater SET judged = judged + :by WHERE id = :id")
_EXTRA = text(
    "SELECT min(a.id) FROM assignment a JOIN rater r ON r.id = a.rater"
    " WHERE a.item = :item AND a.round = 'main' AND coalesce(a.state, '') = 'extra' AND r.status = 'active'"
)
"""By the item's index: SQLite would go through all such answers of the study by that of states."""
_EVENT = text(
    "INSERT INTO event (at, kind, rater, assignment, submission, data)"
    " VALUES (:at, :kind, :rater, :assignment, :submission, :data)"
)


def held(tx: Connection, assignment: int) -> Held:
    """An assignment as it stands."""
    return Held(*tx.execute(_HELD, {"id": assignment}).one())


def note(
    tx: Connection,
    now: float,
    kind: str,
    *,
    rater: int | None = None,
    assignment: int | None = None,
    submission: str | None = None,
    data: str = "",
) -> None:
    """Write what happened."""
    tx.execute(
        _EVENT,
        {"at": now, "kind": kind, "rater": rater, "assignment": assignment, "submission": submission, "data": data},
    )


def set_taken(tx: Connection, item: int, taken: int) -> None:
    """Write how many places of an item are taken."""
    tx.execute(_TAKEN, {"item": item, "taken": taken})


def change(tx: Connection, one: Held, state: State, now: float) -> None:
    """Bring an assignment into another state, with its item's places and what follows from them.

    The change is an event, written before whatever follows from it, so that the events replayed never show an item with
    more places taken than there are.
    """
    if one.state != state:
        tx.execute(_STATE, {"id": one.id, "state": state})
        note(tx, now, state, rater=one.rater, assignment=one.id)
        if judged := judged_by(one, state):
            tx.execute(_JUDGED, {"id": one.rater, "by": judged})
        follow(tx, one, state, now)


def judged_by(one: Held, state: State) -> int:
    """By how many the rater's judgments grow with a change of state."""
    return 0 if one.round == "quiz" else (state in JUDGED) - (one.state in JUDGED)


def follow(tx: Connection, one: Held, state: State, now: float) -> None:
    """Do all that follows from a change of state that was written.

    A place that is given back goes to an answer that came too late for one, if there is such an answer. A gold item has
    no places, but the same statements run, so that time does not show which items are gold.
    """
    before, one.state = one.state, state
    if before == state or one.round != "main":
        return
    if (by := (state in TAKING) - (before in TAKING)) != 0:
        one.taken += 0 if one.place is None else by
        set_taken(tx, one.item, one.taken)
    if before in TAKING and state not in TAKING:
        fill(tx, one.item, one.taken, now)


def fill(tx: Connection, item: int, taken: int, now: float) -> None:
    """Give free places of an item to answers that were one too many."""
    k = current_rules(tx).raters_per_item
    while taken < k:
        extra = tx.scalar(_EXTRA, {"item": item})
        if extra is None:
            return
        change(tx, held(tx, extra), "done", now)
        taken += 1


def settled(one: Held, k: int, *, skipped: bool, active: bool) -> State:
    """The state of an assignment once its answer is there."""
    if skipped:
        return "skipped"
    if not active:
        return "aside"
    if one.state in TAKING or one.round != "main" or one.place is None or one.taken < k:
        return "done"
    return "extra"
