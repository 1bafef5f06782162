"""Changes by a manager while raters work: the rules and the items, and halting the study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import SystemRandom

from sqlalchemy import Connection, text

from errorbar.core.problems import Problem, UsageError
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.protocol.leases import give_back
from errorbar.judging.protocol.next_item import change, fill, held, note
from errorbar.judging.stopping.question import StopQuestion
from errorbar.judging.study.rules import StudyRules, current_rules, get_value, set_value

HALTED = "halted: "
"""So begins the reason of items that a halt of the whole study stopped; see ``halting``."""
_NAMED = text("SELECT id, payload FROM item WHERE name = :name")
_ALL = text("SELECT payload FROM item ORDER BY id")
_NEXT_PLACE = text("SELECT coalesce(max(place) + 1, 0) FROM item")
_INSERT = text(
    "INSERT INTO item (name, kind, gold_class, payload, text_hash, place, taken, stopped)"
    " VALUES (:name, :kind, :gold_class, :payload, :text_hash, :place, 0, '')"
)
_STOP = text("UPDATE item SET stopped = :reason WHERE id = :id")
_OVER = text("SELECT id FROM item WHERE kind = 'work' AND taken > :k ORDER BY id")
_UNDER = text(
    "SELECT DISTINCT i.id FROM item i JOIN assignment a ON a.item = i.id"
    " WHERE i.kind = 'work' AND i.taken < :k AND a.round = 'main' AND a.state = 'extra' ORDER BY i.id"
)
_TAKERS = text(
    "SELECT id, state FROM assignment WHERE item = :item AND round = 'main' AND state IN ('open', 'done')"
    " ORDER BY CASE state WHEN 'open' THEN 0 ELSE 1 END, id DESC"
)
_TAKEN = text("SELECT taken FROM item WHERE id = :id")


def set_rules(tx: Connection, rules: StudyRules, now: float) -> None:
    """Write the rules.

    With fewer raters per item, places above k are given back: leases first, then the latest answers, which become
    extra. With more, extra answers get places first.
    """
    before = current_rules(tx) if get_value(tx, "rules") is not None else None
    set_value(tx, "rules", rules.to_json())
    note(tx, now, "rules", data=rules.to_json())
    k = rules.raters_per_item
    if before is not None and k < before.raters_per_item:
        for (item,) in tx.execute(_OVER, {"k": k}).all():
            surplus = tx.scalar(_TAKEN, {"id": item}) - k
            for assignment, state in tx.execute(_TAKERS, {"item": item}).all()[:surplus]:
                if state == "open":
                    give_back(tx, assignment, now)
                else:
                    change(tx, held(tx, assignment), "extra", now)
    elif before is not None and k > before.raters_per_item:
        for (item,) in tx.execute(_UNDER, {"k": k}).all():
            fill(tx, item, tx.scalar(_TAKEN, {"id": item}), now)


def add_items(tx: Connection, items: Iterable[JudgedItem], now: float) -> int:
    """Add items, at any time; all of them or none.

    Returns:
        How many there were.

    Raises:
        UsageError: If the study has an item of that name already (``judge-item-exists``), or one that differs
            (``judge-item-changed``).
    """
    new = list(items)
    for item in new:
        if "\0" in f"{item.name}{''.join(item.answers)}":
            message = f"an item's name or answer has the character U+0000: '{item.name}'"
            raise UsageError(Problem("judge-item-name", message, fix="take it out"))
        known = tx.execute(_NAMED, {"name": item.name}).first()
        if known is not None:
            raise _known(item, JudgedItem.from_json(known[1]))
    first = tx.scalar(_NEXT_PLACE)
    places = list(range(first, first + sum(item.kind == "work" for item in new)))
    SystemRandom().shuffle(places)
    names: set[str] = set()
    for item in new:
        if item.name in names:
            raise _known(item, item)
        names.add(item.name)
        place = places.pop() if item.kind == "work" else None
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


def _known(item: JudgedItem, known: JudgedItem) -> UsageError:
    if item == known:
        message = f"the study has an item '{item.name}' already"
        return UsageError(Problem("judge-item-exists", message, fix="add each item once"))
    message = f"the study has another item '{item.name}', and raters may have judged it"
    return UsageError(Problem("judge-item-changed", message, fix="give the new one another name, and stop the old one"))


# A study whose question is decided hands out nothing more, until it does again; nothing that was judged is lost.
#
# Conventions To halt is to stop every item for work that lacks a judgment, with one reason that begins with
# ``HALTED``: what is held may still be answered and counts, an item below k has its reason, and raters who ask for
# more are finished, with their thanks and their code. Items that have all their judgments stay as they are, so that a
# rater's exclusion after the halt opens them to others. To resume is to take back exactly these reasons. Both are one
# transaction and one event. The order of a study is that of its items' random places. Its front are the items before
# the first that still waits for a judgment; a question rests on those of them that have all k, whatever came in
# beyond.


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


def to_halt(tx: Connection) -> int:
    """How many items a halt would stop."""
    return int(tx.scalar(_LACK, {"k": current_rules(tx).raters_per_item}))


def resume(tx: Connection, by: str, now: float) -> int:
    """Hand out again what a halt had stopped; a rule that acts only tells from now on, as it would halt at once.

    Returns:
        How many items.
    """
    rules, n = current_rules(tx), int(tx.scalar(_HALTED, _MARK))
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
    found = tx.scalar(_FRONT, {"k": current_rules(tx).raters_per_item, **_MARK})
    return END if found is None else int(found)
