"""Raters who leave a study for good: their answers stay or go, as the consent says, and who they were can be forgotten.

Rows stay, so that every count and every rule of the store holds; what is removed is what they say. In SQLite, what was
there is overwritten (``secure_delete``).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlalchemy import Connection, text

from errorbar.core.labels import format_count
from errorbar.core.problems import Problem
from errorbar.judging.protocol.assignments import change_states, note, state_changes_statement
from errorbar.judging.protocol.halting import halt, why_closed
from errorbar.judging.random_tokens import fingerprint
from errorbar.judging.study.rules import StudyRules, current_rules

WITHDRAWN, FORGOTTEN = "withdrawn", "forgotten"
"""Of a rater's status, and the reason of answers that were removed; what stands for what a forgotten rater wrote."""
_BY = "withdrawal"

_RATER = text("SELECT status, name, agreed FROM rater WHERE id = :rater")
_WITHDRAWN = text("UPDATE rater SET status = 'withdrawn', due = NULL WHERE id = :rater")
_NO_JUDGMENTS = text("UPDATE rater SET judged = 0, gold = '[]' WHERE id = :rater")
_EXCLUSION_ENDS = text("UPDATE exclusion SET until = :now, undone_by = :by WHERE rater = :rater AND until IS NULL")
_GIVE_BACK = state_changes_statement(
    "SELECT :at, CASE state WHEN 'open' THEN 'expired' ELSE 'aside' END, rater, id FROM assignment WHERE rater = :rater"
    " AND (state = 'open' OR (state = 'extra' AND :status = 'excluded')) ORDER BY id"
)
_TAKE_ALL_BACK = state_changes_statement(
    "SELECT :at, CASE state WHEN 'open' THEN 'expired' ELSE 'skipped' END, rater, id FROM assignment"
    " WHERE rater = :rater AND state IN ('open', 'done', 'extra', 'aside') ORDER BY state DESC, id"
)
_OF_RATER = "WHERE assignment IN (SELECT id FROM assignment WHERE rater = :rater)"
_REMOVE = text(
    f"UPDATE answer SET answer = 'null', skip = :reason, comment = '', milliseconds = 0, trail = '' {_OF_RATER}"
)
_SIGN_OUT = text("DELETE FROM session WHERE rater = :rater")
_EVENTS = text("SELECT id, kind, data FROM event WHERE rater = :rater AND data <> ''")
_SET_DATA = text("UPDATE event SET data = :data WHERE id = :id")
_COUNT = text(f"SELECT count(*) FROM answer {_OF_RATER} AND answer <> 'null'")

