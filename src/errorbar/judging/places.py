"""The k places of an item, and the state of each assignment: the one module that changes either.

Which item a rater can get next must not take longer the more they have had. So work items stand in words of 60 bits:
``free`` has those with t places taken, ``had`` those that a rater cannot get again, and the difference of two words is
60 items looked at once. Both follow from ``assignment``; ``store_check`` counts again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from sqlalchemy import Connection

from errorbar.judging.exchange import JUDGED, State
from errorbar.judging.prepared import Prepared, Together
from errorbar.judging.study_values import current_rules

WORD = 60  # bits of a word; both stores have signed numbers of 64
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
_HELD = Prepared(f"SELECT {HELD} FROM assignment a JOIN item i ON i.id = a.item WHERE a.id = :id")
_STATE = Prepared("UPDATE assignment SET state = :state WHERE id = :id")
_TAKEN = Prepared("UPDATE item SET taken = :taken WHERE id = :item")
_FREE_OUT = Prepared("UPDATE free SET bits = bits - :bit WHERE taken = :before AND block = :block")
_FREE_IN = Prepared(
    "INSERT INTO free (taken, block, bits) VALUES (:taken, :block, :bit)"
    " ON CONFLICT (taken, block) DO UPDATE SET bits = free.bits + excluded.bits"
)
_HAD_IN = Prepared(
    "INSERT INTO had (rater, block, bits) VALUES (:rater, :block, :bit)"
    " ON CONFLICT (rater, block) DO UPDATE SET bits = had.bits | excluded.bits"
)
_MOVE = Together(_TAKEN, _FREE_OUT, _FREE_IN)
TAKE = Together(_TAKEN, _FREE_OUT, _FREE_IN, _HAD_IN)
"""Take a place of an item that is not stopped, after an assignment was made or opened again."""
_HAD_OUT = Prepared("UPDATE had SET bits = bits & ~:bit WHERE rater = :rater AND block = :block")
_JUDGED = Prepared("UPDATE rater SET judged = judged + :by WHERE id = :id")
_EXTRA = Prepared(
    "SELECT min(a.id) FROM assignment a JOIN rater r ON r.id = a.rater"
    " WHERE a.item = :item AND a.round = 'main' AND a.state = 'extra' AND r.status = 'active'"
)
_EVENT = Prepared(
    "INSERT INTO event (at, kind, rater, assignment, submission, data)"
    " VALUES (:at, :kind, :rater, :assignment, :submission, :data)"
)


def held(tx: Connection, assignment: int) -> Held:
    """An assignment as it stands."""
    return Held(*_HELD(tx, id=assignment).fetchone())


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
    _EVENT(tx, at=now, kind=kind, rater=rater, assignment=assignment, submission=submission, data=data)


def enter_all(tx: Connection, found: Iterable[tuple[int, int]]) -> None:
    """Work items, each by its place and the places taken of it, can be had."""
    words: dict[tuple[int, int], int] = {}
    for place, taken in found:
        word = taken, place // WORD
        words[word] = words.get(word, 0) | 1 << place % WORD
    for (taken, block), bits in words.items():
        _FREE_IN(tx, taken=taken, block=block, bit=bits)


def enter(tx: Connection, place: int, taken: int) -> None:
    """A work item can be had."""
    _FREE_IN(tx, taken=taken, block=place // WORD, bit=1 << place % WORD)


def leave(tx: Connection, place: int, taken: int) -> None:
    """A work item cannot be had any more."""
    _FREE_OUT(tx, before=taken, block=place // WORD, bit=1 << place % WORD)


def count(tx: Connection, one: Held, by: int) -> None:
    """Take a place of an item, or give it back."""
    if by and one.place is not None:
        before, one.taken = one.taken, one.taken + by
        if one.stopped:
            _TAKEN(tx, item=one.item, taken=one.taken)
        else:
            _MOVE(tx, item=one.item, taken=one.taken, before=before, **bit_of(one.place))


def bit_of(place: int) -> dict[str, int]:
    """Where an item stands in the words."""
    return {"block": place // WORD, "bit": 1 << place % WORD}


def change(tx: Connection, one: Held, state: State, now: float) -> None:
    """Bring an assignment into another state, with its item's places and what follows from them.

    The change is an event, written before whatever follows from it, so that the events replayed never show an item with
    more places taken than there are.
    """
    if one.state != state:
        _STATE(tx, id=one.id, state=state)
        note(tx, now, state, rater=one.rater, assignment=one.id)
        if judged := judged_by(one, state):
            _JUDGED(tx, id=one.rater, by=judged)
        follow(tx, one, state, now)


def judged_by(one: Held, state: State) -> int:
    """By how many the rater's judgments grow with a change of state."""
    return 0 if one.round == "quiz" else (state in JUDGED) - (one.state in JUDGED)


def follow(tx: Connection, one: Held, state: State, now: float) -> None:
    """What follows from a change of state that was written.

    A place that is given back goes to an answer that came too late for one, if there is such an answer.
    """
    before, one.state = one.state, state
    if before == state or one.round != "main" or one.place is None:
        return
    if state == "expired":
        _HAD_OUT(tx, rater=one.rater, **bit_of(one.place))
    elif before == "expired":
        _HAD_IN(tx, rater=one.rater, **bit_of(one.place))
    count(tx, one, (state in TAKING) - (before in TAKING))
    if before in TAKING and state not in TAKING:
        fill(tx, one.item, one.taken, now)


def fill(tx: Connection, item: int, taken: int, now: float) -> None:
    """Give free places of an item to answers that were one too many."""
    k = current_rules(tx).raters_per_item
    while taken < k:
        extra = _EXTRA(tx, item=item).fetchone()[0]
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
