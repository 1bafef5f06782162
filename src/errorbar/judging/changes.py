"""What a manager changes while raters work: the rules and the items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from random import SystemRandom

from sqlalchemy import Connection

from errorbar.core.errors import Problem, UsageError
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.leases import give_back
from errorbar.judging.places import change, enter, fill, held, leave, note
from errorbar.judging.prepared import Prepared
from errorbar.judging.rules import Rules
from errorbar.judging.study_values import current_rules, get_value, set_value

HALTED = "halted: "
"""So begins the reason of items that a halt of the whole study stopped; see ``halting``."""
_NAMED = Prepared("SELECT id, payload, place, taken, stopped FROM item WHERE name = :name")
_ALL = Prepared("SELECT payload FROM item ORDER BY id")
_NEXT_PLACE = Prepared("SELECT coalesce(max(place) + 1, 0) FROM item")
_INSERT = Prepared(
    "INSERT INTO item (name, kind, gold_class, payload, text_hash, place, taken, stopped)"
    " VALUES (:name, :kind, :gold_class, :payload, :text_hash, :place, 0, '')"
)
_STOP = Prepared("UPDATE item SET stopped = :reason WHERE id = :id")
_OVER = Prepared("SELECT id FROM item WHERE kind = 'work' AND taken > :k ORDER BY id")
_UNDER = Prepared(
    "SELECT DISTINCT i.id FROM item i JOIN assignment a ON a.item = i.id"
    " WHERE i.kind = 'work' AND i.taken < :k AND a.round = 'main' AND a.state = 'extra' ORDER BY i.id"
)
_TAKERS = Prepared(
    "SELECT id, state FROM assignment WHERE item = :item AND round = 'main' AND state IN ('open', 'done')"
    " ORDER BY CASE state WHEN 'open' THEN 0 ELSE 1 END, id DESC"
)
_TAKEN = Prepared("SELECT taken FROM item WHERE id = :id")


def set_rules(tx: Connection, rules: Rules, now: float) -> None:
    """Write the rules.

    With fewer raters per item, places above k are given back: leases first, then the latest answers, which become
    extra. With more, extra answers get places first.
    """
    before = current_rules(tx) if get_value(tx, "rules") is not None else None
    set_value(tx, "rules", rules.to_json())
    note(tx, now, "rules", data=rules.to_json())
    k = rules.raters_per_item
    if before is not None and k < before.raters_per_item:
        for (item,) in _OVER(tx, k=k).fetchall():
            surplus = _TAKEN(tx, id=item).fetchone()[0] - k
            for assignment, state in _TAKERS(tx, item=item).fetchall()[:surplus]:
                if state == "open":
                    give_back(tx, assignment, now)
                else:
                    change(tx, held(tx, assignment), "extra", now)
    elif before is not None and k > before.raters_per_item:
        for (item,) in _UNDER(tx, k=k).fetchall():
            fill(tx, item, _TAKEN(tx, id=item).fetchone()[0], now)


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
            what = f"an item's name or answer has the character U+0000: '{item.name}'"
            raise UsageError(Problem("judge-item-name", what, fix="take it out"))
        known = _NAMED(tx, name=item.name).fetchone()
        if known is not None:
            raise _known(item, JudgedItem.from_json(known[1]))
    first = _NEXT_PLACE(tx).fetchone()[0]
    places = list(range(first, first + sum(item.kind == "work" for item in new)))
    SystemRandom().shuffle(places)
    names: set[str] = set()
    for item in new:
        if item.name in names:
            raise _known(item, item)
        names.add(item.name)
        place = places.pop() if item.kind == "work" else None
        content = {"payload": item.to_json(), "text_hash": item.text_hash(), "gold_class": item.gold_class}
        _INSERT(tx, name=item.name, kind=item.kind, place=place, **content)
        if place is not None:
            enter(tx, place, 0)
    note(tx, now, "items", data=json.dumps({"added": len(new)}))
    return len(new)


def all_items(tx: Connection) -> Iterator[JudgedItem]:
    """The items as they stand."""
    for (payload,) in _ALL(tx).fetchall():
        yield JudgedItem.from_json(payload)


def stop_item(tx: Connection, name: str, reason: str, now: float) -> None:
    """Ask for no more judgments of an item; leases of it may still be answered.

    Raises:
        UsageError: If there is no such item, or no reason.
    """
    if not reason.strip():
        raise UsageError(Problem("judge-no-reason", "an item is stopped with a reason"))
    if reason.startswith(HALTED):  # or the whole study would seem halted, and to resume it would open the item
        what = f"the reason begins with '{HALTED.strip()}', as that of a study that is halted"
        raise UsageError(Problem("judge-reason", what, fix="say it in other words"))
    known = _NAMED(tx, name=name).fetchone()
    if known is None:
        raise UsageError(Problem("judge-no-item", f"the study has no item '{name}'"))
    number, _, place, taken, stopped = known
    if not stopped and place is not None:
        leave(tx, place, taken)
    _STOP(tx, id=number, reason=reason)
    note(tx, now, "stopped", data=json.dumps({"item": name, "reason": reason}, ensure_ascii=False))


def _known(item: JudgedItem, known: JudgedItem) -> UsageError:
    if item == known:
        what = f"the study has an item '{item.name}' already"
        return UsageError(Problem("judge-item-exists", what, fix="add each item once"))
    what = f"the study has another item '{item.name}', and raters may have judged it"
    return UsageError(Problem("judge-item-changed", what, fix="give the new one another name, and stop the old one"))
