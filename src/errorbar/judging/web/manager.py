"""The manager's pages: how far the study is, its items, invitations and completion codes. Commands do the same."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from sqlalchemy import Connection, func, select
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from errorbar.core.labels import format_count, whole_number
from errorbar.core.problems import ErrorbarError, Problem, UsageError
from errorbar.judging.protocol.changes import stop_item, why_closed, why_no_work
from errorbar.judging.protocol.completion_codes import is_earned
from errorbar.judging.random_tokens import fresh_token, same
from errorbar.judging.scheme import JudgedItem
from errorbar.judging.store.tables import ITEM, RATER
from errorbar.judging.study.export import KINDS, NONE_YET
from errorbar.judging.study.invitations import (
    Invite,
    InviteKind,
    Link,
    all_invites,
    link_of,
    make_invite,
    participant_id,
    refuse_label,
    revoke,
)
from errorbar.judging.study.raters import redeem_code
from errorbar.judging.study.status import StudyStatus, item_table
from errorbar.judging.web.pages import pages
from errorbar.judging.web.requests import RefusalError, read_form
from errorbar.judging.web.server_state import (
    FORM_COOKIE,
    MANAGER_COOKIE,
    Desk,
    Session,
    address,
    close_session,
    desk_of,
    form_word,
    open_session,
    refuse_forged,
    refuse_forged_form,
    root_of,
)
from errorbar.tables.plain import note_record
from errorbar.tables.result import html_table
from errorbar.tables.table import Table, format_table

# What the manager's pages share: who is signed in, the frame, what is said on top.


PAGES = (
    ("", "Progress"),
    ("/raters", "Raters"),
    ("/items", "Items"),
    ("/invitations", "Invitations"),
    ("/codes", "Completion codes"),
)


@dataclass(frozen=True, slots=True)
class Seat:
    """The manager, signed in; what their page says on top, and whether something went wrong."""

    desk: Desk
    session: Session
    said: str = ""
    wrong: bool = False

    def told(self, problem: Problem, *, wrong: bool = False) -> Seat:
        """The same with something to say."""
        message = problem.what
        return Seat(self.desk, self.session, f"{message[:1].upper()}{message[1:]}.", wrong)

    def failed(self, error: ErrorbarError) -> Seat:
        """The same with something that went wrong."""
        return self.told(error.problems[0], wrong=True)


async def seated(request: Request) -> Seat:
    """The manager who looks."""
    desk = desk_of(request)
    return Seat(desk, await desk.signed_in(request, MANAGER_COOKIE))


async def posted(request: Request) -> tuple[Seat, dict[str, str]]:
    """The manager who posts, and the form."""
    seat = await seated(request)
    form = await read_form(request)
    refuse_forged(seat.session.token, form.get("csrf", ""), request)
    return seat, form


async def after(request: Request, page: str, work: Callable[[Connection], object]) -> Response:
    """Do something, and show the page that tells it."""
    await desk_of(request).writer.do(work)
    return RedirectResponse(f"{root_of(request)}/manage{page}", 303)


def page(request: Request, seat: Seat, template: str, here: str, parts: Mapping[str, object]) -> Response:
    """A page of the manager's."""
    variables: dict[str, object] = {"root": root_of(request), "here": here, "csrf": seat.session.csrf, "pages": PAGES}
    variables |= {"said": seat.said, "wrong": seat.wrong, "title": dict(PAGES)[here]}
    variables["study"] = seat.desk.study.folder.resolve().name
    return HTMLResponse(pages().get_template(template).render(**variables, **parts), 422 if seat.wrong else 200)


