"""What the manager's pages share: who is signed in, the frame, what is said on top."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from errorbar.core.errors import ErrorbarError, Problem
from errorbar.judging.random_tokens import fresh_token
from errorbar.judging.rater_pages import pages
from errorbar.judging.web.bodies import read_form
from errorbar.judging.web.desk import Desk, desk_of, refuse_forged, root_of
from errorbar.judging.web.sessions import FORM_COOKIE, MANAGER_COOKIE, Session, form_word

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
        what = problem.what
        return Seat(self.desk, self.session, f"{what[:1].upper()}{what[1:]}.", wrong)

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
    told: dict[str, object] = {"root": root_of(request), "here": here, "csrf": seat.session.csrf, "pages": PAGES}
    told |= {"said": seat.said, "wrong": seat.wrong, "title": dict(PAGES)[here]}
    told["study"] = seat.desk.study.folder.resolve().name
    return HTMLResponse(pages().get_template(template).render(**told, **parts), 422 if seat.wrong else 200)


def login_page(request: Request, said: str = "", status: int = 200) -> Response:
    """Where the token is given."""
    desk = desk_of(request)
    cookie = desk.cookie_of(request, FORM_COOKIE) or fresh_token()
    csrf = form_word(desk.key, cookie)
    told = {"title": "Manage a study", "root": root_of(request), "here": "", "csrf": csrf, "pages": ()}
    told["study"] = ""
    html = pages().get_template("manage_login.html").render(**told, said=said, wrong=True)
    response = HTMLResponse(html, status)
    desk.set_cookie(response, FORM_COOKIE, cookie)
    return response
