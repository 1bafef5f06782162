"""Completion codes: what a rater of a crowd shows to be paid. Random, given when the work is done, redeemed once."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from errorbar.judging.random_tokens import same
from errorbar.judging.store_tables import EVENT, RATER

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for another."""
GROUPS, LENGTH = 3, 4


@dataclass(frozen=True, slots=True)
class Redeemed:
    """What became of a code that somebody brought.

    Attributes:
        rater: Whose it is; empty: nobody was given it.
        before: When it was redeemed before; None: never, and from now on it is.
    """

    rater: str
    before: float | None = None


def new_code() -> str:
    """A code of 59 random bits."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for _ in range(GROUPS))


def issue_code(tx: Connection, rater: int, now: float) -> str:
    """The rater's code: made at the first call, the same ever after.

    Called in the transaction that finds the work done, so that a code is out exactly when the last answer is stored,
    and a last post that is sent again gets the same one.
    """
    known: str | None = tx.scalar(select(RATER.c.code).where(RATER.c.id == rater))
    if known is not None:
        return known
    code = new_code()
    tx.execute(update(RATER).where(RATER.c.id == rater).values(code=code))
    tx.execute(insert(EVENT).values(at=now, kind="code", rater=rater))
    return code


def redeem(tx: Connection, code: str, now: float) -> Redeemed:
    """Look a code up, by comparisons that take the same time for every code, and mark it as used."""
    wanted = code.strip().upper()
    rows = tx.execute(
        select(RATER.c.id, RATER.c.name, RATER.c.code, RATER.c.code_used).where(RATER.c.code.is_not(None))
    )
    found = None
    for row in rows.all():
        if same(row.code, wanted):
            found = row
    if found is None:
        return Redeemed("")
    if found.code_used is None:
        tx.execute(update(RATER).where(RATER.c.id == found.id).values(code_used=now))
        tx.execute(insert(EVENT).values(at=now, kind="redeemed", rater=found.id, data=json.dumps({"code": found.code})))
    return Redeemed(found.name, found.code_used)
