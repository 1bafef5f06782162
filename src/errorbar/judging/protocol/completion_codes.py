"""Completion codes: what a rater of a crowd shows to be paid.

A code is random, given when the work is done, and redeemed once. It counts as long as its rater keeps the judgments
that it was given for and is not excluded.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from errorbar.judging.random_tokens import same
from errorbar.judging.store.tables import EVENT, RATER

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for another."""
GROUPS, LENGTH = 3, 4


@dataclass(frozen=True, slots=True)
class Redeemed:
    """The result of redeeming a code.

    Attributes:
        rater: Whose it is; empty: nobody was given it.
        before: When it was redeemed before; None: never, and from now on it is, unless it was withdrawn.
        withdrawn: Why the code does not count; empty: it does.
    """

    rater: str
    before: float | None = None
    withdrawn: str = ""


def new_code() -> str:
    """A code of 59 random bits."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for _ in range(GROUPS))


def is_earned(status: str, judged: int, code_for: int | None) -> bool:
    """Whether a code counts: its rater is not excluded, and still has the judgments that it was given for."""
    return status == "active" and code_for is not None and judged >= code_for


def issue_code(tx: Connection, rater: int, judged: int, now: float) -> str:
    """The rater's code, for so many judgments: made at the first call, the same ever after.

    Called in the transaction that finds the work done, so that a code is out exactly when the last answer is stored,
    and a last post that is sent again gets the same one.
    """
    known: str | None = tx.scalar(select(RATER.c.code).where(RATER.c.id == rater))
    code = known or new_code()
    tx.execute(update(RATER).where(RATER.c.id == rater).values(code=code, code_for=judged))
    tx.execute(insert(EVENT).values(at=now, kind="code", rater=rater, data=json.dumps({"judged": judged})))
    return code


def redeem(tx: Connection, code: str, now: float) -> Redeemed:
    """Look a code up, by comparisons that take the same time for every code, and mark it as used."""
    wanted = code.strip().upper()
    rows = tx.execute(select(RATER).where(RATER.c.code.is_not(None)))
    owner = None
    for row in rows.all():
        if same(row.code, wanted):
            owner = row
    if owner is None:
        return Redeemed("")
    withdrawn = ""
    if not is_earned(owner.status, owner.judged, owner.code_for):
        fewer = f"of the {owner.code_for} judgments that it was given for {owner.judged} are left"
        withdrawn = fewer if owner.status == "active" else "they are excluded"
    elif owner.code_used is None:
        tx.execute(update(RATER).where(RATER.c.id == owner.id).values(code_used=now))
        tx.execute(insert(EVENT).values(at=now, kind="redeemed", rater=owner.id, data=json.dumps({"code": owner.code})))
    return Redeemed(owner.name, owner.code_used, withdrawn)