def confirm_page(
    request: Request,
    seat: Seat,
    here: str,
    question: str,
    effects: Sequence[str],
    label: str,
    back: str,
    reason: str | None = None,
) -> Response:
    """The page that says what a change will do, and asks; its form goes to its own address.

    Args:
        request: Of the page.
        seat: The manager.
        here: The page to which it belongs.
        question: Its heading.
        effects: What the change will do, a sentence each.
        label: Of the button.
        back: Where one goes instead, behind ``/manage``.
        reason: What stands in the field that asks why; None: nothing asks.
    """
    parts = {"question": question, "effects": effects, "label": label, "back": back, "reason": reason}
    return page(request, seat, "manage_confirm.html", here, {**parts, "action": request.url.path})


def tables_html(tables: Sequence[Table]) -> list[Markup]:
    """Tables; everything from data is escaped in them, and every column has a heading."""

    def headed(table: Table) -> Table:
        return replace(table, columns=[column._replace(title=column.title or column.key) for column in table.columns])

    return [Markup(html_table(format_table(headed(table)))) for table in tables]


def login_page(request: Request, said: str = "", status: int = 200) -> Response:
    """Where the token is given."""
    desk = desk_of(request)
    cookie = desk.cookie_of(request, FORM_COOKIE) or fresh_token()
    csrf = form_word(desk.key, cookie)
    variables = {"title": "Manage a study", "root": root_of(request), "here": "", "csrf": csrf, "pages": ()}
    variables["study"] = ""
    html = pages().get_template("manage_login.html").render(**variables, said=said, wrong=True)
    response = HTMLResponse(html, status)
    desk.set_cookie(response, FORM_COOKIE, cookie)
    return response


KINDS_OF_LINKS: dict[InviteKind, str] = {
    "personal": "for one rater",
    "back": "for one rater, to come back",
    "crowd": "for many raters",
    "named": "for many raters, who type a name",
    "trusting": "for many raters, known by their id",
}


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
        response = await after(request, f"/invitations?{urlencode({'made': name})}", work)
    except UsageError as error:
        return await _invitations(request, seat.failed(error))
    seat.desk.live.forget()
    return response


async def ask_to_revoke(request: Request) -> Response:
    """Say what becomes of those who have a link once it is revoked, and ask."""
    seat = await seated(request)
    invite = await _find_invite(request, seat)
    name = invite.label
    effects = ["A revoked link cannot be opened again, and no other link can have its name."]
    if invite.uses:
        who = name if invite.is_personal else format_count(invite.uses, "raters")
        verb = "works" if invite.uses == 1 else "work"
        effects.insert(0, f"{who} {verb} on in a browser that is signed in, and cannot come by this link any more.")
    effects.insert(0, "It lets nobody in any more.")
    label = f"Revoke the link of {name}"
    return confirm_page(request, seat, "/invitations", f"Revoke the link of {name}?", effects, label, "/invitations")


async def revoke_invite(request: Request) -> Response:
    """Close a link."""
    seat, _ = await posted(request)
    name = (await _find_invite(request, seat)).label
    response = await after(request, "/invitations", lambda tx: revoke(tx, name, seat.desk.clock()))
    seat.desk.live.forget()
    return response


async def _find_invite(request: Request, seat: Seat) -> Invite:
    wanted = whole_number(request.path_params["invite"])
    for invite in await seat.desk.read(all_invites):
        if invite.id == wanted:
            return invite
    raise RefusalError(404, "judge-no-invite", "There is no such link.")


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


async def read_links(request: Request, desk: Desk) -> list[Link]:
    """Every link, with the address by which the manager's browser reaches the server."""
    base = desk.settings.public_url or f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"
    invites = await desk.read(all_invites)
    return [link_of(desk.key, base, invite, desk.clock()) for invite in invites]


async def _invitations(request: Request, seat: Seat) -> Response:
    links, (no_work, closed) = await read_links(request, seat.desk), await seat.desk.read(_why_links_are_useless)
    name = request.query_params.get("made", "")
    made = next((link for link in links if link.invite.label == name and link.state == "open"), None)
    useless = "closed" if closed else no_work
    parts = {"links": links, "kinds": KINDS_OF_LINKS, "made": made, "useless": USELESS.get(useless, "")}
    return page(request, seat, "manage_invitations.html", "/invitations", parts)


