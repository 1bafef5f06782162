"""The item that a rater gets next, found and read by one statement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from sqlalchemy import Connection

from errorbar.judging.items.item import JUDGED, State
from errorbar.judging.store.prepared import Prepared, Together
from errorbar.judging.study.rules import current_rules

# The k places of an item, and the state of each assignment: the one module that changes either.
#
# Which item a rater can get next must not take longer the more they have had. So work items stand in words of 60 bits:
# ``free`` has those with t places taken, ``had`` those that a rater cannot get again, and the difference of two words
# is 60 items looked at once. Both follow from ``assignment``; ``store_check`` counts again.


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
    """Do all that follows from a change of state that was written.

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
    """The columns of ``Wanted`` for the item of which this is so."""
    token = "SELECT a.token FROM assignment a WHERE a.item = i.id AND a.rater = :rater AND a.round = :round"
    return f"SELECT i.id, i.payload, i.place, i.taken, ({token}) FROM item i WHERE {where}"


_OF_RATER = "h.rater = :rater AND h.block = f.block"


def _picking(words: str, near: str = "", among: int = WORD) -> str:
    """The search for an item: ``words`` are tables, of which ``word`` has bits in one row; the next from a turn on.

    ``among``: so many bits are one round, as bits that stand close together would all be found from the same one on.
    """
    bits = "VALUES " + ", ".join(f"({bit})" for bit in range(WORD))
    ones = f"SELECT word.block * {WORD} + b AS place, b FROM word, bit WHERE word.bits >> b & 1 = 1"
    return (
        f"WITH RECURSIVE bit (b) AS ({bits}), {words}, every AS ({ones}), ones AS (SELECT place FROM every{near})"
        + wanted(f"i.place = (SELECT place FROM ones ORDER BY (place + :turn) % {among} LIMIT 1)")
    )


def _fewest(had: str, join: str = "") -> str:
    """A word of those with the fewest places taken; ``had``: the rater's bits of the block of ``f``."""
    left = f"f.bits & ~coalesce({had}, 0)"
    words = (
        f"SELECT f.taken, f.block, {left} AS bits FROM free f{join}"
        f" WHERE f.bits <> 0 AND {{where}} AND {left} <> 0 ORDER BY f.taken, f.block LIMIT 1"
    )
    lowest = words.format(where="f.taken < :k")
    later = words.format(
        where="f.taken = (SELECT taken FROM lowest)"
        " AND f.block >= CAST(:share * (SELECT max(place) / 60 + 1 FROM item) AS INTEGER)"
    )
    return (
        f"lowest AS ({lowest}), later AS ({later}), word AS (SELECT block, bits FROM later"
        " UNION ALL SELECT block, bits FROM lowest WHERE NOT EXISTS (SELECT 1 FROM later))"
    )


_LEFT = f"f.bits & ~coalesce((SELECT h.bits FROM had h WHERE {_OF_RATER}), 0)"
_FIRST = (  # of each level the first word, in the order of its index; then that word of all levels
    "level (t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM level WHERE t + 1 < :k), nearest AS (SELECT"
    f" min((SELECT f.block FROM free f WHERE f.taken = level.t AND f.bits <> 0 AND {_LEFT} <> 0"
    " ORDER BY f.block LIMIT 1)) AS block FROM level),"
    f" word AS (SELECT f.block, CAST(sum({_LEFT}) AS BIGINT) AS bits FROM level JOIN free f ON f.taken = level.t"
    " AND f.block = (SELECT block FROM nearest) GROUP BY f.block)"
)
NEAR = 10
"""The order is judged by so many items at a time, of which one is drawn, so that no two raters go through it alike."""
_ALIKE = f" WHERE b / {NEAR} = (SELECT min(b) / {NEAR} FROM every)"
_PICK = Prepared(  # PostgreSQL would look at all the rater's words for each free one, if its statistics know few
    _picking(_fewest("h.bits", f" LEFT JOIN had h ON {_OF_RATER}")),
    _picking(_fewest(f"(SELECT h.bits FROM had h WHERE {_OF_RATER})")),
)
_IN_ORDER = Prepared(_picking(_FIRST, _ALIKE, NEAR))


def pick(tx: Connection, rater: int, k: int, point: int, *, in_order: bool = False) -> AvailableItem | None:
    """Find a work item that the rater can get, of those with the fewest places taken; None: there is none.

    Args:
        tx: Of the store, exclusive.
        rater: Who never had it, or only let its lease run out.
        k: Places of an item.
        point: A random number of 64 bits, where the search begins.
        in_order: From the front of the items' order instead, so that the first items have all their judgments early.
    """
    values: dict[str, object] = {"rater": rater, "round": "main", "k": k, "turn": point % WORD}
    cursor = _IN_ORDER(tx, **values) if in_order else _PICK(tx, **values, share=point / 2**64)
    row = cursor.fetchone()
    return None if row is None else AvailableItem(*row)
