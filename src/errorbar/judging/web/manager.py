"""The manager's pages about doors: invitations, and completion codes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup
from sqlalchemy import Connection, func, select
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from errorbar.core.problems import ErrorbarError, Problem, UsageError
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.protocol.changes import stop_item
from errorbar.judging.protocol.exclusions import exclude, readmit
from errorbar.judging.protocol.halting import halt, resume, why_halted
from errorbar.judging.random_tokens import fresh_token, same
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.stopping.watch import reason_of, saving, verdict
from errorbar.judging.store.tables import ITEM, RATER
from errorbar.judging.study.export import KINDS, NONE_YET
from errorbar.judging.study.invitations import InviteKind, all_invites, link_of, make_invite, refuse_label, revoke
from errorbar.judging.study.raters import MANAGER, rater_list, redeem_code
from errorbar.judging.study.status import StudyStatus, item_table, rater_table
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
from errorbar.tables.shown import format_table
from errorbar.tables.table import Table

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
        issued, used = snapshot.execute(
            select(func.count(RATER.c.code).filter(counts), func.count(RATER.c.code_used))
        ).one()
        return issued, used

    issued, used = await seat.desk.read(look)
    return page(request, seat, "manage_codes.html", "/codes", {"given": issued, "redeemed": used})


INVITATION_ROUTES = [
    Route("/manage/invitations", invitations),
    Route("/manage/invitations", invite, methods=["POST"]),
    Route("/manage/invitations/revoke", revoke_invite, methods=["POST"]),
    Route("/manage/codes", codes),
    Route("/manage/codes", redeem, methods=["POST"]),
]


# The manager's pages: how far the study is, who takes part, its items. All that they do, commands do too.


ITEMS_A_PAGE = 100
PATIENCE = 2.0
"""Seconds for which a page waits for new figures; then it shows the last ones."""
MOST_REASON = 500
Download = tuple[str, str]
DOWNLOADS: tuple[Download, ...] = (
    ("/manage/figures.json", "Figures (JSON)"),
    ("/manage/export.csv", "Judgments (CSV)"),
    ("/manage/export.jsonl", "Everything (JSONL)"),
)
PAIRS: Download = ("/manage/export.pairs", "Pairs, for ‘errorbar rank’ (CSV)")
CORRECTIONS: Download = ("/manage/export.m2", "Corrections (M2)")


async def front(request: Request) -> Response:
    """Progress; who has no session is asked for the token."""
    try:
        seat = await seated(request)
    except RefusalError:
        return login_page(request)
    return await _front(request, seat)


async def change_handing_out(request: Request) -> Response:
    """Halt the study, or go on."""
    seat, form = await posted(request)
    change, reason = request.path_params["what"], form.get("reason", "").strip()[:MOST_REASON]
    if change not in ("halt", "resume"):
        raise RefusalError(404, "no-page", "There is no such page.")

    def work(tx: Connection) -> None:
        now = seat.desk.clock()
        if change == "halt":
            halt(tx, reason, MANAGER, now)
        else:
            resume(tx, MANAGER, now)

    try:
        replied = await after(request, "", work)
    except UsageError as error:
        return await _front(request, seat.failed(error))
    seat.desk.live.forget()
    return replied


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
    named = f"judgments.{'csv' if to in ('pairs', 'set') else to}"
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


async def raters(request: Request) -> Response:
    """Who takes part; each can be excluded and readmitted."""
    return await _raters(request, await seated(request))


async def change_rater(request: Request) -> Response:
    """Exclude or readmit."""
    seat, form = await posted(request)
    rater, change = request.path_params["rater"], request.path_params["what"]
    reason = form.get("reason", "").strip()[:MOST_REASON]
    if change not in ("exclude", "readmit"):
        raise RefusalError(404, "no-page", "There is no such page.")
    if change == "exclude" and not reason:
        return await _raters(request, Seat(seat.desk, seat.session, "Say why the rater is excluded.", wrong=True))

    def work(tx: Connection) -> bool:
        now = seat.desk.clock()
        return exclude(tx, rater, reason, MANAGER, now) if change == "exclude" else readmit(tx, rater, MANAGER, now)

    try:
        return await after(request, "/raters", work)
    except UsageError as error:
        return await _raters(request, seat.failed(error))


async def items(request: Request) -> Response:
    """Every item, some hundred a page."""
    return await _items(request, await seated(request))


async def stop(request: Request) -> Response:
    """Want no more judgments of an item."""
    seat, form = await posted(request)
    reason = form.get("reason", "").strip()[:MOST_REASON]
    where = f"/items?from={_first(request)}"
    try:
        replied = await after(request, where, lambda tx: stop_item(tx, form.get("name", ""), reason, seat.desk.clock()))
    except UsageError as error:
        return await _items(request, seat.failed(error))
    seat.desk.live.forget()
    return replied


async def _front(request: Request, seat: Seat) -> Response:
    status, halted = await _status(seat), await seat.desk.read(why_halted)
    scheme = (await seat.desk.read(seat.desk.terms)).scheme
    downloads = [*DOWNLOADS, *([PAIRS] if kind_of(scheme).compares else [])]
    downloads += [CORRECTIONS] if kind_of(scheme).gives_corrections(scheme) else []
    decision = status.stopping
    parts = {
        "tables": _html(status.tables()),
        "as_of": _moment(status),
        "downloads": downloads,
        "halted": halted,
        "decision": decision,
        "verdict": "" if decision is None else f"{decision.of}: {verdict(decision)}",
        "reason": "" if decision is None or not decision.decided else reason_of(decision),
        "saving": "" if decision is None else saving(decision),
    }
    return page(request, seat, "manage_tables.html", "", parts)


async def _status(seat: Seat) -> StudyStatus:
    return await seat.desk.long(lambda: seat.desk.live.status(PATIENCE))


async def _raters(request: Request, seat: Seat) -> Response:
    def look(snapshot: Connection) -> list[dict[str, object]]:
        ids = snapshot.scalars(select(RATER.c.id).order_by(RATER.c.id)).all()
        return [{"id": number, **asdict(each)} for number, each in zip(ids, rater_list(snapshot), strict=True)]

    rows = await seat.desk.read(look)
    status = await _status(seat)
    tables = _html([replace(rater_table(status.raters), title="Figures")])
    has_quiz = any(row["quiz"] for row in rows)
    parts = {"raters": rows, "tables": tables, "has_quiz": has_quiz, "as_of": _moment(status)}
    return page(request, seat, "manage_raters.html", "/raters", parts)


async def _items(request: Request, seat: Seat) -> Response:
    first = _first(request)
    shown_items, of = await seat.desk.long(lambda: seat.desk.live.items(first, ITEMS_A_PAGE, PATIENCE))
    texts = await seat.desk.read(lambda snapshot: _texts(snapshot, [each.item for each in shown_items]))
    parts = {
        "grid": format_table(item_table(shown_items, texts)),
        "names": [each.item for each in shown_items],
        "open": [each.state in ("open", "untouched") for each in shown_items],
        "first": first,
        "step": ITEMS_A_PAGE,
        "before": max(0, first - ITEMS_A_PAGE) if first else None,
        "after": first + ITEMS_A_PAGE if first + ITEMS_A_PAGE < of else None,
    }
    return page(request, seat, "manage_items.html", "/items", parts)


def _moment(status: StudyStatus) -> str:
    return datetime.fromtimestamp(status.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _first(request: Request) -> int:
    """The item with which a page of items begins."""
    text = request.query_params.get("from", "0")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _texts(snapshot: Connection, names: Sequence[str]) -> dict[str, str]:
    """The text that raters read, the place in brackets."""
    rows = snapshot.execute(select(ITEM.c.name, ITEM.c.payload).where(ITEM.c.name.in_(names)))
    return {row.name: JudgedItem.from_json(row.payload).marked() for row in rows}


def _html(tables: Sequence[Table]) -> list[Markup]:
    """Everything from data is escaped in them."""
    return [Markup(html_table(format_table(table))) for table in tables]


ROUTES = [
    Route("/manage", front),
    Route("/manage", sign_in, methods=["POST"]),
    Route("/manage/handing-out/{what}", change_handing_out, methods=["POST"]),
    Route("/manage/figures.json", figures),
    Route("/manage/export.{to}", download),
    Route("/manage/signout", sign_out, methods=["POST"]),
    Route("/manage/raters", raters),
    Route("/manage/raters/{rater:int}/{what}", change_rater, methods=["POST"]),
    Route("/manage/items", items),
    Route("/manage/items/stop", stop, methods=["POST"]),
]
