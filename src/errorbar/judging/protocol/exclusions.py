"""Raters whose judgments do not count, until they do again, and raters who leave a study for good.

Nothing of an excluded rater is deleted. The answers of one who leaves stay or go, as the consent says, and who they
were can be forgotten.

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
from errorbar.core.problems import Problem, UsageError
from errorbar.judging.protocol.assignments import HALTED, change_states, note, state_changes_statement
from errorbar.judging.protocol.changes import keep_halted, pausing_mark
from errorbar.judging.random_tokens import fingerprint
from errorbar.judging.study.rules import StudyRules, current_rules

_STATUS = text("SELECT status FROM rater WHERE id = :id")
_SET_ASIDE = text("UPDATE rater SET status = 'excluded' WHERE id = :id")
_NOT_COUNTED = state_changes_statement(
    "SELECT :at, CASE state WHEN 'open' THEN 'expired' ELSE 'aside' END, rater, id FROM assignment"
    " WHERE rater = :rater AND (state = 'open' OR (state = 'done' AND round <> 'quiz')) ORDER BY state DESC, id"
)
_COUNTED_AGAIN = state_changes_statement(  # also extra answers from before, whose items lost a place meanwhile
    "SELECT :at, CASE WHEN a.round <> 'main' OR i.place IS NULL OR i.taken < :k THEN 'done' ELSE 'extra' END,"
    " a.rater, a.id FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE a.rater = :rater AND (a.state = 'aside' OR (a.state = 'extra' AND i.taken < :k)) ORDER BY a.id"
)
_AFRESH = text("UPDATE rater SET status = 'active', gold = '[]' WHERE id = :id")
_SINCE = text('INSERT INTO exclusion (rater, reason, "by", since) VALUES (:rater, :reason, :by, :since)')
_EFFECT = text(
    "SELECT count(CASE WHEN a.state = 'done' THEN 1 END) AS judgments,"
    " count(CASE WHEN a.state = 'open' THEN 1 END) AS in_hand,"
    f" count(CASE WHEN (i.stopped = '' OR substr(i.stopped, 1, {len(HALTED)}) = :halted) AND i.taken <= :k"
    " AND NOT EXISTS (SELECT 1 FROM assignment x"
    " JOIN rater r ON r.id = x.rater WHERE x.item = a.item AND x.round = 'main'"
    " AND coalesce(x.state, '') = 'extra' AND r.status <> 'excluded') THEN 1 END) AS items"
    " FROM assignment a JOIN item i ON i.id = a.item WHERE a.rater = :rater AND a.state IN ('open', 'done')"
    " AND a.round = 'main' AND i.place IS NOT NULL"
)
_READMISSION = text(
    "SELECT count(CASE WHEN i.taken < :k THEN 1 END) AS judgments, count(CASE WHEN i.taken >= :k THEN 1 END) AS extra"
    " FROM assignment a JOIN item i ON i.id = a.item WHERE a.rater = :rater AND a.state IN ('aside', 'extra')"
    " AND a.round = 'main' AND i.place IS NOT NULL"
)
_END_EXCLUSION = text("UPDATE exclusion SET until = :until, undone_by = :by WHERE rater = :rater AND until IS NULL")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The effects of excluding a rater.

    Attributes:
        n_judgments: Judgments of items for work that are set aside.
        n_items: Items that go back to work, in a paused study once it is resumed; the place of another goes to an extra
            judgment, or stays closed.
        n_in_hand: Items that the rater was given and has not answered.
    """

    n_judgments: int
    n_items: int
    n_in_hand: int

    def __str__(self) -> str:
        """For the manager, before or after."""
        text = f"{format_count(self.n_judgments, 'judgments')} set aside"
        text += f" and {format_count(self.n_in_hand, 'unanswered items')} taken back" if self.n_in_hand else ""
        text += f", {format_count(self.n_items, 'items')} back to work"
        n_kept = self.n_judgments + self.n_in_hand - self.n_items
        return f"{text}; {n_kept:,} more need no other judgment" if n_kept > 0 else text


@dataclass(frozen=True, slots=True)
class Readmission:
    """The effects of readmitting a rater: judgments that count again, and others, whose places are taken meanwhile."""

    n_judgments: int
    n_extra: int

    def __str__(self) -> str:
        """For the manager, before or after."""
        again = f"{format_count(self.n_judgments, 'judgments')} count{'s' * (self.n_judgments == 1)} again"
        kept = f", {self.n_extra:,} stay set aside, as their items have enough" if self.n_extra else ""
        return again + kept


def foresee_exclusion(tx: Connection, rater_id: int) -> Exclusion:
    """Count what the exclusion of a rater would change."""
    values = {"rater": rater_id, "k": current_rules(tx).raters_per_item, "halted": pausing_mark(tx)}
    row = tx.execute(_EFFECT, values).one()
    return Exclusion(int(row.judgments), int(row.items), int(row.in_hand))


def foresee_readmission(tx: Connection, rater_id: int) -> Readmission:
    """Count what the readmission of a rater would change."""
    row = tx.execute(_READMISSION, {"rater": rater_id, "k": current_rules(tx).raters_per_item}).one()
    return Readmission(int(row.judgments), int(row.extra))


def exclude(tx: Connection, rater_id: int, reason: str, by: str, now: float) -> bool:
    """Set a rater's judgments aside and give their places to others; who is excluded stays so.

    In a study that is paused or closed the places wait until it is resumed.

    Returns:
        Whether anything changed.
    """
    if _status(tx, rater_id) != "active":
        return False
    tx.execute(_SET_ASIDE, {"id": rater_id})
    tx.execute(_SINCE, {"rater": rater_id, "reason": reason, "by": by, "since": now})
    note(tx, now, "excluded", rater=rater_id, data=reason)
    change_states(tx, _NOT_COUNTED, {"rater": rater_id}, now)
    keep_halted(tx, by, now)
    return True


def readmit(tx: Connection, rater_id: int, by: str, now: float) -> bool:
    """Count a rater's judgments again, wherever a place is free; the others are kept as extra ones.

    Returns:
        Whether anything changed.
    """
    if _status(tx, rater_id) != "excluded":
        return False
    tx.execute(_AFRESH, {"id": rater_id})  # gold answers from before do not count any more
    tx.execute(_END_EXCLUSION, {"rater": rater_id, "until": now, "by": by})
    note(tx, now, "readmitted", rater=rater_id)
    change_states(tx, _COUNTED_AGAIN, {"rater": rater_id, "k": current_rules(tx).raters_per_item}, now)
    return True


def _status(tx: Connection, rater: int) -> str:
    row = tx.execute(_STATUS, {"id": rater}).first() if rater < 2**63 else None
    if row is None:
        raise UsageError(Problem("judge-no-rater", f"the study has no rater {rater}"))
    return str(row[0])


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
    are removed, their places go to others, unless the study is paused or closed.

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
    keep_halted(tx, _BY, now)
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
