"""What all pages of a server share: the store and its writer, who is asking, what the study says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from errorbar.judging.group_commit import GroupCommit
from errorbar.judging.live_status import LiveStatus
from errorbar.judging.random_tokens import derived
from errorbar.judging.rules import Rules
from errorbar.judging.scheme import Scheme
from errorbar.judging.store import Store
from errorbar.judging.study_folder import Study
from errorbar.judging.study_values import current_rules, get_value
from errorbar.judging.web.rate_limits import RateLimit
from errorbar.judging.web.refusals import forged, signed_out
from errorbar.judging.web.sessions import (
    FORM_COOKIE,
    MANAGER_COOKIE,
    PROOF,
    RATER_COOKIE,
    KnownSessions,
    Session,
    csrf_fits,
    form_fits,
    is_stale,
    prolong,
    read_session,
)

T = TypeVar("T")
LONG_AT_ONCE = 4
"""Of the manager's."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the server is reached.

    Attributes:
        hosts: Names by which it may be called; None: any.
        public_url: How it is called from outside; empty: as the request says.
    """

    hosts: Collection[str] | None = None
    public_url: str = ""

    @property
    def secure(self) -> bool:
        """Whether browsers come by TLS."""
        return self.public_url.startswith("https://")


@dataclass(frozen=True, slots=True)
class Terms:
    """What the study says of itself."""

    rules: Rules
    scheme: Scheme


@dataclass(slots=True)
class Desk:
    """One of them for each process.

    Attributes:
        store: Of the study.
        writer: Runs everything that writes.
        study: Its folder.
        clock: Of leases, sessions and invitations.
        settings: How the server is reached.
        tries: For whom nobody signed in for: links, sessions that there are none of.
        logins: For the manager's page.
        live: Figures of the study, at most some seconds old.
    """

    store: Store
    writer: GroupCommit
    study: Study
    clock: Callable[[], float]
    settings: Settings
    sessions: KnownSessions = field(default_factory=lambda: KnownSessions(time.monotonic))
    tries: RateLimit = field(default_factory=lambda: RateLimit(300, 2.0, time.monotonic))
    logins: RateLimit = field(default_factory=lambda: RateLimit(10, 1 / 30, time.monotonic))
    live: LiveStatus = field(init=False)
    _scheme: Scheme | None = None
    _long: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(LONG_AT_ONCE, "errorbar-long"))

    def __post_init__(self) -> None:
        """The figures are kept by one object for all pages."""
        self.live = LiveStatus(self.study, self.store, self.clock)

    @property
    def name(self) -> str:
        """By which browsers tell studies of one host apart."""
        return derived(self.key, "cookies")[:8]

    @property
    def key(self) -> str:
        """From which links of invitations follow."""
        return self.study.secrets.cookie

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Look something up, in a thread: nothing blocks the loop."""
        return await asyncio.to_thread(self._read, work)

    async def long(self, work: Callable[[], T]) -> T:
        """The same for what takes seconds in a large study: the manager's downloads keep no rater from a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._long, work)

    def _read(self, work: Callable[[Connection], T]) -> T:
        with self.store.read() as snapshot:
            return work(snapshot)

    def terms(self, tx: Connection) -> Terms:
        """The rules as they are in this transaction, and the scheme, which stays as it is."""
        if self._scheme is None:
            self._scheme = Scheme.from_json(get_value(tx, "scheme") or "{}")
        return Terms(current_rules(tx), self._scheme)

    async def session(self, request: Request, cookie: str) -> Session | None:
        """Who the cookie of a request says it is, be the session over or not."""
        token = self.cookie_of(request, cookie)
        if not token or len(token) > 200:
            return None
        session = self.sessions.get(token)
        if session is None:
            session = await self.read(lambda snapshot: read_session(snapshot, token))
            if session is None:
                self.tries.take(address(request))
                return None
            self.sessions.keep(session)
        return session

    async def signed_in(self, request: Request, cookie: str) -> Session:
        """Who is signed in; a session that is used lasts on.

        Raises:
            RefusalError: If nobody is.
        """
        session = await self.session(request, cookie)
        now = self.clock()
        if session is None or session.expires <= now or (session.rater is None) != (cookie == MANAGER_COOKIE):
            raise signed_out()
        if is_stale(session, now):
            await self.writer.do(lambda tx: prolong(tx, session, now))
            self.sessions.forget(session.token)
        return session

    def cookie_name(self, cookie: str) -> str:
        """The name of a cookie in this study: browsers keep cookies of one host together, whatever the port."""
        return f"{cookie}_{self.name}"

    def cookie_of(self, request: Request, cookie: str) -> str:
        """The value of a cookie; empty: the browser has none."""
        return request.cookies.get(self.cookie_name(cookie), "")

    def delete_cookie(self, response: Response, cookie: str, path: str = "/") -> None:
        """Take a cookie from the browser."""
        response.delete_cookie(self.cookie_name(cookie), path=path)

    def set_cookie(self, response: Response, name: str, token: str, path: str = "/") -> None:
        """Give the browser a cookie that no script can read and no other site can make it send."""
        strict = path != "/"
        response.set_cookie(
            self.cookie_name(name),
            token,
            max_age=int(PROOF) if name == RATER_COOKIE else None,
            path=path,
            secure=self.settings.secure,
            httponly=True,
            samesite="strict" if strict else "lax",
        )


def desk_of(request: Request) -> Desk:
    """Of the server that got a request."""
    desk: Desk = request.app.state.desk
    return desk


def address(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client is not None else ""


def root_of(request: Request) -> str:
    """The path under which the server is reached."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def refuse_forged(session: str, brought: str, request: Request) -> None:
    """See that a post of somebody who is signed in comes from a page of ours.

    Raises:
        RefusalError: If it does not bring the word of its session, or the browser says that it is another site's.
    """
    refuse_elsewhere(request)
    if not csrf_fits(session, brought):
        raise forged()


def refuse_forged_form(form: Mapping[str, str], request: Request) -> str:
    """See the same of a form of somebody who is not signed in; its word, which no other form has."""
    desk, word = desk_of(request), form.get("csrf", "")
    refuse_elsewhere(request)
    if not form_fits(desk.key, desk.cookie_of(request, FORM_COOKIE), word):
        raise forged()
    return word


def refuse_elsewhere(request: Request) -> None:
    """See that the browser does not say that a post comes from another site's page.

    Raises:
        RefusalError: If it does.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise forged()
