"""Raters whose judgments do not count, until they do again; nothing of theirs is ever deleted."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text

from errorbar.core.labels import format_count
from errorbar.core.problems import Problem, UsageError
from errorbar.judging.protocol.assignments import change_states, note, state_changes_statement
from errorbar.judging.protocol.halting import halt, why_closed
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
_EFFECT = text(
    "SELECT count(CASE WHEN a.state = 'done' THEN 1 END) AS judgments,"
    " count(CASE WHEN a.state = 'open' THEN 1 END) AS in_hand,"
    " count(CASE WHEN i.stopped = '' AND i.taken <= :k AND NOT EXISTS (SELECT 1 FROM assignment x"
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
        n_items: Items that go back to work; the place of another goes to an extra judgment, or stays closed.
        n_in_hand: Items that the rater was given and has not answered, which go to others.
    """

    n_judgments: int
    n_items: int
    n_in_hand: int

    def __str__(self) -> str:
        """For the manager, before or after."""
        aside = f"{format_count(self.n_judgments, 'judgments')} set aside"
        return f"{aside}, {format_count(self.n_items, 'items')} back to work"


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
    row = tx.execute(_EFFECT, {"rater": rater_id, "k": current_rules(tx).raters_per_item}).one()
    return Exclusion(int(row.judgments), int(row.items), int(row.in_hand))


def foresee_readmission(tx: Connection, rater_id: int) -> Readmission:
    """Count what the readmission of a rater would change."""
    row = tx.execute(_READMISSION, {"rater": rater_id, "k": current_rules(tx).raters_per_item}).one()
    return Readmission(int(row.judgments), int(row.extra))


def exclude(tx: Connection, rater_id: int, reason: str, by: str, now: float) -> bool:
    """Set a rater's judgments aside and give their places to others, but in a closed study; who is excluded stays so.

    Returns:
        Whether anything changed.
    """
    if _status(tx, rater_id) != "active":
        return False
    tx.execute(_SET_ASIDE, {"id": rater_id})
    tx.execute(_SINCE, {"rater": rater_id, "reason": reason, "by": by, "since": now})
    note(tx, now, "excluded", rater=rater_id, data=reason)
    change_states(tx, _NOT_COUNTED, {"rater": rater_id}, now)
    if why := why_closed(tx):  # places that became free are handed out once the study is resumed
        halt(tx, why, by, now)
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
