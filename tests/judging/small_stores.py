"""Stores filled by hand, for tests of what reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import Connection, create_engine, insert

from errorbar.judging import RATER, JudgedItem, Scheme, StudyInfo, StudyRules, set_value, write_about
from errorbar.judging.store.tables import ANSWER, ASSIGNMENT, EXCLUSION, ITEM, METADATA


@dataclass(frozen=True)
class StoredAnswer:
    """One answer, or an item that is still held (None)."""

    rater: str
    item: str
    answer: Mapping[str, object] | None
    round: str = "main"
    reversed: bool = False
    state: str = "done"
    milliseconds: int = 3000
    at: float = 0.0
    earlier: Sequence[Mapping[str, object]] = field(default=())  # versions that it replaced
    skip: str = ""


@contextmanager
def filled(
    scheme: Scheme,
    items: Sequence[JudgedItem],
    said: Sequence[StoredAnswer],
    rules: StudyRules | None = None,
    excluded: Sequence[Mapping[str, object]] = (),
    stopped: Mapping[str, str] | None = None,
) -> Iterator[Connection]:
    """A store in memory, as ``fill`` fills it."""
    engine = create_engine("sqlite://")
    METADATA.create_all(engine)
    with engine.begin() as tx:
        fill(tx, scheme, items, said, rules, excluded, stopped)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def fill(
    tx: Connection,
    scheme: Scheme,
    items: Sequence[JudgedItem],
    said: Sequence[StoredAnswer],
    rules: StudyRules | None = None,
    excluded: Sequence[Mapping[str, object]] = (),
    stopped: Mapping[str, str] | None = None,
) -> None:
    """Put items and answers into a store, in the order given; answers come a second apart unless they say when."""
    names = list(dict.fromkeys(each.rater for each in said))
    place = {item.name: number for number, item in enumerate(items, 1)}
    about = StudyInfo(scheme, rules or StudyRules(), "", "test")
    write_about(tx, about)
    set_value(tx, "rules", about.rules.to_json())
    taken = Counter(each.item for each in said if each.round == "main" and each.state in ("open", "done"))
    for item in items:
        row = {"id": place[item.name], "name": item.name, "kind": item.kind, "gold_class": (*item.answers, "")[0]}
        row |= {"payload": item.to_json(), "text_hash": item.text_hash(), "taken": taken[item.name]}
        tx.execute(insert(ITEM), {**row, "stopped": (stopped or {}).get(item.name, "")})
    for number, name in enumerate(names, 1):
        row = {"id": number, "name": name, "participant": name, "seed": 1, "status": "active", "joined": 0.0}
        tx.execute(insert(RATER), row)
    for one in excluded:
        number = names.index(str(one["rater"])) + 1
        row = {"reason": "test", "by": "manager", "since": 0.0, **one, "rater": number}
        tx.execute(insert(EXCLUSION), row)
    for number, each in enumerate(said, 1):
        versions = [*each.earlier, *([] if each.answer is None and not each.skip else [each.answer])]
        row = {"id": number, "token": str(number), "item": place[each.item], "rater": names.index(each.rater) + 1}
        row |= {"round": each.round, "seq": number, "reversed": int(each.reversed), "state": each.state}
        tx.execute(insert(ASSIGNMENT), {**row, "version": len(versions), "lease_until": 1e12})
        for version, answer in enumerate(versions, 1):
            row = {"submission": f"{number}-{version}", "assignment": number, "version": version, "skip": each.skip}
            row |= {"answer": json.dumps(answer), "milliseconds": each.milliseconds, "status": "saved"}
            tx.execute(insert(ANSWER), {**row, "at": each.at or float(number)})
