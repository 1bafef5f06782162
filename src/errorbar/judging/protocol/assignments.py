"""The states of assignments and the k places of items: the one module that changes either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, TextClause, text

from errorbar.judging.items.item import JUDGED, State
from errorbar.judging.study.rules import current_rules

TAKING = ("open", "done")
HALTED = "halted: "
"""So begins the reason of items that a halt of the whole study stopped; see ``changes``."""


@dataclass(frozen=True, slots=True)
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
"""The columns of a ``Held``, of an assignment ``a`` and its item ``i``."""
SET_TAKEN = text("UPDATE item SET taken = :taken WHERE id = :item")
"""The statement that writes how many places of an item are taken."""
_EVENT = text(
    "INSERT INTO event (at, kind, rater, assignment, submission, data)"
    " VALUES (:at, :kind, :rater, :assignment, :submission, :data)"
)
_LAST_EVENT = text("SELECT coalesce(max(id), 0) FROM event")
_ENTER_STATE = text(
    "UPDATE assignment SET state = :state"
    " WHERE id IN (SELECT assignment FROM event WHERE id BETWEEN :first AND :last AND kind = :state)"
)
_CHANGED_ITEMS = (
    "SELECT c.item FROM event e JOIN assignment c ON c.id = e.assignment"
    " WHERE e.id BETWEEN :first AND :last AND c.round = 'main'"
)
_COUNT_PLACES = text(
    "UPDATE item SET taken = (SELECT count(*) FROM assignment a WHERE a.item = item.id AND a.round = 'main'"
    f" AND a.state IN ('open', 'done')) WHERE place IS NOT NULL AND id IN ({_CHANGED_ITEMS})"
)


def state_changes_statement(rows: str) -> TextClause:
    """The statement that writes an event for each row: its time, the new state, the rater, the assignment."""
    return text(f"INSERT INTO event (at, kind, rater, assignment) {rows}")


def promote_extras_statement(items: str, state: str = "a.state") -> TextClause:
    """The statement by which the first extra answers of some items ``i`` get the places that are free."""
    return state_changes_statement(
        "SELECT :at, 'done', x.rater, x.id FROM (SELECT a.id, a.rater, i.taken,"
        " row_number() OVER (PARTITION BY a.item ORDER BY a.id) AS nth"
        " FROM item i JOIN assignment a ON a.item = i.id JOIN rater r ON r.id = a.rater"
        f" WHERE i.taken < :k AND {items} AND a.round = 'main' AND {state} = 'extra' AND r.status <> 'excluded') x"
        " WHERE x.taken + x.nth <= :k ORDER BY x.id"
    )


_BY_ITEM = "coalesce(a.state, '')"  # or SQLite would go through all such answers of the study by the index of states
_EXTRAS_OF_ITEM = promote_extras_statement("i.id = :item", _BY_ITEM)
_EXTRAS_OF_CHANGED = promote_extras_statement(f"i.id IN ({_CHANGED_ITEMS})", _BY_ITEM)


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


def change_states(tx: Connection, changes: TextClause, values: Mapping[str, object], now: float) -> None:
    """Bring any number of assignments into other states, with the places of their items, by a few statements.

    The events come first, so that replayed they never show an item with more places taken than there are; states and
    places follow from them. Places that became free go to answers that came too late for one. No change may alter how
    many judgments a rater has, but that of one who takes all of theirs back.

    Args:
        tx: Of the store, exclusive.
        changes: Of ``state_changes_statement``; one event for an assignment at most.
        values: Of its parameters, but the time.
        now: By the store's clock.
    """
    first = tx.scalar(_LAST_EVENT) + 1
    if not tx.execute(changes, {**values, "at": now}).rowcount:
        return
    span = {"first": first, "last": tx.scalar(_LAST_EVENT)}
    for state in ("expired", "skipped", "aside", "extra", "done"):
        tx.execute(_ENTER_STATE, {**span, "state": state})
    tx.execute(_COUNT_PLACES, span)
    change_states(tx, _EXTRAS_OF_CHANGED, {**span, "k": current_rules(tx).raters_per_item}, now)


def judged_by(held: Held, state: State) -> int:
    """By how many the rater's judgments grow with a change of state."""
    return 0 if held.round == "quiz" else (state in JUDGED) - (held.state in JUDGED)


def follow(tx: Connection, held: Held, state: State, now: float) -> None:
    """Do all that follows from a change of state that was written.

    A place that is given back goes to an answer that came too late for one, if there is such an answer. A gold item has
    no places, but the same statements run, so that time does not show which items are gold.
    """
    by = (state in TAKING) - (held.state in TAKING)
    if held.round != "main" or not by:
        return
    tx.execute(SET_TAKEN, {"item": held.item, "taken": held.taken + (0 if held.place is None else by)})
    if by < 0:
        k = current_rules(tx).raters_per_item
        change_states(tx, _EXTRAS_OF_ITEM, {"item": held.item, "k": k}, now)


def settle_state(held: Held, k: int, *, skipped: bool, active: bool) -> State:
    """The state of an assignment once its answer is there."""
    if skipped:
        return "skipped"
    if not active:
        return "aside"
    if held.state in TAKING or held.round != "main" or held.place is None or held.taken < k:
        return "done"
    return "extra"
