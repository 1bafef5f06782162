"""``judge_invite``: links for raters, made, listed and revoked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, select

from errorbar.core.errors import Problem, UsageError
from errorbar.judging.invitations import (
    OPEN_LABEL,
    Invite,
    InviteKind,
    InviteState,
    all_invites,
    invite_token,
    make_invite,
    rater_of,
    revoke,
    take_back,
)
from errorbar.judging.listening import Reach
from errorbar.judging.store_tables import RATER
from errorbar.judging.study_clock import study_clock
from errorbar.judging.study_folder import Study
from errorbar.judging.study_values import current_rules, get_value
from errorbar.studies.door import public
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

MOST_RATERS, MOST_NAME = 10_000, 100
ADDRESS = "address"
"""What the store calls the address under which the study was served last: links begin with it."""


@dataclass(frozen=True, slots=True)
class Link:
    """An invitation as the manager sees it."""

    invite: Invite
    url: str
    state: InviteState

    def record(self) -> dict[str, object]:
        """For JSON; times as ISO 8601 in UTC."""
        invite = self.invite
        told = {"name": invite.label, "link": self.url, "kind": invite.kind, "state": self.state}
        times = {name: iso_time(getattr(invite, name)) for name in ("made", "expires", "revoked")}
        return {**told, **times, "uses": invite.uses, "most_uses": invite.most_uses}


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
        for each in self.links:
            rest = [each.invite.kind, each.state, each.invite.uses, iso_time(each.invite.expires) or "never"]
            rows.append([each.invite.label, each.url, *(rest if self.whole else ())])
        return [Table(columns, rows, "Invitations", "invitations")]


@public()
def judge_invite(
    study: str | Path,
    *,
    raters: int = 0,
    names: Sequence[str] = (),
    crowd: str = "",
    kind: InviteKind = "crowd",
    back: str = "",
    revoked: str = "",
    days: float | None = None,
    most: int | None = None,
) -> Invited:
    """Make links by which raters come, or revoke one; with neither, list all.

    Args:
        study: Its folder.
        raters: How many personal links to make, for ``rater-1``, ``rater-2`` and so on; names in use are passed over.
        names: Personal links for raters of these names, by which exports name them.
        crowd: Make one link for many raters, called so.
        kind: Of the crowd's link: ``crowd``, ``named`` or ``trusting``.
        back: Make a link for a rater who has come already, e.g. to go on in another browser.
        revoked: Close the link of this name; who came by it works on.
        days: How long new links open; None: for ever.
        most: How many raters may come by the crowd's link; None: any number.

    Returns:
        The links, each of which opens its door: pass them on as one passes on passwords.
    """
    _refuse_unfit(raters, names, crowd, days, most)
    opened = Study.open(study)
    clock = study_clock()
    store = opened.store()
    try:
        with store.read() as snapshot:
            base = get_value(snapshot, ADDRESS) or Reach().url
        if not (raters or names or crowd or back or revoked):
            with store.read() as snapshot:
                found = all_invites(snapshot)
            return Invited([link_of(opened.secrets.cookie, base, each, clock()) for each in found], whole=True)

        def work(tx: Connection) -> tuple[list[Invite], list[Problem]]:
            now = clock()
            made = [revoke(tx, revoked, now)] if revoked else []
            limits = None if days is None else now + days * 86400, most
            key = opened.secrets.cookie
            personal = [*names, *_free_names(tx, raters)]
            made += [make_invite(tx, key, "personal", name, now, (limits[0], 1)) for name in personal]
            if crowd:
                made.append(make_invite(tx, key, kind, crowd, now, limits))
            if back:
                made.append(_made_back(tx, key, back, now, limits[0]))
            return made, _too_few(tx, now)

        made, notes = store.write(work)
        return Invited(
            [link_of(opened.secrets.cookie, base, each, clock()) for each in made],
            whole=bool(revoked),
            notes=notes,
            new=[invite for invite in made if invite.revoked is None],
        )
    finally:
        store.close()


def take_back_links(study: str | Path, result: Invited) -> None:
    """Delete the links of a result that could not be written: nobody has them."""
    with Study.open(study).store() as store:
        store.write(lambda tx: take_back(tx, result.new, study_clock()()))


def standing_link(study: Study, tx: Connection, now: float, base: str) -> str:
    """The link that ``serve`` shows: for everybody, where nobody was invited otherwise; empty: there is none."""
    known = all_invites(tx)
    if not known:
        known = [make_invite(tx, study.secrets.cookie, "crowd", OPEN_LABEL, now, (None, None))]
    shown = [each for each in known if not each.is_personal and each.state(now) == "open"]
    return link_of(study.secrets.cookie, base, shown[0], now).url if shown else ""


def link_of(key: str, base: str, invite: Invite, now: float) -> Link:
    """An invitation as a link that begins with ``base``."""
    return Link(invite, f"{base}/j/{invite_token(key, invite.label)}", invite.state(now))


def _made_back(tx: Connection, key: str, name: str, now: float, expires: float | None) -> Invite:
    made = make_invite(tx, key, "back", name, now, (expires, None))
    if rater_of(tx, made) is None:
        what = f"no rater is called '{name}'"
        raise UsageError(Problem("judge-no-rater", what, fix="errorbar judge raters STUDY lists all"))
    return made


def _free_names(tx: Connection, wanted: int) -> list[str]:
    """Names that no link has and nobody who came: who comes by a crowd's link is called so, too."""
    taken = {each.label for each in all_invites(tx)} | set(tx.scalars(select(RATER.c.name)))
    names: list[str] = []
    number = 0
    while len(names) < wanted:
        number += 1
        if f"rater-{number}" not in taken:
            names.append(f"rater-{number}")
    return names


