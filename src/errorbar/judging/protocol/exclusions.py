"""Raters whose judgments do not count, until they do again; nothing of theirs is ever deleted."""

from __future__ import annotations

from sqlalchemy import Connection, text

from errorbar.core.problems import Problem, UsageError
from errorbar.judging.protocol.assignments import change_states, note, state_changes_statement
from errorbar.judging.study.rules import current_rules

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
_END_EXCLUSION = text("UPDATE exclusion SET until = :until, undone_by = :by WHERE rater = :rater AND until IS NULL")


def exclude(tx: Connection, rater_id: int, reason: str, by: str, now: float) -> bool:
    """Set a rater's judgments aside and give their places to others; one who is excluded stays so.

    Returns:
        Whether anything changed.
    """
    if _status(tx, rater_id) != "active":
        return False
    tx.execute(_SET_ASIDE, {"id": rater_id})
    tx.execute(_SINCE, {"rater": rater_id, "reason": reason, "by": by, "since": now})
    note(tx, now, "excluded", rater=rater_id, data=reason)
    change_states(tx, _NOT_COUNTED, {"rater": rater_id}, now)
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