def _why_links_are_useless(tx: Connection) -> tuple[str, str]:
    return why_no_work(tx), why_closed(tx)


USELESS = {
    "paused": "The study is paused: whoever comes by a new link is asked to come back later.",
    "closed": "The study is closed: whoever comes by a new link reads that it is over, until you resume it.",
    "over": "Every item has its judgments: whoever comes by a new link reads that the study is over.",
}


async def _codes(request: Request, seat: Seat) -> Response:
    first = first_row(request)

    def look(snapshot: Connection) -> tuple[int, int, list[dict[str, str]]]:
        counts = (RATER.c.status != "excluded") & (RATER.c.judged >= RATER.c.code_for)
        issued, used = snapshot.execute(
            select(func.count(RATER.c.code).filter(counts), func.count(RATER.c.code_used))
        ).one()
        having = select(RATER).where(RATER.c.code.is_not(None)).order_by(RATER.c.id)
        rows = snapshot.execute(having.offset(first).limit(ROWS_A_PAGE + 1)).all()
        return issued, used, [_code_row(row) for row in rows]

    issued, used, rows = await seat.desk.read(look)
    parts = {"given": issued, "redeemed": used, "codes": rows[:ROWS_A_PAGE]}
    parts["has_ids"] = any(row["participant"] for row in rows)
    return page(request, seat, "manage_codes.html", "/codes", parts | paging(first, first + len(rows)))


def _code_row(row: Any) -> dict[str, str]:  # noqa: ANN401 - of a query with these columns
    id_ = participant_id(row.participant)
    return {"rater": row.name, "participant": id_, "code": row.code, "state": code_state(row)}


def code_state(row: Any) -> str:  # noqa: ANN401 - of a query with these columns
    """The state of a rater's completion code; empty: there is none."""
    if row.code is None:
        return ""
    if row.code_used is not None:
        return "redeemed"
    return "given" if is_earned(row.status, row.judged, row.code_for) else "void"


def paging(first: int, of: int) -> dict[str, object]:
    """The links to the pages before and after one that begins with some row, of so many."""
    return {
        "first": first,
        "step": ROWS_A_PAGE,
        "before": max(0, first - ROWS_A_PAGE) if first else None,
        "after": first + ROWS_A_PAGE if first + ROWS_A_PAGE < of else None,
    }


INVITATION_ROUTES = [
    Route("/manage/invitations", invitations),
    Route("/manage/invitations", invite, methods=["POST"]),
    Route("/manage/invitations/{invite}/revoke", ask_to_revoke),
    Route("/manage/invitations/{invite}/revoke", revoke_invite, methods=["POST"]),
    Route("/manage/codes", codes),
    Route("/manage/codes", redeem, methods=["POST"]),
]


# Figures and downloads, signing in and out, and items.


ROWS_A_PAGE = 100
PATIENCE = 2.0
"""Seconds for which a page waits for new figures; then it shows the last ones."""
MOST_REASON = 500


async def figures(request: Request) -> Response:
    """All figures, as ``errorbar judge status --format json`` prints them."""
    seat = await seated(request)
    status = await seat.desk.long(seat.desk.live.status)
    warnings = [note_record(note) for note in status.notes]
    return JSONResponse({"schema": "errorbar.judge.status/1", **status.to_dict(), "warnings": warnings})


