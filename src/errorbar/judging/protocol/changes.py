"""Changes by a manager while raters work: the rules, and the items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from random import SystemRandom

from sqlalchemy import Connection, text

from errorbar.core.problems import Problem, UsageError
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.post_edit_kind import draw_places_of_outputs
from errorbar.judging.protocol.adaptive import draw_places
from errorbar.judging.protocol.assignments import (
    HALTED,
    change_states,
    note,
    promote_extras_statement,
    state_changes_statement,
)
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
        SystemRandom().shuffle(places)
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
