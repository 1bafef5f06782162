"""Invitations: links that make somebody a rater, personal ones and those of a crowd.

The store keeps fingerprints of the links alone. A link follows from the study's key and the label, so that the manager
can see it again, and nobody who has the store without its key can.
"""

from __future__ import annotations

import json
import secrets
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, Row, delete, exists, func, insert, select, update

from errorbar.core.errors import Problem, UsageError
from errorbar.judging.random_tokens import derived, fingerprint
from errorbar.judging.store_tables import ASSIGNMENT, EVENT, INVITE, RATER

InviteKind = Literal["personal", "back", "crowd", "named", "trusting"]
"""``back``: for a rater who has come already; the others but the first are of a crowd. ``named``: who comes without a
participant id types one; ``trusting``: ids come from a service that keeps them to itself, so that an id is proof enough
in any browser."""
InviteState = Literal["open", "expired", "revoked", "used up"]
MOST_PARTICIPANT = 200
OPEN_LABEL = "everybody"
"""Of the link that ``serve`` opens where nobody was invited."""


@dataclass(frozen=True, slots=True)
class Invite:
    """A link.

    Attributes:
        id: In the store.
        kind: For one person, or for a crowd.
        label: What the manager calls it; of those for one person the rater's name.
        made: When.
        expires: From when it opens nothing; None: never.
        revoked: When it was revoked.
        uses: Raters that came by it.
        most_uses: How many may; None: any number.
    """

    id: int
    kind: InviteKind
    label: str
    made: float
    expires: float | None
    revoked: float | None
    uses: int
    most_uses: int | None

    @property
    def is_personal(self) -> bool:
        """Whether it is one person's, who it proves to be."""
        return self.kind in ("personal", "back")

    def state(self, now: float) -> InviteState:
        """Whether a new rater can come by it."""
        if self.revoked is not None:
            return "revoked"
        if self.expires is not None and now >= self.expires:
            return "expired"
        return "used up" if self.most_uses is not None and self.uses >= self.most_uses else "open"


@dataclass(frozen=True, slots=True)
class Joined:
    """Who came by a link.

    Attributes:
        rater: In the store.
        new: Whether they came for the first time.
    """

    rater: int
    new: bool


class ClosedError(Exception):
    """A link that lets nobody in any more; ``state`` says why."""

    def __init__(self, state: InviteState) -> None:
        self.state = state
        super().__init__(state)


class TakenError(Exception):
    """A participant id by which somebody works already, in another browser."""


def invite_token(key: str, label: str) -> str:
    """The secret part of a link."""
    return derived(key, "invite", label)


def make_invite(
    tx: Connection, key: str, kind: InviteKind, label: str, now: float, limits: tuple[float | None, int | None]
) -> Invite:
    """Make a link.

    Args:
        tx: Of the store.
        key: Of the study.
        kind: For whom.
        label: No other link has it, revoked ones included.
        now: The time.
        limits: When it expires, and how many raters may come by it.

    Raises:
        UsageError: If the label is taken, as that of a link or as the name of a rater.
    """
    if _label_taken(tx, label) or (kind != "back" and _name_taken(tx, label)):
        what = f"there is an invitation or a rater called '{label}' already"
        raise UsageError(Problem("judge-invite-label", what, fix="choose another name"))
    expires, most_uses = limits
    values = {"token_hash": fingerprint(invite_token(key, label)), "kind": kind, "label": label, "made": now}
    tx.execute(insert(INVITE).values(**values, expires=expires, most_uses=most_uses))
    _note(tx, now, "invited", {"label": label, "kind": kind})
    return _invite(tx.execute(_INVITES.where(INVITE.c.label == label)).one())


def all_invites(tx: Connection) -> list[Invite]:
    """Every link, in the order in which they were made."""
    return [_invite(row) for row in tx.execute(_INVITES.order_by(INVITE.c.id))]


def find_invite(tx: Connection, token: str) -> Invite | None:
    """The invitation that a link names: found by its fingerprint, so that no comparison tells anything of others."""
    row = tx.execute(_INVITES.where(INVITE.c.token_hash == fingerprint(token))).one_or_none()
    return None if row is None else _invite(row)


def revoke(tx: Connection, label: str, now: float) -> Invite:
    """Close a link; who came by it works on.

    Raises:
        UsageError: If there is none of that label.
    """
    row = tx.execute(_INVITES.where(INVITE.c.label == label)).one_or_none()
    if row is None:
        what = f"there is no invitation called '{label}'"
        raise UsageError(Problem("judge-no-invite", what, fix="errorbar judge invite STUDY lists all"))
    if row.revoked is None:
        tx.execute(update(INVITE).where(INVITE.c.id == row.id).values(revoked=now))
        _note(tx, now, "revoked", {"label": label})
    return _invite(tx.execute(_INVITES.where(INVITE.c.id == row.id)).one())


