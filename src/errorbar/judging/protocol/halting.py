"""A study whose question is decided hands out nothing more, until it does again; nothing that was judged is lost.

Conventions
    To halt is to stop every item for work that lacks a judgment, with one reason that begins with ``HALTED``: what is
    held may still be answered and counts, an item below k has its reason, and raters who ask for more are finished,
    with their thanks and their code. Items that have all their judgments stay as they are, so that a rater's
    exclusion after the halt opens them to others. To resume is to take back exactly these reasons. Both are one
    transaction and one event. The order of a study is that of its items' random places. Its front are the items
    before the first that still waits for a judgment; a question rests on those of them that have all k, whatever came
    in beyond.
"""

from __future__ import annotations

import json
from dataclasses import replace

from sqlalchemy import Connection, text

from errorbar.core.problems import Problem, UsageError
from errorbar.judging.protocol.assignments import HALTED, note
from errorbar.judging.protocol.changes import set_rules
from errorbar.judging.stopping.question import StopQuestion
from errorbar.judging.study.rules import current_rules, get_value, set_value

CLOSED = "closed"
"""The name in the store of why the study is closed."""
END = 2**62
"""A place behind all items."""
_HELD = "i.id IN (SELECT item FROM assignment WHERE state = 'open' AND round = 'main')"
LACKING = f"(i.taken < :k OR {_HELD})"
"""SQL of items for work that have fewer than k judgments."""
_HALT = text(
    "UPDATE item SET stopped = :reason WHERE id IN (SELECT i.id FROM item i WHERE i.kind = 'work' AND i.stopped = ''"
    f" AND {LACKING})"
)
_LACK = text(f"SELECT count(*) FROM item i WHERE i.kind = 'work' AND i.stopped = '' AND {LACKING}")
_HALTED = text(f"SELECT count(*) FROM item WHERE kind = 'work' AND substr(stopped, 1, {len(HALTED)}) = :halted")
_RESUME = text(f"UPDATE item SET stopped = '' WHERE kind = 'work' AND substr(stopped, 1, {len(HALTED)}) = :halted")
_WHY = text(
    f"SELECT stopped FROM item WHERE kind = 'work' AND substr(stopped, 1, {len(HALTED)}) = :halted ORDER BY id LIMIT 1"
)
_FRONT = text(
    f"SELECT min(i.place) FROM item i WHERE i.kind = 'work' AND {LACKING}"
    f" AND (i.stopped = '' OR substr(i.stopped, 1, {len(HALTED)}) = :halted)"
)
_MARK = {"halted": HALTED}


def halt(tx: Connection, reason: str, by: str, now: float) -> int:
    """Hand out nothing more.

    Args:
        tx: Of the store, exclusive.
        reason: Why.
        by: ``manager`` or ``rule``.
        now: By the store's clock.

    Returns:
        How many items are stopped by it; 0: every item had all its judgments, or was stopped before.

    Raises:
        UsageError: If there is no reason.
    """
    if not reason.strip():
        raise UsageError(Problem("judge-no-reason", "a study is halted with a reason"))
    k, n = current_rules(tx).raters_per_item, to_halt(tx)
    if n:
        tx.execute(_HALT, {"reason": f"{HALTED}{reason.strip()}", "k": k})
        note(tx, now, "halted", data=json.dumps({"reason": reason, "by": by, "items": n}, ensure_ascii=False))
    return n


def close(tx: Connection, reason: str, by: str, now: float) -> None:
    """Halt for good: the study says that it is closed, until it is resumed. Links are for the caller to revoke."""
    halt(tx, reason, by, now)
    set_value(tx, CLOSED, reason.strip())


def why_closed(tx: Connection) -> str:
    """The reason; empty: the study is not closed."""
    return get_value(tx, CLOSED) or ""


def to_halt(tx: Connection) -> int:
    """How many items a halt would stop."""
    return int(tx.scalar(_LACK, {"k": current_rules(tx).raters_per_item}))


def resume(tx: Connection, by: str, now: float) -> int:
    """Hand out again what a halt had stopped; a rule that acts only tells from now on, as it would halt at once.

    Returns:
        How many items.
    """
    rules, n = current_rules(tx), int(tx.scalar(_HALTED, _MARK))
    if why_closed(tx):
        set_value(tx, CLOSED, "")
    if n:
        if rules.stop and (question := StopQuestion.parse(rules.stop)).act:
            set_rules(tx, replace(rules, stop=str(question.told())), now)
        tx.execute(_RESUME, _MARK)
        note(tx, now, "resumed", data=json.dumps({"by": by, "items": n}))
    return n


def why_halted(tx: Connection) -> str:
    """The reason; empty: the study is not halted."""
    row = tx.execute(_WHY, _MARK).first()
    return "" if row is None else str(row[0]).removeprefix(HALTED)


def counted_items(tx: Connection) -> str:
    """SQL of the items ``i`` for work on which the study's question rests; of a study without one, of all."""
    rules = current_rules(tx)
    if not rules.stop:
        return "TRUE"
    lacking = LACKING.replace(":k", str(rules.raters_per_item))
    return f"(i.place < {front(tx)} AND NOT {lacking})"


def judgments_beyond(tx: Connection) -> int:
    """Judgments of items on which the study's question does not rest."""
    counted = counted_items(tx)
    query = "SELECT count(*) FROM assignment a JOIN item i ON i.id = a.item WHERE a.round = 'main' AND a.state = 'done'"
    return int(tx.scalar(text(f"{query} AND i.kind = 'work' AND NOT {counted}")))


def front(tx: Connection) -> int:
    """The place of the first item that waits for a judgment; those before it are what a question rests on."""
    place = tx.scalar(_FRONT, {"k": current_rules(tx).raters_per_item, **_MARK})
    return END if place is None else int(place)
