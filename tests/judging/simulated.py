"""Raters without a browser: they claim and submit as the server lets them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import insert

from errorbar.judging import RATER, Lease, Scheme, Store, Study, Submission, claim, shown_hash, submit
from errorbar.judging.scheme import NOTHING
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.study.rules import read_about

COMMENT = 'a "remark", with\na line break, \U0001f600 and \u05d0\u05d1'


def any_answer(scheme: Scheme, random: Random) -> dict[str, Any]:
    """An answer that is whole."""
    options = scheme.question(scheme.main).values()
    if scheme.name == "cloze":
        return {"word": [NOTHING] if random.random() < 0.2 else random.sample(["on", "In", "of"], 2)}
    if scheme.name == "preposition":
        said = {"spelling": [], "determiner": [0], "grammar": [], "confidence": random.choice(["low", "high"])}
        rating = random.choice(options)
        words = {"prepositions": random.sample(["on", "in", "of"], 2)} if rating in ("incorrect", "equal") else {}
        return {**said, "rating": rating, **words}
    return {scheme.main: random.choice(options)}


def any_ranks(scheme: Scheme, lease: Lease, random: Random) -> dict[str, Any]:
    """A rank for each output, by chance."""
    n = len(lease.item.candidates)
    return {scheme.main: [random.randint(1, n) for _ in range(n)]}


def join(store: Store, *names: str) -> list[int]:
    """New raters."""

    def added(name: str) -> int:
        told = {"name": name, "participant": f"who {name} is", "seed": 7, "status": "active", "joined": 1.5}
        agreed = '{"consent": "I agree", "adult": "yes"}'
        made = insert(RATER).values(**told, agreed=agreed).returning(RATER.c.id)
        return int(store.write(lambda tx: tx.execute(made).scalar_one()))

    return [added(name) for name in names]


def work(
    folder: Path,
    raters: int = 4,
    most: int = 10**6,
    answer: Callable[[Scheme, Lease, Random], dict[str, Any] | None] | None = None,
    prefix: str = "rater",
) -> None:
    """Raters work until nothing is left for them; one answer in twenty is a skip, one in ten has a remark."""
    random, n = Random(raters), 0
    with Study.open(folder).store() as store:
        with store.read() as tx:
            about = read_about(tx)
        busy = join(store, *(f"{prefix}-{number}" for number in range(1, raters + 1)))
        while busy and n < most:
            rater = random.choice(busy)
            leases = store.write(partial(claim, rules=about.rules, rater_id=rater, want=10, now=store.clock())).leases
            if not leases:
                busy.remove(rater)
                continue
            posts = []
            for lease in leases:
                n += 1
                chosen = answer or (any_ranks if kind_of(about.scheme).ranks else None)
                said = chosen(about.scheme, lease, random) if chosen else any_answer(about.scheme, random)
                skip = "too long" if answer is None and random.random() < 0.05 else ""
                remark = COMMENT if random.random() < 0.1 else ""
                text_hash = shown_hash(about.scheme, lease.item, lease.reversed)
                told = f"{prefix}{n}", lease.token, text_hash, lease.version, None if skip else said
                posts.append(Submission(*told, skip, remark, random.randrange(500, 9000), {"first": 20}))
            call = partial(submit, scheme=about.scheme, rules=about.rules, rater_id=rater, submissions=posts)
            receipts = store.write(partial(call, now=store.clock()))
            assert {receipt.status for receipt in receipts} <= {"saved", "extra"}
