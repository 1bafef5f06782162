"""Changes while raters work: the rules and items by a manager, and a halt once the question of a study is decided.

A halted study hands out nothing more, until its question is open again; nothing that was judged is lost.

Conventions
    To halt is to stop every item for work that lacks a judgment, with one reason that begins with ``HALTED``: what is
    held may still be answered and counts, an item below k has its reason, and raters who ask for more are finished,
    with their thanks and their code. Items that have all their judgments stay as they are; where a rater's exclusion
    takes judgments from them, a question that halted the study has to be answered afresh, and they are open to others,
    while in a study that the manager paused or closed they wait for its resumption. To resume is to take back exactly
    these reasons. Both are one transaction and one event. The order of a study is that of its items' random places.
    Its front are the items before the first that still waits for a judgment; a question rests on those of them that
    have all k, whatever came in beyond.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from sqlalchemy import Connection, text

from errorbar.core.problems import Problem, UsageError
from errorbar.judging.protocol.adaptive import draw_places
from errorbar.judging.protocol.assignments import (
    HALTED,
    change_states,
    note,
    promote_extras_statement,
    state_changes_statement,
)
from errorbar.judging.random_tokens import shuffle
from errorbar.judging.scheme import JudgedItem
from errorbar.judging.scheme_kinds import draw_places_of_outputs
from errorbar.judging.stopping.question import StopQuestion
from errorbar.judging.study.rules import StudyRules, current_rules, get_value, set_value

_NAMED = text("SELECT id, payload FROM item WHERE name = :name")
_ALL = text("SELECT payload FROM item ORDER BY id")
_NEXT_PLACE = text("SELECT coalesce(max(place) + 1, 0) FROM item")
_INSERT = text(
    "INSERT INTO item (name, kind, gold_class, payload, text_hash, place, taken, stopped)"
    " VALUES (:name, :kind, :gold_class, :payload, :text_hash, :place, 0, '')"
)
_STOP = text("UPDATE item SET stopped = :reason WHERE id = :id")
_SURPLUS = state_changes_statement(
    "SELECT :at, CASE x.state WHEN 'open' THEN 'expired' ELSE 'extra' END, x.rater, x.id"
    " FROM (SELECT a.id, a.rater, a.state, i.taken, row_number() OVER (PARTITION BY a.item"
    " ORDER BY CASE a.state WHEN 'open' THEN 0 ELSE 1 END, a.id DESC) AS nth"
    " FROM item i JOIN assignment a ON a.item = i.id"
    " WHERE i.place IS NOT NULL AND i.taken > :k AND a.round = 'main' AND a.state IN ('open', 'done')) x"
    " WHERE x.taken - x.nth >= :k ORDER BY x.id"
)
_EXTRAS = promote_extras_statement("TRUE")


def set_rules(tx: Connection, rules: StudyRules, now: float) -> None:
    """Write the rules.

    With fewer raters per item, places above k are given back: leases first, then the latest answers, which become
    extra. With more, extra answers get places first.
    """
    before = current_rules(tx) if get_value(tx, "rules") is not None else None
    set_value(tx, "rules", rules.to_json())
    note(tx, now, "rules", data=rules.to_json())
    k = rules.raters_per_item
    if before is not None and k != before.raters_per_item:
        change_states(tx, _SURPLUS if k < before.raters_per_item else _EXTRAS, {"k": k}, now)


def add_items(tx: Connection, items: Iterable[JudgedItem], now: float) -> int:
    """Add items, at any time; all of them or none.

    Returns:
        How many there were.

    Raises:
        UsageError: If the study has an item of that name already (``judge-item-exists``), or one that differs
            (``judge-item-changed``).
    """
    new = list(items)
    rules = current_rules(tx)
    for item in new:
        if "\0" in f"{item.name}{''.join(item.answers)}":
            message = f"an item's name or answer has the character U+0000: '{item.name}'"
            raise UsageError(Problem("judge-item-name", message, fix="take it out"))
        known = tx.execute(_NAMED, {"name": item.name}).first()
        if known is not None:
            raise _known_item_error(item, JudgedItem.from_json(known[1]))
    first, work = int(tx.scalar(_NEXT_PLACE) or 0), [item for item in new if item.kind == "work"]
    if rules.adaptive:
        place_of = draw_places(tx, work)
    elif rules.systems:
        place_of = draw_places_of_outputs(work, rules.systems, first)
    else:
        places = list(range(first, first + len(work)))
        shuffle(places)
        place_of = dict(zip((item.name for item in work), places[::-1], strict=True))
    names: set[str] = set()
    for item in new:
        if item.name in names:
            raise _known_item_error(item, item)
        names.add(item.name)
        place = place_of.get(item.name) if item.kind == "work" else None
        content = {"payload": item.to_json(), "text_hash": item.text_hash(), "gold_class": item.gold_class}
        tx.execute(_INSERT, {"name": item.name, "kind": item.kind, "place": place, **content})
    note(tx, now, "items", data=json.dumps({"added": len(new)}))
    return len(new)


def all_items(tx: Connection) -> Iterator[JudgedItem]:
    """The items as they stand."""
    for (payload,) in tx.execute(_ALL).all():
        yield JudgedItem.from_json(payload)


def stop_item(tx: Connection, name: str, reason: str, now: float) -> None:
    """Ask for no more judgments of an item; leases of it may still be answered.

    Raises:
        UsageError: If there is no such item, or no reason.
    """
    if not reason.strip():
        raise UsageError(Problem("judge-no-reason", "an item is stopped with a reason"))
    if reason.startswith(HALTED):  # or the whole study would seem halted, and to resume it would open the item
        message = f"the reason begins with '{HALTED.strip()}', as that of a study that is halted"
        raise UsageError(Problem("judge-reason", message, fix="say it in other words"))
    known = tx.execute(_NAMED, {"name": name}).first()
    if known is None:
        raise UsageError(Problem("judge-no-item", f"the study has no item '{name}'"))
    tx.execute(_STOP, {"id": known[0], "reason": reason})
    note(tx, now, "stopped", data=json.dumps({"item": name, "reason": reason}, ensure_ascii=False))


def _known_item_error(item: JudgedItem, known: JudgedItem) -> UsageError:
    if item == known:
        message = f"the study has an item '{item.name}' already"
        return UsageError(Problem("judge-item-exists", message, fix="add each item once"))
    message = f"the study has another item '{item.name}', and raters may have judged it"
    return UsageError(Problem("judge-item-changed", message, fix="give the new one another name, and stop the old one"))


RULE = "rule"
"""By whom a study is halted whose question is decided."""
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
_LAST_HALT = text("SELECT data FROM event WHERE kind = 'halted' ORDER BY id DESC LIMIT 1")
_FREE = text("SELECT 1 FROM item WHERE place IS NOT NULL AND stopped = '' AND taken < :k LIMIT 1")
_IN_HAND = text(
    "SELECT 1 FROM assignment a JOIN item i ON i.id = a.item WHERE a.state = 'open' AND a.round = 'main'"
    " AND i.kind = 'work' AND i.stopped = '' LIMIT 1"
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


def count_lacking(tx: Connection) -> int:
    """How many items lack a judgment that is wanted, be they handed out or halted."""
    return to_halt(tx) + int(tx.scalar(_HALTED, _MARK))


def is_decided(tx: Connection) -> bool:
    """Whether the study is halted as its question is decided: nothing more is wanted."""
    return bool(why_halted(tx)) and _is_by_rule(tx)


def _is_by_rule(tx: Connection) -> bool:
    """Whether it was the rule that halted the study last."""
    data = tx.scalar(_LAST_HALT)
    return bool(data) and json.loads(data).get("by") == RULE


def is_paused(tx: Connection) -> bool:
    """Whether a manager halted the study, who may resume it: it is not closed, and no question of it is decided."""
    return bool(why_halted(tx)) and not why_closed(tx) and not _is_by_rule(tx)


def pausing_mark(tx: Connection) -> str:
    """How the reasons begin for which items wait until the study is resumed; empty: they wait for nothing more."""
    return "" if is_decided(tx) else HALTED


def why_no_work(tx: Connection) -> Literal["paused", "over", ""]:
    """Why somebody who comes now gets no item; empty: they get one, or others hold those that are left."""
    if tx.execute(_FREE, {"k": current_rules(tx).raters_per_item}).first() or tx.execute(_IN_HAND).first():
        return ""  # by an index, before the reasons of all items are looked through
    return "paused" if is_paused(tx) else "over"


def keep_halted(tx: Connection, by: str, now: float) -> None:
    """See that places that became free wait for the study's resumption, where it is paused or closed."""
    halted = why_halted(tx)
    decided = bool(halted) and _is_by_rule(tx)
    if why := why_closed(tx) or ("" if decided else halted):
        halt(tx, why, RULE if decided else by, now)


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