def take_back(tx: Connection, invites: Iterable[Invite], now: float) -> None:
    """Delete links that nobody was shown, so that their labels are free; those that somebody used stay."""
    for invite in invites:
        unused = exists().where(RATER.c.invite == invite.id)
        if tx.execute(delete(INVITE).where(INVITE.c.id == invite.id, ~unused)).rowcount:
            _note(tx, now, "taken back", {"label": invite.label})


def folded_name(name: str) -> str:
    """A name as typed names are compared: NFKC, without the difference of capital letters, spaces or format characters.

    So nobody works twice by a name that looks the same.
    """
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", " ".join(visible.casefold().split()))


def rater_of(tx: Connection, invite: Invite, participant: str = "") -> int | None:
    """Whom a link knows: that of one person this person, that of a crowd who came by that participant id."""
    if invite.kind == "back":
        same_person = RATER.c.name == invite.label
    elif invite.kind == "personal":
        same_person = RATER.c.participant == f"invite:{invite.id}"
    else:
        names = {participant, *([folded_name(participant)] if invite.kind == "named" else ())}
        same_person = RATER.c.participant.in_([f"id:{name}" for name in names])
    found: int | None = tx.scalar(select(RATER.c.id).where(same_person))
    return found if participant or invite.is_personal else None


def join(
    tx: Connection,
    invite: Invite,
    participant: str,
    agreed: Mapping[str, object],
    now: float,
    proven: Collection[int | None] = (),
) -> Joined:
    """Let somebody in, in one transaction with all that limits it.

    Args:
        tx: Of the store, exclusive.
        invite: As it was found; it is looked at again.
        participant: Their id at a crowd's service; empty: they have none, and get a random one.
        agreed: What they agreed to, stored with a new rater.
        now: The time.
        proven: Whom cookies of this browser prove it to be, also those that are too old to work with.

    Raises:
        ClosedError: If the link expired, was revoked, or is used up, and they are new.
        TakenError: If somebody in another browser has begun to work by this id. A link of the crowd is no proof
            of who one is: who knows another's id must not get their items.
    """
    invite = _invite(tx.execute(_INVITES.where(INVITE.c.id == invite.id)).one())
    state = invite.state(now)
    known = rater_of(tx, invite, participant)
    back = known is not None and known in proven  # with answers that wait in the browser, perhaps
    if state == "revoked" or (state == "expired" and not back):
        raise ClosedError(state)
    if known is not None:
        if invite.kind in ("crowd", "named") and not back and _has_begun(tx, known):
            raise TakenError
        return Joined(known, new=False)
    if state != "open":
        raise ClosedError(state)
    tx.execute(update(INVITE).where(INVITE.c.id == invite.id).values(uses=INVITE.c.uses + 1))
    personal = invite.kind == "personal"
    participant = folded_name(participant) if invite.kind == "named" else participant
    key = f"invite:{invite.id}" if personal else f"id:{participant or secrets.token_urlsafe(16)}"
    name = invite.label if personal else _next_name(tx)
    values = {"name": name, "participant": key, "invite": invite.id, "seed": secrets.randbelow(2**31)}
    made = tx.execute(
        insert(RATER).values(**values, status="active", joined=now, agreed=json.dumps(agreed, ensure_ascii=False))
    )
    rater = int((made.inserted_primary_key or (0,))[0])
    tx.execute(insert(EVENT).values(at=now, kind="joined", rater=rater, data=json.dumps({"invite": invite.label})))
    return Joined(rater, new=True)


_INVITES = select(*(column for column in INVITE.c if column.name != "token_hash"))


def _invite(row: Row[tuple[object, ...]]) -> Invite:
    return Invite(**row._asdict())


def _has_begun(tx: Connection, rater: int) -> bool:
    """Whether a rater was given an item: until then there is nothing that another browser could take from them."""
    return tx.scalar(select(ASSIGNMENT.c.id).where(ASSIGNMENT.c.rater == rater).limit(1)) is not None


def _name_taken(tx: Connection, name: str) -> bool:
    return tx.scalar(select(RATER.c.id).where(RATER.c.name == name)) is not None


def _next_name(tx: Connection) -> str:
    """A pseudonym, in the order of their coming."""
    number = (tx.scalar(select(func.count()).select_from(RATER)) or 0) + 1
    while _name_taken(tx, f"rater-{number}") or _label_taken(tx, f"rater-{number}"):
        number += 1
    return f"rater-{number}"


def _label_taken(tx: Connection, label: str) -> bool:
    """As the name of a rater that was invited and has not come."""
    return tx.scalar(select(INVITE.c.id).where(INVITE.c.label == label)) is not None


def _note(tx: Connection, now: float, kind: str, data: Mapping[str, object]) -> None:
    tx.execute(insert(EVENT).values(at=now, kind=kind, data=json.dumps(data, ensure_ascii=False)))