async def download(request: Request) -> Response:
    """The judgments as ``errorbar judge export`` writes them, of one moment."""
    seat = await seated(request)
    to = request.path_params["to"]
    if to not in KINDS:
        raise RefusalError(404, "no-page", "There is no such download.")
    handle, name = tempfile.mkstemp(f".{to}", "errorbar-")
    os.close(handle)
    written = Path(name)
    try:
        codes = await seat.desk.long(lambda: seat.desk.live.export(to, name))
        if NONE_YET in codes:
            raise RefusalError(409, NONE_YET, "No judgment has been given so far.", "Come back after the first one.")
    except UsageError as error:
        written.unlink()
        problem = error.problems[0]
        raise RefusalError(404, problem.code, f"This study has nothing of the kind: {problem.what}.") from None
    except BaseException:
        written.unlink()
        raise
    named = f"{seat.desk.study.folder.resolve().name}-judgments.{'csv' if to in ('pairs', 'set', 'ranks') else to}"
    return FileResponse(name, filename=named, background=BackgroundTask(written.unlink))


async def sign_in(request: Request) -> Response:
    """Take the token."""
    desk = desk_of(request)
    desk.tries.take(address(request))
    desk.logins.look(address(request))
    form = await read_form(request)
    refuse_forged_form(form, request)
    if not same(form.get("token", "").strip(), desk.study.secrets.manager):
        desk.logins.take(address(request))
        return login_page(request, "That is not the right token. The server prints it when it starts.", 403)
    session = await desk.writer.do(lambda tx: open_session(tx, None, desk.clock()))
    desk.prepare_charts()
    response = RedirectResponse(f"{root_of(request)}/manage", 303)
    desk.set_cookie(response, MANAGER_COOKIE, session.token, f"{root_of(request)}/manage")
    desk.delete_cookie(response, FORM_COOKIE)
    return response


async def sign_out(request: Request) -> Response:
    """End the session."""
    seat, _ = await posted(request)
    await seat.desk.writer.do(lambda tx: close_session(tx, seat.session.token))
    seat.desk.sessions.forget(seat.session.token)
    response = RedirectResponse(f"{root_of(request)}/manage", 303)
    seat.desk.delete_cookie(response, MANAGER_COOKIE, path=f"{root_of(request)}/manage")
    return response


async def items(request: Request) -> Response:
    """Every item, some hundred a page."""
    return await _items(request, await seated(request))


async def stop(request: Request) -> Response:
    """Want no more judgments of an item."""
    seat, form = await posted(request)
    reason = form.get("reason", "").strip()[:MOST_REASON]
    where = f"/items?from={first_row(request)}"
    try:
        replied = await after(request, where, lambda tx: stop_item(tx, form.get("name", ""), reason, seat.desk.clock()))
    except UsageError as error:
        return await _items(request, seat.failed(error))
    seat.desk.live.forget()
    return replied


async def _items(request: Request, seat: Seat) -> Response:
    first = first_row(request)
    shown_items, of = await seat.desk.long(lambda: seat.desk.live.items(first, ROWS_A_PAGE, PATIENCE))
    texts = await seat.desk.read(lambda snapshot: _texts(snapshot, [each.item for each in shown_items]))
    parts = {
        "grid": format_table(item_table(shown_items, texts)),
        "names": [each.item for each in shown_items],
        "open": [each.state in ("open", "untouched") for each in shown_items],
    }
    return page(request, seat, "manage_items.html", "/items", parts | paging(first, of))


def moment_of(status: StudyStatus) -> str:
    """When figures were computed."""
    return datetime.fromtimestamp(status.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def first_row(request: Request) -> int:
    """The row with which a page of a long table begins."""
    return whole_number(request.query_params.get("from", "")) or 0


def _texts(snapshot: Connection, names: Sequence[str]) -> dict[str, str]:
    """The text that raters read, the place in brackets."""
    rows = snapshot.execute(select(ITEM.c.name, ITEM.c.payload).where(ITEM.c.name.in_(names)))
    return {row.name: JudgedItem.from_json(row.payload).marked() for row in rows}


ROUTES = [
    Route("/manage", sign_in, methods=["POST"]),
    Route("/manage/figures.json", figures),
    Route("/manage/export.{to}", download),
    Route("/manage/signout", sign_out, methods=["POST"]),
    Route("/manage/items", items),
    Route("/manage/items/stop", stop, methods=["POST"]),
]
