"""A store with a study and raters, made in this process: for tests below the server."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import insert

from errorbar.judging import RATER, JudgedItem, Scheme, Store, StudyInfo, StudyRules, add_items, set_rules, write_about


def fill_store(url: str, scheme: Scheme, rules: StudyRules, items: Iterable[JudgedItem]) -> None:
    """A new one."""
    with Store.create(url) as store, store.exclusive() as tx:
        write_about(tx, StudyInfo(scheme, rules, scheme.guidelines, "test"))
        set_rules(tx, rules, 0.0)
        add_items(tx, items, 0.0)


def add_raters(url: str, raters: Iterable[int]) -> None:
    """By their numbers, each with a seed of their own."""
    rows = [
        {"id": each, "name": f"r{each}", "participant": f"p{each}", "seed": each, "status": "active", "joined": 0.0}
        for each in raters
    ]
    with Store.open(url) as store:
        store.write(lambda tx: tx.execute(insert(RATER), rows))