_STATUSES = text("SELECT status, agreed FROM rater")
_FIRST_TIME = text("SELECT min(at) FROM event WHERE id = (SELECT min(id) FROM event)")
_TAKEN = text("SELECT 1 FROM rater WHERE name = :name UNION ALL SELECT 1 FROM invite WHERE label = :name")
_INVITATIONS = text(
    "SELECT id, kind, data FROM event WHERE rater IS NULL AND kind IN ('invited', 'revoked', 'taken back')"
)
_FORGET = [
    text(
        "UPDATE rater SET name = :name, participant = :participant, joined = :moment, agreed = :agreed, code = NULL,"
        " code_used = NULL, code_for = NULL, due = NULL WHERE id = :rater"
    ),
    text(
        "UPDATE answer SET skip = CASE skip WHEN '' THEN '' ELSE :reason END, comment = '', milliseconds = 0,"
        f" trail = '', at = :moment {_OF_RATER}"
    ),
    text("UPDATE assignment SET lease_until = :moment WHERE rater = :rater"),
    text("UPDATE event SET at = :moment WHERE rater = :rater"),
    text(
        "UPDATE exclusion SET reason = :reason, since = :moment,"
        " until = CASE WHEN until IS NULL THEN NULL ELSE :moment END WHERE rater = :rater"
    ),
    text(
        "UPDATE invite SET label = :name, token_hash = :nowhere, made = :moment, expires = NULL, revoked = :moment"
        " WHERE label = :before AND kind IN ('personal', 'back')"
    ),
]


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The fate of the answers of a rater who left.

    Attributes:
        removed: Whether the study removes answers of those who withdraw.
        n_answers: Answers that there were, of the quiz and of gold items too.
    """

    removed: bool
    n_answers: int


def withdraw(tx: Connection, rules: StudyRules, rater: int, now: float) -> Withdrawal:
    """Let a rater leave for good; who has left already stays as they are.

    Items in hand go to others. Where answers are kept, those of an excluded rater stay set aside for good. Where they
    are removed, their places go to others, but in a closed study.

    Args:
        tx: Of the store, exclusive.
        rules: As they stand in this transaction; ``withdrawal`` says what becomes of the answers.
        rater: Who leaves.
        now: By the store's clock.
    """
    status = tx.execute(_RATER, {"rater": rater}).one().status
    removes, n_answers = rules.withdrawal == "remove", int(tx.scalar(_COUNT, {"rater": rater}) or 0)
    tx.execute(_SIGN_OUT, {"rater": rater})
    if status == WITHDRAWN:
        return Withdrawal(removes, n_answers)
    note(tx, now, WITHDRAWN, rater=rater, data="removed" if removes else "kept")
    tx.execute(_WITHDRAWN, {"rater": rater})
    tx.execute(_EXCLUSION_ENDS, {"rater": rater, "now": now, "by": _BY})
    if not removes:
        change_states(tx, _GIVE_BACK, {"rater": rater, "status": status}, now)
        return Withdrawal(False, n_answers)
    _overwrite(tx)
    tx.execute(_REMOVE, {"rater": rater, "reason": WITHDRAWN})
    change_states(tx, _TAKE_ALL_BACK, {"rater": rater}, now)
    tx.execute(_NO_JUDGMENTS, {"rater": rater})
    _strip_events(tx, rater)
    if why := why_closed(tx):  # places that became free are handed out once the study is resumed
        halt(tx, why, _BY, now)
    return Withdrawal(True, n_answers)


def forget(tx: Connection, rules: StudyRules, rater: int, now: float) -> tuple[str, Withdrawal]:
    """Let a rater leave, and redact who they were: name, participant id, links, notes, times, completion code.

    All times of theirs become that of the study's first event. What ``withdraw`` did with the answers stays so.

    Returns:
        The name that stands for theirs from now on, and what became of the answers.
    """
    _, before, agreed = tx.execute(_RATER, {"rater": rater}).one()
    withdrawal = withdraw(tx, rules, rater, now)
    if is_forgotten(agreed):
        return before, withdrawal
    _overwrite(tx)
    names = map(f"{FORGOTTEN}-{{}}".format, count(1))
    name = next(name for name in names if tx.execute(_TAKEN, {"name": name}).first() is None)
    values = {
        "rater": rater,
        "name": name,
        "before": before,
        "participant": f"{FORGOTTEN}:{secrets.token_urlsafe(16)}",
        "agreed": json.dumps({FORGOTTEN: True}),
        "reason": FORGOTTEN,
        "nowhere": fingerprint(secrets.token_urlsafe(32)),
        "moment": tx.scalar(_FIRST_TIME) or 0.0,
    }
    for statement in _FORGET:
        tx.execute(statement, values)
    _strip_events(tx, rater)
    renamed = [
        {"id": number, "data": json.dumps({**json.loads(data), "label": name})}
        for number, _, data in tx.execute(_INVITATIONS).all()
        if json.loads(data).get("label") == before
    ]
    if renamed:
        tx.execute(_SET_DATA, renamed)
    note(tx, now, FORGOTTEN, rater=rater)
    return name, withdrawal


def is_forgotten(agreed: str) -> bool:
    """Whether a rater was forgotten, by what the store keeps of their consent."""
    return FORGOTTEN in json.loads(agreed)


def leaving_note(statuses: Iterable[tuple[str, bool]], *, removed: bool) -> list[Problem]:
    """A note on raters who left, for all that tells figures of a study; none, where nobody did.

    Args:
        statuses: Of every rater the status, and whether they were forgotten.
        removed: Whether the study removes answers of those who withdraw.
    """
    raters = [*statuses]
    n_withdrawn = sum(status == WITHDRAWN for status, _ in raters)
    n_forgotten = sum(forgotten for _, forgotten in raters)
    parts = []
    if n_withdrawn:
        fate = "their answers are removed" if removed else "their answers are kept, and count"
        parts.append(f"{format_count(n_withdrawn, 'raters')} withdrew: {fate}")
    if n_forgotten:
        parts.append(f"{format_count(n_forgotten, 'raters')} {'was' if n_forgotten == 1 else 'were'} forgotten")
    return [Problem("judge-left", "; ".join(parts), severity="warning")] if parts else []


def read_leaving_note(tx: Connection) -> list[Problem]:
    """The same note of a store."""
    statuses = [(status, is_forgotten(agreed)) for status, agreed in tx.execute(_STATUSES)]
    return leaving_note(statuses, removed=current_rules(tx).withdrawal == "remove")


def _strip_events(tx: Connection, rater: int) -> None:
    """Leave of a rater's events that they were and, of answers, the receipt without what was answered."""
    stripped = [
        {"id": number, "data": _bare_receipt(data) if data.startswith('{"receipt"') else ""}
        for number, kind, data in tx.execute(_EVENTS, {"rater": rater}).all()
        if kind != WITHDRAWN
    ]
    if stripped:
        tx.execute(_SET_DATA, stripped)


def _bare_receipt(data: str) -> str:
    record: dict[str, Any] = json.loads(data)
    receipt = record["receipt"] | {"stored": None, "feedback": None, "why": ""}
    return json.dumps({"receipt": receipt} | ({"state": record["state"]} if "state" in record else {}))


def _overwrite(tx: Connection) -> None:
    """Let SQLite write over what is changed or deleted from now on."""
    if tx.dialect.name == "sqlite":
        tx.exec_driver_sql("PRAGMA secure_delete = ON")
