"""The state that all pages of a server share: the store and its writer, the person asking, the study's texts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Connection, delete, insert, select, update
from starlette.requests import Request
from starlette.responses import Response

from errorbar.judging.page_languages import ENGLISH, PageLanguage, page_language
from errorbar.judging.random_tokens import derive_token, fingerprint, fresh_token, same
from errorbar.judging.scheme import Scheme
from errorbar.judging.store.store import GroupCommit, Store
from errorbar.judging.store.tables import SESSION
from errorbar.judging.study.folder import Study
from errorbar.judging.study.rules import StudyRules, current_rules, get_value
from errorbar.judging.web.live_status import ChartPictures, LiveStatus, can_draw
from errorbar.judging.web.pages import markdown_html
from errorbar.judging.web.requests import BodyLimit, RateLimit, forged_post_error, signed_out_error

# Who is signed in: random words in cookies, their fingerprints in the store.


DAY = 86400.0
LIFE, MANAGER_LIFE = 30 * DAY, DAY
"""How long a session lasts after it was last used: an idle page must lose nothing."""
PROOF = 400 * DAY
"""How long a cookie stays in a browser: a session that is over still proves whose it was."""
RATER_COOKIE, MANAGER_COOKIE, FORM_COOKIE = "errorbar_judge", "errorbar_manage", "errorbar_form"
"""How names of cookies begin; behind comes what tells the studies of one host apart (``Desk.cookie_name``)."""
_TRUSTED = 5.0
"""Seconds for which a process believes what it read of a session."""
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in; ``rater`` is None for the manager."""

    token: str
    rater: int | None
    expires: float

    @property
    def csrf(self) -> str:
        """The token that every post of this session's pages must bring."""
        return csrf_of(self.token)

    @property
    def device(self) -> str:
        """The word by which the same browser signs in again."""
        return device_of(self.token)


def device_of(cookie: str) -> str:
    """A word that follows from a cookie, which a rater's page keeps to sign in again where the cookie is lost."""
    return fingerprint(f"device {cookie}")


def csrf_of(cookie: str) -> str:
    """A word that follows from a cookie, which no page of elsewhere can read."""
    return fingerprint(f"csrf {cookie}")[:32]


def form_word(key: str, cookie: str) -> str:
    """A new word for a form of somebody who is not signed in: only the server makes one, for this cookie alone.

    A session follows from it, and not from the cookie, which somebody else may have put into the browser.
    """
    fresh = fresh_token()
    return f"{fresh}.{derive_token(key, 'form', cookie, fresh)}"


def form_fits(key: str, cookie: str, brought: str) -> bool:
    """Whether a form brought a word that the server made for its cookie."""
    fresh, _, mark = brought.partition(".")
    return bool(cookie) and same(derive_token(key, "form", cookie, fresh), mark)


def open_session(tx: Connection, rater: int | None, now: float, token: str = "", before: str = "") -> Session:
    """Sign somebody in; by the same ``token`` again it is the same session. A device's word lasts longer.

    ``before`` is what this browser was signed in by until now: its sessions have one time at which they were made, and
    end together.
    """
    token = token or fresh_token()
    known = select(SESSION.c.made).where(SESSION.c.token_hash == fingerprint(before), SESSION.c.rater == rater)
    made = tx.scalar(known) if before else None
    tx.execute(delete(SESSION).where(SESSION.c.token_hash.in_([fingerprint(token), fingerprint(device_of(token))])))
    expires = now + (MANAGER_LIFE if rater is None else LIFE)
    made = now if made is None else made
    rows = [{"token_hash": fingerprint(token), "rater": rater, "made": made, "expires": expires}]
    if rater is not None:
        rows.append({**rows[0], "token_hash": fingerprint(device_of(token)), "expires": now + PROOF})
    tx.execute(insert(SESSION), rows)
    return Session(token, rater, expires)


def read_session(tx: Connection, token: str) -> Session | None:
    """The session of a cookie, be it over."""
    row = tx.execute(
        select(SESSION.c.rater, SESSION.c.expires).where(SESSION.c.token_hash == fingerprint(token))
    ).one_or_none()
    return None if row is None else Session(token, row.rater, row.expires)


def prolong(tx: Connection, session: Session, now: float) -> None:
    """Let a session last from now on."""
    life = MANAGER_LIFE if session.rater is None else LIFE
    tx.execute(update(SESSION).where(SESSION.c.token_hash == fingerprint(session.token)).values(expires=now + life))


def close_sessions_of(tx: Connection, rater: int) -> None:
    """Sign a rater out of every browser."""
    tx.execute(delete(SESSION).where(SESSION.c.rater == rater))


