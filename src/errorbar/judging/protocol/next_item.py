"""The places of items and the states of assignments, and the item that a rater gets next."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from sqlalchemy import Connection, text

from errorbar.judging.items.item import JUDGED, State
from errorbar.judging.study.rules import current_rules

# The k places of an item, and the state of each assignment: the one module that changes either.


TAKING = ("open", "done")


def draw(seed: int, *what: object) -> int:
    """A number of 64 bits that nobody can tell without the seed, the same each time for the same question."""
    return int.from_bytes(blake2b(repr((seed, *what)).encode(), digest_size=8).digest(), "big")


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
    " WHERE a.item = :item AND a.round = 'main' AND a.state = 'extra' AND r.status = 'active'"
)
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

    A place that is given back goes to an answer that came too late for one, if there is such an answer.
    """
    before, one.state = one.state, state
    if before == state or one.round != "main" or one.place is None:
        return
    if (by := (state in TAKING) - (before in TAKING)) != 0:
        one.taken += by
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


@dataclass(frozen=True, slots=True)
class AvailableItem:
    """An item that a rater can get.

    Attributes:
        place: Among work; None: gold.
        known_by: The token of an assignment of it in the same round whose lease ran out, if there is one.
    """

    id: int
    payload: str
    place: int | None
    taken: int
    known_by: str | None


def wanted(where: str) -> str:
    """The columns of an ``AvailableItem`` for the item of which this is so."""
    token = "SELECT a.token FROM assignment a WHERE a.item = i.id AND a.rater = :rater AND a.round = :round"
    return f"SELECT i.id, i.payload, i.place, i.taken, ({token}) FROM item i WHERE {where}"


_FREE = (  # a scalar subquery: no database makes a join of it, which would read all that the rater ever had
    "i.place IS NOT NULL AND i.stopped = '' AND coalesce((SELECT a.state FROM assignment a WHERE a.item = i.id"
    " AND a.rater = :rater AND a.round = 'main'), 'expired') = 'expired'"
)
_FEWEST = text(
    f"WITH lowest AS (SELECT i.id, i.taken FROM item i WHERE i.taken < :k AND {_FREE}"
    " ORDER BY i.taken, i.place LIMIT 1),"
    " later AS (SELECT i.id FROM item i WHERE i.taken = (SELECT taken FROM lowest)"
    " AND i.place >= CAST(:share * (SELECT max(place) + 1 FROM item) AS INTEGER)"
    f" AND {_FREE} ORDER BY i.place LIMIT 1) "
    + wanted("i.id = coalesce((SELECT id FROM later), (SELECT id FROM lowest))")
)
NEAR = 10
"""The order is judged by so many items at a time, of which one is drawn, so that no two raters go through it alike."""
_FIRST = text(f"SELECT i.place FROM item i WHERE i.taken = :taken AND {_FREE} ORDER BY i.place LIMIT 1")
_NEAR = text(
    wanted(
        f"i.place BETWEEN :first AND :first + {NEAR - 1} AND i.taken < :k AND {_FREE}"
        f" ORDER BY (i.place + :turn) % {NEAR} LIMIT 1"
    )
)


def pick(tx: Connection, rater: int, k: int, point: int, *, in_order: bool = False) -> AvailableItem | None:
    """Find a work item that the rater can get, of those with the fewest places taken; None: there is none.

    Args:
        tx: Of the store, exclusive.
        rater: Who never had it, or only let its lease run out.
        k: Places of an item.
        point: A random number of 64 bits, where the search begins.
        in_order: From the front of the items' order instead, so that the first items have all their judgments early.
    """
    values: dict[str, object] = {"rater": rater, "round": "main"}
    if in_order:
        firsts = [tx.execute(_FIRST, {"rater": rater, "taken": taken}).first() for taken in range(k)]
        places = [row[0] for row in firsts if row is not None]
        if not places:
            return None
        first = min(places) // NEAR * NEAR
        return AvailableItem(*tx.execute(_NEAR, {**values, "k": k, "first": first, "turn": point % NEAR}).one())
    row = tx.execute(_FEWEST, {**values, "k": k, "share": point / 2**64}).first()
    return None if row is None else AvailableItem(*row)
