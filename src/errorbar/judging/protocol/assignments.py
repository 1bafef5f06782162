"""The states of assignments and the k places of items, and leases, items that a rater holds for a while.

No other module changes states or places. The search for the item that a rater gets next stands here too.

Of studies in which editors are crossed or nested (``scheme_kinds``), a place tells the sentence and the system, so
that one more condition on places finds what a rater may get.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from sqlalchemy import Connection, TextClause, text

from errorbar.judging.question_kinds import n_arrangements
from errorbar.judging.random_tokens import draw
from errorbar.judging.scheme import JUDGED, JudgedItem, Lease, Round, State
from errorbar.judging.store.store import execute_together
from errorbar.judging.study.rules import StudyRules, current_rules

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


def _fewest_sql(free: str) -> str:
    return (
        f"WITH lowest AS (SELECT i.id, i.taken FROM item i WHERE i.taken < :k AND {free}"
        " ORDER BY i.taken, i.place LIMIT 1),"
        " later AS (SELECT i.id FROM item i WHERE i.taken = (SELECT taken FROM lowest)"
        " AND i.place >= CAST(:share * (SELECT max(place) + 1 FROM item) AS INTEGER)"
        f" AND {free} ORDER BY i.place LIMIT 1) "
        + available_item_sql("i.id = coalesce((SELECT id FROM later), (SELECT id FROM lowest))")
    )


_FEWEST = text(_fewest_sql(_FREE))
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


def pick_for(tx: Connection, rules: StudyRules, rater: int, point: int) -> AvailableItem | None:
    """Find a work item by the rules of the study: one that may stop early judges its items in their order."""
    k = rules.raters_per_item
    if not rules.systems:
        return pick(tx, rater, k, point, in_order=bool(rules.stop))
    values: dict[str, object] = {"rater": rater, "round": "main", "k": k, "share": point / 2**64}
    for system, turns in _systems_in_turn(tx, rules, rater):
        design = {"n": len(rules.systems), "system": system, "turns": turns}
        row = tx.execute(_FEWEST_OF_SYSTEM, {**values, **design}).first()
        if row is not None:
            return AvailableItem(*row)
    return None


_UNSEEN = (  # by the index of places: no other output of the sentence was ever given to the rater
    "NOT EXISTS (SELECT 1 FROM item o JOIN assignment s ON s.item = o.id WHERE s.rater = :rater AND o.id <> i.id"
    " AND o.place BETWEEN i.place - i.place % :n AND i.place - i.place % :n + :n - 1)"
)
_FEWEST_OF_SYSTEM = text(
    _fewest_sql(f"{_FREE} AND i.place % :n = (:system + :turns * (i.place / :n)) % :n AND {_UNSEEN}")
)
_HAD = text(
    "SELECT i.place % :n AS system, count(*) FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE a.rater = :rater AND i.place IS NOT NULL GROUP BY 1 ORDER BY 1"
)
_EDITORS = text(
    "SELECT i.place % :n AS system, count(DISTINCT a.rater) FROM assignment a JOIN item i ON i.id = a.item"
    " JOIN rater r ON r.id = a.rater WHERE i.place IS NOT NULL AND a.round = 'main'"
    " AND a.state IN ('open', 'done') AND r.status = 'active' GROUP BY 1 ORDER BY 1"
)


def _systems_in_turn(tx: Connection, rules: StudyRules, rater: int) -> Iterator[tuple[int, int]]:
    """Systems of which a rater may get an output, the best first, each with its turns from sentence to sentence.

    Crossed: that of the rater's row of the Latin square, which turns by one; then, where such places are taken, any,
    that of which they had the fewest first. Nested: the one system that they have, or the one with the fewest editors.
    """
    n = len(rules.systems)
    had = {row[0]: row[1] for row in tx.execute(_HAD, {"rater": rater, "n": n})}
    if rules.editors == "crossed":
        yield rater % n, 1
    elif had:
        yield next(iter(had)), 0
        return
    else:
        had = {row[0]: row[1] for row in tx.execute(_EDITORS, {"n": n})}
    for system in sorted(range(n), key=lambda each: (had.get(each, 0), draw(rater, "system", each))):
        yield system, 0


_IN_ALL = text(  # by the index of free items, and by what the rater had: it is asked whenever a page is loaded
    "SELECT (SELECT count(*) FROM item WHERE place IS NOT NULL AND stopped = '' AND taken < :k)"
    " - (SELECT count(*) FROM assignment a JOIN item i ON i.id = a.item WHERE a.rater = :rater AND a.round = 'main'"
    " AND a.state <> 'expired' AND i.place IS NOT NULL AND i.stopped = '' AND i.taken < :k)"
    " + (SELECT count(*) FROM assignment WHERE rater = :rater AND state = 'open' AND round <> 'quiz')"
    " + (SELECT judged FROM rater WHERE id = :rater)"
)


_IN_ALL_OF_SYSTEMS = text(  # a sentence is one item for a rater, whichever output they get
    "SELECT (SELECT count(DISTINCT i.place / :n) FROM item i WHERE i.place IS NOT NULL AND i.stopped = ''"
    f" AND i.taken < :k AND (:only < 0 OR i.place % :n = :only) AND {_FREE} AND {_UNSEEN})"
    " + (SELECT count(*) FROM assignment WHERE rater = :rater AND state = 'open' AND round <> 'quiz')"
    " + (SELECT judged FROM rater WHERE id = :rater)"
)
_MAY_COME_BACK = text(  # what is open is little, and must be looked at first, whatever statistics say
    "SELECT 1 FROM assignment a WHERE a.state = 'open' AND a.round = 'main' AND a.rater <> :rater"
    " AND (SELECT i.kind = 'work' AND i.stopped = '' FROM item i WHERE i.id = a.item)"
    " AND NOT EXISTS (SELECT 1 FROM assignment o"
    " WHERE o.item = a.item AND o.rater = :rater AND o.round = 'main' AND o.state <> 'expired') LIMIT 1"
)
_MAY_COME_BACK_OF_SYSTEMS = text(
    "SELECT 1 FROM assignment a JOIN item i ON i.id = a.item WHERE a.state = 'open' AND a.round = 'main'"
    f" AND a.rater <> :rater AND (:only < 0 OR i.place % :n = :only) AND {_FREE} AND {_UNSEEN} LIMIT 1"
)


def may_come_back(tx: Connection, rules: StudyRules, rater: int) -> bool:
    """Whether others hold items that the rater could get if their leases ran out."""
    if not rules.systems:
        return tx.execute(_MAY_COME_BACK, {"rater": rater}).first() is not None
    return tx.execute(_MAY_COME_BACK_OF_SYSTEMS, _design_of(tx, rules, rater)).first() is not None


_WAITS = (
    f"i.kind = 'work' AND substr(i.stopped, 1, {len(HALTED)}) = :halted AND NOT EXISTS (SELECT 1 FROM assignment a"
    " WHERE a.item = i.id AND a.rater = :rater AND a.round = 'main' AND a.state <> 'expired')"
)
_WAITS_FOR_RATER = text(f"SELECT 1 FROM item i WHERE {_WAITS} LIMIT 1")
_WAITS_OF_SYSTEMS = text(
    f"SELECT 1 FROM item i WHERE {_WAITS} AND (:only < 0 OR i.place % :n = :only) AND {_UNSEEN} LIMIT 1"
)


def may_go_on(tx: Connection, rules: StudyRules, rater: int) -> bool:
    """Whether a rater would have work if the study, which a manager paused, were resumed."""
    if not rules.systems:
        return tx.execute(_WAITS_FOR_RATER, {"rater": rater, "halted": HALTED}).first() is not None
    return tx.execute(_WAITS_OF_SYSTEMS, {**_design_of(tx, rules, rater), "halted": HALTED}).first() is not None


def _design_of(tx: Connection, rules: StudyRules, rater: int) -> dict[str, object]:
    """The rater, the number of systems, and the only system that they can get; -1: any."""
    n = len(rules.systems)
    only = tx.execute(_HAD, {"rater": rater, "n": n}).first() if rules.editors == "nested" else None
    return {"rater": rater, "n": n, "only": -1 if only is None else only[0]}


def count_items_of(tx: Connection, rules: StudyRules, rater: int) -> int:
    """About how many items are a rater's: those that they judged or hold, and the work that they could get now.

    Other raters take of that work, and gold items and repeats come with it.
    """
    k = rules.raters_per_item
    if rules.systems:
        return int(tx.scalar(_IN_ALL_OF_SYSTEMS, {**_design_of(tx, rules, rater), "k": k}) or 0)
    return int(tx.scalar(_IN_ALL, {"rater": rater, "k": k}) or 0)


_LATE = "FROM assignment WHERE state = 'open' AND (lease_until <= :now OR lease_until > :longest)"
_EXPIRED = state_changes_statement(f"SELECT :at, 'expired', rater, id {_LATE} ORDER BY id")
_RATER = text(
    "SELECT r.id, r.seed, r.status, r.quiz, r.claims, r.judged, r.code, r.code_for, r.agreed, r.due,"
    " EXISTS (SELECT 1 FROM assignment l WHERE l.rater = r.id AND l.state = 'expired' AND l.round <> 'quiz'),"
    f" EXISTS (SELECT 1 {_LATE}), a.seq, a.token, i.payload, a.round, a.reversed, a.version FROM rater r"
    " LEFT JOIN assignment a ON a.rater = r.id AND a.state = 'open' LEFT JOIN item i ON i.id = a.item"
    " WHERE r.id = :id"
)
_BY_ID = text(available_item_sql("i.id = :item"))
_CLAIMED = text(
    "INSERT INTO event (at, kind, rater, assignment, data) SELECT :at, 'claimed', rater, id, :data FROM assignment"
    " WHERE token = :token"
)
_COUNTED = text("UPDATE rater SET claims = :seq, due = :due WHERE id = :rater")
_INSERT = text(
    "INSERT INTO assignment (token, item, rater, round, seq, reversed, state, version, lease_until, stands_for) VALUES"
    " (:token, :item, :rater, :round, :seq, :reversed, 'open', 0, :until, :stands_for)"
)
_OPEN = text("UPDATE assignment SET state = 'open', seq = :seq, lease_until = :until WHERE token = :token")
_DAY = 86400


@dataclass(slots=True)
class RaterState:
    """A rater, as the protocol needs to know them, and what they hold in their order."""

    id: int
    seed: int
    status: str
    quiz: str
    claims: int
    judged: int
    code: str | None
    code_for: int | None
    leases: list[Lease]
    lapsed: bool  # whether leases of theirs ran out, not of the quiz
    any_late: bool  # whether somebody's leases ran out and were not given back yet
    agreed: str  # what they agreed to, and the result of their comprehension check, see comprehension
    due: list[int] | None  # gold items of the page, not handed out yet; None: not drawn


@dataclass(frozen=True, slots=True)
class Next:
    """The next items of a rater.

    Attributes:
        item: Found, or by its number.
        round: Of the assignment.
        reversed: The order of the candidates; None: drawn for rater and item.
        seq: The place in the rater's order of what they had before, or of a question of the quiz; None: it is a new
            claim.
        stands_for: Of gold and repeats: the work item that would have come.
        drawn: How it was drawn, as its event keeps it; empty: as all are.
    """

    item: AvailableItem | int
    round: Round = "main"
    reversed: int | None = None
    seq: int | None = None
    stands_for: int | None = None
    drawn: str = ""


def rater_row(tx: Connection, rules: StudyRules, rater: int, now: float) -> RaterState:
    """A rater by number."""
    rows = tx.execute(_RATER, {"id": rater, **_limits(rules, now)}).all()
    leases = [  # sorted here: SQLite would walk all that the rater had, for the order
        Lease(token, parse_item(payload), round, bool(turned), version)
        for _, token, payload, round, turned, version in sorted((row[12:] for row in rows), key=itemgetter(0))
        if token is not None
    ]
    number, seed, status, quiz, claims, judged, code, code_for, agreed, due, lapsed, any_late = rows[0][:12]
    gold = None if due is None else json.loads(due)
    ran_out = bool(lapsed), bool(any_late)
    return RaterState(number, seed, status, quiz, claims, judged, code, code_for, leases, *ran_out, agreed, gold)


def expire(tx: Connection, rules: StudyRules, now: float) -> None:
    """Give back what was leased for too long."""
    change_states(tx, _EXPIRED, _limits(rules, now), now)


def _limits(rules: StudyRules, now: float) -> dict[str, float]:
    """Between which times a lease ends that did not run out.

    A lease that ends more than a day later than one that is given out now did: a clock that was ahead gave it out, and
    others would wait until that day.
    """
    return {"now": now, "longest": now + rules.lease_minutes * 60 + _DAY}


@lru_cache(maxsize=4096)
def parse_item(payload: str) -> JudgedItem:
    """An item of the store."""
    return JudgedItem.from_json(payload)


def lease(tx: Connection, rules: StudyRules, rater: RaterState, what: Next, now: float) -> Lease:
    """Write that a rater holds an item; one whose lease ran out keeps its token, as a page may still show it."""
    one, seq = what.item, what.seq
    if seq is None:
        seq = rater.claims = rater.claims + 1
    if not isinstance(one, AvailableItem):
        one = AvailableItem(*tx.execute(_BY_ID, {"rater": rater.id, "round": what.round, "item": one}).one())
    item = parse_item(one.payload)
    turned = draw(rater.seed, "side", one.id) if what.reversed is None else what.reversed
    turned %= n_arrangements(item)
    until = now + rules.lease_minutes * 60
    token = one.known_by or secrets.token_hex(12)
    values = {"token": token, "item": one.id, "rater": rater.id, "round": what.round, "reversed": turned}
    values |= {"seq": seq, "until": until, "stands_for": what.stands_for, "taken": one.taken + 1}
    values["due"] = None if rater.due is None else json.dumps(rater.due)
    changes = [_OPEN if one.known_by else _INSERT]
    if what.round == "main" and one.place is not None:
        changes.append(SET_TAKEN)
    if what.seq is None:
        changes.append(_COUNTED)
    execute_together(tx, tuple(changes), values)
    tx.execute(_CLAIMED, {"token": token, "at": now, "data": what.drawn})
    return Lease(token, item, what.round, turned)
