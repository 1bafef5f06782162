"""Completion codes: what a rater of a crowd shows to be paid, and the address to which they go back.

A code is random, given when the work is done, and redeemed once. It counts as long as its rater keeps the judgments
that it was given for and is not excluded.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from sqlalchemy import Connection, insert, select, update

from errorbar.core.problems import Problem, UsageError, shorten_text
from errorbar.judging.random_tokens import same
from errorbar.judging.store.tables import EVENT, RATER

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for another."""
GROUPS, LENGTH = 3, 4

CODE, PARTICIPANT = "{code}", "{participant}"
"""The words in a return address that stand for a rater's completion code, and for their id at a crowd's service."""
MOST_URL = 2000


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
    return status != "excluded" and code_for is not None and judged >= code_for


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
        withdrawn = fewer if owner.status != "excluded" else "they are excluded"
    elif owner.code_used is None:
        tx.execute(update(RATER).where(RATER.c.id == owner.id).values(code_used=now))
        tx.execute(insert(EVENT).values(at=now, kind="redeemed", rater=owner.id, data=json.dumps({"code": owner.code})))
    return Redeemed(owner.name, owner.code_used, withdrawn)


def check_return_url(url: str) -> None:
    """See that browsers may be sent to an address: that of a crowd's service, or a page of one's own.

    Raises:
        UsageError: If it is no address that begins with ``https://``, or names what no rater has.
    """
    try:
        parts = urlsplit(url)
        fits = parts.scheme == "https" and parts.hostname and parts.username is None and "{" not in parts.netloc
        fits = fits and len(url) <= MOST_URL and not re.search(r"[\s\x00-\x1f\x7f\\\"<>]", url)
        fits = fits and (parts.port is None or parts.port > 0)
    except ValueError:
        fits = False
    if url and not fits:
        message = f"--return-url must be an address that begins with https://, got '{shorten_text(url)}'"
        raise UsageError(Problem("judge-return-url", message))
    for name in re.findall(r"\{[^{}]*\}", url):
        if name not in (CODE, PARTICIPANT):
            fix = f"{CODE} stands for a rater's completion code, {PARTICIPANT} for their id"
            raise UsageError(Problem("judge-return-url", f"--return-url names {name}, which no rater has", fix=fix))


def return_address(url: str, participant: str, code: str) -> str:
    """A return address with what it names of a rater."""
    return url.replace(PARTICIPANT, quote(participant, safe="")).replace(CODE, quote(code, safe=""))