def close_session(tx: Connection, token: str) -> None:
    """Sign somebody out, of all sessions that their browser had one after the other, by cookie and by device."""
    row = tx.execute(
        select(SESSION.c.rater, SESSION.c.made).where(SESSION.c.token_hash == fingerprint(token))
    ).one_or_none()
    if row is not None:
        whose = SESSION.c.token_hash == fingerprint(token) if row.rater is None else SESSION.c.rater == row.rater
        tx.execute(delete(SESSION).where(whose, SESSION.c.made == row.made))


def is_stale(session: Session, now: float) -> bool:
    """Whether it is time to prolong: once a day, not at each request."""
    life = MANAGER_LIFE if session.rater is None else LIFE
    return session.expires - now < life - min(DAY, life / 24)


@dataclass(slots=True)
class KnownSessions:
    """Sessions that a process read a moment ago, so that an answer needs no look-up of its own."""

    clock: Callable[[], float]
    _known: dict[str, tuple[float, Session]] = field(default_factory=dict)

    def get(self, token: str) -> Session | None:
        """A session that was read within the last seconds."""
        at, session = self._known.get(token, (0.0, None))
        return session if session is not None and 0 <= self.clock() - at < _TRUSTED else None

    def keep(self, session: Session) -> None:
        """Remember what was read."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[session.token] = (self.clock(), session)

    def forget(self, token: str) -> None:
        """Of somebody who signed out."""
        self._known.pop(token, None)


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
    """The study's description.

    Attributes:
        rules: As they stand.
        scheme: Which answers there are.
        key: From which orders follow that nobody else may compute.
    """

    rules: StudyRules
    scheme: Scheme
    key: str = field(default="", repr=False)

    @property
    def title(self) -> str:
        """Of the study, for raters."""
        return self.rules.title or self.scheme.title

    @property
    def language(self) -> PageLanguage:
        """Of raters' pages."""
        return page_language(self.rules)


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
        bodies: Of raters, which may be long.
        live: Figures of the study, at most some seconds old.
        pictures: Charts of these figures.
        language: Of raters' pages, as this process last read it: for pages that must not ask the store.
    """

    store: Store
    writer: GroupCommit
    study: Study
    clock: Callable[[], float]
    settings: Settings
    sessions: KnownSessions = field(default_factory=lambda: KnownSessions(time.monotonic))
    tries: RateLimit = field(default_factory=lambda: RateLimit(300, 2.0, time.monotonic))
    logins: RateLimit = field(default_factory=lambda: RateLimit(10, 1 / 30, time.monotonic))
    bodies: BodyLimit = field(default_factory=BodyLimit)
    live: LiveStatus = field(init=False)
    pictures: ChartPictures = field(default_factory=ChartPictures)
    language: PageLanguage = ENGLISH
    _scheme: Scheme | None = None
    _long: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(LONG_AT_ONCE, "errorbar-long"))

    def __post_init__(self) -> None:
        """The figures are kept by one object for all pages."""
        self.live = LiveStatus(self.study, self.store, self.clock)
        self._read(self.terms)

    @property
    def name(self) -> str:
        """By which browsers tell studies of one host apart."""
        return derive_token(self.key, "cookies")[:8]

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

    def prepare_charts(self) -> None:
        """Start what draws charts, for a manager who has just signed in; nobody waits for it."""
        if can_draw():
            self._long.submit(self.pictures.prepare)

    def _read(self, work: Callable[[Connection], T]) -> T:
        with self.store.read() as snapshot:
            return work(snapshot)

    def terms(self, tx: Connection) -> Terms:
        """The rules as they are in this transaction, and the scheme, which stays as it is."""
        if self._scheme is None:
            self._scheme = Scheme.from_json(get_value(tx, "scheme") or "{}")
        terms = Terms(current_rules(tx), self._scheme, self.key)
        self.language = terms.language
        return terms

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
            raise signed_out_error()
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


def study_guidelines(desk: Desk, snapshot: Connection) -> str:
    """The instructions to raters, the study's own or its scheme's, as HTML."""
    return markdown_html(get_value(snapshot, "guidelines") or desk.terms(snapshot).scheme.guidelines)


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
    if not (bool(session) and same(csrf_of(session), brought)):
        raise forged_post_error()


def refuse_forged_form(form: Mapping[str, str], request: Request) -> str:
    """See the same of a form of somebody who is not signed in; its word, which no other form has."""
    desk, word = desk_of(request), form.get("csrf", "")
    refuse_elsewhere(request)
    if not form_fits(desk.key, desk.cookie_of(request, FORM_COOKIE), word):
        raise forged_post_error()
    return word


def refuse_elsewhere(request: Request) -> None:
    """See that the browser does not say that a post comes from another site's page.

    Raises:
        RefusalError: If it does.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise forged_post_error()
