"""Invitations: links that make somebody a rater, personal ones and those of a crowd.

The store keeps fingerprints of the links alone. A link follows from the study's key and the label, so that the manager
can see it again, and nobody who has the store without its key can.
"""

from __future__ import annotations

import json
import secrets
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, islice
from os import PathLike
from typing import Annotated, Literal

from sqlalchemy import Connection, Row, delete, exists, func, insert, select, update

from errorbar.api.arguments import Bounds, Count, public
from errorbar.core.problems import Problem, UsageError
from errorbar.judging.random_tokens import derive_token, fingerprint, fresh_seed
from errorbar.judging.store.tables import ASSIGNMENT, EVENT, INVITE, RATER
from errorbar.judging.study.folder import Study
from errorbar.judging.study.rules import current_rules, get_value, study_clock
from errorbar.judging.web.listening import Reach
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

CrowdKind = Literal["crowd", "named", "trusting"]
InviteKind = Literal["personal", "back"] | CrowdKind
"""``back``: for a rater who has come already; the others but the first are of a crowd. ``named``: who comes without a
participant id types one; ``trusting``: ids come from a service that keeps them to itself, so that an id is proof enough
in any browser."""
InviteState = Literal["open", "in use", "expired", "revoked", "used up"]
"""``in use``: of one person, who came by it and may come again; ``used up``: as many raters as may came by it."""
MOST_PARTICIPANT = 200
NAMELESS = "nameless:"
"""So begins what stands for the id of a rater who came by a crowd's link without one."""
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
        """Whether somebody can come by it."""
        if self.revoked is not None:
            return "revoked"
        if self.expires is not None and now >= self.expires:
            return "expired"
        if self.most_uses is None or self.uses < self.most_uses:
            return "open"
        return "in use" if self.is_personal else "used up"


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
    return derive_token(key, "invite", label)


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
        message = f"there is an invitation or a rater called '{label}' already"
        raise UsageError(Problem("judge-invite-label", message, fix="choose another name"))
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
        message = f"there is no invitation called '{label}'"
        raise UsageError(Problem("judge-no-invite", message, fix="errorbar judge invite STUDY lists all"))
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
    rater: int | None = tx.scalar(select(RATER.c.id).where(same_person))
    return rater if participant or invite.is_personal else None


def is_let_in_again(tx: Connection, rater: int, now: float) -> bool:
    """Whether a link that a rater has lets them in once no cookie proves who they are."""
    row = tx.execute(select(RATER.c.name, RATER.c.invite, RATER.c.participant).where(RATER.c.id == rater)).one()
    own = _INVITES.where((INVITE.c.id == row.invite) | ((INVITE.c.kind == "back") & (INVITE.c.label == row.name)))
    return any(
        (invite.is_personal or (invite.kind == "trusting" and bool(participant_id(row.participant or ""))))
        and invite.state(now) not in ("revoked", "expired")
        for invite in map(_invite, tx.execute(own))
    )


def participant_id(key: str) -> str:
    """The id that a service gave a rater, of what the store calls them; empty: they came without one."""
    kind, _, name = key.partition(":")
    return name if kind == "id" and not name.startswith(NAMELESS) else ""


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
    key = f"invite:{invite.id}" if personal else f"id:{participant or NAMELESS + secrets.token_urlsafe(16)}"
    name = invite.label if personal else _next_name(tx)
    values = {"name": name, "participant": key, "invite": invite.id, "seed": fresh_seed()}
    inserted = tx.execute(
        insert(RATER).values(**values, status="active", joined=now, agreed=json.dumps(agreed, ensure_ascii=False))
    )
    rater = int((inserted.inserted_primary_key or (0,))[0])
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
    names = map("rater-{}".format, count((tx.scalar(select(func.count()).select_from(RATER)) or 0) + 1))
    return next(name for name in names if not _name_taken(tx, name) and not _label_taken(tx, name))


def _label_taken(tx: Connection, label: str) -> bool:
    """As the name of a rater that was invited and has not come."""
    return tx.scalar(select(INVITE.c.id).where(INVITE.c.label == label)) is not None


def _note(tx: Connection, now: float, kind: str, data: Mapping[str, object]) -> None:
    tx.execute(insert(EVENT).values(at=now, kind=kind, data=json.dumps(data, ensure_ascii=False)))


