"""The search for the item that a rater gets next."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text


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


def available_item_sql(where: str) -> str:
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
    + available_item_sql("i.id = coalesce((SELECT id FROM later), (SELECT id FROM lowest))")
)
NEAR = 10
"""The order is judged by so many items at a time, of which one is drawn, so that no two raters go through it alike."""
_FIRST = text(f"SELECT i.place FROM item i WHERE i.taken = :taken AND {_FREE} ORDER BY i.place LIMIT 1")
_NEAR = text(
    available_item_sql(
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


_OF_BLOCK = text(
    available_item_sql(f"i.place BETWEEN :first AND :last AND i.taken < :k AND {_FREE} ORDER BY i.place LIMIT 1")
)


def first_of_block(tx: Connection, rater: int, k: int, first: int, last: int) -> AvailableItem | None:
    """The first work item from one place to another that the rater can get; None: there is none."""
    values = {"rater": rater, "round": "main", "k": k, "first": first, "last": last}
    row = tx.execute(_OF_BLOCK, values).first()
    return None if row is None else AvailableItem(*row)


_IN_ALL = text(  # by the index of free items, and by what the rater had: it is asked whenever a page is loaded
    "SELECT (SELECT count(*) FROM item WHERE place IS NOT NULL AND stopped = '' AND taken < :k)"
    " - (SELECT count(*) FROM assignment a JOIN item i ON i.id = a.item WHERE a.rater = :rater AND a.round = 'main'"
    " AND a.state <> 'expired' AND i.place IS NOT NULL AND i.stopped = '' AND i.taken < :k)"
    " + (SELECT count(*) FROM assignment WHERE rater = :rater AND state = 'open' AND round <> 'quiz')"
    " + (SELECT judged FROM rater WHERE id = :rater)"
)


def count_items_of(tx: Connection, rater: int, k: int) -> int:
    """About how many items are a rater's: those that they judged or hold, and the work that they could get now.

    Other raters take of that work, and gold items and repeats come with it.
    """
    return int(tx.scalar(_IN_ALL, {"rater": rater, "k": k}) or 0)
