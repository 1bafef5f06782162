"""Simulated judges at work on a study's store, through the same protocol as browsers: claim, answer, submit."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from uuid import UUID

import numpy as np
from sqlalchemy import Connection, insert

from errorbar.judging import RATER, Store, Submission, claim, shown_hash, submit
from errorbar.judging.scheme import Standing
from errorbar.judging.study.rules import read_about
from tests.judging.simulated_judges import SimulatedJudge

LONGEST_WAIT = 30
"""Seconds that a judge who has nothing to do waits before asking again."""


def simulate_work(
    store: Store,
    judges: Sequence[SimulatedJudge],
    generator: np.random.Generator,
    *,
    start: float,
    page: int = 10,
    after_page: Callable[[], object] = lambda: None,
) -> float:
    """Let judges work side by side until nothing is left for any of them.

    Args:
        store: Of the study; every judge is a new rater of it.
        judges: Who works.
        generator: The stream of random numbers.
        start: When they begin, in seconds since 1970; what they do is written as of their own time.
        page: Items that they take at a time.
        after_page: Called whenever somebody has judged a page.

    Returns:
        When the last answer was given.
    """
    seeds = generator.integers(2**31, size=len(judges)).tolist()
    numbers = [
        store.write(partial(_join, name=f"{judge.kind}-{at}", seed=seed, now=start))
        for at, (judge, seed) in enumerate(zip(judges, seeds, strict=True), 1)
    ]
    times = [start + float(generator.random()) for _ in judges]
    idle = [0] * len(judges)
    while active := [at for at in range(len(judges)) if idle[at] < 2]:
        at = min(active, key=times.__getitem__)
        number, judge, now = numbers[at], judges[at], times[at]
        standing, took = store.write(lambda tx: work_page(tx, number, judge, generator, now, page))  # noqa: B023
        after_page()
        times[at] = now + (took or LONGEST_WAIT)
        idle[at] = 2 if standing in ("finished", "failed", "excluded") else 0 if took else idle[at] + 1
    return max(times)


def work_page(
    tx: Connection, rater: int, judge: SimulatedJudge, generator: np.random.Generator, now: float, page: int = 10
) -> tuple[Standing, float]:
    """A page of a rater's work in one transaction; their standing before it, and the seconds that it took."""
    about = read_about(tx)
    work, spent = claim(tx, about.rules, rater, page, now), 0.0
    for lease in work.leases:
        answer = judge.answer(about.scheme, lease.item, lease.reversed, generator)
        took = judge.milliseconds(generator)
        spent += took / 1000
        name = str(UUID(bytes=generator.bytes(16), version=4))
        text_hash = shown_hash(about.scheme, lease.item, lease.reversed)
        one = Submission(name, lease.token, text_hash, lease.version, answer, milliseconds=took)
        submit(tx, about.scheme, about.rules, rater, [one], now + spent)
    return work.standing, spent


def _join(tx: Connection, name: str, seed: int, now: float) -> int:
    row = {"name": name, "participant": name, "seed": seed, "status": "active", "joined": now, "agreed": json.dumps({})}
    return int((tx.execute(insert(RATER).values(**row)).inserted_primary_key or (0,))[0])
