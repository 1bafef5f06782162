"""The application: routes behind one guard, one shape of errors, plain pages for people."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from errorbar.core.problems import ErrorbarError
from errorbar.judging.page_languages import ENGLISH, phrase
from errorbar.judging.stopping.watch import StopWatch
from errorbar.judging.store.errors import OutcomeUnknownError
from errorbar.judging.store.group_commit import GroupCommit
from errorbar.judging.web import manager, manager_front, manager_raters, rater, rater_forms
from errorbar.judging.web.assets import RaterCompression, send_asset
from errorbar.judging.web.live_status import BeingComputedError
from errorbar.judging.web.pages import notice_page
from errorbar.judging.web.requests import STORE_FAILS, Guard, RefusalError
from errorbar.judging.web.server_state import Desk, Settings, desk_of, root_of

if TYPE_CHECKING:
    from errorbar.judging.study.folder import Study

_SAID = {404: ("no-page", phrase("There is no such page.")), 405: ("no-method", phrase("That is not done here."))}


def app(study: Study, clock: Callable[[], float], settings: Settings | None = None) -> Starlette:
    """The server of a study.

    Args:
        study: Its folder, opened.
        clock: Of leases, sessions and invitations: ``time.time``, or one that tests set.
        settings: How the server is reached.
    """
    server_settings = settings or Settings()
    store = study.store()
    desk = Desk(store, GroupCommit(store), study, clock, server_settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        watch = asyncio.create_task(StopWatch(store, clock, desk.live.decision).run(desk.writer))
        try:
            yield
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
            desk.live.close()
            desk.pictures.close()
            await desk.writer.close()
            store.close()

    server = Starlette(
        routes=[
            *rater.ROUTES,
            *rater.ENTRY_ROUTES,
            *rater.PAGE_ROUTES,
            *rater_forms.FORM_ROUTES,
            *manager_front.FRONT_ROUTES,
            *manager_raters.RATER_LIST_ROUTES,
            *manager.ROUTES,
            *manager.INVITATION_ROUTES,
            Route("/static/{name}", send_asset),
            Route("/health", tell_health),
        ],
        middleware=[
            Middleware(Guard, hosts=server_settings.hosts, secure=server_settings.secure),
            Middleware(RaterCompression, compresslevel=6),
        ],
        exception_handlers={
            RefusalError: _refused,
            ErrorbarError: _failed,
            BeingComputedError: _computing,
            HTTPException: _unknown,
            ClientDisconnect: _gone,
            Exception: _broken,
        },
        lifespan=lifespan,
    )
    server.state.desk = desk
    return server


async def tell_health(request: Request) -> Response:
    """Say ``ok`` where the study can be read, for whoever watches over the server; else a 503 as of any page."""
    desk = desk_of(request)
    await desk.read(desk.terms)
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})


def _show_refusal(request: Request, refusal: RefusalError) -> Response:
    if request.url.path.removeprefix(root_of(request)).startswith("/api/"):
        return refusal.response()
    path = request.url.path.removeprefix(root_of(request))
    language = ENGLISH if path.startswith("/manage") else desk_of(request).language
    study = desk_of(request).name if refusal.status == 401 else ""
    title, sentences = language.say("That did not work"), refusal.sentences(language)
    page = notice_page(title, sentences, kind=refusal.code, study=study, root=root_of(request), language=language)
    return HTMLResponse(page, refusal.status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusalError)
    return _show_refusal(request, error)


async def _failed(request: Request, error: Exception) -> Response:
    """The store could not be written or read: the browser keeps what it has, and sends it again under the same id."""
    assert isinstance(error, ErrorbarError)
    STORE_FAILS.log(error)
    if isinstance(error, OutcomeUnknownError):
        message = phrase("The database failed in the middle, so that this was done or was not.")
        return _show_refusal(
            request, RefusalError(503, error.code, message, phrase("Load the page again and look; answers are safe."))
        )
    return _show_refusal(
        request,
        RefusalError(503, error.code, phrase("The study cannot be reached just now."), phrase("Try again soon.")),
    )


async def _computing(request: Request, _: Exception) -> Response:
    """The first figures of a large study: the page comes back by itself."""
    paragraphs = ["The figures of this study are being computed. This page loads again by itself."]
    page = notice_page("One moment", paragraphs, kind="computing", root=root_of(request))
    return HTMLResponse(page, headers={"refresh": "3"})


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code, message = _SAID.get(error.status_code, ("refused", str(error.detail)))
    return _show_refusal(request, RefusalError(error.status_code, code, message))


async def _gone(request: Request, _: Exception) -> Response:
    """The browser left in the middle of its request: nobody reads this, and it is no error of the server."""
    return _show_refusal(request, RefusalError(400, "gone", phrase("The request broke off.")))


async def _broken(request: Request, _: Exception) -> Response:
    return _show_refusal(
        request, RefusalError(500, "internal", phrase("Something went wrong here."), phrase("Try again soon."))
    )
