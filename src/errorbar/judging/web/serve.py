"""``judge_serve``: a study in the browser, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import uvicorn
from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from errorbar.api.arguments import Bounds, Port, public
from errorbar.core.problems import ErrorbarError, Problem, UsageError
from errorbar.execute import without_script
from errorbar.judging.page_languages import ENGLISH, phrase
from errorbar.judging.stopping.decision import StopWatch
from errorbar.judging.store.engines import OutcomeUnknownError, StoreError
from errorbar.judging.store.store import GroupCommit
from errorbar.judging.study.folder import Study
from errorbar.judging.study.invitations import ADDRESS, all_invites, standing_link
from errorbar.judging.study.rules import get_value, set_value, study_clock
from errorbar.judging.web import manager, manager_front, manager_raters, rater, rater_forms
from errorbar.judging.web.listening import Reach, bind, check_url, raise_open_files, spare_files, warnings_of
from errorbar.judging.web.live_status import BeingComputedError
from errorbar.judging.web.pages import RaterCompression, notice_page, send_asset
from errorbar.judging.web.requests import STORE_FAILS, Guard, LimitedConnection, Limits, RefusalError
from errorbar.judging.web.server_state import Desk, Settings, desk_of, root_of

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
    if refusal.status == 401 and path.startswith("/manage"):
        return manager.login_page(request, "You are not signed in, or your session is over. Sign in to go on.", 401)
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


# Serve a study: one process or several on one socket; what dies is started again, what stops finishes its answers.


PATIENCE = 10
"""Seconds that answers in flight get when the server stops."""
_SHORT_LIVED, _MOST_DEATHS = 5.0, 5
"""A worker that dies within so many seconds of its start, so many times in a row, is not started again."""
_RETRY = 0.5
"""Seconds until a worker looks for the store again."""
_SIGNALS: list[signal.Signals] = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


def _take_over(
    handler: Callable[[int, FrameType | None], object], signals: Sequence[signal.Signals]
) -> dict[signal.Signals, Any]:
    """Let signals that end a server call ``handler``, but for a hang-up that ``nohup`` keeps away.

    Returns:
        What they called before.
    """
    kept_away = [number for number in signals if number.name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN]
    return {number: signal.signal(number, handler) for number in signals if number not in kept_away}


class _Server(uvicorn.Server):
    """Ends at a signal by finishing its answers, and does not raise the signal again; a second Ctrl-C waits for none.

    Attributes:
        signals: That end it.
    """

    signals: Sequence[signal.Signals] = _SIGNALS

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the store in every case: uvicorn would leave it open where it is told to hurry."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = _take_over(self.handle_exit, self.signals)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _CancelledIsNoError(logging.Filter):
    """A request broken off as the server ends writes no traceback: browsers keep it and send it again."""

    def filter(self, record: logging.LogRecord) -> bool:
        kind = record.exc_info[0] if record.exc_info else None
        return kind is None or not issubclass(kind, asyncio.CancelledError)


_CANCELLED = _CancelledIsNoError()  # one: to add it again changes nothing


def server_of(folder: Path, reach: Reach, limits: Limits | None = None) -> _Server:
    """A server that is not running yet."""
    settings = Settings(reach.hosts(), reach.public_url)
    limits = limits or Limits(connections=min(Limits().connections, spare_files()))
    options: dict[str, Any] = {"proxy_headers": bool(reach.proxy), "forwarded_allow_ips": reach.proxy or None}
    config = uvicorn.Config(
        app(Study.open(folder), study_clock(), settings),
        http=partial(LimitedConnection, limits=limits),  # type: ignore[arg-type]  # called as the class would be
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        root_path=reach.root,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=PATIENCE,
        **options,
    )
    logging.getLogger("uvicorn.error").addFilter(_CANCELLED)
    return _Server(config)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers."""

    url: str


