"""Leases: an item that a rater holds, for a while."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from sqlalchemy import Connection, text

from errorbar.judging.items.item import JudgedItem, Lease, Round
from errorbar.judging.protocol.assignments import change_states, set_taken, state_changes_statement
from errorbar.judging.protocol.next_item import AvailableItem, available_item_sql
from errorbar.judging.random_tokens import draw
from errorbar.judging.ranks_answer import n_arrangements
from errorbar.judging.study.rules import StudyRules

_LATE = "FROM assignment WHERE state = 'open' AND (lease_until <= :now OR lease_until > :longest)"
_ANY_LATE = text(f"SELECT 1 {_LATE} LIMIT 1")
_EXPIRED = state_changes_statement(f"SELECT :at, 'expired', rater, id {_LATE} ORDER BY id")
_RATER = text(
    "SELECT r.id, r.seed, r.status, r.quiz, r.claims, r.judged, r.code, r.code_for, r.agreed, r.due,"
    " EXISTS (SELECT 1 FROM assignment l WHERE l.rater = r.id AND l.state = 'expired' AND l.round <> 'quiz'),"
    " a.seq, a.token, i.payload, a.round, a.reversed, a.version FROM rater r"
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


def rater_row(tx: Connection, rater: int) -> RaterState:
    """A rater by number."""
    rows = tx.execute(_RATER, {"id": rater}).all()
    leases = [  # sorted here: SQLite would walk all that the rater had, for the order
        Lease(token, parse_item(payload), round, bool(turned), version)
        for _, token, payload, round, turned, version in sorted((row[11:] for row in rows), key=itemgetter(0))
        if token is not None
    ]
    *values, due, lapsed = rows[0][:11]
    number, seed, status, quiz, claims, judged, code, code_for, agreed = values
    gold = None if due is None else json.loads(due)
    return RaterState(number, seed, status, quiz, claims, judged, code, code_for, leases, bool(lapsed), agreed, gold)


def expire(tx: Connection, rules: StudyRules, now: float) -> None:
    """Give back what was leased for too long.

    So is a lease that ends more than a day later than one that is given out now: a clock that was ahead gave it out,
    and others would wait until that day.
    """
    limits = {"now": now, "longest": now + rules.lease_minutes * 60 + _DAY}
    if tx.execute(_ANY_LATE, limits).first() is not None:
        change_states(tx, _EXPIRED, limits, now)


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
    values |= {"seq": seq, "until": until, "stands_for": what.stands_for}
    tx.execute(_OPEN if one.known_by else _INSERT, values)
    if what.round == "main" and one.place is not None:
        set_taken(tx, one.id, one.taken + 1)
    if what.seq is None:
        due = None if rater.due is None else json.dumps(rater.due)
        tx.execute(_COUNTED, {"rater": rater.id, "seq": seq, "due": due})
    tx.execute(_CLAIMED, {"token": token, "at": now, "data": what.drawn})
    return Lease(token, item, what.round, turned)
