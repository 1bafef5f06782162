"""The manager's pages about doors: invitations, and completion codes."""

from __future__ import annotations

from sqlalchemy import Connection, func, select
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from errorbar.core.errors import UsageError
from errorbar.judging.invitations import InviteKind, all_invites, make_invite, revoke
from errorbar.judging.inviting import link_of, refuse_label
from errorbar.judging.rater_list import redeem_code
from errorbar.judging.store_tables import RATER
from errorbar.judging.web.desk import root_of
from errorbar.judging.web.manager_frame import Seat, after, page, posted, seated


async def invitations(request: Request) -> Response:
    """Every link, as it is passed on."""
    return await _invitations(request, await seated(request))


async def invite(request: Request) -> Response:
    """Make a link."""
    seat, form = await posted(request)
    name, personal = form.get("name", "").strip(), form.get("kind") != "crowd"

    def work(tx: Connection) -> None:
        refuse_label(name)
        kind: InviteKind = "personal" if personal else "crowd"
        make_invite(tx, seat.desk.key, kind, name, seat.desk.clock(), (None, 1 if personal else None))

    try:
        return await after(request, "/invitations", work)
    except UsageError as error:
        return await _invitations(request, seat.failed(error))


async def revoke_invite(request: Request) -> Response:
    """Close a link."""
    seat, form = await posted(request)
    try:
        return await after(request, "/invitations", lambda tx: revoke(tx, form.get("name", ""), seat.desk.clock()))
    except UsageError as error:
        return await _invitations(request, seat.failed(error))


async def codes(request: Request) -> Response:
    """Where codes are redeemed."""
    return await _codes(request, await seated(request))


async def redeem(request: Request) -> Response:
    """Take a code, once."""
    seat, form = await posted(request)
    try:
        note = await seat.desk.writer.do(lambda tx: redeem_code(tx, form.get("code", ""), seat.desk.clock()))
    except UsageError as error:
        return await _codes(request, seat.failed(error))
    return await _codes(request, seat.told(note))


async def _invitations(request: Request, seat: Seat) -> Response:
    base = seat.desk.settings.public_url or f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"
    known = await seat.desk.read(all_invites)
    links = [link_of(seat.desk.key, base, each, seat.desk.clock()) for each in known]
    return page(request, seat, "manage_invitations.html", "/invitations", {"links": links})


async def _codes(request: Request, seat: Seat) -> Response:
    def look(snapshot: Connection) -> tuple[int, int]:
        counts = (RATER.c.status == "active") & (RATER.c.judged >= RATER.c.code_for)
        given, used = snapshot.execute(
            select(func.count(RATER.c.code).filter(counts), func.count(RATER.c.code_used))
        ).one()
        return given, used

    given, used = await seat.desk.read(look)
    return page(request, seat, "manage_codes.html", "/codes", {"given": given, "redeemed": used})


ROUTES = [
    Route("/manage/invitations", invitations),
    Route("/manage/invitations", invite, methods=["POST"]),
    Route("/manage/invitations/revoke", revoke_invite, methods=["POST"]),
    Route("/manage/codes", codes),
    Route("/manage/codes", redeem, methods=["POST"]),
]