# ``judge_invite``: links for raters, made, listed and revoked.


MOST_RATERS = 10_000
MOST_NAME = 100
ADDRESS = "address"
"""The name in the store of the address under which the study was served last: links begin with it."""


@dataclass(frozen=True, slots=True)
class Link:
    """An invitation as the manager sees it."""

    invite: Invite
    url: str
    state: InviteState

    def record(self) -> dict[str, object]:
        """For JSON; times as ISO 8601 in UTC."""
        invite = self.invite
        fields = {"name": invite.label, "link": self.url, "kind": invite.kind, "state": self.state}
        times = {name: iso_time(getattr(invite, name)) for name in ("made", "expires", "revoked")}
        return {**fields, **times, "uses": invite.uses, "most_uses": invite.most_uses}


@dataclass(frozen=True, slots=True, repr=False)
class Invited(Result):
    """Links of a study.

    Attributes:
        links: Those that were made or revoked, or all.
        whole: Whether tables tell everything about them, or name and link alone.
        notes: Warnings.
        new: Those that were made.
    """

    links: Sequence[Link]
    whole: bool
    notes: Sequence[Problem] = ()
    new: Sequence[Invite] = ()

    def to_dict(self) -> dict[str, object]:
        """Every link."""
        return {"invitations": [link.record() for link in self.links]}

    def tables(self) -> list[Table]:
        """A row for each link."""
        columns = [Column("name"), Column("link")]
        if self.whole:
            columns += [*map(Column, ("kind", "state")), Column("raters", "count"), Column("expires")]
        rows = []
        for link in self.links:
            details = [link.invite.kind, link.state, link.invite.uses, iso_time(link.invite.expires) or "never"]
            rows.append([link.invite.label, link.url, *(details if self.whole else ())])
        return [Table(columns, rows, "Invitations", "invitations")]


@public()
def judge_invite(
    study: str | PathLike[str],
    *,
    raters: Annotated[int, Bounds(1, MOST_RATERS)] = 0,
    names: Sequence[str] = (),
    crowd: str = "",
    kind: CrowdKind = "crowd",
    back: str = "",
    revoked: str = "",
    days: Annotated[float, Bounds(0, 36500, "low high")] | None = None,
    most: Count | None = None,
) -> Invited:
    """Make links by which raters come, or revoke one; with neither, list all.

    Args:
        study: Its folder.
        raters: How many personal links to make, for ``rater-1``, ``rater-2`` and so on; names in use are passed over.
        names: Make a personal link for a rater of this name, by which exports name them.
        crowd: Make one link for many raters, with this name.
        kind: Of the crowd's link: raters without an id in their link get one, type one (named), or come back by their
            id in any browser (trusting).
        back: Make a link for a rater who has come already, by the name that exports have: they go on by it in any
            browser, as often as they like, and nobody else comes by it. If a link of theirs opens still, it is that
            one, as it is.
        revoked: Close the link of this name; raters who came by it can go on.
        days: For how many days from now new links open, e.g. 0.5. None: for ever. Later they let nobody in but raters
            who come back in a browser in which they worked; who is at work goes on.
        most: How many raters may come by the crowd's link. None: any number.

    Returns:
        The links, each of which opens its door: pass them on as one passes on passwords.
    """
    _refuse_unfit(names, crowd, most)
    opened = Study.open(study)
    clock = study_clock()

    def work(tx: Connection) -> tuple[list[Invite], list[Problem]]:
        now, key = clock(), opened.secrets.cookie
        expires = None if days is None else now + days * 86400
        invites = [revoke(tx, revoked, now)] if revoked else []
        personal = [*names, *_free_names(tx, raters)]
        invites += [make_invite(tx, key, "personal", name, now, (expires, 1)) for name in personal]
        if crowd:
            invites.append(make_invite(tx, key, kind, crowd, now, (expires, most)))
        if back:
            invites.append(_invite_back(tx, key, back, now, expires))
        return invites, _warn_of_few(tx, now)

    with opened.store() as store:
        with store.read() as snapshot:
            base, listed = get_value(snapshot, ADDRESS) or Reach().url, all_invites(snapshot)
        changes = bool(raters or names or crowd or back or revoked)
        invites, notes = store.write(work) if changes else (listed, [])
        return Invited(
            [link_of(opened.secrets.cookie, base, invite, clock()) for invite in invites],
            whole=bool(revoked) or not changes,
            notes=notes,
            new=[invite for invite in invites if invite not in listed and invite.revoked is None],
        )


