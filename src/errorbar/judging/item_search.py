"""The item that a rater gets next, found and read by one statement."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from errorbar.judging.places import WORD
from errorbar.judging.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Wanted:
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


def pick(tx: Connection, rater: int, k: int, point: int, *, in_order: bool = False) -> Wanted | None:
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
    return None if row is None else Wanted(*row)