@contextmanager
def running(folder: Path, reach: Reach, limits: Limits | None = None) -> Iterator[Running]:
    """A server in a thread of this process, on any port that is free where ``reach.port`` is 0."""
    listener = bind(reach.host, reach.port)
    port = listener.getsockname()[1]
    server = server_of(folder, Reach(reach.host, port, reach.public_url, reach.proxy), limits)
    thread = threading.Thread(target=server.run, args=([listener],), name="errorbar judge", daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        yield Running(f"http://{reach.host}:{port}{reach.root}")
    finally:
        server.should_exit = True
        thread.join(PATIENCE + 5)


def serve(folder: Path, reach: Reach, workers: int, listener: socket.socket) -> Sequence[Problem]:
    """Answer until a signal comes.

    Returns:
        What went wrong meanwhile.

    Raises:
        KeyboardInterrupt: At a second Ctrl-C: nobody was waited for.
    """
    raise_open_files()
    problems: Sequence[Problem] = ()
    if workers == 1:
        server = server_of(folder, reach)
        server.run([listener])
        hurried = server.force_exit
    else:
        crew = _Crew(folder, reach, workers, listener)
        problems, hurried = crew.work(), crew.hurried
    if hurried:
        raise KeyboardInterrupt
    return problems


def _worker(folder: Path, reach: Reach, listener: socket.socket) -> None:
    """One process of several: ends when it is told to, and when the process that started it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all: the first process says when it is over
    parent = multiprocessing.parent_process()
    server = _once_there_is_a_store(folder, reach, parent)
    server.signals = [number for number in _SIGNALS if number is not signal.SIGINT]

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            server.should_exit = True

    threading.Thread(target=watch, daemon=True).start()
    server.run([listener])


def _once_there_is_a_store(folder: Path, reach: Reach, parent: BaseProcess | None) -> _Server:
    """A worker that starts while the database is down waits for it, and does not die until the server gives up."""
    while True:
        try:
            return server_of(folder, reach)
        except StoreError as error:
            if error.problems[0].code != "store-failed" or parent is None or not parent.is_alive():
                raise
            time.sleep(_RETRY)


class _Crew:
    """Several processes that accept from one socket."""

    def __init__(self, folder: Path, reach: Reach, workers: int, listener: socket.socket) -> None:
        self.arguments = (folder, reach, listener)
        self.listener = listener
        self.members: dict[int, tuple[SpawnProcess, float]] = {}
        self.size = workers
        self.early_deaths = 0
        self.problems: list[Problem] = []
        self.told = threading.Event()
        self.hurried = False

    def work(self) -> list[Problem]:
        before = _take_over(self._stop, _SIGNALS)
        try:
            while not self.told.is_set() and self.early_deaths < _MOST_DEATHS:
                self._fill()
                wait([process.sentinel for process, _ in self.members.values()], timeout=0.2)
                self._bury()
        finally:
            self._end()
            for number, handler in before.items():
                signal.signal(number, handler)
        if self.early_deaths >= _MOST_DEATHS:
            message = f"workers died {_MOST_DEATHS} times right after their start, and the server stopped"
            self.problems.append(Problem("judge-workers", message, fix="what they said stands above"))
        return self.problems

    def _stop(self, number: int, frame: object) -> None:
        self.hurried |= self.told.is_set() and number == signal.SIGINT
        self.told.set()

    def _fill(self) -> None:
        context = multiprocessing.get_context("spawn")
        while len(self.members) < self.size:
            process = context.Process(target=_worker, args=self.arguments, name="errorbar judge worker")
            with without_script():
                process.start()
            self.members[process.pid or 0] = process, time.monotonic()

    def _bury(self) -> None:
        now = time.monotonic()
        for pid, (process, since) in list(self.members.items()):
            if process.is_alive():
                if now - since > _SHORT_LIVED:
                    self.early_deaths = 0
                continue
            process.join()
            self.early_deaths += now - since < _SHORT_LIVED
            del self.members[pid]

    def _end(self) -> None:
        self.listener.close()
        for process, _ in self.members.values():
            process.terminate()
        limit = time.monotonic() + PATIENCE + 2
        for process, _ in self.members.values():
            while process.is_alive() and time.monotonic() < limit and not self.hurried:
                process.join(0.1)
            if process.is_alive():
                process.kill()
                process.join()


MOST_WORKERS = 64


@dataclass(frozen=True, slots=True)
class Doors:
    """The addresses to open once the server listens.

    Attributes:
        link: For everybody who is to judge; empty: raters have links of their own.
        manager: The manager's page.
        token: That opens it.
        notes: Warnings.
    """

    link: str
    manager: str
    token: str
    notes: Sequence[Problem]


@public()
def judge_serve(
    study: str | PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: Port = 8765,
    workers: Annotated[int, Bounds(1, MOST_WORKERS)] = 1,
    public_url: str = "",
    proxy: str = "",
    ready: Callable[[Doors], object] | None = None,
) -> None:
    """Serve a study until a signal (Ctrl-C) stops it; answers in flight are finished.

    Args:
        study: Its folder.
        host: Address to listen on; ``0.0.0.0``: every one.
        port: Port to listen on; 0: one that is free.
        workers: Processes that answer.
        public_url: The address by which browsers reach it through a reverse proxy: ``https://judge.example.org``.
        proxy: Address of that proxy, whose ``X-Forwarded-For`` counts then.
        ready: Called once, when the server listens.

    Raises:
        ErrorbarError: If there is no study, the port is in use, or workers keep dying.
    """
    url = check_url(public_url)
    opened = Study.open(study)
    token = opened.secrets.manager
    with opened.store() as store, bind(host, port) as listener:
        reach = Reach(host, listener.getsockname()[1], url, proxy)

        def work(tx: Connection) -> tuple[str, list[Problem]]:
            moved = _warn_of_moved_links(tx, reach)
            set_value(tx, ADDRESS, reach.url)
            return standing_link(opened, tx, study_clock()(), reach.url), moved

        link, moved = store.write(work)
        store.close()
        if ready is not None:
            ready(Doors(link, f"{reach.url}/manage", token, [*moved, *warnings_of(reach, opened.folder)]))
        if problems := serve(opened.folder, reach, workers, listener):
            raise UsageError(problems)


def _warn_of_moved_links(tx: Connection, reach: Reach) -> list[Problem]:
    """A warning, where links that were made before begin with another address."""
    before = get_value(tx, ADDRESS) or Reach().url
    if before == reach.url or not all_invites(tx):
        return []
    message = f"links made so far begin with {before}, and the study is at {reach.url} now"
    return [Problem("judge-moved", message, fix="errorbar judge invite STUDY lists the new ones", severity="warning")]
