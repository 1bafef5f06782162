"""The pages of raters who are signed in: the work, the guidelines, the end. To look takes no work: only posts do."""

from __future__ import annotations

from sqlalchemy import Connection, func, select
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from errorbar.core.labels import counted
from errorbar.judging.completion import is_earned
from errorbar.judging.random_tokens import derived
from errorbar.judging.rater_pages import STATIC, done_page, guidelines_page, notice_page, work_page
from errorbar.judging.store_tables import ASSIGNMENT, RATER
from errorbar.judging.study_values import get_value
from errorbar.judging.web.bodies import read_form
from errorbar.judging.web.desk import Desk, address, desk_of, refuse_forged, root_of
from errorbar.judging.web.sessions import RATER_COOKIE, close_session
from errorbar.judging.web.small_markdown import markdown_html


async def home(request: Request) -> Response:
    """Who are you?"""
    session = await desk_of(request).session(request, RATER_COOKIE)
    if session is not None and session.rater is not None and session.expires > desk_of(request).clock():
        return RedirectResponse(f"{root_of(request)}/work", 303)
    said = ["To judge, open the link that you were given.", "The manager of the study signs in at /manage."]
    return HTMLResponse(
        notice_page("errorbar judge", said, kind="who", study=desk_of(request).name, root=root_of(request))
    )


async def work(request: Request) -> Response:
    """The page on which one judges; the items come by themselves."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    terms, guidelines = await desk.read(lambda snapshot: (desk.terms(snapshot), _guidelines(desk, snapshot)))
    owner = derived(desk.key, "owner", str(session.rater))
    who = {"owner": owner, "study": desk.name, "device": session.device}
    page = work_page(
        terms.scheme, terms.rules, who=who, csrf=session.csrf, guidelines=guidelines, root=root_of(request)
    )
    return HTMLResponse(page)


async def guidelines(request: Request) -> Response:
    """What raters are to do, on a page of its own."""
    desk = desk_of(request)
    await desk.signed_in(request, RATER_COOKIE)
    terms, html = await desk.read(lambda snapshot: (desk.terms(snapshot), _guidelines(desk, snapshot)))
    return HTMLResponse(guidelines_page(terms.scheme.title, html, root=root_of(request)))


async def done(request: Request) -> Response:
    """The end, with the completion code once it was issued."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    mine = select(RATER).where(RATER.c.id == session.rater)
    skips = select(func.count()).where(
        ASSIGNMENT.c.rater == session.rater, ASSIGNMENT.c.state == "skipped", ASSIGNMENT.c.round != "quiz"
    )
    row, n_skipped = await desk.read(lambda snapshot: (snapshot.execute(mine).one(), snapshot.scalar(skips) or 0))
    if row.code is None or not is_earned(row.status, row.judged, row.code_for):
        said = ["You are not through yet. The code is shown here once all items that are yours are judged."]
        if n_skipped:
            count = counted(n_skipped, "items")
            said += [f"You skipped {count}. A skipped item does not count as judged; to judge it, press Back."]
        link = {"href": f"{root_of(request)}/work", "text": "Go on"}
        return HTMLResponse(notice_page("Not yet", said, link=link, kind="not-done", root=root_of(request)))
    said = ["All items that were yours are judged, and every answer is stored. Thank you."]
    return HTMLResponse(done_page("Done", code=row.code, paragraphs=said, root=root_of(request)))


async def service_worker(_: Request) -> Response:
    """Lies beside the page that it keeps, since it may keep nothing above it."""
    return FileResponse(STATIC / "service-worker.js", media_type="text/javascript")


async def sign_out(request: Request) -> Response:
    """Leave the browser to somebody else."""
    desk = desk_of(request)
    desk.tries.take(address(request))
    form = await read_form(request)
    token = desk.cookie_of(request, RATER_COOKIE)
    refuse_forged(token, form.get("csrf", ""), request)
    await desk.writer.do(lambda tx: close_session(tx, token))
    desk.sessions.forget(token)
    response = RedirectResponse(f"{root_of(request)}/", 303)
    desk.delete_cookie(response, RATER_COOKIE)
    return response


def _guidelines(desk: Desk, snapshot: Connection) -> str:
    own = get_value(snapshot, "guidelines")
    return markdown_html(own or desk.terms(snapshot).scheme.guidelines)


ROUTES = [
    Route("/", home),
    Route("/work", work),
    Route("/guidelines", guidelines),
    Route("/done", done),
    Route("/signout", sign_out, methods=["POST"]),
    Route("/service-worker.js", service_worker),
]