def take_back_links(study: str | PathLike[str], result: Invited) -> None:
    """Delete the links of a result that could not be written: nobody has them."""
    with Study.open(study).store() as store:
        store.write(lambda tx: take_back(tx, result.new, study_clock()()))


def standing_link(study: Study, tx: Connection, now: float, base: str) -> str:
    """The link that ``serve`` shows: for everybody, where nobody was invited otherwise; empty: there is none."""
    invites = all_invites(tx) or [make_invite(tx, study.secrets.cookie, "crowd", OPEN_LABEL, now, (None, None))]
    shown = [invite for invite in invites if not invite.is_personal and invite.state(now) == "open"]
    return link_of(study.secrets.cookie, base, shown[0], now).url if shown else ""


def link_of(key: str, base: str, invite: Invite, now: float) -> Link:
    """An invitation as a link that begins with ``base``."""
    return Link(invite, f"{base}/j/{invite_token(key, invite.label)}", invite.state(now))


def _invite_back(tx: Connection, key: str, name: str, now: float, expires: float | None) -> Invite:
    """The link that a rater has already and that still opens, or a new one."""
    row = tx.execute(_INVITES.where(INVITE.c.label == name)).one_or_none()
    if row is not None and _name_taken(tx, name):
        known = _invite(row)
        if known.state(now) in ("open", "in use"):
            return known
        message = f"the link of '{name}' has {'expired' if known.revoked is None else 'been revoked'}"
        fix = "they work on in the browser in which they began; a rater has one link"
        raise UsageError(Problem("judge-invite-label", message, fix=fix))
    invite = make_invite(tx, key, "back", name, now, (expires, None))
    if rater_of(tx, invite) is None:
        message = f"no rater is called '{name}'"
        raise UsageError(Problem("judge-no-rater", message, fix="errorbar judge raters STUDY lists all"))
    return invite


def _free_names(tx: Connection, wanted: int) -> list[str]:
    """Names that no link has and nobody who came: who comes by a crowd's link is called so, too."""
    taken = {invite.label for invite in all_invites(tx)} | set(tx.scalars(select(RATER.c.name)))
    return [*islice((name for number in count(1) if (name := f"rater-{number}") not in taken), wanted)]


def _warn_of_few(tx: Connection, now: float) -> list[Problem]:
    """A warning, as more can be invited at any time, where the raters that may come cannot make k judgments."""
    wanted = current_rules(tx).raters_per_item
    able = 0
    for invite in all_invites(tx):
        if invite.kind == "back" or invite.state(now) in ("revoked", "expired"):
            able += invite.uses if invite.kind != "back" else 0
        elif invite.most_uses is None:
            return []
        else:
            able += max(invite.most_uses, invite.uses)
    if able >= wanted:
        return []
    who = f"only {able} rater{' is' if able == 1 else 's are'} invited"
    message = f"{who}, and every item is to be judged by {wanted} different ones: no item can be finished"
    return [Problem("judge-few-raters", message, fix=f"invite {wanted - able} more, or a crowd", severity="warning")]


def refuse_label(name: str) -> None:
    """See that a name can be that of an invitation, and of a rater."""
    if not name or name != name.strip() or len(name) > MOST_NAME or not name.isprintable():
        message = f"the name of an invitation must be a text of 1 to {MOST_NAME} characters, got '{name}'"
        raise UsageError(Problem("judge-invite-label", message))


def _refuse_unfit(names: Sequence[str], crowd: str, most: int | None) -> None:
    for name in (*names, *filter(None, [crowd])):
        refuse_label(name)
    if len(set(names)) < len(names):
        raise UsageError(Problem("judge-invite-label", "a name is given twice", fix="give each rater a name"))
    if most is not None and not crowd:
        raise UsageError(Problem("bad-parameter", "--most is about the link of a crowd", fix="add --crowd"))


def iso_time(at: float | None) -> str | None:
    """A time of the store as ISO 8601 in UTC."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