def _too_few(tx: Connection, now: float) -> list[Problem]:
    """A warning, as more can be invited at any time, where the raters that may come cannot make k judgments."""
    wanted = current_rules(tx).raters_per_item
    able = 0
    for each in all_invites(tx):
        if each.kind == "back" or each.state(now) in ("revoked", "expired"):
            able += each.uses if each.kind != "back" else 0
        elif each.most_uses is None:
            return []
        else:
            able += max(each.most_uses, each.uses)
    if able >= wanted:
        return []
    who = f"only {able} rater{' is' if able == 1 else 's are'} invited"
    what = f"{who}, and every item is to be judged by {wanted} different ones: no item can be finished"
    return [Problem("judge-few-raters", what, fix=f"invite {wanted - able} more, or a crowd", severity="warning")]


def refuse_label(name: str) -> None:
    """See that a name can be that of an invitation, and of a rater."""
    if not name or name != name.strip() or len(name) > MOST_NAME or not name.isprintable():
        what = f"the name of an invitation must be a text of 1 to {MOST_NAME} characters, got '{name}'"
        raise UsageError(Problem("judge-invite-label", what))


def _refuse_unfit(raters: int, names: Sequence[str], crowd: str, days: float | None, most: int | None) -> None:
    for name in (*names, *filter(None, [crowd])):
        refuse_label(name)
    if len(set(names)) < len(names):
        raise UsageError(Problem("judge-invite-label", "a name is given twice", fix="give each rater a name"))
    if not 0 <= raters <= MOST_RATERS:
        raise UsageError(Problem("bad-parameter", f"--raters must be from 1 to {MOST_RATERS:,}, got {raters}"))
    if days is not None and not 0 < days < 36500:
        raise UsageError(Problem("bad-parameter", f"--days must be above 0, got {days:g}"))
    if most is not None and (most < 1 or not crowd):
        what = f"--most must be 1 or more, got {most}" if most < 1 else "--most is about the link of a crowd"
        raise UsageError(Problem("bad-parameter", what, fix="" if most < 1 else "add --crowd"))


def iso_time(at: float | None) -> str | None:
    """A time of the store as ISO 8601 in UTC."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
